"""Combination clustering and ordinary EAC by number of features (paper 000, Figures 4 and 5, Table 2).

A cell is one reading of "10:1 SNR", one exponent of Zipf's law (None: infinity) and one number of features, with all
its repetitions. Both methods see the same data sets.
"""

from ..shared.store import grid
from .combinatorial_data import SIGNAL, SIGNALS, SIZES, combination_score, data_sets, ordinary_score

VERSION = 1

EXPONENTS = (0, 1, 2, 3, 4, None)
CHOICES = {"exponents": EXPONENTS}


def cells(*, signals=tuple(SIGNALS), exponents=EXPONENTS, n_features=SIZES, repetitions=100):
    """The paper has 10 repetitions."""
    return grid(signal=signals, exponent=exponents, n_features=n_features, repetitions=(repetitions,))


SMOKE = cells(signals=(SIGNAL, "distance"), exponents=(2, None), n_features=(3, 60), repetitions=2)


def run_one(*, signal, exponent, n_features, repetitions):
    """NMI with the true groups of every repetition: {"combination": [...], "ordinary": [...]}."""
    # Every exponent has its own data, as in the paper.
    stream = 1 + EXPONENTS.index(exponent)
    result = {"combination": [], "ordinary": []}
    for X, seed in data_sets(repetitions, n_features, stream, exponent=exponent, signal=signal):
        result["combination"].append(combination_score(X, seed))
        result["ordinary"].append(ordinary_score(X, seed))
    return result
