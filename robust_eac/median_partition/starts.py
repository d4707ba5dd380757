"""Starts: the rows to solve for, initial memberships, quarters of many rows."""

import numpy as np

from .. import validation as check
from ..core.formula import cluster_counts
from ..core.kernels import njit
from ..ensemble.encoding import merge_rows, take_rows, weigh
from ..ensemble.lloyd import best_lloyd, squared_distances

# With more clusters than this, a random start assigns the rows greedily, since many clusters never separate from random
# memberships.
_FEW = 32
# Share of the uniform membership mixed into a hard k-means start, so that no membership is zero.
_SMOOTHING = 0.1
# A start need not converge.
_KMEANS_PASSES = 300
# Starts begin on a quarter of the rows if every partition can be expected to observe at least this many of them: in
# all, per cluster, and per base cluster of the partition with most.
_QUARTER = 200
_PER_CLUSTER = 32
_PER_BASE_CLUSTER = 4


def reduce_rows(encoding, memberships):
    """The encoding to solve for, without objects of weight zero, and given memberships, or None, on its rows."""
    # Identical objects share a row if that pays, unless given memberships differ.
    weighty = np.flatnonzero(encoding.rows.multiplicity)
    if len(weighty) < encoding.n_rows:
        encoding = take_rows(encoding, weighty)
        memberships = None if memberships is None else memberships[weighty]
    return merge_rows(encoding, memberships)


def initial_rows(encoding, n_clusters, name, rng):
    """Initial membership of the encoding's rows, by the name of a start."""
    if name == "random" and n_clusters <= _FEW:
        # Normalised gamma variables are Dirichlet(1/k). The uniform membership is a saddle point. With many clusters,
        # larger parameters would start rows so close to it that their gap is below any tolerance.
        rows = rng.standard_gamma(1.0 / n_clusters, (encoding.n_rows, n_clusters))
        rows /= rows.sum(axis=1, keepdims=True)
        return rows
    if name == "random":
        return np.eye(n_clusters)[allocate(encoding, n_clusters, rng)]
    smallest = _SMOOTHING / n_clusters
    weights = check.weights(None, encoding.partitions.n_partitions)
    found = best_lloyd(encoding, weights, squared_distances, n_clusters, n_init=1, max_iter=_KMEANS_PASSES, rng=rng)
    return (1.0 - n_clusters * smallest) * np.eye(n_clusters)[found.clusters] + smallest


def allocate(encoding, n_clusters, rng):
    """(n_rows,) clusters: each row, in random order, joins the cluster of least cost so far, under equal weights."""
    rows = encoding.rows
    partitions = encoding.partitions
    coef = check.weights(None, partitions.n_partitions) * partitions.scale
    mask_coef = partitions.by_mask(coef)
    slot_coef = partitions.by_slot(coef)
    clusters = np.zeros(encoding.n_rows, dtype=np.intp)
    n_rows = cluster_counts(encoding.with_rows(multiplicity=np.ones(len(clusters))), clusters, 1)[:, 0]
    capacity = np.minimum(n_rows.astype(np.int64), n_clusters)
    start = np.cumsum(capacity) - capacity
    order = rng.permutation(len(clusters))
    _allocate(order, rows, partitions.slots, slot_coef, mask_coef, start, clusters, n_clusters)
    return clusters


@njit
def _allocate(order, data, slots, slot_coef, mask_coef, start, clusters, k):
    """Assign each row, in this order, to the cheapest cluster that shares a base cluster with it, or to a new one."""
    # If none shares one and all k are in use, row i joins cluster i % k, whatever that costs. The clusters that share
    # objects with a slot are listed from `start[slot]` on.
    codes = data.codes
    observed = data.observed
    multiplicity = data.multiplicity
    offsets = slots.offsets
    n_masks = observed.shape[1]
    n_hard = codes.shape[1]
    n_used = 0
    n_entries = start[-1] + k
    columns = np.empty(n_entries, np.int32)
    values = np.empty(n_entries)
    length = np.zeros(len(start), np.int32)
    sizes = np.zeros((n_masks, k))
    place = np.full(k, -1, dtype=np.int32)
    near = np.empty(k, dtype=np.int32)
    gain = np.empty(k)
    for i in order:
        n = 0
        for u in range(n_hard):
            slot = offsets[u] + codes[i, u]
            factor = slot_coef[slot]
            if factor != 0.0:
                for t in range(start[slot], start[slot] + length[slot]):
                    c = columns[t]
                    j = place[c]
                    if j < 0:
                        j = place[c] = n
                        near[n], gain[n] = c, 0.0
                        n += 1
                    gain[j] += factor * values[t]
        best = -1
        least = 0.0 if n_used < k else np.inf
        for j in range(n):
            cost = -2.0 * gain[j]
            for g in range(n_masks):
                if observed[i, g]:
                    cost += mask_coef[g] * sizes[g, near[j]]
            if cost < least:
                best = near[j]
                least = cost
            place[near[j]] = -1
        if best < 0:
            best = n_used if n_used < k else i % k
            n_used += n_used < k
        clusters[i] = best
        for g in range(n_masks):
            if observed[i, g]:
                sizes[g, best] += multiplicity[i]
        for u in range(n_hard):
            slot = offsets[u] + codes[i, u]
            if slot_coef[slot] != 0.0:
                t = start[slot]
                end = start[slot] + length[slot]
                while t < end and columns[t] != best:
                    t += 1
                if t == end:
                    columns[t], values[t] = best, 0.0
                    length[slot] += 1
                values[t] += multiplicity[i]


def draw_quarter(encoding, n_clusters, rng):
    """A quarter of the rows, drawn with replacement and of the same total weight; None if that is too small."""
    partitions = encoding.partitions
    size = encoding.n_rows // 4
    least = max(_QUARTER, _PER_CLUSTER * n_clusters, _PER_BASE_CLUSTER * partitions.n_codes.max())
    if size * partitions.n_observed.min() < least * partitions.total:
        return None
    rows, counts = draw_rows(encoding, size, rng)
    quarter = weigh(take_rows(encoding, rows), counts * (partitions.total / size))
    return quarter if quarter.partitions.n_observed.all() else None


def draw_rows(encoding, size, rng):
    """(rows, number of draws of each), drawn with replacement in proportion to the rows' weights."""
    ends = np.cumsum(encoding.rows.multiplicity)
    drawn = np.minimum(np.searchsorted(ends, rng.uniform(high=ends[-1], size=size), side="right"), len(ends) - 1)
    return np.unique(drawn, return_counts=True)
