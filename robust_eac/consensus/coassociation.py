"""Co-association matrices, n x n: for plots and for methods that need one. The solver needs none."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_labels
from ..checks.values import check_integer, check_weights
from ..solve.encoding import encode, one_hot
from ..weightings.tables import mean_over_observed
from ._common import prepare_ensemble

__all__ = ["coassociation_matrix", "enhanced_coassociation_matrix"]


def coassociation_matrix(labels: ArrayLike, *, weights: ArrayLike | None = None) -> np.ndarray:
    """Share of the partitions that put two objects into one cluster.

    Computes  A_ij = sum_u alpha_u [c_u(i) = c_u(j)],  the weighted co-association of [1]_ below Eq. (6); if labels are
    missing, over the partitions that observe both objects (0 if none does).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.

    Returns
    -------
    coassociation : ndarray of shape (n_samples, n_samples)
        Symmetric, in [0, 1].

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Time O(n_samples^2 n_partitions) at worst, memory O(n_samples^2).

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 3.1.
    .. [2] Fred, Jain, "Combining multiple clusterings using evidence accumulation", IEEE PAMI 27(6), 2005.

    Examples
    --------
    >>> coassociation_matrix(np.array([[0, 0], [0, 1], [1, 1]]), weights=[3, 1])
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.25],
           [0.  , 0.25, 1.  ]])
    """
    labels = check_labels(labels)
    return coassociation_of(encode(labels), check_weights(weights, labels.shape[1]))


def coassociation_of(encoding, weights):
    """(n_rows, n_rows) co-association of the rows of an encoding. Partitions may observe none of the rows."""
    indicators = one_hot(encoding)
    together = (indicators * np.repeat(weights, encoding.n_codes)) @ indicators.T
    return mean_over_observed(together.toarray(), encoding, weights)


def enhanced_coassociation_matrix(
    labels: ArrayLike, *, n_steps: int = 20, weights: ArrayLike | None = None
) -> np.ndarray:
    """Co-association in which different clusters of a partition count by their similarity.

    Computes  A_ij = sum_u alpha_u z(C_u(i), C_u(j))  ([1]_, where alpha_u = 1/m). z is 1 for a cluster and itself, else
    the cosine between the trajectories of two clusters: their rows of P, P^2, ..., P^t side by side. P is a random walk
    on the clusters of all partitions, from one to another with probabilities proportional to their Jaccard index |a and
    b| / |a or b|. Two clusters of a partition are similar if the other partitions spread their objects similarly. A
    cluster that overlaps with no other is similar to none.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. Two clusters are
        compared on the objects that both their partitions observe, two objects by the partitions that observe both (0
        where none does).
    n_steps : int, default=20
        t: length of the walk, at least 1.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform. The walk leaves out partitions
        of weight zero and treats the others equally.

    Returns
    -------
    coassociation : ndarray of shape (n_samples, n_samples)
        Symmetric, in [0, 1], nowhere less than the co-association.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    With K clusters in all partitions: time O(K^3 log n_steps + n_samples^2 n_partitions), memory O(K^2 + n_samples^2).
    The sums R_s = sum of P^r (P^r)' up to s are not added up step by step: R_2s = R_s + P^s R_s (P^s)' doubles the
    number of steps. A repeated partition takes part in the walk once more, so it differs from a weight of two.

    References
    ----------
    .. [1] Huang, Wang, Peng, Lai, Kwoh, "Enhanced ensemble clustering via fast propagation of cluster-wise
       similarities", IEEE Transactions on Systems, Man, and Cybernetics: Systems 51(1), 2021.

    Examples
    --------
    >>> enhanced_coassociation_matrix(np.array([[0, 0], [0, 1], [1, 1], [2, 2]]), n_steps=1).round(3)
    array([[1.   , 0.777, 0.555, 0.   ],
           [0.777, 1.   , 0.777, 0.   ],
           [0.555, 0.777, 1.   , 0.   ],
           [0.   , 0.   , 0.   , 1.   ]])
    """
    encoding, weights = prepare_ensemble(labels, weights)
    n_steps = check_integer(n_steps, name="n_steps", low=1)
    together = np.zeros((encoding.n_samples, encoding.n_samples))
    for codes, weight, alike in zip(encoding.codes.T, weights, cluster_similarities(encoding, n_steps), strict=True):
        together += weight * alike[codes[:, np.newaxis], codes]
    return mean_over_observed(together, encoding, weights)


def cluster_similarities(encoding, n_steps):
    """For every partition the (k_u, k_u) matrix of z between its clusters; 0 in the slots of "not observed"."""
    alike = walk_similarities(encoding, n_steps)
    ends = encoding.offsets + encoding.n_codes
    return [alike[start:end, start:end] for start, end in zip(encoding.offsets, ends, strict=True)]


def walk_similarities(encoding, n_steps):
    """(n_slots, n_slots) z between the clusters of all partitions; 0 in the slots of "not observed"."""
    alike = trajectory_cosines(jaccard_indices(encoding), n_steps)
    alike[encoding.missing_slots, encoding.missing_slots] = 0.0
    return alike


def trajectory_cosines(edges, n_steps):
    """Cosines between the trajectories of walks of n_steps from every vertex of a non-negative graph; 1 with itself."""
    degrees = edges.sum(axis=1, keepdims=True)
    walk = np.divide(edges, degrees, out=np.zeros_like(edges), where=degrees > 0.0)
    products = _trajectory_products(walk, n_steps)[1]
    lengths = np.sqrt(np.diagonal(products))
    lengths = np.outer(lengths, lengths)
    alike = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0.0).clip(max=1.0)
    np.fill_diagonal(alike, 1.0)
    return alike


def jaccard_indices(encoding):
    """(n_slots, n_slots) Jaccard indices of clusters, on the objects that both partitions observe; diagonal 0."""
    indicators = one_hot(encoding)
    common = ((indicators.T * encoding.multiplicity) @ indicators).toarray()
    # Objects of cluster a that the partition of cluster b observes: the sum over all clusters of that partition.
    seen = np.repeat(np.add.reduceat(common, encoding.offsets, axis=1), encoding.n_codes, axis=1)
    jaccard = np.divide(common, seen + seen.T - common, out=np.zeros_like(common), where=common > 0.0)
    np.fill_diagonal(jaccard, 0.0)
    return jaccard


def _trajectory_products(walk, n_steps):
    """P^t and R_t = sum_{s=1}^t P^s (P^s)', in O(log t) matrix products."""
    if n_steps == 1:
        return walk, walk @ walk.T
    power, products = _trajectory_products(walk, n_steps // 2)
    products = products + power @ products @ power.T
    power = power @ power
    if n_steps % 2:
        products = walk @ products @ walk.T + walk @ walk.T
        power = walk @ power
    return power, products
