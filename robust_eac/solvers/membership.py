"""The Y step: minimise the objective in the consensus membership for fixed weights, without an n x n matrix."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ..checks.common import ClusterWeights, Labels, RandomState
from ..checks.labels import check_ensemble, check_init, check_sample_weight
from ..checks.values import check_integer, check_n_clusters, check_n_jobs, check_random_state, check_real, check_weights
from ..objectives import objective_for
from ..solve.alternation import Limits, Problem, alternate, reduce_problem
from ..solve.descent import is_stationary
from ..solve.encoding import encode_ensemble
from ..solve.threads import count_threads
from ..weightings.clusters import check_cluster_weights, weigh_by
from ..weightings.joint import Fixed

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
    tol: float = 1e-5,
    max_sweeps: int = 1000,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    cluster_weights: ClusterWeights = None,
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
        Base clusterings, hard or soft, as in :func:`~robust_eac.partition_losses`.
    n_clusters, n_jobs, random_state, cluster_weights
        As in :class:`~robust_eac.RobustEAC`.
    sample_weight
        As in :meth:`~robust_eac.RobustEAC.fit`.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    init : {"random", "kmeans"} or array-like, default=None
        As in :class:`~robust_eac.RobustEAC`; None means "random". A single start.
    tol : float, default=1e-5
        Stop when :func:`~robust_eac.optimality_gap` is at most `tol`, or 1e-14, below which it is rounding.
    max_sweeps : int, default=1000
        Largest number of visits of all objects.

    Returns
    -------
    result : MembershipResult
        Named tuple: `membership` of shape (n_samples, n_clusters), rows on the simplex, a SciPy CSR array where it
        would have more than 2^28 entries; `objective`, sum_u alpha_u d_u at it; `gap`, its optimality gap; `n_sweeps`;
        `converged`, gap <= tol.

    Warns
    -----
    ConvergenceWarning
        If `max_sweeps` is reached with gap > tol.

    Notes
    -----
    Time O(n_samples (n_partitions n_clusters + n_masks n_clusters^2)) per sweep, where n_masks counts the distinct
    sets of objects that partitions observe; memory O(n_samples (n_partitions + n_clusters)), and O(n_clusters) per base
    cluster. Objects with equal labels in all partitions share a column when that pays. Objects of weight zero take no
    part; afterwards each gets the membership that is best with the others fixed.

    With more than 256 clusters, a visit reads only the clusters that share a base cluster with the object, one that has
    nothing in common with it, and all clusters alike: it takes the time that the objects near it take, whatever
    n_clusters. Where the result is a CSR array, no object can be in all clusters alike.

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
    ensemble = check_ensemble(labels)
    n_clusters = check_n_clusters(n_clusters, ensemble.n_samples)
    weights = check_weights(weights, ensemble.n_partitions)
    tol = check_real(tol, name="tol", low=0.0)
    max_sweeps = check_integer(max_sweeps, name="max_sweeps", low=0)
    cluster_weights = check_cluster_weights(cluster_weights)
    start = check_init(init, ensemble.n_samples, n_clusters, may_be_sparse=True)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)

    encoding = weigh_by(encode_ensemble(ensemble, sample_weight), cluster_weights)
    problem = Problem(objective_for(encoding, n_clusters), Fixed(weights))
    problem, start, whole = reduce_problem(problem, start)
    _, n_threads = count_threads(n_jobs, 1, problem.objective.encoding, n_clusters)
    # The weights are fixed: a single Y step runs to the end.
    limits = Limits(tol, max_iter=1, max_sweeps=max_sweeps, reduction=0.0, n_threads=n_threads)
    run = alternate(problem, start if isinstance(start, str) else start.copy(), rng, limits)
    converged = is_stationary(run.gap, tol)
    if not converged:
        warnings.warn(
            f"The membership did not converge: gap={run.gap:.3g} > tol={tol:.3g} after max_sweeps={max_sweeps}.",
            ConvergenceWarning,
            stacklevel=2,
        )
    membership = problem.objective.expand(whole, weights, run.rows, tol)
    return MembershipResult(membership, run.objective, run.gap, run.n_sweeps, converged)
