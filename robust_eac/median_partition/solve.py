"""Consensus membership and partition weights together, from several starts; the membership alone, for given weights."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import MAX_SEED, Labels, RandomState, WeightSolver
from ..core.kernels import announce_compiling
from ..core.threads import progress
from ..ensemble import reading
from ..ensemble.encoding import encode_ensemble
from .alternation import Problem, is_stationary
from .losses import loss_named
from .objective import expand, in_memory
from .several_starts import best_state, canonical, reduce_problem, solve
from .trust import linked_group
from .weightings import Fixed, as_weighting, warn_of_copy


class MedianPartitionResult(NamedTuple):
    """Result of :func:`solve_median_partition`."""

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
    agreement: str = "auto",
    init: str | ArrayLike = "random",
    n_init: int = 10,
    max_iter: int = 100,
    tol: float = 1e-5,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    verbose: int = 0,
    sample_weight: ArrayLike | None = None,
) -> MedianPartitionResult:
    r"""Find the consensus membership and the weights of the partitions jointly.

    Solve :math:`\min_{Y, \alpha} \sum_u \alpha_u d_u(Y) [+ \frac{\lambda}{2} \|\alpha\|^2]` with
    :math:`d_u(Y) = \|Y^T Y - X_u^T X_u\|^2` over the left-stochastic Y and alpha in the rho-restricted simplex (Eq. 4
    of [1]_) or the simplex (Eq. 5).

    Alternates the Y step of :func:`~robust_eac.solve_membership`, started from the previous Y, with the closed form of
    the weights; neither raises the objective. Stops when the membership is stationary for weights that are optimal for
    it. The weights belong to this relaxed membership, not to its hard labels, whose :math:`\sum_u \alpha_u d_u` differs
    in general.

    "chance-corrected" has no joint objective, but it terminates. All starts begin with equal weights for the largest
    group of partitions that agree beyond chance (:func:`~robust_eac.trusted_group_weights`), and for partitions that
    cannot be compared with enough others. The best start then alternates Y steps with trust: the first update may add
    partitions, later ones only remove some, so that there are at most n_partitions + 1 Y steps.

    Near-duplicates count once: the weight of a partition is divided by the number of its near-duplicates and itself.
    Two partitions are near-duplicates if their adjusted Rand index is at least 0.8 and above that of either with the
    consensus of the first update, their numbers of clusters differ by at most a tenth, and both observe at least half
    of the objects that either observes. Partitions whose agreement with the consensus is 0.95 or more are never
    near-duplicates.

    A sweep costs O(n_samples (n_partitions n_clusters + n_masks n_clusters^2)) for n_masks missingness patterns, the
    weights O(n_partitions log n_partitions). Memory is O(n_samples n_partitions), and O(n_clusters) per object and per
    base cluster for every running start and the best so far: three at most, or all starts if they need less than 8 MiB.
    Leave out partitions into single objects: they need most of it and hold no information.

    Parameters
    ----------
    labels, sample_weight : as in :func:`~robust_eac.partition_losses`
    n_clusters, weighting, agreement, init, n_init, max_iter, tol, n_jobs, random_state, verbose
        As in :class:`~robust_eac.RobustEAC`, which calls the same solver.

    Returns
    -------
    result : MedianPartitionResult
        Named tuple: `labels` of shape (n_samples,), the cluster of largest membership; `membership` of shape
        (n_samples, n_clusters), clusters in the order of their first objects, or as in an array `init`, empty ones
        last; `weights` and `losses` of shape (n_partitions,); `objective` at them, regulariser included (for "entropy"
        its penalty); `objective_history`, from the start to the last alternation; `gap`; `n_iter`; `converged`. For
        "chance-corrected", history and `n_iter` are those of the last set of partitions.

    Raises
    ------
    ValueError
        If n_samples n_clusters is above 2^28; :func:`~robust_eac.solve_hard_median_partition` takes less memory.

    Warns
    -----
    ConvergenceWarning
        If the returned start reached `max_iter` with gap > tol.
    UserWarning
        If the weighting needs the trusted group ("chance-corrected", or rho "auto") and no two partitions agree beyond
        chance: then all start with equal weights. If one of five or more partitions gets more than half of the weight,
        unless the weights are given.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Algorithm 1.

    Examples
    --------
    >>> labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
    >>> result = solve_median_partition(labels, 2, init=[0, 0, 1, 1, 1, 1], random_state=0)
    >>> result.labels, result.weights.round(2)
    (array([0, 0, 0, 1, 1, 1]), array([0.31, 0.31, 0.31, 0.06]))
    """
    ensemble = reading.ensemble(labels, weighting=weighting, init=init, sample_weight=sample_weight)
    how = {"n_init": n_init, "max_iter": max_iter, "tol": tol, "n_jobs": n_jobs, "random_state": random_state}
    with progress(verbose):
        return solve_ensemble(ensemble, n_clusters, weighting, agreement, init, sample_weight=sample_weight, **how)[0]


def solve_ensemble(ensemble, n_clusters, weighting, agreement, init, *, sample_weight=None, **how):
    """(result of :func:`solve_median_partition`, the matrices of its membership, the objective)."""
    n, m = ensemble.shape
    n_clusters = check.n_memberships(n_clusters, n)
    sample_weight = reading.sample_weight(sample_weight, ensemble)
    weighting = as_weighting(weighting)
    loss = loss_named(agreement, weighting)
    total = float(n if sample_weight is None else sample_weight.sum())
    n_init, limits, n_jobs, rng = check_effort(**how)
    start = reading.init(init, n, n_clusters)
    seeds = rng.randint(MAX_SEED, size=n_init if start.name else 1)

    # Only a weighting that needs the trusted group reads the encoding.
    encoding = cache(lambda: encode_ensemble(ensemble, sample_weight))
    weighting = weighting.ready(m, loss.unit(total), lambda: linked_group(encoding(), rng))
    problem = Problem(in_memory(encoding(), n_clusters, loss), weighting, **limits)
    with announce_compiling():
        state, membership = solve(problem, start, seeds, n_jobs=n_jobs)
    result = result_of(problem, state, membership.argmax(axis=1), membership, ensemble.names)
    return result, state.matrices, problem.objective


def check_effort(n_init, max_iter, tol, n_jobs, random_state):
    """(number of starts, {"tol": ..., "max_iter": ...}, number of jobs, random numbers), checked."""
    n_init = check.integer(n_init, name="n_init", low=1)
    max_iter = check.integer(max_iter, name="max_iter", low=1)
    limits = {"tol": check.real(tol, name="tol", low=0.0), "max_iter": max_iter}
    return n_init, limits, check.n_jobs(n_jobs), check.random_state(random_state)


def result_of(problem, state, labels, membership, names=None):
    """The :class:`MedianPartitionResult` of a state; warns if it has not converged, or nearly copies a partition."""
    warn_of_copy(problem.weighting, labels, state.weights, names)
    converged = is_stationary(state.gap, problem.tol)
    reason = f"gap={state.gap:.3g} > tol={problem.tol:.3g} after max_iter={problem.max_iter}"
    check.warn_unless(converged, f"The alternation did not converge: {reason}.")
    return MedianPartitionResult(
        labels=labels,
        membership=membership,
        weights=state.weights,
        losses=state.losses,
        objective=state.objective,
        objective_history=np.array(state.history),
        gap=state.gap,
        n_iter=state.n_iter,
        converged=converged,
    )


class MembershipResult(NamedTuple):
    """Result of :func:`solve_membership`."""

    membership: np.ndarray
    objective: float
    gap: float
    n_sweeps: int
    converged: bool


def solve_membership(
    labels: Labels,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    init: str | ArrayLike | None = None,
    tol: float = 1e-5,
    max_sweeps: int = 1000,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> MembershipResult:
    r"""Minimise the weighted median-partition objective in the membership, for fixed weights of the partitions.

    Solve :math:`\min_Y \sum_u \alpha_u \|Y^T Y - X_u^T X_u\|^2` over the left-stochastic Y, which has the same
    minimisers as :math:`\|Y^T Y - \sum_u \alpha_u X_u^T X_u\|^2`, Eq. (6) of [1]_.

    Exact line search by columns: for one object after another, in random order, mass moves between pairs of clusters to
    the exact minimiser of the quartic along the pair. The objective never increases. The problem is not convex: the
    result is a stationary point that depends on the start.

    Objects with equal labels in all partitions share a column if that is faster. Objects of weight zero are left out;
    afterwards each gets the membership that is best with the others fixed. Time per sweep as in
    :func:`solve_median_partition`; memory O(n_samples (n_partitions + n_clusters)), and O(n_clusters) per base cluster.

    Parameters
    ----------
    labels, weights, sample_weight : as in :func:`~robust_eac.objective_value`
    n_clusters, tol, n_jobs, random_state : as in :class:`~robust_eac.RobustEAC`
    init : {"random", "kmeans"} or array-like, default=None
        As in :class:`~robust_eac.RobustEAC`; None means "random". A single start.
    max_sweeps : int, default=1000
        Largest number of sweeps over all objects.

    Returns
    -------
    result : MembershipResult
        Named tuple: `membership` of shape (n_samples, n_clusters), rows on the simplex, the one of largest total
        confidence among all with these losses (see :class:`~robust_eac.RobustEAC`); `objective`,
        :math:`\sum_u \alpha_u d_u` at it; `gap`, its optimality gap; `n_sweeps`; `converged`, gap <= tol.

    Raises
    ------
    ValueError
        If n_samples n_clusters is above 2^28, as in :func:`solve_median_partition`.

    Warns
    -----
    ConvergenceWarning
        If `max_sweeps` is reached with gap > tol.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 3.1.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [1, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> result = solve_membership(labels, 2, init=[0, 1, 1, 1, 1], random_state=0)
    >>> result.membership.argmax(axis=1), result.converged
    (array([0, 0, 1, 1, 1]), True)
    """
    ensemble, weights = reading.weighted_ensemble(labels, weights, init=init, sample_weight=sample_weight)
    n_clusters = check.n_memberships(n_clusters, ensemble.n_samples)
    tol = check.real(tol, name="tol", low=0.0)
    max_sweeps = check.integer(max_sweeps, name="max_sweeps", low=0)
    start = reading.init(init, ensemble.n_samples, n_clusters)
    sample_weight = reading.sample_weight(sample_weight, ensemble)
    n_jobs = check.n_jobs(n_jobs)
    rng = check.random_state(random_state)

    encoding = encode_ensemble(ensemble, sample_weight)
    # The weights are fixed: a single Y step runs to the end.
    objective = in_memory(encoding, n_clusters)
    problem = Problem(objective, Fixed(weights), tol, max_iter=1, max_sweeps=max_sweeps, reduction=0.0)
    problem, start, whole = reduce_problem(problem, start, n_jobs)
    state = best_state(problem, start, [rng], rng, n_jobs)
    left = problem._replace(max_iter=state.n_iter + 1, max_sweeps=max_sweeps - state.n_sweeps)
    state = canonical(left, state)
    converged = is_stationary(state.gap, tol)
    reason = f"gap={state.gap:.3g} > tol={tol:.3g} after max_sweeps={max_sweeps}"
    check.warn_unless(converged, f"The membership did not converge: {reason}.")
    membership = expand(problem.objective, whole, weights, state.memberships, tol)
    return MembershipResult(membership, state.objective, state.gap, state.n_sweeps, converged)
