"""How the consensus depends on rho and lambda under noise, which paper 002 fixes at one value each.

A cell is one data set, kind of ensemble, share of random partitions and repetition; the ensembles are those of
`noisy_ensembles`. All weightings see the same ensemble and the same starts.
"""

import time

import numpy as np

from robust_eac import corrupt_ensemble, h_criterion, solve_median_partition

from .noisy_ensembles import ENSEMBLES, SETTINGS, make_ensemble
from .store import derive_seed

VERSION = 1

# rho = 1 / (share m): no partition may weigh more than if this share of them had equal weights. The paper: 0.8.
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
# lambda in units of n^2. The paper: 0.5.
LAMBDAS = (0.05, 0.15, 0.5, 1.5, 5.0, 15.0, 50.0)
FRACTIONS = (0.0, 0.2, 0.5, 0.8)
REPETITIONS = 3

GRID = [
    {"dataset": dataset, "ensemble": ensemble, "repetition": repetition, "fraction": fraction}
    for dataset in SETTINGS
    for ensemble in ENSEMBLES
    for repetition in range(REPETITIONS)
    for fraction in FRACTIONS
]
SMOKE = [
    {"dataset": dataset, "ensemble": ensemble, "repetition": 0, "fraction": fraction}
    for dataset in ("iris", "wine")
    for ensemble in ENSEMBLES
    for fraction in (0.0, 0.5)
]


def run_one(*, dataset, ensemble, repetition, fraction):
    """{"uniform", "rho", "lambda": {measure: one value per parameter}}, in the order of SHARES and LAMBDAS."""
    clean, y = make_ensemble(dataset, ensemble, repetition)
    labels, corrupted = corrupt_ensemble(clean, fraction, derive_seed(0, repetition, "corruption"))
    n, m = labels.shape

    def measures(weighting, **parameter):
        start = time.perf_counter()
        consensus = solve_median_partition(
            labels,
            SETTINGS[dataset][0],
            weighting=weighting,
            random_state=derive_seed(0, repetition, "solver"),
            **parameter,
        )
        seconds = time.perf_counter() - start
        held = consensus.weights > 0
        return {
            "h": round(h_criterion(y, consensus.labels), 4),
            "noise_weight": round(float(consensus.weights[corrupted].sum()), 4),
            "kept_clusterings": int(np.count_nonzero(held & ~corrupted)),
            "kept_random": int(np.count_nonzero(held & corrupted)),
            "seconds": float(f"{seconds:.3g}"),
        }

    runs = {
        "uniform": [measures("uniform")],
        "rho": [measures("restricted-simplex", rho=min(1.0, 1.0 / (share * m))) for share in SHARES],
        "lambda": [measures("l2", lam=factor * n**2) for factor in LAMBDAS],
    }
    table = {name: {key: [run[key] for run in group] for key in group[0]} for name, group in runs.items()}
    return {"n_random": int(corrupted.sum())} | table
