"""Ensemble NMI and density of consensus systems on benchmark data (paper 001, all tables of Section 6).

A cell is one data set and repetition. Every system sees the same base clusterings.
"""

from functools import lru_cache

import numpy as np

from robust_eac import adjusted_rand_score, density, ensemble_nmi

from ..shared.measure import significant, timed
from ..shared.store import derive_seed
from .linear_eac_data import HIERARCHICAL, LARGE, MEDIUM, N_PARTITIONS, SMALL, SYSTEMS, make_ensemble

VERSION = 1

NORMALISER = "geometric"
N_CLUSTERS = 20
REPETITIONS = {**dict.fromkeys(SMALL, 12), **dict.fromkeys(MEDIUM, 6), **dict.fromkeys(LARGE, 5)}
CHOICES = {"datasets": tuple(REPETITIONS)}


def cells(*, datasets=CHOICES["datasets"], repetitions: int | None = None):
    """By default a data set has the number of repetitions in REPETITIONS."""
    return [
        {"dataset": dataset, "repetition": repetition, "hierarchical": dataset not in LARGE}
        for dataset in datasets
        for repetition in range(repetitions or REPETITIONS[dataset])
    ]


SMOKE = [{"dataset": name, "repetition": 0, "hierarchical": name == "glass"} for name in ("glass", "iris")]


def run_one(*, dataset, repetition, hierarchical):
    """{"members": {measure: values by base clustering}, "systems": {system: measures}}, in percent."""
    labels = make_ensemble(dataset, N_PARTITIONS, seed=derive_seed(0, repetition, "ensemble"))
    _warm_up()
    systems = {}
    for name, system in RUN.items():
        if name in HIERARCHICAL and not hierarchical:
            continue
        found, seconds = timed(system, labels, N_CLUSTERS, random_state=derive_seed(0, repetition, "solver"))
        systems[name] = grade(labels, found) | {"seconds": significant(seconds)}
    members = {
        "nmi": [percent(nmi_with_others(labels, column)) for column in labels.T],
        "density": [percent(density(labels, column)) for column in labels.T],
        "n_clusters": [len(np.unique(column)) for column in labels.T],
    }
    return {"members": members, "systems": systems}


def nmi_with_others(labels, column):
    """Mean NMI of a member with the other members, without its NMI of 1 with itself, as in the printed columns."""
    m = labels.shape[1]
    return (m * ensemble_nmi(labels, column, average=NORMALISER) - 1.0) / (m - 1)


def grade(labels, found):
    """Measures of one partition against the ensemble, in percent."""
    measures = {
        "nmi": ensemble_nmi(labels, found, average=NORMALISER),
        "ari": np.mean([adjusted_rand_score(column, found) for column in labels.T]),
        "density": density(labels, found),
        "density_singletons_one": density(labels, found, singleton=1.0),
        "diagonal_density": diagonal_density(labels, found),
    }
    return {name: percent(value) for name, value in measures.items()}


def percent(value):
    """A share in percent, rounded to three decimals."""
    return round(100.0 * float(value), 3)


def diagonal_density(labels, found):
    """Density including the pairs (i, i): 1 - L / (n m) with the loss L of k-means on the one-hot ensemble."""
    _, clusters, sizes = np.unique(found, return_inverse=True, return_counts=True)
    squares = 0.0
    for column in labels.T:
        width = int(column.max()) + 1
        counts = np.bincount(clusters * width + column, minlength=len(sizes) * width).reshape(len(sizes), width)
        squares += float((np.square(counts).sum(axis=1) / sizes).sum())
    return squares / labels.size


def random_clusters(labels, n_clusters, *, random_state):
    """A random cluster for every object."""
    return np.random.RandomState(random_state).randint(n_clusters, size=len(labels))


# Random clusters show what a system reaches without looking at the ensemble.
RUN = {**SYSTEMS, "random": random_clusters}


@lru_cache(maxsize=1)
def _warm_up():
    """Run every system on a few objects, so that the loading of compiled code is not timed."""
    labels = np.random.RandomState(0).randint(4, size=(40, 5)).astype(np.uint8)
    for system in RUN.values():
        system(labels, 3, random_state=0)
