"""Validity indices: how well clusters fit the features, by object (OVI-LDA) and of a whole clustering."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import sklearn
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist, pdist
from scipy.special import xlogy

from .. import validation as check
from ..common import row_blocks
from ..ensemble import reading

NEIGHBOURS = ("mahalanobis", "euclidean")
# Distances below this, in units of the spread of the clusters, are rounding errors: the object is at the centroid.
_MIN_DISTANCE = np.sqrt(np.finfo(np.float64).eps)
# Largest number of deviations per block of objects of a cluster.
_BLOCK = 1 << 20


class OVIResult(NamedTuple):
    """Result of :func:`ovi_lda`.

    object_values : (n_samples,) v of Eq. (1); NaN where it is not defined.
    value : V of Eq. (3), the mean over the objects.
    cluster_values : (n_clusters,) V_k of Eq. (4), in the order of the columns or of the labels' values.
    coverage : share of the objects that have a value.
    neighbours : (n_samples,) index of the neighbouring cluster of each object; -1 if there is none.
    """

    object_values: np.ndarray
    value: float
    cluster_values: np.ndarray
    coverage: float
    neighbours: np.ndarray


def ovi_lda(
    X: ArrayLike,
    memberships: ArrayLike,
    *,
    min_cluster_size: float | None = None,
    neighbour: str = "mahalanobis",
    as_printed: bool = False,
    nan_as_zero: bool = False,
) -> OVIResult:
    r"""Score every object by how much closer it is to its own cluster than to the neighbouring one (OVI-LDA).

    Compute :math:`v_n = \log(D(x_n, \mu'') / D(x_n, \mu'))` (Eq. 1 of [1]_), with :math:`\mu'` the centroid of the
    object's own cluster (of its largest membership), :math:`\mu''` that of the neighbouring cluster, and D the
    Mahalanobis distance (Eq. 5) of the covariance pooled over these two. So for crisp clusters :math:`v_n > 0` exactly
    if the linear discriminant rule with equal priors puts the object into its own cluster.

    Four formulas differ from those in print, unless `as_printed` is true:

    * Eqs. (2) and (7) divide sums of :math:`u^2` by :math:`l_k = \sum_n u`, so that the weights of fuzzy memberships
      sum to less than one and centroids shrink towards the origin. Here :math:`\mu_k = \sum_n w x / W` with
      :math:`w = u^2`, :math:`W = \sum_n w`, and
      :math:`\Sigma_k = \sum_n w (x - \mu_k) (x - \mu_k)^T / (W - \sum_n w^2 / W)`, the unbiased weighted covariance.
      Both are the printed formulas for crisp clusters.
    * Eq. (6) weights each covariance by the size of the *other* cluster. Here
      :math:`\Sigma = ((l' - 1) \Sigma' + (l'' - 1) \Sigma'') / (l' + l'' - 2)`, which is the same for equal sizes.
    * Eq. (4) divides a sum over the objects of cluster k by the sum of all memberships, here by their number.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    memberships : array-like of shape (n_samples,) or (n_samples, n_clusters)
        Cluster of each object, -1 for none (its value is NaN); or memberships, rows on the simplex.
    min_cluster_size : float, default=None
        :math:`T_l`, at least 2: clusters with :math:`l_k` below it are no neighbours, and their objects have the value
        NaN. None means n_features + 1, which keeps covariances invertible.
    neighbour : {"mahalanobis", "euclidean"}, default="mahalanobis"
        The neighbouring cluster, which [1]_ leaves open: "mahalanobis", the one of smallest :math:`v_n`, so that
        :math:`v_n > 0` means closer to the object's own centroid than to any other; or "euclidean", the one with the
        nearest centroid.
    as_printed : bool, default=False
        Use Eqs. (2), (4), (6) and (7) as printed.
    nan_as_zero : bool, default=False
        Count NaN as 0 in V. Otherwise V favours clusterings with many tiny clusters, whose objects it leaves out.

    Returns
    -------
    result : OVIResult
        All values are NaN, even with `nan_as_zero`, if fewer than two clusters are large enough.

    Notes
    -----
    Time O(n_samples n_clusters n_features^2 + n_clusters^2 n_features^3), memory O(n_samples (n_clusters +
    n_features)). Values of crisp clusters are invariant to invertible affine maps of the features, unless a covariance
    is singular: its eigenvalues are raised to at least 1e-12 of the largest. Distances are at least 1.5e-8, so an
    object at its own centroid has a large finite value.

    Larger V is better, but V does not reliably choose the number of clusters: merging clusters can raise it.

    References
    ----------
    .. [1] Fa, Abu-Jamous, Nandi, "Object based validation algorithm and its application to consensus clustering".

    Examples
    --------
    >>> result = ovi_lda([[0], [1], [9], [10]], [0, 0, 1, 1])
    >>> np.exp(result.object_values).round(6)
    array([19., 17., 17., 19.])
    """
    X, membership, clusters = check_clustering(X, memberships)
    n_samples, n_features = X.shape
    if min_cluster_size is None:
        min_cluster_size = n_features + 1
    min_cluster_size = check.real(min_cluster_size, name="min_cluster_size", low=2.0)
    check.choice(neighbour, NEIGHBOURS, name="neighbour")
    as_printed = check.flag(as_printed, name="as_printed")
    nan_as_zero = check.flag(nan_as_zero, name="nan_as_zero")

    values = np.full(n_samples, np.nan)
    neighbours = np.full(n_samples, -1, dtype=np.intp)
    sizes = membership.sum(axis=0)
    valid = np.flatnonzero(sizes >= min_cluster_size)
    if len(valid) == 1:
        # It has no neighbour.
        valid = valid[:0]
    scale = feature_scale(X[clusters >= 0])
    centers = np.full((len(sizes), n_features), np.inf)
    covariances = np.empty((len(sizes), n_features, n_features))
    for k in valid:
        centers[k], covariances[k] = _center_and_covariance(X, membership[:, k], as_printed)
    for k in valid:
        others = valid[valid != k]
        pooled = _pooled(covariances[k], covariances[others], sizes[k] - 1.0, sizes[others] - 1.0, as_printed)
        roots = whitening(pooled, scale)
        members = np.flatnonzero(clusters == k)
        step = max(1, _BLOCK // (len(others) * n_features))
        for rows in row_blocks(len(members), step):
            block = members[rows]
            ratios = _log_distances(X[block], centers[others], roots) - _log_distances(X[block], centers[k], roots)
            closeness = ratios if neighbour == "mahalanobis" else cdist(centers[others], X[block])
            nearest = closeness.argmin(axis=0)
            values[block] = ratios[nearest, np.arange(len(block))]
            neighbours[block] = others[nearest]

    has_value = neighbours >= 0
    n_values = np.count_nonzero(has_value)
    counts = np.bincount(clusters[has_value], minlength=len(sizes))
    sums = np.bincount(clusters[has_value], weights=values[has_value], minlength=len(sizes))
    cluster_values = np.full(len(sizes), np.nan)
    np.divide(sums, sizes if as_printed else counts, out=cluster_values, where=counts > 0)
    value = np.nan
    if n_values:
        value = float(sums.sum() / (n_samples if nan_as_zero else n_values))
    return OVIResult(
        object_values=values,
        value=value,
        cluster_values=cluster_values,
        coverage=n_values / n_samples,
        neighbours=neighbours,
    )


def _center_and_covariance(X, column, as_printed):
    """Eqs. (2) and (7) for one column of memberships: (n_features,) and (n_features, n_features)."""
    if as_printed:
        weights = column**2.0
        total = column.sum()
        degrees = total - 1.0
    else:
        # The scaling cancels; without it, squares of tiny memberships would underflow.
        weights = (column / column.max()) ** 2.0
        total = weights.sum()
        # If one object has all the weight, spread and degrees of freedom are zero.
        degrees = max(total - weights @ weights / total, np.finfo(np.float64).eps)
    center = weights @ X / total
    deviations = X - center
    return center, (weights * deviations.T) @ deviations / degrees


def _pooled(covariance, others, weight, weights, as_printed):
    """Eq. (6) for one cluster and each of the others; (n_others, n_features, n_features)."""
    weights = weights[:, np.newaxis, np.newaxis]
    own, foreign = (weights, weight) if as_printed else (weight, weights)
    # A pair of clusters has the same sum in either order.
    return (own * covariance + foreign * others) / (weight + weights)


def _log_distances(X, centers, roots):
    """log of the Mahalanobis distances to one center, or to one center per root, clipped below; (n_roots, n)."""
    deviations = X - np.reshape(centers, (-1, 1, X.shape[1]))
    return np.log(np.maximum(np.linalg.norm(deviations @ roots, axis=2), _MIN_DISTANCE))


def feature_scale(X):
    """Standard deviation of every feature, 1 for constant ones; (n_features,)."""
    deviation = X.std(axis=0)
    # The computed deviation of a constant feature may differ from 0 by rounding.
    deviation[np.ptp(X, axis=0) == 0.0] = 1.0
    return deviation


def whitening(covariance, scale, ridge=1e-12):
    """(..., n_features, n_features) W such that W W' is the inverse of the covariance with small eigenvalues raised."""
    eigenvalues, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    largest = eigenvalues[..., -1:]
    # Ratios of distances do not depend on the scale of W: a zero covariance may become any multiple of the identity.
    smallest = np.where(largest > 0.0, ridge * largest, 1.0)
    return vectors / np.sqrt(np.maximum(eigenvalues, smallest))[..., np.newaxis, :] / scale[:, np.newaxis]


def check_clustering(X, memberships):
    """Return features, memberships (n, K) and clusters (n,); zeros and -1 for objects in no cluster."""
    reading.index(X, name="X", memberships=memberships)
    X = check.features(X)
    memberships = check.as_dense(memberships, "memberships")
    if memberships.ndim == 2:
        membership = check.membership(memberships, len(X), name="memberships")
        return X, membership, membership.argmax(axis=1)
    labels = reading.clusters(memberships, len(X), name="memberships")
    values = np.unique(labels[labels != -1])
    clusters = np.where(labels == -1, -1, np.searchsorted(values, labels))
    return X, (clusters[:, np.newaxis] == np.arange(len(values))).astype(np.float64), clusters


def calinski_harabasz(X: ArrayLike, memberships: ArrayLike) -> float:
    """Ratio of the variance between clusters to the variance within them; larger is better.

    Compute :math:`(B / (K - 1)) / (W / (n - K))` by :func:`sklearn.metrics.calinski_harabasz_score` ([1]_).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    memberships : array-like of shape (n_samples,) or (n_samples, n_clusters)
        Labels (objects with -1 are left out), or memberships (the largest decides).

    Returns
    -------
    value : float, NaN unless 2 <= K <= n - 1

    References
    ----------
    .. [1] Caliński, Harabasz, "A dendrite method for cluster analysis", Communications in Statistics 3, 1974.

    Examples
    --------
    >>> calinski_harabasz([[0], [1], [9], [10]], [0, 0, 1, 1])
    162.0
    """
    return _crisp(sklearn.metrics.calinski_harabasz_score, X, memberships)


def silhouette(X: ArrayLike, memberships: ArrayLike) -> float:
    r"""Mean silhouette of the objects, with Euclidean distances; larger is better.

    Compute the mean of :math:`(b_n - a_n) / \max(a_n, b_n)` by :func:`sklearn.metrics.silhouette_score` ([1]_), with
    a_n the mean distance to the other objects of the same cluster and b_n the smallest mean distance to another one.

    Parameters
    ----------
    X, memberships : as in :func:`calinski_harabasz`

    Returns
    -------
    value : float, in [-1, 1]; NaN unless 2 <= K <= n - 1

    References
    ----------
    .. [1] Rousseeuw, "Silhouettes: a graphical aid ...", Journal of Computational and Applied Mathematics 20, 1987.

    Examples
    --------
    >>> round(silhouette([[0], [1], [9], [10]], [0, 0, 1, 1]), 6)
    0.888545
    """
    return _crisp(sklearn.metrics.silhouette_score, X, memberships)


def _crisp(score, X, memberships):
    """Score by scikit-learn of the objects that are in a cluster; NaN if undefined."""
    X, _, clusters = check_clustering(X, memberships)
    inside = clusters >= 0
    n_clusters = len(np.unique(clusters[inside]))
    if not 2 <= n_clusters < np.count_nonzero(inside):
        return np.nan
    return float(score(X[inside], clusters[inside]))


def partition_entropy(X: ArrayLike, memberships: ArrayLike) -> float:
    r"""Mean entropy of the memberships, in nats; smaller is better.

    Compute :math:`-\frac{1}{N} \sum_n \sum_k u_{nk} \log u_{nk}` ([1]_). It is 0 for crisp clusters.

    Parameters
    ----------
    X, memberships : as in :func:`calinski_harabasz`; all memberships count, the values of the features do not

    Returns
    -------
    value : float, in [0, log n_clusters]

    References
    ----------
    .. [1] Bezdek, "Cluster validity with fuzzy sets", Journal of Cybernetics 3, 1974.

    Examples
    --------
    >>> partition_entropy([[0], [1]], [[0.5, 0.5], [1, 0]])
    0.34657359027997264
    """
    _, membership, _ = check_clustering(X, memberships)
    # Negation would give a negative zero for crisp clusters.
    return float(abs(xlogy(membership, membership).sum()) / len(membership))


def xie_beni(X: ArrayLike, memberships: ArrayLike) -> float:
    r"""Compactness over separation of the clusters; smaller is better.

    Compute :math:`\sum_{nk} u_{nk}^2 \|x_n - v_k\|^2 / (N \min_{k \ne j} \|v_k - v_j\|^2)` with the centroids
    :math:`v_k = \sum_n u_{nk}^2 x_n / \sum_n u_{nk}^2` ([1]_).

    Parameters
    ----------
    X, memberships : as in :func:`calinski_harabasz`; all memberships count

    Returns
    -------
    value : float, non-negative; infinite if two centroids coincide; NaN for a single cluster

    References
    ----------
    .. [1] Xie, Beni, "A validity measure for fuzzy clustering", IEEE PAMI 13, 1991.

    Examples
    --------
    >>> round(xie_beni([[0], [1], [9], [10]], [0, 0, 1, 1]), 9)
    0.00308642
    """
    X, weights, centers = _weights_and_centers(X, memberships)
    if len(centers) < 2:
        return np.nan
    separation = pdist(centers, "sqeuclidean").min()
    compactness = (weights * cdist(X, centers, "sqeuclidean")).sum() / len(X)
    return float(compactness / separation) if separation > 0.0 else np.inf


def fukuyama_sugeno(X: ArrayLike, memberships: ArrayLike) -> float:
    r"""Spread within the clusters minus the spread of their centroids; smaller is better.

    Compute :math:`\sum_{nk} u_{nk}^2 (\|x_n - v_k\|^2 - \|v_k - \bar x\|^2)` with the centroids
    :math:`v_k = \sum_n u_{nk}^2 x_n / \sum_n u_{nk}^2` and the mean :math:`\bar x` of the objects ([1]_). Both terms
    shrink as memberships become fuzzier, so the index favours crisp memberships ([2]_).

    Parameters
    ----------
    X, memberships : as in :func:`calinski_harabasz`; all memberships count

    Returns
    -------
    value : float, in squared units of the features

    References
    ----------
    .. [1] Fukuyama, Sugeno, "A new method of choosing the number of clusters ...", 5th Fuzzy Systems Symposium, 1989.
    .. [2] Fa et al., "Object based validation algorithm and its application to consensus clustering", Section 4.

    Examples
    --------
    >>> fukuyama_sugeno([[0], [1], [9], [10]], [0, 0, 1, 1])
    -80.0
    """
    X, weights, centers = _weights_and_centers(X, memberships)
    distances = cdist(X, centers, "sqeuclidean") - ((centers - X.mean(axis=0)) ** 2).sum(axis=1)
    return float((weights * distances).sum())


def _weights_and_centers(X, memberships):
    """Objects in a cluster (N, n_features), their u^2 (N, K), and centroids (K, n_features)."""
    X, membership, clusters = check_clustering(X, memberships)
    # A cluster without members has no centroid and contributes nothing.
    membership = membership[:, membership.max(axis=0) > 0.0]
    X = X[clusters >= 0]
    membership = membership[clusters >= 0]
    relative = (membership / membership.max(axis=0)) ** 2.0
    return X, membership**2.0, relative.T @ X / relative.sum(axis=0)[:, np.newaxis]
