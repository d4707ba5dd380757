"""One ensemble with its weights: what the co-association matrices of paper 002, Figure 3, are drawn from."""

from robust_eac import corrupt_ensemble, h_criterion, solve_median_partition

from .noisy_ensembles import SETTINGS, make_ensemble
from .store import derive_seed

VERSION = 1

GRID = [
    {"dataset": "iris", "ensemble": "kmeans", "weighting": "restricted-simplex", "fraction": fraction}
    for fraction in (0.0, 0.2)
]
SMOKE = GRID


def run_one(*, dataset, ensemble, weighting, fraction):
    """Labels of the ensemble, which partitions were replaced, the consensus, the losses per pair and the weights."""
    clean, y = make_ensemble(dataset, ensemble, 0)
    labels, corrupted = corrupt_ensemble(clean, fraction, derive_seed(0, 0, "corruption"))
    consensus = solve_median_partition(
        labels, SETTINGS[dataset][0], weighting=weighting, random_state=derive_seed(0, 0, "solver")
    )
    return {
        "labels": labels.tolist(),
        "corrupted": corrupted.tolist(),
        "consensus": consensus.labels.tolist(),
        "losses": (consensus.losses / len(y) ** 2).round(6).tolist(),
        "weights": consensus.weights.round(12).tolist(),
        "h": h_criterion(y, consensus.labels),
    }
