"""How far from the global minimum the consensus is: lower bounds, and what a local search gains on the hard labels.

The ensembles of paper 002, see noisy_ensembles. A cell is one data set, kind of ensemble, share of noise, repetition.
"""

import time

import numpy as np

from robust_eac import (
    certify,
    consensus_lower_bound,
    corrupt_ensemble,
    h_criterion,
    partition_losses,
    refine_labels,
    solve_median_partition,
    solve_membership,
)

from .noisy_ensembles import ENSEMBLES, SETTINGS, WEIGHTINGS, make_ensemble
from .store import derive_seed

VERSION = 1

FRACTIONS = (0.0, 0.2)
REPETITIONS = 1
STARTS = 10
# Bounds take n^3 per iteration: for the data sets up to this size.
BOUNDED = 400

GRID = [
    {"dataset": dataset, "ensemble": ensemble, "repetition": repetition, "fraction": fraction}
    for dataset in SETTINGS
    for ensemble in ENSEMBLES
    for repetition in range(REPETITIONS)
    for fraction in FRACTIONS
]
SMOKE = [
    {"dataset": dataset, "ensemble": "kmeans", "repetition": 0, "fraction": fraction}
    for dataset in ("iris", "wine")
    for fraction in FRACTIONS
]


def run_one(*, dataset, ensemble, repetition, fraction):
    """Objectives per ordered pair, all with the weights of the kept solution, by weighting.

    "relaxed" is the best membership of all starts, "hard" the labels of the kept one, "refined" these after single
    moves, "best" the best labels of all starts, refined; "least_relaxed" and "least_hard" are the lower bounds (data
    sets up to BOUNDED objects). "unsure" is the share of objects whose single move would improve the labels; "h" is
    that of the labels, "h_refined" after the moves, "h_recomputed" where moves and weights go on until neither changes.
    """
    clean, y = make_ensemble(dataset, ensemble, repetition)
    labels, _ = corrupt_ensemble(clean, fraction, derive_seed(0, repetition, "corruption"))
    seed = derive_seed(0, repetition, "solver")
    return {weighting: _one_weighting(labels, y, SETTINGS[dataset][0], weighting, seed) for weighting in WEIGHTINGS}


def _one_weighting(labels, y, k, weighting, seed):
    pairs = float(len(y)) ** 2
    solved = solve_median_partition(labels, k, weighting=weighting, n_init=STARTS, random_state=seed)
    weights = solved.weights
    start = time.perf_counter()
    refined = refine_labels(labels, solved.labels, k, weights=weights, random_state=seed)
    seconds = time.perf_counter() - start
    joint = refine_labels(labels, solved.labels, k, weighting=weighting, random_state=seed)
    starts = [
        solve_membership(labels, k, weights=weights, random_state=np.random.RandomState([seed, number]))
        for number in range(STARTS)
    ]
    tries = [
        refine_labels(labels, other.membership.argmax(axis=1), k, weights=weights, random_state=seed)
        for other in starts
    ]
    values = {
        "relaxed": min(weights @ partition_losses(labels, solved.membership), *(start.objective for start in starts)),
        "hard": weights @ partition_losses(labels, np.eye(k)[solved.labels]),
        "refined": refined.objective,
        "best": min(refined.objective, *(tried.objective for tried in tries)),
    }
    times = {"refine_seconds": seconds}
    if len(y) <= BOUNDED:
        for name, hard in (("relaxed", False), ("hard", True)):
            start = time.perf_counter()
            values[f"least_{name}"] = consensus_lower_bound(labels, n_clusters=k, weights=weights, hard=hard).bound
            times[f"least_{name}_seconds"] = time.perf_counter() - start
    certificate = certify(labels, solved.membership, weights=weights)
    return {
        **{name: round(float(value) / pairs, 10) for name, value in values.items()},
        **{name: round(value, 4) for name, value in times.items()},
        "moves": refined.n_moves,
        "unsure": round(float(np.mean(certificate.move_costs < -1e-9)), 4),
        "h": round(h_criterion(y, solved.labels), 6),
        "h_refined": round(h_criterion(y, refined.labels), 6),
        "h_recomputed": round(h_criterion(y, joint.labels), 6),
    }
