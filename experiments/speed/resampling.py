"""Consensus by resampling: seconds and memory from features to the distribution of consensus values, beside others.

Every way clusters 100 samples of 80 % of the objects for each number of clusters from 2 to 8, and finds the
distribution of the consensus values for each. The data are four overlapping Gaussian clusters in ten dimensions. Every
way runs in a process of its own with a limit on time and memory, with its defaults otherwise:

* this library by one run of k-means from a random start, like ConsensusClusterPlus; by its default, the best of ten
  runs of k-means; and by average linkage. It clusters as many resamples at the same time as there are cores;
* R's ConsensusClusterPlus (Bioconductor; Debian's r-bioc-consensusclusterplus): one core; it always draws its heat
  maps, here to no file;
* ``pip install consensusclustering pyckmeans``: one core. pyckmeans draws objects and 80 % of the features with
  replacement, gives the labels of every resample to all objects, and computes its default indices.

``OMP_NUM_THREADS=1 python -m experiments run resampling`` made the frozen records: with more threads, scikit-learn's
k-means waits for cores on a machine that does other work, up to ten times as long in pyckmeans.

The areas under the distributions show that the ways find the same.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs

from robust_eac import ClustererEnsemble, consensus_distribution

from ..shared.measure import limit_memory, peak_bytes, timed
from ..shared.store import derive_seed
from .peer_ways import in_limited_process, nothing_found, printed_by_r

VERSION = 1
# Cells are timed, so they run one after another.
JOBS = 1

MEMORY = 16 * 2**30
SECONDS = 1800
SHARE, N_FEATURES = 0.8, 10
_MEASURED = ("seconds", "counting_seconds", "bytes_before", "peak_bytes", "area")
# {objects: repetitions}
_TASKS = {300: 3, 1000: 1, 2000: 1, 10_000: 1, 100_000: 1}


class Way(NamedTuple):
    """One way from features to the distributions.

    package : distribution that contains it, None for this library.
    largest : largest number of objects that it is run on, so that it takes a few minutes at most.
    find : (X, numbers of clusters, resamples, seed) -> what :func:`measure` returns, without "stopped" and "message".
    """

    package: str | None
    largest: int
    find: Callable


def cells(*, n_samples=tuple(_TASKS), ways=None, n_per_k=100, most_clusters=8, repetitions: int | None = None):
    """Without a number of repetitions, a number of objects has that of the frozen records."""
    return [
        {"n_samples": n, "way": way, "n_per_k": n_per_k, "most_clusters": most_clusters, "repetition": repetition}
        for n in n_samples
        for repetition in range(repetitions or _TASKS.get(n, 1))
        for way in ways or WAYS
        if n <= WAYS[way].largest
    ]


def run_one(*, n_samples, way, n_per_k, most_clusters, repetition):
    """Cost and areas of one way; "stopped" is None, or "not installed", "time", "memory" or "error" with a message."""
    config = {
        "n_samples": n_samples,
        "way": way,
        "n_per_k": n_per_k,
        "most_clusters": most_clusters,
        "data_seed": derive_seed(0, repetition, "data"),
        "seed": derive_seed(0, repetition, "solver"),
    }
    return in_limited_process(f"{__name__}:measure", config, WAYS[way].package, SECONDS, _MEASURED)


def measure(n_samples, way, n_per_k, most_clusters, data_seed, seed):
    """Seconds, memory before and at its peak, and area for each number of clusters."""
    limit_memory(MEMORY)
    X = make_features(n_samples, data_seed)
    try:
        # A small first run imports and compiles, so that neither is timed.
        WAYS[way].find(X[:60], 3, 12, seed)
        found = WAYS[way].find(X, most_clusters, n_per_k, seed)
    except MemoryError:
        return nothing_found(_MEASURED, "memory", f"more than {MEMORY // 2**30} GiB")
    return {"stopped": None, "message": ""} | found


def make_features(n_samples, seed):
    """(n_samples, 10) four overlapping Gaussian clusters."""
    return make_blobs(n_samples, N_FEATURES, centers=4, center_box=(-3, 3), cluster_std=2.0, random_state=seed)[0]


def _ours(estimator, X, most_clusters, n_per_k, seed):
    before = peak_bytes()
    options = {"max_samples": SHARE, "label_all": False, "n_jobs": -1, "random_state": seed}
    make = ClustererEnsemble(n_clusters=(2, most_clusters), estimator=estimator, n_per_k=n_per_k, **options)
    ensemble, clustering = timed(make.fit, X)
    found, counting = timed(
        consensus_distribution, ensemble.labels_, ensemble.n_clusters_, n_jobs=-1, random_state=seed
    )
    return _result(clustering + counting, before, peak_bytes(), found.area) | {"counting_seconds": counting}


def _our_trees(X, most_clusters, n_per_k, seed):
    """Average linkage: a tree per sample, kept in a folder, for all numbers of clusters."""
    with tempfile.TemporaryDirectory() as folder:
        return _ours(AgglomerativeClustering(linkage="average", memory=folder), X, most_clusters, n_per_k, seed)


def _consensusclustering(X, most_clusters, n_per_k, seed):
    from consensusclustering import ConsensusClustering

    before = peak_bytes()
    estimator = clone(_ONE_START).set_params(random_state=np.random.RandomState(seed))
    model = ConsensusClustering(estimator, 2, most_clusters, n_per_k, resample_frac=SHARE, rng=seed)
    _, seconds = timed(model.fit, X)
    return _result(seconds, before, peak_bytes(), map(area_of, model.consensus_matrices_))


def _pyckmeans(X, most_clusters, n_per_k, seed):
    from pyckmeans import MultiCKMeans

    # It draws from the global generator; its process does nothing else.
    np.random.seed(seed % 2**32)
    before = peak_bytes()
    model = MultiCKMeans(range(2, most_clusters + 1), n_rep=n_per_k, p_samp=SHARE)

    def find():
        model.fit(X)
        return model.predict(X)

    found, seconds = timed(find)
    return _result(seconds, before, peak_bytes(), [area_of(result.cmatrix) for result in found.ckmeans_results])


# Column 2 of gc() is the memory in use, column 6 its peak since reset. The start of R and the reading are not timed.
_CCP = """
suppressPackageStartupMessages(library(ConsensusClusterPlus))
pdf(NULL)
items <- t(as.matrix(read.csv(file("stdin"), header = FALSE)))
before <- sum(gc(reset = TRUE)[, 2])
start <- proc.time()[["elapsed"]]
found <- suppressMessages(ConsensusClusterPlus(
  items, maxK = {most_clusters}, reps = {n_per_k}, pItem = {share}, clusterAlg = "{algorithm}",
  distance = "euclidean", seed = {seed}
))
cat(proc.time()[["elapsed"]] - start, before, sum(gc()[, 6]), "")
for (k in 2:{most_clusters}) cat(1 - mean(found[[k]]$ml[lower.tri(found[[k]]$ml)]), "")
"""


def _consensus_cluster_plus(algorithm, X, most_clusters, n_per_k, seed):
    options = {"most_clusters": most_clusters, "n_per_k": n_per_k, "seed": seed % 2**31}
    script = _CCP.format(share=SHARE, algorithm=algorithm, **options)
    rows = "\n".join(",".join(map(repr, row)) for row in X.tolist())
    seconds, before, peak, *areas = map(float, printed_by_r(script, rows).split())
    return _result(seconds, int(before * 2**20), int(peak * 2**20), areas)


def area_of(matrix):
    """One minus the mean consensus value of the pairs of different objects."""
    return 1.0 - (matrix.sum() - np.trace(matrix)) / (matrix.size - len(matrix))


def _result(seconds, before, peak, areas):
    areas = [float(area) for area in areas]
    return {"seconds": seconds, "counting_seconds": None, "bytes_before": before, "peak_bytes": peak, "area": areas}


OURS, OUR_TREES = "robust_eac, k-means", "robust_eac, average linkage"
_ONE_START = KMeans(init="random", n_init=1)
WAYS = {
    OURS: Way(None, 100_000, partial(_ours, _ONE_START)),
    "robust_eac, ten runs of k-means": Way(None, 10_000, partial(_ours, None)),
    OUR_TREES: Way(None, 10_000, _our_trees),
    "ConsensusClusterPlus, k-means": Way("ConsensusClusterPlus", 2000, partial(_consensus_cluster_plus, "km")),
    "ConsensusClusterPlus, average linkage": Way("ConsensusClusterPlus", 2000, partial(_consensus_cluster_plus, "hc")),
    "consensusclustering, k-means": Way("consensusclustering", 300, _consensusclustering),
    "pyckmeans, k-means": Way("pyckmeans", 2000, _pyckmeans),
}
# pyckmeans seeds the global generator of the process.
_SMOKE_WAYS = tuple(way for way in WAYS if WAYS[way].package != "pyckmeans")
SMOKE = cells(n_samples=(60,), ways=_SMOKE_WAYS, n_per_k=12, most_clusters=3, repetitions=1)
