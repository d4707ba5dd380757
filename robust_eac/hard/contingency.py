"""Contingency tables of an ensemble and a partition, dense or sparse, and kernels that move rows to lower a loss.

For a partition u and a consensus with cluster sizes n_l and N_c and contingency n_lc, a loss is a linear function of

    own = sum_l psi(n_l),  a = sum_c psi(N_c),  b = sum_lc psi(n_lc),   psi(x) = x^2 or x log2(x),

over the objects that u observes. Loops read arrays under local names: every access to a field of a tuple counts
references, which takes longer than the arithmetic.

Sparse tables are for many clusters. Both losses are linear in sums of a convex psi with psi(0) = 0. In a cluster that
shares no base cluster with a row, the counts cost the row as much as those of an empty cluster, and the sizes cost less
the smaller they are. So the cost of a row is found in the clusters that share a base cluster with it, in its own, and
in an empty one; if none is empty, in all others, unless even the smallest sizes cost too much. Costs of counts are
differences to those of an empty cluster.
"""

from typing import NamedTuple

import numpy as np

from ..core.compiling import njit


class LossTerms(NamedTuple):
    """The constants of the weighted loss; the tables change.

    codes, multiplicity, observed, offsets, missing : the rows and their slots; see
        :class:`~robust_eac.core.arrays.RowData` and :class:`~robust_eac.core.arrays.Slots`.
    cost : see :class:`~robust_eac.hard.tables.Loss`.
    weights, mask_of : (m,) alpha, and the mask that each partition observes.
    units, own : (m,) denominator of the loss of a partition, and its sum.
    parts : (n_slots,) partition of each base cluster.
    slot_coef, mask_coef : (n_slots,) and (n_masks,) factors of psi(n_lc) and psi(N_c) in the weighted loss.
    unit : the commonest weight of a row, for which tables contain differences.
    powers : psi of 0, 1, 2, ...; empty where psi(x) = x^2.
    """

    codes: np.ndarray
    multiplicity: np.ndarray
    observed: np.ndarray
    offsets: np.ndarray
    missing: np.ndarray
    cost: float
    weights: np.ndarray
    mask_of: np.ndarray
    units: np.ndarray
    own: np.ndarray
    parts: np.ndarray
    slot_coef: np.ndarray
    mask_coef: np.ndarray
    unit: float
    powers: np.ndarray


class DenseArrays(NamedTuple):
    """Tables that moves change: counts n_lc (n_slots, k), sizes N_c (n_masks, k), and functions of these.

    rises, falls : change of the weighted loss in the cluster that a row of unit weight joins, and in the one it leaves:
        slot_coef (psi(x + unit) - psi(x)) and slot_coef (psi(x) - psi(x - unit)) of the counts. size_rises and
        size_falls are those of the sizes, with mask_coef. Rises are padded with columns of zeros, since loops over
        whole vectors are faster.
    a, b : (n_masks,) and (m,) sums of psi.
    """

    counts: np.ndarray
    rises: np.ndarray
    falls: np.ndarray
    sizes: np.ndarray
    size_rises: np.ndarray
    size_falls: np.ndarray
    a: np.ndarray
    b: np.ndarray


class SparseArrays(NamedTuple):
    """As :class:`DenseArrays`, without the differences.

    start, length : (n_slots,) the row of a slot is columns[start : start + length] with counts n_lc. It has space for
        all clusters that its objects can be in, and one more.
    columns, counts, hits : clusters, counts, and the number of rows that a count sums; entries of no row are removed.
    sizes : (k, n_masks) N_c. least : (n_masks,) a lower bound of the sizes.
    n_rows : (k,) rows with weight. first_empty : (1,) no cluster before this one is empty.
    a, b : (n_masks,) and (m,) sums of psi.
    """

    start: np.ndarray
    length: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    hits: np.ndarray
    sizes: np.ndarray
    least: np.ndarray
    n_rows: np.ndarray
    first_empty: np.ndarray
    a: np.ndarray
    b: np.ndarray


class Candidates(NamedTuple):
    """The clusters that a row may move to, under local numbers; all (k,).

    number : local number of a cluster, -1 if it is no candidate. cluster : cluster of a local number. cost : its cost.
    """

    number: np.ndarray
    cluster: np.ndarray
    cost: np.ndarray


@njit
def power(x, powers):
    """psi(x). Fractional weights leave rounding errors in empty entries: where psi is x log2(x), 0 up to 0."""
    if powers.shape[0] == 0:
        return x * x
    if x <= 0.0:
        return 0.0
    # The conversion to an integer is undefined beyond 64 bits.
    if x < powers.shape[0]:
        whole = int(x)
        if whole == x:
            return powers[whole]
    return x * np.log2(x)


@njit
def rise(x, step, powers):
    """psi(x + step) - psi(x)."""
    return power(x + step, powers) - power(x, powers)


@njit
def losses(terms, a, b, out):
    """Fill out (m,) with the losses at sums a and b of every partition."""
    for u in range(out.shape[0]):
        out[u] = (terms.cost * terms.own[u] + (2.0 - terms.cost) * a[u] - 2.0 * b[u]) / terms.units[u]


@njit
def update_entry(x, row, column, coef, unit, powers, rises, falls):
    """Update the differences of a table entry that is now x; returns the larger of their two changes."""
    rise_before, fall_before = rises[row, column], falls[row, column]
    rises[row, column] = coef * rise(x, unit, powers)
    falls[row, column] = -coef * rise(x, -unit, powers)
    return max(abs(rises[row, column] - rise_before), abs(falls[row, column] - fall_before))


@njit
def tabulate(terms, clusters, tables):
    """Fill counts, sizes and sums from the clusters of the rows; rows in cluster -1 are left out."""
    codes, offsets, missing = terms.codes, terms.offsets, terms.missing
    multiplicity, observed = terms.multiplicity, terms.observed
    counts, sizes = tables.counts, tables.sizes
    a, b = tables.a, tables.b
    parts = terms.parts
    powers = terms.powers
    counts[:] = 0.0
    sizes[:] = 0.0
    for i in range(clusters.shape[0]):
        own, w = clusters[i], multiplicity[i]
        if own >= 0:
            for u in range(codes.shape[1]):
                counts[offsets[u] + codes[i, u], own] += w
            for g in range(sizes.shape[0]):
                if observed[i, g]:
                    sizes[g, own] += w
    counts[missing] = 0.0
    b[:] = 0.0
    for slot in range(counts.shape[0]):
        for c in range(counts.shape[1]):
            b[parts[slot]] += power(counts[slot, c], powers)
    a[:] = 0.0
    for g in range(sizes.shape[0]):
        for c in range(sizes.shape[1]):
            a[g] += power(sizes[g, c], powers)


@njit
def fill_differences(terms, tables):
    """Fill the differences from counts, sizes and factors."""
    fill(tables.counts, terms.slot_coef, terms.unit, terms.powers, tables.rises, tables.falls)
    fill(tables.sizes, terms.mask_coef, terms.unit, terms.powers, tables.size_rises, tables.size_falls)
    tables.rises[terms.missing] = 0.0
    tables.falls[terms.missing] = 0.0


@njit
def fill(entries, coef, unit, powers, rises, falls):
    """Fill the differences of a table."""
    for row in range(entries.shape[0]):
        for c in range(entries.shape[1]):
            update_entry(entries[row, c], row, c, coef[row], unit, powers, rises, falls)


@njit
def row_cost(i, w, terms, tables, cluster, sign):
    """Weighted loss added by w objects like row i if they join a cluster (sign 1), or as its members (-1)."""
    codes, observed, offsets = terms.codes, terms.observed, terms.offsets
    counts, sizes = tables.counts, tables.sizes
    parts, mask_of = terms.parts, terms.mask_of
    slot_coef, mask_coef = terms.slot_coef, terms.mask_coef
    powers, cost = terms.powers, 0.0
    for u in range(codes.shape[1]):
        slot = offsets[u] + codes[i, u]
        if observed[i, mask_of[parts[slot]]]:
            cost += slot_coef[slot] * sign * rise(counts[slot, cluster], sign * w, powers)
    for g in range(observed.shape[1]):
        if observed[i, g]:
            cost += mask_coef[g] * sign * rise(sizes[g, cluster], sign * w, powers)
    return cost


@njit
def gather(i, own, codes, observed, offsets, rises, falls, size_rises, size_falls, costs):
    """Fill costs with the weighted loss of row i, of unit weight, in every cluster; infinity after the last. O(m k)."""
    costs[:] = 0.0
    # Four partitions at a time: otherwise every addition waits for the store of the one before.
    rest = codes.shape[1] - codes.shape[1] % 4
    for u in range(0, rest, 4):
        slot0, slot1 = offsets[u] + codes[i, u], offsets[u + 1] + codes[i, u + 1]
        slot2, slot3 = offsets[u + 2] + codes[i, u + 2], offsets[u + 3] + codes[i, u + 3]
        for c in range(costs.shape[0]):
            costs[c] += (rises[slot0, c] + rises[slot1, c]) + (rises[slot2, c] + rises[slot3, c])
    for u in range(rest, codes.shape[1]):
        slot = offsets[u] + codes[i, u]
        for c in range(costs.shape[0]):
            costs[c] += rises[slot, c]
    for g in range(observed.shape[1]):
        if observed[i, g]:
            for c in range(costs.shape[0]):
                costs[c] += size_rises[g, c]
    if own >= 0:
        here = 0.0
        for u in range(codes.shape[1]):
            here += falls[offsets[u] + codes[i, u], own]
        for g in range(observed.shape[1]):
            if observed[i, g]:
                here += size_falls[g, own]
        costs[own] = here
    costs[falls.shape[1] :] = np.inf


@njit
def row_costs(i, w, terms, tables, own, costs):
    """As :func:`gather` for a row of any weight."""
    for c in range(tables.counts.shape[1]):
        costs[c] = row_cost(i, w, terms, tables, c, -1.0 if c == own else 1.0)
    costs[tables.counts.shape[1] :] = np.inf


@njit
def best_moves(terms, tables, clusters, best, rises):
    """Fill the best other cluster of every row and the rise per weight; rows of weight zero count as if of `unit`."""
    codes, offsets, unit = terms.codes, terms.offsets, terms.unit
    multiplicity, observed = terms.multiplicity, terms.observed
    onto, off = tables.rises, tables.falls
    size_onto, size_off = tables.size_rises, tables.size_falls
    costs = np.empty(onto.shape[1])
    for i in range(clusters.shape[0]):
        weighs, own = multiplicity[i] > 0.0, clusters[i]
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        if w == unit:
            gather(i, inside, codes, observed, offsets, onto, off, size_onto, size_off, costs)
        else:
            row_costs(i, w, terms, tables, inside, costs)
        here = costs[own]
        costs[own] = np.inf
        best[i] = np.argmin(costs)
        rises[i] = (costs[best[i]] - here) / w


@njit
def add_to(i, step, terms, tables, cluster):
    """Add `step` objects like row i to a cluster; returns the largest change of the costs of a row of unit weight."""
    codes, observed, offsets = terms.codes, terms.observed, terms.offsets
    parts, mask_of = terms.parts, terms.mask_of
    slot_coef, mask_coef = terms.slot_coef, terms.mask_coef
    powers, unit = terms.powers, terms.unit
    counts, rises, falls = tables.counts, tables.rises, tables.falls
    sizes, size_rises, size_falls = tables.sizes, tables.size_rises, tables.size_falls
    a, b = tables.a, tables.b
    drift = 0.0
    for u in range(codes.shape[1]):
        slot = offsets[u] + codes[i, u]
        part = parts[slot]
        if observed[i, mask_of[part]]:
            x = counts[slot, cluster]
            b[part] += rise(x, step, powers)
            counts[slot, cluster] = x + step
            drift += update_entry(x + step, slot, cluster, slot_coef[slot], unit, powers, rises, falls)
    for g in range(observed.shape[1]):
        if observed[i, g]:
            x = sizes[g, cluster]
            a[g] += rise(x, step, powers)
            sizes[g, cluster] = x + step
            drift += update_entry(x + step, g, cluster, mask_coef[g], unit, powers, size_rises, size_falls)
    return drift


@njit
def relocate(order, terms, tables, slack, clusters, margins, drift):
    """Move rows, in the given order, to the cluster of least weighted loss; returns (rows moved, drift).

    A move is made if it lowers the loss by more than slack. Rows of cluster -1 go where they cost least.

    ``margins[i]`` is the difference in cost between the cheapest other cluster of row i and its own when these costs
    were last computed, plus the drift then. While the drift is smaller, a row of unit weight stays: O(1). Other rows
    take O(m k).
    """
    codes, offsets, unit = terms.codes, terms.offsets, terms.unit
    multiplicity, observed = terms.multiplicity, terms.observed
    rises, falls = tables.rises, tables.falls
    size_rises, size_falls = tables.size_rises, tables.size_falls
    costs = np.empty(rises.shape[1])
    n_moved = 0
    for i in order:
        own = clusters[i]
        if own >= 0 and margins[i] - drift > slack:
            continue
        weighs = multiplicity[i] > 0.0
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        if w == unit:
            gather(i, inside, codes, observed, offsets, rises, falls, size_rises, size_falls, costs)
        else:
            row_costs(i, w, terms, tables, inside, costs)
        best = np.argmin(costs)
        if own >= 0 and costs[best] >= costs[own] - slack:
            best = own
        here = costs[best]
        costs[best] = np.inf
        margins[i] = costs.min() - here if weighs and w == unit else -np.inf
        if best != own:
            if weighs:
                drift += add_to(i, w, terms, tables, best)
                if own >= 0:
                    drift += add_to(i, -w, terms, tables, own)
            clusters[i] = best
            n_moved += 1
        margins[i] += drift
    return n_moved, drift


@njit
def take_out(rows, terms, tables, clusters, drift):
    """Take rows out of their clusters, into none (-1); returns the drift."""
    multiplicity = terms.multiplicity
    for i in rows:
        if multiplicity[i] > 0.0:
            drift += add_to(i, -multiplicity[i], terms, tables, clusters[i])
        clusters[i] = -1
    return drift


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
        least=np.zeros(n_masks),
        n_rows=np.zeros(k, dtype=np.int64),
        first_empty=np.zeros(1, dtype=np.int64),
        a=np.empty(n_masks),
        b=np.empty(len(encoding.partitions.offsets)),
    )
    of_slots, of_sizes = np.zeros(n_slots), np.empty((n_masks, k))
    tabulate_sparse(terms, clusters, arrays, of_slots, of_sizes)
    # Summed in the same order as the sums of the partitions, which they equal at perfect agreement.
    arrays.b[:] = np.add.reduceat(of_slots, encoding.partitions.offsets)
    arrays.a[:] = of_sizes.sum(axis=1)
    return arrays


@njit
def count_members(terms, members):
    """Add to members (n_slots,) the number of rows with weight in each slot."""
    codes, offsets = terms.codes, terms.offsets
    multiplicity, observed = terms.multiplicity, terms.observed
    parts, mask_of = terms.parts, terms.mask_of
    for i in range(codes.shape[0]):
        if multiplicity[i] > 0.0:
            for u in range(codes.shape[1]):
                slot = offsets[u] + codes[i, u]
                members[slot] += observed[i, mask_of[parts[slot]]]


@njit
def tabulate_sparse(terms, clusters, tables, of_slots, of_sizes):
    """Fill tables from the clusters of the rows, of_sizes with psi of the sizes, of_slots with the sums of psi."""
    codes, offsets = terms.codes, terms.offsets
    multiplicity, observed = terms.multiplicity, terms.observed
    parts, mask_of = terms.parts, terms.mask_of
    powers = terms.powers
    start, length, columns, counts, hits, sizes, least, n_rows, _, _, _ = tables
    n_slots, k = length.shape[0], n_rows.shape[0]
    position = np.full(k, -1)
    rows = np.flatnonzero((clusters >= 0) & (multiplicity > 0.0))
    order, slot_of = np.empty_like(rows), np.empty_like(rows)
    ends = np.zeros(n_slots + 1, dtype=np.int64)
    for u in range(codes.shape[1]):
        first = offsets[u]
        after = first + 1
        while after < n_slots and parts[after] == parts[first]:
            after += 1
        # Sort the rows by slot.
        ends[first : after + 1] = 0
        for e, i in enumerate(rows):
            slot, there = first + codes[i, u], observed[i, mask_of[parts[first]]]
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
                    columns[at] = c
                    counts[at], hits[at] = 0.0, 0
                    end += 1
                counts[at] += multiplicity[i]
                hits[at] += 1
            begin = ends[slot]
            length[slot] = end - start[slot]
            for at in range(start[slot], end):
                of_slots[slot] += power(counts[at], powers)
                position[columns[at]] = -1
    for i in rows:
        n_rows[clusters[i]] += 1
        for g in range(sizes.shape[1]):
            if observed[i, g]:
                sizes[clusters[i], g] += multiplicity[i]
    least[:] = np.inf
    for c in range(k):
        for g in range(sizes.shape[1]):
            least[g] = min(least[g], sizes[c, g])
            of_sizes[g, c] = power(sizes[c, g], powers)


@njit
def add_slot(slot, factor, w, inside, powers, tables, candidates, n):
    """Add the costs of a slot to those of its clusters, which become candidates; returns the number of candidates."""
    start, length = tables.start, tables.length
    columns, counts = tables.columns, tables.counts
    number, cluster, cost = candidates.number, candidates.cluster, candidates.cost
    alone = power(w, powers)
    for t in range(start[slot], start[slot] + length[slot]):
        c, x = columns[t], counts[t]
        j = number[c]
        if j < 0:
            j = number[c] = n
            cluster[n], cost[n] = c, 0.0
            n += 1
        cost[j] += factor * ((-rise(x, -w, powers) if c == inside else rise(x, w, powers)) - alone)
    return n


@njit
def cost_near(i, w, own, inside, terms, tables, candidates):
    """Fill costs in the own cluster, if there is one, and in all that share a slot; returns their number."""
    codes, observed, offsets = terms.codes, terms.observed, terms.offsets
    slot_coef, mask_coef = terms.slot_coef, terms.mask_coef
    powers, sizes = terms.powers, tables.sizes
    number, cluster, cost = candidates.number, candidates.cluster, candidates.cost
    n = 0
    if own >= 0:
        number[own], n = 0, 1
        cluster[0], cost[0] = own, 0.0
    for u in range(codes.shape[1]):
        slot = offsets[u] + codes[i, u]
        n = add_slot(slot, slot_coef[slot], w, inside, powers, tables, candidates, n)
    for j in range(n):
        c = cluster[j]
        for g in range(observed.shape[1]):
            if observed[i, g]:
                x = sizes[c, g]
                cost[j] += mask_coef[g] * (-rise(x, -w, powers) if c == inside else rise(x, w, powers))
    return n


@njit
def cost_elsewhere(i, w, n, least, terms, tables, number):
    """(cheapest cluster that is no candidate, its cost); -1 and a bound if that is certainly not below `least`."""
    observed, mask_coef = terms.observed, terms.mask_coef
    sizes, least_sizes, n_rows = tables.sizes, tables.least, tables.n_rows
    bound, powers = 0.0, terms.powers
    k, n_masks = sizes.shape
    fresh = tables.first_empty[0]
    while fresh < k and n_rows[fresh] > 0:
        fresh += 1
    tables.first_empty[0] = fresh
    # The own cluster of a row without weight can be empty.
    while fresh < k and (n_rows[fresh] > 0 or number[fresh] >= 0):
        fresh += 1
    for g in range(n_masks):
        if observed[i, g]:
            bound += mask_coef[g] * rise(0.0 if fresh < k else least_sizes[g], w, powers)
    if fresh < k:
        return fresh, bound
    if n == k:
        return -1, np.inf
    if bound >= least:
        return -1, bound
    best, bound = -1, np.inf
    least_sizes[:] = np.inf
    for c in range(k):
        cost = 0.0
        for g in range(n_masks):
            least_sizes[g] = min(least_sizes[g], sizes[c, g])
            if observed[i, g] and cost < bound:
                cost += mask_coef[g] * rise(sizes[c, g], w, powers)
        if cost < bound and number[c] < 0:
            best, bound = c, cost
    return best, bound


@njit
def lowest(n, skipped, candidates):
    """(candidate of least cost except `skipped`, its cost); of equal costs, the cluster of smallest number."""
    cluster, cost = candidates.cluster, candidates.cost
    best, least = -1, np.inf
    for j in range(n):
        c = cluster[j]
        if c != skipped and (cost[j] < least or (cost[j] == least and c < best)):
            best, least = c, cost[j]
    return best, least


@njit
def compare(i, w, own, inside, skipped, terms, tables, candidates):
    """(number of candidates, cheapest cluster except `skipped`, its cost, least cost of the others) of a row."""
    n = cost_near(i, w, own, inside, terms, tables, candidates)
    best, least = lowest(n, skipped, candidates)
    other, bound = cost_elsewhere(i, w, n, least, terms, tables, candidates.number)
    if other >= 0 and (bound < least or (bound == least and other < best)):
        best, least = other, bound
    for j in range(n):
        candidates.number[candidates.cluster[j]] = -1
    return n, best, least, bound


@njit
def change(x, step, coef, unit, powers):
    """Largest change of the cost of a row of unit weight where x becomes x + step."""
    rises = rise(x + step, unit, powers) - rise(x, unit, powers)
    falls = rise(x + step, -unit, powers) - rise(x, -unit, powers)
    return abs(coef) * max(abs(rises), abs(falls))


@njit
def shift(slot, cluster, step, coef, unit, powers, tables):
    """Add a row's share to a count of its slot, or take it away; returns (rise of the sum, change of costs)."""
    columns, counts, hits = tables.columns, tables.counts, tables.hits
    t = tables.start[slot]
    end = t + tables.length[slot]
    while t < end and columns[t] != cluster:
        t += 1
    if t == end:
        columns[t] = cluster
        counts[t], hits[t] = 0.0, 0
        tables.length[slot] += 1
        end += 1
    x = counts[t]
    counts[t] = x + step
    hits[t] += 1 if step > 0.0 else -1
    if hits[t] == 0:
        end -= 1
        columns[t] = columns[end]
        counts[t], hits[t] = counts[end], hits[end]
        tables.length[slot] -= 1
    return rise(x, step, powers), change(x, step, coef, unit, powers)


@njit
def add_to_sparse(i, step, terms, tables, cluster):
    """As :func:`add_to`, where step is the whole weight of row i, or minus that."""
    codes, observed, offsets = terms.codes, terms.observed, terms.offsets
    parts, mask_of = terms.parts, terms.mask_of
    slot_coef, mask_coef = terms.slot_coef, terms.mask_coef
    powers, unit = terms.powers, terms.unit
    sizes, least, n_rows = tables.sizes, tables.least, tables.n_rows
    a, b = tables.a, tables.b
    drift = 0.0
    for u in range(codes.shape[1]):
        slot = offsets[u] + codes[i, u]
        if observed[i, mask_of[parts[slot]]]:
            risen, changed = shift(slot, cluster, step, slot_coef[slot], unit, powers, tables)
            b[parts[slot]] += risen
            drift += changed
    n_rows[cluster] += 1 if step > 0.0 else -1
    if n_rows[cluster] == 0:
        # Clusters open in the order of their numbers.
        tables.first_empty[0] = min(tables.first_empty[0], cluster)
    for g in range(observed.shape[1]):
        if observed[i, g]:
            x = sizes[cluster, g]
            a[g] += rise(x, step, powers)
            # Fractional weights leave rounding errors.
            sizes[cluster, g] = x + step if n_rows[cluster] > 0 else 0.0
            least[g] = min(least[g], sizes[cluster, g])
            drift += change(x, step, mask_coef[g], unit, powers)
    return drift


@njit
def relocate_sparse(order, terms, tables, slack, clusters, margins, drift):
    """As :func:`relocate`."""
    multiplicity, unit = terms.multiplicity, terms.unit
    k, n_moved = tables.n_rows.shape[0], 0
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
                drift += add_to_sparse(i, w, terms, tables, best)
                if own >= 0:
                    drift += add_to_sparse(i, -w, terms, tables, own)
            clusters[i] = best
            n_moved += 1
        margins[i] += drift
    return n_moved, drift


@njit
def best_moves_sparse(terms, tables, clusters, best, rises):
    """As :func:`best_moves`."""
    multiplicity, unit = terms.multiplicity, terms.unit
    k = tables.n_rows.shape[0]
    candidates = Candidates(np.full(k, -1, dtype=np.int32), np.empty(k, dtype=np.int32), np.empty(k))
    for i in range(clusters.shape[0]):
        own, weighs = clusters[i], multiplicity[i] > 0.0
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        _, best[i], least, _ = compare(i, w, own, inside, own, terms, tables, candidates)
        rises[i] = (least - candidates.cost[0]) / w
