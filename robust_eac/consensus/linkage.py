"""Hierarchical clustering of rows by similarity, with half a matrix in single precision or a spanning tree.

The similarity of rows i and j of an ensemble is

    A_ij = sum_u value[slot of i in u] [i and j share that slot]  /  sum of share_u over the u that observe both,

and 0 if no partition observes both. With value = share this is the co-association; values may also differ between the
clusters of a partition. If no label is missing, the division comes last: sums of whole numbers (votes), and ties among
them, are then exact. Half a matrix holds the pairs (i, j), i < j, of n rows in SciPy's order.

Of equal similarities, the first in this order is taken. A tree visits the rows in random order, so that ties depend on
the seed, not on the order of the rows.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from ..core.codes import relabel
from ..core.compiling import njit
from ..core.encoding import collapse
from ._common import TIE, check_memory

# The position of a linkage is its number in the kernels.
LINKAGES = ("single", "average", "complete")
_SINGLE, _AVERAGE = 0, 1
# A row is compared with the others in blocks of this many rows, so that their codes and sums stay in the cache.
_BLOCK = 256
# In the tree of sums, a similarity exceeds another if it is larger by more than this factor, which allows for rounding.
_ABOVE = 1.0 + TIE


class Tree(NamedTuple):
    """The merges of d rows, most similar first: d - 1 edges of a spanning tree.

    left, right : (d - 1,) int64; a row from each of the two clusters that merge.
    similarities : (d - 1,) float64; the similarity at which they merge.
    """

    left: np.ndarray
    right: np.ndarray
    similarities: np.ndarray


class _Rows(NamedTuple):
    """The rows to compare, and the terms of their similarity.

    codes : (n, m) unsigned integers; cluster in each partition.
    seen : (n, n_masks) uint8; whether each mask observes the row. No columns if all labels are observed.
    blocks, seen_blocks : (n_blocks, m or n_masks, width) codes and seen, with the rows of a block as columns.
    offsets : (m,) int64; first slot of each partition.
    values : (n_slots,) term of two rows in the same slot. Not read if there are tables.
    tables : (n_slots, largest k_u) term of the cluster of a slot and each cluster of its partition; or no rows.
    mask_weights : (n_masks,) share of the partitions of each mask.
    """

    codes: np.ndarray
    seen: np.ndarray
    blocks: np.ndarray
    seen_blocks: np.ndarray
    offsets: np.ndarray
    values: np.ndarray
    tables: np.ndarray
    mask_weights: np.ndarray


def distinct_rows(encoding):
    """The encoding with identical rows merged, except those of objects that no partition observes."""
    # Objects can lose all labels when partitions of weight 0 are dropped. They are similar to no object.
    names = np.where(encoding.rows.observed.any(axis=1), 0.0, np.arange(1.0, encoding.n_samples + 1.0))
    return collapse(encoding, names[:, np.newaxis], min_saving=0.0)


def cluster_by_linkage(encoding, values, shares, n_clusters, linkage, rng):
    """(n_samples,) clusters of the objects: the :func:`merge_tree` of an encoding, cut into n_clusters."""
    tree = merge_tree(encoding, values, shares, linkage, rng)
    return relabel(encoding.expand(cut(tree, n_clusters)))


def merge_tree(encoding, values, shares, linkage, rng):
    """The :class:`Tree` of the rows of an encoding without identical rows.

    values : (n_slots,) non-negative, 0 in the slots of "not observed". Or a list with a (k_u, k_u) matrix of
        similarities of clusters per partition, which is multiplied by the share of the partition.
    shares : (m,) non-negative.
    """
    n, partitions = len(encoding.rows.codes), encoding.partitions
    order = rng.permutation(n)
    codes, multiplicity, observed = encoding.rows.take(order)
    complete = len(partitions.missing_slots) == 0
    seen = np.empty((n, 0), dtype=np.uint8) if complete else observed.astype(np.uint8)
    tables = np.empty((0, 0))
    if isinstance(values, list):
        tables = np.zeros((len(partitions.sizes), partitions.n_codes.max()))
        for share, start, table in zip(shares, partitions.offsets, values, strict=True):
            tables[start : start + len(table), : len(table)] = share * table
        values = np.empty(0)
    by_mask = partitions.by_mask(shares)
    rows = _Rows(codes, seen, _blocks(codes), _blocks(seen), partitions.offsets, values, tables, by_mask)
    tree = _empty_tree(n)
    if linkage == "single" and tables.size == 0:
        span(rows, tree)
    else:
        half = _allocate_half(n, f"n_samples={encoding.n_samples} objects ({n} distinct)", linkage)
        rule = LINKAGES.index(linkage)
        sizes = multiplicity if rule == _AVERAGE else np.ones(n)
        fill(rows, sizes, half)
        agglomerate(half, sizes, rule, tree)
    if complete:
        tree.similarities[:] /= shares.sum()
    return _sorted(tree, order)


def tree_of_matrix(values, linkage, rng, *, unit=1.0):
    """The :class:`Tree` of n objects from their (n, n) similarities in units of `unit`, dense or csr; O(n^2)."""
    n = values.shape[0]
    order = rng.permutation(n)
    if linkage == "single" and sparse.issparse(values):
        return _sorted(_spanning_forest(values[order][:, order], unit), order)
    tree, half = _empty_tree(n), _allocate_half(n, f"n_samples={n} objects", linkage)
    end = 0
    for i in range(n - 1):
        row = values[[order[i]]].toarray()[0] if sparse.issparse(values) else values[order[i]]
        start, end = end, end + n - 1 - i
        half[start:end] = row[order[i + 1 :]]
    agglomerate(half, np.ones(n), LINKAGES.index(linkage), tree)
    tree.similarities[:] /= unit
    return _sorted(tree, order)


def _spanning_forest(values, unit):
    """Spanning tree of largest similarities; edges of similarity 0 join the connected components."""
    forest = minimum_spanning_tree(-values).tocoo()
    _, first = np.unique(connected_components(values, directed=False)[1], return_index=True)
    joints = np.full(len(first) - 1, first[0])
    left, right = np.append(forest.row, joints), np.append(forest.col, first[1:])
    similarities = np.append(-forest.data / unit, np.zeros(len(joints)))
    return Tree(left.astype(np.int64), right.astype(np.int64), similarities)


def tree_of_sums(sums, pairs, power):
    """The :class:`Tree` of M groups of objects, from the (M, M) sums of m over their pairs and the pairs' weights.

    The similarity of groups A and B is m_AB / (m_AA m_BB)^power, with the means m of these pairs; 0 if no partition
    observes a pair. The two most similar groups merge, usually in O(M^2) altogether; of similarities that are equal up
    to rounding, the first. A merge that is more similar than the one before it has the similarity of that one in the
    tree.
    """
    n = len(sums)
    tree = _empty_tree(n)
    sums, pairs = (np.array(values, dtype=np.float64, order="C") for values in (sums, pairs))
    merge_sums(sums, pairs, power, np.ones(n), np.zeros(n, dtype=np.int64), np.empty(n), tree)
    np.minimum.accumulate(tree.similarities, out=tree.similarities)
    return tree


def cut(tree, n_clusters):
    """Cluster of every row when n_clusters are left; a cluster per row if there are no more rows than that."""
    n = len(tree.left) + 1
    return components(tree, np.arange(n - 1) < n - n_clusters)


def components(tree, kept):
    """Connected components of the kept edges of the tree: cluster of every row, numbered by first rows."""
    n = len(tree.left) + 1
    left, right = tree.left[kept], tree.right[kept]
    graph = sparse.coo_array((np.ones(len(left)), (left, right)), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.intp)


def dendrogram(rows, tree):
    """SciPy's linkage matrix (n_samples - 1, 4) of objects, given their rows. Identical ones merge first, at 0."""
    first = np.unique(rows, return_index=True)[1]
    copies = np.setdiff1d(np.arange(len(rows)), first)
    left = np.concatenate([first[rows[copies]], first[tree.left]])
    right = np.concatenate([copies, first[tree.right]])
    heights = np.concatenate([np.zeros(len(copies)), np.maximum(1.0 - tree.similarities, 0.0)])
    return linkage_matrix(left, right, heights)


def linkage_matrix(left, right, heights):
    """SciPy's linkage matrix (n - 1, 4) of n points from merges of the clusters of two points each, by height."""
    merges = np.empty((len(left), 4))
    merges[:, 2] = heights
    number_clusters(left, right, np.arange(2 * len(left) + 1), np.ones(2 * len(left) + 1), merges)
    return merges


def votes_of(weights):
    """Positive weights as the smallest whole numbers in the same ratios, unless one would exceed 1000."""
    for base in range(1, 1001):
        votes = weights * (base / weights.max())
        whole = np.rint(votes)
        if np.abs(votes - whole).max() < 1e-12 * base:
            return whole
    return weights


def _empty_tree(n):
    return Tree(np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64), np.empty(n - 1))


def _sorted(tree, rows):
    """The :class:`Tree` with its merges in order, most similar first, and these rows in place of 0, 1, ..."""
    merges = np.argsort(-tree.similarities, kind="stable")
    return Tree(rows[tree.left[merges]], rows[tree.right[merges]], tree.similarities[merges])


def _allocate_half(d, objects, linkage):
    """Memory for all pairs of d rows."""
    pairs = d * (d - 1) // 2
    check_memory(4 * pairs, f"{linkage} linkage of {objects}")
    return np.empty(pairs, dtype=np.float32)


def _blocks(values):
    """(n, w) -> (n_blocks, w, width): the rows of each block as columns; zeros fill the last block."""
    n, w = values.shape
    width = min(_BLOCK, n)
    n_blocks = -(-n // width)
    padded = np.zeros((n_blocks * width, w), dtype=values.dtype)
    padded[:n] = values
    return np.ascontiguousarray(padded.reshape(n_blocks, width, w).transpose(0, 2, 1))


@njit
def _compare(rows, i, b, row, both):
    """Fill row with the similarities of row i to those of block b; O(m) each."""
    codes, block = rows.codes[i], rows.blocks[b]
    row[:] = 0.0
    for u in range(codes.shape[0]):
        code, slot = codes[u], rows.offsets[u] + codes[u]
        if len(rows.tables) > 0:
            table = rows.tables[slot]
            for j in range(len(row)):
                row[j] += table[block[u, j]]
        else:
            value = rows.values[slot]
            if value > 0.0:
                for j in range(len(row)):
                    row[j] += value if block[u, j] == code else 0.0
    seen, seen_block = rows.seen[i], rows.seen_blocks[b]
    if seen.shape[0] > 0:
        both[:] = 0.0
        for g in range(seen.shape[0]):
            if seen[g]:
                share = rows.mask_weights[g]
                for j in range(len(row)):
                    both[j] += share if seen_block[g, j] else 0.0
        for j in range(len(row)):
            row[j] = row[j] / both[j] if both[j] > 0.0 else 0.0


@njit
def _first(n, i):
    """The pair (i, j), i < j, of n rows is at _first(n, i) + j, as SciPy orders pairs."""
    return n * i - i * (i + 1) // 2 - i - 1


@njit
def fill(rows, sizes, half):
    """half[i, j] = similarity times the sizes of both rows; O(n^2 m)."""
    n, width = rows.codes.shape[0], rows.blocks.shape[2]
    row, both = np.empty(width), np.empty(width)
    for b in range(rows.blocks.shape[0]):
        low, high = b * width, min(n, (b + 1) * width)
        for i in range(high - 1):
            _compare(rows, i, b, row, both)
            first = _first(n, i)
            for j in range(max(i + 1, low), high):
                half[first + j] = row[j - low] * sizes[i] * sizes[j]


@njit
def span(rows, tree):
    """Prim's algorithm for a spanning tree of largest similarities; O(n^2 m). It overwrites the blocks."""
    n, width = rows.codes.shape[0], rows.blocks.shape[2]
    row, both = np.empty(width), np.empty(width)
    names = np.arange(n)
    nearest, best = np.zeros(n, dtype=np.int64), np.full(n, -1.0)
    new, place = 0, 0
    for k in range(n - 1):
        last = n - 1 - k
        names[place] = names[last]
        nearest[place], best[place] = nearest[last], best[last]
        rows.blocks[place // width, :, place % width] = rows.blocks[last // width, :, last % width]
        rows.seen_blocks[place // width, :, place % width] = rows.seen_blocks[last // width, :, last % width]
        top = -1.0
        for low in range(0, last, width):
            _compare(rows, new, low // width, row, both)
            for j in range(low, min(last, low + width)):
                if row[j - low] > best[j]:
                    best[j], nearest[j] = row[j - low], new
                if best[j] > top:
                    top, place = best[j], j
        new = names[place]
        tree.left[k], tree.right[k] = nearest[place], new
        tree.similarities[k] = top


@njit
def merge_sums(sums, pairs, power, scale, nearest, best, tree):
    """Merge the most similar two of the groups until one is left. It overwrites the sums and pairs.

    scale : (n,) ones; becomes m_AA^-power of every group, and -1 once it has merged into another.
    nearest, best : (n,) the later group that is most similar, and its similarity; zeros as `nearest` make the first
        round find them for all groups.
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
                nearest[i], best[i] = _most_similar(sums, pairs, scale, i)
            elif i < a:
                similarity = _similarity(sums, pairs, scale, i, a)
                if similarity > _ABOVE * best[i]:
                    nearest[i], best[i] = a, similarity
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
def _similarity(sums, pairs, scale, i, j):
    """Similarity of two groups; 0 if no partition observes a pair."""
    return sums[i, j] / pairs[i, j] * scale[i] * scale[j] if pairs[i, j] > 0.0 else 0.0


@njit
def _most_similar(sums, pairs, scale, i):
    """(j, similarity) of the most similar of the groups j > i; (-1, -1) if there is none."""
    nearest, best = -1, -1.0
    for j in range(i + 1, len(scale)):
        if scale[j] > 0.0:
            similarity = _similarity(sums, pairs, scale, i, j)
            if similarity > _ABOVE * best:
                nearest, best = j, similarity
    return nearest, best


@njit
def agglomerate(half, sizes, rule, tree):
    """All merges of the rows by nearest-neighbour chains in half the matrix; O(n^2). It overwrites half and sizes."""
    n = len(sizes)
    names, n_done = np.arange(n), 0
    while n > 1:
        target = n * 4 // 5
        _follow_chains(half, sizes[:n], names, rule, tree, n_done, n_done + n - target)
        n_done += n - target
        t = 0
        alive = np.flatnonzero(sizes[:n] > 0.0)
        for p in range(target):
            i = alive[p]
            first = _first(n, i)
            for q in range(p + 1, target):
                half[t] = half[first + alive[q]]
                t += 1
            names[p], sizes[p] = names[i], sizes[i]
        n = target


@njit
def _follow_chains(half, sizes, names, rule, tree, start, stop):
    """Merges start, ..., stop - 1 of the tree. The size of a cluster that has merged into another is set to 0.

    Average linkage keeps sums of similarities; the other two have sizes of 1. A divisor of infinity excludes merged
    clusters and those in the chain, which rounding could otherwise close to a ring.
    """
    n = len(sizes)
    firsts = _first(n, np.arange(n))
    divisors, nearness = sizes.copy(), np.empty(n)
    chain, length = np.empty(n, dtype=np.int64), 0
    for k in range(start, stop):
        while True:
            if length == 0:
                x = _first_finite(divisors)
                chain[0], divisors[x] = x, np.inf
                length = 1
            x = chain[length - 1]
            y = _nearest(half, firsts, divisors, x, nearness)
            if length > 1:
                before = chain[length - 2]
                similarity = half[firsts[min(x, before)] + max(x, before)] / sizes[before]
                if y == -1 or similarity >= nearness[y]:
                    break
            chain[length], divisors[y] = y, np.inf
            length += 1
        length -= 2
        a, b = min(x, before), max(x, before)
        tree.left[k], tree.right[k] = names[a], names[b]
        tree.similarities[k] = half[firsts[a] + b] / (sizes[a] * sizes[b])
        _join(half, firsts, a, b, rule)
        if rule == _AVERAGE:
            sizes[a] += sizes[b]
        sizes[b] = 0.0
        divisors[a] = sizes[a]


@njit
def _nearest(half, firsts, divisors, x, nearness):
    """Fill nearness and return the nearest cluster of finite divisor, -1 if there is none; O(n)."""
    n = len(divisors)
    for i in range(x):
        nearness[i] = half[firsts[i] + x] / divisors[i]
    nearness[x] = 0.0
    behind = half[firsts[x] + x + 1 :]
    behind_divisors, behind_nearness = divisors[x + 1 :], nearness[x + 1 :]
    for i in range(n - x - 1):
        behind_nearness[i] = behind[i] / behind_divisors[i]
    # Non-negative floats have the order of their bits as integers, whose maximum vectorises.
    bits = nearness.view(np.int64)
    top = np.int64(0)
    for i in range(n):
        top = max(top, bits[i])
    if top == 0:
        return _first_finite(divisors)
    i = 0
    while bits[i] != top:
        i += 1
    return i


@njit
def _first_finite(divisors):
    for i in range(len(divisors)):
        if divisors[i] < np.inf:
            return i
    return -1


@njit
def _join(half, firsts, a, b, rule):
    """Merge cluster b into a < b; O(n)."""
    n = len(firsts)
    for i in range(a):
        half[firsts[i] + a] = _combine(half[firsts[i] + a], half[firsts[i] + b], rule)
    for i in range(a + 1, b):
        half[firsts[a] + i] = _combine(half[firsts[a] + i], half[firsts[i] + b], rule)
    of_a, of_b = half[firsts[a] + b + 1 :], half[firsts[b] + b + 1 :]
    for i in range(n - b - 1):
        of_a[i] = _combine(of_a[i], of_b[i], rule)


@njit
def _combine(one, other, rule):
    if rule == _AVERAGE:
        return one + other
    return max(one, other) if rule == _SINGLE else min(one, other)


@njit
def number_clusters(left, right, parents, sizes, merges):
    """Fill columns 0, 1 and 3 of SciPy's linkage matrix: the clusters that merge k joins into n + k, and its size.

    parents, sizes : (2 n - 1,) every cluster's own number, and ones.
    """
    n = len(left) + 1
    for k in range(n - 1):
        a, b = _root(parents, left[k]), _root(parents, right[k])
        parents[a] = parents[b] = n + k
        sizes[n + k] = sizes[a] + sizes[b]
        merges[k, 0], merges[k, 1] = min(a, b), max(a, b)
        merges[k, 3] = sizes[n + k]


@njit
def _root(parents, i):
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i
