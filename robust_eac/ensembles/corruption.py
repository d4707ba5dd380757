"""Noise for ensembles."""

import numpy as np
from sklearn.utils import check_random_state

from .._validation import check_labels, check_real

__all__ = ["corrupt_ensemble"]


def corrupt_ensemble(labels, fraction, random_state=None):
    """Replace a fraction of the partitions by random ones.

    round(fraction * n_partitions) partitions, chosen without replacement, are replaced: every object that the
    partition observes gets a label drawn uniformly from as many labels as it had clusters.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe, and stays.
    fraction : float
        Share of the partitions to replace, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Draws which partitions are replaced, and the labels.

    Returns
    -------
    corrupted : ndarray of shape (n_samples, n_partitions)
        A new ensemble.
    mask : ndarray of shape (n_partitions,), bool
        Which partitions were replaced.

    Raises
    ------
    ValueError, TypeError
        If `labels` is no label matrix or `fraction` out of range.

    Notes
    -----
    Time and memory O(n_samples n_partitions). A random partition of few objects into many clusters can leave some of
    them empty.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 4.2, which
       does not say how its random partitions are drawn.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.tile([[0], [0], [1], [1]], 10)
    >>> corrupted, mask = corrupt_ensemble(labels, 0.2, random_state=0)
    >>> mask.sum()
    np.int64(2)
    >>> (corrupted[:, ~mask] == labels[:, ~mask]).all()
    np.True_
    """
    labels = check_labels(labels)
    fraction = check_real(fraction, name="fraction", low=0.0, high=1.0)
    rng = check_random_state(random_state)
    n, m = labels.shape
    corrupted = labels.copy()
    mask = np.zeros(m, dtype=bool)
    mask[rng.permutation(m)[: round(fraction * m)]] = True
    for u in np.flatnonzero(mask):
        observed = np.ones(n, dtype=bool) if labels.dtype.kind in "bu" else labels[:, u] != -1
        values = np.unique(labels[observed, u])
        corrupted[observed, u] = values[rng.randint(len(values), size=np.count_nonzero(observed))]
    return corrupted, mask
