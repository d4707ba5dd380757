"""Hierarchical clustering of the rows of an ensemble by co-association, on half a matrix in single precision.

The similarity of rows i and j is

    A_ij = sum_u value[slot of i in u] [i and j share that slot]  /  sum of share_u over the u that observe both,

and 0 if no partition observes both. With value = share this is the co-association; values may also differ between the
clusters of a partition. If no label is missing, the division comes last: sums of whole numbers (votes), and ties among
them, are then exact.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from ..checks.values import check_choice, check_integer
from ..solve.encoding import collapse
from . import _linkage_kernels as kernels
from ._common import physical_memory, relabel

# In the order of the kernels' numbers.
LINKAGES = ("single", "average", "complete")
# A row is compared with a block of this many others at a time, so that their codes and sums stay in the cache.
_BLOCK = 256


class Tree(NamedTuple):
    """The merges of d rows, most similar first: d - 1 edges of a spanning tree.

    left, right : (d - 1,) int64; a row from each of the two clusters that merge.
    similarities : (d - 1,) float64; the similarity at which they merge.
    """

    left: np.ndarray
    right: np.ndarray
    similarities: np.ndarray


class _Rows(NamedTuple):
    """The rows that are compared.

    codes : (n, m) unsigned integers; cluster in each partition.
    seen : (n, n_masks) uint8; whether each mask observes the row. No columns if all labels are observed.
    blocks, seen_blocks : (n_blocks, m or n_masks, width); both again, the rows of a block as columns.
    """

    codes: np.ndarray
    seen: np.ndarray
    blocks: np.ndarray
    seen_blocks: np.ndarray


class _Terms(NamedTuple):
    """What partitions add to a similarity.

    offsets : (m,) int64; first slot of each partition.
    values : (n_slots,) what sharing a slot adds. Not read if there are tables.
    tables : (n_slots, largest k_u) what the cluster of a slot and every cluster of its partition add; or no columns.
    mask_weights : (n_masks,) share of the partitions of each mask.
    """

    offsets: np.ndarray
    values: np.ndarray
    tables: np.ndarray
    mask_weights: np.ndarray


def check_linkage(linkage, max_bytes):
    """Raise unless the linkage is known and `max_bytes` is None or a non-negative integer."""
    check_choice(linkage, LINKAGES, name="linkage")
    if max_bytes is not None:
        check_integer(max_bytes, name="max_bytes", low=0)


def distinct_rows(encoding):
    """The encoding with identical rows merged, except those of objects that no partition observes."""
    # Objects lose all labels when partitions of weight 0 are dropped. They are not similar to each other either.
    names = np.where(encoding.observed.any(axis=1), 0.0, np.arange(1.0, encoding.n_samples + 1.0))
    return collapse(encoding, names[:, np.newaxis], min_saving=0.0)


def cluster_by_linkage(encoding, values, shares, n_clusters, *, linkage, max_bytes):
    """Clusters of the objects when the :func:`merge_tree` of an encoding is cut into n_clusters; (n_samples,) intp."""
    tree = merge_tree(encoding, values, shares, linkage, max_bytes=max_bytes)
    return relabel(encoding.expand(cut(tree, n_clusters)))


def merge_tree(encoding, values, shares, linkage, *, max_bytes=None):
    """The :class:`Tree` of the rows of an encoding without identical rows.

    values : (n_slots,) non-negative, 0 in the slots of "not observed". Or a list with one (k_u, k_u) matrix per
        partition: its share times this is what it adds to the similarity of two rows, by their clusters.
    shares : (m,) non-negative.
    """
    n = len(encoding.codes)
    complete = len(encoding.missing_slots) == 0
    seen = np.empty((n, 0), dtype=np.uint8) if complete else encoding.observed.astype(np.uint8)
    rows = _Rows(encoding.codes, seen, _blocks(encoding.codes), _blocks(seen))
    tables = np.empty((0, 0))
    if isinstance(values, list):
        tables = np.zeros((len(encoding.sizes), encoding.n_codes.max()))
        for share, start, table in zip(shares, encoding.offsets, values, strict=True):
            tables[start : start + len(table), : len(table)] = share * table
        values = np.empty(0)
    terms = _Terms(encoding.offsets, values, tables, encoding.by_mask(shares))
    tree = empty_tree(n)
    if linkage == "single" and tables.size == 0:
        kernels.span(rows, terms, tree)
    else:
        half = _allocate_half(n, f"n_samples={encoding.n_samples} objects ({n} distinct)", linkage, max_bytes)
        rule = LINKAGES.index(linkage)
        sizes = encoding.multiplicity.copy() if rule == kernels.AVERAGE else np.ones(n)
        kernels.fill(rows, terms, sizes, half)
        kernels.agglomerate(half, sizes, rule, tree)
    if complete:
        tree.similarities[:] /= shares.sum()
    return sorted_tree(tree)


def merge_tree_of(matrix, linkage):
    """The :class:`Tree` of n points of weight one from their (n, n) similarities; O(n^2)."""
    n = len(matrix)
    tree = empty_tree(n)
    half = matrix[np.triu_indices(n, 1)].astype(np.float32)
    kernels.agglomerate(half, np.ones(n), LINKAGES.index(linkage), tree)
    return sorted_tree(tree)


def given_tree(given, linkage, *, max_bytes=None):
    """The :class:`Tree` of the objects by a :class:`~robust_eac.checks.coassociation.Coassociation`."""
    n, values = given.n_samples, given.values
    if linkage == "single" and sparse.issparse(values):
        return sorted_tree(_spanning_forest(values, given.unit))
    tree, half = empty_tree(n), _allocate_half(n, f"n_samples={n} objects", linkage, max_bytes)
    end = 0
    for i in range(n - 1):
        row = values[[i]].toarray()[0] if sparse.issparse(values) else values[i]
        start, end = end, end + n - 1 - i
        half[start:end] = row[i + 1 :]
    kernels.agglomerate(half, np.ones(n), LINKAGES.index(linkage), tree)
    tree.similarities[:] /= given.unit
    return sorted_tree(tree)


def _spanning_forest(values, unit):
    """Edges of largest similarity between objects; those of similarity 0 join the parts without any in common."""
    forest = minimum_spanning_tree(-values).tocoo()
    _, first = np.unique(connected_components(values, directed=False)[1], return_index=True)
    joints = np.full(len(first) - 1, first[0])
    left, right = np.append(forest.row, joints), np.append(forest.col, first[1:])
    similarities = np.append(-forest.data / unit, np.zeros(len(joints)))
    return Tree(left.astype(np.int64), right.astype(np.int64), similarities)


def cut(tree, n_clusters):
    """Cluster of every row after as many merges as leave n_clusters; one each if there are no more rows than that."""
    n = len(tree.left) + 1
    return components(tree, np.arange(n - 1) < n - n_clusters)


def components(tree, kept):
    """Cluster of every row: the connected components of the tree's edges that are kept."""
    left, right = tree.left[kept], tree.right[kept]
    n = len(tree.left) + 1
    graph = sparse.coo_array((np.ones(len(left)), (left, right)), shape=(n, n))
    return connected_components(graph, directed=False)[1]


def dendrogram(encoding, tree):
    """SciPy's linkage matrix (n_samples - 1, 4) of all objects. Identical objects merge first, at height 0."""
    rows = encoding.expand(np.arange(len(tree.left) + 1))
    first = np.unique(rows, return_index=True)[1]
    copies = np.setdiff1d(np.arange(encoding.n_samples), first)
    left = np.concatenate([first[rows[copies]], first[tree.left]])
    right = np.concatenate([copies, first[tree.right]])
    heights = np.concatenate([np.zeros(len(copies)), np.maximum(1.0 - tree.similarities, 0.0)])
    return linkage_matrix(left, right, heights)


def linkage_matrix(left, right, heights):
    """SciPy's linkage matrix (n - 1, 4) of n points. A merge is given by one point of each cluster; heights ascend."""
    merges = np.empty((len(left), 4))
    merges[:, 2] = heights
    kernels.number_clusters(left, right, merges)
    return merges


def votes_of(weights):
    """Positive weights as the smallest whole numbers in the same ratios; unchanged if one would exceed 1000."""
    for base in range(1, 1001):
        votes = weights * (base / weights.max())
        whole = np.rint(votes)
        if np.abs(votes - whole).max() < 1e-12 * base:
            return whole
    return weights


def empty_tree(n):
    """A :class:`Tree` of n rows for a kernel to fill."""
    return Tree(np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64), np.empty(n - 1))


def sorted_tree(tree):
    """The :class:`Tree` with its merges in order, most similar first."""
    order = np.argsort(-tree.similarities, kind="stable")
    return Tree(*(values[order] for values in tree))


def _allocate_half(d, objects, linkage, max_bytes):
    """Memory for all pairs of d rows. ValueError if it exceeds max_bytes or, with None, the machine's memory."""
    needed = 4 * (d * (d - 1) // 2)
    limit = physical_memory() if max_bytes is None else max_bytes
    if limit is not None and needed > limit:
        raise ValueError(
            f"labels: {linkage} linkage of {objects} needs "
            f"{needed / 2**30:.3g} GiB for the co-associations of all pairs; must be at most "
            f"{'the memory of this machine' if max_bytes is None else 'max_bytes'}, {limit / 2**30:.3g} GiB."
        )
    return np.empty(needed // 4, dtype=np.float32)


def _blocks(values):
    """(n, w) -> (n_blocks, w, width): the rows of each block as columns; zeros fill the last block."""
    n, w = values.shape
    width = min(_BLOCK, n)
    n_blocks = -(-n // width)
    padded = np.zeros((n_blocks * width, w), dtype=values.dtype)
    padded[:n] = values
    return np.ascontiguousarray(padded.reshape(n_blocks, width, w).transpose(0, 2, 1))
