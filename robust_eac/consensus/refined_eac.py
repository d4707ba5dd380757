"""Evidence accumulation on refined similarities: similar clusters, certain clusters, trajectories of walks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.cluster import KMeans

from ..checks.common import RandomState
from ..checks.values import check_choice, check_integer, check_random_state, check_real
from ..core.codes import relabel
from ..core.encoding import one_hot
from ..ensembles.landmarks import KMEANS_PASSES, transfer_coordinates
from ..schemes.clusters import mean_over_observed, slot_certainty
from ._common import TIE, check_memory, check_starts, clusters_of, prepare, prepare_ensemble, trivial
from .eac import coassociation_of
from .linkage import LINKAGES, cluster_by_linkage, cut, distinct_rows, tree_of_matrix

__all__ = [
    "connected_triples",
    "enhanced_coassociation_matrix",
    "enhanced_eac",
    "locally_weighted_eac",
    "probability_trajectories",
]

METHODS = ("linkage", "cut")
# Number of matrices of all pairs of rows that are in memory at the same time.
_MATRICES = 6


def enhanced_coassociation_matrix(
    labels: ArrayLike, *, n_steps: int = 20, weights: ArrayLike | None = None
) -> np.ndarray:
    r"""Co-association in which different clusters of a partition count by their similarity.

    Computes :math:`A_{ij} = \sum_u \alpha_u z(C_u(i), C_u(j))` ([1]_, where :math:`\alpha_u = 1/m`). z is 1 for a
    cluster and itself, else the cosine between the trajectories of two clusters: their rows of :math:`P, \ldots, P^t`
    side by side. P is a random walk on the clusters of all partitions, with probabilities proportional to their Jaccard
    index :math:`|a \cap b| / |a \cup b|`. A cluster that overlaps with no other is similar to none.

    Two clusters are compared on the objects that both their partitions observe, two objects by the partitions that
    observe both. The walk treats all partitions of positive weight equally, so a repeated partition differs from a
    weight of two.

    Parameters
    ----------
    n_steps : int, default=20
        t: length of the walk, at least 1.
    labels, weights : as in :func:`~robust_eac.eac`

    Returns
    -------
    coassociation : ndarray of shape (n_samples, n_samples)
        Symmetric, in [0, 1], at least the co-association.

    References
    ----------
    .. [1] Huang, Wang, Peng, Lai, Kwoh, "Enhanced ensemble clustering via fast propagation of cluster-wise
       similarities", IEEE Transactions on Systems, Man, and Cybernetics: Systems 51(1), 2021.

    Examples
    --------
    >>> enhanced_coassociation_matrix(np.array([[0, 0], [0, 1], [1, 1]]), n_steps=1).round(3)
    array([[1.   , 0.777, 0.555],
           [0.777, 1.   , 0.777],
           [0.555, 0.777, 1.   ]])
    """
    encoding, weights = prepare_ensemble(labels, weights)
    n_steps = check_integer(n_steps, name="n_steps", low=1)
    together = np.zeros((encoding.n_samples, encoding.n_samples))
    similarities = cluster_similarities(encoding, n_steps)
    for codes, weight, similarity in zip(encoding.rows.codes.T, weights, similarities, strict=True):
        together += weight * similarity[codes[:, np.newaxis], codes]
    return mean_over_observed(together, encoding, weights)


def enhanced_eac(
    labels: ArrayLike,
    n_clusters: int,
    *,
    linkage: str = "average",
    n_steps: int = 20,
    weights: ArrayLike | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the hierarchical clustering of the objects by enhanced co-association into n_clusters.

    Like :func:`~robust_eac.eac`, with the similarities of :func:`enhanced_coassociation_matrix`: a partition that
    separates two objects contributes the similarity of their clusters. Every linkage needs half the matrix.

    Parameters
    ----------
    labels, n_clusters, linkage, weights, random_state : as in :func:`~robust_eac.eac`
    n_steps : as in :func:`enhanced_coassociation_matrix`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    Those of :func:`enhanced_coassociation_matrix`.

    Examples
    --------
    >>> enhanced_eac(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    check_choice(linkage, LINKAGES, name="linkage")
    n_steps = check_integer(n_steps, name="n_steps", low=1)
    rng = check_random_state(random_state)
    encoding = distinct_rows(encoding)
    similarity = cluster_similarities(encoding, n_steps)
    return cluster_by_linkage(encoding, similarity, weights, n_clusters, linkage, rng)


def locally_weighted_eac(
    labels: ArrayLike,
    n_clusters: int,
    *,
    linkage: str = "average",
    theta: float = 0.4,
    weights: ArrayLike | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the hierarchical clustering of the objects by locally weighted co-association into n_clusters.

    Like :func:`~robust_eac.eac`, but a cluster that holds two objects contributes its index of
    :func:`~robust_eac.schemes.ensemble_driven_cluster_index` to their similarity ([1]_, with average linkage).

    Parameters
    ----------
    labels, n_clusters, linkage, weights, random_state : as in :func:`~robust_eac.eac`; the weights enter the index too
    theta : as in :func:`~robust_eac.schemes.ensemble_driven_cluster_index`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Huang, Wang, Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48(5), 2018.

    Examples
    --------
    >>> locally_weighted_eac(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    check_choice(linkage, LINKAGES, name="linkage")
    theta = check_real(theta, name="theta", low=0.0, strict=True)
    rng = check_random_state(random_state)
    values = slot_certainty(encoding, weights, theta) * np.repeat(weights, encoding.partitions.n_codes)
    rows = distinct_rows(encoding)
    return cluster_by_linkage(rows, values, weights, n_clusters, linkage, rng)


def connected_triples(
    labels: ArrayLike,
    n_clusters: int,
    *,
    linkage: str = "average",
    decay: float = 0.8,
    weights: ArrayLike | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the hierarchical clustering of the objects by their connected-triple similarity into n_clusters.

    Like :func:`~robust_eac.eac`, with other similarities ([1]_, [2]_): a partition that puts two objects into different
    clusters a and b contributes

        decay * T_ab / max T,    T_ab = sum over clusters c of all partitions of  w_u(c) min(J_ac, J_bc),

    with J_ac = |a and c| / |a or c| the Jaccard index of two clusters, on the objects that both their partitions
    observe, and the maximum over all pairs of clusters of one partition, in all partitions. Every linkage needs half
    the matrix. [1]_ has no partition weights; an integer weight is the same as a partition repeated that often.

    Parameters
    ----------
    decay : float, default=0.8
        In [0, 1]: largest similarity of two different clusters. 0 gives :func:`~robust_eac.eac`.
    labels, n_clusters, linkage, weights, random_state : as in :func:`~robust_eac.eac`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Iam-On, Boongoen, Garrett, "Refining pairwise similarity matrix for cluster ensemble problem with cluster
       relations", Discovery Science 2008.
    .. [2] Iam-On et al., "A link-based approach to the cluster ensemble problem", IEEE PAMI 33(12), 2011.

    Examples
    --------
    >>> connected_triples(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    check_choice(linkage, LINKAGES, name="linkage")
    decay = check_real(decay, name="decay", low=0.0, high=1.0)
    rng = check_random_state(random_state)
    encoding = distinct_rows(encoding)
    similarity = triple_similarities(encoding, weights, decay)
    return cluster_by_linkage(encoding, similarity, weights, n_clusters, linkage, rng)


def triple_similarities(encoding, weights, decay):
    """For every partition the (k_u, k_u) similarities of its clusters; 0 in the slots of "not observed"."""
    partitions = encoding.partitions
    jaccard = jaccard_indices(encoding)
    by_slot = np.repeat(weights, partitions.n_codes)
    tables = []
    for start, k in zip(partitions.offsets, partitions.n_codes, strict=True):
        own = jaccard[start : start + k]
        table = np.array([np.minimum(row, own) @ by_slot for row in own])
        np.fill_diagonal(table, 0.0)
        tables.append(table)
    largest = max(table.max() for table in tables)
    for table, start in zip(tables, partitions.offsets, strict=True):
        table *= decay / (largest or 1.0)
        np.fill_diagonal(table, partitions.sizes[start : start + len(table)] > 0.0)
    return tables


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
    of P, P^2, ..., P^n_steps side by side. Several dense matrices of all pairs of distinct objects are formed.

    Probability trajectory accumulation (PTA, ``method="linkage"``) cuts the hierarchical clustering of the
    microclusters by s. Probability trajectory based graph partitioning (PTGP, ``method="cut"``) joins microcluster i
    and base cluster l by an edge whose weight is the mean of s_ij over the microclusters j in l, times w_u, and applies
    the transfer cut of :func:`~robust_eac.consensus.transfer_cut`.

    Parameters
    ----------
    n_clusters : int
        Number of clusters; fewer are returned if fewer objects, or with "cut" fewer coordinates, are distinct.
    method : {"linkage", "cut"}, default="linkage"
        PTA or PTGP.
    linkage : {"single", "average", "complete"}, default="average"
        For "linkage": largest, mean or smallest similarity of the microclusters of two clusters.
    n_neighbors : int, default=None
        At least 1. None means half the square root of the number of microclusters, rounded down.
    n_steps : int, default=None
        Length of the walks, at least 1. None means the default of `n_neighbors`.
    labels, weights : as in :func:`~robust_eac.eac`
    n_init : as in :func:`~robust_eac.consensus.hbgf`, for "cut"
    random_state : int, RandomState instance or None, default=None
        Decides ties of "linkage", and draws the seeds of k-means of "cut".

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Huang, Lai, Wang, "Robust ensemble clustering using probability trajectories", IEEE TKDE 28(5), 2016.

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
        d = len(encoding.rows.codes)
        check_memory(8 * _MATRICES * d**2, f"probability_trajectories: the similarities of {d} distinct objects")
        default = max(1, int(np.sqrt(d) / 2.0))
        similarity = trajectory_similarities(encoding, weights, n_neighbors or default, n_steps or default)
        if method == "linkage":
            rows = cut(tree_of_matrix(similarity, linkage, rng), n_clusters)
        else:
            kmeans = KMeans(n_clusters, n_init=n_init, max_iter=KMEANS_PASSES, random_state=rng)
            rows = kmeans.fit(embed_microclusters(similarity, encoding, weights, n_clusters, rng)).labels_
    return relabel(encoding.expand(rows))


def trajectory_similarities(encoding, weights, n_neighbors, n_steps):
    """(d, d) cosines s between the trajectories of the rows."""
    links = coassociation_of(encoding, weights)
    np.fill_diagonal(links, 0.0)
    place = max(len(links) - n_neighbors, 0)
    thresholds = np.partition(links, place, axis=1)[:, place, np.newaxis]
    elite = links >= thresholds - TIE
    return trajectory_cosines(np.where(elite | elite.T, links, 0.0) * encoding.rows.multiplicity, n_steps)


def embed_microclusters(similarity, encoding, weights, n_vectors, rng):
    """(d, at most n_vectors) coordinates of the rows, of length one, by the transfer cut of mean similarities."""
    members, _, cluster_weights = clusters_of(encoding, weights)
    means = similarity @ (members.toarray() / members.sum(axis=0))
    return transfer_coordinates(sparse.csr_array(means), np.ones(len(means)), cluster_weights, n_vectors, rng)


def cluster_similarities(encoding, n_steps):
    """For every partition the (k_u, k_u) matrix of z between its clusters; 0 in the slots of "not observed"."""
    similarity = walk_similarities(encoding, n_steps)
    starts = encoding.partitions.offsets
    ends = starts + encoding.partitions.n_codes
    return [similarity[start:end, start:end] for start, end in zip(starts, ends, strict=True)]


def walk_similarities(encoding, n_steps):
    """(n_slots, n_slots) z between the clusters of all partitions; 0 in the slots of "not observed"."""
    similarity = trajectory_cosines(jaccard_indices(encoding), n_steps)
    similarity[encoding.partitions.missing_slots, encoding.partitions.missing_slots] = 0.0
    return similarity


def trajectory_cosines(edges, n_steps):
    """Cosines between the trajectories of walks of n_steps from the vertices of a non-negative graph; diagonal 1."""
    degrees = edges.sum(axis=1, keepdims=True)
    walk = np.divide(edges, degrees, out=np.zeros_like(edges), where=degrees > 0.0)
    products = _trajectory_products(walk, n_steps)[1]
    lengths = np.sqrt(np.diagonal(products))
    lengths = np.outer(lengths, lengths)
    similarity = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0.0).clip(max=1.0)
    np.fill_diagonal(similarity, 1.0)
    return similarity


def jaccard_indices(encoding):
    """(n_slots, n_slots) Jaccard indices of clusters, on the objects that both partitions observe; diagonal 0."""
    indicators = one_hot(encoding)
    common = ((indicators.T * encoding.rows.multiplicity) @ indicators).toarray()
    # Objects of cluster a that the partition of cluster b observes: the sum over all clusters of that partition.
    seen = np.repeat(np.add.reduceat(common, encoding.partitions.offsets, axis=1), encoding.partitions.n_codes, axis=1)
    jaccard = np.divide(common, seen + seen.T - common, out=np.zeros_like(common), where=common > 0.0)
    np.fill_diagonal(jaccard, 0.0)
    return jaccard


def _trajectory_products(walk, n_steps):
    """P^t and R_t = sum_{s=1}^t P^s (P^s)', in O(log t) matrix products."""
    if n_steps == 1:
        return walk, walk @ walk.T
    power, products = _trajectory_products(walk, n_steps // 2)
    products = products + power @ products @ power.T
    power = power @ power
    if n_steps % 2:
        products = walk @ products @ walk.T + walk @ walk.T
        power = walk @ power
    return power, products
