"""Accuracy and time by the optimality gap that the solver stops at, from clean to very noisy k-means ensembles.

The ensembles of `robustness`; every gap starts from the same seeds.
"""

import time

import numpy as np

from robust_eac import corrupt_ensemble, h_criterion, solve_median_partition

from . import noisy_ensembles
from .robustness import N_INIT, SETTINGS, make_ensemble
from .store import derive_seed

VERSION = 1

TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7)
WEIGHTINGS = ("uniform", "restricted-simplex", "chance-corrected")
FRACTIONS = (0.0, 0.5, 0.8, 0.9)
REPETITIONS = 5
# Small gaps take many alternations.
MAX_ITER = 1000

GRID = [
    {"dataset": dataset, "fraction": fraction, "repetitions": REPETITIONS}
    for dataset in noisy_ensembles.SETTINGS
    for fraction in FRACTIONS
]
SMOKE = [{"dataset": dataset, "fraction": 0.8, "repetitions": 1} for dataset in ("iris", "wine")]


def run_one(*, dataset, fraction, repetitions):
    """{weighting: {"h", "objective" over n^2, "seconds", "unconverged"}}, lists by tolerance, means of repetitions."""
    runs = {name: [] for name in WEIGHTINGS}
    for repetition in range(repetitions):
        clean, y = make_ensemble(dataset, repetition)
        labels, _ = corrupt_ensemble(clean, fraction, derive_seed(0, repetition, "corruption"))
        for name, of_weighting in runs.items():
            of_weighting.append([_solve(labels, y, dataset, repetition, name, tol) for tol in TOLERANCES])
    digits = {"h": 4, "objective": 9, "seconds": 4, "unconverged": 2}
    return {
        name: {
            measure: np.mean([[run[measure] for run in row] for row in of_weighting], axis=0).round(places).tolist()
            for measure, places in digits.items()
        }
        for name, of_weighting in runs.items()
    }


def _solve(labels, y, dataset, repetition, weighting, tol):
    start = time.perf_counter()
    consensus = solve_median_partition(
        labels,
        SETTINGS[dataset][0],
        weighting=weighting,
        n_init=N_INIT,
        tol=tol,
        max_iter=MAX_ITER,
        random_state=derive_seed(0, repetition, "solver"),
    )
    return {
        "seconds": time.perf_counter() - start,
        "h": h_criterion(y, consensus.labels),
        "objective": consensus.objective / len(labels) ** 2,
        "unconverged": not consensus.converged,
    }
