"""One ensemble with its weights: what the co-association matrices of paper 002, Figure 3, are drawn from."""

import numpy as np
from scipy.cluster.hierarchy import leaves_list

from robust_eac import coassociation_matrix, corrupt_ensemble, eac_linkage, h_criterion, solve_median_partition

from .noisy_ensembles import SETTINGS, make_ensemble
from .store import derive_seed

VERSION = 2

GRID = [
    {"dataset": "iris", "ensemble": "kmeans", "weighting": "restricted-simplex", "fraction": fraction}
    for fraction in (0.0, 0.2)
]
SMOKE = GRID


def run_one(*, dataset, ensemble, weighting, fraction):
    """Labels of the ensemble, which partitions were replaced, the losses per pair, the weights, and what follows.

    "order" has the objects by consensus cluster, inside a cluster by the leaves of average linkage. "ambiguity" is the
    mean of 4 c (1 - c) over the pairs of objects: 0 where all entries c of the matrix are 0 or 1, 1 where all are 1/2.
    """
    clean, y = make_ensemble(dataset, ensemble, 0)
    labels, corrupted = corrupt_ensemble(clean, fraction, derive_seed(0, 0, "corruption"))
    consensus = solve_median_partition(
        labels, SETTINGS[dataset][0], weighting=weighting, random_state=derive_seed(0, 0, "solver")
    )
    return {
        "labels": labels.tolist(),
        "corrupted": corrupted.tolist(),
        "order": _order(labels, consensus.labels).tolist(),
        "ambiguity": {
            "unweighted": _ambiguity(coassociation_matrix(labels)),
            "weighted": _ambiguity(coassociation_matrix(labels, weights=consensus.weights)),
        },
        "losses": (consensus.losses / len(y) ** 2).round(6).tolist(),
        "weights": consensus.weights.round(12).tolist(),
        "h": h_criterion(y, consensus.labels),
    }


def _order(labels, consensus):
    leaves = leaves_list(eac_linkage(labels, linkage="average"))
    return leaves[np.argsort(consensus[leaves], kind="stable")]


def _ambiguity(matrix):
    pairs = matrix[np.triu_indices_from(matrix, 1)]
    return round(float(np.mean(4.0 * pairs * (1.0 - pairs))), 6)
