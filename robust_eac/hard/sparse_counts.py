"""Contingency tables with many clusters as sparse rows, and kernels that move rows by them under "binder" and "vi".

Both losses are linear in sums of a convex psi with psi(0) = 0. Where no object of a cluster shares a base cluster with
a row, its counts cost the row what those of an empty cluster do, and its sizes cost less the smaller they are. So a
visit looks at the clusters that share a base cluster with the row, at its own, and at an empty one. If none is empty,
it looks at all others, unless even the smallest sizes cost too much. Costs of counts are less those of an empty one.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from .contingency import power, rise

# numba's disk cache notices changes of this file, not of what it calls in contingency.py. A test asks for the checksum
# of that here, so that this file changes too.
CALLED = 0xD41DB042


class SparseArrays(NamedTuple):
    """As :class:`~robust_eac.hard.contingency.DenseArrays`, without the differences.

    start, length : (n_slots,) the row of a slot is columns[start : start + length] with counts n_lc. There is space for
        all clusters that its objects can be in, and one more.
    columns, counts, hits : clusters, counts, and of how many rows a count is the sum: without any it is removed.
    sizes : (k, n_masks) N_c. floor : (n_masks,) no size is below it.
    held : (k,) rows with weight. first_empty : (1,) no cluster before this one is empty.
    a, b : (n_masks,) and (m,) sums of psi.
    """

    start: np.ndarray
    length: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    hits: np.ndarray
    sizes: np.ndarray
    floor: np.ndarray
    held: np.ndarray
    first_empty: np.ndarray
    a: np.ndarray
    b: np.ndarray


class Candidates(NamedTuple):
    """The clusters that a visit looks at, under local numbers; all (k,).

    number : local number of a cluster, -1 where it has none. cluster : cluster of a local number. cost : its cost.
    """

    number: np.ndarray
    cluster: np.ndarray
    cost: np.ndarray


def sparse_arrays(encoding, terms, clusters, k):
    """The :class:`SparseArrays` of the clusters of an encoding's rows; those in cluster -1 are left out."""
    n_slots, n_masks = len(encoding.partitions.sizes), encoding.rows.observed.shape[1]
    members = np.zeros(n_slots, dtype=np.int64)
    count_members(terms, members)
    space = np.minimum(members, k) + 1
    n_entries = int(space.sum())
    arrays = SparseArrays(
        start=np.cumsum(space) - space,
        length=np.zeros(n_slots, dtype=np.int32),
        columns=np.empty(n_entries, dtype=np.int32),
        counts=np.empty(n_entries),
        hits=np.empty(n_entries, dtype=np.int32),
        sizes=np.zeros((k, n_masks)),
        floor=np.zeros(n_masks),
        held=np.zeros(k, dtype=np.int64),
        first_empty=np.zeros(1, dtype=np.int64),
        a=np.empty(n_masks),
        b=np.empty(len(encoding.partitions.offsets)),
    )
    of_slots, of_sizes = np.zeros(n_slots), np.empty((n_masks, k))
    tabulate(terms, clusters, arrays, of_slots, of_sizes)
    # Summed as the partitions' own sums are, which perfect agreement equals.
    arrays.b[:] = np.add.reduceat(terms.slot_weights * of_slots, encoding.partitions.offsets)
    arrays.a[:] = of_sizes.sum(axis=1)
    return arrays


@njit(cache=True, nogil=True)
def count_members(terms, members):
    """Add to members (n_slots,) the rows with weight that have a part in each slot."""
    codes, soft, observed, multiplicity = terms.codes, terms.soft, terms.observed, terms.multiplicity
    offsets, soft_slots, parts, mask_of = terms.offsets, terms.soft_slots, terms.parts, terms.mask_of
    for i in range(codes.shape[0]):
        if multiplicity[i] > 0.0:
            for u in range(codes.shape[1]):
                slot = offsets[u] + codes[i, u]
                members[slot] += observed[i, mask_of[parts[slot]]]
            for s in range(soft.shape[1]):
                members[soft_slots[s]] += soft[i, s] != 0.0


@njit(cache=True, nogil=True)
def tabulate(terms, clusters, tables, of_slots, of_sizes):
    """Fill tables from the clusters of the rows, and the psi of all sizes and the sums of those of the counts."""
    codes, soft, observed, multiplicity = terms.codes, terms.soft, terms.observed, terms.multiplicity
    offsets, soft_slots, parts, mask_of = terms.offsets, terms.soft_slots, terms.parts, terms.mask_of
    powers, position = terms.powers, np.full(tables.held.shape[0], -1)
    start, length, columns, counts, hits = tables.start, tables.length, tables.columns, tables.counts, tables.hits
    sizes, held, n_slots, k = tables.sizes, tables.held, tables.length.shape[0], tables.held.shape[0]
    rows = np.flatnonzero((clusters >= 0) & (multiplicity > 0.0))
    order, slot_of, ends = np.empty_like(rows), np.empty_like(rows), np.zeros(n_slots + 1, dtype=np.int64)
    for u in range(codes.shape[1] + soft.shape[1]):
        hard = u < codes.shape[1]
        first = offsets[u] if hard else soft_slots[u - codes.shape[1]]
        after = first + 1
        while hard and after < n_slots and parts[after] == parts[first]:
            after += 1
        # The rows by slot.
        ends[first : after + 1] = 0
        for e, i in enumerate(rows):
            slot = first + codes[i, u] if hard else first
            there = observed[i, mask_of[parts[first]]] if hard else soft[i, u - codes.shape[1]] != 0.0
            slot_of[e] = slot if there else -1
            if there:
                ends[slot] += 1
        total = 0
        for slot in range(first, after):
            ends[slot], total = total, total + ends[slot]
        for e, i in enumerate(rows):
            if slot_of[e] >= 0:
                order[ends[slot_of[e]]] = i
                ends[slot_of[e]] += 1
        begin = 0
        for slot in range(first, after):
            end = start[slot]
            for e in range(begin, ends[slot]):
                i = order[e]
                c = clusters[i]
                at = position[c]
                if at < 0:
                    at = position[c] = end
                    columns[at], counts[at], hits[at] = c, 0.0, 0
                    end += 1
                counts[at] += multiplicity[i] if hard else multiplicity[i] * soft[i, u - codes.shape[1]]
                hits[at] += 1
            begin = ends[slot]
            length[slot] = end - start[slot]
            for at in range(start[slot], end):
                of_slots[slot] += power(counts[at], powers)
                position[columns[at]] = -1
    for i in rows:
        held[clusters[i]] += 1
        for g in range(sizes.shape[1]):
            if observed[i, g]:
                sizes[clusters[i], g] += multiplicity[i]
    tables.floor[:] = np.inf
    for c in range(k):
        for g in range(sizes.shape[1]):
            tables.floor[g] = min(tables.floor[g], sizes[c, g])
            of_sizes[g, c] = power(sizes[c, g], powers)


@njit(cache=True, nogil=True)
def add_slot(slot, factor, w, inside, powers, tables, candidates, n):
    """Add what a slot says of its clusters, noting those that are new; returns how many candidates there are."""
    start, length, columns, counts = tables.start, tables.length, tables.columns, tables.counts
    number, cluster, cost, alone = candidates.number, candidates.cluster, candidates.cost, power(w, powers)
    for t in range(start[slot], start[slot] + length[slot]):
        c, x = columns[t], counts[t]
        j = number[c]
        if j < 0:
            j = number[c] = n
            cluster[n], cost[n] = c, 0.0
            n += 1
        cost[j] += factor * ((-rise(x, -w, powers) if c == inside else rise(x, w, powers)) - alone)
    return n


@njit(cache=True, nogil=True)
def cost_near(i, w, own, inside, terms, tables, candidates):
    """Fill costs in the own cluster, if there is one, and in all that share a slot; returns how many these are."""
    codes, soft, observed = terms.codes, terms.soft, terms.observed
    offsets, soft_slots, slot_coef, mask_coef = terms.offsets, terms.soft_slots, terms.slot_coef, terms.mask_coef
    powers, sizes, cluster, cost, n = terms.powers, tables.sizes, candidates.cluster, candidates.cost, 0
    if own >= 0:
        candidates.number[own], cluster[0], cost[0], n = 0, own, 0.0, 1
    for u in range(codes.shape[1]):
        slot = offsets[u] + codes[i, u]
        n = add_slot(slot, slot_coef[slot], w, inside, powers, tables, candidates, n)
    for s in range(soft.shape[1]):
        if soft[i, s] != 0.0:
            n = add_slot(soft_slots[s], slot_coef[soft_slots[s]], w * soft[i, s], inside, powers, tables, candidates, n)
    for j in range(n):
        c = cluster[j]
        for g in range(observed.shape[1]):
            if observed[i, g]:
                x = sizes[c, g]
                cost[j] += mask_coef[g] * (-rise(x, -w, powers) if c == inside else rise(x, w, powers))
    return n


@njit(cache=True, nogil=True)
def cost_elsewhere(i, w, n, least, terms, tables, number):
    """(cheapest cluster that is no candidate, its cost); -1 and a bound if that is certainly not below `least`."""
    observed, mask_coef, powers = terms.observed, terms.mask_coef, terms.powers
    sizes, floor, held, bound, fresh = tables.sizes, tables.floor, tables.held, 0.0, tables.first_empty[0]
    k, n_masks = sizes.shape
    while fresh < k and held[fresh] > 0:
        fresh += 1
    tables.first_empty[0] = fresh
    # The own cluster of a row without weight can be empty.
    while fresh < k and (held[fresh] > 0 or number[fresh] >= 0):
        fresh += 1
    for g in range(n_masks):
        if observed[i, g]:
            bound += mask_coef[g] * rise(0.0 if fresh < k else floor[g], w, powers)
    if fresh < k:
        return fresh, bound
    if n == k:
        return -1, np.inf
    if bound >= least:
        return -1, bound
    best, bound = -1, np.inf
    floor[:] = np.inf
    for c in range(k):
        cost = 0.0
        for g in range(n_masks):
            floor[g] = min(floor[g], sizes[c, g])
            if observed[i, g] and cost < bound:
                cost += mask_coef[g] * rise(sizes[c, g], w, powers)
        if cost < bound and number[c] < 0:
            best, bound = c, cost
    return best, bound


@njit(cache=True, nogil=True)
def lowest(n, skipped, candidates):
    """(candidate of least cost but one, its cost), the first one of equal cost."""
    cluster, cost, best, least = candidates.cluster, candidates.cost, -1, np.inf
    for j in range(n):
        c = cluster[j]
        if c != skipped and (cost[j] < least or (cost[j] == least and c < best)):
            best, least = c, cost[j]
    return best, least


@njit(cache=True, nogil=True)
def compare(i, w, own, inside, skipped, terms, tables, candidates):
    """(number of candidates, cheapest cluster but one, its cost, least cost of what is no candidate) of a row."""
    n = cost_near(i, w, own, inside, terms, tables, candidates)
    best, least = lowest(n, skipped, candidates)
    other, bound = cost_elsewhere(i, w, n, least, terms, tables, candidates.number)
    if other >= 0 and (bound < least or (bound == least and other < best)):
        best, least = other, bound
    for j in range(n):
        candidates.number[candidates.cluster[j]] = -1
    return n, best, least, bound


@njit(cache=True, nogil=True)
def change(x, step, coef, unit, powers):
    """By how much the cost of a row of unit weight can change where x becomes x + step."""
    rises = rise(x + step, unit, powers) - rise(x, unit, powers)
    falls = rise(x + step, -unit, powers) - rise(x, -unit, powers)
    return abs(coef) * max(abs(rises), abs(falls))


@njit(cache=True, nogil=True)
def shift(slot, cluster, step, coef, unit, powers, tables):
    """Add to a count of a row with a part in the slot, or take from it; returns (rise of the sum, change of costs)."""
    columns, counts, hits, first = tables.columns, tables.counts, tables.hits, tables.start[slot]
    end = first + tables.length[slot]
    t = first
    while t < end and columns[t] != cluster:
        t += 1
    if t == end:
        columns[t], counts[t], hits[t] = cluster, 0.0, 0
        tables.length[slot] += 1
        end += 1
    x = counts[t]
    counts[t] = x + step
    hits[t] += 1 if step > 0.0 else -1
    if hits[t] == 0:
        end -= 1
        columns[t], counts[t], hits[t] = columns[end], counts[end], hits[end]
        tables.length[slot] -= 1
    return rise(x, step, powers), change(x, step, coef, unit, powers)


@njit(cache=True, nogil=True)
def add_to(i, step, terms, tables, cluster):
    """Add `step` objects like row i, all or none of its own, to a cluster; returns by how much costs can change."""
    codes, soft, observed, offsets = terms.codes, terms.soft, terms.observed, terms.offsets
    parts, mask_of, slot_weights, soft_slots = terms.parts, terms.mask_of, terms.slot_weights, terms.soft_slots
    slot_coef, mask_coef, unit, powers = terms.slot_coef, terms.mask_coef, terms.unit, terms.powers
    sizes, floor, held, a, b, drift = tables.sizes, tables.floor, tables.held, tables.a, tables.b, 0.0
    for u in range(codes.shape[1] + soft.shape[1]):
        hard = u < codes.shape[1]
        slot = offsets[u] + codes[i, u] if hard else soft_slots[u - codes.shape[1]]
        share = step if hard else step * soft[i, u - codes.shape[1]]
        if share != 0.0 and (not hard or observed[i, mask_of[parts[slot]]]):
            risen, changed = shift(slot, cluster, share, slot_coef[slot], unit, powers, tables)
            b[parts[slot]] += slot_weights[slot] * risen
            drift += changed
    held[cluster] += 1 if step > 0.0 else -1
    if held[cluster] == 0:
        # Clusters open in the order of their numbers.
        tables.first_empty[0] = min(tables.first_empty[0], cluster)
    for g in range(observed.shape[1]):
        if observed[i, g]:
            x = sizes[cluster, g]
            a[g] += rise(x, step, powers)
            # Fractional weights leave rounding errors.
            sizes[cluster, g] = x + step if held[cluster] > 0 else 0.0
            floor[g] = min(floor[g], sizes[cluster, g])
            drift += change(x, step, mask_coef[g], unit, powers)
    return drift


@njit(cache=True, nogil=True)
def relocate(order, terms, tables, slack, clusters, margins, drift):
    """Move rows, in the given order, to the cluster of least loss; returns (rows moved, drift)."""
    multiplicity, unit, k, n_moved = terms.multiplicity, terms.unit, tables.held.shape[0], 0
    candidates = Candidates(np.full(k, -1, dtype=np.int32), np.empty(k, dtype=np.int32), np.empty(k))
    for i in order:
        own = clusters[i]
        if own >= 0 and margins[i] - drift > slack:
            continue
        weighs = multiplicity[i] > 0.0
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        n, best, least, bound = compare(i, w, own, inside, -1, terms, tables, candidates)
        if own >= 0 and least >= candidates.cost[0] - slack:
            best, least = own, candidates.cost[0]
        margins[i] = min(lowest(n, best, candidates)[1], bound) - least if weighs and w == unit else -np.inf
        if best != own:
            if weighs:
                drift += add_to(i, w, terms, tables, best)
                if own >= 0:
                    drift += add_to(i, -w, terms, tables, own)
            clusters[i] = best
            n_moved += 1
        margins[i] += drift
    return n_moved, drift


@njit(cache=True, nogil=True)
def best_moves(terms, tables, clusters, best, rises):
    """As :func:`~robust_eac.hard.contingency.best_moves` of a linear loss."""
    multiplicity, unit, k = terms.multiplicity, terms.unit, tables.held.shape[0]
    candidates = Candidates(np.full(k, -1, dtype=np.int32), np.empty(k, dtype=np.int32), np.empty(k))
    for i in range(clusters.shape[0]):
        own, weighs = clusters[i], multiplicity[i] > 0.0
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        _, best[i], least, _ = compare(i, w, own, inside, own, terms, tables, candidates)
        rises[i] = (least - candidates.cost[0]) / w
