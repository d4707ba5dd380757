"""Registry of the consensus functions that take the number of clusters."""

from collections.abc import Callable
from functools import partial

import numpy as np

from .bisecting import bisecting_kmeans_consensus
from .connected_triples import connected_triples
from .cspa import cspa
from .density_search import density_search
from .eac import eac
from .ecc import ecc
from .ecpcs_mc import ecpcs_mc
from .enhanced_eac import enhanced_eac
from .hbgf import hbgf
from .hgpa import hgpa
from .kmeans import kmeans_consensus
from .locally_weighted_eac import locally_weighted_eac
from .mcla import mcla
from .median_partition import median_partition
from .merge import robust_merge
from .peace import peace
from .probability_trajectories import probability_trajectories
from .robust import robust_consensus
from .sec import sec
from .transfer_cut import transfer_cut
from .utilities import utility_consensus

__all__ = ["CONSENSUS_FUNCTIONS"]

# name -> f(labels, n_clusters, *, weights=None, random_state=None) -> labels
CONSENSUS_FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "robust-eac": robust_consensus,
    "robust-merge": robust_merge,
    "median-partition": median_partition,
    "median-partition-vi": partial(median_partition, loss="vi"),
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
