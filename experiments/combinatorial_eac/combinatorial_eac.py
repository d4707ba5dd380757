"""Combination clustering and ordinary EAC by number of features (paper 000, Figures 4 and 5, Table 2).

A cell is one reading of "10:1 SNR", one exponent of Zipf's law (None: infinity) and one number of features, with all
its repetitions. Both methods see the same data sets.
"""

from ..shared.store import grid
from .combinatorial_data import SIGNAL, SIZES, combination_score, data_sets, ordinary_score

VERSION = 1

EXPONENTS = (0, 1, 2, 3, 4, None)
# The paper has 10 repetitions. The chosen reading of the signal-to-noise ratio gets ten times as many.
REPETITIONS = {SIGNAL: 100, "power": 10, "distance": 10, "squared distance": 10}


def _grid(repetitions, sizes, exponents):
    axes = {"exponent": exponents, "n_features": sizes}
    return [
        cell for signal, count in repetitions.items() for cell in grid(signal=(signal,), **axes, repetitions=(count,))
    ]


GRID = _grid(REPETITIONS, SIZES, EXPONENTS)
SMOKE = _grid({SIGNAL: 4, "distance": 2}, (1, 3, 10, 60), (0, 2, None))


def run_one(*, signal, exponent, n_features, repetitions):
    """NMI with the true groups of every repetition: {"combination": [...], "ordinary": [...]}."""
    # Every exponent has its own data, as in the paper.
    stream = 1 + EXPONENTS.index(exponent)
    result = {"combination": [], "ordinary": []}
    for X, seed in data_sets(repetitions, n_features, stream, exponent=exponent, signal=signal):
        result["combination"].append(combination_score(X, seed))
        result["ordinary"].append(ordinary_score(X, seed))
    return result
