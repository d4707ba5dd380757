"""Ways to weight by chance-corrected agreement; the library's "chance-corrected" is one of them.

The data sets are the smaller ones of `robustness`, the kinds of noise four of its others besides the uniform one. All
candidates see the same ensembles and starts.
"""

from functools import partial

import numpy as np
from scipy.stats import false_discovery_control

from robust_eac import ChanceCorrected, agreement_test, chance_corrected_weights, trusted_group_weights

from .robustness import ORACLE, SETTINGS, Shares, compare_ways, constant, noise_cells, noisy_ensemble, option

VERSION = 3

LARGE = ("rings", "image-c", "image-1", "breast-cancer", "optdigits", "landsat", "pendigits", "yeast")
DATASETS = tuple(dataset for dataset in SETTINGS if dataset not in LARGE)
FRACTIONS = {
    "uniform": (0.0, 0.5, 0.9, 0.95),
    "unequal": (0.9,),
    "shuffled": (0.9,),
    "features": (0.9,),
    "coherent": (0.4,),
}
# Largest number of times that the trusted partitions are chosen anew.
MAX_ROUNDS = 10


def cells(*, datasets=DATASETS, kinds=tuple(FRACTIONS), fractions: Shares = None, repetitions=5):
    """Without shares of noise, a kind has those of FRACTIONS."""
    return noise_cells(FRACTIONS, datasets, kinds, fractions, repetitions)


SMOKE = cells(datasets=("iris",), kinds=("uniform",), fractions=(0.0, 0.95), repetitions=1)


def run_one(*, dataset, kind, fraction, repetitions):
    """{candidate: measures}, those of `robustness`, with one more entry for the oracle."""
    make = partial(noisy_ensemble, dataset, fraction=fraction, kind=kind)
    return compare_ways(CANDIDATES, {ORACLE: CANDIDATES["unweighted"]}, make, dataset, repetitions)


def power_of_agreement(losses, exponent):
    """The positive agreements 1 - loss to a power; they maximise the p-norm of the agreements, p = exponent + 1."""
    agreement = np.maximum(1.0 - losses, 0.0)
    return agreement**exponent if agreement.any() else np.ones(len(losses))


def group_alone(labels, solve):
    """The consensus of the partitions that agree with each other."""
    return solve(labels, weighting=constant(trusted_group_weights(labels, random_state=0)))


def significant(labels, solve):
    """Alternates between the consensus and trust by significance, until the same partitions are trusted again.

    Trusted are partitions whose agreement with the consensus is significant at a false discovery rate of 1 %.
    """
    consensus, seen = solve(labels, weighting="uniform"), set()
    for _ in range(MAX_ROUNDS):
        trusted = false_discovery_control(agreement_test(labels, consensus.membership).pvalue) <= 0.01
        if not trusted.any() or trusted.all() or trusted.tobytes() in seen:
            break
        seen.add(trusted.tobytes())
        consensus = solve(labels, weighting=constant(trusted), init=consensus.membership)
    return consensus


# name -> f(labels, solve) -> result of the solver
CANDIDATES = {
    "unweighted": option(weighting="uniform"),
    "chance-corrected": option(weighting="chance-corrected"),
    "chance-corrected, raw distance": option(weighting="chance-corrected", agreement="raw"),
    **{f"chance-corrected, share {share}": option(weighting=ChanceCorrected(share)) for share in (0.05, 0.1, 0.3, 0.5)},
    "group alone": group_alone,
    "share of agreement alone": option(
        weighting=lambda losses: chance_corrected_weights(losses, expected=1.0), agreement="adjusted"
    ),
    "linear (p = 2)": option(weighting=partial(power_of_agreement, exponent=1.0), agreement="adjusted"),
    "squared (p = 3)": option(weighting=partial(power_of_agreement, exponent=2.0), agreement="adjusted"),
    "false discovery rate": significant,
}
