"""Hard partitions: losses between them, search for the one of least loss, and credible balls."""

from .credible_ball import CredibleBall, credible_ball
from .losses import ReassignmentCosts, expected_losses, hard_partition_losses, reassignment_costs
from .solve import HardMedianPartition, solve_hard_median_partition

__all__ = [
    "CredibleBall", "HardMedianPartition", "ReassignmentCosts", "credible_ball", "expected_losses",
    "hard_partition_losses", "reassignment_costs", "solve_hard_median_partition",
]  # fmt: skip
