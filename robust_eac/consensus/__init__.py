"""Consensus functions, a family of methods per file, and their registry."""

from .bisecting import BisectingTree, bisecting_kmeans_consensus, bisecting_tree, cut_bisecting_tree
from .combinatorial import CombinatorialEAC, zca_whiten
from .density_search import density_search
from .eac import coassociation_matrix, eac, eac_linkage, lifetime_eac, threshold_eac
from .kmeans import ecc, kmeans_consensus, sec, utility_consensus
from .merge import MergeResult, merge_consensus
from .ovi import OVIConsensus, assign_to_cores, ovi_lda_consensus
from .peace import PeaceResult, solve_peace
from .refined_eac import enhanced_coassociation_matrix, enhanced_eac, locally_weighted_eac
from .registry import CONSENSUS_FUNCTIONS

__all__ = [
    "CONSENSUS_FUNCTIONS", "BisectingTree", "CombinatorialEAC", "MergeResult", "OVIConsensus", "PeaceResult",
    "assign_to_cores", "bisecting_kmeans_consensus", "bisecting_tree", "coassociation_matrix", "cut_bisecting_tree",
    "density_search", "eac", "eac_linkage", "ecc", "enhanced_coassociation_matrix", "enhanced_eac",
    "kmeans_consensus", "lifetime_eac", "locally_weighted_eac", "merge_consensus", "ovi_lda_consensus", "sec",
    "solve_peace", "threshold_eac", "utility_consensus", "zca_whiten",
]  # fmt: skip
