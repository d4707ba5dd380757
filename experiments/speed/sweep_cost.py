"""Time of one sweep of the Y step beside a mere gather: SciPy's sparse one-hot matrix times the dense S.

A gather reads what a sweep reads and computes almost nothing. The two alternate in one process. Every sweep starts from
the same rows: from early in a descent, when all of them move, or from late, when few do. SciPy uses one thread.
"""

from operator import matmul

import numpy as np

from robust_eac.solve.descent import sweep, visit_with, visiting_order
from robust_eac.solve.encoding import encode, one_hot
from robust_eac.solve.formula import accumulate, weighted_statistics

from ..shared.ensembles import N_PARTITIONS, planted_labels
from ..shared.measure import timed
from ..shared.store import derive_seed, grid

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True

ROUNDS = 7
# {stage: number of sweeps before the measured one}
STAGES = {"early": 1, "late": 20}


def cells(*, n_samples=(200_000,), n_clusters=(4, 10, 50), stages=tuple(STAGES), n_threads=(1, 2)):
    return grid(n_samples=n_samples, n_clusters=n_clusters, stage=stages, n_threads=n_threads)


GRID = cells()
SMOKE = cells(n_samples=(500,), n_clusters=(4,), n_threads=(2,))


def run_one(*, n_samples, n_clusters, stage, n_threads):
    """Lists of "sweep_seconds" and "gather_seconds" by round."""
    rng = np.random.RandomState(derive_seed(0, 0, "ensemble"))
    encoding = encode(planted_labels(n_samples, rng)[0])
    weights = np.full(N_PARTITIONS, 1.0 / N_PARTITIONS)
    rng = np.random.RandomState(derive_seed(0, 0, "solver"))
    rows = rng.dirichlet(np.ones(n_clusters), n_samples)

    def clock_sweep(rows):
        statistics = weighted_statistics(encoding, weights, *accumulate(encoding, rows))
        order, how = visiting_order(n_samples, rng), visit_with(1.0)
        return timed(sweep, encoding, statistics, rows, order, how, n_threads=n_threads)[1]

    for _ in range(STAGES[stage]):
        clock_sweep(rows)
    columns, S = one_hot(encoding), accumulate(encoding, rows)[0]
    rounds = [(clock_sweep(rows.copy()), timed(matmul, columns, S)[1]) for _ in range(ROUNDS)]
    sweeps, gathers = zip(*rounds, strict=True)
    return {"sweep_seconds": sweeps, "gather_seconds": gathers}
