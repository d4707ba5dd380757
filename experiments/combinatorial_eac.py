"""Combination clustering against ordinary EAC by number of features (paper 000, Figures 4, 5, Table 2).

A cell is one number of features, one exponent of Zipf's law (None: infinity) and one reading of "10:1 SNR", with all
its repetitions; both methods see the same data sets.
"""

from .combinatorial_data import (
    SIGNAL,
    SIZES,
    add_signal,
    combination_score,
    data_rng,
    independent_noise,
    ordinary_score,
    solver_seed,
)

VERSION = 1

EXPONENTS = (0, 1, 2, 3, 4, None)
# Ten times the paper's 10 repetitions; the paper's 10 for the other readings of the signal-to-noise ratio.
REPETITIONS = {SIGNAL: 100, "power": 10, "distance": 10, "squared distance": 10}


def _grid(repetitions, sizes, exponents):
    return [
        {"signal": signal, "exponent": exponent, "n_features": size, "repetitions": count}
        for signal, count in repetitions.items()
        for exponent in exponents
        for size in sizes
    ]


GRID = _grid(REPETITIONS, SIZES, EXPONENTS)
SMOKE = _grid({SIGNAL: 4, "distance": 2}, (1, 3, 10, 60), (0, 2, None))


def run_one(*, signal, exponent, n_features, repetitions):
    """NMI with the true groups of every repetition: {"combination": [...], "ordinary": [...]}."""
    # Data of other exponents are other data, as in the paper.
    stream = 1 + EXPONENTS.index(exponent)
    result = {"combination": [], "ordinary": []}
    for repetition in range(repetitions):
        noise = independent_noise(n_features, data_rng(repetition, n_features, stream))
        X, seed = add_signal(noise, exponent, signal), solver_seed(repetition, n_features)
        result["combination"].append(combination_score(X, seed))
        result["ordinary"].append(ordinary_score(X, seed))
    return result
