"""The objective, once: losses, value, gradient and optimality gap, all from k x k and k x k_u matrices."""

from typing import NamedTuple

import numpy as np

from . import _chance, _kernels
from ._encoding import encode_ensemble
from ._validation import (
    BLOCK,
    check_bool,
    check_ensemble,
    check_membership,
    check_real,
    check_sample_weight,
    check_weights,
)

__all__ = [
    "AgreementTest",
    "adjusted_agreement",
    "agreement_test",
    "membership_gradient",
    "objective_value",
    "optimality_gap",
    "partition_losses",
]

# Share of |G|^2 and |X'X|^2 that rounding can leave of their difference.
_ROUNDING = 1e-13


def partition_losses(labels, membership, *, diagonal=True, sample_weight=None):
    """Distance of every partition of the ensemble to a consensus membership.

    Computes  d_u = |Y'Y - X_u'X_u|^2  (Eq. 7 of [1]_) for all partitions at once as
    |G|^2 - 2 |S_u|^2 + sum_c n_uc^2  with G = YY' and S_u = YX_u'; no n x n matrix is formed. A partition that
    observes only the objects O_u is compared on these: d_u = (n/n_u)^2 |(Y'Y - X_u'X_u) on O_u x O_u|^2. For a soft
    partition, whose X_u is a membership like Y, the last term is |X_u X_u'|^2.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list with a membership matrix in it
        Base clusterings, one per column; -1 marks an object that the partition did not observe. Or a list (or tuple)
        with one entry per partition: a vector of labels, or a membership matrix of shape (n_samples, k_u), rows on the
        simplex, a row of NaN where an object was not observed. A list is read this way if one of its entries, at
        least, is two-dimensional; otherwise it is a matrix, its entries the rows.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex.
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_; hard memberships have no loss on them in hard partitions. An object
        of weight w has w of them among its w^2 pairs, as w copies have; below 1, all of its pairs are.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: it counts as so many identical objects that share a membership. None means one each.

    Returns
    -------
    losses : ndarray of shape (n_partitions,)
        In ordered pairs of objects: for a hard membership, twice the number of pairs on which the two partitions
        disagree. n and n_u are sums of the weights.

    Raises
    ------
    ValueError, TypeError
        If `labels` is no label matrix or `membership` no membership matrix of as many objects.

    Notes
    -----
    Time O(n_samples (n_partitions n_clusters + n_clusters^2)), memory O(n_samples (n_partitions + n_clusters)). A soft
    partition counts as k_u partitions, and takes O(n_samples k_u^2) once.

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

    A mixture's posteriors beside a vector of labels:

    >>> posteriors = np.array([[0.75, 0.25], [0.75, 0.25], [0.0, 1.0]])
    >>> partition_losses([posteriors, [0, 0, 1]], np.eye(2)[[0, 0, 1]])
    array([0.8125, 0.    ])
    """
    encoding, rows = _checked(labels, membership, diagonal, sample_weight)
    return losses_of(encoding, *accumulate(encoding, rows), rows, diagonal=diagonal)


def objective_value(labels, membership, *, weights=None, lam=0.0, diagonal=True, sample_weight=None):
    """Value of the weighted median-partition objective.

    Computes  sum_u alpha_u d_u + lambda/2 |alpha|^2, which is Eq. (4) of [1]_ for lambda = 0 and Eq. (5) otherwise.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list with a membership matrix in it
        Base clusterings, hard or soft, as in :func:`partition_losses`.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    lam : float, default=0.0
        lambda >= 0, in the units of the losses (ordered pairs).
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: it counts as so many identical objects that share a membership. None means one each.

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
    encoding, rows = _checked(labels, membership, diagonal, sample_weight)
    weights = check_weights(weights, len(encoding.offsets))
    lam = check_real(lam, name="lam", low=0.0)
    losses = losses_of(encoding, *accumulate(encoding, rows), rows, diagonal=diagonal)
    return weighted_loss(losses, weights, lam=lam)


def membership_gradient(labels, membership, *, weights=None, diagonal=True, sample_weight=None):
    """Gradient of the objective in every object's membership.

    Row i is  4 (G y_i - sum_u alpha_u S_u x_ui), the derivative of sum_u alpha_u d_u in column i of Y, times the weight
    of object i; without the diagonal, 4 (|y_i|^2 - sum_u alpha_u |x_ui|^2) y_i less. For a hard partition S_u x_ui is
    the column of S_u that belongs to the object's cluster, and |x_ui| = 1. The gradient is the same for objective (4)
    and (5) of [1]_, whose regulariser does not depend on Y.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list with a membership matrix in it
        Base clusterings, hard or soft, as in :func:`partition_losses`.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: it counts as so many identical objects that share a membership. None means one each.

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
    encoding, rows = _checked(labels, membership, diagonal, sample_weight)
    weights = check_weights(weights, len(encoding.offsets))
    statistics = weighted_statistics(encoding, weights, *accumulate(encoding, rows))
    return gradient_of(encoding, rows, statistics, diagonal=diagonal) * encoding.multiplicity[:, np.newaxis]


def optimality_gap(labels, membership, *, weights=None, diagonal=True, sample_weight=None):
    """Violation of the first-order optimality conditions of the membership, free of scale.

    Computes  1/(4 n^2) sum_i max_p <g_i, y_i - e_p>,  g_i being object i's row of :func:`membership_gradient`: the
    Frank-Wolfe gap of the objective per ordered pair, over 4. It is never negative and zero exactly where every
    object's membership is stationary. n is the sum of the weights when objects have some. Repeating all objects or all
    partitions does not change it (the former up to the diagonal when that is left out).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list with a membership matrix in it
        Base clusterings, hard or soft, as in :func:`partition_losses`.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    diagonal : bool, default=True
        Count the pairs (i, i).
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: it counts as so many identical objects that share a membership. None means one each.

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
    encoding, rows = _checked(labels, membership, diagonal, sample_weight)
    weights = check_weights(weights, len(encoding.offsets))
    statistics = weighted_statistics(encoding, weights, *accumulate(encoding, rows))
    return gap_of(encoding, rows, statistics, diagonal=diagonal)


class AgreementTest(NamedTuple):
    """What :func:`agreement_test` returns: one value per partition in each field."""

    agreement: np.ndarray
    statistic: np.ndarray
    expected: np.ndarray
    variance: np.ndarray
    zscore: np.ndarray
    pvalue: np.ndarray


def adjusted_agreement(labels, membership, *, sample_weight=None):
    """Agreement of every partition with a consensus, corrected for chance.

    Computes  a_u = (|S_u|^2 - E_u) / ((|G|^2 + |X_u'X_u|^2)/2 - E_u) = 1 - d_u / E[d_u],  where S_u = YX_u' and E_u is
    the mean of |S_u|^2 when the objects of one side are permuted at random: for a hard membership the adjusted Rand
    index [1]_, for a soft one its extension. Unlike the distance d_u it does not favour fine partitions.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list with a membership matrix in it
        Base clusterings, hard or soft, as in :func:`partition_losses`. The agreement with an incomplete partition is
        that on the objects that it observes.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: it counts as so many identical objects that share a membership; weights below 1 count
        for their ratios. None means one each.

    Returns
    -------
    agreement : ndarray of shape (n_partitions,)
        At most 1, reached where the two agree; 0 is chance.

    Raises
    ------
    ValueError, TypeError
        If `labels` is no label matrix or `membership` no membership matrix of as many objects.

    Notes
    -----
    Time O(n_samples (n_partitions n_clusters + n_masks n_clusters^2)), n_masks counting the distinct sets of objects
    that partitions observe; memory O(n_samples (n_partitions + n_clusters)).

    References
    ----------
    .. [1] Hubert, Arabie, "Comparing partitions", Journal of Classification 2, 1985.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> adjusted_agreement(labels, np.eye(2)[[0, 0, 1, 1]])
    array([ 1. , -0.5])
    """
    encoding, rows = _checked(labels, membership, True, sample_weight)
    return adjusted_agreement_of(encoding, accumulate(encoding, rows)[0], rows)


def agreement_test(labels, membership, *, sample_weight=None):
    """Test whether each partition agrees with a consensus more than a random relabelling of the objects would.

    The statistic is  |S_u|^2 = sum_ij (y_i'y_j) (x_ui'x_uj),  over ordered pairs with i = j. Its mean, variance and
    skewness over all n! permutations of the objects are exact [1]_ [2]_ (the skewness if the consensus or the partition
    is hard; else up to a share of the order of 1/n, and it is not taken below 0). The p-value is that of the Pearson
    type III distribution with these three moments.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list with a membership matrix in it
        Base clusterings, hard or soft, as in :func:`partition_losses`.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex.
    sample_weight : array-like of shape (n_samples,), default=None
        Number of objects that every object stands for, each of them relabelled on its own: 0 or at least 1. None means
        one each.

    Returns
    -------
    result : AgreementTest
        Named tuple of arrays of shape (n_partitions,): `agreement`, as :func:`adjusted_agreement`; `statistic`,
        `expected` and `variance` of the statistic, in ordered pairs of objects and its square; `zscore`; `pvalue`.

    Raises
    ------
    ValueError, TypeError
        If `labels` is no label matrix, `membership` no membership matrix of as many objects, or a weight lies between
        0 and 1.

    Notes
    -----
    Where nothing can vary, since one side puts all objects together, all apart, or treats them alike, the z-score is 0
    and the p-value 1.

    The p-value is valid for partitions that had no part in the consensus. Partitions that had agree with it a little
    more than by chance even if they are random, the more the fewer they are.

    Time O(n_samples (n_partitions n_clusters + n_masks n_clusters^3)), and O(n_samples k_u^3) for every soft
    partition; memory as :func:`adjusted_agreement`.

    References
    ----------
    .. [1] Mantel, "The detection of disease clustering and a generalized regression approach", Cancer Research 27,
       1967.
    .. [2] Mielke, "Clarification and appropriate inferences for Mantel and Valand's nonparametric multivariate
       analysis technique", Biometrics 34, 1978, for the approximation by three moments.

    Examples
    --------
    >>> import numpy as np
    >>> consensus = np.repeat([0, 1], 10)
    >>> labels = np.column_stack([np.repeat([3, 4], [9, 11]), np.tile([0, 1], 10)])
    >>> agreement_test(labels, np.eye(2)[consensus]).pvalue < 0.01
    array([ True, False])
    """
    encoding, rows = _checked(labels, membership, True, sample_weight, counts=True)
    return agreement_test_of(encoding, accumulate(encoding, rows)[0], rows)


def weighted_loss(losses, weights, *, lam=0.0):
    """sum_u alpha_u d_u + lambda/2 |alpha|^2: objective (4), or (5) with lambda."""
    return float(weights @ losses + 0.5 * lam * (weights @ weights))


def accumulate(encoding, rows):
    """S of shape (n_slots, k) and G of shape (n_masks, k, k) of the memberships of an encoding's rows."""
    k = rows.shape[1]
    S = np.empty((len(encoding.sizes), k))
    G = np.empty((encoding.observed.shape[1], k, k))
    _kernels.accumulate(
        encoding.codes, encoding.offsets[encoding.hard], encoding.missing_slots, encoding.soft, encoding.soft_slots,
        encoding.multiplicity, encoding.observed, rows, S, G,
    )  # fmt: skip
    return S, G


def losses_of(encoding, S, G, rows, *, diagonal):
    """The losses d_u from S and G; rounding makes them neither negative nor a perfect agreement cost something."""
    square_G = np.einsum("gpq,gpq->g", G, G)
    if not diagonal:
        # Pairs (i, i) cost (|y_i|^2 - 1)^2 each: the co-association of an object with itself is 1.
        own = np.einsum("ip,ip->i", rows, rows)
        square_G -= encoding.observed.T @ (encoding.own_pairs * (own - 1.0) ** 2)
    square_S = np.add.reduceat(np.einsum("sp,sp->s", S, S), encoding.offsets)
    square_G, square_X = square_G[encoding.mask_of], encoding.squares
    losses = square_G - 2.0 * square_S + square_X
    if not diagonal:
        # In a soft partition it is |x_i|^2 instead.
        for u in encoding.soft_partitions:
            pairs = encoding.own_pairs * encoding.observed[:, encoding.mask_of[u]]
            lack = 1.0 - encoding.self_similarity(u)
            losses[u] -= pairs @ (lack * (2.0 * (own - 1.0) + lack))
    # What three large numbers leave of each other below this share is rounding: agreement is a loss of exactly 0.
    losses[losses < _ROUNDING * (square_G + square_X)] = 0.0
    return losses * encoding.scale


def agreement_sides(encoding, S, rows, partitions=None):
    """|S_u|^2, and the Sides (see _chance) of the consensus and of the partition: one value per partition each."""
    masks = encoding.observed.T
    consensus = [_chance.soft_side(rows, encoding.multiplicity * mask, encoding.own_pairs * mask) for mask in masks]
    square_S = np.add.reduceat(np.einsum("sp,sp->s", S, S), encoding.offsets)
    if partitions is None:
        partitions = partition_sides(encoding)
    return square_S, _chance.stack(consensus, encoding.mask_of), partitions


def partition_sides(encoding):
    """The Sides (see _chance) of all partitions."""
    singles = (encoding.own_pairs @ encoding.observed)[encoding.mask_of]
    sides = _chance.hard_side(encoding.n_observed, singles, encoding.squares)
    for u in encoding.soft_partitions:
        mask = encoding.observed[:, encoding.mask_of[u]]
        side = _chance.soft_side(encoding.memberships(u), encoding.multiplicity * mask, encoding.own_pairs * mask)
        _fill(sides, u, side)
    return sides


def sides_of_test(encoding, memberships):
    """The TestedSides (see _chance) of the consensus and of the partition, one value per partition each."""
    consensus = [_chance.tested_soft_side(memberships, encoding.multiplicity * mask) for mask in encoding.observed.T]
    n, power2 = encoding.n_observed, np.add.reduceat(encoding.sizes**2, encoding.offsets)
    deviation = encoding.sizes - np.repeat(power2 / n, encoding.n_codes)
    rows = [np.add.reduceat(encoding.sizes * deviation**power, encoding.offsets) for power in (2, 3)]
    sides = _chance.tested_hard_side(n, power2, *rows)
    for u in encoding.soft_partitions:
        weight = encoding.multiplicity * encoding.observed[:, encoding.mask_of[u]]
        _fill(sides, u, _chance.tested_soft_side(encoding.memberships(u), weight))
    return _chance.stack(consensus, encoding.mask_of), sides


def _fill(sides, u, side):
    for values, value in zip(sides, side, strict=True):
        values[u] = value


def adjusted_agreement_of(encoding, S, rows):
    """The adjusted agreements a_u."""
    return _chance.adjusted(*agreement_sides(encoding, S, rows))


def agreement_test_of(encoding, S, rows):
    """The :class:`AgreementTest` of the memberships of an encoding's rows."""
    square_S = np.add.reduceat(np.einsum("sp,sp->s", S, S), encoding.offsets)
    sides = sides_of_test(encoding, rows)
    return AgreementTest(
        _chance.adjusted(square_S, *sides),
        square_S,
        _chance.expected(*sides),
        _chance.variance(*sides),
        *_chance.significance(square_S, *sides),
    )


def coefficients(encoding, weights):
    """alpha_u (n / n_u)^2 and their sum per mask."""
    coef = weights * encoding.scale
    mask_coef = np.bincount(encoding.mask_of, weights=coef, minlength=encoding.observed.shape[1])
    return coef, mask_coef


class Statistics(NamedTuple):
    """S, G and the weights of the partitions as the kernels need them; see _kernels.

    T : (n_slots, k) coef S.
    Q : (n_masks, k, k) mask_coef G.
    self_weight : (n_rows,) sum of coef over the partitions that observe the row.
    coef : (n_hard,) of the hard partitions.
    mask_coef : (n_masks,).
    soft_coef : (n_soft_slots,) of the partition of each soft cluster.
    chance : (n_masks, 2) what corrects for chance, else zeros.
    """

    T: np.ndarray
    Q: np.ndarray
    self_weight: np.ndarray
    coef: np.ndarray
    mask_coef: np.ndarray
    soft_coef: np.ndarray
    chance: np.ndarray


def weighted_statistics(encoding, weights, S, G):
    """What gradient and line search read, see :class:`Statistics`."""
    coef, mask_coef = coefficients(encoding, weights)
    by_slot = np.repeat(coef, encoding.n_codes)
    return Statistics(
        T=S * by_slot[:, np.newaxis],
        Q=G * mask_coef[:, np.newaxis, np.newaxis],
        self_weight=encoding.observed @ mask_coef,
        coef=coef[encoding.hard],
        mask_coef=mask_coef,
        soft_coef=by_slot[encoding.soft_slots],
        chance=np.zeros((len(mask_coef), 2)),
    )


def gradient_of(encoding, rows, statistics, *, diagonal, block=slice(None)):
    """Gradient in the membership of one object of every row (of a block of rows)."""
    out = np.empty_like(rows[block])
    _kernels.gradient(
        encoding.codes[block], encoding.offsets[encoding.hard], encoding.soft[block], encoding.soft_slots,
        statistics.soft_coef, encoding.multiplicity[block], encoding.own_pairs[block], encoding.observed[block],
        statistics.self_weight[block], rows[block], statistics.T, statistics.Q, statistics.chance,
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
    return 4.0 * encoding.total**2


def _checked(labels, membership, diagonal, sample_weight, *, counts=False):
    ensemble = check_ensemble(labels)
    check_bool(diagonal, name="diagonal")
    sample_weight = check_sample_weight(sample_weight, ensemble, counts=counts)
    rows = check_membership(membership, ensemble.n_samples)
    return encode_ensemble(ensemble, sample_weight), rows
