"""Local search for the consensus of largest density."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from ..checks.types import RandomState
from ..checks.values import MAX_SEED, check_random_state, check_real
from ..metrics.external import pair_weights, sized_densities
from ..solve import kernels
from ..solve.bundles import Clusters, DensityTerms
from ..solve.encoding import collapse
from ..solve.formula import cluster_counts
from ..solve.lloyd import best_lloyd, squared_distances
from ._common import check_search, prepare, relabel, warn_not_converged

__all__ = ["density_search"]

# Smaller gains (in objects) are rounding errors.
_SLACK = 1e-9


def density_search(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    singleton: float = 0.0,
    n_init: int = 10,
    max_iter: int = 300,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Maximise the density of the consensus by moving one object at a time.

    Solve  max over partitions  D = sum_C |C|/n rho_C  (Eq. 7 of [1]_), with rho_C the mean co-association over the
    pairs of different objects in cluster C, as :func:`~robust_eac.density` computes. k-means
    (:func:`~robust_eac.consensus.kmeans_consensus`) maximises D only approximately, since its loss includes the pairs (i, i).

    From a k-means start, objects in random order move to where D gains most, until no single move improves the
    partition. The best of `n_init` starts is kept. No cluster is emptied.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: in that partition it
        then shares a cluster with no other.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    weights : array-like of shape (n_partitions,), default=None
        Weights of the partitions in the co-association: non-negative, not all zero; normalised to sum to one. None
        means uniform.
    singleton : float, default=0.0
        Density of a cluster with one object, in [0, 1].
    n_init : int, default=10
        Number of starts.
    max_iter : int, default=300
        Largest number of passes over the objects per start.
    n_jobs : int, default=None
        Threads over the starts. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the k-means seeds and the order of the objects.

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
    A move changes only the terms of two clusters: O(n_partitions), given the counts of labels in the clusters.
    Comparing all clusters for one object costs O(n_partitions n_clusters). Memory O(n_samples n_partitions), a byte per
    label, and O(n_clusters) per base cluster.

    References
    ----------
    .. [1] "Linear Time Evidence Accumulation Clustering with KMeans", Section 3.5.

    Examples
    --------
    The partition of least k-means loss is not the densest:

    >>> from robust_eac import density
    >>> labels = np.array([[1, 2, 1], [1, 0, 2], [1, 1, 1], [0, 1, 0], [1, 0, 2], [1, 1, 2]])
    >>> round(density(labels, [0, 1, 0, 0, 1, 1]), 4)  # loss 16/3, the least
    0.5556
    >>> consensus = density_search(labels, 2, random_state=0)
    >>> consensus, round(density(labels, consensus), 4)  # loss 11/2
    (array([0, 1, 0, 0, 1, 0]), 0.5926)
    """
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    singleton = check_real(singleton, name="singleton", low=0.0, high=1.0)
    search = check_search(n_init, max_iter, n_jobs, random_state)
    collapsed = collapse(encoding, min_saving=0.0)
    runs = Parallel(n_jobs=search.n_jobs, prefer="threads")(
        delayed(_one_start)(encoding, collapsed, weights, n_clusters, singleton, search.max_iter, seed)
        for seed in search.rng.randint(MAX_SEED, size=search.n_init)
    )
    _, clusters, converged = max(runs, key=lambda run: run[0])
    if not converged:
        message = f"The local search did not converge: objects still moved in pass max_iter={search.max_iter}."
        warn_not_converged(message, stacklevel=2)
    return relabel(clusters)


def _one_start(encoding, collapsed, weights, n_clusters, singleton, max_iter, seed):
    """(density, clusters, converged) of the local search from one k-means start."""
    rng = check_random_state(int(seed))
    start = best_lloyd(collapsed, weights, squared_distances, n_clusters, n_init=1, max_iter=max_iter, rng=rng).clusters
    clusters = collapsed.expand(start).astype(np.intp)
    n_clusters = int(clusters.max()) + 1
    terms = DensityTerms(weights, encoding.observed[:, encoding.mask_of] @ weights, singleton, _SLACK)
    by_slot = np.repeat(weights, encoding.n_codes)[:, np.newaxis]
    for _ in range(max_iter):
        # Count anew in every pass: updates by moves accumulate rounding errors.
        counts = cluster_counts(encoding, clusters, n_clusters)
        pairs = pair_weights(encoding, weights, counts)
        sizes = np.bincount(clusters, minlength=n_clusters).astype(np.float64)
        order, state = rng.permutation(len(clusters)), Clusters(clusters, by_slot * counts, pairs, sizes)
        n_moved = kernels.densify(order, encoding.data, encoding.slots, terms, state)
        if n_moved == 0:
            break
    return sized_densities(pairs, sizes, singleton).sum() / len(clusters), clusters, n_moved == 0
