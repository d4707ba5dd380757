"""Ensembles larger than memory: the alternation on Dask arrays whose chunks of rows stay on the workers.

What is done with a chunk stands in block_steps.py, on which worker in dask_tasks.py, a step of all in
distributed_steps.py; here is when, and what travels.
"""

from __future__ import annotations

import warnings
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_init, check_start_tells_apart
from ..checks.types import ClusterWeights, RandomState, WeightSolver
from ..checks.values import (
    MAX_SEED,
    check_dask_rows,
    check_n_clusters,
    check_n_jobs,
    check_random_state,
    is_dask_array,
    with_checked_chunks,
)
from ..objectives import Raw, objective_for, resolve_agreement
from ..solve.alternation import Problem, go_on, set_out, solve
from ..solve.encoding import select, weigh, weigh_clusters
from ..solve.formula import agreement_from_sums
from ..solve.objective import empty_last_order
from ..solve.starts import SAMPLE_SHARE, SAMPLE_TOL, sample_size
from ..solve.threads import progress
from ..solvers.median_partition import (
    MedianPartitionResult,
    Options,
    check_effort,
    result_of,
    warn_unconverged,
)
from ..weightings.clusters import check_cluster_weights, weigh_by
from ..weightings.joint import Fixed, as_weighting, settle
from ..weightings.trust import LEVEL, NO_LINKS
from . import block_steps
from . import tasks as dask_tasks
from .checkpoint import Checkpoint, arguments_of, check_checkpoint
from .objective import DistributedRaw

if TYPE_CHECKING:
    from dask.array import Array

__all__ = ["solve_median_partition_distributed"]

# Largest sample sent to the client for a start, even if some partition observes few objects.
_MAX_SAMPLE = 2**18


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
    cluster_weights: ClusterWeights = None,
    checkpoint: str | PathLike | None = None,
    checkpoint_every: float = 600.0,
) -> MedianPartitionResult:
    """Find the consensus membership and the weights of the partitions of an ensemble in a Dask array.

    Solve  min_{Y, alpha} sum_u alpha_u |Y'Y - X_u'X_u|^2 [+ lambda/2 |alpha|^2]  (Eqs. 4 and 5 of [1]_), as
    :func:`~robust_eac.solve_median_partition` does for arrays in memory.

    Every chunk of rows stays on a worker with its memberships. In each round it sweeps its own rows as if the others
    rested, and reports sums: D X' and, with Y its memberships and D the step that it proposes, Y D' + D Y' and D D'.
    The objective along the common step Y + t D is a quartic in t whose coefficients these sums give exactly; all
    chunks take the best t in [0, 1]. So the objective never rises, however many chunks there are, and only small
    matrices travel. The weights follow in closed form. Not convex.

    A random start is solved for a sample of the objects that is gathered to the client, and every object starts with
    the membership that agrees best with that of the sample. Of `n_init` such starts the best one on the sample goes on.

    Parameters
    ----------
    labels : dask Array of shape (n_samples, n_partitions), int
        Base clusterings, one per column, any integer codes; -1 marks an object that the partition did not observe.
        Soft partitions are not supported. Chunks of rows are the unit of work, 10^5 to 10^7 rows each; columns are
        brought together in one chunk.
    n_clusters : int
        Number of clusters k of the consensus, an upper bound: clusters can end up empty.
    weighting : str, object, callable or array-like of shape (n_partitions,), default="restricted-simplex"
        As in :class:`~robust_eac.RobustEAC`, without "chance-corrected".
    n_init : int, default=10
        Number of starts on the sample. An array as `init` is one start.
    max_iter : int, default=100
        Largest number of alternations.
    tol : float, default=1e-5
        Stop when the optimality gap of the membership is at most `tol`.
    init : {"random", "kmeans"} or array-like, default="random"
        How the sample is started; or an array or Dask array, a membership of shape (n_samples, n_clusters) or labels
        of shape (n_samples,), which in a Dask array are 0, ..., n_clusters - 1. An array in memory travels once.
    n_jobs : int, default=None
        Threads over the starts, on the client.
    random_state : int, RandomState instance or None, default=None
        Draws the sample, the starts and the order of the visits.
    verbose : int, default=0
        1 prints a line per start and alternation.
    cluster_weights : {"size"} or list of ndarrays, default=None
        Weights of the base clusters, as in :func:`~robust_eac.partition_losses`.
    checkpoint : str or path, default=None
        Folder in which the run is kept, so that the same call goes on where an earlier one was stopped, with the same
        bits as without a stop. It is made if it is not there, and has to be seen by the client and all workers, at the
        same path. `random_state` must then be an integer.
    checkpoint_every : float, default=600.0
        Seconds after which the next alternation to end is written; 0 means every one. The last one always is.

    Returns
    -------
    result : MedianPartitionResult
        As :func:`~robust_eac.solve_median_partition` returns it, but `labels` and `membership` are Dask arrays with the
        chunks of the ensemble, held by the workers.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or not supported here. What only the labels can tell (floats that
        are no integers, objects that no partition observes, a chunk of another shape than its array declares) is found
        when they are first read. If the checkpoint is damaged, or belongs to other arguments: the error names one.
    ConnectionError
        If the scheduler is lost.
    OSError
        If a checkpoint cannot be written, or the client does not see what the workers write.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` is reached with gap > tol.

    Notes
    -----
    Runs on the scheduler that Dask would take: with a `distributed.Client`, its workers; otherwise this machine. The
    result depends on the chunks and the seed, not on the number of workers. The labels are read once and kept in
    compact codes. Every chunk is worked on where it lies, unless an idle worker steals the work, and then moves there:
    the scheduler's option ``distributed.scheduler.work-stealing``. If a worker is lost, the scheduler makes its chunks
    anew from the labels and the small matrices of the rounds so far, which it keeps, O(K k) per round, K clusters in
    all partitions together.

    A round takes O(n_samples (n_partitions k + n_masks k^2) / n_workers) time and two messages of O(K k + n_masks k^2)
    numbers per worker, whatever n_samples is; sums over chunks are taken in a tree, so that the client receives one.
    On paper, for 10^9 objects, 100 partitions of 15 clusters each, k = 10 and 100 workers of one core, 10^7 objects in
    10 chunks each: a round is 10^7 visits per worker at 2 us (most rows at rest) to 8 us (all move), 20 to 80 s,
    and 0.12 MB (8 bytes times K k = 15,000) to every worker and 0.12 MB from every chunk; 15 to 50 rounds are usual
    at tol = 1e-5, so 5 to 60 minutes. A worker holds 100 bytes of codes and twice 80 bytes of memberships per object,
    2.7 GB, and up to 1.6 GB more while the next memberships are made.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
    >>> result = solve_median_partition_distributed(
    ...     da.from_array(labels, chunks=(2, 4)), 2, weighting=[1, 1, 0, 0], init=[0, 0, 1, 1, 1, 1], random_state=0
    ... )
    >>> result.labels.compute()
    array([0, 0, 0, 1, 1, 1])
    >>> result.weights
    array([0.5, 0.5, 0. , 0. ])
    """
    options = Options(
        weighting, "auto", cluster_weights, init, n_init, max_iter, tol, n_jobs, random_state, progress(verbose)
    )
    return solve_and_grade(labels, n_clusters, options, checkpoint, checkpoint_every)[0]


def solve_and_grade(labels, n_clusters, options, checkpoint=None, checkpoint_every=600.0, *, sample_weight=None):
    """(what :func:`solve_median_partition_distributed` returns, the agreement of every partition with it)."""
    labels = check_dask_rows(labels, name="labels")
    n, m = labels.shape
    n_clusters = check_n_clusters(n_clusters, n)
    if resolve_agreement(options.agreement, corrected=False) == "adjusted":
        raise ValueError('agreement must not be "adjusted" for a Dask array.')
    if sample_weight is not None:
        raise ValueError("sample_weight must be None for a Dask array.")
    weighting = as_weighting(options.weighting).bind(m, float(n) ** 2)
    if weighting.corrected:
        raise ValueError(
            'weighting "chance-corrected" needs chance-corrected losses, which are not summed over chunks: use another '
            'weighting, or RestrictedSimplex(rho="auto").'
        )
    cluster_weights = check_cluster_weights(options.cluster_weights)
    n_init, limits = check_effort(options)
    start = _check_start(options.init, labels, n_clusters)
    n_jobs = check_n_jobs(options.n_jobs)
    rng = check_random_state(options.random_state)
    folder, every = check_checkpoint(checkpoint, checkpoint_every, options.random_state)
    with dask_tasks.scheduler_watched():
        kept = folder and Checkpoint(folder, every, arguments_of(labels, n_clusters, options, start), limits.max_iter)
        begun = kept is not None and kept.saved is not None
        sampled = isinstance(start, str)
        seeds = rng.randint(MAX_SEED, size=n_init if sampled else 1)
        plain, encodings, starts = _encode(labels, start, n_clusters)
        tables, encodings = _weigh(plain, encodings, cluster_weights)
        if (sampled and not begun) or weighting.needs_group:
            sample = _gather_sample(encodings, tables, labels.chunks[0], n_clusters, rng)
            weighting, linked = settle(weighting, sample, rng)
            if not linked:
                warnings.warn(NO_LINKS.format(LEVEL), UserWarning, stacklevel=3)
        if sampled and not begun:
            problem = Problem(objective_for(sample, n_clusters), weighting)
            rough = limits._replace(tol=max(limits.tol, SAMPLE_TOL))
            starts = _place_from_sample(encodings, problem, start, seeds, rough, n_jobs=n_jobs, tell=options.tell)
        problem = Problem(DistributedRaw(tables, n_clusters), weighting)
        tell = options.tell and partial(_tell_of_all, options.tell)
        if begun:
            run = kept.resume(problem, encodings, tell)
        else:
            rows, own = dask_tasks.Rows(encodings, starts), np.random.RandomState(seeds[0])
            run = set_out(problem, rows, own, limits, warm=sampled, tell=tell)
        run = go_on(problem, run, limits, keep=kept and kept.keep)
        if kept:
            kept.save(run)
        agreements = agreement_from_sums(plain, *problem.objective.measure(run.rows))
        consensus, membership = _finish(run.rows, labels.chunks[0], n_clusters)
        result = result_of(run, consensus, membership, limits.tol)
    if not result.converged:
        warn_unconverged(result.gap, limits, stacklevel=4)
    return result, agreements


def _tell_of_all(tell, line):
    tell(f"all objects: {line}")


def _check_start(init, labels, n_clusters):
    """Return the name of a start, or a Dask array of memberships or labels with the chunks of the ensemble."""
    import dask.array as da

    n = labels.shape[0]
    if not is_dask_array(init):
        start = check_init(init, n, n_clusters)
        return start if isinstance(start, str) else da.from_array(start, chunks=(labels.chunks[0], n_clusters))
    if init.shape not in ((n,), (n, n_clusters)):
        raise ValueError(f"init must have shape {(n,)} or {(n, n_clusters)}, got {init.shape}.")
    return with_checked_chunks(init, name="init").rechunk((labels.chunks[0], n_clusters)[: init.ndim])


def _encode(labels, start, n_clusters):
    """(tables, encodings of the blocks, their proposals if the start is an array)."""
    from dask import compute, persist

    first_rows = np.cumsum((0, *labels.chunks[0][:-1]))
    blocks = labels.to_delayed()[:, 0]
    pairs = [
        dask_tasks.later(block_steps.read, 2)(block, int(first))
        for block, first in zip(blocks, first_rows, strict=True)
    ]
    alone, reports = persist(*zip(*pairs, strict=True))
    tables, values = block_steps.merge(compute(*reports))
    shared = dask_tasks.ship(tables), dask_tasks.ship(values)
    if isinstance(start, str):
        starts = [start] * len(blocks)
    else:
        starts = [
            dask_tasks.later(block_steps.check_start)(piece, n_clusters, int(first))
            for piece, first in zip(start.to_delayed().ravel(), first_rows, strict=True)
        ]
    tasks = dask_tasks.on_blocks(block_steps.encode_block, alone, n_results=2)
    encoded = [task(report, *shared, rows) for task, report, rows in zip(tasks, reports, starts, strict=True)]
    encodings, proposals = zip(*encoded, strict=True)
    if isinstance(start, str):
        return tables, persist(*encodings), None
    bounds = [dask_tasks.later(block_steps.extremes)(rows) for rows in starts]
    encodings, proposals, bounds = persist(encodings, proposals, bounds)
    bounds = np.array(compute(*bounds))
    check_start_tells_apart(bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0))
    return tables, encodings, proposals


def _weigh(tables, encodings, cluster_weights):
    """Tables and encodings with weights of the base clusters."""
    from dask import persist

    if cluster_weights is None:
        return tables, encodings
    tables = weigh_by(tables, cluster_weights)
    values = dask_tasks.ship(tables.slot_weights)
    return tables, persist(*[task(values) for task in dask_tasks.on_blocks(weigh_clusters, encodings)])


def _gather_sample(encodings, tables, n_rows, n_clusters, rng):
    """Encoding of objects drawn with replacement, or of all of them, gathered to the client."""
    from dask import compute

    size = min(sample_size(tables, n_clusters), _MAX_SAMPLE)
    everything = tables.total < SAMPLE_SHARE * size
    sizes = rng.multinomial(size, np.array(n_rows) / tables.total)
    seeds = rng.randint(MAX_SEED, size=len(n_rows))
    parts = [
        dask_tasks.later(block_steps.sample_block)(encoding, None if everything else int(size), int(seed))
        for encoding, size, seed in zip(encodings, sizes, seeds, strict=True)
        if everything or size
    ]
    codes, observed, counts = (np.concatenate(part) for part in zip(*compute(*parts), strict=True))
    sample = tables._replace(codes=codes, soft=np.empty((len(codes), 0)), observed=observed, n_samples=len(codes))
    return weigh(sample, counts * (tables.total / counts.sum()))


def _place_from_sample(encodings, problem, start, seeds, settings, *, n_jobs, tell):
    """Solve the sample and place the rows of all blocks by its best solution."""
    from dask import persist

    objective = problem.objective
    sample, partitions = objective.encoding, np.flatnonzero(objective.encoding.n_observed)
    if len(partitions) < len(sample.offsets):
        # Partitions that observe no sampled object have no weight in the start.
        objective = objective.on(select(sample, partitions))
        problem = Problem(objective, Fixed(np.full(len(partitions), 1.0 / len(partitions))))
    run, membership = solve(problem, start, seeds, settings, n_jobs=n_jobs, tell=tell)
    raw = Raw(objective.encoding, objective.n_clusters)
    statistics = raw.statistics(run.weights, raw.measure(membership))
    shared = partitions, dask_tasks.ship(statistics._replace(own=np.empty((0, 3)))), objective.n_clusters
    return persist(*[task(*shared) for task in dask_tasks.on_blocks(block_steps.place_block, encodings)])


def _finish(rows, chunks, n_clusters):
    """(labels, membership) of all objects as Dask arrays, empty clusters last."""
    import dask.array as da
    from dask import persist

    memberships, won = zip(*[task(rows.t) for task in rows.each(block_steps.finish, 2)], strict=True)
    won, memberships = dask_tasks.sum_of([(count,) for count in won], memberships)
    order = empty_last_order(won[0])
    blocks = [
        da.from_delayed(dask_tasks.later(np.take)(block, order, axis=1), shape=(size, n_clusters), dtype=np.float64)
        for block, size in zip(memberships, chunks, strict=True)
    ]
    membership = da.concatenate(blocks)
    return persist(membership.argmax(axis=1), membership)
