"""Hard partitions: losses between them, search for the one of least loss, bounds, and credible balls."""

from .losses import (
    CredibleBall,
    ReassignmentCosts,
    credible_ball,
    expected_losses,
    hard_partition_losses,
    reassignment_costs,
)
from .lower_bound import LowerBound, consensus_lower_bound
from .median_partition import HardMedianPartition, solve_hard_median_partition

__all__ = [
    "CredibleBall", "HardMedianPartition", "LowerBound", "ReassignmentCosts", "consensus_lower_bound",
    "credible_ball", "expected_losses", "hard_partition_losses", "reassignment_costs", "solve_hard_median_partition",
]  # fmt: skip
