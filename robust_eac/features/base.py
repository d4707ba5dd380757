"""The base class of the ensembles; fits in threads, samples of objects, and labels by blocks of objects."""

from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Self

import numpy as np
import sklearn
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.random import sample_without_replacement

from .. import validation as check
from ..common import BLOCK, row_blocks
from ..core.threads import LOG, prefer_threads, progress
from ..ensemble import reading

# Rows that a thread labels at a time.
_CHUNK = 2**16
# Products with centres per block, 4 MiB, which stay in the cache of a core.
_PRODUCTS = 2**19


class EnsembleTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class: `_make` sets `labels_`, `n_clusters_` and further attributes of the subclass."""

    labels_: np.ndarray
    verbose = 0

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Make the ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : EnsembleTransformer
        """
        with progress(self.verbose):
            self._make(X)
        self._n_features_out = self.labels_.shape[1]
        return self

    def fit_transform(self, X: ArrayLike, y: object = None) -> np.ndarray:
        """Make the ensemble and return it.

        Parameters
        ----------
        X, y : as in :meth:`fit`

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


def last_step(estimator):
    """The clusterer of a Pipeline, its last step; any other estimator itself."""
    return last_step(estimator.steps[-1][1]) if isinstance(estimator, sklearn.pipeline.Pipeline) else estimator


def prepare_clusterer(base, n_clusters, seed):
    """Clone of a clusterer with its number of clusters and its seed, if it takes them."""
    estimator = clone(base)
    clusterer = last_step(estimator)
    given = {"n_clusters": n_clusters, "random_state": seed}
    clusterer.set_params(**{name: int(given[name]) for name in given.keys() & clusterer.get_params().keys()})
    return estimator


def check_labels(labels, n_samples, name, *, of_function=False):
    """(n_samples,) integer labels that a clusterer found (of a function, any labels); -1 where it leaves one out."""
    labels, names = reading.label_column(labels, name)
    if labels.shape != (n_samples,):
        raise ValueError(f"{name} must have shape ({n_samples},), one label per object, got {labels.shape}.")
    if not of_function and (names or labels.min() < -1):
        raise ValueError(f"{name} must be integers of at least -1, got {names[-1] if names else labels.min()}.")
    return labels


def fit_all(base, n_clusters, seeds, X, n_jobs):
    """Clones of a clusterer, fitted to X with these numbers of clusters and seeds."""
    draws = zip(n_clusters, seeds, strict=True)
    return list_fits((delayed(prepare_clusterer(base, *draw).fit)(X) for draw in draws), n_clusters, n_jobs)


def list_fits(fits, n_clusters, n_jobs):
    """Results of joblib's delayed calls, one per partition, with a line of progress for each."""
    models = []
    for k, model in zip(n_clusters, prefer_threads(n_jobs)(fits), strict=True):
        models.append(model)
        done = f"partition {len(models)} of {len(n_clusters)}"
        if k is not None:
            done += f": {k} clusters"
        LOG.info(done)
    return models


def label_dtype(highest):
    """int16 if it can represent the labels from -1 ("not observed") to the highest, otherwise int32."""
    return np.promote_types(np.int16, np.min_scalar_type(-1 - int(highest)))


def stack(columns):
    dtype = label_dtype(max(column.max() for column in columns))
    return np.column_stack([column.astype(dtype) for column in columns])


def check_share(value, total, *, name):
    """Number of objects or features from a count or a share in (0, 1] of their total; None means all."""
    if value is None:
        return total
    if isinstance(value, Integral):
        return min(check.positive(value, name=name), total)
    return max(1, int(total * check.share(value, name=f"a share {name}", strict=True)))


def draw_indices(total, size, rng):
    """(size,) distinct random indices below `total`, ascending."""
    return np.arange(total) if size == total else np.sort(sample_without_replacement(total, size, random_state=rng))


def label_by_blocks(X, label, n_partitions, dtype, n_jobs):
    """(n_samples, n_partitions) labels of features of any real type, which are read in blocks."""
    labels = np.empty((len(X), n_partitions), dtype=dtype)

    def run(chunk):
        for rows in row_blocks(chunk.stop - chunk.start):
            rows = slice(chunk.start + rows.start, chunk.start + rows.stop)
            label(np.asarray(X[rows], dtype=np.float64, order="C"), labels[rows])
        return chunk.stop

    # Threads, since processes could not write into these labels.
    parallel = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
    for done in parallel(delayed(run)(chunk) for chunk in row_blocks(len(X), _CHUNK)):
        LOG.info("labels of %d of %d objects", done, len(X))
    return labels


def nearest_centres(centres):
    """Arguments `label`, `n_partitions` and `dtype` of :func:`label_by_blocks` that label by the nearest centres."""
    ends = np.cumsum([0, *map(len, centres)])
    dtype = label_dtype(max(map(len, centres)) - 1)
    centres = np.concatenate(centres)
    # Centring keeps rounding errors small relative to the distances.
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
