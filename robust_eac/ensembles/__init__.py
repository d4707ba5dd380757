"""Ensembles of clusterings from features, and noise for them."""

from ..features.feature_subsets import FeatureSubsetEnsemble
from ..features.fuzzy import fuzzy_c_means, gath_geva, kaufman_kmeans, kaufman_seeds
from .clusterers import ClustererEnsemble, KMeansEnsemble, MixedEnsemble
from .corruption import corrupt_ensemble, gaussian_reference
from .distributed import ensemble_distributed

__all__ = [
    "ClustererEnsemble", "FeatureSubsetEnsemble", "KMeansEnsemble", "MixedEnsemble",
    "corrupt_ensemble", "ensemble_distributed", "fuzzy_c_means", "gath_geva", "gaussian_reference", "kaufman_kmeans",
    "kaufman_seeds",
]  # fmt: skip
