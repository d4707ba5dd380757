"""Consensus functions, one family of methods per file, and their registry."""

from collections.abc import Callable
from functools import partial

import numpy as np

from .. import validation as check
from ..ensemble import reading
from ..ensemble.encoding import relabel
from ..features.combinatorial import CombinatorialEAC, zca_whiten
from ..features.ovi_consensus import OVIConsensus, assign_to_cores, ovi_lda_consensus
from ..hard.solve import solve_hard_median_partition
from ..median_partition.solve import solve_median_partition
from .eac import coassociation_matrix, eac, eac_linkage, lifetime_eac, threshold_eac
from .graph_partitioning import cspa, hgpa, mcla
from .kmeans import (
    BisectingTree,
    bisecting_kmeans_consensus,
    bisecting_tree,
    cut_bisecting_tree,
    ecc,
    kmeans_consensus,
    sec,
)
from .merge import MergeResult, merge_consensus, merge_labels
from .n_clusters import ClusterNumberSelection, select_n_clusters
from .peace import PeaceResult, solve_peace
from .refined_eac import enhanced_coassociation_matrix, enhanced_eac, locally_weighted_eac
from .spectral import hbgf, transfer_cut

__all__ = [
    "CONSENSUS_FUNCTIONS", "BisectingTree", "ClusterNumberSelection", "CombinatorialEAC", "MergeResult", "OVIConsensus",
    "PeaceResult", "assign_to_cores", "bisecting_kmeans_consensus", "bisecting_tree", "coassociation_matrix",
    "cut_bisecting_tree", "eac", "eac_linkage", "ecc", "enhanced_coassociation_matrix",
    "enhanced_eac", "kmeans_consensus", "lifetime_eac", "locally_weighted_eac", "merge_consensus", "ovi_lda_consensus",
    "sec", "select_n_clusters", "solve_peace", "threshold_eac", "zca_whiten",
]  # fmt: skip


def _robust_eac(labels, n_clusters, *, weights=None, random_state=None):
    """Labels of :func:`~robust_eac.solve_median_partition`; without `weights`, they are found jointly."""
    ensemble = reading.ensemble(labels, weights=weights)
    weighting = "restricted-simplex" if weights is None else check.weights(weights, ensemble.n_partitions)
    result = solve_median_partition(ensemble, n_clusters, weighting=weighting, random_state=random_state)
    return relabel(result.labels)


def _robust_merge(labels, n_clusters, *, weights=None, random_state=None):
    """Labels of :func:`~robust_eac.merge_consensus`."""
    ensemble = reading.ensemble(labels)
    n_clusters = check.n_clusters(n_clusters, ensemble.n_samples)
    return merge_labels(ensemble, n_clusters, weights, random_state=random_state)[0].labels


def _median_partition(labels, n_clusters, *, weights=None, random_state=None, loss="binder"):
    """At most n_clusters clusters of :func:`~robust_eac.solve_hard_median_partition`."""
    ensemble = reading.ensemble(labels)
    n_clusters = check.n_clusters(n_clusters, ensemble.n_samples)
    result = solve_hard_median_partition(ensemble, n_clusters, loss=loss, weights=weights, random_state=random_state)
    return result.labels


def _peace(labels, n_clusters, *, weights=None, random_state=None):
    """Best of ten starts of :func:`~robust_eac.solve_peace`."""
    return solve_peace(labels, n_clusters, weights=weights, n_init=10, random_state=random_state).labels


# name -> f(labels, n_clusters, *, weights=None, random_state=None) -> labels
CONSENSUS_FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "robust-eac": _robust_eac,
    "robust-merge": _robust_merge,
    "median-partition": _median_partition,
    "median-partition-vi": partial(_median_partition, loss="vi"),
    "peace": _peace,
    "kmeans": kmeans_consensus,
    "bisecting-kmeans": bisecting_kmeans_consensus,
    "sec": sec,
    "ecc": ecc,
    "eac-single": partial(eac, linkage="single"),
    "eac-average": eac,
    "eac-complete": partial(eac, linkage="complete"),
    "enhanced-eac-single": partial(enhanced_eac, linkage="single"),
    "enhanced-eac-average": enhanced_eac,
    "enhanced-eac-complete": partial(enhanced_eac, linkage="complete"),
    "locally-weighted-eac": locally_weighted_eac,
    "cspa": cspa,
    "mcla": mcla,
    "hgpa": hgpa,
    "hbgf": hbgf,
    "lwgp": transfer_cut,
    "usenc": partial(transfer_cut, theta=None),
}
