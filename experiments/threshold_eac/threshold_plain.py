"""Results of k-means, single linkage and a mixture of Gaussians on the data of paper 003 (Figures 1-3, Section 3.5).

A cell is one data set and repetition. The record of the first repetition also holds what the figures show.
"""

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from ..shared.measure import significant
from ..shared.store import derive_seed
from .gaussian_mixture import fit_mixture
from .threshold_data import RANDOM, columns, condense, load, wrong

VERSION = 1

# Number of components at the start of the mixture, more than twice as many as the paper reports.
MIXTURES = {"half-rings": 30, "half-rings-file": 30, "spiral": 50, "spiral-file": 50}
# Decimals of the points in the record, by default two.
DIGITS = {"half-rings-file": 3}
STARTS = 20
CHOICES = {"datasets": (*MIXTURES, "iris", "uniform-5d")}


def cells(*, datasets=CHOICES["datasets"], repetitions=25):
    """Of random data there is one repetition, for its points."""
    return [
        {"dataset": dataset, "repetition": repetition}
        for dataset in datasets
        for repetition in range(1 if dataset in RANDOM else repetitions)
    ]


SMOKE = cells(datasets=("half-rings", "iris", "uniform-5d"), repetitions=1)


def run_one(*, dataset, repetition):
    """Misplaced objects of each method at the true number of clusters; components of the mixture; the points."""
    X, y = load(dataset, repetition)
    shown = {"points": columns(X, DIGITS.get(dataset, 2))} if repetition == 0 and dataset != "iris" else {}
    if dataset in RANDOM:
        return shown
    merges = linkage(X, "single")
    k = int(y.max()) + 1
    runs = kmeans_runs(X, k, derive_seed(0, repetition, "ensemble"))
    result = {
        "kmeans_wrong": wrong(y, min(runs, key=lambda run: run.inertia_).labels_),
        "single_wrong": wrong(y, fcluster(merges, k, "maxclust")),
        "single_pure": pure_clusters(merges, y),
    }
    if dataset in MIXTURES:
        rng = check_random_state(derive_seed(0, repetition, "solver"))
        weights, means, covariances = fit_mixture(X, MIXTURES[dataset], rng)
        result["components"] = len(weights)
        if shown and dataset.startswith("spiral"):
            scale = np.column_stack([means, covariances[:, 0, 0], covariances[:, 0, 1], covariances[:, 1, 1]])
            result["ellipses"] = [[significant(value) for value in row] for row in scale]
    if shown and dataset.startswith("half-rings"):
        # Heights relative to the last one, since the scales of the data sets differ.
        merges[:, 2] /= merges[-1, 2]
        result["tree"] = condense(merges, y)
    return result | shown


def kmeans_runs(X, k, seed):
    """Fitted k-means from several random starts."""
    seeds = check_random_state(seed).randint(2**31 - 1, size=STARTS)
    return [KMeans(k, init="random", n_init=1, random_state=s).fit(X) for s in seeds]


def pure_clusters(merges, y):
    """Number of clusters per class in the coarsest cut whose clusters all lie within a class."""
    n = len(y)
    for q in range(1, n + 1):
        clusters = fcluster(merges, q, "maxclust")
        classes_of = [np.unique(y[clusters == c]) for c in np.unique(clusters)]
        if all(len(classes) == 1 for classes in classes_of):
            return np.bincount(np.concatenate(classes_of), minlength=y.max() + 1).tolist()
    return None
