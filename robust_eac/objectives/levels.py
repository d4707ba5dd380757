"""The Y step with levels from the data: pairs that the consensus puts together have one level, all others another.

With P = Y'Y, B_u = X_u'W_uX_u and two levels a >= b, partition u loses

    d_u = sum_ij P_ij (B_uij - a)^2 + (1 - P_ij) (B_uij - b)^2,

its squared error if P_ij is the probability that i and j are together. The levels minimise sum_u alpha_u d_u: the
weighted mean co-associations inside and outside of P. Up to a constant,

    sum_u alpha_u d_u = (a^2 - b^2) [sum_ij P_ij - sum_u alpha_u <P, B_u> / ((a + b)/2)],

so that joining a pair pays where its co-association is above the mean of the levels, in place of one half. The sweeps
minimise the bracket. It is linear in P, and its minima in Y are vertices, or nearly: the memberships are hard.
"""

from typing import NamedTuple

import numpy as np

from ..solve.bundles import Visit
from ..solve.encoding import select
from ..solve.formula import accumulate, gap_of, gap_unit, shared_pairs, slots_of, statistics_from, with_everything
from ..solve.sweep import PAIR_STEPS, sweep, visiting_order

# Losses below this share of the squares they are the difference of are rounding.
_ROUNDING = 1e-13


class Totals(NamedTuple):
    """Sums over the pairs that each partition observes, (m,) each: of 1, of B_u and of its squares."""

    pairs: np.ndarray
    together: np.ndarray
    squares: np.ndarray


class State(NamedTuple):
    """S of a membership; sums of P_ij and of P_ij B_uij over the pairs of each partition; their totals; (a, b)."""

    S: np.ndarray
    together: np.ndarray
    shared: np.ndarray
    totals: Totals
    levels: tuple


class LevelSteps:
    """Steps down sum_u alpha_u d_u over `rows`, which are changed; see :mod:`~robust_eac.solve.descent`.

    The levels are found anew after every sweep. The gap is that of the bracket, sum_u alpha_u d_u over a^2 - b^2.
    Partitions without weight are not visited.
    """

    def __init__(self, encoding, weights, rows, state, settings, rng, *, diagonal):
        active = np.flatnonzero(weights)
        self._encoding, self._weights, self._active = encoding, weights, active
        self._part = select(encoding, active) if len(active) < len(weights) else encoding
        self._visited = with_everything(self._part)
        self._rows, self._rng, self._n_threads = rows, rng, settings.n_threads
        self._visit = Visit(diagonal, PAIR_STEPS, skip=0.0, relaxation=1.0)
        self.state = follow(encoding, weights, state)

    def gap(self):
        S = slots_of(self._encoding, self._active, self.state.S)
        self._statistics = _statistics(self._part, self._weights[self._active], S, self.state.levels)
        diagonal, n_threads = self._visit.diagonal, self._n_threads
        return gap_of(self._visited, self._rows, self._statistics, diagonal=diagonal, n_threads=n_threads)

    def sweep(self, relaxation):
        order, how = visiting_order(len(self._rows), self._rng), self._visit._replace(relaxation=relaxation)
        seen = sweep(self._visited, self._statistics, self._rows, order, how, n_threads=self._n_threads)
        return seen / gap_unit(self._encoding)

    def refresh(self):
        diagonal, totals = self._visit.diagonal, self.state.totals
        self.state = _state(self._encoding, self._rows, totals, self._weights, diagonal, self._n_threads)


def measure(encoding, rows, weights, *, diagonal, n_threads=1):
    """The :class:`State` of the memberships of an encoding's rows."""
    return _state(encoding, rows, _totals(encoding, diagonal), weights, diagonal, n_threads)


def _state(encoding, rows, totals, weights, diagonal, n_threads):
    S, _ = accumulate(encoding, rows, n_threads=n_threads)
    # A partition's memberships sum to 1: its slots sum to Y1.
    sizes = np.add.reduceat(S, encoding.offsets, axis=0)
    together, shared = np.einsum("up,up->u", sizes, sizes), shared_pairs(encoding, S)
    if not diagonal:
        own = encoding.own_pairs * np.einsum("ip,ip->i", rows, rows)
        together -= (own @ encoding.observed)[encoding.mask_of]
        shared -= [own @ encoding.self_similarity(u) for u in range(len(shared))]
    return follow(encoding, weights, State(S, together, shared, totals, ()))


def _totals(encoding, diagonal):
    """The :class:`Totals` of the partitions."""
    pairs, together, squares = encoding.n_observed**2, encoding.sum_slots(encoding.sizes**2), encoding.squares
    if not diagonal:
        own = [encoding.self_similarity(u) for u in range(len(pairs))]
        pairs = pairs - (encoding.own_pairs @ encoding.observed)[encoding.mask_of]
        together = together - [encoding.own_pairs @ similarity for similarity in own]
        squares = squares - [encoding.own_pairs @ similarity**2 for similarity in own]
    return Totals(pairs, together, squares)


def follow(encoding, weights, state):
    """The state with the levels a >= b of least weighted loss: equal ones where pairs together are not more alike."""
    coef = weights * encoding.scale
    pairs, together, _ = (coef @ total for total in state.totals)
    inside, shared = coef @ state.together, coef @ state.shared
    if not 0.0 < inside < pairs or shared * pairs <= together * inside:
        return state._replace(levels=(together / pairs, together / pairs))
    return state._replace(levels=(shared / inside, (together - shared) / (pairs - inside)))


def losses(encoding, state):
    """The losses d_u at the levels of a state."""
    a, b = state.levels
    pairs, together, squares = state.totals
    inside = state.together * a**2 - 2.0 * a * state.shared
    outside = (pairs - state.together) * b**2 - 2.0 * b * (together - state.shared)
    found = squares + inside + outside
    found[found < _ROUNDING * squares] = 0.0
    return found * encoding.scale


def _statistics(encoding, weights, S, levels):
    """The bracket's Statistics, for visits of the encoding with everything."""
    coef, n_masks, k = weights * encoding.scale, encoding.observed.shape[1], S.shape[1]
    nothing = np.zeros(n_masks)
    together = -0.5 * encoding.by_mask(coef)
    coef = _over_levels(coef, levels)
    return statistics_from(encoding, S, np.zeros((n_masks, k, k)), coef, nothing, together, nothing)


def _over_levels(coef, levels):
    # Without any pair together both levels are 0.
    return coef / (sum(levels) or 1.0)


def terms(encoding, weights, state):
    """The terms of :class:`~robust_eac.objectives.distance.Distance` at a state."""
    coef = weights * encoding.scale
    return _over_levels(coef, state.levels), 0.0 * coef, -0.5 * coef


def statistics_at(encoding, weights, rows, *, diagonal):
    """The Statistics of :class:`LevelSteps` at the memberships of an encoding's rows."""
    state = measure(encoding, rows, weights, diagonal=diagonal)
    return _statistics(encoding, weights, state.S, state.levels)


def factor(encoding, weights, rows, *, diagonal):
    """a^2 - b^2."""
    a, b = measure(encoding, rows, weights, diagonal=diagonal).levels
    return a**2 - b**2
