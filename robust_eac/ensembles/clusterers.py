"""Ensembles of one clusterer, with samples of the objects and of the features; and of several algorithms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import sklearn
from joblib import delayed
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from .. import validation as check
from ..common import MAX_SEED, RandomState, warn
from ..features import base
from ..features.base import EnsembleTransformer, fit_all, stack
from ..wording import listed


class ClustererEnsemble(base.EnsembleTransformer):
    """Cluster the same data many times by any clusterer, on random samples of the objects and features if wanted.

    Partition u is one run with :math:`k_u` clusters and its own seed. By default the :math:`k_u` are drawn uniformly
    from a range, and the clusterer is k-means from a random start: the "k-means ensemble" of [1]_. With `n_per_k` and
    ``max_samples=0.8`` these are the resamples of consensus clustering [2]_; k-means is then the best of ten runs,
    since local minima would add differences that are not in the data.

    Parameters
    ----------
    n_partitions : int, default=150
        Number of clusterings m.
    n_clusters : int, (int, int) or list of int, default=(3, 20)
        Number of clusters, or those to draw from: the lowest and the highest, or a list. It does not apply to
        clusterers without a parameter `n_clusters`, such as HDBSCAN.
    estimator : clusterer or function, default=None
        A scikit-learn clusterer, or a Pipeline that ends with one: its parameters `n_clusters` and `random_state`, if
        it has them, are set for every partition. Or a function ``f(X, n_clusters, random_state) -> labels``. The labels
        -1, None and NaN leave an object out. Each run has its own copy of the data, which it may change. None means
        ``KMeans(init="random", n_init=1)``, and with `n_per_k` ``KMeans(n_init=10)``.
    n_per_k : int, default=None
        Make this many partitions for each number of clusters, in ascending order, instead of `n_partitions` with random
        numbers. The i-th partitions of all numbers have the same sample of objects and features.
    max_samples, max_features : int or float, default=None
        Fit every partition to its own random sample of the objects, or of the features: a count, or a share in (0, 1],
        rounded down. None means all.
    label_all : bool, default=True
        Label all objects by the `predict` of each partition's clusterer, if it has one. Otherwise objects outside a
        partition's sample are -1, not observed.
    n_jobs : int, default=None
        Threads over the partitions, and over blocks of objects. The result does not depend on it.
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the numbers of clusters, the samples and the seeds
    verbose : int, default=0
        1 prints a line per partition and, where samples are extended to all objects, per 65,536 objects labelled.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples, n_partitions)
        The ensemble; int16, or a wider type for larger labels. -1 marks objects outside the sample, and those that the
        clusterer leaves out, such as HDBSCAN's noise: ``labels_[estimators_samples_[u], u] == -1``. Clusterings without
        a cluster are left out, with a warning; if all are, a ValueError is raised.
    n_clusters_ : ndarray of shape (n_partitions,)
        Requested number of clusters of each partition; of clusterers without `n_clusters`, the number found.
    estimators_ : list of n_partitions fitted clusterers
        For a function, objects with its `labels_` of the sample: 0, 1, ... in the order of its own labels, or -1.
    estimators_samples_, estimators_features_ : list of n_partitions ndarray
        Indices of the objects and of the features of each partition, ascending. The former are drawn again from the
        seeds at every access, so that they take no memory.
    n_features_in_ : int

    Notes
    -----
    A pass of k-means over all objects takes O(n_samples n_features sum_u k_u) time. `max_samples` needs one such pass
    and the passes over the samples; it reads arrays and memory maps of any real type in blocks, and forms no array of
    the size of `X` except the labels. Otherwise `X` becomes a float64 array in memory.

    ``with joblib.parallel_config(backend="dask"):`` sends the clusterings of `fit` to Dask's workers, with the same
    result; "loky" sends them to processes. So does "multiprocessing", where scikit-learn's k-means may hang, unless
    ``OMP_NUM_THREADS=1``. ``AgglomerativeClustering(memory="folder")`` grows one tree per sample for all numbers of
    clusters.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 4.
    .. [2] Monti et al., "Consensus clustering: a resampling-based method ...", Machine Learning 52, 2003.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from robust_eac import ClustererEnsemble, load_dataset
    >>> tree = AgglomerativeClustering(linkage="average")
    >>> model = ClustererEnsemble(n_clusters=(2, 3), estimator=tree, n_per_k=2, max_samples=0.8, random_state=0)
    >>> labels = model.fit_transform(load_dataset("iris")[0])
    >>> model.n_clusters_, (labels >= 0).sum(axis=0)
    (array([2, 2, 3, 3]), array([120, 120, 120, 120]))
    """

    def __init__(
        self,
        n_partitions: int = 150,
        n_clusters: int | tuple[int, int] = (3, 20),
        *,
        estimator: object | Callable[..., ArrayLike] | None = None,
        n_per_k: int | None = None,
        max_samples: float | None = None,
        max_features: float | None = None,
        label_all: bool = True,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_partitions = n_partitions
        self.n_clusters = n_clusters
        self.estimator = estimator
        self.n_per_k = n_per_k
        self.max_samples = max_samples
        self.max_features = max_features
        self.label_all = label_all
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _make(self, X):
        X = check.features(X, estimator=self, as_is=self.max_samples is not None)
        n, n_features = X.shape
        size = base.check_share(self.max_samples, n, name="max_samples")
        n_used = base.check_share(self.max_features, n_features, name="max_features")
        label_all = check.flag(self.label_all, name="label_all")
        n_jobs = check.n_jobs(self.n_jobs)
        rng = check.random_state(self.random_state)
        prototype = _as_clusterer(self.estimator, self.n_per_k)
        values = prototype.get_params(deep=False).values()
        if (size, n_used) != X.shape and any(isinstance(value, str) and "precomputed" in value for value in values):
            rule = f"max_samples and max_features must be None for {type(prototype).__name__} of a precomputed matrix"
            way = "give a function that looks up the pairs of its sample, and np.arange(n)[:, np.newaxis] as X"
            raise ValueError(f"{rule}; as estimator, {way}.")
        n_clusters = self._numbers_of_clusters(base.last_step(prototype), size, rng)
        m = len(n_clusters)
        n_draws = m if self.n_per_k is None else self.n_per_k
        seeds = rng.randint(MAX_SEED, size=m)
        row_seeds = seeds if self.max_samples is None else np.resize(rng.randint(MAX_SEED, size=n_draws), m)
        drawn = [base.draw_indices(n_features, n_used, rng) for _ in range(n_draws)]
        self.estimators_features_ = drawn * (m // n_draws)

        draws = zip(n_clusters, seeds, row_seeds, self.estimators_features_, strict=True)
        fit = delayed(partial(_fit, self.estimator is None))
        fits = (fit(base.prepare_clusterer(prototype, k, seed), X, size, *draw) for k, seed, *draw in draws)
        self.estimators_, clusterings = map(list, zip(*base.list_fits(fits, n_clusters, n_jobs), strict=True))
        n_found = np.array([int(labels.max()) + 1 for labels in clusterings])
        nonempty = np.flatnonzero(n_found)
        if len(nonempty) < m:
            _warn_left_out(base.last_step(prototype), n_clusters, n_found)
        n_found = n_found[nonempty]
        n_clusters = np.asarray(n_clusters)[nonempty]
        self._row_draws = n, size, row_seeds[nonempty]
        lists = self.estimators_, self.estimators_features_, clusterings
        self.estimators_, self.estimators_features_, clusterings = ([values[u] for u in nonempty] for values in lists)
        self.n_clusters_ = n_found if n_clusters[0] is None else n_clusters
        if self.max_samples is not None and label_all and hasattr(prototype, "predict"):
            self.labels_ = self._label(X)
        else:
            self.labels_ = np.full((n, len(nonempty)), -1, dtype=base.label_dtype(n_found.max() - 1))
            for column, rows, labels in zip(self.labels_.T, self._samples(), clusterings, strict=True):
                column[rows] = labels

    def _numbers_of_clusters(self, clusterer, size, rng):
        """Requested number of clusters of each partition; None if the clusterer takes none."""
        n_partitions = check.positive(self.n_partitions, name="n_partitions")
        if "n_clusters" not in clusterer.get_params():
            if self.n_per_k is not None:
                name = type(clusterer).__name__
                raise ValueError(f"n_per_k must be None for {name}, which has no parameter n_clusters.")
            return [None] * n_partitions
        high_name = "n_samples" if self.max_samples is None else "max_samples"
        candidates = check.candidates(self.n_clusters, high=size, high_name=high_name)
        if self.n_per_k is not None:
            return np.repeat(candidates, check.positive(self.n_per_k, name="n_per_k"))
        return candidates[rng.randint(len(candidates), size=n_partitions)]

    @property
    def estimators_samples_(self):
        """Indices of the objects that each partition was fitted to, drawn again from the seeds at every access."""
        return list(self._samples())

    def _samples(self):
        n, size, seeds = self._row_draws
        return (base.draw_indices(n, size, np.random.RandomState(seed)) for seed in seeds)

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Label objects, new or not, by the `predict` of every clusterer, whatever `label_all` says.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples, n_partitions)

        Raises
        ------
        TypeError
            If the clusterer cannot label objects that it was not fitted on.
        """
        check_is_fitted(self)
        X = check.features(X, estimator=self, reset=False, as_is=self.max_samples is not None)
        if not hasattr(self.estimators_[0], "predict"):
            name = type(self.estimators_[0]).__name__
            raise TypeError(f"estimator {name} cannot label objects it was not fitted on: it has no predict.")
        if self.max_samples is not None:
            return self._label(X)
        fitted = zip(self.estimators_, self.estimators_features_, strict=True)
        return base.stack([_predict(estimator, _columns(X, features)) for estimator, features in fitted])

    def _label(self, X):
        if self.estimator is None and self.max_features is None:
            label, *shape = base.nearest_centres([estimator.cluster_centers_ for estimator in self.estimators_])
        else:
            label = partial(_label_by_predict, self.estimators_, self.estimators_features_, self.n_clusters_)
            shape = len(self.estimators_), base.label_dtype(self.n_clusters_.max() - 1)
        return base.label_by_blocks(X, label, *shape, check.n_jobs(self.n_jobs))


class KMeansEnsemble(ClustererEnsemble):
    """:class:`~robust_eac.ClustererEnsemble` by the name of its default clusterer, k-means.

    Parameters
    ----------
    n_partitions, n_clusters, estimator, n_per_k, max_samples, max_features, label_all, n_jobs, random_state, verbose
        As in :class:`~robust_eac.ClustererEnsemble`.

    Attributes
    ----------
    labels_, n_clusters_, n_features_in_ : as in :class:`~robust_eac.ClustererEnsemble`
    estimators_, estimators_samples_, estimators_features_ : as in :class:`~robust_eac.ClustererEnsemble`

    References
    ----------
    Those of :class:`~robust_eac.ClustererEnsemble`.

    Examples
    --------
    >>> from robust_eac import KMeansEnsemble, load_dataset
    >>> KMeansEnsemble(n_partitions=5, n_clusters=(3, 6), random_state=0).fit_transform(load_dataset("iris")[0]).shape
    (150, 5)
    """


class FunctionClusterer(ClusterMixin, BaseEstimator):
    """The clusterer of a function ``f(X, n_clusters, random_state) -> labels``."""

    def __init__(self, function, n_clusters=None, random_state=None):
        self.function = function
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X, y=None):
        returned = self.function(X, self.n_clusters, self.random_state)
        labels = base.check_labels(returned, len(X), "what estimator returns", of_function=True)
        observed = labels != -1
        self.labels_ = np.full(len(X), -1)
        self.labels_[observed] = np.unique(labels[observed], return_inverse=True)[1]
        return self


def _warn_left_out(clusterer, n_clusters, n_found):
    """Warn of the clusterings that found no cluster; ValueError if none found one."""
    name = type(clusterer).__name__
    empty = np.flatnonzero(n_found == 0).tolist()
    if len(empty) == len(n_found):
        raise ValueError(f"estimator {name} found no cluster in any of the {len(n_found)} clusterings.")
    which = listed([str(u) if n_clusters[u] is None else f"{u} (n_clusters={n_clusters[u]})" for u in empty])
    warn(f"estimator {name} found no cluster in {len(empty)} of {len(n_found)} clusterings, left out: {which}.")


def _as_clusterer(estimator, n_per_k):
    """The clusterer for the arguments `estimator` and `n_per_k`."""
    if estimator is None:
        return sklearn.cluster.KMeans(init="random", n_init=1) if n_per_k is None else sklearn.cluster.KMeans(n_init=10)
    is_estimator = hasattr(base.last_step(estimator), "get_params")
    if isinstance(estimator, type) or not (is_estimator or callable(estimator)):
        raise TypeError(f"estimator must be a scikit-learn clusterer or a function, got {estimator!r}.")
    return estimator if is_estimator else FunctionClusterer(estimator)


def _fit(is_own, estimator, X, size, seed, features):
    """(clusterer fitted to a sample of the rows and to these features, its labels); `is_own`: it leaves X as it is."""
    rows = X if size == len(X) else X[base.draw_indices(len(X), size, np.random.RandomState(seed))]
    sample = _columns(np.asarray(rows, dtype=np.float64, order="C"), features)
    if not is_own and np.may_share_memory(sample, X):
        sample = sample.copy()
    clusterer = base.last_step(estimator.fit(sample))
    name = type(clusterer).__name__
    if not hasattr(clusterer, "labels_"):
        raise TypeError(f"estimator must be a clusterer, which has labels_ after fit, got {name}.")
    return estimator, base.check_labels(clusterer.labels_, len(sample), f"labels_ of estimator {name}")


def _columns(X, features):
    return X if len(features) == X.shape[1] else np.ascontiguousarray(X[:, features])


def _predict(estimator, X):
    name = f"what predict of estimator {type(estimator).__name__} returns"
    return base.check_labels(estimator.predict(X), len(X), name)


def _label_by_predict(estimators, columns, n_clusters, block, labels):
    """Fill labels (n_rows, m) by the `predict` of the clusterers."""
    for u, (estimator, features, k) in enumerate(zip(estimators, columns, n_clusters, strict=True)):
        predicted = _predict(estimator, _columns(block, features))
        wrong = predicted[(predicted < 0) | (predicted >= k)]
        if len(wrong):
            rule = f"must give every object a label in [0, n_clusters={k}) with max_samples"
            raise ValueError(f"estimator {type(estimator).__name__} {rule}, got {wrong[0]}.")
        labels[:, u] = predicted


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
        kmeans = sklearn.cluster.KMeans(init="random", n_init=1)
        spectral = sklearn.cluster.SpectralClustering(affinity="precomputed")
        fitted = fit_all(kmeans, drawn[:n_kmeans], seeds[:n_kmeans], X, n_jobs)
        fitted += fit_all(spectral, drawn[n_kmeans:], seeds[n_kmeans:], _affinity(X), n_jobs)
        self.labels_ = stack(columns + [estimator.labels_ for estimator in fitted])
        self.n_clusters_ = np.concatenate([np.tile(spaced, 4), drawn])
        counts = [per_linkage] * 4 + [n_kmeans, n_drawn - n_kmeans]
        self.algorithms_ = np.repeat([*_LINKAGES, "kmeans", "spectral"], counts).tolist()


def _affinity(X):
    """Gaussian affinity whose width is the median distance; constant if all objects coincide."""
    squares = sklearn.metrics.pairwise_distances(X, metric="sqeuclidean")
    width = np.median(squares[np.triu_indices(len(X), 1)])
    return np.exp(-squares / (2.0 * (width or squares.mean() or 1.0)))
