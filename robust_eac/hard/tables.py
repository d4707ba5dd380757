"""Contingency tables of an ensemble and a partition, its losses, and their changes by moves.

Tables are dense, or sparse with many clusters; :func:`tabulate` chooses.
"""

from typing import NamedTuple

import numpy as np

from . import contingency
from .contingency import DenseArrays, LossTerms

# With more clusters than this, tables are sparse; on two cores, dense ones are as fast with 290.
MANY = 256
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

    def largest(self, total):
        """The order of magnitude of the terms whose difference is the loss, for objects of this total weight."""
        return 2.0 if self.squares else 2.0 * max(abs(np.log2(total)), 1.0)


LOSSES = {"binder": Loss(squares=True), "vi": Loss(squares=False)}


def terms_of(encoding, weights, loss):
    """The :class:`LossTerms` of an encoding's partitions."""
    units = encoding.partitions.n_observed
    if loss.squares:
        units = units**2
    powers = np.empty(0)
    if not loss.squares:
        whole = not np.any(encoding.rows.multiplicity % 1.0)
        powers = x_log_x(np.arange(min(encoding.partitions.total, _POWERS) + 1.0 if whole else 1.0))
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
        own=encoding.partitions.squares
        if loss.squares
        else encoding.partitions.sum_slots(x_log_x(encoding.partitions.sizes)),
        parts=np.repeat(np.arange(len(units)), encoding.partitions.n_codes),
        slot_coef=-2.0 * encoding.partitions.by_slot(coef),
        mask_coef=(2.0 - loss.cost) * encoding.partitions.by_mask(coef),
        unit=float(kinds[n_rows.argmax()]),
        powers=powers,
    )


def x_log_x(x):
    return x * np.log2(np.where(x > 0.0, x, 1.0))


def is_sparse(n_columns):
    """Whether tables with this many columns are sparse."""
    return n_columns > MANY


def tabulate(encoding, terms, clusters, n_columns):
    """The tables of the clusters of an encoding's rows, without the rows in cluster -1; O(n m)."""
    if is_sparse(n_columns):
        return SparseTables(encoding, terms, clusters, n_columns)
    return DenseTables(encoding, terms, clusters, n_columns)


class DenseTables:
    """Counts of all pairs of a base cluster and a cluster."""

    sparse = False

    def __init__(self, encoding, terms, clusters, n_columns):
        n_slots, n_masks = len(encoding.partitions.sizes), encoding.rows.observed.shape[1]
        width = n_columns + -n_columns % _WIDTH
        self.n_columns = n_columns
        self.arrays = DenseArrays(
            counts=np.empty((n_slots, n_columns)),
            rises=np.zeros((n_slots, width)),
            falls=np.zeros((n_slots, n_columns)),
            sizes=np.empty((n_masks, n_columns)),
            size_rises=np.zeros((n_masks, width)),
            size_falls=np.zeros((n_masks, n_columns)),
            a=np.empty(n_masks),
            b=np.empty(len(encoding.partitions.offsets)),
        )
        contingency.tabulate(terms, clusters, self.arrays)

    def prepare(self, terms):
        """Compute the costs of rows of unit weight, before rows are moved or compared."""
        contingency.fill_differences(terms, self.arrays)

    def relocate(self, rows, terms, *state):
        """Move rows; see :func:`~robust_eac.hard.contingency.relocate`."""
        return contingency.relocate(rows, terms, self.arrays, *state)

    def take_out(self, rows, terms, clusters, drift):
        """Take rows out of their clusters."""
        return contingency.take_out(rows, terms, self.arrays, clusters, drift)

    def best_moves(self, terms, *found):
        """Fill the best move of every row."""
        contingency.best_moves(terms, self.arrays, *found)


class SparseTables:
    """Counts of the clusters that share objects with each base cluster; none can be dissolved."""

    sparse = True

    def __init__(self, encoding, terms, clusters, n_columns):
        self.n_columns = n_columns
        self.arrays = contingency.sparse_arrays(encoding, terms, clusters, n_columns)

    def prepare(self, terms):
        """Sparse tables contain no costs."""

    def relocate(self, rows, terms, *state):
        """Move rows; see :func:`~robust_eac.hard.contingency.relocate_sparse`."""
        return contingency.relocate_sparse(rows, terms, self.arrays, *state)

    def best_moves(self, terms, *found):
        """Fill the best move of every row."""
        contingency.best_moves_sparse(terms, self.arrays, *found)


def table_losses(terms, tables, a=0.0, b=0.0):
    """(m,) losses, with a and b added to the sums."""
    found = np.empty(len(tables.arrays.b))
    contingency.losses(terms, tables.arrays.a[terms.mask_of] + a, tables.arrays.b + b, found)
    return found


def partition_losses(encoding, clusters, loss):
    """(m,) losses of all partitions against the clusters of an encoding's rows."""
    terms, k = terms_of(encoding, np.ones(len(encoding.partitions.offsets)), loss), 1 + int(clusters.max())
    found = table_losses(terms, tabulate(encoding, terms, clusters, k))
    # The difference of large numbers: rounding must not hide perfect agreement.
    found[found < SLACK * loss.largest(encoding.partitions.total)] = 0.0
    return found


def moves(encoding, weights, loss, clusters, n_clusters):
    """(best other cluster of every row, rise of the weighted loss per unit of its weight) with this many clusters."""
    terms, own = terms_of(encoding, weights, loss), np.asarray(clusters, dtype=np.intp)
    best, rises = np.empty(len(own), dtype=np.intp), np.empty(len(own))
    tables = tabulate(encoding, terms, own, n_clusters)
    tables.prepare(terms)
    tables.best_moves(terms, own, best, rises)
    return best, rises
