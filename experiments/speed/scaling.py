"""Time and peak memory of one fit by the numbers of objects, of partitions and of clusters, one of them at a time.

Each fit runs in a process of its own. A fifth of the partitions is random. The weighting is the restricted simplex; the
fit has one start and stops at a gap of 1e-5. Labels of more than a million objects are in a memory map.
"""

import tempfile
from pathlib import Path

import numpy as np

from robust_eac import adjusted_rand_score, solve_median_partition

from ..shared.ensembles import N_CLUSTERS, N_PARTITIONS, planted_labels
from ..shared.measure import peak_bytes, timed
from ..shared.store import derive_seed

VERSION = 2
# Every cell has a process of its own; they run one after another.
FRESH = True

# From this number of objects on, the labels are in a file, and there is one repetition.
MAPPED = 10_000_000


def cells(
    *,
    n_samples=(1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, MAPPED),
    n_partitions=(5, 10, 20, 50, 100, 200, 500),
    n_clusters=(2, 5, 10, 20, 50, 100, 200),
    at_n_samples=20_000,
    at_n_partitions=N_PARTITIONS,
    at_n_clusters=N_CLUSTERS,
    repetitions=3,
):
    """One of three numbers varies, while the others are those of the parameters "at ..."."""
    axes = {"n_samples": n_samples, "n_partitions": n_partitions, "n_clusters": n_clusters}
    fixed = {"n_samples": at_n_samples, "n_partitions": at_n_partitions, "n_clusters": at_n_clusters}
    return [
        {"axis": axis, **fixed, axis: value, "repetition": repetition}
        for axis, values in axes.items()
        for value in values
        for repetition in range(repetitions if value < MAPPED else 1)
    ]


_AT = {"at_n_samples": 200, "at_n_partitions": 10, "at_n_clusters": 3}
SMOKE = cells(n_samples=(200,), n_partitions=(5,), n_clusters=(6,), repetitions=1, **_AT)


def run_one(*, axis, n_samples, n_partitions, n_clusters, repetition):
    """Seconds of a fit, peak memory of the process in bytes, and quality of the result."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    # A small first fit loads the compiled kernels for labels of the same type, so that their loading is not timed.
    warm, _ = planted_labels(10 * n_clusters, rng, n_partitions=n_partitions, n_clusters=n_clusters)
    solve_median_partition(warm, n_clusters, n_init=1, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.npy" if n_samples >= MAPPED else None
        labels, classes = planted_labels(n_samples, rng, n_partitions=n_partitions, n_clusters=n_clusters, path=path)
        seed = derive_seed(0, repetition, "solver")
        result, seconds = timed(solve_median_partition, labels, n_clusters, n_init=1, random_state=seed)
    return {
        "fit_seconds": seconds,
        "peak_bytes": peak_bytes(),
        "gap": result.gap,
        "ari": adjusted_rand_score(classes, result.labels),
    }
