"""Parts of the merged consensus: weights of base clusters, micro-clusters, their similarities and tree."""

import numpy as np
from numba import njit
from scipy import sparse

from ..checks.blocks import row_blocks
from ..solve.encoding import take_rows
from ..solve.formula import cluster_counts
from ..solve.lloyd import best_lloyd, scaled_distances, table_costs
from ..solve.threads import map_threads
from ..weightings.clusters import slot_certainty
from ._common import check_memory
from ._linkage import cut, empty_tree, sorted_tree

# Micro-clusters are found on a sample: its least size, objects per micro-cluster, and passes of k-means.
_SAMPLE, _SAMPLE_PER_CLUSTER, _PASSES = 2**13, 10, 30
# A smaller share of all similarities, or of all pairs, is a rounding error.
_ROUNDING = 1e-12


def base_cluster_weights(encoding, weights, theta):
    """(n_slots,) w_l = c exp(-H_l / theta) n_u / n_l, c making the mean similarity 1; 0 for "not observed"."""
    certainty = slot_certainty(encoding, weights, theta)
    observed, by_slot = (np.repeat(values, encoding.n_codes) for values in (encoding.n_observed, weights))
    total = (by_slot * certainty * observed) @ encoding.sizes
    if total == 0.0:
        raise ValueError(f"theta must be large enough for some base cluster to keep weight, got {theta}.")
    scale = (weights @ encoding.n_observed**2) / total
    filled = encoding.sizes > 0.0
    return np.where(filled, scale * certainty * observed / np.where(filled, encoding.sizes, 1.0), 0.0)


def check_tables(n_slots, n_micro):
    """Raise ValueError unless tables of the slots by micro-clusters and pairs of these fit into memory.

    Each exists about four times: sums and weights, the copies that the tree overwrites, tables of k-means.
    """
    check_memory(32 * n_micro * (n_micro + n_slots), f"the table of similarities of n_micro_clusters={n_micro} groups")


def find_micro_clusters(encoding, weights, values, n_micro, *, rng, n_threads):
    """(n_rows,) micro-cluster of each row, 0, 1, ...; one per row if there are at most n_micro rows.

    k-means on rows of indicators scaled by sqrt(values), (n_slots,), on a sample; then every row joins the nearest
    mean.
    """
    n_rows = len(encoding.codes)
    if n_rows <= n_micro:
        return np.arange(n_rows)
    size = min(n_rows, max(_SAMPLE, _SAMPLE_PER_CLUSTER * n_micro))
    sample = take_rows(encoding, np.sort(rng.permutation(n_rows)[:size]))

    def table_of(part, _, counts):
        return scaled_distances(part, values[:, np.newaxis], counts)

    found = best_lloyd(sample, weights, table_of, n_micro, n_init=1, max_iter=_PASSES, rng=rng)
    table = table_of(sample, weights, cluster_counts(sample, found.clusters, n_micro))
    nearest = [costs.argmin(axis=1) for costs in row_sums(encoding, table, n_threads)]
    return np.unique(np.concatenate(nearest), return_inverse=True)[1]


def row_sums(encoding, table, n_threads):
    """Sums over the partitions of rows of a table, (n_slots, k); one array (rows, k) per block of rows."""
    blocks = row_blocks(len(encoding.codes))
    return map_threads(lambda block: table_costs(encoding, table, block), blocks, n_threads)


def similarity_sums(encoding, weights, values, counts):
    """(M, M) sums of similarities between M groups, and weights of the pairs; the quotient is the mean similarity.

    counts : (n_slots, M) objects of each group in each slot. values : (n_slots,) what sharing a slot adds.
    """
    sums = (counts * values[:, np.newaxis]).T @ counts
    # Objects of each group that each partition observes.
    observed = np.add.reduceat(counts, encoding.offsets, axis=0)
    return sums, (observed * weights[:, np.newaxis]).T @ observed


def mean_similarities(encoding, weights, values, counts, n_threads):
    """(n_rows, k) mean similarity of every row to the objects of k groups; 0 if no partition observes a pair."""
    observed = np.add.reduceat(counts, encoding.offsets, axis=0)
    sums = np.concatenate(list(row_sums(encoding, counts * values[:, np.newaxis], n_threads)))
    if len(encoding.missing_slots) == 0:
        return np.divide(sums, weights @ observed, out=sums)
    table = np.repeat(observed * weights[:, np.newaxis], encoding.n_codes, axis=0)
    table[encoding.missing_slots] = 0.0
    pairs = np.concatenate(list(row_sums(encoding, table, n_threads)))
    return np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0.0)


def average_linkage(sums, pairs):
    """Average-linkage :class:`~robust_eac.consensus._linkage.Tree` of groups from sums over pairs and their weights.

    The similarity of two groups is the quotient, 0 if no partition observes a pair. Nearest-neighbour chains, O(M^2).
    They are exact: the quotient of a merged group lies between those of its parts, so no merge brings a third group
    nearer.
    """
    tree = empty_tree(len(sums))
    _follow_chains(sums.copy(), pairs.copy(), tree)
    return sorted_tree(tree)


def cut_of_largest_lift(tree, sums, pairs, own, most):
    """Number of clusters, 2 to `most`, of the cut of largest lift: mean similarity inside over that between clusters.

    own : sum and weight of the pairs (i, i), which are left out. Among cuts without any similarity between clusters,
    the one of largest similarity inside wins.
    """
    most = min(most, len(sums))
    fine = cut(tree, most)
    members = sparse.csr_array((np.ones(len(fine)), (fine, np.arange(len(fine)))))
    totals = np.array([members @ values @ members.T for values in (sums, pairs)])
    rows = np.unique(fine, return_index=True)[1]
    # If clusters hold no other pairs than `own`, the difference is a rounding error.
    least = _ROUNDING * totals.sum(axis=(1, 2))
    lifts = [-np.inf, -np.inf]
    for k in range(2, most + 1):
        groups = cut(tree, k)[rows]
        together = groups[:, np.newaxis] == groups
        inside = totals[:, together].sum(axis=1) - own
        between = totals[:, ~together].sum(axis=1)
        mean_inside, mean_between = (
            total[0] / total[1] if (total > least).all() else 0.0 for total in (inside, between)
        )
        lifts.append(mean_inside / max(mean_between, _ROUNDING))
    return int(np.argmax(lifts)) if most >= 2 else most


@njit(cache=True, nogil=True)
def _follow_chains(sums, pairs, tree):
    """All merges, in the order of the chains; overwrites sums and pairs. A group keeps the number of its first row."""
    n = sums.shape[0]
    # Rows neither merged into another nor in the chain. Without this, rounding could close the chain to a ring.
    free = np.ones(n, dtype=np.bool_)
    merged = np.zeros(n, dtype=np.bool_)
    chain, length, start = np.empty(n, dtype=np.int64), 0, 0
    for k in range(n - 1):
        while True:
            if length == 0:
                while merged[start]:
                    start += 1
                chain[0], free[start], length = start, False, 1
            x = chain[length - 1]
            nearest, top = -1, -1.0
            for j in range(n):
                if free[j]:
                    similarity = sums[x, j] / pairs[x, j] if pairs[x, j] > 0.0 else 0.0
                    if similarity > top:
                        nearest, top = j, similarity
            if length > 1:
                before = chain[length - 2]
                similarity = sums[x, before] / pairs[x, before] if pairs[x, before] > 0.0 else 0.0
                if similarity >= top:
                    break
            chain[length], free[nearest], length = nearest, False, length + 1
        length -= 2
        a, b = min(x, before), max(x, before)
        tree.left[k], tree.right[k], tree.similarities[k] = a, b, similarity
        for j in range(n):
            sums[a, j] += sums[b, j]
            pairs[a, j] += pairs[b, j]
        for j in range(n):
            sums[j, a] += sums[j, b]
            pairs[j, a] += pairs[j, b]
        merged[b], free[a] = True, True
