"""How the consensus of noisy ensembles depends on rho and lambda, for which paper 002 uses one value each.

A cell is one ensemble of `noisy_ensembles`: a data set, kind of ensemble, repetition and share of random partitions.
All weightings see the same ensemble and the same starts.
"""

import numpy as np

from robust_eac import L2, RestrictedSimplex, h_criterion

from ..shared.measure import significant, timed
from ..shared.store import grid
from .noisy_ensembles import ENSEMBLES, SETTINGS, consensus_of, noisy_ensemble

VERSION = 2

# rho = 1 / (share m): the largest weight is that of equal weights on this share of the partitions. The paper: 0.8.
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
# lambda in units of n^2. The paper: 0.5.
LAMBDAS = (0.05, 0.15, 0.5, 1.5, 5.0, 15.0, 50.0)


def cells(*, datasets=tuple(SETTINGS), ensembles=tuple(ENSEMBLES), repetitions=3, fractions=(0.0, 0.2, 0.5, 0.8)):
    return grid(dataset=datasets, ensemble=ensembles, repetition=range(repetitions), fraction=fractions)


SMOKE = cells(datasets=("iris",), ensembles=("kmeans",), repetitions=1, fractions=(0.5,))


def run_one(*, dataset, ensemble, repetition, fraction):
    """{measure: values by parameter} for "uniform", "rho" and "lambda", in the order of SHARES and LAMBDAS."""
    labels, corrupted, y = noisy_ensemble(dataset, ensemble, repetition, fraction)
    n, m = labels.shape

    def measures(weighting):
        consensus, seconds = timed(consensus_of, labels, dataset, repetition, weighting)
        held = consensus.weights > 0
        return {
            "h": round(h_criterion(y, consensus.labels), 4),
            "noise_weight": round(float(consensus.weights[corrupted].sum()), 4),
            "kept_clusterings": int(np.count_nonzero(held & ~corrupted)),
            "kept_random": int(np.count_nonzero(held & corrupted)),
            "seconds": significant(seconds),
        }

    runs = {
        "uniform": [measures("uniform")],
        "rho": [measures(RestrictedSimplex(min(1.0, 1.0 / (share * m)))) for share in SHARES],
        "lambda": [measures(L2(factor * n**2)) for factor in LAMBDAS],
    }
    table = {name: {key: [run[key] for run in group] for key in group[0]} for name, group in runs.items()}
    return {"n_random": int(corrupted.sum())} | table
