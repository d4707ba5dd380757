"""How far the consensus is from the global minimum: lower bounds on its objective.

A cell is one ensemble of `noisy_ensembles`: a data set, kind of ensemble, repetition and share of noise.
"""

import numpy as np

from robust_eac import (
    certify,
    consensus_lower_bound,
    partition_losses,
    solve_median_partition,
    solve_membership,
)

from ..robust_eac.noisy_ensembles import ENSEMBLES, SETTINGS, WEIGHTINGS, noisy_ensemble
from ..shared.measure import timed
from ..shared.store import derive_seed, grid

VERSION = 2

STARTS = 10
# An iteration of a bound takes n^3 operations, so only data sets up to this size get one.
BOUNDED = 400


def cells(*, datasets=tuple(SETTINGS), ensembles=tuple(ENSEMBLES), repetitions=3, fractions=(0.0, 0.2)):
    return grid(dataset=datasets, ensemble=ensembles, repetition=range(repetitions), fraction=fractions)


SMOKE = cells(datasets=("iris",), ensembles=("kmeans",), repetitions=1, fractions=(0.2,))


def run_one(*, dataset, ensemble, repetition, fraction):
    """{weighting: measures}; all objectives are per ordered pair and with the weights of the returned solution.

    "relaxed": the best membership of all starts. "hard": the labels. "least_...": lower bounds, up to BOUNDED objects.
    "unsure": share of the objects that improve the labels by moving alone.
    """
    labels, _, _ = noisy_ensemble(dataset, ensemble, repetition, fraction)
    seed = derive_seed(0, repetition, "solver")
    return {weighting: _one_weighting(labels, SETTINGS[dataset][0], weighting, seed) for weighting in WEIGHTINGS}


def _one_weighting(labels, k, weighting, seed):
    pairs = float(len(labels)) ** 2
    solved = solve_median_partition(labels, k, weighting=weighting, n_init=STARTS, random_state=seed)
    weights = solved.weights
    starts = [
        solve_membership(labels, k, weights=weights, random_state=np.random.RandomState([seed, number]))
        for number in range(STARTS)
    ]
    values = {
        "relaxed": min(weights @ partition_losses(labels, solved.membership), *(start.objective for start in starts)),
        "hard": weights @ partition_losses(labels, np.eye(k)[solved.labels]),
    }
    times = {}
    if len(labels) <= BOUNDED:
        for name, hard in (("relaxed", False), ("hard", True)):
            lower, seconds = timed(consensus_lower_bound, labels, n_clusters=k, weights=weights, hard=hard)
            values[f"least_{name}"], times[f"least_{name}_seconds"] = lower.bound, seconds
    certificate = certify(labels, solved.membership, weights=weights)
    return {
        **{name: round(float(value) / pairs, 10) for name, value in values.items()},
        **{name: round(value, 4) for name, value in times.items()},
        "unsure": round(float(np.mean(certificate.move_costs < -1e-9)), 4),
    }
