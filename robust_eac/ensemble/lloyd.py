"""k-means on the rows of an encoded ensemble, for any cost that is a sum over partitions of table entries.

Squared distances between one-hot rows and their means, cross entropies and the weighted distances of spectral
ensemble clustering all have this form: ``cost(i, c) = sum_u table[slot of i in u, c]``, with a table that depends only
on ``counts[slot, c]``, the objects of cluster c in the slot. Neither the one-hot matrix nor all distances are stored.
"""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from ..common import MAX_SEED, row_blocks
from ..core import kernels
from ..core.formula import cluster_counts
from .encoding import take_rows

# Costs are of order 1: differences below this are rounding errors.
_SLACK = 1e-11
# With more than twice this many rows, first run Lloyd's algorithm on a sample of this size.
_SAMPLE = 2**13
_SAMPLE_PER_CLUSTER = 50


class Lloyd(NamedTuple):
    """clusters : (n_rows,) intp. loss : total cost. converged : no row moved in the last pass."""

    clusters: np.ndarray
    loss: float
    converged: bool


def best_lloyd(encoding, weights, table_of, n_clusters, *, n_init, max_iter, rng, n_jobs=None):
    """The :class:`Lloyd` of smallest loss among n_init starts from k-means++ seeds."""
    runs = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_from_seeds)(encoding, weights, table_of, n_clusters, max_iter, seed)
        for seed in rng.randint(MAX_SEED, size=n_init)
    )
    return min(runs, key=lambda run: run.loss)


def _from_seeds(encoding, weights, table_of, n_clusters, max_iter, seed):
    rng = np.random.RandomState(seed)
    n_rows = encoding.n_rows
    n_clusters = min(n_clusters, n_rows)
    sample_size = max(_SAMPLE, _SAMPLE_PER_CLUSTER * n_clusters)
    if n_rows <= 2 * sample_size:
        seeds = seed_rows(encoding, weights, n_clusters, rng)
        return run_lloyd(encoding, weights, table_of, seed_table(encoding, weights, seeds), max_iter=max_iter)
    sample = take_rows(encoding, np.sort(rng.permutation(n_rows)[:sample_size]))
    rough = _from_seeds(sample, weights, table_of, n_clusters, max_iter, rng.randint(MAX_SEED))
    counts = cluster_counts(sample, rough.clusters, n_clusters)
    return run_lloyd(encoding, weights, table_of, table_of(encoding, weights, counts), max_iter=max_iter)


def run_lloyd(encoding, weights, table_of, table, *, max_iter):
    """Lloyd's algorithm from a first table: rows to the cheapest cluster, table from the counts, until no row moves."""
    rows = encoding.rows
    partitions = encoding.partitions
    clusters = np.zeros(len(rows.codes), dtype=np.intp)
    counts = cluster_counts(encoding, clusters, table.shape[1])
    margins = np.zeros(len(clusters))
    kernels.move_rows(rows, partitions.slots, table, np.zeros(table.shape[1]), _SLACK, clusters, margins, counts)
    for _ in range(max_iter):
        new = table_of(encoding, weights, counts)
        drift = _drift(partitions.offsets, new - table)
        table = new
        n_moved = kernels.move_rows(rows, partitions.slots, table, drift, _SLACK, clusters, margins, counts)
        n_moved += _refill(encoding, table, clusters, counts, margins)
        if n_moved == 0:
            break
    loss = float(np.sum(counts * table_of(encoding, weights, counts)))
    return Lloyd(clusters, loss, n_moved == 0)


def table_costs(encoding, table, rows=slice(None)):
    """(rows, k) cost of every row in every cluster."""
    codes = encoding.rows.codes[rows]
    costs = np.empty((len(codes), table.shape[1]))
    kernels.fill_costs(codes, encoding.partitions.offsets, table, costs)
    return costs


def label_shares(encoding, counts):
    """(n_slots, k) share of each label among a cluster's observed objects; if there are none, among all objects."""
    partitions = encoding.partitions
    counts = counts.copy()
    counts[partitions.missing_slots] = 0.0
    observed = partitions.by_slot(partitions.sum_slots(counts))
    overall = partitions.sizes / np.repeat(partitions.n_observed, partitions.n_codes)
    # Fractional weights leave rounding errors in empty entries.
    some = observed > _SLACK * partitions.total
    return np.where(some, counts / np.where(some, observed, 1.0), overall[:, np.newaxis])


def squared_distances(encoding, weights, counts):
    """Table of the weighted squared distances |e_l - m_c|^2 between one-hot rows and the clusters' mean rows."""
    return scaled_distances(encoding, encoding.partitions.by_slot(weights)[:, np.newaxis], counts)


def scaled_distances(encoding, values, counts):
    """Table of squared distances between rows with the entry sqrt(values[l]) in each of their slots l, 0 elsewhere."""
    partitions = encoding.partitions
    shares = label_shares(encoding, counts)
    return values * (1.0 - 2.0 * shares) + partitions.by_slot(partitions.sum_slots(values * shares**2))


def seed_rows(encoding, weights, n_seeds, rng):
    """Rows drawn by greedy k-means++ under the weighted Hamming distance; (n_seeds,) intp, all different."""
    n_trials = 2 + int(np.log(n_seeds))
    multiplicity = encoding.rows.multiplicity
    seeds = np.empty(n_seeds, dtype=np.intp)
    seeds[0] = _draw_by(multiplicity, 1, rng)[0]
    closest = table_costs(encoding, seed_table(encoding, weights, seeds[:1]))[:, 0]
    for c in range(1, n_seeds):
        # A drawn row has distance 0 and is not drawn again; if all distances are 0, take any new row.
        potential = closest * multiplicity
        if potential.max() <= _SLACK:
            potential = np.ones(len(potential))
        potential[seeds[:c]] = 0.0
        candidates = _draw_by(potential, n_trials, rng)
        distances = table_costs(encoding, seed_table(encoding, weights, candidates))
        np.minimum(distances, closest[:, np.newaxis], out=distances)
        best = np.argmin(multiplicity @ distances)
        seeds[c], closest = candidates[best], distances[:, best]
    return seeds


def seed_table(encoding, weights, seeds):
    """Table of the weighted Hamming distances to the seeds, over the labels that both rows have."""
    rows = encoding.rows
    partitions = encoding.partitions
    slots = rows.codes[seeds].astype(np.int64) + partitions.offsets
    observed = rows.observed[seeds][:, partitions.mask_of]
    table = partitions.by_slot((weights * observed).T)
    table[slots, np.arange(len(seeds))[:, np.newaxis]] = 0.0
    return table


def _draw_by(potential, size, rng):
    """Indices drawn with probabilities proportional to a non-negative vector."""
    total = np.cumsum(potential)
    drawn = np.searchsorted(total, total[-1] * rng.uniform(size=size), side="right")
    # The largest number below 1 can round up to the total.
    return np.minimum(drawn, np.flatnonzero(potential)[-1])


def _drift(offsets, change):
    """(k,) bound on the loss of margin of a cluster's rows against any other cluster, for a change of the table."""
    rise = np.maximum.reduceat(change, offsets, axis=0).sum(axis=0)
    fall = -np.minimum.reduceat(change, offsets, axis=0).sum(axis=0)
    largest = int(np.argmax(fall))
    others = np.full(len(fall), fall[largest])
    others[largest] = np.delete(fall, largest).max(initial=-np.inf)
    return rise + others


def _refill(encoding, table, clusters, counts, margins):
    """Move to every empty cluster the row of highest cost in its own; returns how many rows moved."""
    filled = np.bincount(clusters, minlength=table.shape[1])
    empty = np.flatnonzero(filled == 0)
    if len(empty) == 0:
        return 0
    own = np.empty(len(clusters))
    for block in row_blocks(len(clusters)):
        costs = table_costs(encoding, table, block)
        own[block] = np.take_along_axis(costs, clusters[block, np.newaxis], axis=1)[:, 0]
    n_moved = 0
    for row in np.argsort(-own, kind="stable"):
        if n_moved == len(empty):
            break
        if filled[clusters[row]] > 1:
            filled[clusters[row]] -= 1
            clusters[row] = empty[n_moved]
            n_moved += 1
    # Empty clusters are rare: count again.
    counts[:] = cluster_counts(encoding, clusters, table.shape[1])
    margins[:] = 0.0
    return n_moved
