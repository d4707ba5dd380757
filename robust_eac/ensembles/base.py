"""What the ensembles share: numbers of clusters, fits in threads, samples of objects, labels block by block."""

from functools import partial
from itertools import pairwise
from typing import Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.random import sample_without_replacement

from ..checks.common import BLOCK, row_blocks
from ..checks.values import check_integer

# Rows that a thread labels before it takes the next ones.
_CHUNK = 2**16
# Products with centres in one block, 4 MiB: they should stay in the cache of a core.
_PRODUCTS = 2**19


class Ensemble(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class: `_make` sets `labels_`, `n_clusters_` and what else a subclass describes."""

    labels_: np.ndarray

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Make the ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
            Present for API consistency.

        Returns
        -------
        self : Ensemble
        """
        self._make(X)
        self._n_features_out = self.labels_.shape[1]
        return self

    def fit_transform(self, X: ArrayLike, y: object = None) -> np.ndarray:
        """Make the ensemble and return it.

        Parameters
        ----------
        X, y
            As in :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples, n_partitions)
            `labels_`; a data frame after ``set_output(transform="pandas")``.
        """
        return self.fit(X, y).labels_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def prepare_clusterer(base, n_clusters, seed):
    """Clone of a clusterer with its number of clusters and, if it takes one, its seed."""
    estimator = clone(base).set_params(n_clusters=int(n_clusters))
    return estimator.set_params(random_state=int(seed)) if "random_state" in estimator.get_params() else estimator


def fit_all(base, n_clusters, seeds, X, n_jobs, tell=None):
    """Clones of a clusterer, fitted to X with these numbers of clusters and seeds."""
    estimators = [prepare_clusterer(base, k, seed) for k, seed in zip(n_clusters, seeds, strict=True)]
    return list_fits((delayed(estimator.fit)(X) for estimator in estimators), n_clusters, n_jobs, tell)


def list_fits(fits, n_clusters, n_jobs, tell):
    """Models from joblib's delayed calls, one per partition, with a line for each."""
    models = []
    for model in _in_threads(fits, n_jobs):
        models.append(model)
        if tell:
            tell(f"partition {len(models)} of {len(n_clusters)}: {n_clusters[len(models) - 1]} clusters")
    return models


def _in_threads(tasks, n_jobs):
    return Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(tasks)


def label_dtype(highest):
    """int16 if it holds the labels from -1 to the highest, else int32: signed, since -1 says "not observed"."""
    return np.promote_types(np.int16, np.min_scalar_type(-1 - int(highest)))


def stack(columns):
    """One label matrix; int64 if a label is missing."""
    highest, lowest = max(column.max() for column in columns), min(column.min() for column in columns)
    dtype = np.int64 if lowest < 0 else label_dtype(highest)
    return np.column_stack([column.astype(dtype) for column in columns])


def check_max_samples(max_samples, n_samples):
    """Size of the sample of every partition, at most all objects; None if there is no sample."""
    return None if max_samples is None else min(check_integer(max_samples, name="max_samples", low=1), n_samples)


def draw_sample(X, size, rng):
    """(size, n_features) float64, C-ordered: distinct random rows in their order in X; all of them if size is None."""
    if size is not None and size != len(X):
        X = X[np.sort(sample_without_replacement(len(X), size, random_state=rng))]
    return np.asarray(X, dtype=np.float64, order="C")


def label_by_blocks(X, label, n_partitions, dtype, n_jobs, tell):
    """(n_samples, n_partitions) labels of features of any real type, which are read block by block."""
    labels = np.empty((len(X), n_partitions), dtype=dtype)

    def run(chunk):
        for rows in row_blocks(chunk.stop - chunk.start):
            rows = slice(chunk.start + rows.start, chunk.start + rows.stop)
            label(np.asarray(X[rows], dtype=np.float64, order="C"), labels[rows])
        return chunk.stop

    for done in _in_threads((delayed(run)(chunk) for chunk in row_blocks(len(X), _CHUNK)), n_jobs):
        if tell:
            tell(f"labels of {done} of {len(X)} objects")
    return labels


def nearest_centres(centres):
    """(function for :func:`label_by_blocks`, number of partitions, type of the labels): numbers of nearest centres."""
    ends = np.cumsum([0, *map(len, centres)])
    dtype = label_dtype(max(map(len, centres)) - 1)
    centres = np.concatenate(centres)
    # Centring keeps rounding errors small against the distances.
    mean = centres.mean(axis=0)
    centres = centres - mean
    half_squares = 0.5 * np.einsum("cf,cf->c", centres, centres)
    return partial(_label_nearest, mean, centres, half_squares, ends), len(ends) - 1, dtype


def _label_nearest(mean, centres, half_squares, ends, block, labels):
    """Fill labels (n_rows, m); `ends` delimit the centres of each partition."""
    for rows in row_blocks(len(block), min(BLOCK, max(1, _PRODUCTS // len(centres)))):
        excess = half_squares - (block[rows] - mean) @ centres.T
        for u, (first, last) in enumerate(pairwise(ends)):
            labels[rows, u] = excess[:, first:last].argmin(axis=1)
