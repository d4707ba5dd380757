"""The baselines beside what a user would write with other libraries: seconds and peak memory, each in its own process.

A cell is one task, one way of doing it and one repetition; the ways alternate, so that a busy moment of the machine
meets all of them. The clock covers everything from the label matrix (or the features) to the consensus.
"""

import time

import numpy as np

from .measure import in_fresh_process, peak_bytes, print_measured
from .scaling import planted_labels
from .store import derive_seed

VERSION = 1
# Cells are timed: one after another.
JOBS = 1

REPETITIONS = 5


def _kmeans_ours(labels, n_clusters, seed):
    from robust_eac import kmeans_consensus

    return kmeans_consensus(labels, n_clusters, n_init=1, random_state=seed)


def _kmeans_sparse(labels, n_clusters, seed):
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import OneHotEncoder

    rows = OneHotEncoder().fit_transform(labels)
    return KMeans(n_clusters, n_init=1, random_state=seed).fit(rows).labels_


def _kmeans_dense(labels, n_clusters, seed):
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import OneHotEncoder

    rows = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(labels)
    return KMeans(n_clusters, n_init=1, random_state=seed).fit(rows).labels_


def _eac_ours(labels, n_clusters, seed):
    from robust_eac import eac

    return eac(labels, n_clusters, linkage="average")


def _eac_product(labels, n_clusters, linkage):
    """Co-association by a dense single-precision matrix product, then a linkage on the condensed distances."""
    from scipy.cluster.hierarchy import fcluster
    from scipy.spatial.distance import squareform
    from sklearn.preprocessing import OneHotEncoder

    rows = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(labels)
    distances = 1.0 - rows @ rows.T / labels.shape[1]
    return fcluster(linkage(squareform(distances, checks=False), "average"), n_clusters, "maxclust")


def _eac_scipy(labels, n_clusters, seed):
    from scipy.cluster.hierarchy import linkage

    return _eac_product(labels, n_clusters, linkage)


def _eac_fastcluster(labels, n_clusters, seed):
    from fastcluster import linkage

    return _eac_product(labels, n_clusters, linkage)


def _combinatorial_ours(X, n_clusters, seed):
    from robust_eac import CombinatorialEAC

    return CombinatorialEAC(n_clusters, random_state=seed).fit(X).labels_


# task -> {way: function}
WAYS = {
    "kmeans": {
        "robust_eac": _kmeans_ours,
        "scikit-learn, sparse one-hot": _kmeans_sparse,
        "scikit-learn, dense one-hot": _kmeans_dense,
    },
    "eac-distinct": {
        "robust_eac": _eac_ours,
        "matrix product and scipy": _eac_scipy,
        "matrix product and fastcluster": _eac_fastcluster,
    },
    "eac-repeated": {
        "robust_eac": _eac_ours,
        "matrix product and scipy": _eac_scipy,
        "matrix product and fastcluster": _eac_fastcluster,
    },
    "combinatorial": {"robust_eac": _combinatorial_ours},
}

_SIZES = {"kmeans": 100_000, "eac-distinct": 5000, "eac-repeated": 5000, "combinatorial": 50}
_SMALL = {"kmeans": 2000, "eac-distinct": 200, "eac-repeated": 200, "combinatorial": 20}


def _grid(sizes, repetitions):
    return [
        {"task": task, "way": way, "n_samples": sizes[task], "repetition": repetition}
        for task, ways in WAYS.items()
        for repetition in range(repetitions)
        for way in ways
    ]


GRID = _grid(_SIZES, REPETITIONS)
# The peers of "eac-repeated" are those of "eac-distinct".
SMOKE = [cell for cell in _grid(_SMALL, 1) if cell["task"] != "eac-repeated" or cell["way"] == "robust_eac"]


def run_one(*, task, way, n_samples, repetition):
    """Seconds, and peak memory in bytes: before the work, and at its end."""
    return in_fresh_process(
        __name__, {"task": task, "way": way, "n_samples": n_samples, "repetition": repetition}
    )  # fmt: skip


def make_input(task, n_samples, rng):
    """What the task starts from, and the number of clusters.

    "kmeans" and "eac-distinct": 100 noisy partitions of 10 classes, nearly all rows different. "eac-repeated": the same
    without noise, so that objects of a class differ only in where they are cut. "combinatorial": two groups of
    objects, one feature that tells them apart by ten standard deviations and, in all, 300 standardised features.
    """
    if task == "combinatorial":
        X = rng.standard_normal((n_samples, 300))
        X[: n_samples // 2, 0] += 10.0
        return (X - X.mean(axis=0)) / X.std(axis=0), 2
    if task == "eac-repeated":
        classes, places = rng.randint(10, size=n_samples), rng.randint(20, size=n_samples)
        cuts = rng.randint(20, size=(100, 10))
        return (2 * classes[:, np.newaxis] + (places[:, np.newaxis] < cuts.T[classes])).astype(np.uint8), 10
    return planted_labels(n_samples, rng)[0], 10


def measure(task, way, n_samples, repetition):
    """What run_one returns, in this process."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    run, seed = WAYS[task][way], derive_seed(0, repetition, "solver")
    # A first small run imports and compiles, so that the clock sees the work alone.
    warm, n_clusters = make_input(task, _SMALL[task], rng)
    run(warm, n_clusters, seed)
    data, n_clusters = make_input(task, n_samples, rng)
    before = peak_bytes()
    start = time.perf_counter()
    found = run(data, n_clusters, seed)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "bytes_before": before,
        "peak_bytes": peak_bytes(),
        "n_clusters": len(np.unique(found)),
    }


if __name__ == "__main__":
    print_measured(measure)
