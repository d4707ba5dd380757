"""Crowds: every partition sees few of the objects, and is right on a share of them.

Each member of a crowd is right on a share of the objects that it sees; the share is drawn from [0, 0.9]. Some members
guess everything. The oracle is the unweighted consensus of the others.
"""

from functools import partial

import numpy as np

from robust_eac import adjusted_rand_score, solve_median_partition

from ..shared.store import derive_seed, grid
from .robustness import N_INIT, constant, option
from .robustness_kinds import BEST, WAYS

VERSION = 1

N_SAMPLES = 2000
N_PARTITIONS, N_CLUSTERS = 60, 5


def cells(*, seen=(0.1, 0.2, 0.3), guessing=(0.0, 0.25), repetitions=20):
    return grid(seen=seen, guessing=guessing, repetitions=(repetitions,))


SMOKE = cells(seen=(0.2,), guessing=(0.25,), repetitions=1)


def run_one(*, seen, guessing, repetitions):
    """{way: {"ari", "n_weighted", "n_guessing": lists by repetition}}, with one more entry for the oracle."""
    names = (*WAYS, "oracle")
    measured = {name: {"ari": [], "n_weighted": [], "n_guessing": []} for name in names}
    for repetition in range(repetitions):
        labels, classes, guesses = make_crowd(seen, guessing, repetition)
        seed = derive_seed(0, repetition, "solver")
        solve = partial(solve_median_partition, n_clusters=N_CLUSTERS, n_init=N_INIT, random_state=seed)
        fair = ~guesses / np.count_nonzero(~guesses)
        for name in names:
            consensus = WAYS.get(name, option(weighting=constant(fair)))(labels, solve)
            of_way = measured[name]
            of_way["ari"].append(round(adjusted_rand_score(classes, consensus.labels), 4))
            of_way["n_weighted"].append(int(np.count_nonzero(consensus.weights)))
            of_way["n_guessing"].append(int(np.count_nonzero(consensus.weights[guesses])))
    return measured


def make_crowd(seen, guessing, repetition):
    """(labels, classes, which partitions guess)."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    shape = N_SAMPLES, N_PARTITIONS
    classes = rng.randint(N_CLUSTERS, size=N_SAMPLES)
    guesses = np.arange(N_PARTITIONS) < round(guessing * N_PARTITIONS)
    right = rng.uniform(size=shape) < np.where(guesses, 0.0, rng.uniform(0.0, BEST, size=N_PARTITIONS))
    labels = np.where(right, classes[:, np.newaxis], rng.randint(N_CLUSTERS, size=shape))
    labels[rng.uniform(size=shape) >= seen] = -1
    some = (labels != -1).any(axis=1)
    return labels[some], classes[some], guesses
