"""Alternation of membership and weights from several starts; returns the canonical membership of the best."""

from functools import partial
from heapq import nsmallest

import numpy as np

from ..common import row_blocks
from ..core.threads import count_threads, map_threads
from ..ensemble.encoding import first_objects
from .alternation import alternate, alternate_once, first_state, resumed, spread
from .losses import ordered, rotated
from .objective import RowsInMemory, coincide, expand
from .starts import reduce_rows
from .weightings import confirm

# Several starts are first solved to this gap, as is the best of them on a part of the rows.
LOOSE_TOL = 1e-4
# Starts that begin on a part of the rows leave it after this many updates of the weights.
_N_TRIED = 2
# Starts run in lockstep if all their memberships and matrices S together have at most this many numbers; those that
# began on a part of the rows also if they are few.
_IN_STEP = 2**20
_N_LOOSE = 3


def _value(state):
    return state.objective


def solve(problem, start, seeds, *, n_jobs):
    """(the best state of several starts, memberships of the objective's objects), both with the clusters in order.

    Empty clusters are last; with a named start, the others are ordered by their first objects. Objects without weight
    are left out of the descent; identical ones share a row if that pays.
    """
    problem, start, whole = reduce_problem(problem, start, n_jobs)
    objective = problem.objective
    rng = np.random.RandomState([seeds[0], objective.rows.encoding.n_rows])
    state = best_state(problem, start, list(map(np.random.RandomState, seeds)), rng, n_jobs)
    state = canonical(*confirm_trust(problem, state, seeds[0]))
    membership = expand(objective, whole, state.weights, state.memberships, problem.tol)
    membership, order = empty_last(membership, by_object=start.name is not None)
    return state._replace(matrices=ordered(state.matrices, order)), membership


def empty_last(membership, *, by_object):
    """(the membership, changed in place, with its clusters as :func:`order_clusters` says; the order)."""
    order = order_clusters(partial(first_winners, membership), membership.shape[1], by_object=by_object)
    # In place, since the matrix can take gigabytes.
    for rows in row_blocks(len(membership)):
        membership[rows] = membership[rows][:, order]
    return membership, order


def first_winners(membership, order):
    """(k,) the first object that each cluster wins, in this order of the clusters; infinity if none."""
    labels = [membership[rows][:, order].argmax(axis=1) for rows in row_blocks(len(membership))]
    return first_objects(np.concatenate(labels), len(order))


def order_clusters(first_winners, n_clusters, *, by_object):
    """(n_clusters,) the clusters, with those that win no object last, so that labels have no gaps.

    first_winners(order) : the first object that each cluster wins, infinity if none, in this order of the clusters: it
        decides which of two equal memberships of an object wins.
    by_object : order the other clusters by the first object that each wins, whatever the start.
    """
    order = np.arange(n_clusters)
    while True:
        first = first_winners(order)
        step = np.argsort(first if by_object else np.isinf(first), kind="stable")
        if (np.diff(step) == 1).all():
            return order
        order = order[step]


def canonical(problem, state):
    """The state at the canonical membership; its memberships are changed."""
    # Away from a stationary point the gap depends on the rotation: if it is then too large, the alternation continues.
    rows = problem.objective.rows
    n_sweeps = None
    while state.n_sweeps != n_sweeps:
        Q = rows.rotation(state.memberships, near=n_sweeps is not None)
        if Q is None:
            return state
        rows.rotate(state.memberships, Q)
        n_sweeps = state.n_sweeps
        # Setting the gap to 0 makes the Y step measure the gap before it sweeps.
        state = alternate(problem, state._replace(matrices=rotated(state.matrices, Q), gap=0.0))
    return state


def best_state(problem, start, rngs, rng, n_jobs):
    """The best state of several starts, each with one of `rngs`; the first in a tie."""
    # With many rows, starts begin on a random quarter of them, or on a quarter of that, and so on. Those that have not
    # met after _N_TRIED updates of the weights continue on the next larger part, and the lowest of them on all others:
    # from the memberships found, but with the weights of a start, since which partitions a part leaves without weight
    # can be noise.
    # Starts run in lockstep, unless there are too many numbers: then each runs by itself, and only the memory of the
    # lowest is kept.
    parts = [problem]
    while start.name and (sample := parts[-1].objective.rows.sample(problem.objective.n_clusters, rng)):
        parts.append(problem._replace(objective=problem.objective.on(sample)))
    part = parts.pop()
    n_starts = len(rngs)

    def begin(number, problem):
        return first_state(problem, start, rngs[number], name=f"start {number + 1}/{n_starts}: ")

    def begin_and_continue(number, problem):
        return alternate(_loose(problem), begin(number, problem))

    def in_parallel(function, items):
        encoding = part.objective.rows.encoding
        outer, n_threads = count_threads(n_jobs, len(items), encoding, part.objective.n_clusters)
        return map_threads(partial(function, problem=part._replace(n_threads=n_threads)), items, outer)

    if n_starts == 1 or n_starts <= _most_in_step(part.objective):
        states = list(in_parallel(begin, range(n_starts)))
        if parts:
            for _ in range(_N_TRIED):
                states = _lowest_of_each(part.objective, in_parallel(_advance, states))
            n_kept = max(_N_LOOSE, _most_in_step(parts[-1].objective))
            states = nsmallest(n_kept, states, key=_value)
    else:
        states = [min(in_parallel(begin_and_continue, range(n_starts)), key=_value)]
    if parts:
        of_part = part.objective
        part = parts.pop()
        states = [spread(part, of_part, state) for state in states]
    while len(states) > 1 and not all(state.ended for state in states):
        states = _lowest_of_each(part.objective, in_parallel(_advance, states))
    state = min(states, key=_value)
    del states
    while parts:
        of_part = part
        part = parts.pop()
        state = spread(part, of_part.objective, alternate(of_part, state))
    return alternate(problem, state)


def _most_in_step(objective):
    """How many states may run in lockstep, by the numbers of their memberships and matrices S."""
    return _IN_STEP // (objective.n_clusters * (objective.rows.encoding.n_rows + objective.partitions.n_slots))


def _loose(problem):
    return problem._replace(tol=max(problem.tol, LOOSE_TOL))


def _advance(state, problem):
    return state if state.ended else alternate_once(_loose(problem), state)


def _lowest_of_each(objective, states):
    """The lowest of each group of states that coincide, since all of them would end in the same minimum."""
    groups = []
    for state in states:
        signature = objective.rows.signature(state.memberships)
        group = next((group for first, group in groups if coincide(first, signature)), None)
        if group is None:
            groups.append((signature, [state]))
        else:
            group.append(state)
    return [min(group, key=_value) for _, group in groups]


def reduce_problem(problem, start, n_jobs):
    """(the problem on distinct rows with weight, its start, the encoding of all objects)."""
    objective = problem.objective
    encoding, memberships = reduce_rows(objective.rows.encoding, start.memberships)
    n_threads = count_threads(n_jobs, 1, encoding, objective.n_clusters)[1]
    problem = problem._replace(objective=objective.on(RowsInMemory(encoding)), n_threads=n_threads)
    return problem, start._replace(memberships=memberships), objective.rows.encoding


def confirm_trust(problem, state, seed):
    """(problem, state) after alternations and revisions of the weighting in turn."""

    def agreements_of(state):
        return problem.objective.agreements(state.memberships, problem.n_threads)

    def go_on(weighting, state):
        revised = problem._replace(weighting=weighting)
        return alternate(revised, resumed(revised, state.memberships, np.random.RandomState(seed)))

    weighting, state = confirm(problem.weighting, state, agreements_of, go_on)
    return problem._replace(weighting=weighting), state
