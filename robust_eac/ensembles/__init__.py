"""Ensembles of clusterings from features, and noise for them."""

from .corruption import corrupt_ensemble
from .distributed import kmeans_ensemble_distributed
from .feature_subsets import FeatureSubsetEnsemble
from .kmeans import KMeansEnsemble
from .mixed import MixedEnsemble

__all__ = [
    "FeatureSubsetEnsemble",
    "KMeansEnsemble",
    "MixedEnsemble",
    "corrupt_ensemble",
    "kmeans_ensemble_distributed",
]
