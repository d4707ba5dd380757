"""Evidence accumulation by connected triples: different clusters are similar if both overlap with a third."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.types import RandomState
from ..checks.values import check_real
from ._common import prepare
from ._linkage import check_linkage, cluster_by_linkage, distinct_rows
from .coassociation import jaccard_indices

__all__ = ["connected_triples"]


def connected_triples(
    labels: ArrayLike,
    n_clusters: int,
    *,
    linkage: str = "average",
    decay: float = 0.8,
    weights: ArrayLike | None = None,
    max_bytes: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the hierarchical clustering of the objects by their connected-triple similarity into n_clusters.

    Like :func:`~robust_eac.eac`, with other similarities ([1]_, [2]_): a partition that puts two objects into different
    clusters a and b contributes

        decay * T_ab / max T,    T_ab = sum over clusters c of all partitions of  w_u(c) min(J_ac, J_bc),

    with J_ac = |a and c| / |a or c| the Jaccard index of two clusters and the maximum over all pairs of clusters of one
    partition, in all partitions. Identical objects are merged first and never separated.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. Two clusters are
        compared on the objects that both their partitions observe, two objects by the partitions that observe both.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    linkage : {"single", "average", "complete"}, default="average"
        The similarity of two clusters: largest, mean or smallest similarity of their objects.
    decay : float, default=0.8
        In [0, 1]: largest similarity of two different clusters. 0 gives :func:`~robust_eac.eac`.
    weights : array-like of shape (n_partitions,), default=None
        w, also in the mean over the partitions: non-negative, not all zero; normalised to sum to one. None means
        uniform.
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
    With K clusters in all partitions, k_u of them in partition u, and d distinct objects: time O(K sum_u k_u^2 + d^2
    n_partitions), memory 2 d^2 bytes and O(K^2 + n_samples n_partitions). [1]_ has no partition weights; an integer
    weight is the same as a partition repeated that often.

    References
    ----------
    .. [1] Iam-On, Boongoen, Garrett, "Refining pairwise similarity matrix for cluster ensemble problem with cluster
       relations", Discovery Science 2008.
    .. [2] Iam-On, Boongoen, Garrett, Price, "A link-based approach to the cluster ensemble problem", IEEE Transactions
       on Pattern Analysis and Machine Intelligence 33(12), 2011.

    Examples
    --------
    >>> connected_triples(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    check_linkage(linkage, max_bytes)
    decay = check_real(decay, name="decay", low=0.0, high=1.0)
    encoding = distinct_rows(encoding)
    alike = triple_similarities(encoding, weights, decay)
    return cluster_by_linkage(encoding, alike, weights, n_clusters, linkage=linkage, max_bytes=max_bytes)


def triple_similarities(encoding, weights, decay):
    """For every partition the (k_u, k_u) similarities of its clusters; 0 in the slots of "not observed"."""
    jaccard = jaccard_indices(encoding)
    slot_weights = np.repeat(weights, encoding.n_codes)
    tables = []
    for start, k in zip(encoding.offsets, encoding.n_codes, strict=True):
        own = jaccard[start : start + k]
        table = np.array([np.minimum(row, own) @ slot_weights for row in own])
        np.fill_diagonal(table, 0.0)
        tables.append(table)
    largest = max(table.max() for table in tables)
    for table, start in zip(tables, encoding.offsets, strict=True):
        table *= decay / (largest or 1.0)
        np.fill_diagonal(table, encoding.sizes[start : start + len(table)] > 0.0)
    return tables
