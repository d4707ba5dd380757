"""Selection of partitions by quality and diversity: equal weights for the selected ones, zero for the rest."""

from __future__ import annotations

import numpy as np
import sklearn
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import RandomState
from .agreement import DECIMALS, pairwise_nmi, share_among_copies


def joint_criterion_weights(
    labels: ArrayLike,
    *,
    X: ArrayLike | None = None,
    size: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Select partitions greedily by quality and diversity.

    Maximise :math:`\sum_{u \in S} \text{SNMI}_u + \sum_{u \ne v \in S} (1 - \text{NMI}_{uv})` over the sets S of a
    given size, with quality :math:`\text{SNMI}_u = \sum_v \text{NMI}_{uv}` and mutual information divided by the
    geometric mean of the entropies (the joint criterion of [1]_, with equal parts): S starts with the partition of best
    quality; each step adds the one that increases the criterion most. Time O(n_samples n_partitions^2). In a tie up to
    1e-12 the first partition is selected.

    Parameters
    ----------
    size : int, default=None
        Number of partitions to select. None means half, rounded up.
    labels, X, random_state : as in :func:`agreement_weights`

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        1 / size for the selected partitions, 0 for the rest; duplicates of a selected partition share its weight.

    References
    ----------
    .. [1] Fern, Lin, "Cluster ensemble selection", Statistical Analysis and Data Mining 1(3), 2008.

    Examples
    --------
    >>> partitions = [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 1], [0, 1] * 4]
    >>> joint_criterion_weights(np.array(partitions).T)
    array([0.5, 0. , 0. , 0.5])
    """
    nmi = _rounded_nmi(labels)
    m = len(nmi)
    size = _check_size(size, m)
    quality = nmi.sum(axis=1)
    selected = [first_best(quality)]
    free = np.ones(m, dtype=bool)
    # Ordered pairs of each partition with the selected ones.
    diversity = np.zeros(m)
    while len(selected) < size:
        free[selected[-1]] = False
        diversity += 2.0 * (1.0 - nmi[selected[-1]])
        selected.append(first_best(np.where(free, 0.5 * quality + 0.5 * diversity, -np.inf)))
    return _equal_over(selected, nmi)


def cluster_and_select_weights(
    labels: ArrayLike,
    *,
    X: ArrayLike | None = None,
    size: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Group similar partitions and select the best one of each group.

    The partitions are clustered spectrally ([2]_) by their mutual information NMI_uv; the partition of largest quality
    :math:`\text{SNMI}_u = \sum_v \text{NMI}_{uv}` of each group is selected (cluster-and-select, [1]_). Time
    O(n_samples n_partitions^2 + n_partitions^3). Fewer than `size` are selected if there are fewer groups.

    Parameters
    ----------
    size : as in :func:`joint_criterion_weights`: the number of groups
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the seeds of the k-means step
    labels, X : as in :func:`agreement_weights`

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Equal for the selected partitions, 0 for the rest; duplicates of a selected partition share its weight.

    References
    ----------
    .. [1] Fern, Lin, "Cluster ensemble selection", Statistical Analysis and Data Mining 1(3), 2008.
    .. [2] Ng, Jordan, Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.

    Examples
    --------
    >>> partitions = [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 1], [0, 1] * 4]
    >>> cluster_and_select_weights(np.array(partitions).T, random_state=0)
    array([0.5, 0. , 0. , 0.5])
    """
    nmi = _rounded_nmi(labels)
    size = _check_size(size, len(nmi))
    groups = _spectral_groups(nmi, size, check.random_state(random_state))
    quality = nmi.sum(axis=1)
    selected = [first_best(np.where(groups == group, quality, -np.inf)) for group in np.unique(groups)]
    return _equal_over(selected, nmi)


def convex_hull_weights(
    labels: ArrayLike, *, X: ArrayLike | None = None, random_state: RandomState = None
) -> np.ndarray:
    r"""Select the pairs of partitions on the convex hull of quality against similarity.

    Every pair of partitions is a point :math:`(\text{NMI}_{uv}, (q_u + q_v) / 2)`, similarity against quality, with
    :math:`q_u` the mean of :math:`\text{NMI}_{uw}` over all w. The members of the pairs at the vertices of the convex
    hull are selected ([1]_, after the pruning of [2]_). The data determine the number of partitions. As in [2]_ the
    whole hull is used, including its lower part with diverse pairs of low quality, and all pairs at a vertex, so that
    copies of a partition are selected together.

    Parameters
    ----------
    labels, X, random_state : as in :func:`agreement_weights`

    Returns
    -------
    weights : ndarray of shape (n_partitions,), equal for the selected partitions, 0 for the rest

    References
    ----------
    .. [1] Fern, Lin, "Cluster ensemble selection", Statistical Analysis and Data Mining 1(3), 2008.
    .. [2] Margineantu, Dietterich, "Pruning adaptive boosting", ICML 1997.

    Examples
    --------
    >>> rows = [0, 0, 1, 1, 0], [0, 0, 0, 1, 0], [1, 0, 0, 0, 0], [1, 0, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]
    >>> convex_hull_weights(np.array(rows))
    array([0.25, 0.  , 0.25, 0.25, 0.25])
    """
    nmi = _rounded_nmi(labels)
    m = len(nmi)
    if m == 1:
        return np.ones(1)
    quality = nmi.mean(axis=1)
    u, v = np.triu_indices(m, 1)
    points = np.column_stack([nmi[u, v], np.round(0.5 * (quality[u] + quality[v]), DECIMALS)])
    distinct, place = np.unique(points, axis=0, return_inverse=True)
    on_hull = np.isin(place.ravel(), _hull_vertices(distinct))
    return _equal_over(np.union1d(u[on_hull], v[on_hull]), nmi)


def first_best(values):
    """Index of the first value that is the largest up to rounding."""
    return int(np.argmax(values >= values.max() - 10.0**-DECIMALS))


def _rounded_nmi(labels):
    return pairwise_nmi(labels, lambda a, b: np.sqrt(a * b)).round(DECIMALS)


def _check_size(size, m):
    if size is None:
        return (m + 1) // 2
    return check.positive(size, name="size", high=m, high_name="n_partitions")


def _equal_over(selected, nmi):
    weights = np.zeros(len(nmi))
    weights[selected] = 1.0 / len(selected)
    return share_among_copies(weights, nmi)


def _spectral_groups(similarities, n_groups, rng):
    """Spectral clustering of Ng, Jordan and Weiss; (m,) group of each partition."""
    m = len(similarities)
    if n_groups == m:
        return np.arange(m)
    # The diagonal of 1 gives every partition a positive degree, even if it shares no information with another.
    scale = 1.0 / np.sqrt(similarities.sum(axis=1))
    _, vectors = np.linalg.eigh(scale[:, np.newaxis] * similarities * scale)
    rows = sklearn.preprocessing.normalize(vectors[:, -n_groups:])
    n_distinct = len(np.unique(rows.round(DECIMALS), axis=0))
    return sklearn.cluster.KMeans(min(n_groups, n_distinct), n_init=10, random_state=rng).fit_predict(rows)


def _hull_vertices(points):
    """Indices of the vertices of the convex hull of distinct points in lexicographic order (monotone chain)."""
    vertices = set()
    for order in (range(len(points)), reversed(range(len(points)))):
        chain = []
        for i in order:
            while len(chain) > 1 and _turn(points[chain[-2]], points[chain[-1]], points[i]) <= 10.0**-DECIMALS:
                chain.pop()
            chain.append(i)
        vertices.update(chain)
    return np.array(sorted(vertices))


def _turn(a, b, c):
    """Positive for a left turn, 0 for a straight line: twice the area of the triangle."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
