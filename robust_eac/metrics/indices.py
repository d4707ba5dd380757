"""Validity indices of a clustering."""

from __future__ import annotations

import numpy as np
import sklearn
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import xlogy

from ..features.ovi import check_clustering


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
    between = cdist(centers, centers, "sqeuclidean")
    separation = between[np.triu_indices(len(centers), 1)].min()
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
