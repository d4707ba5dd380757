"""Merged consensus: average linkage by a co-association that weights certain and small base clusters most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_labels
from ..checks.types import RandomState
from ..checks.values import check_integer, check_n_clusters, check_n_jobs, check_random_state, check_real, check_weights
from ..solve.encoding import collapse, encode, select, take_rows
from ..solve.formula import cluster_counts
from ..solve.threads import count_threads
from ..weightings.tables import DECIMALS, cluster_slots, n_clusters_of
from ..weightings.trust import trusted_group
from ._common import check_memory, relabel
from ._linkage import cut, linkage_matrix
from ._merging import (
    average_linkage,
    base_cluster_weights,
    check_tables,
    cut_of_largest_lift,
    find_micro_clusters,
    mean_similarities,
    similarity_sums,
)

__all__ = ["MergeResult", "merge_consensus", "robust_merge"]

# Micro-clusters per cluster of the base partitions, and their least number per cluster of the consensus.
_FINENESS, _LEAST_FINENESS = 6, 2
# Default theta: smaller values give uncertain base clusters less weight.
_THETA = 0.4
# Similarities are equal up to this relative difference.
_ROUNDING = 1e-12


class MergeResult(NamedTuple):
    """Result of :func:`merge_consensus`."""

    labels: np.ndarray
    membership: np.ndarray
    confidence: np.ndarray
    weights: np.ndarray
    cluster_weights: list[np.ndarray]
    n_clusters: int
    tree: np.ndarray
    micro_clusters: np.ndarray


def merge_consensus(
    labels: ArrayLike,
    n_clusters: int | str = "auto",
    *,
    weights: ArrayLike | None = None,
    theta: float = _THETA,
    n_micro_clusters: int | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> MergeResult:
    """Merge micro-clusters by a co-association that weights certain and small base clusters most.

    Average linkage of the objects by the similarity

        s_ij = sum_u a_u w_u(i) [i and j share a cluster of u] / sum of the a_u that observe both,
        w_l = c exp(-H_l / theta) n_u / n_l

    over the partitions u, with a_u the weight of the partition, l = u(i) its cluster that i is in, n_l and n_u the
    objects of that cluster and of the partition, H_l the mean entropy in bits of the partitions inside the cluster
    ([1]_; its own has none), and c such that the mean of s over all pairs is 1. So s_ij is how often two objects are
    united, relative to a random pair. Dividing by n_l makes X_u'X_u a projection: fine and coarse partitions have equal
    weight, where in the plain co-association a few large clusters outvote many small ones. The similarity of two groups
    is the mean over their pairs, taken over the partitions that observe them.

    1. Without `weights`, partitions that agree with no others beyond chance are left out
       (:func:`~robust_eac.trusted_group_weights`).
    2. Objects are grouped into micro-clusters by k-means on their rows of indicators, each scaled by sqrt(w_l). If
       fewer objects are distinct than that, each distinct object is a micro-cluster.
    3. Average linkage merges the micro-clusters, exactly as it would go on from them with all objects. The tree is cut
       into `n_clusters`.
    4. Every object moves to the cluster of largest mean similarity with its objects, itself included. This corrects the
       borders of the micro-clusters. In a tie the object stays, and no cluster loses all objects.

    No n x n matrix is formed. The result optimises no objective. For an objective, weights found jointly with the
    consensus and a certificate see :func:`~robust_eac.solve_median_partition`.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    n_clusters : int or "auto", default="auto"
        Number of clusters; fewer are returned only if fewer objects are distinct. "auto" chooses the cut of largest
        lift, from two clusters to the mean number in the base partitions. The lift is the mean similarity of two
        objects in the same cluster over that of two objects in different clusters.
    weights : array-like of shape (n_partitions,), default=None
        a: non-negative, not all zero; normalised to sum to one. None means equal weights for the trusted partitions and
        0 for the others.
    theta : float, default=0.4
        Greater than 0; smaller values give uncertain base clusters less weight. [1]_ recommends 0.2 to 1.
    n_micro_clusters : int, default=None
        Number of micro-clusters, at least `n_clusters`, 2 for "auto". None means 6 times the mean number of clusters in
        the base partitions, at least 2 `n_clusters`.
    n_jobs : int, default=None
        Threads over the objects, None for all cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the objects on which trust is tested, and those on which micro-clusters are found.

    Returns
    -------
    result : MergeResult
        Named tuple. `labels` of shape (n_samples,), clusters 0, 1, ... in the order of first appearance; `membership`
        of shape (n_samples, n_clusters), an object's mean similarities to the clusters over their sum (equal for
        objects that no weighted partition observes); `confidence` of shape (n_samples,), that of the object's own
        cluster; `weights` of shape (n_partitions,), a; `cluster_weights`, for each partition w_l of its clusters in the
        order of their labels; `n_clusters`; `tree`, SciPy's linkage matrix of the micro-clusters with heights
        1 / (1 + s), one half where two groups are as similar as a random pair; `micro_clusters` of shape (n_samples,),
        the leaf of each object, -1 where no weighted partition observes it.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or if the similarities would exceed the machine's memory.

    Warns
    -----
    UserWarning
        If `weights` is None and no two partitions agree beyond chance: then all have equal weights.

    Notes
    -----
    With M micro-clusters and K clusters in all partitions: time O(n_samples n_partitions (n_partitions + M) + M^2 K),
    memory O(n_samples (n_partitions + n_clusters) + M (M + K)). The first term in n_partitions^2 is that of the
    entropies.

    References
    ----------
    .. [1] Huang, Wang, Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48(5), 2018.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> result = merge_consensus(labels, 2, weights=[1, 1, 1])
    >>> result.labels
    array([0, 0, 0, 1, 1])
    >>> result.confidence.round(2)
    array([1.  , 1.  , 0.82, 0.98, 0.98])
    """
    return merge_labels(labels, n_clusters, weights, theta, n_micro_clusters, n_jobs, random_state)


def robust_merge(
    labels: ArrayLike, n_clusters: int, *, weights: ArrayLike | None = None, random_state: RandomState = None
) -> np.ndarray:
    """Labels of :func:`merge_consensus`, which returns the full result and has more options.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    weights : array-like of shape (n_partitions,), default=None
        Non-negative, not all zero; normalised to sum to one. None means equal weights for the trusted partitions and 0
        for the others; this differs from equal weights for all.
    random_state : int, RandomState instance or None, default=None
        As in :func:`merge_consensus`.

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
    UserWarning
        If `weights` is None and no two partitions agree beyond chance: then all have equal weights.

    References
    ----------
    .. [1] Huang, Wang, Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48(5), 2018, for
       the weights of uncertain base clusters.

    Examples
    --------
    >>> robust_merge(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, weights=[1, 1, 1])
    array([0, 0, 0, 1, 1])
    """
    n_clusters = check_n_clusters(n_clusters, len(check_labels(labels)))
    return merge_labels(labels, n_clusters, weights=weights, random_state=random_state).labels


def merge_labels(
    labels,
    n_clusters,
    weights=None,
    theta=_THETA,
    n_micro_clusters=None,
    n_jobs=None,
    random_state=None,
    *,
    stacklevel=4,
):
    """The :class:`MergeResult`; with a stacklevel of 4 warnings point at the caller of the function that calls this."""
    labels = check_labels(labels)
    n, m = labels.shape
    if not isinstance(n_clusters, str):
        n_clusters = check_n_clusters(n_clusters, n)
    elif n_clusters != "auto":
        raise ValueError(f'n_clusters must be an integer or "auto", got {n_clusters!r}.')
    theta = check_real(theta, name="theta", low=0.0, strict=True)
    if n_micro_clusters is not None:
        least = 2 if n_clusters == "auto" else n_clusters
        n_micro_clusters = check_integer(n_micro_clusters, name="n_micro_clusters", low=least)
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)
    encoding = encode(labels)
    if weights is None:
        trusted = trusted_group(encoding, rng=rng, stacklevel=stacklevel)
        weights = trusted / np.count_nonzero(trusted)
    else:
        weights = check_weights(weights, m)
    active = np.flatnonzero(weights)
    used, active_weights = collapse(select(encoding, active), min_saving=0.0), weights[active]
    # Rounding first to decimals: the order of the partitions must not decide how a half is rounded.
    mean_clusters = round(round(float(active_weights @ n_clusters_of(used)), DECIMALS))
    if n_micro_clusters is None:
        n_micro_clusters = max(_FINENESS * mean_clusters, _LEAST_FINENESS * (1 if n_clusters == "auto" else n_clusters))
    n_threads = count_threads(n_jobs, 1, used, n_micro_clusters)[1]
    ensemble = used, active_weights, base_cluster_weights(used, active_weights, theta)

    leaves, counts, tree, n_clusters = _grow_tree(
        *ensemble, n_clusters, mean_clusters, n_micro_clusters, rng, n_threads
    )
    membership, clusters = _assign(*ensemble, leaves, counts, cut(tree, n_clusters), n_threads)

    found = relabel(used.expand(clusters))
    names = used.expand(clusters)[np.unique(found, return_index=True)[1]]
    membership = used.expand(membership[:, names])
    cluster_weights = np.zeros(len(encoding.sizes))
    cluster_weights[np.repeat(weights > 0.0, encoding.n_codes)] = ensemble[2]
    return MergeResult(
        labels=found,
        membership=membership,
        confidence=membership[np.arange(n), found],
        weights=weights,
        cluster_weights=[cluster_weights[own] for own in cluster_slots(encoding)],
        n_clusters=len(names),
        tree=linkage_matrix(tree.left, tree.right, 1.0 / (1.0 + tree.similarities)),
        micro_clusters=used.expand(leaves),
    )


def _grow_tree(encoding, weights, values, n_clusters, mean_clusters, n_micro, rng, n_threads):
    """Micro-cluster of each row (-1: no partition observes it), their counts and tree, and the number of clusters."""
    by_slot = np.repeat(weights, encoding.n_codes) * values
    seen = np.flatnonzero(encoding.observed.any(axis=1))
    check_tables(len(encoding.sizes), min(len(seen), n_micro))
    rows = take_rows(encoding, seen)
    found = find_micro_clusters(rows, weights, by_slot, n_micro, rng=rng, n_threads=n_threads)
    counts = cluster_counts(rows, found, found.max() + 1)
    sums, pairs = similarity_sums(encoding, weights, by_slot, counts)
    tree = average_linkage(sums, pairs)
    if n_clusters == "auto":
        own = by_slot @ encoding.sizes, weights @ encoding.n_observed
        n_clusters = cut_of_largest_lift(tree, sums, pairs, own, max(2, mean_clusters))
    leaves = np.full(len(encoding.codes), -1)
    leaves[seen] = found
    return leaves, counts, tree, n_clusters


def _assign(encoding, weights, values, leaves, counts, groups, n_threads):
    """Membership (n_rows, k) in the groups of micro-clusters, and the group of largest membership of each row.

    A row stays if its group is as good as the best. All rows of a group stay if it would be empty otherwise.
    """
    n_groups, by_slot = groups.max() + 1, np.repeat(weights, encoding.n_codes) * values
    check_memory(8 * encoding.n_samples * n_groups, f"the membership of {encoding.n_samples} objects")
    group_counts = counts @ np.eye(n_groups)[groups]
    similarity = mean_similarities(encoding, weights, by_slot, group_counts, n_threads)
    best = similarity.argmax(axis=1)
    merged = np.where(leaves >= 0, groups[leaves], best)
    rows = np.arange(len(best))
    stay = similarity[rows, merged] >= (1.0 - _ROUNDING) * similarity[rows, best]
    clusters, seen = np.where(stay, merged, best), leaves >= 0
    # The rows that return may be the last ones of another group.
    while (emptied := np.bincount(clusters[seen], minlength=n_groups) == 0).any():
        clusters = np.where(emptied[merged], merged, clusters)
    totals = similarity.sum(axis=1, keepdims=True)
    membership = np.divide(similarity, totals, out=np.full_like(similarity, 1.0 / n_groups), where=totals > 0.0)
    return membership, clusters
