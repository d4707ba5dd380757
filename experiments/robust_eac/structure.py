"""How much clearer the weights of paper 002 make the co-association matrix (Section 4.1), on every data set.

A cell is a data set, kind of ensemble and repetition of `noisy_ensembles`. The paper shows one matrix (Figure 3), and
does not say of which data set.
"""

from robust_eac import WEIGHT_SOLVERS, coassociation_matrix, solve_median_partition

from ..shared.own import DATA, FUNCTION, weighting_of
from ..shared.store import derive_seed, grid
from .coassociation import ambiguity
from .noisy_ensembles import ENSEMBLES, SETTINGS, noisy_ensemble

VERSION = 1

CHOICES = {"datasets": DATA, "weightings": (*WEIGHT_SOLVERS, FUNCTION)}


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


GRID = cells()
SMOKE = cells(datasets=("iris", "wine"), repetitions=1)


def run_one(*, dataset, ensemble, weighting, repetition, fraction):
    """{"unweighted", "weighted": :func:`ambiguity` of the matrix}."""
    labels, _, _ = noisy_ensemble(dataset, ensemble, repetition, fraction)
    consensus = solve_median_partition(
        labels,
        SETTINGS[dataset][0],
        weighting=weighting_of(weighting),
        random_state=derive_seed(0, repetition, "solver"),
    )
    return {
        "unweighted": ambiguity(coassociation_matrix(labels)),
        "weighted": ambiguity(coassociation_matrix(labels, weights=consensus.weights)),
    }
