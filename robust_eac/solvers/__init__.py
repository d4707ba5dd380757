"""Solvers: membership, membership and weights together, several consensuses."""

from .consensus_modes import ConsensusModes, solve_consensus_modes
from .median_partition import MedianPartitionResult, MembershipResult, solve_median_partition, solve_membership

__all__ = [
    "ConsensusModes", "MedianPartitionResult", "MembershipResult", "solve_consensus_modes", "solve_median_partition",
    "solve_membership",
]  # fmt: skip
