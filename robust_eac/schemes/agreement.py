"""Weights from the agreement of each partition with the others: by mutual information, and by kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from ..checks.common import RandomState
from ..checks.labels import check_labels
from ..checks.values import check_choice, check_real
from ..metrics.external import AVERAGES
from .tables import encode_collapsed, shares, tables

__all__ = ["agreement_weights", "equal_weights", "kernel_weights", "partition_kernel"]

_AVERAGE = {"arithmetic": lambda a, b: 0.5 * (a + b), "geometric": lambda a, b: np.sqrt(a * b), "max": max}
_LOG_2 = np.log(2.0)
# log of the sum over an overlap of o objects, before the division by both cluster sizes.
OVERLAPS = {"subsets": lambda o: np.log(o) + np.log1p(o) + (o - 2.0) * _LOG_2, "pairs": lambda o: 2.0 * np.log(o)}


def equal_weights(labels: ArrayLike, *, X: ArrayLike | None = None, random_state: RandomState = None) -> np.ndarray:
    """Give all partitions equal weight: the baseline of every weighting scheme.

    Parameters
    ----------
    labels, X, random_state
        As in :func:`agreement_weights`.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        1 / n_partitions each.

    Examples
    --------
    >>> equal_weights(np.array([[0, 0], [1, 0], [1, 1]]))
    array([0.5, 0.5])
    """
    m = check_labels(labels).shape[1]
    return np.full(m, 1.0 / m)


def agreement_weights(
    labels: ArrayLike,
    *,
    X: ArrayLike | None = None,
    beta: float = 2.0,
    average: str = "max",
    random_state: RandomState = None,
) -> np.ndarray:
    """Weight each partition by its mean agreement with the others.

    Compute  w_u proportional to (CAI_u / max_v CAI_v)^beta,  CAI_u = 1/(m-1) sum_{v != u} NMI(pi_u, pi_v): the crowd
    agreement index of weighted evidence accumulation (WEAC, [1]_).

    A partition unlike all others gets little weight, whether it is bad or the only good one.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. Two partitions are
        compared on the objects that both observe; if there are none, their mutual information is 0.
    X : ignored
        Present for the common signature.
    beta : float, default=2.0
        Strength, at least 0: 0 gives uniform weights; with large values, the partition of largest agreement gets all
        weight.
    average : {"arithmetic", "geometric", "max"}, default="max"
        The average of the entropies that divides the mutual information; [1]_ takes the maximum.
    random_state : ignored
        Present for the common signature.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Non-negative, sum one.

    Warns
    -----
    UserWarning
        If no two partitions share any information; the weights are then uniform.

    Notes
    -----
    Time O(n_samples n_partitions^2), memory O(n_samples n_partitions), a byte per label.

    References
    ----------
    .. [1] Huang, Lai, Wang, "Combining multiple clusterings via crowd agreement estimation and multi-granularity link
       analysis", Neurocomputing 170, 2015.

    Examples
    --------
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> agreement_weights(labels)
    array([0.5, 0.5, 0. ])
    """
    beta = check_real(beta, name="beta", low=0.0)
    check_choice(average, AVERAGES, name="average")
    agreement = _mean_off_diagonal(pairwise_nmi(encode_collapsed(labels), average))
    return shares(agreement, "no two partitions share any information", power=beta)


def pairwise_nmi(encoding, average):
    """(m, m) normalised mutual information of all pairs, each over the objects that both observe.

    1 if both have a single cluster there; 0 if only one has, or if both observe no common object.
    """
    nmi = np.eye(len(encoding.offsets))
    for u, v, table in tables(encoding):
        nmi[u, v] = nmi[v, u] = _nmi(table, _AVERAGE[average])
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
    """Mean similarity of each partition to the others; 1 if there is no other."""
    m = len(similarities)
    # The row sum minus 1 would lose similarities below 1e-16.
    return np.where(np.eye(m, dtype=bool), 0.0, similarities).sum(axis=1) / (m - 1) if m > 1 else np.ones(1)


def partition_kernel(labels: ArrayLike, *, overlap: str = "subsets") -> np.ndarray:
    """Positive semidefinite similarity of all pairs of partitions, 1 for equal ones.

    Computes  k(u, v) / sqrt(k(u, u) k(v, v))  with  k(u, v) = sum_S mu(S|u) mu(S|v)  over all sets S of objects, where
    mu(S|u) = |S| / |C| if S lies in one cluster C of partition u and 0 otherwise ([1]_). With o the number of objects
    that two clusters share, the sum over the subsets of an overlap has a closed form:

        k(u, v) = sum_{C in u, D in v} o (o + 1) 2^(o - 2) / (|C| |D|),

    evaluated with logarithms. The powers of two make it very sharp: partitions that differ on many objects have a
    similarity of nearly 0. With ``overlap="pairs"`` the sum is over ordered pairs (i, j), equal ones included, and mu
    is 1 / |C|: o^2 / (|C| |D|), which remains informative for many objects.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: it is in no cluster.
    overlap : {"subsets", "pairs"}, default="subsets"
        Sum over subsets or pairs of objects, as above.

    Returns
    -------
    kernel : ndarray of shape (n_partitions, n_partitions)
        Symmetric, in [0, 1], diagonal 1.

    References
    ----------
    .. [1] Vega-Pons, Correa-Morris, Ruiz-Shulcloper, "Weighted partition consensus via kernels", Pattern Recognition
       43(8), 2010.

    Examples
    --------
    >>> labels = np.array([[0, 0], [0, 0], [1, 0], [1, 1]])
    >>> [round(float(partition_kernel(labels, overlap=overlap)[0, 1]), 4) for overlap in ("pairs", "subsets")]
    [0.6667, 0.5025]
    """
    log_overlap = OVERLAPS[check_choice(overlap, OVERLAPS, name="overlap")]
    encoding = encode_collapsed(labels)
    m = len(encoding.offsets)
    log_sizes = [np.log(sizes[sizes > 0.0]) for sizes in np.split(encoding.sizes, encoding.offsets[1:])]
    logs = np.full((m, m), -np.inf)
    for u, own in enumerate(log_sizes):
        logs[u, u] = logsumexp(log_overlap(np.exp(own)) - 2.0 * own)
    for u, v, table in tables(encoding):
        if len(table.counts):
            terms = log_overlap(table.counts) - log_sizes[u][table.rows] - log_sizes[v][table.cols]
            logs[u, v] = logs[v, u] = logsumexp(terms)
    half = 0.5 * np.diag(logs)
    kernel = np.exp(np.minimum(logs - (half[:, np.newaxis] + half), 0.0))
    np.fill_diagonal(kernel, 1.0)
    return kernel


def kernel_weights(
    labels: ArrayLike,
    *,
    X: ArrayLike | None = None,
    overlap: str = "pairs",
    power: float = 1.0,
    random_state: RandomState = None,
) -> np.ndarray:
    """Weight each partition by its mean kernel similarity to the others.

    Compute  w_u proportional to (1/(m-1) sum_{v != u} k(u, v))^power  with k from :func:`partition_kernel`: the inner
    product of partition u with the mean of the ensemble in the kernel's feature space, without its own term.

    Parameters
    ----------
    overlap : {"subsets", "pairs"}, default="pairs"
        The kernel. "subsets" is that of [1]_, which uses it only for the consensus: with more than a few tens of
        objects, nearly all weight goes to the partitions that are closest to each other.
    power : float, default=1.0
        Strength, at least 0.
    labels, X, random_state
        As in :func:`partition_kernel` and :func:`agreement_weights`.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Non-negative, sum one.

    Warns
    -----
    UserWarning
        If all similarities are 0 in floating point; the weights are then uniform.

    References
    ----------
    .. [1] Vega-Pons, Correa-Morris, Ruiz-Shulcloper, "Weighted partition consensus via kernels", Pattern Recognition
       43(8), 2010.

    Examples
    --------
    >>> kernel_weights(np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]))
    array([0.375, 0.375, 0.25 ])
    """
    power = check_real(power, name="power", low=0.0)
    similarity = _mean_off_diagonal(partition_kernel(labels, overlap=overlap))
    return shares(similarity, "all similarities between different partitions are 0", power=power)
