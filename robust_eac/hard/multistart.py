"""Search for a hard median partition and its weights from one start or several."""

from heapq import nsmallest
from typing import NamedTuple

import numpy as np

from ..core.formula import agreement_beside
from ..core.permutation import PairSums, hard_sums
from ..core.threads import LOG, count_threads, map_threads
from ..ensemble.encoding import Encoding, collapse, take_rows, weigh
from ..median_partition.starts import draw_rows
from ..median_partition.weightings import Weighting, confirm
from .contingency import LEAST_GAIN, LOSSES, Loss, hard_losses
from .search import PartitionSearch, tables_of

INITS = ("mixed", "sequential", "random")
# Number of starts that are searched thoroughly.
_N_THOROUGH = 2
# Minimum number of objects in a sample, in all and per cluster of the finest partition.
_SAMPLE = 4096
_SAMPLE_PER_CLUSTER = 64
# Draw a sample if there are at least this many rows for each object in it.
_SAMPLE_SHARE = 4
# Partitions with which starts descend, if there are at least _SAMPLE_SHARE times as many.
_N_PARTITIONS = 1000
# Clusters are dissolved, and their rows reassigned, if rows x partitions x clusters^2 is at most this.
_THOROUGH_WORK = 10**9


class Task(NamedTuple):
    """A search for a hard partition."""

    encoding: Encoding
    loss: Loss
    n_clusters: int
    weighting: Weighting
    max_passes: int

    def search(self, tables, clusters):
        slack = LEAST_GAIN * self.loss.largest(self.encoding.partitions.total)
        return PartitionSearch(tables, self.n_clusters, slack, clusters)

    def tables(self, weights):
        return tables_of(self.encoding, weights, self.loss)

    def losses(self, clusters):
        return hard_losses(self.encoding, clusters, self.loss)

    def may_dissolve(self, clusters):
        n_rows, m = self.encoding.rows.codes.shape
        k = 1 + int(np.max(clusters))
        return n_rows * m * k**2 <= _THOROUGH_WORK


class SearchRun(NamedTuple):
    """A partition of the rows of a task, and its weights, losses and history."""

    clusters: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    objective: float
    n_moves: int
    n_passes: int
    converged: bool


def solve_from(task, start, seeds, n_jobs):
    """The best :class:`SearchRun` from named starts, or the run from given clusters of all objects."""
    rng = np.random.RandomState(seeds[0])
    if isinstance(start, str):
        run = best_of_starts(task, start, seeds, n_jobs)
    else:
        # Begin with the weights of the start, so that the result is not worse than the start.
        first = task.weighting.solve(task.losses(start))
        run = refine(task, start, first, rng, thorough=task.may_dissolve(start))
    return confirm_trust(task, run, rng)


def best_of_starts(task, start, seeds, n_jobs):
    """The :class:`SearchRun` of least objective: all starts descend, the best few are then searched thoroughly."""
    weights = task.weighting.first(np.ones(task.encoding.partitions.n_partitions))
    rows = group_copies(task.encoding)
    rng = np.random.RandomState(seeds[0])
    sample, drawn = _draw_sample(rows, rng)
    some = _draw_partitions(weights, rng)
    of_sample = task._replace(encoding=sample)
    whole = task._replace(encoding=rows)
    tables = of_sample.tables(some)

    def begin(number):
        rng = np.random.RandomState(seeds[number])
        search = of_sample.search(tables, _start(of_sample, start, number, rng))
        search.allocate(rng)
        search.descend(rng, task.max_passes)
        LOG.info("start %d of %d", number + 1, len(seeds))
        return search.value, number, search.clusters

    def finish(found):
        rng = np.random.RandomState(seeds[found[1]])
        clusters = found[2]
        if some is not weights and of_sample.may_dissolve(clusters):
            search = of_sample.search(tables, clusters)
            search.dissolve(rng, task.max_passes)
            clusters = search.clusters
        run = search_and_weigh(of_sample, clusters, weights, rng, thorough=of_sample.may_dissolve(clusters))
        if sample is rows:
            return run
        placed = np.full(rows.n_rows, -1)
        placed[drawn] = run.clusters
        search = whole.search(whole.tables(run.weights), placed)
        search.allocate(rng)
        return search_and_weigh(whole, search.clusters, run.weights, rng, thorough=whole.may_dissolve(search.clusters))

    n_threads = count_threads(n_jobs, len(seeds), sample, task.n_clusters)[0]
    starts = list(map_threads(begin, range(len(seeds)), n_threads))
    finalists = nsmallest(_N_THOROUGH, starts, key=lambda found: found[:2])
    run = min(map_threads(finish, finalists, n_threads), key=lambda run: run.objective)
    return run._replace(clusters=rows.expand(run.clusters))


def _start(task, start, number, rng):
    """Clusters of a task's rows to start from; -1 for rows that the search must allocate."""
    n_rows = task.encoding.n_rows
    if start == "mixed":
        start = ("sequential", "random")[number % 2]
    if start == "sequential":
        return np.full(n_rows, -1)
    return rng.randint(min(task.n_clusters, task.encoding.partitions.n_codes.max()), size=n_rows)


def search_and_weigh(task, clusters, weights, rng, *, thorough):
    """Alternate search and weights from a partition of the task's rows until neither changes anything."""
    n_moves = n_passes = 0
    while True:
        search = task.search(task.tables(weights), clusters)
        left = task.max_passes - n_passes
        if thorough:
            search.descend(rng, left)
            search.dissolve(rng, task.max_passes)
        settled = search.descend(rng, max(left - search.n_passes, 1))
        n_moves = n_moves + search.n_moves
        n_passes = n_passes + search.n_passes
        clusters = search.clusters
        losses = task.losses(clusters)
        before = weights
        weights = task.weighting.solve(losses)
        unchanged = np.array_equal(weights, before)
        if unchanged or n_passes >= task.max_passes:
            objective = task.weighting.value(losses, weights)
            return SearchRun(clusters, weights, losses, objective, n_moves, n_passes, settled and unchanged)


def refine(task, clusters, weights, rng, *, thorough):
    """As :func:`search_and_weigh`, but the start may separate identical objects; those of a cluster move together."""
    n_moves = n_passes = 0
    while True:
        rows = group_copies(task.encoding, clusters)
        of_rows = np.empty(rows.n_rows, dtype=np.intp)
        of_rows[slice(None) if rows.inverse is None else rows.inverse] = clusters
        left = task._replace(encoding=rows, max_passes=task.max_passes - n_passes)
        run = search_and_weigh(left, of_rows, weights, rng, thorough=thorough)
        n_moves = n_moves + run.n_moves
        n_passes = n_passes + run.n_passes
        clusters = rows.expand(run.clusters)
        weights = run.weights
        if run.n_moves == 0 or n_passes >= task.max_passes:
            break
    # Sum over the same rows as before the search: if nothing has moved, not even rounding changes the losses.
    losses = task.losses(clusters)
    objective = task.weighting.value(losses, weights)
    return run._replace(clusters=clusters, losses=losses, objective=objective, n_moves=n_moves, n_passes=n_passes)


def confirm_trust(task, run, rng):
    """Alternate search and trust until the trusted partitions no longer change."""

    def agreements_of(run):
        return agreements_with(task.encoding, run.clusters)

    def go_on(weighting, run):
        revised = task._replace(weighting=weighting)
        thorough = task.may_dissolve(run.clusters)
        return refine(revised, run.clusters, weighting.first(run.losses), rng, thorough=thorough)

    # Near-duplicates all count: draws of a posterior repeat likely partitions.
    return confirm(task.weighting, run, agreements_of, go_on, families=False)[1]


def agreements_with(encoding, clusters):
    """Agreements beyond chance (adjusted Rand indices) of all partitions with the clusters of an encoding's rows."""
    losses = encoding.partitions.total**2 * hard_losses(encoding, clusters, LOSSES["binder"])
    weight = encoding.rows.multiplicity
    observed = encoding.rows.observed
    squares = np.array([np.sum(np.bincount(clusters, weights=weight * mask) ** 2) for mask in observed.T])
    by_mask = hard_sums(weight @ observed, encoding.self_pairs @ observed, squares)
    consensus = PairSums(*(values[encoding.partitions.mask_of] for values in by_mask))
    return agreement_beside(encoding, losses, consensus)


def _draw_sample(encoding, rng):
    """(encoding of rows drawn in proportion to their weights, their indices); all rows if there are too few."""
    size = max(_SAMPLE, _SAMPLE_PER_CLUSTER * int(encoding.partitions.n_codes.max()))
    size = int(np.ceil(size * encoding.partitions.total / encoding.partitions.n_observed.min()))
    if encoding.n_rows >= _SAMPLE_SHARE * size:
        rows, counts = draw_rows(encoding, size, rng)
        sample = weigh(take_rows(encoding, rows), counts.astype(np.float64))
        if sample.partitions.n_observed.all():
            return sample, rows
    return encoding, np.arange(encoding.n_rows)


def _draw_partitions(weights, rng):
    """Weights of _N_PARTITIONS partitions drawn in proportion to their weights, evenly spread; all if there are few."""
    if np.count_nonzero(weights) < _SAMPLE_SHARE * _N_PARTITIONS:
        return weights
    places = (np.arange(_N_PARTITIONS) + rng.uniform()) / _N_PARTITIONS
    drawn = np.searchsorted(np.cumsum(weights), places * weights.sum(), side="right")
    return np.bincount(drawn, minlength=len(weights)) / _N_PARTITIONS


def group_copies(encoding, clusters=None):
    """The encoding with one row for all identical objects in the same cluster."""
    numbers = None if clusters is None else clusters[:, np.newaxis].astype(np.float64)
    return collapse(encoding, numbers, min_saving=0.0)
