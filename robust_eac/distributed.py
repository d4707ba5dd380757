"""Ensembles that no one machine holds: the alternation on Dask arrays whose chunks of rows stay on the workers.

What is done with a chunk stands in _blocks, on which worker in _tasks; here is when, and what travels.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from . import _blocks, _tasks
from ._distance import Distance, raw_distance
from ._encoding import select, weigh
from ._formula import agreement_from_sums, gap_unit, losses_from
from ._rows import SAMPLE_SHARE, SAMPLE_TOL, check_init, check_start_tells_apart, sample_size
from ._sweep import PLAIN, SETTLED, is_stationary, next_relaxation
from ._typing import RandomState, WeightSolver
from ._validation import (
    MAX_SEED,
    check_bool,
    check_dask_rows,
    check_integer,
    check_n_clusters,
    check_n_jobs,
    check_random_state,
    check_real,
    is_dask_array,
)
from .median_partition import MedianPartitionResult, alternate, empty_last_order, solve_encoded
from .weighting.losses import fixed, resolve_weighting
from .weighting.trust import trusted_group

if TYPE_CHECKING:
    from dask.array import Array

__all__ = ["solve_median_partition_distributed"]

# No more objects than this travel to the client for a start, even if some partition observes few.
_MAX_SAMPLE = 2**18


def solve_median_partition_distributed(
    labels: Array,
    n_clusters: int,
    *,
    weighting: WeightSolver = "restricted-simplex",
    rho: float | str | None = None,
    lam: float | None = None,
    lam0: float | None = None,
    n_init: int = 10,
    max_iter: int = 100,
    tol: float = 1e-5,
    diagonal: bool = True,
    init: str | ArrayLike = "random",
    n_jobs: int | None = None,
    random_state: RandomState = None,
    verbose: int = 0,
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
    weighting : str or callable, default="restricted-simplex"
        As in :func:`~robust_eac.solve_median_partition`, without "chance-corrected".
    rho : float or "auto", default=None
        Largest weight, for "restricted-simplex". None means 1 / (0.8 n_partitions), "auto" 1 over the number of
        partitions that :func:`~robust_eac.trusted_group_weights` trusts on the sample.
    lam, lam0 : float, default=None
        lambda, for "l2", in the units of the losses, or free of scale, as in
        :func:`~robust_eac.solve_median_partition`.
    n_init : int, default=10
        Number of starts on the sample. An array as `init` is one start.
    max_iter : int, default=100
        Largest number of alternations.
    tol : float, default=1e-5
        Stop when the optimality gap of the membership is at most `tol`.
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_.
    init : {"random", "kmeans"} or array-like, default="random"
        How the sample is started; or an array or Dask array, a membership of shape (n_samples, n_clusters) or labels
        of shape (n_samples,), which in a Dask array are 0, ..., n_clusters - 1. An array in memory travels once.
    n_jobs : int, default=None
        Threads over the starts, on the client.
    random_state : int, RandomState instance or None, default=None
        Draws the sample, the starts and the order of the visits.
    verbose : int, default=0
        1 prints a line per start and alternation.

    Returns
    -------
    result : MedianPartitionResult
        As :func:`~robust_eac.solve_median_partition` returns it, but `labels` and `membership` are Dask arrays with the
        chunks of the ensemble, held by the workers.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or not supported here. What only the labels can tell (floats that
        are no integers, objects that no partition observes) is found when they are first read.

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
    ...     da.from_array(labels, chunks=(2, 4)), 2, rho=0.5, init=[0, 0, 1, 1, 1, 1], random_state=0
    ... )
    >>> result.labels.compute()
    array([0, 0, 0, 1, 1, 1])
    >>> result.weights
    array([0.5, 0.5, 0. , 0. ])
    """
    return solve_and_grade_distributed(
        labels, n_clusters, weighting=weighting, rho=rho, lam=lam, lam0=lam0, n_init=n_init, max_iter=max_iter,
        tol=tol, diagonal=diagonal, init=init, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
    )[0]  # fmt: skip


def solve_and_grade_distributed(
    labels, n_clusters, *, weighting, rho, lam, lam0, n_init, max_iter, tol, diagonal, init, n_jobs, random_state,
    verbose,
):  # fmt: skip
    """(what :func:`solve_median_partition_distributed` returns, the agreement of every partition with it)."""
    labels = check_dask_rows(labels, name="labels")
    n, m = labels.shape
    n_clusters = check_n_clusters(n_clusters, n)
    diagonal = check_bool(diagonal, name="diagonal")
    resolve = partial(resolve_weighting, weighting, n_samples=n, n_partitions=m, lam=lam, lam0=lam0)
    auto = isinstance(rho, str) and rho == "auto"
    weighting = resolve(rho=None if auto else rho)
    if weighting.trust:
        raise ValueError(
            'weighting "chance-corrected" needs chance-corrected losses, which are not summed over chunks: use another '
            'weighting, or rho="auto".'
        )
    n_init = check_integer(n_init, name="n_init", low=1)
    max_iter = check_integer(max_iter, name="max_iter", low=1)
    tol = check_real(tol, name="tol", low=0.0)
    start = _check_start(init, labels, n_clusters)
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)
    seeds = rng.randint(MAX_SEED, size=n_init if isinstance(start, str) else 1)

    tables, encodings, starts = _encode(labels, start, n_clusters, diagonal)
    if isinstance(start, str) or auto:
        sample = _draw_sample(encodings, tables, labels.chunks[0], n_clusters, rng)
    if auto:
        weighting = resolve(rho=1.0 / np.count_nonzero(trusted_group(sample, rng=rng, stacklevel=4)))
    if isinstance(start, str):
        options = {"start": start, "seeds": seeds, "max_iter": max_iter, "n_jobs": n_jobs, "verbose": verbose}
        starts = _start_from_sample(
            encodings, sample, n_clusters, weighting, raw_distance(diagonal), tol=max(tol, SAMPLE_TOL), **options
        )
    best = alternate(
        tables,
        n_clusters,
        _tasks.Rows(encodings, starts),
        weighting,
        distance=_distance(diagonal),
        max_iter=max_iter,
        tol=tol,
        seed=seeds[0],
        warm=isinstance(start, str),
        name="all objects" if verbose else "",
    )
    if not best.converged:
        warnings.warn(
            f"The alternation did not converge: gap={best.gap:.3g} > tol={tol:.3g} after max_iter={max_iter}.",
            ConvergenceWarning,
            stacklevel=3,
        )
    S, G, _ = _measure(tables, best.membership)
    agreements = agreement_from_sums(tables, S, G)
    consensus, membership = _finish(best.membership, labels.chunks[0], n_clusters)
    return best._replace(labels=consensus, membership=membership), agreements


def _check_start(init, labels, n_clusters):
    """The name of a start, or a Dask array of memberships or labels with the chunks of the labels."""
    import dask.array as da

    n = labels.shape[0]
    if not is_dask_array(init):
        start = check_init(init, n, n_clusters)
        return start if isinstance(start, str) else da.from_array(start, chunks=(labels.chunks[0], n_clusters))
    if init.shape not in ((n,), (n, n_clusters)):
        raise ValueError(f"init must have shape {(n,)} or {(n, n_clusters)}, got {init.shape}.")
    return init.rechunk((labels.chunks[0], n_clusters)[: init.ndim])


def _encode(labels, start, n_clusters, diagonal):
    """(tables, encodings of the blocks, their proposals if the start is an array)."""
    from dask import compute, persist

    first_rows = np.cumsum((0, *labels.chunks[0][:-1]))
    blocks = labels.to_delayed()[:, 0]
    pairs = [_tasks.later(_blocks.read, 2)(block, int(first)) for block, first in zip(blocks, first_rows, strict=True)]
    alone, reports = zip(*pairs, strict=True)
    alone = persist(*alone, *reports)
    alone, reports = alone[: len(blocks)], alone[len(blocks) :]
    tables, values = _blocks.merge(compute(*reports))
    shared = _tasks.ship(tables), _tasks.ship(values)
    if isinstance(start, str):
        starts = [start] * len(blocks)
    else:
        starts = [
            _tasks.later(_blocks.check_start)(piece, n_clusters, int(first))
            for piece, first in zip(start.to_delayed().ravel(), first_rows, strict=True)
        ]
    encoded = [
        _tasks.later(_blocks.encode_block, 2, home)(encoding, report, *shared, rows, diagonal)
        for encoding, report, rows, home in zip(alone, reports, starts, _tasks.homes(alone), strict=True)
    ]
    encodings, proposals = zip(*encoded, strict=True)
    if isinstance(start, str):
        return tables, persist(*encodings), None
    bounds = [_tasks.later(_blocks.extremes)(rows) for rows in starts]
    kept = persist(*encodings, *proposals, *bounds)
    bounds = np.array(compute(*kept[2 * len(blocks) :]))
    check_start_tells_apart(bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0))
    return tables, kept[: len(blocks)], kept[len(blocks) : 2 * len(blocks)]


def _draw_sample(encodings, tables, n_rows, n_clusters, rng):
    """Encoding of objects drawn with replacement, or of all of them, gathered to the client."""
    from dask import compute

    size = min(sample_size(tables, n_clusters), _MAX_SAMPLE)
    everything = tables.total < SAMPLE_SHARE * size
    sizes = rng.multinomial(size, np.array(n_rows) / tables.total)
    seeds = rng.randint(MAX_SEED, size=len(n_rows))
    parts = [
        _tasks.later(_blocks.sample_block)(encoding, None if everything else int(size), int(seed))
        for encoding, size, seed in zip(encodings, sizes, seeds, strict=True)
        if everything or size
    ]
    codes, observed, counts = (np.concatenate(part) for part in zip(*compute(*parts), strict=True))
    sample = tables._replace(codes=codes, soft=np.empty((len(codes), 0)), observed=observed, n_samples=len(codes))
    return weigh(sample, counts * (tables.total / counts.sum()))


def _start_from_sample(encodings, sample, n_clusters, weighting, distance, **options):
    """Proposals of all blocks that agree best with the best solution for the sample."""
    from dask import persist

    partitions = np.flatnonzero(sample.n_observed)
    if len(partitions) < len(sample.offsets):
        # What the sample says nothing about has no weight in the start.
        sample = select(sample, partitions)
        weighting = fixed(np.full(len(partitions), 1.0 / len(partitions)))
    solution = solve_encoded(sample, n_clusters, weighting, trusted=None, distance=distance, **options)
    statistics = PLAIN.statistics(sample, solution.weights, solution.membership)
    shared = partitions, _tasks.ship(statistics._replace(self_weight=np.empty(0))), n_clusters
    tasks = [_tasks.later(_blocks.place_block, workers=home) for home in _tasks.homes(encodings)]
    return persist(*[task(encoding, *shared) for task, encoding in zip(tasks, encodings, strict=True)])


def _distance(diagonal):
    """The :class:`~robust_eac._distance.Distance` d_u of :class:`~robust_eac._tasks.Rows`, encoded by the tables."""

    def losses(tables, rows, matrices):
        S, G, own = matrices
        return losses_from(tables, S, G, 0.0 if diagonal else own[tables.mask_of])

    return Distance(_measure, losses, partial(_descend, diagonal=diagonal), PLAIN, diagonal)


def _measure(tables, rows, *, n_threads=1):
    """S, G, and what the pairs (i, i) cost per mask."""
    return _tasks.sum_of(rows.map(_blocks.measure, rows.t))[0]


def _descend(tables, weights, rows, matrices, *, diagonal, tol, max_sweeps, rng, reduction=0.0, n_threads=1):
    """As :func:`~robust_eac._sweep.descend`: every block sweeps, and all take the best common share of their steps.

    If no share of them helps, mass moves towards the best cluster of every object (Frank and Wolfe), which goes
    downhill wherever the gap is not zero.
    """

    def share(relaxation=1.0, seed=0):
        skip = SETTLED * tol * tables.total
        return _tasks.ship(_blocks.Shared(rows.t, *matrices[:2], weights, relaxation, skip, seed))

    def step(propose, relaxation=1.0):
        """Take the step that blocks propose; returns S, G and the cost of pairs (i, i) after it, and its gap."""
        shared = share(relaxation, rng.randint(MAX_SEED))
        proposed = [task(shared, number, diagonal) for number, task in enumerate(rows.each(propose, 2))]
        proposals, sums = zip(*proposed, strict=True)
        total, rows.proposals = _tasks.sum_of(sums, proposals)
        total = _blocks.Sums(*total)
        rows.t = _blocks.search_line(tables, weights, *matrices[:2], total, diagonal)
        return _blocks.after_step(*matrices[:2], total, rows.t), total.gap / gap_unit(tables)

    n_sweeps, target = 0, tol
    while True:
        gap = _tasks.sum_of(rows.map(_blocks.gap_of_block, share(), diagonal))[0][0]
        if is_stationary(gap, target) or n_sweeps >= max_sweeps:
            return gap, n_sweeps, matrices
        if n_sweeps == 0:
            target = max(tol, reduction * gap)
        estimate, relaxation = np.inf, 1.0
        while not is_stationary(estimate, target) and n_sweeps < max_sweeps:
            before = estimate
            matrices, estimate = step(_blocks.propose, relaxation)
            n_sweeps += 1
            relaxation = next_relaxation(relaxation, estimate, before, target)
            if rows.t == 0.0:
                matrices, estimate = step(_blocks.propose_best_clusters)
                if rows.t == 0.0:
                    # What is left of the gap is below what rounding lets the objective show.
                    return gap, n_sweeps, matrices
        # Fresh matrices before every decision: what the steps update has rounding errors of its own.
        matrices = _measure(tables, rows)


def _finish(rows, chunks, n_clusters):
    """(labels, membership) of all objects as Dask arrays, empty clusters last."""
    import dask.array as da
    from dask import persist

    memberships, won = zip(*[task(rows.t) for task in rows.each(_blocks.finish, 2)], strict=True)
    won, memberships = _tasks.sum_of([(count,) for count in won], memberships)
    order = empty_last_order(won[0])
    blocks = [
        da.from_delayed(_tasks.later(np.take)(block, order, axis=1), shape=(size, n_clusters), dtype=np.float64)
        for block, size in zip(memberships, chunks, strict=True)
    ]
    membership = da.concatenate(blocks)
    return persist(membership.argmax(axis=1), membership)
