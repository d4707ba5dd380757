"""One sweep of the Y step beside the bare gather: SciPy's sparse one-hot matrix times the dense S, in one process.

A gather reads what a sweep reads, and does nothing with it. The two alternate. The sweep starts each time from the
same rows: early in a descent, when all of them move, and late, when few do. SciPy uses one thread.
"""

import time

import numpy as np

from robust_eac.core.bundles import Visit
from robust_eac.core.encoding import encode, one_hot
from robust_eac.core.formula import accumulate, weighted_statistics
from robust_eac.core.sweep import PAIR_STEPS, sweep, visiting_order

from .measure import in_fresh_process, print_measured
from .scaling import N_PARTITIONS, planted_labels
from .store import derive_seed

VERSION = 1
# Cells are timed: one after another.
JOBS = 1

ROUNDS = 7
# {stage: sweeps before the one that is measured}
STAGES = {"early": 1, "late": 20}

GRID = [
    {"n_samples": 200_000, "n_clusters": k, "stage": stage, "n_threads": n_threads}
    for k in (4, 10, 50)
    for stage in STAGES
    for n_threads in (1, 2)
]
SMOKE = [{"n_samples": 500, "n_clusters": k, "stage": stage, "n_threads": 2} for k in (4, 10) for stage in STAGES]


def run_one(*, n_samples, n_clusters, stage, n_threads):
    """Lists of "sweep_seconds" and "gather_seconds", one of each per round, measured in a process of its own."""
    config = {"n_samples": n_samples, "n_clusters": n_clusters, "stage": stage, "n_threads": n_threads}
    return in_fresh_process(__name__, config)


def measure(n_samples, n_clusters, stage, n_threads):
    """What run_one returns, in this process."""
    rng = np.random.RandomState(derive_seed(0, 0, "ensemble"))
    encoding = encode(planted_labels(n_samples, rng)[0])
    weights = np.full(N_PARTITIONS, 1.0 / N_PARTITIONS)
    rng = np.random.RandomState(derive_seed(0, 0, "solver"))
    rows = rng.dirichlet(np.ones(n_clusters), n_samples)

    def clock_sweep(rows):
        statistics = weighted_statistics(encoding, weights, *accumulate(encoding, rows))
        order = visiting_order(n_samples, rng)
        how = Visit(diagonal=True, n_steps=PAIR_STEPS, skip=0.0, relaxation=1.0)
        start = time.perf_counter()
        sweep(encoding, statistics, rows, order, how, n_threads=n_threads)
        return time.perf_counter() - start

    for _ in range(STAGES[stage]):
        clock_sweep(rows)
    columns, S = one_hot(encoding), accumulate(encoding, rows)[0]

    def clock_gather():
        start = time.perf_counter()
        columns @ S
        return time.perf_counter() - start

    rounds = [(clock_sweep(rows.copy()), clock_gather()) for _ in range(ROUNDS)]
    sweeps, gathers = zip(*rounds, strict=True)
    return {"sweep_seconds": sweeps, "gather_seconds": gathers}


if __name__ == "__main__":
    print_measured(measure)
