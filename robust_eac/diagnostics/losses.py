"""Measures of a consensus: losses, objective, gradient and optimality gap."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import Labels
from ..ensemble import reading
from ..ensemble.encoding import encode_ensemble
from ..median_partition.losses import loss_named
from ..median_partition.model import gradient_of
from ..median_partition.objective import in_memory
from ..median_partition.weightings import weighted_loss


class Evaluation:
    """An ensemble, a membership and weights, checked, and the objective's matrices there."""

    def __init__(self, labels, membership, weights, sample_weight, *, agreement="raw"):
        ensemble = reading.ensemble(labels, membership=membership, weights=weights, sample_weight=sample_weight)
        sample_weight = reading.sample_weight(sample_weight, ensemble)
        self.rows = check.membership(membership, ensemble.n_samples)
        loss = loss_named(agreement)
        self.weights = check.weights(weights, ensemble.n_partitions)
        self.encoding = encode_ensemble(ensemble, sample_weight)
        self.objective = in_memory(self.encoding, self.rows.shape[1], loss)
        self.matrices = self.objective.measure(self.rows)


def partition_losses(
    labels: Labels,
    membership: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray:
    r"""Compute the distance of every partition of the ensemble to a consensus membership.

    It is :math:`d_u = \|Y^T Y - X_u^T X_u\|^2` (Eq. 7 of [1]_), for all partitions at once
    :math:`\|G\|^2 - 2 \|S_u\|^2 + \sum_c n_{uc}^2` with :math:`G = Y Y^T` and :math:`S_u = Y X_u^T`; no n x n matrix is
    formed. A partition that observes only the objects O_u is compared on these:
    :math:`d_u = (n / n_u)^2 \|(Y^T Y - X_u^T X_u)_{O_u \times O_u}\|^2`. Time O(n_samples (n_partitions n_clusters +
    n_clusters^2)), memory O(n_samples (n_partitions + n_clusters)), and O(n_clusters) per base cluster.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list of clusterings
        Base clusterings, one per column: integers, texts or categories, in an array, or a DataFrame of pandas or
        polars; -1, None, NaN and NA mark an object that the partition did not observe. Or a list (or tuple) with a
        vector of labels per partition. A list of plain lists is ambiguous and refused, as is a symmetric matrix of
        pairs of objects.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership :math:`Y^T`, rows on the simplex, of at most 2^28 entries; dense, or SciPy sparse, which is
        made dense. Rows of the identity matrix for a hard consensus; :func:`~robust_eac.hard_partition_losses` allows
        more clusters.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: weight w counts as w identical objects that share a membership. None means one each.

    Returns
    -------
    losses : ndarray of shape (n_partitions,)
        In ordered pairs of objects: for a hard membership, twice the number of pairs on which the two partitions
        disagree. n and n_u are sums of the weights.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013.

    Examples
    --------
    >>> partition_losses(np.array([[0, 0], [0, 1], [1, 1]]), np.eye(2)[[0, 0, 1]])
    array([0., 4.])
    """
    evaluation = Evaluation(labels, membership, None, sample_weight)
    return evaluation.objective.losses(evaluation.matrices)


def objective_value(
    labels: Labels,
    membership: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    lam: float = 0.0,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Compute the weighted median-partition objective.

    It is :math:`\sum_u \alpha_u d_u + \frac{\lambda}{2} \|\alpha\|^2`, Eq. (4) of [1]_ for :math:`\lambda = 0` and Eq.
    (5) otherwise.

    Parameters
    ----------
    labels, membership, sample_weight : as in :func:`partition_losses`
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    lam : float, default=0.0
        lambda >= 0, in the units of the losses.

    Returns
    -------
    value : float

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Eqs. (4), (5).

    Examples
    --------
    >>> objective_value(np.array([[0, 0], [0, 1], [1, 1]]), np.eye(2)[[0, 0, 1]], weights=[3, 1])
    1.0
    """
    lam = check.real(lam, name="lam", low=0.0)
    evaluation = Evaluation(labels, membership, weights, sample_weight)
    return weighted_loss(evaluation.objective.losses(evaluation.matrices), evaluation.weights, lam=lam)


def membership_gradient(
    labels: Labels,
    membership: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray:
    r"""Compute the gradient of the objective in every object's membership.

    Row i is :math:`4 w_i (G y_i - \sum_u \alpha_u S_u x_{ui})`, the derivative of :math:`\sum_u \alpha_u d_u` in column
    i of Y, where :math:`w_i` is the weight of the object. It is the same for objective (4) and (5) of [1]_.

    Parameters
    ----------
    labels, membership, weights, sample_weight : as in :func:`objective_value`

    Returns
    -------
    gradient : ndarray of shape (n_samples, n_clusters)

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013.

    Examples
    --------
    >>> membership_gradient(np.array([[0, 0], [0, 1], [1, 1]]), np.eye(2)[[0, 0, 1]])
    array([[ 2.,  0.],
           [ 2., -2.],
           [-2.,  0.]])
    """
    evaluation = Evaluation(labels, membership, weights, sample_weight)
    model = evaluation.objective.model(evaluation.weights, evaluation.matrices, every=True)
    visited, statistics = model.of(evaluation.encoding)
    gradient = gradient_of(visited, evaluation.rows, statistics)
    return evaluation.encoding.rows.multiplicity[:, np.newaxis] * gradient


def optimality_gap(
    labels: Labels,
    membership: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Compute the violation of the first-order optimality conditions of the membership, free of scale.

    It is :math:`\frac{1}{4 n^2} \sum_i \max_p \langle g_i, y_i - e_p \rangle` with object i's row :math:`g_i` of
    :func:`membership_gradient` and n the sum of the weights of the objects: the Frank-Wolfe gap [1]_ of the objective
    per ordered pair, over 4. It is never negative, and zero exactly where every object's membership is stationary.
    Repeating all objects or all partitions does not change it.

    Parameters
    ----------
    labels, membership, weights, sample_weight : as in :func:`objective_value`

    Returns
    -------
    gap : float

    References
    ----------
    .. [1] Jaggi, "Revisiting Frank-Wolfe: projection-free sparse convex optimization", ICML 2013.

    Examples
    --------
    >>> round(optimality_gap(np.array([[0, 0], [0, 0], [1, 1]]), np.eye(2)[[0, 1, 1]]), 4)
    0.4444
    """
    evaluation = Evaluation(labels, membership, weights, sample_weight)
    return evaluation.objective.steps(evaluation.weights, evaluation.rows, evaluation.matrices, None).gap()
