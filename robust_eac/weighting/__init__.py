"""Partition weights.

:data:`WEIGHT_SOLVERS` compute weights from the losses, jointly with the consensus. :data:`WEIGHTING_SCHEMES` compute
weights from the ensemble or the data, before any consensus.
"""

from .agreement import agreement_weights
from .clusters import ensemble_driven_cluster_index, locally_weighted_coassociation_matrix
from .feature_subsets import order_weights, silhouette_weights
from .joint import WEIGHT_SOLVERS
from .kernel import kernel_weights, partition_kernel
from .losses import entropy_weights, l2_weights, power_weights, restricted_simplex_weights, uniform_weights
from .redundancy import redundancy_weights
from .schemes import WEIGHTING_SCHEMES
from .selection import cluster_and_select_weights, convex_hull_weights, joint_criterion_weights
from .trust import chance_corrected_weights, trusted_group_weights
from .validity import ramped_silhouette_weights, validity_weights, wpck_weights

__all__ = [
    "WEIGHTING_SCHEMES",
    "WEIGHT_SOLVERS",
    "agreement_weights",
    "chance_corrected_weights",
    "cluster_and_select_weights",
    "convex_hull_weights",
    "ensemble_driven_cluster_index",
    "entropy_weights",
    "joint_criterion_weights",
    "kernel_weights",
    "l2_weights",
    "locally_weighted_coassociation_matrix",
    "order_weights",
    "partition_kernel",
    "power_weights",
    "ramped_silhouette_weights",
    "redundancy_weights",
    "restricted_simplex_weights",
    "silhouette_weights",
    "trusted_group_weights",
    "uniform_weights",
    "validity_weights",
    "wpck_weights",
]
