"""k-means on the label codes, with squared distances, cross entropies, cosines, or the degrees of a normalised cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.common import RandomState
from ..checks.values import check_bool, check_choice, warn_unless
from ..core.codes import relabel
from ..core.lloyd import best_lloyd, label_shares, squared_distances, weights_by_slot
from ._common import check_search, prepare_rows

__all__ = ["ecc", "kmeans_consensus", "sec", "utility_consensus"]

# Smallest share of a label: one that no object of a cluster has costs 36 nats (52 bits) instead of infinity.
_EPS = np.finfo(np.float64).eps


def kmeans_consensus(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Minimise the k-means loss of the one-hot ensemble without building it.

    Minimise :math:`L = \sum_C \sum_{i \in C} \sum_u w_u \|e_{c_u(i)} - \mu_C^u\|^2` over the partitions (Eq. 16 of
    [1]_), with :math:`\mu_C^u` the shares of the labels of partition u in cluster C. For weights that sum to one, this
    maximises the mean co-association within clusters, diagonal included, :math:`1 - L / n = \sum_C |C| \rho_C' / n`
    with :math:`\rho_C' = \sum_{i, j \in C} c_{ij} / |C|^2` (exactly), and the weighted sum of category utilities
    ([2]_). :func:`~robust_eac.density` leaves the diagonal out, so the two rank consensus partitions equally only if
    all clusters have the same size, contrary to Section 4.1 of [1]_.

    Lloyd's algorithm starts from greedy k-means++ seeds; the best of `n_init` starts is kept. Identical objects stay
    together. A ConvergenceWarning is issued if objects still move in the last pass of the start that is kept.

    Parameters
    ----------
    labels, n_clusters, weights : as in :func:`~robust_eac.eac`; the terms of missing labels are left out
    n_init : int, default=10
        Number of starts.
    max_iter : int, default=300
        Largest number of passes over the objects per start.
    n_jobs : int, default=None
        Threads over the starts. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the seeds.

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] "Linear Time Evidence Accumulation Clustering with KMeans", Sections 3.6 and 4.
    .. [2] Topchy, Jain, Punch, "Combining multiple weak clusterings", ICDM 2003.

    Examples
    --------
    >>> kmeans_consensus(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    return cluster_rows(labels, n_clusters, weights, squared_distances, n_init, max_iter, n_jobs, random_state)


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
    r"""Maximise a utility between the consensus and every base clustering by k-means on the label codes.

    Maximise :math:`\sum_u w_u U(\pi, \pi_u)` over the partitions :math:`\pi`,
    :math:`U = \sum_C |C| \mu(P_{u|C}) / n - \mu(P_u)` ([1]_), with :math:`P_{u|C}` the label shares of partition u in
    cluster C, :math:`P_u` those among all objects, and :math:`\mu` convex. With D the Bregman divergence of :math:`\mu`
    this is :math:`\min \sum_i \sum_u w_u D(e_{c_u(i)}, P_{u|C(i)})`, which Lloyd's algorithm descends:

    ==========  ===============  =======================  ====================================================
    utility     :math:`\mu(p)`   :math:`D(e_l, p)`        is
    ==========  ===============  =======================  ====================================================
    "category"  :math:`\|p\|^2`  :math:`\|e_l - p\|^2`    :func:`~robust_eac.consensus.kmeans_consensus` (U_c)
    "entropy"   :math:`-H(p)`    :math:`-\log p_l`        :func:`~robust_eac.consensus.ecc`: mutual information (U_H)
    "cosine"    :math:`\|p\|`    :math:`1 - p_l / \|p\|`  spherical k-means (U_cos)
    ==========  ===============  =======================  ====================================================

    With "entropy", the share of a label that no object of a cluster has is set to 2.2e-16, as in the authors' code.

    Parameters
    ----------
    utility : {"category", "entropy", "cosine"}, default="category"
        The utility U.
    normalised : bool, default=False
        Divide the weight of each partition by :math:`|\mu(P_u)|`, so that fine and coarse clusterings have similar
        influence. With "entropy", a partition with a single cluster has :math:`\mu(P_u) = 0` and gets weight 0.
    labels, n_clusters, weights, n_init, max_iter, n_jobs, random_state : as in :func:`kmeans_consensus`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Wu, Liu, Xiong, Cao, Chen, "K-means-based consensus clustering: a unified view", IEEE TKDE 27, 2015.

    Examples
    --------
    >>> utility_consensus(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0]]), 2, utility="entropy", random_state=0)
    array([0, 0, 0, 1])
    """
    mu, table_of = UTILITIES[check_choice(utility, UTILITIES, name="utility")]
    mu = mu if check_bool(normalised, name="normalised") else None
    return cluster_rows(labels, n_clusters, weights, table_of, n_init, max_iter, n_jobs, random_state, mu=mu)


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
    r"""Maximise the mutual information of the consensus with the base clusterings.

    Maximise :math:`\sum_u w_u I(\pi; \pi_u)` over the partitions :math:`\pi` ([1]_), which is to minimise
    :math:`n \sum_u w_u H(\pi_u | \pi) = -\sum_i \sum_u w_u \log P_{u|C(i)}[c_u(i)]`:
    :func:`~robust_eac.consensus.utility_consensus` with ``utility="entropy"``.

    Parameters
    ----------
    labels, n_clusters, weights, n_init, max_iter, n_jobs, random_state : as in :func:`kmeans_consensus`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Liu et al., "Entropy-based consensus clustering for patient stratification", Bioinformatics 33, 2017.

    Examples
    --------
    >>> ecc(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    return cluster_rows(labels, n_clusters, weights, _cross_entropies, n_init, max_iter, n_jobs, random_state)


def sec(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Minimise the normalised cut of the co-association matrix without building it.

    Maximise :math:`\sum_C A(C, C) / A(C, \text{all})` over the partitions,
    :math:`A(C, C') = \sum_{i \in C, j \in C'} A_{ij}`, with A the weighted co-association, diagonal included. It is a
    weighted k-means ([1]_): with :math:`b_i` the (weighted) one-hot row of object i and :math:`d_i = \sum_j A_{ij}` its
    degree, rows :math:`b_i / d_i` with weights :math:`d_i` satisfy exactly
    :math:`\sum_i d_i \|b_i / d_i - \mu_{C(i)}\|^2 = \sum_i \|b_i\|^2 / d_i - \sum_C A(C, C) / A(C, \text{all})`.

    Parameters
    ----------
    labels, n_clusters, weights, n_init, max_iter, n_jobs, random_state
        As in :func:`~robust_eac.consensus.kmeans_consensus`. In a partition that did not observe it, an object shares
        no cluster, not even with itself.

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Liu, Wu, Liu, Tao, Fu, "Spectral ensemble clustering via weighted k-means", IEEE TKDE 29, 2017.

    Examples
    --------
    >>> sec(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    return cluster_rows(labels, n_clusters, weights, degree_costs, n_init, max_iter, n_jobs, random_state)


def cluster_rows(labels, n_clusters, weights, table_of, n_init, max_iter, n_jobs, random_state, *, mu=None):
    """Labels by Lloyd's algorithm on a table of costs, after the checks of the arguments."""
    search = check_search(n_init, max_iter, n_jobs, random_state)
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    if mu is not None:
        weights = _normalised(encoding, weights, mu)
    result = best_lloyd(encoding, weights, table_of, n_clusters, **search)
    message = f"k-means did not converge: objects still moved in pass max_iter={max_iter}."
    warn_unless(result.converged, message, stacklevel=3)
    return relabel(encoding.expand(result.clusters))


def _normalised(encoding, weights, mu):
    """Weights divided by |mu| of the label shares of their partitions, with sum one; 0 where mu is 0."""
    shares = encoding.partitions.sizes / np.repeat(encoding.partitions.n_observed, encoding.partitions.n_codes)
    sizes = np.abs([mu(own) for own in np.split(shares, encoding.partitions.offsets[1:])])
    quotient = np.divide(weights, sizes, out=np.zeros_like(weights), where=sizes > 0.0)
    return quotient / quotient.sum() if quotient.any() else weights


def _cross_entropies(encoding, weights, counts):
    """(n_slots, k) weighted -log of the shares of the labels."""
    return weights_by_slot(encoding, weights) * -np.log(np.maximum(label_shares(encoding, counts), _EPS))


def _cosine_distances(encoding, weights, counts):
    """(n_slots, k) weighted cosine distances of the labels from the shares."""
    shares = label_shares(encoding, counts)
    norms = np.sqrt(np.add.reduceat(shares**2, encoding.partitions.offsets, axis=0))
    return weights_by_slot(encoding, weights) * (1.0 - shares / np.repeat(norms, encoding.partitions.n_codes, axis=0))


def _negative_entropy(shares):
    positive = shares[shares > 0.0]
    return positive @ np.log(positive)


# name -> (mu of a vector of shares, table of the divergences)
UTILITIES = {
    "category": (lambda shares: shares @ shares, squared_distances),
    "entropy": (_negative_entropy, _cross_entropies),
    "cosine": (np.linalg.norm, _cosine_distances),
}


def degree_costs(encoding, weights, counts):
    """(n_slots, k) terms of d_i (|b_i / d_i - mu_c|^2 - |b_i / d_i|^2), with d_i the sum of w_u n_ul."""
    by_slot = weights_by_slot(encoding, weights)
    degrees = by_slot * encoding.partitions.sizes[:, np.newaxis]
    volumes = (degrees * counts).sum(axis=0)
    # An empty cluster has its mean at the origin.
    volumes[volumes == 0.0] = 1.0
    squares = (by_slot * counts**2).sum(axis=0) / volumes**2
    return degrees * squares - 2.0 * by_slot * counts / volumes
