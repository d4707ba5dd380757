"""Combination clustering with and without prewhitening by number of features (paper 000, Figures 6 and S1).

A cell is one kind of noise, one reading of "10:1 SNR", one number of features and one number of objects, with all its
repetitions. All variants see the same data sets, with and without whitening.
"""

from .combinatorial_data import (
    N_OBJECTS,
    SIGNAL,
    SIGNALS,
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


# Data sets that have all numbers of features: correlated noise with every reading. The paper's figure is the first.
SETTINGS = {
    "correlated": ("correlated", SIGNAL),
    **{f"correlated, {signal}": ("correlated", signal) for signal in SIGNALS if signal != SIGNAL},
    "independent": ("independent", SIGNAL),
}


def cells(
    *,
    settings=tuple(SETTINGS),
    n_features=SIZES,
    repetitions=60,
    other_repetitions=30,
    n_objects=(100, 200),
    few_repetitions=10,
):
    """The paper's figure has 30 repetitions. `n_objects` are larger samples of 20 independent features.

    They show whether the effect of whitening on these comes from the covariances of a small sample.
    """
    small = [
        (*SETTINGS[name], n, N_OBJECTS, repetitions if name == "correlated" else other_repetitions)
        for name in settings
        for n in n_features
    ]
    large = [("independent", SIGNAL, 20, n, few_repetitions) for n in n_objects]
    keys = ("noise", "signal", "n_features", "n_objects", "repetitions")
    return [dict(zip(keys, values, strict=True)) for values in [*small, *large]]


SMOKE = cells(
    settings=("correlated", "correlated, power", "independent"),
    n_features=(2, 10),
    repetitions=2,
    other_repetitions=1,
    n_objects=(30,),
    few_repetitions=1,
)


def run_one(*, noise, signal, n_features, n_objects, repetitions):
    """NMI with the true groups of every repetition: {variant: {"whitened": [...], "plain": [...]}}."""
    result = {variant: {"whitened": [], "plain": []} for variant in VARIANTS}
    data = {"noise": NOISES[noise], "signal": signal, "n_objects": n_objects}
    for X, seed in data_sets(repetitions, n_features, WHITENING_STREAM, **data):
        for variant, options in VARIANTS.items():
            for name, whiten in (("whitened", True), ("plain", False)):
                result[variant][name].append(combination_score(X, seed, whiten=whiten, **options))
    return result
