"""The robust consensus as a consensus function that returns the partition only."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_labels
from ..checks.types import RandomState, WeightSolver
from ..checks.values import check_weights
from ..solvers.median_partition import solve_median_partition
from ._common import relabel

__all__ = ["robust_consensus"]


def robust_consensus(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Find the weighted median partition.

    Solve  min_{Y, alpha} sum_u alpha_u |Y'Y - X_u'X_u|^2  (Eq. 4 of [1]_): without weights, alpha is found jointly with
    Y on the restricted simplex, as :class:`~robust_eac.RobustEAC` does by default; given weights stay fixed.
    :func:`~robust_eac.solve_median_partition` returns the full solution and has more options.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    n_clusters : int
        Number of clusters, an upper bound: clusters can end up empty.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means found jointly; this differs from equal
        weights.
    n_init : int, default=10
        Number of random starts.
    n_jobs : int, default=None
        Threads, None for all cores, as in :func:`~robust_eac.solve_median_partition`. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the starts and the order of the visits.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        Clusters 0, 1, ... in the order of first appearance.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Warns
    -----
    ConvergenceWarning
        If the start that is kept did not converge.

    Notes
    -----
    Time O(n_samples (n_partitions n_clusters + n_clusters^2)) per sweep, memory O(n_samples (n_partitions +
    n_clusters)), and O(n_clusters) per base cluster.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013.

    Examples
    --------
    >>> robust_consensus(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    labels = check_labels(labels)
    weighting: WeightSolver = "restricted-simplex" if weights is None else check_weights(weights, labels.shape[1])
    result = solve_median_partition(
        labels, n_clusters, weighting=weighting, n_init=n_init, n_jobs=n_jobs, random_state=random_state
    )
    return relabel(result.labels)
