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


class SparseTables(NamedTuple):
    """As :class:`~robust_eac.hard.contingency.Tables`, without the differences.

    start, length : (n_slots,) the row of a slot is columns[start : start + length] with counts n_lc. There is room for
        all clusters that its objects can be in, and one more.
    columns, counts, hits : clusters, counts, and of how many rows a count is the sum: without any it is removed.
    sizes : (k, n_masks) N_c. floor : (n_masks,) no size is below it.
    held : (k,) rows with weight. empty, n_empty : (k,) and (1,) the clusters without, as a heap, and their number.
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
    empty: np.ndarray
    n_empty: np.ndarray
    a: np.ndarray
    b: np.ndarray


class Near(NamedTuple):
    """The clusters that a visit looks at, under local numbers; all (k,).

    place : local number of a cluster, -1 where it has none. cluster : cluster of a local number. cost : its cost.
    """

    place: np.ndarray
    cluster: np.ndarray
    cost: np.ndarray


def tables_of(encoding, judged, clusters, k):
    """The :class:`SparseTables` of the clusters of an encoding's rows; those in cluster -1 are left out."""
    n_slots, n_masks = len(encoding.sizes), encoding.observed.shape[1]
    members = np.zeros(n_slots, dtype=np.int64)
    count_members(encoding.data, encoding.slots, judged, members)
    room = np.minimum(members, k) + 1
    n_entries = int(room.sum())
    tables = SparseTables(
        start=np.cumsum(room) - room,
        length=np.zeros(n_slots, dtype=np.int32),
        columns=np.empty(n_entries, dtype=np.int32),
        counts=np.empty(n_entries),
        hits=np.empty(n_entries, dtype=np.int32),
        sizes=np.zeros((k, n_masks)),
        floor=np.zeros(n_masks),
        held=np.zeros(k, dtype=np.int64),
        empty=np.empty(k, dtype=np.int32),
        n_empty=np.zeros(1, dtype=np.int64),
        a=np.empty(n_masks),
        b=np.empty(len(encoding.offsets)),
    )
    of_slots, of_sizes = np.zeros(n_slots), np.empty((n_masks, k))
    tabulate(encoding.data, encoding.slots, judged, clusters, tables, of_slots, of_sizes)
    # Summed as the partitions' own sums are, which perfect agreement equals.
    tables.b[:] = np.add.reduceat(judged.slot_weights * of_slots, encoding.offsets)
    tables.a[:] = of_sizes.sum(axis=1)
    return tables


@njit(cache=True, nogil=True)
def count_members(data, slots, judged, members):
    """Add to members (n_slots,) the rows with weight that have a part in each slot."""
    codes, soft, observed, multiplicity = data.codes, data.soft, data.observed, data.multiplicity
    offsets, soft_slots, parts, mask_of = slots.offsets, slots.soft, judged.parts, judged.mask_of
    for i in range(codes.shape[0]):
        if multiplicity[i] > 0.0:
            for u in range(codes.shape[1]):
                slot = offsets[u] + codes[i, u]
                members[slot] += observed[i, mask_of[parts[slot]]]
            for s in range(soft.shape[1]):
                members[soft_slots[s]] += soft[i, s] != 0.0


@njit(cache=True, nogil=True)
def tabulate(data, slots, judged, clusters, tables, of_slots, of_sizes):
    """Fill tables from the clusters of the rows, and the psi of all sizes and the sums of those of the counts."""
    codes, soft, observed, multiplicity = data.codes, data.soft, data.observed, data.multiplicity
    offsets, soft_slots, parts, mask_of, powers = slots.offsets, slots.soft, judged.parts, judged.mask_of, judged.powers
    start, length, columns, counts, hits = tables.start, tables.length, tables.columns, tables.counts, tables.hits
    sizes, held, empty = tables.sizes, tables.held, tables.empty
    n_rows, n_slots, k = codes.shape[0], length.shape[0], held.shape[0]
    place, order, ends = np.full(k, -1), np.empty(n_rows, dtype=np.int64), np.zeros(n_slots + 1, dtype=np.int64)
    for u in range(codes.shape[1] + soft.shape[1]):
        hard = u < codes.shape[1]
        first = offsets[u] if hard else soft_slots[u - codes.shape[1]]
        after = first + 1
        while hard and after < n_slots and parts[after] == parts[first]:
            after += 1
        # The rows by slot.
        ends[first : after + 1] = 0
        for i in range(n_rows):
            if clusters[i] >= 0 and multiplicity[i] > 0.0:
                if hard and observed[i, mask_of[parts[first]]]:
                    ends[first + codes[i, u]] += 1
                elif not hard and soft[i, u - codes.shape[1]] != 0.0:
                    ends[first] += 1
        total = 0
        for slot in range(first, after):
            ends[slot], total = total, total + ends[slot]
        for i in range(n_rows):
            if clusters[i] >= 0 and multiplicity[i] > 0.0:
                slot = -1
                if hard and observed[i, mask_of[parts[first]]]:
                    slot = first + codes[i, u]
                elif not hard and soft[i, u - codes.shape[1]] != 0.0:
                    slot = first
                if slot >= 0:
                    order[ends[slot]] = i
                    ends[slot] += 1
        begin = 0
        for slot in range(first, after):
            end = start[slot]
            for e in range(begin, ends[slot]):
                i = order[e]
                c = clusters[i]
                at = place[c]
                if at < 0:
                    at = place[c] = end
                    columns[at], counts[at], hits[at] = c, 0.0, 0
                    end += 1
                counts[at] += multiplicity[i] if hard else multiplicity[i] * soft[i, u - codes.shape[1]]
                hits[at] += 1
            begin = ends[slot]
            length[slot] = end - start[slot]
            for at in range(start[slot], end):
                of_slots[slot] += power(counts[at], powers)
                place[columns[at]] = -1
    for i in range(n_rows):
        c = clusters[i]
        if c >= 0 and multiplicity[i] > 0.0:
            held[c] += 1
            for g in range(sizes.shape[1]):
                if observed[i, g]:
                    sizes[c, g] += multiplicity[i]
    tables.floor[:] = np.inf
    n_empty = 0
    for c in range(k):
        for g in range(sizes.shape[1]):
            tables.floor[g] = min(tables.floor[g], sizes[c, g])
            of_sizes[g, c] = power(sizes[c, g], powers)
        if held[c] == 0:
            # Ascending numbers are a heap.
            empty[n_empty] = c
            n_empty += 1
    tables.n_empty[0] = n_empty


@njit(cache=True, nogil=True)
def add_slot(slot, factor, w, inside, powers, start, length, columns, counts, place, cluster, cost, n):
    """Add what a slot says of its clusters, noting those that are new; returns how many are near."""
    alone = power(w, powers)
    for t in range(start[slot], start[slot] + length[slot]):
        c, x = columns[t], counts[t]
        j = place[c]
        if j < 0:
            j = place[c] = n
            cluster[n], cost[n] = c, 0.0
            n += 1
        cost[j] += factor * ((-rise(x, -w, powers) if c == inside else rise(x, w, powers)) - alone)
    return n


@njit(cache=True, nogil=True)
def look_near(i, w, own, inside, data, slots, judged, tables, near):
    """Fill costs in the own cluster, if there is one, and in all that share a slot; returns how many are near.

    `inside` is the own cluster if the row counts there, otherwise -1.
    """
    codes, soft, observed = data.codes, data.soft, data.observed
    offsets, soft_slots, slot_coef, mask_coef = slots.offsets, slots.soft, judged.slot_coef, judged.mask_coef
    powers, start, length, columns, counts = judged.powers, tables.start, tables.length, tables.columns, tables.counts
    sizes, place, cluster, cost, n = tables.sizes, near.place, near.cluster, near.cost, 0
    if own >= 0:
        place[own], cluster[0], cost[0], n = 0, own, 0.0, 1
    for u in range(codes.shape[1]):
        slot = offsets[u] + codes[i, u]
        n = add_slot(slot, slot_coef[slot], w, inside, powers, start, length, columns, counts, place, cluster, cost, n)
    for s in range(soft.shape[1]):
        if soft[i, s] != 0.0:
            slot, share = soft_slots[s], w * soft[i, s]
            n = add_slot(
                slot, slot_coef[slot], share, inside, powers, start, length, columns, counts, place, cluster, cost, n
            )
    for j in range(n):
        c = cluster[j]
        for g in range(observed.shape[1]):
            if observed[i, g]:
                x = sizes[c, g]
                cost[j] += mask_coef[g] * (-rise(x, -w, powers) if c == inside else rise(x, w, powers))
    return n


@njit(cache=True, nogil=True)
def look_elsewhere(i, w, n, least, data, judged, tables, near):
    """(cheapest cluster that is not near, its cost); -1 and a bound if that is certainly not below `least`."""
    observed, mask_coef, powers, place = data.observed, judged.mask_coef, judged.powers, near.place
    sizes, floor, empty = tables.sizes, tables.floor, tables.empty
    k, n_masks = sizes.shape
    n_empty, fresh, bound = tables.n_empty[0], -1, 0.0
    if n_empty > 0:
        fresh = empty[0]
        if place[fresh] >= 0:
            # The own cluster of a row without weight: the next one, if there is one, is below it in the heap.
            fresh = min(empty[1], empty[2]) if n_empty > 2 else (empty[1] if n_empty == 2 else -1)
    for g in range(n_masks):
        if observed[i, g]:
            bound += mask_coef[g] * rise(0.0 if fresh >= 0 else floor[g], w, powers)
    if fresh >= 0:
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
        if cost < bound and place[c] < 0:
            best, bound = c, cost
    return best, bound


@njit(cache=True, nogil=True)
def lowest(n, skipped, near):
    """(cluster of least cost among those near but one, its cost), the first one of equal cost."""
    cluster, cost, best, least = near.cluster, near.cost, -1, np.inf
    for j in range(n):
        c = cluster[j]
        if c != skipped and (cost[j] < least or (cost[j] == least and c < best)):
            best, least = c, cost[j]
    return best, least


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
def push(c, heap, n):
    """Put a number into a heap of n of them."""
    at = n[0]
    n[0] += 1
    while at > 0 and heap[(at - 1) // 2] > c:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = c


@njit(cache=True, nogil=True)
def pop(heap, n):
    """Remove the smallest number from a heap."""
    n[0] -= 1
    c, at, below = heap[n[0]], 0, 1
    while below < n[0]:
        if below + 1 < n[0] and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= c:
            break
        heap[at] = heap[below]
        at, below = below, 2 * below + 1
    heap[at] = c


@njit(cache=True, nogil=True)
def place_row(i, step, data, slots, judged, tables, cluster):
    """Add `step` objects like row i, all or none of its own, to a cluster; returns by how much costs can change."""
    codes, soft, observed, offsets, soft_slots = data.codes, data.soft, data.observed, slots.offsets, slots.soft
    parts, mask_of, slot_weights, powers = judged.parts, judged.mask_of, judged.slot_weights, judged.powers
    slot_coef, mask_coef, unit = judged.slot_coef, judged.mask_coef, judged.unit
    sizes, floor, held, empty, n_empty = tables.sizes, tables.floor, tables.held, tables.empty, tables.n_empty
    a, b, drift = tables.a, tables.b, 0.0
    for u in range(codes.shape[1] + soft.shape[1]):
        hard = u < codes.shape[1]
        slot = offsets[u] + codes[i, u] if hard else soft_slots[u - codes.shape[1]]
        share = step if hard else step * soft[i, u - codes.shape[1]]
        if share != 0.0 and (not hard or observed[i, mask_of[parts[slot]]]):
            risen, changed = shift(slot, cluster, share, slot_coef[slot], unit, powers, tables)
            b[parts[slot]] += slot_weights[slot] * risen
            drift += changed
    if step > 0.0:
        if held[cluster] == 0:
            # Clusters open in the order of their numbers.
            pop(empty, n_empty)
        held[cluster] += 1
    else:
        held[cluster] -= 1
        if held[cluster] == 0:
            push(cluster, empty, n_empty)
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
def relocate(order, data, slots, judged, tables, slack, clusters, margins, drift):
    """Move rows, in the given order, to the cluster of least loss; returns (rows moved, drift).

    As :func:`~robust_eac.hard.contingency.relocate` of a linear loss, whose terms are explained there.
    """
    multiplicity, unit, k = data.multiplicity, judged.unit, tables.held.shape[0]
    near, n_moved = Near(np.full(k, -1, dtype=np.int32), np.empty(k, dtype=np.int32), np.empty(k)), 0
    for i in order:
        own = clusters[i]
        if own >= 0 and margins[i] - drift > slack:
            continue
        weighs = multiplicity[i] > 0.0
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        n = look_near(i, w, own, inside, data, slots, judged, tables, near)
        best, least = lowest(n, -1, near)
        other, bound = look_elsewhere(i, w, n, least, data, judged, tables, near)
        if other >= 0 and (bound < least or (bound == least and other < best)):
            best, least = other, bound
        if own >= 0 and least >= near.cost[0] - slack:
            best, least = own, near.cost[0]
        margins[i] = min(lowest(n, best, near)[1], bound) - least if weighs and w == unit else -np.inf
        for j in range(n):
            near.place[near.cluster[j]] = -1
        if best != own:
            if weighs:
                drift += place_row(i, w, data, slots, judged, tables, best)
                if own >= 0:
                    drift += place_row(i, -w, data, slots, judged, tables, own)
            clusters[i] = best
            n_moved += 1
        margins[i] += drift
    return n_moved, drift


@njit(cache=True, nogil=True)
def look(data, slots, judged, tables, clusters, best, rises):
    """Where rows would rather be, as :func:`~robust_eac.hard.contingency.look`."""
    multiplicity, unit, k = data.multiplicity, judged.unit, tables.held.shape[0]
    near = Near(np.full(k, -1, dtype=np.int32), np.empty(k, dtype=np.int32), np.empty(k))
    for i in range(clusters.shape[0]):
        own, weighs = clusters[i], multiplicity[i] > 0.0
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        n = look_near(i, w, own, inside, data, slots, judged, tables, near)
        best[i], least = lowest(n, own, near)
        other, bound = look_elsewhere(i, w, n, least, data, judged, tables, near)
        if other >= 0 and (bound < least or (bound == least and other < best[i])):
            best[i], least = other, bound
        rises[i] = (least - near.cost[0]) / w
        for j in range(n):
            near.place[near.cluster[j]] = -1
