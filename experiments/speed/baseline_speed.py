"""Time and peak memory of the baselines beside what a user could write with other libraries.

A cell is one task, one repetition and one way, in a process of its own. The ways alternate, so that other load on the
machine affects all of them. Time counts from the label matrix (or the features) to the consensus.
"""

from functools import partial

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import OneHotEncoder

from robust_eac import CombinatorialEAC, eac
from robust_eac.consensus import kmeans_consensus

from ..shared.ensembles import planted_labels
from ..shared.measure import in_fresh_process, peak_bytes, print_measured, timed
from ..shared.store import derive_seed
from .peer_ways import average_linkage, kmeans

VERSION = 1
# Cells are timed, so they run one after another.
JOBS = 1


def _kmeans_ours(labels, n_clusters, seed):
    return kmeans_consensus(labels, n_clusters, n_init=1, random_state=seed)


def _kmeans_dense(labels, n_clusters, seed):
    rows = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(labels)
    return KMeans(n_clusters, n_init=1, random_state=seed).fit(rows).labels_


def _combinatorial_ours(X, n_clusters, seed):
    return CombinatorialEAC(n_clusters, random_state=seed).fit(X).labels_


_EAC = {
    "robust_eac": lambda labels, n_clusters, seed: eac(labels, n_clusters, linkage="average"),
    "matrix product and scipy": partial(average_linkage, "scipy.cluster.hierarchy"),
    "matrix product and fastcluster": partial(average_linkage, "fastcluster"),
}
# {task: {way: function}}
WAYS = {
    "kmeans": {
        "robust_eac": _kmeans_ours,
        "scikit-learn, sparse one-hot": partial(kmeans, 1),
        "scikit-learn, dense one-hot": _kmeans_dense,
    },
    "eac-distinct": _EAC,
    "eac-repeated": _EAC,
    "combinatorial": {"robust_eac": _combinatorial_ours},
}

_SIZES = {"kmeans": 100_000, "eac-distinct": 5000, "eac-repeated": 5000, "combinatorial": 50}
_SMALL = {"kmeans": 2000, "eac-distinct": 200, "eac-repeated": 200, "combinatorial": 20}


def cells(*, tasks=tuple(WAYS), repetitions=5, n_samples: int | None = None):
    """Without a number of objects, a task has its own."""
    return [
        {"task": task, "way": way, "n_samples": n_samples or _SIZES[task], "repetition": repetition}
        for task in tasks
        for repetition in range(repetitions)
        for way in WAYS[task]
    ]


GRID = cells()
# The other ways of "eac-repeated" run for "eac-distinct".
SMOKE = [
    cell
    for task, n_samples in _SMALL.items()
    for cell in cells(tasks=(task,), repetitions=1, n_samples=n_samples)
    if task != "eac-repeated" or cell["way"] == "robust_eac"
]


def run_one(**config):
    """What `measure` returns in a process of its own."""
    return in_fresh_process(__name__, config)


def make_input(task, n_samples, rng):
    """Input of a task, and the number of clusters.

    "kmeans" and "eac-distinct": 100 noisy partitions of 10 classes with nearly all rows different. "eac-repeated": the
    same without noise, so that many rows are equal. "combinatorial": two groups of objects with 300 standardised
    features, one of which separates the groups by ten standard deviations.
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
    """Seconds, memory of the process before the work and at its peak in bytes, and the number of clusters found."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    run, seed = WAYS[task][way], derive_seed(0, repetition, "solver")
    # A small first run imports and compiles, so that neither is timed.
    warm, n_clusters = make_input(task, _SMALL[task], rng)
    run(warm, n_clusters, seed)
    data, n_clusters = make_input(task, n_samples, rng)
    before = peak_bytes()
    found, seconds = timed(run, data, n_clusters, seed)
    return {
        "seconds": seconds,
        "bytes_before": before,
        "peak_bytes": peak_bytes(),
        "n_clusters": len(np.unique(found)),
    }


if __name__ == "__main__":
    print_measured(measure)
