"""Labels of the canonical membership, and of the one that the solver ended at, of ensembles with random partitions.

A cell is one data set, kind of ensemble, repetition and share of noise, as in `noisy_ensembles`. Both memberships have
the same losses: one is the other, rotated.
"""

from unittest.mock import patch

from robust_eac.median_partition.objective import RowsInMemory

from ..shared.store import grid
from .noisy_ensembles import ENSEMBLES, SETTINGS, consensus_of, measures_of, noisy_ensemble

VERSION = 2

WEIGHTINGS = ("uniform", "restricted-simplex", "l2", "chance-corrected")
FRACTIONS = (0.0, 0.2, 0.5, 0.8, 0.9, 0.96)
# {name of a membership: whether it is the canonical one}
MEMBERSHIPS = {"canonical": True, "as ended": False}


def cells(*, datasets=tuple(SETTINGS), ensembles=tuple(ENSEMBLES), repetitions=10, fractions=FRACTIONS):
    """Every ensemble is solved with the four weightings."""
    axes = {"dataset": datasets, "ensemble": ensembles, "repetition": range(repetitions), "fraction": fractions}
    return grid(**axes)


def run_one(*, dataset, ensemble, repetition, fraction):
    """{membership: {weighting: as :func:`~.noisy_ensembles.measures_of`}}."""
    labels, corrupted, y = noisy_ensemble(dataset, ensemble, repetition, fraction)
    result = {name: {} for name in MEMBERSHIPS}
    for name, turned in MEMBERSHIPS.items():
        for weighting in WEIGHTINGS:
            consensus = (consensus_of if turned else _as_ended)(labels, dataset, repetition, weighting)
            result[name][weighting] = measures_of(consensus, labels, corrupted, y)
    return result


def _as_ended(*args):
    """The median partition with the membership at which the solver ends."""
    with patch.object(RowsInMemory, "rotation", lambda rows, memberships, near: None):
        return consensus_of(*args)


SMOKE = cells(datasets=("iris",), repetitions=1, fractions=(0.0, 0.2, 0.9))
