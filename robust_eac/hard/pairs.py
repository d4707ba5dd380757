"""Moves of rows under Binder's loss, which is a sum over pairs of objects: no tables of the base partitions are needed.

With n_u the weight of the objects that partition u observes, and a the cost of separating objects that it joins,

    sum_u alpha_u d(u, c) = constant + sum over ordered pairs i, j in one cluster of c of A_ij,
    A_ij = sum_u alpha_u / n_u^2 ((2 - a) [u observes i and j] - 2 [u joins i and j]).
"""

from copy import copy

import numpy as np

from ..core.kernels import njit


class PairTables:
    """Sums of A over the clusters, as the tables of :class:`~robust_eac.hard.search.PartitionSearch`; O(n^2) memory.

    pairs : (n_rows, n_rows) A, with zeros on the diagonal.
    sums : (k, n_rows) sum of A_ij w_j over the rows j of each cluster, with w the weights of the rows.
    """

    def __init__(self, encoding, weights, loss):
        partitions = encoding.partitions
        coef = weights / loss.units(partitions)
        of_slots = 2.0 * partitions.by_slot(coef)
        of_slots[partitions.missing_slots] = 0.0
        rows = encoding.rows
        observed = rows.observed * 1.0
        self.encoding = encoding
        self.pairs = (2.0 - loss.cost) * (observed * partitions.by_mask(coef)) @ observed.T
        subtract_joined(rows.codes, np.ascontiguousarray(rows.codes.T), partitions.offsets, of_slots, self.pairs)
        own = coef @ partitions.sum_slots(partitions.sizes**2)
        self._alone = loss.cost * own + rows.multiplicity**2 @ self.pairs.diagonal()
        np.fill_diagonal(self.pairs, 0.0)

    def fill(self, clusters, n_columns):
        """Begin with the clusters of the rows, -1 for none, and this many columns."""
        joined = np.flatnonzero(clusters >= 0)
        indicators = np.zeros((n_columns, len(clusters)))
        indicators[clusters[joined], joined] = self.encoding.rows.multiplicity[joined]
        self.sums = indicators @ self.pairs

    @property
    def n_columns(self):
        """Number of clusters with a column."""
        return len(self.sums)

    @property
    def work(self):
        """Work of a pass over all rows."""
        return self.sums.size

    def value(self, clusters):
        """The weighted loss of the clusters."""
        rows = np.arange(len(clusters))
        return self._alone + self.encoding.rows.multiplicity @ self.sums[clusters, rows]

    def move(self, order, clusters, slack):
        """Move rows where they cost least; returns how many moved."""
        return move_rows(order, self.pairs, self.encoding.rows.multiplicity, slack, clusters, self.sums)

    def take_out(self, rows, clusters):
        """Take rows out of their clusters, into none (-1)."""
        for i in rows:
            self.sums[clusters[i]] -= self.encoding.rows.multiplicity[i] * self.pairs[i]
        clusters[rows] = -1

    def copy(self):
        """These tables, to return to."""
        copied = copy(self)
        copied.sums = self.sums.copy()
        return copied


@njit
def subtract_joined(codes, columns, offsets, coef, pairs):
    """Subtract from every pair of rows the coefs of the slots that both are in; `columns` are the codes, transposed."""
    n = codes.shape[0]
    for i in range(n):
        row = pairs[i]
        for u in range(codes.shape[1]):
            code = codes[i, u]
            share = coef[offsets[u] + code]
            column = columns[u]
            for j in range(n):
                row[j] -= share if column[j] == code else 0.0


@njit
def move_rows(order, pairs, multiplicity, slack, clusters, sums):
    """Move rows, in the given order, to the cluster of least weighted loss; returns how many moved.

    A move is made if it lowers the loss by more than slack. Rows of cluster -1 go where they cost least. O(k), and O(n)
    for a move.
    """
    k, n = sums.shape
    n_moved = 0
    for i in order:
        own = clusters[i]
        weight = multiplicity[i]
        best = 0
        for c in range(1, k):
            if sums[c, i] < sums[best, i]:
                best = c
        # A row of weight zero moves as one of weight one would.
        moving = weight if weight > 0.0 else 1.0
        if own >= 0 and 2.0 * moving * (sums[own, i] - sums[best, i]) <= slack:
            continue
        for j in range(n):
            sums[best, j] += weight * pairs[i, j]
        if own >= 0:
            for j in range(n):
                sums[own, j] -= weight * pairs[i, j]
        clusters[i] = best
        n_moved += 1
    return n_moved
