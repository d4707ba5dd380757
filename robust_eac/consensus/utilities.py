"""k-means-based consensus clustering (KCC): k-means with a suitable distance maximises a utility."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..checks.types import RandomState
from ..checks.values import check_bool, check_choice
from ..solve.encoding import Encoding
from ..solve.lloyd import label_shares, slot_weights, squared_distances
from .kmeans import cluster_rows

__all__ = ["utility_consensus"]

# A label that no object of a cluster has costs -log of this, 36 nats or 52 bits, instead of infinity.
_EPS = np.finfo(np.float64).eps


def utility_consensus(
    labels: ArrayLike,
    n_clusters: int,
    *,
    utility: str = "category",
    normalised: bool = False,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Maximise a utility between the consensus and every base clustering by k-means on the label codes.

    Solve  max over partitions pi  sum_u w_u U(pi, pi_u),  U = sum_C |C|/n mu(P_{u|C}) - mu(P_u)  ([1]_), with P_{u|C}
    the label shares of partition u in cluster C, P_u those among all objects, and mu convex. With D the Bregman
    divergence of mu this is  min sum_i sum_u w_u D(e_{c_u(i)}, P_{u|C(i)}),  which Lloyd's algorithm descends:

    ==========  ==============  =======================  ===================================================
    utility     mu(p)           D(e_l, p)                is
    ==========  ==============  =======================  ===================================================
    "category"  |p|^2           |e_l - p|^2              :func:`~robust_eac.consensus.kmeans_consensus` (U_c)
    "entropy"   -H(p)           -log p_l                 :func:`~robust_eac.consensus.ecc`: U is the mutual information (U_H)
    "cosine"    |p|             1 - p_l / |p|            spherical k-means (U_cos)
    ==========  ==============  =======================  ===================================================

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe, and its term is left
        out.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    utility : {"category", "entropy", "cosine"}, default="category"
        The utility U.
    normalised : bool, default=False
        Divide the weight of each partition by |mu(P_u)|, so that fine and coarse clusterings have similar influence.
        With "entropy", a partition with a single cluster has mu(P_u) = 0 and gets weight 0.
    weights : array-like of shape (n_partitions,), default=None
        w: non-negative, not all zero; normalised to sum to one. None means uniform.
    n_init : int, default=10
        Number of starts from greedy k-means++ seeds.
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

    Warns
    -----
    ConvergenceWarning
        If objects still move in the last of `max_iter` passes of the start that is kept.

    Notes
    -----
    Time O(n_samples n_partitions n_clusters) for the first passes, less for later ones; memory O(n_samples
    n_partitions), a byte per label, and O(n_clusters) per base cluster. U never falls when a cluster is split, so the
    number of clusters must be given. With "entropy", a label that no object of a cluster has would be infinitely far;
    its share is set to 2.2e-16, as in the authors' code. Seeds are drawn by k-means++ under the weighted Hamming
    distance, where [1]_ draws rows uniformly.

    References
    ----------
    .. [1] Wu, Liu, Xiong, Cao, Chen, "K-means-based consensus clustering: a unified view", IEEE TKDE 27, 2015.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> utility_consensus(labels, 2, utility="cosine", normalised=True, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    mu, table_of = UTILITIES[check_choice(utility, UTILITIES, name="utility")]
    reweigh = partial(_normalised, mu=mu) if check_bool(normalised, name="normalised") else None
    return cluster_rows(labels, n_clusters, weights, table_of, n_init, max_iter, n_jobs, random_state, reweigh=reweigh)


def _normalised(encoding: Encoding, weights, mu):
    """Weights divided by |mu| of the partitions' label shares, sum one; 0 where mu is 0."""
    shares = encoding.sizes / np.repeat(encoding.n_observed, encoding.n_codes)
    sizes = np.abs([mu(own) for own in np.split(shares, encoding.offsets[1:])])
    quotient = np.divide(weights, sizes, out=np.zeros_like(weights), where=sizes > 0.0)
    return quotient / quotient.sum() if quotient.any() else weights


def cross_entropies(encoding, weights, counts):
    return slot_weights(encoding, weights) * -np.log(np.maximum(label_shares(encoding, counts), _EPS))


def _cosine_distances(encoding, weights, counts):
    shares = label_shares(encoding, counts)
    norms = np.sqrt(np.add.reduceat(shares**2, encoding.offsets, axis=0))
    return slot_weights(encoding, weights) * (1.0 - shares / np.repeat(norms, encoding.n_codes, axis=0))


def _negative_entropy(shares):
    positive = shares[shares > 0.0]
    return positive @ np.log(positive)


# name -> (mu of a vector of shares, table of the divergences)
UTILITIES = {
    "category": (lambda shares: shares @ shares, squared_distances),
    "entropy": (_negative_entropy, cross_entropies),
    "cosine": (np.linalg.norm, _cosine_distances),
}
