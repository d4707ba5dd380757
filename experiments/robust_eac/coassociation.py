"""One ensemble with its weights, from which the co-association matrices of paper 002 (Figure 3) are drawn."""

import numpy as np
from scipy.cluster.hierarchy import leaves_list

from robust_eac import coassociation_matrix, eac_linkage, h_criterion

from ..shared.store import grid
from .noisy_ensembles import ENSEMBLES, consensus_of, noisy_ensemble

VERSION = 3

CHOICES = {"ensembles": tuple(ENSEMBLES)}


def cells(*, datasets=("iris",), ensembles=("kmeans",), weightings=("restricted-simplex",), fractions=(0.0, 0.2)):
    return grid(dataset=datasets, ensemble=ensembles, weighting=weightings, fraction=fractions)


GRID = cells()
SMOKE = GRID


def run_one(*, dataset, ensemble, weighting, fraction):
    """The ensemble, which of its partitions are random, their losses per pair and weights, and the entries below.

    "order": objects by consensus cluster, and within a cluster by the leaves of average linkage. "ambiguity": of the
    matrix without and with weights; it is 0 if all entries are 0 or 1, and 1 if all are 1/2. "h": H criterion of the
    consensus.
    """
    labels, corrupted, y = noisy_ensemble(dataset, ensemble, 0, fraction)
    consensus = consensus_of(labels, dataset, 0, weighting)
    return {
        "labels": labels.tolist(),
        "corrupted": corrupted.tolist(),
        "order": _order(labels, consensus.labels).tolist(),
        "ambiguity": {
            "unweighted": ambiguity(coassociation_matrix(labels)),
            "weighted": ambiguity(coassociation_matrix(labels, weights=consensus.weights)),
        },
        "losses": (consensus.losses / len(y) ** 2).round(6).tolist(),
        "weights": consensus.weights.round(12).tolist(),
        "h": h_criterion(y, consensus.labels),
    }


def _order(labels, consensus):
    leaves = leaves_list(eac_linkage(labels, linkage="average", random_state=0))
    return leaves[np.argsort(consensus[leaves], kind="stable")]


def ambiguity(matrix):
    """Mean of 4 c (1 - c) over the pairs of objects, c being their entry."""
    pairs = matrix[np.triu_indices_from(matrix, 1)]
    return round(float(np.mean(4.0 * pairs * (1.0 - pairs))), 6)
