"""Search for a hard median partition and its weights from one start or several."""

from heapq import nsmallest
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..core.formula import agreement_beside
from ..core.permutation import PairSums, hard_sums
from ..core.threads import LOG, count_threads, map_threads, stop_if_cancelled
from ..ensemble import reading
from ..ensemble.encoding import Encoding, collapse, select, take_rows, weigh
from ..median_partition.alternation import Problem
from ..median_partition.objective import in_memory
from ..median_partition.row_sweeps import visiting_order
from ..median_partition.several_starts import best_state, rotate
from ..median_partition.starts import draw_rows
from ..median_partition.weightings import Fixed, Weighting, confirm
from .contingency import (
    LEAST_GAIN,
    LOSSES,
    Loss,
    Tables,
    fill_differences,
    hard_losses,
    losses_at,
    relocate,
    tabulate,
    take_out,
    terms_of,
)

INITS = ("mixed", "sequential", "random", "partitions", "relaxed")
# Number of starts that are searched thoroughly.
_N_THOROUGH = 2
# Minimum number of objects in a sample, in all and per cluster of the finest partition.
_SAMPLE = 4096
_SAMPLE_PER_CLUSTER = 64
# Draw a sample if there are at least this many rows for each object in it.
_SAMPLE_SHARE = 4
# Clusters are dissolved, and their rows reassigned, if rows x partitions x clusters^2 is at most this.
_THOROUGH_WORK = 10**9
# A "relaxed" start solves the relaxed problem to this gap, with more than _RELAXED_CLUSTERS clusters only if rows x
# clusters^2 is at most _RELAXED_WORK.
_RELAXED_TOL = 1e-3
_RELAXED_CLUSTERS = 256
_RELAXED_WORK = 10**9


class Task(NamedTuple):
    """A search for a hard partition."""

    encoding: Encoding
    loss: Loss
    n_clusters: int
    weighting: Weighting
    max_passes: int

    def search(self, weights, clusters):
        return PartitionSearch(self.encoding, weights, self.loss, self.n_clusters, clusters)

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
    sample, drawn = _draw_sample(rows, np.random.RandomState(seeds[0]))
    of_sample = task._replace(encoding=sample)
    whole = task._replace(encoding=rows)
    given = _best_partitions(of_sample, weights, len(seeds)) if start == "partitions" else None

    def begin(number):
        rng = np.random.RandomState(seeds[number])
        clusters = _start(of_sample, start, number, weights, rng) if given is None else given[number % len(given)]
        search = of_sample.search(weights, clusters)
        search.allocate(rng)
        search.descend(rng, task.max_passes)
        LOG.info("start %d of %d", number + 1, len(seeds))
        return search.value, number, search.clusters

    def finish(found):
        rng = np.random.RandomState(seeds[found[1]])
        clusters = found[2]
        run = search_and_weigh(of_sample, clusters, weights, rng, thorough=of_sample.may_dissolve(clusters))
        if sample is rows:
            return run
        placed = np.full(rows.n_rows, -1)
        placed[drawn] = run.clusters
        search = whole.search(run.weights, placed)
        search.allocate(rng)
        return search_and_weigh(whole, search.clusters, run.weights, rng, thorough=whole.may_dissolve(search.clusters))

    n_threads = count_threads(n_jobs, len(seeds), sample, task.n_clusters)[0]
    starts = list(map_threads(begin, range(len(seeds)), n_threads))
    finalists = nsmallest(_N_THOROUGH, starts, key=lambda found: found[:2])
    run = min(map_threads(finish, finalists, n_threads), key=lambda run: run.objective)
    return run._replace(clusters=rows.expand(run.clusters))


def _start(task, start, number, weights, rng):
    """Clusters of a task's rows to start from; -1 for rows that the search must allocate."""
    n_rows = task.encoding.n_rows
    widest = int(min(task.n_clusters, task.encoding.partitions.n_codes.max()))
    if start == "mixed":
        start = ("sequential", "random")[number % 2]
    if start == "random":
        return rng.randint(widest, size=n_rows)
    if start == "relaxed" and (widest <= _RELAXED_CLUSTERS or n_rows * widest**2 <= _RELAXED_WORK):
        return _relaxed(task.encoding, widest, weights, rng)
    return np.full(n_rows, -1)


def _relaxed(encoding, n_clusters, weights, rng):
    objective = in_memory(encoding, n_clusters)
    problem = Problem(objective, Fixed(weights), _RELAXED_TOL, max_iter=1)
    return rotate(objective, best_state(problem, reading.Start("random"), [rng], rng, n_jobs=1)).memberships.argmax(
        axis=1
    )


def _best_partitions(task, weights, count):
    """The base partitions of least loss; -1 for rows that are unobserved, or not in the n_clusters largest clusters."""
    codes = task.encoding.rows.codes.astype(np.intp)
    codes[~task.encoding.rows.observed[:, task.encoding.partitions.mask_of]] = -1
    # All columns need one memory layout: numba compiles kernels for each.
    codes = np.asfortranarray(codes)
    values = [weights @ hard_losses(task.encoding, column, task.loss) for column in codes.T]
    return [_largest_clusters(codes[:, u], task.n_clusters) for u in np.argsort(values, kind="stable")[:count]]


def _largest_clusters(codes, n_clusters):
    """Codes of the n_clusters largest clusters of a partition, the largest first; -1 for the other rows."""
    sizes = np.bincount(codes[codes >= 0], minlength=1)
    rank = np.argsort(np.argsort(-sizes, kind="stable"))
    return np.where((codes >= 0) & (rank[codes] < n_clusters), rank[codes], -1)


def search_and_weigh(task, clusters, weights, rng, *, thorough):
    """Alternate search and weights from a partition of the task's rows until neither changes anything."""
    n_moves = n_passes = 0
    while True:
        search = task.search(weights, clusters)
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


# Used clusters per empty one in the tables, which have at least two empty ones.
_SPARE = 4
# Largest number of entries of the tables of a search that starts without clusters.
_FIRST_ENTRIES = 2**22
# Rows that are moved between two checks whether the search was interrupted.
_UNINTERRUPTED = 2**14
# Two clusters are dissolved together if their rows x partitions x (maximum number of clusters)^4 is at most this.
_PAIR_WORK = 2 * 10**9


class PartitionSearch:
    """A partition of an encoding's rows into at most n_clusters, and steps that lower its weighted loss.

    clusters : (n_rows,) the cluster of every row, -1 for none.
    n_moves, n_passes : numbers of moves, and of passes over all rows except those after dissolving clusters.
    """

    def __init__(self, encoding, weights, loss, n_clusters, clusters):
        active = np.flatnonzero(weights)
        self._encoding = select(encoding, active) if len(active) < len(weights) else encoding
        self._loss = loss
        self._limit = n_clusters
        self._weights = weights[active]
        self._terms = terms_of(self._encoding, self._weights, loss)
        self._losses_at = losses_at(self._encoding.partitions, loss)
        self._slack = LEAST_GAIN * loss.largest(encoding.partitions.total)
        self.n_moves = self.n_passes = 0
        self.clusters = np.array(clusters, dtype=np.intp)
        n_used = 1 + self.clusters.max(initial=-1)
        if n_used == 0:
            # The first rows open clusters, as many as base partitions have: with too few, the others are seldom found.
            typical = int(np.median(self._encoding.partitions.n_codes))
            n_used = min(typical, _FIRST_ENTRIES // self._encoding.partitions.n_slots)
        self._tabulate(self._with_spare(int(n_used)))

    @property
    def value(self):
        return float(self._weights @ self._losses_at(self._tables.a, self._tables.b))

    def descend(self, rng, max_passes):
        """Pass over all rows in random order until none moves; returns whether it converged."""
        for _ in range(max_passes):
            self._resize()
            moved = self._move(visiting_order(len(self.clusters), rng, self.clusters))
            self.n_passes += 1
            if moved == 0:
                return True
        return False

    def allocate(self, rng):
        """Put the rows without a cluster where they cost least, one after the other in random order."""
        order = rng.permutation(np.flatnonzero(self.clusters < 0))
        self._move(order)

    def dissolve(self, rng, max_passes):
        """Dissolve clusters, allocate their rows again, and descend, as long as this lowers the loss."""
        n_passes = self.n_passes
        pays = True
        while pays:
            while self._merge():
                self.descend(rng, max_passes)
            pays = any(self._regrow(group, rng, max_passes) for group in self._groups(rng))
        self.n_passes = n_passes

    def _groups(self, rng):
        """Yield the clusters to dissolve together, in random order."""
        used, sizes = np.unique(self.clusters, return_counts=True)
        yield from rng.permutation(used)[:, np.newaxis]
        most = _PAIR_WORK / (self._encoding.rows.codes.shape[1] * float(self._limit) ** 4)
        small = np.flatnonzero(sizes <= most)
        pairs = small[np.column_stack(np.triu_indices(len(small), 1))]
        yield from rng.permutation(used[pairs[sizes[pairs].sum(axis=1) <= most]])

    def _merge(self):
        """Merge the two clusters whose merger lowers the loss most; returns whether any does."""
        tables = self._tables
        psi = self._loss.psi
        offsets = self._encoding.partitions.offsets
        counts, sizes = np.split(tables.entries, [self._encoding.partitions.n_slots])
        of_counts = np.add.reduceat(psi(counts), offsets)
        of_sizes = psi(sizes)
        best = None
        least = self.value - self._slack
        for c, d in combinations(np.unique(self.clusters), 2):
            together = np.add.reduceat(psi(counts[:, c] + counts[:, d]), offsets)
            b = together - of_counts[:, c] - of_counts[:, d]
            a = psi(sizes[:, c] + sizes[:, d]) - of_sizes[:, c] - of_sizes[:, d]
            value = self._weights @ self._losses_at(tables.a + a, tables.b + b)
            if value < least:
                best = (c, d)
                least = value
        if best is None:
            return False
        self.n_moves += int(np.count_nonzero(self.clusters == best[1]))
        self.clusters[self.clusters == best[1]] = best[0]
        self._tabulate(counts.shape[1])
        return True

    def _regrow(self, group, rng, max_passes):
        """Dissolve a group of clusters and reassign the rows; undo it unless the loss falls. Return whether it fell."""
        before = self.value
        n_moves = self.n_moves
        tables = Tables(*(array.copy() for array in self._tables))
        kept = self.clusters.copy(), self._margins.copy(), tables, self._drift
        rows = rng.permutation(np.flatnonzero(np.isin(self.clusters, group)))
        self._drift = take_out(rows, self._terms, self._tables, self.clusters, self._drift)
        self._move(rows)
        self.descend(rng, max_passes)
        if self.value < before - self._slack:
            return True
        self.clusters, self._margins, self._tables, self._drift = kept
        self.n_moves = n_moves
        return False

    def _move(self, order):
        before = self.n_moves
        for first in range(0, len(order), _UNINTERRUPTED):
            stop_if_cancelled()
            rows = order[first : first + _UNINTERRUPTED]
            fixed = (self._terms, self._tables, self._slack)
            moved, self._drift = relocate(rows, *fixed, self.clusters, self._margins, self._drift)
            self.n_moves += moved
        return self.n_moves - before

    def _tabulate(self, n_columns):
        self._tables = tabulate(self._terms, self.clusters, n_columns)
        fill_differences(self._terms, self._tables)
        self._margins = np.full(len(self.clusters), -np.inf)
        self._drift = 0.0

    def _with_spare(self, n_used):
        return int(min(self._limit, n_used + max(2, n_used // _SPARE)))

    def _resize(self):
        """Keep a few empty clusters, each of which costs as much as a full one; double the tables if none is left."""
        used = np.unique(self.clusters)
        n_columns = self._tables.entries.shape[1]
        wanted = self._with_spare(len(used))
        if n_columns == len(used) < self._limit:
            wanted = min(self._limit, 2 * n_columns)
        elif n_columns <= 2 * wanted:
            return
        self.clusters = np.searchsorted(used, self.clusters)
        self._tabulate(wanted)


def group_copies(encoding, clusters=None):
    """The encoding with one row for all identical objects in the same cluster."""
    numbers = None if clusters is None else clusters[:, np.newaxis].astype(np.float64)
    return collapse(encoding, numbers, min_saving=0.0)
