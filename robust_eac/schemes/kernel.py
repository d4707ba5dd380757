"""Kernels between partitions: sums over the overlaps of their clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from ..checks.types import RandomState
from ..checks.values import check_choice, check_real
from ..weightings.tables import encode_collapsed, shares, tables
from .agreement import mean_off_diagonal

__all__ = ["kernel_weights", "partition_kernel"]

_LOG_2 = np.log(2.0)
# log of the sum over an overlap of o objects, before the division by both cluster sizes.
OVERLAPS = {
    "subsets": lambda o: np.log(o) + np.log1p(o) + (o - 2.0) * _LOG_2,
    "pairs": lambda o: 2.0 * np.log(o),
}


def partition_kernel(labels: ArrayLike, *, overlap: str = "subsets") -> np.ndarray:
    """Positive semidefinite similarity of all pairs of partitions, 1 for equal ones.

    Computes  k(u, v) / sqrt(k(u, u) k(v, v))  with  k(u, v) = sum_S mu(S|u) mu(S|v)  over all sets S of objects, where
    mu(S|u) = |S| / |C| if S lies in one cluster C of partition u and 0 otherwise ([1]_). With o the number of objects
    that two clusters share, the sum over the subsets of an overlap has a closed form:

        k(u, v) = sum_{C in u, D in v} o (o + 1) 2^(o - 2) / (|C| |D|),

    evaluated with logarithms. The powers of two make the kernel very sharp: the largest overlap dominates k, and
    partitions that differ on many objects have a similarity of nearly 0 (0 below the range of floating point). With
    ``overlap="pairs"`` the sum is over ordered pairs (i, j), equal ones included, and mu is 1 / |C|: o^2 / (|C| |D|),
    the inner product of the projections on the clusters' indicators. It remains informative for many objects.

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

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Time O(n_samples n_partitions^2), memory O(n_samples n_partitions), a byte per label.

    References
    ----------
    .. [1] Vega-Pons, Correa-Morris, Ruiz-Shulcloper, "Weighted partition consensus via kernels", Pattern Recognition
       43(8), 2010.

    Examples
    --------
    >>> labels = np.array([[0, 0], [0, 0], [1, 0], [1, 1]])
    >>> partition_kernel(labels, overlap="pairs").round(4)
    array([[1.    , 0.6667],
           [0.6667, 1.    ]])
    >>> partition_kernel(labels).round(4)
    array([[1.    , 0.5025],
           [0.5025, 1.    ]])
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
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: it is in no cluster.
    X : ignored
        Present for the common signature.
    overlap : {"subsets", "pairs"}, default="pairs"
        The kernel. "subsets" is the kernel of [1]_. It is so sharp that with more than a few tens of objects, nearly
        all weight goes to the partitions that are closest to each other.
    power : float, default=1.0
        Strength, at least 0.
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
        If all similarities are 0 in floating point; the weights are then uniform.

    Notes
    -----
    Cost as :func:`partition_kernel`. [1]_ takes weights from validity indices (see :func:`~robust_eac.schemes.wpck_weights`)
    and uses the kernel only for the consensus.

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
    similarity = mean_off_diagonal(partition_kernel(labels, overlap=overlap))
    return shares(similarity, "all similarities between different partitions are 0", power=power)
