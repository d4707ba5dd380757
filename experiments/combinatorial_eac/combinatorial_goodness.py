"""Goodness-of-clustering of single sub-clusterings of one or two features (paper 000, Figures 1, 2).

Feature f1 separates the groups, feature f2 is noise. A cell is one reading of "10:1 SNR" with all its repetitions.
"""

import numpy as np
from scipy.stats import spearmanr

from robust_eac import CombinatorialEAC, normalized_mutual_information

from ..shared.store import grid
from .combinatorial_data import GOODNESS_STREAM, N_CLUSTERS, SIGNAL, SIGNALS, data_sets, groups

VERSION = 1

SUBSETS = {"f1": [0], "f1+f2": [0, 1], "f2": [1]}
RUNS = 200


def cells(*, signals=tuple(SIGNALS), repetitions=50):
    return grid(signal=signals, repetitions=(repetitions,))


SMOKE = cells(signals=(SIGNAL,), repetitions=2)


def run_one(*, signal, repetitions):
    """{measure: {subset: values by repetition}}, from the runs of a repetition.

    "goodness": mean goodness g. "nmi": mean NMI with the true groups. "correlation": rank correlation of the two, None
    if one of them is the same in all runs.
    """
    result = {measure: {name: [] for name in SUBSETS} for measure in ("goodness", "nmi", "correlation")}
    subsets = [subset for subset in SUBSETS.values() for _ in range(RUNS)]
    for X, seed in data_sets(repetitions, 2, GOODNESS_STREAM, signal=signal):
        model = CombinatorialEAC(N_CLUSTERS, combinations=subsets, random_state=seed).fit(X)
        scores = np.array([normalized_mutual_information(groups(), labels) for labels in model.ensemble_.T])
        for u, name in enumerate(SUBSETS):
            goodness, nmi = (values[u * RUNS : (u + 1) * RUNS] for values in (model.goodness_, scores))
            result["goodness"][name].append(round(float(goodness.mean()), 4))
            result["nmi"][name].append(round(float(nmi.mean()), 4))
            result["correlation"][name].append(rank_correlation(goodness, nmi))
    return result


def rank_correlation(a, b):
    """Spearman's correlation, or None if one side is constant up to rounding."""
    a, b = np.round(a, 9), np.round(b, 9)
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return None
    return round(float(spearmanr(a, b).statistic), 4)
