"""Rows whose memberships are on the workers of Dask, block by block, and steps of these memberships.

Functions of one block get its encoding and the memberships of its rows, and report only sums.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from ..common import MAX_SEED
from ..core.formula import accumulate, agreement_sums_from
from ..ensemble.chunks import on_blocks, ship, sum_of
from ..ensemble.encoding import Visit, select, take_rows
from ..median_partition.model import MAX_PLACING, gap_of, gap_unit, nearest_clusters
from ..median_partition.objective import Steps
from ..median_partition.rotation import MOST_ROWS, Search, free_clusters, lowest_of, rotate_rows, some_rows, survey
from ..median_partition.row_sweeps import minimise_quartic, sweep_rows, visiting_order

# Most often that a line search shortens its interval.
_MAX_SHORTER = 20


class RowsInChunks:
    """The rows of :class:`~robust_eac.ensemble.chunks.Chunks`; memberships are a list, of those of every block."""

    def __init__(self, chunks):
        self.chunks = chunks
        self.partitions = chunks.partitions

    def measure(self, memberships, *, with_agreement, n_threads=1):
        total, _ = sum_of(task() for task in self.each(accumulate, memberships))
        return self.with_agreement(*total, with_agreement)

    def each(self, function, memberships, n_results=None):
        """Tasks of a function of (encoding, memberships, ...), one per block, on the worker that stores the block."""
        return on_blocks(function, self.chunks.encodings, memberships, n_results=n_results)

    def with_agreement(self, S, G, wanted):
        if not wanted:
            return S, G, None
        return S, G, agreement_sums_from(self.partitions, S, G)

    def steps(self, *how):
        return StepsInChunks(*how)

    def rotation(self, memberships, *, near=False):
        from dask import compute

        n_samples = self.chunks.n_samples

        def of_each(function, *args):
            return compute(*[task(*args) for task in self.each(function, memberships)])

        def survey_all(Q):
            lowest, confidence = zip(*of_each(survey_block, Q), strict=True)
            return lowest_of(np.array(lowest), Q), sum(confidence) / self.partitions.total

        free = free_clusters(np.max(of_each(largest_memberships), axis=0))
        if len(free) == 0:
            return None
        some = of_each(sample_memberships, n_samples)
        found, weight = (np.concatenate(parts) for parts in zip(*some, strict=True))
        return Search(found, weight, free, survey_all if n_samples > len(found) else None).canonical(near=near)

    def rotate(self, memberships, Q):
        from dask import persist

        memberships[:] = persist(*[task(Q) for task in self.each(rotate_block, memberships)])


class StepsInChunks(Steps):
    """Steps down the weighted losses: the best common share of the sweeps of all blocks, or of a Frank-Wolfe step."""

    def gap(self):
        model = self._model()
        return sum_of(task(model) for task in self._objective.rows.each(gap_of_block, self._memberships))[0][0]

    def sweep(self, relaxation):
        gap = self._step(relaxation)
        if gap is None:
            gap = self._step(None)
        # If neither step lowers the objective, the remaining gap is rounding.
        return gap

    def _model(self):
        return ship(self._objective.model(self._weights, self.matrices))

    def _step(self, relaxation):
        """Take the step that the blocks propose; returns the gap before it, or None if no share of it is taken."""
        from dask import persist

        objective = self._objective
        memberships = self._memberships
        shared = self._model(), relaxation, self._rng.randint(MAX_SEED)
        tasks = enumerate(objective.rows.each(propose, memberships, 2))
        targets, sums = zip(*[task(*shared, number) for number, task in tasks], strict=True)
        total, targets = sum_of(sums, targets)
        total = Sums(*total)
        t, self.matrices = best_share(objective, self._weights, self.matrices, total)
        if t == 0.0:
            return None
        memberships[:] = persist(*[task(t) for task in on_blocks(move, memberships, targets)])
        return total.gap / gap_unit(objective.partitions.total)


def best_share(objective, weights, matrices, sums):
    """(the share t of all blocks' steps that lowers the weighted losses, 0 if none does, the matrices after it)."""

    def after(t):
        S, G = after_step(matrices.S, matrices.G, sums, t)
        measured = objective.rows.with_agreement(S, G, objective.loss.chance_corrected)
        return objective.loss.matrices(objective.partitions, *measured)

    if objective.loss.exact:
        t = search_line(objective.partitions, weights, matrices.S, matrices.G, sums)
    else:
        t = search_values(lambda t: weights @ objective.losses(after(t)))
    return t, after(t)


def place_block(encoding, partitions, model):
    """Memberships of least loss by the model of other rows of these partitions, None for all."""
    return model.place(select(select(encoding, partitions), model.partitions))


def gap_of_block(encoding, rows, model):
    visited, statistics = model.of(select(encoding, model.partitions))
    return (gap_of(visited, rows.copy(), statistics, encoding.partitions.total),)


def propose(encoding, rows, model, relaxation, seed, number):
    """(memberships by one sweep of the block of that number, with all others fixed; :class:`Sums` of the step)."""
    visited, statistics = model.of(select(encoding, model.partitions))
    if relaxation is None:
        # The Frank-Wolfe step: towards the best cluster of every object.
        target, slopes = nearest_clusters(visited, rows, statistics)
        gap = encoding.rows.multiplicity @ np.einsum("ip,ip->i", slopes, rows - target)
    else:
        target = rows.copy()
        order = visiting_order(len(rows), np.random.RandomState([seed, number]))
        gap, _ = sweep_rows(order, *visited, statistics, target, Visit(relaxation=relaxation))
    return target, sums_of_step(encoding, rows, target, gap)


def move(rows, target, t):
    """The memberships after a share t of the step."""
    return target if t == 1.0 else rows + t * (target - rows)


class Sums(NamedTuple):
    """Sums over rows for the line search along steps D = Y_target - Y.

    S, gap : (n_slots, k) D X'; the sum of the Frank-Wolfe gaps.
    cross, square : (n_masks, k, k) Y D' + D Y', and D D', over the rows that each mask observes.
    """

    S: np.ndarray
    cross: np.ndarray
    square: np.ndarray
    gap: float


def sums_of_step(encoding, rows, target, gap):
    moved = np.flatnonzero((target != rows).any(axis=1))
    before = rows[moved]
    step = target[moved] - rows[moved]
    of_moved = take_rows(encoding, moved)
    S, square = accumulate(of_moved, step)
    cross = np.array([(before.T * (of_moved.rows.multiplicity * mask)) @ step for mask in of_moved.rows.observed.T])
    return Sums(S, cross + cross.transpose(0, 2, 1), square, gap)


def search_line(partitions, weights, S, G, sums):
    """The share t in [0, 1] of all blocks' steps that lowers the objective most: the exact minimiser of a quartic."""
    coef = weights * partitions.scale
    mask_coef = partitions.by_mask(coef)
    slot_coef = partitions.by_slot(coef)

    def inner(a, b):
        return float(mask_coef @ np.einsum("gpq,gpq->g", a, b))

    along_S = slot_coef @ np.einsum("sp,sp->s", S, sums.S)
    step_S = slot_coef @ np.einsum("sp,sp->s", sums.S, sums.S)
    cross = sums.cross
    square = sums.square
    linear = 2.0 * inner(G, cross) - 4.0 * along_S
    quadratic = inner(cross, cross) + 2.0 * inner(G, square) - 2.0 * step_S
    return minimise_quartic(linear, quadratic, 2.0 * inner(cross, square), inner(square, square), 1.0)


def search_values(value):
    """A share t in [0, 1] with value(t) < value(0), the least nearby; 0 if there is none."""
    least = value(0.0)
    upper = 1.0
    for _ in range(_MAX_SHORTER):
        t = min(upper, minimize_scalar(value, bounds=(0.0, upper), method="bounded").x, key=value)
        if value(t) < least:
            return float(t)
        upper = 0.25 * t
    return 0.0


def after_step(S, G, sums, t):
    """S and G after a share t of the step."""
    return S + t * sums.S, G + t * (sums.cross + t * sums.square)


def _weighty(encoding, rows):
    """Encoding and memberships of the rows with weight, at least one row."""
    weighty = encoding.rows.multiplicity > 0.0
    weighty[0] |= not weighty.any()
    if weighty.all():
        return encoding, rows
    return take_rows(encoding, np.flatnonzero(weighty)), rows[weighty]


def sample_memberships(encoding, rows, n_samples):
    """(memberships of some of the block's rows, their weights) for the choice of a rotation."""
    encoding, rows = _weighty(encoding, rows)
    some = some_rows(len(rows), max(1, round(MOST_ROWS * encoding.n_samples / max(n_samples, MOST_ROWS))))
    return rows[some], encoding.rows.multiplicity[some]


def largest_memberships(encoding, rows):
    """(k,) largest membership in every cluster."""
    return _weighty(encoding, rows)[1].max(axis=0)


def survey_block(encoding, rows, Q):
    """(the row of smallest membership in every cluster after a rotation, the total confidence)."""
    encoding, rows = _weighty(encoding, rows)
    return survey(rows, encoding.rows.multiplicity, Q)


def rotate_block(encoding, rows, Q):
    rows = rows.copy()
    rotate_rows(rows, Q)
    return rows


def finish(encoding, rows, model, skip):
    """Memberships of all objects of a block; those without weight are placed."""
    absent = np.flatnonzero(encoding.rows.multiplicity == 0.0)
    if len(absent):
        rows = rows.copy()
        part = select(take_rows(encoding, absent), model.partitions)
        rows[absent] = model.place(part, skip=skip, max_visits=MAX_PLACING)
    return encoding.expand(rows)


def winners(encoding, rows, order):
    """(n_rows,) clusters of the rows, with the columns of the memberships in this order."""
    return rows[:, order].argmax(axis=1)
