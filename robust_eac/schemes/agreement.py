"""Weights from the agreement of each partition with the others: by mutual information, and by kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from .. import validation as check
from ..common import RandomState
from .tables import encode_collapsed, shares, tables


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
    return check.weights(None, check.ensemble(labels).n_partitions)


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
    agreement = _mean_off_diagonal(pairwise_nmi(labels, max))
    return shares(agreement, "no two partitions share any information", power=2.0)


def pairwise_nmi(labels, mean):
    """(m, m) normalised mutual information of pairs; 1 if both have one cluster, 0 if one has or nothing is shared."""
    encoding = encode_collapsed(labels)
    nmi = np.eye(len(encoding.partitions.offsets))
    for u, v, table in tables(encoding):
        nmi[u, v] = nmi[v, u] = _nmi(table, mean)
    return nmi


def _nmi(table, mean):
    if table.total == 0.0:
        return 0.0
    entropies = _entropy(table.row_sums / table.total), _entropy(table.col_sums / table.total)
    if min(entropies) == 0.0:
        return float(max(entropies) == 0.0)
    expected = table.row_sums[table.rows] * table.col_sums[table.cols] / table.total
    information = table.counts @ np.log(table.counts / expected) / table.total
    return min(max(information / mean(*entropies), 0.0), 1.0)


def _entropy(shares):
    positive = shares[shares > 0.0]
    return 0.0 if len(positive) == 1 else -float(positive @ np.log(positive))


def _mean_off_diagonal(similarities):
    """Mean similarity of each partition to the others; 1 for a single partition."""
    m = len(similarities)
    # The row sum minus 1 would lose similarities below 1e-16.
    return np.where(np.eye(m, dtype=bool), 0.0, similarities).sum(axis=1) / (m - 1) if m > 1 else np.ones(1)


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
    sizes = encoding.partitions.sizes
    offsets = encoding.partitions.offsets
    m = len(offsets)
    log_sizes = [np.log(own[own > 0.0]) for own in np.split(sizes, offsets[1:])]
    logs = np.full((m, m), -np.inf)
    for u, own in enumerate(log_sizes):
        logs[u, u] = logsumexp(2.0 * np.log(np.exp(own)) - 2.0 * own)
    for u, v, table in tables(encoding):
        if len(table.counts):
            terms = 2.0 * np.log(table.counts) - log_sizes[u][table.rows] - log_sizes[v][table.cols]
            logs[u, v] = logs[v, u] = logsumexp(terms)
    half = 0.5 * np.diag(logs)
    kernel = np.exp(np.minimum(logs - (half[:, np.newaxis] + half), 0.0))
    np.fill_diagonal(kernel, 1.0)
    return kernel
