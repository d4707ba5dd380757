"""Time and peak memory of one fit over the number of objects, each in a fresh process that does nothing else.

100 partitions of objects in 10 clusters, 20 of them random; restricted simplex, one start, to a gap of 1e-5.
"""

import time

import numpy as np

from robust_eac import adjusted_rand_score, solve_median_partition

from .measure import in_fresh_process, peak_bytes, print_measured
from .store import derive_seed

VERSION = 1
# Cells are timed: one after another.
JOBS = 1

N_PARTITIONS = 100
N_RANDOM = 20
N_CLUSTERS = 10

GRID = [
    {"n_samples": n_samples, "repetition": repetition}
    for n_samples in (1000, 3000, 10_000, 30_000, 100_000, 200_000, 300_000, 1_000_000)
    for repetition in range(3)
]
SMOKE = [{"n_samples": n_samples, "repetition": 0} for n_samples in (1000, 3000)]


def run_one(*, n_samples, repetition):
    """Seconds, and peak memory of the whole process in bytes, measured in a process of its own."""
    return in_fresh_process(__name__, {"n_samples": n_samples, "repetition": repetition})


def planted_labels(n_samples, rng, n_random=N_RANDOM):
    """(n_samples, 100) uint8 labels and the classes behind them.

    A partition cuts every class into one to three parts by thresholds on a coordinate of the objects, as a finer
    clustering would; a tenth of its labels are random. The last 20 partitions are random throughout.
    """
    classes = rng.randint(N_CLUSTERS, size=n_samples).astype(np.uint8)
    place = rng.uniform(size=n_samples).astype(np.float32)
    labels = np.empty((n_samples, N_PARTITIONS), dtype=np.uint8)
    for u in range(N_PARTITIONS):
        n_labels = 3 * N_CLUSTERS
        if u >= N_PARTITIONS - n_random:
            labels[:, u] = rng.randint(rng.randint(N_CLUSTERS, n_labels + 1), size=n_samples)
            continue
        n_parts = rng.randint(1, 4, size=N_CLUSTERS)
        shift = rng.uniform(size=N_CLUSTERS).astype(np.float32)
        part = ((place + shift[classes]) % 1.0 * n_parts[classes]).astype(np.uint8)
        labels[:, u] = 3 * classes + np.minimum(part, 2)
        wrong = rng.uniform(size=n_samples) < 0.1
        labels[wrong, u] = rng.randint(n_labels, size=np.count_nonzero(wrong))
    return labels, classes


def measure(n_samples, repetition):
    """What run_one returns, in this process."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    # A first small fit loads the compiled kernels, so that the clock sees the work alone.
    warm, _ = planted_labels(100, rng)
    solve_median_partition(warm, N_CLUSTERS, n_init=1, random_state=0)
    labels, classes = planted_labels(n_samples, rng)
    start = time.perf_counter()
    result = solve_median_partition(labels, N_CLUSTERS, n_init=1, random_state=derive_seed(0, repetition, "solver"))
    seconds = time.perf_counter() - start
    return {
        "fit_seconds": seconds,
        "peak_bytes": peak_bytes(),
        "gap": result.gap,
        "n_iter": result.n_iter,
        "ari": adjusted_rand_score(classes, result.labels),
        "noise_weight": float(result.weights[-N_RANDOM:].sum()),
    }


if __name__ == "__main__":
    print_measured(measure)
