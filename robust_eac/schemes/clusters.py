"""Weights of base clusters from the certainty of the ensemble."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..core.encoding import collapse, encode
from .tables import tables


def ensemble_driven_cluster_index(
    labels: ArrayLike, *, theta: float = 0.4, weights: ArrayLike | None = None
) -> list[np.ndarray]:
    r"""Score every base cluster by its agreement with the ensemble.

    Computes :math:`\text{ECI}(C) = \exp(-\sum_u w_u H_u(C) / \theta)` with :math:`H_u(C) = -\sum_c p_c \log_2 p_c`,
    with :math:`p_c` the share of the objects of C that partition u puts into its cluster c ([1]_, where
    :math:`w_u = 1/m`). ECI is 1 if no partition divides the cluster. Time O(n_samples n_partitions^2), memory
    O(n_samples n_partitions), a byte per label. Table I of [1]_ is reproduced with theta m = 5, not with the parameters
    printed there.

    Parameters
    ----------
    labels : as in :func:`~robust_eac.eac`
        H_u(C) counts the objects of C that u observes. Partitions that observe none of them are left out, and the other
        weights are normalised to sum to one.
    theta : float, default=0.4
        Greater than 0; smaller values give uncertain clusters less weight. [1]_ recommends 0.2 to 1.
    weights : as in :func:`~robust_eac.eac`

    Returns
    -------
    indices : list of n_partitions ndarrays of shape (n_clusters_u,)
        In (0, 1] (0 below the range of floating point), for each partition in the order of its sorted labels.

    References
    ----------
    .. [1] Huang, Wang, Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48(5), 2018.

    Examples
    --------
    >>> [index.round(4).tolist() for index in ensemble_driven_cluster_index(np.array([[0, 0], [0, 0], [1, 0], [1, 1]]))]
    [[1.0, 0.2865], [0.3173, 1.0]]
    """
    ensemble = check.ensemble(labels, weights=weights)
    theta = check.real(theta, name="theta", low=0.0, strict=True)
    weights = check.weights(weights, ensemble.n_partitions)
    encoding = encode(ensemble.labels)
    certainty = slot_certainty(encoding, weights, theta)
    return [certainty[own] for own in encoding.partitions.cluster_slots]


def slot_certainty(encoding, weights, theta, pairs=None):
    """(n_slots,) ECI of every base cluster of an encoding of hard partitions, or of `pairs`; 0 for "not observed"."""
    slots = encoding.partitions.cluster_slots
    entropies = np.zeros(len(encoding.partitions.sizes))
    seen = np.repeat(weights, encoding.partitions.n_codes)
    for u, v, table in tables(collapse(encoding)) if pairs is None else pairs:
        for own, other, codes, sums in (
            (slots[u], weights[v], table.rows, table.row_sums),
            (slots[v], weights[u], table.cols, table.col_sums),
        ):
            p = table.counts / sums[codes]
            entropies[own] -= other * np.bincount(codes, weights=p * np.log2(p), minlength=len(sums))
            seen[own] += np.where(sums > 0.0, other, 0.0)
    # A cluster that no partition of positive weight observes gets index 1.
    mean = np.divide(entropies, seen, out=np.zeros_like(seen), where=seen > 0.0)
    with np.errstate(over="ignore"):
        certainty = np.exp(-mean / theta)
    certainty[encoding.partitions.missing_slots] = 0.0
    return certainty


def mean_over_observed(together, encoding, weights):
    """Means over the partitions that observe both objects, at most 1, from sums; 0 where none does."""
    if len(encoding.partitions.missing_slots):
        both = (encoding.rows.observed * encoding.partitions.by_mask(weights)) @ encoding.rows.observed.T
        together = np.divide(together, both, out=np.zeros_like(both), where=both > 0.0)
    return np.minimum(together, 1.0, out=together)
