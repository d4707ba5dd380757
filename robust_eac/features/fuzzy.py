"""Single clusterings: fuzzy c-means, the Gath-Geva algorithm, and k-means from Kaufman and Rousseeuw's seeds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import sklearn
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from .. import validation as check
from ..common import RandomState
from ..ensemble import reading
from .indices import feature_scale

# Added to the diagonal of the covariances, in units of the variance of each feature.
_RIDGE = 1e-6


class FuzzyCMeansResult(NamedTuple):
    """Result of :func:`fuzzy_c_means`.

    membership, centers : (n_samples, n_clusters), rows on the simplex, optimal for the centers; (n_clusters,
        n_features).
    objective : J at both.
    n_iter, converged : number of updates; whether the last one changed no membership by more than `tol`.
    """

    membership: np.ndarray
    centers: np.ndarray
    objective: float
    n_iter: int
    converged: bool


class GathGevaResult(NamedTuple):
    """Result of :func:`gath_geva`.

    membership, centers : (n_samples, n_clusters), rows on the simplex, for the parameters; (n_clusters, n_features).
    covariances, priors : (n_clusters, n_features, n_features), ridge included; (n_clusters,), P_k.
    objective : negative log-likelihood of the mixture with these parameters.
    n_iter, converged : as in :class:`FuzzyCMeansResult`.
    """

    membership: np.ndarray
    centers: np.ndarray
    covariances: np.ndarray
    priors: np.ndarray
    objective: float
    n_iter: int
    converged: bool


def fuzzy_c_means(
    X: ArrayLike,
    n_clusters: int,
    *,
    init: ArrayLike | None = None,
    max_iter: int = 1000,
    tol: float = 1e-5,
    random_state: RandomState = None,
) -> FuzzyCMeansResult:
    r"""Minimise the fuzzy c-means criterion.

    Solve :math:`\min_{U, v} J = \sum_{nk} u_{nk}^2 \|x_n - v_k\|^2` over memberships U with rows on the simplex ([1]_),
    by alternating the two closed forms :math:`u_{nk} = 1 / \sum_j (\|x_n - v_k\| / \|x_n - v_j\|)^2` and
    :math:`v_k = \sum_n u_{nk}^2 x_n / \sum_n u_{nk}^2`. J never increases, but the problem is not convex: the result
    depends on the start. Time O(n_samples n_clusters n_features) per update, memory O(n_samples n_clusters). An object
    that coincides with centers belongs to them in equal shares. Equal first centers stay equal.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_clusters : int
        Number of clusters, in [1, n_samples].
    init : array-like of shape (n_clusters, n_features), default=None
        First centers. None draws that many distinct objects.
    max_iter : int, default=1000
        Largest number of updates.
    tol : float, default=1e-5
        Stop when an update changes no membership by more than this; ConvergenceWarning if `max_iter` comes first.
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the first centers

    Returns
    -------
    result : FuzzyCMeansResult

    References
    ----------
    .. [1] Bezdek, "Pattern recognition with fuzzy objective function algorithms", Plenum Press, 1981.

    Examples
    --------
    >>> result = fuzzy_c_means([[0.0], [1.0], [9.0], [10.0]], 2, init=[[0.0], [9.0]])
    >>> result.centers.round(3).ravel(), result.membership[0].round(3)
    (array([0.5, 9.5]), array([0.997, 0.003]))
    """
    X = check.features(X)
    n_clusters = check.n_clusters(n_clusters, len(X))
    max_iter = check.positive(max_iter, name="max_iter")
    tol = check.real(tol, name="tol", low=0.0)
    rng = check.random_state(random_state)
    centers = _draw_centers(X, n_clusters, rng) if init is None else _check_centers(init, n_clusters, X.shape[1])
    return _warned(_descend_c_means(X, centers, max_iter, tol), "fuzzy c-means", max_iter, tol)


def gath_geva(
    X: ArrayLike,
    n_clusters: int,
    *,
    init: ArrayLike | None = None,
    max_iter: int = 1000,
    tol: float = 1e-3,
    random_state: RandomState = None,
) -> GathGevaResult:
    r"""Cluster by Gath and Geva's fuzzy maximum likelihood estimation, for elongated clusters of different sizes.

    Starting from fuzzy c-means, alternate the parameters of every cluster ([1]_), :math:`P_k = \sum_n h_{nk} / N`,
    :math:`v_k = \sum_n h_{nk} x_n / (N P_k)` and :math:`F_k = \sum_n h_{nk} (x_n - v_k) (x_n - v_k)^T / (N P_k)`, and
    the memberships :math:`h_{nk} = d_{nk}^{-2} / \sum_j d_{nj}^{-2}` with the exponential distance
    :math:`d_{nk}^2 = |F_k|^{1/2} \exp((x_n - v_k)^T F_k^{-1} (x_n - v_k) / 2) / P_k`.

    Up to a constant, :math:`d_{nk}^{-2}` is :math:`P_k` times a Gaussian density. So this is expectation maximisation
    for a mixture of Gaussians, which decreases the negative log-likelihood, the `objective` of the result.

    Time O(n_samples n_clusters n_features^2 + n_clusters n_features^3) per update, memory O(n_samples n_clusters
    n_features). The result is sensitive to the start: try several. A cluster without membership keeps its parameters.
    1e-6 times the variance of each feature is added to the diagonal of F_k: otherwise the likelihood would be unbounded
    for a cluster that shrinks to a point.

    Parameters
    ----------
    init : array-like of shape (n_samples, n_clusters), default=None
        First memberships. None means those of :func:`fuzzy_c_means`, with at most `max_iter` updates.
    X, n_clusters, max_iter, tol, random_state : as in :func:`fuzzy_c_means`

    Returns
    -------
    result : GathGevaResult

    References
    ----------
    .. [1] Gath, Geva, "Unsupervised optimal fuzzy clustering", IEEE PAMI 11, 1989.

    Examples
    --------
    >>> result = gath_geva([[0.0], [1.0], [2.0], [8.0], [9.0]], 2, random_state=0)
    >>> sorted(result.centers.ravel().round(3).tolist())
    [1.0, 8.5]
    """
    reading.index(X, name="X", init=init)
    X = check.features(X)
    n_clusters = check.n_clusters(n_clusters, len(X))
    max_iter = check.positive(max_iter, name="max_iter")
    tol = check.real(tol, name="tol", low=0.0)
    rng = check.random_state(random_state)
    if init is None:
        membership = _descend_c_means(X, _draw_centers(X, n_clusters, rng), max_iter, tol).membership
    else:
        membership = check.membership(init, len(X), n_clusters, name="init")
    return _warned(_descend_gath_geva(X, membership, max_iter, tol), "Gath-Geva", max_iter, tol)


def _warned(result, name, max_iter, tol):
    """The result, with a warning if it has not converged."""
    check.warn_unless(result.converged, f"{name} did not converge to tol={tol:g} in max_iter={max_iter} updates.")
    return result


def _check_centers(centers, n_clusters, n_features):
    centers = check.features(centers, name="init", copy=True)
    if centers.shape != (n_clusters, n_features):
        raise ValueError(f"init must have shape ({n_clusters}, {n_features}), got {centers.shape}.")
    return centers


def _draw_centers(X, n_clusters, rng):
    """(n_clusters, n_features) random distinct objects, repeated only if there are too few."""
    return np.resize(rng.permutation(np.unique(X, axis=0)), (n_clusters, X.shape[1]))


def _descend_c_means(X, centers, max_iter, tol):
    """Alternate both closed forms from the given centers, which are overwritten."""
    membership = c_means_membership(cdist(X, centers, "sqeuclidean"))
    n_iter = 0
    converged = False
    while not converged and n_iter < max_iter:
        n_iter += 1
        # A cluster far from all objects can lose all membership; its center stays.
        alive = membership.max(axis=0) > 0.0
        # The scaling cancels; without it, squares of tiny memberships would underflow.
        powers = (membership[:, alive] / membership[:, alive].max(axis=0)) ** 2.0
        centers[alive] = powers.T @ X / powers.sum(axis=0)[:, np.newaxis]
        squares = cdist(X, centers, "sqeuclidean")
        before = membership
        membership = c_means_membership(squares)
        converged = bool(np.abs(membership - before).max() <= tol)
    objective = float((membership**2.0 * squares).sum())
    return FuzzyCMeansResult(membership, centers, objective, n_iter, converged)


def c_means_membership(squares):
    """Memberships from squared distances to the centers, both (n, K)."""
    smallest = squares.min(axis=1, keepdims=True)
    shares = np.where(squares == smallest, 1.0, 0.0)
    np.divide(smallest, squares, out=shares, where=smallest > 0.0)
    return shares / shares.sum(axis=1, keepdims=True)


def _descend_gath_geva(X, membership, max_iter, tol):
    n_samples, n_features = X.shape
    n_clusters = membership.shape[1]
    centers = np.tile(X.mean(axis=0), (n_clusters, 1))
    loading = np.diag(_RIDGE * feature_scale(X) ** 2)
    covariances = np.tile(np.cov(X.T, bias=True).reshape(n_features, n_features) + loading, (n_clusters, 1, 1))
    # Clusters come first and objects last, so that each step treats all clusters together.
    shares = np.ascontiguousarray(membership.T)
    columns = np.ascontiguousarray(X.T)
    eps = np.finfo(np.float64).eps
    n_iter = 0
    converged = False
    while not converged and n_iter < max_iter:
        n_iter += 1
        masses = np.maximum(shares.sum(axis=1), np.finfo(np.float64).tiny)
        alive = masses > eps
        centers[alive] = shares[alive] @ X / masses[alive, np.newaxis]
        deviations = columns - centers[:, :, np.newaxis]
        spreads = (shares[alive, np.newaxis] * deviations[alive]) @ deviations[alive].swapaxes(1, 2)
        covariances[alive] = spreads / masses[alive, np.newaxis, np.newaxis] + loading
        factors = np.linalg.cholesky(covariances)
        whitened = np.linalg.inv(factors) @ deviations
        log_scale = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1) - np.log(masses / n_samples)
        # log(1 / d_nk^2)
        log_density = -0.5 * np.square(whitened, out=whitened).sum(axis=1) - log_scale[:, np.newaxis]
        largest = log_density.max(axis=0)
        before = shares
        shares = np.exp(log_density - largest)
        totals = shares.sum(axis=0)
        shares /= totals
        converged = bool(np.abs(shares - before).max() <= tol)
    log_total = np.log(totals) + largest
    objective = float(0.5 * n_samples * n_features * np.log(2.0 * np.pi) - log_total.sum())
    membership = np.ascontiguousarray(shares.T)
    return GathGevaResult(membership, centers, covariances, masses / n_samples, objective, n_iter, converged)


def kaufman_seeds(X: ArrayLike, n_clusters: int) -> np.ndarray:
    r"""Choose objects as first centers by Kaufman and Rousseeuw's BUILD, which is deterministic.

    The first seed is the object of smallest total distance to all objects; each further one is the object i that solves
    :math:`\max_i \sum_j \max(D_j - \|x_i - x_j\|, 0)` over the objects :math:`j \ne i` that are not seeds, with
    :math:`D_j` the distance of j to its nearest seed ([1]_; as the start of k-means [2]_). Time O(n_samples^2
    (n_features + n_clusters)), memory O(n_samples^2).

    Parameters
    ----------
    X, n_clusters : as in :func:`fuzzy_c_means`

    Returns
    -------
    seeds : ndarray of shape (n_clusters,), intp
        Indices of the objects in the order of choice, which does not depend on n_clusters. In a tie up to rounding, the
        first object is chosen.

    References
    ----------
    .. [1] Kaufman, Rousseeuw, "Finding groups in data", Wiley, 1990.
    .. [2] Peña et al., "An empirical comparison of four initialization methods ...", Pattern Recogn. Lett. 20, 1999.

    Examples
    --------
    >>> kaufman_seeds([[0.0], [1.0], [2.0], [8.0], [9.0]], 2)
    array([2, 3])
    """
    X = check.features(X)
    n_clusters = check.n_clusters(n_clusters, len(X))
    distances = cdist(X, X)
    totals = distances.sum(axis=1)
    tolerance = 1e-12 * totals.max()
    seeds = [int(np.argmax(totals <= totals.min() + tolerance))]
    nearest = distances[seeds[0]].copy()
    while len(seeds) < n_clusters:
        # Seeds contribute nothing, since their D_j is 0. The object itself contributes D_i, which is subtracted.
        gains = np.maximum(nearest - distances, 0.0).sum(axis=1) - nearest
        gains[seeds] = -np.inf
        seeds.append(int(np.argmax(gains >= gains.max() - tolerance)))
        np.minimum(nearest, distances[seeds[-1]], out=nearest)
    return np.array(seeds, dtype=np.intp)


def kaufman_kmeans(X: ArrayLike, n_clusters: int) -> np.ndarray:
    r"""Run k-means from :func:`kaufman_seeds`: one deterministic start.

    Minimise :math:`\sum_C \sum_{i \in C} \|x_i - \mu_C\|^2` over the partitions, :math:`\mu_C` being the mean of C, by
    Lloyd's algorithm of :class:`sklearn.cluster.KMeans`.

    Parameters
    ----------
    X, n_clusters : as in :func:`fuzzy_c_means`

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp, numbered like the seeds

    References
    ----------
    Those of :func:`kaufman_seeds`.

    Examples
    --------
    >>> kaufman_kmeans([[0.0], [1.0], [2.0], [8.0], [9.0]], 2)
    array([0, 0, 0, 1, 1])
    """
    X = check.features(X)
    seeds = X[kaufman_seeds(X, n_clusters)]
    return sklearn.cluster.KMeans(n_clusters, init=seeds, n_init=1).fit_predict(X).astype(np.intp)
