"""Weighted median-partition consensus clustering that never forms an n x n matrix."""

from ._version import __version__
from .estimators import RobustEAC
from .median_partition import MedianPartitionResult, solve_median_partition
from .membership import MembershipResult, solve_membership
from .objective import membership_gradient, objective_value, optimality_gap, partition_losses
from .weighting import (
    WEIGHT_SOLVERS,
    entropy_weights,
    l2_weights,
    power_weights,
    restricted_simplex_weights,
    uniform_weights,
)

__all__ = [
    "WEIGHT_SOLVERS",
    "MedianPartitionResult",
    "MembershipResult",
    "RobustEAC",
    "__version__",
    "entropy_weights",
    "l2_weights",
    "membership_gradient",
    "objective_value",
    "optimality_gap",
    "partition_losses",
    "power_weights",
    "restricted_simplex_weights",
    "solve_median_partition",
    "solve_membership",
    "uniform_weights",
]
