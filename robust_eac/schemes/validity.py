"""Weights from the silhouettes and other validity indices of the partitions in the features."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import entr

from .. import validation as check
from ..common import RandomState, ratio, row_blocks
from ..ensemble import reading
from ..ensemble.encoding import encode, one_hot
from ..features.silhouette import silhouette_weights
from .agreement import shares

# Maximum number of distances in a block.
_BLOCK_DISTANCES = 2**22


def ramped_silhouette_weights(
    labels: ArrayLike, *, X: ArrayLike | None = None, random_state: RandomState = None
) -> np.ndarray:
    r"""Weight each partition by its mean silhouette; negative values count as zero.

    Compute :math:`w_u \propto \max(s_u, 0)` with :math:`s_u` the mean silhouette of u, the goodness of clustering of
    [1]_, by :func:`~robust_eac.schemes.silhouette_weights` with its defaults.

    Parameters
    ----------
    labels, X, random_state : as in :func:`validity_weights`

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Non-negative, sum one; uniform, with a UserWarning, if no mean silhouette is positive.

    References
    ----------
    .. [1] Wong, Tsuchiya, "Evidence accumulation clustering using combinations of features", MethodsX, 2020.

    Examples
    --------
    >>> ramped_silhouette_weights(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), X=[[0.0], [1.0], [4.0], [5.0]])
    array([1., 0.])
    """
    ensemble = reading.ensemble(labels, X=X)
    X = check_given(X, ensemble.n_samples)
    return shares(silhouette_weights(ensemble.labels, X=X), "no partition has a positive mean silhouette")


def validity_weights(labels: ArrayLike, *, X: ArrayLike | None = None, random_state: RandomState = None) -> np.ndarray:
    r"""Weight each partition by three validity indices of its clusters.

    Compute w_u proportional to the mean of three index values scaled to [0, 1], by v / max for the first two (after
    subtracting the smallest value if it is negative) and min / v for the last (JWEACS of [1]_, with fewer indices):

    * the silhouette ([2]_): mean over the objects of :math:`(b - a) / \max(a, b)`, with a and b the mean Euclidean
      distances to the other objects of its cluster and of the nearest other one; 0 for an object alone in its cluster;
    * Calinski and Harabasz's ([3]_): between-cluster over within-cluster variance, :math:`(B / (k-1)) / (W / (n-k))`;
    * Davies and Bouldin's ([4]_): mean over the clusters of :math:`\max_j (s_i + s_j) / \|\mu_i - \mu_j\|`, with s the
      mean distance to the centroid :math:`\mu`; low is good.

    An undefined index, for fewer than 2 clusters or as many as objects, counts as 0; one that is equal for all
    partitions counts as 1. Time O(n_samples^2 (n_features + n_partitions)), as distances are computed once.

    Parameters
    ----------
    labels : as in :func:`~robust_eac.eac`; an index leaves out the objects that the partition did not observe
    X : array-like of shape (n_samples, n_features), default=None
        The features; required.
    random_state : as in :func:`~robust_eac.schemes.agreement_weights`

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Non-negative, sum one; uniform, with a UserWarning, if all indices are 0, for example without two clusters.

    References
    ----------
    .. [1] Duarte et al., "Weighted evidence accumulation clustering using subsampling", PRIS 2006.
    .. [2] Rousseeuw, "Silhouettes: a graphical aid ...", Journal of Computational and Applied Mathematics 20, 1987.
    .. [3] Caliński, Harabasz, "A dendrite method for cluster analysis", Communications in Statistics 3, 1974.
    .. [4] Davies, Bouldin, "A cluster separation measure", IEEE PAMI 1(2), 1979.

    Examples
    --------
    >>> X = [[0.0], [1.0], [4.0], [5.0]]
    >>> validity_weights(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), X=X).round(4)
    array([0.9783, 0.0217])
    """
    unified = _unified(labels, X)
    return shares(unified.mean(axis=1), "every validity index is 0 or not defined for every partition")


def wpck_weights(labels: ArrayLike, *, X: ArrayLike | None = None, random_state: RandomState = None) -> np.ndarray:
    r"""Weight each partition by partition relevance analysis, as in weighted partition consensus via kernels (WPCK).

    Compute :math:`w_u \propto \sum_j H_j (1 - |I_j(u) - \text{mean}_v I_j(v)|)` with :math:`I_j(u)` the value of index
    j for partition u in [0, 1], and :math:`H_j` the entropy of the shares :math:`I_j(u) / \sum_v I_j(v)`: typical
    partitions get most weight ([1]_, if it is unknown which properties are good).

    Parameters
    ----------
    labels, X, random_state : as in :func:`validity_weights`, whose indices are used; [1]_ leaves their choice open

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Non-negative, sum one; close to uniform, since they differ only by the spread of the index values. Uniform, with
        a UserWarning, if no index has two partitions with positive values, so that all H_j are 0.

    References
    ----------
    .. [1] Vega-Pons et al., "Weighted partition consensus via kernels", Pattern Recognition 43(8), 2010.

    Examples
    --------
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> wpck_weights(labels, X=[[0.0], [1.0], [4.0], [5.0]]).round(4)
    array([0.3972, 0.3972, 0.2057])
    """
    unified = _unified(labels, X)
    if len(unified) == 1:
        return np.ones(1)
    totals = unified.sum(axis=0)
    portions = ratio(unified, totals)
    entropies = entr(portions).sum(axis=0)
    relevance = (1.0 - np.abs(unified - unified.mean(axis=0))) @ entropies
    return shares(relevance, "no validity index is positive for two partitions")


def check_given(X, n_samples):
    """Return checked features; ValueError if they are None, the default of the common signature."""
    if X is None:
        raise ValueError("X must be the features of the objects, got None: this scheme needs them.")
    return check.features(X, n_samples=n_samples)


def _unified(labels, X):
    """(m, 3) index values in [0, 1], 1 for the best; 0 if not defined."""
    *high, low = partition_validity(labels, X).T
    return np.column_stack([*(unify(values, high_is_good=True) for values in high), unify(low, high_is_good=False)])


def partition_validity(labels, X):
    """(m, 3) silhouette, Calinski-Harabasz and Davies-Bouldin index of every partition; NaN where not defined."""
    ensemble = reading.ensemble(labels, X=X)
    X = check_given(X, ensemble.n_samples)
    encoding = encode(ensemble.labels)
    # A common offset would cost digits.
    X = X - X.mean(axis=0)
    slots = encoding.partitions.cluster_slots
    defined = [u for u, span in enumerate(slots) if 2 <= span.stop - span.start < encoding.partitions.n_observed[u]]
    values = np.full((len(slots), 3), np.nan)
    values[defined, 0] = _silhouettes(encoding, X, slots, defined)
    for u in defined:
        clusters = _clusters(encoding, X, slots, u)
        values[u, 1:] = _variance_ratio(*clusters), _separation(*clusters)
    return values


def unify(values, *, high_is_good):
    """Scale values of an index to [0, 1]: v / max, or min / v, with limits for infinite and zero values; 0 for NaN."""
    if high_is_good:
        values = values - np.fmin.reduce(values, initial=0.0)
    best = (np.fmax if high_is_good else np.fmin).reduce(values)
    # The best value gets 1 even if the ratio would be 0/0 or infinity over infinity.
    unified = np.where(values == best, 1.0, 0.0)
    rest = ~np.isnan(values) & (values != best)
    unified[rest] = values[rest] / best if high_is_good else best / values[rest]
    return unified


def _silhouettes(encoding, X, slots, partitions):
    """Mean silhouettes of these partitions, in one pass over the distances."""
    rows = encoding.rows
    all_sizes = encoding.partitions.sizes
    indicators = one_hot(encoding)
    totals = np.zeros(len(slots))
    for block in row_blocks(len(X), max(1, _BLOCK_DISTANCES // len(X))):
        sums = cdist(X[block], X) @ indicators
        for u in partitions:
            seen = np.flatnonzero(rows.observed[block, encoding.partitions.mask_of[u]])
            own = np.arange(len(seen)), rows.codes[block, u][seen]
            sizes = all_sizes[slots[u]]
            # Sums of distances to the clusters; to its own cluster, the object contributes its distance 0 to itself.
            means = sums[seen, slots[u]]
            company = sizes[own[1]] - 1.0
            a = means[own] / np.maximum(company, 1.0)
            means /= sizes
            means[own] = np.inf
            b = means.min(axis=1)
            larger = np.maximum(a, b)
            totals[u] += np.divide(b - a, larger, out=np.zeros_like(a), where=(larger > 0.0) & (company > 0.0)).sum()
    return totals[partitions] / encoding.partitions.n_observed[partitions]


def _variance_ratio(points, codes, sizes, centroids):
    """Calinski-Harabasz index."""
    k = len(sizes)
    n = len(points)
    between = sizes @ ((centroids - points.mean(axis=0)) ** 2).sum(axis=1) / (k - 1)
    within = ((points - centroids[codes]) ** 2).sum() / (n - k)
    if within == 0.0:
        return np.inf if between > 0.0 else 0.0
    return between / within


def _separation(points, codes, sizes, centroids):
    """Davies-Bouldin index."""
    spreads = np.bincount(codes, weights=np.linalg.norm(points - centroids[codes], axis=1)) / sizes
    sums = spreads[:, np.newaxis] + spreads
    distances = cdist(centroids, centroids)
    ratios = ratio(sums, distances, np.inf)
    np.fill_diagonal(ratios, 0.0)
    return ratios.max(axis=1).mean()


def _clusters(encoding, X, slots, u):
    """Points that partition u observes, their codes, and sizes and centroids of the clusters."""
    seen = encoding.rows.observed[:, encoding.partitions.mask_of[u]]
    points = X[seen]
    codes = encoding.rows.codes[seen, u].astype(np.intp)
    sizes = encoding.partitions.sizes[slots[u]]
    sums = [np.bincount(codes, weights=feature, minlength=len(sizes)) for feature in points.T]
    return points, codes, sizes, np.array(sums).T / sizes[:, np.newaxis]
