"""Time of whole fits with every weighting beside the unweighted fit, at 100,000 objects, clean and with noise.

A cell fits one ensemble with every weighting, one after the other, in every round: only ratios within a round mean
something. 100 partitions of objects in 10 clusters, one start to a gap of 1e-5.
"""

import time

import numpy as np

from robust_eac import adjusted_rand_score, solve_median_partition

from .robustness import WEIGHTINGS
from .scaling import N_CLUSTERS, N_PARTITIONS, planted_labels
from .store import derive_seed

VERSION = 1
# Cells are timed: one after another.
JOBS = 1

GRID = [{"n_samples": 100_000, "fraction": fraction, "rounds": 7} for fraction in (0.0, 0.2)]
SMOKE = [{"n_samples": 1000, "fraction": fraction, "rounds": 2} for fraction in (0.0, 0.2)]


def run_one(*, n_samples, fraction, rounds):
    """{weighting: {"seconds": of every round, "n_iter": alternations, "ari": with the planted classes}}."""
    # A first small fit of each loads the compiled kernels, so that the clock sees the work alone.
    rng = np.random.RandomState(derive_seed(0, 0, "ensemble"))
    n_random = round(fraction * N_PARTITIONS)
    run_round(*planted_labels(100, rng, n_random), repetition=0)
    labels, classes = planted_labels(n_samples, rng, n_random)
    every = [run_round(labels, classes, repetition=repetition) for repetition in range(rounds)]
    return {
        name: {
            "seconds": [float(f"{measured[name]['seconds']:.3g}") for measured in every],
            "n_iter": [measured[name]["n_iter"] for measured in every],
            "ari": round(float(np.mean([measured[name]["ari"] for measured in every])), 4),
        }
        for name in WEIGHTINGS
    }


def run_round(labels, classes, *, repetition):
    """One fit of every weighting, all from the same start; every second round goes backwards."""
    measured = {}
    for name in list(WEIGHTINGS)[:: -1 if repetition % 2 else 1]:
        start = time.perf_counter()
        consensus = solve_median_partition(
            labels, N_CLUSTERS, n_init=1, random_state=derive_seed(0, repetition, "solver"), **WEIGHTINGS[name]
        )
        measured[name] = {
            "seconds": time.perf_counter() - start,
            "n_iter": consensus.n_iter,
            "ari": adjusted_rand_score(classes, consensus.labels),
        }
    return measured
