"""Solvers: membership, membership and weights together."""

from .median_partition import MedianPartitionResult, MembershipResult, solve_median_partition, solve_membership

__all__ = ["MedianPartitionResult", "MembershipResult", "solve_median_partition", "solve_membership"]
