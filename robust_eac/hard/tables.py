"""Contingency tables of an ensemble and a partition, its losses, and their changes by moves.

Tables are dense, or sparse with many clusters under a loss that is linear in their sums; :func:`tabulate` chooses.
"""

from typing import NamedTuple

import numpy as np

from ..checks.values import MAX_DENSE
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
# The step of the secants, in rows of mean weight (moving them changes a sum of squares n times as much).
_SECANT = 2.0


class Loss(NamedTuple):
    """A loss between partitions.

    name, kind : its name, and its number in :mod:`~robust_eac.hard.contingency`.
    squares : whether it counts pairs (psi(x) = x^2); otherwise information, in bits (psi(x) = x log2(x)).
    linear : whether it is linear in the sums a and b; then `cost` can be chosen.
    cost : of separating objects that a partition puts together; joining objects that it separates costs 2 - cost.
    """

    name: str
    kind: int
    squares: bool
    linear: bool
    cost: float = 1.0

    def largest(self, total):
        """The order of magnitude of the terms whose difference is the loss, for objects of this total weight."""
        return 2.0 * max(abs(np.log2(total)), 1.0) if self.kind in (contingency.VI, contingency.ID) else 2.0


LOSSES = {
    "binder": Loss("binder", contingency.BINDER, squares=True, linear=True),
    "vi": Loss("vi", contingency.VI, squares=False, linear=True),
    "omari": Loss("omari", contingency.OMARI, squares=True, linear=False),
    "nvi": Loss("nvi", contingency.NVI, squares=False, linear=False),
    "id": Loss("id", contingency.ID, squares=False, linear=False),
    "nid": Loss("nid", contingency.NID, squares=False, linear=False),
}


def terms_of(encoding, weights, loss):
    """The :class:`LossTerms` of an encoding's partitions."""
    totals = encoding.partitions.n_observed
    powers = np.empty(0)
    if not loss.squares:
        whole = not np.any(encoding.rows.multiplicity % 1.0)
        powers = x_log_x(np.arange(min(encoding.partitions.total, _POWERS) + 1.0 if whole else 1.0))
    coef = weights / (totals**2 if loss.squares else totals)
    kinds, n_rows = np.unique(encoding.rows.multiplicity[encoding.rows.multiplicity > 0.0], return_counts=True)
    return LossTerms(
        *encoding.rows,
        encoding.partitions.offsets,
        encoding.partitions.missing_slots,
        kind=loss.kind,
        cost=loss.cost,
        weights=weights,
        mask_of=encoding.partitions.mask_of,
        totals=totals,
        singles=(encoding.self_pairs @ encoding.rows.observed)[encoding.partitions.mask_of],
        own=encoding.partitions.squares
        if loss.squares
        else encoding.partitions.sum_slots(x_log_x(encoding.partitions.sizes)),
        parts=np.repeat(np.arange(len(totals)), encoding.partitions.n_codes),
        slot_coef=-2.0 * encoding.partitions.by_slot(coef),
        mask_coef=(2.0 - loss.cost) * encoding.partitions.by_mask(coef),
        unit=float(kinds[n_rows.argmax()]),
        powers=powers,
    )


def x_log_x(x):
    return x * np.log2(np.where(x > 0.0, x, 1.0))


def is_sparse(loss, n_columns):
    """Whether tables with this many columns are sparse."""
    return loss.linear and n_columns > MANY


def tabulate(encoding, terms, loss, clusters, n_columns):
    """The tables of the clusters of an encoding's rows, without the rows in cluster -1; O(n m)."""
    if is_sparse(loss, n_columns):
        return SparseTables(encoding, terms, clusters, n_columns)
    n_slots = len(encoding.partitions.sizes)
    if not loss.linear and n_slots * n_columns > MAX_DENSE:
        raise ValueError(
            f"n_clusters must be at most {MAX_DENSE // n_slots} with loss={loss.name!r} and {n_slots} base clusters, "
            f'got {n_columns}: only "binder" and "vi" take more.'
        )
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
        """Compute the costs of rows of unit weight under new terms, before rows are moved or compared."""
        contingency.fill_differences(terms, self.arrays)

    def relocate(self, rows, terms, exact, *state):
        """Move rows; see :func:`~robust_eac.hard.contingency.relocate`."""
        return contingency.relocate(rows, terms, self.arrays, exact, *state)

    def take_out(self, rows, terms, clusters, drift):
        """Take rows out of their clusters."""
        return contingency.take_out(rows, terms, self.arrays, clusters, drift)

    def best_moves(self, terms, exact, *found):
        """Fill the best move of every row."""
        contingency.best_moves(terms, self.arrays, exact, *found)


class SparseTables:
    """Counts of the clusters that share objects with each base cluster, for linear losses; none can be dissolved."""

    sparse = True

    def __init__(self, encoding, terms, clusters, n_columns):
        self.n_columns = n_columns
        self.arrays = contingency.sparse_arrays(encoding, terms, clusters, n_columns)

    def prepare(self, terms):
        """Sparse tables contain no costs."""

    def relocate(self, rows, terms, exact, *state):
        """Move rows; see :func:`~robust_eac.hard.contingency.relocate_sparse`."""
        return contingency.relocate_sparse(rows, terms, self.arrays, *state)

    def best_moves(self, terms, exact, *found):
        """Fill the best move of every row."""
        contingency.best_moves_sparse(terms, self.arrays, *found)


def table_losses(terms, tables, a=0.0, b=0.0):
    """(m,) losses, with a and b added to the sums."""
    found = np.empty(len(tables.arrays.b))
    contingency.losses(terms, tables.arrays.a[terms.mask_of] + a, tables.arrays.b + b, found)
    return found


def linearised(encoding, terms, loss, tables):
    """The terms of a loss that is not linear, approximated by its secants."""
    # Rows without weight do not count: they must not change the result of the others.
    step = _SECANT * encoding.partitions.total / np.count_nonzero(encoding.rows.multiplicity)
    step = step * (terms.totals if loss.squares else np.ones(len(terms.totals)))
    by_a = (table_losses(terms, tables, step) - table_losses(terms, tables, -step)) / (2.0 * step)
    by_b = (table_losses(terms, tables, b=step) - table_losses(terms, tables, b=-step)) / (2.0 * step)
    by_mask = np.bincount(terms.mask_of, weights=terms.weights * by_a, minlength=len(tables.arrays.a))
    return terms._replace(slot_coef=(terms.weights * by_b)[terms.parts], mask_coef=by_mask)


def partition_losses(encoding, clusters, loss):
    """(m,) losses of all partitions against the clusters of an encoding's rows."""
    terms, k = terms_of(encoding, np.ones(len(encoding.partitions.offsets)), loss), 1 + int(clusters.max())
    # Without moves, sparse tables suffice for every loss.
    tables = (SparseTables if k > MANY else DenseTables)(encoding, terms, clusters, k)
    found = table_losses(terms, tables)
    # The difference of large numbers: rounding must not hide perfect agreement.
    found[found < SLACK * loss.largest(encoding.partitions.total)] = 0.0
    return found


def moves(encoding, weights, loss, clusters, n_clusters):
    """(best other cluster of every row, rise of the weighted loss per unit of its weight) with this many clusters."""
    terms, own = terms_of(encoding, weights, loss), np.asarray(clusters, dtype=np.intp)
    best, rises = np.empty(len(own), dtype=np.intp), np.empty(len(own))
    tables = tabulate(encoding, terms, loss, own, n_clusters)
    if not loss.linear:
        terms = linearised(encoding, terms, loss, tables)
    tables.prepare(terms)
    tables.best_moves(terms, not loss.linear, own, best, rises)
    return best, rises
