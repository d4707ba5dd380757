"""Ensembles of spectral clusterings by landmarks."""

from __future__ import annotations

from functools import partial
from typing import Self

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..checks.types import RandomState
from ..checks.values import MAX_SEED, check_features, check_integer, check_n_jobs, check_random_state
from ..solve.progress import progress
from ._blocks import check_max_samples, label_by_blocks
from ._common import Ensemble, check_range, list_fits
from ._landmark_graph import fit_model, label_by_models

__all__ = ["LandmarkSpectralEnsemble"]


class LandmarkSpectralEnsemble(Ensemble):
    """Cluster the same data many times by spectral clustering, which finds clusters of any shape, through landmarks.

    The ensemble of U-SENC [1]_. Each partition chooses p landmarks of its own: the centres of k-means on 10 p random
    objects. An edge joins each object i to each of its K nearest landmarks r_j, of weight
    B_ij = exp(-|x_i - r_j|^2 / (2 sigma^2)), with sigma the mean length of the edges, and the transfer cut [2]_
    cuts this graph into k_u clusters, a number drawn from a range: with D and N the row and column sums of B and V the
    k_u leading eigenvectors of N^(-1/2) B' D^(-1) B N^(-1/2), a graph of landmarks alone, the coordinates of objects
    are the rows of D^(-1) B N^(-1/2) V, scaled to length one. k-means clusters them, from one start.

    Parameters
    ----------
    n_partitions : int, default=20
        Number of clusterings m.
    n_clusters : int or (int, int), default=(20, 60)
        Number of clusters, or the range it is drawn from, both ends included; at most `n_landmarks`.
    n_landmarks : int, default=1000
        p; fewer if fewer objects are distinct.
    n_neighbors : int, default=5
        K, at most all landmarks.
    max_samples : int, default=None
        Fit every partition, its landmarks, eigenvectors and k-means, on a random sample of its own, of so many objects,
        and label all of them by their nearest landmarks. None means all objects.
    n_jobs : int, default=None
        Threads over the partitions, and over blocks of objects. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the numbers of clusters, the samples, the landmarks and the starts of k-means.
    verbose : int, default=0
        1 prints a line per partition, and per 65,536 objects labelled.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples, n_partitions)
        The ensemble of the data it was fitted on; smallest unsigned integer type that holds the labels.
    n_clusters_ : ndarray of shape (n_partitions,)
        Requested number of clusters of each partition. A cluster can stay empty.
    landmarks_ : list of n_partitions ndarray of shape (p, n_features)
        Landmarks; those that no object of the sample is near to are left out.
    n_features_in_ : int

    Notes
    -----
    The nearest landmarks are exact: balls around about sqrt(p) groups of landmarks show which need not be looked at.
    [1]_ searches approximately, and fits all partitions on all objects; its numbers of partitions, clusters, landmarks
    and neighbours are the defaults here. `labels_` is what :meth:`transform` returns for the data of the fit.

    With n_s objects in a sample, time per partition O(p^2 n_features + p^3 + n_s k_u^2 passes of k-means) for the fit,
    and for the labels O(n (n_features l + K k_u + k_u^2)), where l <= p + sqrt(p) landmarks and groups are looked at.
    Memory: the labels and, per thread, the coordinates of a sample. With `max_samples` less than all objects, arrays
    and memory maps of any real type are read block by block and never copied whole.

    References
    ----------
    .. [1] Huang, Wang, Wu, Lai, Kwoh, "Ultra-scalable spectral clustering and ensemble clustering", IEEE Transactions
       on Knowledge and Data Engineering 32(6), 2020.
    .. [2] Li, Wu, Chang, "Segmentation using superpixels: a bipartite graph partitioning approach", CVPR 2012.

    Examples
    --------
    >>> from robust_eac import LandmarkSpectralEnsemble, load_dataset
    >>> X, y = load_dataset("iris")
    >>> model = LandmarkSpectralEnsemble(5, (3, 6), n_landmarks=50, random_state=0).fit(X)
    >>> model.labels_.shape
    (150, 5)
    """

    def __init__(
        self,
        n_partitions: int = 20,
        n_clusters: int | tuple[int, int] = (20, 60),
        *,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        max_samples: int | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_partitions = n_partitions
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.max_samples = max_samples
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Make the ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
            Present for API consistency.

        Returns
        -------
        self : LandmarkSpectralEnsemble

        Raises
        ------
        ValueError, TypeError
            If X is malformed, or a parameter is malformed or out of range.
        """
        X = check_features(X, estimator=self, as_is=True)
        n_partitions = check_integer(self.n_partitions, name="n_partitions", low=1)
        n_landmarks = check_integer(self.n_landmarks, name="n_landmarks", low=1)
        n_neighbors = check_integer(self.n_neighbors, name="n_neighbors", low=1)
        size = check_max_samples(self.max_samples, len(X))
        limits = {"n_samples": len(X), "max_samples": size or len(X), "n_landmarks": n_landmarks}
        name = min(limits, key=lambda key: limits[key])
        low, high = check_range(self.n_clusters, limits[name], name)
        n_jobs = check_n_jobs(self.n_jobs)
        rng = check_random_state(self.random_state)
        tell = progress(self.verbose)
        self.n_clusters_ = rng.randint(low, high + 1, size=n_partitions)
        seeds = rng.randint(MAX_SEED, size=n_partitions)
        fits = (
            delayed(fit_model)(X, int(k), n_landmarks, n_neighbors, size, seed)
            for k, seed in zip(self.n_clusters_, seeds, strict=True)
        )
        self._models = list_fits(fits, self.n_clusters_, n_jobs, tell)
        self._n_neighbors = n_neighbors
        self.landmarks_ = [model.landmarks for model in self._models]
        self._n_features_out = n_partitions
        self.labels_ = self._label(X, n_jobs, tell)
        return self

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Label new objects with every clustering of the ensemble, by their nearest landmarks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples, n_partitions)

        Raises
        ------
        ValueError, TypeError
            If X is malformed, or has another number of features.
        """
        check_is_fitted(self)
        X = check_features(X, estimator=self, reset=False, as_is=True)
        return self._label(X, check_n_jobs(self.n_jobs), None)

    def _label(self, X, n_jobs, tell):
        """Labels of all objects, block by block."""
        dtype = np.min_scalar_type(int(self.n_clusters_.max()) - 1)
        label = partial(label_by_models, self._models, self._n_neighbors)
        return label_by_blocks(X, label, len(self._models), dtype, n_jobs, tell)
