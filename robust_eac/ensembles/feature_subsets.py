"""Ensembles from subsets of the features."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ..checks.types import RandomState, Subsets
from ..checks.values import check_bool, check_choice, check_features, check_integer, check_n_jobs, check_random_state
from . import _tiny_kmeans
from ._common import Ensemble, check_range
from ._subsets import MODES, RIDGE, check_subsets, draw_combinations, draw_subsets, for_each_batch

__all__ = ["FeatureSubsetEnsemble"]

_MAX_ITER = 100


class FeatureSubsetEnsemble(Ensemble):
    """Cluster subsets of the features by k-means, one subset per partition.

    The ensemble of combinatorial evidence accumulation [1]_, for data in which most features may be noise. It uses all
    subsets of 1, 2, ..., `max_order` features, or a random sample if there are too many. Every sub-data set is whitened
    and clustered by one run of k-means with random objects as seeds.

    Parameters
    ----------
    n_clusters : int or (int, int), default=(2, 3)
        Number of clusters, or the range it is drawn from, both ends included. [1]_ draws from (k, k + 1).
    combinations : list of arrays of feature indices, or bool array of shape (n_partitions, n_features), default=None
        The subsets. None means subsets of 1 to `max_order` features, limited by the next three parameters.
    max_order : int, default=9
        Largest number of features in a subset, at most n_features.
    max_per_order : int, default=1000
        Largest number of subsets of one order (number of features); if there are more, this many are drawn.
    min_per_order : int, default=50
        Smallest number of subsets of one order, at most `max_per_order`; only for "listing". If there are fewer, random
        ones are repeated.
    whiten : bool, default=True
        Whiten every sub-data set as :func:`~robust_eac.zca_whiten` does.
    reproduce : {"listing", "equation"}, default="listing"
        "listing": like the published program, draw subsets independently, so that some occur more than once, and fill
        orders of few subsets with random repetitions. "equation": like the formulas, all subsets of one order are
        distinct, without repetitions.
    n_jobs : int, default=None
        Threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the subsets, the numbers of clusters and the seeds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples, n_partitions)
        The ensemble; smallest unsigned integer type that holds the labels.
    subsets_ : list of n_partitions ndarray
        Indices of each partition's features, sorted.
    orders_ : ndarray of shape (n_partitions,)
        Number of features of each partition.
    n_clusters_ : ndarray of shape (n_partitions,)
        Number of clusters of each partition.
    n_features_in_ : int

    Notes
    -----
    k-means follows the published MATLAB program: distinct random objects as seeds, squared Euclidean distances, and at
    most 100 batch updates, until no object is strictly nearer to another centre. An empty cluster takes the object
    farthest from its centre. So every partition has exactly its number of clusters, even if fewer objects are distinct.
    The random numbers are not MATLAB's.

    The whitening adds 1e-4 to the eigenvalues of the scatter matrix: directions of much less scatter are suppressed, so
    standardise the features first. With n_samples - 1 or more features in a subset, whitening makes all distances
    equal, and the clustering is meaningless.

    Time O(n_samples order (k iterations + order) + order^3) per subset; memory O(n_samples n_partitions). There is no
    `transform`: new objects cannot be labelled.

    References
    ----------
    .. [1] Wong, Tsuchiya, "Evidence accumulation clustering using combinations of features", MethodsX 7, 2020, Table 1.

    Examples
    --------
    >>> from robust_eac.ensembles import FeatureSubsetEnsemble
    >>> from robust_eac import load_dataset
    >>> X, y = load_dataset("iris")
    >>> model = FeatureSubsetEnsemble((3, 4), reproduce="equation", random_state=0).fit(X)
    >>> model.labels_.shape
    (150, 15)
    >>> model.subsets_[4]
    array([0, 1])
    """

    def __init__(
        self,
        n_clusters: int | tuple[int, int] = (2, 3),
        *,
        combinations: Subsets | None = None,
        max_order: int = 9,
        max_per_order: int = 1000,
        min_per_order: int = 50,
        whiten: bool = True,
        reproduce: str = "listing",
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.combinations = combinations
        self.max_order = max_order
        self.max_per_order = max_per_order
        self.min_per_order = min_per_order
        self.whiten = whiten
        self.reproduce = reproduce
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
        self : FeatureSubsetEnsemble

        Raises
        ------
        ValueError, TypeError
            If X is malformed, or a parameter is malformed or out of range.
        """
        X = check_features(X, estimator=self)
        n, n_features = X.shape
        low, high = check_range(self.n_clusters, n, "n_samples")
        max_order = check_integer(self.max_order, name="max_order", low=1)
        max_per_order = check_integer(self.max_per_order, name="max_per_order", low=1)
        min_per_order = check_integer(self.min_per_order, name="min_per_order", low=0)
        whiten = check_bool(self.whiten, name="whiten")
        distinct = check_choice(self.reproduce, MODES, name="reproduce") == "equation"
        n_jobs = check_n_jobs(self.n_jobs)
        rng = check_random_state(self.random_state)
        if self.combinations is None:
            subsets = draw_subsets(n_features, max_order, max_per_order, min_per_order, distinct, rng)
        else:
            subsets = check_subsets(self.combinations, n_features, name="combinations")
        n_clusters = rng.randint(low, high + 1, size=len(subsets))
        seeds = np.zeros((len(subsets), high), dtype=np.intp)
        for k in np.unique(n_clusters):
            rows = np.flatnonzero(n_clusters == k)
            seeds[rows, :k] = draw_combinations(rng, len(rows), n, k)

        labels = np.empty((n, len(subsets)), dtype=np.min_scalar_type(high - 1))

        def cluster(rows, data):
            found = np.empty((len(rows), n), dtype=np.int32)
            _tiny_kmeans.cluster(data, seeds[rows], n_clusters[rows], _MAX_ITER, found)
            labels[:, rows] = found.T

        for_each_batch(cluster, X, subsets, ridge=RIDGE if whiten else None, n_jobs=n_jobs)
        self.labels_ = labels
        self.subsets_ = subsets
        self.orders_ = np.array([len(subset) for subset in subsets])
        self.n_clusters_ = n_clusters
        self._n_features_out = len(subsets)
        return self
