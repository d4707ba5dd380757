"""Density of a consensus, from the counts of labels in its clusters, without the co-association matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_labels, check_partition
from ..checks.values import check_real, check_weights
from ..solve import kernels
from ..solve.encoding import encode
from ..solve.formula import cluster_counts


def pair_weights(encoding, weights, counts):
    """(k,) sum of the co-associations over the ordered pairs i != j inside each cluster."""
    return np.repeat(weights, encoding.n_codes) @ (counts * (counts - 1.0))


def sized_densities(pairs, sizes, singleton):
    """(k,) size of each cluster times its density."""
    return np.array([kernels.sized_density(pair, size, singleton) for pair, size in zip(pairs, sizes, strict=True)])


def intra_density(
    labels: ArrayLike, consensus: ArrayLike, *, weights: ArrayLike | None = None, singleton: float = 0.0
) -> np.ndarray:
    """Mean co-association inside every cluster of a consensus.

    Compute  rho_C = 1 / (|C| (|C| - 1)) sum_{i != j in C} c_ij  (Eq. 3 of [1]_), with c_ij the weighted share of the
    partitions that put i and j together. It is computed without the co-association matrix, from the counts n_Cl of the
    labels in the clusters: sum_u w_u sum_l n_Cl (n_Cl - 1) over |C| (|C| - 1)  (Eq. 15).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: in that partition it
        then shares a cluster with no other.
    consensus : array-like of shape (n_samples,)
        Cluster of each object in the consensus.
    weights : array-like of shape (n_partitions,), default=None
        w: non-negative, not all zero; normalised to sum to one. None means uniform.
    singleton : float, default=0.0
        Density of a cluster with one object, in [0, 1]. The constant is missing from the printed text of [1]_; 0 agrees
        with its Eq. 2.

    Returns
    -------
    densities : ndarray of shape (k,)
        In [0, 1], in the order of the clusters' sorted labels.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Time and memory O(n_samples n_partitions + K k), with K the clusters of all partitions and k those of the consensus.

    References
    ----------
    .. [1] "Linear Time Evidence Accumulation Clustering with KMeans", Section 3.

    Examples
    --------
    >>> intra_density(np.array([[0, 0], [0, 1], [1, 2], [1, 2]]), [0, 0, 1, 1])
    array([0.5, 1. ])
    """
    pairs, sizes, singleton = _pairs(labels, consensus, weights, singleton)
    return sized_densities(pairs, sizes, singleton) / sizes


def inter_density(labels: ArrayLike, consensus: ArrayLike, *, weights: ArrayLike | None = None) -> np.ndarray:
    """Mean co-association between every two clusters of a consensus.

    Compute  rho_{C,C'} = 1 / (|C| |C'|) sum_{i in C, j in C'} c_ij  (Eq. 5 of [1]_), from the counts of the labels in
    the clusters: sum_u w_u sum_l n_Cl n_C'l over |C| |C'|.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: in that partition it
        then shares a cluster with no other.
    consensus : array-like of shape (n_samples,)
        Cluster of each object in the consensus.
    weights : array-like of shape (n_partitions,), default=None
        w: non-negative, not all zero; normalised to sum to one. None means uniform.

    Returns
    -------
    densities : ndarray of shape (k, k)
        Symmetric, in [0, 1], in the order of the clusters' sorted labels. The diagonal is the mean over all pairs of a
        cluster, including (i, i); :func:`intra_density` leaves these out.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Time O(n_samples n_partitions + K k^2), memory O(n_samples n_partitions + K k), with K the clusters of all
    partitions.

    References
    ----------
    .. [1] "Linear Time Evidence Accumulation Clustering with KMeans", Section 3.

    Examples
    --------
    >>> inter_density(np.array([[0, 0], [0, 1], [1, 1], [1, 1]]), [0, 0, 1, 1])
    array([[0.75, 0.25],
           [0.25, 1.  ]])
    """
    encoding, weights, counts, sizes = _counted(labels, consensus, weights)
    together = (counts.T * np.repeat(weights, encoding.n_codes)) @ counts
    return together / np.outer(sizes, sizes)


def density(
    labels: ArrayLike, consensus: ArrayLike, *, weights: ArrayLike | None = None, singleton: float = 0.0
) -> float:
    """Mean co-association inside the clusters of a consensus, weighted by their sizes.

    Compute  D = sum_C |C|/n rho_C  (Eq. 7 of [1]_), with rho_C from :func:`intra_density`. Partitions with more
    clusters tend to be denser: compare partitions with the same number of clusters.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: in that partition it
        then shares a cluster with no other.
    consensus : array-like of shape (n_samples,)
        Cluster of each object in the consensus.
    weights : array-like of shape (n_partitions,), default=None
        Non-negative, not all zero; normalised to sum to one. None means uniform.
    singleton : float, default=0.0
        Density of a cluster with one object, in [0, 1].

    Returns
    -------
    score : float
        In [0, 1]; 1 if all partitions put the objects of each cluster together and no cluster is a singleton.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Time and memory O(n_samples n_partitions + K k), with K the clusters of all partitions and k those of the consensus.

    References
    ----------
    .. [1] "Linear Time Evidence Accumulation Clustering with KMeans", Section 3.

    Examples
    --------
    >>> density(np.array([[0, 0], [0, 1], [1, 2], [1, 2]]), [0, 0, 1, 1])
    0.75
    """
    pairs, sizes, singleton = _pairs(labels, consensus, weights, singleton)
    return float(sized_densities(pairs, sizes, singleton).sum() / sizes.sum())


def _pairs(labels, consensus, weights, singleton):
    """Check the arguments: (weight of the ordered pairs in each cluster, sizes of the clusters, singleton)."""
    singleton = check_real(singleton, name="singleton", low=0.0, high=1.0)
    encoding, weights, counts, sizes = _counted(labels, consensus, weights)
    return pair_weights(encoding, weights, counts), sizes, singleton


def _counted(labels, consensus, weights):
    """Check and encode: (encoding, weights, counts of the slots in the clusters, sizes of the clusters)."""
    labels = check_labels(labels)
    consensus = check_consensus(consensus, len(labels))
    weights = check_weights(weights, labels.shape[1])
    _, clusters, sizes = np.unique(consensus, return_inverse=True, return_counts=True)
    encoding = encode(labels)
    return encoding, weights, cluster_counts(encoding, clusters, len(sizes)), sizes


def check_consensus(consensus, n_samples, *, name="consensus"):
    """Return one label per object as an array."""
    array = check_partition(consensus, name=name)
    if array.shape != (n_samples,):
        raise ValueError(f"{name} must have shape ({n_samples},), one label per object, got {array.shape}.")
    return array
