"""Ways to weight by chance-corrected agreement; the library's "chance-corrected" is one of them.

The data sets are those of `robustness_schemes`, the kinds of noise four of `robustness` besides the uniform one. All
candidates see the same ensembles and starts.
"""

from functools import partial

import numpy as np
from scipy.stats import false_discovery_control

from robust_eac import ChanceCorrected, agreement_test, chance_corrected_weights, trusted_group_weights

from .robustness import ORACLE, Shares, compare_ways, constant, noise_cells, noisy_ensemble, option
from .robustness_schemes import DATASETS

VERSION = 2

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


GRID = cells()
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
    return solve(labels, weighting=constant(group(labels)))


def in_turns(trust, first):
    """The candidate that alternates between the consensus and `trust`, until the same partitions are trusted again.

    `trust` chooses partitions by the test of their agreement with the consensus. `first` gives the weights of the
    first consensus.
    """

    def candidate(labels, solve):
        trusted = first(labels) > 0.0
        consensus, seen = solve(labels, weighting=constant(trusted)), set()
        for _ in range(MAX_ROUNDS):
            seen.add(trusted.tobytes())
            trusted = trust(agreement_test(labels, consensus.membership))
            if not trusted.any() or trusted.tobytes() in seen:
                break
            consensus = solve(labels, weighting=constant(trusted), init=consensus.membership)
        return consensus

    return candidate


def significant(test):
    """Whether the agreement of a partition is significant at a false discovery rate of 1 %."""
    return false_discovery_control(test.pvalue) <= 0.01


def upper_of_two(test):
    """Whether a partition is in the upper of the two groups of agreements with least variance inside (Otsu)."""
    ascending = np.sort(test.agreement)
    within = [
        np.var(ascending[:cut]) * cut + np.var(ascending[cut:]) * (len(ascending) - cut)
        for cut in range(1, len(ascending))
    ]
    return test.agreement >= ascending[1 + int(np.argmin(within))]


def everyone(labels):
    return np.ones(labels.shape[1])


def group(labels):
    return trusted_group_weights(labels, random_state=0)


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
    "false discovery rate": in_turns(significant, everyone),
    "group, then false discovery rate": in_turns(significant, group),
    "two groups": in_turns(upper_of_two, everyone),
    "group, then two groups": in_turns(upper_of_two, group),
}
