"""Meta-clustering (MCLA): the clusters of all partitions are grouped, and objects follow their clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ..checks.types import RandomState
from ..checks.values import check_choice, check_real
from ..solve.encoding import one_hot
from ._common import check_memory, check_starts, prepare_rows, relabel
from ._metis import BYTES_PER_EDGE, load_metis, partition_graph, trivial, whole_numbers

__all__ = ["mcla"]

BALANCES = ("size", "count")
# Equal means that are summed in different orders differ by less.
TIE = 1e-12


def mcla(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    balance: str = "size",
    imbalance: float = 0.05,
    n_init: int = 10,
    random_state: RandomState = None,
) -> np.ndarray:
    """Group the clusters of all partitions, and assign every object to the group with most of its clusters.

    Solve  min over groupings of the clusters  sum_{a, b apart} w_u(a) w_u(b) J_ab  into `n_clusters` meta-clusters M
    of nearly equal weight, with J_ab = |a and b| / |a or b| the Jaccard index of two clusters ([1]_, Section 3.4);
    METIS ([2]_) searches by multilevel recursive bisection. Object i then goes to the meta-cluster of its largest
    association,

        max over M  sum_{a in M} w_u(a) [i in a] / sum_{a in M} w_u(a),

    and to a random one of equals (the same for identical objects).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: it is then in none of
        its clusters.
    n_clusters : int
        Number of meta-clusters; fewer clusters are returned if a meta-cluster wins no object, or if fewer objects are
        distinct. If at most `n_clusters` objects are distinct, each of them is a cluster.
    weights : array-like of shape (n_partitions,), default=None
        w: non-negative, not all zero; normalised to sum to one. None means uniform.
    balance : {"size", "count"}, default="size"
        What is balanced over the meta-clusters: the weighted number of objects in their clusters, as in [1]_, or the
        weighted number of clusters, which allows consensus clusters of different sizes.
    imbalance : float, default=0.05
        In [0, 1]: share by which the weight of a meta-cluster may exceed the mean.
    n_init : int, default=10
        Number of tries of METIS at each bisection; the smallest cut is kept.
    random_state : int, RandomState instance or None, default=None
        Draws the seed of METIS and decides ties.

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
    With K clusters in all partitions together, time O(n_samples n_partitions (n_partitions + n_clusters) + K^2) and
    memory O(n_samples (n_partitions + n_clusters) + K^2); n_samples is the number of distinct objects. [1]_ has no
    partition weights; here a partition of weight 2 counts as two copies whose clusters stay together. The weights of
    edges and vertices are rounded to integers as in :func:`~robust_eac.cspa`.

    References
    ----------
    .. [1] Strehl, Ghosh, "Cluster ensembles - a knowledge reuse framework for combining multiple partitions", JMLR 3,
       2002.
    .. [2] Karypis, Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM Journal
       on Scientific Computing 20, 1998.

    Examples
    --------
    >>> mcla(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    balance = check_choice(balance, BALANCES, name="balance")
    imbalance = check_real(imbalance, name="imbalance", low=0.0, high=1.0)
    n_init, rng = check_starts(n_init, random_state)
    load_metis()
    rows = trivial(encoding, n_clusters)
    if rows is None:
        members, sizes, weights = clusters_of(encoding, weights)
        vertex_weights = weights * sizes if balance == "size" else weights
        groups = partition_graph(
            jaccard_graph(members, encoding.multiplicity, sizes, weights),
            np.maximum(whole_numbers(vertex_weights, np.int32), 1),
            n_clusters,
            imbalance=imbalance,
            n_init=n_init,
            rng=rng,
        )
        rows = _closest(associations(members, groups, weights), rng)
    return relabel(encoding.expand(rows))


def clusters_of(encoding, weights):
    """All clusters: (n_rows, K) sparse indicators, numbers of objects, weights of their partitions."""
    clusters = np.flatnonzero(encoding.sizes)
    return one_hot(encoding)[:, clusters], encoding.sizes[clusters], np.repeat(weights, encoding.n_codes)[clusters]


def jaccard_graph(members, multiplicity, sizes, weights):
    """Sparse csr (K, K) matrix of  w_a w_b J_ab;  its diagonal is meaningless."""
    k = len(sizes)
    pairs = min(k * k, int((np.diff(members.indptr).astype(np.float64) ** 2).sum()))
    check_memory(BYTES_PER_EDGE * pairs, f"mcla: the graph of the {k} clusters of all partitions")
    edges = (members.T @ sparse.diags_array(multiplicity) @ members).tocsr()
    a, b = np.repeat(np.arange(k), np.diff(edges.indptr)), edges.indices
    edges.data *= weights[a] * weights[b] / (sizes[a] + sizes[b] - edges.data)
    return edges


def associations(members, groups, weights):
    """(n_rows, n_groups) weighted mean of the indicators of the clusters in every group that is not empty."""
    groups = np.unique(groups, return_inverse=True)[1]
    shares = np.zeros((len(groups), groups.max() + 1))
    shares[np.arange(len(groups)), groups] = weights
    return members @ (shares / shares.sum(axis=0))


def _closest(values, rng):
    """Column of the largest value of each row; a random one of equals."""
    largest = values >= values.max(axis=1, keepdims=True) - TIE
    return np.where(largest, rng.uniform(size=values.shape), -1.0).argmax(axis=1)
