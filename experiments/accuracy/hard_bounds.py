"""How far the hard median partition is from the best one: its value beside the lower bound over all partitions.

A cell is one ensemble of k-means base clusterings with 4 to 20 clusters, or of noisy copies of a planted partition, and
a limit of the clusters: none, or the number of classes.
"""

import numpy as np

from robust_eac import KMeansEnsemble, consensus_lower_bound, solve_hard_median_partition

from ..shared.data import DATA
from ..shared.ensembles import load_features
from ..shared.measure import timed
from ..shared.store import derive_seed, grid

VERSION = 2

DATASETS = ("iris", "wine", "glass", "ecoli", "ionosphere", "breast-cancer", "optdigits", "contraceptive")
PLANTED = {"planted-1500": 1500, "planted-2000": 2000}
STANDARDISED = ("wine", "glass", "contraceptive")
N_PARTITIONS = 50
CLASSES, STRAYING = 8, 0.4
# Bounds of more objects than this stop earlier.
LARGE = 1000
TOL, LARGE_TOL = 1e-4, 1e-3

CHOICES = {"problems": (*DATA, *PLANTED)}


def cells(*, problems=(*DATASETS, *PLANTED), limited=(False, True), repetitions=3):
    return grid(problem=problems, limited=limited, repetition=range(repetitions))


SMOKE = cells(problems=("iris",), repetitions=1)


def run_one(*, problem, limited, repetition):
    """{"n_samples", "limit", "n_clusters", "value", "bound", "pairwise", ...}: values per ordered pair of objects.

    "pairwise" is the bound that every pair by itself gives; "search_seconds" and "bound_seconds" the times.
    """
    labels, k = make_ensemble(problem, repetition)
    limit, seed = k if limited else None, derive_seed(0, repetition, "solver")
    found, search_seconds = timed(solve_hard_median_partition, labels, limit, random_state=seed)
    tol = TOL if len(labels) <= LARGE else LARGE_TOL
    lower, bound_seconds = timed(consensus_lower_bound, labels, n_clusters=limit, hard=True, tol=tol)
    return {
        "n_samples": len(labels),
        "limit": limit,
        "n_clusters": found.n_clusters,
        "value": round(found.objective, 10),
        "bound": round(lower.bound / len(labels) ** 2, 10),
        "pairwise": round(lower.pairwise / len(labels) ** 2, 10),
        "search_seconds": round(search_seconds, 4),
        "bound_seconds": round(bound_seconds, 4),
    }


def make_ensemble(problem, repetition):
    """The base clusterings of a problem, and its number of classes."""
    if problem in PLANTED:
        rng = np.random.RandomState(derive_seed(0, repetition, "data"))
        classes = rng.randint(CLASSES, size=(PLANTED[problem], 1))
        strays = rng.random_sample((len(classes), N_PARTITIONS)) < STRAYING
        return np.where(strays, rng.randint(CLASSES, size=strays.shape), classes), CLASSES
    X, y = load_features(problem, STANDARDISED)
    ensemble = KMeansEnsemble(N_PARTITIONS, (4, 20), random_state=derive_seed(0, repetition, "ensemble"))
    return ensemble.fit_transform(X), len(np.unique(y))
