"""Alternation of membership and weights from one start."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..checks.values import MAX_SEED
from ..core.starts import FEW, SAMPLE_TOL
from ..objectives.base import Objective
from .descent import descend, is_stationary


class Limits(NamedTuple):
    """How far a solve goes.

    tol : optimality gap to reach.
    max_iter : largest number of alternations.
    max_sweeps : largest number of sweeps per Y step.
    reduction : a Y step hands over to the weights once its gap has shrunk to this share.
    n_threads : threads within a start.
    """

    tol: float
    max_iter: int
    max_sweeps: int = 1000
    reduction: float = 0.1
    n_threads: int = 1


class Problem(NamedTuple):
    """What is lowered, and how weights follow, a :class:`~robust_eac.weightings.Weighting`."""

    objective: Objective
    weighting: object


class Run(NamedTuple):
    """One start on its way: memberships of the objective's rows, weights, and what it needs to continue.

    While `gap` is above the tolerance, Y steps sweep before they measure. `tell` is given a line after every
    alternation; None tells nothing. If `stopped`, by a callback, Y steps measure only.
    """

    rows: np.ndarray
    state: tuple
    losses: np.ndarray
    weights: np.ndarray
    history: list
    rng: np.random.RandomState
    tell: Callable | None
    gap: float = np.inf
    n_iter: int = 0
    n_sweeps: int = 0
    stopped: bool = False

    @property
    def objective(self):
        return self.history[-1]


def start_run(problem, start, rng, limits, *, warm=False, tell=None):
    """Set up the :class:`Run` of a start, before its first Y step.

    `start` is the name of a start, or memberships, which are changed. Where the rows are many, a named start is solved
    on a sample of them first. Weights come from the losses of a warm start, or of what a sample leads to.
    """
    objective, weighting = problem
    sample = objective.sample(rng) if isinstance(start, str) else None
    if sample is None:
        run = _run_from(problem, objective.initial_rows(start, rng), rng, warm, tell, limits)
        return run if isinstance(start, str) else run._replace(gap=0.0)
    rough = limits._replace(tol=max(limits.tol, SAMPLE_TOL), n_threads=1)
    own = np.random.RandomState(rng.randint(MAX_SEED))
    run = alternate(Problem(sample, weighting), sample.initial_rows(start, own), own, rough)
    return spread_run(problem, sample, run, rng, tell, limits, leap=objective.n_clusters > FEW)


def spread_run(problem, sample, run, rng, tell, limits, *, leap):
    """The :class:`Run` of all objects from that of a sample, an objective."""
    encoding = problem.objective.encoding
    how = {"leap": leap, "skip": leap * limits.tol * encoding.partitions.total, "n_threads": limits.n_threads}
    rows = sample.place(encoding, run.weights, run.rows, **how)
    run = _run_from(problem, rows, rng, True, tell, limits)
    if tell:
        tell(f"solution of {sample.encoding.n_samples} objects, objective {run.objective:.6g}")
    return run


def _run_from(problem, rows, rng, warm, tell, limits):
    """The :class:`Run` that begins at memberships; if warm, with the weights of their losses."""
    objective, weighting = problem
    state = objective.measure(rows, limits.n_threads)
    losses = objective.losses(state)
    weights = weighting.solve(losses) if warm else weighting.first(losses)
    return Run(rows, state, losses, weights, [weighting.value(losses, weights)], rng, tell)


def continue_run(problem, run, limits, *, callback=None):
    """Alternate a run to a joint stationary point; its rows are changed.

    `callback` is given the run after every alternation. If it raises StopIteration, the run ends there.
    """
    ended = False
    while not ended:
        n_iter = run.n_iter
        run, ended = alternate_once(problem, run, limits)
        if callback and run.n_iter > n_iter:
            try:
                callback(run)
            except StopIteration:
                run = run._replace(stopped=True)
    return run


def alternate_once(problem, run, limits):
    """(the run after a Y step and a step of the weights, whether it has ended)."""
    objective, weighting = problem
    steps = objective.steps(run.weights, run.rows, run.state, run.rng, limits.n_threads)
    budget = limits.max_sweeps if run.n_iter < limits.max_iter and not run.stopped else 0
    how = {"tol": limits.tol, "max_sweeps": budget, "reduction": limits.reduction}
    gap, n_sweeps = descend(steps, **how, far=not is_stationary(run.gap, limits.tol))
    run = run._replace(state=steps.state, gap=gap, n_sweeps=run.n_sweeps + n_sweeps)
    # After an idle first Y step the weights still have to be found.
    if n_sweeps == 0 and run.n_iter > 0:
        return run, True
    before, losses = run.weights, objective.losses(run.state)
    weights = weighting.solve(losses)
    history = [*run.history, weighting.value(losses, weights)]
    run = run._replace(losses=losses, weights=weights, history=history, n_iter=run.n_iter + 1)
    if run.tell:
        run.tell(f"iteration {run.n_iter}, {n_sweeps} sweeps to gap {gap:.2g}, objective {run.objective:.6g}")
    # Unchanged weights leave the gap as it is.
    return run, is_stationary(gap, limits.tol) and np.array_equal(weights, before)


def alternate(problem, start, rng, limits, *, warm=False, tell=None, callback=None):
    """The :class:`Run` of one start, alternated to a joint stationary point."""
    run = start_run(problem, start, rng, limits, warm=warm, tell=tell)
    return continue_run(problem, run, limits, callback=callback)
