"""Ensembles larger than memory: the alternation on Dask arrays whose chunks of rows stay on the workers."""

from __future__ import annotations

from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import MAX_SEED, RandomState, WeightSolver
from ..core import permutation
from ..core.encoding import select, weigh
from ..core.formula import agreement_sums_from
from ..core.threads import progress
from ..hard.multistart import agreements_with
from ..median_partition.alternation import Problem, alternate, state_from, weights_of_start
from ..median_partition.base import Steps, gap_unit
from ..median_partition.chance_corrected import ChanceCorrectedObjective
from ..median_partition.objective import RawObjective, objective_named
from ..median_partition.rotation import Search, free_clusters, lowest_of
from ..median_partition.several_starts import LOOSE_TOL, canonical, confirm, solve
from ..median_partition.solve import MedianPartitionResult, check_effort, result_of, solve_ensemble
from ..median_partition.sweep import ROUNDING, visit_with
from ..median_partition.trust import linked_group
from ..median_partition.weightings import Fixed, as_weighting, first_weights
from . import blocks

if TYPE_CHECKING:
    from dask.array import Array


def solve_median_partition_distributed(
    labels: Array,
    n_clusters: int,
    *,
    weighting: WeightSolver = "restricted-simplex",
    n_init: int = 10,
    max_iter: int = 100,
    tol: float = 1e-5,
    init: str | ArrayLike = "random",
    n_jobs: int | None = None,
    random_state: RandomState = None,
    verbose: int = 0,
    agreement: str = "auto",
    sample_weight: ArrayLike | None = None,
) -> MedianPartitionResult:
    r"""Find the consensus membership and the weights of the partitions of an ensemble in a Dask array.

    The problem is that of :func:`~robust_eac.solve_median_partition`, which solves it for arrays in memory, as for a
    Dask array of a single chunk, which is loaded: the result is then the same. Otherwise every chunk of rows stays on a
    worker with its memberships Y. In each round a worker sweeps the rows of a chunk with all others fixed, and returns
    sums over the proposed step D: :math:`D X^T`, :math:`Y D^T + D Y^T` and :math:`D D^T`. These give the objective
    along the common step Y + t D, and all chunks take the best t in [0, 1]: the objective never rises, and only small
    matrices are sent. For raw losses it is a quartic; chance-corrected ones, of which a sweep minimises a model, are
    searched for a t at which their true sum is lower. The trusted group and named starts are found on the client, from
    at most 131,072 objects; every object then starts with the membership that agrees best with theirs.

    Parameters
    ----------
    labels : dask Array of shape (n_samples, n_partitions), int
        Base clusterings, one per column, any integer codes; -1 marks an object that the partition did not observe.
        Chunks of rows are the unit of work, 10^5 to 10^7 rows each; chunks of columns are merged.
    n_clusters, weighting, agreement, max_iter, tol, random_state, verbose : as in :class:`~robust_eac.RobustEAC`
    n_init, n_jobs : as in :class:`~robust_eac.RobustEAC`, for the sample
    init : {"random", "kmeans"} or array-like, default="random"
        Starts of the sample; or an array or Dask array, a membership of shape (n_samples, n_clusters) or labels of
        shape (n_samples,), which in a Dask array are 0, ..., n_clusters - 1. An array in memory is sent once.
    sample_weight : array-like or Dask array of shape (n_samples,), default=None
        Weight of every object, as in :meth:`~robust_eac.RobustEAC.fit`.

    Returns
    -------
    result : MedianPartitionResult
        As :func:`~robust_eac.solve_median_partition`, but `labels` and `membership` are Dask arrays with the chunks of
        the ensemble, in the memory of the workers.

    Raises
    ------
    ValueError, TypeError
        If labels are wrong, or a chunk has another shape than its array declares; found when they are first read.
    ConnectionError
        If the scheduler is lost.

    Notes
    -----
    Runs on Dask's current scheduler: with a `distributed.Client`, on its workers; otherwise on this machine. The result
    depends on the chunks and the seed, not on the workers. Chunks stay on their workers unless
    ``distributed.scheduler.work-stealing`` moves them to idle ones. Chunks of a lost worker are computed again.

    A round takes O(n_samples (n_partitions k + n_masks k^2) / n_workers) time and two messages of O(K k + n_masks k^2)
    numbers per worker, where all partitions together have K clusters; 15 to 50 rounds are usual at tol = 1e-5. A worker
    needs n_partitions bytes for codes and twice 8 k bytes for memberships per object.

    References
    ----------
    Those of :func:`~robust_eac.solve_median_partition`.

    Examples
    --------
    >>> import dask.array as da
    >>> labels = da.from_array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 1]], chunks=(2, 3))
    >>> solve_median_partition_distributed(labels, 2, weighting=[1, 1, 0], random_state=0).labels.compute()
    array([0, 0, 0, 1, 1])
    """
    how = {"n_init": n_init, "max_iter": max_iter, "tol": tol, "n_jobs": n_jobs, "random_state": random_state}
    with progress(verbose):
        return solve_and_compare(labels, n_clusters, weighting, agreement, init, sample_weight=sample_weight, **how)[0]


def solve_and_compare(labels, n_clusters, weighting, agreement, init, *, sample_weight=None, **how):
    """(result of :func:`solve_median_partition_distributed`, agreement of every partition with it, the objective)."""
    labels = check.dask_rows(labels, name="labels")
    n, m = labels.shape
    n_clusters = check.n_clusters(n_clusters, n)
    if labels.numblocks[0] == 1:
        with blocks.opened(labels, init, sample_weight) as (ensemble, init, weight):
            how |= {"sample_weight": weight}
            result, _, objective = solve_ensemble(ensemble, n_clusters, weighting, agreement, init, **how)
        agreements = agreements_with(objective.encoding, result.labels)
        return blocks.as_given(result, labels, "labels", "membership"), agreements, objective
    weighting = as_weighting(weighting)
    kind = objective_named(agreement, weighting)
    n_init, limits, n_jobs, rng = check_effort(**how)
    with blocks.scheduler_watched():
        start = _check_start(init, labels, n_clusters)
        sampled = isinstance(start, str)
        seeds = rng.randint(MAX_SEED, size=n_init if sampled else 1)
        chunks = blocks.Chunks(labels, sample_weight, start, n_clusters)
        objective = IN_CHUNKS[kind](chunks, n_clusters)
        starts = chunks.starts
        sample = cache(lambda: chunks.sample(rng))
        unit = objective.unit(objective.partitions.total)
        weighting = weighting.ready(m, unit, lambda: linked_group(sample(), rng))
        if sampled:
            counts = sample().rows.multiplicity
            of_sample = kind(weigh(sample(), counts * (chunks.partitions.total / counts.sum())), n_clusters)
            problem = Problem(of_sample, weighting, **limits | {"tol": max(limits["tol"], LOOSE_TOL)})
            starts = _place_from_sample(chunks.encodings, problem, start, seeds, n_jobs=n_jobs)
        problem = Problem(objective, weighting, **limits)
        rows = blocks.Rows(chunks.encodings, starts)
        own = np.random.RandomState(seeds[0])
        of_start = first_weights if sampled else weights_of_start
        state = state_from(problem, rows, own, of_start, "all objects: ")._replace(gap=0.0)
        state = alternate(problem, state)
        state = canonical(*confirm(problem, state, seeds[0]))
        consensus, membership, agreements = _finish(objective, state, limits["tol"], by_object=sampled)
    return result_of(problem, state, consensus, membership), agreements, objective


class InChunks:
    """Methods of an objective of rows on the workers, all from sums over the chunks.

    search_line(weights, matrices, sums) : share t of all blocks' steps that lowers the objective; 0 if none does.
    """

    def __init__(self, chunks, n_clusters):
        self.chunks = chunks
        self.n_clusters = n_clusters
        self.partitions = chunks.partitions

    def measure(self, rows, n_threads=1):
        return self.matrices(*blocks.sum_of(task(rows.t) for task in rows.each(blocks.measure))[0])

    def agreements(self, rows, n_threads=1):
        matrices = self.measure(rows)
        return permutation.adjusted(*agreement_sums_from(self.partitions, matrices.S, matrices.G))

    def steps(self, weights, rows, matrices, rng, n_threads=1):
        return DistributedSteps(self, weights, rows, matrices, rng)

    def canonical_rotation(self, rows, *, near=False):
        from dask import compute

        def of_each(function, *args):
            return compute(*[task(rows.t, *args) for task in rows.each(function)])

        def survey(Q):
            lowest, confidence = zip(*of_each(blocks.survey_block, Q), strict=True)
            return lowest_of(np.array(lowest), Q), sum(confidence) / self.partitions.total

        free = free_clusters(np.max(of_each(blocks.largest_memberships), axis=0))
        if len(free) == 0:
            return None
        some = of_each(blocks.sample_memberships, self.chunks.n_samples)
        found, weight = (np.concatenate(parts) for parts in zip(*some, strict=True))
        search = Search(found, weight, free, survey if self.chunks.n_samples > len(found) else None)
        return search.canonical(near=near)

    def rotate_rows(self, rows, Q):
        from dask import persist

        rows.proposals = persist(*[task(rows.t, Q) for task in rows.each(blocks.rotate_block)])
        rows.t = 0.0


class RawInChunks(InChunks, RawObjective):
    """sum_u alpha_u d_u of rows on the workers."""

    def search_line(self, weights, matrices, sums):
        return blocks.search_line(self.partitions, weights, *matrices, sums)


class CorrectedInChunks(InChunks, ChanceCorrectedObjective):
    """sum_u alpha_u d_u / E[d_u] of rows on the workers."""

    @cached_property
    def _sums(self):
        n = self.partitions.n_observed
        copy = self.partitions.copy
        return permutation.hard_sums(n, copy * n, self.partitions.squares)

    def search_line(self, weights, matrices, sums):
        after = partial(blocks.after_step, matrices.S, matrices.G, sums)
        return blocks.search_values(lambda t: weights @ self.matrices(*after(t)).losses)


# objective in memory -> the same of rows on the workers
IN_CHUNKS = {RawObjective: RawInChunks, ChanceCorrectedObjective: CorrectedInChunks}


class DistributedSteps(Steps):
    """Steps down the weighted losses: the best common share of the sweeps of all blocks, or a Frank-Wolfe step."""

    def gap(self):
        shared = self._shared()
        return blocks.sum_of(task(shared) for task in self._rows.each(blocks.gap_of_block))[0][0]

    def sweep(self, relaxation):
        gap = self._step(visit_with(relaxation))
        if self._rows.t == 0.0:
            gap = self._step()
        # If neither step lowers the objective, the remaining gap is rounding.
        return None if self._rows.t == 0.0 else gap

    def _shared(self, *visit):
        model = self._objective.model(self._weights, self.matrices)
        return blocks.ship(blocks.Shared(self._rows.t, model, *visit))

    def _step(self, visit=None):
        """Take the step that the blocks propose; returns the gap before it."""
        rows = self._rows
        objective = self._objective
        matrices = self.matrices
        shared = self._shared(visit, self._rng.randint(MAX_SEED))
        proposed = [task(shared, number) for number, task in enumerate(rows.each(blocks.propose, 2))]
        proposals, sums = zip(*proposed, strict=True)
        total, rows.proposals = blocks.sum_of(sums, proposals)
        total = blocks.Sums(*total)
        rows.t = objective.search_line(self._weights, matrices, total)
        self.matrices = objective.matrices(*blocks.after_step(matrices.S, matrices.G, total, rows.t))
        return total.gap / gap_unit(objective.partitions.total)


def _check_start(init, labels, n_clusters):
    """The name of a start, or a Dask array of memberships or labels with the chunks of the ensemble."""
    import dask.array as da
    from dask import compute

    n = labels.shape[0]
    if not check.is_dask_array(init):
        init = check.init(init, n, n_clusters)
        if isinstance(init, str):
            return init
    start = blocks.like_rows(da.asarray(init), labels, [(n,), (n, n_clusters)], "init")
    if start.ndim == 2:
        check.start_distinguishes(*compute(start.min(axis=0), start.max(axis=0)))
    return start


def _place_from_sample(encodings, problem, start, seeds, *, n_jobs):
    """Solve the sample and place the rows of all blocks by its best solution."""
    from dask import persist

    objective = problem.objective
    sample = objective.encoding
    partitions = np.flatnonzero(objective.encoding.partitions.n_observed)
    if len(partitions) < len(sample.partitions.offsets):
        # In the start, partitions that observe no sampled object have weight zero.
        objective = objective.on(select(sample, partitions))
        weights = np.full(len(partitions), 1.0 / len(partitions))
        problem = problem._replace(objective=objective, weighting=Fixed(weights))
    state, membership = solve(problem, start, seeds, n_jobs=n_jobs)
    model = objective.model(state.weights, objective.measure(membership))
    shared = partitions, blocks.ship(model), objective.n_clusters
    return persist(*[task(*shared) for task in blocks.on_blocks(blocks.place_block, encodings)])


def _finish(objective, state, tol, *, by_object):
    """(labels, membership, agreements with the labels); Dask arrays, with clusters in the order of `empty_last`."""
    from dask import persist

    rows = state.rows
    chunks = objective.chunks
    n_clusters = objective.n_clusters
    model = blocks.ship(objective.model(state.weights, state.matrices))
    how = rows.t, model, max(tol, ROUNDING) * objective.partitions.total
    memberships = persist(*[task(*how) for task in rows.each(blocks.finish)])
    order = np.arange(n_clusters)
    step = None
    while step is None or (np.diff(step) != 1).any():
        order = order if step is None else order[step]
        first = chunks.first_of([blocks.later(blocks.first_winners)(block, order) for block in memberships])
        step = np.argsort(first if by_object else np.isinf(first), kind="stable")
    ordered = [blocks.later(np.take)(block, order, axis=1) for block in memberships]
    membership = chunks.array(ordered, np.float64, (n_clusters,))
    of_rows = persist(*[task(rows.t, order) for task in rows.each(blocks.winners)])
    return *persist(membership.argmax(axis=1), membership), chunks.compare(of_rows, n_clusters)[1]
