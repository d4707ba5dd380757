"""Alternation: consensus membership and partition weights together, from several starts."""

from __future__ import annotations

import warnings
from functools import partial
from heapq import nsmallest
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ._distance import ADJUSTED, resolve_distance
from ._encoding import encode_ensemble
from ._label_checks import check_ensemble, check_sample_weight
from ._rows import SAMPLE_TOL, check_init, expand_rows, initial_rows, reduce_rows, start_from_sample
from ._sweep import is_stationary
from ._threads import count_threads, map_threads
from ._typing import Labels, RandomState, WeightSolver
from ._validation import MAX_SEED, check_integer, check_n_clusters, check_n_jobs, check_random_state, check_real
from .adjusted import adjusted_state
from .weighting.losses import fixed, resolve_weighting
from .weighting.trust import trusted_group

__all__ = ["MedianPartitionResult", "solve_median_partition"]

# A Y step need not be finished before the weights move: it hands over when its gap has shrunk to this share.
_REDUCTION = 0.1
# A Y step that needs more sweeps than this hands over to the weight step and goes on afterwards.
_MAX_SWEEPS = 1000
# Of several starts so many are solved to this gap, once a sample shows where they lead, and so many to the end.
_LOOSE_TOL = 1e-4
_N_LOOSE, _N_FINAL = 3, 2


class MedianPartitionResult(NamedTuple):
    """What :func:`solve_median_partition` returns."""

    labels: np.ndarray
    membership: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    objective: float
    objective_history: np.ndarray
    gap: float
    n_iter: int
    converged: bool


def solve_median_partition(
    labels: Labels,
    n_clusters: int,
    *,
    weighting: WeightSolver = "restricted-simplex",
    agreement: str = "raw",
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
    sample_weight: ArrayLike | None = None,
) -> MedianPartitionResult:
    """Find the consensus membership and the weights of the partitions together.

    Solve  min_{Y, alpha} sum_u alpha_u d_u(Y) [+ lambda/2 |alpha|^2],  d_u(Y) = |Y'Y - X_u'X_u|^2, over the
    left-stochastic Y and alpha in the rho-restricted simplex (Eq. 4 of [1]_) or the simplex (Eq. 5).

    Alternates the Y step of :func:`~robust_eac.solve_membership`, started from the previous Y, with the closed form
    of the weights; neither raises the objective. Stops when the Y step finds the membership stationary for weights
    that are optimal for it. The problem is not convex: the best of `n_init` starts is returned.

    "chance-corrected" has no joint objective, but stops all the same. Its weights are equal over a set of trusted
    partitions, and each Y step descends the unweighted objective (4) of the set. All starts share one set, the largest
    group of partitions that agree beyond chance before any consensus (:func:`~robust_eac.trusted_group_weights`), so
    that their objectives can be compared. The best start then alternates Y steps with trust: the partitions that agree
    enough with the consensus are the next set. The first of these updates may add partitions, the later ones only
    withdraw trust, so that there are at most n_partitions + 1 Y steps. At the end the consensus confirms every
    partition that made it.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list with a membership matrix in it
        Base clusterings, hard or soft, as in :func:`~robust_eac.partition_losses`.
    n_clusters : int
        Number of clusters k of the consensus, an upper bound: clusters can end up empty.
    weighting : str or callable, default="restricted-simplex"
        A name in `WEIGHT_SOLVERS`: "uniform", "restricted-simplex" (4), "l2" (5), "entropy" (eta = 0.05
        n_samples^2), "power" (gamma = 2), "chance-corrected" (see above); a `functools.partial` of one of these
        solvers, for other parameters; or any function losses -> weights, for which no descent is promised.
    agreement : {"raw", "adjusted"}, default="raw"
        What the weights and the membership lower: the losses d_u, or their chance-corrected form d_u / E[d_u] = 1 - a_u
        (see :func:`~robust_eac.adjusted_agreement`), which does not favour fine partitions. Losses are then shares, and
        so are `lam` and the objective.
    rho : float or "auto", default=None
        Largest weight, for "restricted-simplex". None means 1 / (0.8 n_partitions), "auto" 1 over the number of
        partitions that :func:`~robust_eac.trusted_group_weights` trusts.
    lam : float, default=None
        lambda, for "l2", in the units of the losses. None means 0.5 n_samples^2 (0.5 for adjusted losses).
    lam0 : float, default=None
        In place of `lam`, free of scale: lambda = lam0 n_partitions n_samples^2 (lam0 n_partitions for adjusted
        losses). Partitions whose loss per pair exceeds the mean by more than lam0 get no weight, or little.
    n_init : int, default=10
        Number of starts. The best of them, solved to a gap of 1e-4 or where a sample of the objects puts them, go on to
        `tol`. An array as `init` is one start.
    max_iter : int, default=100
        Largest number of alternations per start.
    tol : float, default=1e-5
        Stop when the optimality gap of the membership is at most `tol`, or 1e-14, below which it is rounding.
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_; False leaves them out, as the method it builds on does.
    init : {"random", "kmeans"} or array-like, default="random"
        As in :func:`~robust_eac.solve_membership`. Weights start uniform ("power": from the losses of the start); those
        of all objects, where a sample of them comes first, with the weights that its solution deserves.
    n_jobs : int, default=None
        Threads, over the starts, and within them from 65,536 objects on. None means all cores, or as many as the
        environment variable NUMBA_NUM_THREADS says, where there is enough to do. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the starts and the order of the visits.
    verbose : int, default=0
        1 prints a line per start and alternation.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: it counts as so many identical objects that share a membership. None means one each.

    Returns
    -------
    result : MedianPartitionResult
        Named tuple: `labels` of shape (n_samples,), the cluster of largest membership; `membership` of shape
        (n_samples, n_clusters), empty clusters last; `weights` and `losses` of shape (n_partitions,); `objective` at
        them, regulariser included (for "entropy" with its penalty, for "power" the power mean of the losses, see
        :func:`~robust_eac.power_weights`); `objective_history`, from the start to the last alternation; `gap`;
        `n_iter`; `converged`. For "chance-corrected", history and `n_iter` are those of the last set of partitions.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Warns
    -----
    ConvergenceWarning
        If the returned start reached `max_iter` with gap > tol.
    UserWarning
        If the trusted group is asked for ("chance-corrected", or `rho` "auto") and no two partitions agree beyond
        chance: then all start with equal weights.

    Notes
    -----
    A sweep costs O(n_samples (n_partitions n_clusters + n_masks n_clusters^2)), n_masks counting the distinct sets of
    objects that partitions observe; the weights cost O(n_partitions log n_partitions). Memory is O(n_samples
    (n_partitions + n_clusters)), and O(n_samples n_clusters) more per start at work.

    From some 2,000 objects on (more where clusters are many or labels missing) a start is solved for a sample of them
    first, which leaves few sweeps for all. From 65,536 on a sweep visits them in rounds of eight blocks that several
    threads take in turn; a round whose blocks would raise the objective together is repeated block by block.

    The weights belong to the relaxed membership, not to its hard labels: sum_u alpha_u d_u of the labels is in general
    another number.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013, Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
    >>> result = solve_median_partition(labels, 2, rho=0.5, init=[0, 0, 1, 1, 1, 1], random_state=0)
    >>> result.labels
    array([0, 0, 0, 1, 1, 1])
    >>> result.weights
    array([0.5, 0.5, 0. , 0. ])
    """
    return solve_and_encode(
        labels, n_clusters, weighting=weighting, agreement=agreement, rho=rho, lam=lam, lam0=lam0, n_init=n_init,
        max_iter=max_iter, tol=tol, diagonal=diagonal, init=init, n_jobs=n_jobs, random_state=random_state,
        verbose=verbose, sample_weight=sample_weight,
    )[0]  # fmt: skip


def solve_and_encode(
    labels, n_clusters, *, weighting, agreement, rho, lam, lam0, n_init, max_iter, tol, diagonal, init, n_jobs,
    random_state, verbose, sample_weight,
):  # fmt: skip
    """(what :func:`solve_median_partition` returns, the encoding of the ensemble)."""
    ensemble = check_ensemble(labels)
    n, m = ensemble.n_samples, ensemble.n_partitions
    n_clusters = check_n_clusters(n_clusters, n)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    total = float(n) if sample_weight is None else float(sample_weight.sum())
    distance = resolve_distance(agreement, diagonal)
    resolve = partial(
        resolve_weighting,
        weighting,
        n_samples=total,
        n_partitions=m,
        lam=lam,
        lam0=lam0,
        adjusted=distance is ADJUSTED,
    )
    auto = isinstance(rho, str) and rho == "auto"
    weighting = resolve(rho=None if auto else rho)
    n_init = check_integer(n_init, name="n_init", low=1)
    max_iter = check_integer(max_iter, name="max_iter", low=1)
    tol = check_real(tol, name="tol", low=0.0)
    start = check_init(init, n, n_clusters)
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)
    seeds = rng.randint(MAX_SEED, size=n_init if isinstance(start, str) else 1)

    whole = encode_ensemble(ensemble, sample_weight)
    trusted = trusted_group(whole, rng=rng, stacklevel=4) if weighting.trust or auto else None
    if trusted is not None and not weighting.trust:
        weighting = resolve(rho=1.0 / np.count_nonzero(trusted))
    result = solve_encoded(
        whole,
        n_clusters,
        weighting,
        trusted=trusted,
        distance=distance,
        start=start,
        seeds=seeds,
        max_iter=max_iter,
        tol=tol,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    if not result.converged:
        warnings.warn(
            f"The alternation did not converge: gap={result.gap:.3g} > tol={tol:.3g} after max_iter={max_iter}.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return result, whole


def solve_encoded(
    whole, n_clusters, weighting, *, trusted, distance, start, seeds, max_iter, tol, n_jobs=None, verbose=0
):
    """The same for an encoding, without warnings; `trusted` partitions are needed where the weighting has trust."""
    encoding, start = reduce_rows(whole, start, diagonal=distance.diagonal)
    options = {"distance": distance, "max_iter": max_iter, "tol": tol}
    shared = fixed(trusted / np.count_nonzero(trusted)) if weighting.trust else weighting
    best = best_of_starts(encoding, n_clusters, start, shared, seeds, n_jobs=n_jobs, verbose=verbose, **options)
    if weighting.trust:
        _, n_threads = count_threads(n_jobs, 1, encoding, n_clusters)
        best = _settle_trust(encoding, best, weighting, seed=seeds[0], n_threads=n_threads, **options)
    membership = empty_last(expand_rows(whole, encoding, best.weights, best.membership, tol=tol, model=distance.model))
    return best._replace(membership=membership, labels=membership.argmax(axis=1))


def best_of_starts(encoding, n_clusters, start, weighting, seeds, *, n_jobs, tol, verbose=0, **options):
    """The result of least objective, one from every seed; the first of equal ones.

    All starts run a part of the way, to where a sample puts them or to a loose gap; only the best of them go on.
    """
    loose = max(tol, _LOOSE_TOL)

    def in_parallel(function, tasks, **more):
        outer, n_threads = count_threads(n_jobs, len(tasks), encoding, n_clusters)
        return map_threads(partial(function, n_threads=n_threads, **more, **options), tasks, outer)

    def set_out(number, **options):
        run = _begin(encoding, n_clusters, start, weighting, seed=seeds[number], tol=tol, **options)
        run = run._replace(name=f"start {number + 1}/{len(seeds)}" if verbose else "")
        if run.name and run.sampled:
            print(f"{run.name}: solution of a sample, objective {run.history[0]:.6g}", flush=True)
        return run if run.sampled or len(seeds) == 1 else _go_on(run, encoding, weighting, tol=loose, **options)

    runs = in_parallel(set_out, range(len(seeds)))
    for n_kept, gap in ((_N_LOOSE, loose), (_N_FINAL, tol))[len(seeds) == 1 :]:
        best = nsmallest(n_kept, runs, key=_value)
        runs = in_parallel(_go_on, best, encoding=encoding, weighting=weighting, tol=gap)
    return _result(min(runs, key=_value), tol)


def empty_last(membership):
    """The membership with the clusters that win no object last, so that the labels are 0, 1, ... without holes."""
    won = np.bincount(membership.argmax(axis=1), minlength=membership.shape[1])
    return membership if won.all() else np.ascontiguousarray(membership[:, empty_last_order(won)])


def empty_last_order(won):
    """Order of the clusters, those that win no object last, from the number of objects that each wins."""
    return np.argsort(won == 0, kind="stable")


def _settle_trust(encoding, run, weighting, *, seed, **options):
    """Alternate membership and trust from a run until the trusted partitions are those that the consensus confirms.

    The first update may trust partitions anew, the later ones only withdraw trust: at most n_partitions + 1 Y steps.
    """
    candidates = np.ones(len(run.weights), dtype=bool)
    while True:
        losses = adjusted_state(encoding, run.membership, n_threads=options["n_threads"]).losses
        weights = weighting.solve(losses) * candidates
        if not weights.any() or np.array_equal(weights > 0.0, run.weights > 0.0):
            return run
        candidates = weights > 0.0
        weighting_of_trusted = fixed(weights / weights.sum())
        run = alternate(encoding, run.membership.shape[1], run.membership, weighting_of_trusted, seed=seed, **options)


class _Run(NamedTuple):
    """A start on its way: memberships of the encoding's rows, weights for them, and what it takes to go on."""

    rows: np.ndarray
    state: tuple
    losses: np.ndarray
    weights: np.ndarray
    history: list
    rng: np.random.RandomState
    sampled: bool
    gap: float = np.inf
    n_iter: int = 0
    name: str = ""


def alternate(encoding, n_clusters, start, weighting, *, tol, n_threads=1, seed, warm=False, name="", **options):
    """One start, alternated to a joint stationary point; membership and (no) labels of the encoding's rows.

    A warm start has a membership that is worth weights of its own. A start with a name tells of its progress.
    """
    options |= {"tol": tol, "n_threads": n_threads}
    run = _begin(encoding, n_clusters, start, weighting, seed=seed, warm=warm, **options)
    return _result(_go_on(run._replace(name=name), encoding, weighting, **options), tol)


def _begin(encoding, n_clusters, start, weighting, *, distance, max_iter, tol, seed, n_threads, warm=False):
    """The run of a start before its first Y step."""
    rng = np.random.RandomState(seed)

    def solve(sample, start):
        run = alternate(
            sample, n_clusters, start, weighting, distance=distance, max_iter=max_iter, tol=max(tol, SAMPLE_TOL),
            seed=rng.randint(MAX_SEED),
        )  # fmt: skip
        return run.weights, run.membership

    rows = start_from_sample(encoding, n_clusters, start, solve, rng=rng, model=distance.model, n_threads=n_threads)
    sampled = rows is not None
    if not sampled:
        rows = initial_rows(encoding, n_clusters, start, rng)
    state = distance.measure(encoding, rows, n_threads=n_threads)
    losses = distance.losses(encoding, rows, state)
    weights = weighting.solve(losses) if warm or sampled else weighting.first(losses)
    return _Run(rows, state, losses, weights, [weighting.objective(losses, weights)], rng, sampled)


def _go_on(run, encoding, weighting, *, distance, max_iter, tol, n_threads):
    """The run alternated to a joint stationary point; the rows of the given one are changed."""
    rows, state, losses, weights = run.rows, run.state, run.losses, run.weights
    history, n_iter = [*run.history], run.n_iter
    while True:
        budget = _MAX_SWEEPS if n_iter < max_iter else 0
        gap, n_sweeps, state = distance.descend(
            encoding, weights, rows, state, tol=tol, max_sweeps=budget, rng=run.rng, reduction=_REDUCTION,
            n_threads=n_threads,
        )  # fmt: skip
        # A first Y step with nothing to do still owes its start the weights.
        if n_sweeps == 0 and n_iter > 0:
            break
        losses, before = distance.losses(encoding, rows, state), weights
        weights = weighting.solve(losses)
        history.append(weighting.objective(losses, weights))
        n_iter += 1
        if run.name:
            print(
                f"{run.name}: iteration {n_iter}, {n_sweeps} sweeps to gap {gap:.2g}, objective {history[-1]:.6g}",
                flush=True,
            )
        # The gap is known where the weights stay.
        if is_stationary(gap, tol) and np.array_equal(weights, before):
            break
    return run._replace(state=state, losses=losses, weights=weights, history=history, gap=gap, n_iter=n_iter)


def _value(run):
    return run.history[-1]


def _result(run, tol):
    return MedianPartitionResult(
        labels=None,
        membership=run.rows,
        weights=run.weights,
        losses=run.losses,
        objective=run.history[-1],
        objective_history=np.array(run.history),
        gap=run.gap,
        n_iter=run.n_iter,
        converged=is_stationary(run.gap, tol),
    )
