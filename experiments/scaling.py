"""Time and peak memory of one fit over the numbers of objects, of partitions and of clusters, one of them at a time.

Each fit runs in a fresh process that does nothing else. A fifth of the partitions is random; restricted simplex, one
start, to a gap of 1e-5. Labels of more than a million objects are read from a memory map.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap

from robust_eac import adjusted_rand_score, solve_median_partition

from .measure import in_fresh_process, peak_bytes, print_measured
from .store import derive_seed

VERSION = 2
# Cells are timed: one after another.
JOBS = 1

N_PARTITIONS = 100
N_CLUSTERS = 10
REPETITIONS = 3
# From this number of objects on labels are in a file, which is made once.
MAPPED = 10_000_000

# {what is varied: (its values, the rest)}; the rest of the objects is fewer than a million to save time.
_AXES = {
    "n_samples": (
        (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, MAPPED),
        {"n_partitions": N_PARTITIONS, "n_clusters": N_CLUSTERS},
    ),
    "n_partitions": ((5, 10, 20, 50, 100, 200, 500), {"n_samples": 20_000, "n_clusters": N_CLUSTERS}),
    "n_clusters": ((2, 5, 10, 20, 50, 100, 200), {"n_samples": 20_000, "n_partitions": N_PARTITIONS}),
}

GRID = [
    {"axis": axis, axis: value, **rest, "repetition": repetition}
    for axis, (values, rest) in _AXES.items()
    for value in values
    for repetition in range(REPETITIONS if value < MAPPED else 1)
]
SMOKE = [
    {"axis": "n_samples", "n_samples": n, "n_partitions": 10, "n_clusters": 3, "repetition": 0} for n in (200, 600)
]
SMOKE += [
    {"axis": "n_partitions", "n_samples": 200, "n_partitions": m, "n_clusters": 3, "repetition": 0} for m in (5, 15)
]
SMOKE += [
    {"axis": "n_clusters", "n_samples": 200, "n_partitions": 10, "n_clusters": k, "repetition": 0} for k in (2, 6)
]


def run_one(*, axis, n_samples, n_partitions, n_clusters, repetition):
    """Seconds, and peak memory of the whole process in bytes, measured in a process of its own."""
    sizes = {"n_samples": n_samples, "n_partitions": n_partitions, "n_clusters": n_clusters}
    return in_fresh_process(__name__, sizes | {"repetition": repetition})


def planted_labels(n_samples, rng, n_random=None, *, n_partitions=N_PARTITIONS, n_clusters=N_CLUSTERS, empty=np.empty):
    """(n_samples, n_partitions) labels in one byte, or two, and the classes behind them.

    A partition cuts every class into one to three parts by thresholds on a coordinate of the objects, as a finer
    clustering would; a tenth of its labels are random. The last n_random partitions, by default a fifth of them, are
    random throughout. `empty(shape, dtype=)` makes the array that is filled.
    """
    n_random = n_partitions // 5 if n_random is None else n_random
    n_labels = 3 * n_clusters
    dtype = np.min_scalar_type(n_labels)
    classes = rng.randint(n_clusters, size=n_samples).astype(dtype)
    place = rng.uniform(size=n_samples).astype(np.float32)
    labels = empty((n_samples, n_partitions), dtype=dtype)
    for u in range(n_partitions):
        if u >= n_partitions - n_random:
            labels[:, u] = rng.randint(rng.randint(n_clusters, n_labels + 1), size=n_samples)
            continue
        n_parts = rng.randint(1, 4, size=n_clusters)
        shift = rng.uniform(size=n_clusters).astype(np.float32)
        part = ((place + shift[classes]) % 1.0 * n_parts[classes]).astype(dtype)
        labels[:, u] = 3 * classes + np.minimum(part, 2)
        wrong = rng.uniform(size=n_samples) < 0.1
        labels[wrong, u] = rng.randint(n_labels, size=np.count_nonzero(wrong))
    return labels, classes


def measure(n_samples, n_partitions, n_clusters, repetition):
    """What run_one returns, in this process."""
    sizes = n_samples, n_partitions, n_clusters
    if n_samples < MAPPED:
        return _measure(*sizes, repetition, empty=np.empty)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "labels.npy"
        return _measure(*sizes, repetition, empty=lambda shape, dtype: open_memmap(file, "w+", dtype, shape))


def _measure(n_samples, n_partitions, n_clusters, repetition, *, empty):
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    # A first small fit loads the compiled kernels, for labels of the same type, so that the clock sees the work alone.
    warm, _ = planted_labels(10 * n_clusters, rng, n_partitions=n_partitions, n_clusters=n_clusters)
    solve_median_partition(warm, n_clusters, n_init=1, random_state=0)
    labels, classes = planted_labels(n_samples, rng, n_partitions=n_partitions, n_clusters=n_clusters, empty=empty)
    seed = derive_seed(0, repetition, "solver")
    start = time.perf_counter()
    result = solve_median_partition(labels, n_clusters, n_init=1, random_state=seed)
    seconds = time.perf_counter() - start
    n_random = n_partitions // 5
    return {
        "fit_seconds": seconds,
        "peak_bytes": peak_bytes(),
        "gap": result.gap,
        "n_iter": result.n_iter,
        "ari": adjusted_rand_score(classes, result.labels),
        "noise_weight": float(result.weights[n_partitions - n_random :].sum()),
    }


if __name__ == "__main__":
    print_measured(measure)
