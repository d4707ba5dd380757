"""Hybrid bipartite graph formulation (HBGF): spectral partitioning of objects and clusters together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans

from ..checks.types import RandomState
from ..ensembles.spectral import leading_vectors, normalised_graph, unit_rows
from ._common import check_starts, prepare_rows, relabel
from ._metis import trivial
from .mcla import clusters_of

__all__ = ["hbgf"]


def hbgf(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    random_state: RandomState = None,
) -> np.ndarray:
    """Partition the bipartite graph of objects and clusters by its relaxed normalised cut.

    Minimise the normalised cut of the graph with an edge of weight w_u from every object to its cluster in partition
    u ([1]_), by the spectral method of [2]_: the `n_clusters` leading left and right singular vectors of
    D1^(-1/2) B D2^(-1/2), with B the matrix of the edges and D1, D2 the degrees of objects and clusters, are the
    coordinates of objects and clusters; their rows are scaled to length one and clustered by k-means, and the
    clusters of the objects are returned. The objects' coordinates are the leading eigenvectors of a co-association
    in which a shared cluster counts by the inverse of its size, (1/m) sum_u X_u' diag(1/n_uc) X_u.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: no edge.
    n_clusters : int
        Number of clusters of objects and clusters together; fewer are returned if some hold no object, or if fewer
        objects are distinct. If at most `n_clusters` objects are distinct, each of them is a cluster.
    weights : array-like of shape (n_partitions,), default=None
        w: non-negative, not all zero; normalised to sum to one. None means uniform.
    n_init : int, default=10
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Draws the seeds of k-means.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        Clusters 0, 1, ... in the order of first appearance.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Linear in the number n of distinct objects: O(n n_partitions^2 + K^3) for the vectors if all partitions together
    have K <= 1000 clusters, O(n n_partitions) per step of a Lanczos method otherwise; then O(n n_clusters^2) per pass
    of each start of k-means. Memory O(n (n_partitions + n_clusters) + K n_clusters). Only vectors of positive singular
    values are used; these may be fewer than `n_clusters`.

    [1]_ has no partition weights. k-means weights every object and cluster by its degree in the graph, where [1]_
    weights all equally. An integer weight is then the same as repeating the partition.

    References
    ----------
    .. [1] Fern, Brodley, "Solving cluster ensemble problems by bipartite graph partitioning", ICML 2004.
    .. [2] Ng, Jordan, Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.

    Examples
    --------
    >>> hbgf(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    n_init, rng = check_starts(n_init, random_state)
    rows = trivial(encoding, n_clusters)
    if rows is None:
        members, _, weights = clusters_of(encoding, weights)
        scaled, degrees = normalised_graph(members, encoding.multiplicity, weights)
        points = unit_rows(np.vstack(leading_vectors(scaled, n_clusters, rng)))
        kmeans = KMeans(n_clusters, n_init=n_init, random_state=rng).fit(points, sample_weight=np.concatenate(degrees))
        rows = kmeans.labels_[: members.shape[0]]
    return relabel(encoding.expand(rows))
