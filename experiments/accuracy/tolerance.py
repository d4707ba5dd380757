"""Accuracy and time by the optimality gap at which the solver stops, on clean to very noisy k-means ensembles.

The ensembles are those of `robustness`. The solver uses the same seeds for every gap.
"""

import numpy as np

from ..robust_eac import noisy_ensembles
from ..robustness.robustness import noisy_ensemble, option, run_way
from ..shared.store import ENSEMBLE, checksum, grid

VERSION = 3

TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7)
WEIGHTINGS = ("uniform", "restricted-simplex", "chance-corrected")
# A small gap takes many alternations.
MAX_ITER = 1000


def cells(*, datasets=tuple(noisy_ensembles.SETTINGS), fractions=(0.0, 0.5, 0.8, 0.9), repetitions=5):
    return grid(dataset=datasets, fraction=fractions, repetitions=(repetitions,))


SMOKE = cells(datasets=("iris",), fractions=(0.8,), repetitions=1)


def run_one(*, dataset, fraction, repetitions):
    """{weighting: {measure: values by repetition and tolerance}}, and the checksums of the ensembles.

    The objective is divided by n^2.
    """
    runs, checksums = {name: [] for name in WEIGHTINGS}, []
    for repetition in range(repetitions):
        ensemble = noisy_ensemble(dataset, repetition, fraction)
        checksums.append(checksum(ensemble[0]))
        for name, of_weighting in runs.items():
            ways = [option(weighting=name, tol=tol, max_iter=MAX_ITER) for tol in TOLERANCES]
            of_weighting.append([run_way(way, ensemble, dataset, repetition) for way in ways])
    digits = {"h": 4, "objective": 9, "seconds": 4}
    return {ENSEMBLE: checksums} | {
        name: {
            measure: np.round([[float(run[measure]) for run in row] for row in of_weighting], places).tolist()
            for measure, places in digits.items()
        }
        for name, of_weighting in runs.items()
    }
