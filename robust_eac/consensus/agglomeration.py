"""Agglomeration of groups of objects by sums over their pairs; cuts of trees, and SciPy's linkage matrices."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import DisjointSet
from scipy.sparse.csgraph import connected_components

from ..core.kernels import njit
from ._common import TIE

# In the tree of sums, a similarity exceeds another if it is larger by more than this factor, which allows for rounding.
_ABOVE = 1.0 + TIE


class Tree(NamedTuple):
    """The d - 1 merges of d rows, most similar first: edges of a spanning tree.

    left, right, similarities : (d - 1,) a row from each of the two clusters that merge, and the similarity at which
        they do.
    """

    left: np.ndarray
    right: np.ndarray
    similarities: np.ndarray


def tree_of_sums(sums, pairs, power):
    """The :class:`Tree` of M groups of objects, from the (M, M) sums of m over their pairs and the pairs' weights.

    The similarity of groups A and B is m_AB / (m_AA m_BB)^power, with the means m of these pairs; 0 if no partition
    contains both objects. The two most similar groups merge, the first ones in a tie up to rounding, usually in O(M^2)
    altogether. In the tree, similarities never increase: one above the previous merge's is lowered to it.
    """
    n = len(sums)
    tree = Tree(np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64), np.empty(n - 1))
    sums, pairs = (np.array(values, dtype=np.float64, order="C") for values in (sums, pairs))
    merge_sums(sums, pairs, power, np.ones(n), np.zeros(n, dtype=np.int64), np.empty(n), tree)
    np.minimum.accumulate(tree.similarities, out=tree.similarities)
    return tree


def cut(tree, n_clusters):
    """Cluster of every row when n_clusters are left, numbered by first rows; at most one cluster per row."""
    n = len(tree.left) + 1
    n_merges = max(n - n_clusters, 0)
    graph = sparse.coo_array((np.ones(n_merges), (tree.left[:n_merges], tree.right[:n_merges])), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.intp)


def linkage_matrix(left, right, heights):
    """SciPy's linkage matrix (n - 1, 4) of n points from merges of the clusters of two points each, by height."""
    n = len(left) + 1
    clusters = DisjointSet(range(n))
    numbers = np.arange(n)
    merges = np.empty((n - 1, 4))
    for k, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        parts = sorted(numbers[[clusters[a], clusters[b]]])
        clusters.merge(a, b)
        numbers[clusters[a]] = n + k
        merges[k] = *parts, heights[k], clusters.subset_size(a)
    return merges


@njit
def merge_sums(sums, pairs, power, scale, nearest, best, tree):
    """Merge the two most similar groups until one is left. It overwrites the sums and pairs.

    `scale`, ones, becomes m_AA^-power of every group, and -1 once it has merged into another. `nearest`, `best` : (n,)
    the most similar later group and its similarity; with zeros as `nearest`, the first round finds them for all groups.
    """
    n = len(scale)
    for i in range(n):
        if sums[i, i] > 0.0:
            scale[i] = (pairs[i, i] / sums[i, i]) ** power
    # numba would compile the functions called twice for literal zeros.
    a = b = np.int64(0)
    for k in range(n - 1):
        for i in range(n):
            if scale[i] < 0.0:
                continue
            if i == a or nearest[i] == a or nearest[i] == b:
                nearest[i], best[i] = _most_similar(sums, pairs, scale, i, i + 1, n)
            elif i < a:
                candidate, similarity = _most_similar(sums, pairs, scale, i, a, a + 1)
                if similarity > _ABOVE * best[i]:
                    nearest[i], best[i] = candidate, similarity
        a = np.int64(0)
        for i in range(n):
            if best[i] > _ABOVE * best[a]:
                a = i
        b = nearest[a]
        tree.left[k], tree.right[k] = a, b
        tree.similarities[k] = best[a]
        for i in range(n):
            sums[a, i] += sums[b, i]
            pairs[a, i] += pairs[b, i]
        for i in range(n):
            sums[i, a] += sums[i, b]
            pairs[i, a] += pairs[i, b]
        scale[b], best[b] = -1.0, -1.0
        scale[a] = (pairs[a, a] / sums[a, a]) ** power if sums[a, a] > 0.0 else 1.0


@njit
def _most_similar(sums, pairs, scale, i, start, stop):
    """(j, similarity) of the group most similar to i, of those from start to before stop; (-1, -1) if there is none."""
    nearest = -1
    best = -1.0
    for j in range(start, stop):
        if scale[j] > 0.0:
            # 0 if no partition contains a pair of their objects.
            similarity = sums[i, j] / pairs[i, j] * scale[i] * scale[j] if pairs[i, j] > 0.0 else 0.0
            if similarity > _ABOVE * best:
                nearest = j
                best = similarity
    return nearest, best
