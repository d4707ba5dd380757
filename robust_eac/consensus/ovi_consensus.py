"""The estimator that clusters with several algorithms and combines their best partitions by OVI-LDA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import AgglomerativeClustering, KMeans

from ..checks.types import RandomState
from ..checks.values import (
    MAX_SEED,
    check_bool,
    check_choice,
    check_features,
    check_integer,
    check_n_jobs,
    check_random_state,
)
from ..ensembles.base import check_range
from ..ensembles.fuzzy import fuzzy_c_means, gath_geva, kaufman_kmeans
from ..metrics import ovi_lda
from .ovi_lda import assign_to_cores, check_consensus_options, ovi_lda_consensus

__all__ = ["OVI_CLUSTERERS", "OVIConsensus"]

# name: (random, function); function(X, n_clusters, seed) -> labels or memberships. Deterministic ones run once.
# k-means starts from objects drawn at random, as in the experiments of the paper.
OVI_CLUSTERERS = {
    "kmeans": (True, lambda X, k, seed: KMeans(k, init="random", n_init=1, random_state=seed).fit(X).labels_),
    "kmeans-ka": (False, lambda X, k, seed: kaufman_kmeans(X, k)),
    "fcm": (True, lambda X, k, seed: fuzzy_c_means(X, k, random_state=seed).membership),
    "gath-geva": (True, lambda X, k, seed: gath_geva(X, k, random_state=seed).membership),
    "ward": (False, lambda X, k, seed: AgglomerativeClustering(k).fit(X).labels_),
}


class OVIConsensus(ClusterMixin, BaseEstimator):
    """Cluster with several algorithms, keep the best partition of each by OVI-LDA, and combine these by majority.

    The whole procedure of [1]_. Every algorithm runs with every number of clusters, random ones `n_init` times. Of each
    algorithm, the partition of largest mean value V (:func:`~robust_eac.ovi_lda`) is kept. :func:`ovi_lda_consensus`
    combines these partitions, one per algorithm. Objects that some algorithm places badly are in no cluster, or are
    assigned to the nearest core.

    Parameters
    ----------
    n_clusters : int or (int, int), default=(2, 20)
        Number of clusters, or the range to try, both ends included. V is not defined for a single cluster.
    clusterers : sequence of str, default=("kmeans-ka", "fcm", "gath-geva", "ward")
        Keys of `OVI_CLUSTERERS`: k-means from random objects ("kmeans") or from Kaufman and Rousseeuw's seeds
        ("kmeans-ka"), fuzzy c-means, Gath-Geva, and Ward's hierarchical clustering. [1]_ uses all five.
    n_init : int, default=10
        Runs of each random algorithm at each number of clusters; 1000 in [1]_.
    min_value : float, default=0.0
        T_v: objects with a smaller value in any partition are left out.
    method : {"components", "leader"}, default="components"
        How links become clusters, see :func:`ovi_lda_consensus`.
    strict : bool, default=False
        Link objects that more than half of the partitions put together; otherwise half is enough.
    assign : bool, default=False
        Assign the objects that are in no cluster to the nearest core (:func:`assign_to_cores`).
    min_cluster_size : float, default=None
        T_l: clusters with fewer members have no values. None means n_features + 1.
    neighbour : {"mahalanobis", "euclidean"}, default="mahalanobis"
        How the neighbouring cluster is chosen, see :func:`~robust_eac.ovi_lda`.
    as_printed : bool, default=False
        Use the formulas of the values as printed in [1]_, errors included.
    nan_as_zero : bool, default=False
        Count objects without a value as 0 in V, not as absent.
    n_jobs : int, default=None
        Processes over algorithms and numbers of clusters. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the starts of the random algorithms.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters 0, 1, ... in the order of first appearance; -1 for objects in none.
    core_mask_ : ndarray of shape (n_samples,), bool
        The objects that the consensus put into a cluster, before `assign`.
    n_clusters_ : int
        Number of clusters found.
    partitions_ : ndarray of shape (n_samples, n_clusterers)
        The partition kept for each algorithm; for fuzzy ones, the clusters of largest membership.
    values_ : ndarray of shape (n_samples, n_clusterers)
        Values of the objects in them, NaN in clusters that are too small.
    chosen_n_clusters_ : ndarray of shape (n_clusterers,)
        Number of clusters kept for each algorithm.
    scores_ : ndarray of shape (n_clusterers, n_numbers)
        Largest V of each algorithm at each number of clusters; NaN if no two clusters were large enough. If an
        algorithm has only NaN, its smallest number is kept, and no object passes the filter.
    n_features_in_ : int

    Notes
    -----
    Memory O(n_samples^2) for the seeds of "kmeans-ka". Runs that do not converge warn but are used. In a tie of V, the
    earlier run and the smaller number of clusters win. V is not a reliable guide to the number of clusters, see
    :func:`~robust_eac.ovi_lda`.

    References
    ----------
    .. [1] Fa, Abu-Jamous, Nandi, "Object based validation algorithm and its application to consensus clustering".

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> X = np.repeat([[0, 0], [0, 9], [9, 0], [9, 9]], 20, axis=0) + rng.normal(size=(80, 2))
    >>> model = OVIConsensus(n_clusters=(2, 6), n_init=2, random_state=0).fit(X)
    >>> model.chosen_n_clusters_
    array([4, 4, 4, 4])
    >>> model.labels_[[0, 20, 40, 60]]
    array([0, 1, 2, 3])
    """

    def __init__(
        self,
        n_clusters: int | tuple[int, int] = (2, 20),
        *,
        clusterers: Sequence[str] = ("kmeans-ka", "fcm", "gath-geva", "ward"),
        n_init: int = 10,
        min_value: float = 0.0,
        method: str = "components",
        strict: bool = False,
        assign: bool = False,
        min_cluster_size: float | None = None,
        neighbour: str = "mahalanobis",
        as_printed: bool = False,
        nan_as_zero: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clusterers = clusterers
        self.n_init = n_init
        self.min_value = min_value
        self.method = method
        self.strict = strict
        self.assign = assign
        self.min_cluster_size = min_cluster_size
        self.neighbour = neighbour
        self.as_printed = as_printed
        self.nan_as_zero = nan_as_zero
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Run the algorithms, keep the best partition of each, and combine these.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
            Present for API consistency.

        Returns
        -------
        self : OVIConsensus

        Raises
        ------
        ValueError, TypeError
            If X is malformed, or a parameter is malformed or out of range.
        """
        X = check_features(X, estimator=self, ensure_min_samples=2)
        low, high = check_range(self.n_clusters, len(X), "n_samples")
        names = _check_clusterers(self.clusterers)
        n_init = check_integer(self.n_init, name="n_init", low=1)
        assign = check_bool(self.assign, name="assign")
        consensus: dict[str, Any] = {"min_value": self.min_value, "method": self.method, "strict": self.strict}
        check_consensus_options(**consensus)
        options = {name: getattr(self, name) for name in ("min_cluster_size", "neighbour", "as_printed", "nan_as_zero")}
        # Check the options before the first clustering.
        ovi_lda(X, np.zeros(len(X), dtype=np.intp), **options)
        n_jobs = check_n_jobs(self.n_jobs)
        rng = check_random_state(self.random_state)
        numbers = np.arange(low, high + 1)
        cells = [(name, k) for name in names for k in numbers]
        # Deterministic algorithms get seeds too, so that the other seeds do not depend on which algorithms are random.
        seeds = rng.randint(MAX_SEED, size=(len(cells), n_init))
        runs = Parallel(n_jobs=n_jobs)(
            delayed(_best_run)(X, name, k, cell_seeds, options)
            for (name, k), cell_seeds in zip(cells, seeds, strict=True)
        )
        self.scores_ = np.array([result.value for result, _ in runs]).reshape(len(names), len(numbers))
        best = np.where(np.isnan(self.scores_), -np.inf, self.scores_).argmax(axis=1)
        chosen = [runs[c * len(numbers) + place] for c, place in enumerate(best)]
        self.chosen_n_clusters_ = numbers[best]
        self.partitions_ = np.column_stack([labels for _, labels in chosen])
        self.values_ = np.column_stack([result.object_values for result, _ in chosen])
        result = ovi_lda_consensus(self.partitions_, self.values_, **consensus)
        self.core_mask_ = result.core
        self.n_clusters_ = result.n_clusters
        self.labels_ = assign_to_cores(X, result.labels) if assign and result.n_clusters else result.labels
        return self


def _best_run(X, name, n_clusters, seeds, options):
    """Run of largest V of one algorithm at one number of clusters: (OVIResult, labels)."""
    random, cluster = OVI_CLUSTERERS[name]
    found = (cluster(X, int(n_clusters), int(seed)) for seed in (seeds if random else seeds[:1]))
    runs = ((ovi_lda(X, memberships, **options), memberships) for memberships in found)
    result, best = max(runs, key=lambda run: -np.inf if np.isnan(run[0].value) else run[0].value)
    return result, (best if best.ndim == 1 else best.argmax(axis=1)).astype(np.intp)


def _check_clusterers(names):
    """At least one known name."""
    if isinstance(names, str) or not hasattr(names, "__len__"):
        raise TypeError(f"clusterers must be a sequence of names, got {names!r}.")
    if len(names) == 0:
        raise ValueError(f"clusterers must name at least one of {', '.join(OVI_CLUSTERERS)}, got {names!r}.")
    return [check_choice(name, OVI_CLUSTERERS, name="clusterers") for name in names]
