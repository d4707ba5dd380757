"""Spectral partitions of the bipartite graph of objects and clusters."""

from __future__ import annotations

import numpy as np
import sklearn
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import svds

from .. import validation as check
from ..common import RandomState, ratio
from ..ensemble.encoding import relabel
from ..schemes.clusters import slot_certainty
from ._common import check_starts, clusters_of, prepare_rows, trivial

# Passes of k-means on coordinates, as in the authors' programs.
_KMEANS_PASSES = 100
# Up to this length of the smaller side of the graph's matrix, the eigenvalue problem is solved densely, in a second.
_DENSE = 1000
# Squared singular values up to this are zero up to rounding; the largest is one.
_ZERO = 1e-10


def hbgf(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    random_state: RandomState = None,
) -> np.ndarray:
    """Partition the bipartite graph of objects and clusters by its relaxed normalised cut.

    The graph has an edge of weight w_u from every object to its cluster in partition u ([1]_). The `n_clusters` leading
    left and right singular vectors of D1^(-1/2) B D2^(-1/2), with B the matrix of the edges and D1, D2 the degrees of
    objects and clusters, are their coordinates ([2]_). Their rows are scaled to length one and clustered by k-means,
    weighted by the degrees. Only vectors of positive singular values are used. [1]_ has no partition weights, and
    weights all rows equally.

    Parameters
    ----------
    n_clusters : int
        Number of parts of the graph; fewer clusters are returned if parts contain no object or fewer objects are
        distinct.
    labels, weights, n_init, random_state : as in :func:`~robust_eac.consensus.kmeans_consensus`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Fern, Brodley, "Solving cluster ensemble problems by bipartite graph partitioning", ICML 2004.
    .. [2] Ng, Jordan, Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.

    Examples
    --------
    >>> hbgf(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    n_init, rng = check_starts(n_init, random_state)
    rows = trivial(encoding, n_clusters)
    if rows is None:
        members, _, weights = clusters_of(encoding, weights)
        scaled, degrees = normalised_graph(members, encoding.rows.multiplicity, weights)
        points = sklearn.preprocessing.normalize(np.vstack(leading_vectors(scaled, n_clusters, rng)))
        kmeans = sklearn.cluster.KMeans(n_clusters, n_init=n_init, random_state=rng)
        rows = kmeans.fit(points, sample_weight=np.concatenate(degrees)).labels_[: members.shape[0]]
    return relabel(encoding.expand(rows))


def transfer_cut(
    labels: ArrayLike,
    n_clusters: int,
    *,
    theta: float | None = 0.4,
    weights: ArrayLike | None = None,
    n_init: int = 3,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the graph of objects and base clusters, with an edge from every object to each of its clusters.

    The edge between object i and cluster l of partition u has weight  B_il = w_u ECI(l),  with
    :func:`~robust_eac.schemes.ensemble_driven_cluster_index`: locally weighted graph partitioning, LWGP ([1]_). With
    `theta=None` all clusters of a partition have the same weight: the consensus of U-SENC ([2]_).

    Both cut the graph by the transfer cut of [3]_. With D and N the row and column sums of B and V the `n_clusters`
    leading eigenvectors of N^(-1/2) B' D^(-1) B N^(-1/2), a graph of clusters alone, the objects' coordinates are the
    rows of D^(-1) B N^(-1/2) V, scaled to length one. k-means clusters them; identical objects share a cluster. Here an
    integer partition weight is the same as a partition repeated that often; [1]_ and [2]_ have none.

    Parameters
    ----------
    theta : float or None, default=0.4
        Greater than 0; smaller values give uncertain clusters less weight. None: all clusters have equal weight.
    n_clusters, n_init, random_state : as in :func:`hbgf`
    labels, weights : as in :func:`~robust_eac.eac`; the weights enter the index too

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Huang, Wang, Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48(5), 2018.
    .. [2] Huang et al., "Ultra-scalable spectral clustering and ensemble clustering", IEEE TKDE 32(6), 2020.
    .. [3] Li, Wu, Chang, "Segmentation using superpixels: a bipartite graph partitioning approach", CVPR 2012.

    Examples
    --------
    >>> transfer_cut(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    theta = None if theta is None else check.real(theta, name="theta", low=0.0, strict=True)
    n_init, rng = check_starts(n_init, random_state)
    rows = trivial(encoding, n_clusters)
    if rows is None:
        kmeans = sklearn.cluster.KMeans(n_clusters, n_init=n_init, max_iter=_KMEANS_PASSES, random_state=rng)
        points = embed_rows(encoding, n_clusters, weights, theta, rng)
        rows = kmeans.fit(points, sample_weight=encoding.rows.multiplicity).labels_
    return relabel(encoding.expand(rows))


def embed_rows(encoding, n_vectors, weights, theta, rng):
    """(n_rows, at most n_vectors) coordinates of the rows by the transfer cut, scaled to length one."""
    members, _, edge_weights = clusters_of(encoding, weights)
    if theta is not None:
        edge_weights = edge_weights * slot_certainty(encoding, weights, theta)[encoding.partitions.sizes > 0.0]
    scaled, _ = normalised_graph(members, encoding.rows.multiplicity, edge_weights)
    # D^(-1) B N^(-1/2) is this matrix with its rows scaled, and the last step removes such scales.
    return sklearn.preprocessing.normalize(scaled @ leading_vectors(scaled, n_vectors, rng)[1])


def normalised_graph(members, multiplicity, weights):
    """Sparse (n_rows, K) D1^(-1/2) B D2^(-1/2), and the degrees (D1, D2), which count all objects of a row."""
    edges = sparse.diags_array(multiplicity) @ members @ sparse.diags_array(weights)
    degrees = edges.sum(axis=1), edges.sum(axis=0)
    left, right = (ratio(np.ones(len(d)), np.sqrt(d)) for d in degrees)
    return (sparse.diags_array(left) @ edges @ sparse.diags_array(right)).tocsr(), degrees


def leading_vectors(matrix, n_vectors, rng):
    """Left and right singular vectors of the n_vectors largest singular values, or of all positive ones."""
    if matrix.shape[0] < matrix.shape[1]:
        right, left = leading_vectors(matrix.T.tocsr(), n_vectors, rng)
        return left, right
    side = matrix.shape[1]
    if side <= _DENSE or n_vectors >= side:
        first = max(side - n_vectors, 0)
        squares, right = eigh((matrix.T @ matrix).toarray(), subset_by_index=(first, side - 1))
    else:
        values, right = svds(matrix, n_vectors, v0=rng.uniform(-1.0, 1.0, size=side), return_singular_vectors="vh")[1:]
        squares = values**2
        right = right.T
    positive = squares > _ZERO
    right = right[:, positive][:, ::-1]
    return (matrix @ right) / np.sqrt(squares[positive])[::-1], right
