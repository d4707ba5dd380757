"""Lower bounds of the consensus objective, for every membership or for every partition."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from .. import validation as check
from ..common import Labels, ratio
from ..core.formula import cluster_counts
from ..core.threads import LOG
from ..ensemble import reading
from ..ensemble.encoding import collapse, encode_ensemble, one_hot, take_rows
from .partition_bound import partition_bounds, until_settled

# Bounds are lowered by this share of the weight of all pairs: rounding raises them by less.
_ROUNDING = 1e-12
# Minimum common curvature of the pairs, as a share of their mean, if pairs are observed unequally often.
_LEAST_CURVATURE = 0.65


class LowerBound(NamedTuple):
    """Result of :func:`consensus_lower_bound`."""

    bound: float
    pairwise: float
    n_iter: int
    converged: bool


def consensus_lower_bound(
    labels: Labels,
    *,
    n_clusters: int | None = None,
    weights: ArrayLike | None = None,
    hard: bool = False,
    tol: float = 1e-4,
    max_iter: int = 1000,
    sample_weight: ArrayLike | None = None,
) -> LowerBound:
    r"""Bound the objective from below over all consensuses: a solution is within ``objective - bound`` of the best.

    Bound :math:`\sum_u \alpha_u \|Y^T Y - X_u^T X_u\|^2` for fixed weights [1]_ over the memberships Y with
    `n_clusters` clusters; with ``hard=True`` over the partitions, where the bound is larger.

    In :math:`Z = Y^T Y` the objective is, up to a constant, :math:`\sum_{ij} (W_{ij} Z_{ij}^2 - 2 C_{ij} Z_{ij})`,
    where :math:`C_{ij}` is the sum of :math:`\alpha_u (n / n_u)^2 x_{ui}^T x_{uj}` over the partitions, and
    :math:`W_{ij}` that of :math:`\alpha_u (n / n_u)^2` over those that observe both objects. Weights :math:`w_i` of the
    objects scale every matrix M to D M D, with D diagonal and entries :math:`\sqrt{w_i}`.

    *Memberships.* The columns of Y sum to one, so :math:`Z = \mathbf{11}^T / k + M` with M semidefinite of rank at most
    k - 1, and :math:`0 \le Z_{ij} \le 1`. For every matrix A the objective is at least the sum of two minima: of the
    objective minus :math:`2 \langle A, Z \rangle` over M, and of :math:`2 \langle A, Z \rangle` over that box. For W =
    1 the former takes the positive ones of the k - 1 largest eigenvalues of :math:`C + A - \mathbf{11}^T / k` (Eckart
    and Young [2]_). The best A gives the minimum over the convex envelope of :math:`\|M\|^2` on matrices of that rank
    [3]_; accelerated proximal ascent approaches it. If W is not constant, a curvature common to all pairs and a line
    bound :math:`W_{ij} z^2` from below: a tangent where :math:`W_{ij}` is larger, a chord where it is smaller.

    *Partitions.* :math:`Z_{ij}` is 0 or 1, and the objective is linear: :math:`\sum_{ij} (W_{ij} - 2 C_{ij}) Z_{ij}`,
    the costs of a correlation clustering. Being in one cluster is transitive: :math:`Z_{ij} + Z_{jk} - Z_{ik} \le 1`
    for all triples [4]_. A multiplier >= 0 of such a triangle moves costs between its pairs and adds a constant; the
    remaining costs are bounded pair by pair. Multipliers are packed greedily [5]_, then raised one by one within a
    proximal point method on Z; every few iterations the most violated triangles are added. With a limit on the number
    of clusters, :math:`Z - \mathbf{11}^T / k` is also semidefinite [6]_: for every semidefinite A the objective is at
    least its value minus :math:`\langle A, Z - \mathbf{11}^T / k \rangle`. The method of multipliers (ADMM [7]_)
    proposes A. Without a limit, A joins only if triangles leave more than 10 `tol` to a partition found on the way.

    Both bounds are the largest value of such closed forms found, less 1e-12 per ordered pair, which covers rounding:
    stopping early makes them weaker, not wrong.

    For d distinct objects an iteration takes O(d^3) time, and memory is O(d^2). For partitions without a limit most
    iterations take time proportional to the triangles in use, usually about one per pair.

    Parameters
    ----------
    labels, sample_weight : as in :func:`~robust_eac.partition_losses`
    n_clusters : int, default=None
        Largest number of clusters k of the consensus. None means n_samples: no limit.
    weights
        As in :func:`~robust_eac.objective_value`. If they were found jointly with a consensus, the joint problem can
        have a smaller value than the bound.
    hard : bool, default=False
        Bound partitions only, instead of all memberships.
    tol : float, default=1e-4
        Stop when the bound has risen by no more than this share of itself over 20 iterations; with ``hard=True`` also
        when it is within this share of a partition.
    max_iter : int, default=1000
        Largest number of iterations, of one symmetric eigendecomposition each, except where triangles alone suffice.

    Returns
    -------
    result : LowerBound
        Named tuple: `bound`, in ordered pairs of objects, without a regulariser; `pairwise`, the sum of the bounds of
        single pairs: for a complete ensemble of C_ij (1 - C_ij), or of min(C_ij, 1 - C_ij) with ``hard=True``;
        `n_iter`; `converged`, whether the bound settled within `max_iter`. It is valid in any case.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013.
    .. [2] Eckart, Young, "The approximation of one matrix by another of lower rank", Psychometrika 1, 1936.
    .. [3] Grussler, Giselsson, "Low-rank inducing norms with optimality interpretations", SIAM J. Optim. 28(4), 2018.
    .. [4] Grötschel, Wakabayashi, "A cutting plane algorithm for a clustering problem", Math. Program. 45, 1989.
    .. [5] Lange et al., "Partial optimality and fast lower bounds for weighted correlation clustering", ICML 2018.
    .. [6] Frieze, Jerrum, "Improved approximation algorithms for MAX k-CUT and MAX BISECTION", Algorithmica 18, 1997.
    .. [7] Boyd et al., "Distributed optimization and statistical learning via ...", Found. Trends Mach. Learn. 3, 2011.

    Examples
    --------
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 1], [1, 0, 1]])
    >>> round(consensus_lower_bound(labels, n_clusters=2).bound, 6)
    5.953732
    """
    ensemble, weights = reading.weighted_ensemble(labels, weights, sample_weight=sample_weight)
    n = ensemble.n_samples
    n_clusters = n if n_clusters is None else check.n_clusters(n_clusters, n)
    hard = check.flag(hard, name="hard")
    tol = check.real(tol, name="tol", low=0.0)
    max_iter = check.integer(max_iter, name="max_iter", low=1)

    sample_weight = reading.sample_weight(sample_weight, ensemble)

    encoding = encode_ensemble(ensemble, sample_weight)
    bound = bound_partitions if hard else bound_memberships
    return bound(encoding, weights, n_clusters, tol=tol, max_iter=max_iter)


def bound_memberships(encoding, weights, n_clusters, *, tol=1e-4, max_iter=1000, enough=np.inf):
    """The :class:`LowerBound` of an encoding over memberships, or the first that is at least `enough`."""
    pairs = _pair_terms(different_rows(encoding), weights, False)
    values = until_settled(_membership_bounds(pairs, n_clusters), tol)
    return _best_of(values, _pairwise_bound(pairs, False), encoding.partitions.total**2, max_iter, enough)


def spectral_bound(encoding, weights, n_clusters):
    """The first bound over memberships, for complete partitions, without a matrix of all pairs."""
    # With s the weights of the slots, C - 11'/k is B diag(1, ..., 1, -1) B', where B has the columns sqrt(s_l) x_l and
    # 1/sqrt(k). For any R'R = B'B, its nonzero eigenvalues are those of R diag(1, ..., 1, -1) R'.
    partitions = encoding.partitions
    slots = partitions.by_slot(weights)
    total = partitions.total
    roots = np.append(np.sqrt(slots), n_clusters**-0.5)
    gram = np.empty((len(roots), len(roots)))
    for codes, (start, end) in zip(encoding.rows.codes.T, pairwise(partitions.bounds), strict=True):
        gram[:-1, start:end] = cluster_counts(encoding, codes, end - start)
    gram[-1, :-1] = gram[:-1, -1] = partitions.sizes
    gram[-1, -1] = total
    values, vectors = eigh(gram * np.outer(roots, roots))
    R = np.sqrt(np.maximum(values, 0.0)) * vectors
    rank = min(n_clusters - 1, len(roots))
    captured = 0.0
    if rank:
        indefinite = R[:-1].T @ R[:-1] - np.outer(R[-1], R[-1])
        top = eigh(indefinite, eigvals_only=True, subset_by_index=[len(roots) - rank, len(roots) - 1])
        captured = float(np.sum(np.maximum(top, 0.0) ** 2))
    mean = (total**2 / n_clusters - 2.0 * float(slots @ partitions.sizes**2)) / n_clusters
    # Every eigenvalue has its own rounding error.
    return max(float(weights @ partitions.squares) + mean - captured - (1 + rank) * _ROUNDING * total**2, 0.0)


def bound_partitions(encoding, weights, n_clusters, *, cost=1.0, tol=1e-4, max_iter=1000):
    """The :class:`LowerBound` of an encoding over partitions, for Binder's loss with a cost."""
    pairs = _pair_terms(different_rows(encoding), weights, True, cost)
    slope = pairs.curvature * pairs.scale - 2.0 * pairs.linear
    values = partition_bounds(slope, pairs.scale, pairs.constant, n_clusters, tol)
    return _best_of(values, _pairwise_bound(pairs, True), encoding.partitions.total**2, max_iter)


def _best_of(values, pairwise, n_pairs, max_iter, enough=np.inf):
    """The :class:`LowerBound` of a sequence of bounds, less rounding; the objective is never negative."""
    margin = _ROUNDING * n_pairs
    bound = pairwise = max(pairwise - margin, 0.0)
    n_iter = 0
    converged = True
    for value in values:
        if n_iter == max_iter:
            converged = False
            break
        bound = max(bound, value - margin)
        n_iter = n_iter + 1
        LOG.info("lower bound: iteration %d", n_iter)
        if bound >= enough:
            break
    return LowerBound(bound, pairwise, n_iter, converged)


class _PairTerms(NamedTuple):
    """The objective as a sum over pairs of different rows g, h: curvature z^2 - 2 linear z + constant, z = scale Z_gh.

    With the scale sqrt(w_g w_h), a pair counts as much as all pairs of w_g and w_h identical objects.
    """

    curvature: np.ndarray
    linear: np.ndarray
    constant: float
    scale: np.ndarray


def different_rows(encoding):
    """The encoding with one row for identical objects, without rows of weight zero."""
    return collapse(take_rows(encoding, np.flatnonzero(encoding.rows.multiplicity)), min_saving=0.0)


def _pair_terms(encoding, weights, hard, cost=1.0):
    coef = weights * encoding.partitions.scale
    X = one_hot(encoding)
    together = ((X * encoding.partitions.by_slot(coef)) @ X.T).toarray()
    observed = encoding.rows.observed[:, encoding.partitions.mask_of].astype(np.float64)
    curvature = (2.0 - cost) * (observed * coef) @ observed.T
    roots = np.sqrt(encoding.rows.multiplicity)
    scale = np.outer(roots, roots)
    constant = float(cost * coef @ encoding.partitions.squares)
    if hard:
        # Partitions have Z_ii = 1.
        constant += float(encoding.rows.multiplicity**2 @ (np.diagonal(curvature) - 2.0 * np.diagonal(together)))
        np.fill_diagonal(together, 0.0)
        np.fill_diagonal(curvature, 0.0)
    return _PairTerms(curvature, together * scale, constant, scale)


def _pairwise_bound(pairs, hard):
    """Smallest objective if every pair chooses its own Z."""
    curvature, linear, constant, scale = pairs
    if hard:
        return float(np.sum(np.minimum(0.0, curvature * scale**2 - 2.0 * linear * scale))) + constant
    return constant - float(np.sum(linear * ratio(linear, curvature)))


def _membership_bounds(pairs, n_clusters):
    """Yield bounds for memberships: Eckart and Young with a multiplier for the box, improved by accelerated ascent."""
    curvature, linear, constant, scale = pairs
    d = len(scale)
    rank = min(n_clusters - 1, d)
    mean = scale / n_clusters
    common = _common_curvature(curvature)
    excess = curvature - common
    convex = np.maximum(excess, 0.0)
    # A chord from the minimum of Z to 1, where the curvature of the pair is smaller than the common one.
    low = np.zeros_like(scale)
    np.fill_diagonal(low, np.diagonal(mean))
    chord = np.minimum(excess, 0.0)
    linear = linear - 0.5 * chord * (scale + low)
    constant = constant - float(np.sum(chord * low * scale))
    damping = common / (common + convex)

    tangent = ratio(linear, curvature)
    point = before = np.array([np.zeros_like(scale), tangent])
    step = 1.0
    n_ahead = 0
    best = -np.inf
    while True:
        A, tangent = point
        shifted = (linear - convex * tangent) / common + A
        Z = mean
        captured = 0.0
        if rank:
            values, vectors = eigh(shifted - mean, subset_by_index=[d - rank, d - 1])
            values = np.maximum(values, 0.0)
            Z = mean + (vectors * values) @ vectors.T
            captured = float(np.sum(values**2))
        # The minimum of |mean + M|^2 - 2 <shifted, mean + M>.
        least = float(np.sum(mean * (mean - 2.0 * shifted))) - captured
        least += 2.0 * float(np.sum(np.minimum(A, 0.0) * scale))
        value = constant + common * least - float(np.sum(convex * tangent**2))
        yield value
        if value >= best:
            n_ahead += 1
            best = value
            top = point
            rise = np.array([-0.5 * Z, damping * (Z - tangent)])
        elif n_ahead > 1:
            n_ahead = 1
        else:
            step *= 0.5
        # Start from the best point; if the bound fell, drop the momentum, or shorten a step without momentum.
        after = top + step * rise
        # The proximal step of 2 <min(A, 0), scale>: multipliers of pairs inside the box vanish.
        after[0] = np.maximum(after[0], 0.0) + np.minimum(after[0] + 0.5 * step * scale, 0.0)
        point = after + (n_ahead - 1.0) / (n_ahead + 2.0) * (after - before)
        before = after


def _common_curvature(curvature):
    """The curvature that bounds those of all pairs: the least one, but not much less than the mean."""
    others = curvature[~np.eye(len(curvature), dtype=bool)]
    if not others.max(initial=0.0) > 0.0:
        return max(float(curvature.max()), 1.0)
    return max(float(others.min()), _LEAST_CURVATURE * float(others.mean()))
