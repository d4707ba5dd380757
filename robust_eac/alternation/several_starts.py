"""Alternation of membership and weights from several starts, up to the canonical membership of the best."""

from functools import partial
from heapq import nsmallest

import numpy as np

from ..core.formula import adjusted_agreements
from ..core.starts import reduce_rows
from ..core.threads import count_threads, map_threads
from ..objectives.base import empty_last
from ..weightings.joint import Fixed, Trusting
from .one_start import alternate, alternate_once, continue_run, spread_run, start_run

# Several starts are first solved to this gap; of cheap ones, which begin on a sample, only the best _N_LOOSE are.
_LOOSE_TOL = 1e-4
_N_LOOSE = 3
# Starts of different weights end in more minima than others. After _N_TRIED updates only the best _N_KEPT go on: with
# ten starts on 132 ensembles, two ended more than 1 % above fifty, and the time was that of equal weights.
_N_TRIED, _N_KEPT = 2, 5
# Bounds for the weights of starts: most clusters of a partition, unless the consensus has more; least largest weight.
_FINEST, _CONCENTRATED = 64, 2.0
# Starts alternate in lockstep if all their memberships and matrices S have at most this many numbers.
_IN_STEP = 2**20


def _value(run):
    return run.objective


def solve(problem, start, seeds, limits, *, n_jobs=None):
    """(the best run of several starts, memberships of the objective's objects), both with the clusters in order.

    Empty clusters are last; with a named start, the others are ordered by their first objects. Objects without weight
    are left out of the descent; identical ones share a row if that pays.
    """
    problem, start, whole = reduce_problem(problem, start)
    objective = problem.objective
    run = _best_run(problem, start, seeds, limits, n_jobs)
    alone = limits._replace(n_threads=_within(n_jobs, objective))
    problem, run = _confirm(problem, run, seeds[0], alone)
    run = canonical(problem, run, alone)
    membership = objective.expand(whole, run.weights, run.rows, limits.tol)
    membership, order = empty_last(membership, by_object=isinstance(start, str))
    return run._replace(state=objective.ordered(run.state, order)), membership


def canonical(problem, run, limits):
    """The run at the canonical membership; its rows are changed.

    Away from a stationary point the gap depends on the rotation: if it is too large afterwards, the run continues.
    """
    n_sweeps = None
    while run.n_sweeps != n_sweeps:
        turned = turn_run(problem.objective, run, near=n_sweeps is not None)
        if turned is run:
            return run
        n_sweeps = run.n_sweeps
        # Setting the gap to 0 makes the Y step measure the gap before it sweeps.
        run = continue_run(problem, turned._replace(gap=0.0), limits)
    return run


def turn_run(objective, run, *, near=False):
    """The run rotated to its canonical membership, which may be known to be `near`; its rows are changed."""
    Q = objective.canonical_rotation(run.rows, near=near)
    if Q is None:
        return run
    objective.turn_rows(run.rows, Q)
    return run._replace(state=objective.turned(run.state, Q))


def _within(n_jobs, objective):
    """Threads within one start."""
    return count_threads(n_jobs, 1, objective.encoding, objective.n_clusters)[1]


def _best_run(problem, start, seeds, limits, n_jobs):
    """The best run of several starts, the first of equal ones.

    The starts are solved to a loose gap; only the best one continues to `tol`. In lockstep, a start that coincides with
    a lower one is dropped, since both would end in the same minimum. Losing starts are freed at once: each has
    n_clusters numbers per row and per base cluster. A very large problem has a single start: the best run on a quarter
    of its rows, which is found in the same way.
    """
    objective = problem.objective
    alone = limits._replace(n_threads=_within(n_jobs, objective))
    rng = np.random.RandomState([seeds[0], len(objective.encoding.rows.codes)])
    quarter = objective.sample(rng, quarter=True) if isinstance(start, str) else None
    if quarter is not None:
        run = _best_run(problem._replace(objective=quarter), start, seeds, limits, n_jobs)
        run = spread_run(problem, quarter, run, rng, alone, "", leap=True)
        del quarter
        return continue_run(problem, run, alone)
    loose = limits._replace(tol=max(limits.tol, _LOOSE_TOL))
    first_of = {} if isinstance(problem.weighting, Fixed) else _weights_of_starts(problem, len(seeds), rng)

    def in_parallel(function, items):
        outer, n_threads = count_threads(n_jobs, len(items), objective.encoding, objective.n_clusters)
        return map_threads(partial(function, n_threads=n_threads), items, outer)

    def begin(number, n_threads):
        first = start if isinstance(start, str) else start.copy()
        rng = np.random.RandomState(seeds[number])
        name = f"start {number + 1}/{len(seeds)}: "
        return start_run(
            problem, first, rng, limits._replace(n_threads=n_threads), first=first_of.get(number), name=name
        )

    def begin_and_continue(number, n_threads):
        return continue_run(problem, begin(number, n_threads), loose._replace(n_threads=n_threads))

    def advance(pair, n_threads):
        run, ended = pair
        return pair if ended else alternate_once(problem, run, loose._replace(n_threads=n_threads))

    def best_in_step(runs):
        pairs = [(run, False) for run in runs]
        while len(pairs) > 1 and not all(ended for _, ended in pairs):
            pairs = _lowest_of_each(objective, in_parallel(advance, pairs))
            if first_of and max(run.n_iter for run, _ in pairs) >= _N_TRIED:
                pairs = nsmallest(_N_KEPT, pairs, key=lambda pair: pair[0].objective)
        return min((run for run, _ in pairs), key=_value)

    numbers, encoding = range(len(seeds)), objective.encoding
    n_numbers = objective.n_clusters * (len(encoding.rows.codes) + len(encoding.partitions.sizes))
    if len(seeds) == 1:
        run = begin(0, alone.n_threads)
    elif objective.starts_are_cheap:
        run = best_in_step(nsmallest(_N_LOOSE, in_parallel(begin, numbers), key=_value))
    elif len(seeds) * n_numbers <= _IN_STEP:
        run = best_in_step(in_parallel(begin, numbers))
    else:
        run = min(in_parallel(begin_and_continue, numbers), key=_value)
    return continue_run(problem, run, alone)


def _weights_of_starts(problem, n_starts, rng):
    """{number of a start: the weights with which it begins}, without starts that begin with equal ones, as 0 does.

    Starts with equal weights miss minima at which few partitions have all weight. Each of the others begins with the
    weights for the losses at a partition: a random one, then always the one that is farthest from all before it. Equal
    ones remain where these give no partition _CONCENTRATED times its equal share.
    """
    objective, weighting = problem
    objective = objective.sample(rng) or objective
    codes, n_codes = objective.encoding.rows.codes, objective.partitions.n_codes
    nearest = np.where(n_codes <= max(_FINEST, objective.n_clusters), np.inf, 0.0)
    order, found = rng.permutation(len(n_codes)), {}
    while len(found) < n_starts - 1 and nearest.any():
        far = order[nearest[order].argmax()]
        losses = objective.losses(objective.measure(np.eye(n_codes[far])[codes[:, far]]))
        weights = weighting.solve(losses)
        if weights.max() * len(weights) < _CONCENTRATED:
            break
        found[len(found) + 1] = Fixed(weights)
        nearest = np.minimum(nearest, losses)
        # Adjusted losses of a partition at itself can be above zero.
        nearest[far] = 0.0
    return found


def _lowest_of_each(objective, pairs):
    """The lowest of each group of runs that coincide; pairs of (run, whether it has ended)."""
    groups = []
    for pair in pairs:
        signature = objective.signature(pair[0].rows)
        group = next((group for first, group in groups if objective.coincide(first, signature)), None)
        if group is None:
            groups.append((signature, [pair]))
        else:
            group.append(pair)
    return [min(group, key=lambda pair: pair[0].objective) for _, group in groups]


def reduce_problem(problem, start):
    """(the problem on distinct rows with weight, its start, the encoding of all objects)."""
    whole = problem.objective.encoding
    encoding, start = reduce_rows(whole, start)
    return problem._replace(objective=problem.objective.on(encoding)), start, whole


def _confirm(problem, run, seed, limits):
    """(problem, run) after runs and updates of trust in turn, until the consensus confirms all trusted partitions.

    Only the first update can add partitions: there are at most n_partitions + 1.
    """
    weighting = problem.weighting
    if not isinstance(weighting, Trusting):
        return problem, run
    while True:
        agreements = adjusted_agreements(problem.objective.encoding, run.rows, n_threads=limits.n_threads)
        weighting = weighting.revised(np.maximum(1.0 - agreements, 0.0))
        if weighting is None:
            break
        problem = problem._replace(weighting=weighting)
        run = alternate(problem, run.rows, np.random.RandomState(seed), limits)
    return problem, run
