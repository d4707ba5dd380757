"""Features to a consensus of many objects: seconds and peak memory of the ensemble and of its consensus, and accuracy.

The features are a memory map of float32: Gaussian clusters of unequal sizes and widths. 100 partitions of 5 to 50
clusters, each fitted on a sample, label all objects; then comes the consensus. Each cell runs in a process of its own.
"""

import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap

from robust_eac import KMeansEnsemble, LandmarkSpectralEnsemble, RobustEAC, adjusted_rand_score

from ..shared.ensembles import N_CLUSTERS, N_PARTITIONS
from ..shared.measure import in_fresh_process, peak_bytes, print_measured, timed
from ..shared.store import derive_seed, grid

VERSION = 1
# Cells are timed, so they run one after another.
JOBS = 1
_RANGE = (5, 50)
_MAX_SAMPLES = 10_000
_ROWS = 2**18
# Ten million objects have two features.
_MAX_NUMBERS = 20_000_000


def cells(
    *,
    n_samples=(100_000, 1_000_000, 10_000_000),
    n_features=(2, 16),
    ensembles=("kmeans", "landmarks"),
    n_partitions=N_PARTITIONS,
    repetitions=1,
):
    configurations = grid(
        n_samples=n_samples,
        n_features=n_features,
        ensemble=ensembles,
        n_partitions=(n_partitions,),
        repetition=range(repetitions),
    )
    return [config for config in configurations if config["n_samples"] * config["n_features"] <= _MAX_NUMBERS]


GRID = cells()
SMOKE = cells(n_samples=(400,), n_features=(3,), n_partitions=6, repetitions=1)


def run_one(**config):
    """What `measure` returns in a process of its own."""
    return in_fresh_process(__name__, config)


def measure(n_samples, n_features, ensemble, n_partitions, repetition):
    """Seconds of the ensemble and of its consensus, peak memory of the process in bytes, and quality of the result."""
    seed = derive_seed(0, repetition, "solver")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "features.npy"
        classes = write_features(path, n_samples, n_features, derive_seed(0, repetition, "data"))
        X = np.load(path, mmap_mode="r", allow_pickle=False)
        # A small consensus first loads the compiled kernels, so that their loading is not timed.
        for n_jobs in (None, os.cpu_count()):
            warm = make(ensemble, 5, min(n_samples, 3000), n_jobs, 0).fit_transform(np.asarray(X[:3000]))
            RobustEAC(N_CLUSTERS, n_init=1, random_state=0).fit(warm)
        before = peak_bytes()
        maker = make(ensemble, n_partitions, n_samples, os.cpu_count(), derive_seed(0, repetition, "ensemble"))
        labels, ensemble_seconds = timed(maker.fit_transform, X)
        ensemble_bytes = peak_bytes()
        model, consensus_seconds = timed(RobustEAC(N_CLUSTERS, n_init=1, random_state=seed).fit, labels)
    return {
        "ensemble_seconds": ensemble_seconds,
        "consensus_seconds": consensus_seconds,
        "begin_bytes": before,
        "ensemble_bytes": ensemble_bytes,
        "peak_bytes": peak_bytes(),
        "ari": float(adjusted_rand_score(classes, model.labels_)),
        "converged": bool(model.converged_),
    }


def make(ensemble, n_partitions, n_samples, n_jobs, seed):
    """The ensemble, unfitted."""
    kind = {"kmeans": KMeansEnsemble, "landmarks": LandmarkSpectralEnsemble}[ensemble]
    options = {"max_samples": min(_MAX_SAMPLES, n_samples), "n_jobs": n_jobs, "random_state": seed}
    return kind(n_partitions, _RANGE, **options)


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


if __name__ == "__main__":
    print_measured(measure)
