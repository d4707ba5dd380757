"""Ensembles of clusterings from features, and noise for them."""

from numbers import Integral

import numpy as np
from joblib import Parallel, delayed
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ._validation import check_integer, check_labels, check_real

__all__ = ["KMeansEnsemble", "MixedEnsemble", "corrupt_ensemble"]

_MAX_SEED = np.iinfo(np.int32).max


class KMeansEnsemble(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Cluster the same data many times, each time with another number of clusters and another start.

    Partition u minimises the k-means criterion with k_u clusters drawn uniformly from a range and a single random
    start, the "k-means ensemble" of [1]_; `estimator` puts another clusterer in the place of k-means.

    Parameters
    ----------
    n_partitions : int, default=150
        Number of clusterings m.
    n_clusters : int or (int, int), default=(3, 20)
        Number of clusters, or the range it is drawn from, both ends included.
    estimator : clusterer, default=None
        A scikit-learn clusterer; its parameters `n_clusters` and, where it has one, `random_state` are set for every
        partition. None means ``KMeans(init="random", n_init=1)``.
    n_jobs : int, default=None
        Threads over the partitions. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the numbers of clusters and the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples, n_partitions)
        The ensemble of the data it was fitted on; smallest unsigned integer type that holds the labels, int64 where
        a clusterer leaves objects out (-1).
    n_clusters_ : ndarray of shape (n_partitions,)
        Number of clusters asked for in each partition.
    estimators_ : list of n_partitions fitted clusterers
    n_features_in_ : int

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013, Section 4.

    Examples
    --------
    >>> from robust_eac import KMeansEnsemble, load_dataset
    >>> X, y = load_dataset("iris")
    >>> labels = KMeansEnsemble(n_partitions=5, n_clusters=(3, 6), random_state=0).fit_transform(X)
    >>> labels.shape
    (150, 5)
    """

    def __init__(self, n_partitions=150, n_clusters=(3, 20), *, estimator=None, n_jobs=None, random_state=None):
        self.n_partitions = n_partitions
        self.n_clusters = n_clusters
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None):
        """Make the ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
            Present for API consistency.

        Returns
        -------
        self : KMeansEnsemble
        """
        X = validate_data(self, X, dtype=np.float64)
        n_partitions = check_integer(self.n_partitions, name="n_partitions", low=1)
        low, high = _check_range(self.n_clusters, len(X), "n_samples")
        rng = check_random_state(self.random_state)
        self.n_clusters_ = rng.randint(low, high + 1, size=n_partitions)
        seeds = rng.randint(_MAX_SEED, size=n_partitions)
        base = KMeans(init="random", n_init=1) if self.estimator is None else self.estimator
        self.estimators_ = _fit_all(
            [_prepare(base, k, seed) for k, seed in zip(self.n_clusters_, seeds, strict=True)], X, self.n_jobs
        )
        self.labels_ = _stack([estimator.labels_ for estimator in self.estimators_])
        self._n_features_out = n_partitions
        return self

    def fit_transform(self, X, y=None):
        """Make the ensemble and return it: `labels_`, of shape (n_samples, n_partitions)."""
        return self.fit(X, y).labels_

    def transform(self, X):
        """Label further objects with every clustering of the ensemble.

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
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if not hasattr(self.estimators_[0], "predict"):
            raise TypeError(
                f"estimator {type(self.estimators_[0]).__name__} cannot label objects it was not fitted on (it has no "
                "predict); use fit_transform."
            )
        return _stack([estimator.predict(X) for estimator in self.estimators_])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


class MixedEnsemble(BaseEstimator):
    """Cluster the same data with six algorithms, each at several numbers of clusters.

    The "mixed ensemble" of [1]_: agglomerative clustering with single, average, Ward and centroid linkage, k-means,
    and normalised spectral clustering. [1]_ gives the 56 partitions in all, not how they divide: here each linkage has
    9, cut at numbers of clusters spaced evenly over the range; k-means has 10 and spectral clustering the remaining
    10, with numbers of clusters drawn from it. Other sizes keep these proportions as nearly as integers allow.

    Parameters
    ----------
    n_partitions : int, default=56
        Number of clusterings m, at least 6.
    n_clusters : int or (int, int), default=(3, 20)
        Number of clusters, or the range, both ends included; less than the number of objects.
    n_jobs : int, default=None
        Threads over the k-means and spectral partitions. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws numbers of clusters and starts of k-means and spectral clustering.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples, n_partitions)
        The ensemble; smallest unsigned integer type that holds the labels.
    n_clusters_ : ndarray of shape (n_partitions,)
        Number of clusters asked for in each partition.
    algorithms_ : list of n_partitions str
        "single", "average", "ward", "centroid", "kmeans" or "spectral".
    n_features_in_ : int

    Notes
    -----
    Time and memory O(n_samples^2): the linkages and the spectral affinity need all pairs. The affinity is
    exp(-|x - x'|^2 / (2 s^2)) with s the median distance. Objects that were not fitted cannot be labelled: there is no
    `transform`.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013, Section 4.
    .. [2] Ng, Jordan, Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.

    Examples
    --------
    >>> from robust_eac import MixedEnsemble, load_dataset
    >>> X, y = load_dataset("iris")
    >>> model = MixedEnsemble(n_clusters=(2, 10), random_state=0).fit(X)
    >>> model.labels_.shape
    (150, 56)
    >>> model.algorithms_.count("ward")
    9
    """

    _LINKAGES = ("single", "average", "ward", "centroid")

    def __init__(self, n_partitions=56, n_clusters=(3, 20), *, n_jobs=None, random_state=None):
        self.n_partitions = n_partitions
        self.n_clusters = n_clusters
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None):
        """Make the ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
            Present for API consistency.

        Returns
        -------
        self : MixedEnsemble
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        n_partitions = check_integer(self.n_partitions, name="n_partitions", low=6)
        # Spectral clustering finds fewer eigenvectors than objects.
        low, high = _check_range(self.n_clusters, len(X) - 1, "n_samples - 1")
        rng = check_random_state(self.random_state)

        per_linkage = max(1, n_partitions * 9 // 56)
        n_kmeans = (n_partitions - 4 * per_linkage) // 2
        n_spectral = n_partitions - 4 * per_linkage - n_kmeans
        spaced = np.rint(np.linspace(low, high, per_linkage)).astype(int)
        drawn = rng.randint(low, high + 1, size=n_kmeans + n_spectral)
        seeds = rng.randint(_MAX_SEED, size=n_kmeans + n_spectral)

        columns = []
        for method in self._LINKAGES:
            tree = linkage(X, method=method)
            columns += [fcluster(tree, k, criterion="maxclust") - 1 for k in spaced]
        kmeans = KMeans(init="random", n_init=1)
        columns += [
            estimator.labels_
            for estimator in _fit_all(
                [_prepare(kmeans, k, seed) for k, seed in zip(drawn[:n_kmeans], seeds, strict=False)], X, self.n_jobs
            )
        ]
        spectral = SpectralClustering(affinity="precomputed")
        columns += [
            estimator.labels_
            for estimator in _fit_all(
                [_prepare(spectral, k, s) for k, s in zip(drawn[n_kmeans:], seeds[n_kmeans:], strict=True)],
                _affinity(X),
                self.n_jobs,
            )
        ]
        self.labels_ = _stack(columns)
        self.n_clusters_ = np.concatenate([np.tile(spaced, 4), drawn])
        self.algorithms_ = (
            [method for method in self._LINKAGES for _ in spaced] + ["kmeans"] * n_kmeans + ["spectral"] * n_spectral
        )
        return self

    def fit_transform(self, X, y=None):
        """Make the ensemble and return it: `labels_`, of shape (n_samples, n_partitions)."""
        return self.fit(X, y).labels_


def corrupt_ensemble(labels, fraction, random_state=None):
    """Replace a fraction of the partitions by random ones.

    round(fraction * n_partitions) partitions, chosen without replacement, are replaced: every object that the
    partition observes gets a label drawn uniformly from as many labels as it had clusters.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe, and stays.
    fraction : float
        Share of the partitions to replace, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Draws which partitions are replaced, and the labels.

    Returns
    -------
    corrupted : ndarray of shape (n_samples, n_partitions)
        A new ensemble.
    mask : ndarray of shape (n_partitions,), bool
        Which partitions were replaced.

    Raises
    ------
    ValueError, TypeError
        If `labels` is no label matrix or `fraction` out of range.

    Notes
    -----
    Time and memory O(n_samples n_partitions). A random partition of few objects into many clusters can leave some of
    them empty.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 4.2, which
       does not say how its random partitions are drawn.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.tile([[0], [0], [1], [1]], 10)
    >>> corrupted, mask = corrupt_ensemble(labels, 0.2, random_state=0)
    >>> mask.sum()
    np.int64(2)
    >>> (corrupted[:, ~mask] == labels[:, ~mask]).all()
    np.True_
    """
    labels = check_labels(labels)
    fraction = check_real(fraction, name="fraction", low=0.0, high=1.0)
    rng = check_random_state(random_state)
    n, m = labels.shape
    corrupted = labels.copy()
    mask = np.zeros(m, dtype=bool)
    mask[rng.permutation(m)[: round(fraction * m)]] = True
    for u in np.flatnonzero(mask):
        observed = np.ones(n, dtype=bool) if labels.dtype.kind in "bu" else labels[:, u] != -1
        values = np.unique(labels[observed, u])
        corrupted[observed, u] = values[rng.randint(len(values), size=np.count_nonzero(observed))]
    return corrupted, mask


def _check_range(n_clusters, highest, high_name):
    """Lowest and highest number of clusters."""
    low, high = (n_clusters, n_clusters) if isinstance(n_clusters, Integral) else _pair(n_clusters)
    low = check_integer(low, name="n_clusters", low=1, high=highest, high_name=high_name)
    return low, check_integer(high, name="the upper end of n_clusters", low=low, high=highest, high_name=high_name)


def _pair(n_clusters):
    if not isinstance(n_clusters, (tuple, list, np.ndarray)) or len(n_clusters) != 2:
        raise TypeError(f"n_clusters must be an integer or a pair (lowest, highest), got {n_clusters!r}.")
    return n_clusters


def _prepare(base, n_clusters, seed):
    """Clone of a clusterer with its number of clusters and seed."""
    estimator = clone(base).set_params(n_clusters=int(n_clusters))
    return estimator.set_params(random_state=int(seed)) if "random_state" in estimator.get_params() else estimator


def _fit_all(estimators, X, n_jobs):
    return list(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(estimator.fit)(X) for estimator in estimators))


def _affinity(X):
    """Gaussian affinity with the median distance as its width; constant when all objects coincide."""
    squares = pairwise_distances(X, metric="sqeuclidean")
    width = np.median(squares[np.triu_indices(len(X), 1)])
    if width == 0.0:
        width = squares.mean() or 1.0
    return np.exp(-squares / (2.0 * width))


def _stack(columns):
    """One label matrix, in the smallest unsigned type when nothing is missing."""
    highest, lowest = max(column.max() for column in columns), min(column.min() for column in columns)
    dtype = np.int64 if lowest < 0 else np.min_scalar_type(int(highest))
    return np.column_stack([column.astype(dtype) for column in columns])
