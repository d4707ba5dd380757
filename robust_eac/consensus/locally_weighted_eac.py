"""Locally weighted evidence accumulation (LWEA): clusters are weighted by how certain the ensemble is of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.types import RandomState
from ..checks.values import check_real
from ..weightings.clusters import slot_certainty
from ._common import prepare
from ._linkage import check_linkage, cluster_by_linkage, distinct_rows

__all__ = ["locally_weighted_eac"]


def locally_weighted_eac(
    labels: ArrayLike,
    n_clusters: int,
    *,
    linkage: str = "average",
    theta: float = 0.4,
    weights: ArrayLike | None = None,
    max_bytes: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the hierarchical clustering of the objects by locally weighted co-association into n_clusters.

    Like :func:`~robust_eac.eac`, with the similarities of :func:`~robust_eac.weightings.locally_weighted_coassociation_matrix`: a
    cluster that holds two objects contributes its ensemble-driven index ([1]_). Identical objects are merged first and
    never separated.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    linkage : {"single", "average", "complete"}, default="average"
        The similarity of two clusters: largest, mean or smallest similarity of their objects. [1]_ takes the mean.
    theta : float, default=0.4
        Greater than 0; smaller values give uncertain clusters less weight.
    weights : array-like of shape (n_partitions,), default=None
        Weights of the partitions, in the index as in the similarities: non-negative, not all zero; normalised to sum
        to one. None means uniform.
    max_bytes : int, default=None
        As in :func:`~robust_eac.eac`.
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
    Cost of :func:`~robust_eac.eac`, and O(n_samples n_partitions^2) for the index.

    References
    ----------
    .. [1] Huang, Wang, Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48(5), 2018.

    Examples
    --------
    >>> locally_weighted_eac(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    check_linkage(linkage, max_bytes)
    theta = check_real(theta, name="theta", low=0.0, strict=True)
    values = slot_certainty(encoding, weights, theta) * np.repeat(weights, encoding.n_codes)
    rows = distinct_rows(encoding)
    return cluster_by_linkage(rows, values, weights, n_clusters, linkage=linkage, max_bytes=max_bytes)
