"""Co-association matrices: n x n, for plots and for the methods that need one. The solver never does."""

import numpy as np

from ._encoding import encode, one_hot
from ._validation import check_labels, check_weights

__all__ = ["coassociation_matrix"]


def coassociation_matrix(labels, *, weights=None):
    """Share of the partitions that put two objects into one cluster.

    Computes  A_ij = sum_u alpha_u [c_u(i) = c_u(j)],  the weighted co-association of [1]_ below Eq. (6); over the
    partitions that observe both objects when some labels are missing (0 where none does).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.

    Returns
    -------
    coassociation : ndarray of shape (n_samples, n_samples)
        Symmetric, in [0, 1].

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Time O(n_samples^2 n_partitions) at worst, memory O(n_samples^2).

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 3.1.
    .. [2] Fred, Jain, "Combining multiple clusterings using evidence accumulation", IEEE PAMI 27(6), 2005.

    Examples
    --------
    >>> coassociation_matrix([[0, 0], [0, 1], [1, 1]], weights=[3, 1])
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.25],
           [0.  , 0.25, 1.  ]])
    """
    labels = check_labels(labels)
    encoding = encode(labels)
    weights = check_weights(weights, len(encoding.offsets))
    indicators = one_hot(encoding)
    together = (indicators * np.repeat(weights, encoding.n_codes)) @ indicators.T
    if len(encoding.missing_slots) == 0:
        return np.minimum(together.toarray(), 1.0)
    mask_weights = np.bincount(encoding.mask_of, weights=weights, minlength=encoding.observed.shape[1])
    both = (encoding.observed * mask_weights) @ encoding.observed.T
    return np.divide(together.toarray(), both, out=np.zeros_like(both), where=both > 0.0).clip(max=1.0)
