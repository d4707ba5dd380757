"""Partition weights.

From the losses, jointly with the consensus: :data:`WEIGHT_SOLVERS`. From the ensemble or the data, before any
consensus: :data:`WEIGHTING_SCHEMES`.
"""

from collections.abc import Callable

import numpy as np

from .agreement import agreement_weights, equal_weights
from .clusters import ensemble_driven_cluster_index, locally_weighted_coassociation_matrix
from .feature_subsets import order_weights, silhouette_weights
from .joint import WEIGHT_SOLVERS
from .kernel import kernel_weights, partition_kernel
from .losses import entropy_weights, l2_weights, power_weights, restricted_simplex_weights, uniform_weights
from .redundancy import redundancy_weights
from .selection import cluster_and_select_weights, convex_hull_weights, joint_criterion_weights
from .trust import chance_corrected_weights, trusted_group_weights
from .validity import partition_validity, ramped_silhouette_weights, validity_weights, wpck_weights

__all__ = [
    "FEATURE_SCHEMES",
    "WEIGHTING_SCHEMES",
    "WEIGHT_SOLVERS",
    "agreement_weights",
    "chance_corrected_weights",
    "cluster_and_select_weights",
    "convex_hull_weights",
    "ensemble_driven_cluster_index",
    "entropy_weights",
    "equal_weights",
    "joint_criterion_weights",
    "kernel_weights",
    "l2_weights",
    "locally_weighted_coassociation_matrix",
    "order_weights",
    "partition_kernel",
    "partition_validity",
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

# name -> f(labels, *, X=None, random_state=None) -> weights
WEIGHTING_SCHEMES: dict[str, Callable[..., np.ndarray]] = {
    "uniform": equal_weights,
    "weac": agreement_weights,
    "kernel": kernel_weights,
    "selection-joint-criterion": joint_criterion_weights,
    "selection-cluster-and-select": cluster_and_select_weights,
    "selection-convex-hull": convex_hull_weights,
    "redundancy": redundancy_weights,
    "trusted-group": trusted_group_weights,
    "silhouette": ramped_silhouette_weights,
    "validity": validity_weights,
    "wpck": wpck_weights,
}
# Those that need X.
FEATURE_SCHEMES = ("silhouette", "validity", "wpck")
