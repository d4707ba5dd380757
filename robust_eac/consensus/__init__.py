"""Consensus functions: one method per file, and the registry of those that are given the number of clusters."""

from functools import partial

from .bisecting import BisectingTree, bisecting_kmeans_consensus, bisecting_tree, cut_bisecting_tree
from .density_search import density_search
from .ecc import ecc
from .kmeans import kmeans_consensus
from .robust import robust_consensus
from .sec import sec
from .utilities import utility_consensus

__all__ = [
    "CONSENSUS_FUNCTIONS",
    "BisectingTree",
    "bisecting_kmeans_consensus",
    "bisecting_tree",
    "cut_bisecting_tree",
    "density_search",
    "ecc",
    "kmeans_consensus",
    "robust_consensus",
    "sec",
    "utility_consensus",
]

# name -> f(labels, n_clusters, *, weights=None, random_state=None) -> labels
CONSENSUS_FUNCTIONS = {
    "robust-eac": robust_consensus,
    "kmeans": kmeans_consensus,
    "kmeans-normalised": partial(utility_consensus, utility="category", normalised=True),
    "bisecting-kmeans": bisecting_kmeans_consensus,
    "density-search": density_search,
    "sec": sec,
    "ecc": ecc,
    "ecc-normalised": partial(utility_consensus, utility="entropy", normalised=True),
    "cosine": partial(utility_consensus, utility="cosine"),
    "cosine-normalised": partial(utility_consensus, utility="cosine", normalised=True),
}
