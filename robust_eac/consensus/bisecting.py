"""Bisecting k-means on the label codes: a divisive hierarchy of consensus clusters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import RandomState
from ..core.encoding import relabel, take_rows
from ..core.formula import cluster_counts
from ..core.lloyd import best_lloyd, squared_distances
from ..metrics.external import pair_weights, sized_densities
from ._common import check_search, prepare_rows

__all__ = ["BisectingTree", "bisecting_kmeans_consensus", "bisecting_tree", "cut_bisecting_tree"]

CRITERIA = ("density", "loss", "size")


class BisectingTree(NamedTuple):
    """Result of :func:`bisecting_tree`.

    labels : (n_samples,) intp; cluster of each object at the finest level, numbered in the order of creation.
    parents : (n_levels - 1,) intp; entry j is the cluster that cluster j + 1 was split from, which keeps its number.
    densities, losses : (n_levels,) density and k-means loss over n_samples of the partitions into 1, 2, ... clusters.
    """

    labels: np.ndarray
    parents: np.ndarray
    densities: np.ndarray
    losses: np.ndarray


class _Leaf(NamedTuple):
    """A cluster (rows, size times density, loss) and its best split (rows of both halves, gain)."""

    rows: np.ndarray
    sized_density: float
    loss: float
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
    criterion : {"density", "loss", "size"}, default="density"
        The cluster to split next: the one whose split gains most density or lowers the k-means loss most, or the
        largest.
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
    singleton = check.real(singleton, name="singleton", low=0.0, high=1.0)
    search = check_search(n_init, max_iter, None, random_state)

    def grow(rows):
        return _leaf(encoding, weights, rows, criterion, singleton, search)

    leaves = [grow(np.arange(len(encoding.rows.codes)))]
    parents, levels = [], [_level(leaves)]
    while len(leaves) < n_clusters:
        parent = int(np.argmax([leaf.gain for leaf in leaves]))
        if not leaves[parent].halves:
            break
        first, second = leaves[parent].halves
        leaves[parent] = grow(first)
        leaves.append(grow(second))
        parents.append(parent)
        levels.append(_level(leaves))
    clusters = np.empty(len(encoding.rows.codes), dtype=np.intp)
    for number, leaf in enumerate(leaves):
        clusters[leaf.rows] = number
    densities, losses = np.array(levels).T / encoding.n_samples
    return BisectingTree(encoding.expand(clusters), np.array(parents, dtype=np.intp), densities, losses)


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
    n_clusters = check.integer(n_clusters, name="n_clusters", low=1, high=n_levels, high_name="levels of the tree")
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
    options: dict[str, Any] = {"criterion": criterion, "weights": weights, "singleton": singleton, "n_init": n_init}
    tree = bisecting_tree(labels, n_clusters, max_iter=max_iter, random_state=random_state, **options)
    return relabel(tree.labels)


def _leaf(encoding, weights, rows, criterion, singleton, search):
    """The leaf of these rows, with the best split found by 2-means."""
    own = take_rows(encoding, rows)
    halves = np.zeros(len(rows), dtype=np.intp)
    density, loss = _grade(own, weights, halves, 1, singleton)
    if len(rows) > 1:
        halves = best_lloyd(own, weights, squared_distances, 2, **search).clusters
    if halves.min() == halves.max():
        return _Leaf(rows, density, loss, (), -np.inf)
    split_density, split_loss = _grade(own, weights, halves, 2, singleton)
    gains = {"density": split_density - density, "loss": loss - split_loss, "size": own.rows.multiplicity.sum()}
    return _Leaf(rows, density, loss, (rows[halves == 0], rows[halves == 1]), gains[criterion])


def _grade(encoding, weights, clusters, n_clusters, singleton):
    """Size times density, and k-means loss, each summed over the clusters."""
    counts = cluster_counts(encoding, clusters, n_clusters)
    sizes = np.bincount(clusters, weights=encoding.rows.multiplicity, minlength=n_clusters)
    density = sized_densities(pair_weights(encoding, weights, counts), sizes, singleton).sum()
    return density, float(np.sum(counts * squared_distances(encoding, weights, counts)))


def _level(leaves):
    return sum(leaf.sized_density for leaf in leaves), sum(leaf.loss for leaf in leaves)
