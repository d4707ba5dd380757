"""Closed forms of the weights from the losses."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check

# Losses are differences of large numbers: differences below this share of the largest loss are treated as zero.
_TIE = 1e-12


def uniform_weights(losses: ArrayLike) -> np.ndarray:
    r"""Equal weights: the unweighted median partition.

    Solve :math:`\min_\alpha \|\alpha\|^2` over the simplex, for any losses.

    Parameters
    ----------
    losses : array-like of shape (n_partitions,)
        The d_u, non-negative and finite.

    Returns
    -------
    weights : ndarray of shape (n_partitions,), 1 / n_partitions each

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 4.

    Examples
    --------
    >>> uniform_weights([3.0, 1.0])
    array([0.5, 0.5])
    """
    return check.weights(None, len(check.vector(losses, name="losses")))


def restricted_simplex_weights(losses: ArrayLike, *, rho: float | None = None) -> np.ndarray:
    r"""Weights with an upper bound: a trimmed mean of the ensemble.

    Solve :math:`\min_\alpha \alpha^T d` over the simplex with :math:`\alpha_u \le \rho` (Eq. 8 of [1]_): in ascending
    order of their losses, partitions get rho each until the total is one. The remainder goes to the next partition,
    while Proposition 1 of [1]_, as printed, adds it to a full one. Partitions of equal loss have equal weights, so the
    order of the partitions does not matter.

    Parameters
    ----------
    losses : as in :func:`uniform_weights`
    rho : float, default=None
        Largest weight, at least 1 / n_partitions, which gives uniform weights. With 1 or more, the best partition gets
        all weight. None means 1 / (0.8 n_partitions), the setting of [1]_: the worst fifth gets weight 0.

    Returns
    -------
    weights : ndarray of shape (n_partitions,), unchanged if the losses are scaled

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Proposition 1.

    Examples
    --------
    >>> restricted_simplex_weights([5.0, 1.0, 3.0], rho=0.8).round(3)
    array([0. , 0.8, 0.2])
    """
    losses = check.vector(losses, name="losses")
    m = len(losses)
    rho = 1.0 / (0.8 * m) if rho is None else check.real(rho, name="rho", low=0.0)
    # rho = 1/m is feasible, but m times the rounded 1/m can be slightly less than 1.
    if rho * m < 1.0 - 1e-12:
        raise ValueError(f"rho must be at least 1/n_partitions={1.0 / m:.6g}, got {rho}.")
    rho = min(max(rho, 1.0 / m), 1.0)
    # Weights in units of rho; if 1/rho is whole up to rounding, it is made whole.
    share = np.clip(1.0 / rho - np.arange(m), 0.0, 1.0)
    whole = np.round(share)
    share = np.where(np.abs(share - whole) < 1e-11, whole, share)

    order = np.argsort(losses, kind="stable")
    # Duplicates of a partition with other label names have equal losses up to rounding.
    group = np.concatenate([[0], np.cumsum(np.diff(losses[order]) > _TIE * losses.max())])
    weights = np.empty(m)
    weights[order] = (np.bincount(group, weights=share) / np.bincount(group))[group]
    return weights / share.sum()


def l2_weights(losses: ArrayLike, *, lam: float) -> np.ndarray:
    r"""Weights spread by a squared-norm penalty.

    Solve :math:`\min_\alpha \alpha^T d + \frac{\lambda}{2} \|\alpha\|^2` over the simplex (Eq. 9 of [1]_): the
    Euclidean projection of :math:`-d / \lambda` onto it.

    Parameters
    ----------
    losses : as in :func:`uniform_weights`
    lam : float
        lambda >= 0, in the units of the losses. 0 gives uniform weights over the partitions of least loss (the limit
        from above); large values give nearly uniform weights over all. [1]_ uses 0.5 n_samples^2.

    Returns
    -------
    weights : ndarray of shape (n_partitions,), unchanged if losses and lambda are scaled together

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Proposition 2.

    Examples
    --------
    >>> l2_weights([1.0, 2.0, 9.0], lam=2.0)
    array([0.75, 0.25, 0.  ])
    """
    losses = check.vector(losses, name="losses")
    lam = check.real(lam, name="lam", low=0.0)
    excess = losses - losses.min()
    if lam == 0.0:
        return uniform_over(excess <= _TIE * losses.max())
    # Partitions of excess above 1 get no weight, so capping the excess at 2 changes nothing.
    with np.errstate(over="ignore"):
        scaled = np.minimum(excess / lam, 2.0)
    ascending = np.sort(scaled)
    levels = (1.0 + np.cumsum(ascending)) / np.arange(1, len(losses) + 1)
    # The partitions of positive weight, at least one, come first in the order.
    level = levels[np.flatnonzero(levels > ascending)[-1]]
    weights = np.maximum(level - scaled, 0.0)
    return weights / weights.sum()


def entropy_weights(losses: ArrayLike, *, eta: float) -> np.ndarray:
    r"""Weights spread by an entropy penalty: a softmax of the losses.

    Solve :math:`\min_\alpha \alpha^T d + \eta \sum_u \alpha_u \log \alpha_u` over the simplex, whose solution is
    :math:`\alpha_u \propto \exp(-d_u / \eta)`. [1]_ uses this penalty for the weights of features.

    Parameters
    ----------
    losses : as in :func:`uniform_weights`
    eta : float
        Temperature >= 0, in the units of the losses. 0 gives uniform weights over the partitions of least loss.

    Returns
    -------
    weights : ndarray of shape (n_partitions,), unchanged if losses and eta are scaled together

    References
    ----------
    .. [1] Jing, Ng, Huang, "An entropy weighting k-means algorithm for subspace clustering ...", IEEE TKDE 19(8), 2007.

    Examples
    --------
    >>> entropy_weights([0.0, 1.0], eta=1.0).round(3)
    array([0.731, 0.269])
    """
    losses = check.vector(losses, name="losses")
    eta = check.real(eta, name="eta", low=0.0)
    excess = losses - losses.min()
    if eta == 0.0:
        return uniform_over(excess <= _TIE * losses.max())
    with np.errstate(over="ignore"):
        weights = np.exp(-excess / eta)
    return weights / weights.sum()


def uniform_over(chosen):
    """(m,) equal weights for the partitions in a mask, 0 for the others."""
    return np.where(chosen, 1.0 / np.count_nonzero(chosen), 0.0)
