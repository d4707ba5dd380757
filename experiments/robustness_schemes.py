"""Every weighting scheme, which fixes the weights before any consensus, on ensembles of the experiment `robustness`.

The data sets of at most 400 objects, since one scheme takes many seconds on more; uniform noise; five repetitions.
"""

import time

import numpy as np

from robust_eac import WEIGHTING_SCHEMES, corrupt_ensemble

from .robustness import make_data, make_ensemble, run_solver, summary
from .store import derive_seed

VERSION = 1

DATASETS = (
    "spiral", "cigar", "iris", "wine", "house-votes", "ionosphere", "std-yeast-cell", "half-rings", "ecoli", "glass",
)  # fmt: skip
FRACTIONS = (0.0, 0.5, 0.9)
REPETITIONS = 5

GRID = [
    {"dataset": dataset, "fraction": fraction, "repetitions": REPETITIONS}
    for dataset in DATASETS
    for fraction in FRACTIONS
]
SMOKE = [{"dataset": "iris", "fraction": 0.5, "repetitions": 1}]


def run_one(*, dataset, fraction, repetitions):
    """{scheme: measures}, as in `robustness`, with "scheme_seconds", the median time of the weights alone."""
    runs = {name: [] for name in WEIGHTING_SCHEMES}
    for repetition in range(repetitions):
        clean, y = make_ensemble(dataset, repetition)
        X, _ = make_data(dataset, repetition)
        labels, corrupted = corrupt_ensemble(clean, fraction, derive_seed(0, repetition, "corruption"))
        for name, scheme in WEIGHTING_SCHEMES.items():
            start = time.perf_counter()
            weights = scheme(labels, X=X, random_state=derive_seed(0, repetition, "solver"))
            seconds = time.perf_counter() - start
            options = {"weighting": lambda losses, weights=weights: weights}
            run = run_solver(labels, y, corrupted, dataset, repetition, options)
            runs[name].append(run | {"scheme_seconds": seconds})
    return {
        name: summary(of_scheme)
        | {"scheme_seconds": float(f"{np.median([run['scheme_seconds'] for run in of_scheme]):.3g}")}
        for name, of_scheme in runs.items()
    }
