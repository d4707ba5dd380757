"""Solvers of the median partition: membership, membership and weights together, along a path, hard, distributed."""

from .distributed import solve_median_partition_distributed
from .local_search import RefinementResult, refine_labels
from .median_partition import MedianPartitionResult, solve_median_partition
from .membership import MembershipResult, solve_membership
from .weight_path import WeightPath, weight_path

__all__ = [
    "MedianPartitionResult",
    "MembershipResult",
    "RefinementResult",
    "WeightPath",
    "refine_labels",
    "solve_median_partition",
    "solve_median_partition_distributed",
    "solve_membership",
    "weight_path",
]
