"""Majority consensus of clusterings, guided by the OVI-LDA values of the objects."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from ..checks.labels import check_labels
from ..checks.values import check_bool, check_choice, check_features, check_real
from ..metrics.ovi import check_clusters, feature_scale, whitening
from ._common import relabel

__all__ = ["OVIConsensusResult", "assign_to_cores", "ovi_lda_consensus"]

METHODS = ("components", "leader")


class OVIConsensusResult(NamedTuple):
    """Result of :func:`ovi_lda_consensus`.

    labels : (n_samples,) intp, clusters 0, 1, ... in the order of first appearance; -1 for the other objects.
    core : (n_samples,) bool, the objects that are in a cluster.
    kept : (n_samples,) bool, the objects that passed the filter; those outside the core are linked to no other.
    n_clusters : number of clusters.
    """

    labels: np.ndarray
    core: np.ndarray
    kept: np.ndarray
    n_clusters: int


def ovi_lda_consensus(
    partitions: ArrayLike,
    values: ArrayLike,
    *,
    min_value: float = 0.0,
    method: str = "components",
    strict: bool = False,
) -> OVIConsensusResult:
    """Cluster, by majority of the partitions, the objects that fit well in all of them.

    Steps 3 to 5 of [1]_: keep the objects with v_n >= T_v in every partition, count for each pair of them the
    partitions E_ij that put it together (Eqs. 8 and 9), and link pairs with E_ij >= ceil(C / 2) (Eq. 10). Clusters
    consist of linked objects; an object linked to no other is in none.

    Parameters
    ----------
    partitions : array-like of shape (n_samples, n_partitions), int
        One clustering per column, C in all, with any numbers of clusters; -1 marks an object in no cluster.
    values : array-like of shape (n_samples, n_partitions)
        v of every object in every partition, larger being better, as from :func:`~robust_eac.ovi_lda`. NaN does not
        pass the filter.
    min_value : float, default=0.0
        T_v; [1]_ gives no value. 0 keeps the objects that are closer to their own centroid in all partitions.
    method : {"components", "leader"}, default="components"
        "components": the connected components of the links. "leader": Table 2 of [1]_. In order, each linked object
        that is in no cluster yet opens a cluster of all objects linked to it. Majority links are not transitive, so an
        object may be linked to several openers: it joins the one it is together with most often, the earlier of equals.
        Only "leader" depends on the order of the objects.
    strict : bool, default=False
        Link from floor(C / 2) + 1 partitions on, so that half of an even C is not enough.

    Returns
    -------
    result : OVIConsensusResult
        Named tuple: labels, core, kept, n_clusters.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Warns
    -----
    UserWarning
        If no two objects that pass the filter are linked; all objects are then clustered.

    Notes
    -----
    Time O(R^2 n_partitions + n_samples log n_samples), memory O(R^2), with R the number of kept objects with distinct
    labels.

    References
    ----------
    .. [1] Fa, Abu-Jamous, Nandi, "Object based validation algorithm and its application to consensus clustering",
       Section 3.

    Examples
    --------
    >>> partitions = np.array([[0, 0, 1], [0, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 0]])
    >>> values = [[0.9, 0.8, 0.5], [0.7, 0.9, 0.4], [0.1, -0.2, 0.1], [0.8, 0.9, 0.9], [0.7, 0.6, 0.8]]
    >>> ovi_lda_consensus(partitions, values).labels
    array([ 0,  0, -1,  1,  1])
    """
    partitions = check_labels(partitions, name="partitions")
    values = check_features(values, name="values", ensure_all_finite="allow-nan")
    if values.shape != partitions.shape:
        raise ValueError(f"values must have the shape of partitions, {partitions.shape}, got {values.shape}.")
    min_value, method, strict = check_consensus_options(min_value, method, strict)
    n_partitions = partitions.shape[1]
    threshold = n_partitions // 2 + 1 if strict else (n_partitions + 1) // 2

    kept = ((values >= min_value) & (partitions != -1)).all(axis=1)
    labels = _majority_clusters(partitions, kept, threshold, method)
    if labels.max() == -1:
        warnings.warn(
            f"No two objects with values of at least min_value={min_value:g} in all partitions "
            f"({np.count_nonzero(kept)} objects) share a cluster in {threshold} of them; all objects are clustered.",
            UserWarning,
            stacklevel=2,
        )
        kept = np.ones(len(partitions), dtype=bool)
        labels = _majority_clusters(partitions, kept, threshold, method)
    return OVIConsensusResult(labels, labels >= 0, kept, int(labels.max()) + 1)


def assign_to_cores(X: ArrayLike, labels: ArrayLike, *, ridge: float = 1e-12) -> np.ndarray:
    """Assign the objects that are in no cluster to the nearest cluster.

    Solve  min_k (x - mu_k)' Sigma^-1 (x - mu_k)  for each of them, with the centroids mu_k of the clusters and their
    pooled covariance Sigma = sum_k sum_{i in k} (x_i - mu_k)(x_i - mu_k)' / (n - K): the linear discriminant rule with
    equal priors. This is step 6 of [1]_, which leaves the rule open.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    labels : array-like of shape (n_samples,), int
        Cluster of each object, at least one of them; -1 for none.
    ridge : float, default=1e-12
        Eigenvalues of Sigma, for features scaled to unit variance, are raised to at least this share of the largest.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        The given labels, with -1 replaced by the label of the nearest cluster, the smallest of equals.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Time O(n_samples n_features (n_features + n_clusters) + n_features^3).

    References
    ----------
    .. [1] Fa, Abu-Jamous, Nandi, "Object based validation algorithm and its application to consensus clustering",
       Section 3.

    Examples
    --------
    >>> assign_to_cores([[0], [1], [4], [8], [9]], [0, 0, -1, 1, 1])
    array([0, 0, 0, 1, 1])
    """
    X = check_features(X)
    labels = check_clusters(labels, len(X), name="labels")
    ridge = check_real(ridge, name="ridge", low=0.0, strict=True)
    core = labels != -1
    clusters, own = np.unique(labels[core], return_inverse=True)
    centers = np.array([X[core][own == k].mean(axis=0) for k in range(len(clusters))])
    within = X[core] - centers[own]
    # The divisor n - K of the pooled covariance does not change which cluster is nearest.
    root = whitening(within.T @ within, feature_scale(X), ridge)
    assigned = labels.astype(np.intp)
    if not core.all():
        assigned[~core] = clusters[cdist(X[~core] @ root, centers @ root).argmin(axis=1)]
    return assigned


def check_consensus_options(min_value, method, strict):
    """The options of :func:`ovi_lda_consensus`, checked."""
    return (
        check_real(min_value, name="min_value", low=-np.inf),
        check_choice(method, METHODS, name="method"),
        check_bool(strict, name="strict"),
    )


def _majority_clusters(partitions, kept, threshold, method):
    """Clusters (n_samples,) of the kept objects that `threshold` partitions link, -1 for the others."""
    labels = np.full(len(partitions), -1, dtype=np.intp)
    if not kept.any():
        return labels
    # Objects with equal labels have the same links: one row for all, in the order of their first object.
    row_of = relabel(np.unique(partitions[kept], axis=0, return_inverse=True)[1].ravel())
    _, first, counts = np.unique(row_of, return_index=True, return_counts=True)
    votes = np.zeros((len(first), len(first)), dtype=np.int32)
    for column in partitions[kept][first].T:
        votes += (column[:, np.newaxis] == column) & (column != -1)
    linked = votes >= threshold
    # Every object is also linked to itself.
    clustered = linked @ counts > 1
    if method == "components":
        clusters = connected_components(linked, directed=False)[1]
    else:
        clusters = _leader_clusters(votes, linked, clustered)
    labels[kept] = np.where(clustered, clusters, -1)[row_of]
    labels[labels >= 0] = relabel(labels[labels >= 0])
    return labels


def _leader_clusters(votes, linked, clustered):
    """Table 2 of the paper on rows: each joins the open cluster of most votes, the earlier of equals."""
    clusters = np.full(len(votes), -1, dtype=np.intp)
    most = np.zeros(len(votes), dtype=votes.dtype)
    for i in np.flatnonzero(clustered):
        if clusters[i] == -1:
            joins = linked[i] & (votes[i] > most)
            clusters[joins] = clusters.max() + 1
            most[joins] = votes[i, joins]
    return clusters
