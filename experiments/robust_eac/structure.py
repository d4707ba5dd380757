"""How much clearer the weights of paper 002 make the co-association matrix (Section 4.1), on every data set.

A cell is a data set, kind of ensemble and repetition of `noisy_ensembles`. The paper shows one matrix (Figure 3), and
does not say of which data set.
"""

import numpy as np

from robust_eac import coassociation_matrix

from ..shared.store import grid
from .noisy_ensembles import ENSEMBLES, SETTINGS, consensus_of, noisy_ensemble

VERSION = 1


def cells(
    *,
    datasets=tuple(SETTINGS),
    ensembles=tuple(ENSEMBLES),
    weightings=("restricted-simplex", "l2"),
    repetitions=5,
    fractions=(0.0,),
):
    axes = {"dataset": datasets, "ensemble": ensembles, "weighting": weightings}
    return grid(**axes, repetition=range(repetitions), fraction=fractions)


SMOKE = cells(datasets=("iris",), repetitions=1)


def run_one(*, dataset, ensemble, weighting, repetition, fraction):
    """{"unweighted", "weighted": :func:`ambiguity` of the matrix}."""
    labels, _, _ = noisy_ensemble(dataset, ensemble, repetition, fraction)
    consensus = consensus_of(labels, dataset, repetition, weighting)
    return {
        "unweighted": ambiguity(coassociation_matrix(labels)),
        "weighted": ambiguity(coassociation_matrix(labels, weights=consensus.weights)),
    }


def ambiguity(matrix):
    """Mean of 4 c (1 - c) over the pairs of objects, c being their entry."""
    pairs = matrix[np.triu_indices_from(matrix, 1)]
    return round(float(np.mean(4.0 * pairs * (1.0 - pairs))), 6)
