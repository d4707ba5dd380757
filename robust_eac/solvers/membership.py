"""The Y step: minimise the objective in the consensus membership for fixed weights, without an n x n matrix."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ..checks.coassociation import check_coassociation, is_precomputed
from ..checks.labels import check_ensemble, check_init, check_sample_weight
from ..checks.types import ClusterWeights, Labels, RandomState
from ..checks.values import check_integer, check_n_clusters, check_n_jobs, check_random_state, check_real, check_weights
from ..objectives.distance import resolve_distance
from ..solve.alternation import Problem, Settings, alternate, expand, fixed, reduce
from ..solve.descent import descend, is_stationary
from ..solve.encoding import encode_ensemble
from ..solve.given import GivenSteps, given_objective
from ..solve.starts import random_rows
from ..solve.threads import count_threads
from ..weightings.clusters import check_cluster_weights, weigh_by

__all__ = ["MembershipResult", "solve_membership"]


class MembershipResult(NamedTuple):
    """What :func:`solve_membership` returns."""

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
    diagonal: bool = True,
    tol: float = 1e-5,
    max_sweeps: int = 1000,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    cluster_weights: ClusterWeights = None,
    threshold: str = "half",
    affinity: str = "coassociation",
) -> MembershipResult:
    """Minimise the weighted median-partition objective in the membership, for fixed partition weights.

    Solve  min_Y sum_u alpha_u |Y'Y - X_u'X_u|^2  over the left-stochastic Y, which has the same minimisers as
    |Y'Y - sum_u alpha_u X_u'X_u|^2, Eq. (6) of [1]_.

    Column-wise exact line search: objects are visited in random order; at each visit mass moves between pairs of
    clusters, to the exact minimiser of the quartic along the pair. The objective never increases. The problem is not
    convex: the result is a stationary point, which one depends on the start.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list of clusterings
        Base clusterings, hard or soft, as in :func:`~robust_eac.partition_losses`. Or, with
        ``affinity="precomputed"``, a co-association matrix C, dense or SciPy sparse.
    n_clusters : int
        Number of clusters k of the consensus, an upper bound: clusters can end up empty.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    init : {"random", "kmeans"} or array-like, default=None
        Start: Dirichlet(1/k) rows ("random", also None), k-means on the one-hot ensemble (of a soft partition, on the
        clusters of largest membership), a membership of shape (n_samples, n_clusters), or a label vector of shape
        (n_samples,). The uniform membership is refused: it is a stationary point. Where there are thousands of objects,
        the first two start a sample of them, and its solution is the start of all. With many clusters (see Notes)
        "random" puts the objects, in random order, one by one where they cost least under equal weights, and a
        membership may be a SciPy sparse matrix.
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_; False leaves them out, as the method it builds on does.
    tol : float, default=1e-5
        Stop when :func:`~robust_eac.optimality_gap` is at most `tol`, or 1e-14, below which it is rounding.
    max_sweeps : int, default=1000
        Largest number of visits of all objects.
    random_state : int, RandomState instance or None, default=None
        Draws the start and the order of the visits.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: weight w counts as w identical objects that share a membership. None means one each.
    n_jobs : int, default=None
        Threads, as in :func:`~robust_eac.solve_median_partition`. The result does not depend on it.
    cluster_weights : {"entropy", "size", "entropy-size"} or list of ndarrays, default=None
        Weights of the base clusters, as in :func:`~robust_eac.partition_losses`. None means 1 each, as in [1]_.
    threshold : {"half", "data"}, default="half"
        "data" for losses from two levels, as in :func:`~robust_eac.partition_losses`, found together with the
        membership, in place of the paper's.
    affinity : {"coassociation", "precomputed"}, default="coassociation"
        "precomputed": `labels` is a symmetric matrix C of shape (n_samples, n_samples), as in :func:`~robust_eac.eac`,
        and the objective |Y'Y - C|^2; the arguments that speak of partitions, of weights of objects or of one-hot
        labels (`weights`, `sample_weight`, `cluster_weights`, `threshold`, ``init="kmeans"``) must keep their defaults.

    Returns
    -------
    result : MembershipResult
        Named tuple: `membership` of shape (n_samples, n_clusters), rows on the simplex, a SciPy CSR array where it
        would have more than 2^28 entries; `objective`,
        sum_u alpha_u d_u at it, or |Y'Y - C|^2; `gap`, its optimality gap; `n_sweeps`; `converged`, gap <= tol.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Warns
    -----
    ConvergenceWarning
        If `max_sweeps` is reached with gap > tol.

    Notes
    -----
    Time O(n_samples (n_partitions n_clusters + n_masks n_clusters^2)) per sweep, where n_masks counts the distinct
    sets of objects that partitions observe (1 when nothing is missing); memory O(n_samples (n_partitions +
    n_clusters)), and O(n_clusters) per base cluster, which matters where these are tiny: see
    :func:`~robust_eac.solve_median_partition`. For a given C, O(e n_clusters) per sweep and 16 bytes for each of its e
    entries that are not zero. Soft partitions count as k_u partitions each. Objects with equal labels,
    and equal memberships, in all partitions share a column when that pays. Objects of weight zero take no part;
    afterwards each gets the membership that is best with the others fixed, its pair with itself left out. Inputs are
    not modified.

    With more than 256 clusters (raw losses, a threshold of one half), a visit reads only the clusters that share a base
    cluster with the object, one that has nothing in common with it, and all clusters alike. It takes the time that the
    objects near it take, whatever n_clusters; so do the sums, which keep no zeros. Where the result is a CSR array, no
    object can be in all clusters alike.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013, Section 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [1, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> result = solve_membership(labels, 2, init=[0, 1, 1, 1, 1], random_state=0)
    >>> result.membership.argmax(axis=1)
    array([0, 0, 1, 1, 1])
    >>> result.converged
    True
    """
    if is_precomputed(affinity, weights=weights, sample_weight=sample_weight, cluster_weights=cluster_weights):
        for name, value, of_labels in (("threshold", threshold, "data"), ("init", init, "kmeans")):
            if isinstance(value, str) and value == of_labels:
                raise ValueError(f'{name} must not be {value!r} with affinity="precomputed": that needs labels.')
        distance = resolve_distance("raw", diagonal, threshold)
        return _solve_given(labels, n_clusters, init, distance.diagonal, tol, max_sweeps, n_jobs, random_state)
    ensemble = check_ensemble(labels)
    n_clusters = check_n_clusters(n_clusters, ensemble.n_samples)
    weights = check_weights(weights, ensemble.n_partitions)
    tol = check_real(tol, name="tol", low=0.0)
    max_sweeps = check_integer(max_sweeps, name="max_sweeps", low=0)
    distance = resolve_distance("raw", diagonal, threshold)
    cluster_weights = check_cluster_weights(cluster_weights)
    start = check_init(init, ensemble.n_samples, n_clusters, may_be_sparse=distance.many is not None)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)

    whole = weigh_by(encode_ensemble(ensemble, sample_weight), cluster_weights)
    problem, start = reduce(Problem(whole, n_clusters, fixed(weights), distance), start)
    _, n_threads = count_threads(n_jobs, 1, problem.encoding, n_clusters)
    # The weights are fixed: a single Y step runs to the end.
    settings = Settings(tol, max_iter=1, max_sweeps=max_sweeps, reduction=0.0, n_threads=n_threads)
    run = alternate(problem, start if isinstance(start, str) else start.copy(), rng, settings)
    converged = is_stationary(run.gap, tol)
    if not converged:
        _warn_unconverged(run.gap, tol, max_sweeps)
    return MembershipResult(expand(whole, problem, run, tol), run.objective, run.gap, run.n_sweeps, converged)


def _solve_given(matrix, n_clusters, init, diagonal, tol, max_sweeps, n_jobs, random_state):
    """The :class:`MembershipResult` for a given co-association matrix."""
    given = check_coassociation(matrix)
    n_clusters = check_n_clusters(n_clusters, given.n_samples)
    tol = check_real(tol, name="tol", low=0.0)
    max_sweeps = check_integer(max_sweeps, name="max_sweeps", low=0)
    rows = check_init(init, given.n_samples, n_clusters, ("random",))
    check_n_jobs(n_jobs)
    rng = check_random_state(random_state)
    if isinstance(rows, str):
        rows = random_rows(given.n_samples, n_clusters, rng)
    steps = GivenSteps(given.shares, rows, rng, diagonal=diagonal)
    gap, n_sweeps = descend(steps, tol=tol, max_sweeps=max_sweeps)
    converged = is_stationary(gap, tol)
    if not converged:
        _warn_unconverged(gap, tol, max_sweeps, stacklevel=4)
    objective = given_objective(given.shares, rows, diagonal=diagonal)
    return MembershipResult(rows, objective, gap, n_sweeps, converged)


def _warn_unconverged(gap, tol, max_sweeps, stacklevel=3):
    warnings.warn(
        f"The membership did not converge: gap={gap:.3g} > tol={tol:.3g} after max_sweeps={max_sweeps}.",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )
