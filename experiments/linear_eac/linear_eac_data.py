"""Data sets, base clusterings and systems that the experiments of paper 001 share (Sections 5.1 to 5.3)."""

from functools import lru_cache, partial
from math import isqrt

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

from robust_eac import CONSENSUS_FUNCTIONS, KMeansEnsemble, load_dataset

from .density_search import density_search

# The paper's data sets that are available, by size. It runs hierarchical clustering on those of SMALL and MEDIUM.
SMALL = ("glass", "ecoli", "ionosphere", "breast-cancer-699", "contraceptive", "yeast")
MEDIUM = ("abalone", "landsat")
LARGE = ("musk", "pendigits", "nursery", "drybean")
# Not in the tables: abalone without the sex, which the paper's rule for discrete variables would leave out.
VARIANT = "abalone-continuous"

# Lowest and highest number of clusters of the base k-means for K classes and n objects.
RANGES = {
    "2..2K": lambda K, n: (2, 2 * K),
    "K..2K": lambda K, n: (K, 2 * K),
    "K..3K": lambda K, n: (K, 3 * K),
    "10..30": lambda K, n: (10, 30),
    "2..sqrt(n)": lambda K, n: (2, isqrt(n)),
    "K/2..sqrt(n)": lambda K, n: (max(2, K // 2), isqrt(n)),
    "K..sqrt(n)": lambda K, n: (K, isqrt(n)),
    "K..sqrt(n/2)": lambda K, n: (K, max(K, isqrt(n // 2))),
}
# {way to start k-means: (kind of start, number of starts)}
STARTS = {"random": ("random", 1), "k-means++": ("k-means++", 1), "k-means++ x10": ("k-means++", 10)}
# The paper's printed text says "-normalization" of the features; the part before the hyphen is lost.
SCALINGS = {"z": StandardScaler, "min-max": MinMaxScaler, "unit rows": Normalizer}

# The settings that agree best with the paper according to the experiment `linear_eac_settings`.
CHOSEN = {"widths": "K..sqrt(n)", "starts": "k-means++ x10", "scaling": "min-max"}
N_PARTITIONS = 20

# Consensus systems. The paper does not say which cluster bisecting k-means splits next, and its description of MCLA
# does not mention weights of the clusters. The tables split the largest cluster, as the source does, without weights;
# the other choices are included too.
HIERARCHICAL = tuple(
    f"{matrix}eac-{linkage}" for matrix in ("", "enhanced-") for linkage in ("single", "average", "complete")
)
SYSTEMS = {name: CONSENSUS_FUNCTIONS[name] for name in ("kmeans", "sec", "ecc", "cspa", *HIERARCHICAL)} | {
    "bisecting-kmeans": partial(CONSENSUS_FUNCTIONS["bisecting-kmeans"], criterion="size"),
    "bisecting-density": CONSENSUS_FUNCTIONS["bisecting-kmeans"],
    "mcla": partial(CONSENSUS_FUNCTIONS["mcla"], balance="count"),
    "mcla-size": CONSENSUS_FUNCTIONS["mcla"],
    "density-search": density_search,
}


@lru_cache(maxsize=2)
def features(dataset, scaling):
    """Scaled features (n, d), missing ones replaced by the mean of their column, and the number of classes."""
    name = "abalone" if dataset == VARIANT else dataset
    X, y = load_dataset(name)
    if name == "abalone":
        # Three columns hold the sex. The paper has eight features, so the sex must be one column.
        sex = X[:, :3] @ np.arange(3.0)
        X = X[:, 3:] if dataset == VARIANT else np.column_stack([sex, X[:, 3:]])
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return SCALINGS[scaling]().fit_transform(X), len(np.unique(y))


def make_ensemble(dataset, n_partitions, *, widths, starts, scaling, seed):
    """Base clusterings (n, n_partitions); `widths`, `starts`, `scaling` are keys of RANGES, STARTS, SCALINGS."""
    X, n_classes = features(dataset, scaling)
    init, n_init = STARTS[starts]
    estimator, n_clusters = KMeans(init=init, n_init=n_init), RANGES[widths](n_classes, len(X))
    return KMeansEnsemble(n_partitions, n_clusters, estimator=estimator, random_state=seed).fit_transform(X)
