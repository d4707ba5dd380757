"""Combination clustering with and without prewhitening by number of features (paper 000, Figure 6 and Figure S1).

A cell is one kind of noise, one reading of "10:1 SNR", one number of features and one of objects, with all its
repetitions; with and without whitening the methods see the same data sets.
"""

from .combinatorial_data import (
    N_OBJECTS,
    SIGNAL,
    SIZES,
    WHITENING_STREAM,
    add_signal,
    combination_score,
    correlated_noise,
    data_rng,
    independent_noise,
    solver_seed,
)

VERSION = 1

NOISES = {"correlated": correlated_noise, "independent": independent_noise}
# The published program takes the silhouettes on the data before whitening, the formulas (as read here) after it, and
# draws subsets without repetition; "unweighted" is the program without silhouettes.
VARIANTS = {"listing": {}, "equation": {"reproduce": "equation"}, "unweighted": {"goodness": False}}


def _grid(settings, sizes, n_objects=N_OBJECTS):
    return [
        {
            "noise": noise,
            "signal": signal,
            "n_features": n_features,
            "n_objects": n_objects,
            "repetitions": repetitions,
        }
        for noise, signal, repetitions in settings
        for n_features in sizes
    ]


# Twice the paper's 30 repetitions where it draws its figure. More objects: does what whitening does to independent
# features come from the covariances of a small sample?
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
    for repetition in range(repetitions):
        rng = data_rng(repetition, n_features, WHITENING_STREAM)
        X = add_signal(NOISES[noise](n_features, rng, n_objects), None, signal)
        seed = solver_seed(repetition, n_features)
        for variant, options in VARIANTS.items():
            for name, whiten in (("whitened", True), ("plain", False)):
                result[variant][name].append(combination_score(X, seed, whiten=whiten, **options))
    return result
