"""Combinatorial evidence accumulation: clusterings of feature subsets, weighted by their silhouettes."""

from __future__ import annotations

from typing import Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator, ClusterMixin

from .. import validation as check
from ..common import RandomState, Subsets, row_blocks, warn
from ..core.kernels import njit
from ..ensemble.encoding import relabel
from .feature_subsets import MODES, FeatureSubsetEnsemble, whitening_maps
from .silhouette import balance_orders, mean_silhouettes

# Rows of the co-association matrix per task of a thread.
_ROWS = 64
# The silhouettes of the two modes. NaN: one object of undefined silhouette gives the partition weight 0.
_SILHOUETTES = {
    "listing": {"metric": "sqeuclidean", "singleton": 1.0, "undefined": np.nan},
    "equation": {"metric": "euclidean", "singleton": 0.0, "undefined": 0.0},
}


class CombinatorialEAC(ClusterMixin, BaseEstimator):
    r"""Cluster data with many uninformative features by accumulating evidence from subsets of the features.

    Compute :math:`C_{ij} = \frac{1}{N'} \sum_k \frac{1}{O_k} \sum_l g_{kl} [c_{kl}(i) = c_{kl}(j)]` (Eq. 11 of [1]_),
    then cut the average-linkage tree of the distances :math:`\max C - C`. Partition l of order k clusters a subset of k
    features into `n_clusters` or `n_clusters` + 1 clusters, each with probability 1/2; g is its mean silhouette or 0 if
    that is negative, O_k the number of subsets of order k, N' the number of orders that occur. If every weight is zero,
    a UserWarning is issued and one cluster is returned (or n_samples, if that many are requested).

    :class:`~robust_eac.FeatureSubsetEnsemble` describes the subsets of both modes. "listing", the program of Table 1 of
    [1]_, computes silhouettes before whitening, with squared Euclidean distances; an object alone in its cluster has 1;
    g is 0 for a single cluster, and if an object has 0 / 0 (it coincides with all objects of its own and of another
    cluster). "equation" computes silhouettes of the clustered data with Euclidean distances, which are 0 for an object
    alone in its cluster and for 0 / 0.

    Parameters
    ----------
    n_clusters : int
        Number of clusters; fewer are returned if ties in the tree leave no cut into that many.
    goodness : bool, default=True
        Weight the evidence by g; otherwise g = 1.
    order_weighting : bool, default=True
        Give every order the same total weight, by :math:`1 / (N' O_k)`; otherwise give every subset 1 / sum O.
    reproduce : {"listing", "equation"}, default="listing"
        Follow the published program or the formulas where they differ; see Notes.
    combinations, whiten, max_order, max_per_order, min_per_order, n_jobs, random_state
        As in :class:`~robust_eac.FeatureSubsetEnsemble`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), numbered by first appearance
    coassociation_ : ndarray of shape (n_samples, n_samples)
        C: symmetric, in [0, 1], with a constant diagonal.
    goodness_, weights_ : ndarray of shape (n_subsets,)
        g of every partition, ones when `goodness` is False; its weight in C, :math:`g_{kl} / (N' O_k)` by default.
    orders_, subsets_ : ndarray of shape (n_subsets,), list of n_subsets ndarray
        Number and indices of every partition's features.
    ensemble_ : ndarray of shape (n_samples, n_subsets)
        The partitions, as labels.
    n_features_in_ : int

    References
    ----------
    .. [1] Wong, Tsuchiya, "Evidence accumulation clustering using combinations of features", MethodsX 7, 2020.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> X = rng.normal(size=(10, 4))
    >>> X[5:, 0] += 10.0
    >>> CombinatorialEAC(2, random_state=0).fit_predict(X)
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    """

    def __init__(
        self,
        n_clusters: int,
        *,
        combinations: Subsets | None = None,
        goodness: bool = True,
        whiten: bool = True,
        order_weighting: bool = True,
        max_order: int = 9,
        max_per_order: int = 1000,
        min_per_order: int = 50,
        reproduce: str = "listing",
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.combinations = combinations
        self.goodness = goodness
        self.whiten = whiten
        self.order_weighting = order_weighting
        self.max_order = max_order
        self.max_per_order = max_per_order
        self.min_per_order = min_per_order
        self.reproduce = reproduce
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Cluster the objects.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : CombinatorialEAC
        """
        X = check.features(X, estimator=self)
        n = len(X)
        n_clusters = check.n_clusters(self.n_clusters, n)
        goodness = check.flag(self.goodness, name="goodness")
        order_weighting = check.flag(self.order_weighting, name="order_weighting")
        check.choice(self.reproduce, MODES, name="reproduce")
        not_passed = ("n_clusters", "goodness", "order_weighting")
        options = {name: value for name, value in self.get_params(deep=False).items() if name not in not_passed}
        ensemble = FeatureSubsetEnsemble((n_clusters, min(n_clusters + 1, n)), **options).fit(X)
        self.ensemble_ = ensemble.labels_
        self.subsets_ = ensemble.subsets_
        self.orders_ = ensemble.orders_
        labels = np.ascontiguousarray(self.ensemble_.T, dtype=np.int32)

        m = len(labels)
        self.goodness_ = np.ones(m)
        if goodness:
            measure = _SILHOUETTES[self.reproduce] | {"whiten": self.whiten and self.reproduce == "equation"}
            self.goodness_ = mean_silhouettes(labels, X, self.subsets_, n_jobs=self.n_jobs, **measure)
        scale = balance_orders(self.orders_) / len(np.unique(self.orders_)) if order_weighting else 1.0 / m
        self.weights_ = self.goodness_ * scale
        if not self.weights_.any():
            warn(
                f"No evidence: the mean silhouettes of all {m} clusterings of feature subsets are zero, negative or "
                "undefined, so all weights are 0. goodness=False gives all clusterings weight."
            )
        self.coassociation_ = _accumulate(labels, self.weights_, self.n_jobs)
        self.labels_ = _average_linkage(self.coassociation_, n_clusters)
        return self


def zca_whiten(X: ArrayLike, *, ridge: float = 1e-4) -> np.ndarray:
    r"""Remove the correlations of the features with the smallest change: zero-phase component analysis.

    Return :math:`\sqrt{n - 1} Z V (D + r I)^{-1/2} V^T`, with r the `ridge` and Z the centred data with scatter matrix
    :math:`Z^T Z = V D V^T`, as the program of [1]_ does. The eigenvalues of its scatter matrix are
    :math:`(n - 1) d / (d + r)`. Distances between rows become Mahalanobis distances; with n_samples - 1 or more
    linearly independent features, all become equal.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    ridge : float, default=1e-4
        Added to the eigenvalues of the scatter matrix; positive. Standardise X first: directions of much less scatter
        are suppressed, not whitened.

    Returns
    -------
    whitened : ndarray of shape (n_samples, n_features)

    References
    ----------
    .. [1] Wong, Tsuchiya, "Evidence accumulation clustering using combinations of features", MethodsX 7, 2020, Table 1.
    .. [2] Bell, Sejnowski, "The independent components of natural scenes are edge filters", Vision Research 37, 1997.

    Examples
    --------
    >>> Z = zca_whiten([[0.0, 0.0], [2.0, 2.0], [1.0, 2.0], [1.0, 0.0]])
    >>> (Z.T @ Z).round(3)
    array([[3., 0.],
           [0., 3.]])
    """
    X = check.features(X)
    ridge = check.real(ridge, name="ridge", low=0.0, strict=True)
    centred = X - X.mean(axis=0)
    return centred @ whitening_maps(centred.T @ centred, len(X), ridge)


def _accumulate(labels, weights, n_jobs):
    """C = sum_u weights[u] [c_u(i) = c_u(j)], exactly symmetric, with one value on the diagonal."""
    n = labels.shape[1]
    C = np.zeros((n, n))
    Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_coassociation_rows)(labels, weights, rows.start, rows.stop, C) for rows in row_blocks(n, _ROWS)
    )
    return np.triu(C) + np.triu(C, 1).T


@njit
def _coassociation_rows(labels, weights, start, stop, out):
    """Add sum_u weights[u] [labels[u, i] = labels[u, j]], in this order, to out[i, j], start <= i < stop, j >= i."""
    m, n = labels.shape
    for u in range(m):
        weight = weights[u]
        if weight == 0.0:
            continue
        for i in range(start, stop):
            cluster = labels[u, i]
            for j in range(i, n):
                out[i, j] += weight if labels[u, j] == cluster else 0.0


def _average_linkage(C, n_clusters):
    if n_clusters == len(C):
        # SciPy before 1.15 would join all objects if all similarities are equal.
        return np.arange(len(C))
    tree = linkage(squareform(C.max() - C), method="average")
    return relabel(fcluster(tree, n_clusters, criterion="maxclust"))
