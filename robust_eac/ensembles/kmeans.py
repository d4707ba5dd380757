"""Ensembles of one clusterer at several numbers of clusters."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from ..checks.types import RandomState
from ..checks.values import MAX_SEED, check_features, check_integer, check_n_jobs, check_random_state
from ._common import Ensemble, check_range, fit_all, stack

__all__ = ["KMeansEnsemble"]


class KMeansEnsemble(Ensemble):
    """Cluster the same data many times, with random numbers of clusters and random starts.

    Partition u is one run of k-means from a random start, with k_u clusters drawn uniformly from a range: the "k-means
    ensemble" of [1]_. `estimator` replaces k-means by another clusterer.

    Parameters
    ----------
    n_partitions : int, default=150
        Number of clusterings m.
    n_clusters : int or (int, int), default=(3, 20)
        Number of clusters, or the range it is drawn from, both ends included.
    estimator : clusterer, default=None
        A scikit-learn clusterer; its parameters `n_clusters` and, where it has one, `random_state` are set for every
        partition. None means ``KMeans(init="random", n_init=1)``.
    n_jobs : int, default=None
        Threads over the partitions. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the numbers of clusters and the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples, n_partitions)
        The ensemble of the data it was fitted on; smallest unsigned integer type that holds the labels, int64 if a
        clusterer leaves objects out (-1).
    n_clusters_ : ndarray of shape (n_partitions,)
        Requested number of clusters of each partition.
    estimators_ : list of n_partitions fitted clusterers
    n_features_in_ : int

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013, Section 4.

    Examples
    --------
    >>> from robust_eac import KMeansEnsemble, load_dataset
    >>> X, y = load_dataset("iris")
    >>> labels = KMeansEnsemble(n_partitions=5, n_clusters=(3, 6), random_state=0).fit_transform(X)
    >>> labels.shape
    (150, 5)
    """

    def __init__(
        self,
        n_partitions: int = 150,
        n_clusters: int | tuple[int, int] = (3, 20),
        *,
        estimator: object | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_partitions = n_partitions
        self.n_clusters = n_clusters
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Make the ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
            Present for API consistency.

        Returns
        -------
        self : KMeansEnsemble

        Raises
        ------
        ValueError, TypeError
            If X is malformed, or a parameter is malformed or out of range.
        """
        X = check_features(X, estimator=self)
        n_partitions = check_integer(self.n_partitions, name="n_partitions", low=1)
        low, high = check_range(self.n_clusters, len(X), "n_samples")
        n_jobs = check_n_jobs(self.n_jobs)
        rng = check_random_state(self.random_state)
        self.n_clusters_ = rng.randint(low, high + 1, size=n_partitions)
        seeds = rng.randint(MAX_SEED, size=n_partitions)
        base = KMeans(init="random", n_init=1) if self.estimator is None else self.estimator
        self.estimators_ = fit_all(base, self.n_clusters_, seeds, X, n_jobs)
        self.labels_ = stack([estimator.labels_ for estimator in self.estimators_])
        self._n_features_out = n_partitions
        return self

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Label new objects with every clustering of the ensemble.

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
        X = check_features(X, estimator=self, reset=False)
        if not hasattr(self.estimators_[0], "predict"):
            raise TypeError(
                f"estimator {type(self.estimators_[0]).__name__} cannot label objects it was not fitted on (it has no "
                "predict); use fit_transform."
            )
        return stack([estimator.predict(X) for estimator in self.estimators_])
