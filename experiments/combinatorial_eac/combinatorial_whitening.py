"""Combination clustering with and without prewhitening by number of features (paper 000, Figures 6 and S1).

A cell is one kind of noise, one reading of "10:1 SNR", one number of features and one number of objects, with all its
repetitions. All variants see the same data sets, with and without whitening.
"""

from ..shared.store import grid
from .combinatorial_data import (
    N_OBJECTS,
    SIGNAL,
    SIZES,
    WHITENING_STREAM,
    combination_score,
    correlated_noise,
    data_sets,
    independent_noise,
)

VERSION = 1

NOISES = {"correlated": correlated_noise, "independent": independent_noise}
# The published program ("listing") computes the silhouettes before whitening. The formulas, as read here ("equation"),
# compute them after it and draw subsets without repetition. "unweighted" is the program without silhouettes.
VARIANTS = {"listing": {}, "equation": {"reproduce": "equation"}, "unweighted": {"goodness": False}}


def _grid(settings, sizes, n_objects=N_OBJECTS):
    sizes = {"n_features": sizes, "n_objects": (n_objects,)}
    return [
        cell
        for noise, signal, repetitions in settings
        for cell in grid(noise=(noise,), signal=(signal,), **sizes, repetitions=(repetitions,))
    ]


# The paper's figure has 30 repetitions; here it has 60. The cells with more objects show whether the effect of
# whitening on independent features comes from the covariances of a small sample.
GRID = [
    *_grid([("correlated", SIGNAL, 60), ("correlated", "power", 30), ("independent", SIGNAL, 30)], SIZES),
    *_grid([("independent", SIGNAL, 10)], (20,), 100),
    *_grid([("independent", SIGNAL, 10)], (20,), 200),
]
SMOKE = [
    *_grid([("correlated", SIGNAL, 3), ("correlated", "power", 2), ("independent", SIGNAL, 2)], (1, 2, 10, 20)),
    *_grid([("independent", SIGNAL, 1)], (20,), 60),
]


def run_one(*, noise, signal, n_features, n_objects, repetitions):
    """NMI with the true groups of every repetition: {variant: {"whitened": [...], "plain": [...]}}."""
    result = {variant: {"whitened": [], "plain": []} for variant in VARIANTS}
    data = {"noise": NOISES[noise], "signal": signal, "n_objects": n_objects}
    for X, seed in data_sets(repetitions, n_features, WHITENING_STREAM, **data):
        for variant, options in VARIANTS.items():
            for name, whiten in (("whitened", True), ("plain", False)):
                result[variant][name].append(combination_score(X, seed, whiten=whiten, **options))
    return result
