"""Weights from the silhouettes of the partitions in the features, or in subsets of the features."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import Subsets
from ..core.kernels import njit
from ..ensemble import reading
from ..ensemble.encoding import encode
from .feature_subsets import check_subsets, for_each_batch

_METRICS = ("sqeuclidean", "euclidean")


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
    r"""Goodness of each partition: its mean silhouette, or 0 if negative.

    Compute :math:`g_u = \max(0, \frac{1}{n_u} \sum_i (b_i - a_i) / \max(a_i, b_i))` (Eqs. 4 and 10 of [1]_), over the
    :math:`n_u` objects that partition u observes, with :math:`a_i` the mean distance of object i to the others of its
    cluster and :math:`b_i` that to the nearest other cluster. A partition with one cluster gets 0. Time O(n_samples k_u
    order) per partition for squared Euclidean distances, O(n_samples^2 order) for plain ones.

    Parameters
    ----------
    labels : as in :func:`~robust_eac.eac`
    X : array-like of shape (n_samples, n_features)
    subsets : list of arrays of feature indices, or bool array of shape (n_partitions, n_features), default=None
        The features of each partition. None means all features.
    metric : {"sqeuclidean", "euclidean"}, default="sqeuclidean"
        Distance between objects.
    singleton : float, default=1.0
        Silhouette of an object alone in its cluster: 1 in [1]_ and MATLAB, 0 in [2]_ and scikit-learn.
    undefined : float, default=0.0
        Silhouette of an object that coincides with all objects of its own and of another cluster, 0 / 0: 0 in
        scikit-learn; nan in [1]_ and MATLAB, which gives the whole partition weight 0.
    whiten : bool, default=False
        Whiten the features of each partition first, on all objects, as :func:`~robust_eac.consensus.zca_whiten` does.
    n_jobs : as in :class:`~robust_eac.ClustererEnsemble`

    Returns
    -------
    weights : ndarray of shape (n_partitions,), in [0, 1], not normalised; all can be zero

    References
    ----------
    .. [1] Wong, Tsuchiya, "Evidence accumulation clustering using combinations of features", MethodsX 7, 2020.
    .. [2] Rousseeuw, "Silhouettes: a graphical aid ...", Journal of Computational and Applied Mathematics 20, 1987.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 4.0], [2.0, 0.0], [2.0, 4.0]]
    >>> silhouette_weights(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), X=X, metric="euclidean").round(3)
    array([0.   , 0.528])
    """
    ensemble = reading.ensemble(labels, X=X)
    metric = check.choice(metric, _METRICS, name="metric")
    m = ensemble.n_partitions
    X = check.features(X, n_samples=ensemble.n_samples)
    if subsets is None:
        subsets = [np.arange(X.shape[1])] * m
    else:
        subsets = check_subsets(subsets, X.shape[1], name="subsets")
        if len(subsets) != m:
            raise ValueError(f"subsets must hold one subset for each of the {m} partitions, got {len(subsets)}.")
    singleton = check.real(singleton, name="singleton", low=-1.0, high=1.0)
    if not (isinstance(undefined, float) and np.isnan(undefined)):
        undefined = check.real(undefined, name="undefined", low=-1.0, high=1.0)
    whiten = check.flag(whiten, name="whiten")
    n_jobs = check.n_jobs(n_jobs)

    encoding = encode(ensemble.labels)
    codes = np.ascontiguousarray(encoding.rows.codes.T, dtype=np.int32)
    # The code of "not observed"; no label has this code if nothing is missing.
    codes[codes == encoding.partitions.n_clusters[:, np.newaxis]] = -1
    return mean_silhouettes(
        codes,
        X,
        subsets,
        metric=metric,
        singleton=singleton,
        undefined=undefined,
        whiten=whiten,
        n_jobs=n_jobs,
    )


def order_weights(subsets: Subsets) -> np.ndarray:
    """Weights of partitions of feature subsets that give every order, or number of features, the same total.

    Compute :math:`1 / O_k` for every subset of k features, with :math:`O_k` the number of such subsets (Eq. 11 of
    [1]_).

    Parameters
    ----------
    subsets : as in :func:`silhouette_weights`

    Returns
    -------
    weights : ndarray of shape (n_partitions,), positive, not normalised

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
    _, inverse, counts = np.unique(orders, return_inverse=True, return_counts=True)
    return 1.0 / counts[inverse]


def mean_silhouettes(labels, X, subsets, *, metric, singleton, undefined, whiten, n_jobs):
    """:func:`silhouette_weights` of int32 codes (n_partitions, n_samples)."""
    weights = np.empty(len(labels))

    def measure(rows, data):
        values = np.empty(len(rows))
        codes = labels[rows]
        n_clusters = int(codes.max()) + 1
        silhouettes(data, codes, n_clusters, metric == "sqeuclidean", singleton, undefined, values)
        weights[rows] = values

    for_each_batch(measure, X, subsets, whiten=whiten, n_jobs=n_jobs)
    return weights


# Data and labels have the form of the kernels of feature_subsets.py.
@njit
def silhouettes(data, labels, n_clusters, squared, singleton, undefined, out):
    """Fill out with the :func:`ramped_mean` silhouette of every data set; objects with label -1 are left out."""
    counts = np.empty(n_clusters, dtype=np.int64)
    sums = np.empty((n_clusters, data.shape[2]))
    for u in range(data.shape[0]):
        if squared:
            _sums_of_squares(data[u], labels[u], counts, sums)
        else:
            _sums_of_distances(data[u], labels[u], counts, sums)
        out[u] = ramped_mean(sums, labels[u], counts, singleton, undefined)


@njit
def _sums_of_squares(x, labels, counts, sums):
    """(n_clusters, n) sums of squared distances, from coordinates relative to a member: 0 is exact for duplicates."""
    n_dims, n = x.shape
    counts[:] = 0
    first = np.empty_like(counts)
    shift = np.zeros((counts.shape[0], n_dims))
    for i in range(n):
        c = labels[i]
        if c >= 0:
            if counts[c] == 0:
                first[c] = i
            counts[c] += 1
    for j in range(n_dims):
        for i in range(n):
            c = labels[i]
            if c >= 0:
                shift[c, j] += x[j, i] - x[j, first[c]]
    for c in range(counts.shape[0]):
        if counts[c] == 0:
            continue
        sums[c] = 0.0
        for j in range(n_dims):
            mean = shift[c, j] / counts[c]
            origin = x[j, first[c]]
            for i in range(n):
                sums[c, i] += ((x[j, i] - origin) - mean) ** 2
        spread = 0.0
        for i in range(n):
            if labels[i] == c:
                spread += sums[c, i]
        for i in range(n):
            sums[c, i] = counts[c] * sums[c, i] + spread


@njit
def _sums_of_distances(x, labels, counts, sums):
    """sums[c, i] = sum of the Euclidean distances of object i to the objects of c."""
    n_dims, n = x.shape
    row = np.empty(n)
    counts[:] = 0
    sums[:] = 0.0
    for i in range(n):
        if labels[i] < 0:
            continue
        counts[labels[i]] += 1
        row[i:] = 0.0
        for j in range(n_dims):
            for other in range(i + 1, n):
                row[other] += (x[j, i] - x[j, other]) ** 2
        for other in range(i + 1, n):
            if labels[other] >= 0:
                distance = np.sqrt(row[other])
                sums[labels[other], i] += distance
                sums[labels[i], other] += distance


@njit
def ramped_mean(sums, labels, counts, singleton, undefined):
    """max(0, mean silhouette) from the sums of distances to each cluster, (n_clusters, n); 0 for a single cluster."""
    total = 0.0
    n_observed = 0
    for i in range(labels.shape[0]):
        cluster = labels[i]
        if cluster < 0:
            continue
        n_observed += 1
        within = sums[cluster, i] / max(counts[cluster] - 1, 1)
        between = np.inf
        for c in range(counts.shape[0]):
            if c != cluster and counts[c] > 0:
                between = min(between, sums[c, i] / counts[c])
        if between == np.inf:
            return 0.0
        if max(within, between) == 0.0:
            total += undefined
        elif counts[cluster] == 1:
            total += singleton
        else:
            total += (between - within) / max(within, between)
    mean = total / n_observed
    return mean if mean > 0.0 else 0.0
