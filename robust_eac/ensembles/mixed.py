"""Ensembles of six clustering algorithms."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import pairwise_distances

from .. import validation as check
from ..common import MAX_SEED, RandomState
from .base import EnsembleTransformer, fit_all, stack

__all__ = ["MixedEnsemble"]

_LINKAGES = ("single", "average", "ward", "centroid")


class MixedEnsemble(EnsembleTransformer):
    r"""Cluster the same data with six algorithms, each at several numbers of clusters.

    The "mixed ensemble" of [1]_: agglomerative clustering with single, average, Ward and centroid linkage, k-means, and
    normalised spectral clustering ([2]_). [1]_ states only the total of 56 partitions. Here each linkage has 9, cut at
    numbers of clusters spaced evenly over the range; k-means and spectral clustering have 10 each, with numbers of
    clusters drawn from the range. Other totals keep these proportions as nearly as integers allow. The spectral
    affinity is :math:`\exp(-\|x - x'\|^2 / (2 s^2))` with s the median distance. Time and memory O(n_samples^2). There
    is no `transform`: new objects cannot be labelled.

    Parameters
    ----------
    n_partitions : int, default=56
        Number of clusterings m, at least 6.
    n_clusters : int, (int, int) or list of int, default=(3, 20)
        Number of clusters, the lowest and the highest, or a list; less than the number of objects.
    n_jobs, random_state : as in :class:`~robust_eac.ClustererEnsemble`

    Attributes
    ----------
    labels_, n_clusters_ : as in :class:`~robust_eac.ClustererEnsemble`
    algorithms_ : list of n_partitions str
        "single", "average", "ward", "centroid", "kmeans" or "spectral".
    n_features_in_ : int

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 4.
    .. [2] Ng, Jordan, Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.

    Examples
    --------
    >>> from robust_eac import MixedEnsemble, load_dataset
    >>> model = MixedEnsemble(n_clusters=(2, 10), random_state=0).fit(load_dataset("iris")[0])
    >>> model.labels_.shape, model.algorithms_.count("ward")
    ((150, 56), 9)
    """

    def __init__(
        self,
        n_partitions: int = 56,
        n_clusters: int | tuple[int, int] = (3, 20),
        *,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_partitions = n_partitions
        self.n_clusters = n_clusters
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make(self, X):
        X = check.features(X, estimator=self, ensure_min_samples=2)
        n_partitions = check.integer(self.n_partitions, name="n_partitions", low=6)
        # Spectral clustering needs fewer eigenvectors than objects.
        candidates = check.candidates(self.n_clusters, high=len(X) - 1, high_name="n_samples - 1")
        n_jobs = check.n_jobs(self.n_jobs)
        rng = check.random_state(self.random_state)

        per_linkage = max(1, n_partitions * 9 // 56)
        n_drawn = n_partitions - 4 * per_linkage
        n_kmeans = n_drawn // 2
        spaced = np.rint(np.linspace(candidates[0], candidates[-1], per_linkage))
        spaced = candidates[np.abs(candidates - spaced[:, np.newaxis]).argmin(axis=1)]
        drawn = candidates[rng.randint(len(candidates), size=n_drawn)]
        seeds = rng.randint(MAX_SEED, size=n_drawn)

        trees = [linkage(X, method=method) for method in _LINKAGES]
        columns = [fcluster(tree, k, criterion="maxclust") - 1 for tree in trees for k in spaced]
        kmeans, spectral = KMeans(init="random", n_init=1), SpectralClustering(affinity="precomputed")
        fitted = fit_all(kmeans, drawn[:n_kmeans], seeds[:n_kmeans], X, n_jobs)
        fitted += fit_all(spectral, drawn[n_kmeans:], seeds[n_kmeans:], _affinity(X), n_jobs)
        self.labels_ = stack(columns + [estimator.labels_ for estimator in fitted])
        self.n_clusters_ = np.concatenate([np.tile(spaced, 4), drawn])
        counts = [per_linkage] * 4 + [n_kmeans, n_drawn - n_kmeans]
        self.algorithms_ = np.repeat([*_LINKAGES, "kmeans", "spectral"], counts).tolist()


def _affinity(X):
    """Gaussian affinity whose width is the median distance; constant if all objects coincide."""
    squares = pairwise_distances(X, metric="sqeuclidean")
    width = np.median(squares[np.triu_indices(len(X), 1)])
    return np.exp(-squares / (2.0 * (width or squares.mean() or 1.0)))
