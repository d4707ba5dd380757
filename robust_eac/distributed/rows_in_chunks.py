"""Rows whose memberships are on the workers of Dask, block by block, and steps of these memberships.

Functions of one block get its encoding and its :class:`Proposal`, and report only sums.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from ..common import MAX_SEED
from ..core.formula import accumulate, agreement_sums_from
from ..ensemble.encoding import Visit, select, take_rows
from ..ensemble.scheduling import on_blocks, ship, sum_of
from ..median_partition.model import MAX_PLACING, gap_of, gap_unit, nearest_clusters, place_by
from ..median_partition.objective import Model
from ..median_partition.rotation import MOST_ROWS, Search, free_clusters, lowest_of, rotate_rows, some_rows, survey
from ..median_partition.row_sweeps import minimise_quartic, sweep_rows, visit_with, visiting_order

# Most often that a line search shortens its interval.
_MAX_SHORTER = 20


class RowsInChunks:
    """The rows of :class:`~robust_eac.ensemble.chunks.Chunks`; memberships are :class:`Memberships`."""

    def __init__(self, chunks):
        self.chunks = chunks
        self.partitions = chunks.partitions

    def measure(self, memberships, *, with_agreement, n_threads=1):
        total, _ = sum_of(task(memberships.t) for task in memberships.each(measure))
        return self.with_agreement(*total, with_agreement)

    def with_agreement(self, S, G, wanted):
        return S, G, agreement_sums_from(self.partitions, S, G) if wanted else None

    def steps(self, *how):
        return StepsInChunks(*how)

    def sample(self, rng):
        return self.chunks.sample(rng)

    def rotation(self, memberships, *, near=False):
        from dask import compute

        n_samples = self.chunks.n_samples

        def of_each(function, *args):
            return compute(*[task(memberships.t, *args) for task in memberships.each(function)])

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

        memberships.proposals = persist(*[task(memberships.t, Q) for task in memberships.each(rotate_block)])
        memberships.t = 0.0


class Memberships:
    """Memberships of all rows, on the workers: the proposals of all blocks, and the share t of their steps."""

    def __init__(self, encodings, proposals, t=0.0):
        self.encodings = encodings
        self.proposals = proposals
        self.t = t

    def copy(self):
        return Memberships(self.encodings, self.proposals, self.t)

    def each(self, function, n_results=None):
        """Tasks of a function of (encoding, proposal, ...), one per block, on the worker that stores the block."""
        return on_blocks(function, self.encodings, self.proposals, n_results=n_results)


class StepsInChunks:
    """Steps down the weighted losses: the best common share of the sweeps of all blocks, or of a Frank-Wolfe step."""

    def __init__(self, objective, weights, memberships, matrices, rng, n_threads=1):
        self.matrices = matrices
        self._objective = objective
        self._weights = weights
        self._memberships = memberships
        self._rng = rng

    def gap(self):
        shared = self._shared()
        return sum_of(task(shared) for task in self._memberships.each(gap_of_block))[0][0]

    def refresh(self):
        self.matrices = self._objective.measure(self._memberships)

    def sweep(self, relaxation):
        gap = self._step(visit_with(relaxation))
        if self._memberships.t == 0.0:
            gap = self._step()
        # If neither step lowers the objective, the remaining gap is rounding.
        return None if self._memberships.t == 0.0 else gap

    def _shared(self, *visit):
        model = self._objective.model(self._weights, self.matrices)
        return ship(Shared(self._memberships.t, model, *visit))

    def _step(self, visit=None):
        """Take the step that the blocks propose; returns the gap before it."""
        memberships = self._memberships
        shared = self._shared(visit, self._rng.randint(MAX_SEED))
        proposed = [task(shared, number) for number, task in enumerate(memberships.each(propose, 2))]
        proposals, sums = zip(*proposed, strict=True)
        total, memberships.proposals = sum_of(sums, proposals)
        total = Sums(*total)
        memberships.t, self.matrices = best_share(self._objective, self._weights, self.matrices, total)
        return total.gap / gap_unit(self._objective.partitions.total)


def best_share(objective, weights, matrices, sums):
    """(the share t of all blocks' steps that lowers the weighted losses, 0 if none does, the matrices after it)."""

    def after(t):
        S, G = after_step(matrices.S, matrices.G, sums, t)
        loss = objective.loss
        return loss.matrices(*objective.rows.with_agreement(S, G, loss.chance_corrected))

    if objective.loss.exact:
        t = search_line(objective.partitions, weights, matrices.S, matrices.G, sums)
    else:
        t = search_values(lambda t: weights @ objective.losses(after(t)))
    return t, after(t)


class Proposal(NamedTuple):
    """Memberships of a block's rows, and those proposed by a sweep; equal if there was no sweep."""

    rows: np.ndarray
    target: np.ndarray

    def at(self, t):
        """The memberships after a fraction t of the step."""
        if t in (0.0, 1.0):
            return self.target if t else self.rows
        return self.rows + t * (self.target - self.rows)


def still(rows):
    """The :class:`Proposal` of memberships without a step."""
    return Proposal(rows, rows)


class Shared(NamedTuple):
    """The input of every block for its next step.

    t, model : share of their last steps that all blocks take; that of the objective after that step.
    visit, seed : settings of the sweep, None for a step towards the best clusters; draws the orders of the rows.
    """

    t: float
    model: Model
    visit: Visit | None = None
    seed: int = 0


def place_block(encoding, partitions, model, n_clusters, skip=0.0, max_visits=1):
    """The :class:`Proposal` of the memberships of least loss by the model of other rows of these partitions."""
    part = encoding if len(partitions) == encoding.partitions.n_partitions else select(encoding, partitions)
    absent = model.select(part).with_rows(multiplicity=np.zeros(encoding.n_rows))
    return still(place_by(*model.of(absent), n_clusters, skip=skip, max_visits=max_visits))


def measure(encoding, proposal, t):
    return accumulate(encoding, proposal.at(t))


def gap_of_block(encoding, proposal, shared):
    visited, statistics = shared.model.of(shared.model.select(encoding))
    return (gap_of(visited, proposal.at(shared.t).copy(), statistics, encoding.partitions.total),)


def propose(encoding, proposal, shared, number):
    """(Proposal of the block of that number, its :class:`Sums`) by one sweep of its rows, with all others fixed."""
    rows = proposal.at(shared.t)
    visited, statistics = shared.model.of(shared.model.select(encoding))
    if shared.visit is None:
        # The Frank-Wolfe step: towards the best cluster of every object.
        target, slopes = nearest_clusters(visited, rows, statistics)
        gap = encoding.rows.multiplicity @ np.einsum("ip,ip->i", slopes, rows - target)
    else:
        target = rows.copy()
        order = visiting_order(len(rows), np.random.RandomState([shared.seed, number]))
        gap, _ = sweep_rows(order, *visited, statistics, target, shared.visit)
    return Proposal(rows, target), sums_of_step(encoding, rows, target, gap)


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
    return (encoding, rows) if weighty.all() else (take_rows(encoding, np.flatnonzero(weighty)), rows[weighty])


def sample_memberships(encoding, proposal, t, n_samples):
    """(memberships of some of the block's rows, their weights) for the choice of a rotation."""
    encoding, rows = _weighty(encoding, proposal.at(t))
    some = some_rows(len(rows), max(1, round(MOST_ROWS * encoding.n_samples / max(n_samples, MOST_ROWS))))
    return rows[some], encoding.rows.multiplicity[some]


def largest_memberships(encoding, proposal, t):
    """(k,) largest membership in every cluster."""
    return _weighty(encoding, proposal.at(t))[1].max(axis=0, initial=0.0)


def survey_block(encoding, proposal, t, Q):
    """(the row of smallest membership in every cluster after a rotation, the total confidence)."""
    encoding, rows = _weighty(encoding, proposal.at(t))
    return survey(rows, encoding.rows.multiplicity, Q)


def rotate_block(encoding, proposal, t, Q):
    """The :class:`Proposal` of the rotated memberships."""
    rows = proposal.at(t).copy()
    rotate_rows(rows, Q)
    return still(rows)


def finish(encoding, proposal, t, model, skip):
    """Memberships of all objects of a block; those without weight are placed."""
    rows = proposal.at(t)
    absent = np.flatnonzero(encoding.rows.multiplicity == 0.0)
    if len(absent):
        rows = rows.copy()
        partitions = np.arange(encoding.partitions.n_partitions)
        how = {"skip": skip, "max_visits": MAX_PLACING}
        rows[absent] = place_block(take_rows(encoding, absent), partitions, model, rows.shape[1], **how).rows
    return encoding.expand(rows)


def winners(encoding, proposal, t, order):
    """(n_rows,) clusters of the rows, with the columns of the memberships in this order."""
    return proposal.at(t)[:, order].argmax(axis=1)
