"""k-means from Kaufman and Rousseeuw's deterministic seeds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from ..checks.values import check_features, check_integer, check_n_clusters
from ._common import warn_unconverged

__all__ = ["kaufman_kmeans", "kaufman_seeds"]


def kaufman_seeds(X: ArrayLike, n_clusters: int) -> np.ndarray:
    """Choose objects as first centers deterministically: Kaufman and Rousseeuw's BUILD.

    The first seed is the object of smallest total distance to all objects; each further one is the object i that solves
    max_i sum_j max(D_j - |x_i - x_j|, 0)  over the objects j != i that are not seeds, with D_j the distance of j to its
    nearest seed ([1]_; as the start of k-means [2]_).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    n_clusters : int
        Number of seeds, in [1, n_samples].

    Returns
    -------
    seeds : ndarray of shape (n_clusters,), intp
        Indices of the objects in the order of choice; with fewer clusters, the first of these. Of equally good objects,
        up to rounding, the first is chosen.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Time O(n_samples^2 (n_features + n_clusters)), memory O(n_samples^2).

    References
    ----------
    .. [1] Kaufman, Rousseeuw, "Finding groups in data", Wiley, 1990.
    .. [2] Peña, Lozano, Larrañaga, "An empirical comparison of four initialization methods for the k-means
       algorithm", Pattern Recognition Letters 20, 1999.

    Examples
    --------
    >>> kaufman_seeds([[0.0], [1.0], [2.0], [8.0], [9.0]], 2)
    array([2, 3])
    """
    X = check_features(X)
    n_clusters = check_n_clusters(n_clusters, len(X))
    distances = cdist(X, X)
    totals = distances.sum(axis=1)
    tolerance = 1e-12 * totals.max()
    seeds = [int(np.argmax(totals <= totals.min() + tolerance))]
    nearest = distances[seeds[0]].copy()
    while len(seeds) < n_clusters:
        # Seeds add nothing, since their D_j is 0. The object itself would add D_i: subtract it.
        gains = np.maximum(nearest - distances, 0.0).sum(axis=1) - nearest
        gains[seeds] = -np.inf
        seeds.append(int(np.argmax(gains >= gains.max() - tolerance)))
        np.minimum(nearest, distances[seeds[-1]], out=nearest)
    return np.array(seeds, dtype=np.intp)


def kaufman_kmeans(X: ArrayLike, n_clusters: int, *, max_iter: int = 300) -> np.ndarray:
    """Run k-means from :func:`kaufman_seeds`: one deterministic start.

    Solve  min over partitions  sum_C sum_{i in C} |x_i - mean_C|^2  by Lloyd's algorithm of
    :class:`sklearn.cluster.KMeans`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    n_clusters : int
        Number of clusters, in [1, n_samples].
    max_iter : int, default=300
        Largest number of passes over the objects.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        Cluster of each object, numbered like the seeds.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Warns
    -----
    ConvergenceWarning
        If all of `max_iter` passes are used, or fewer objects differ than there are clusters.

    Notes
    -----
    Time O(n_samples^2 (n_features + n_clusters)) and memory O(n_samples^2) for the seeds.

    References
    ----------
    .. [1] Peña, Lozano, Larrañaga, "An empirical comparison of four initialization methods for the k-means
       algorithm", Pattern Recognition Letters 20, 1999.

    Examples
    --------
    >>> kaufman_kmeans([[0.0], [1.0], [2.0], [8.0], [9.0]], 2)
    array([0, 0, 0, 1, 1])
    """
    X = check_features(X)
    n_clusters = check_n_clusters(n_clusters, len(X))
    max_iter = check_integer(max_iter, name="max_iter", low=1)
    model = KMeans(n_clusters, init=X[kaufman_seeds(X, n_clusters)], n_init=1, max_iter=max_iter)
    labels = model.fit(X).labels_.astype(np.intp)
    if model.n_iter_ == max_iter:
        warn_unconverged("k-means", max_iter, model.tol)
    return labels
