"""Entropy-based consensus clustering (ECC)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.types import RandomState
from .kmeans import cluster_rows
from .utilities import cross_entropies

__all__ = ["ecc"]


def ecc(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Maximise the mutual information of the consensus with the base clusterings.

    Solve  max over partitions pi  sum_u w_u I(pi; pi_u)  ([1]_), which is
    min  n sum_u w_u H(pi_u | pi) = sum_i sum_u w_u -log P_{u|C(i)}[c_u(i)]: k-means on the label codes with the
    Kullback-Leibler divergence. The same as :func:`~robust_eac.consensus.utility_consensus` with ``utility="entropy"``.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe, and its term is left
        out.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    weights : array-like of shape (n_partitions,), default=None
        w: non-negative, not all zero; normalised to sum to one. None means uniform.
    n_init : int, default=10
        Number of starts from greedy k-means++ seeds; the authors draw seeds uniformly, five times.
    max_iter : int, default=300
        Largest number of passes over the objects per start.
    n_jobs : int, default=None
        Threads over the starts. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the seeds.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        Clusters 0, 1, ... in the order of first appearance.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Time O(n_samples n_partitions n_clusters) for the first passes, less for later ones; memory O(n_samples
    n_partitions), a byte per label, and O(n_clusters) per base cluster. Warns like
    :func:`~robust_eac.consensus.utility_consensus`.

    References
    ----------
    .. [1] Liu, Zhao, Fang, Cheng, Chen, Fu, "Entropy-based consensus clustering for patient stratification",
       Bioinformatics 33, 2017.

    Examples
    --------
    >>> ecc(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    return cluster_rows(labels, n_clusters, weights, cross_entropies, n_init, max_iter, n_jobs, random_state)
