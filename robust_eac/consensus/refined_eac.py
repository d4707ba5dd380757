"""Evidence accumulation on refined similarities: similar clusters, certain clusters."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import RandomState, ratio
from ..ensemble.encoding import one_hot
from ..schemes.clusters import mean_over_observed, slot_certainty
from ._common import prepare_ensemble
from .linkage import cluster_by_linkage


def enhanced_coassociation_matrix(
    labels: ArrayLike, *, n_steps: int = 20, weights: ArrayLike | None = None
) -> np.ndarray:
    r"""Co-association in which different clusters of a partition count by their similarity.

    Computes :math:`A_{ij} = \sum_u \alpha_u z(C_u(i), C_u(j))` ([1]_, where :math:`\alpha_u = 1/m`). z is 1 for a
    cluster and itself, else the cosine between the trajectories of two clusters: their rows of :math:`P, \ldots, P^t`
    side by side. P is a random walk on the clusters of all partitions, with probabilities proportional to their Jaccard
    index :math:`|a \cap b| / |a \cup b|`. A cluster that overlaps with no other is similar to none.

    Two clusters are compared on the objects that both their partitions observe, two objects by the partitions that
    observe both. The walk treats all partitions of positive weight equally: repeating a partition is not the same as
    doubling its weight.

    Parameters
    ----------
    n_steps : int, default=20
        t: length of the walk, at least 1.
    labels, weights : as in :func:`~robust_eac.eac`

    Returns
    -------
    coassociation : ndarray of shape (n_samples, n_samples), symmetric, in [0, 1], at least the co-association

    References
    ----------
    .. [1] Huang et al., "Enhanced ensemble clustering via fast propagation ...", IEEE TSMC: Systems 51(1), 2021.

    Examples
    --------
    >>> enhanced_coassociation_matrix(np.array([[0, 0], [0, 1], [1, 1]]), n_steps=1).round(3)
    array([[1.   , 0.777, 0.555],
           [0.777, 1.   , 0.777],
           [0.555, 0.777, 1.   ]])
    """
    encoding, weights = prepare_ensemble(labels, weights)
    n_steps = check.positive(n_steps, name="n_steps")
    together = np.zeros((encoding.n_samples, encoding.n_samples))
    similarity = walk_similarities(encoding, n_steps)
    for codes, weight, offset in zip(encoding.rows.codes.T, weights, encoding.partitions.offsets, strict=True):
        slots = offset + codes
        together += weight * similarity[np.ix_(slots, slots)]
    return mean_over_observed(together, encoding, weights)


def enhanced_eac(
    labels: ArrayLike,
    n_clusters: int,
    *,
    linkage: str = "average",
    n_steps: int = 20,
    weights: ArrayLike | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the hierarchical clustering of the objects by enhanced co-association into n_clusters.

    Like :func:`~robust_eac.eac`, with the similarities of :func:`enhanced_coassociation_matrix`: a partition that
    separates two objects contributes the similarity of their clusters.

    Parameters
    ----------
    labels, n_clusters, linkage, weights, random_state : as in :func:`~robust_eac.eac`
    n_steps : as in :func:`enhanced_coassociation_matrix`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    Those of :func:`enhanced_coassociation_matrix`.

    Examples
    --------
    >>> enhanced_eac(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2)
    array([0, 0, 0, 1, 1])
    """
    n_steps = check.positive(n_steps, name="n_steps")

    def values_of(encoding, _):
        return walk_similarities(encoding, n_steps)

    return cluster_by_linkage(labels, n_clusters, weights, linkage, random_state, values_of)


def locally_weighted_eac(
    labels: ArrayLike,
    n_clusters: int,
    *,
    linkage: str = "average",
    theta: float = 0.4,
    weights: ArrayLike | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the hierarchical clustering of the objects by locally weighted co-association into n_clusters.

    Like :func:`~robust_eac.eac`, but a cluster that holds two objects contributes its index of
    :func:`~robust_eac.schemes.ensemble_driven_cluster_index` to their similarity ([1]_, with average linkage).

    Parameters
    ----------
    labels, n_clusters, linkage, weights, random_state : as in :func:`~robust_eac.eac`; the weights enter the index too
    theta : as in :func:`~robust_eac.schemes.ensemble_driven_cluster_index`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Huang, Wang, Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48(5), 2018.

    Examples
    --------
    >>> locally_weighted_eac(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2)
    array([0, 0, 0, 1, 1])
    """
    theta = check.real(theta, name="theta", low=0.0, strict=True)
    return cluster_by_linkage(labels, n_clusters, weights, linkage, random_state, partial(slot_certainty, theta=theta))


def walk_similarities(encoding, n_steps):
    """(n_slots, n_slots) z between the clusters of all partitions; 0 in the slots of "not observed"."""
    edges = jaccard_indices(encoding)
    degrees = edges.sum(axis=1, keepdims=True)
    products = _trajectory_products(ratio(edges, degrees), n_steps)[1]
    lengths = np.sqrt(np.diagonal(products))
    similarity = ratio(products, np.outer(lengths, lengths)).clip(max=1.0)
    np.fill_diagonal(similarity, encoding.partitions.by_slot(np.ones(encoding.partitions.n_partitions)))
    return similarity


def jaccard_indices(encoding):
    """(n_slots, n_slots) Jaccard indices of clusters, on the objects that both partitions observe; diagonal 0."""
    indicators = one_hot(encoding)
    common = ((indicators.T * encoding.rows.multiplicity) @ indicators).toarray()
    # Objects of cluster a that the partition of cluster b observes: the sum over all clusters of that partition.
    seen = encoding.partitions.by_slot(encoding.partitions.sum_slots(common)).T
    jaccard = ratio(common, seen + seen.T - common)
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
