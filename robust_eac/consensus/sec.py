"""Spectral ensemble clustering (SEC): normalised cut of the co-association by weighted k-means."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.types import RandomState
from ..solve.lloyd import slot_weights
from .kmeans import cluster_rows

__all__ = ["sec"]


def sec(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Minimise the normalised cut of the co-association matrix without building it.

    Solve  max over partitions  sum_C A(C, C) / A(C, all),  A(C, C') = sum_{i in C, j in C'} A_ij,  with A the weighted
    co-association, diagonal included. It is a weighted k-means ([1]_): with b_i the (weighted) one-hot row of object i
    and d_i = sum_j A_ij its degree, rows b_i / d_i with weights d_i satisfy

        sum_i d_i |b_i / d_i - mu_C(i)|^2 = sum_i |b_i|^2 / d_i - sum_C A(C, C) / A(C, all)      (exactly).

    Lloyd's algorithm descends to a local minimum; the best of `n_init` starts is kept. Identical objects stay together.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: in that partition it
        shares no cluster, not even with itself.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    weights : array-like of shape (n_partitions,), default=None
        Weights of the partitions in A: non-negative, not all zero; normalised to sum to one. None means uniform.
    n_init : int, default=10
        Number of starts from greedy k-means++ seeds.
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
    Time O(n_samples n_partitions n_clusters) for the first passes, less for later ones; memory O(n_samples
    n_partitions), a byte per label, and O(n_clusters) per base cluster. The scale of A has no effect. Seeds are drawn
    by k-means++ under the weighted Hamming distance.

    References
    ----------
    .. [1] Liu, Wu, Liu, Tao, Fu, "Spectral ensemble clustering via weighted k-means: theoretical and practical
       evidence", IEEE TKDE 29, 2017.

    Examples
    --------
    >>> sec(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    return cluster_rows(labels, n_clusters, weights, _table, n_init, max_iter, n_jobs, random_state)


def _table(encoding, weights, counts):
    """d_i (|b_i / d_i - mu_c|^2 - |b_i / d_i|^2) as a sum over slots, where d_i is the sum of w_u n_ul."""
    by_slot = slot_weights(encoding, weights)
    degrees = by_slot * encoding.sizes[:, np.newaxis]
    volumes = (degrees * counts).sum(axis=0)
    # An empty cluster has its mean at the origin.
    volumes[volumes == 0.0] = 1.0
    squares = (by_slot * counts**2).sum(axis=0) / volumes**2
    return degrees * squares - 2.0 * by_slot * counts / volumes
