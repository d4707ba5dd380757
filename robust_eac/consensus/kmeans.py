"""k-means and bisecting k-means on the label codes, with squared distances, cross entropies, or normalised cuts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import RandomState
from ..core.formula import cluster_counts
from ..ensemble.encoding import relabel, take_rows
from ..ensemble.lloyd import best_lloyd, label_shares, squared_distances
from ..metrics.external import pair_weights, sized_densities
from ._common import check_search, prepare_rows

# Smallest share of a label: one that no object of a cluster has costs 36 nats (52 bits) instead of infinity.
_EPS = np.finfo(np.float64).eps


def kmeans_consensus(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Minimise the k-means loss of the one-hot ensemble without building it.

    Minimise :math:`L = \sum_C \sum_{i \in C} \sum_u w_u \|e_{c_u(i)} - \mu_C^u\|^2` over the partitions (Eq. 16 of
    [1]_), with :math:`\mu_C^u` the shares of the labels of partition u in cluster C. For weights that sum to one, this
    maximises the mean co-association within clusters, diagonal included, :math:`1 - L / n = \sum_C |C| \rho_C' / n`
    with :math:`\rho_C' = \sum_{i, j \in C} c_{ij} / |C|^2`, and the weighted sum of category utilities ([2]_).
    :func:`~robust_eac.density` leaves the diagonal out: contrary to Section 4.1 of [1]_, both rank partitions equally
    only if all clusters have the same size.

    Lloyd's algorithm starts from greedy k-means++ seeds; the best of `n_init` starts is kept. Identical objects stay
    together. A ConvergenceWarning is issued if objects still move in the last pass of the start that is kept.

    Parameters
    ----------
    labels, n_clusters, weights : as in :func:`~robust_eac.eac`; the terms of missing labels are left out
    n_init : int, default=10
        Number of starts.
    max_iter : int, default=300
        Largest number of passes over the objects per start.
    n_jobs : int, default=None
        Threads over the starts. The result does not depend on it.
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the seeds

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] "Linear Time Evidence Accumulation Clustering with KMeans", Sections 3.6 and 4.
    .. [2] Topchy, Jain, Punch, "Combining multiple weak clusterings", ICDM 2003.

    Examples
    --------
    >>> kmeans_consensus(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    return cluster_rows(labels, n_clusters, weights, squared_distances, n_init, max_iter, n_jobs, random_state)


def ecc(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Maximise the mutual information of the consensus with the base clusterings.

    Maximise :math:`\sum_u w_u I(\pi; \pi_u)` over the partitions :math:`\pi` ([1]_), which is to minimise
    :math:`n \sum_u w_u H(\pi_u | \pi) = -\sum_i \sum_u w_u \log P_{u|C(i)}[c_u(i)]`: Lloyd's algorithm with the
    cross entropies of labels as its distances ([2]_). The share of a label that no object of a cluster has is set to
    2.2e-16, as in the authors' code.

    Parameters
    ----------
    labels, n_clusters, weights, n_init, max_iter, n_jobs, random_state : as in :func:`kmeans_consensus`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Liu et al., "Entropy-based consensus clustering for patient stratification", Bioinformatics 33, 2017.
    .. [2] Wu, Liu, Xiong, Cao, Chen, "K-means-based consensus clustering: a unified view", IEEE TKDE 27, 2015.

    Examples
    --------
    >>> ecc(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    return cluster_rows(labels, n_clusters, weights, _cross_entropies, n_init, max_iter, n_jobs, random_state)


def sec(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Minimise the normalised cut of the co-association matrix without building it.

    Maximise :math:`\sum_C A(C, C) / A(C, \text{all})` over the partitions, with A the weighted co-association, diagonal
    included, and :math:`A(C, C') = \sum_{i \in C, j \in C'} A_{ij}`. In a partition that did not observe it, an object
    shares no cluster, not even with itself. This is a weighted k-means ([1]_): with :math:`b_i` the (weighted) one-hot
    row of object i and :math:`d_i = \sum_j A_{ij}` its degree, rows :math:`b_i / d_i` with weights :math:`d_i` satisfy
    exactly
    :math:`\sum_i d_i \|b_i / d_i - \mu_{C(i)}\|^2 = \sum_i \|b_i\|^2 / d_i - \sum_C A(C, C) / A(C, \text{all})`.

    Parameters
    ----------
    labels, n_clusters, weights, n_init, max_iter, n_jobs, random_state : as in :func:`kmeans_consensus`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Liu, Wu, Liu, Tao, Fu, "Spectral ensemble clustering via weighted k-means", IEEE TKDE 29, 2017.

    Examples
    --------
    >>> sec(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    return cluster_rows(labels, n_clusters, weights, degree_costs, n_init, max_iter, n_jobs, random_state)


def cluster_rows(labels, n_clusters, weights, table_of, n_init, max_iter, n_jobs, random_state):
    """Labels by Lloyd's algorithm on a table of costs, after the checks of the arguments."""
    search = check_search(n_init, max_iter, n_jobs, random_state)
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    result = best_lloyd(encoding, weights, table_of, n_clusters, **search)
    message = f"k-means did not converge: objects still moved in pass max_iter={max_iter}."
    check.warn_unless(result.converged, message)
    return relabel(encoding.expand(result.clusters))


def _cross_entropies(encoding, weights, counts):
    """(n_slots, k) weighted -log of the shares of the labels."""
    by_slot = encoding.partitions.by_slot(weights)[:, np.newaxis]
    return by_slot * -np.log(np.maximum(label_shares(encoding, counts), _EPS))


def degree_costs(encoding, weights, counts):
    """(n_slots, k) terms of d_i (|b_i / d_i - mu_c|^2 - |b_i / d_i|^2), with d_i the sum of w_u n_ul."""
    by_slot = encoding.partitions.by_slot(weights)[:, np.newaxis]
    degrees = by_slot * encoding.partitions.sizes[:, np.newaxis]
    volumes = (degrees * counts).sum(axis=0)
    # An empty cluster has its mean at the origin.
    volumes[volumes == 0.0] = 1.0
    squares = (by_slot * counts**2).sum(axis=0) / volumes**2
    return degrees * squares - 2.0 * by_slot * counts / volumes


CRITERIA = ("density", "size")


class BisectingTree(NamedTuple):
    """Result of :func:`bisecting_tree`.

    labels : (n_samples,) intp; cluster of each object at the finest level, numbered in the order of creation.
    parents : (n_levels - 1,) intp; entry j is the cluster that cluster j + 1 was split from, which keeps its number.
    densities : (n_levels,) density of the partitions into 1, 2, ... clusters.
    """

    labels: np.ndarray
    parents: np.ndarray
    densities: np.ndarray


class _Leaf(NamedTuple):
    """A cluster (rows, size times density) and its best split (rows of both halves, gain)."""

    rows: np.ndarray
    sized_density: float
    halves: tuple
    gain: float


def bisecting_tree(
    labels: ArrayLike,
    n_clusters: int,
    *,
    criterion: str = "density",
    weights: ArrayLike | None = None,
    singleton: float = 0.0,
    n_init: int = 10,
    max_iter: int = 300,
    random_state: RandomState = None,
) -> BisectingTree:
    r"""Repeatedly split clusters of objects in two, by 2-means on the label codes.

    Splitting a cluster C into A and B ([1]_, Section 4.4) changes the density by
    :math:`(|A| \rho_A + |B| \rho_B - |C| \rho_C) / n` (Eq. 23 of [1]_). [1]_ does not say which cluster is split next.

    Parameters
    ----------
    n_clusters : int
        Number of clusters at the finest level; splitting stops earlier if all objects in each cluster are identical.
    criterion : {"density", "size"}, default="density"
        The cluster to split next: the one whose split gains most density, or the largest.
    singleton : as in :func:`~robust_eac.density`
    labels, weights, n_init, max_iter, random_state : as in :func:`~robust_eac.consensus.kmeans_consensus`

    Returns
    -------
    tree : BisectingTree

    References
    ----------
    .. [1] "Linear Time Evidence Accumulation Clustering with KMeans", Sections 4.3 and 4.4.
    .. [2] Steinbach et al., "A comparison of document clustering techniques", KDD workshop on text mining, 2000.

    Examples
    --------
    >>> tree = bisecting_tree(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 3, random_state=0)
    >>> tree.labels, tree.parents, tree.densities.round(3)
    (array([0, 0, 2, 1, 1]), array([0, 0]), array([0.4  , 0.867, 0.8  ]))
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    check.choice(criterion, CRITERIA, name="criterion")
    singleton = check.share(singleton, name="singleton")
    search = check_search(n_init, max_iter, None, random_state)

    def grow(rows):
        """The leaf of these rows, with the best split found by 2-means."""
        cluster = take_rows(encoding, rows)
        halves = np.zeros(len(rows), dtype=np.intp)
        density = _sized_density(cluster, weights, halves, 1, singleton)
        if len(rows) > 1:
            halves = best_lloyd(cluster, weights, squared_distances, 2, **search).clusters
        if halves.min() == halves.max():
            return _Leaf(rows, density, (), -np.inf)
        gain = _sized_density(cluster, weights, halves, 2, singleton) - density
        if criterion == "size":
            gain = cluster.rows.multiplicity.sum()
        return _Leaf(rows, density, (rows[halves == 0], rows[halves == 1]), gain)

    leaves = [grow(np.arange(encoding.n_rows))]
    parents = []
    levels = [leaves[0].sized_density]
    while len(leaves) < n_clusters:
        parent = int(np.argmax([leaf.gain for leaf in leaves]))
        if not leaves[parent].halves:
            break
        first, second = leaves[parent].halves
        leaves[parent] = grow(first)
        leaves.append(grow(second))
        parents.append(parent)
        levels.append(sum(leaf.sized_density for leaf in leaves))
    clusters = np.empty(encoding.n_rows, dtype=np.intp)
    for number, leaf in enumerate(leaves):
        clusters[leaf.rows] = number
    densities = np.array(levels) / encoding.n_samples
    return BisectingTree(encoding.expand(clusters), np.array(parents, dtype=np.intp), densities)


def cut_bisecting_tree(tree: BisectingTree, n_clusters: int) -> np.ndarray:
    """Partition with a given number of clusters from a bisecting tree.

    Parameters
    ----------
    tree, n_clusters : BisectingTree, int
        The tree, and a number of clusters from 1 to that of its finest level.

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    Examples
    --------
    >>> cut_bisecting_tree(bisecting_tree(np.array([[0, 0], [0, 0], [1, 2]]), 2, random_state=0), 2)
    array([0, 0, 1])
    """
    if not isinstance(tree, BisectingTree):
        raise TypeError(f"tree must be a BisectingTree, the result of bisecting_tree, got {type(tree).__name__}.")
    n_levels = len(tree.parents) + 1
    n_clusters = check.positive(n_clusters, name="n_clusters", high=n_levels, high_name="levels of the tree")
    ancestor = np.arange(n_levels)
    for cluster in range(n_clusters, n_levels):
        # A parent precedes its parts, so its own ancestor is already known.
        ancestor[cluster] = ancestor[tree.parents[cluster - 1]]
    return relabel(ancestor[tree.labels])


def bisecting_kmeans_consensus(
    labels: ArrayLike,
    n_clusters: int,
    *,
    criterion: str = "density",
    weights: ArrayLike | None = None,
    singleton: float = 0.0,
    n_init: int = 10,
    max_iter: int = 300,
    random_state: RandomState = None,
) -> np.ndarray:
    """Finest level of :func:`~robust_eac.consensus.bisecting_tree`, by repeated 2-means on the label codes.

    Parameters
    ----------
    labels, n_clusters, criterion, weights, singleton, n_init, max_iter, random_state : as in :func:`bisecting_tree`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    Those of :func:`bisecting_tree`.

    Examples
    --------
    >>> bisecting_kmeans_consensus(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    tree = bisecting_tree(
        labels,
        n_clusters,
        criterion=criterion,
        weights=weights,
        singleton=singleton,
        n_init=n_init,
        max_iter=max_iter,
        random_state=random_state,
    )
    return relabel(tree.labels)


def _sized_density(encoding, weights, clusters, n_clusters, singleton):
    """Size times density, summed over the clusters."""
    counts = cluster_counts(encoding, clusters, n_clusters)
    sizes = np.bincount(clusters, weights=encoding.rows.multiplicity, minlength=n_clusters)
    return sized_densities(pair_weights(encoding, weights, counts), sizes, singleton).sum()
