"""Data without clusters, to set beside data that may have some."""

import numpy as np
from numpy.typing import ArrayLike

from ..checks.common import RandomState
from ..checks.values import check_features, check_random_state

__all__ = ["gaussian_reference"]


def gaussian_reference(X: ArrayLike, random_state: RandomState = None) -> np.ndarray:
    """Draw as many objects as `X` has from one Gaussian with the mean and the covariance of `X`.

    Consensus by resampling finds clusters even in such data ([1]_, [2]_): what it finds here is what it must exceed on
    `X`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    reference : ndarray of shape (n_samples, n_features)

    Notes
    -----
    Time O(n_samples n_features min(n_samples, n_features)), by the singular value decomposition of the centred data, so
    that there may be more features than objects.

    References
    ----------
    .. [1] Şenbabaoğlu et al., "Critical limitations of consensus clustering in class discovery", Scientific Reports 4,
       2014.
    .. [2] John et al., "M3C: Monte Carlo reference-based consensus clustering", Scientific Reports 10, 2020.

    Examples
    --------
    >>> from robust_eac import load_dataset
    >>> from robust_eac.ensembles import gaussian_reference
    >>> X, y = load_dataset("iris")
    >>> gaussian_reference(X, random_state=0).shape
    (150, 4)
    """
    X = check_features(X, ensure_min_samples=2)
    rng = check_random_state(random_state)
    n = len(X)
    mean = X.mean(axis=0)
    _, lengths, axes = np.linalg.svd(X - mean, full_matrices=False)
    return mean + rng.standard_normal((n, len(lengths))) @ (lengths[:, np.newaxis] / np.sqrt(n - 1.0) * axes)
