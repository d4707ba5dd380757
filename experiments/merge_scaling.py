"""Time and peak memory of the merged consensus over the number of objects: 100 partitions, a fifth of them random.

The planted labels of the experiment scaling, whose rows all differ, each measured in a fresh process.
"""

import time

import numpy as np

from robust_eac import adjusted_rand_score
from robust_eac.consensus import merge_consensus

from .measure import in_fresh_process, peak_bytes, print_measured
from .scaling import N_CLUSTERS, N_PARTITIONS, REPETITIONS, planted_labels
from .store import derive_seed

VERSION = 1
# Cells are timed: one after another.
JOBS = 1

GRID = [
    {"n_samples": n, "repetition": repetition}
    for n in (10_000, 30_000, 100_000, 300_000, 1_000_000)
    for repetition in range(REPETITIONS)
]
SMOKE = [{"n_samples": n, "repetition": 0} for n in (200, 600)]


def run_one(*, n_samples, repetition):
    """Seconds, and peak memory of the whole process in bytes, measured in a process of its own."""
    return in_fresh_process(__name__, {"n_samples": n_samples, "repetition": repetition})


def measure(n_samples, repetition):
    """What run_one returns, in this process."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    # A first small consensus loads the compiled kernels, so that the clock sees the work alone.
    warm, _ = planted_labels(50 * N_CLUSTERS, rng)
    merge_consensus(warm, N_CLUSTERS, random_state=0)
    labels, classes = planted_labels(n_samples, rng)
    seed = derive_seed(0, repetition, "solver")
    start = time.perf_counter()
    result = merge_consensus(labels, N_CLUSTERS, random_state=seed)
    return {
        "consensus_seconds": time.perf_counter() - start,
        "peak_bytes": peak_bytes(),
        "ari": adjusted_rand_score(classes, result.labels),
        "noise_weight": float(result.weights[N_PARTITIONS - N_PARTITIONS // 5 :].sum()),
    }


if __name__ == "__main__":
    print_measured(measure)
