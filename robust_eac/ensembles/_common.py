"""What the ensembles share."""

import warnings
from numbers import Integral

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning

from ..checks.values import check_integer


class Ensemble(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class: `fit` makes the ensemble `labels_`."""

    labels_: np.ndarray

    def fit_transform(self, X: ArrayLike, y: object = None) -> np.ndarray:
        """Make the ensemble and return it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
            Present for API consistency.

        Returns
        -------
        labels : ndarray of shape (n_samples, n_partitions)
            `labels_`; a data frame after ``set_output(transform="pandas")``.

        Raises
        ------
        ValueError, TypeError
            As `fit` does.
        """
        return self.fit(X, y).labels_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def check_range(n_clusters, highest, high_name):
    """Lowest and highest number of clusters."""
    if isinstance(n_clusters, Integral):
        n_clusters = n_clusters, n_clusters
    elif not isinstance(n_clusters, (tuple, list, np.ndarray)) or len(n_clusters) != 2:
        raise TypeError(f"n_clusters must be an integer or a pair (lowest, highest), got {n_clusters!r}.")
    low = check_integer(n_clusters[0], name="n_clusters", low=1, high=highest, high_name=high_name)
    name = "the upper end of n_clusters"
    return low, check_integer(n_clusters[1], name=name, low=low, high=highest, high_name=high_name)


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
    for model in in_threads(fits, n_jobs):
        models.append(model)
        if tell:
            tell(f"partition {len(models)} of {len(n_clusters)}: {n_clusters[len(models) - 1]} clusters")
    return models


def in_threads(tasks, n_jobs):
    """Generate the results of joblib's delayed calls, in their order."""
    return Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(tasks)


def stack(columns):
    """One label matrix, in the smallest unsigned type unless a label is missing."""
    highest, lowest = max(column.max() for column in columns), min(column.min() for column in columns)
    dtype = np.int64 if lowest < 0 else np.min_scalar_type(int(highest))
    return np.column_stack([column.astype(dtype) for column in columns])


def warn_unconverged(method, max_iter, tol):
    """Warn the caller of the public function that calls this."""
    warnings.warn(
        f"{method} did not converge to tol={tol:g} in max_iter={max_iter} updates.", ConvergenceWarning, stacklevel=3
    )
