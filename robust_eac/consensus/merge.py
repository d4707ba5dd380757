"""Merged consensus: linkage by the co-association of certain and small base clusters and by walks along it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse

from ..checks.common import RandomState, in_short, row_blocks
from ..checks.labels import check_labels
from ..checks.values import check_integer, check_n_clusters, check_n_jobs, check_random_state, check_real, check_weights
from ..core.codes import relabel
from ..core.encoding import collapse, encode, select, take_rows
from ..core.formula import cluster_counts
from ..core.lloyd import best_lloyd, scaled_distances, table_costs
from ..core.threads import count_threads, map_threads
from ..objectives.base import first_objects
from ..schemes.clusters import slot_certainty
from ..schemes.tables import DECIMALS
from ..weightings.trust import trusted_group
from ._common import check_memory
from .linkage import cut, linkage_matrix, tree_of_sums

__all__ = ["MergeResult", "merge_consensus"]

# Micro-clusters per cluster of the base partitions, and their least number per cluster of the consensus.
_FINENESS, _LEAST_FINENESS = 6, 2
# The sample on which they are found: its least size, objects per micro-cluster, and passes of k-means.
_SAMPLE, _SAMPLE_PER_CLUSTER, _PASSES = 2**13, 10, 30
# Default theta: smaller values give uncertain base clusters less weight.
_THETA = 0.4
# Probability that a walk continues after a step: 20 steps on average.
_GO_ON = 0.95
# Power of the means inside two groups, by which the mean between them is divided.
_POWER = 0.2
# Smallest cluster of a cut, as a share of the mean size.
_LEAST_SHARE = 0.03
# Similarities are equal up to this relative difference; a smaller share of a sum is a rounding error.
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

    def __repr__(self) -> str:
        return in_short(self)


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
    r"""Merge micro-clusters by the co-association of certain and small base clusters and by walks along it.

    Linkage of groups A and B of objects by the mean m of :math:`s_{ij} q_{ij}` over pairs, with partitions u:

    .. math::
        s_{ij} = \sum_u a_u w_{u(i)} [u(i) = u(j)] / \sum_{u \text{ observes } i, j} a_u, \\
        w_l = c \exp(-H_l / \theta) n_u / n_l, \quad S = (s_{ij}), \quad D = \text{diag}(S \mathbf{1}), \\
        q_{ij} = k_{ij} / \sqrt{k_{ii} k_{jj}}, \quad k = \sum_{t \ge 0} (0.95 S D^{-1})^t S, \\
        \text{similarity}(A, B) = m_{AB} / (m_{AA} m_{BB})^{0.2}.

    :math:`a_u` is the weight of the partition, l = u(i) the cluster of object i, :math:`n_l, n_u` the numbers of
    objects in the cluster and in the partition, :math:`H_l` the mean entropy in bits of the partitions inside the
    cluster ([1]_; that of its own partition is 0), and c such that the mean of s over all pairs is 1. So s_ij measures
    how often two objects share a cluster, relative to a random pair; 1/n_l gives fine and coarse partitions equal
    weight. q_ij compares random walks that move in proportion to s and stop after each step with probability .05: k_ij
    is the flow between i and j, and q is 1 if walks from i and j have the same ends. Inside a class, s falls with its
    size: alone, it joins small neighbours and splits large classes. q does not, but alone it separates small groups
    from even classes where labels are noisy. The product asks for both. Dividing by the means inside the groups favours
    large ones; so that these means do not depend on the size of a group, the pairs (i, i) in them have the mean of all
    pairs (i, j) within micro-clusters.

    1. Without `weights`, partitions that agree with no others beyond chance are left out
       (:func:`~robust_eac.trusted_group_weights`). If no two agree, all have equal weights, with a UserWarning.
    2. k-means on the rows of indicators, scaled by :math:`\sqrt{w_l}`, groups the objects into micro-clusters.
    3. The two most similar groups of micro-clusters merge, until `n_clusters` large ones are left: those with at least
       3 % of the mean number of objects per cluster.
    4. Every object moves to the large cluster C of largest :math:`s_{iC} / \sqrt{s_{CC}}`, means of s that include the
       object itself. In a tie it stays, and no cluster loses all objects.

    No n x n matrix is formed. The result minimises no objective, unlike :func:`~robust_eac.solve_median_partition`.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters; fewer are returned only if fewer objects are distinct. "auto" chooses the cut of the tree
        with the largest lift, from two clusters to the mean number in the base partitions. The lift is the mean s of
        two objects in the same cluster over that of two objects in different clusters.
    weights : array-like of shape (n_partitions,), default=None
        a: as in :func:`~robust_eac.eac`, but None means equal weights for the trusted partitions and 0 for the others.
    theta : float, default=0.4
        Greater than 0; smaller values give uncertain base clusters less weight. [1]_ recommends 0.2 to 1.
    n_micro_clusters : int, default=None
        Number of micro-clusters, at least `n_clusters`, 2 for "auto". None means 6 times the mean number of clusters in
        the base partitions, at least 2 `n_clusters`.
    random_state : int, RandomState instance or None, default=None
        Draws the objects on which trust is tested, and those on which micro-clusters are found.
    labels, n_jobs : as in :func:`~robust_eac.consensus.kmeans_consensus`; threads share the objects, None for all cores

    Returns
    -------
    result : MergeResult
        Named tuple: `labels`, numbered by first appearance; `membership` of shape (n_samples, n_clusters), the values
        of step 4 over their sum (equal for objects that no weighted partition observes); `confidence` of shape
        (n_samples,), that of the object's own cluster; `weights` of shape (n_partitions,), a; `cluster_weights`, for
        each partition :math:`w_l` of its clusters in the order of their labels; `n_clusters`; `tree`, SciPy's linkage
        matrix of the micro-clusters with heights 1 / (1 + similarity); `micro_clusters` of shape (n_samples,), the
        leaf of each object, -1 where no weighted partition observes it.

    References
    ----------
    .. [1] Huang, Wang, Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48(5), 2018.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> result = merge_consensus(labels, 2, weights=[1, 1, 1])
    >>> result.labels, result.confidence.round(2)
    (array([0, 0, 0, 1, 1]), array([1.  , 1.  , 0.87, 0.97, 0.97]))
    """
    options: dict[str, Any] = {"n_micro_clusters": n_micro_clusters, "n_jobs": n_jobs, "random_state": random_state}
    return merge_labels(labels, n_clusters, weights, theta=theta, **options)


def merge_labels(
    labels,
    n_clusters,
    weights=None,
    *,
    theta=_THETA,
    n_micro_clusters=None,
    n_jobs=None,
    random_state=None,
    stacklevel=4,
):
    """The :class:`MergeResult`. With a stacklevel of 4, warnings point at the caller of the calling function."""
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
    encoding, places = _by_appearance(encode(labels))
    if weights is None:
        trusted = trusted_group(encoding, rng=rng, stacklevel=stacklevel)
        weights = trusted / np.count_nonzero(trusted)
    else:
        weights = check_weights(weights, m)
    active = np.flatnonzero(weights)
    used, active_weights = collapse(select(encoding, active), min_saving=0.0), weights[active]
    # Round to decimals first, so that the order of the partitions does not decide how a half is rounded.
    mean_clusters = round(round(float(active_weights @ used.partitions.n_clusters), DECIMALS))
    if n_micro_clusters is None:
        n_micro_clusters = max(_FINENESS * mean_clusters, _LEAST_FINENESS * (1 if n_clusters == "auto" else n_clusters))
    n_threads = count_threads(n_jobs, 1, used, n_micro_clusters)[1]
    values = base_cluster_weights(used, active_weights, theta)
    by_slot = np.repeat(active_weights, used.partitions.n_codes) * values
    n_groups = min(np.count_nonzero(used.rows.observed.any(axis=1)), n_micro_clusters)
    # About four tables of slots by micro-clusters (in k-means) and eight of pairs of micro-clusters (sums, weights,
    # walks, the copies that the tree overwrites) are in memory at the same time.
    tables = f"the table of similarities of n_micro_clusters={n_groups} groups"
    check_memory(32 * n_groups * (2 * n_groups + len(used.partitions.sizes)), tables)
    leaves, counts = find_micro_clusters(used, active_weights, by_slot, n_groups, rng=rng, n_threads=n_threads)
    sums, pairs = similarity_sums(used, active_weights, by_slot, counts)
    sizes = np.bincount(leaves[leaves >= 0], weights=used.rows.multiplicity[leaves >= 0])
    own = by_slot @ counts, active_weights @ observed_counts(used, counts)
    tree = tree_of_groups(sums, pairs, own, sizes)
    if n_clusters == "auto":
        n_clusters = cut_of_largest_lift(tree, sums, pairs, [each.sum() for each in own], max(2, mean_clusters))
    groups = cut_into_large(tree, n_clusters, sizes)
    membership, clusters = _assign(used, active_weights, by_slot, leaves, counts, groups, n_threads)

    found = relabel(used.expand(clusters))
    names = used.expand(clusters)[np.unique(found, return_index=True)[1]]
    membership = used.expand(membership[:, names])
    cluster_weights = np.zeros(len(encoding.partitions.sizes))
    cluster_weights[places[np.repeat(weights > 0.0, encoding.partitions.n_codes)]] = values
    return MergeResult(
        labels=found,
        membership=membership,
        confidence=membership[np.arange(n), found],
        weights=weights,
        cluster_weights=[cluster_weights[own] for own in encoding.partitions.cluster_slots],
        n_clusters=len(names),
        tree=linkage_matrix(tree.left, tree.right, 1.0 / (1.0 + tree.similarities)),
        micro_clusters=used.expand(leaves),
    )


def _by_appearance(encoding):
    """(encoding with base clusters numbered by first appearance, so that names decide no tie; their old slots).

    "Not observed" stays last.
    """
    n, m = encoding.rows.codes.shape
    first = np.full(len(encoding.partitions.sizes), n)
    for block in row_blocks(n):
        slots = (encoding.partitions.offsets + encoding.rows.codes[block]).ravel()
        found = first_objects(slots, len(first))
        seen = found < len(slots)
        first[seen] = np.minimum(first[seen], block.start + found[seen] // m)
        if first.max() < n:
            break
    first[encoding.partitions.missing_slots] = n + 1
    places = np.lexsort((first, np.repeat(np.arange(m), encoding.partitions.n_codes)))
    ranks = np.empty(len(places), dtype=encoding.rows.codes.dtype)
    ranks[places] = np.arange(len(places)) - np.repeat(encoding.partitions.offsets, encoding.partitions.n_codes)
    codes = np.empty_like(encoding.rows.codes)
    for block in row_blocks(n):
        codes[block] = ranks[encoding.partitions.offsets + encoding.rows.codes[block]]
    partitions = encoding.partitions._replace(sizes=encoding.partitions.sizes[places])
    return encoding.with_rows(codes=codes)._replace(partitions=partitions), places


def _assign(encoding, weights, by_slot, leaves, counts, groups, n_threads):
    """(n_rows, k) membership in the groups of micro-clusters, and the group of each row."""
    n_groups = groups.max() + 1
    check_memory(8 * encoding.n_samples * n_groups, f"the membership of {encoding.n_samples} objects")
    group_counts = counts @ (groups[:, np.newaxis] == np.arange(n_groups))
    similarity = mean_similarities(encoding, weights, by_slot, group_counts, n_threads)
    similarity /= group_norms(encoding, weights, by_slot, group_counts)
    best = similarity.argmax(axis=1)
    merged = np.where(leaves >= 0, groups[leaves], -1)
    merged = np.where(merged >= 0, merged, best)
    rows = np.arange(len(best))
    stay = similarity[rows, merged] >= (1.0 - _ROUNDING) * similarity[rows, best]
    clusters, seen = np.where(stay, merged, best), leaves >= 0
    # Rows that return to an emptied group may be the last ones of another group.
    while (emptied := np.bincount(clusters[seen], minlength=n_groups) == 0).any():
        clusters = np.where(emptied[merged], merged, clusters)
    totals = similarity.sum(axis=1, keepdims=True)
    membership = np.divide(similarity, totals, out=np.full_like(similarity, 1.0 / n_groups), where=totals > 0.0)
    return membership, clusters


def base_cluster_weights(encoding, weights, theta):
    """(n_slots,) w_l = c exp(-H_l / theta) n_u / n_l, with c such that the mean similarity is 1; 0 if unobserved."""
    certainty = slot_certainty(encoding, weights, theta)
    observed, by_slot = (
        np.repeat(values, encoding.partitions.n_codes) for values in (encoding.partitions.n_observed, weights)
    )
    total = (by_slot * certainty * observed) @ encoding.partitions.sizes
    if total == 0.0:
        raise ValueError(f"theta must be large enough for some base cluster to keep weight, got {theta}.")
    scale = (weights @ encoding.partitions.n_observed**2) / total
    filled = encoding.partitions.sizes > 0.0
    return np.where(filled, scale * certainty * observed / np.where(filled, encoding.partitions.sizes, 1.0), 0.0)


def find_micro_clusters(encoding, weights, values, n_micro, *, rng, n_threads):
    """(micro-cluster of each row, -1 if unobserved; (n_slots, M) counts of their objects), by k-means on a sample."""
    seen = np.flatnonzero(encoding.rows.observed.any(axis=1))
    rows = take_rows(encoding, seen)
    found = np.arange(len(seen))
    if len(seen) > n_micro:

        def table_of(part, _, counts):
            return scaled_distances(part, values[:, np.newaxis], counts)

        size = min(len(seen), max(_SAMPLE, _SAMPLE_PER_CLUSTER * n_micro))
        sample = take_rows(rows, np.sort(rng.permutation(len(seen))[:size]))
        means = best_lloyd(sample, weights, table_of, n_micro, n_init=1, max_iter=_PASSES, rng=rng)
        table = table_of(sample, weights, cluster_counts(sample, means.clusters, n_micro))
        nearest = [costs.argmin(axis=1) for costs in row_sums(rows, table, n_threads)]
        found = np.unique(np.concatenate(nearest), return_inverse=True)[1]
    leaves = np.full(len(encoding.rows.codes), -1)
    leaves[seen] = found
    return leaves, cluster_counts(rows, found, found.max() + 1)


def row_sums(encoding, table, n_threads):
    """Sums over the partitions of entries of a table (n_slots, k): an array (rows, k) per block of rows."""
    blocks = row_blocks(len(encoding.rows.codes))
    return map_threads(lambda block: table_costs(encoding, table, block), blocks, n_threads)


def similarity_sums(encoding, weights, values, counts):
    """(M, M) sums of similarities between M groups, and sums of the weights of the pairs."""
    sums, observed = (counts * values[:, np.newaxis]).T @ counts, observed_counts(encoding, counts)
    return sums, (observed * weights[:, np.newaxis]).T @ observed


def observed_counts(encoding, counts):
    """(m, M) number of objects of each group that each partition observes."""
    return np.add.reduceat(counts, encoding.partitions.offsets, axis=0)


def mean_of(sums, pairs):
    """Means over pairs; 0 where no partition observes a pair."""
    return np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0.0)


def group_norms(encoding, weights, values, counts):
    """(k,) square roots of the mean similarities inside k groups; 1 where that is 0."""
    sums, pairs = similarity_sums(encoding, weights, values, counts)
    own = mean_of(sums.diagonal(), pairs.diagonal())
    return np.sqrt(np.where(own > 0.0, own, 1.0))


def tree_of_groups(sums, pairs, own, sizes):
    """Tree of M groups of these sizes, from their :func:`similarity_sums` and the sums and weights of the pairs (i, i).

    own : two arrays of shape (M,).
    """
    product = walk_similarities(mean_of(sums, pairs) * np.outer(sizes, sizes)) * sums
    return tree_of_sums(level_own(product, pairs, *own), pairs, _POWER)


def level_own(sums, pairs, own_sums, own_pairs):
    """The sums over the pairs of M groups, changed: each pair (i, i) has the mean of two objects in the same group."""
    others, weights = sums.diagonal() - own_sums, pairs.diagonal() - own_pairs
    if weights.sum() > _ROUNDING * own_pairs.sum():
        inside = others.sum() / weights.sum()
    else:
        # Every object is a group.
        inside = own_sums.sum() / own_pairs.sum()
    np.fill_diagonal(sums, others + inside * own_pairs)
    return sums


def walk_similarities(flow, go_on=_GO_ON):
    """(M, M) mean q between M groups, from the sums of S over the pairs of objects."""
    degrees = flow.sum(axis=0)
    roots = np.sqrt(np.where(degrees > 0.0, degrees, 1.0))
    step = flow / np.outer(roots, roots)
    walks = linalg.solve(np.eye(len(flow)) - go_on * step, step, assume_a="pos")
    own = np.sqrt(walks.diagonal().clip(0.0))
    scale = np.outer(own, own)
    alike = np.divide(walks + walks.T, 2.0 * scale, out=np.zeros_like(walks), where=scale > 0.0)
    # Where labels are missing, S need not be positive semidefinite.
    return np.where(alike > _ROUNDING, np.minimum(alike, 1.0), 0.0)


def cut_into_large(tree, n_clusters, sizes):
    """Group of each micro-cluster in the coarsest cut with n_clusters large groups; -1 in the small groups.

    Large groups have at least 3 % of the mean size. If no cut has as many, all groups of the usual cut count.
    """
    least = _LEAST_SHARE * sizes.sum() / n_clusters
    for k in range(n_clusters, len(sizes) + 1):
        groups = cut(tree, k)
        large = np.bincount(groups, weights=sizes) >= least
        if np.count_nonzero(large) == n_clusters:
            return np.where(large, np.cumsum(large) - 1, -1)[groups]
    return cut(tree, n_clusters)


def mean_similarities(encoding, weights, values, counts, n_threads):
    """(n_rows, k) mean similarity of each row to the objects of k groups; 0 if no partition observes a pair."""
    observed = observed_counts(encoding, counts)
    sums = np.concatenate(list(row_sums(encoding, counts * values[:, np.newaxis], n_threads)))
    if len(encoding.partitions.missing_slots) == 0:
        return np.divide(sums, weights @ observed, out=sums)
    table = np.repeat(observed * weights[:, np.newaxis], encoding.partitions.n_codes, axis=0)
    table[encoding.partitions.missing_slots] = 0.0
    pairs = np.concatenate(list(row_sums(encoding, table, n_threads)))
    return np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0.0)


def cut_of_largest_lift(tree, sums, pairs, own, most):
    """Number of clusters, 2 to `most`, of the cut of largest lift; `own` is the sum and weight of the pairs (i, i)."""
    most = min(most, len(sums))
    fine = cut(tree, most)
    members = sparse.csr_array((np.ones(len(fine)), (fine, np.arange(len(fine)))))
    totals = np.array([members @ values @ members.T for values in (sums, pairs)])
    rows = np.unique(fine, return_index=True)[1]
    # If clusters contain only the pairs (i, i), the difference is a rounding error.
    least = _ROUNDING * totals.sum(axis=(1, 2))
    lifts = [-np.inf, -np.inf]
    for k in range(2, most + 1):
        groups = cut(tree, k)[rows]
        together = groups[:, np.newaxis] == groups
        inside = totals[:, together].sum(axis=1) - own
        between = totals[:, ~together].sum(axis=1)
        means = [total[0] / total[1] if (total > least).all() else 0.0 for total in (inside, between)]
        lifts.append(means[0] / max(means[1], _ROUNDING))
    return int(np.argmax(lifts)) if most >= 2 else most
