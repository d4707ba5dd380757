"""The Y step under the chance-corrected distance: minimise sum_u alpha_u d_u / E[d_u] in the membership.

Both d_u and E[d_u] move with Y. At any Y the gradient of the sum is that of

    sum_u beta_u d_u - sum_u gamma_u E[d_u],     beta_u = alpha_u / E[d_u],     gamma_u = alpha_u d_u / E[d_u]^2

with beta and gamma held fixed, and E[d_u] = |Y'Y|^2 + |X_u'X_u|^2 - 2 E_u depends on Y through |Y'Y|^2, |Y1|^2 and
sum_i |y_i|^2 alone. |Y1|^2 is the agreement with a partition that puts all objects together, sum_i |y_i|^2 that with
one that puts all apart: correcting for chance is a median partition with two more partitions, of negative weight. So
the sweeps of the plain Y step minimise this model too. What they propose is taken as far as it lowers the true sum.

If X_u'X_u is c off the diagonal and c' on it, relabelling does not change it, and d_u = E[d_u] for every Y. Such a
partition has the loss 1, and no part in the model, even at Y'Y = X_u'X_u, where the ratio is 0/0: a loss of 0 at this
one point would be a pit that no gradient shows, and the objective of a descent that falls into it is never stationary.
"""

from typing import NamedTuple

import numpy as np

from ..solve import relabelling
from ..solve.bundles import Visit
from ..solve.formula import accumulate, agreement_sides, gap_of, gap_unit, gradient_of, statistics_from, with_everything
from ..solve.sweep import PAIR_STEPS, sweep, visiting_order

# A step is halved at most so many times.
_MAX_HALVINGS = 40


class State(NamedTuple):
    """S and G of a membership, the lifts of <Y'Y, X_u'W_uX_u>, and the Sides (see relabelling)."""

    S: np.ndarray
    G: np.ndarray
    lift: np.ndarray
    consensus: relabelling.Side
    partitions: relabelling.Side

    @property
    def losses(self):
        """The chance-corrected losses d_u / E[d_u] = 1 - a_u, clipped at zero."""
        return np.maximum(1.0 - relabelling.adjusted(self.lift, self.consensus, self.partitions), 0.0)


class AdjustedSteps:
    """Steps down sum_u alpha_u d_u / E[d_u] over `rows`, which are changed; see :mod:`~robust_eac.solve.descent`.

    The gap is that of the sum times :func:`chance_of`, so that it is counted in ordered pairs, as that of raw losses.
    Every sweep minimises a model of the sum, made anew: a model that is kept for longer leads away from the sum. If the
    sum is not lower after it, the step is halved. If no part of it helps, mass moves towards the best cluster of every
    object instead (Frank and Wolfe), which goes downhill wherever the gap is not zero.
    """

    def __init__(self, encoding, weights, rows, state, settings, rng):
        self.state = state
        self._encoding, self._extended = encoding, with_everything(encoding)
        self._weights, self._rows, self._rng = weights, rows, rng
        self._n_threads = settings.n_threads
        self._visit = Visit(diagonal=True, n_steps=PAIR_STEPS, skip=0.0, relaxation=1.0)

    def gap(self):
        return gap_of(self._extended, self._rows, self._statistics(), diagonal=True, n_threads=self._n_threads)

    def sweep(self, relaxation):
        order, how = visiting_order(len(self._rows), self._rng), self._visit._replace(relaxation=relaxation)
        before = self._rows.copy()
        seen = sweep(self._extended, self._statistics(), self._rows, order, how, n_threads=self._n_threads)
        lower = self._shorten(before)
        if lower is None:
            gradient = gradient_of(self._extended, before, self._statistics(), diagonal=True)
            self._rows[:] = np.eye(before.shape[1])[gradient.argmin(axis=1)]
            lower = self._shorten(before)
        if lower is None:
            # The rest of the gap is rounding.
            self._rows[:] = before
            return None
        self.state = lower
        return seen / gap_unit(self._extended)

    def refresh(self):
        """The state is measured after every sweep."""

    def _statistics(self):
        return _statistics(self._encoding, self._weights, self.state)

    def _shorten(self, before):
        """Halve the step from `before` to the rows until the sum is lower than it was: the state there, or None."""
        value = self._weights @ self.state.losses
        for _ in range(_MAX_HALVINGS):
            state = measure(self._encoding, self._rows, self.state.partitions, n_threads=self._n_threads)
            if self._weights @ state.losses < value:
                return state
            self._rows += before
            self._rows *= 0.5
        return None


def measure(encoding, rows, partitions=None, *, n_threads=1):
    """The :class:`State` of the memberships of an encoding's rows; the Sides of its partitions if known."""
    S, G = accumulate(encoding, rows, n_threads=n_threads)
    return State(S, G, *agreement_sides(encoding, S, rows, partitions))


def chance_of(encoding, weights, state):
    """Losses that chance would give, over all partitions: 1 / sum_u alpha_u / E[d_u], in ordered pairs.

    As in the raw losses, the pairs that a partition observes stand for all.
    """
    rates = _rates(weights, state) * (state.partitions.n / encoding.total) ** 2
    return 1.0 / rates.sum() if rates.any() else 1.0


def _rates(weights, state):
    """(m,) alpha_u / E[d_u], in observed pairs; 0 for what tells nothing: its loss is 1 everywhere, E[d_u] can be 0."""
    tells = relabelling.tells_apart(state.partitions)
    room = np.where(tells, relabelling.room(state.consensus, state.partitions), 1.0)
    return np.where(tells, weights / (2.0 * room), 0.0)


def _statistics(encoding, weights, state):
    """The :class:`~robust_eac.solve.bundles.Statistics` of the model at a state, in ordered pairs.

    They are those of the model times :func:`chance_of`, so that their coefficients of the d_u sum to one. They are for
    visits of the encoding :func:`~robust_eac.solve.formula.with_everything`.
    """
    S, G, partitions = state.S, state.G, state.partitions
    scale, chance, share = _scales(encoding, weights, state)
    together = encoding.by_mask(-chance * share)
    alone = encoding.by_mask(-chance * (partitions.own / partitions.singles - share))
    return statistics_from(encoding, S, G, scale, encoding.by_mask(scale - chance), together, alone)


def _scales(encoding, weights, state):
    """(m,) coefficients of the d_u and of the E[d_u] in the model, and of |Y1|^2 in the E_u."""
    scale = _rates(weights, state) * chance_of(encoding, weights, state)
    return scale, scale * state.losses, relabelling.share_of_pairs(state.partitions)


def terms(encoding, weights, state):
    """The terms of :class:`~robust_eac.objectives.distance.Distance` at a state."""
    scale, chance, share = _scales(encoding, weights, state)
    return scale, scale - chance, -chance * share


def statistics_at(encoding, weights, rows):
    """The Statistics of the model at the memberships of an encoding's rows."""
    return _statistics(encoding, weights, measure(encoding, rows))


def factor(encoding, weights, rows):
    """Gradient of sum_u alpha_u d_u / E[d_u] over that of the statistics."""
    return 1.0 / chance_of(encoding, weights, measure(encoding, rows))
