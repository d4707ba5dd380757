"""Transfer cut of the graph of objects and base clusters: the consensus functions of LWGP and U-SENC."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans

from ..checks.types import RandomState
from ..checks.values import check_real
from ..ensembles.spectral import KMEANS_PASSES, transfer_coordinates
from ..weightings.clusters import slot_certainty
from ._common import check_starts, prepare_rows, relabel
from ._metis import trivial
from .mcla import clusters_of

__all__ = ["transfer_cut"]


def transfer_cut(
    labels: ArrayLike,
    n_clusters: int,
    *,
    theta: float | None = 0.4,
    weights: ArrayLike | None = None,
    n_init: int = 3,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the graph of objects and base clusters, with an edge from every object to each of its clusters.

    The edge between object i and cluster l of partition u has weight  B_il = w_u ECI(l),  with the ensemble-driven
    index of :func:`~robust_eac.weightings.ensemble_driven_cluster_index`: locally weighted graph partitioning, LWGP ([1]_). With
    `theta=None` all clusters of a partition have the same weight: the consensus of U-SENC ([2]_).

    Both cut the graph by the transfer cut of [3]_. With D and N the row and column sums of B and V the `n_clusters`
    leading eigenvectors of N^(-1/2) B' D^(-1) B N^(-1/2), a graph of clusters alone, the objects' coordinates are the
    rows of D^(-1) B N^(-1/2) V, scaled to length one. k-means clusters them.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: no edge.
    n_clusters : int
        Number of clusters; fewer are returned if fewer objects are distinct, or if fewer coordinates are distinct. If
        at most `n_clusters` objects are distinct, each of them is a cluster.
    theta : float or None, default=0.4
        Greater than 0; smaller values give uncertain clusters less weight. None: all clusters have equal weight.
    weights : array-like of shape (n_partitions,), default=None
        w: non-negative, not all zero; normalised to sum to one. They also enter the index. None means uniform.
    n_init : int, default=3
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
    have K <= 1000 clusters, O(n n_partitions) per step of a Lanczos method otherwise; O(n n_partitions^2) for the
    index; O(n n_clusters^2) per pass of each start of k-means. Memory O(n (n_partitions + n_clusters) + K n_clusters).

    [1]_ and [2]_ have no partition weights. An integer weight is the same as a partition repeated that often. Identical
    objects are merged and weighted by their number; they share a cluster. :func:`~robust_eac.consensus.hbgf` differs in
    two ways: it clusters objects and base clusters together, and does not scale the coordinates by the eigenvalues.

    References
    ----------
    .. [1] Huang, Wang, Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48(5), 2018.
    .. [2] Huang, Wang, Wu, Lai, Kwoh, "Ultra-scalable spectral clustering and ensemble clustering", IEEE Transactions
       on Knowledge and Data Engineering 32(6), 2020.
    .. [3] Li, Wu, Chang, "Segmentation using superpixels: a bipartite graph partitioning approach", CVPR 2012.

    Examples
    --------
    >>> transfer_cut(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    theta = None if theta is None else check_real(theta, name="theta", low=0.0, strict=True)
    n_init, rng = check_starts(n_init, random_state)
    rows = trivial(encoding, n_clusters)
    if rows is None:
        kmeans = KMeans(n_clusters, n_init=n_init, max_iter=KMEANS_PASSES, random_state=rng)
        rows = kmeans.fit(embed(encoding, n_clusters, weights, theta, rng), sample_weight=encoding.multiplicity).labels_
    return relabel(encoding.expand(rows))


def embed(encoding, n_vectors, weights, theta, rng):
    """(n_rows, at most n_vectors) coordinates of the rows, of length one."""
    members, _, edge_weights = clusters_of(encoding, weights)
    if theta is not None:
        edge_weights = edge_weights * slot_certainty(encoding, weights, theta)[encoding.sizes > 0.0]
    return transfer_coordinates(members, encoding.multiplicity, edge_weights, n_vectors, rng)
