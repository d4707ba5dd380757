"""Weights of partitions from feature subsets: by their silhouettes and by the number of subsets per order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import pairwise_distances

from ..checks.labels import check_labels
from ..checks.types import Subsets
from ..checks.values import check_bool, check_choice, check_features, check_n_jobs, check_real
from ..ensembles import _tiny_kmeans
from ..ensembles._subsets import RIDGE, check_subsets, for_each_batch
from ..solve.encoding import encode
from ..weightings.tables import n_clusters_of

__all__ = ["order_weights", "silhouette_weights"]

_COMPILED = ("sqeuclidean", "euclidean")
_METRICS = (*_COMPILED, "cityblock", "chebyshev", "cosine")


def silhouette_weights(
    labels: ArrayLike,
    *,
    X: ArrayLike,
    subsets: Subsets | None = None,
    metric: str = "sqeuclidean",
    singleton: float = 1.0,
    undefined: float = 0.0,
    whiten: bool = False,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Goodness of each partition: its mean silhouette, or 0 if negative.

    Compute  g_u = max(0, 1/n_u sum_i (b_i - a_i) / max(a_i, b_i))  (Eqs. 4 and 10 of [1]_), over the n_u objects that
    partition u observes, with a_i the mean distance of object i to the others of its cluster and b_i that to the
    nearest other cluster. A partition with one cluster gets 0.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    X : array-like of shape (n_samples, n_features)
    subsets : list of arrays of feature indices, or bool array of shape (n_partitions, n_features), default=None
        The features in which each partition is measured. None means all features for each.
    metric : {"sqeuclidean", "euclidean", "cityblock", "chebyshev", "cosine"}, default="sqeuclidean"
        Distance between objects.
    singleton : float, default=1.0
        Silhouette of an object alone in its cluster: 1 in [1]_ and MATLAB, 0 in [2]_ and scikit-learn.
    undefined : float, default=0.0
        Silhouette of an object that coincides with all objects of its own and of another cluster, 0 / 0: 0 in
        scikit-learn; nan in [1]_ and MATLAB, which gives the whole partition weight 0.
    whiten : bool, default=False
        First whiten each partition's features on all objects, as :func:`~robust_eac.zca_whiten` does.
    n_jobs : int, default=None
        Threads. The result does not depend on it.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        In [0, 1], not normalised; all can be zero.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or the sizes do not match.

    Notes
    -----
    Time O(n_samples k_u order) per partition for squared Euclidean distances, O(n_samples^2 order) for others.

    References
    ----------
    .. [1] Wong, Tsuchiya, "Evidence accumulation clustering using combinations of features", MethodsX 7, 2020.
    .. [2] Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster analysis", Journal
       of Computational and Applied Mathematics 20, 1987.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 4.0], [2.0, 0.0], [2.0, 4.0]]
    >>> labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> silhouette_weights(labels, X=X, metric="cityblock")
    array([0. , 0.6])
    >>> silhouette_weights(labels, X=X, subsets=[[0], [1]])
    array([1., 1.])
    """
    labels = check_labels(labels)
    metric = check_choice(metric, _METRICS, name="metric")
    n, m = labels.shape
    X = check_features(X, n_samples=n)
    if subsets is None:
        subsets = [np.arange(X.shape[1])] * m
    else:
        subsets = check_subsets(subsets, X.shape[1], name="subsets")
        if len(subsets) != m:
            raise ValueError(f"subsets must hold one subset for each of the {m} partitions, got {len(subsets)}.")
    singleton = check_real(singleton, name="singleton", low=-1.0, high=1.0)
    if not (isinstance(undefined, float) and np.isnan(undefined)):
        undefined = check_real(undefined, name="undefined", low=-1.0, high=1.0)
    ridge = RIDGE if check_bool(whiten, name="whiten") else None
    n_jobs = check_n_jobs(n_jobs)

    encoding = encode(labels)
    codes = np.ascontiguousarray(encoding.codes.T, dtype=np.int32)
    # The code of "not observed"; no label has this code if nothing is missing.
    codes[codes == n_clusters_of(encoding)[:, np.newaxis]] = -1
    return mean_silhouettes(
        codes, X, subsets, metric=metric, singleton=singleton, undefined=undefined, ridge=ridge, n_jobs=n_jobs
    )


def order_weights(subsets: Subsets) -> np.ndarray:
    """Balance the orders of feature subsets: each partition is weighted by one over the number of its order.

    Compute  1 / O_k  for every subset of k features, with O_k the number of subsets of k features (Eq. 11 of [1]_). The
    weights of each order then sum to 1.

    Parameters
    ----------
    subsets : list of arrays of feature indices, or bool array of shape (n_partitions, n_features)
        The features that each partition is made of.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Positive, not normalised.

    Raises
    ------
    ValueError, TypeError
        If `subsets` is malformed.

    Notes
    -----
    Time O(total number of indices).

    References
    ----------
    .. [1] Wong, Tsuchiya, "Evidence accumulation clustering using combinations of features", MethodsX 7, 2020.

    Examples
    --------
    >>> order_weights([[0], [1], [0, 1]])
    array([0.5, 0.5, 1. ])
    """
    return balance_orders(np.array([len(subset) for subset in check_subsets(subsets, name="subsets")]))


def balance_orders(orders):
    """:func:`order_weights` from the numbers of features."""
    _, inverse, counts = np.unique(orders, return_inverse=True, return_counts=True)
    return 1.0 / counts[inverse]


def mean_silhouettes(labels, X, subsets, *, metric, singleton, undefined, ridge, n_jobs):
    """:func:`silhouette_weights` of int32 codes (n_partitions, n_samples); whitens unless ridge is None."""
    weights = np.empty(len(labels))

    def by_kernel(rows, data):
        found = np.empty(len(rows))
        codes = labels[rows]
        n_clusters = int(codes.max()) + 1
        _tiny_kmeans.silhouettes(data, codes, n_clusters, metric == "sqeuclidean", singleton, undefined, found)
        weights[rows] = found

    def by_distances(rows, data):
        for u, x in zip(rows, data, strict=True):
            members = (labels[u] == np.arange(labels[u].max() + 1)[:, np.newaxis]).astype(np.float64)
            sums = members @ pairwise_distances(x.T, metric=metric)
            counts = members.sum(axis=1).astype(np.int64)
            weights[u] = _tiny_kmeans.ramped_mean(sums, labels[u], counts, singleton, undefined)

    for_each_batch(by_kernel if metric in _COMPILED else by_distances, X, subsets, ridge=ridge, n_jobs=n_jobs)
    return weights
