"""Meta-clusters of similar base clusters (ECPCS-MC): base clusters are grouped, and objects follow their clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from sklearn.cluster import KMeans

from ..checks.types import RandomState
from ..checks.values import check_integer
from ..ensembles.spectral import unit_rows
from ._common import check_starts, prepare_rows, relabel
from ._metis import trivial
from .coassociation import walk_similarities
from .mcla import TIE, associations, clusters_of

__all__ = ["ecpcs_mc"]


def ecpcs_mc(
    labels: ArrayLike,
    n_clusters: int,
    *,
    n_steps: int = 20,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    random_state: RandomState = None,
) -> np.ndarray:
    """Group base clusters by random walks, and assign every object to the group with most of its clusters.

    The base clusters of all partitions are the vertices of a graph, with z of
    :func:`~robust_eac.consensus.enhanced_coassociation_matrix` on its edges: the cosine between the trajectories of
    random walks from cluster to cluster. Its normalised cut, relaxed, groups them into `n_clusters` meta-clusters M
    ([1]_): the rows of the leading eigenvectors of N^(-1/2) Z N^(-1/2), with Z_ab = w_u(a) w_u(b) z_ab and N its row
    sums, are scaled to length one and clustered by k-means. Object i then goes to the meta-cluster of its largest
    association,

        max over M  sum_{a in M} w_u(a) [i in a] / sum_{a in M} w_u(a),

    the first of equals.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: it is then in none of
        its clusters, and two clusters are compared on the objects that both their partitions observe.
    n_clusters : int
        Number of meta-clusters; fewer clusters are returned if a meta-cluster wins no object, or if there are fewer
        base clusters or distinct objects. If at most `n_clusters` objects are distinct, each of them is a cluster.
    n_steps : int, default=20
        Length of the random walks, at least 1.
    weights : array-like of shape (n_partitions,), default=None
        w, in the cut and in the association, not in the walk: non-negative, not all zero; normalised to sum to one.
        None means uniform.
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
    With K clusters in all partitions: time O(K^3 log n_steps + n_samples n_partitions (n_partitions + n_clusters)),
    memory O(K^2 + n_samples (n_partitions + n_clusters)).

    The authors' program turns the eigenvectors into meta-clusters by a rotation ("multiclass spectral clustering");
    here k-means is used. [1]_ has no partition weights. A repeated partition takes part in the walk once more, so it
    differs from a weight of two.

    References
    ----------
    .. [1] Huang, Wang, Peng, Lai, Kwoh, "Enhanced ensemble clustering via fast propagation of cluster-wise
       similarities", IEEE Transactions on Systems, Man, and Cybernetics: Systems 51(1), 2021.

    Examples
    --------
    >>> ecpcs_mc(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    n_steps = check_integer(n_steps, name="n_steps", low=1)
    n_init, rng = check_starts(n_init, random_state)
    rows = trivial(encoding, n_clusters)
    if rows is None:
        members, _, cluster_weights = clusters_of(encoding, weights)
        groups = np.arange(len(cluster_weights))
        if len(groups) > n_clusters:
            observed = np.flatnonzero(encoding.sizes)
            alike = walk_similarities(encoding, n_steps)[np.ix_(observed, observed)]
            points = embed(alike, cluster_weights, n_clusters)
            kmeans = KMeans(n_clusters, n_init=n_init, random_state=rng)
            groups = kmeans.fit(points, sample_weight=cluster_weights).labels_
        votes = associations(members, groups, cluster_weights)
        rows = (votes >= votes.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    return relabel(encoding.expand(rows))


def embed(similarities, weights, n_vectors):
    """(K, n_vectors) rows of length one: leading eigenvectors of the graph with edges w_a w_b z_ab, normalised."""
    # N_a = w_a sum_b w_b z_ab. One w_a cancels, which avoids products of weights: they may underflow.
    scale = np.sqrt(weights / (similarities @ weights))
    k = len(weights)
    return unit_rows(eigh(similarities * np.outer(scale, scale), subset_by_index=(k - n_vectors, k - 1))[1])
