"""Clusters found in two Gaussians, by their Mahalanobis distance (paper 003, Section 3.4, Figure 4).

A cell is one distance, way of k-means and repetition. Each repetition draws new deviations from the centres.
"""

from robust_eac import threshold_eac

from .threshold_data import columns, two_gaussians
from .threshold_eac import KMEANS, make_ensemble, n_clusters

VERSION = 1

# The roots of 3, 4 and 5 are included, in case the paper's numbers are squared distances.
DISTANCES = (1.732, 2.0, 2.236, 3.0, 4.0, 5.0, 6.0, 8.0)
SHOWN = (3.0, 4.0)
KS = (2, 3, 4, 5)
THRESHOLDS = (0.5, 0.6, 0.7)
REPETITIONS = {"converged": 20, "stopped-3": 10}

CHOICES = {"kmeans": tuple(KMEANS)}


def cells(*, distances=DISTANCES, kmeans=tuple(REPETITIONS), repetitions: int | None = None):
    """Without a number of repetitions, a way of k-means has that of REPETITIONS."""
    return [
        {"distance": distance, "kmeans": way, "repetition": repetition}
        for distance in distances
        for way in kmeans
        for repetition in range(repetitions or REPETITIONS.get(way, 10))
    ]


GRID = cells()
SMOKE = cells(distances=(3.0, 4.0, 8.0), kmeans=("converged",), repetitions=2)


def run_one(*, distance, kmeans, repetition):
    """{k: numbers of clusters by threshold}, and the points of some first repetitions."""
    X, _ = two_gaussians(distance, repetition)
    result = {}
    for k in KS:
        labels = make_ensemble(X, k, kmeans, repetition)
        found = [threshold_eac(labels, threshold=t) for t in THRESHOLDS]
        result[str(k)] = [n_clusters(clusters) for clusters in found]
    if distance in SHOWN and repetition == 0 and kmeans == "converged":
        result["points"] = columns(X, 2)
    return result
