"""PEACE: probabilistic consensus clustering by evidence accumulation, on all pairs of objects or a sample.

The gradient of an object's column is g_i = sum_j N_ij w(y_i'y_j, c_ij) y_j, with w the derivative of the divergence in
its first argument. The solver of the median partition needs all pairs and squared differences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import MAX_SEED, RandomState
from ..core.kernels import njit
from ..ensemble import reading
from ..ensemble.encoding import relabel
from ._common import check_memory, check_starts, prepare

DIVERGENCES = ("l2", "kl")
# Within this distance of 0 and 1 the Kullback-Leibler divergence is continued linearly, so that it stays finite.
_MARGIN = 1e-6
# The gradient is recomputed after this many steps per object: updates accumulate rounding errors.
_STEPS_PER_OBJECT = 50
# Both directions of a pair, and the arrays they are computed from.
_BYTES_PER_PAIR = 130
_MAX_ROOT_STEPS = 100


class SampledPairs(NamedTuple):
    """Both directions of every pair, like the rows of a sparse symmetric matrix.

    starts : (n + 1,) int64; the pairs of object i are at starts[i], ..., starts[i + 1] - 1.
    partners, c, N : the other object of each pair, and the co-association and weight of the pair.
    """

    starts: np.ndarray
    partners: np.ndarray
    c: np.ndarray
    N: np.ndarray


class PeaceState(NamedTuple):
    """A membership Y with the gradients g of its columns, both (n, k), and their gaps (n,)."""

    Y: np.ndarray
    g: np.ndarray
    gaps: np.ndarray


class PeaceResult(NamedTuple):
    """Result of :func:`solve_peace`."""

    labels: np.ndarray
    membership: np.ndarray
    objective: float
    gap: float
    n_steps: int
    converged: bool


def solve_peace(
    labels: ArrayLike,
    n_clusters: int,
    *,
    divergence: str = "l2",
    n_partners: int = 100,
    weights: ArrayLike | None = None,
    init: ArrayLike | None = None,
    n_init: int = 1,
    tol: float = 1e-3,
    max_steps: int | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> PeaceResult:
    r"""Fit memberships whose inner products approximate the co-associations of a sample of pairs.

    Solve :math:`\min_Y \sum_{(i, j) \in P} N_{ij} d(c_{ij}, y_i^T y_j)` over the left-stochastic Y ([1]_, [2]_), with P
    unordered pairs of different objects, :math:`N_{ij}` the weight of the partitions that observe both, :math:`c_{ij}`
    the share of it that puts them together, and d the squared difference or the binary Kullback-Leibler divergence
    :math:`c \log(c / p) + (1 - c) \log((1 - c) / (1 - p))`, which gives maximum likelihood.

    In the column of largest gap, mass moves from the cluster of largest gradient to that of smallest, by exact line
    search. The objective never increases; the problem is not convex. A ConvergenceWarning is issued if `max_steps` is
    reached. An object without observed pairs stays at its start, and one with few may stay far from its optimum, since
    `tol` refers to a mean over objects.

    Parameters
    ----------
    n_clusters : int
        Largest number of clusters; some may be empty.
    divergence : {"l2", "kl"}, default="l2"
        d. "kl" is continued linearly within 1e-6 of p = 0 and p = 1.
    n_partners : int, default=100
        Partners that every object draws, with replacement; a pair counts if either object drew the other. All pairs are
        used if this is None or n_samples n_partners is at least their number. [1]_ samples pairs uniformly, so that
        some objects may have none.
    init : array-like, default=None
        A membership (n_samples, n_clusters) or labels (n_samples,) to start from. A uniform membership is stationary.
        None means Dirichlet(1) rows.
    n_init : int, default=1
        Number of random starts on the same pairs; the best objective is kept.
    tol : float, default=1e-3
        Stop when the largest gap of a column is at most `tol` times the mean over objects of :math:`\sum_j N_{ij}`.
    max_steps : int, default=None
        Largest number of moves per start. None means 1000 n_samples; about ten per object are usual.
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the pairs and the starts
    labels, weights, n_jobs : as in :func:`~robust_eac.consensus.kmeans_consensus`

    Returns
    -------
    result : PeaceResult
        Named tuple: `labels`, the clusters of largest membership, numbered by first appearance; `membership` of shape
        (n_samples, n_clusters), rows on the simplex, columns in another order; `objective`; `gap`, relative to the mean
        of :math:`\sum_j N_{ij}`; `n_steps`; `converged`, gap <= tol.

    References
    ----------
    .. [1] Lourenço et al., "Probabilistic consensus clustering using evidence accumulation", Machine Learning 98, 2015.
    .. [2] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 3.2.

    Examples
    --------
    >>> result = solve_peace(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    >>> result.labels, result.converged
    (array([0, 0, 0, 1, 1]), True)
    """
    ensemble = reading.ensemble(labels, init=init)
    encoding, n_clusters, weights = prepare(ensemble, n_clusters, weights)
    n = ensemble.n_samples
    kl = check.choice(divergence, DIVERGENCES, name="divergence") == "kl"
    if n_partners is not None:
        n_partners = check.positive(n_partners, name="n_partners")
    start = reading.init(init, n, n_clusters)
    if start.name == "kmeans":
        raise ValueError(f'init must be None, "random" or an array, got {init!r}.')
    n_init, rng = check_starts(n_init, random_state)
    tol = check.real(tol, name="tol", low=0.0)
    max_steps = 1000 * n if max_steps is None else check.integer(max_steps, name="max_steps", low=0)
    n_jobs = check.n_jobs(n_jobs)

    pairs = _sample(encoding, weights, n_partners, rng)
    starts = rng.randint(MAX_SEED, size=n_init) if start.name else [start.memberships]
    runs = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_one_start)(pairs, n, n_clusters, one, kl, tol, max_steps) for one in starts
    )
    best = min(runs, key=lambda run: run.objective)
    message = f"PEACE did not converge: gap={best.gap:.3g} > tol={tol:.3g} after max_steps={max_steps}."
    check.warn_unless(best.converged, message)
    return best


def _sample(encoding, weights, n_partners, rng):
    """The :class:`SampledPairs` that the objects draw, or all."""
    n = encoding.n_samples
    if n_partners is None or 2 * n_partners >= n - 1:
        check_memory(_BYTES_PER_PAIR * (n * (n - 1) // 2), f"peace: all pairs of n_samples={n} objects")
        first, second = np.triu_indices(n, 1)
    else:
        first = np.repeat(np.arange(n), n_partners)
        # Each object draws any other object.
        second = (first + 1 + rng.randint(n - 1, size=len(first))) % n
        keys = np.unique(np.minimum(first, second) * n + np.maximum(first, second))
        first, second = np.divmod(keys, n)
    # The code of "not observed"; no label has this code if nothing is missing.
    missing = encoding.partitions.n_clusters
    together = np.zeros(len(first))
    both = np.zeros(len(first))
    for codes, code, weight in zip(encoding.rows.codes.T, missing, weights, strict=True):
        seen = (codes[first] != code) & (codes[second] != code)
        both += weight * seen
        together += weight * (seen & (codes[first] == codes[second]))
    observed = both > 0.0
    first = first[observed]
    second = second[observed]
    together = together[observed]
    both = both[observed]
    rows = np.concatenate([first, second])
    order = np.argsort(rows, kind="stable")
    # Both sums run over the weights in the same order: the share of a unanimous pair is exactly 1.
    c = together / both
    return SampledPairs(
        starts=np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]),
        partners=np.concatenate([second, first])[order],
        c=np.concatenate([c, c])[order],
        N=np.concatenate([both, both])[order],
    )


def _one_start(pairs, n, n_clusters, start, kl, tol, max_steps):
    """Descend from a membership, or from Dirichlet(1) rows drawn with a seed."""
    if isinstance(start, np.ndarray):
        Y = start.copy()
    else:
        Y = np.random.RandomState(start).standard_exponential((n, n_clusters))
        Y /= Y.sum(axis=1, keepdims=True)
    mean_weight = max(float(pairs.N.sum()) / n, float(np.finfo(np.float64).tiny))
    # The kernel must compare gaps with the same number: gap / unit <= tol would round differently, and could repeat a
    # descent without a step forever.
    target = tol * mean_weight
    state = PeaceState(Y, np.empty_like(Y), np.empty(n))
    n_steps = 0
    while True:
        all_gradients(pairs, kl, state)
        largest = float(state.gaps.max())
        if largest <= target or n_steps >= max_steps:
            break
        n_steps += move_mass(pairs, kl, state, target, min(_STEPS_PER_OBJECT * n, max_steps - n_steps))
    objective = total_divergence(pairs, kl, Y)
    return PeaceResult(
        relabel(Y.argmax(axis=1)), Y, float(objective), largest / mean_weight, n_steps, largest <= target
    )


@njit
def divergence(p, c, kl):
    """Divergence of the prediction p from the co-association c: squared difference or Kullback-Leibler."""
    if not kl:
        return (p - c) * (p - c)
    inside = min(max(p, _MARGIN), 1.0 - _MARGIN)
    value = (p - inside) * slope(p, c, kl)
    if c > 0.0:
        value += c * np.log(c / inside)
    if c < 1.0:
        value += (1.0 - c) * np.log((1.0 - c) / (1.0 - inside))
    return value


@njit
def slope(p, c, kl):
    """Derivative of the divergence in p; non-decreasing."""
    if not kl:
        return 2.0 * (p - c)
    inside = min(max(p, _MARGIN), 1.0 - _MARGIN)
    return (inside - c) / (inside * (1.0 - inside))


@njit
def pull(pairs, e, p, kl):
    """Slope of the divergence of pair e at the prediction p, times its weight."""
    return pairs.N[e] * slope(p, pairs.c[e], kl)


@njit
def bend(p, c, kl):
    """Second derivative of the divergence in p."""
    if not kl:
        return 2.0
    if not _MARGIN < p < 1.0 - _MARGIN:
        return 0.0
    return c / (p * p) + (1.0 - c) / ((1.0 - p) * (1.0 - p))


@njit
def predict(Y, i, j):
    """y_i'y_j."""
    total = 0.0
    for q in range(Y.shape[1]):
        total += Y[i, q] * Y[j, q]
    return total


@njit
def total_divergence(pairs, kl, Y):
    """Sum over the unordered pairs of N d(c, y_i'y_j)."""
    total = 0.0
    for i in range(Y.shape[0]):
        for e in range(pairs.starts[i], pairs.starts[i + 1]):
            j = pairs.partners[e]
            if j > i:
                total += pairs.N[e] * divergence(predict(Y, i, j), pairs.c[e], kl)
    return total


@njit
def column_gradient(i, pairs, kl, Y, g):
    """Fill g[i] with the gradient in the column of object i; O(partners k)."""
    g[i] = 0.0
    for e in range(pairs.starts[i], pairs.starts[i + 1]):
        j = pairs.partners[e]
        w = pull(pairs, e, predict(Y, i, j), kl)
        for q in range(Y.shape[1]):
            g[i, q] += w * Y[j, q]


@njit
def extremes(y, g):
    """Cluster of smallest gradient, and of largest gradient among the clusters with mass."""
    low = 0
    high = -1
    for q in range(y.shape[0]):
        if g[q] < g[low]:
            low = q
        if y[q] > 0.0 and (high < 0 or g[q] > g[high]):
            high = q
    return low, high


@njit
def column_gap(y, g):
    """Largest rate of decrease when mass moves between two clusters; 0 exactly if the column is stationary."""
    low, high = extremes(y, g)
    return g[high] - g[low]


@njit
def all_gradients(pairs, kl, state):
    for i in range(state.Y.shape[0]):
        column_gradient(i, pairs, kl, state.Y, state.g)
        state.gaps[i] = column_gap(state.Y[i], state.g[i])


@njit
def exchange(J, low, high, pairs, kl, Y, g):
    """Mass in [0, y_high] to move from cluster high to low in the column of object J: the exact minimiser."""
    upper = Y[J, high]
    if not kl:
        curvature = 0.0
        for e in range(pairs.starts[J], pairs.starts[J + 1]):
            j = pairs.partners[e]
            d = Y[j, low] - Y[j, high]
            curvature += 2.0 * pairs.N[e] * d * d
        fall = g[J, high] - g[J, low]
        return upper if fall >= upper * curvature else fall / curvature
    lo = 0.0
    hi = upper
    t = upper
    for _ in range(_MAX_ROOT_STEPS):
        rate = 0.0
        curvature = 0.0
        for e in range(pairs.starts[J], pairs.starts[J + 1]):
            j = pairs.partners[e]
            d = Y[j, low] - Y[j, high]
            p = predict(Y, J, j) + t * d
            rate += pull(pairs, e, p, kl) * d
            curvature += pairs.N[e] * bend(p, pairs.c[e], kl) * d * d
        if rate <= 0.0:
            if t == upper:
                return upper
            lo = t
        else:
            hi = t
        new = t - rate / curvature if curvature > 0.0 else lo
        if not lo < new < hi:
            new = 0.5 * (lo + hi)
        if hi - lo <= 1e-14 * upper or abs(new - t) <= 1e-15 * upper:
            return new
        t = new
    return t


@njit
def move_mass(pairs, kl, state, target, n_steps):
    """Move mass in the column of largest gap until no gap exceeds the target; return the steps, at most n_steps."""
    Y, g, gaps = state
    k = Y.shape[1]
    old = np.empty(k)
    for step in range(n_steps):
        J = np.argmax(gaps)
        if gaps[J] <= target:
            return step
        low, high = extremes(Y[J], g[J])
        t = exchange(J, low, high, pairs, kl, Y, g)
        old[:] = Y[J]
        Y[J, low] += t
        Y[J, high] = Y[J, high] - t if t < Y[J, high] else 0.0
        for e in range(pairs.starts[J], pairs.starts[J + 1]):
            j = pairs.partners[e]
            before = 0.0
            after = 0.0
            for q in range(k):
                before += old[q] * Y[j, q]
                after += Y[J, q] * Y[j, q]
            w_before = pull(pairs, e, before, kl)
            w_after = pull(pairs, e, after, kl)
            for q in range(k):
                g[j, q] += w_after * Y[J, q] - w_before * old[q]
            gaps[j] = column_gap(Y[j], g[j])
        column_gradient(J, pairs, kl, Y, g)
        gaps[J] = column_gap(Y[J], g[J])
    return n_steps
