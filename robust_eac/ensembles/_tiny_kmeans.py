"""Compiled kernels for thousands of clusterings of small data: k-means, silhouettes, weighted co-association.

A batch of data sets is an array (n_sets, n_dims, n_samples). Objects come last, so that inner loops run over
consecutive memory and vectorise without reordering any sum. Labels are int32 of shape (n_sets, n_samples). The caller
draws all random numbers. All kernels are in this file because numba's disk cache misses changes of a callee elsewhere.
"""

from typing import NamedTuple

import numpy as np
from numba import njit


class _Clusters(NamedTuple):
    """The clusters of one data set: memory that all data sets of a batch use in turn.

    centres : (k_max, n_dims).
    distances : (k_max, n) squared distances of the objects to the centres.
    counts : (k_max,) int64; objects per cluster.
    """

    centres: np.ndarray
    distances: np.ndarray
    counts: np.ndarray


@njit(cache=True, nogil=True)
def cluster(data, seeds, n_clusters, max_iter, labels):
    """Fill labels with one k-means run per data set, from the objects seeds[u, :n_clusters[u]]."""
    k_max, n = seeds.shape[1], data.shape[2]
    clusters = _Clusters(np.empty((k_max, data.shape[1])), np.empty((k_max, n)), np.empty(k_max, dtype=np.int64))
    previous = np.empty(n, dtype=np.int32)
    for u in range(data.shape[0]):
        _lloyd(data[u], seeds[u], n_clusters[u], max_iter, clusters, labels[u], previous)


@njit(cache=True, nogil=True)
def _lloyd(x, seeds, k, max_iter, clusters, labels, previous):
    """Batch k-means. An empty cluster takes the object farthest from its centre; in a tie an object does not move."""
    n_dims, n = x.shape
    centres, distances, counts = clusters
    for c in range(k):
        for j in range(n_dims):
            centres[c, j] = x[j, seeds[c]]
        _squared_distances(x, centres[c], distances[c])
    labels[:] = 0
    _move_to_nearest(distances, k, labels)
    last_total = np.inf
    for iteration in range(max_iter):
        for c in range(k):
            _update(x, labels, c, centres[c], counts, distances[c])
        for c in range(k):
            if counts[c] == 0:
                _make_singleton(x, labels, c, clusters)
        total = 0.0
        for i in range(n):
            total += distances[labels[i], i]
        if total >= last_total:
            # The last moves did not lower the cost (a cycle, or rounding): undo them.
            labels[:] = previous
            return
        if iteration == max_iter - 1:
            return
        last_total = total
        previous[:] = labels
        if _move_to_nearest(distances, k, labels) == 0:
            return


@njit(cache=True, nogil=True)
def _squared_distances(x, centre, out):
    out[:] = 0.0
    for j in range(x.shape[0]):
        for i in range(x.shape[1]):
            out[i] += (x[j, i] - centre[j]) ** 2


@njit(cache=True, nogil=True)
def _move_to_nearest(distances, k, labels):
    """Move objects that have a strictly nearer centre to the first of the nearest ones; return how many moved."""
    n_moved = 0
    for i in range(labels.shape[0]):
        nearest = 0
        for c in range(1, k):
            if distances[c, i] < distances[nearest, i]:
                nearest = c
        if distances[nearest, i] < distances[labels[i], i]:
            labels[i] = nearest
            n_moved += 1
    return n_moved


@njit(cache=True, nogil=True)
def _update(x, labels, c, centre, counts, distances):
    """Compute the size, centre and distances of cluster c; of an empty cluster, only the size."""
    n_dims, n = x.shape
    size = 0
    for i in range(n):
        size += labels[i] == c
    counts[c] = size
    if size == 0:
        return
    for j in range(n_dims):
        total = 0.0
        for i in range(n):
            if labels[i] == c:
                total += x[j, i]
        centre[j] = total / size
    _squared_distances(x, centre, distances)


@njit(cache=True, nogil=True)
def _make_singleton(x, labels, c, clusters):
    """Move the object farthest from its own centre into the empty cluster c."""
    n = labels.shape[0]
    centres, distances, counts = clusters
    lonely = 0
    for i in range(1, n):
        if distances[labels[i], i] > distances[labels[lonely], lonely]:
            lonely = i
    if counts[labels[lonely]] < 2:
        # All objects lie on their centres: take one from the first cluster of at least two.
        lonely = np.argmax(labels == np.argmax(counts >= 2))
    source = labels[lonely]
    labels[lonely] = c
    _update(x, labels, c, centres[c], counts, distances[c])
    _update(x, labels, source, centres[source], counts, distances[source])


@njit(cache=True, nogil=True)
def silhouettes(data, labels, n_clusters, squared, singleton, undefined, out):
    """Fill out with the :func:`ramped_mean` silhouette of every data set; objects with label -1 are left out."""
    counts = np.empty(n_clusters, dtype=np.int64)
    sums = np.empty((n_clusters, data.shape[2]))
    for u in range(data.shape[0]):
        if squared:
            _sums_of_squares(data[u], labels[u], counts, sums)
        else:
            _sums_of_distances(data[u], labels[u], counts, sums)
        out[u] = ramped_mean(sums, labels[u], counts, singleton, undefined)


@njit(cache=True, nogil=True)
def _sums_of_squares(x, labels, counts, sums):
    """sums[c, i] = sum of the squared distances of object i to the objects of c, by the parallel-axis theorem.

    Coordinates are relative to a member of the cluster. If object i coincides with all objects of c, the sum is then
    exactly 0. The rounding error of a mean would turn into an arbitrary silhouette.
    """
    n_dims, n = x.shape
    counts[:] = 0
    first, shift = np.empty_like(counts), np.zeros((counts.shape[0], n_dims))
    for i in range(n):
        c = labels[i]
        if c >= 0:
            if counts[c] == 0:
                first[c] = i
            counts[c] += 1
    for j in range(n_dims):
        for i in range(n):
            c = labels[i]
            if c >= 0:
                shift[c, j] += x[j, i] - x[j, first[c]]
    for c in range(counts.shape[0]):
        if counts[c] == 0:
            continue
        sums[c] = 0.0
        for j in range(n_dims):
            mean = shift[c, j] / counts[c]
            origin = x[j, first[c]]
            for i in range(n):
                sums[c, i] += ((x[j, i] - origin) - mean) ** 2
        spread = 0.0
        for i in range(n):
            if labels[i] == c:
                spread += sums[c, i]
        for i in range(n):
            sums[c, i] = counts[c] * sums[c, i] + spread


@njit(cache=True, nogil=True)
def _sums_of_distances(x, labels, counts, sums):
    """sums[c, i] = sum of the Euclidean distances of object i to the objects of c."""
    n_dims, n = x.shape
    row = np.empty(n)
    counts[:] = 0
    sums[:] = 0.0
    for i in range(n):
        if labels[i] < 0:
            continue
        counts[labels[i]] += 1
        row[i:] = 0.0
        for j in range(n_dims):
            for other in range(i + 1, n):
                row[other] += (x[j, i] - x[j, other]) ** 2
        for other in range(i + 1, n):
            if labels[other] >= 0:
                distance = np.sqrt(row[other])
                sums[labels[other], i] += distance
                sums[labels[i], other] += distance


@njit(cache=True, nogil=True)
def ramped_mean(sums, labels, counts, singleton, undefined):
    """max(0, mean silhouette) from the sums of distances to each cluster, (n_clusters, n); 0 for a single cluster.

    `singleton` is the silhouette of an object alone in its cluster, `undefined` that of 0 / 0. A mean of NaN gives 0.
    """
    total, n_observed = 0.0, 0
    for i in range(labels.shape[0]):
        own = labels[i]
        if own < 0:
            continue
        n_observed += 1
        within = sums[own, i] / max(counts[own] - 1, 1)
        between = np.inf
        for c in range(counts.shape[0]):
            if c != own and counts[c] > 0:
                between = min(between, sums[c, i] / counts[c])
        if between == np.inf:
            return 0.0
        if max(within, between) == 0.0:
            total += undefined
        elif counts[own] == 1:
            total += singleton
        else:
            total += (between - within) / max(within, between)
    mean = total / n_observed
    return mean if mean > 0.0 else 0.0


@njit(cache=True, nogil=True)
def coassociation_rows(labels, weights, start, stop, out):
    """Add sum_u weights[u] [labels[u, i] = labels[u, j]] to out[i, j], start <= i < stop, j >= i.

    Every entry is summed in the order of the partitions: equal evidence gives equal numbers.
    """
    m, n = labels.shape
    for u in range(m):
        weight = weights[u]
        if weight == 0.0:
            continue
        for i in range(start, stop):
            own = labels[u, i]
            for j in range(i, n):
                out[i, j] += weight if labels[u, j] == own else 0.0
