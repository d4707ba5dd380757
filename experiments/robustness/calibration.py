"""P-values of the agreement test for partitions that agree by chance alone: how near to uniform they are.

A cell is a number of objects and a kind of consensus. Everything is random: 100 partitions and a consensus in every
repetition, with 2 to 10 clusters (at most as many as objects), whose shares come from a flat Dirichlet distribution.
"""

import numpy as np

from robust_eac import agreement_test

from ..shared.store import derive_seed, grid

VERSION = 1

SIZES = (6, 8, 9, 12, 20, 50, 100, 300, 1000, 2000)
CONSENSUSES = ("hard", "soft")
N_PARTITIONS, MOST_CLUSTERS = 100, 10
LEVELS = (0.05, 0.01, 0.001)


def cells(*, n_samples=SIZES, consensuses=CONSENSUSES, repetitions=240):
    return grid(n_samples=n_samples, consensus=consensuses, repetitions=(repetitions,))


GRID = cells()
SMOKE = cells(n_samples=(6, 20), repetitions=2)


def run_one(*, n_samples, consensus, repetitions):
    """{"n_tests", "shares": of p-values at most each of LEVELS, "excess", "distance"}.

    "excess" is the largest P(p <= x) - x, "distance" that of Kolmogorov and Smirnov from the uniform distribution.
    """
    pvalues = []
    for repetition in range(repetitions):
        rng = np.random.RandomState(derive_seed(n_samples, repetition, "ensemble"))
        labels = np.column_stack([_random_partition(n_samples, rng) for _ in range(N_PARTITIONS)])
        rng = np.random.RandomState(derive_seed(n_samples, repetition, "data"))
        if consensus == "hard":
            membership = np.eye(MOST_CLUSTERS)[_random_partition(n_samples, rng)]
        else:
            membership = rng.dirichlet(np.ones(_n_clusters(n_samples, rng)), size=n_samples)
        pvalues.append(agreement_test(labels, membership).pvalue)
    return summary(np.concatenate(pvalues))


def summary(pvalues):
    """What a cell records of its p-values."""
    found, n_up_to = np.unique(pvalues, return_counts=True)
    up_to = np.cumsum(n_up_to) / len(pvalues)
    below = np.append(0.0, up_to[:-1])
    excess = float(np.max(up_to - found))
    return {
        "n_tests": len(pvalues),
        "shares": [round(float(np.mean(pvalues <= level)), 6) for level in LEVELS],
        "excess": round(excess, 4),
        "distance": round(max(excess, float(np.max(found - below))), 4),
    }


def _n_clusters(n_samples, rng):
    return rng.randint(2, min(n_samples, MOST_CLUSTERS) + 1)


def _random_partition(n_samples, rng):
    k = _n_clusters(n_samples, rng)
    return rng.choice(k, p=rng.dirichlet(np.ones(k)), size=n_samples)
