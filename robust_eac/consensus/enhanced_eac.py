"""Evidence accumulation on the enhanced co-association: different clusters may still be similar."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.types import RandomState
from ..checks.values import check_integer
from ._common import prepare
from ._linkage import check_linkage, cluster_by_linkage, distinct_rows
from .coassociation import cluster_similarities

__all__ = ["enhanced_eac"]


def enhanced_eac(
    labels: ArrayLike,
    n_clusters: int,
    *,
    linkage: str = "average",
    n_steps: int = 20,
    weights: ArrayLike | None = None,
    max_bytes: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the hierarchical clustering of the objects by enhanced co-association into n_clusters.

    Like :func:`~robust_eac.eac`, with the similarities of :func:`~robust_eac.consensus.enhanced_coassociation_matrix`: a
    partition that separates two objects contributes the similarity of their clusters, judged by the other partitions
    (the hierarchical method of [1]_). Identical objects are merged first and never separated.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    linkage : {"single", "average", "complete"}, default="average"
        The similarity of two clusters: largest, mean or smallest similarity of their objects.
    n_steps : int, default=20
        Length of the random walk between clusters, at least 1.
    weights : array-like of shape (n_partitions,), default=None
        Weights of the partitions in the mean over them, not in the walk: non-negative, not all zero; normalised to sum
        to one. None means uniform.
    max_bytes : int, default=None
        Largest size of half the matrix of similarities in single precision, which every linkage needs here. None means
        the memory of the machine, or no limit if the system does not report it.
    random_state : int, RandomState instance or None, default=None
        Ignored: present for the common signature.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        Clusters 0, 1, ... in the order of first appearance.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or if the matrix would exceed `max_bytes`.

    Notes
    -----
    With K clusters in all partitions and d distinct objects: time O(K^3 log n_steps + d^2 n_partitions), memory 2 d^2
    bytes and O(K^2 + n_samples n_partitions).

    References
    ----------
    .. [1] Huang, Wang, Peng, Lai, Kwoh, "Enhanced ensemble clustering via fast propagation of cluster-wise
       similarities", IEEE Transactions on Systems, Man, and Cybernetics: Systems 51(1), 2021.

    Examples
    --------
    >>> enhanced_eac(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    check_linkage(linkage, max_bytes)
    n_steps = check_integer(n_steps, name="n_steps", low=1)
    encoding = distinct_rows(encoding)
    alike = cluster_similarities(encoding, n_steps)
    return cluster_by_linkage(encoding, alike, weights, n_clusters, linkage=linkage, max_bytes=max_bytes)
