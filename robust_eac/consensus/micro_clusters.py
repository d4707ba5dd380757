"""The tree of micro-clusters behind :func:`~robust_eac.merge_consensus`, and its cuts; input is an Encoding."""

from typing import NamedTuple

import numpy as np
from scipy import linalg

from .. import validation as check
from ..common import ratio, row_blocks
from ..core.formula import cluster_counts
from ..core.threads import count_threads, map_threads
from ..ensemble import reading
from ..ensemble.encoding import encode_ensemble, take_rows
from ..ensemble.lloyd import best_lloyd, scaled_distances, table_costs
from ..ensemble.objects import Objects
from ..schemes.agreement import DECIMALS
from ..schemes.clusters import slot_certainty
from ._common import check_memory, in_random_order
from .agglomeration import Tree, cut, tree_of_sums

# Micro-clusters per cluster of the base partitions, and at least this many per cluster of the consensus.
_FINENESS = 6
_LEAST_FINENESS = 2
# The sample on which they are found: its minimum size, objects per micro-cluster, and passes of k-means.
_SAMPLE = 2**13
_SAMPLE_PER_CLUSTER = 10
_PASSES = 30
# Default theta: smaller values give uncertain base clusters less weight.
THETA = 0.4
# Probability that a walk continues after a step: 20 steps on average.
_GO_ON = 0.95
# The mean similarity between two groups is divided by the means within both, each to this power.
_POWER = 0.2
# Minimum size of a large cluster of a cut: in objects, and as a fraction of the mean size.
LEAST_OBJECTS = 3
_LEAST_SHARE = 0.03
# Relative differences of similarities, and shares of a sum, are treated as zero if they are below this.
_ROUNDING = 1e-12


class GroupTree(NamedTuple):
    """A tree of M micro-clusters, and what its cuts need.

    Slot: a cluster of a base partition, or its missing labels.

    objects : with an encoding of distinct rows.
    weights : (m,) weights of the partitions, all positive.
    cluster_weights : (n_slots,) w_l; 0 for missing labels.
    leaves : (n_rows,) micro-cluster of each row of the objects, -1 if unobserved.
    counts : (n_slots, M) number of objects of each micro-cluster in each slot.
    sizes : (M,) weight of each micro-cluster, in objects of mean weight.
    """

    objects: Objects
    weights: np.ndarray
    cluster_weights: np.ndarray
    leaves: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray
    tree: Tree


def read_objects(source, rng, sample_weight=None, weights=None):
    """(Objects, in random order if in memory; original positions of partitions, and of slots)."""
    if not check.is_dask_array(source):
        encoding = encode_ensemble(source, reading.sample_weight(sample_weight, source))
        encoding, columns, slots = in_random_order(encoding, rng, weights)
        return Objects(encoding), columns, slots
    from ..ensemble.chunks import Chunks

    chunks = Chunks(source, sample_weight)
    chunks.sample(rng)
    return chunks, np.arange(source.shape[1]), np.arange(chunks.partitions.n_slots)


def grow_tree(objects, weights, *, most, theta=THETA, n_micro_clusters=None, n_jobs=None, rng):
    """The :class:`GroupTree` of objects; identical rows are merged."""
    weight = objects.encoding.rows.multiplicity
    mean_weight = weight.sum() / np.count_nonzero(weight)
    objects = objects.collapsed()
    encoding = objects.encoding
    if n_micro_clusters is None:
        n_micro_clusters = max(_FINENESS * mean_n_clusters(encoding, weights), _LEAST_FINENESS * most)
    n_threads = count_threads(n_jobs, 1, encoding, n_micro_clusters)[1]
    cluster_weights = base_cluster_weights(encoding, weights, theta, objects.pair_cells())
    values = encoding.partitions.by_slot(weights) * cluster_weights
    n_groups = min(np.count_nonzero(encoding.rows.observed.any(axis=1)), n_micro_clusters)
    # In memory at the same time: about four tables of slots by micro-clusters (in k-means) and eight tables of pairs of
    # micro-clusters (sums, weights, walks, and the copies that the tree overwrites).
    tables = f"the table of similarities of n_micro_clusters={n_groups} groups"
    check_memory(32 * n_groups * (2 * n_groups + encoding.partitions.n_slots), tables)
    leaves, counts, sizes = find_micro_clusters(objects, weights, values, n_groups, rng, n_threads)
    sums, pairs = similarity_sums(encoding, weights, values, counts)
    # Sums and weights, by micro-cluster, of the pairs (i, i) of an object with itself.
    own = values @ counts, weights @ encoding.partitions.sum_slots(counts)
    product = walk_between_groups(ratio(sums, pairs) * np.outer(sizes, sizes)) * sums
    tree = tree_of_sums(level_own(product, pairs, *own), pairs, _POWER)
    return GroupTree(objects, weights, cluster_weights, leaves, counts, sizes / mean_weight, tree)


def mean_n_clusters(encoding, weights):
    """Weighted mean number of clusters of the partitions, rounded; clusters of objects without weight do not count."""
    n_filled = encoding.partitions.sum_slots((encoding.partitions.sizes > 0.0).astype(np.int64))
    # Round to decimals first, so that the order of the partitions does not decide how a half is rounded.
    return round(round(float(weights @ n_filled), DECIMALS))


def assign(grown, n_clusters, n_jobs=None):
    """Cut a :class:`GroupTree`: (membership and clusters of each row by :func:`vote`, its cluster, their number)."""
    objects, weights, cluster_weights, leaves, counts, sizes, tree = grown
    encoding = objects.encoding
    values = encoding.partitions.by_slot(weights) * cluster_weights
    groups = cut_into_large(tree, n_clusters, sizes)
    n_groups = int(groups.max()) + 1
    check_memory(8 * encoding.n_samples * n_groups, f"the membership of {encoding.n_samples} objects")
    # A worker of Dask has as many tasks at a time as threads.
    n_threads = 1
    if not objects.is_sampled:
        n_threads = count_threads(n_jobs, 1, encoding, counts.shape[1])[1]
    group_counts = counts @ (groups[:, np.newaxis] == np.arange(n_groups))
    norms = group_norms(encoding, weights, values, group_counts)
    votes, _ = objects.total(vote, leaves, shared=(groups, weights, values, group_counts, norms, n_threads))
    # Returning rows to an emptied group can empty another group, so repeat.
    returned = np.zeros(n_groups, dtype=bool)
    while True:
        clusters, (filled,) = objects.total(count_votes, leaves, votes, shared=(returned,))
        if filled.all():
            return votes, clusters, n_groups
        returned |= filled == 0


def vote(encoding, leaves, groups, weights, values, group_counts, norms, n_threads):
    """((membership of each row, the cluster of its micro-cluster, that of largest similarity), no sums)."""
    n_groups = len(norms)
    similarity = mean_similarities(encoding, weights, values, group_counts, n_threads)
    similarity /= norms
    best = similarity.argmax(axis=1)
    merged = np.where(leaves >= 0, groups[leaves], -1)
    merged = np.where(merged >= 0, merged, best)
    rows = np.arange(len(best))
    stay = similarity[rows, merged] >= (1.0 - _ROUNDING) * similarity[rows, best]
    totals = similarity.sum(axis=1, keepdims=True)
    membership = ratio(similarity, totals, 1.0 / n_groups)
    return (membership, merged, np.where(stay, merged, best)), ()


def count_votes(encoding, leaves, votes, returned):
    """(cluster of each row, (number of rows with a leaf in each,)); rows that merged into `returned` clusters stay."""
    _, merged, chosen = votes
    clusters = np.where(returned[merged], merged, chosen)
    return clusters, (np.bincount(clusters[leaves >= 0], minlength=len(returned)),)


def renamed(encoding, clusters, names):
    """(cluster of every object, numbered in the order of the names,), from those of the rows."""
    return (np.argsort(names)[encoding.expand(clusters)],)


def base_cluster_weights(encoding, weights, theta, pairs=None):
    """(n_slots,) w_l = c exp(-H_l / theta) n_u / n_l, with c such that the mean similarity is 1; 0 if unobserved."""
    certainty = slot_certainty(encoding, weights, theta, pairs)
    partitions = encoding.partitions
    observed, by_slot = (np.repeat(values, partitions.n_codes) for values in (partitions.n_observed, weights))
    total = (by_slot * certainty * observed) @ partitions.sizes
    if total == 0.0:
        raise ValueError(f"theta must be large enough for some base cluster to keep weight, got {theta}.")
    scale = (weights @ partitions.n_observed**2) / total
    filled = partitions.sizes > 0.0
    return np.where(filled, scale * certainty * observed / np.where(filled, partitions.sizes, 1.0), 0.0)


def find_micro_clusters(objects, weights, values, n_micro, rng, n_threads):
    """(micro-cluster of each row, -1 if unobserved; counts of objects by slot, and of all), by k-means on a sample."""

    def table_of(part, _, counts):
        return scaled_distances(part, values[:, np.newaxis], counts)

    encoding = objects.encoding
    seen = np.flatnonzero(encoding.rows.observed.any(axis=1))
    sample = rows = take_rows(encoding, seen)
    found = drawn = clusters = np.arange(len(seen))
    if len(seen) > n_micro:
        size = min(len(seen), max(_SAMPLE, _SAMPLE_PER_CLUSTER * n_micro))
        drawn = np.sort(rng.permutation(len(seen))[:size])
        sample = take_rows(rows, drawn)
        clusters = best_lloyd(sample, weights, table_of, n_micro, n_init=1, max_iter=_PASSES, rng=rng).clusters
    table = table_of(sample, weights, cluster_counts(sample, clusters, n_micro))
    # Number them at random: equal similarities then merge in random order.
    number = rng.permutation(n_micro)
    if objects.is_sampled:
        return _group_all(objects, table[:, np.argsort(number)])
    if len(drawn) < len(seen):
        found = np.concatenate([costs.argmin(axis=1) for costs in row_sums(rows, table, n_threads)])
    # The drawn rows stay, so that no micro-cluster is empty: a row without labels costs nothing in any of them.
    found[drawn] = clusters
    found = number[found]
    leaves = np.full(encoding.n_rows, -1)
    leaves[seen] = found
    return leaves, cluster_counts(rows, found, n_micro), np.bincount(found, weights=rows.rows.multiplicity)


def _group_all(objects, table):
    """:func:`find_micro_clusters` from the costs (n_slots, M); those to which no object belongs are left out."""
    while True:
        leaves, (counts, sizes) = objects.total(group_rows, shared=(table,))
        if sizes.all():
            return leaves, counts, sizes
        table = table[:, sizes > 0.0]


def group_rows(encoding, table):
    """(micro-cluster of least cost of each row, -1 if unobserved; its counts of objects by slot, and of all)."""
    leaves = np.concatenate([costs.argmin(axis=1) for costs in row_sums(encoding, table, 1)])
    seen = encoding.rows.observed.any(axis=1)
    n_micro = table.shape[1]
    sizes = np.bincount(leaves, weights=encoding.rows.multiplicity * seen, minlength=n_micro)
    return np.where(seen, leaves, -1), (cluster_counts(encoding, leaves, n_micro), sizes)


def row_sums(encoding, table, n_threads):
    """Sums over the partitions of entries of a table (n_slots, k): an array (rows, k) per block of rows."""
    blocks = row_blocks(encoding.n_rows)
    return map_threads(lambda block: table_costs(encoding, table, block), blocks, n_threads)


def similarity_sums(encoding, weights, values, counts):
    """(M, M) weighted sums of the similarities between objects of M groups, and sums of the weights of these pairs."""
    sums = (counts * values[:, np.newaxis]).T @ counts
    observed = encoding.partitions.sum_slots(counts)
    return sums, (observed * weights[:, np.newaxis]).T @ observed


def group_norms(encoding, weights, values, counts):
    """(k,) square roots of the mean similarities inside k groups; 1 where that is 0."""
    sums, pairs = similarity_sums(encoding, weights, values, counts)
    own = ratio(sums.diagonal(), pairs.diagonal())
    return np.sqrt(np.where(own > 0.0, own, 1.0))


def level_own(sums, pairs, own_sums, own_pairs):
    """Let the pairs (i, i) of an object with itself count as the mean of two objects of one group; changes `sums`."""
    others = sums.diagonal() - own_sums
    weights = pairs.diagonal() - own_pairs
    if weights.sum() > _ROUNDING * own_pairs.sum():
        inside = others.sum() / weights.sum()
    else:
        # Every group is a single object.
        inside = own_sums.sum() / own_pairs.sum()
    np.fill_diagonal(sums, others + inside * own_pairs)
    return sums


def walk_between_groups(flow, go_on=_GO_ON):
    """(M, M) mean q between M groups, from the sums of S over the pairs of objects."""
    degrees = flow.sum(axis=0)
    roots = np.sqrt(np.where(degrees > 0.0, degrees, 1.0))
    step = flow / np.outer(roots, roots)
    walks = linalg.solve(np.eye(len(flow)) - go_on * step, step, assume_a="pos")
    own = np.sqrt(walks.diagonal().clip(0.0))
    scale = np.outer(own, own)
    alike = ratio(walks + walks.T, 2.0 * scale)
    # With missing labels, S can fail to be positive semidefinite.
    return np.where(alike > _ROUNDING, np.minimum(alike, 1.0), 0.0)


def cut_into_large(tree, n_clusters, sizes):
    """Group of each micro-cluster in the coarsest cut with n_clusters large groups; -1 in small groups."""
    # If no cut has n_clusters large groups, small ones count as well.
    least = max(LEAST_OBJECTS, _LEAST_SHARE * sizes.sum() / n_clusters)
    for k in range(n_clusters, len(sizes) + 1):
        groups = cut(tree, k)
        large = np.bincount(groups, weights=sizes) >= least
        if np.count_nonzero(large) == n_clusters:
            return np.where(large, np.cumsum(large) - 1, -1)[groups]
    return cut(tree, n_clusters)


def mean_similarities(encoding, weights, values, counts, n_threads):
    """(n_rows, k) mean similarity of each row to the objects of k groups; 0 if no partition observes both."""
    observed = encoding.partitions.sum_slots(counts)
    sums = np.concatenate(list(row_sums(encoding, counts * values[:, np.newaxis], n_threads)))
    if len(encoding.partitions.missing_slots) == 0:
        return np.divide(sums, weights @ observed, out=sums)
    table = encoding.partitions.by_slot(observed * weights[:, np.newaxis])
    pairs = np.concatenate(list(row_sums(encoding, table, n_threads)))
    return ratio(sums, pairs)
