"""Partition weights. From the losses, jointly with the consensus: :data:`WEIGHT_SOLVERS`."""

from .losses import (
    WEIGHT_SOLVERS,
    entropy_weights,
    l2_weights,
    power_weights,
    restricted_simplex_weights,
    uniform_weights,
)

__all__ = [
    "WEIGHT_SOLVERS",
    "entropy_weights",
    "l2_weights",
    "power_weights",
    "restricted_simplex_weights",
    "uniform_weights",
]
