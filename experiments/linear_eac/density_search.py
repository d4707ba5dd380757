"""Local search for the consensus of largest density."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from robust_eac import validation as check
from robust_eac.common import MAX_SEED, RandomState
from robust_eac.consensus._common import check_search, prepare
from robust_eac.core.formula import cluster_counts
from robust_eac.core.kernels import njit
from robust_eac.ensemble.encoding import collapse, relabel
from robust_eac.ensemble.lloyd import best_lloyd, squared_distances
from robust_eac.median_partition.row_sweeps import gather
from robust_eac.metrics.external import pair_weights, sized_densities

# Gains (in objects) up to this are rounding errors.
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
    r"""Maximise the density of the consensus by moving one object at a time.

    Maximise :math:`D = \sum_C |C| \rho_C / n` over the partitions (Eq. 7 of [1]_), with :math:`\rho_C` the mean
    co-association over the pairs of different objects in cluster C, as in :func:`~robust_eac.density`. From a k-means
    start, objects move in random order to the cluster where D gains most, until no single move improves the partition.
    The best of `n_init` starts is kept. No cluster is emptied.

    Parameters
    ----------
    singleton : as in :func:`~robust_eac.density`
    labels, n_clusters, weights, n_init, max_iter, n_jobs, random_state
        As in :func:`~robust_eac.consensus.kmeans_consensus`, including the warning. In a partition that did not observe
        it, an object shares a cluster with no other.

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] "Linear Time Evidence Accumulation Clustering with KMeans", Section 3.5.

    Examples
    --------
    The clusters of least k-means loss, [0, 1, 0, 0, 1, 1], have density 0.556; these have 0.593:

    >>> density_search(np.array([[1, 2, 1], [1, 0, 2], [1, 1, 1], [0, 1, 0], [1, 0, 2], [1, 1, 2]]), 2, random_state=0)
    array([0, 1, 0, 0, 1, 0])
    """
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    singleton = check.real(singleton, name="singleton", low=0.0, high=1.0)
    search = check_search(n_init, max_iter, n_jobs, random_state)
    collapsed = collapse(encoding, min_saving=0.0)
    runs = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_one_start)(encoding, collapsed, weights, n_clusters, singleton, max_iter, seed)
        for seed in search["rng"].randint(MAX_SEED, size=n_init)
    )
    _, clusters, converged = max(runs, key=lambda run: run[0])
    check.warn_unless(converged, f"The local search did not converge: objects still moved in pass max_iter={max_iter}.")
    return relabel(clusters)


def _one_start(encoding, collapsed, weights, n_clusters, singleton, max_iter, seed):
    """(density, clusters, converged) of the local search from one k-means start."""
    rng = check.random_state(int(seed))
    start = best_lloyd(collapsed, weights, squared_distances, n_clusters, n_init=1, max_iter=max_iter, rng=rng).clusters
    clusters = collapsed.expand(start).astype(np.intp)
    n_clusters = int(clusters.max()) + 1
    rows, partitions = encoding.rows, encoding.partitions
    presence = rows.observed[:, partitions.mask_of] @ weights
    by_slot = np.repeat(weights, partitions.n_codes)[:, np.newaxis]
    for _ in range(max_iter):
        # Count anew in every pass: updates by moves accumulate rounding errors.
        counts = cluster_counts(encoding, clusters, n_clusters)
        pairs = pair_weights(encoding, weights, counts)
        sizes = np.bincount(clusters, minlength=n_clusters).astype(np.float64)
        state = clusters, by_slot * counts, pairs, sizes
        order = rng.permutation(len(clusters))
        n_moved = _densify(order, rows, partitions.slots, weights, presence, singleton, *state)
        if n_moved == 0:
            break
    return sized_densities(pairs, sizes, singleton).sum() / len(clusters), clusters, n_moved == 0


@njit
def _densify(order, data, slots, weights, presence, singleton, labels, T, pair_weights, sizes):
    """Move objects, in the given order, to where the density gains most; return how many moved. O(m k) per object.

    Updates labels, T (n_slots, k), pair_weights (k,) and sizes (k,). No cluster is emptied.
    """
    k = T.shape[1]
    votes, places = np.empty(k), np.empty(data.codes.shape[1], dtype=np.uint64)
    n_moved = 0
    for i in order:
        own = labels[i]
        if sizes[own] < 1.5:
            continue
        gather(data, i, slots, T, places, votes)
        left = pair_weights[own] - 2.0 * (votes[own] - presence[i])
        loss = _sized_density(pair_weights[own], sizes[own], singleton)
        loss -= _sized_density(left, sizes[own] - 1.0, singleton)
        best, most = own, loss + _SLACK
        for c in range(k):
            if c != own:
                gain = _sized_density(pair_weights[c] + 2.0 * votes[c], sizes[c] + 1.0, singleton)
                gain -= _sized_density(pair_weights[c], sizes[c], singleton)
                if gain > most:
                    best, most = c, gain
        if best == own:
            continue
        for u, slot in enumerate(places):
            T[slot, own] -= weights[u]
            T[slot, best] += weights[u]
        for slot in slots.missing:
            T[slot] = 0.0
        pair_weights[own] = left
        pair_weights[best] += 2.0 * votes[best]
        sizes[own] -= 1.0
        sizes[best] += 1.0
        labels[i] = best
        n_moved += 1
    return n_moved


@njit
def _sized_density(pair_weight, size, singleton):
    """Size of a cluster times its density, from the weight of its ordered pairs."""
    return pair_weight / (size - 1.0) if size > 1.5 else singleton * size
