"""Cluster-based similarity partitioning (CSPA): balanced graph partitioning of the co-association."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ..checks.blocks import row_blocks
from ..checks.types import RandomState
from ..checks.values import check_real
from ..solve.encoding import one_hot, take_rows
from ._common import check_memory, check_starts, prepare_rows, relabel
from ._metis import BYTES_PER_EDGE, load_metis, partition_graph, pieces, trivial

__all__ = ["cspa"]


def cspa(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    imbalance: float = 0.05,
    n_init: int = 10,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the co-association graph into clusters of nearly equal size.

    Solve  min over partitions  sum_{i, j apart} A_ij  s.t.  n_clusters |C| <= (1 + imbalance) n_samples  for every
    cluster C ([1]_, Section 3.2), with A the weighted co-association. METIS ([2]_) searches by multilevel recursive
    bisection: it finds a local optimum, and sizes may exceed the bound by an object or so.

    The clusters are balanced in any case, so this suits only clusters of similar size. The exception: if at most
    `n_clusters` objects are distinct, each of them is a cluster.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. A_ij is taken over
        the partitions that observe both objects, and 0 where none does.
    n_clusters : int
        Number of clusters; fewer are returned if fewer objects are distinct, and if METIS leaves clusters empty, which
        can happen if there are almost as many clusters as objects.
    weights : array-like of shape (n_partitions,), default=None
        Weights of the partitions in A: non-negative, not all zero; normalised to sum to one. None means uniform.
    imbalance : float, default=0.05
        In [0, 1]: share by which a cluster may exceed n_samples / n_clusters.
    n_init : int, default=10
        Number of tries of METIS at each bisection; the smallest cut is kept.
    random_state : int, RandomState instance or None, default=None
        Draws the seed of METIS.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        Clusters 0, 1, ... in the order of first appearance.

    Raises
    ------
    ImportError
        If pymetis is not installed.
    ValueError, TypeError
        If an argument is malformed or out of range, or the graph needs more memory than the machine has.

    Notes
    -----
    With p vertices, time O(p^2 n_partitions) at worst and memory O(p^2 + n_samples n_partitions), about 40 bytes per
    pair that shares a cluster. Identical objects are one vertex whose weight is their number, or several vertices if
    they are more than `imbalance` of a cluster. So p is at most the number of distinct objects plus about n_clusters /
    imbalance, and at most n_samples. For balance, identical objects may be separated, as in [1]_.

    Edge weights are rounded to multiples of 2^-30 of the largest, or coarser if their sum would exceed the integers of
    METIS. [1]_ allows METIS hardly any imbalance and a single try.

    References
    ----------
    .. [1] Strehl, Ghosh, "Cluster ensembles - a knowledge reuse framework for combining multiple partitions", JMLR 3,
       2002.
    .. [2] Karypis, Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM Journal
       on Scientific Computing 20, 1998.

    Examples
    --------
    >>> cspa(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0], [1, 1, 1]]), 2, random_state=0)
    array([0, 0, 0, 1, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    imbalance = check_real(imbalance, name="imbalance", low=0.0, high=1.0)
    n_init, rng = check_starts(n_init, random_state)
    load_metis()
    clusters = trivial(encoding, n_clusters)
    if clusters is not None:
        return relabel(encoding.expand(clusters))
    rows, sizes, piece = pieces(encoding, n_clusters, imbalance)
    edges = coassociation_graph(take_rows(encoding, rows), weights, sizes)
    parts = partition_graph(edges, sizes, n_clusters, imbalance=imbalance, n_init=n_init, rng=rng)
    return relabel(parts[piece])


def coassociation_graph(encoding, weights, sizes):
    """Sparse csr matrix of  sizes_i sizes_j A_ij  over the rows; its diagonal is meaningless."""
    indicators = one_hot(encoding)
    p = len(sizes)
    pairs = min(p * p, int((np.bincount(indicators.indices).astype(np.float64) ** 2).sum()))
    check_memory(BYTES_PER_EDGE * pairs, f"cspa: the co-association graph of {p} distinct objects")
    indicators = (sparse.diags_array(sizes.astype(np.float64)) @ indicators).tocsr()
    edges = (indicators @ sparse.diags_array(np.repeat(weights, encoding.n_codes)) @ indicators.T).tocsr()
    if len(encoding.missing_slots):
        shares = encoding.by_mask(weights)
        for rows in row_blocks(p):
            both = (encoding.observed[rows] * shares) @ encoding.observed.T
            ends = edges.indptr[rows.start : rows.stop + 1]
            block = slice(ends[0], ends[-1])
            edges.data[block] /= both[np.repeat(np.arange(len(both)), np.diff(ends)), edges.indices[block]]
    return edges
