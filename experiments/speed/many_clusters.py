"""Time and peak memory of one fit by the number of clusters, up to a third of the objects.

The base clusterings have as many clusters as the consensus, or up to three times as many; a fifth of them is random.
Each fit runs in a process of its own, from one start: "soft" memberships with the restricted simplex, down to a gap of
1e-5, or, with equal weights, a "hard" partition under Binder's loss that no single move improves.
"""

import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from robust_eac import adjusted_rand_score, solve_hard_median_partition, solve_median_partition

from ..shared.ensembles import planted_labels
from ..shared.measure import peak_bytes, timed
from ..shared.store import derive_seed, grid

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True

SOLVERS = {"soft": solve_median_partition, "hard": solve_hard_median_partition}
CHOICES = {"solvers": tuple(SOLVERS)}


def cells(
    *,
    n_samples=(100_000,),
    n_partitions=(50,),
    n_clusters=(10, 30, 100, 200, 300, 1000, 3000, 10_000, 30_000),
    solvers=tuple(SOLVERS),
    repetitions=1,
):
    sizes = {"n_samples": n_samples, "n_partitions": n_partitions, "n_clusters": n_clusters}
    return grid(**sizes, solver=solvers, repetition=range(repetitions))


GRID = cells()
SMOKE = cells(n_samples=(900,), n_partitions=(10,), n_clusters=(5, 300))


def run_one(*, n_samples, n_partitions, n_clusters, solver, repetition):
    """Seconds of a fit, peak memory of the process in bytes, and the result: gap, agreement with the classes, form.

    "gap" and "sparse" are None for a hard partition.
    """
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    labels, classes = planted_labels(n_samples, rng, n_partitions=n_partitions, n_clusters=n_clusters)
    # A first fit loads the compiled kernels, those for as many codes and as many clusters.
    warm = np.column_stack([labels[:, 0], labels[:, 0]])
    solve, soft = SOLVERS[solver], solver == "soft"
    rough = {"tol": 1.0, "max_iter": 1} if soft else {"max_passes": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Few clusters where tables are dense: the hard solver would dissolve a hundred, one by one and in pairs.
        solve(warm, 300 if n_clusters > 256 else 5, n_init=1, random_state=0, **rough)
    seed = derive_seed(0, repetition, "solver")
    result, seconds = timed(solve, labels, n_clusters, n_init=1, random_state=seed)
    return {
        "fit_seconds": seconds,
        "peak_bytes": peak_bytes(),
        "gap": result.gap if soft else None,
        "ari": float(adjusted_rand_score(classes, result.labels)),
        "noise_weight": float(result.weights[n_partitions - n_partitions // 5 :].sum()),
        "sparse": sparse.issparse(result.membership) if soft else None,
    }
