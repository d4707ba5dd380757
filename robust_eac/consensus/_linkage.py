"""Hierarchical clustering of an ensemble's objects by their co-association, in half a matrix of single precision.

The similarity of the rows i and j is

    A_ij = sum_u value[slot of i in u] [i and j share that slot]  /  sum over the u that observe both of share_u,

and 0 where no partition observes both. Values that are the partition's share give the co-association; they may differ
between the clusters of a partition. Where all labels are observed, the denominator is left out until the end: sums of
whole numbers (votes) are then exact, and so are ties.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..checks.values import check_choice, check_integer
from ..core.encoding import collapse
from ._common import physical_memory

LINKAGES = ("single", "average", "complete")
_SINGLE, _AVERAGE, _COMPLETE = range(3)
# Rows are compared with blocks of this many others: codes and sums of a block stay in the cache.
_BLOCK = 256


class Tree(NamedTuple):
    """The merges of d rows, most similar first: d - 1 edges of a tree that spans them.

    left, right : (d - 1,) int64; one row from each of the two clusters that merge.
    similarities : (d - 1,) float64; at which they merge.
    """

    left: np.ndarray
    right: np.ndarray
    similarities: np.ndarray


def check_linkage(linkage, max_bytes):
    """Raise unless these are a linkage and a limit of memory."""
    check_choice(linkage, LINKAGES, name="linkage")
    if max_bytes is not None:
        check_integer(max_bytes, name="max_bytes", low=0)


def distinct_rows(encoding):
    """The encoding with all identical rows merged, except for objects that no partition observes."""
    alone = ~encoding.observed.any(axis=1)
    if not alone.any():
        return collapse(encoding, min_saving=0.0)
    # Such objects exist when the partitions that observed them were dropped; they are not even like each other.
    names = np.where(alone, np.arange(1.0, len(alone) + 1.0), 0.0)
    return collapse(encoding, names[:, np.newaxis], min_saving=0.0)


def merge_tree(encoding, values, shares, linkage, *, max_bytes=None):
    """The :class:`Tree` of the rows of an encoding without identical rows.

    values : (n_slots,) non-negative, 0 in the slots of "not observed"; or for every partition a (k_u, k_u) matrix of
        what two objects add by their clusters, of which such values are the diagonal.
    shares : (m,) non-negative.
    """
    n, m = encoding.codes.shape
    complete = len(encoding.missing_slots) == 0
    seen = np.empty((n, 0), dtype=np.uint8) if complete else encoding.observed.astype(np.uint8)
    mask_shares = np.bincount(encoding.mask_of, weights=shares, minlength=encoding.observed.shape[1])
    left, right = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64)
    similarities = np.empty(n - 1)
    width = min(_BLOCK, n)
    rows = (encoding.codes, seen, _blocks(encoding.codes, width), _blocks(seen, width))
    tables, starts = np.empty(0), np.zeros(m, dtype=np.int64)
    if isinstance(values, list):
        tables = np.concatenate([table.ravel() for table in values])
        starts = np.cumsum([0] + [table.size for table in values[:-1]])
        values = np.empty(0)
    if linkage == "single" and len(tables) == 0:
        _span(*rows, encoding.offsets, values, mask_shares, left, right, similarities)
    else:
        half = _allocate_half(encoding, linkage, max_bytes)
        rule = LINKAGES.index(linkage)
        sizes = encoding.multiplicity.copy() if rule == _AVERAGE else np.ones(n)
        _fill(*rows, encoding.offsets, values, mask_shares, tables, starts, encoding.n_codes, sizes, half)
        _agglomerate(half, sizes, rule, left, right, similarities)
    if complete:
        similarities /= shares.sum()
    return sorted_tree(left, right, similarities)


def merge_tree_of(matrix, linkage):
    """The :class:`Tree` of n points with the (n, n) similarities given, which count all the same; O(n^2)."""
    n = len(matrix)
    left, right = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64)
    similarities = np.empty(n - 1)
    half = matrix[np.triu_indices(n, 1)].astype(np.float32)
    _agglomerate(half, np.ones(n), LINKAGES.index(linkage), left, right, similarities)
    return sorted_tree(left, right, similarities)


def cut(tree, n_clusters):
    """Cluster of every row when the first merges have left n_clusters; every row on its own if there are fewer."""
    n = len(tree.left) + 1
    return components(tree, np.arange(n - 1) < n - n_clusters)


def components(tree, kept):
    """Cluster of every row when some of the tree's edges are kept."""
    left, right = tree.left[kept], tree.right[kept]
    n = len(tree.left) + 1
    graph = sparse.coo_array((np.ones(len(left)), (left, right)), shape=(n, n))
    return connected_components(graph, directed=False)[1]


def dendrogram(encoding, tree):
    """SciPy's linkage matrix (n_samples - 1, 4) over all objects: the identical ones merge first, at height 0."""
    rows = encoding.expand(np.arange(len(tree.left) + 1))
    first = np.unique(rows, return_index=True)[1]
    copies = np.setdiff1d(np.arange(encoding.n_samples), first)
    left = np.concatenate([first[rows[copies]], first[tree.left]])
    right = np.concatenate([copies, first[tree.right]])
    heights = np.concatenate([np.zeros(len(copies)), np.maximum(1.0 - tree.similarities, 0.0)])
    return linkage_matrix(left, right, heights)


def linkage_matrix(left, right, heights):
    """SciPy's linkage matrix (n - 1, 4) of n points: merges of the clusters of two points each, by ascending height."""
    merges = np.empty((len(left), 4))
    merges[:, 2] = heights
    _number_clusters(left, right, merges)
    return merges


def votes_of(weights):
    """Positive weights as the smallest whole numbers of the same ratios; as they are if those exceed 1000."""
    for base in range(1, 1001):
        votes = weights * (base / weights.max())
        whole = np.rint(votes)
        if np.abs(votes - whole).max() < 1e-12 * base:
            return whole
    return weights


def sorted_tree(left, right, similarities):
    """The :class:`Tree` of merges given in any order."""
    order = np.argsort(-similarities, kind="stable")
    return Tree(left[order], right[order], similarities[order])


def _allocate_half(encoding, linkage, max_bytes):
    """Room for the pairs of rows; ValueError when it exceeds max_bytes, or without that the machine's memory."""
    d = len(encoding.codes)
    needed = 4 * (d * (d - 1) // 2)
    limit = physical_memory() if max_bytes is None else max_bytes
    if limit is not None and needed > limit:
        raise ValueError(
            f"labels: {linkage} linkage of n_samples={encoding.n_samples} objects ({d} different ones) needs "
            f"{needed / 2**30:.3g} GiB for the co-associations of all pairs; must be at most "
            f"{'the memory of this machine' if max_bytes is None else 'max_bytes'}, {limit / 2**30:.3g} GiB."
        )
    return np.empty(needed // 4, dtype=np.float32)


def _blocks(values, width):
    """(n, w) -> (n_blocks, w, width): the rows of a block as columns, the last block padded."""
    n, w = values.shape
    n_blocks = -(-n // width)
    padded = np.zeros((n_blocks * width, w), dtype=values.dtype)
    padded[:n] = values
    return np.ascontiguousarray(padded.reshape(n_blocks, width, w).transpose(0, 2, 1))


@njit(cache=True, nogil=True)
def _compare(codes, seen, block, seen_block, offsets, values, mask_shares, tables, starts, widths, row, both):
    """Fill row with the similarities of one row to those of a block; O(m) each."""
    row[:] = 0.0
    for u in range(codes.shape[0]):
        code = codes[u]
        if len(tables) > 0:
            table = tables[starts[u] + code * widths[u] : starts[u] + (code + 1) * widths[u]]
            for j in range(len(row)):
                row[j] += table[block[u, j]]
        else:
            value = values[offsets[u] + code]
            if value > 0.0:
                for j in range(len(row)):
                    row[j] += value if block[u, j] == code else 0.0
    if seen.shape[0] > 0:
        both[:] = 0.0
        for g in range(seen.shape[0]):
            if seen[g]:
                share = mask_shares[g]
                for j in range(len(row)):
                    both[j] += share if seen_block[g, j] else 0.0
        for j in range(len(row)):
            row[j] = row[j] / both[j] if both[j] > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _first(n, i):
    """The pair (i, j), i < j, of n rows is at _first(n, i) + j, as SciPy orders pairs."""
    return n * i - i * (i + 1) // 2 - i - 1


@njit(cache=True, nogil=True)
def _fill(
    codes, seen, blocks, seen_blocks, offsets, values, mask_shares, tables, starts, widths, sizes, half
):  # fmt: skip
    """half[i, j] = similarity times the sizes of both rows; O(n^2 m)."""
    n, width = codes.shape[0], blocks.shape[2]
    row, both = np.empty(width), np.empty(width)
    for b in range(blocks.shape[0]):
        low, high = b * width, min(n, (b + 1) * width)
        for i in range(high - 1):
            _compare(
                codes[i], seen[i], blocks[b], seen_blocks[b], offsets, values, mask_shares, tables, starts, widths,
                row, both,
            )  # fmt: skip
            first = _first(n, i)
            for j in range(max(i + 1, low), high):
                half[first + j] = row[j - low] * sizes[i] * sizes[j]


@njit(cache=True, nogil=True)
def _span(codes, seen, blocks, seen_blocks, offsets, values, mask_shares, left, right, similarities):
    """Prim's algorithm for a spanning tree of largest similarities, computed when needed; O(n^2 m), blocks destroyed.

    The rows not yet in the tree stay packed at the front of the blocks: the last one fills the place of the one taken.
    """
    n, width = codes.shape[0], blocks.shape[2]
    row, both = np.empty(width), np.empty(width)
    names, nearest, best = np.arange(n), np.zeros(n, dtype=np.int64), np.full(n, -1.0)
    tables, none = np.empty(0), np.empty(0, dtype=np.int64)
    new, place = 0, 0
    for k in range(n - 1):
        last = n - 1 - k
        names[place], nearest[place], best[place] = names[last], nearest[last], best[last]
        blocks[place // width, :, place % width] = blocks[last // width, :, last % width]
        seen_blocks[place // width, :, place % width] = seen_blocks[last // width, :, last % width]
        top = -1.0
        for low in range(0, last, width):
            b = low // width
            _compare(
                codes[new], seen[new], blocks[b], seen_blocks[b], offsets, values, mask_shares, tables, none, none,
                row, both,
            )  # fmt: skip
            for j in range(low, min(last, low + width)):
                if row[j - low] > best[j]:
                    best[j], nearest[j] = row[j - low], new
                if best[j] > top:
                    top, place = best[j], j
        new = names[place]
        left[k], right[k], similarities[k] = nearest[place], new, top


@njit(cache=True, nogil=True)
def _agglomerate(half, sizes, rule, left, right, similarities):
    """All merges of the rows by nearest-neighbour chains in half the matrix; O(n^2), half and sizes destroyed.

    Dead clusters are dropped from memory each time a fifth has died: the loops get short and run over less memory.
    """
    n = len(sizes)
    names, n_done = np.arange(n), 0
    while n > 1:
        target = n * 4 // 5
        _follow_chains(
            half, sizes[:n], names, rule, left[n_done : n_done + n - target], right[n_done:], similarities[n_done:]
        )  # fmt: skip
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


@njit(cache=True, nogil=True)
def _follow_chains(half, sizes, names, rule, left, right, similarities):
    """As many merges as left has room for. A dead cluster has size 0.

    Average linkage keeps sums of similarities, which stay whole numbers if they were; the other two have sizes of 1.
    A neighbour is the nearer the larger sum / size is; sizes of infinity keep the dead, and those already in the chain,
    out of the search. The latter could only come up, and close the chain to a ring, by rounding.
    """
    n = len(sizes)
    firsts, divisors, nearness = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n)
    chain, length = np.empty(n, dtype=np.int64), 0
    for i in range(n):
        firsts[i] = _first(n, i)
        divisors[i] = sizes[i]
    for k in range(len(left)):
        while True:
            if length == 0:
                x = _first_finite(divisors)
                chain[0], divisors[x], length = x, np.inf, 1
            x = chain[length - 1]
            y = _nearest(half, firsts, divisors, x, nearness)
            if length > 1:
                before = chain[length - 2]
                similarity = half[firsts[min(x, before)] + max(x, before)] / sizes[before]
                if y == -1 or similarity >= nearness[y]:
                    break
            chain[length], divisors[y], length = y, np.inf, length + 1
        length -= 2
        a, b = min(x, before), max(x, before)
        left[k], right[k] = names[a], names[b]
        similarities[k] = half[firsts[a] + b] / (sizes[a] * sizes[b])
        _join(half, firsts, a, b, rule)
        if rule == _AVERAGE:
            sizes[a] += sizes[b]
        sizes[b] = 0.0
        divisors[a] = sizes[a]


@njit(cache=True, nogil=True)
def _nearest(half, firsts, divisors, x, nearness):
    """The nearest cluster of finite divisor, -1 if there is none; its nearness is in nearness; O(n)."""
    n = len(divisors)
    for i in range(x):
        nearness[i] = half[firsts[i] + x] / divisors[i]
    nearness[x] = 0.0
    behind, behind_divisors, behind_nearness = half[firsts[x] + x + 1 :], divisors[x + 1 :], nearness[x + 1 :]
    for i in range(n - x - 1):
        behind_nearness[i] = behind[i] / behind_divisors[i]
    # Floats that are not negative sort like their bits, and the largest of integers is found several at a time.
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


@njit(cache=True, nogil=True)
def _first_finite(divisors):
    for i in range(len(divisors)):
        if divisors[i] < np.inf:
            return i
    return -1


@njit(cache=True, nogil=True)
def _join(half, firsts, a, b, rule):
    """Cluster b joins a < b: the pairs of a take over those of b; O(n)."""
    n = len(firsts)
    for i in range(a):
        half[firsts[i] + a] = _combine(half[firsts[i] + a], half[firsts[i] + b], rule)
    for i in range(a + 1, b):
        half[firsts[a] + i] = _combine(half[firsts[a] + i], half[firsts[i] + b], rule)
    of_a, of_b = half[firsts[a] + b + 1 :], half[firsts[b] + b + 1 :]
    for i in range(n - b - 1):
        of_a[i] = _combine(of_a[i], of_b[i], rule)


@njit(cache=True, nogil=True)
def _combine(one, other, rule):
    if rule == _AVERAGE:
        return one + other
    return max(one, other) if rule == _SINGLE else min(one, other)


@njit(cache=True, nogil=True)
def _number_clusters(left, right, merges):
    """Columns 0, 1 and 3 of SciPy's linkage matrix: clusters n, n + 1, ... in the order of the merges, and sizes."""
    n = len(left) + 1
    parents, sizes = np.arange(2 * n - 1), np.ones(2 * n - 1)
    for k in range(n - 1):
        a, b = _root(parents, left[k]), _root(parents, right[k])
        parents[a] = parents[b] = n + k
        sizes[n + k] = sizes[a] + sizes[b]
        merges[k, 0], merges[k, 1], merges[k, 3] = min(a, b), max(a, b), sizes[n + k]


@njit(cache=True, nogil=True)
def _root(parents, i):
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i
