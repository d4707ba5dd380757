"""Weights of the partitions that need no consensus, from the ensemble or from the features."""

from collections.abc import Callable

import numpy as np

from ..features.silhouette import order_weights, silhouette_weights
from ..median_partition.trust import trusted_group_weights
from .agreement import agreement_weights, equal_weights, kernel_weights
from .clusters import ensemble_driven_cluster_index
from .redundancy import redundancy_weights
from .selection import cluster_and_select_weights, convex_hull_weights, joint_criterion_weights
from .validity import ramped_silhouette_weights, validity_weights, wpck_weights

__all__ = [
    "WEIGHTING_SCHEMES", "agreement_weights", "cluster_and_select_weights", "convex_hull_weights",
    "ensemble_driven_cluster_index", "joint_criterion_weights", "kernel_weights", "order_weights",
    "ramped_silhouette_weights", "redundancy_weights", "silhouette_weights", "validity_weights", "wpck_weights",
]  # fmt: skip

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
# Schemes that need X.
FEATURE_SCHEMES = ("silhouette", "validity", "wpck")
