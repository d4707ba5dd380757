"""Consensus of k-means and mixed ensembles with a share of random partitions (paper 002, Section 4).

A cell is one data set, kind of ensemble, repetition and share of noise. Every weighting sees the same ensemble.
"""

from functools import lru_cache

import numpy as np

from robust_eac import (
    KMeansEnsemble,
    MixedEnsemble,
    adjusted_rand_score,
    corrupt_ensemble,
    h_criterion,
    normalized_mutual_information,
    solve_median_partition,
)

from ..shared.ensembles import load_features
from ..shared.store import derive_seed, grid

VERSION = 1

# Table 1 of the paper: number of clusters of the consensus, and its range in the base clusterings.
SETTINGS = {
    "spiral": (2, (2, 10)),
    "cigar": (4, (2, 10)),
    "rings": (3, (2, 10)),
    "image-c": (7, (7, 40)),
    "image-1": (8, (8, 40)),
    "iris": (3, (3, 20)),
    "wine": (3, (4, 20)),
    "house-votes": (2, (2, 20)),
    "ionosphere": (2, (4, 20)),
    "std-yeast-cell": (5, (5, 20)),
    "breast-cancer": (2, (2, 20)),
    "optdigits": (10, (10, 50)),
}
# Their features have different units, or are binary beside a constant one. The paper does not mention a scaling.
STANDARDISED = ("wine", "house-votes", "ionosphere")
ENSEMBLES = {"kmeans": KMeansEnsemble, "mixed": MixedEnsemble}
SIZES = {"kmeans": 150, "mixed": 56}
WEIGHTINGS = ("uniform", "restricted-simplex", "l2")
FRACTIONS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
REPETITIONS = 10

# The share of noise varies fastest: a worker that gets several cells in a row makes their ensemble once.
GRID = grid(dataset=SETTINGS, ensemble=ENSEMBLES, repetition=range(REPETITIONS), fraction=FRACTIONS)
SMOKE = grid(dataset=("iris", "wine"), ensemble=ENSEMBLES, repetition=range(2), fraction=(0.0, 0.2, 0.6))


def run_one(*, dataset, ensemble, repetition, fraction):
    """{weighting: measures}: agreement with the classes, weight left on the random partitions, state of the solver."""
    labels, corrupted, y = noisy_ensemble(dataset, ensemble, repetition, fraction)
    n_clusters, _ = SETTINGS[dataset]
    result = {}
    for weighting in WEIGHTINGS:
        consensus = solve_median_partition(
            labels, n_clusters, weighting=weighting, random_state=derive_seed(0, repetition, "solver")
        )
        result[weighting] = {
            "h": round(h_criterion(y, consensus.labels), 6),
            "ari": round(adjusted_rand_score(y, consensus.labels), 6),
            "nmi": round(normalized_mutual_information(y, consensus.labels), 6),
            "noise_weight": round(float(consensus.weights[corrupted].sum()), 6),
            "n_weighted": int(np.count_nonzero(consensus.weights)),
            "objective": round(consensus.objective / len(y) ** 2, 9),
            "gap": float(f"{consensus.gap:.2e}"),
            "n_iter": consensus.n_iter,
            "converged": bool(consensus.converged),
        }
    return result


def noisy_ensemble(dataset, ensemble, repetition, fraction):
    """An ensemble of which a share is replaced, which partitions are replaced, and the classes."""
    clean, y = make_ensemble(dataset, ensemble, repetition)
    return *corrupt_ensemble(clean, fraction, derive_seed(0, repetition, "corruption")), y


@lru_cache(maxsize=1)
def make_ensemble(dataset, ensemble, repetition):
    """The clean ensemble of a repetition, and the classes."""
    X, y = load_features(dataset, STANDARDISED)
    model = ENSEMBLES[ensemble](
        SIZES[ensemble], SETTINGS[dataset][1], random_state=derive_seed(0, repetition, "ensemble")
    )
    return model.fit_transform(X), y
