"""The hard median partition as a consensus function."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_labels
from ..checks.types import RandomState
from ..checks.values import check_n_clusters
from ..hard.median_partition import solve_hard_median_partition

__all__ = ["median_partition"]


def median_partition(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    loss: str = "binder",
    n_init: int = 16,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Search for the partition of least weighted loss.

    Minimise  sum_u alpha_u L(c, u)  over the partitions c into at most `n_clusters` clusters, by moves of single
    objects and by clusters that are dissolved and grown again. No move of an object improves the answer; it need not be
    the best. :func:`~robust_eac.solve_hard_median_partition` returns the full solution and has more options: weights
    found with the partition, costs, no limit to the number of clusters.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    n_clusters : int
        Number of clusters, an upper bound: fewer are found where fewer have the smaller loss.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means equal weights.
    loss : {"binder", "vi", "omari", "nvi", "id", "nid"}, default="binder"
        L: Binder's loss [1]_, the share of pairs of objects that one partition joins and the other parts; the variation
        of information [2]_; or one of their kin, as in :func:`~robust_eac.solve_hard_median_partition`.
    n_init : int, default=16
        Number of starts.
    n_jobs : int, default=None
        Threads, None for all cores. The result does not depend on it.
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
        If the search did not converge.

    Notes
    -----
    Time O(n_samples n_partitions n_clusters) per pass; memory O(n_samples n_partitions), and O(n_clusters) per base
    cluster.

    References
    ----------
    .. [1] Binder, "Bayesian cluster analysis", Biometrika 65(1), 1978.
    .. [2] Meilă, "Comparing clusterings: an information based distance", Journal of Multivariate Analysis 98(5), 2007.
    .. [3] Wade, Ghahramani, "Bayesian cluster analysis: point estimation and credible balls", Bayesian Analysis 13(2),
       2018: both losses for a sample of partitions.
    .. [4] Dahl, Johnson, Müller, "Search algorithms and loss functions for Bayesian clustering", Journal of
       Computational and Graphical Statistics 31(4), 2022: the search, from which this one differs.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> median_partition(labels, 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    labels = check_labels(labels)
    result = solve_hard_median_partition(
        labels,
        check_n_clusters(n_clusters, len(labels)),
        loss=loss,
        weights=weights,
        n_init=n_init,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    return result.labels
