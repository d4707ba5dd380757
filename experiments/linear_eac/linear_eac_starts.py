"""How k-means, SEC, ECC and bisecting k-means start on the ensemble, which paper 001 does not say: three kinds, one
start or ten. For bisecting k-means they are those of every 2-means; the largest cluster is split next.

A cell is one data set and repetition of `linear_eac`, with the same ensemble and seed, so that "greedy k-means++, 10
starts" is what is recorded there. Lloyd's algorithm is the plain one; greedy k-means++ is the library's.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ..shared.store import derive_seed, grid
from .linear_eac import N_CLUSTERS, grade
from .linear_eac_data import LARGE, MEDIUM, N_PARTITIONS, SMALL, make_ensemble
from .linear_eac_data import SYSTEMS as RUN

VERSION = 2

BISECTING = "bisecting-kmeans"
SYSTEMS = ("kmeans", "sec", "ecc", BISECTING)
GREEDY = "greedy k-means++"
COUNTS = (1, 10)
MAX_ITER = 300
# A share of 0 counts as this much in the entropy, as in the library.
TINY = np.finfo(float).eps
CHOICES = {"datasets": (*SMALL, *MEDIUM, *LARGE)}


def cells(*, datasets=CHOICES["datasets"], repetitions=3):
    """The repetitions are the first of `linear_eac`."""
    return grid(dataset=datasets, repetition=range(repetitions))


SMOKE = cells(datasets=("glass",), repetitions=1)


def run_one(*, dataset, repetition):
    """{name of the system and its starts: measures in percent}, as in `linear_eac`."""
    labels = make_ensemble(dataset, N_PARTITIONS, seed=derive_seed(0, repetition, "ensemble"))
    seed = derive_seed(0, repetition, "solver")
    result = {}
    for system in SYSTEMS:
        for kind in STARTS:
            for count, found in zip(COUNTS, best_of(labels, system, kind, seed), strict=True):
                result[started(system, kind, count)] = grade(labels, found)
    return result


def started(system, kind, count):
    """Name of a system with its starts."""
    return f"{system}, {kind}, {count}"


def best_of(labels, system, kind, seed):
    """The first start, and that of least loss among the first ten."""
    if kind == GREEDY:
        return [RUN[system](labels, N_CLUSTERS, n_init=count, random_state=seed) for count in COUNTS]
    rng, rows, start = np.random.RandomState(seed), one_hot(labels), STARTS[kind]
    if system == BISECTING:
        return [bisect(labels, rows, start, count, rng) for count in COUNTS]
    runs = [lloyd(rows, start(labels, N_CLUSTERS, rng), LOSSES[system], N_CLUSTERS) for _ in range(max(COUNTS))]
    return [min(runs[:count], key=lambda run: run[1])[0] for count in COUNTS]


class Rows(NamedTuple):
    """A sparse one-hot ensemble (n, base clusters), and the sums of the objects' co-associations, diagonal included."""

    indicators: csr_array
    degrees: np.ndarray
    n_partitions: int


def one_hot(labels):
    """The :class:`Rows` of an ensemble with labels 0, 1, ... in every column."""
    n, m = labels.shape
    widths = labels.max(axis=0).astype(np.intp) + 1
    first = np.concatenate([[0], np.cumsum(widths)[:-1]])
    slots = labels + first
    indicators = csr_array((np.ones(n * m), slots.ravel(), np.arange(0, n * m + 1, m)), shape=(n, int(widths.sum())))
    return Rows(indicators, indicators @ indicators.sum(axis=0) / m, m)


def bisect(labels, rows, start, count, rng):
    """Clusters by splitting the largest one whose objects differ, by the best of `count` starts of 2-means."""
    clusters = np.zeros(len(labels), dtype=int)
    for new in range(1, N_CLUSTERS):
        inside = [np.flatnonzero(clusters == c) for c in range(new)]
        chosen = max((own for own in inside if np.ptp(labels[own], axis=0).any()), key=len)
        own = Rows(rows.indicators[chosen], rows.degrees[chosen], rows.n_partitions)
        runs = [lloyd(own, start(labels[chosen], 2, rng), squared, 2) for _ in range(count)]
        clusters[chosen[min(runs, key=lambda run: run[1])[0] == 1]] = new
    return clusters


def lloyd(rows, clusters, loss_of, n_clusters):
    """Lloyd's algorithm from a start: (clusters, loss). The start has -1 for objects that begin in no cluster.

    An empty cluster takes the object that costs most where it is.
    """
    for _ in range(MAX_ITER):
        costs = loss_of(rows, clusters, n_clusters)
        new = np.argmin(costs, axis=1)
        _fill(new, costs)
        if np.array_equal(new, clusters):
            break
        clusters = new
    return clusters, float(loss_of(rows, clusters, n_clusters)[np.arange(len(clusters)), clusters].sum())


def _fill(clusters, costs):
    sizes = np.bincount(clusters, minlength=costs.shape[1])
    own = costs[np.arange(len(clusters)), clusters]
    for empty in np.flatnonzero(sizes == 0):
        movable = np.where(sizes[clusters] > 1, own, -np.inf)
        row = int(np.argmax(movable))
        sizes[clusters[row]] -= 1
        sizes[empty] += 1
        clusters[row], own[row] = empty, -np.inf


def _totals(rows, clusters, n_clusters):
    """(base clusters, k) numbers of common objects, and (k,) sums of degrees and sizes."""
    inside = np.flatnonzero(clusters >= 0)
    members = csr_array((np.ones(len(inside)), (inside, clusters[inside])), shape=(len(clusters), n_clusters))
    return (rows.indicators.T @ members).toarray(), members.T @ rows.degrees, members.sum(axis=0)


def squared(rows, clusters, n_clusters):
    """(n, k) squared distances of the one-hot rows to the means."""
    counts, _, sizes = _totals(rows, clusters, n_clusters)
    means = counts / np.maximum(sizes, 1.0)
    return rows.n_partitions + (means**2).sum(axis=0) - 2.0 * (rows.indicators @ means)


def degree_weighted(rows, clusters, n_clusters):
    """(n, k) of SEC: rows divided by their degrees, which are also their weights."""
    counts, volumes, _ = _totals(rows, clusters, n_clusters)
    means = counts / np.where(volumes > 0.0, volumes, 1.0)
    degrees = rows.degrees[:, np.newaxis]
    return rows.n_partitions / degrees + degrees * (means**2).sum(axis=0) - 2.0 * (rows.indicators @ means)


def divergence(rows, clusters, n_clusters):
    """(n, k) of ECC: Kullback-Leibler divergences of the one-hot rows from the shares."""
    counts, _, sizes = _totals(rows, clusters, n_clusters)
    return rows.indicators @ -np.log(np.maximum(counts / np.maximum(sizes, 1.0), TINY))


LOSSES = {"kmeans": squared, "sec": degree_weighted, "ecc": divergence}


def random_objects(labels, n_clusters, rng):
    """Every cluster begins with one object; no two of them have the same labels."""
    _, distinct = np.unique(labels, axis=0, return_index=True)
    clusters = np.full(len(labels), -1)
    clusters[rng.choice(distinct, n_clusters, replace=False)] = np.arange(n_clusters)
    return clusters


def random_partition(labels, n_clusters, rng):
    """Every object begins in a random cluster."""
    return rng.randint(n_clusters, size=len(labels))


STARTS = {"random objects": random_objects, "random partition": random_partition, GREEDY: None}
