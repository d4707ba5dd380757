"""Ensembles of one clusterer with several numbers of clusters."""

from __future__ import annotations

from functools import partial

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from ..checks.common import RandomState
from ..checks.values import MAX_SEED, check_candidates, check_features, check_integer, check_n_jobs, check_random_state
from ..core.threads import progress, silent
from .base import (
    EnsembleTransformer,
    check_max_samples,
    draw_sample,
    fit_all,
    label_by_blocks,
    label_dtype,
    list_fits,
    nearest_centres,
    prepare_clusterer,
    stack,
)

__all__ = ["KMeansEnsemble"]


class KMeansEnsemble(EnsembleTransformer):
    """Cluster the same data many times, with random numbers of clusters and random starts.

    Partition u is one run of k-means from a random start, with k_u clusters drawn uniformly from a range: the "k-means
    ensemble" of [1]_. `estimator` replaces k-means by another clusterer.

    Parameters
    ----------
    n_partitions : int, default=150
        Number of clusterings m.
    n_clusters : int, (int, int) or list of int, default=(3, 20)
        Number of clusters, or those to draw from: the lowest and the highest, or a list.
    estimator : clusterer, default=None
        A scikit-learn clusterer; its parameters `n_clusters` and, if it has one, `random_state` are set for every
        partition. None means ``KMeans(init="random", n_init=1)``.
    max_samples : int, default=None
        Fit every partition to its own random sample of this many objects, and label all objects by its `predict`. None
        means all objects.
    n_jobs : int, default=None
        Threads over the partitions, and over blocks of objects. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the numbers of clusters, the samples and the seeds.
    verbose : int, default=0
        1 prints a line per partition and, with `max_samples`, per 65,536 objects labelled.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples, n_partitions)
        The ensemble; int16, or int32 for larger labels; int64 if some are -1 (in no cluster).
    n_clusters_ : ndarray of shape (n_partitions,)
        Requested number of clusters of each partition.
    estimators_ : list of n_partitions fitted clusterers
    n_features_in_ : int

    Notes
    -----
    Time O(n_samples n_features sum_u k_u) per pass of k-means over all objects; `max_samples` needs one such pass, and
    the passes over the samples. It also reads arrays and memory maps of any real type in blocks, and forms no array of
    the size of `X` except the labels. Otherwise `X` becomes a float64 array in memory.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 4.

    Examples
    --------
    >>> from robust_eac import KMeansEnsemble, load_dataset
    >>> X, y = load_dataset("iris")
    >>> KMeansEnsemble(n_partitions=5, n_clusters=(3, 6), random_state=0).fit_transform(X).shape
    (150, 5)
    """

    def __init__(
        self,
        n_partitions: int = 150,
        n_clusters: int | tuple[int, int] = (3, 20),
        *,
        estimator: object | None = None,
        max_samples: int | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_partitions = n_partitions
        self.n_clusters = n_clusters
        self.estimator = estimator
        self.max_samples = max_samples
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _make(self, X):
        X = check_features(X, estimator=self, as_is=self.max_samples is not None)
        size = check_max_samples(self.max_samples, len(X))
        n_partitions = check_integer(self.n_partitions, name="n_partitions", low=1)
        high_name = "n_samples" if size is None else "max_samples"
        candidates = check_candidates(self.n_clusters, high=size or len(X), high_name=high_name)
        n_jobs = check_n_jobs(self.n_jobs)
        rng = check_random_state(self.random_state)
        log = progress(self.verbose)
        base = KMeans(init="random", n_init=1) if self.estimator is None else self.estimator
        if size is not None:
            _check_predicts(base)
        self.n_clusters_ = candidates[rng.randint(len(candidates), size=n_partitions)]
        seeds = rng.randint(MAX_SEED, size=n_partitions)
        if size is None:
            self.estimators_ = fit_all(base, self.n_clusters_, seeds, X, n_jobs, log)
            self.labels_ = stack([estimator.labels_ for estimator in self.estimators_])
            return
        draws = zip(self.n_clusters_, seeds, rng.randint(MAX_SEED, size=n_partitions), strict=True)
        fits = (delayed(_fit_sample)(prepare_clusterer(base, k, seed), X, size, draw) for k, seed, draw in draws)
        self.estimators_ = list_fits(fits, self.n_clusters_, n_jobs, log)
        self.labels_ = self._label(X, log)

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Label new objects by every clustering of the ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples, n_partitions)

        Raises
        ------
        TypeError
            If the clusterer cannot label objects that it was not fitted on.
        """
        check_is_fitted(self)
        X = check_features(X, estimator=self, reset=False, as_is=self.max_samples is not None)
        _check_predicts(self.estimators_[0])
        if self.max_samples is not None:
            return self._label(X, silent)
        return stack([estimator.predict(X) for estimator in self.estimators_])

    def _label(self, X, log):
        """Labels of all objects, in blocks."""
        if self.estimator is None:
            label, *shape = nearest_centres([estimator.cluster_centers_ for estimator in self.estimators_])
        else:
            label = partial(_label_by_predict, self.estimators_, self.n_clusters_)
            shape = len(self.estimators_), label_dtype(self.n_clusters_.max() - 1)
        return label_by_blocks(X, label, *shape, check_n_jobs(self.n_jobs), log)


def _check_predicts(estimator):
    if not hasattr(estimator, "predict"):
        raise TypeError(
            f"estimator {type(estimator).__name__} cannot label objects it was not fitted on (it has no predict); use "
            "fit_transform, without max_samples."
        )


def _fit_sample(estimator, X, size, seed):
    return estimator.fit(draw_sample(X, size, np.random.RandomState(seed)))


def _label_by_predict(estimators, n_clusters, block, labels):
    """Fill labels (n_rows, m) by the `predict` of the clusterers."""
    for u, (estimator, k) in enumerate(zip(estimators, n_clusters, strict=True)):
        found = estimator.predict(block)
        if found.min() < 0 or found.max() >= k:
            label = found[(found < 0) | (found >= k)][0]
            raise ValueError(
                f"estimator {type(estimator).__name__} must give every object a label in [0, n_clusters={k}) with "
                f"max_samples, got {label}."
            )
        labels[:, u] = found
