"""Alternation of membership and weights on encodings, from one start or several."""

from collections.abc import Callable
from functools import partial
from heapq import nsmallest
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..checks.values import MAX_DENSE, MAX_SEED
from ..objectives.distance import ADJUSTED, Distance
from ..sparse.objective import MANY
from ..sparse.rows import labels_of
from .descent import descend, is_stationary
from .encoding import Encoding, weigh_clusters
from .formula import weighted_loss
from .starts import (
    SAMPLE_TOL,
    Solution,
    draw_sample,
    expand_rows,
    initial_rows,
    pays_to_sample,
    place_from_sample,
    reduce_rows,
)
from .threads import count_threads, map_threads

# With several starts: solve each to this gap; of starts placed by samples, only the best three.
_LOOSE_TOL = 1e-4
_N_LOOSE = 3
# Updates of weights and losses that follow each other: at most so many, until the objective falls by less than this.
_MAX_WEIGHINGS = 1000
_SAME = 1e-13


class Settings(NamedTuple):
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


class Weighting(NamedTuple):
    """How weights are found, as an alternation uses it.

    solve : losses -> weights.
    objective : (losses, weights) -> value that the alternation reports and descends.
    first : losses -> weights of the first Y step.
    excess : (losses, weights) -> how far the weights are above the minimum of their problem; None if that is not known.
    for_group : (pairs, group, among, families), see :func:`~robust_eac.weightings.joint.settle` -> the Weighting to
        alternate with; None if no group is needed.
    following : chance-corrected losses -> the Weighting to go on with, or None where the consensus confirms the
        weights. None if there is nothing to confirm.
    corrected : whether `solve` reads chance-corrected losses.
    pairs : the :class:`~robust_eac.weightings.pairs.Pairs` that trust looked at; None where it did not.
    """

    solve: Callable
    objective: Callable
    first: Callable
    excess: Callable | None = None
    for_group: Callable | None = None
    following: Callable | None = None
    corrected: bool = False
    pairs: tuple | None = None


def fixed(weights):
    """The :class:`Weighting` that never changes its weights."""
    return Weighting(lambda losses: weights, weighted_loss, lambda losses: weights)


class Problem(NamedTuple):
    """The rows of an encoding, the largest number of clusters, the weighting, and the distance to minimise."""

    encoding: Encoding
    n_clusters: int
    weighting: Weighting
    distance: Distance


class Run(NamedTuple):
    """The state of one start: memberships of the encoding's rows, weights, and what it needs to continue.

    `tell` is given a line after every alternation; None tells nothing.
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

    @property
    def objective(self):
        return self.history[-1]

    @property
    def levels(self):
        """(a, b) of losses from two levels; None for other losses."""
        levels = getattr(self.state, "levels", None)
        return levels and tuple(map(float, levels))


def begin(problem, start, rng, settings, *, warm=False, tell=None):
    """Set up the :class:`Run` of a start, before its first Y step.

    `start` is the name of a start, or memberships, which are changed. Where the rows are many, a named start is solved
    on a sample of them first. Weights come from the losses of a warm start, or of what a sample leads to.
    """
    encoding, n_clusters, weighting, distance = problem
    sample = draw_sample(encoding, n_clusters, rng) if isinstance(start, str) and not distance.start else None
    if distance.start:
        rows = distance.start(encoding, n_clusters, start, rng)
    elif sample is None:
        rows = initial_rows(encoding, n_clusters, start, rng) if isinstance(start, str) else start
    else:
        rough = settings._replace(tol=max(settings.tol, SAMPLE_TOL), n_threads=1)
        of_sample = problem._replace(encoding=sample)
        own = np.random.RandomState(rng.randint(MAX_SEED))
        run = alternate(of_sample, initial_rows(sample, n_clusters, start, own), own, rough)
        solution = Solution(sample, run.weights, run.rows)
        rows = place_from_sample(encoding, solution, distance, n_threads=settings.n_threads)
    equal = np.full(len(encoding.offsets), 1.0 / len(encoding.offsets))
    state = distance.measure(encoding, rows, equal, n_threads=settings.n_threads)
    losses = distance.losses(encoding, rows, state)
    weights = weighting.solve(losses) if warm or sample is not None else weighting.first(losses)
    history = [weighting.objective(losses, weights)]
    if tell and sample is not None:
        tell(f"solution of a sample, objective {history[0]:.6g}")
    return Run(rows, state, losses, weights, history, rng, tell)


def go_on(problem, run, settings, *, keep=None):
    """Alternate a run to a joint stationary point; its rows are changed.

    `keep` is given the run after every alternation: a run that goes on from there ends with the same bits.
    """
    encoding, _, weighting, distance = problem
    while True:
        steps = distance.steps(encoding, run.weights, run.rows, run.state, settings, run.rng)
        budget = settings.max_sweeps if run.n_iter < settings.max_iter else 0
        gap, n_sweeps = descend(steps, tol=settings.tol, max_sweeps=budget, reduction=settings.reduction)
        run = run._replace(state=steps.state, gap=gap, n_sweeps=run.n_sweeps + n_sweeps)
        # After an idle first Y step the weights still have to be found.
        if n_sweeps == 0 and run.n_iter > 0:
            return run
        before = run.weights
        losses, weights, state = _weigh(problem, run.rows, run.state)
        history = [*run.history, weighting.objective(losses, weights)]
        run = run._replace(state=state, losses=losses, weights=weights, history=history, n_iter=run.n_iter + 1)
        if run.tell:
            run.tell(f"iteration {run.n_iter}, {n_sweeps} sweeps to gap {gap:.2g}, objective {run.objective:.6g}")
        if keep:
            keep(run)
        # Unchanged weights leave the gap as it is.
        if is_stationary(gap, settings.tol) and np.array_equal(weights, before):
            return run


def _weigh(problem, rows, state):
    """(losses, weights, state) of memberships; where losses follow the weights, both until neither changes."""
    encoding, _, weighting, distance = problem
    losses, objective = distance.losses(encoding, rows, state), np.inf
    for _ in range(_MAX_WEIGHINGS):
        weights = weighting.solve(losses)
        if distance.follow is None:
            break
        before, state = objective, distance.follow(encoding, weights, state)
        losses = distance.losses(encoding, rows, state)
        objective = weighting.objective(losses, weights)
        if not objective < before * (1.0 - _SAME):
            break
    return losses, weights, state


def alternate(problem, start, rng, settings, *, warm=False, tell=None):
    """The :class:`Run` of one start, alternated to a joint stationary point."""
    return go_on(problem, begin(problem, start, rng, settings, warm=warm, tell=tell), settings)


def best_of_starts(problem, start, seeds, settings, *, n_jobs=None, tell=None):
    """The run of least objective, one from every seed; the first of equal ones.

    All starts go to a loose gap, or the best few where samples show which these are. The best one goes on to the end.
    The others are dropped as soon as they have lost: each has n_clusters numbers per object and per base cluster.
    """
    loose = settings._replace(tol=max(settings.tol, _LOOSE_TOL))

    def in_parallel(function, items, settings):
        outer, n_threads = count_threads(n_jobs, len(items), problem.encoding, problem.n_clusters)
        own = settings._replace(n_threads=n_threads)
        return map_threads(partial(function, settings=own), items, outer)

    def set_out(number, settings):
        first = start if isinstance(start, str) else start.copy()
        own = tell and partial(_tell_of_start, tell, number, len(seeds))
        return begin(problem, first, np.random.RandomState(seeds[number]), settings, tell=own)

    def set_out_and_go_on(number, settings):
        return go_on(problem, set_out(number, settings), settings)

    numbers = range(len(seeds))
    if len(seeds) == 1:
        runs = in_parallel(set_out, numbers, settings)
    elif problem.distance.start or pays_to_sample(problem.encoding, problem.n_clusters):
        kept = nsmallest(_N_LOOSE, in_parallel(set_out, numbers, settings), key=_objective)
        runs = in_parallel(partial(go_on, problem), kept, loose)
    else:
        runs = in_parallel(set_out_and_go_on, numbers, loose)
    (run,) = in_parallel(partial(go_on, problem), [min(runs, key=_objective)], settings)
    return run


def _objective(run):
    return run.objective


def _tell_of_start(tell, number, n_starts, line):
    tell(f"start {number + 1}/{n_starts}: {line}")


def solve(problem, start, seeds, settings, *, n_jobs=None, tell=None):
    """(best run for an encoding, memberships of its objects with empty clusters last).

    Objects without weight are left out, identical ones share a row where that pays. A weighting that looks at chance
    alternates with the best start until the consensus confirms the partitions that made it.
    """
    whole = problem.encoding
    problem, start = reduce(problem, start)
    run = best_of_starts(problem, start, seeds, settings, n_jobs=n_jobs, tell=tell)
    _, n_threads = count_threads(n_jobs, 1, problem.encoding, problem.n_clusters)
    run = _confirm(problem, run, seeds[0], settings._replace(n_threads=n_threads))
    return run, memberships_of(whole, problem, run, settings.tol)


def reduce(problem, start):
    """The problem of rows of identical objects, with sparse memberships where clusters are many, and its start."""
    whole, distance = problem.encoding, problem.distance
    encoding, start = reduce_rows(whole, start, diagonal=distance.diagonal)
    if problem.n_clusters > MANY and distance.many and problem.weighting.following is None:
        distance = distance.many(encoding, with_floor=whole.n_samples * problem.n_clusters <= MAX_DENSE)
    return problem._replace(encoding=encoding, distance=distance), start


def _confirm(problem, run, seed, settings):
    """Alternate membership and trust until the trusted partitions are those that the consensus confirms.

    Trust looks at the partitions as they are, whatever the weights of their clusters. Updates after the first only
    withdraw it: at most n_partitions + 1 Y steps.
    """
    weighting = problem.weighting
    plain = weigh_clusters(problem.encoding, None) if weighting.following else None
    while weighting.following is not None:
        state = ADJUSTED.measure(plain, run.rows, run.weights, n_threads=settings.n_threads)
        weighting = weighting.following(ADJUSTED.losses(plain, run.rows, state))
        if weighting is None:
            break
        run = alternate(problem._replace(weighting=weighting), run.rows, np.random.RandomState(seed), settings)
    return run


def memberships_of(whole, problem, run, tol):
    """Memberships of all objects, empty clusters last."""
    return empty_last(expand(whole, problem, run, tol))


def expand(whole, problem, run, tol):
    """Memberships of all objects, an array or, where that would be too large, a matrix in compressed rows."""
    if problem.distance.expand:
        return problem.distance.expand(whole, run.weights, run.rows, tol)
    return expand_rows(whole, Solution(problem.encoding, run.weights, run.rows), problem.distance, tol)


def empty_last(membership):
    """The membership with the clusters that win no object last, so that the labels are 0, 1, ... without holes."""
    won = np.bincount(labels_of(membership), minlength=membership.shape[1])
    if won.all():
        return membership
    ordered = membership[:, empty_last_order(won)]
    return ordered if sparse.issparse(ordered) else np.ascontiguousarray(ordered)


def empty_last_order(won):
    """Order of the clusters, those that win no object last, from the number of objects that each wins."""
    return np.argsort(won == 0, kind="stable")
