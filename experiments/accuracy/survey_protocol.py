"""Consensus functions by the protocol of Xu et al.'s survey: 20 of the 100 base clusterings of a published pool.

A cell is one pool. Twenty draws of 20 clusterings with k in [2, sqrt(n)], rows shuffled, the consensus at the number of
classes; functions that need a matrix of all pairs are left out above 5,000 objects.
"""

from ..shared.data import DATA
from .ensemble_benchmark import DENSE, DENSE_LIMIT, MERGED, METHODS, POOLS, graded, make_ensemble, seed_of, summary

VERSION = 2

SHOWN = (MERGED, "locally-weighted-eac", "lwgp", "usenc", "eac-average", "robust-eac")
CHOICES = {"datasets": (*DATA, *POOLS)}


def cells(*, datasets=POOLS, n_partitions=20, n_draws=20):
    return [{"dataset": name, "n_partitions": n_partitions, "n_draws": n_draws} for name in datasets]


SMOKE = cells(datasets=("iris",), n_draws=2)


def run_one(*, dataset, n_partitions, n_draws):
    """{method: {"nmi", "ari": values by draw, "seconds": their median}}."""
    runs = {}
    for repetition in range(n_draws):
        labels, y = make_ensemble(dataset, "sqrt", n_partitions, repetition)
        seed = seed_of(dataset, repetition, "solver")
        for name in SHOWN:
            if name not in DENSE or len(y) <= DENSE_LIMIT:
                runs.setdefault(name, []).append(graded(METHODS[name], labels, y.max() + 1, y, seed))
    return {name: summary(measured) for name, measured in runs.items()}
