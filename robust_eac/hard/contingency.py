"""Contingency tables of an ensemble and a partition, its losses, and kernels that move rows to lower them.

For a partition u and a consensus with cluster sizes n_l and N_c and contingency n_lc, a loss is a linear function of

    own = sum_l psi(n_l),  a = sum_c psi(N_c),  b = sum_lc psi(n_lc),   psi(x) = x^2 or x log2(x),

over the objects that u observes. Loops read arrays under local names: every access to a field of a tuple counts
references, which takes longer than the arithmetic.
"""

from typing import NamedTuple

import numpy as np

from ..core.compiling import njit

# Gains below this share of the largest possible loss are rounding.
SLACK = 1e-13
# Largest size of the lookup table for x log2(x).
_POWERS = 2**20
# Numbers in a SIMD vector.
_WIDTH = 4


class Loss(NamedTuple):
    """A loss between partitions.

    squares : whether it counts pairs (psi(x) = x^2); otherwise information, in bits (psi(x) = x log2(x)).
    cost : of separating objects that a partition puts together; joining objects that it separates costs 2 - cost.
    """

    squares: bool
    cost: float = 1.0

    def psi(self, x):
        """The function whose sums make up the loss."""
        return x**2 if self.squares else x * np.log2(np.where(x > 0.0, x, 1.0))

    def largest(self, total):
        """The order of magnitude of the terms whose difference is the loss, for objects of this total weight."""
        return 2.0 if self.squares else 2.0 * max(abs(np.log2(total)), 1.0)


LOSSES = {"binder": Loss(squares=True), "vi": Loss(squares=False)}


class LossTerms(NamedTuple):
    """The constants of the weighted loss; the tables change.

    codes, multiplicity, observed, offsets, missing : the rows and their slots; see
        :class:`~robust_eac.core.arrays.RowData` and :class:`~robust_eac.core.arrays.Slots`.
    cost : see :class:`Loss`.
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


class Tables(NamedTuple):
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


def terms_of(encoding, weights, loss):
    """The :class:`LossTerms` of an encoding's partitions."""
    units = encoding.partitions.n_observed
    if loss.squares:
        units = units**2
    powers = np.empty(0)
    if not loss.squares:
        whole = not np.any(encoding.rows.multiplicity % 1.0)
        powers = loss.psi(np.arange(min(encoding.partitions.total, _POWERS) + 1.0 if whole else 1.0))
    coef = weights / units
    kinds, n_rows = np.unique(encoding.rows.multiplicity[encoding.rows.multiplicity > 0.0], return_counts=True)
    return LossTerms(
        *encoding.rows,
        encoding.partitions.offsets,
        encoding.partitions.missing_slots,
        cost=loss.cost,
        weights=weights,
        mask_of=encoding.partitions.mask_of,
        units=units,
        own=encoding.partitions.sum_slots(loss.psi(encoding.partitions.sizes)),
        parts=np.repeat(np.arange(len(units)), encoding.partitions.n_codes),
        slot_coef=-2.0 * encoding.partitions.by_slot(coef),
        mask_coef=(2.0 - loss.cost) * encoding.partitions.by_mask(coef),
        unit=float(kinds[n_rows.argmax()]),
        powers=powers,
    )


def tabulate(encoding, terms, clusters, n_columns):
    """The tables of the clusters of an encoding's rows, without the rows in cluster -1; differences are zero. O(n m)"""
    n_slots, n_masks = len(encoding.partitions.sizes), encoding.rows.observed.shape[1]
    width = n_columns + -n_columns % _WIDTH
    tables = Tables(
        counts=np.empty((n_slots, n_columns)),
        rises=np.zeros((n_slots, width)),
        falls=np.zeros((n_slots, n_columns)),
        sizes=np.empty((n_masks, n_columns)),
        size_rises=np.zeros((n_masks, width)),
        size_falls=np.zeros((n_masks, n_columns)),
        a=np.empty(n_masks),
        b=np.empty(len(encoding.partitions.offsets)),
    )
    fill_counts(terms, clusters, tables)
    return tables


def losses_at(terms, a, b):
    """(m,) losses at the sums over masks and over partitions."""
    return (terms.cost * terms.own + (2.0 - terms.cost) * a[terms.mask_of] - 2.0 * b) / terms.units


def partition_losses(encoding, clusters, loss):
    """(m,) losses of all partitions against the clusters of an encoding's rows."""
    terms = terms_of(encoding, np.ones(len(encoding.partitions.offsets)), loss)
    tables = tabulate(encoding, terms, clusters, 1 + int(clusters.max()))
    found = losses_at(terms, tables.a, tables.b)
    # The difference of large numbers: rounding must not hide perfect agreement.
    found[found < SLACK * loss.largest(encoding.partitions.total)] = 0.0
    return found


def moves(encoding, weights, loss, clusters, n_clusters):
    """(best other cluster of every row, rise of the weighted loss per unit of its weight) with this many clusters."""
    terms, own = terms_of(encoding, weights, loss), np.asarray(clusters, dtype=np.intp)
    best, rises = np.empty(len(own), dtype=np.intp), np.empty(len(own))
    tables = tabulate(encoding, terms, own, n_clusters)
    fill_differences(terms, tables)
    best_moves(terms, tables, own, best, rises)
    return best, rises


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
def update_entry(x, row, column, coef, unit, powers, rises, falls):
    """Update the differences of a table entry that is now x; returns the larger of their two changes."""
    rise_before, fall_before = rises[row, column], falls[row, column]
    rises[row, column] = coef * rise(x, unit, powers)
    falls[row, column] = -coef * rise(x, -unit, powers)
    return max(abs(rises[row, column] - rise_before), abs(falls[row, column] - fall_before))


@njit
def fill_counts(terms, clusters, tables):
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
    """As :func:`gather` for a row of any weight w."""
    codes, observed, offsets = terms.codes, terms.observed, terms.offsets
    counts, sizes = tables.counts, tables.sizes
    parts, mask_of = terms.parts, terms.mask_of
    slot_coef, mask_coef, powers = terms.slot_coef, terms.mask_coef, terms.powers
    costs[:] = np.inf
    for c in range(counts.shape[1]):
        sign, cost = (-1.0 if c == own else 1.0), 0.0
        for u in range(codes.shape[1]):
            slot = offsets[u] + codes[i, u]
            if observed[i, mask_of[parts[slot]]]:
                cost += slot_coef[slot] * sign * rise(counts[slot, c], sign * w, powers)
        for g in range(observed.shape[1]):
            if observed[i, g]:
                cost += mask_coef[g] * sign * rise(sizes[g, c], sign * w, powers)
        costs[c] = cost


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
