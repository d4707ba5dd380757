"""What the ensembles share."""

from numbers import Integral

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from ..checks.values import check_integer


def check_range(n_clusters, highest, high_name):
    """Lowest and highest number of clusters."""
    low, high = (n_clusters, n_clusters) if isinstance(n_clusters, Integral) else _pair(n_clusters)
    low = check_integer(low, name="n_clusters", low=1, high=highest, high_name=high_name)
    return low, check_integer(high, name="the upper end of n_clusters", low=low, high=highest, high_name=high_name)


def _pair(n_clusters):
    if not isinstance(n_clusters, (tuple, list, np.ndarray)) or len(n_clusters) != 2:
        raise TypeError(f"n_clusters must be an integer or a pair (lowest, highest), got {n_clusters!r}.")
    return n_clusters


def prepare_clusterer(base, n_clusters, seed):
    """Clone of a clusterer with its number of clusters and seed."""
    estimator = clone(base).set_params(n_clusters=int(n_clusters))
    return estimator.set_params(random_state=int(seed)) if "random_state" in estimator.get_params() else estimator


def fit_all(estimators, X, n_jobs):
    return list(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(estimator.fit)(X) for estimator in estimators))


def stack(columns):
    """One label matrix, in the smallest unsigned type when nothing is missing."""
    highest, lowest = max(column.max() for column in columns), min(column.min() for column in columns)
    dtype = np.int64 if lowest < 0 else np.min_scalar_type(int(highest))
    return np.column_stack([column.astype(dtype) for column in columns])
