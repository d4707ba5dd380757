"""Consensus by the trajectories of random walks between objects that often share a cluster (PTA and PTGP)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.cluster import KMeans

from ..checks.types import RandomState
from ..checks.values import check_choice, check_integer
from ..ensembles.spectral import KMEANS_PASSES, transfer_coordinates
from ._common import check_memory, check_starts, prepare, relabel
from ._linkage import LINKAGES, cut, distinct_rows, merge_tree_of
from ._metis import trivial
from .coassociation import coassociation_of, trajectory_cosines
from .mcla import TIE, clusters_of

__all__ = ["probability_trajectories"]

METHODS = ("linkage", "cut")
# Matrices of all pairs of rows that exist at the same time.
_MATRICES = 6


def probability_trajectories(
    labels: ArrayLike,
    n_clusters: int,
    *,
    method: str = "linkage",
    linkage: str = "average",
    n_neighbors: int | None = None,
    n_steps: int | None = None,
    weights: ArrayLike | None = None,
    n_init: int = 3,
    random_state: RandomState = None,
) -> np.ndarray:
    """Compare objects by the trajectories of random walks from them, and cluster by these similarities ([1]_).

    Identical objects form a microcluster. Each microcluster keeps the links of its `n_neighbors` largest
    co-associations A (including ties), in both directions. A walk goes from i to j with probability P_ij proportional
    to n_j A_ij, with n_j the number of objects in j. s_ij is the cosine between the trajectories of i and j: their rows
    of P, P^2, ..., P^n_steps side by side.

    Probability trajectory accumulation (PTA, ``method="linkage"``) cuts the hierarchical clustering of the
    microclusters by s. Probability trajectory based graph partitioning (PTGP, ``method="cut"``) joins microcluster i
    and base cluster l by an edge of the mean of s_ij over the microclusters j in l, times w_u; then the transfer cut of
    :func:`~robust_eac.consensus.transfer_cut` follows.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    n_clusters : int
        Number of clusters; fewer are returned if fewer objects are distinct, and with `method="cut"` also if fewer
        coordinates are distinct. If at most `n_clusters` objects are distinct, each of them is a cluster.
    method : {"linkage", "cut"}, default="linkage"
        PTA or PTGP.
    linkage : {"single", "average", "complete"}, default="average"
        For `method="linkage"`: largest, mean or smallest similarity of the microclusters of two clusters.
    n_neighbors : int, default=None
        At least 1. None means half the square root of the number of microclusters, rounded down.
    n_steps : int, default=None
        Length of the walks, at least 1. None means the same number.
    weights : array-like of shape (n_partitions,), default=None
        w, in the co-association and on the edges: non-negative, not all zero; normalised to sum to one. None means
        uniform.
    n_init : int, default=3
        Number of starts of k-means, for `method="cut"`.
    random_state : int, RandomState instance or None, default=None
        Draws the seeds of k-means, for `method="cut"`.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        Clusters 0, 1, ... in the order of first appearance.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or the matrices need more memory than the machine has.

    Notes
    -----
    With d distinct objects: time O(d^3 log n_steps + d^2 n_partitions), memory O(d^2) for several dense matrices:
    suited to a few thousand distinct objects.

    Walks cannot stay in place. If a large microcluster is the only neighbour of others, walks from it and from them
    never meet, and its similarity to them is 0. The method needs ensembles that distinguish many objects.

    As in [1]_, all microclusters have equal weight in the linkage and in the cut. [1]_ has no partition weights; an
    integer weight is the same as a partition repeated that often.

    References
    ----------
    .. [1] Huang, Lai, Wang, "Robust ensemble clustering using probability trajectories", IEEE Transactions on
       Knowledge and Data Engineering 28(5), 2016.

    Examples
    --------
    >>> probability_trajectories(np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [2, 2, 3], [2, 3, 2], [3, 2, 2]]), 2)
    array([0, 0, 0, 1, 1, 1])
    """
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    method = check_choice(method, METHODS, name="method")
    linkage = check_choice(linkage, LINKAGES, name="linkage")
    n_neighbors = None if n_neighbors is None else check_integer(n_neighbors, name="n_neighbors", low=1)
    n_steps = None if n_steps is None else check_integer(n_steps, name="n_steps", low=1)
    n_init, rng = check_starts(n_init, random_state)
    encoding = distinct_rows(encoding)
    rows = trivial(encoding, n_clusters)
    if rows is None:
        d = len(encoding.codes)
        check_memory(8 * _MATRICES * d**2, f"probability_trajectories: the similarities of {d} distinct objects")
        default = max(1, int(np.sqrt(d) / 2.0))
        alike = trajectory_similarities(encoding, weights, n_neighbors or default, n_steps or default)
        if method == "linkage":
            rows = cut(merge_tree_of(alike, linkage), n_clusters)
        else:
            kmeans = KMeans(n_clusters, n_init=n_init, max_iter=KMEANS_PASSES, random_state=rng)
            rows = kmeans.fit(embed(alike, encoding, weights, n_clusters, rng)).labels_
    return relabel(encoding.expand(rows))


def trajectory_similarities(encoding, weights, n_neighbors, n_steps):
    """(d, d) cosines s between the trajectories of the rows."""
    links = coassociation_of(encoding, weights)
    np.fill_diagonal(links, 0.0)
    place = max(len(links) - n_neighbors, 0)
    thresholds = np.partition(links, place, axis=1)[:, place, np.newaxis]
    elite = links >= thresholds - TIE
    return trajectory_cosines(np.where(elite | elite.T, links, 0.0) * encoding.multiplicity, n_steps)


def embed(alike, encoding, weights, n_vectors, rng):
    """(d, at most n_vectors) coordinates of the rows, of length one, by the transfer cut of their mean similarities."""
    members, _, cluster_weights = clusters_of(encoding, weights)
    means = alike @ (members.toarray() / members.sum(axis=0))
    return transfer_coordinates(sparse.csr_array(means), np.ones(len(means)), cluster_weights, n_vectors, rng)
