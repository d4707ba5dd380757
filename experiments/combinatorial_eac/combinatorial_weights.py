"""Combination clustering under four weightings of the evidence, by number of features (paper 000, Figure 7).

A cell is one number of features with all its repetitions. The weightings see the same data sets and sub-clusterings.
"""

from ..shared.store import grid
from .combinatorial_data import SIZES, WEIGHTS_STREAM, combination_score, data_sets

VERSION = 1

CONDITIONS = {
    "none": {"goodness": False, "order_weighting": False},
    "order": {"goodness": False, "order_weighting": True},
    "goodness": {"goodness": True, "order_weighting": False},
    "both": {"goodness": True, "order_weighting": True},
}


def cells(*, n_features=SIZES, repetitions=60):
    """The paper has 20 repetitions."""
    return grid(n_features=n_features, repetitions=(repetitions,))


SMOKE = cells(n_features=(1, 10), repetitions=2)


def run_one(*, n_features, repetitions):
    """NMI with the true groups of every repetition: {condition: [...]}."""
    result = {condition: [] for condition in CONDITIONS}
    for X, seed in data_sets(repetitions, n_features, WEIGHTS_STREAM):
        for condition, options in CONDITIONS.items():
            result[condition].append(combination_score(X, seed, **options))
    return result
