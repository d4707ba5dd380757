"""Merging, the median partition and the best other methods on ensembles unlike those of `ensemble_benchmark`.

The data sets of paper 002 have the mixed ensembles of `noisy_ensembles`, by six algorithms; the "unbalanced" sets of
the benchmark have 30 k-means partitions with numbers of clusters in [2, sqrt(n)]. A cell is one data set and share of
random partitions, with all its ensembles.
"""

import numpy as np

from ..robust_eac import noisy_ensembles
from ..shared.data import DATA
from ..shared.ensembles import scores
from ..shared.store import grid
from .ensemble_benchmark import MANY, METHODS, UNBALANCED, make_ensemble, seed_of, spoil

VERSION = 4

SHOWN = ("robust-merge", "robust-eac", "robust-eac chance-corrected", "locally-weighted-eac", "lwgp", "kmeans")
CHOICES = {"datasets": (*DATA, *UNBALANCED)}


def cells(*, datasets=(*noisy_ensembles.SETTINGS, *UNBALANCED), fractions=(0.0, 0.3, 0.5), n_ensembles=6):
    return grid(dataset=datasets, fraction=fractions, n_ensembles=(n_ensembles,))


SMOKE = cells(datasets=("wine", "unbalanced, apart"), fractions=(0.5,), n_ensembles=1)


def run_one(*, dataset, fraction, n_ensembles):
    """{method: {"nmi", "ari", "h": values by ensemble}}."""
    runs = [_run(dataset, fraction, repetition) for repetition in range(n_ensembles)]
    return {
        method: {measure: [round(run[method][measure], 4) for run in runs] for measure in measures}
        for method, measures in runs[0].items()
    }


def _run(dataset, fraction, repetition):
    if dataset in UNBALANCED:
        made = make_ensemble(dataset, "sqrt", MANY, repetition)
    else:
        made = noisy_ensembles.make_ensemble(dataset=dataset, ensemble="mixed", repetition=repetition)
    labels, y = spoil(*made, dataset, repetition, fraction)
    run = {}
    for name in SHOWN:
        rng = np.random.RandomState(seed_of(dataset, repetition, "solver"))
        run[name] = scores(y, METHODS[name](labels, len(np.unique(y)), random_state=rng))
    return run
