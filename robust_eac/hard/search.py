"""Search for a hard partition by moves of rows, and by reassigning many at once."""

from copy import copy

import numpy as np

from ..core.threads import stop_if_cancelled
from ..ensemble.encoding import select
from ..median_partition.row_sweeps import visiting_order
from .contingency import Tables, fill_differences, losses_at, relocate, tabulate, take_out, terms_of
from .pairs import PairTables

# Used clusters per empty one in the tables, which have at least two empty ones.
_SPARE = 4
# Largest number of entries of the tables of a search that starts without clusters.
_FIRST_ENTRIES = 2**22
# Rows that are moved between two checks whether the search was interrupted.
_UNINTERRUPTED = 2**14
# Random rows are reassigned until this many tries in a row have failed, or passes over all rows take so much work.
_MOST_TRIES = 100
_TRIED_WORK = 3 * 10**7
# Largest number of rows for sums over pairs of them.
_PAIR_ROWS = 2**11


class CountTables:
    """Contingency tables of the clusters and the base partitions; O(k) memory for each base cluster."""

    def __init__(self, encoding, weights, loss):
        self.encoding = encoding
        self._weights = weights
        self._terms = terms_of(encoding, weights, loss)
        self._losses_at = losses_at(encoding.partitions, loss)

    def fill(self, clusters, n_columns):
        """Begin with the clusters of the rows, -1 for none, and this many columns."""
        self._tables = tabulate(self._terms, clusters, n_columns)
        fill_differences(self._terms, self._tables)
        self._margins = np.full(len(clusters), -np.inf)
        self._drift = 0.0

    @property
    def n_columns(self):
        """Number of clusters with a column."""
        return self._tables.entries.shape[1]

    @property
    def work(self):
        """Work of a pass over all rows."""
        return self.encoding.rows.codes.size * self.n_columns

    def value(self, clusters):
        """The weighted loss of the clusters."""
        return float(self._weights @ self._losses_at(self._tables.a, self._tables.b))

    def move(self, order, clusters, slack):
        """Move rows where they cost least; returns how many moved."""
        fixed = (self._terms, self._tables, slack)
        n_moved, self._drift = relocate(order, *fixed, clusters, self._margins, self._drift)
        return n_moved

    def take_out(self, rows, clusters):
        """Take rows out of their clusters, into none (-1)."""
        self._drift = take_out(rows, self._terms, self._tables, clusters, self._drift)

    def copy(self):
        """These tables, to return to."""
        copied = copy(self)
        copied._tables = Tables(*(array.copy() for array in self._tables))
        copied._margins = self._margins.copy()
        return copied


def tables_of(encoding, weights, loss):
    """The tables with which :class:`PartitionSearch` searches: of pairs of rows where there are few."""
    active = np.flatnonzero(weights)
    if len(active) < len(weights):
        encoding = select(encoding, active)
    of_pairs = loss.squares and encoding.n_rows <= _PAIR_ROWS
    return (PairTables if of_pairs else CountTables)(encoding, weights[active], loss)


class PartitionSearch:
    """A partition of an encoding's rows into at most n_clusters, and steps that lower its weighted loss.

    tables : what moves cost, in a form of its own for each kind: :class:`CountTables`,
        :class:`~robust_eac.hard.pairs.PairTables`. Shared by searches, which fill a copy.
    slack : gains up to this are rounding.
    clusters : (n_rows,) the cluster of every row, -1 for none.
    n_moves, n_passes : numbers of moves, and of passes over all rows except those after reassigning many.
    """

    def __init__(self, tables, n_clusters, slack, clusters):
        self._tables = copy(tables)
        self._encoding = tables.encoding
        self._limit = n_clusters
        self._slack = slack
        self.n_moves = self.n_passes = 0
        self.clusters = np.array(clusters, dtype=np.intp)
        n_used = 1 + self.clusters.max(initial=-1)
        if n_used == 0:
            # The first rows open clusters, as many as base partitions have: with too few, the others are seldom found.
            typical = int(np.median(self._encoding.partitions.n_codes))
            n_used = min(typical, _FIRST_ENTRIES // self._encoding.partitions.n_slots)
        self._tables.fill(self.clusters, self._with_spare(int(n_used)))

    @property
    def value(self):
        return self._tables.value(self.clusters)

    def descend(self, rng, max_passes):
        """Pass over all rows in random order until none moves; returns whether it converged."""
        for _ in range(max_passes):
            self._resize()
            moved = self._move(visiting_order(len(self.clusters), rng, self.clusters))
            self.n_passes += 1
            if moved == 0:
                return True
        return False

    def allocate(self, rng):
        """Put the rows without a cluster where they cost least, one after the other in random order."""
        order = rng.permutation(np.flatnonzero(self.clusters < 0))
        self._move(order)

    def dissolve(self, rng, max_passes):
        """Reassign the rows of a cluster, or a random fifth of all, and descend, as long as this lowers the loss."""
        n_passes = self.n_passes
        pays = True
        while pays:
            clusters = rng.permutation(np.unique(self.clusters))
            pays = any(self._regrow(np.flatnonzero(self.clusters == c), rng, max_passes) for c in clusters)
        n_rows = len(self.clusters)
        n_failed = 0
        while n_failed < min(_MOST_TRIES, _TRIED_WORK // self._tables.work):
            rows = rng.choice(n_rows, -(-n_rows // 5), replace=False)
            n_failed = 0 if self._regrow(rows, rng, max_passes) else n_failed + 1
        self.n_passes = n_passes

    def _regrow(self, rows, rng, max_passes):
        """Reassign rows in random order, and descend; undo it unless the loss falls. Return whether it fell."""
        before = self.value
        n_moves = self.n_moves
        clusters = self.clusters.copy()
        tables = self._tables.copy()
        rows = rng.permutation(rows)
        self._tables.take_out(rows, self.clusters)
        self._move(rows)
        self.descend(rng, max_passes)
        if self.value < before - self._slack:
            return True
        self.clusters = clusters
        self._tables = tables
        self.n_moves = n_moves
        return False

    def _move(self, order):
        before = self.n_moves
        for first in range(0, len(order), _UNINTERRUPTED):
            stop_if_cancelled()
            rows = order[first : first + _UNINTERRUPTED]
            self.n_moves += self._tables.move(rows, self.clusters, self._slack)
        return self.n_moves - before

    def _with_spare(self, n_used):
        return int(min(self._limit, n_used + max(2, n_used // _SPARE)))

    def _resize(self):
        """Keep a few empty clusters, each of which costs as much as a full one; double the tables if none is left."""
        used = np.unique(self.clusters)
        n_columns = self._tables.n_columns
        wanted = self._with_spare(len(used))
        if n_columns == len(used) < self._limit:
            wanted = min(self._limit, 2 * n_columns)
        elif n_columns <= 2 * wanted:
            return
        self.clusters = np.searchsorted(used, self.clusters)
        self._tables.fill(self.clusters, wanted)
