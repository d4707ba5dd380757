"""Clusters found by evidence accumulation with a fixed threshold (paper 003, Tables 1-5, Figures 1 and 2).

A cell is one data set, way of k-means and repetition. For every k it has one ensemble of 200 partitions, which is cut
at all thresholds. A repetition draws a generated set anew; for the other sets only the starts of k-means are new.
"""

import numpy as np

from robust_eac import coassociation_matrix, threshold_eac
from robust_eac.consensus import eac_linkage

from . import threshold_data
from .kmeans import KMEANS, N_PARTITIONS, READINGS, make_ensemble
from .threshold_data import RANDOM, condense, load, wrong

VERSION = 1

DEFAULT = 0.5
SPIRAL = ((5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80), (0.5, 0.6))
HALF_RINGS = ((5, 10, 15, 20), (0.4, 0.5, 0.6))
HYPERCUBE = ((2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20), (0.4, 0.5, 0.6))
IRIS = ((3, 4, 5, 6, 7, 8, 9, 10), (0.5, 0.6, 0.7, 0.75))
# Numbers of clusters of k-means, and thresholds, as in the paper's tables.
SETTINGS = {
    "half-rings": HALF_RINGS,
    "half-rings-file": HALF_RINGS,
    "spiral": SPIRAL,
    "spiral-file": SPIRAL,
    "uniform-5d": HYPERCUBE,
    "normal-5d": HYPERCUBE,
    "iris": IRIS,
    "iris-standardised": IRIS,
}
# Figure 1(b): numbers of partitions after which the clusters are counted, and for which k and data.
ON_THE_WAY = (5, *range(10, N_PARTITIONS + 1, 10))
CONVERGENCE_K = 10
CONVERGENCE = ("half-rings", "half-rings-file")
# Figures 1(d) and 2(c)-(d): the k whose dendrograms are shown, from the first repetition.
TREES = {"half-rings": (15,), "half-rings-file": (15,), "spiral": (30, 80), "spiral-file": (30, 80)}
# The readings whose dendrograms are shown: the usual one, and the oldest.
MAIN = ("converged", "macqueen")
FEW = 4
VARIED = ("half-rings", "half-rings-file", "spiral", "spiral-file", "iris")
CHOICES = {"datasets": tuple(SETTINGS)}


def cells(*, datasets=CHOICES["datasets"], kmeans=tuple(KMEANS), repetitions: int | None = None):
    """Without a number of repetitions, a data set has that of :func:`n_repetitions`."""
    return [
        {"dataset": dataset, "kmeans": way, "repetition": repetition}
        for dataset in datasets
        for way in kmeans
        for repetition in range(repetitions or n_repetitions(dataset, way))
    ]


def n_repetitions(dataset, kmeans):
    """Repetitions of a data set with a way of k-means; the readings of what the paper did get many."""
    if kmeans in READINGS and dataset != "iris-standardised":
        return 25 if dataset in CONVERGENCE else 20
    return FEW if kmeans in READINGS or dataset in VARIED else 0


SMOKE = [
    *cells(datasets=("half-rings",), kmeans=MAIN, repetitions=1),
    *cells(datasets=("uniform-5d", "iris"), kmeans=("converged",), repetitions=1),
]


def run_one(*, dataset, kmeans, repetition):
    """{k: numbers of clusters and of misplaced objects by threshold}; for some data also links, trees and the way."""
    X, y = load(dataset, repetition)
    ks, thresholds = SETTINGS[dataset]
    # Number of pairs of k and threshold at which joining ties changes the number of clusters.
    result = {"ties": 0}
    for k in ks:
        labels = make_ensemble(X, k, kmeans, repetition)
        found = [threshold_eac(labels, threshold=t) for t in thresholds]
        cell = {"n": [n_clusters(clusters) for clusters in found]}
        result["ties"] += sum(
            n_clusters(threshold_eac(labels, threshold=t, strict=False)) != n
            for t, n in zip(thresholds, cell["n"], strict=True)
        )
        if dataset in RANDOM:
            cell["outside"] = [len(X) - int(np.bincount(clusters).max()) for clusters in found]
        else:
            cell["wrong"] = [wrong(y, clusters) for clusters in found]
        if dataset in CONVERGENCE and k == CONVERGENCE_K:
            cell["on_the_way"] = [n_clusters(threshold_eac(labels[:, :n], threshold=DEFAULT)) for n in ON_THE_WAY]
        if k in TREES.get(dataset, ()):
            cell["links"] = links(coassociation_matrix(labels), y)
            if kmeans in MAIN and repetition == 0:
                cell["tree"] = condense(eac_linkage(labels, linkage="single", random_state=repetition), y)
        result[str(k)] = cell
    return result


def n_clusters(clusters):
    return int(clusters.max()) + 1


def links(C, y):
    """Votes of the strongest link between two classes, and of the weakest link that holds a class together.

    If the second number is larger, a threshold between the two finds the classes.
    """
    return [round(N_PARTITIONS * (1.0 - distance)) for distance in threshold_data.links(1.0 - C, y)]
