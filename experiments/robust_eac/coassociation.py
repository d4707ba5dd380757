"""An ensemble with its weights, from which the co-association matrices of paper 002 (Figure 3) are drawn.

The figure shows repetition 0; `verify` compares with the others.
"""

import numpy as np
from scipy.cluster.hierarchy import leaves_list

from robust_eac.consensus import eac_linkage

from ..shared.store import ENSEMBLE, checksum, grid
from .noisy_ensembles import ENSEMBLES, consensus_of, noisy_ensemble

VERSION = 4

CHOICES = {"ensembles": tuple(ENSEMBLES)}


def cells(
    *,
    datasets=("iris",),
    ensembles=("kmeans",),
    weightings=("restricted-simplex",),
    repetitions=3,
    fractions=(0.0, 0.2),
):
    axes = {"dataset": datasets, "ensemble": ensembles, "weighting": weightings}
    return grid(**axes, repetition=range(repetitions), fraction=fractions)


SMOKE = cells(repetitions=1)


def run_one(*, dataset, ensemble, weighting, repetition, fraction):
    """The ensemble, which of its partitions are random, their losses per pair and weights, and the entries below.

    "order": objects by consensus cluster, and within a cluster by the leaves of average linkage.
    """
    labels, corrupted, y = noisy_ensemble(dataset, ensemble, repetition, fraction)
    consensus = consensus_of(labels, dataset, repetition, weighting)
    return {
        ENSEMBLE: checksum(labels),
        "labels": labels.tolist(),
        "corrupted": corrupted.tolist(),
        "order": _order(labels, consensus.labels).tolist(),
        "losses": (consensus.losses / len(y) ** 2).round(6).tolist(),
        "weights": consensus.weights.round(12).tolist(),
    }


def _order(labels, consensus):
    leaves = leaves_list(eac_linkage(labels, linkage="average", random_state=0))
    return leaves[np.argsort(consensus[leaves], kind="stable")]
