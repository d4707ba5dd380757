"""Search for the partition of least weighted loss: moves of rows, and clusters that are dissolved and grown again."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..checks.values import MAX_DENSE
from ..objectives import MANY
from ..solve.encoding import collapse, select
from ..solve.threads import end_if_told
from . import contingency, sparse_counts
from .contingency import Judged, Tables
from .sparse_counts import SparseTables

# Gains below this share of the largest possible loss are rounding.
_SLACK = 1e-13
# x log2(x) is looked up for so many whole numbers.
_POWERS = 2**20
# Empty clusters at hand: one for every so many used ones, at least two.
_SPARE = 4
# Before any row is in a cluster: as many at hand as base partitions have, in tables of at most so many entries.
_FIRST_ENTRIES = 2**22
# The same for more than MANY clusters, which take no time while they are empty.
_SPARE_OF_MANY = 4
# Rows that are visited before the search looks whether it was interrupted.
_UNINTERRUPTED = 2**14
# Columns of tables in a SIMD vector.
_WIDTH = 4
# Two clusters are dissolved together if their rows x partitions x (largest number of clusters)^4 are at most this.
_PAIR_WORK = 2 * 10**9
# Losses are linearised over this many rows of mean weight (moving them changes a sum of squares n times as much).
_SECANT = 2.0


class Loss(NamedTuple):
    """A loss between partitions.

    kind : its number in :mod:`~robust_eac.hard.contingency`.
    squares : whether it counts pairs (psi(x) = x^2); otherwise information, in bits (psi(x) = x log2(x)).
    linear : whether it is linear in the sums a and b; then `cost` can be chosen.
    """

    kind: int
    squares: bool
    linear: bool

    def largest(self, total):
        """A number of the size of the terms whose difference the loss is, for objects of this total weight."""
        return 2.0 * max(abs(np.log2(total)), 1.0) if self.kind in (contingency.VI, contingency.ID) else 2.0


LOSSES = {
    "binder": Loss(contingency.BINDER, squares=True, linear=True),
    "vi": Loss(contingency.VI, squares=False, linear=True),
    "omari": Loss(contingency.OMARI, squares=True, linear=False),
    "nvi": Loss(contingency.NVI, squares=False, linear=False),
    "id": Loss(contingency.ID, squares=False, linear=False),
    "nid": Loss(contingency.NID, squares=False, linear=False),
}


class Aim(NamedTuple):
    """What a search lowers: the :class:`Loss` with its cost, and the largest number of clusters."""

    loss: Loss
    cost: float
    n_clusters: int


class Search:
    """A partition of an encoding's rows, and steps down its weighted loss.

    `clusters` (n_rows,) has the cluster of every row, -1 of those that are in none. Partitions without weight are not
    read. `n_moves` counts moves, `n_passes` visits of all rows, not those after dissolving clusters. With more than
    MANY columns under a linear loss tables are sparse, and no clusters are dissolved.
    """

    def __init__(self, encoding, weights, aim, clusters):
        active = np.flatnonzero(weights)
        self._encoding = select(encoding, active) if len(active) < len(weights) else encoding
        self._aim, self._judged = aim, _judge(self._encoding, weights[active], aim)
        self._slack = _SLACK * aim.loss.largest(encoding.total)
        self.n_moves = self.n_passes = 0
        self.clusters = np.array(clusters, dtype=np.intp)
        n_used = 1 + self.clusters.max(initial=-1)
        if n_used == 0:
            # The first rows open clusters, and what starts in too few seldom finds the others.
            n_used = first_clusters(self._encoding, aim)
        self._tabulate(_room(int(n_used), aim.n_clusters))

    @property
    def value(self):
        """The weighted loss."""
        return float(self._judged.weights @ _losses(self._judged, self._tables))

    def settle(self, rng, max_passes, *, exact=True):
        """Pass over all rows in random order until no move lowers the loss; whether it came to that.

        A loss that is not linear is followed along secants, which are found anew for every pass. If `exact`, all moves
        are tried under the loss itself once these lead no further.
        """
        for _ in range(max_passes):
            self._make_room()
            self._linearise()
            moved = self._visit(rng.permutation(len(self.clusters)))
            self.n_passes += 1
            if moved == 0 and exact and not self._aim.loss.linear:
                self._margins[:] = -np.inf
                moved = self._visit(rng.permutation(len(self.clusters)), exact=True)
            if moved == 0:
                return True
        return False

    def allocate(self, order):
        """Put rows that are in no cluster where they cost least, one after the other."""
        self._linearise()
        self._visit(order)

    def dissolve(self, rng, max_passes):
        """Dissolve clusters, let their rows find new ones, and settle; undo it unless it pays.

        Until no cluster is better dissolved, nor two better merged, nor two small ones better dissolved together. Pairs
        help where no more clusters may open. What is tried counts as moves if it pays, and never as passes.
        """
        n_passes, pays = self.n_passes, True
        while pays:
            while self._merge():
                self.settle(rng, max_passes, exact=False)
            # Settling can open so many clusters that tables are sparse now.
            pays = not self._is_sparse and any(self._regrow(group, rng, max_passes) for group in self._groups(rng))
        self.n_passes = n_passes

    def _groups(self, rng):
        """Yield the clusters to dissolve together, in random order."""
        used, sizes = np.unique(self.clusters, return_counts=True)
        yield from rng.permutation(used)[:, np.newaxis]
        n_columns = self._encoding.codes.shape[1] + self._encoding.soft.shape[1]
        most = _PAIR_WORK / (n_columns * float(self._aim.n_clusters) ** 4)
        small = np.flatnonzero(sizes <= most)
        pairs = small[np.column_stack(np.triu_indices(len(small), 1))]
        yield from rng.permutation(used[pairs[sizes[pairs].sum(axis=1) <= most]])

    def _merge(self):
        """Merge the two clusters whose merger lowers the loss most; returns whether there are any such two."""
        if self._is_sparse:
            return False
        judged, tables, psi = self._judged, self._tables, np.square if self._aim.loss.squares else _xlogx
        of_counts = np.add.reduceat(judged.slot_weights[:, np.newaxis] * psi(tables.counts), self._encoding.offsets)
        of_sizes, best, least = psi(tables.sizes), None, self.value - self._slack
        for c, d in combinations(np.unique(self.clusters), 2):
            together = judged.slot_weights * psi(tables.counts[:, c] + tables.counts[:, d])
            b = np.add.reduceat(together, self._encoding.offsets) - of_counts[:, c] - of_counts[:, d]
            a = psi(tables.sizes[:, c] + tables.sizes[:, d]) - of_sizes[:, c] - of_sizes[:, d]
            value = judged.weights @ _losses(judged, tables, a[judged.mask_of], b)
            if value < least:
                best, least = (c, d), value
        if best is None:
            return False
        self.n_moves += int(np.count_nonzero(self.clusters == best[1]))
        self.clusters[self.clusters == best[1]] = best[0]
        self._tabulate(tables.counts.shape[1])
        return True

    def _regrow(self, group, rng, max_passes):
        """Dissolve a group of clusters and undo it unless it pays; returns whether it does."""
        before, kept, n_moves = self.value, self._state(), self.n_moves
        rows = rng.permutation(np.flatnonzero(np.isin(self.clusters, group)))
        self._drift = contingency.take_out(rows, *self._problem, self._tables, self.clusters, self._drift)
        self._visit(rows)
        self.settle(rng, max_passes, exact=False)
        if self.value < before - self._slack:
            return True
        self._restore(kept)
        self.n_moves = n_moves
        return False

    @property
    def _problem(self):
        return self._encoding.data, self._encoding.slots, self._judged

    def _visit(self, order, *, exact=False):
        before = self.n_moves
        for first in range(0, len(order), _UNINTERRUPTED):
            end_if_told()
            rows = order[first : first + _UNINTERRUPTED]
            state = self._slack, self.clusters, self._margins, self._drift
            if self._is_sparse:
                moved, self._drift = sparse_counts.relocate(rows, *self._problem, self._tables, *state)
            else:
                moved, self._drift = contingency.relocate(rows, *self._problem, self._tables, exact, *state)
            self.n_moves += moved
        return self.n_moves - before

    @property
    def _is_sparse(self):
        return isinstance(self._tables, SparseTables)

    @property
    def _n_columns(self):
        return len(self._tables.held) if self._is_sparse else self._tables.counts.shape[1]

    def _tabulate(self, n_columns):
        if n_columns > MANY and self._aim.loss.linear:
            n_columns = int(min(self._aim.n_clusters, _SPARE_OF_MANY * n_columns))
            self._tables = sparse_counts.tables_of(self._encoding, self._judged, self.clusters, n_columns)
        else:
            check_tables(self._encoding, self._aim, n_columns)
            self._tables = _tabulate(self._encoding, self._judged, self.clusters, n_columns)
            contingency.differ(self._encoding.slots, self._judged, self._tables)
        self._margins, self._drift = np.full(len(self.clusters), -np.inf), 0.0

    def _make_room(self):
        """Keep some empty clusters, but not many: each costs as much as a full one. Twice as many if they run out."""
        used = np.unique(self.clusters)
        n_columns, limit = self._n_columns, self._aim.n_clusters
        room = _room(len(used), limit)
        # Twice as many columns as are wanted keep tables from going back and forth between sparse and dense.
        if n_columns == len(used) < limit:
            self._tables_of(used, min(limit, 2 * n_columns))
        elif n_columns > 2 * room and (not self._is_sparse or 2 * room <= MANY):
            self._tables_of(used, room)

    def _tables_of(self, used, n_columns):
        """Number the used clusters 0, 1, ... and tabulate this many."""
        self.clusters = np.searchsorted(used, self.clusters)
        self._tabulate(n_columns)

    def _linearise(self):
        if not self._aim.loss.linear:
            self._judged = _linearised(self._judged, self._tables, self._aim.loss, _secant(self._encoding))
            contingency.differ(self._encoding.slots, self._judged, self._tables)
            self._margins[:] = -np.inf

    def _state(self):
        arrays = self.clusters, self._margins, *self._tables
        return [array.copy() for array in arrays], self._drift, self._judged

    def _restore(self, state):
        (self.clusters, self._margins, *tables), self._drift, self._judged = state
        self._tables = Tables(*tables)


def partition_losses(encoding, clusters, aim):
    """(m,) losses of all partitions against the clusters of an encoding's rows."""
    judged, k = _judge(encoding, np.ones(len(encoding.offsets)), aim), 1 + int(clusters.max())
    tabulate = _tabulate if k <= MANY else sparse_counts.tables_of
    found = _losses(judged, tabulate(encoding, judged, clusters, k))
    # The difference of large numbers: rounding must not hide perfect agreement.
    found[found < _SLACK * aim.loss.largest(encoding.total)] = 0.0
    return found


def moves(encoding, weights, aim, clusters, n_clusters):
    """(best other cluster of every row, rise of the weighted loss per unit of its weight) with this many clusters.

    Rows without weight move as if they had the commonest weight of a row.
    """
    judged, own = _judge(encoding, weights, aim), np.asarray(clusters, dtype=np.intp)
    best, rises = np.empty(len(own), dtype=np.intp), np.empty(len(own))
    if n_clusters > MANY and aim.loss.linear:
        tables = sparse_counts.tables_of(encoding, judged, own, n_clusters)
        sparse_counts.look(encoding.data, encoding.slots, judged, tables, own, best, rises)
        return best, rises
    check_tables(encoding, aim, n_clusters)
    tables = _tabulate(encoding, judged, own, n_clusters)
    if not aim.loss.linear:
        judged = _linearised(judged, tables, aim.loss, _secant(encoding))
    contingency.differ(encoding.slots, judged, tables)
    contingency.look(encoding.data, encoding.slots, judged, tables, not aim.loss.linear, own, best, rises)
    return best, rises


def group(encoding, weights, aim, clusters=None):
    """The encoding with one row for all copies of an object that are in the same cluster and may stay together.

    A partition that no single move improves never separates copies, unless they are no better together than apart:
    objects of soft or weighted base clusters, which have little in common with themselves.
    """
    apart = np.zeros(len(encoding.codes), dtype=bool)
    if len(encoding.unlike_self):
        similarity = encoding.mean_self_similarity(weights * encoding.scale)
        apart = similarity <= 1.0 - 0.5 * aim.cost
    numbers = [np.where(apart, 1.0 + np.arange(len(apart)), 0.0)]
    if clusters is not None:
        numbers.append(clusters.astype(np.float64))
    return collapse(encoding, np.column_stack(numbers), min_saving=0.0)


def first_clusters(encoding, aim):
    """Clusters to find room for before any row is in one: as many as base partitions have."""
    typical = int(np.median(encoding.n_codes))
    if aim.loss.linear and _room(typical, aim.n_clusters) > MANY:
        return typical
    return min(typical, _FIRST_ENTRIES // len(encoding.sizes))


def check_tables(encoding, aim, n_columns):
    """Refuse tables too large for memory; under linear losses they are small or sparse."""
    n_slots = len(encoding.sizes)
    if not aim.loss.linear and n_slots * n_columns > MAX_DENSE:
        name = next(name for name, loss in LOSSES.items() if loss.kind == aim.loss.kind)
        raise ValueError(
            f"n_clusters must be at most {MAX_DENSE // n_slots} with loss={name!r} and {n_slots} base clusters, got "
            f'{n_columns}: only "binder" and "vi" take more.'
        )


def _room(n_used, limit):
    return int(min(limit, n_used + max(2, n_used // _SPARE)))


def _judge(encoding, weights, aim):
    """The :class:`Judged` of an encoding's partitions."""
    loss, totals = aim.loss, encoding.n_observed
    powers = np.empty(0) if loss.squares else _xlogx(np.arange(int(min(encoding.total, _POWERS)) + 1.0))
    own = encoding.squares if loss.squares else encoding.sum_slots(_xlogx(encoding.sizes))
    slot_weights = encoding.by_slot(np.ones(len(totals)))
    coef = weights / (totals**2 if loss.squares else totals)
    kinds, n_rows = np.unique(encoding.multiplicity[encoding.multiplicity > 0.0], return_counts=True)
    return Judged(
        kind=loss.kind,
        cost=aim.cost,
        weights=weights,
        mask_of=encoding.mask_of,
        totals=totals,
        singles=(encoding.self_pairs @ encoding.observed)[encoding.mask_of],
        own=own,
        parts=np.repeat(np.arange(len(totals)), encoding.n_codes),
        slot_weights=slot_weights,
        slot_coef=-2.0 * np.repeat(coef, encoding.n_codes) * slot_weights,
        mask_coef=(2.0 - aim.cost) * encoding.by_mask(coef),
        unit=float(kinds[n_rows.argmax()]),
        powers=powers,
    )


def _xlogx(x):
    return x * np.log2(np.where(x > 0.0, x, 1.0))


def _tabulate(encoding, judged, clusters, n_columns):
    """The :class:`Tables` of the clusters of an encoding's rows, but for the differences."""
    n_slots, n_masks, width = len(encoding.sizes), encoding.observed.shape[1], n_columns + -n_columns % _WIDTH
    tables = Tables(
        counts=np.empty((n_slots, n_columns)),
        rises=np.zeros((n_slots, width)),
        falls=np.zeros((n_slots, n_columns)),
        sizes=np.empty((n_masks, n_columns)),
        size_rises=np.zeros((n_masks, width)),
        size_falls=np.zeros((n_masks, n_columns)),
        a=np.empty(n_masks),
        b=np.empty(len(encoding.offsets)),
    )
    contingency.tabulate(encoding.data, encoding.slots, judged, clusters, tables)
    return tables


def _losses(judged, tables, a=0.0, b=0.0):
    """(m,) losses, with a and b added to the sums."""
    found = np.empty(len(tables.b))
    contingency.losses(judged, tables.a[judged.mask_of] + a, tables.b + b, found)
    return found


def _secant(encoding):
    """Weight over whose moves losses are linearised. Rows without weight do not count: the others must not notice."""
    return _SECANT * encoding.total / np.count_nonzero(encoding.multiplicity)


def _linearised(judged, tables, loss, step):
    """Judged with the slopes of the secants over moves of this weight."""
    step = step * (judged.totals if loss.squares else np.ones(len(judged.totals)))
    by_a = (_losses(judged, tables, step) - _losses(judged, tables, -step)) / (2.0 * step)
    by_b = (_losses(judged, tables, b=step) - _losses(judged, tables, b=-step)) / (2.0 * step)
    masks = np.bincount(judged.mask_of, weights=judged.weights * by_a, minlength=len(tables.a))
    return judged._replace(slot_coef=(judged.weights * by_b)[judged.parts], mask_coef=masks)
