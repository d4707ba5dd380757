"""The Y step under the chance-corrected distance: minimise sum_u alpha_u d_u / E[d_u] in the membership.

Both d_u and E[d_u] move with Y. At any Y the gradient of the sum is that of

    sum_u beta_u d_u - sum_u gamma_u E[d_u],     beta_u = alpha_u / E[d_u],     gamma_u = alpha_u d_u / E[d_u]^2

with beta and gamma held fixed, and E[d_u] = |Y'Y|^2 + |X_u'X_u|^2 - 2 E_u depends on Y through |Y'Y|^2, |Y1|^2 and
sum_i |y_i|^2 alone. |Y1|^2 is the agreement with a partition that puts all objects together, sum_i |y_i|^2 that with
one that puts all apart: correcting for chance is a median partition with two more partitions, of negative weight. So
the sweeps of the plain Y step minimise this model too. What they propose is taken as far as it lowers the true sum.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from . import _chance
from ._formula import accumulate, agreement_sides, gap_of, gap_unit, gradient_of, statistics_from
from ._sweep import Model, is_stationary, sweep, visiting_order

# Sweeps on one model before it is made anew.
_MODEL_SWEEPS = 3
# Halvings of a step before it is given up.
_MAX_HALVINGS = 40
# Below this share of E[d_u] at its largest there is nothing to agree or disagree on: both sides are trivial.
_TRIVIAL = 1e-13


class State(NamedTuple):
    """S and G of a membership, with the partitions that put all together; |S_u|^2 and the Sides (see _chance)."""

    S: np.ndarray
    G: np.ndarray
    squares: np.ndarray
    consensus: _chance.Side
    partitions: _chance.Side

    @property
    def losses(self):
        """The chance-corrected losses d_u / E[d_u] = 1 - a_u, not below zero."""
        return np.maximum(1.0 - _chance.adjusted(self.squares, self.consensus, self.partitions), 0.0)


def adjusted_state(encoding, rows, *, n_threads=1):
    """The :class:`State` of the memberships of an encoding's rows."""
    return state_of(_with_everything(encoding), rows, n_threads=n_threads)


def descend_adjusted(encoding, weights, rows, state, *, tol, max_sweeps, rng, reduction=0.0, n_threads=1):
    """Lower sum_u alpha_u d_u / E[d_u] over `rows` in place, until stationary or by `reduction`; never raise it.

    As :func:`~robust_eac._sweep.descend`, whose gap this is, times n^2: losses are shares here, not pairs.

    Each model is lowered by a few sweeps. If the sum is not lower at their end, the step is halved; if no part of it
    helps, mass moves towards the best cluster of every object instead (Frank and Wolfe), which goes downhill wherever
    the gap is not zero.
    """
    extended = _with_everything(encoding)
    shorten = partial(_shorten, extended, weights, n_threads=n_threads)
    n_sweeps, target = 0, tol
    while True:
        statistics = _statistics(extended, weights, state)
        gap = gap_of(extended, rows, statistics, diagonal=True, n_threads=n_threads)
        if is_stationary(gap, target) or n_sweeps >= max_sweeps:
            return gap, n_sweeps, state
        if n_sweeps == 0:
            target = max(tol, reduction * gap)
        before, value = rows.copy(), weights @ state.losses
        for _ in range(_MODEL_SWEEPS):
            order = visiting_order(len(rows), rng)
            estimate = sweep(extended, statistics, rows, order, diagonal=True, n_threads=n_threads) / gap_unit(encoding)
            n_sweeps += 1
            if is_stationary(estimate, target):
                break
        lower = shorten(before, rows, value, state.partitions)
        if lower is None:
            gradient = gradient_of(extended, before, _statistics(extended, weights, state), diagonal=True)
            rows[:] = np.eye(rows.shape[1])[gradient.argmin(axis=1)]
            lower = shorten(before, rows, value, state.partitions)
        if lower is None:
            # What is left of the gap is below what rounding lets the sum show.
            rows[:] = before
            return gap, n_sweeps, state
        state = lower


def state_of(extended, rows, partitions=None, *, n_threads=1):
    """The :class:`State` of the memberships of an extended encoding's rows; the Sides of its partitions if known."""
    S, G = accumulate(extended, rows, n_threads=n_threads)
    n_slots = len(S) - len(G)
    encoding = extended._replace(
        soft=extended.soft[:, : -len(G)], soft_slots=extended.soft_slots[: -len(G)], sizes=extended.sizes[:n_slots]
    )
    return State(S, G, *agreement_sides(encoding, S[:n_slots], rows, partitions))


def _with_everything(encoding):
    """The encoding with one more partition per mask, of all its objects together, as a soft one of one cluster."""
    n_slots, n_masks = len(encoding.sizes), encoding.observed.shape[1]
    return encoding._replace(
        soft=np.concatenate([encoding.soft, encoding.observed], axis=1),
        soft_slots=np.append(encoding.soft_slots, n_slots + np.arange(n_masks)),
        sizes=np.append(encoding.sizes, np.zeros(n_masks)),
    )


def _statistics(extended, weights, state):
    """The :class:`~robust_eac._formula.Statistics` of the model at a state, in the scale of ordered pairs."""
    S, G, squares, consensus, partitions = state
    n_slots = len(S) - len(G)
    both = consensus.square + partitions.square
    expected_losses = both - 2.0 * _chance.expected(consensus, partitions)
    some = expected_losses > _TRIVIAL * both
    scale = np.where(some, weights * extended.total**2 / np.where(some, expected_losses, 1.0), 0.0)
    chance = scale * (both - 2.0 * squares) / np.where(some, expected_losses, 1.0)
    together = _chance.share_of_pairs(partitions)
    own = partitions.own / partitions.singles - together

    def by_mask(values):
        return np.bincount(extended.mask_of, weights=values, minlength=len(G))

    mask_coef = by_mask(scale - chance)
    all_together = -by_mask(chance * together)
    alone, surplus = -by_mask(chance * own), -by_mask(chance * (1.0 - together))
    by_slot = np.append(np.repeat(scale, np.diff(np.append(extended.offsets, n_slots))), all_together)
    return statistics_from(extended, S, G, scale, by_slot, mask_coef, np.column_stack([alone, surplus]))


CHANCE = Model(
    extend=_with_everything,
    statistics=lambda extended, weights, rows: _statistics(extended, weights, state_of(extended, rows)),
)


def _shorten(extended, weights, before, rows, value, partitions, *, n_threads):
    """Halve the step from `before` to `rows`, in place, until the sum is below `value`: the state there, or None."""
    for _ in range(_MAX_HALVINGS):
        state = state_of(extended, rows, partitions, n_threads=n_threads)
        if weights @ state.losses < value:
            return state
        rows += before
        rows *= 0.5
    return None
