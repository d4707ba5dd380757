"""Weights of base clusters from the certainty of the ensemble."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import ratio
from ..core.formula import pair_cells
from ..ensemble import reading
from ..ensemble.encoding import collapse, encode


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
    ensemble, weights = reading.weighted_ensemble(labels, weights)
    theta = check.real(theta, name="theta", low=0.0, strict=True)
    encoding = encode(ensemble.labels)
    certainty = slot_certainty(encoding, weights, theta)
    return [certainty[span] for span in encoding.partitions.cluster_slots]


def slot_certainty(encoding, weights, theta, pairs=None):
    """(n_slots,) ECI of every base cluster of an encoding of hard partitions, or of `pairs`; 0 for "not observed"."""
    slots = encoding.partitions.cluster_slots
    entropies = np.zeros(encoding.partitions.n_slots)
    seen = np.repeat(weights, encoding.partitions.n_codes)
    if pairs is None:
        pairs = pair_cells(collapse(encoding))
    for cells in pairs:
        own = slots[cells.u]
        inside = cells.by_own(cells.counts)
        terms = cells.by_own(_plogp(cells.counts / inside[cells.others, cells.own]))
        of_others = weights[cells.later, np.newaxis]
        entropies[own] = _add_in_order(entropies[own], -of_others * terms)
        seen[own] = _add_in_order(seen[own], np.where(inside > 0.0, of_others, 0.0))
        inside = cells.by_slot(cells.counts)
        terms = cells.by_slot(_plogp(cells.counts / inside[cells.slots]))
        entropies[cells.span] -= weights[cells.u] * terms
        seen[cells.span] += np.where(inside > 0.0, weights[cells.u], 0.0)
    # A cluster that no partition of positive weight observes gets index 1.
    with np.errstate(over="ignore"):
        certainty = np.exp(-ratio(entropies, seen) / theta)
    certainty[encoding.partitions.missing_slots] = 0.0
    return certainty


def _plogp(p):
    return p * np.log2(p)


def _add_in_order(values, rows):
    # By partition, one after the other: the result does not depend on how many pairs are counted at once.
    return np.add.accumulate(np.vstack([values, rows]))[-1]


def mean_over_observed(together, encoding, weights):
    """Means over the partitions that observe both objects, at most 1, from sums; 0 where none does."""
    if len(encoding.partitions.missing_slots):
        both = (encoding.rows.observed * encoding.partitions.by_mask(weights)) @ encoding.rows.observed.T
        together = ratio(together, both)
    return np.minimum(together, 1.0, out=together)
