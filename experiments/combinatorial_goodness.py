"""Goodness-of-clustering of single sub-clusterings of one or two features (paper 000, Figures 1, 2).

Feature f1 tells the groups apart, feature f2 is noise. A cell is one reading of "10:1 SNR", with all its repetitions.
"""

import numpy as np
from scipy.stats import spearmanr

from robust_eac import CombinatorialEAC, normalized_mutual_information

from .combinatorial_data import (
    GOODNESS_STREAM,
    N_CLUSTERS,
    SIGNAL,
    SIGNALS,
    add_signal,
    data_rng,
    groups,
    independent_noise,
    solver_seed,
)

VERSION = 1

SUBSETS = {"f1": [0], "f1+f2": [0, 1], "f2": [1]}
RUNS = 200
REPETITIONS = 50

GRID = [{"signal": signal, "repetitions": REPETITIONS} for signal in SIGNALS]
SMOKE = [{"signal": signal, "repetitions": 2} for signal in (SIGNAL, "squared distance")]


def run_one(*, signal, repetitions):
    """Of every repetition and subset: mean goodness g, mean NMI with the truth, and their rank correlation over runs.

    {"goodness": {subset: [...]}, "nmi": {subset: [...]}, "correlation": {subset: [...]}}; no correlation (None) where
    all runs give equal values.
    """
    result = {measure: {name: [] for name in SUBSETS} for measure in ("goodness", "nmi", "correlation")}
    for repetition in range(repetitions):
        X = add_signal(independent_noise(2, data_rng(repetition, 2, GOODNESS_STREAM)), None, signal)
        subsets = [subset for subset in SUBSETS.values() for _ in range(RUNS)]
        model = CombinatorialEAC(N_CLUSTERS, combinations=subsets, random_state=solver_seed(repetition, 2)).fit(X)
        scores = np.array([normalized_mutual_information(groups(), labels) for labels in model.ensemble_.T])
        for u, name in enumerate(SUBSETS):
            goodness, nmi = (values[u * RUNS : (u + 1) * RUNS] for values in (model.goodness_, scores))
            result["goodness"][name].append(round(float(goodness.mean()), 4))
            result["nmi"][name].append(round(float(nmi.mean()), 4))
            result["correlation"][name].append(rank_correlation(goodness, nmi))
    return result


def rank_correlation(a, b):
    """Spearman's, or None where one side is constant (up to rounding)."""
    a, b = np.round(a, 9), np.round(b, 9)
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return None
    return round(float(spearmanr(a, b).statistic), 4)
