"""Co-association of pairs of the same class and of others, for coarse and fine base clusterings, with its two levels.

The ensembles are those of `ensemble_benchmark`: base clusterings with as many clusters as there are classes
("fixed"), or with a number drawn from [2, sqrt(n)] ("sqrt").
"""

import numpy as np

from robust_eac import coassociation_matrix, merge_consensus, solve_median_partition

from ..shared.ensembles import scores
from ..shared.own import DATA
from ..shared.store import grid
from .ensemble_benchmark import POOLS, RANGES, make_ensemble, seed_of

VERSION = 1

N_BINS = 20
CHOICES = {"datasets": (*DATA, *POOLS), "ranges": RANGES}


def cells(*, datasets=("image-1",), ranges=("fixed", "sqrt"), n_partitions=(100,), repetitions=1):
    return grid(dataset=datasets, range=ranges, n_partitions=n_partitions, repetition=range(repetitions))


GRID = cells()
SMOKE = cells(datasets=("iris",), n_partitions=(10,))


def run_one(*, dataset, range, n_partitions, repetition):
    """Pairs of the "same" class and of "other" classes in equal bins of [0, 1], the levels, and what they lead to.

    The levels are the mean co-associations inside and outside of the consensus with a threshold from the data; "half"
    and "data" measure the consensus with either threshold against the classes.
    """
    labels, y = make_ensemble(dataset, range, n_partitions, repetition)
    k, seed = len(np.unique(y)), seed_of(dataset, repetition, "solver")
    values, (i, j) = coassociation_matrix(labels), np.triu_indices(len(y), 1)
    values, same = values[i, j], y[i] == y[j]
    start = merge_consensus(labels, k, random_state=seed).labels
    found = {
        threshold: solve_median_partition(
            labels, k, weighting="uniform", threshold=threshold, init=start, random_state=seed
        ).labels
        for threshold in ("half", "data")
    }
    together = found["data"][i] == found["data"][j]
    return {
        "same": np.histogram(values[same], N_BINS, (0.0, 1.0))[0].tolist(),
        "other": np.histogram(values[~same], N_BINS, (0.0, 1.0))[0].tolist(),
        "levels": [round(float(values[inside].mean()), 4) for inside in (together, ~together)],
        "agreement": {threshold: scores(y, labels) for threshold, labels in found.items()},
    }
