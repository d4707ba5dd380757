"""Weights of the partitions from the ensemble or the features, before any consensus."""

from .agreement import agreement_weights, kernel_weights
from .clusters import ensemble_driven_cluster_index
from .redundancy import redundancy_weights
from .registry import WEIGHTING_SCHEMES
from .selection import cluster_and_select_weights, convex_hull_weights, joint_criterion_weights
from .silhouette import order_weights, ramped_silhouette_weights, silhouette_weights
from .validity import validity_weights, wpck_weights

__all__ = [
    "WEIGHTING_SCHEMES",
    "agreement_weights",
    "cluster_and_select_weights",
    "convex_hull_weights",
    "ensemble_driven_cluster_index",
    "joint_criterion_weights",
    "kernel_weights",
    "order_weights",
    "ramped_silhouette_weights",
    "redundancy_weights",
    "silhouette_weights",
    "validity_weights",
    "wpck_weights",
]
