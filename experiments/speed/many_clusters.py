"""Time and peak memory of a hard partition and its weights by the number of clusters, up to 1,000.

The base clusterings have as many clusters as the consensus, or up to three times as many; a fifth of them is random.
Each search runs in a process of its own, from one start, for Binder's loss with weights on the restricted simplex: the
partition is one that no single move improves, and the weights are those of its losses.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from robust_eac import adjusted_rand_score, solve_hard_median_partition

from ..shared.ensembles import planted_labels
from ..shared.measure import peak_bytes, timed
from ..shared.store import derive_seed, grid

VERSION = 2
# Every cell has a process of its own; they run one after another.
FRESH = True


def cells(
    *,
    n_samples=(100_000,),
    n_partitions=(50,),
    n_clusters=(10, 30, 100, 200, 300, 1000),
    repetitions=1,
):
    sizes = {"n_samples": n_samples, "n_partitions": n_partitions, "n_clusters": n_clusters}
    return grid(**sizes, repetition=range(repetitions))


SMOKE = cells(n_samples=(900,), n_partitions=(10,), n_clusters=(5, 30))


def run_one(*, n_samples, n_partitions, n_clusters, repetition):
    """Seconds of a search, peak memory of the process in bytes, agreement with the classes, weight of the noise."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    labels, classes = planted_labels(n_samples, rng, n_partitions=n_partitions, n_clusters=n_clusters)
    options = {"weighting": "restricted-simplex", "n_init": 1}
    # A first search loads the compiled kernels for this many codes.
    warm = np.column_stack([labels[:, 0], labels[:, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Only few clusters: a hundred would be dissolved, one by one and in pairs.
        solve_hard_median_partition(warm, 5, max_passes=1, random_state=0, **options)
    seed = derive_seed(0, repetition, "solver")
    result, seconds = timed(solve_hard_median_partition, labels, n_clusters, random_state=seed, **options)
    return {
        "fit_seconds": seconds,
        "peak_bytes": peak_bytes(),
        "ari": float(adjusted_rand_score(classes, result.labels)),
        "noise_weight": float(result.weights[n_partitions - n_partitions // 5 :].sum()),
    }
