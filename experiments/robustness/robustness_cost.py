"""Time of fits with every weighting beside the unweighted fit, for 100,000 objects, clean and with noise.

A cell is one share of noise. In every round it fits the same ensemble with every weighting in turn, so that ratios
within a round are meaningful. There are 100 partitions and 10 clusters; a fit has one start and stops at a gap of 1e-5.
"""

import numpy as np

from robust_eac import adjusted_rand_score, solve_median_partition

from ..shared.ensembles import N_CLUSTERS, N_PARTITIONS, planted_labels
from ..shared.measure import significant, timed
from ..shared.store import derive_seed, grid
from .robustness import WEIGHTINGS

VERSION = 2
# Cells are timed, so they run one after another.
JOBS = 1


def cells(*, n_samples=(100_000,), fractions=(0.0, 0.2), rounds=7):
    return grid(n_samples=n_samples, fraction=fractions, rounds=(rounds,))


SMOKE = cells(n_samples=(300,), rounds=2)


def run_one(*, n_samples, fraction, rounds):
    """{weighting: {"seconds", "n_iter": lists by round, "ari": mean agreement with the planted classes}}."""
    # A small first fit loads the compiled kernels, so that their loading is not timed.
    rng = np.random.RandomState(derive_seed(0, 0, "ensemble"))
    n_random = round(fraction * N_PARTITIONS)
    run_round(*planted_labels(100, rng, n_random), repetition=0)
    labels, classes = planted_labels(n_samples, rng, n_random)
    every = [run_round(labels, classes, repetition=repetition) for repetition in range(rounds)]
    return {
        name: {
            "seconds": [significant(measured[name]["seconds"]) for measured in every],
            "n_iter": [measured[name]["n_iter"] for measured in every],
            "ari": round(float(np.mean([measured[name]["ari"] for measured in every])), 4),
        }
        for name in WEIGHTINGS
    }


def run_round(labels, classes, *, repetition):
    """One fit of every weighting from the same start; every second round takes them in reverse order."""
    measured = {}
    for name in list(WEIGHTINGS)[:: -1 if repetition % 2 else 1]:
        seed = derive_seed(0, repetition, "solver")
        consensus, seconds = timed(
            solve_median_partition, labels, N_CLUSTERS, n_init=1, random_state=seed, **WEIGHTINGS[name]
        )
        measured[name] = {
            "seconds": seconds,
            "n_iter": consensus.n_iter,
            "ari": adjusted_rand_score(classes, consensus.labels),
        }
    return measured
