"""Combination clustering under four weightings of the evidence, by number of features (paper 000, Figure 7).

A cell is one number of features, with all its repetitions; the weightings see the same data sets and sub-clusterings.
"""

from .combinatorial_data import (
    SIGNAL,
    SIZES,
    WEIGHTS_STREAM,
    add_signal,
    combination_score,
    data_rng,
    independent_noise,
    solver_seed,
)

VERSION = 1

CONDITIONS = {
    "none": {"goodness": False, "order_weighting": False},
    "order": {"goodness": False, "order_weighting": True},
    "goodness": {"goodness": True, "order_weighting": False},
    "both": {"goodness": True, "order_weighting": True},
}
# Three times the paper's 20.
REPETITIONS = 60

GRID = [{"n_features": size, "repetitions": REPETITIONS} for size in SIZES]
SMOKE = [{"n_features": size, "repetitions": 4} for size in (1, 3, 10, 20)]


def run_one(*, n_features, repetitions):
    """NMI with the true groups of every repetition: {condition: [...]}."""
    result = {condition: [] for condition in CONDITIONS}
    for repetition in range(repetitions):
        noise = independent_noise(n_features, data_rng(repetition, n_features, WEIGHTS_STREAM))
        X, seed = add_signal(noise, None, SIGNAL), solver_seed(repetition, n_features)
        for condition, options in CONDITIONS.items():
            result[condition].append(combination_score(X, seed, **options))
    return result
