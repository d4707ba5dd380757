"""Time and peak memory of the hard median partition by the number of objects, for 200 draws of ten clusters.

Every object has two clusters. A draw puts it into the second one with a probability that is uniform in [0, 1/2] for
three objects in ten, and 1 % for the others, so that most rows of labels differ. Labels take one byte each. Each search
runs in a process of its own, with 16 starts and at most ten clusters.
"""

import numpy as np

from robust_eac import hard_partition_losses, solve_hard_median_partition

from ..accuracy.hard_partitions import LOSSES
from ..shared.ensembles import N_CLUSTERS
from ..shared.measure import peak_bytes, timed
from ..shared.store import derive_seed, grid

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True

UNCERTAIN, STRAYING = 0.3, 0.01

CHOICES = {"losses": LOSSES}


def cells(*, losses=("binder", "vi"), n_samples=(1000, 10_000, 100_000, 1_000_000), n_draws=200, repetitions=3):
    return grid(loss=losses, n_samples=n_samples, n_draws=(n_draws,), repetition=range(repetitions))


SMOKE = cells(n_samples=(200,), n_draws=20, repetitions=1)


def run_one(*, loss, n_samples, n_draws, repetition):
    """Seconds of the search, peak memory of the process in bytes, and expected losses found and planted."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    # A small first search loads the compiled kernels for labels of the same type, so that their loading is not timed.
    warm, _ = uncertain_draws(10 * N_CLUSTERS, n_draws, rng)
    solve_hard_median_partition(warm, N_CLUSTERS, loss=loss, n_init=2, random_state=0)
    labels, planted = uncertain_draws(n_samples, n_draws, rng)
    input_bytes = peak_bytes()
    seed = derive_seed(0, repetition, "solver")
    result, seconds = timed(solve_hard_median_partition, labels, N_CLUSTERS, loss=loss, random_state=seed)
    peak = peak_bytes()
    return {
        "search_seconds": seconds,
        "input_bytes": input_bytes,
        "peak_bytes": peak,
        "loss": result.objective,
        "planted": float(hard_partition_losses(labels, planted, loss=loss).mean()),
    }


def uncertain_draws(n_samples, n_draws, rng):
    """(draws (n_samples, n_draws), one per column, uint8; the cluster in which every object is most often)."""
    first = rng.randint(N_CLUSTERS, size=n_samples).astype(np.uint8)
    second = (first + rng.randint(1, N_CLUSTERS, size=n_samples)).astype(np.uint8) % N_CLUSTERS
    share = np.where(rng.uniform(size=n_samples) < UNCERTAIN, rng.uniform(0.0, 0.5, size=n_samples), STRAYING)
    labels = np.empty((n_samples, n_draws), dtype=np.uint8)
    for u in range(n_draws):
        labels[:, u] = np.where(rng.uniform(size=n_samples) < share, second, first)
    return labels, first
