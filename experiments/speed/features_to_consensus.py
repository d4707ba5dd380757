"""Features to a consensus of many objects: seconds and peak memory of the ensemble and of its consensus, and accuracy.

The features are a memory map of float32: Gaussian clusters of unequal sizes and widths. 100 partitions of 5 to 50
clusters, each fitted on a sample, label all objects; then comes the consensus. Beside them: scikit-learn's k-means of
small batches, which draws them from all objects. Each cell runs in a process of its own.
"""

import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap
from sklearn.cluster import MiniBatchKMeans

from robust_eac import KMeansEnsemble, RobustEAC, adjusted_rand_score

from ..shared.ensembles import N_CLUSTERS, N_PARTITIONS
from ..shared.measure import peak_bytes, timed
from ..shared.store import derive_seed, grid

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True
_RANGE = (5, 50)
_MAX_SAMPLES = 10_000
_ROWS = 2**18
# {objects: repetitions}. Of ten million overlapping points, rounding decides the minimum that k-means ends at.
_TASKS = {100_000: 1, 1_000_000: 1, 10_000_000: 2}
# Small batches take minutes for a million objects, and longer for more.
_MAX_BATCHED = 1_000_000


def cells(
    *,
    n_samples=tuple(_TASKS),
    n_features: int | None = None,
    ensembles=("kmeans", "minibatch"),
    n_partitions=N_PARTITIONS,
    repetitions: int | None = None,
):
    """By default, more than a million objects have 2 features, fewer 16; repetitions are those of the records."""
    return [
        config
        for n in n_samples
        for config in grid(
            n_samples=(n,),
            n_features=(n_features or (16 if n <= 1_000_000 else 2),),
            ensemble=[name for name in ensembles if name != "minibatch" or n <= _MAX_BATCHED],
            n_partitions=(n_partitions,),
            repetition=range(repetitions or _TASKS.get(n, 1)),
        )
    ]


SMOKE = cells(n_samples=(400,), n_features=3, n_partitions=6, repetitions=1)


def run_one(*, n_samples, n_features, ensemble, n_partitions, repetition):
    """Seconds of the ensemble and of its consensus, peak memory of the process in bytes, and quality of the result."""
    seed = derive_seed(0, repetition, "solver")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "features.npy"
        classes = write_features(path, n_samples, n_features, derive_seed(0, repetition, "data"))
        X = np.load(path, mmap_mode="r", allow_pickle=False)
        # A small consensus first loads the compiled kernels, so that their loading is not timed.
        make = ENSEMBLES[ensemble]
        for n_jobs in (None, os.cpu_count()):
            warm = make(np.asarray(X[:3000]), 5, n_jobs, 0)
            RobustEAC(N_CLUSTERS, n_init=1, random_state=0).fit(warm)
        own = derive_seed(0, repetition, "ensemble")
        labels, ensemble_seconds = timed(make, X, n_partitions, os.cpu_count(), own)
        model, consensus_seconds = timed(RobustEAC(N_CLUSTERS, n_init=1, random_state=seed).fit, labels)
    return {
        "ensemble_seconds": ensemble_seconds,
        "consensus_seconds": consensus_seconds,
        "peak_bytes": peak_bytes(),
        "ari": float(adjusted_rand_score(classes, model.labels_)),
    }


def sampled(X, n_partitions, n_jobs, seed):
    """Labels of an ensemble whose partitions are fitted on samples."""
    options = {"max_samples": min(_MAX_SAMPLES, len(X)), "n_jobs": n_jobs, "random_state": seed}
    return KMeansEnsemble(n_partitions, _RANGE, **options).fit_transform(X)


def minibatch(X, n_partitions, n_jobs, seed):
    """Labels by scikit-learn's MiniBatchKMeans, which runs on all cores whatever n_jobs is."""
    rng = np.random.RandomState(seed)
    labels = np.empty((len(X), n_partitions), dtype=np.int8)
    for column in labels.T:
        n_clusters = rng.randint(_RANGE[0], _RANGE[1] + 1)
        column[:] = MiniBatchKMeans(n_clusters, random_state=rng.randint(2**31)).fit(X).labels_
    return labels


ENSEMBLES = {"kmeans": sampled, "minibatch": minibatch}


def write_features(path, n_samples, n_features, seed):
    """Write Gaussian clusters block by block as float32, and return the classes."""
    rng = np.random.RandomState(seed)
    centres = rng.normal(scale=2.5 if n_features > 2 else 8.0, size=(N_CLUSTERS, n_features))
    widths = rng.uniform(0.5, 1.5, size=N_CLUSTERS)
    classes = rng.choice(N_CLUSTERS, size=n_samples, p=rng.dirichlet(np.full(N_CLUSTERS, 5.0))).astype(np.uint8)
    X = open_memmap(path, mode="w+", dtype=np.float32, shape=(n_samples, n_features))
    for first in range(0, n_samples, _ROWS):
        own = classes[first : first + _ROWS]
        X[first : first + _ROWS] = centres[own] + widths[own, np.newaxis] * rng.normal(size=(len(own), n_features))
    X.flush()
    return classes
