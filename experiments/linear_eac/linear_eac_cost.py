"""Time of the density and of consensus by k-means beside the co-association matrix (paper 001, Sections 3.7, 4.2).

A cell times all work on the same planted ensemble, so that ratios within a cell are meaningful.
"""

from math import isqrt

import numpy as np

from robust_eac import coassociation_matrix, density, eac
from robust_eac.consensus import bisecting_kmeans_consensus, bisecting_tree, kmeans_consensus

from ..shared.ensembles import planted_labels
from ..shared.measure import significant, timed
from ..shared.store import derive_seed, grid

VERSION = 1
# Cells are timed, so they run one after another.
JOBS = 1

N_PARTITIONS = 20
N_CLUSTERS = 20
# Number of runs, of which the shortest counts.
TRIES = 3


def cells(*, repetitions=5, n_samples=(500, 1000, 2000, 4000, 8000)):
    return grid(repetition=range(repetitions), n_samples=n_samples)


SMOKE = cells(repetitions=1, n_samples=(250,))


def run_one(*, n_samples, repetition):
    """{"seconds": {work: seconds}, "max_clusters": largest number of clusters of the work "all sizes"}, and a check."""
    seed = derive_seed(0, repetition, "solver")
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    labels = planted_labels(n_samples, rng)[0][:, :N_PARTITIONS]
    found = rng.randint(N_CLUSTERS, size=n_samples)
    max_clusters = isqrt(n_samples)
    work = {
        "density, counts": lambda: density(labels, found),
        "density, matrix": lambda: matrix_density(labels, found),
        "kmeans": lambda: kmeans_consensus(labels, N_CLUSTERS, n_init=1, random_state=seed),
        "bisecting-kmeans": lambda: bisecting_kmeans_consensus(labels, N_CLUSTERS, n_init=1, random_state=seed),
        "eac-average": lambda: eac(labels, N_CLUSTERS, random_state=seed),
        "bisecting, all sizes": lambda: bisecting_tree(labels, max_clusters, n_init=1, random_state=seed),
        "kmeans, all sizes": lambda: [
            kmeans_consensus(labels, k, n_init=1, random_state=seed) for k in range(2, max_clusters + 1)
        ],
    }
    return {
        "seconds": {name: significant(shortest(run)) for name, run in work.items()},
        "max_clusters": max_clusters,
        "same_density": bool(np.isclose(density(labels, found), matrix_density(labels, found))),
    }


def matrix_density(labels, found):
    """Density by the co-association matrix."""
    A = coassociation_matrix(labels)
    total = 0.0
    for cluster in np.unique(found):
        members = np.flatnonzero(found == cluster)
        if len(members) > 1:
            total += (A[np.ix_(members, members)].sum() - len(members)) / (len(members) - 1)
    return total / len(found)


def shortest(run):
    """Seconds of the shortest of several runs, which excludes the loading of compiled code."""
    return min(timed(run)[1] for _ in range(TRIES))
