"""Consensus functions: one method per file, and the registry of those that are given the number of clusters."""

from collections.abc import Callable
from functools import partial

import numpy as np

from .bisecting import BisectingTree, bisecting_kmeans_consensus, bisecting_tree, cut_bisecting_tree
from .combinatorial import CombinatorialEAC, order_weights, silhouette_weights, zca_whiten
from .connected_triples import connected_triples
from .cspa import cspa
from .density_search import density_search
from .eac import eac, eac_linkage, lifetime_eac, threshold_eac
from .ecc import ecc
from .ecpcs_mc import ecpcs_mc
from .enhanced_eac import enhanced_eac
from .hbgf import hbgf
from .hgpa import hgpa
from .kmeans import kmeans_consensus
from .locally_weighted_eac import locally_weighted_eac
from .mcla import mcla
from .merge import MergeResult, merge_consensus, robust_merge
from .ovi_lda import OVIConsensus, assign_to_cores, ovi_lda_consensus
from .peace import PeaceResult, peace, solve_peace
from .probability_trajectories import probability_trajectories
from .robust import robust_consensus
from .sec import sec
from .transfer_cut import transfer_cut
from .utilities import utility_consensus

__all__ = [
    "CONSENSUS_FUNCTIONS",
    "BisectingTree",
    "CombinatorialEAC",
    "MergeResult",
    "OVIConsensus",
    "PeaceResult",
    "assign_to_cores",
    "bisecting_kmeans_consensus",
    "bisecting_tree",
    "connected_triples",
    "cspa",
    "cut_bisecting_tree",
    "density_search",
    "eac",
    "eac_linkage",
    "ecc",
    "ecpcs_mc",
    "enhanced_eac",
    "hbgf",
    "hgpa",
    "kmeans_consensus",
    "lifetime_eac",
    "locally_weighted_eac",
    "mcla",
    "merge_consensus",
    "order_weights",
    "ovi_lda_consensus",
    "peace",
    "probability_trajectories",
    "robust_consensus",
    "robust_merge",
    "sec",
    "silhouette_weights",
    "solve_peace",
    "threshold_eac",
    "transfer_cut",
    "utility_consensus",
    "zca_whiten",
]

# name -> f(labels, n_clusters, *, weights=None, random_state=None) -> labels
CONSENSUS_FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "robust-eac": robust_consensus,
    "robust-merge": robust_merge,
    "peace": peace,
    "kmeans": kmeans_consensus,
    "kmeans-normalised": partial(utility_consensus, utility="category", normalised=True),
    "bisecting-kmeans": bisecting_kmeans_consensus,
    "density-search": density_search,
    "sec": sec,
    "ecc": ecc,
    "ecc-normalised": partial(utility_consensus, utility="entropy", normalised=True),
    "cosine": partial(utility_consensus, utility="cosine"),
    "cosine-normalised": partial(utility_consensus, utility="cosine", normalised=True),
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
    "ecpcs-mc": ecpcs_mc,
    "wct": connected_triples,
    "pta": probability_trajectories,
    "ptgp": partial(probability_trajectories, method="cut"),
}
