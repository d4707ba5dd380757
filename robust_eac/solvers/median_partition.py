"""Alternation: consensus membership and partition weights together, from several starts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ..checks.labels import check_ensemble, check_init, check_sample_weight
from ..checks.types import ClusterWeights, Labels, RandomState, WeightSolver
from ..checks.values import (
    MAX_DENSE,
    MAX_SEED,
    check_integer,
    check_n_clusters,
    check_n_jobs,
    check_random_state,
    check_real,
)
from ..objectives.distance import resolve_distance
from ..solve.alternation import Problem, Settings, solve
from ..solve.descent import is_stationary
from ..solve.encoding import encode_ensemble
from ..solve.progress import progress
from ..sparse.rows import labels_of
from ..weightings.clusters import check_cluster_weights, weigh_by
from ..weightings.joint import is_corrected, resolve_weighting, settle
from ..weightings.trust import LEVEL, NO_LINKS, second_group

__all__ = ["MedianPartitionResult", "solve_median_partition"]


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
    levels: tuple[float, float] | None


def solve_median_partition(
    labels: Labels,
    n_clusters: int,
    *,
    weighting: WeightSolver = "restricted-simplex",
    agreement: str = "auto",
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
    cluster_weights: ClusterWeights = None,
    threshold: str = "half",
) -> MedianPartitionResult:
    """Find the consensus membership and the weights of the partitions together.

    Solve  min_{Y, alpha} sum_u alpha_u d_u(Y) [+ lambda/2 |alpha|^2],  d_u(Y) = |Y'Y - X_u'X_u|^2, over the
    left-stochastic Y and alpha in the rho-restricted simplex (Eq. 4 of [1]_) or the simplex (Eq. 5).

    Alternates the Y step of :func:`~robust_eac.solve_membership`, started from the previous Y, with the closed form
    of the weights; neither raises the objective. Stops when the Y step finds the membership stationary for weights
    that are optimal for it. The problem is not convex: the best of `n_init` starts is returned.

    `cluster_weights` and `threshold` change the losses d_u where base clusterings are much finer than the consensus, in
    which the paper's leave pairs apart that fewer than half of the partitions join: see
    :func:`~robust_eac.partition_losses`. With ``threshold="data"`` the alternation has a third step, the two levels,
    in closed form too; the memberships that it finds are hard or nearly so, and there is no lower bound for it. It has
    many more local minima: start it from a good consensus, as ``init=merge_consensus(labels, n_clusters).labels``.

    "chance-corrected" has no joint objective, but it terminates. Its weights are fixed for every Y step, and positive
    for a set of trusted partitions. All starts share the first set, so that their objectives can be compared: equal
    weights for the largest group of partitions that agree beyond chance before any consensus
    (:func:`~robust_eac.trusted_group_weights`), and for those of which too little is known to distrust them. The best
    start then alternates Y steps with trust: the partitions that agree enough with the consensus are the next set. The
    first of these updates may add partitions, the later ones only withdraw trust, so that there are at most
    n_partitions + 1 Y steps. At the end the consensus confirms every partition that made it.

    Near copies count once: a partition weighs 1 over the number of its near copies and itself. Two partitions are near
    copies if their adjusted Rand index is at least 0.8 and above that of either with the consensus of the first update,
    their numbers of clusters differ by at most a tenth, and at least half of the objects that either observes are
    common to both. Good partitions agree with each other because they are right, but more with the consensus; those
    that agree with it to 0.95 are no copies in any case.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list of clusterings
        Base clusterings, hard or soft, as in :func:`~robust_eac.partition_losses`.
    n_clusters : int
        Number of clusters k of the consensus, an upper bound: clusters can end up empty.
    weighting : str, callable or array-like of shape (n_partitions,), default="restricted-simplex"
        A name in `WEIGHT_SOLVERS`: "uniform", "restricted-simplex" (4), "l2" (5), "entropy" (eta = 0.05
        n_samples^2), "power" (gamma = 2), "chance-corrected" (see above); a `functools.partial` of one of these
        solvers, for other parameters; any function losses -> weights, for which no descent is promised; or weights to
        keep: non-negative, not all zero, normalised to sum to one.
    agreement : {"auto", "raw", "adjusted"}, default="auto"
        What the weights and the membership lower: the losses d_u, or their chance-corrected form d_u / E[d_u] = 1 - a_u
        (see :func:`~robust_eac.adjusted_agreement`), which does not favour fine partitions. Losses are then shares, and
        so are `lam` and the objective. A partition of one cluster, or into single objects, on what it observes has the
        loss 1 for every consensus, so that it moves none. "auto" means "adjusted" for "chance-corrected", if neither
        `diagonal` nor `threshold` needs the raw losses, and otherwise "raw".
    rho : float or "auto", default=None
        Largest weight, for "restricted-simplex". None means 1 / (0.8 n_partitions), "auto" 1 over the number of
        partitions that :func:`~robust_eac.trusted_group_weights` trusts.
    lam : float, default=None
        lambda, for "l2", in the units of the losses. None means 0.5 n_samples^2 (0.5 for adjusted losses).
    lam0 : float, default=None
        In place of `lam`, free of scale: lambda = lam0 n_partitions n_samples^2 (lam0 n_partitions for adjusted
        losses). Partitions whose loss per pair exceeds the mean by more than lam0 get no weight, or little.
    n_init : int, default=10
        Number of starts, solved to a gap of 1e-4, or the best three where samples place them. The best one goes on to
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
        Weight of every object: weight w counts as w identical objects that share a membership. None means one each.
    cluster_weights : {"entropy", "size", "entropy-size"} or list of ndarrays, default=None
        Weights of the base clusters, as in :func:`~robust_eac.partition_losses`. None means 1 each, as in [1]_.
    threshold : {"half", "data"}, default="half"
        "data" for losses from two levels, as in :func:`~robust_eac.partition_losses`, found together with the
        membership, in place of the paper's.

    Returns
    -------
    result : MedianPartitionResult
        Named tuple: `labels` of shape (n_samples,), the cluster of largest membership; `membership` of shape
        (n_samples, n_clusters), empty clusters last, a SciPy CSR array where it would have more than 2^28 entries;
        `weights` and `losses` of shape (n_partitions,); `objective` at
        them, regulariser included (for "entropy" with its penalty, for "power" the power mean of the losses, see
        :func:`~robust_eac.power_weights`); `objective_history`, from the start to the last alternation; `gap`;
        `n_iter`; `converged`; `levels`, (a, b) with ``threshold="data"``, otherwise None. For "chance-corrected",
        history and `n_iter` are those of the last set of partitions.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range. With chance-corrected losses, or ``threshold="data"``, n_samples
        n_clusters must be at most 2^28.

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
    objects that partitions observe; the weights cost O(n_partitions log n_partitions).

    Memory is O(n_samples n_partitions), and O(n_clusters) per object and per base cluster for every start at work and
    for the best so far, three at most. With base clusters of fewer than n_partitions n_clusters / (n_partitions +
    n_clusters) objects on average, they take most of it: some 60 n_clusters bytes each at the peak, 100 from 65,536
    objects on. For 20,000 objects in 40 partitions, 20 clusters and one thread, 39 MiB with base clusters of 200
    objects, 52 MiB with 20, 415 MiB with pairs, 759 MiB with single objects. A partition into single objects does not
    say which of them belong together: leave it out.

    From some 2,000 objects on (more where clusters are many or labels missing) a start is solved for a sample of them
    first, which leaves few sweeps for all. From 65,536 on a sweep visits them in rounds of eight blocks that several
    threads take in turn; a round whose blocks would raise the objective together is repeated block by block.

    With more than 256 clusters and raw losses, time grows with the objects that share base clusters rather than with
    n_clusters, as :func:`~robust_eac.solve_membership` says. Starts are cheap there: the best three of all go on.

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
    options = Options(
        weighting=weighting,
        agreement=agreement,
        rho=rho,
        lam=lam,
        lam0=lam0,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
        diagonal=diagonal,
        init=init,
        n_jobs=n_jobs,
        random_state=random_state,
        cluster_weights=cluster_weights,
        threshold=threshold,
        tell=progress(verbose),
    )
    return solve_and_encode(labels, n_clusters, options, sample_weight)[0]


class Options(NamedTuple):
    """What the caller of a joint solver chooses, as :func:`solve_median_partition` describes it; `tell` takes lines."""

    weighting: WeightSolver
    agreement: str
    rho: float | str | None
    lam: float | None
    lam0: float | None
    n_init: int
    max_iter: int
    tol: float
    diagonal: bool
    init: object
    n_jobs: int | None
    random_state: RandomState
    cluster_weights: ClusterWeights
    threshold: str
    tell: Callable | None


def solve_and_encode(labels, n_clusters, options, sample_weight, merge=None):
    """(what :func:`solve_median_partition` returns, the encoding of the ensemble, the size of its second mode).

    The second mode are the partitions without weight that agree with each other, and hardly with those that have some;
    their number is None for a weighting that does not look for agreement.

    merge : label matrix -> labels to start from, for init="merge"; None where there is no such start.
    """
    ensemble = check_ensemble(labels)
    n, m = ensemble.n_samples, ensemble.n_partitions
    n_clusters = check_n_clusters(n_clusters, n)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    total = float(n) if sample_weight is None else float(sample_weight.sum())
    distance = distance_of(options)
    parameters = {"rho": options.rho, "lam": options.lam, "lam0": options.lam0}
    weighting = resolve_weighting(options.weighting, n_pairs=distance.unit(total), n_partitions=m, **parameters)
    if n * n_clusters > MAX_DENSE and (distance.many is None or weighting.corrected):
        raise ValueError(
            f"n_clusters must be at most {MAX_DENSE // n} for {n} objects with chance-corrected losses, or levels from "
            f"the data, whose memberships are dense; got {n_clusters}."
        )
    cluster_weights = check_cluster_weights(options.cluster_weights)
    n_init, settings = check_effort(options)
    names = ("random", "kmeans", "merge") if merge else ("random", "kmeans")
    start = check_init(options.init, n, n_clusters, names, may_be_sparse=distance.many is not None)
    merging = isinstance(start, str) and start == "merge"
    if merging and len(ensemble.widths):
        raise ValueError('init must not be "merge" for an ensemble with memberships in it.')
    n_jobs = check_n_jobs(options.n_jobs)
    rng = check_random_state(options.random_state)
    seeds = rng.randint(MAX_SEED, size=n_init if isinstance(start, str) and not merging else 1)

    whole = weigh_by(encode_ensemble(ensemble, sample_weight), cluster_weights)
    weighting, linked = settle(weighting, whole, rng)
    if not linked:
        warnings.warn(NO_LINKS.format(LEVEL), UserWarning, stacklevel=3)
    if merging:
        start = np.eye(n_clusters)[merge(ensemble.labels)]
    problem = Problem(whole, n_clusters, weighting, distance)
    run, membership = solve(problem, start, seeds, settings, n_jobs=n_jobs, tell=options.tell)
    result = result_of(run, labels_of(membership), membership, settings.tol)
    if not result.converged:
        warn_unconverged(result.gap, settings, stacklevel=4)
    second = None
    if weighting.pairs is not None:
        group = second_group(weighting.pairs, run.weights > 0.0)
        second = 0 if group is None else int(np.count_nonzero(group))
    return result, whole, second


def distance_of(options):
    """The :class:`~robust_eac.objectives.distance.Distance` of the options."""
    corrected = is_corrected(options.weighting)
    return resolve_distance(options.agreement, options.diagonal, options.threshold, corrected=corrected)


def check_effort(options):
    """(number of starts, :class:`~robust_eac.solve.alternation.Settings`), checked."""
    n_init = check_integer(options.n_init, name="n_init", low=1)
    max_iter = check_integer(options.max_iter, name="max_iter", low=1)
    return n_init, Settings(check_real(options.tol, name="tol", low=0.0), max_iter)


def result_of(run, labels, membership, tol):
    """The :class:`MedianPartitionResult` of a run."""
    return MedianPartitionResult(
        labels=labels,
        membership=membership,
        weights=run.weights,
        losses=run.losses,
        objective=run.objective,
        objective_history=np.array(run.history),
        gap=run.gap,
        n_iter=run.n_iter,
        converged=is_stationary(run.gap, tol),
        levels=run.levels,
    )


def warn_unconverged(gap, settings, *, stacklevel):
    warnings.warn(
        f"The alternation did not converge: gap={gap:.3g} > tol={settings.tol:.3g} after max_iter={settings.max_iter}.",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )
