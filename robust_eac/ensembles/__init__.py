"""Ensembles of clusterings from features, and noise for them."""

from .corruption import corrupt_ensemble
from .distributed import ensemble_distributed
from .feature_subsets import FeatureSubsetEnsemble
from .fuzzy import fuzzy_c_means, gath_geva, kaufman_kmeans, kaufman_seeds
from .kmeans import KMeansEnsemble
from .landmarks import LandmarkSpectralEnsemble
from .mixed import MixedEnsemble

__all__ = [
    "FeatureSubsetEnsemble", "KMeansEnsemble", "LandmarkSpectralEnsemble", "MixedEnsemble", "corrupt_ensemble",
    "ensemble_distributed", "fuzzy_c_means", "gath_geva", "kaufman_kmeans", "kaufman_seeds",
]  # fmt: skip
