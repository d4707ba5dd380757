"""The Y step: minimise the objective in the consensus membership for fixed weights, without an n x n matrix."""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from . import _kernels
from ._encoding import collapse, encode_ensemble, harden, select, take_rows
from ._formula import accumulate, gap_of, gap_unit, losses_of, weighted_loss, weighted_statistics
from ._lloyd import best_of_starts, squared_distances
from ._validation import (
    check_bool,
    check_choice,
    check_ensemble,
    check_integer,
    check_labels,
    check_membership,
    check_n_clusters,
    check_real,
    check_sample_weight,
    check_weights,
)

__all__ = ["MembershipResult", "solve_membership"]

# Rows up to this number fit in the cache, where visiting them one by one at random costs nothing.
_SHUFFLED_SINGLY = 2**15
_RUN = 16
# Gaps below this are rounding of the small matrices.
_ROUNDING = 1e-14
# Pair steps per visit of a column: a visit costs O(m k) before the first, a step only O(k).
_PAIR_STEPS = 4
# Columns whose own gap is below this share of the tolerance are settled; all of them together cannot exceed it.
_SETTLED = 0.05
# A k-means start is hard; mixing in this much of the uniform membership lets every cluster bid for every object.
_SMOOTHING = 0.1
# A start need not be finished.
_KMEANS_PASSES = 300
# Visits of an object without weight; a handful is enough.
_MAX_PLACING = 1000


class Model(NamedTuple):
    """What the sweeps minimise.

    extend : encoding -> the encoding that they read.
    statistics : (extended encoding, weights, rows) -> its Statistics at the rows.
    """

    extend: Callable
    statistics: Callable


PLAIN = Model(
    extend=lambda encoding: encoding,
    statistics=lambda encoding, weights, rows: weighted_statistics(encoding, weights, *accumulate(encoding, rows)),
)


class MembershipResult(NamedTuple):
    """What :func:`solve_membership` returns."""

    membership: np.ndarray
    objective: float
    gap: float
    n_sweeps: int
    converged: bool


def solve_membership(
    labels,
    n_clusters,
    *,
    weights=None,
    init=None,
    diagonal=True,
    tol=1e-5,
    max_sweeps=1000,
    random_state=None,
    sample_weight=None,
):
    """Minimise the weighted median-partition objective in the membership, for fixed partition weights.

    Solve  min_Y sum_u alpha_u |Y'Y - X_u'X_u|^2  over the left-stochastic Y, which has the same minimisers as
    |Y'Y - sum_u alpha_u X_u'X_u|^2, Eq. (6) of [1]_.

    Column-wise exact line search: objects are visited in random order; at each visit mass moves between pairs of
    clusters, to the exact minimiser of the quartic along the pair. The objective never increases. The problem is not
    convex: the result is a stationary point, which one depends on the start.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list with a membership matrix in it
        Base clusterings, hard or soft, as in :func:`~robust_eac.partition_losses`.
    n_clusters : int
        Number of clusters k of the consensus, an upper bound: clusters can end up empty.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    init : {"random", "kmeans"} or array-like, default=None
        Start: Dirichlet(1) rows ("random", also None), k-means on the one-hot ensemble (of a soft partition, on the
        clusters of largest membership), a membership of shape (n_samples, n_clusters), or a label vector of shape
        (n_samples,). The uniform membership is refused: it is a
        stationary point.
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_; False leaves them out, as the method it builds on does.
    tol : float, default=1e-5
        Stop when :func:`~robust_eac.optimality_gap` is at most `tol`, or 1e-14, below which it is rounding.
    max_sweeps : int, default=1000
        Largest number of visits of all objects.
    random_state : int, RandomState instance or None, default=None
        Draws the start and the order of the visits.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: it counts as so many identical objects that share a membership. None means one each.

    Returns
    -------
    result : MembershipResult
        Named tuple: `membership` of shape (n_samples, n_clusters), rows on the simplex; `objective`,
        sum_u alpha_u d_u at it; `gap`, its optimality gap; `n_sweeps`; `converged`, gap <= tol.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Warns
    -----
    ConvergenceWarning
        If `max_sweeps` is reached with gap > tol.

    Notes
    -----
    Time O(n_samples (n_partitions n_clusters + n_masks n_clusters^2)) per sweep, where n_masks counts the distinct
    sets of objects that partitions observe (1 when nothing is missing); memory O(n_samples (n_partitions +
    n_clusters)). Soft partitions count as k_u partitions each. Objects with equal labels, and equal memberships, in all
    partitions share a column when that pays. Objects of weight zero take no part; afterwards each gets the membership
    that is best with the others fixed, its pair with itself left out. Inputs are not modified.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013, Section 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [1, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> result = solve_membership(labels, 2, init=[0, 1, 1, 1, 1], random_state=0)
    >>> result.membership.argmax(axis=1)
    array([0, 0, 1, 1, 1])
    >>> result.converged
    True
    """
    ensemble = check_ensemble(labels)
    n_clusters = check_n_clusters(n_clusters, ensemble.n_samples)
    weights = check_weights(weights, ensemble.n_partitions)
    tol = check_real(tol, name="tol", low=0.0)
    max_sweeps = check_integer(max_sweeps, name="max_sweeps", low=0)
    diagonal = check_bool(diagonal, name="diagonal")
    start = check_init(init, ensemble.n_samples, n_clusters)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    rng = check_random_state(random_state)

    whole = encode_ensemble(ensemble, sample_weight)
    encoding, start = reduce_rows(whole, start, diagonal=diagonal)
    rows = initial_rows(encoding, n_clusters, start, rng)
    gap, n_sweeps = descend(encoding, weights, rows, diagonal=diagonal, tol=tol, max_sweeps=max_sweeps, rng=rng)
    losses = losses_of(encoding, *accumulate(encoding, rows), rows, diagonal=diagonal)
    converged = is_stationary(gap, tol)
    if not converged:
        warnings.warn(
            f"The membership did not converge: gap={gap:.3g} > tol={tol:.3g} after max_sweeps={max_sweeps}.",
            ConvergenceWarning,
            stacklevel=2,
        )
    membership = expand_rows(whole, encoding, weights, rows, tol=tol)
    return MembershipResult(membership, weighted_loss(losses, weights), gap, n_sweeps, converged)


def descend(encoding, weights, rows, *, diagonal, tol, max_sweeps, rng, reduction=0.0):
    """Sweep over `rows` in place until the optimality gap is at most tol, or `reduction` times the gap on entry.

    Returns (gap, number of sweeps). Zero sweeps mean that the gap was at most tol already. Partitions of weight zero
    are not read.
    """
    active = np.flatnonzero(weights)
    if len(active) < len(weights):
        encoding, weights = select(encoding, active), weights[active]
    skip = _SETTLED * tol * encoding.total
    n_sweeps, target = 0, tol
    while True:
        # Fresh matrices before every decision: what the sweeps update has rounding errors of its own.
        statistics = PLAIN.statistics(encoding, weights, rows)
        gap = gap_of(encoding, rows, statistics, diagonal=diagonal)
        if is_stationary(gap, target) or n_sweeps >= max_sweeps:
            return gap, n_sweeps
        if n_sweeps == 0:
            target = max(tol, reduction * gap)
        estimate = np.inf
        while not is_stationary(estimate, target) and n_sweeps < max_sweeps:
            order = visiting_order(len(rows), rng)
            estimate = sweep(encoding, statistics, rows, order, diagonal=diagonal, skip=skip) / gap_unit(encoding)
            n_sweeps += 1


def sweep(encoding, statistics, rows, order, *, diagonal, n_steps=_PAIR_STEPS, skip=0.0):
    """One visit of the rows in the given order: rows, T and Q follow; returns the sum of the objects' gaps."""
    return _kernels.sweep(
        order, encoding.codes, encoding.offsets[encoding.hard], statistics.coef, encoding.missing_slots,
        encoding.soft, encoding.soft_slots, statistics.soft_coef, encoding.multiplicity, encoding.own_pairs,
        encoding.observed, statistics.mask_coef, statistics.self_weight, rows, statistics.T, statistics.Q,
        statistics.chance, diagonal, n_steps, skip,
    )  # fmt: skip


def visiting_order(n_rows, rng):
    """Random order of the rows; of many rows, random order of short runs, which memory delivers faster."""
    if n_rows <= _SHUFFLED_SINGLY:
        return rng.permutation(n_rows)
    starts = _RUN * rng.permutation(-(-n_rows // _RUN))
    order = (starts[:, np.newaxis] + np.arange(_RUN)).ravel()
    return order[order < n_rows]


def is_stationary(gap, tol):
    """Whether an optimality gap is at most tol, or as small as rounding lets it become."""
    return bool(gap <= max(tol, _ROUNDING))


def check_init(init, n_samples, n_clusters):
    """Return the name of a start (None is "random"), or the membership that an array describes."""
    if init is None:
        return "random"
    if isinstance(init, str):
        return check_choice(init, ("random", "kmeans"), name="init")
    array = np.asarray(init)
    if array.ndim == 1:
        return np.eye(n_clusters)[_check_label_vector(array, n_samples, n_clusters)]
    membership = check_membership(array, n_samples, n_clusters, name="init")
    soft = membership[0].max() < 1.0
    if n_clusters > 1 and soft and np.ptp(membership, axis=0).max() <= 1e-12:
        raise ValueError(
            "init must not give every object the same membership: such a start tells no two objects apart, and the "
            f"uniform one, 1/{n_clusters} everywhere, is a stationary point that no line search leaves. "
            'Use init="random".'
        )
    return membership


def _check_label_vector(array, n_samples, n_clusters):
    """Codes in [0, n_clusters) of a consensus given as labels; kept as they are when already in that range."""
    if len(array) != n_samples:
        raise ValueError(f"init must have n_samples={n_samples} labels, got {len(array)}.")
    if np.any(array == -1):
        raise ValueError("init must label every object, got -1.")
    codes = check_labels(array.reshape(-1, 1), name="init")[:, 0]
    if codes.dtype.kind == "b" or codes.min() < 0 or codes.max() >= n_clusters:
        values, codes = np.unique(codes, return_inverse=True)
        if len(values) > n_clusters:
            raise ValueError(f"init must have at most n_clusters={n_clusters} labels, got {len(values)}.")
    return codes


def reduce_rows(encoding, start, *, diagonal):
    """The rows that are to be solved for, and the start on them.

    Objects without weight are left out; identical ones share a row when that pays, unless an array start tells them
    apart, or weights do, of which the smaller ones leave out more of their own pairs.
    """
    weighty = np.flatnonzero(encoding.multiplicity)
    if len(weighty) < len(encoding.codes):
        encoding = take_rows(encoding, weighty)
        start = start if isinstance(start, str) else start[weighty]
    apart = [] if isinstance(start, str) else [start]
    if not diagonal and encoding.own_pairs is not encoding.multiplicity:
        apart.append((encoding.own_pairs / encoding.multiplicity)[:, np.newaxis])
    collapsed = collapse(encoding, np.concatenate(apart, axis=1) if apart else None)
    if collapsed.inverse is not None and not isinstance(start, str):
        rows = np.empty((len(collapsed.codes), start.shape[1]))
        rows[collapsed.inverse] = start
        start = rows
    return collapsed, start


def expand_rows(whole, encoding, weights, rows, *, tol, model=PLAIN):
    """Memberships of all objects of `whole` from those of the rows of what :func:`reduce_rows` made of it.

    An object without weight gets the membership that agrees best with those of the others: the same quartic without
    the object's own term, which is a convex quadratic, so that any start will do.
    """
    membership = encoding.expand(rows)
    weightless = np.flatnonzero(whole.multiplicity == 0.0)
    if len(weightless) == 0:
        return membership
    absent = model.extend(take_rows(whole, weightless))
    statistics = model.statistics(model.extend(encoding), weights, rows)
    statistics = statistics._replace(self_weight=absent.observed @ statistics.mask_coef)
    placed = np.full((len(weightless), rows.shape[1]), 1.0 / rows.shape[1])
    order = np.arange(len(placed))
    for _ in range(_MAX_PLACING):
        before = placed.copy()
        sweep(absent, statistics, placed, order, diagonal=True, skip=max(tol, _ROUNDING) * whole.total)
        if np.array_equal(before, placed):
            break
    full = np.empty((len(whole.codes), rows.shape[1]))
    full[whole.multiplicity > 0.0], full[weightless] = membership, placed
    return full


def initial_rows(encoding, n_clusters, start, rng):
    """A fresh starting membership of the encoding's rows."""
    if not isinstance(start, str):
        return start.copy()
    if start == "random":
        # Normalised exponentials are Dirichlet(1): uniform on the simplex.
        rows = rng.standard_exponential((len(encoding.codes), n_clusters))
        rows /= rows.sum(axis=1, keepdims=True)
        return rows
    encoding = harden(encoding)
    weights = np.full(len(encoding.offsets), 1.0 / len(encoding.offsets))
    start = best_of_starts(encoding, weights, squared_distances, n_clusters, n_init=1, max_iter=_KMEANS_PASSES, rng=rng)
    return (1.0 - _SMOOTHING) * np.eye(n_clusters)[start.clusters] + _SMOOTHING / n_clusters
