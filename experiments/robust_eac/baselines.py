"""Consensus functions and weighting schemes on the same ensembles, clean and with half of the partitions random.

A cell is one data set, repetition and share of random partitions. It runs the functions with equal weights, and three
functions, which use weights in different ways, with all weightings.
"""

import pandas as pd

from robust_eac import CONSENSUS_FUNCTIONS, KMeansEnsemble, compare, corrupt_ensemble

from ..shared.ensembles import load_features
from ..shared.store import derive_seed, grid
from .noisy_ensembles import SETTINGS, STANDARDISED

VERSION = 2

N_PARTITIONS = 50
# They weight the losses of the median partition, the co-association matrix, and the one-hot rows.
WEIGHTED = ("robust-eac", "eac-average", "kmeans")
# Functions that joined the library after the frozen records were made.
_LATER = ("robust-merge", "lwgp", "usenc", "median-partition", "median-partition-vi")
FUNCTIONS = tuple(name for name in CONSENSUS_FUNCTIONS if name not in _LATER)
_KEPT = ("h", "nmi", "ari", "ensemble_nmi", "density", "n_clusters", "seconds", "scheme_seconds", "error")


def cells(*, datasets=tuple(SETTINGS), repetitions=3, fractions=(0.0, 0.5)):
    return grid(dataset=datasets, repetition=range(repetitions), fraction=fractions)


SMOKE = cells(datasets=("iris",), repetitions=1, fractions=(0.5,))


def run_one(*, dataset, repetition, fraction):
    """{"functions": {function: measures}, "weightings": {function: {weighting: measures}}}.

    The measures of a weighting include "noise_weight", the weight that it leaves on the random partitions.
    """
    X, y = load_features(dataset, STANDARDISED, derive_seed(0, repetition, "data"))
    n_clusters, widths = SETTINGS[dataset]
    clean = KMeansEnsemble(N_PARTITIONS, widths, random_state=derive_seed(0, repetition, "ensemble")).fit_transform(X)
    labels, corrupted = corrupt_ensemble(clean, fraction, derive_seed(0, repetition, "corruption"))
    common = {"y": y, "X": X, "random_state": derive_seed(0, repetition, "solver")}
    functions = {
        record["function"]: _measures(record)
        for record in _records(labels, n_clusters, weightings=["uniform"], consensus=FUNCTIONS, **common)
    }
    weightings = {name: {} for name in WEIGHTED}
    for record in _records(labels, n_clusters, consensus=WEIGHTED, **common):
        graded = _measures(record)
        if record["weights"] is not None:
            graded["noise_weight"] = round(float(record["weights"][corrupted].sum()), 6)
        weightings[record["function"]][record["scheme"]] = graded
    return {"functions": functions, "weightings": weightings}


def _records(labels, n_clusters, **options):
    return compare(labels, n_clusters, **options).table.to_dict("records")


def _measures(record):
    kept = {key: None if pd.isna(record[key]) else record[key] for key in _KEPT}
    return {key: round(value, 6) if isinstance(value, float) else value for key, value in kept.items()}
