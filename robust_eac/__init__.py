"""Weighted median-partition consensus clustering that never forms an n x n matrix."""

from ._version import __version__
from .coassociation import coassociation_matrix
from .datasets import DATASETS, load_dataset
from .ensembles import KMeansEnsemble, MixedEnsemble, corrupt_ensemble
from .estimators import RobustEAC
from .median_partition import MedianPartitionResult, solve_median_partition
from .membership import MembershipResult, solve_membership
from .metrics import adjusted_rand_score, h_criterion, normalized_mutual_information, variation_of_information
from .objective import membership_gradient, objective_value, optimality_gap, partition_losses
from .weighting import (
    WEIGHT_SOLVERS,
    entropy_weights,
    l2_weights,
    power_weights,
    restricted_simplex_weights,
    uniform_weights,
)

__all__ = [
    "DATASETS",
    "WEIGHT_SOLVERS",
    "KMeansEnsemble",
    "MedianPartitionResult",
    "MembershipResult",
    "MixedEnsemble",
    "RobustEAC",
    "__version__",
    "adjusted_rand_score",
    "coassociation_matrix",
    "corrupt_ensemble",
    "entropy_weights",
    "h_criterion",
    "l2_weights",
    "load_dataset",
    "membership_gradient",
    "normalized_mutual_information",
    "objective_value",
    "optimality_gap",
    "partition_losses",
    "power_weights",
    "restricted_simplex_weights",
    "solve_median_partition",
    "solve_membership",
    "uniform_weights",
    "variation_of_information",
]
