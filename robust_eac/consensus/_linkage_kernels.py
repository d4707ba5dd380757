"""Compiled kernels of the linkages: similarities of rows, a spanning tree, merges in half a matrix, names of clusters.

Half a matrix holds the pairs (i, j), i < j, of n rows in SciPy's order.
"""

import numpy as np
from numba import njit

SINGLE, AVERAGE, COMPLETE = range(3)


@njit(cache=True, nogil=True)
def _compare(rows, terms, i, b, row, both):
    """Fill row with the similarities of row i to those of block b; O(m) each."""
    codes, block = rows.codes[i], rows.blocks[b]
    row[:] = 0.0
    for u in range(codes.shape[0]):
        code, slot = codes[u], terms.offsets[u] + codes[u]
        if len(terms.tables) > 0:
            table = terms.tables[slot]
            for j in range(len(row)):
                row[j] += table[block[u, j]]
        else:
            value = terms.values[slot]
            if value > 0.0:
                for j in range(len(row)):
                    row[j] += value if block[u, j] == code else 0.0
    seen, seen_block = rows.seen[i], rows.seen_blocks[b]
    if seen.shape[0] > 0:
        both[:] = 0.0
        for g in range(seen.shape[0]):
            if seen[g]:
                share = terms.mask_weights[g]
                for j in range(len(row)):
                    both[j] += share if seen_block[g, j] else 0.0
        for j in range(len(row)):
            row[j] = row[j] / both[j] if both[j] > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _first(n, i):
    """The pair (i, j), i < j, of n rows is at _first(n, i) + j, as SciPy orders pairs."""
    return n * i - i * (i + 1) // 2 - i - 1


@njit(cache=True, nogil=True)
def fill(rows, terms, sizes, half):
    """half[i, j] = similarity times the sizes of both rows; O(n^2 m)."""
    n, width = rows.codes.shape[0], rows.blocks.shape[2]
    row, both = np.empty(width), np.empty(width)
    for b in range(rows.blocks.shape[0]):
        low, high = b * width, min(n, (b + 1) * width)
        for i in range(high - 1):
            _compare(rows, terms, i, b, row, both)
            first = _first(n, i)
            for j in range(max(i + 1, low), high):
                half[first + j] = row[j - low] * sizes[i] * sizes[j]


@njit(cache=True, nogil=True)
def span(rows, terms, tree):
    """Prim's algorithm for a spanning tree of largest similarities; O(n^2 m). It overwrites the blocks.

    Similarities are computed when needed. Rows outside the tree stay at the front of the blocks: when a row joins the
    tree, the last one takes its place.
    """
    n, width = rows.codes.shape[0], rows.blocks.shape[2]
    row, both = np.empty(width), np.empty(width)
    names, nearest, best = np.arange(n), np.zeros(n, dtype=np.int64), np.full(n, -1.0)
    new, place = 0, 0
    for k in range(n - 1):
        last = n - 1 - k
        names[place], nearest[place], best[place] = names[last], nearest[last], best[last]
        rows.blocks[place // width, :, place % width] = rows.blocks[last // width, :, last % width]
        rows.seen_blocks[place // width, :, place % width] = rows.seen_blocks[last // width, :, last % width]
        top = -1.0
        for low in range(0, last, width):
            _compare(rows, terms, new, low // width, row, both)
            for j in range(low, min(last, low + width)):
                if row[j - low] > best[j]:
                    best[j], nearest[j] = row[j - low], new
                if best[j] > top:
                    top, place = best[j], j
        new = names[place]
        tree.left[k], tree.right[k], tree.similarities[k] = nearest[place], new, top


@njit(cache=True, nogil=True)
def agglomerate(half, sizes, rule, tree):
    """All merges of the rows by nearest-neighbour chains in half the matrix; O(n^2). It overwrites half and sizes.

    Clusters that have merged into others are dropped from memory whenever they are a fifth of all: this shortens the
    loops and the memory they run over.
    """
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


@njit(cache=True, nogil=True)
def _follow_chains(half, sizes, names, rule, tree, start, stop):
    """Merges start, ..., stop - 1 of the tree. The size of a cluster that has merged into another is set to 0.

    Average linkage keeps sums of similarities, so whole numbers stay whole; in the other two all sizes are 1. The
    nearest neighbour has the largest sum / size. A divisor of infinity excludes merged clusters and those already in
    the chain from the search: by rounding, the latter could otherwise close the chain to a ring.
    """
    n = len(sizes)
    firsts, divisors, nearness = _first(n, np.arange(n)), sizes.copy(), np.empty(n)
    chain, length = np.empty(n, dtype=np.int64), 0
    for k in range(start, stop):
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
        tree.left[k], tree.right[k] = names[a], names[b]
        tree.similarities[k] = half[firsts[a] + b] / (sizes[a] * sizes[b])
        _join(half, firsts, a, b, rule)
        if rule == AVERAGE:
            sizes[a] += sizes[b]
        sizes[b] = 0.0
        divisors[a] = sizes[a]


@njit(cache=True, nogil=True)
def _nearest(half, firsts, divisors, x, nearness):
    """The nearest cluster of finite divisor, -1 if there is none; fills nearness; O(n)."""
    n = len(divisors)
    for i in range(x):
        nearness[i] = half[firsts[i] + x] / divisors[i]
    nearness[x] = 0.0
    behind, behind_divisors, behind_nearness = half[firsts[x] + x + 1 :], divisors[x + 1 :], nearness[x + 1 :]
    for i in range(n - x - 1):
        behind_nearness[i] = behind[i] / behind_divisors[i]
    # Non-negative floats sort like their bits as integers, and the maximum of integers vectorises.
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
    """Merge cluster b into a < b; O(n)."""
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
    if rule == AVERAGE:
        return one + other
    return max(one, other) if rule == SINGLE else min(one, other)


@njit(cache=True, nogil=True)
def number_clusters(left, right, merges):
    """Fill columns 0, 1 and 3 of SciPy's linkage matrix: the clusters that merge, and the size. Merge k makes n + k."""
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
