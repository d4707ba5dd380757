"""Ensembles of features in a Dask array."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.random import sample_without_replacement

from ..checks.common import RandomState
from ..checks.values import check_dask_rows, check_integer, check_random_state

if TYPE_CHECKING:
    from dask.array import Array

__all__ = ["ensemble_distributed"]


def ensemble_distributed(
    X: "Array", ensemble: BaseEstimator, *, max_samples: int = 10_000, random_state: RandomState = None
) -> "Array":
    """Make an ensemble of features in a Dask array: fit it on a sample, label chunk by chunk with its `transform`.

    For :class:`~robust_eac.KMeansEnsemble`, with any clusterer that has a `predict`,
    :class:`~robust_eac.LandmarkSpectralEnsemble` ([1]_), and other estimators with `fit`, `transform` and `labels_`.

    Parameters
    ----------
    X : dask Array of shape (n_samples, n_features)
    ensemble : estimator
        The ensemble to make; it stays unfitted, a copy is fitted. Its own `max_samples` draws from the sample.
    max_samples : int, default=10_000
        Size of the sample, drawn without replacement and gathered on the client; at most all objects.
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
    Time that of `transform` over all workers. The sample goes to the client, the fitted ensemble to every worker. A
    chunk of another shape than its array declares is found when it is read.

    References
    ----------
    .. [1] Huang et al., "Ultra-scalable spectral clustering and ensemble clustering", IEEE TKDE 32(6), 2020.

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
    n = X.shape[0]
    rows = np.sort(sample_without_replacement(n, min(max_samples, n), random_state=rng))
    fitted = clone(ensemble).fit(X[rows].compute())
    dtype, n_partitions = fitted.labels_.dtype, fitted.labels_.shape[1]
    # A `transform` that cannot label new objects says so before any chunk is read.
    fitted.transform(X[:1].compute())
    label, chunks = partial(_transform, fitted, dtype), (X.chunks[0], n_partitions)
    return X.map_blocks(label, chunks=chunks, dtype=dtype, meta=np.empty((0, 0), dtype=dtype))


def _transform(ensemble, dtype, chunk):
    """Labels of one chunk; a small one can fall short of the type that all need."""
    return np.asarray(ensemble.transform(chunk)).astype(dtype, copy=False)
