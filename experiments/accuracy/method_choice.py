"""Merging, the median partition and the best other methods on ensembles unlike those of `ensemble_benchmark`.

The data sets of paper 002 have the mixed ensembles of `noisy_ensembles`, by six algorithms. The "unbalanced" sets are
six Gaussian clusters in five dimensions, each half as large as the one before, with thirty k-means partitions whose
numbers of clusters are in [2, sqrt(n)]. A cell is one data set and share of random partitions, with all its ensembles.
"""

from functools import partial

import numpy as np

from robust_eac import KMeansEnsemble

from ..robust_eac import noisy_ensembles
from ..shared.ensembles import scores
from ..shared.own import DATA
from ..shared.store import grid
from .ensemble_benchmark import METHODS, seed_of, spoil

VERSION = 2

SHOWN = ("robust-merge", "robust-eac", "robust-eac chance-corrected", "locally-weighted-eac", "lwgp", "kmeans")
# {name: approximate distance between the centres of two clusters, in standard deviations of a cluster}
UNBALANCED = {"unbalanced, apart": 4.0, "unbalanced, touching": 2.0}
_SIZES, _N_FEATURES, _N_PARTITIONS = (640, 320, 160, 80, 40, 20), 5, 30
CHOICES = {"datasets": (*DATA, *UNBALANCED)}


def cells(*, datasets=(*noisy_ensembles.SETTINGS, *UNBALANCED), fractions=(0.0, 0.3, 0.5), n_ensembles=6):
    return grid(dataset=datasets, fraction=fractions, n_ensembles=(n_ensembles,))


GRID = cells()
SMOKE = cells(datasets=("wine", "unbalanced, apart"), fractions=(0.5,), n_ensembles=1)


def run_one(*, dataset, fraction, n_ensembles):
    """{method: {"nmi", "ari", "h"}}, means over the ensembles."""
    runs = [_run(dataset, fraction, repetition) for repetition in range(n_ensembles)]
    return {
        method: {measure: round(float(np.mean([run[method][measure] for run in runs])), 5) for measure in measures}
        for method, measures in runs[0].items()
    }


def _run(dataset, fraction, repetition):
    make = make_unbalanced if dataset in UNBALANCED else partial(noisy_ensembles.make_ensemble, ensemble="mixed")
    labels, y = spoil(*make(dataset=dataset, repetition=repetition), dataset, repetition, fraction)
    run = {}
    for name in SHOWN:
        rng = np.random.RandomState(seed_of(dataset, repetition, "solver"))
        run[name] = scores(y, METHODS[name](labels, len(np.unique(y)), random_state=rng))
    return run


def make_unbalanced(dataset, repetition):
    """The clean ensemble, and the classes."""
    rng = np.random.RandomState(seed_of(dataset, repetition, "data"))
    y = rng.permutation(np.repeat(np.arange(len(_SIZES)), _SIZES))
    # The distance between two points with standard normal coordinates is about sqrt(2 d).
    centres = rng.standard_normal((len(_SIZES), _N_FEATURES)) * UNBALANCED[dataset] / np.sqrt(2.0 * _N_FEATURES)
    X = centres[y] + rng.standard_normal((len(y), _N_FEATURES))
    seed = seed_of(dataset, repetition, "ensemble")
    model = KMeansEnsemble(_N_PARTITIONS, (2, int(len(y) ** 0.5)), random_state=seed)
    return model.fit_transform(X), y
