"""The four weightings of `combinatorial_weights` under the other readings of "10:1 SNR" (paper 000, Figure 7).

A cell is one reading and one number of features with all its repetitions. The noise is that of `combinatorial_weights`.
"""

from ..shared.store import grid
from .combinatorial_data import SIGNAL, SIGNALS, SIZES, WEIGHTS_STREAM, combination_score, data_sets
from .combinatorial_weights import CONDITIONS

VERSION = 1

CHOICES = {"signals": tuple(SIGNALS)}
OTHERS = tuple(signal for signal in SIGNALS if signal != SIGNAL)


def cells(*, signals=OTHERS, n_features=SIZES, repetitions=20):
    """The paper has 20 repetitions."""
    return grid(signal=signals, n_features=n_features, repetitions=(repetitions,))


SMOKE = cells(signals=("power",), n_features=(3,), repetitions=2)


def run_one(*, signal, n_features, repetitions):
    """NMI with the true groups of every repetition: {condition: [...]}."""
    result = {condition: [] for condition in CONDITIONS}
    for X, seed in data_sets(repetitions, n_features, WEIGHTS_STREAM, signal=signal):
        for condition, options in CONDITIONS.items():
            result[condition].append(combination_score(X, seed, **options))
    return result
