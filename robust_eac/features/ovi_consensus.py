"""Majority consensus of clusterings, guided by the OVI-LDA values of the objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import sklearn
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin

from .. import validation as check
from ..common import MAX_SEED, RandomState, warn
from ..ensemble import reading
from ..ensemble.encoding import relabel
from .fuzzy import c_means_membership, fuzzy_c_means, gath_geva, kaufman_kmeans
from .indices import feature_scale, ovi_lda, whitening

# Eigenvalues of the cores' covariance are at least this share of the largest.
_RIDGE = 1e-12
METHODS = ("leader", "components")
# name: (random, function); function(X, n_clusters, seed) -> labels or memberships. Deterministic ones run once.
# k-means starts from objects drawn at random, as in the experiments of the paper.
OVI_CLUSTERERS = {
    "kmeans": (True, lambda X, k, seed: sklearn.cluster.k_means(X, k, init="random", n_init=1, random_state=seed)[1]),
    "kmeans-ka": (False, lambda X, k, seed: kaufman_kmeans(X, k)),
    "fcm": (True, lambda X, k, seed: fuzzy_c_means(X, k, random_state=seed).membership),
    "gath-geva": (True, lambda X, k, seed: gath_geva(X, k, random_state=seed).membership),
    "ward": (False, lambda X, k, seed: sklearn.cluster.AgglomerativeClustering(k).fit_predict(X)),
}


class OVIConsensus(ClusterMixin, BaseEstimator):
    r"""Cluster with several algorithms, keep the best partition of each by OVI-LDA, and combine these by majority.

    The whole procedure of [1]_, with its misprints corrected and fewer runs: `n_init=1000, as_printed=True` is the
    printed one. Every algorithm runs with every number of clusters, random ones `n_init` times. The partition of
    largest mean value V (:func:`~robust_eac.metrics.ovi_lda`) of each algorithm is kept; in a tie, the earlier run and
    the smaller number of clusters. V does not reliably choose the number of clusters.
    :func:`~robust_eac.consensus.ovi_lda_consensus` combines these partitions into cores; the other objects are assigned
    to the nearest core.

    [1]_ gives no formula for the memberships by the cores (Step 6). As in fuzzy c-means, they are
    :math:`u_{nk} = d_{nk}^{-2} / \sum_j d_{nj}^{-2}`, with the squared Mahalanobis distances
    :math:`d_{nk}^2 = (x_n - \mu_k)^T \Sigma^{-1} (x_n - \mu_k)` to the cores' centroids, and :math:`\Sigma` pooled over
    the cores as in :func:`~robust_eac.consensus.assign_to_cores`.

    Parameters
    ----------
    n_clusters : int, (int, int) or list of int, default=(2, 20)
        Numbers of clusters to try: one, the lowest and the highest, or a list. V is not defined for a single cluster.
    clusterers : sequence of str, default=("kmeans", "kmeans-ka", "fcm", "gath-geva", "ward")
        Keys of `OVI_CLUSTERERS`: k-means from random objects ("kmeans") or from Kaufman and Rousseeuw's seeds
        ("kmeans-ka", memory O(n_samples^2)), fuzzy c-means, Gath-Geva, and Ward's hierarchical clustering.
    n_init : int, default=10
        Runs of each random algorithm at each number of clusters; 1000 in [1]_.
    n_jobs : int, default=None
        Processes over algorithms and numbers of clusters. The result does not depend on it.
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the starts of the random algorithms
    min_value, method : as in :func:`~robust_eac.consensus.ovi_lda_consensus`
    min_cluster_size, neighbour, as_printed, nan_as_zero : as in :func:`~robust_eac.metrics.ovi_lda`

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster in whose core the object is, or whose core is nearest, numbered by first appearance among the cores; -1
        for all objects if there is no core.
    membership_ : ndarray of shape (n_samples, `n_clusters_`)
        The final partition matrix :math:`P_f`: :math:`u_{nk}` above, rows on the simplex; an object in a core may be
        closer to another one.
    core_mask_ : ndarray of shape (n_samples,), bool
        Objects in a core, which is the partition before Step 6.
    n_clusters_, n_features_in_ : int
        Number of cores found, and of features.
    partitions_, values_ : ndarray of shape (n_samples, n_clusterers)
        The partition kept for each algorithm, with the clusters of largest membership for fuzzy ones; values of the
        objects in them, NaN in clusters that are too small.
    chosen_n_clusters_, scores_ : ndarray of shape (n_clusterers,), (n_clusterers, n_numbers)
        Number of clusters kept for each algorithm; its largest V at each number, NaN if fewer than two clusters were
        large enough. If an algorithm has only NaN, its smallest number is kept, and no object passes the filter.

    References
    ----------
    .. [1] Fa, Abu-Jamous, Nandi, "Object based validation algorithm and its application to consensus clustering".

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> X = np.repeat([[0, 0], [0, 9], [9, 0], [9, 9]], 20, axis=0) + rng.normal(size=(80, 2))
    >>> model = OVIConsensus(n_clusters=(2, 6), n_init=3, random_state=0).fit(X)
    >>> model.chosen_n_clusters_, model.labels_[[0, 20, 40, 60]]
    (array([4, 4, 4, 4, 4]), array([0, 1, 2, 3]))
    """

    def __init__(
        self,
        n_clusters: int | tuple[int, int] = (2, 20),
        *,
        clusterers: Sequence[str] = ("kmeans", "kmeans-ka", "fcm", "gath-geva", "ward"),
        n_init: int = 10,
        min_value: float = 0.0,
        method: str = "leader",
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

        Returns
        -------
        self : OVIConsensus
        """
        X = check.features(X, estimator=self, ensure_min_samples=2)
        numbers = check.candidates(self.n_clusters, high=len(X), high_name="n_samples")
        names = _check_clusterers(self.clusterers)
        n_init = check.positive(self.n_init, name="n_init")
        min_value, method = check_consensus_options(self.min_value, self.method)
        options = {name: getattr(self, name) for name in ("min_cluster_size", "neighbour", "as_printed", "nan_as_zero")}
        # Check the options before the first clustering.
        ovi_lda(X, np.zeros(len(X), dtype=np.intp), **options)
        n_jobs = check.n_jobs(self.n_jobs)
        rng = check.random_state(self.random_state)
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
        result = ovi_lda_consensus(self.partitions_, self.values_, min_value=min_value, method=method)
        self.core_mask_ = result.core
        self.n_clusters_ = result.n_clusters
        self.labels_ = result.labels
        self.membership_ = np.empty((len(X), 0))
        if result.n_clusters:
            self.labels_ = assign_to_cores(X, result.labels)
            self.membership_ = core_membership(X, result.labels)
        return self


class OVIConsensusResult(NamedTuple):
    """Result of :func:`ovi_lda_consensus`.

    labels : (n_samples,) intp, clusters 0, 1, ... in the order of first appearance; -1 for the other objects.
    core : (n_samples,) bool, the objects that are in a cluster.
    kept : (n_samples,) bool, the objects that passed the filter; those outside the core are linked to no other.
    n_clusters : number of clusters.
    """

    labels: np.ndarray
    core: np.ndarray
    kept: np.ndarray
    n_clusters: int


def ovi_lda_consensus(
    partitions: ArrayLike,
    values: ArrayLike,
    *,
    min_value: float = 0.0,
    method: str = "leader",
) -> OVIConsensusResult:
    r"""Cluster, by majority of the partitions, the objects that fit well in all of them.

    Steps 3 to 5 of [1]_: keep the objects with :math:`v_n \ge T_v` in every partition, count for each pair of them the
    partitions :math:`E_{ij}` that put it together (Eqs. 8 and 9), and link pairs with
    :math:`E_{ij} \ge \lceil C / 2 \rceil` (Eq. 10). An object linked to no other is in no cluster. If no objects
    that pass the filter are linked, a UserWarning is issued and all objects are clustered.

    Parameters
    ----------
    partitions : array-like of shape (n_samples, n_partitions), int
        C clusterings, one per column; -1 marks an object in no cluster.
    values : array-like of shape (n_samples, n_partitions)
        v of every object in every partition, from :func:`~robust_eac.metrics.ovi_lda`. NaN does not pass the filter.
    min_value : float, default=0.0
        :math:`T_v`; [1]_ gives no value. 0 keeps the objects that are closer to their own centroid in all partitions.
    method : {"leader", "components"}, default="leader"
        "leader": Table 2 of [1]_. In order, each linked object that is in no cluster yet leads a cluster of all objects
        linked to it; an object linked to several leaders joins the one with the most votes, the earlier in a tie.
        "components": the connected components of the links, whatever the order of the objects.

    Returns
    -------
    result : OVIConsensusResult

    References
    ----------
    .. [1] Fa, Abu-Jamous, Nandi, "Object based validation algorithm and its application to consensus clustering".

    Examples
    --------
    >>> partitions = np.array([[0, 0, 1], [0, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 0]])
    >>> values = [[0.9, 0.8, 0.5], [0.7, 0.9, 0.4], [0.1, -0.2, 0.1], [0.8, 0.9, 0.9], [0.7, 0.6, 0.8]]
    >>> ovi_lda_consensus(partitions, values).labels
    array([ 0,  0, -1,  1,  1])
    """
    ensemble = reading.ensemble(partitions, name="partitions", values=values)
    partitions = ensemble.labels
    values = check.features(values, name="values", ensure_all_finite="allow-nan")
    if values.shape != partitions.shape:
        raise ValueError(f"values must have the shape of partitions, {partitions.shape}, got {values.shape}.")
    min_value, method = check_consensus_options(min_value, method)
    threshold = (partitions.shape[1] + 1) // 2

    kept = ((values >= min_value) & (partitions != -1)).all(axis=1)
    labels = _majority_clusters(partitions, kept, threshold, method)
    if labels.max() == -1:
        warn(
            f"No two objects with values of at least min_value={min_value:g} in all partitions "
            f"({np.count_nonzero(kept)} objects) share a cluster in {threshold} of them; all objects are clustered."
        )
        kept = np.ones(len(partitions), dtype=bool)
        labels = _majority_clusters(partitions, kept, threshold, method)
    return OVIConsensusResult(labels, labels >= 0, kept, int(labels.max()) + 1)


def assign_to_cores(X: ArrayLike, labels: ArrayLike, *, ridge: float = _RIDGE) -> np.ndarray:
    r"""Assign the objects that are in no cluster to the nearest cluster.

    Solve :math:`\min_k (x - \mu_k)^T \Sigma^{-1} (x - \mu_k)` for each of them, with the centroids :math:`\mu_k` of the
    clusters and their pooled covariance :math:`\Sigma = \sum_k \sum_{i \in k} (x_i - \mu_k) (x_i - \mu_k)^T / (n - K)`:
    the linear discriminant rule with equal priors. Step 6 of [1]_ leaves the rule open.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,), int
        Cluster of each object, at least one of them; -1 for none.
    ridge : float, default=1e-12
        Eigenvalues of Sigma, for features scaled to unit variance, are raised to at least this share of the largest.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        The given labels, with -1 replaced by the label of the nearest cluster, the smallest in a tie.

    References
    ----------
    .. [1] Fa, Abu-Jamous, Nandi, "Object based validation algorithm and its application to consensus clustering".

    Examples
    --------
    >>> assign_to_cores([[0], [1], [4], [8], [9]], [0, 0, -1, 1, 1])
    array([0, 0, 0, 1, 1])
    """
    reading.index(X, name="X", labels=labels)
    X = check.features(X)
    labels = reading.clusters(labels, len(X), name="labels")
    ridge = check.real(ridge, name="ridge", low=0.0, strict=True)
    squares = _core_distances(X, labels, ridge)
    return np.where(labels != -1, labels, np.unique(labels[labels != -1])[squares.argmin(axis=1)]).astype(np.intp)


def core_membership(X, labels):
    """P_f of :class:`OVIConsensus`, (n, K), for the clusters 0 to K - 1 of the cores and -1 for the other objects."""
    return c_means_membership(_core_distances(X, labels, _RIDGE))


def _core_distances(X, labels, ridge):
    """Squared Mahalanobis distances, up to a factor, of the objects to the cores' centroids; (n, K)."""
    clusters, cluster_of = np.unique(labels[labels != -1], return_inverse=True)
    core = X[labels != -1]
    centers = np.array([core[cluster_of == k].mean(axis=0) for k in range(len(clusters))])
    within = core - centers[cluster_of]
    # The divisor n - K of the pooled covariance changes neither the nearest centroid nor memberships.
    root = whitening(within.T @ within, feature_scale(X), ridge)
    return cdist(X @ root, centers @ root, "sqeuclidean")


def _best_run(X, name, n_clusters, seeds, options):
    """Run of largest V of one algorithm at one number of clusters: (OVIResult, labels)."""
    random, cluster = OVI_CLUSTERERS[name]
    if not random:
        seeds = seeds[:1]
    clusterings = (cluster(X, int(n_clusters), int(seed)) for seed in seeds)
    runs = ((ovi_lda(X, memberships, **options), memberships) for memberships in clusterings)
    result, best = max(runs, key=lambda run: np.nan_to_num(run[0].value, nan=-np.inf))
    if best.ndim == 2:
        best = best.argmax(axis=1)
    return result, best.astype(np.intp)


def _check_clusterers(names):
    if isinstance(names, str) or not hasattr(names, "__len__"):
        raise TypeError(f"clusterers must be a sequence of names, got {names!r}.")
    if len(names) == 0:
        raise ValueError(f"clusterers must name at least one of {', '.join(OVI_CLUSTERERS)}, got {names!r}.")
    return [check.choice(name, OVI_CLUSTERERS, name="clusterers") for name in names]


def check_consensus_options(min_value, method):
    return (
        check.real(min_value, name="min_value", low=-np.inf),
        check.choice(method, METHODS, name="method"),
    )


def _majority_clusters(partitions, kept, threshold, method):
    """Clusters (n_samples,) of the kept objects that `threshold` partitions link, -1 for the others."""
    labels = np.full(len(partitions), -1, dtype=np.intp)
    if not kept.any():
        return labels
    # Objects with equal labels have the same links, so they share a row, in the order of first appearance.
    row_of = relabel(np.unique(partitions[kept], axis=0, return_inverse=True)[1].ravel())
    _, first, counts = np.unique(row_of, return_index=True, return_counts=True)
    votes = np.zeros((len(first), len(first)), dtype=np.int32)
    for column in partitions[kept][first].T:
        votes += (column[:, np.newaxis] == column) & (column != -1)
    linked = votes >= threshold
    # Every object is also linked to itself.
    clustered = linked @ counts > 1
    if method == "components":
        clusters = connected_components(linked, directed=False)[1]
    else:
        clusters = _leader_clusters(votes, linked, clustered)
    labels[kept] = np.where(clustered, clusters, -1)[row_of]
    labels[labels >= 0] = relabel(labels[labels >= 0])
    return labels


def _leader_clusters(votes, linked, clustered):
    """Table 2 of the paper on rows: each joins the leader with the most votes, the earlier in a tie."""
    clusters = np.full(len(votes), -1, dtype=np.intp)
    most = np.zeros(len(votes), dtype=votes.dtype)
    for i in np.flatnonzero(clustered):
        if clusters[i] == -1:
            joins = linked[i] & (votes[i] > most)
            clusters[joins] = clusters.max() + 1
            most[joins] = votes[i, joins]
    return clusters
