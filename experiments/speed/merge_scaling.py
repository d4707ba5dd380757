"""Time and peak memory of the merged consensus by the number of objects, for 100 partitions, a fifth of them random.

The labels are those of `scaling`, with all rows different. Each consensus runs in a process of its own.
"""

import numpy as np

from robust_eac import adjusted_rand_score
from robust_eac.consensus import merge_consensus

from ..shared.ensembles import N_CLUSTERS, N_PARTITIONS, planted_labels
from ..shared.measure import peak_bytes, timed
from ..shared.store import derive_seed, grid

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True


def cells(*, n_samples=(10_000, 30_000, 100_000, 300_000, 1_000_000), repetitions=3):
    return grid(n_samples=n_samples, repetition=range(repetitions))


GRID = cells()
SMOKE = cells(n_samples=(200, 600), repetitions=1)


def run_one(*, n_samples, repetition):
    """Seconds of the consensus, peak memory of the process in bytes, and quality of the result."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    # A small first consensus loads the compiled kernels, so that their loading is not timed.
    warm, _ = planted_labels(50 * N_CLUSTERS, rng)
    merge_consensus(warm, N_CLUSTERS, random_state=0)
    labels, classes = planted_labels(n_samples, rng)
    seed = derive_seed(0, repetition, "solver")
    result, seconds = timed(merge_consensus, labels, N_CLUSTERS, random_state=seed)
    return {
        "consensus_seconds": seconds,
        "peak_bytes": peak_bytes(),
        "ari": adjusted_rand_score(classes, result.labels),
        "noise_weight": float(result.weights[N_PARTITIONS - N_PARTITIONS // 5 :].sum()),
    }
