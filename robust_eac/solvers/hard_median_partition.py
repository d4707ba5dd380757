"""The median partition itself: the hard partition of least weighted loss, under Binder's loss, VI and their kin."""

from __future__ import annotations

import warnings
from functools import partial
from heapq import nsmallest
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ..checks.labels import check_ensemble, check_labels, check_sample_weight
from ..checks.types import ClusterWeights, Labels, RandomState, WeightSolver
from ..checks.values import (
    MAX_SEED,
    as_array,
    check_choice,
    check_integer,
    check_n_clusters,
    check_n_jobs,
    check_random_state,
    check_real,
    check_weights,
)
from ..core.alternation import Problem, Settings, Weighting, alternate, fixed
from ..core.distance import ADJUSTED, raw_distance
from ..core.encoding import Encoding, encode_ensemble, harden, take_rows, weigh, weigh_clusters
from ..core.hard import LOSSES, Aim, Search, group, partition_losses
from ..core.starts import draw_rows
from ..core.threads import count_threads, map_threads
from ..weighting.clusters import check_cluster_weights, weigh_by
from ..weighting.joint import resolve_weighting, settle
from ..weighting.trust import LEVEL, NO_LINKS

__all__ = ["HardMedianPartition", "solve_hard_median_partition"]

INITS = ("sequential", "random", "partitions", "relaxed")
# Of all starts, so many are searched thoroughly.
_N_THOROUGH = 2
# Objects in a sample, at least, and per base cluster; draw one if there are this many times more rows.
_SAMPLE, _SAMPLE_PER_CLUSTER, _SAMPLE_SHARE = 4096, 64, 4
# Dissolve clusters as long as rows x partitions x clusters^2 are at most this.
_THOROUGH_WORK = 10**9
# Halvings of the range of costs.
_MAX_HALVINGS = 30
# Gap to which the relaxed problem is solved for a start.
_RELAXED_TOL = 1e-3


class HardMedianPartition(NamedTuple):
    """What :func:`solve_hard_median_partition` returns."""

    labels: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    objective: float
    n_clusters: int
    cost: float
    n_passes: int
    converged: bool


class Task(NamedTuple):
    """A search for a hard partition: what it lowers, how weights are found, and how far it goes.

    `unit` is what a loss of 1 is to the weighting and in the results.
    """

    encoding: Encoding
    aim: Aim
    weighting: Weighting
    max_passes: int
    unit: float = 1.0


class Run(NamedTuple):
    """A partition of the rows of a task, and what belongs to it."""

    clusters: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    objective: float
    n_moves: int
    n_passes: int
    converged: bool


def solve_hard_median_partition(
    labels: Labels,
    n_clusters: int | None = None,
    *,
    loss: str = "binder",
    cost: float | str = 1.0,
    weights: ArrayLike | None = None,
    weighting: WeightSolver | None = None,
    rho: float | str | None = None,
    lam: float | None = None,
    lam0: float | None = None,
    n_init: int = 16,
    init: str | ArrayLike = "sequential",
    max_passes: int = 100,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    cluster_weights: ClusterWeights = None,
) -> HardMedianPartition:
    """Find the partition of least weighted mean loss."""
    ensemble = check_ensemble(labels)
    n, m = ensemble.n_samples, ensemble.n_partitions
    chosen = LOSSES[check_choice(loss, LOSSES, name="loss")]
    limit = n if n_clusters is None else check_n_clusters(n_clusters, n)
    cost = _check_cost(cost, loss, n_clusters)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    weighting = check_weighting(weights, weighting, 1.0, m, rho=rho, lam=lam, lam0=lam0)
    n_init = check_integer(n_init, name="n_init", low=1)
    start = _check_init(init, n, limit)
    max_passes = check_integer(max_passes, name="max_passes", low=1)
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)
    cluster_weights = check_cluster_weights(cluster_weights)
    _check_ensemble_fits(ensemble, cluster_weights, loss)

    whole = weigh_by(encode_ensemble(ensemble, sample_weight), cluster_weights)
    weighting, linked = settle(weighting, whole, rng)
    if not linked:
        warnings.warn(NO_LINKS.format(LEVEL), UserWarning, stacklevel=2)
    seeds = rng.randint(MAX_SEED, size=n_init)
    solve = partial(_solve, whole, weighting, start, seeds, max_passes, n_jobs)
    if cost == "n_clusters":
        run, cost = _solve_by_cost(solve, chosen, limit, n)
    else:
        run = solve(Aim(chosen, cost, limit))
    if not run.converged:
        warn_unconverged(max_passes, stacklevel=3)
    found = in_order(run.clusters)
    return HardMedianPartition(
        labels=found,
        weights=run.weights,
        losses=run.losses,
        objective=run.objective,
        n_clusters=int(found.max()) + 1,
        cost=cost,
        n_passes=run.n_passes,
        converged=run.converged,
    )


def _solve(encoding, weighting, start, seeds, max_passes, n_jobs, aim):
    """The best :class:`Run`."""
    task = Task(encoding, aim, weighting, max_passes)
    rng = np.random.RandomState(seeds[0])
    if isinstance(start, str):
        run = _best_of_starts(task, start, seeds, n_jobs)
    else:
        first = weighting.first(partition_losses(encoding, start, aim))
        run = refine(task, start, first, rng, thorough=thoroughness(task, start))
    return _confirm(task, run, rng)


def _solve_by_cost(solve, loss, target, n_samples):
    """(run, cost) at a cost for which the best partition has `target` clusters, by bisection."""
    low, high, cost = 0.0, 2.0, 1.0
    for _ in range(_MAX_HALVINGS):
        run = solve(Aim(loss, cost, n_samples))
        n_found = len(np.unique(run.clusters))
        if n_found == target:
            break
        # The more it costs to part objects, the fewer clusters.
        low, high = (cost, high) if n_found > target else (low, cost)
        cost = 0.5 * (low + high)
    else:
        warnings.warn(
            f"No cost gives n_clusters={target} clusters: at cost={cost:.6g} there are {n_found}.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return run, cost


def _best_of_starts(task, start, seeds, n_jobs):
    """The :class:`Run` of least objective: all starts settle, the best few are searched thoroughly, one goes on."""
    encoding, aim, weighting, max_passes, _ = task
    weights = weighting.first(np.ones(len(encoding.offsets)))
    rows = group(encoding, weights, aim)
    sample, drawn = _draw_sample(rows, np.random.RandomState(seeds[0]))
    work = task._replace(encoding=sample)

    def set_out(number):
        rng = np.random.RandomState(seeds[number])
        search = Search(sample, weights, aim, _start(work, start, number, weights, rng))
        search.allocate(rng.permutation(np.flatnonzero(search.clusters < 0)))
        search.settle(rng, max_passes, exact=False)
        return search.value, number, search.clusters

    def go_on(found):
        rng, clusters = np.random.RandomState(seeds[found[1]]), found[2]
        run = descend(work, clusters, weights, rng, thorough=thoroughness(work, clusters))
        if sample is rows:
            return run
        placed = np.full(len(rows.codes), -1)
        placed[drawn] = run.clusters
        search = Search(rows, run.weights, aim, placed)
        search.allocate(rng.permutation(np.flatnonzero(placed < 0)))
        full = task._replace(encoding=rows)
        return descend(full, search.clusters, run.weights, rng, thorough=thoroughness(full, search.clusters))

    n_threads = count_threads(n_jobs, len(seeds), sample, aim.n_clusters)[0]
    starts = list(map_threads(set_out, range(len(seeds)), n_threads))
    finalists = nsmallest(_N_THOROUGH, starts, key=lambda found: found[:2])
    run = min(map_threads(go_on, finalists, n_threads), key=lambda run: run.objective)
    return run._replace(clusters=rows.expand(run.clusters))


def _start(task, start, number, weights, rng):
    """Clusters of a task's rows to start from; -1 for those that are to be allocated, one after the other."""
    encoding, aim = task.encoding, task.aim
    n_rows, widest = len(encoding.codes), int(min(aim.n_clusters, encoding.n_codes.max()))
    if start == "random":
        return rng.randint(widest, size=n_rows)
    if start == "relaxed":
        problem = Problem(encoding, widest, fixed(weights), raw_distance())
        return alternate(problem, "random", rng, Settings(_RELAXED_TOL, 1)).rows.argmax(axis=1)
    if start == "partitions":
        return _given_partition(encoding, aim, weights, number)
    clusters = np.full(n_rows, -1)
    if not aim.loss.linear:
        # Without objects in clusters there is no secant to follow.
        search = Search(encoding, weights, aim._replace(loss=LOSSES["vi"], cost=1.0), clusters)
        search.allocate(rng.permutation(n_rows))
        return search.clusters
    return clusters


def _given_partition(encoding, aim, weights, number):
    """The base partition of the (number + 1)-th least loss; -1 where it does not observe a row, or has too many."""
    codes = harden(encoding).codes.astype(np.intp)
    observed = encoding.observed[:, encoding.mask_of]
    codes[~observed] = -1
    values = [weights @ partition_losses(encoding, column, aim) for column in codes.T]
    column = codes[:, np.argsort(values, kind="stable")[number % len(values)]]
    sizes = np.bincount(column[column >= 0], minlength=1)
    rank = np.empty(len(sizes), dtype=np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return np.where((column >= 0) & (rank[column] < aim.n_clusters), rank[column], -1)


def descend(task, clusters, weights, rng, *, thorough):
    """Alternate search and weights from a partition of the task's rows until neither changes anything."""
    encoding, aim, weighting, max_passes, unit = task
    n_moves = n_passes = 0
    while True:
        search = Search(encoding, weights, aim, clusters)
        if thorough:
            search.settle(rng, max_passes, exact=False)
            search.dissolve(rng, max_passes, together=thorough)
        settled = search.settle(rng, max_passes)
        n_moves, n_passes, clusters = n_moves + search.n_moves, n_passes + search.n_passes, search.clusters
        losses = unit * partition_losses(encoding, clusters, aim)
        before, weights = weights, weighting.solve(losses)
        objective = weighting.objective(losses, weights)
        unchanged = np.array_equal(weights, before)
        if unchanged or n_passes >= max_passes:
            return Run(clusters, weights, losses, objective, n_moves, n_passes, settled and unchanged)


def refine(task, clusters, weights, rng, *, thorough):
    """:func:`descend` from a partition that may separate copies of an object; they move together once they meet."""
    n_moves = n_passes = 0
    while True:
        rows = group(task.encoding, weights, task.aim, clusters)
        of_rows = np.empty(len(rows.codes), dtype=np.intp)
        of_rows[slice(None) if rows.inverse is None else rows.inverse] = clusters
        left = task._replace(encoding=rows, max_passes=task.max_passes - n_passes)
        run = descend(left, of_rows, weights, rng, thorough=thorough)
        n_moves, n_passes = n_moves + run.n_moves, n_passes + run.n_passes
        clusters, weights = rows.expand(run.clusters), run.weights
        if run.n_moves == 0 or n_passes >= task.max_passes:
            break
    # The same sums as before the search: they do not differ by rounding if nothing moved.
    losses = task.unit * partition_losses(task.encoding, clusters, task.aim)
    objective = task.weighting.objective(losses, weights)
    return run._replace(clusters=clusters, losses=losses, objective=objective, n_moves=n_moves, n_passes=n_passes)


def _confirm(task, run, rng):
    """Alternate search and trust until the trusted partitions are those that the consensus confirms."""
    following, first = task.weighting.following, True
    plain = weigh_clusters(task.encoding, None) if following else None
    while following is not None:
        rows = np.eye(1 + run.clusters.max())[run.clusters]
        losses = ADJUSTED.losses(plain, rows, ADJUSTED.measure(plain, rows, run.weights))
        weighting = following(losses, run.weights, first)
        if weighting is None:
            break
        trusting = task._replace(weighting=weighting)
        weights = weighting.first(losses)
        run = refine(trusting, run.clusters, weights, rng, thorough=thoroughness(task, run.clusters))
        first = False
    return run


def thoroughness(task, clusters):
    """How many clusters are dissolved together in a search over all of a task's rows: 0, 1 or 2."""
    n_rows, n_hard = task.encoding.codes.shape
    k = 1 + int(np.max(clusters))
    work = n_rows * (n_hard + task.encoding.soft.shape[1]) * k**2
    return int(work <= _THOROUGH_WORK) + int(work * k <= _THOROUGH_WORK)


def _draw_sample(encoding, rng):
    """(encoding of rows drawn in proportion to their weights, which rows); all of them if a sample does not pay."""
    size = max(_SAMPLE, _SAMPLE_PER_CLUSTER * int(encoding.n_codes.max()))
    size = int(np.ceil(size * encoding.total / encoding.n_observed.min()))
    if len(encoding.codes) >= _SAMPLE_SHARE * size:
        rows, counts = draw_rows(encoding, size, rng)
        sample = weigh(take_rows(encoding, rows), counts.astype(np.float64))
        if sample.n_observed.all():
            return sample, rows
    return encoding, np.arange(len(encoding.codes))


def in_order(clusters):
    """The clusters as labels 0, 1, ... in the order of their first objects."""
    _, first, inverse = np.unique(clusters, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def check_weighting(weights, weighting, n_pairs, n_partitions, **parameters):
    """Fixed weights, or a weighting for losses out of n_pairs, as a :class:`Weighting`."""
    if weighting is None:
        given = [f"{name}={value}" for name, value in parameters.items() if value is not None]
        if given:
            raise ValueError(f"rho, lam and lam0 need a weighting, got {', '.join(given)} and weighting=None.")
        return fixed(check_weights(weights, n_partitions))
    if weights is not None:
        raise ValueError(f"weights must be None when weighting is given, got both and weighting={weighting!r}.")
    return resolve_weighting(weighting, n_pairs=n_pairs, n_partitions=n_partitions, **parameters)


def warn_unconverged(max_passes, *, stacklevel):
    warnings.warn(
        f"The search did not converge: objects or weights still changed in pass max_passes={max_passes}.",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )


def check_codes(labels, name):
    """Codes 0, 1, ... of a partition of all objects, in the order of its values."""
    if np.any(labels == -1):
        raise ValueError(f"{name} must label every object, got -1.")
    return np.unique(check_labels(labels[:, np.newaxis], name=name)[:, 0], return_inverse=True)[1]


def _check_init(init, n_samples, limit):
    """The name of a start, or the clusters of all objects."""
    if isinstance(init, str):
        return check_choice(init, INITS, name="init")
    array = as_array(init, "init")
    if array.shape != (n_samples,):
        raise ValueError(f"init must have shape ({n_samples},), one label per object, got {array.shape}.")
    clusters = check_codes(array, "init")
    if clusters.max() >= limit:
        raise ValueError(f"init must have at most n_clusters={limit} clusters, got {clusters.max() + 1}.")
    return clusters


def _check_cost(cost, loss, n_clusters):
    """The cost as a float, or "n_clusters"."""
    if isinstance(cost, str):
        check_choice(cost, ("n_clusters",), name="cost")
        if n_clusters is None:
            raise ValueError('n_clusters must be given with cost="n_clusters", got None.')
    else:
        cost = check_real(cost, name="cost", low=0.0, high=2.0)
    if cost != 1.0 and not LOSSES[loss].linear:
        raise ValueError(f'cost must be 1 with loss={loss!r}: only "binder" and "vi" have two costs; got {cost!r}.')
    return cost


def _check_ensemble_fits(ensemble, cluster_weights, loss):
    """Refuse soft partitions and weights of base clusters where the loss has no meaning for them."""
    if loss == "binder":
        return
    if len(ensemble.widths):
        raise ValueError(f'labels must be hard partitions with loss={loss!r}; soft ones have a loss "binder" only.')
    if cluster_weights is not None:
        raise ValueError(f'cluster_weights must be None with loss={loss!r}: only "binder" counts pairs one by one.')
