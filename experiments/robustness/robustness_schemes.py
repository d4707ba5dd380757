"""Every weighting scheme, which sets the weights before any consensus, on the ensembles of `robustness`.

The noise is uniform. The data sets have at most 400 objects, since one scheme takes many seconds on more.
"""

from robust_eac import WEIGHTING_SCHEMES

from ..shared.measure import timed
from ..shared.store import derive_seed, grid
from .robustness import SETTINGS, constant, make_data, noisy_ensemble, option, run_way, summary

VERSION = 2

LARGE = ("rings", "image-c", "image-1", "breast-cancer", "optdigits", "landsat", "pendigits", "yeast")
DATASETS = tuple(dataset for dataset in SETTINGS if dataset not in LARGE)
FRACTIONS = (0.0, 0.5, 0.9)
REPETITIONS = 5


def cells(*, datasets=DATASETS, fractions=FRACTIONS, repetitions=REPETITIONS):
    return grid(dataset=datasets, fraction=fractions, repetitions=(repetitions,))


GRID = cells()
SMOKE = cells(datasets=("iris",), fractions=(0.5,), repetitions=1)


def run_one(*, dataset, fraction, repetitions):
    """{scheme: measures}, those of `robustness` and "scheme_seconds", the median time of the weights alone."""
    runs = {name: [] for name in WEIGHTING_SCHEMES}
    for repetition in range(repetitions):
        ensemble = noisy_ensemble(dataset, repetition, fraction)
        X, _ = make_data(dataset, repetition)
        for name, scheme in WEIGHTING_SCHEMES.items():
            weights, seconds = timed(scheme, ensemble[0], X=X, random_state=derive_seed(0, repetition, "solver"))
            run = run_way(option(weighting=constant(weights)), ensemble, dataset, repetition)
            runs[name].append(run | {"scheme_seconds": seconds})
    return {name: summary(of_scheme) for name, of_scheme in runs.items()}
