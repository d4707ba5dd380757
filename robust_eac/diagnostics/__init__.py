"""Quality of a consensus: losses, gap, agreement, certificates."""

from .agreement import AgreementTest, adjusted_agreement, agreement_test
from .certificates import Certificate, certify
from .objective import membership_gradient, objective_value, optimality_gap, partition_losses

__all__ = [
    "AgreementTest", "Certificate", "adjusted_agreement", "agreement_test", "certify",
    "membership_gradient", "objective_value", "optimality_gap", "partition_losses",
]  # fmt: skip
