"""Ensembles from subsets of the features."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from joblib import Parallel, delayed

from .. import validation as check
from ..common import RandomState, Subsets, row_blocks
from ..core.kernels import njit
from .base import EnsembleTransformer, label_dtype

# Modes that follow the published program or the formulas where these differ.
MODES = ("listing", "equation")
# Added to the eigenvalues of scatter matrices before the inverse root.
_RIDGE = 1e-4
_MAX_ITER = 100
_MAX_BATCH = 256
# Numbers per array of a batch, which fits in the cache of a core.
_BATCH_SIZE = 2**20


class FeatureSubsetEnsemble(EnsembleTransformer):
    """Cluster subsets of the features by k-means, one subset per partition.

    The ensemble of combinatorial evidence accumulation [1]_, for data in which most features may be noise. It uses all
    subsets of 1, 2, ..., `max_order` features, or a random sample of them. The data in each subset are whitened and
    clustered by one run of k-means from random objects. There is no `transform`: new objects cannot be labelled.

    k-means follows the published MATLAB program, except for the random numbers: distinct random objects as seeds,
    squared Euclidean distances, and at most 100 batch updates, until no object is strictly nearer to another centre. An
    empty cluster takes the object farthest from its centre. Time O(n_samples order (k iterations + order) + order^3)
    per subset; memory O(n_samples n_partitions).

    Parameters
    ----------
    n_clusters : int, (int, int) or list of int, default=(2, 3)
        Number of clusters, or those to draw from, as in :class:`~robust_eac.ClustererEnsemble`. [1]_ uses (k, k + 1).
    combinations : list of arrays of feature indices, or bool array of shape (n_partitions, n_features), default=None
        The subsets. None means those that the next three parameters determine.
    max_order : int, default=9
        Largest number of features in a subset, at most n_features.
    max_per_order : int, default=1000
        Largest number of subsets of one order (number of features); if there are more, this many are drawn.
    min_per_order : int, default=50
        Smallest number of subsets of one order, at most `max_per_order`; only for "listing", which repeats random ones.
    whiten : bool, default=True
        Whiten the data in each subset as :func:`~robust_eac.consensus.zca_whiten` does.
    reproduce : {"listing", "equation"}, default="listing"
        "listing": like the published program, draw subsets independently, so that some occur more than once, and fill
        orders of few subsets with random repetitions. "equation": like the formulas, use distinct subsets.
    n_jobs, random_state : as in :class:`~robust_eac.ClustererEnsemble`

    Attributes
    ----------
    subsets_, orders_ : list of n_partitions ndarray, ndarray of shape (n_partitions,)
        Indices, sorted, and number of each partition's features.
    labels_, n_clusters_ : as in :class:`~robust_eac.ClustererEnsemble`
    n_features_in_ : int

    References
    ----------
    .. [1] Wong, Tsuchiya, "Evidence accumulation clustering using combinations of features", MethodsX 7, 2020, Table 1.

    Examples
    --------
    >>> from robust_eac import FeatureSubsetEnsemble, load_dataset
    >>> model = FeatureSubsetEnsemble((3, 4), reproduce="equation", random_state=0).fit(load_dataset("iris")[0])
    >>> model.labels_.shape, model.subsets_[4]
    ((150, 15), array([0, 1]))
    """

    def __init__(
        self,
        n_clusters: int | tuple[int, int] = (2, 3),
        *,
        combinations: Subsets | None = None,
        max_order: int = 9,
        max_per_order: int = 1000,
        min_per_order: int = 50,
        whiten: bool = True,
        reproduce: str = "listing",
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.combinations = combinations
        self.max_order = max_order
        self.max_per_order = max_per_order
        self.min_per_order = min_per_order
        self.whiten = whiten
        self.reproduce = reproduce
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make(self, X):
        X = check.features(X, estimator=self)
        n, n_features = X.shape
        candidates = check.candidates(self.n_clusters, high=n, high_name="n_samples")
        max_order = check.positive(self.max_order, name="max_order")
        max_per_order = check.positive(self.max_per_order, name="max_per_order")
        min_per_order = check.integer(self.min_per_order, name="min_per_order", low=0)
        whiten = check.flag(self.whiten, name="whiten")
        distinct = check.choice(self.reproduce, MODES, name="reproduce") == "equation"
        n_jobs = check.n_jobs(self.n_jobs)
        rng = check.random_state(self.random_state)
        if self.combinations is None:
            subsets = draw_subsets(n_features, max_order, max_per_order, min_per_order, distinct, rng)
        else:
            subsets = check_subsets(self.combinations, n_features, name="combinations")
        n_clusters = candidates[rng.randint(len(candidates), size=len(subsets))]
        seeds = np.zeros((len(subsets), candidates[-1]), dtype=np.intp)
        for k in np.unique(n_clusters):
            rows = np.flatnonzero(n_clusters == k)
            seeds[rows, :k] = draw_combinations(rng, len(rows), n, k)

        labels = np.empty((n, len(subsets)), dtype=label_dtype(candidates[-1] - 1))

        def cluster(rows, data):
            clusters = np.empty((len(rows), n), dtype=np.int32)
            run_kmeans(data, seeds[rows], n_clusters[rows], _MAX_ITER, clusters)
            labels[:, rows] = clusters.T

        for_each_batch(cluster, X, subsets, whiten=whiten, n_jobs=n_jobs)
        self.labels_ = labels
        self.subsets_ = subsets
        self.orders_ = np.array([len(subset) for subset in subsets])
        self.n_clusters_ = n_clusters


def check_subsets(subsets, n_features=None, *, name):
    """Return subsets, passed as index arrays or as rows of booleans, as a list of sorted intp arrays."""
    if not isinstance(subsets, (list, tuple)):
        subsets = check.as_array(subsets, name)
        if subsets.ndim == 0:
            raise TypeError(f"{name} must be a list of index arrays or a boolean matrix, got {subsets!r}.")
    if len(subsets) == 0:
        raise ValueError(f"{name} must hold at least one subset, got none.")
    return [_check_subset(subset, n_features, f"{name}[{u}]") for u, subset in enumerate(subsets)]


def _check_subset(subset, n_features, name):
    array = check.as_array(subset, name)
    if array.dtype == bool and array.ndim == 1:
        if n_features is not None and len(array) != n_features:
            raise ValueError(f"{name} must have a boolean for each of n_features={n_features}, got {len(array)}.")
        array = np.flatnonzero(array)
    if array.size == 0:
        raise ValueError(f"{name} must hold at least one feature, got none.")
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be a vector of feature indices or of booleans, got {subset!r}.")
    array = np.sort(array).astype(np.intp)
    if array[0] < 0 or (n_features is not None and array[-1] >= n_features):
        rule = "non-negative" if n_features is None else f"in [0, n_features - 1={n_features - 1}]"
        raise ValueError(f"{name} must hold indices {rule}, got {array[0] if array[0] < 0 else array[-1]}.")
    if (array[1:] == array[:-1]).any():
        raise ValueError(f"{name} must not hold a feature twice, got {array.tolist()}.")
    return array


def draw_subsets(n_features, max_order, max_per_order, min_per_order, distinct, rng):
    """All subsets of up to max_order features, or max_per_order random ones per order; list of intp arrays."""
    subsets = []
    for order in range(1, min(max_order, n_features) + 1):
        total = comb(n_features, order)
        if total > max_per_order:
            draw = _draw_different if distinct else draw_combinations
            chosen = draw(rng, max_per_order, n_features, order)
        else:
            n_extra = 0 if distinct else max(0, min(min_per_order, max_per_order) - total)
            extra = draw_combinations(rng, n_extra, n_features, order)
            chosen = np.concatenate([list(combinations(range(n_features), order)), extra])
        subsets.extend(np.sort(chosen, axis=1))
    return subsets


def draw_combinations(rng, n_rows, population, size):
    """(n_rows, size) random numbers below population, distinct in each row, by Floyd's algorithm; rows may repeat."""
    chosen = np.empty((n_rows, size), dtype=np.intp)
    for i in range(size):
        last = population - size + i
        drawn = rng.randint(last + 1, size=n_rows)
        taken = (chosen[:, :i] == drawn[:, np.newaxis]).any(axis=1)
        chosen[:, i] = np.where(taken, last, drawn)
    return chosen


def _draw_different(rng, n_rows, population, size):
    """Like draw_combinations, but all rows are distinct sets: repeated rows are drawn again."""
    rows = np.empty((0, size), dtype=np.intp)
    while len(rows) < n_rows:
        rows = np.concatenate([rows, np.sort(draw_combinations(rng, n_rows, population, size), axis=1)])
        rows = rows[np.sort(np.unique(rows, axis=0, return_index=True)[1])]
    return rows[:n_rows]


def whitening_maps(scatters, n_samples, ridge=_RIDGE):
    """sqrt(n - 1) V (D + ridge I)^(-1/2) V' for a stack of scatter matrices V D V', (..., d, d)."""
    values, vectors = np.linalg.eigh(scatters)
    # Rounding can make the zero eigenvalues of a singular scatter negative.
    scales = np.sqrt((n_samples - 1.0) / (np.maximum(values, 0.0) + ridge))
    return (vectors * scales[..., np.newaxis, :]) @ np.swapaxes(vectors, -1, -2)


def for_each_batch(function, X, subsets, *, whiten, n_jobs):
    """Call ``function(rows, data)`` for batches of subsets of equal order, in threads.

    `rows` are positions in `subsets`; `data` have shape (len(rows), order, n_samples).
    """
    if whiten:
        X = X - X.mean(axis=0)
    features = np.ascontiguousarray(X.T)
    n = features.shape[1]

    def run(rows):
        data = features[np.stack([subsets[u] for u in rows])]
        if whiten:
            data = whitening_maps(data @ np.swapaxes(data, 1, 2), n) @ data
        function(rows, data)

    Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(run)(rows) for rows in _batches(subsets, n))


def _batches(subsets, n_samples):
    """Batches of positions of subsets of equal order; each batch fits in the cache."""
    orders = np.array([len(subset) for subset in subsets])
    for order in np.unique(orders):
        rows = np.flatnonzero(orders == order)
        size = min(_MAX_BATCH, max(1, _BATCH_SIZE // int(order * max(order, n_samples))))
        for batch in row_blocks(len(rows), size):
            yield rows[batch]


# The k-means kernels cluster thousands of small data sets, in batches of shape (n_sets, n_dims, n_samples). Objects
# come last, so that inner loops run over consecutive memory and vectorise without reordering any sum. Labels are int32
# of shape (n_sets, n_samples). scikit-learn's overhead on fits of this size is more than ten times the work.
@njit
def run_kmeans(data, seeds, n_clusters, max_iter, labels):
    """Fill labels with one k-means run per data set, from the objects seeds[u, :n_clusters[u]]."""
    k_max = seeds.shape[1]
    n = data.shape[2]
    # Memory that all data sets reuse: centres, squared distances to the objects, objects per cluster.
    clusters = np.empty((k_max, data.shape[1])), np.empty((k_max, n)), np.empty(k_max, dtype=np.int64)
    previous = np.empty(n, dtype=np.int32)
    for u in range(data.shape[0]):
        _lloyd(data[u], seeds[u], n_clusters[u], max_iter, clusters, labels[u], previous)


@njit
def _lloyd(x, seeds, k, max_iter, clusters, labels, previous):
    """Batch k-means. An empty cluster takes the object farthest from its centre; in a tie an object does not move."""
    n_dims, n = x.shape
    centres, distances, counts = clusters
    for c in range(k):
        for j in range(n_dims):
            centres[c, j] = x[j, seeds[c]]
        _squared_distances(x, centres[c], distances[c])
    labels[:] = 0
    _move_to_nearest(distances, k, labels)
    last_total = np.inf
    for iteration in range(max_iter):
        for c in range(k):
            _update(x, labels, c, centres[c], counts, distances[c])
        for c in range(k):
            if counts[c] == 0:
                _make_singleton(x, labels, c, clusters)
        total = 0.0
        for i in range(n):
            total += distances[labels[i], i]
        if total >= last_total:
            # The last moves did not lower the cost (a cycle, or rounding): undo them.
            labels[:] = previous
            return
        if iteration == max_iter - 1:
            return
        last_total = total
        previous[:] = labels
        if _move_to_nearest(distances, k, labels) == 0:
            return


@njit
def _squared_distances(x, centre, out):
    out[:] = 0.0
    for j in range(x.shape[0]):
        for i in range(x.shape[1]):
            out[i] += (x[j, i] - centre[j]) ** 2


@njit
def _move_to_nearest(distances, k, labels):
    """Move objects that have a strictly nearer centre to the first of the nearest ones; return how many moved."""
    n_moved = 0
    for i in range(labels.shape[0]):
        nearest = 0
        for c in range(1, k):
            if distances[c, i] < distances[nearest, i]:
                nearest = c
        if distances[nearest, i] < distances[labels[i], i]:
            labels[i] = nearest
            n_moved += 1
    return n_moved


@njit
def _update(x, labels, c, centre, counts, distances):
    """Compute the size, centre and distances of cluster c; of an empty cluster, only the size."""
    n_dims, n = x.shape
    size = 0
    for i in range(n):
        if labels[i] == c:
            size += 1
    counts[c] = size
    if size == 0:
        return
    for j in range(n_dims):
        total = 0.0
        for i in range(n):
            if labels[i] == c:
                total += x[j, i]
        centre[j] = total / size
    _squared_distances(x, centre, distances)


@njit
def _make_singleton(x, labels, c, clusters):
    """Move the object farthest from its own centre into the empty cluster c."""
    n = labels.shape[0]
    centres, distances, counts = clusters
    farthest = 0
    for i in range(1, n):
        if distances[labels[i], i] > distances[labels[farthest], farthest]:
            farthest = i
    if counts[labels[farthest]] < 2:
        # All objects lie on their centres: take one from the first cluster of at least two.
        farthest = np.argmax(labels == np.argmax(counts >= 2))
    source = labels[farthest]
    labels[farthest] = c
    _update(x, labels, c, centres[c], counts, distances[c])
    _update(x, labels, source, centres[source], counts, distances[source])
