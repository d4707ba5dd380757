"""Solvers of the median partition: membership, membership and weights together, along a path, hard, distributed."""

from .distributed import solve_median_partition_distributed
from .hard_median_partition import HardMedianPartition, solve_hard_median_partition
from .local_search import RefinementResult, refine_labels
from .median_partition import MedianPartitionResult, solve_median_partition
from .membership import MembershipResult, solve_membership
from .weight_path import WeightPath, weight_path

__all__ = [
    "HardMedianPartition",
    "MedianPartitionResult",
    "MembershipResult",
    "RefinementResult",
    "WeightPath",
    "refine_labels",
    "solve_hard_median_partition",
    "solve_median_partition",
    "solve_median_partition_distributed",
    "solve_membership",
    "weight_path",
]
