"""Weights from the agreement of each partition with the others, and mutual information of all pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_labels
from ..checks.types import RandomState
from ..checks.values import check_choice, check_real
from ..metrics.external import AVERAGES
from ..weightings.tables import encode_collapsed, shares, tables

__all__ = ["agreement_weights", "equal_weights"]

_AVERAGE = {"arithmetic": lambda a, b: 0.5 * (a + b), "geometric": lambda a, b: np.sqrt(a * b), "max": max}


def equal_weights(labels: ArrayLike, *, X: ArrayLike | None = None, random_state: RandomState = None) -> np.ndarray:
    """Give all partitions equal weight: the baseline of every weighting scheme.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    X : ignored
        Present for the common signature.
    random_state : ignored
        Present for the common signature.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        1 / n_partitions each.

    Raises
    ------
    ValueError, TypeError
        If `labels` is no label matrix.

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

    A partition unlike all others gets little weight, whether it is bad or the only good one. Copies of one bad
    partition agree with each other perfectly.

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

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

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
    agreement = mean_off_diagonal(pairwise_nmi(encode_collapsed(labels), average))
    return shares(agreement, "no two partitions share any information", power=beta)


def pairwise_nmi(encoding, average):
    """(m, m) normalised mutual information of all pairs, each over the objects that both observe.

    1 if both have a single cluster there; 0 if only one has, or if both observe no common object.
    """
    nmi = np.eye(len(encoding.offsets))
    for u, v, table in tables(encoding):
        nmi[u, v] = nmi[v, u] = _nmi(table, _AVERAGE[average])
    return nmi


def mean_off_diagonal(similarities):
    """Mean similarity of each partition to the others; 1 if there is no other."""
    m = len(similarities)
    # The row sum minus 1 would lose similarities below 1e-16.
    return np.where(np.eye(m, dtype=bool), 0.0, similarities).sum(axis=1) / (m - 1) if m > 1 else np.ones(1)


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
