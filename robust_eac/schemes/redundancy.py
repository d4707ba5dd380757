"""Weights that fit the weighted co-association to a consensus, so that redundant partitions share weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import RandomState
from ..core.formula import pair_cells
from ..ensemble import reading
from ..ensemble.encoding import collapse, encode
from ..median_partition.alternation import Problem, alternate, first_state, is_stationary
from ..median_partition.objective import in_memory
from ..median_partition.weightings import Weighting
from .agreement import share_among_copies

# Multiple of |w|^2 added to the objective over n^2: it selects the minimiser whose weights are most equal.
_RIDGE = 1e-8
# Weights are optimal if the objective over n^2 can fall by no more than this.
_TOL = 1e-13
# The alternation stops at this gap.
_GAP = 1e-5


def redundancy_weights(
    labels: ArrayLike,
    *,
    X: ArrayLike | None = None,
    n_clusters: int | None = None,
    n_init: int = 10,
    max_iter: int = 100,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Weight the partitions such that their weighted co-association is as close as possible to a partition.

    Solve :math:`\min_{w, Y} \|\sum_u w_u M_u - Y^T Y\|^2`, :math:`M_u = X_u^T X_u`, over the simplex and the
    left-stochastic Y: weighted consensus clustering ([1]_, which fits :math:`H D H^T` with orthonormal non-negative H
    and diagonal D instead of :math:`Y^T Y`). For a fixed Y the weights solve the quadratic programme
    :math:`\min_w w^T Q w - 2 q^T w` with :math:`Q_{uv} = \langle M_u, M_v \rangle`, from contingency tables, and
    :math:`q_u = \langle M_u, Y^T Y \rangle = \|Y X_u^T\|^2`. With d_u as in :func:`~robust_eac.partition_losses` the
    objective reads :math:`\sum_u w_u d_u - \sum_{u, v} w_u w_v \|M_u - M_v\|^2 / 2`: partitions gain weight if they are
    close to the consensus and differ from others with weight, so duplicates share the weight of one of them. The
    weights are sparse. :math:`10^{-8} n^2 \|w\|^2` is added, so that they are unique for a given Y and duplicates share
    equally.

    The Y step of :func:`~robust_eac.solve_membership`, which has the same minimisers for fixed weights, alternates with
    an exact active-set solution of the quadratic programme. Neither increases the objective. The problem is not convex:
    the best of `n_init` random starts is kept. It has trivial minima, as in [1]_: all weight on one partition with at
    most k clusters, which fits exactly. The alternation starts from uniform weights and stops at a stationary point,
    but it slowly approaches such partitions. With ``max_iter=1`` the weights fit the consensus of equal weights. There
    is no trivial minimum if k is below all numbers of clusters of the partitions.

    Parameters
    ----------
    labels : as in :func:`~robust_eac.eac`
        If labels are missing, Q_uv is estimated from the n_uv objects that both observe, times (n / n_uv)^2, or, if
        n_uv is 0, from the cluster sizes as if u and v were independent. Negative eigenvalues of Q are set to 0.
    X : as in :func:`~robust_eac.schemes.agreement_weights`
    n_clusters : int, default=None
        Number k of rows of Y. None means the median number of clusters of the partitions, with halves rounded up.
    n_init, max_iter, random_state : as in :class:`~robust_eac.RobustEAC`

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Non-negative, sum one. A ConvergenceWarning is issued if the best start has a gap above 1e-5 at `max_iter`.

    References
    ----------
    .. [1] Li, Ding, "Weighted consensus clustering", SDM 2008.

    Examples
    --------
    >>> labels = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 2], [1, 1, 2], [2, 2, 2]])
    >>> redundancy_weights(labels, n_clusters=2, random_state=0).round(2)
    array([0.25, 0.25, 0.5 ])
    """
    encoding = encode(reading.ensemble(labels).labels)
    if n_clusters is None:
        n_clusters = int(np.median(encoding.partitions.n_clusters) + 0.5)
    n_clusters = check.n_clusters(n_clusters, encoding.n_samples)
    n_init = check.positive(n_init, name="n_init")
    max_iter = check.positive(max_iter, name="max_iter")
    rng = check.random_state(random_state)
    if encoding.partitions.n_partitions == 1:
        return np.ones(1)

    encoding = collapse(encoding)
    weighting = RedundancyWeighting(encoding, pair_products(encoding))
    problem = Problem(in_memory(encoding, n_clusters), weighting, _GAP, max_iter, reduction=0.0)
    start = reading.Start("random")
    states = (first_state(problem, start, rng)._replace(gap=0.0) for _ in range(n_init))
    best = min((alternate(problem, state) for state in states), key=lambda state: state.objective)
    message = f"The weights did not converge: gap={best.gap:.3g} > {_GAP:g} after max_iter={max_iter}."
    check.warn_unless(is_stationary(best.gap, _GAP), message)
    return best.weights


def pair_products(encoding):
    """(m, m) inner products <M_u, M_v> over n^2; estimated, and positive semidefinite, when labels are missing."""
    diagonal = (
        np.add.reduceat(encoding.partitions.sizes**2, encoding.partitions.offsets) / encoding.partitions.n_observed**2
    )
    Q = np.outer(diagonal, diagonal)
    np.fill_diagonal(Q, diagonal)
    for cells in pair_cells(encoding):
        total = cells.by_partition(cells.counts)
        # Sums of integers are exact, so duplicates with other label names have equal rows.
        row = Q[cells.u, cells.later]
        np.divide(cells.by_partition(cells.counts**2), total**2, out=row, where=total > 0.0)
        Q[cells.later, cells.u] = row
    if len(encoding.partitions.missing_slots):
        values, vectors = np.linalg.eigh(Q)
        Q = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return Q


class RedundancyWeighting(Weighting):
    """Weights that minimise the objective over n^2."""

    def __init__(self, encoding, Q):
        self.encoding = encoding
        self.Q = Q

    def solve(self, losses):
        m = len(self.Q)
        c = linear_term(self.encoding, losses)
        weights = minimise_on_simplex(self.Q + _RIDGE * np.eye(m), c, np.full(m, 1.0 / m))
        return share_among_copies(weights, np.column_stack([self.Q, c]))

    def value(self, losses, weights):
        c = linear_term(self.encoding, losses)
        return float(weights @ (self.Q @ weights) + _RIDGE * weights @ weights + c @ weights)


def linear_term(encoding, losses):
    """(m,) |Y'Y|^2 - 2 <M_u, Y'Y> over n^2: the loss without |M_u|^2."""
    return losses / encoding.partitions.total**2 - encoding.partitions.squares / encoding.partitions.n_observed**2


def minimise_on_simplex(Q, c, start):
    """Minimise w'Qw + c'w over the simplex for a positive definite Q; exact up to rounding."""
    w = start.copy()
    support = np.flatnonzero(w)
    solution = _minimise_on_plane(Q, c, support)
    while True:
        while np.any(solution <= 0.0):
            here = w[support]
            ratios = np.where(solution <= 0.0, here / (here - solution), np.inf)
            here += ratios.min() * (solution - here)
            here[ratios == ratios.min()] = 0.0
            w[support] = np.maximum(here, 0.0)
            support = support[here > 0.0]
            solution = _minimise_on_plane(Q, c, support)
        w[support] = solution
        slopes = 2.0 * Q @ w + c
        entering = int(np.argmin(slopes))
        if w[entering] > 0.0 or slopes @ w - slopes[entering] <= _TOL:
            return w / w.sum()
        support = np.append(support, entering)
        solution = _minimise_on_plane(Q, c, support)
        if solution[-1] <= 0.0:
            # The entering weight does not grow, so its slope was a rounding error.
            return w / w.sum()


def _minimise_on_plane(Q, c, support):
    """Minimise w'Qw + c'w subject to sum w = 1 over weights of any sign on the support."""
    system = np.ones((len(support) + 1, len(support) + 1))
    system[:-1, :-1] = 2.0 * Q[np.ix_(support, support)]
    system[-1, -1] = 0.0
    return np.linalg.solve(system, np.append(-c[support], 1.0))[:-1]
