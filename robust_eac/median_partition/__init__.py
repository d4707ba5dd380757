"""The weighted median partition: objective, weightings, alternation, Y step, bounds."""

from .closed_forms import entropy_weights, l2_weights, restricted_simplex_weights, uniform_weights
from .lower_bound import LowerBound, consensus_lower_bound
from .solve import MedianPartitionResult, MembershipResult, solve_median_partition, solve_membership
from .trust import chance_corrected_weights, trusted_group_weights
from .weightings import L2, WEIGHT_SOLVERS, ChanceCorrected, Entropy, RestrictedSimplex, Uniform, Weighting

__all__ = [
    "L2", "WEIGHT_SOLVERS", "ChanceCorrected", "Entropy", "LowerBound", "MedianPartitionResult", "MembershipResult",
    "RestrictedSimplex", "Uniform", "Weighting", "chance_corrected_weights", "consensus_lower_bound",
    "entropy_weights", "l2_weights", "restricted_simplex_weights", "solve_median_partition", "solve_membership",
    "trusted_group_weights", "uniform_weights",
]  # fmt: skip
