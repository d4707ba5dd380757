"""Solvers: membership, membership and weights together, along a path, hard partitions, lower bounds, distributed."""

from .consensus_modes import ConsensusModes, solve_consensus_modes
from .distributed import solve_median_partition_distributed
from .hard_median_partition import HardMedianPartition, solve_hard_median_partition
from .local_search import RefinementResult, refine_labels
from .lower_bound import LowerBound, consensus_lower_bound
from .median_partition import MedianPartitionResult, solve_median_partition
from .membership import MembershipResult, solve_membership
from .weight_path import WeightPath, weight_path

__all__ = [
    "ConsensusModes",
    "HardMedianPartition",
    "LowerBound",
    "MedianPartitionResult",
    "MembershipResult",
    "RefinementResult",
    "WeightPath",
    "consensus_lower_bound",
    "refine_labels",
    "solve_consensus_modes",
    "solve_hard_median_partition",
    "solve_median_partition",
    "solve_median_partition_distributed",
    "solve_membership",
    "weight_path",
]
