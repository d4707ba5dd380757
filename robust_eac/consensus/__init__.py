"""Consensus functions, one method per file; their registry; and `compare`, which runs them all."""

from .bisecting import BisectingTree, bisecting_kmeans_consensus, bisecting_tree, cut_bisecting_tree
from .coassociation import coassociation_matrix, enhanced_coassociation_matrix
from .combinatorial import CombinatorialEAC, zca_whiten
from .compare import compare
from .density_search import density_search
from .eac import eac, eac_linkage, lifetime_eac, threshold_eac
from .ecc import ecc
from .enhanced_eac import enhanced_eac
from .kmeans import kmeans_consensus
from .locally_weighted_eac import locally_weighted_eac
from .merge import MergeResult, merge_consensus, robust_merge
from .ovi_consensus import OVIConsensus
from .ovi_lda import assign_to_cores, ovi_lda_consensus
from .peace import PeaceResult, peace, solve_peace
from .registry import CONSENSUS_FUNCTIONS
from .robust import robust_consensus
from .sec import sec
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
    "coassociation_matrix",
    "compare",
    "cut_bisecting_tree",
    "density_search",
    "eac",
    "eac_linkage",
    "ecc",
    "enhanced_coassociation_matrix",
    "enhanced_eac",
    "kmeans_consensus",
    "lifetime_eac",
    "locally_weighted_eac",
    "merge_consensus",
    "ovi_lda_consensus",
    "peace",
    "robust_consensus",
    "robust_merge",
    "sec",
    "solve_peace",
    "threshold_eac",
    "utility_consensus",
    "zca_whiten",
]
