"""Weights of the partitions from their losses, found jointly with the consensus."""

from .closed_forms import entropy_weights, l2_weights, restricted_simplex_weights, uniform_weights
from .joint import L2, WEIGHT_SOLVERS, ChanceCorrected, Entropy, RestrictedSimplex, Uniform, Weighting
from .trust import chance_corrected_weights, trusted_group_weights

__all__ = [
    "L2", "WEIGHT_SOLVERS", "ChanceCorrected", "Entropy", "RestrictedSimplex", "Uniform", "Weighting",
    "chance_corrected_weights", "entropy_weights", "l2_weights", "restricted_simplex_weights",
    "trusted_group_weights", "uniform_weights",
]  # fmt: skip
