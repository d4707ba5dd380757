"""k-means on the label codes: the consensus of Topchy, Jain and Punch, and of linear-time evidence accumulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.types import RandomState
from ..solve.lloyd import best_lloyd, squared_distances
from ._common import check_search, prepare_rows, relabel, warn_not_converged

__all__ = ["kmeans_consensus"]


def kmeans_consensus(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Minimise the k-means loss of the one-hot ensemble without building it.

    Solve  min over partitions  L = sum_C sum_{i in C} sum_u w_u |e_{c_u(i)} - mu_C^u|^2  (Eq. 16 of [1]_), with mu_C^u
    the shares of the labels of partition u in cluster C.

    With S_C = sum_u w_u sum_l n_Cl^2, Eq. 19 of [1]_ reads L = n - sum_C S_C / |C| for weights that sum to one, so
    minimising L maximises the mean within-cluster co-association, diagonal included:

        1 - L / n = sum_C |C|/n rho'_C,      rho'_C = sum_{i, j in C} c_ij / |C|^2        (exactly).

    :func:`~robust_eac.density` leaves the diagonal out, rho_C = 1 - L_C / (|C| - 1), so that

        1 - density = n_1/n (1 - s) + 1/n sum_{|C| >= 2} |C| / (|C| - 1) L_C,

    with n_1 the number of singletons and s their density. L and the density rank consensus partitions equally if all
    clusters have the same size, and nearly so if all are large, but not in general, contrary to Section 4.1 of [1]_.
    :func:`~robust_eac.consensus.density_search` maximises the density itself. L is also a constant minus n times the sum of
    category utilities: this is the quadratic-mutual-information consensus of [2]_.

    Lloyd's algorithm starts from greedy k-means++ seeds; the best of `n_init` starts is kept. Identical objects stay
    together.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe, and its term is left
        out.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    weights : array-like of shape (n_partitions,), default=None
        w: non-negative, not all zero; normalised to sum to one. None means uniform.
    n_init : int, default=10
        Number of starts.
    max_iter : int, default=300
        Largest number of passes over the objects per start.
    n_jobs : int, default=None
        Threads over the starts. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the seeds.

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
        If objects still move in the last of `max_iter` passes of the start that is kept.

    Notes
    -----
    Time O(n_samples n_partitions n_clusters) for the first passes. Later ones check only objects whose cluster may have
    changed, so most cost O(n_samples). Memory O(n_samples (n_partitions + 1)), a byte per label, and
    O(n_clusters) per base cluster.

    References
    ----------
    .. [1] "Linear Time Evidence Accumulation Clustering with KMeans", Sections 3.6 and 4.
    .. [2] Topchy, Jain, Punch, "Combining multiple weak clusterings", ICDM 2003.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> kmeans_consensus(labels, 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    return cluster_rows(labels, n_clusters, weights, squared_distances, n_init, max_iter, n_jobs, random_state)


def cluster_rows(labels, n_clusters, weights, table_of, n_init, max_iter, n_jobs, random_state, *, reweigh=None):
    """Check the arguments and cluster the rows by Lloyd's algorithm on a table of costs; warn if it does not converge.

    ``reweigh(encoding, weights)`` returns the weights of the partitions in the cost.
    """
    search = check_search(n_init, max_iter, n_jobs, random_state)
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    if reweigh is not None:
        weights = reweigh(encoding, weights)
    result = best_lloyd(encoding, weights, table_of, n_clusters, **search._asdict())
    if not result.converged:
        message = f"k-means did not converge: objects still moved in pass max_iter={search.max_iter}."
        warn_not_converged(message, stacklevel=3)
    return relabel(encoding.expand(result.clusters))
