"""XB and FS of crisp partitions with fuzzy memberships (paper 004, Table 3), on the data and partitions of `ovi_qpsk`.

The paper lets the memberships of crisp clusters be 0 or 1. Programs for fuzzy clusters often take the centroids and
compute the memberships themselves, by the formula of fuzzy c-means with m = 2. So FS and XB may have been computed for
the crisp algorithms too. The index then takes the centroids of these memberships, or stays with those given.
"""

import numpy as np
from scipy.spatial.distance import cdist

from robust_eac.features.fuzzy import c_means_membership

from ..shared.store import derive_seed, grid
from .ovi_qpsk import ALGORITHMS, DIVISORS, FUZZY, MAIN, PRINTED, SIZES, best_number, make_qpsk, partitions_of

VERSION = 1

CRISP = tuple(name for name in ALGORITHMS if name not in FUZZY)


def cells(*, divisors=DIVISORS, n=SIZES, n_init=3, decibels=PRINTED, repetitions=3, main_repetitions=6):
    """The definitions of `ovi_qpsk`, the main one with as many repetitions as there."""
    definitions = grid(divisor=divisors, n=n, n_init=(n_init,), decibel=decibels, repetition=range(repetitions))
    main = [MAIN | cell for cell in grid(decibel=decibels, repetition=range(repetitions, main_repetitions))]
    return definitions + main


SMOKE = cells(divisors=(4,), n=(60,), n_init=1, decibels=(5,), repetitions=1, main_repetitions=0)


def run_one(*, divisor, n, n_init, decibel, repetition):
    """{"best": {crisp algorithm: {index: number of clusters that it selects}}}."""
    X, _ = make_qpsk(n, decibel, divisor, derive_seed(decibel, repetition, "data"))
    seed = derive_seed(decibel, repetition, "solver")
    best = {}
    for name in CRISP:
        scores = {}
        for k, labels in partitions_of(X, name, n_init, [seed, ALGORITHMS.index(name)]):
            for key, value in fuzzy_indices(X, labels).items():
                of_key = scores.setdefault(key, {})
                of_key[k] = max(of_key.get(k, -np.inf), -value)
        best[name] = {key: best_number(of_key) for key, of_key in scores.items()}
    return {"best": best}


def fuzzy_indices(X, labels):
    """XB, FS, and FS with the mean of the centroids, by memberships from the centroids of the labels.

    Keys end in "fuzzy" for the centroids of these memberships and in "given" for those of the labels.
    """
    given = np.array([X[labels == label].mean(axis=0) for label in np.unique(labels)])
    weights = c_means_membership(cdist(X, given, "sqeuclidean")) ** 2
    own = weights.T @ X / weights.sum(axis=0)[:, np.newaxis]
    values = {}
    for ending, centers in (("fuzzy", own), ("given", given)):
        within = (weights * cdist(X, centers, "sqeuclidean")).sum()
        between = cdist(centers, centers, "sqeuclidean")[np.triu_indices(len(centers), 1)].min()
        values[f"XB {ending}"] = within / (len(X) * between)
        for key, middle in (("FS", X.mean(axis=0)), ("FS centroids", centers.mean(axis=0))):
            values[f"{key} {ending}"] = within - weights.sum(axis=0) @ ((centers - middle) ** 2).sum(axis=1)
    return values
