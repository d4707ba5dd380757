"""The objective, once: losses, value, gradient and optimality gap, all from k x k and k x k_u matrices."""

import numpy as np

from . import _kernels
from ._encoding import encode
from ._validation import BLOCK, check_bool, check_labels, check_membership, check_real, check_weights

__all__ = ["membership_gradient", "objective_value", "optimality_gap", "partition_losses"]

# Share of |G|^2 and |X'X|^2 that rounding can leave of their difference.
_ROUNDING = 1e-13


def partition_losses(labels, membership, *, diagonal=True):
    """Distance of every partition of the ensemble to a consensus membership.

    Computes  d_u = |Y'Y - X_u'X_u|^2  (Eq. 7 of [1]_) for all partitions at once as
    |G|^2 - 2 |S_u|^2 + sum_c n_uc^2  with G = YY' and S_u = YX_u'; no n x n matrix is formed. A partition that
    observes only the objects O_u is compared on these: d_u = (n/n_u)^2 |(Y'Y - X_u'X_u) on O_u x O_u|^2.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex.
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_. Hard memberships have no loss on them.

    Returns
    -------
    losses : ndarray of shape (n_partitions,)
        In ordered pairs of objects: for a hard membership, twice the number of pairs on which the two partitions
        disagree.

    Raises
    ------
    ValueError, TypeError
        If `labels` is no label matrix or `membership` no membership matrix of as many objects.

    Notes
    -----
    Time O(n_samples (n_partitions n_clusters + n_clusters^2)), memory O(n_samples (n_partitions + n_clusters)).

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0], [0, 1], [1, 1]])
    >>> partition_losses(labels, np.eye(2)[[0, 0, 1]])
    array([0., 4.])
    """
    encoding, rows = _checked(labels, membership, diagonal)
    return losses_of(encoding, *accumulate(encoding, rows), rows, diagonal=diagonal)


def objective_value(labels, membership, *, weights=None, lam=0.0, diagonal=True):
    """Value of the weighted median-partition objective.

    Computes  sum_u alpha_u d_u + lambda/2 |alpha|^2, which is Eq. (4) of [1]_ for lambda = 0 and Eq. (5) otherwise.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    lam : float, default=0.0
        lambda >= 0, in the units of the losses (ordered pairs).
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_.

    Returns
    -------
    value : float

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Cost as :func:`partition_losses`.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Eqs. (4), (5).

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0], [0, 1], [1, 1]])
    >>> objective_value(labels, np.eye(2)[[0, 0, 1]], weights=[3, 1])
    1.0
    """
    encoding, rows = _checked(labels, membership, diagonal)
    weights = check_weights(weights, len(encoding.offsets))
    lam = check_real(lam, name="lam", low=0.0)
    losses = losses_of(encoding, *accumulate(encoding, rows), rows, diagonal=diagonal)
    return weighted_loss(losses, weights, lam=lam)


def membership_gradient(labels, membership, *, weights=None, diagonal=True):
    """Gradient of the objective in every object's membership.

    Row i is  4 (G y_i - sum_u alpha_u S_u[:, c_u(i)]), the derivative of sum_u alpha_u d_u in column i of Y; without
    the diagonal, 4 (|y_i|^2 - 1) y_i less. It is the same for objective (4) and (5) of [1]_, whose regulariser does
    not depend on Y.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_.

    Returns
    -------
    gradient : ndarray of shape (n_samples, n_clusters)

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Cost as :func:`partition_losses`.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0], [0, 1], [1, 1]])
    >>> membership_gradient(labels, np.eye(2)[[0, 0, 1]])
    array([[ 2.,  0.],
           [ 2., -2.],
           [-2.,  0.]])
    """
    encoding, rows = _checked(labels, membership, diagonal)
    weights = check_weights(weights, len(encoding.offsets))
    statistics = weighted_statistics(encoding, weights, *accumulate(encoding, rows))
    return gradient_of(encoding, rows, statistics, diagonal=diagonal)


def optimality_gap(labels, membership, *, weights=None, diagonal=True):
    """Violation of the first-order optimality conditions of the membership, free of scale.

    Computes  1/(4 n^2) sum_i max_p <g_i, y_i - e_p>,  g_i being object i's row of :func:`membership_gradient`: the
    Frank-Wolfe gap of the objective per ordered pair, over 4. It is never negative and zero exactly where every
    object's membership is stationary. Repeating all objects or all partitions does not change it (the former up to
    the diagonal when that is left out).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    diagonal : bool, default=True
        Count the pairs (i, i).

    Returns
    -------
    gap : float

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Cost as :func:`partition_losses`. The gap is the criterion of :func:`~robust_eac.solve_membership`.

    References
    ----------
    .. [1] Jaggi, "Revisiting Frank-Wolfe: projection-free sparse convex optimization", ICML 2013.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0], [0, 0], [1, 1]])
    >>> optimality_gap(labels, np.eye(2)[[0, 0, 1]])
    0.0
    >>> round(optimality_gap(labels, np.eye(2)[[0, 1, 1]]), 4)
    0.4444
    """
    encoding, rows = _checked(labels, membership, diagonal)
    weights = check_weights(weights, len(encoding.offsets))
    statistics = weighted_statistics(encoding, weights, *accumulate(encoding, rows))
    return gap_of(encoding, rows, statistics, diagonal=diagonal)


def weighted_loss(losses, weights, *, lam=0.0):
    """sum_u alpha_u d_u + lambda/2 |alpha|^2: objective (4), or (5) with lambda."""
    return float(weights @ losses + 0.5 * lam * (weights @ weights))


def accumulate(encoding, rows):
    """S of shape (n_slots, k) and G of shape (n_masks, k, k) of the memberships of an encoding's rows."""
    k = rows.shape[1]
    S = np.empty((len(encoding.sizes), k))
    G = np.empty((encoding.observed.shape[1], k, k))
    _kernels.accumulate(
        encoding.codes, encoding.offsets, encoding.missing_slots, encoding.multiplicity, encoding.observed, rows, S, G
    )  # fmt: skip
    return S, G


def losses_of(encoding, S, G, rows, *, diagonal):
    """The losses d_u from S and G; rounding makes them neither negative nor a perfect agreement cost something."""
    square_G = np.einsum("gpq,gpq->g", G, G)
    if not diagonal:
        # Pairs (i, i) cost (|y_i|^2 - 1)^2 each: the co-association of an object with itself is 1.
        own = np.einsum("ip,ip->i", rows, rows)
        square_G -= encoding.observed.T @ (encoding.multiplicity * (own - 1.0) ** 2)
    square_S = np.add.reduceat(np.einsum("sp,sp->s", S, S), encoding.offsets)
    square_X = np.add.reduceat(encoding.sizes**2, encoding.offsets)
    square_G = square_G[encoding.mask_of]
    losses = square_G - 2.0 * square_S + square_X
    # What three large numbers leave of each other below this share is rounding: agreement is a loss of exactly 0.
    losses[losses < _ROUNDING * (square_G + square_X)] = 0.0
    return losses * encoding.scale


def coefficients(encoding, weights):
    """alpha_u (n / n_u)^2 and their sum per mask."""
    coef = weights * encoding.scale
    mask_coef = np.bincount(encoding.mask_of, weights=coef, minlength=encoding.observed.shape[1])
    return coef, mask_coef


def weighted_statistics(encoding, weights, S, G):
    """T = coef S and Q = mask_coef G, which gradient and line search read (see _kernels), and each row's own weight."""
    coef, mask_coef = coefficients(encoding, weights)
    T = S * np.repeat(coef, encoding.n_codes)[:, np.newaxis]
    return T, G * mask_coef[:, np.newaxis, np.newaxis], encoding.observed @ mask_coef


def gradient_of(encoding, rows, statistics, *, diagonal, block=slice(None)):
    """Gradient in the membership of one object of every row (of a block of rows)."""
    T, Q, self_weight = statistics
    out = np.empty_like(rows[block])
    _kernels.gradient(
        encoding.codes[block], encoding.offsets, encoding.observed[block], self_weight[block], rows[block], T, Q,
        diagonal, out,
    )  # fmt: skip
    return out


def frank_wolfe_gaps(encoding, rows, statistics, *, diagonal):
    """max_p <g_i, y_i - e_p> for one object of every row; the gradient is formed block by block."""
    gaps = np.empty(len(rows))
    for start in range(0, len(rows), BLOCK):
        block = slice(start, start + BLOCK)
        gradient = gradient_of(encoding, rows, statistics, diagonal=diagonal, block=block)
        gaps[block] = np.einsum("ip,ip->i", gradient, rows[block]) - gradient.min(axis=1)
    return np.maximum(gaps, 0.0)


def gap_of(encoding, rows, statistics, *, diagonal):
    """The optimality gap."""
    gaps = frank_wolfe_gaps(encoding, rows, statistics, diagonal=diagonal)
    return float(encoding.multiplicity @ gaps) / gap_unit(encoding)


def gap_unit(encoding):
    """What turns a sum of Frank-Wolfe gaps over objects into the optimality gap."""
    return 4.0 * float(encoding.n_samples) ** 2


def _checked(labels, membership, diagonal):
    labels = check_labels(labels)
    check_bool(diagonal, name="diagonal")
    return encode(labels), check_membership(membership, len(labels))
