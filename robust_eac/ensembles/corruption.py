"""Noise for ensembles, and features without clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import RandomState
from ..ensemble import reading
from ..features.base import label_dtype


def corrupt_ensemble(
    labels: ArrayLike, fraction: float, random_state: RandomState = None, *, kind: str = "uniform"
) -> tuple[np.ndarray, np.ndarray]:
    """Replace a fraction of the partitions by independent random ones.

    round(fraction * n_partitions) partitions, drawn without replacement, are replaced. [1]_ does not state the
    distribution of its random partitions. The kinds are

    * "uniform": labels drawn uniformly from those of the replaced partition;
    * "unequal": labels drawn with probabilities proportional to 1/c^2 for c = 1, 2, ..., which gives one large cluster
      and many small ones;
    * "shuffled": a random permutation of the labels of the replaced partition, which keeps the cluster sizes.

    Time and memory O(n_samples n_partitions). Few objects can leave some of many random clusters empty.

    Parameters
    ----------
    labels : as in :func:`~robust_eac.eac`; labels of -1, "not observed", are kept
    fraction : float
        Share of the partitions to replace, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Draws the partitions to replace, the same ones for every kind, and their labels.
    kind : str, default="uniform"
        One of the kinds above.

    Returns
    -------
    corrupted : ndarray of shape (n_samples, n_partitions)
        A new ensemble, of a signed type.
    mask : ndarray of shape (n_partitions,), bool
        The partitions that were replaced.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 4.2.

    Examples
    --------
    >>> labels = np.tile([[0], [0], [1], [1]], 10)
    >>> corrupted, mask = corrupt_ensemble(labels, 0.2, random_state=0)
    >>> int(mask.sum()), bool((corrupted[:, ~mask] == labels[:, ~mask]).all())
    (2, True)
    """
    labels = reading.ensemble(labels).labels
    fraction = check.share(fraction, name="fraction")
    check.choice(kind, KINDS, name="kind")
    rng = check.random_state(random_state)
    m = labels.shape[1]
    dtype = labels.dtype
    if dtype.kind != "i":
        dtype = label_dtype(labels.max())
    corrupted = labels.astype(dtype)
    mask = np.zeros(m, dtype=bool)
    mask[rng.permutation(m)[: round(fraction * m)]] = True
    for u in np.flatnonzero(mask):
        observed = labels[:, u] != -1
        corrupted[observed, u] = KINDS[kind](labels[observed, u], rng)
    return corrupted, mask


def gaussian_reference(X: ArrayLike, random_state: RandomState = None) -> np.ndarray:
    """Draw as many objects as `X` has from one Gaussian with the mean and the covariance of `X`.

    Consensus by resampling finds clusters even in such data ([1]_, [2]_): what it finds here is what it must exceed on
    `X`. Time O(n_samples n_features min(n_samples, n_features)), by the singular value decomposition of the centred
    data, so that there may be more features than objects.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    random_state : as in :class:`~robust_eac.RobustEAC`

    Returns
    -------
    reference : ndarray of shape (n_samples, n_features)

    References
    ----------
    .. [1] Şenbabaoğlu et al., "Critical limitations of consensus clustering in class discovery", Sci. Rep. 4, 2014.
    .. [2] John et al., "M3C: Monte Carlo reference-based consensus clustering", Scientific Reports 10, 2020.

    Examples
    --------
    >>> gaussian_reference([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]], random_state=0).shape
    (3, 2)
    """
    X = check.features(X, ensure_min_samples=2)
    rng = check.random_state(random_state)
    n = len(X)
    mean = X.mean(axis=0)
    _, lengths, axes = np.linalg.svd(X - mean, full_matrices=False)
    return mean + rng.standard_normal((n, len(lengths))) @ (lengths[:, np.newaxis] / np.sqrt(n - 1.0) * axes)


def _uniform(column, rng):
    values = np.unique(column)
    return values[rng.randint(len(values), size=len(column))]


def _unequal(column, rng):
    values = np.unique(column)
    cumulated = np.cumsum(np.arange(1.0, len(values) + 1.0) ** -2)
    return values[np.searchsorted(cumulated, rng.uniform(0.0, cumulated[-1], size=len(column)), side="right")]


def _shuffled(column, rng):
    return rng.permutation(column)


# kind -> f(labels of the objects that the replaced partition observes, rng) -> their new labels
KINDS = {"uniform": _uniform, "unequal": _unequal, "shuffled": _shuffled}
