"""Weighted median-partition consensus clustering that never forms an n x n matrix."""

from ._version import __version__
from .coassociation import coassociation_matrix
from .consensus import (
    CONSENSUS_FUNCTIONS,
    bisecting_kmeans_consensus,
    bisecting_tree,
    cut_bisecting_tree,
    density_search,
    ecc,
    kmeans_consensus,
    robust_consensus,
    sec,
    utility_consensus,
)
from .datasets import DATASETS, load_dataset
from .ensembles import KMeansEnsemble, MixedEnsemble, corrupt_ensemble
from .estimators import RobustEAC
from .median_partition import MedianPartitionResult, solve_median_partition
from .membership import MembershipResult, solve_membership
from .metrics import (
    adjusted_rand_score,
    consistency_index,
    density,
    ensemble_nmi,
    h_criterion,
    inter_density,
    intra_density,
    normalized_mutual_information,
    variation_of_information,
)
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
    "CONSENSUS_FUNCTIONS",
    "DATASETS",
    "WEIGHT_SOLVERS",
    "KMeansEnsemble",
    "MedianPartitionResult",
    "MembershipResult",
    "MixedEnsemble",
    "RobustEAC",
    "__version__",
    "adjusted_rand_score",
    "bisecting_kmeans_consensus",
    "bisecting_tree",
    "coassociation_matrix",
    "consistency_index",
    "corrupt_ensemble",
    "cut_bisecting_tree",
    "density",
    "density_search",
    "ecc",
    "ensemble_nmi",
    "entropy_weights",
    "h_criterion",
    "inter_density",
    "intra_density",
    "kmeans_consensus",
    "l2_weights",
    "load_dataset",
    "membership_gradient",
    "normalized_mutual_information",
    "objective_value",
    "optimality_gap",
    "partition_losses",
    "power_weights",
    "restricted_simplex_weights",
    "robust_consensus",
    "sec",
    "solve_median_partition",
    "solve_membership",
    "uniform_weights",
    "utility_consensus",
    "variation_of_information",
]
