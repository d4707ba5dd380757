"""Weights from validity indices: how well each partition fits the features of the objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ..checks.common import RandomState, row_blocks
from ..checks.labels import check_labels
from ..checks.values import check_choice
from ..solve.encoding import encode, one_hot
from .silhouette import check_given
from .tables import shares

__all__ = ["partition_validity", "validity_weights", "wpck_weights"]

# Distances are computed in blocks of at most this many numbers.
_BLOCK_DISTANCES = 2**22


def partition_validity(
    labels: ArrayLike, *, X: ArrayLike, indices: Sequence[str] = ("silhouette", "calinski-harabasz", "davies-bouldin")
) -> np.ndarray:
    """Score every partition by internal validity indices.

    * "silhouette": mean over the objects of (b - a) / max(a, b), with a and b the mean Euclidean distances to the other
      objects of the own and of the nearest other cluster; 0 for an object alone in its cluster. In [-1, 1], high is
      good.
    * "calinski-harabasz": between-cluster over within-cluster variance, (B / (k - 1)) / (W / (n - k)). High is good.
    * "davies-bouldin": mean over the clusters of max_j (s_i + s_j) / |mu_i - mu_j|, with s the mean distance to the
      centroid mu. Low is good.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe; it is left out.
    X : array-like of shape (n_samples, n_features)
        The features, finite.
    indices : sequence of str, default=("silhouette", "calinski-harabasz", "davies-bouldin")
        Names of the indices.

    Returns
    -------
    values : ndarray of shape (n_partitions, n_indices)
        NaN where the indices are not defined: for fewer than 2 clusters, or as many clusters as objects. Infinite if W
        or a distance of two centroids is zero.

    Notes
    -----
    Time O(n_samples n_partitions n_features); for silhouettes O(n_samples^2 (n_features + n_partitions)), as distances
    are computed once for all partitions. The values equal scikit-learn's, except for zero W, coinciding centroids or
    zero s, where scikit-learn returns fixed numbers.

    References
    ----------
    .. [1] Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster analysis", Journal
       of Computational and Applied Mathematics 20, 1987.
    .. [2] Caliński, Harabasz, "A dendrite method for cluster analysis", Communications in Statistics 3, 1974.
    .. [3] Davies, Bouldin, "A cluster separation measure", IEEE PAMI 1(2), 1979.

    Examples
    --------
    >>> X = [[0.0], [1.0], [4.0], [5.0]]
    >>> partition_validity(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), X=X).round(3)
    array([[ 0.746, 32.   ,  0.25 ],
           [-0.375,  0.125,  4.   ]])
    """
    labels = check_labels(labels)
    if isinstance(indices, str) or not isinstance(indices, Sized) or len(indices) == 0:
        raise ValueError(f"indices must be a non-empty sequence of names, got {indices!r}.")
    indices = [check_choice(name, INDICES, name="indices") for name in indices]
    X = check_given(X, len(labels))
    # Centring: a common offset would cost digits.
    encoding, X = encode(labels), X - X.mean(axis=0)
    slots = encoding.cluster_slots
    defined = [u for u, own in enumerate(slots) if 2 <= own.stop - own.start < encoding.n_observed[u]]
    values = np.full((len(slots), len(indices)), np.nan)
    for j, name in enumerate(indices):
        values[defined, j] = INDICES[name][0](encoding, X, slots, defined)
    return values


def validity_weights(
    labels: ArrayLike,
    *,
    X: ArrayLike | None = None,
    indices: Sequence[str] = ("silhouette", "calinski-harabasz", "davies-bouldin"),
    random_state: RandomState = None,
) -> np.ndarray:
    """Weight each partition by validity indices of its clusters.

    Compute  w_u proportional to the mean of the index values, scaled to [0, 1]: v / max for indices that are high for
    good partitions (after subtracting the smallest value if it is negative), min / v for those that are low. A single
    index gives the weights of SWEACS, several those of JWEACS ([1]_).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), default=None
        The features. Required.
    random_state : ignored
        Present for the common signature.
    labels, indices
        As in :func:`partition_validity`. [1]_ also uses other indices.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Non-negative, sum one.

    Warns
    -----
    UserWarning
        If all indices are 0 for all partitions, for example because none has two clusters. The weights are then
        uniform.

    Notes
    -----
    An undefined index counts as 0. An index that is equal for all partitions counts
    as 1.

    References
    ----------
    .. [1] Duarte, Fred, Rodrigues, Duarte, Lourenço, "Weighted evidence accumulation clustering using subsampling",
       PRIS 2006.

    Examples
    --------
    >>> X = [[0.0], [1.0], [4.0], [5.0]]
    >>> labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> validity_weights(labels, X=X).round(4)
    array([0.9783, 0.0217])
    """
    unified = _unified(labels, X, indices)
    return shares(unified.mean(axis=1), "every validity index is 0 or not defined for every partition")


def wpck_weights(
    labels: ArrayLike,
    *,
    X: ArrayLike | None = None,
    indices: Sequence[str] = ("silhouette", "calinski-harabasz", "davies-bouldin"),
    knowledge: str = "lack",
    random_state: RandomState = None,
) -> np.ndarray:
    """Weight each partition by partition relevance analysis, as in weighted partition consensus via kernels (WPCK).

    With I_j(u) the value of index j for partition u in [0, 1], compute

    * "lack" (it is unknown which properties are good): w_u proportional to sum_j H_j (1 - |I_j(u) - mean_v I_j(v)|),
      where H_j is the entropy of the shares I_j(u) / sum_v I_j(v): usual partitions get most weight;
    * "background" (it is known that the indices measure quality): w_u proportional to sum_j (1 - |I_j(u) - max_v
      I_j(v)|): partitions near the best get most weight ([1]_).

    Parameters
    ----------
    knowledge : {"lack", "background"}, default="lack"
        Which of the two, as above.
    labels, X, indices, random_state
        As in :func:`validity_weights` and :func:`partition_validity`, scaled to [0, 1]; [1]_ leaves the choice of
        indices open.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Non-negative, sum one.

    Warns
    -----
    UserWarning
        With "lack", if no index has two partitions with positive values, so that all H_j are 0; the weights are then
        uniform.

    Notes
    -----
    The weights of "lack" are close to uniform by construction: they differ only as
    far as index values spread around their mean.

    References
    ----------
    .. [1] Vega-Pons, Correa-Morris, Ruiz-Shulcloper, "Weighted partition consensus via kernels", Pattern Recognition
       43(8), 2010.

    Examples
    --------
    >>> X = [[0.0], [1.0], [4.0], [5.0]]
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> wpck_weights(labels, X=X).round(4)
    array([0.3972, 0.3972, 0.2057])
    """
    check_choice(knowledge, ("lack", "background"), name="knowledge")
    unified = _unified(labels, X, indices)
    if len(unified) == 1:
        return np.ones(1)
    if knowledge == "background":
        relevance = (1.0 - np.abs(unified - unified.max(axis=0))).sum(axis=1)
    else:
        totals = unified.sum(axis=0)
        portions = np.divide(unified, totals, out=np.zeros_like(unified), where=totals > 0.0)
        logs = np.log(portions, out=np.zeros_like(portions), where=portions > 0.0)
        entropies = -(portions * logs).sum(axis=0)
        relevance = (1.0 - np.abs(unified - unified.mean(axis=0))) @ entropies
    return shares(relevance, "no validity index is positive for two partitions")


def _unified(labels, X, indices):
    """(m, n_indices) index values in [0, 1], 1 for the best; 0 if not defined."""
    values = partition_validity(labels, X=X, indices=indices)
    return np.column_stack(
        [unify(column, high_is_good=INDICES[name][1]) for name, column in zip(indices, values.T, strict=True)]
    )


def unify(values, *, high_is_good):
    """Scale values of an index to [0, 1]: v / max, or min / v; NaN -> 0. Infinite and zero values take the limits."""
    if high_is_good:
        values = values - np.fmin.reduce(values, initial=0.0)
    best = (np.fmax if high_is_good else np.fmin).reduce(values)
    # The best value gets 1 even if the ratio would be 0/0 or infinity over infinity.
    unified = np.where(values == best, 1.0, 0.0)
    rest = ~np.isnan(values) & (values != best)
    unified[rest] = values[rest] / best if high_is_good else best / values[rest]
    return unified


def _silhouettes(encoding, X, slots, partitions):
    """Mean silhouettes of the given partitions, from one pass over the distances."""
    indicators = one_hot(encoding)
    totals = np.zeros(len(slots))
    for block in row_blocks(len(X), max(1, _BLOCK_DISTANCES // len(X))):
        sums = cdist(X[block], X) @ indicators
        for u in partitions:
            seen = np.flatnonzero(encoding.observed[block, encoding.mask_of[u]])
            own = np.arange(len(seen)), encoding.codes[block, u][seen]
            sizes = encoding.sizes[slots[u]]
            # Sums of distances to the clusters. The own cluster's sum includes the object's distance 0 to itself.
            means = sums[seen, slots[u]]
            company = sizes[own[1]] - 1.0
            a = means[own] / np.maximum(company, 1.0)
            means /= sizes
            means[own] = np.inf
            b = means.min(axis=1)
            larger = np.maximum(a, b)
            totals[u] += np.divide(b - a, larger, out=np.zeros_like(a), where=(larger > 0.0) & (company > 0.0)).sum()
    return totals[partitions] / encoding.n_observed[partitions]


def _each(index, encoding, X, slots, partitions):
    """An index of the given partitions, one after the other."""
    return [index(*_clusters(encoding, X, slots, u)) for u in partitions]


def _variance_ratio(points, codes, sizes, centroids):
    k, n = len(sizes), len(points)
    between = sizes @ ((centroids - points.mean(axis=0)) ** 2).sum(axis=1) / (k - 1)
    within = ((points - centroids[codes]) ** 2).sum() / (n - k)
    if within == 0.0:
        return np.inf if between > 0.0 else 0.0
    return between / within


def _separation(points, codes, sizes, centroids):
    spreads = np.bincount(codes, weights=np.linalg.norm(points - centroids[codes], axis=1)) / sizes
    sums, distances = spreads[:, np.newaxis] + spreads, cdist(centroids, centroids)
    ratios = np.divide(sums, distances, out=np.full_like(sums, np.inf), where=distances > 0.0)
    np.fill_diagonal(ratios, 0.0)
    return ratios.max(axis=1).mean()


def _clusters(encoding, X, slots, u):
    """Points that partition u observes, their codes, and the sizes and centroids of the clusters."""
    seen = encoding.observed[:, encoding.mask_of[u]]
    points, codes = X[seen], encoding.codes[seen, u].astype(np.intp)
    sizes = encoding.sizes[slots[u]]
    sums = [np.bincount(codes, weights=feature, minlength=len(sizes)) for feature in points.T]
    return points, codes, sizes, np.array(sums).T / sizes[:, np.newaxis]


# name -> (values of the given partitions, whether high values are good)
INDICES: dict[str, tuple[Callable[..., Any], bool]] = {
    "silhouette": (_silhouettes, True),
    "calinski-harabasz": (partial(_each, _variance_ratio), True),
    "davies-bouldin": (partial(_each, _separation), False),
}
