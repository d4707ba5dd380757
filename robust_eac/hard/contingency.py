"""Contingency tables of an ensemble and a partition, its losses, and kernels that move rows to lower them.

For a partition u and a consensus with cluster sizes n_l and N_c and contingency n_lc, a loss is a linear function of

    own = sum_l psi(n_l),  a = sum_c psi(N_c),  b = sum_lc psi(n_lc),   psi(x) = x^2 or x log2(x),

over the objects that u observes. Loops read arrays under local names: every access to a field of a tuple counts
references, which takes longer than the arithmetic.
"""

from typing import NamedTuple

import numpy as np

from ..core.formula import WIDTH
from ..core.kernels import count, njit
from ..ensemble.encoding import RowData

# Gains below this share of the largest possible loss are rounding.
LEAST_GAIN = 1e-13
# Largest size of the lookup table for x log2(x).
_POWERS = 2**20


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

    def units(self, partitions):
        """(m,) denominators of the losses of the partitions of an encoding."""
        return partitions.n_observed**2 if self.squares else partitions.n_observed

    def largest(self, total):
        """The order of magnitude of the terms whose difference is the loss, for objects of this total weight."""
        return 2.0 if self.squares else 2.0 * max(abs(np.log2(total)), 1.0)


LOSSES = {"binder": Loss(squares=True), "vi": Loss(squares=False)}


class LossTerms(NamedTuple):
    """What the kernels read of an ensemble, its weights and the loss; the tables change.

    rows, offsets, missing, mask_of : see :class:`~robust_eac.ensemble.encoding.Encoding`.
    coef : (n_slots + n_masks,) factors of psi(n_lc) and psi(N_c) in the weighted loss.
    unit : the commonest weight of a row, for which tables contain differences.
    powers : psi of 0, 1, 2, ...; empty where psi(x) = x^2.
    """

    rows: RowData
    offsets: np.ndarray
    missing: np.ndarray
    mask_of: np.ndarray
    coef: np.ndarray
    unit: float
    powers: np.ndarray


class Tables(NamedTuple):
    """Tables that moves change, with a column per cluster.

    entries : (n_slots + n_masks, k) counts n_lc of the slots, then sizes N_c of the masks.
    rises, falls : change of the weighted loss in the cluster that a row of unit weight joins, and in the one it leaves:
        coef (psi(x + unit) - psi(x)) and coef (psi(x) - psi(x - unit)) of the entries. Rises are padded with columns of
        zeros, since loops over whole vectors are faster.
    a, b : (n_masks,) and (m,) sums of psi.
    """

    entries: np.ndarray
    rises: np.ndarray
    falls: np.ndarray
    a: np.ndarray
    b: np.ndarray


def terms_of(encoding, weights, loss):
    """The :class:`LossTerms` of an encoding's partitions."""
    partitions = encoding.partitions
    multiplicity = encoding.rows.multiplicity
    powers = np.empty(0)
    if not loss.squares:
        whole = not np.any(multiplicity % 1.0)
        powers = loss.psi(np.arange(min(partitions.total, _POWERS) + 1.0 if whole else 1.0))
    coef = weights / loss.units(partitions)
    by_slot = -2.0 * partitions.by_slot(coef)
    by_mask = (2.0 - loss.cost) * partitions.by_mask(coef)
    kinds, n_rows = np.unique(multiplicity[multiplicity > 0.0], return_counts=True)
    return LossTerms(
        encoding.rows,
        partitions.offsets,
        partitions.missing_slots,
        partitions.mask_of,
        coef=np.concatenate([by_slot, by_mask]),
        unit=float(kinds[n_rows.argmax()]),
        powers=powers,
    )


def tabulate(terms, clusters, n_columns):
    """The tables of the clusters of the rows, without the rows in cluster -1; differences are zero. O(n m)"""
    width = n_columns + -n_columns % WIDTH
    tables = Tables(
        entries=np.empty((len(terms.coef), n_columns)),
        rises=np.zeros((len(terms.coef), width)),
        falls=np.zeros((len(terms.coef), n_columns)),
        a=np.empty(terms.rows.observed.shape[1]),
        b=np.empty(len(terms.offsets)),
    )
    fill_entries(terms, clusters, tables)
    return tables


def losses_at(partitions, loss):
    """Function of the sums over masks and over partitions: (m,) losses of an encoding's partitions."""
    own = partitions.sum_slots(loss.psi(partitions.sizes))
    units = loss.units(partitions)
    return lambda a, b: (loss.cost * own + (2.0 - loss.cost) * a[partitions.mask_of] - 2.0 * b) / units


def hard_losses(encoding, clusters, loss):
    """(m,) losses of all partitions against the clusters of an encoding's rows."""
    terms = terms_of(encoding, np.ones(encoding.partitions.n_partitions), loss)
    tables = tabulate(terms, clusters, 1 + int(clusters.max()))
    found = losses_at(encoding.partitions, loss)(tables.a, tables.b)
    # The difference of large numbers: rounding must not hide perfect agreement.
    found[found < LEAST_GAIN * loss.largest(encoding.partitions.total)] = 0.0
    return found


def moves(encoding, weights, loss, clusters, n_clusters):
    """(best other cluster of every row, rise of the weighted loss per unit of its weight) with this many clusters."""
    terms = terms_of(encoding, weights, loss)
    own = np.asarray(clusters, dtype=np.intp)
    best = np.empty(len(own), dtype=np.intp)
    rises = np.empty(len(own))
    tables = tabulate(terms, own, n_clusters)
    fill_differences(terms, tables)
    fill_moves(terms, tables, own, best, rises)
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
    rise_before = rises[row, column]
    fall_before = falls[row, column]
    rises[row, column] = coef[row] * rise(x, unit, powers)
    falls[row, column] = -coef[row] * rise(x, -unit, powers)
    return max(abs(rises[row, column] - rise_before), abs(falls[row, column] - fall_before))


@njit
def fill_entries(terms, clusters, tables):
    """Fill entries and sums from the clusters of the rows; rows in cluster -1 are left out."""
    codes = terms.rows.codes
    multiplicity = terms.rows.multiplicity
    observed = terms.rows.observed
    offsets = terms.offsets
    powers = terms.powers
    entries = tables.entries
    a = tables.a
    b = tables.b
    n_slots = entries.shape[0] - a.shape[0]
    entries[:] = 0.0
    count(codes, offsets, multiplicity, clusters, entries)
    for i in range(clusters.shape[0]):
        for g in range(a.shape[0]):
            if clusters[i] >= 0 and observed[i, g]:
                entries[n_slots + g, clusters[i]] += multiplicity[i]
    entries[terms.missing] = 0.0
    b[:] = 0.0
    for u in range(b.shape[0]):
        end = offsets[u + 1] if u + 1 < b.shape[0] else n_slots
        for slot in range(offsets[u], end):
            for c in range(entries.shape[1]):
                b[u] += power(entries[slot, c], powers)
    a[:] = 0.0
    for g in range(a.shape[0]):
        for c in range(entries.shape[1]):
            a[g] += power(entries[n_slots + g, c], powers)


@njit
def fill_differences(terms, tables):
    """Fill the differences from entries and factors."""
    coef = terms.coef
    unit = terms.unit
    powers = terms.powers
    entries = tables.entries
    rises = tables.rises
    falls = tables.falls
    for row in range(entries.shape[0]):
        for c in range(entries.shape[1]):
            update_entry(entries[row, c], row, c, coef, unit, powers, rises, falls)
    rises[terms.missing] = 0.0
    falls[terms.missing] = 0.0


@njit
def unit_costs(i, own, codes, observed, offsets, rises, falls, costs):
    """Fill costs with the weighted loss of row i, of unit weight, in every cluster; infinity after the last. O(m k)."""
    n_slots = rises.shape[0] - observed.shape[1]
    costs[:] = 0.0
    # Four partitions at a time: otherwise every addition waits for the store of the one before.
    rest = codes.shape[1] - codes.shape[1] % 4
    for u in range(0, rest, 4):
        slot0 = offsets[u] + codes[i, u]
        slot1 = offsets[u + 1] + codes[i, u + 1]
        slot2 = offsets[u + 2] + codes[i, u + 2]
        slot3 = offsets[u + 3] + codes[i, u + 3]
        for c in range(costs.shape[0]):
            costs[c] += (rises[slot0, c] + rises[slot1, c]) + (rises[slot2, c] + rises[slot3, c])
    for u in range(rest, codes.shape[1]):
        slot = offsets[u] + codes[i, u]
        for c in range(costs.shape[0]):
            costs[c] += rises[slot, c]
    for g in range(observed.shape[1]):
        if observed[i, g]:
            for c in range(costs.shape[0]):
                costs[c] += rises[n_slots + g, c]
    if own >= 0:
        here = 0.0
        for u in range(codes.shape[1]):
            here += falls[offsets[u] + codes[i, u], own]
        for g in range(observed.shape[1]):
            if observed[i, g]:
                here += falls[n_slots + g, own]
        costs[own] = here
    costs[falls.shape[1] :] = np.inf


@njit
def row_costs(i, w, terms, tables, own, costs):
    """As :func:`unit_costs` for a row of any weight w."""
    codes = terms.rows.codes
    observed = terms.rows.observed
    offsets = terms.offsets
    mask_of = terms.mask_of
    coef = terms.coef
    powers = terms.powers
    entries = tables.entries
    n_slots = entries.shape[0] - observed.shape[1]
    costs[:] = np.inf
    for c in range(entries.shape[1]):
        sign = -1.0 if c == own else 1.0
        cost = 0.0
        for u in range(codes.shape[1]):
            if observed[i, mask_of[u]]:
                slot = offsets[u] + codes[i, u]
                cost += coef[slot] * sign * rise(entries[slot, c], sign * w, powers)
        for g in range(observed.shape[1]):
            if observed[i, g]:
                cost += coef[n_slots + g] * sign * rise(entries[n_slots + g, c], sign * w, powers)
        costs[c] = cost


@njit
def fill_moves(terms, tables, clusters, best, rises):
    """Fill the best other cluster of every row and the rise per weight; rows of weight zero count as if of `unit`."""
    codes = terms.rows.codes
    multiplicity = terms.rows.multiplicity
    observed = terms.rows.observed
    offsets = terms.offsets
    unit = terms.unit
    onto = tables.rises
    off = tables.falls
    costs = np.empty(onto.shape[1])
    for i in range(clusters.shape[0]):
        weighs = multiplicity[i] > 0.0
        own = clusters[i]
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        if w == unit:
            unit_costs(i, inside, codes, observed, offsets, onto, off, costs)
        else:
            row_costs(i, w, terms, tables, inside, costs)
        here = costs[own]
        costs[own] = np.inf
        best[i] = np.argmin(costs)
        rises[i] = (costs[best[i]] - here) / w


@njit
def add_to(i, step, terms, tables, cluster):
    """Add `step` objects like row i to a cluster; returns the largest change of the costs of a row of unit weight."""
    codes = terms.rows.codes
    observed = terms.rows.observed
    offsets = terms.offsets
    mask_of = terms.mask_of
    coef = terms.coef
    unit = terms.unit
    powers = terms.powers
    entries, rises, falls, a, b = tables
    drift = 0.0
    for u in range(codes.shape[1]):
        if observed[i, mask_of[u]]:
            slot = offsets[u] + codes[i, u]
            x = entries[slot, cluster]
            b[u] += rise(x, step, powers)
            entries[slot, cluster] = x + step
            drift += update_entry(x + step, slot, cluster, coef, unit, powers, rises, falls)
    n_slots = entries.shape[0] - a.shape[0]
    for g in range(a.shape[0]):
        if observed[i, g]:
            x = entries[n_slots + g, cluster]
            a[g] += rise(x, step, powers)
            entries[n_slots + g, cluster] = x + step
            drift += update_entry(x + step, n_slots + g, cluster, coef, unit, powers, rises, falls)
    return drift


@njit
def relocate(order, terms, tables, slack, clusters, margins, drift):
    """Move rows, in the given order, to the cluster of least weighted loss; returns (rows moved, drift).

    A move is made if it lowers the loss by more than slack. Rows of cluster -1 go where they cost least.

    ``margins[i]`` is the difference in cost between the cheapest other cluster of row i and its own when these costs
    were last computed, plus the drift then. While the drift is smaller, a row of unit weight stays: O(1). Other rows
    take O(m k).
    """
    codes = terms.rows.codes
    multiplicity = terms.rows.multiplicity
    observed = terms.rows.observed
    offsets = terms.offsets
    unit = terms.unit
    rises = tables.rises
    falls = tables.falls
    costs = np.empty(rises.shape[1])
    n_moved = 0
    for i in order:
        own = clusters[i]
        if own >= 0 and margins[i] - drift > slack:
            continue
        weighs = multiplicity[i] > 0.0
        w, inside = (multiplicity[i], own) if weighs else (unit, -1)
        if w == unit:
            unit_costs(i, inside, codes, observed, offsets, rises, falls, costs)
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
    multiplicity = terms.rows.multiplicity
    for i in rows:
        if multiplicity[i] > 0.0:
            drift += add_to(i, -multiplicity[i], terms, tables, clusters[i])
        clusters[i] = -1
    return drift
