"""Ensembles from features in a Dask array."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, clone

from .. import validation as check
from ..common import RandomState
from ..features.base import check_labels, draw_indices

if TYPE_CHECKING:
    from dask.array import Array


def ensemble_distributed(
    X: "Array", ensemble: BaseEstimator, *, max_samples: int = 10_000, random_state: RandomState = None
) -> "Array":
    """Make an ensemble from features in a Dask array: fit it to a sample, and label the chunks by its `transform`.

    For :class:`~robust_eac.ClustererEnsemble` with any clusterer that has a `predict`, and other estimators with `fit`,
    `transform` and `labels_`. As in CLARA ([1]_), a sample is clustered, and all objects are labelled by it; CLARA
    keeps the best of several samples, while here there is one. Takes the time of `transform`, spread over all workers.
    The sample goes to the client, the fitted ensemble to every worker. A chunk of a shape that differs from the
    declared one raises an error when it is read.

    Parameters
    ----------
    X : dask Array of shape (n_samples, n_features)
    ensemble : estimator
        The ensemble to make. A copy is fitted; its own `max_samples` draws from the sample.
    max_samples : int, default=10_000
        Size of the sample, drawn without replacement and gathered on the client; at most all objects.
    random_state : int, RandomState instance or None, default=None
        Draws the sample. The ensemble has its own `random_state`.

    Returns
    -------
    labels : dask Array of shape (n_samples, n_partitions)
        Lazy, with the row chunks of `X` and the type of the labels of the sample.

    Raises
    ------
    TypeError
        If the ensemble cannot label new objects, or has no matrix of labels.

    References
    ----------
    .. [1] Kaufman, Rousseeuw, "Clustering large applications (program CLARA)", in "Finding groups in data", 1990.

    Examples
    --------
    >>> import dask.array as da
    >>> from robust_eac import KMeansEnsemble
    >>> X = da.random.default_rng(0).normal(size=(1000, 3), chunks=(400, 3))
    >>> ensemble = KMeansEnsemble(5, (3, 6), random_state=0)
    >>> ensemble_distributed(X, ensemble, max_samples=200, random_state=0).shape
    (1000, 5)
    """
    from ..ensemble.chunks import dask_rows

    X = dask_rows(X, name="X")
    max_samples = check.positive(max_samples, name="max_samples")
    rng = check.random_state(random_state)
    if isinstance(ensemble, type) or not all(hasattr(ensemble, name) for name in ("get_params", "fit", "transform")):
        raise TypeError(f"ensemble must be an estimator with fit and transform, got {ensemble!r}.")
    n = X.shape[0]
    rows = draw_indices(n, min(max_samples, n), rng)
    fitted = clone(ensemble).fit(X[rows].compute())
    if np.ndim(getattr(fitted, "labels_", 0)) != 2:
        raise TypeError(f"ensemble must have a matrix labels_ after fit, got {type(ensemble).__name__}.")
    dtype = fitted.labels_.dtype
    n_partitions = fitted.labels_.shape[1]
    label = partial(_transform, fitted, dtype)
    # A `transform` that cannot label new objects raises here, before any chunk is read.
    label(X[:1].compute())
    chunks = X.chunks[0], n_partitions
    return X.map_blocks(label, chunks=chunks, dtype=dtype, meta=np.empty((0, 0), dtype=dtype))


def _transform(ensemble, dtype, chunk):
    """Labels of one chunk in the common type; those of a small chunk may come in a smaller type."""
    columns = np.asarray(ensemble.transform(chunk)).T
    checked = [check_labels(column, len(chunk), "each column that transform of ensemble returns") for column in columns]
    return np.column_stack(checked).astype(dtype, copy=False)
