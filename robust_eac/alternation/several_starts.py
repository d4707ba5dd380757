"""Alternation of membership and weights from several starts, to the canonical membership of the best."""

from functools import partial
from heapq import nsmallest
from typing import NamedTuple

import numpy as np

from ..core.encoding import weigh_clusters
from ..core.formula import adjusted_agreements
from ..core.starts import reduce_rows
from ..core.threads import count_threads, map_threads
from ..objectives.base import empty_last
from .one_start import alternate, alternate_once, continue_run, spread_run, start_run

# With several starts: solve them to this gap; where starts are cheap, only the best three.
_LOOSE_TOL = 1e-4
_N_LOOSE = 3
# Starts alternate in step, and stop where others have come, if all have at most so many memberships of rows and slots.
_IN_STEP = 2**20


class Alternation(NamedTuple):
    """What a callback is given after an alternation.

    membership : (n_samples, n_clusters), as the descent left it: before it is turned, clusters in no order.
    weights, objective, n_iter : after the step of the weights. gap : before it.
    """

    membership: np.ndarray
    weights: np.ndarray
    objective: float
    gap: float
    n_iter: int


def _value(run):
    return run.objective


def _tell_of_start(tell, number, n_starts, line):
    tell(f"start {number + 1}/{n_starts}: {line}")


def solve(problem, start, seeds, limits, *, n_jobs=None, tell=None, callback=None):
    """(the best run of several starts, memberships of the objective's objects), clusters in order.

    Empty clusters are last; those of a named start are ordered by their first objects.

    Objects without weight are left out, identical ones share a row where that pays. All starts go to a loose gap, or
    the best few where these show early; the best one goes on to the end, the first of equal ones. The others are
    dropped as soon as they have lost: each has n_clusters numbers per object and per base cluster. Starts that go in
    step have lost, too, where a lower one is at the same place: both would end in one minimum. Very many objects are
    solved for from the solution of a quarter of them, and that from a quarter of its own. A weighting that looks at
    chance alternates with the best start until the consensus confirms the partitions that made it.

    `callback` is given the :class:`Alternation` after each of the start that is kept, once the others are dropped.
    """
    problem, start, whole = reduce_problem(problem, start)
    objective = problem.objective

    def call(run):
        # The descent goes on in the rows.
        membership = objective.expand(whole, run.weights, run.rows.copy(), limits.tol)
        callback(Alternation(membership, run.weights.copy(), run.objective, run.gap, run.n_iter))

    call = call if callback else None
    run = _best_run(problem, start, seeds, limits, n_jobs, tell, call)
    alone = limits._replace(n_threads=_within(n_jobs, objective))
    problem, run = _confirm(problem, run, seeds[0], alone, call)
    run = canonical(problem, run, alone, callback=call)
    membership = objective.expand(whole, run.weights, run.rows, limits.tol)
    membership, order = empty_last(membership, by_object=isinstance(start, str))
    return run._replace(state=objective.ordered(run.state, order)), membership


def canonical(problem, run, limits, *, callback=None):
    """The run at the canonical membership of its losses; its rows are changed.

    Away from a stationary point the gap depends on the rotation: where it is too large after the turn, the run goes on.
    """
    n_sweeps = None
    while run.n_sweeps != n_sweeps:
        turned = turn_run(problem.objective, run, limits.n_threads, near=n_sweeps is not None)
        if turned is run:
            return run
        n_sweeps = run.n_sweeps
        # A gap of zero: the Y step measures it before it sweeps.
        run = continue_run(problem, turned._replace(gap=0.0), limits, callback=callback)
    return run


def turn_run(objective, run, n_threads=1, *, near=False):
    """The run turned to its canonical membership, which may be known to be near; its rows are changed."""
    Q = objective.canonical_rotation(run.rows, near=near)
    if Q is None:
        return run
    objective.turn(run.rows, Q)
    return run._replace(state=objective.measure(run.rows, n_threads))


def _within(n_jobs, objective):
    """Threads within one start."""
    return count_threads(n_jobs, 1, objective.encoding, objective.n_clusters)[1]


def _best_run(problem, start, seeds, limits, n_jobs, tell, callback=None):
    """The best of several starts; with very many objects, that of a quarter of them, spread to all."""
    objective = problem.objective
    alone = limits._replace(n_threads=_within(n_jobs, objective))
    rng = np.random.RandomState([seeds[0], len(objective.encoding.rows.codes)])
    quarter = objective.sample(rng, quarter=True) if isinstance(start, str) else None
    if quarter is not None:
        run = _best_run(problem._replace(objective=quarter), start, seeds, limits, n_jobs, tell)
        run = spread_run(problem, quarter, run, rng, tell, alone, leap=True)
        del quarter
        return continue_run(problem, run, alone, callback=callback)
    loose = limits._replace(tol=max(limits.tol, _LOOSE_TOL))

    def in_parallel(function, items):
        outer, n_threads = count_threads(n_jobs, len(items), objective.encoding, objective.n_clusters)
        return map_threads(partial(function, n_threads=n_threads), items, outer)

    def begin(number, n_threads):
        first = start if isinstance(start, str) else start.copy()
        own = tell and partial(_tell_of_start, tell, number, len(seeds))
        rng = np.random.RandomState(seeds[number])
        return start_run(problem, first, rng, limits._replace(n_threads=n_threads), tell=own)

    def go_on(pair, n_threads):
        run, ended = pair
        return pair if ended else alternate_once(problem, run, loose._replace(n_threads=n_threads))

    def in_step(runs):
        pairs = [(run, False) for run in runs]
        while len(pairs) > 1 and not all(ended for _, ended in pairs):
            pairs = _lowest_of_each(objective, in_parallel(go_on, pairs))
        return min((run for run, _ in pairs), key=_value)

    def begin_and_continue(number, n_threads):
        return continue_run(problem, begin(number, n_threads), loose._replace(n_threads=n_threads))

    numbers, encoding = range(len(seeds)), objective.encoding
    if len(seeds) == 1:
        run = begin(0, alone.n_threads)
    elif objective.starts_are_cheap:
        run = in_step(nsmallest(_N_LOOSE, in_parallel(begin, numbers), key=_value))
    elif len(seeds) * objective.n_clusters * (len(encoding.rows.codes) + len(encoding.partitions.sizes)) <= _IN_STEP:
        run = in_step(in_parallel(begin, numbers))
    else:
        run = min(in_parallel(begin_and_continue, numbers), key=_value)
    return continue_run(problem, run, alone, callback=callback)


def _lowest_of_each(objective, pairs):
    """Of the runs that have met, the lowest; pairs of (run, whether it has ended)."""
    groups, pairs = [], list(pairs)
    for pair in pairs:
        place = objective.whereabouts(pair[0].rows)
        group = next((group for first, group in groups if objective.have_met(first, place)), None)
        if group is None:
            groups.append((place, [pair]))
        else:
            group.append(pair)
    return [min(group, key=lambda pair: pair[0].objective) for _, group in groups]


def reduce_problem(problem, start):
    """(the problem of rows of identical objects with weight, its start, the encoding of all objects)."""
    whole = problem.objective.encoding
    encoding, start = reduce_rows(whole, start)
    return problem._replace(objective=problem.objective.on(encoding)), start, whole


def _confirm(problem, run, seed, limits, callback):
    """(problem, run) alternated until the trusted partitions are those that the consensus confirms.

    Trust looks at the partitions as they are, whatever the weights of their clusters. Updates after the first only
    withdraw it: at most n_partitions + 1 Y steps.
    """
    weighting = problem.weighting
    if not weighting.trusts:
        return problem, run
    plain = weigh_clusters(problem.objective.encoding, None)
    while not run.stopped:
        agreements = adjusted_agreements(plain, run.rows, n_threads=limits.n_threads)
        weighting = weighting.following(np.maximum(1.0 - agreements, 0.0))
        if weighting is None:
            break
        problem = problem._replace(weighting=weighting)
        run = alternate(problem, run.rows, np.random.RandomState(seed), limits, callback=callback)
    return problem, run
