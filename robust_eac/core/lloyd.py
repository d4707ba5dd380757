"""k-means on the rows of an encoded ensemble, for any cost that is a sum over partitions of table entries.

Squared distances between one-hot rows and their means, cross entropies, cosines and the weighted distances of spectral
ensemble clustering all have this form: ``cost(i, c) = sum_u table[slot of i in u, c]``, with a table that depends on
``counts[slot, c]``, the objects of cluster c in the slot, alone. So one algorithm serves all of them, and neither the
one-hot matrix nor a distance per object and cluster is ever stored.
"""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from ..checks.common import row_blocks
from ..checks.values import MAX_SEED, check_random_state
from . import kernels
from .encoding import take_rows
from .formula import cluster_counts

# Costs are of order 1: differences below this are rounding.
_SLACK = 1e-11
# With many more rows than this, first run Lloyd's algorithm on a sample of them.
_SAMPLE = 2**13
_SAMPLE_PER_CLUSTER = 50


class Lloyd(NamedTuple):
    """clusters : (n_rows,) intp. loss : the total cost. n_iter : passes over the rows. converged : nothing moved."""

    clusters: np.ndarray
    loss: float
    n_iter: int
    converged: bool


def best_lloyd(encoding, weights, table_of, n_clusters, *, n_init, max_iter, rng, n_jobs=None):
    """The :class:`Lloyd` of least loss among n_init starts from k-means++ seeds."""
    runs = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_one_start)(encoding, weights, table_of, n_clusters, max_iter, seed)
        for seed in rng.randint(MAX_SEED, size=n_init)
    )
    return min(runs, key=lambda run: run.loss)


def _one_start(encoding, weights, table_of, n_clusters, max_iter, seed):
    rng = check_random_state(int(seed))
    n_rows = len(encoding.rows.codes)
    n_clusters = min(n_clusters, n_rows)
    sample_size = max(_SAMPLE, _SAMPLE_PER_CLUSTER * n_clusters)
    if n_rows <= 2 * sample_size:
        seeds = seed_rows(encoding, weights, n_clusters, rng)
        return run_lloyd(encoding, weights, table_of, seed_table(encoding, weights, seeds), max_iter=max_iter)
    sample = take_rows(encoding, np.sort(rng.permutation(n_rows)[:sample_size]))
    rough = _one_start(sample, weights, table_of, n_clusters, max_iter, rng.randint(MAX_SEED))
    counts = cluster_counts(sample, rough.clusters, n_clusters)
    return run_lloyd(encoding, weights, table_of, table_of(encoding, weights, counts), max_iter=max_iter)


def run_lloyd(encoding, weights, table_of, table, *, max_iter):
    """Lloyd's algorithm from a first table: rows to the cheapest cluster, tables from counts, until nothing moves."""
    rows = encoding.rows, encoding.partitions.slots
    clusters = np.zeros(len(encoding.rows.codes), dtype=np.intp)
    counts = cluster_counts(encoding, clusters, table.shape[1])
    margins = np.zeros(len(clusters))
    kernels.reassign(*rows, table, np.zeros(table.shape[1]), _SLACK, clusters, margins, counts)
    n_moved, n_iter = 1, 0
    while n_moved and n_iter < max_iter:
        new = table_of(encoding, weights, counts)
        drift, table = _drift(encoding, new - table), new
        n_moved = kernels.reassign(*rows, table, drift, _SLACK, clusters, margins, counts)
        n_moved += _refill(encoding, table, clusters, counts, margins)
        n_iter += 1
    loss = float(np.sum(counts * table_of(encoding, weights, counts)))
    return Lloyd(clusters, loss, n_iter, n_moved == 0)


def table_costs(encoding, table, rows=slice(None)):
    """(rows, k) cost of every row in every cluster."""
    codes = encoding.rows.codes[rows]
    costs = np.empty((len(codes), table.shape[1]))
    kernels.table_costs(codes, encoding.partitions.offsets, table, costs)
    return costs


def label_shares(encoding, counts):
    """(n_slots, k) share of each label among a cluster's observed objects; the ensemble's where there are none."""
    counts = counts.copy()
    counts[encoding.partitions.missing_slots] = 0.0
    observed = np.repeat(
        np.add.reduceat(counts, encoding.partitions.offsets, axis=0), encoding.partitions.n_codes, axis=0
    )
    overall = encoding.partitions.sizes / np.repeat(encoding.partitions.n_observed, encoding.partitions.n_codes)
    # Fractional weights leave rounding errors in empty entries.
    some = observed > _SLACK * encoding.partitions.total
    return np.where(some, counts / np.where(some, observed, 1.0), overall[:, np.newaxis])


def squared_distances(encoding, weights, counts):
    """Table of the weighted squared distances |e_l - m_c|^2 between one-hot rows and the clusters' mean rows."""
    return scaled_distances(encoding, slot_weights(encoding, weights), counts)


def scaled_distances(encoding, values, counts):
    """Table of squared distances where rows have the entry sqrt(v_l) in slot l, (n_slots, 1) v, or 0."""
    shares = label_shares(encoding, counts)
    squares = np.add.reduceat(values * shares**2, encoding.partitions.offsets, axis=0)
    table = values * (1.0 - 2.0 * shares) + np.repeat(squares, encoding.partitions.n_codes, axis=0)
    table[encoding.partitions.missing_slots] = 0.0
    return table


def slot_weights(encoding, weights):
    """(n_slots, 1) weight of each slot's partition; 0 for "not observed"."""
    by_slot = np.repeat(weights, encoding.partitions.n_codes)
    by_slot[encoding.partitions.missing_slots] = 0.0
    return by_slot[:, np.newaxis]


def seed_rows(encoding, weights, n_seeds, rng):
    """Rows drawn by greedy k-means++ under the weighted Hamming distance; (n_seeds,) intp, all different."""
    n_trials = 2 + int(np.log(n_seeds))
    rows = np.empty(n_seeds, dtype=np.intp)
    rows[0] = _draw(encoding.rows.multiplicity, 1, rng)[0]
    closest = table_costs(encoding, seed_table(encoding, weights, rows[:1]))[:, 0]
    for c in range(1, n_seeds):
        # A drawn row has distance 0 and is not drawn again; if all distances are 0, take any new row.
        potential = closest * encoding.rows.multiplicity
        if potential.max() <= _SLACK:
            potential = np.ones(len(potential))
        potential[rows[:c]] = 0.0
        candidates = _draw(potential, n_trials, rng)
        reach = table_costs(encoding, seed_table(encoding, weights, candidates))
        np.minimum(reach, closest[:, np.newaxis], out=reach)
        best = np.argmin(encoding.rows.multiplicity @ reach)
        rows[c], closest = candidates[best], reach[:, best]
    return rows


def seed_table(encoding, weights, seeds):
    """Table of the weighted Hamming distances to some of the rows, missing labels left out."""
    slots = encoding.rows.codes[seeds].astype(np.int64) + encoding.partitions.offsets
    seen = encoding.rows.observed[seeds][:, encoding.partitions.mask_of]
    table = np.repeat((weights * seen).T, encoding.partitions.n_codes, axis=0)
    table[slots, np.arange(len(seeds))[:, np.newaxis]] = 0.0
    table[encoding.partitions.missing_slots] = 0.0
    return table


def _draw(potential, size, rng):
    """Indices drawn with probabilities proportional to a non-negative vector."""
    total = np.cumsum(potential)
    drawn = np.searchsorted(total, total[-1] * rng.uniform(size=size), side="right")
    # The largest number below 1 can round up to the total.
    return np.minimum(drawn, np.flatnonzero(potential)[-1])


def _drift(encoding, change):
    """(k,) by how much the margin between a cluster's rows and any other cluster can have shrunk."""
    rise = np.maximum.reduceat(change, encoding.partitions.offsets, axis=0).sum(axis=0)
    fall = -np.minimum.reduceat(change, encoding.partitions.offsets, axis=0).sum(axis=0)
    largest = int(np.argmax(fall))
    others = np.full(len(fall), fall[largest])
    others[largest] = np.delete(fall, largest).max(initial=-np.inf)
    return rise + others


def _refill(encoding, table, clusters, counts, margins):
    """Give every empty cluster the row that costs most where it is; returns how many rows moved."""
    filled = np.bincount(clusters, minlength=table.shape[1])
    empty = np.flatnonzero(filled == 0)
    if len(empty) == 0:
        return 0
    own = np.concatenate(
        [
            np.take_along_axis(table_costs(encoding, table, block), clusters[block, np.newaxis], axis=1)[:, 0]
            for block in row_blocks(len(clusters))
        ]
    )
    n_moved = 0
    for row in np.argsort(-own, kind="stable"):
        if n_moved == len(empty):
            break
        if filled[clusters[row]] > 1:
            filled[clusters[row]] -= 1
            clusters[row] = empty[n_moved]
            n_moved += 1
    # Refills are rare: count afresh.
    counts[:] = cluster_counts(encoding, clusters, table.shape[1])
    margins[:] = 0.0
    return n_moved
