"""Merging, the median partition and the best of the field where ensembles differ from those of ensemble_benchmark.

"mixed": the ensembles of paper 002 by six algorithms (noisy_ensembles); "unbalanced": thirty k-means partitions with
numbers of clusters in [2, sqrt(n)] of six Gaussian clusters in five dimensions, each half as large as the one before.
A cell is one data set and share of random partitions, over all its ensembles.
"""

from functools import partial

import numpy as np

from robust_eac import KMeansEnsemble, adjusted_rand_score, corrupt_ensemble, h_criterion, normalized_mutual_information

from . import noisy_ensembles
from .ensemble_benchmark import METHODS, seed_of

VERSION = 1

SHOWN = ("robust-merge", "robust-eac", "robust-eac chance-corrected", "locally-weighted-eac", "lwgp", "kmeans")
# Name: distance of the clusters' centres from each other, in their standard deviations, about.
UNBALANCED = {"unbalanced, apart": 4.0, "unbalanced, touching": 2.0}
_SIZES, _N_FEATURES, _N_PARTITIONS = (640, 320, 160, 80, 40, 20), 5, 30


def _cells(datasets, n_ensembles, fractions=(0.0, 0.3, 0.5)):
    return [
        {"dataset": dataset, "fraction": fraction, "n_ensembles": n_ensembles}
        for dataset in datasets
        for fraction in fractions
    ]


GRID = _cells((*noisy_ensembles.SETTINGS, *UNBALANCED), 6)
SMOKE = _cells(("wine", "unbalanced, apart"), 1, fractions=(0.0, 0.5))


def run_one(*, dataset, fraction, n_ensembles):
    """{method: {"nmi", "ari", "h"}}, means over the ensembles."""
    runs = [_run(dataset, fraction, repetition) for repetition in range(n_ensembles)]
    return {
        method: {
            measure: round(float(np.mean([run[method][measure] for run in runs])), 5) for measure in ("nmi", "ari", "h")
        }
        for method in SHOWN
    }


def _run(dataset, fraction, repetition):
    make = make_unbalanced if dataset in UNBALANCED else partial(noisy_ensembles.make_ensemble, ensemble="mixed")
    clean, y = make(dataset=dataset, repetition=repetition)
    labels, _ = corrupt_ensemble(clean, fraction, seed_of(dataset, repetition, "corruption"))
    run = {}
    for name in SHOWN:
        rng = np.random.RandomState(seed_of(dataset, repetition, "solver"))
        found = METHODS[name](labels, len(np.unique(y)), random_state=rng)
        run[name] = {
            "nmi": normalized_mutual_information(y, found, average="geometric"),
            "ari": adjusted_rand_score(y, found),
            "h": h_criterion(y, found),
        }
    return run


def make_unbalanced(dataset, repetition):
    """The clean ensemble, and the classes."""
    rng = np.random.RandomState(seed_of(dataset, repetition, "data"))
    y = rng.permutation(np.repeat(np.arange(len(_SIZES)), _SIZES))
    # Two centres of standard normal coordinates are some sqrt(2 d) apart.
    centres = rng.standard_normal((len(_SIZES), _N_FEATURES)) * UNBALANCED[dataset] / np.sqrt(2.0 * _N_FEATURES)
    X = centres[y] + rng.standard_normal((len(y), _N_FEATURES))
    model = KMeansEnsemble(
        _N_PARTITIONS, (2, int(len(y) ** 0.5)), random_state=seed_of(dataset, repetition, "ensemble")
    )  # fmt: skip
    return model.fit_transform(X), y
