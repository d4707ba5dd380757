"""Losses between partitions from dense contingency tables, and kernels that move rows to lower them.

For a partition u and a consensus with cluster sizes n_l and N_c and contingency n_lc, every loss is a function of

    own = sum_l psi(n_l),  a = sum_c psi(N_c),  b = sum_lc psi(n_lc),   psi(x) = x^2 or x log2(x),

over the objects that u observes. Loops read arrays under local names: every access to a field of a tuple counts
references, which takes longer than the arithmetic.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

BINDER, VI, OMARI, NVI, ID, NID = range(6)
# Denominators below this share of their terms are rounding.
_ROUNDING = 1e-13


class LossTerms(NamedTuple):
    """What the weighted loss is made of besides the tables.

    codes, soft, multiplicity, observed, offsets, soft_slots, missing : the rows and their slots; see
        :class:`~robust_eac.core.arrays.RowData` and :class:`~robust_eac.core.arrays.Slots`.
    kind, cost : the loss, and what it costs to part what a partition puts together; 2 - cost the reverse.
    weights, mask_of : (m,) alpha, and the mask that each partition observes.
    totals, singles, own : (m,) weight of the objects that a partition observes, of their pairs (i, i), and its sum.
    parts, slot_weights : (n_slots,) partition and weight of each base cluster.
    slot_coef, mask_coef : (n_slots,) and (n_masks,) factors of psi(n_lc) and psi(N_c) in the weighted loss, or in its
        linear approximation.
    unit : the commonest weight of a row, for which tables hold differences.
    powers : psi of 0, 1, 2, ...; empty where psi(x) = x^2.
    """

    codes: np.ndarray
    soft: np.ndarray
    multiplicity: np.ndarray
    observed: np.ndarray
    offsets: np.ndarray
    soft_slots: np.ndarray
    missing: np.ndarray
    kind: int
    cost: float
    weights: np.ndarray
    mask_of: np.ndarray
    totals: np.ndarray
    singles: np.ndarray
    own: np.ndarray
    parts: np.ndarray
    slot_weights: np.ndarray
    slot_coef: np.ndarray
    mask_coef: np.ndarray
    unit: float
    powers: np.ndarray


class DenseArrays(NamedTuple):
    """What moves change: counts n_lc (n_slots, k), sizes N_c (n_masks, k), and what depends on them.

    rises, falls : what a row of unit weight adds to the linear loss where it comes, and what it leaves behind where it
        goes: slot_coef (psi(x + unit) - psi(x)) and slot_coef (psi(x) - psi(x - unit)) of the counts. size_rises and
        size_falls are those of the sizes, with mask_coef. Rises have columns of zeros behind the k-th, since loops over
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


@njit(cache=True, nogil=True)
def power(x, powers):
    """psi(x). Fractional weights leave rounding errors in empty entries: where psi is x log2(x), 0 up to 0."""
    if powers.shape[0] == 0:
        return x * x
    if x <= 0.0:
        return 0.0
    # The conversion of a number beyond 64 bits is any number.
    if x < powers.shape[0]:
        whole = int(x)
        if whole == x:
            return powers[whole]
    return x * np.log2(x)


@njit(cache=True, nogil=True)
def rise(x, step, powers):
    """psi(x + step) - psi(x)."""
    return power(x + step, powers) - power(x, powers)


@njit(cache=True, nogil=True)
def loss(kind, cost, a, b, own, total, singles):
    """Loss of a partition from the three sums; :data:`~robust_eac.hard.tables.LOSSES` names them."""
    if kind == BINDER:
        return (cost * own + (2.0 - cost) * a - 2.0 * b) / (total * total)
    if kind == VI:
        return (cost * own + (2.0 - cost) * a - 2.0 * b) / total
    if kind == OMARI:
        pairs, together, shared = total * total - singles, a - singles, b - singles
        chance = together * (own - singles) / pairs if pairs > 0.0 else 0.0
        largest = 0.5 * (together + own - singles) - chance
        # Otherwise both put all objects together, or all apart.
        return 1.0 - (shared - chance) / largest if largest > _ROUNDING * pairs else 0.0
    scale = np.log2(total)
    of_consensus, of_partition, joint = scale - a / total, scale - own / total, scale - b / total
    information = of_consensus + of_partition - joint
    larger = max(of_consensus, of_partition)
    if kind == ID:
        return larger - information
    whole = joint if kind == NVI else larger
    # Otherwise neither tells objects apart.
    return 1.0 - information / whole if whole > _ROUNDING * max(abs(scale), 1.0) else 0.0


@njit(cache=True, nogil=True)
def losses(terms, a, b, out):
    """Fill out (m,) with the losses at sums a and b of every partition."""
    for u in range(out.shape[0]):
        out[u] = loss(terms.kind, terms.cost, a[u], b[u], terms.own[u], terms.totals[u], terms.singles[u])


@njit(cache=True, nogil=True)
def update_entry(x, row, column, coef, unit, powers, rises, falls):
    """Update the differences of a table entry that is x now; returns the larger of their two changes."""
    rise_before, fall_before = rises[row, column], falls[row, column]
    rises[row, column], falls[row, column] = coef * rise(x, unit, powers), -coef * rise(x, -unit, powers)
    return max(abs(rises[row, column] - rise_before), abs(falls[row, column] - fall_before))


@njit(cache=True, nogil=True)
def tabulate(terms, clusters, tables):
    """Fill counts, sizes and sums from the clusters of the rows, of which those in cluster -1 are left out."""
    counts, sizes, a, b, powers = tables.counts, tables.sizes, tables.a, tables.b, terms.powers
    codes, soft, observed, multiplicity = terms.codes, terms.soft, terms.observed, terms.multiplicity
    offsets, soft_slots, parts, slot_weights = terms.offsets, terms.soft_slots, terms.parts, terms.slot_weights
    counts[:] = 0.0
    sizes[:] = 0.0
    for i in range(clusters.shape[0]):
        own, w = clusters[i], multiplicity[i]
        if own >= 0:
            for u in range(codes.shape[1]):
                counts[offsets[u] + codes[i, u], own] += w
            for s in range(soft.shape[1]):
                counts[soft_slots[s], own] += w * soft[i, s]
            for g in range(sizes.shape[0]):
                if observed[i, g]:
                    sizes[g, own] += w
    counts[terms.missing] = 0.0
    b[:] = 0.0
    for slot in range(counts.shape[0]):
        for c in range(counts.shape[1]):
            b[parts[slot]] += slot_weights[slot] * power(counts[slot, c], powers)
    a[:] = 0.0
    for g in range(sizes.shape[0]):
        for c in range(sizes.shape[1]):
            a[g] += power(sizes[g, c], powers)


@njit(cache=True, nogil=True)
def fill_differences(terms, tables):
    """Fill the differences from counts, sizes and factors."""
    fill(tables.counts, terms.slot_coef, terms.unit, terms.powers, tables.rises, tables.falls)
    fill(tables.sizes, terms.mask_coef, terms.unit, terms.powers, tables.size_rises, tables.size_falls)
    tables.rises[terms.missing] = 0.0
    tables.falls[terms.missing] = 0.0


@njit(cache=True, nogil=True)
def fill(entries, coef, unit, powers, rises, falls):
    """Fill the differences of a table."""
    for row in range(entries.shape[0]):
        for c in range(entries.shape[1]):
            update_entry(entries[row, c], row, c, coef[row], unit, powers, rises, falls)


@njit(cache=True, nogil=True)
def linear_cost(i, w, terms, tables, cluster, sign):
    """What w objects like row i add to the linear loss in a cluster (sign 1), or what theirs do that are there (-1)."""
    codes, soft, observed, counts, sizes = terms.codes, terms.soft, terms.observed, tables.counts, tables.sizes
    offsets, soft_slots, parts, mask_of = terms.offsets, terms.soft_slots, terms.parts, terms.mask_of
    slot_coef, mask_coef, powers, cost = terms.slot_coef, terms.mask_coef, terms.powers, 0.0
    for u in range(codes.shape[1]):
        slot = offsets[u] + codes[i, u]
        if observed[i, mask_of[parts[slot]]]:
            cost += slot_coef[slot] * sign * rise(counts[slot, cluster], sign * w, powers)
    for s in range(soft.shape[1]):
        slot = soft_slots[s]
        cost += slot_coef[slot] * sign * rise(counts[slot, cluster], sign * w * soft[i, s], powers)
    for g in range(observed.shape[1]):
        if observed[i, g]:
            cost += mask_coef[g] * sign * rise(sizes[g, cluster], sign * w, powers)
    return cost


@njit(cache=True, nogil=True)
def gather(i, own, codes, observed, offsets, rises, falls, size_rises, size_falls, costs):
    """What row i, of unit weight, adds to the linear loss in every cluster; infinite behind the last one. O(m k)."""
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


@njit(cache=True, nogil=True)
def value_after(i, w, terms, tables, own, cluster):
    """The weighted loss with row i, of weight w, moved from its own cluster (or none, -1) to another; O(m)."""
    codes, observed, offsets, counts, sizes = terms.codes, terms.observed, terms.offsets, tables.counts, tables.sizes
    kind, loss_cost, weights, mask_of, powers = terms.kind, terms.cost, terms.weights, terms.mask_of, terms.powers
    sums_a, sums_b, sums, totals, singles = tables.a, tables.b, terms.own, terms.totals, terms.singles
    value = 0.0
    for u in range(sums_b.shape[0]):
        g = mask_of[u]
        a, b = sums_a[g], sums_b[u]
        if cluster != own and observed[i, g]:
            slot = offsets[u] + codes[i, u]
            b += rise(counts[slot, cluster], w, powers)
            a += rise(sizes[g, cluster], w, powers)
            if own >= 0:
                b += rise(counts[slot, own], -w, powers)
                a += rise(sizes[g, own], -w, powers)
        value += weights[u] * loss(kind, loss_cost, a, b, sums[u], totals[u], singles[u])
    return value


@njit(cache=True, nogil=True)
def values_after(i, w, terms, tables, own, costs):
    """The weighted loss with row i, of weight w, in every cluster: what it leaves is found once for all of them."""
    codes, observed, offsets, counts, sizes = terms.codes, terms.observed, terms.offsets, tables.counts, tables.sizes
    kind, cost, weights, mask_of, powers = terms.kind, terms.cost, terms.weights, terms.mask_of, terms.powers
    sums_a, sums_b, sums, totals, singles = tables.a, tables.b, terms.own, terms.totals, terms.singles
    costs[:] = 0.0
    for u in range(sums_b.shape[0]):
        g = mask_of[u]
        slot = offsets[u] + codes[i, u]
        a, b = sums_a[g], sums_b[u]
        here = weights[u] * loss(kind, cost, a, b, sums[u], totals[u], singles[u])
        if observed[i, g]:
            if own >= 0:
                a += rise(sizes[g, own], -w, powers)
                b += rise(counts[slot, own], -w, powers)
            for c in range(counts.shape[1]):
                if c == own:
                    costs[c] += here
                else:
                    to_a, to_b = rise(sizes[g, c], w, powers), rise(counts[slot, c], w, powers)
                    costs[c] += weights[u] * loss(kind, cost, a + to_a, b + to_b, sums[u], totals[u], singles[u])
        else:
            costs += here


@njit(cache=True, nogil=True)
def row_costs(i, w, terms, tables, exact, own, costs):
    """The weighted loss with row i, of any weight, in every cluster, or what it adds to the linear one, as `gather`."""
    if exact:
        values_after(i, w, terms, tables, own, costs)
    else:
        for c in range(tables.counts.shape[1]):
            costs[c] = linear_cost(i, w, terms, tables, c, -1.0 if c == own else 1.0)
    costs[tables.counts.shape[1] :] = np.inf


@njit(cache=True, nogil=True)
def best_moves(terms, tables, exact, clusters, best, rises):
    """Fill the best other cluster of every row, and the rise per weight; rows without any as if they weighed `unit`."""
    codes, observed, multiplicity, offsets = terms.codes, terms.observed, terms.multiplicity, terms.offsets
    onto, off, size_onto, size_off = tables.rises, tables.falls, tables.size_rises, tables.size_falls
    unit, plain = terms.unit, terms.soft.shape[1] == 0 and not exact
    costs = np.empty(onto.shape[1])
    for i in range(clusters.shape[0]):
        weighs, own = multiplicity[i] > 0.0, clusters[i]
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        if plain and w == unit:
            gather(i, inside, codes, observed, offsets, onto, off, size_onto, size_off, costs)
        else:
            row_costs(i, w, terms, tables, exact and weighs, inside, costs)
        here = costs[own]
        costs[own] = np.inf
        best[i] = np.argmin(costs)
        rises[i] = (costs[best[i]] - here) / w


@njit(cache=True, nogil=True)
def add_to(i, step, terms, tables, cluster):
    """Add `step` objects like row i to a cluster; returns by how much the costs of a row of unit weight can change."""
    codes, soft, observed, offsets = terms.codes, terms.soft, terms.observed, terms.offsets
    parts, mask_of, slot_weights, soft_slots = terms.parts, terms.mask_of, terms.slot_weights, terms.soft_slots
    counts, sizes, a, b, drift = tables.counts, tables.sizes, tables.a, tables.b, 0.0
    slot_coef, mask_coef, unit, powers = terms.slot_coef, terms.mask_coef, terms.unit, terms.powers
    rises, falls, size_rises, size_falls = tables.rises, tables.falls, tables.size_rises, tables.size_falls
    for u in range(codes.shape[1]):
        slot = offsets[u] + codes[i, u]
        part = parts[slot]
        if observed[i, mask_of[part]]:
            x = counts[slot, cluster]
            b[part] += slot_weights[slot] * rise(x, step, powers)
            counts[slot, cluster] = x + step
            drift += update_entry(x + step, slot, cluster, slot_coef[slot], unit, powers, rises, falls)
    for s in range(soft.shape[1]):
        slot, share = soft_slots[s], step * soft[i, s]
        x = counts[slot, cluster]
        b[parts[slot]] += slot_weights[slot] * rise(x, share, powers)
        counts[slot, cluster] = x + share
        drift += update_entry(x + share, slot, cluster, slot_coef[slot], unit, powers, rises, falls)
    for g in range(observed.shape[1]):
        if observed[i, g]:
            x = sizes[g, cluster]
            a[g] += rise(x, step, powers)
            sizes[g, cluster] = x + step
            drift += update_entry(x + step, g, cluster, mask_coef[g], unit, powers, size_rises, size_falls)
    return drift


@njit(cache=True, nogil=True)
def relocate(order, terms, tables, exact, slack, clusters, margins, drift):
    """Move rows, in the given order, to the cluster of least weighted loss; returns (rows moved, drift).

    A loss that is not linear is approximated by one that is, unless `exact`; a move is made if it lowers the loss
    itself by more than slack. Rows of cluster -1 are new and go where the approximation is least, and so do rows
    without weight.

    ``margins[i]`` is by how much the cheapest other cluster cost row i more than its own when it was looked at, plus
    the drift then. As long as the drift has not caught up, a row of unit weight stays: O(1). O(m k) for the others.
    """
    codes, observed, multiplicity, offsets = terms.codes, terms.observed, terms.multiplicity, terms.offsets
    rises, falls, size_rises, size_falls = tables.rises, tables.falls, tables.size_rises, tables.size_falls
    unit, plain = terms.unit, terms.soft.shape[1] == 0 and not exact
    linear = terms.kind == BINDER or terms.kind == VI
    costs = np.empty(rises.shape[1])
    n_moved = 0
    for i in order:
        own = clusters[i]
        if own >= 0 and margins[i] - drift > slack:
            continue
        weighs = multiplicity[i] > 0.0
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        if plain and w == unit:
            gather(i, inside, codes, observed, offsets, rises, falls, size_rises, size_falls, costs)
        else:
            row_costs(i, w, terms, tables, exact and weighs, inside, costs)
        best = np.argmin(costs)
        if own >= 0 and costs[best] >= costs[own] - slack:
            best = own
        if best != own and own >= 0 and weighs and not linear:
            here = value_after(i, w, terms, tables, inside, own)
            if value_after(i, w, terms, tables, inside, best) >= here - slack:
                best = own
        here = costs[best]
        costs[best] = np.inf
        bounded = weighs and not exact and w == unit
        margins[i] = costs.min() - here if bounded else -np.inf
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
def take_out(rows, terms, tables, clusters, drift):
    """Take rows out of their clusters, into none (-1); returns the drift."""
    for i in rows:
        if terms.multiplicity[i] > 0.0:
            drift += add_to(i, -terms.multiplicity[i], terms, tables, clusters[i])
        clusters[i] = -1
    return drift
