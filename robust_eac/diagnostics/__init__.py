"""Quality of a consensus: losses, gap, agreement, certificates."""

from .agreement import AgreementTest, adjusted_agreement, agreement_test
from .certificates import Certificate, certify
from .losses import membership_gradient, objective_value, optimality_gap, partition_losses
from .resampling import ConsensusDistribution, cluster_consensus, consensus_distribution, item_consensus

__all__ = [
    "AgreementTest", "Certificate", "ConsensusDistribution", "adjusted_agreement", "agreement_test", "certify",
    "cluster_consensus", "consensus_distribution", "item_consensus", "membership_gradient", "objective_value",
    "optimality_gap", "partition_losses",
]  # fmt: skip
