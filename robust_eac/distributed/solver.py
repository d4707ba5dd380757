"""Ensembles larger than memory: the alternation on Dask arrays whose chunks of rows stay on the workers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import MAX_SEED, RandomState, WeightSolver
from ..core import permutation
from ..core.formula import agreement_sums_from
from ..core.threads import progress
from ..ensemble import reading
from ..ensemble.chunks import Chunks, dask_rows, later, like_rows, on_blocks, scheduler_watched, ship
from ..ensemble.encoding import select, weigh
from ..ensemble.objects import as_given, opened
from ..hard.multistart import agreements_with
from ..median_partition.alternation import Problem, alternate, begun, resumed
from ..median_partition.losses import loss_named
from ..median_partition.objective import Objective, in_memory
from ..median_partition.row_sweeps import ROUNDING
from ..median_partition.several_starts import LOOSE_TOL, canonical, confirm_trust, first_winners, order_clusters, solve
from ..median_partition.solve import MedianPartitionResult, check_effort, result_of, solve_ensemble
from ..median_partition.trust import linked_group
from ..median_partition.weightings import Fixed, as_weighting
from .rows_in_chunks import RowsInChunks, finish, place_block, winners

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
    labels = dask_rows(labels, name="labels")
    n, m = labels.shape
    n_clusters = check.n_clusters(n_clusters, n)
    if labels.numblocks[0] == 1:
        with opened(labels, init, sample_weight) as (ensemble, init, weight):
            how |= {"sample_weight": weight}
            result, _, objective = solve_ensemble(ensemble, n_clusters, weighting, agreement, init, **how)
        agreements = agreements_with(objective.rows.encoding, result.labels)
        return as_given(result, labels, "labels", "membership"), agreements, objective
    weighting = as_weighting(weighting)
    loss = loss_named(agreement, weighting)
    n_init, limits, n_jobs, rng = check_effort(**how)
    with scheduler_watched():
        start = _check_start(init, labels, n_clusters)
        seeds = rng.randint(MAX_SEED, size=n_init if start.name else 1)
        chunks = Chunks(labels, sample_weight, start.memberships, n_clusters)
        objective = Objective(loss, RowsInChunks(chunks), n_clusters)
        sample = cache(lambda: chunks.sample(rng))
        weighting = weighting.ready(m, loss.unit(chunks.partitions.total), lambda: linked_group(sample(), rng))
        problem = Problem(objective, weighting, **limits)
        own = np.random.RandomState(seeds[0])
        name = "all objects: "
        if start.name:
            memberships = _place_from_sample(problem, sample(), start, seeds, n_jobs=n_jobs)
            state = begun(problem, memberships, own, name)._replace(gap=0.0)
        else:
            state = resumed(problem, list(chunks.memberships), own, name)
        state = alternate(problem, state)
        state = canonical(*confirm_trust(problem, state, seeds[0]))
        consensus, membership, agreements = _finish(objective, state, limits["tol"], by_object=start.name is not None)
    return result_of(problem, state, consensus, membership), agreements, objective


def _check_start(init, labels, n_clusters):
    """The :class:`~robust_eac.ensemble.reading.Start`, whose memberships or labels are a Dask array in these chunks."""
    import dask.array as da
    from dask import compute

    n = labels.shape[0]
    if not check.is_dask_array(init):
        start = reading.init(init, n, n_clusters)
        if start.name:
            return start
        init = da.asarray(start.memberships)
    init = like_rows(init, labels, [(n,), (n, n_clusters)], "init")
    if init.ndim == 2:
        reading.start_distinguishes(*compute(init.min(axis=0), init.max(axis=0)))
    return reading.Start(memberships=init)


def _place_from_sample(problem, sample, start, seeds, *, n_jobs):
    """Solve a sample of the objects, and place the rows of all blocks by its best solution."""
    from dask import persist

    objective = problem.objective
    chunks = objective.rows.chunks
    counts = sample.rows.multiplicity
    sample = weigh(sample, counts * (chunks.partitions.total / counts.sum()))
    problem = problem._replace(tol=max(problem.tol, LOOSE_TOL))
    partitions = None
    if not sample.partitions.n_observed.all():
        # In the start, partitions that observe no sampled object have weight zero.
        partitions = np.flatnonzero(sample.partitions.n_observed)
        sample = select(sample, partitions)
        objective = objective.on(RowsInChunks(chunks.select(partitions)))
        problem = problem._replace(weighting=Fixed(check.weights(None, len(partitions))))
    of_sample = in_memory(sample, objective.n_clusters, objective.loss)
    state, membership = solve(problem._replace(objective=of_sample), start, seeds, n_jobs=n_jobs)
    model = objective.model(state.weights, of_sample.measure(membership))
    shared = ship(model)
    return list(persist(*[task(partitions, shared) for task in on_blocks(place_block, chunks.encodings)]))


def _finish(objective, state, tol, *, by_object):
    """(labels, membership, agreements with the labels); Dask arrays, with clusters in the order of `empty_last`."""
    from dask import persist

    rows = objective.rows
    chunks = rows.chunks
    n_clusters = objective.n_clusters
    model = ship(objective.model(state.weights, state.matrices))
    skip = max(tol, ROUNDING) * objective.partitions.total
    memberships = persist(*[task(model, skip) for task in rows.each(finish, state.memberships)])

    def first_winners_of_all(order):
        return chunks.first_of([later(first_winners)(block, order) for block in memberships])

    order = order_clusters(first_winners_of_all, n_clusters, by_object=by_object)
    ordered = [later(np.take)(block, order, axis=1) for block in memberships]
    membership = chunks.array(ordered, np.float64, (n_clusters,))
    of_rows = persist(*[task(order) for task in rows.each(winners, state.memberships)])
    agreements = permutation.adjusted(*agreement_sums_from(chunks.partitions, *chunks.measure(of_rows, n_clusters)))
    return *persist(membership.argmax(axis=1), membership), agreements
