"""Ensembles of features in a Dask array."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.random import sample_without_replacement

from ..checks.common import RandomState
from ..checks.values import check_dask_rows, check_features, check_integer, check_n_jobs, check_random_state
from .base import label_by_blocks, nearest_centres
from .kmeans import KMeansEnsemble

if TYPE_CHECKING:
    from dask.array import Array

__all__ = ["ensemble_distributed", "kmeans_ensemble_distributed"]


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
    max_samples : int, default=10_000
        Size of the sample, drawn without replacement and gathered on the client; at most all objects.
    random_state : int, RandomState instance or None, default=None
        Draws the sample, the numbers of clusters and the starts.
    n_partitions, n_clusters, n_jobs
        As in :class:`~robust_eac.KMeansEnsemble`; threads are those of the client.

    Returns
    -------
    labels : dask Array of shape (n_samples, n_partitions)
        In the smallest unsigned integer type that holds `n_clusters`, with the row chunks of `X`; lazy.

    Notes
    -----
    Time O(n_samples n_features sum_u k_u) over all workers. The sample goes to the client, the centres to every worker.
    A chunk of another shape than its array declares is found when it is read.

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
    ensemble = KMeansEnsemble(n_partitions, n_clusters, n_jobs=n_jobs, random_state=rng)
    ensemble.fit(_gather(X, max_samples, rng))
    label, n_partitions, dtype = nearest_centres([estimator.cluster_centers_ for estimator in ensemble.estimators_])
    return _label_chunks(X, partial(_label_chunk, label, n_partitions, dtype), n_partitions, dtype)


def ensemble_distributed(
    X: "Array", ensemble: BaseEstimator, *, max_samples: int = 10_000, random_state: RandomState = None
) -> "Array":
    """Make an ensemble of features in a Dask array: fit it on a sample, label chunk by chunk with its `transform`.

    For :class:`~robust_eac.KMeansEnsemble`, with any clusterer that has a `predict`,
    :class:`~robust_eac.LandmarkSpectralEnsemble` ([1]_), and other estimators with `fit`, `transform` and `labels_`.

    Parameters
    ----------
    ensemble : estimator
        The ensemble to make; it stays unfitted, a copy is fitted. Its own `max_samples` draws from the sample.
    X, max_samples
        As in :func:`~robust_eac.kmeans_ensemble_distributed`.
    random_state : int, RandomState instance or None, default=None
        Draws the sample. What the ensemble draws, its own `random_state` decides.

    Returns
    -------
    labels : dask Array of shape (n_samples, n_partitions)
        In the type of the labels of the sample, with the row chunks of `X`; lazy.

    Raises
    ------
    TypeError
        If the ensemble cannot label new objects.

    Notes
    -----
    Time that of `transform` over all workers. The sample goes to the client, the fitted ensemble to every worker.

    References
    ----------
    .. [1] Huang, Wang, Wu, Lai, Kwoh, "Ultra-scalable spectral clustering and ensemble clustering", IEEE Transactions
       on Knowledge and Data Engineering 32(6), 2020.

    Examples
    --------
    >>> import dask.array as da
    >>> from robust_eac import LandmarkSpectralEnsemble
    >>> X = da.random.default_rng(0).normal(size=(1000, 3), chunks=(400, 3))
    >>> ensemble = LandmarkSpectralEnsemble(5, (3, 6), n_landmarks=50, random_state=0)
    >>> ensemble_distributed(X, ensemble, max_samples=200, random_state=0).shape
    (1000, 5)
    """
    X = check_dask_rows(X, name="X")
    max_samples = check_integer(max_samples, name="max_samples", low=1)
    rng = check_random_state(random_state)
    if isinstance(ensemble, type) or not all(hasattr(ensemble, name) for name in ("get_params", "fit", "transform")):
        raise TypeError(f"ensemble must be an estimator with fit and transform, got {ensemble!r}.")
    fitted = clone(ensemble).fit(_gather(X, max_samples, rng))
    dtype, n_partitions = fitted.labels_.dtype, fitted.labels_.shape[1]
    # A `transform` that cannot label new objects says so before any chunk is read.
    fitted.transform(X[:1].compute())
    return _label_chunks(X, partial(_transform, fitted, dtype), n_partitions, dtype)


def _gather(X, max_samples, rng):
    """Random rows of a Dask array, in their order."""
    n = X.shape[0]
    return X[np.sort(sample_without_replacement(n, min(max_samples, n), random_state=rng))].compute()


def _label_chunks(X, label, n_partitions, dtype):
    """Dask array of what `label` makes of every chunk."""
    return X.map_blocks(label, chunks=(X.chunks[0], n_partitions), dtype=dtype, meta=np.empty((0, 0), dtype=dtype))


def _label_chunk(label, n_partitions, dtype, chunk):
    return label_by_blocks(check_features(chunk, as_is=True), label, n_partitions, dtype, None, None)


def _transform(ensemble, dtype, chunk):
    """Labels of one chunk; a small one can fall short of the type that all need."""
    return np.asarray(ensemble.transform(chunk)).astype(dtype, copy=False)
