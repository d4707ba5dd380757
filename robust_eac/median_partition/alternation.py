"""Alternate, from one start, between sweeps over the membership Y (Y steps) and updates of the weights."""

from typing import NamedTuple

import numpy as np

from ..core.threads import LOG, stop_if_cancelled
from .objective import Objective, place
from .row_sweeps import ROUNDING
from .starts import initial_rows
from .weightings import Weighting

# If a sweep leaves more than _SLOW of the gap, the next one is over-relaxed by _RELAXATION.
_SLOW = 0.5
_RELAXATION = 1.7
# A plain sweep after over-relaxed ones undoes their overshoot; this fraction of the gap then remains.
_CLOSED = 0.28
# Losses below this fraction of the largest are treated as zero: they are differences of large numbers.
_EQUAL = 1e-12
# Initial guesses, by kind of sweep, of the ratio of the gap after a sweep to the sum of the gaps seen during it;
# replaced by a measured ratio if that is larger.
_SEEN = {"plain": 0.5, "relaxed": 0.67, "closing": 0.36}


class Problem(NamedTuple):
    """What is solved: an objective of the membership, a weighting that finds the weights, and when to stop.

    A Y step ends at the optimality gap `tol`, after `max_sweeps` sweeps, or when its gap has shrunk to `reduction`
    times its initial value; the alternation ends after `max_iter` Y steps. `n_threads` is the number of threads within
    a start.
    """

    objective: Objective
    weighting: Weighting
    tol: float
    max_iter: int
    max_sweeps: int = 1000
    reduction: float = 0.1
    n_threads: int = 1


class State(NamedTuple):
    """The state of a start: memberships of the objective's rows, weights, and everything needed to resume.

    name : prefix of its progress messages; None for no messages.
    gap : last known optimality gap; if above the tolerance, the next Y step starts with a sweep instead of measuring
        the gap.
    ended : whether the last alternation found nothing to change.
    """

    memberships: np.ndarray
    matrices: tuple
    losses: np.ndarray
    weights: np.ndarray
    history: list
    rng: np.random.RandomState
    name: str | None = None
    gap: float = np.inf
    n_iter: int = 0
    n_sweeps: int = 0
    ended: bool = False

    @property
    def objective(self):
        return self.history[-1]

    def log(self, line):
        if self.name is not None:
            LOG.info("%s%s", self.name, line)


def first_state(problem, start, rng, name=None):
    """The :class:`State` of a :class:`~robust_eac.ensemble.reading.Start` before its first Y step."""
    if start.memberships is not None:
        return resumed(problem, start.memberships.copy(), rng, name)
    objective = problem.objective
    return begun(problem, initial_rows(objective.rows.encoding, objective.n_clusters, start.name, rng), rng, name)


def begun(problem, memberships, rng, name=None):
    """The :class:`State` at memberships, which the solver changes, with the first weights."""
    matrices = problem.objective.measure(memberships, problem.n_threads)
    losses = problem.objective.losses(matrices)
    weights = problem.weighting.first(losses)
    return State(memberships, matrices, losses, weights, [problem.weighting.value(losses, weights)], rng, name)


def resumed(problem, memberships, rng, name=None):
    """The :class:`State` at memberships, which the solver changes, with the best weights for them: a fit continues."""
    # With a gap of 0, the Y step measures the gap before it sweeps.
    state = begun(problem, memberships, rng, name)._replace(gap=0.0)
    losses = state.losses
    weights = problem.weighting.solve(losses)
    if weights @ losses > _EQUAL * losses.max():
        return state._replace(weights=weights, history=[problem.weighting.value(losses, weights)])
    # All weight is on partitions identical to the memberships: the descent could never leave them.
    return state


def spread(problem, part, state):
    """Extend the memberships of some of the objects to all, for a state with first weights; `part`: their objective."""
    encoding = problem.objective.rows.encoding
    skip = problem.tol * encoding.partitions.total
    memberships = place(
        part, encoding, state.weights, state.memberships, leap=True, skip=skip, n_threads=problem.n_threads
    )
    state = begun(problem, memberships, state.rng, state.name)
    state.log(f"solution of {part.rows.encoding.n_samples} objects, objective {state.objective:.6g}")
    return state


def alternate(problem, state):
    """Alternate from a state to a joint stationary point; its memberships are modified in place."""
    state = state._replace(ended=False)
    while not state.ended:
        state = alternate_once(problem, state)
    return state


def alternate_once(problem, state):
    """The state after a Y step and an update of the weights."""
    objective = problem.objective
    weighting = problem.weighting
    steps = objective.steps(state.weights, state.memberships, state.matrices, state.rng, problem.n_threads)
    gap, n_sweeps = descend(
        steps,
        tol=problem.tol,
        max_sweeps=problem.max_sweeps if state.n_iter < problem.max_iter else 0,
        reduction=problem.reduction,
        far=not is_stationary(state.gap, problem.tol),
    )
    state = state._replace(matrices=steps.matrices, gap=gap, n_sweeps=state.n_sweeps + n_sweeps)
    # If the first Y step made no sweep, the weights have not been updated yet.
    if n_sweeps == 0 and state.n_iter > 0:
        return state._replace(ended=True)
    before = state.weights
    losses = objective.losses(state.matrices)
    weights = weighting.solve(losses)
    history = [*state.history, weighting.value(losses, weights)]
    # Unchanged weights leave the gap unchanged.
    ended = is_stationary(gap, problem.tol) and np.array_equal(weights, before)
    changed = {"losses": losses, "weights": weights, "history": history, "ended": ended}
    state = state._replace(n_iter=state.n_iter + 1, **changed)
    state.log(f"iteration {state.n_iter}, {n_sweeps} sweeps to gap {gap:.2g}, objective {state.objective:.6g}")
    return state


def descend(steps, *, tol, max_sweeps, reduction=0.0, far=False):
    """Sweep until the optimality gap is at most `tol`, or `reduction` times the initial gap; returns (gap, n_sweeps).

    The `steps` of an objective have three methods. `gap()` measures the optimality gap. `sweep(relaxation)` lowers the
    objective by one sweep and returns the sum of the gaps seen during it, in the unit of the gap, or None if no step
    lowers the objective any more. `refresh()` recomputes the small matrices from the memberships before every decision,
    since updates accumulate rounding errors.

    With `far`, the initial gap is known to be above `tol`: it is estimated from the first sweep instead of measured. A
    returned gap above `tol` may be an estimate. With n_sweeps = 0, the gap was at most `tol` from the start.
    """
    n_sweeps = 0
    seen = dict(_SEEN)
    kind = "plain"
    relaxation = 1.0
    estimate = np.inf
    far = far and max_sweeps > 0
    gap = np.inf
    target = tol
    if not far:
        gap = steps.gap()
        target = max(tol, reduction * gap)
    while not is_stationary(gap, target) and n_sweeps < max_sweeps:
        if n_sweeps > 0 and estimate > 0.0:
            seen[kind] = max(seen[kind], gap / estimate)
        expected = np.inf
        while not is_stationary(expected, target) and n_sweeps < max_sweeps:
            stop_if_cancelled()
            before = estimate
            if relaxation > 1.0:
                kind = "relaxed"
            elif kind == "relaxed":
                kind = "closing"
            else:
                kind = "plain"
            estimate = steps.sweep(relaxation)
            n_sweeps += 1
            if estimate is None:
                steps.refresh()
                return steps.gap(), n_sweeps
            if far and n_sweeps == 1:
                # The gaps seen during a sweep are about halfway between the gap before it and the gap after it.
                target = max(tol, reduction * (2.0 - _SEEN["plain"]) * estimate)
            relaxation = next_relaxation(relaxation, estimate, before, target)
            expected = seen[kind] * estimate
        steps.refresh()
        if tol < expected <= target:
            # The weights change next: only the last gap has to be exact.
            return expected, n_sweeps
        gap = steps.gap()
    return gap, n_sweeps


def next_relaxation(relaxation, gap, before, target):
    """Relaxation of the next sweep, from the gaps seen during the last two."""
    closes = relaxation > 1.0 and _CLOSED * gap <= target
    return _RELAXATION if gap > _SLOW * before and not closes else 1.0


def is_stationary(gap, tol):
    """Whether an optimality gap is at most tol, or a rounding error."""
    return bool(gap <= max(tol, ROUNDING))
