"""Ensembles of features in a Dask array."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.random import sample_without_replacement

from ..checks.blocks import row_blocks
from ..checks.types import RandomState
from ..checks.values import check_dask_rows, check_features, check_integer, check_n_jobs, check_random_state
from .kmeans import KMeansEnsemble

if TYPE_CHECKING:
    from dask.array import Array

__all__ = ["kmeans_ensemble_distributed"]


def kmeans_ensemble_distributed(
    X: "Array",
    n_partitions: int = 150,
    n_clusters: int | tuple[int, int] = (3, 20),
    *,
    max_samples: int = 10_000,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> "Array":
    """Make a k-means ensemble of features in a Dask array: fit on a sample, predict chunk by chunk.

    Partition u assigns every object to the nearest of k_u centres. k-means finds them on a sample of the objects from a
    single random start (:class:`~robust_eac.KMeansEnsemble`, the "k-means ensemble" of [1]_).

    Parameters
    ----------
    X : dask Array of shape (n_samples, n_features)
    n_partitions : int, default=150
        Number of clusterings m.
    n_clusters : int or (int, int), default=(3, 20)
        Number of clusters, or the range it is drawn from, both ends included.
    max_samples : int, default=10_000
        Size of the sample, drawn without replacement and gathered on the client; at most all objects.
    n_jobs : int, default=None
        Threads over the partitions, on the client. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the sample, the numbers of clusters and the starts.

    Returns
    -------
    labels : dask Array of shape (n_samples, n_partitions)
        In the smallest unsigned integer type that holds `n_clusters`, with the row chunks of `X`; lazy.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or the features of the sample are not finite. A chunk of another
        shape than its array declares is found when it is read.

    Notes
    -----
    Time O(n_samples n_features sum_u k_u) over all workers. The sample goes to the client, the centres to every worker.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013, Section 4.

    Examples
    --------
    >>> import dask.array as da
    >>> X = da.random.default_rng(0).normal(size=(1000, 3), chunks=(400, 3))
    >>> labels = kmeans_ensemble_distributed(X, 5, (3, 6), max_samples=200, random_state=0)
    >>> labels.shape, labels.chunks[0], labels.dtype
    ((1000, 5), (400, 400, 200), dtype('uint8'))
    """
    X = check_dask_rows(X, name="X")
    max_samples = check_integer(max_samples, name="max_samples", low=1)
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)
    n = X.shape[0]
    rows = np.sort(sample_without_replacement(n, min(max_samples, n), random_state=rng))
    ensemble = KMeansEnsemble(n_partitions, n_clusters, n_jobs=n_jobs, random_state=rng).fit(X[rows].compute())
    centres = [estimator.cluster_centers_ for estimator in ensemble.estimators_]
    dtype = np.min_scalar_type(max(map(len, centres)) - 1)
    ends = np.cumsum([0, *map(len, centres)])
    result = {"chunks": (X.chunks[0], len(centres)), "dtype": dtype, "meta": np.empty((0, 0), dtype=dtype)}
    return X.map_blocks(_nearest_centres, np.concatenate(centres), ends, dtype, **result)


def _nearest_centres(features, centres, ends, dtype):
    """(n_rows, m) number of the nearest centre in every partition; `ends` delimit the centres of each."""
    # Centring keeps rounding errors small against the distances.
    mean = centres.mean(axis=0)
    centres = centres - mean
    half_squares = 0.5 * np.einsum("cf,cf->c", centres, centres)
    labels = np.empty((len(features), len(ends) - 1), dtype=dtype)
    for rows in row_blocks(len(features)):
        block = check_features(features[rows]) - mean
        excess = half_squares - block @ centres.T
        for u, (first, last) in enumerate(pairwise(ends)):
            labels[rows, u] = excess[:, first:last].argmin(axis=1)
    return labels
