"""Hierarchical clustering of rows by similarity: SciPy's single linkage, chains for average and complete linkage.

The similarity of rows i and j of an ensemble is 0 if no partition observes both, and otherwise

    A_ij = sum_u share_u value[slot of i in u] [i and j share that slot]  /  sum of share_u, u observes both,

the co-association if values are 1. If no label is missing, the division comes last: with equal shares the sums are
whole numbers, and ties exact. SciPy cannot weight a row by its number of objects in average linkage, and would copy the
distances in complete linkage. Rows come in random order: ties depend on the seed, not on the order of the objects.
"""

import numpy as np
from scipy.cluster import hierarchy

from .. import validation as check
from ..core.kernels import njit
from ..ensemble.encoding import collapse, relabel
from ._common import check_memory, prepare
from .agglomeration import Tree, cut, linkage_matrix

LINKAGES = ("single", "average", "complete")


def distinct_rows(encoding):
    """The encoding with identical rows merged, except those of objects that no partition observes."""
    # Objects can lose all labels when partitions of weight 0 are dropped. They are similar to no object.
    names = np.where(encoding.rows.observed.any(axis=1), 0.0, np.arange(1.0, encoding.n_samples + 1.0))
    return collapse(encoding, names[:, np.newaxis], min_saving=0.0)


def cluster_by_linkage(labels, n_clusters, weights, linkage, random_state, values_of=None):
    """(n_samples,) clusters of the objects of an ensemble: the :func:`merge_tree`, cut into n_clusters."""
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    rows, tree = merge_tree(encoding, weights, linkage, random_state, values_of)
    return relabel(rows.expand(cut(tree, n_clusters)))


def merge_tree(encoding, weights, linkage, random_state, values_of=None):
    """(encoding with identical rows merged, :class:`Tree` of its rows, most similar first).

    weights : (m,) shares of the partitions, positive. values_of(encoding, weights) : the values, (n_slots,) in [0, 1],
        or a matrix (n_slots, n_slots) of similarities of clusters; None for values of 1.
    """
    check.choice(linkage, LINKAGES, name="linkage")
    rng = check.random_state(random_state)
    # Equal shares become ones.
    shares = weights / weights.max()
    terms = encoding.partitions.by_slot(shares)[:, np.newaxis]
    if values_of is not None:
        terms = terms * values_of(encoding, weights).reshape(len(terms), -1)
    encoding = distinct_rows(encoding)
    n = encoding.n_rows
    partitions = encoding.partitions
    n_pairs = n * (n - 1) // 2
    objects = f"n_samples={encoding.n_samples} objects ({n} distinct)"
    check_memory(8 * n_pairs, f"{linkage} linkage of {objects}, with {n_pairs} distances,")
    order = rng.permutation(n)
    codes, sizes, observed = encoding.rows.take(order)
    complete = len(partitions.missing_slots) == 0
    by_mask = partitions.by_mask(shares)
    seen = np.ascontiguousarray(observed.T)
    if complete:
        seen = seen[:0]
    sizes = sizes.astype(np.float64) if linkage == "average" else np.ones(n)
    distances = np.empty(n_pairs)
    fill(np.ascontiguousarray(codes.T), partitions.offsets, terms, seen, by_mask, sizes, distances)
    # SciPy takes no single row.
    if linkage != "single" or n == 1:
        pairs = np.empty((n - 1, 2), dtype=np.int64)
        heights = np.empty(n - 1)
        follow_chains(distances, sizes, linkage == "complete", pairs, heights)
        merges = np.argsort(heights, kind="stable")
        pairs = pairs[merges]
        heights = heights[merges]
    else:
        merges = hierarchy.linkage(distances, linkage)
        pairs = _rows_of(merges[:, :2].astype(np.int64))
        heights = merges[:, 2]
    if complete:
        heights = heights / by_mask.sum()
    return encoding, Tree(*order[pairs.T], 1.0 - heights)


def dendrogram(rows, tree):
    """SciPy's linkage matrix (n_samples - 1, 4) of objects, given their rows. Identical ones merge first, at 0."""
    first = np.unique(rows, return_index=True)[1]
    copies = np.setdiff1d(np.arange(len(rows)), first)
    left = np.concatenate([first[rows[copies]], first[tree.left]])
    right = np.concatenate([copies, first[tree.right]])
    heights = np.concatenate([np.zeros(len(copies)), np.maximum(1.0 - tree.similarities, 0.0)])
    return linkage_matrix(left, right, heights)


def _rows_of(merges):
    """(n - 1, 2) a row from each of the two clusters that merge, from their numbers in SciPy's linkage matrix."""
    rows = np.arange(2 * len(merges) + 1)
    for k, pair in enumerate(merges):
        rows[len(merges) + 1 + k] = rows[pair[0]]
    return rows[merges]


@njit
def fill(codes, offsets, terms, seen, mask_weights, sizes, distances):
    """Distances of n rows in SciPy's order, times the sizes of both rows; O(n^2 m).

    codes : (m, n) cluster in each partition. offsets : (m,) first slot of each partition.
    terms : (n_slots, 1) term of two rows in the same slot, or (n_slots, n_slots) of a row in each of two slots.
    seen : (n_masks, n) whether each mask observes the row; no rows if no label is missing: distances are in units of
        all shares.
    mask_weights : (n_masks,) share of the partitions of each mask.
    """
    m, n = codes.shape
    sums = np.empty(n)
    observed = np.ones(n)
    most = 1.0 if len(seen) > 0 else mask_weights.sum()
    for i in range(n - 1):
        row = sums[i + 1 :]
        both = observed[i + 1 :]
        row[:] = 0.0
        for u in range(m):
            cluster = codes[u, i]
            others = codes[u, i + 1 :]
            slot = offsets[u] + codes[u, i]
            if terms.shape[1] > 1:
                of_slot = terms[slot, offsets[u] :]
                for j in range(len(row)):
                    row[j] += of_slot[others[j]]
            else:
                value = terms[slot, 0]
                for j in range(len(row)):
                    row[j] += value if others[j] == cluster else 0.0
        if len(seen) > 0:
            both[:] = 0.0
        for g in range(len(seen)):
            if seen[g, i]:
                weight = mask_weights[g]
                others = seen[g, i + 1 :]
                for j in range(len(row)):
                    both[j] += weight if others[j] else 0.0
        first = _position(n, i, i + 1)
        for j in range(len(row)):
            similarity = row[j] / both[j] if both[j] > 0.0 else 0.0
            distances[first + j] = (most - similarity) * sizes[i] * sizes[i + 1 + j]


@njit
def follow_chains(distances, sizes, complete, pairs, heights):
    """All merges of n rows by nearest-neighbour chains; O(n^2). It overwrites the distances and sizes.

    distances : sums over pairs for average linkage. sizes : (n,) ones for complete linkage.
    pairs, heights : (n - 1, 2) a row from each of the two clusters that merge, (n - 1,) at which distance.
    """
    n = len(sizes)
    clusters = np.arange(n)
    chain = np.empty(n, dtype=np.int64)
    length = 0
    for k in range(n - 1):
        if length == 0:
            chain[0], length = clusters[0], 1
        while True:
            x = chain[length - 1]
            before = chain[length - 2] if length > 1 else -1
            nearest = before
            lowest = np.inf
            if before >= 0:
                lowest = distances[_position(n, x, before)] / (sizes[x] * sizes[before])
            for i in clusters:
                if i != x:
                    mean = distances[_position(n, i, x)] / (sizes[x] * sizes[i])
                    if mean < lowest:
                        nearest = i
                        lowest = mean
            if nearest == before:
                break
            chain[length] = nearest
            length += 1
        length -= 2
        kept = min(x, before)
        gone = max(x, before)
        pairs[k, 0], pairs[k, 1], heights[k] = kept, gone, lowest
        clusters = clusters[clusters != gone]
        for i in clusters:
            if i != kept:
                place = _position(n, i, kept)
                distance = distances[place]
                other = distances[_position(n, i, gone)]
                distances[place] = max(distance, other) if complete else distance + other
        if not complete:
            sizes[kept] += sizes[gone]


@njit
def _position(n, i, j):
    """Where SciPy keeps the distance of rows i and j of n."""
    low = min(i, j)
    return n * low - low * (low + 1) // 2 - low - 1 + max(i, j)
