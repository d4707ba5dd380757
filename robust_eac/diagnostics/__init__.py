"""How good and how sure a consensus is: losses, gap, agreement; certificates; draws; the number of clusters."""

from .agreement import AgreementTest, adjusted_agreement, agreement_test
from .certificates import Certificate, certify
from .credible_ball import CredibleBall, credible_ball
from .hard_losses import ReassignmentCosts, expected_losses, hard_partition_losses, reassignment_costs
from .objective import membership_gradient, objective_value, optimality_gap, partition_losses
from .selection import ClusterNumberSelection, select_n_clusters

__all__ = [
    "AgreementTest",
    "Certificate",
    "ClusterNumberSelection",
    "CredibleBall",
    "ReassignmentCosts",
    "adjusted_agreement",
    "agreement_test",
    "certify",
    "credible_ball",
    "expected_losses",
    "hard_partition_losses",
    "membership_gradient",
    "objective_value",
    "optimality_gap",
    "partition_losses",
    "reassignment_costs",
    "select_n_clusters",
]
