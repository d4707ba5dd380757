"""Evidence accumulation clustering: hierarchical clustering by co-association, with several cut rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from .. import validation as check
from ..common import RandomState, ratio, row_blocks
from ..ensemble import reading
from ..ensemble.encoding import encode, one_hot, relabel
from ..schemes.clusters import mean_over_observed
from ._common import prepare_ensemble
from .agglomeration import cut
from .linkage import cluster_by_linkage, dendrogram, distinct_rows, merge_tree

# Differences of lifetimes and heights below this are treated as zero.
_TIE = 1e-6
# Shares closer to the threshold than this are ties.
_SHARE_TIE = 1e-9
# Pairs of rows whose shares are in memory at the same time.
_BLOCK_PAIRS = 2**22


def coassociation_matrix(labels: ArrayLike, *, weights: ArrayLike | None = None) -> np.ndarray:
    r"""Share of the partitions that put two objects into one cluster.

    Computes :math:`A_{ij} = \sum_u \alpha_u [c_u(i) = c_u(j)]`, the weighted co-association of [1]_ below Eq. (6). If
    labels are missing, the sum is over the partitions that observe both objects (0 if none does).

    Parameters
    ----------
    labels, weights : as in :func:`~robust_eac.eac`

    Returns
    -------
    coassociation : ndarray of shape (n_samples, n_samples), symmetric, in [0, 1]

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 3.1.

    Examples
    --------
    >>> coassociation_matrix(np.array([[0, 0], [0, 1], [1, 1]]), weights=[3, 1])
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.25],
           [0.  , 0.25, 1.  ]])
    """
    ensemble, weights = reading.weighted_ensemble(labels, weights)
    return coassociation_of(encode(ensemble.labels), weights)


def coassociation_of(encoding, weights):
    """(n_rows, n_rows) co-association of the rows of an encoding. A partition may observe none of them."""
    indicators = one_hot(encoding)
    together = (indicators * np.repeat(weights, encoding.partitions.n_codes)) @ indicators.T
    return mean_over_observed(together.toarray(), encoding, weights)


def eac(
    labels: ArrayLike,
    n_clusters: int,
    *,
    linkage: str = "average",
    weights: ArrayLike | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Cut the hierarchical clustering of the objects by co-association into n_clusters.

    Merge the two most similar clusters until n_clusters are left ([2]_; [1]_ for single linkage). The similarity is the
    largest, mean or smallest co-association :math:`A_{ij} = \sum_u \alpha_u [c_u(i) = c_u(j)]` between their objects.
    Identical objects are merged first and never separated; other ties are decided at random.

    The distances of all pairs of d distinct objects take 4 d^2 bytes; ValueError if that exceeds the machine's memory.
    With uniform weights and no missing labels, they are whole numbers of partitions, so ties between them are exact.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    linkage : {"single", "average", "complete"}, default="average"
        The similarity of two clusters: largest, mean or smallest similarity of their objects.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    random_state : int, RandomState instance or None, default=None
        Decides ties, by the order in which the objects are visited. The trees of calls with the same int are the same.

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Fred, Jain, "Data clustering using evidence accumulation", ICPR 2002.
    .. [2] Fred, Jain, "Combining multiple clusterings using evidence accumulation", IEEE PAMI 27(6), 2005.
    .. [3] Müllner, "Modern hierarchical, agglomerative clustering algorithms", arXiv:1109.2378, 2011.

    Examples
    --------
    >>> eac(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2)
    array([0, 0, 0, 1, 1])
    """
    return cluster_by_linkage(labels, n_clusters, weights, linkage, random_state)


def eac_linkage(
    labels: ArrayLike,
    *,
    linkage: str = "average",
    weights: ArrayLike | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Dendrogram of the objects by co-association, as SciPy's linkage matrix.

    The merges of :func:`~robust_eac.eac` with the same seed, down to one cluster, at heights 1 - similarity, for
    example for :func:`scipy.cluster.hierarchy.dendrogram`. Identical objects merge first, at height 0.

    Parameters
    ----------
    labels, linkage, weights, random_state : as in :func:`~robust_eac.eac`

    Returns
    -------
    merges : ndarray of shape (n_samples - 1, 4)
        Row t: the numbers of the two clusters that merge into cluster n_samples + t, the height, and its size. Heights
        never decrease, and are accurate to single precision, about 1e-6.

    References
    ----------
    Those of :func:`~robust_eac.eac`.

    Examples
    --------
    >>> eac_linkage(np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [1, 1, 0, 0]])).round(3)
    array([[0.   , 1.   , 0.   , 2.   ],
           [2.   , 4.   , 0.25 , 3.   ],
           [3.   , 5.   , 0.917, 4.   ]])
    """
    encoding, weights = prepare_ensemble(labels, weights)
    rows, tree = merge_tree(encoding, weights, linkage, random_state)
    return dendrogram(rows.expand(np.arange(rows.n_rows)), tree)


def lifetime_eac(
    labels: ArrayLike,
    *,
    linkage: str = "single",
    weights: ArrayLike | None = None,
    one_cluster: bool = False,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Cut the hierarchical clustering by co-association into the number of clusters of longest lifetime.

    Maximise :math:`h_{n-q+1} - h_{n-q}` over :math:`q = 2, \ldots, n - 1`, with :math:`h_1 \le \ldots \le h_{n-1}` the
    heights, 1 - similarity, of the merges of :func:`~robust_eac.eac`: the range of thresholds at which there are q
    clusters ([1]_). In a tie, the smallest q; one cluster if all heights are equal or there are fewer than three
    objects. Differences below 1e-6 are treated as zero.

    Parameters
    ----------
    one_cluster : bool, default=False
        Whether q = 1, with lifetime :math:`1 - h_{n-1}`, is a candidate, too. Otherwise q is at least 2.
    labels, linkage, weights, random_state : as in :func:`~robust_eac.eac`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Fred, Jain, "Combining multiple clusterings using evidence accumulation", IEEE PAMI 27(6), 2005.

    Examples
    --------
    >>> lifetime_eac(np.array([[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1], [1, 1, 0, 1]]))
    array([0, 0, 1, 1])
    """
    encoding, weights = prepare_ensemble(labels, weights)
    one_cluster = check.flag(one_cluster, name="one_cluster")
    rows, tree = merge_tree(encoding, weights, linkage, random_state)
    copies = np.zeros(rows.n_samples - rows.n_rows)
    heights = np.concatenate([copies, 1.0 - tree.similarities])
    return relabel(rows.expand(cut(tree, _longest_lived(heights, one_cluster))))


def threshold_eac(
    labels: ArrayLike,
    *,
    threshold: float = 0.5,
    strict: bool = True,
    weights: ArrayLike | None = None,
) -> np.ndarray:
    """Join objects that more than a given share of the partitions put together, directly or through others.

    The clusters are the connected components of the graph with an edge where :math:`v_{ij} > t N_{ij}` ([1]_), with t
    the threshold, :math:`N_{ij}` the number of partitions that observe both objects, and :math:`v_{ij}` the number of
    those that put them into one cluster; with weights, both are sums of weights. This cuts the single-linkage tree at
    t. A pair that no partition observes has the share 0.

    Parameters
    ----------
    threshold : float, default=0.5
        t, the share of the votes. Below 0 there is one cluster; above 1, or at 1 with `strict`, every object is one.
    strict : bool, default=True
        Whether a tie, :math:`v_{ij} = t N_{ij}` up to 1e-9, is no edge.
    labels, weights : as in :func:`~robust_eac.eac`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Fred, Jain, "Data clustering using evidence accumulation", ICPR 2002.

    Examples
    --------
    >>> threshold_eac(np.array([[0, 0], [0, 1], [1, 1], [2, 2]]), strict=False)
    array([0, 0, 0, 1])
    """
    encoding, weights = prepare_ensemble(labels, weights)
    threshold = check.real(threshold, name="threshold", low=-np.inf)
    strict = check.flag(strict, name="strict")
    least = threshold + _SHARE_TIE if strict else threshold - _SHARE_TIE
    if least > 1.0:
        # No share exceeds 1, not even that of identical objects.
        return np.arange(encoding.n_samples)
    encoding = distinct_rows(encoding)
    # Uniform weights become ones, and their sums counts.
    votes = weights / weights.max()
    indicators = one_hot(encoding)
    observed = encoding.rows.observed
    voting = indicators * encoding.partitions.by_slot(votes)
    watching = observed * encoding.partitions.by_mask(votes)
    clusters = np.arange(len(observed))
    for block in row_blocks(len(clusters), max(1, _BLOCK_PAIRS // len(clusters))):
        together = (voting[block] @ indicators.T).toarray()
        both = watching[block] @ observed.T
        shares = ratio(together, both)
        i, j = np.nonzero(shares >= least)
        edges = np.ones(len(i)), (clusters[block][i], clusters[j])
        graph = sparse.coo_array(edges, shape=(len(clusters), len(clusters)))
        clusters = connected_components(graph, directed=False)[1][clusters]
    return relabel(encoding.expand(clusters))


def _longest_lived(heights, one_cluster):
    """Number of clusters with the longest lifetime."""
    lifetimes = np.diff(heights)[::-1]
    if one_cluster:
        lifetimes = np.concatenate([1.0 - heights[-1:], lifetimes])
    longest = lifetimes.max(initial=0.0)
    if longest < _TIE:
        return 1
    return int(np.argmax(lifetimes > longest - _TIE)) + (1 if one_cluster else 2)
