"""Alternation of membership and weights from several starts; returns the canonical membership of the best."""

from functools import partial
from heapq import nsmallest

import numpy as np

from ..core.threads import count_threads, map_threads
from .alternation import alternate, alternate_once, first_state, solve_start, spread
from .base import empty_last
from .starts import reduce_rows
from .weightings import Fixed, FromFunction, Trusting

# Several starts are first solved to this gap; of starts on a sample, only the best _N_LOOSE are.
_LOOSE_TOL = 1e-4
_N_LOOSE = 3
# Starts with different weights end in more minima: after _N_TRIED updates, only the best _N_KEPT continue.
_N_TRIED, _N_KEPT = 2, 5
# Starts' weights: maximum number of clusters of a partition, unless the consensus has more; minimum largest weight.
_FINEST, _CONCENTRATED = 64, 2.0
# Starts alternate in lockstep if all their memberships and matrices S together have at most this many numbers.
_IN_STEP = 2**20


def _value(state):
    return state.objective


def solve(problem, start, seeds, *, n_jobs=None):
    """(the best state of several starts, memberships of the objective's objects), both with the clusters in order.

    Empty clusters are last; with a named start, the others are ordered by their first objects. Objects without weight
    are left out of the descent; identical ones share a row if that pays.
    """
    problem, start, whole = reduce_problem(problem, start)
    objective = problem.objective
    problem = problem._replace(n_threads=count_threads(n_jobs, 1, objective.encoding, objective.n_clusters)[1])
    state = _best_state(problem, start, seeds, n_jobs)
    problem, state = confirm(problem, state, seeds[0])
    state = canonical(problem, state)
    membership = objective.expand(whole, state.weights, state.rows, problem.tol)
    membership, order = empty_last(membership, by_object=isinstance(start, str))
    return state._replace(matrices=objective.ordered(state.matrices, order)), membership


def canonical(problem, state):
    """The state at the canonical membership; its rows are changed."""
    # Away from a stationary point the gap depends on the rotation: if it is then too large, the alternation continues.
    n_sweeps = None
    while state.n_sweeps != n_sweeps:
        rotated = rotate(problem.objective, state, near=n_sweeps is not None)
        if rotated is state:
            return state
        n_sweeps = state.n_sweeps
        # Setting the gap to 0 makes the Y step measure the gap before it sweeps.
        state = alternate(problem, rotated._replace(gap=0.0))
    return state


def rotate(objective, state, *, near=False):
    """The state rotated to its canonical membership, with its rows changed. near : whether it is known to be close."""
    Q = objective.canonical_rotation(state.rows, near=near)
    if Q is None:
        return state
    objective.rotate_rows(state.rows, Q)
    return state._replace(matrices=objective.rotated(state.matrices, Q))


def _best_state(problem, start, seeds, n_jobs):
    """The best state of several starts, the first in a tie."""
    # All starts are solved to a loose gap; only the best one continues to `tol`. In lockstep, a start that coincides
    # with a lower one is dropped, since both would end in the same minimum. The memory of dropped starts, n_clusters
    # numbers per row and per base cluster, is released immediately. A very large problem has a single start: the best
    # state on a quarter of its rows, found in the same way.
    objective = problem.objective
    rng = np.random.RandomState([seeds[0], len(objective.encoding.rows.codes)])
    quarter = objective.sample(rng, quarter=True) if isinstance(start, str) else None
    if quarter is not None:
        of_quarter = problem._replace(objective=quarter)
        state = _best_state(of_quarter, start, seeds, n_jobs)
        state = spread(problem, quarter, state, rng, "", leap=True)
        del quarter, of_quarter
        return alternate(problem, state)
    loose = problem._replace(tol=max(problem.tol, _LOOSE_TOL))
    first_of = distant_weights(problem, len(seeds), rng)

    def in_parallel(function, items):
        outer, n_threads = count_threads(n_jobs, len(items), objective.encoding, objective.n_clusters)
        return map_threads(partial(function, n_threads=n_threads), items, outer)

    def begin(number, n_threads):
        first = start if isinstance(start, str) else start.copy()
        rng = np.random.RandomState(seeds[number])
        name = f"start {number + 1}/{len(seeds)}: "
        threaded = problem._replace(n_threads=n_threads)
        return first_state(threaded, first, rng, first=first_of.get(number), name=name)

    def begin_and_continue(number, n_threads):
        return alternate(loose._replace(n_threads=n_threads), begin(number, n_threads))

    def advance(pair, n_threads):
        state, ended = pair
        return pair if ended else alternate_once(loose._replace(n_threads=n_threads), state)

    def best_in_step(states):
        pairs = [(state, False) for state in states]
        while len(pairs) > 1 and not all(ended for _, ended in pairs):
            pairs = _lowest_of_each(objective, in_parallel(advance, pairs))
            if first_of and max(state.n_iter for state, _ in pairs) >= _N_TRIED:
                pairs = nsmallest(_N_KEPT, pairs, key=lambda pair: pair[0].objective)
        return min((state for state, _ in pairs), key=_value)

    numbers, encoding = range(len(seeds)), objective.encoding
    n_numbers = objective.n_clusters * (len(encoding.rows.codes) + len(encoding.partitions.sizes))
    if len(seeds) == 1:
        state = begin(0, problem.n_threads)
    elif objective.starts_are_cheap:
        state = best_in_step(nsmallest(_N_LOOSE, in_parallel(begin, numbers), key=_value))
    elif len(seeds) * n_numbers <= _IN_STEP:
        state = best_in_step(in_parallel(begin, numbers))
    else:
        state = min(in_parallel(begin_and_continue, numbers), key=_value)
    return alternate(problem, state)


def distant_weights(problem, n_starts, rng):
    """{number of a start: the weights with which it begins}; the others, such as start 0, begin with equal weights."""
    # Starts with equal weights miss minima at which few partitions have all weight. Each other start begins with the
    # weights for the losses at a partition: a random one, then always the one farthest from all before it. Equal
    # weights remain where these give no partition _CONCENTRATED times its equal share, and for functions, which
    # minimise no objective.
    if n_starts == 1 or isinstance(problem.weighting, Fixed | FromFunction):
        return {}
    objective = problem.objective.sample(rng) or problem.objective
    codes, n_codes = objective.encoding.rows.codes, objective.partitions.n_codes
    nearest = np.where(n_codes <= max(_FINEST, objective.n_clusters), np.inf, 0.0)
    order, found = rng.permutation(len(n_codes)), {}
    while len(found) < n_starts - 1 and nearest.any():
        far = order[nearest[order].argmax()]
        losses = objective.losses(objective.measure(np.eye(n_codes[far])[codes[:, far]]))
        weights = problem.weighting.solve(losses)
        if weights.max() * len(weights) < _CONCENTRATED:
            break
        found[len(found) + 1] = Fixed(weights)
        nearest = np.minimum(nearest, losses)
        # Adjusted losses of a partition at itself can be above zero.
        nearest[far] = 0.0
    return found


def _lowest_of_each(objective, pairs):
    """The lowest of each group of states that coincide; pairs of (state, whether it has ended)."""
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


def confirm(problem, state, seed):
    """(problem, state) after alternations and updates of trust in turn, until the trusted set no longer changes."""
    # Only the first update can add partitions, so there are at most n_partitions + 1.
    weighting = problem.weighting
    if not isinstance(weighting, Trusting):
        return problem, state
    while True:
        agreements = problem.objective.agreements(state.rows, problem.n_threads)
        weighting = weighting.revised(np.maximum(1.0 - agreements, 0.0))
        if weighting is None:
            break
        problem = problem._replace(weighting=weighting)
        state = solve_start(problem, state.rows, np.random.RandomState(seed))
    return problem, state
