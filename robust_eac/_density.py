"""Density of a consensus from the counts of labels in its clusters, without the co-association matrix."""

import numpy as np

from . import _kernels


def cluster_counts(encoding, clusters, n_clusters):
    """(n_slots, n_clusters) objects of each slot in each cluster; 0 for "not observed"."""
    counts = np.zeros((len(encoding.sizes), n_clusters))
    _kernels.count(encoding.codes, encoding.offsets, encoding.multiplicity, clusters.astype(np.intp), counts)
    counts[encoding.missing_slots] = 0.0
    return counts


def pair_weights(encoding, weights, counts):
    """(k,) sum of the co-associations over the ordered pairs i != j inside each cluster."""
    return np.repeat(weights, encoding.n_codes) @ (counts * (counts - 1.0))


def sized_densities(pairs, sizes, singleton):
    """(k,) size of each cluster times its density."""
    return np.array([_kernels.sized_density(pair, size, singleton) for pair, size in zip(pairs, sizes, strict=True)])
