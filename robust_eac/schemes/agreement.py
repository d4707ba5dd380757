"""Weights from the agreement of each partition with the others: by mutual information, and by kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from .. import validation as check
from ..common import RandomState, warn
from ..core.formula import pair_cells
from ..ensemble import reading
from ..ensemble.encoding import collapse, encode

# Decisions use values rounded to this many decimals, so that rounding errors, and with them the names of the labels and
# the order of the objects, do not matter.
DECIMALS = 12


def equal_weights(labels: ArrayLike, *, X: ArrayLike | None = None, random_state: RandomState = None) -> np.ndarray:
    """Give all partitions equal weight, the baseline of every weighting scheme.

    Parameters
    ----------
    labels, X, random_state : as in :func:`agreement_weights`

    Returns
    -------
    weights : ndarray of shape (n_partitions,), 1 / n_partitions each

    Examples
    --------
    >>> equal_weights(np.array([[0, 0], [1, 0], [1, 1]]))
    array([0.5, 0.5])
    """
    return check.weights(None, reading.ensemble(labels).n_partitions)


def agreement_weights(labels: ArrayLike, *, X: ArrayLike | None = None, random_state: RandomState = None) -> np.ndarray:
    r"""Weight each partition by its mean agreement with the others.

    Compute :math:`w_u \propto a_u^2`, :math:`a_u = \sum_{v \ne u} \text{NMI}_{uv} / (m - 1)`: the crowd agreement index
    of weighted evidence accumulation (WEAC, [1]_), with the mutual information divided by the larger of both entropies.
    A partition unlike all others gets little weight, whether it is bad or the only good one. Time O(n_samples
    n_partitions^2), memory O(n_samples n_partitions), a byte per label.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. Two partitions are
        compared on the objects that both observe; without any, their mutual information is 0.
    X, random_state : ignored, for the common signature

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Non-negative, sum one; uniform, with a UserWarning, if no two partitions share any information.

    References
    ----------
    .. [1] Huang, Lai, Wang, "Combining multiple clusterings via crowd agreement ...", Neurocomputing 170, 2015.

    Examples
    --------
    >>> agreement_weights(np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]))
    array([0.5, 0.5, 0. ])
    """
    agreement = _mean_off_diagonal(pairwise_nmi(labels, np.maximum))
    return shares(agreement, "no two partitions share any information", power=2.0)


def encode_collapsed(labels):
    """Check and encode labels, with equal rows merged if that saves enough."""
    return collapse(encode(reading.ensemble(labels).labels))


def pairwise_nmi(labels, mean):
    """(m, m) normalised mutual information of pairs; 1 if both have one cluster, 0 if one has or nothing is shared."""
    encoding = encode_collapsed(labels)
    nmi = np.eye(encoding.partitions.n_partitions)
    for cells in pair_cells(encoding):
        counts = cells.counts
        total = cells.by_partition(cells.counts)
        n = np.maximum(total, 1.0)
        own = cells.by_own(counts)
        other = cells.by_slot(counts)
        of_own = entr(own / n[:, np.newaxis]).sum(axis=1)
        of_other = np.bincount(cells.of_slot, entr(other / n[cells.of_slot]))
        expected = own[cells.others, cells.own] * other[cells.slots] / n[cells.others]
        information = cells.by_partition(counts * np.log(counts / expected)) / n
        least = np.minimum(of_own, of_other)
        most = np.maximum(of_own, of_other)
        shared = np.clip(information / np.where(least > 0.0, mean(of_own, of_other), 1.0), 0.0, 1.0)
        similarities = np.where(least > 0.0, shared, (total > 0.0) & (most == 0.0))
        nmi[cells.u, cells.later] = nmi[cells.later, cells.u] = similarities
    return nmi


def _mean_off_diagonal(similarities):
    """Mean similarity of each partition to the others; 1 for a single partition."""
    m = len(similarities)
    if m == 1:
        return np.ones(1)
    # The row sum minus 1 would lose similarities below 1e-16.
    return (similarities - np.eye(m)).sum(axis=1) / (m - 1)


def kernel_weights(labels: ArrayLike, *, X: ArrayLike | None = None, random_state: RandomState = None) -> np.ndarray:
    r"""Weight each partition by its mean kernel similarity to the others.

    Compute :math:`w_u \propto \frac{1}{m - 1} \sum_{v \ne u} k(u, v) / \sqrt{k(u, u) k(v, v)}`,
    :math:`k(u, v) = \sum_{C \in u, D \in v} |C \cap D|^2 / (|C| |D|)`: the kernel of [1]_ on pairs of objects only.
    With all subsets, nearly all weight would go to the partitions closest to each other.

    Parameters
    ----------
    labels, X, random_state : as in :func:`agreement_weights`; unobserved objects are in no cluster

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Non-negative, sum one; uniform, with a UserWarning, if all similarities are 0.

    References
    ----------
    .. [1] Vega-Pons et al., "Weighted partition consensus via kernels", Pattern Recognition 43(8), 2010.

    Examples
    --------
    >>> kernel_weights(np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]))
    array([0.375, 0.375, 0.25 ])
    """
    similarity = _mean_off_diagonal(partition_kernel(labels))
    return shares(similarity, "all similarities between different partitions are 0")


def partition_kernel(labels):
    """(m, m) normalised kernel of all pairs of partitions, in [0, 1]; positive semidefinite."""
    encoding = encode_collapsed(labels)
    partitions = encoding.partitions
    n_clusters = encoding.partitions.n_clusters
    kernel = np.eye(len(n_clusters))
    for cells in pair_cells(encoding):
        own_sizes = partitions.sizes[partitions.offsets[cells.u] + cells.own]
        terms = cells.counts**2 / (own_sizes * partitions.sizes[cells.span][cells.slots])
        similarities = cells.by_partition(terms) / np.sqrt(n_clusters[cells.u] * n_clusters[cells.later])
        kernel[cells.u, cells.later] = kernel[cells.later, cells.u] = np.minimum(similarities, 1.0)
    return kernel


def shares(values, reason, *, power=1.0):
    """Weights proportional to a power of non-negative values. If all are zero: uniform weights and a warning."""
    if not values.any():
        warn(f"The weights are uniform: {reason}.")
        return check.weights(None, len(values))
    # Dividing by the maximum first avoids underflow of the powers of small values.
    values = (values / values.max()) ** power
    return values / values.sum()


def share_among_copies(weights, properties):
    """Weights averaged over partitions with equal rows of properties, so that duplicates get equal weights."""
    _, group = np.unique(properties.round(DECIMALS), axis=0, return_inverse=True)
    group = group.ravel()
    return (np.bincount(group, weights=weights) / np.bincount(group))[group]
