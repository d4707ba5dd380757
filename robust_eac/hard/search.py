"""Search for the partition of least weighted loss, by moving rows and by dissolving and regrowing clusters."""

from itertools import combinations

import numpy as np

from ..core.encoding import collapse, select
from ..core.threads import stop_if_cancelled
from ..median_partition.sweep import visiting_order
from .contingency import LEAST_GAIN, Tables, fill_differences, losses_at, relocate, tabulate, take_out, terms_of

# Used clusters per empty one in the tables, which have at least two empty ones.
_SPARE = 4
# Largest number of entries of the tables of a search that starts without clusters.
_FIRST_ENTRIES = 2**22
# Rows that are moved between two checks whether the search was interrupted.
_UNINTERRUPTED = 2**14
# Two clusters are dissolved together if their rows x partitions x (maximum number of clusters)^4 is at most this.
_PAIR_WORK = 2 * 10**9


class PartitionSearch:
    """A partition of an encoding's rows into at most n_clusters, and steps that lower its weighted loss.

    clusters : (n_rows,) the cluster of every row, -1 for none.
    n_moves, n_passes : numbers of moves, and of passes over all rows except those after dissolving clusters.
    """

    def __init__(self, encoding, weights, loss, n_clusters, clusters):
        active = np.flatnonzero(weights)
        self._encoding = select(encoding, active) if len(active) < len(weights) else encoding
        self._loss, self._limit = loss, n_clusters
        self._weights = weights[active]
        self._terms = terms_of(self._encoding, self._weights, loss)
        self._losses_at = losses_at(self._encoding.partitions, loss)
        self._slack = LEAST_GAIN * loss.largest(encoding.partitions.total)
        self.n_moves = self.n_passes = 0
        self.clusters = np.array(clusters, dtype=np.intp)
        n_used = 1 + self.clusters.max(initial=-1)
        if n_used == 0:
            # The first rows open clusters; a search that starts with too few seldom finds the others.
            n_used = self._first_clusters()
        self._tabulate(self._with_spare(int(n_used)))

    @property
    def value(self):
        return float(self._weights @ self._losses_at(self._tables.a, self._tables.b))

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
        """Dissolve clusters, allocate their rows again, and descend, as long as this lowers the loss."""
        n_passes, pays = self.n_passes, True
        while pays:
            while self._merge():
                self.descend(rng, max_passes)
            pays = any(self._regrow(group, rng, max_passes) for group in self._groups(rng))
        self.n_passes = n_passes

    def _groups(self, rng):
        """Yield the clusters to dissolve together, in random order."""
        used, sizes = np.unique(self.clusters, return_counts=True)
        yield from rng.permutation(used)[:, np.newaxis]
        most = _PAIR_WORK / (self._encoding.rows.codes.shape[1] * float(self._limit) ** 4)
        small = np.flatnonzero(sizes <= most)
        pairs = small[np.column_stack(np.triu_indices(len(small), 1))]
        yield from rng.permutation(used[pairs[sizes[pairs].sum(axis=1) <= most]])

    def _merge(self):
        """Merge the two clusters whose merger lowers the loss most; returns whether any does."""
        tables, psi, offsets = self._tables, self._loss.psi, self._encoding.partitions.offsets
        counts, sizes = np.split(tables.entries, [len(self._encoding.partitions.sizes)])
        of_counts = np.add.reduceat(psi(counts), offsets)
        of_sizes = psi(sizes)
        best, least = None, self.value - self._slack
        for c, d in combinations(np.unique(self.clusters), 2):
            together = np.add.reduceat(psi(counts[:, c] + counts[:, d]), offsets)
            b = together - of_counts[:, c] - of_counts[:, d]
            a = psi(sizes[:, c] + sizes[:, d]) - of_sizes[:, c] - of_sizes[:, d]
            value = self._weights @ self._losses_at(tables.a + a, tables.b + b)
            if value < least:
                best, least = (c, d), value
        if best is None:
            return False
        self.n_moves += int(np.count_nonzero(self.clusters == best[1]))
        self.clusters[self.clusters == best[1]] = best[0]
        self._tabulate(counts.shape[1])
        return True

    def _regrow(self, group, rng, max_passes):
        """Dissolve a group of clusters and reassign the rows; undo it unless the loss falls. Return whether it fell."""
        before, n_moves = self.value, self.n_moves
        tables = Tables(*(array.copy() for array in self._tables))
        kept = self.clusters.copy(), self._margins.copy(), tables, self._drift
        rows = rng.permutation(np.flatnonzero(np.isin(self.clusters, group)))
        self._drift = take_out(rows, self._terms, self._tables, self.clusters, self._drift)
        self._move(rows)
        self.descend(rng, max_passes)
        if self.value < before - self._slack:
            return True
        self.clusters, self._margins, self._tables, self._drift = kept
        self.n_moves = n_moves
        return False

    def _move(self, order):
        before = self.n_moves
        for first in range(0, len(order), _UNINTERRUPTED):
            stop_if_cancelled()
            rows, fixed = order[first : first + _UNINTERRUPTED], (self._terms, self._tables, self._slack)
            moved, self._drift = relocate(rows, *fixed, self.clusters, self._margins, self._drift)
            self.n_moves += moved
        return self.n_moves - before

    def _tabulate(self, n_columns):
        self._tables = tabulate(self._terms, self.clusters, n_columns)
        fill_differences(self._terms, self._tables)
        self._margins, self._drift = np.full(len(self.clusters), -np.inf), 0.0

    def _with_spare(self, n_used):
        return int(min(self._limit, n_used + max(2, n_used // _SPARE)))

    def _first_clusters(self):
        """Number of clusters to start with when no row is in one: as many as base partitions have."""
        typical = int(np.median(self._encoding.partitions.n_codes))
        return min(typical, _FIRST_ENTRIES // len(self._encoding.partitions.sizes))

    def _resize(self):
        """Keep a few empty clusters, each of which costs as much as a full one; double the tables if none is left."""
        used, n_columns = np.unique(self.clusters), self._tables.entries.shape[1]
        wanted = self._with_spare(len(used))
        if n_columns == len(used) < self._limit:
            wanted = min(self._limit, 2 * n_columns)
        elif n_columns <= 2 * wanted:
            return
        self.clusters = np.searchsorted(used, self.clusters)
        self._tabulate(wanted)


def group_copies(encoding, clusters=None):
    """The encoding with one row for all identical objects in the same cluster."""
    numbers = None if clusters is None else clusters[:, np.newaxis].astype(np.float64)
    return collapse(encoding, numbers, min_saving=0.0)
