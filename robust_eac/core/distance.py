"""The distances that an alternation minimises: losses of the partitions, raw or corrected for chance."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ..checks.values import check_bool, check_choice
from .adjusted import AdjustedSteps, adjusted_state
from .adjusted import statistics_at as adjusted_statistics
from .bundles import Visit
from .encoding import Encoding, select
from .formula import accumulate, gap_of, gap_unit, losses_of, matrices_of, weighted_statistics, with_everything
from .sweep import PAIR_STEPS, sweep, visiting_order


class Distance(NamedTuple):
    """Distance of partitions from a membership, and how to minimise its weighted sum.

    diagonal : whether the pairs (i, i) count.
    in_pairs : whether losses count ordered pairs of objects; otherwise they are shares of what chance would give.
    measure : (encoding, rows, *, n_threads) -> the state that losses and steps share.
    losses : (encoding, rows, state) -> losses of the partitions.
    steps : (encoding, weights, rows, state, settings, rng) -> what :func:`~robust_eac.core.descent.descend` drives; its
        `state` is that of the rows after the last refresh.
    extend : encoding -> the encoding that gradient and line search visit.
    statistics : (encoding, weights, rows) -> the Statistics at the rows for these visits.
    """

    diagonal: bool
    in_pairs: bool
    measure: Callable
    losses: Callable
    steps: Callable
    extend: Callable
    statistics: Callable

    def unit(self, total):
        """Unit of the losses: the number of ordered pairs for objects of this total weight; 1 for shares."""
        return total**2 if self.in_pairs else 1.0


class State(NamedTuple):
    """S and G of a membership, and the encoding of the partitions with weight in the last descent."""

    S: np.ndarray
    G: np.ndarray
    active: np.ndarray | None = None
    part: Encoding | None = None


class RawSteps:
    """Steps down sum_u alpha_u d_u over `rows`, which are changed; see :func:`~robust_eac.core.descent.descend`.

    Every sweep minimises column by column, exactly. Partitions without weight are not read.
    """

    def __init__(self, encoding, weights, rows, state, settings, rng, *, diagonal):
        active, part = state.active, state.part
        if active is None or not np.array_equal(active, np.flatnonzero(weights)):
            active = np.flatnonzero(weights)
            part = select(encoding, active) if len(active) < len(weights) else encoding
        self.state = State(state.S, state.G, active, part)
        self._encoding, self._rows, self._weights, self._rng = encoding, rows, weights[active], rng
        self._n_threads = settings.n_threads
        self._visit = Visit(diagonal, PAIR_STEPS, skip=0.0, relaxation=1.0)

    def gap(self):
        S, G, active, part = self.state
        self._statistics = weighted_statistics(part, self._weights, *matrices_of(self._encoding, active, S, G))
        return gap_of(part, self._rows, self._statistics, diagonal=self._visit.diagonal, n_threads=self._n_threads)

    def sweep(self, relaxation):
        order, how = visiting_order(len(self._rows), self._rng), self._visit._replace(relaxation=relaxation)
        seen = sweep(self.state.part, self._statistics, self._rows, order, how, n_threads=self._n_threads)
        return seen / gap_unit(self._encoding)

    def refresh(self):
        S, G = accumulate(self._encoding, self._rows, n_threads=self._n_threads)
        self.state = self.state._replace(S=S, G=G)


def _measure(encoding, rows, *, n_threads=1):
    return State(*accumulate(encoding, rows, n_threads=n_threads))


def raw_distance(diagonal=True):
    """The :class:`Distance` d_u of the paper, with or without the pairs (i, i)."""
    return Distance(
        diagonal=diagonal,
        in_pairs=True,
        measure=_measure,
        losses=lambda encoding, rows, state: losses_of(encoding, state.S, state.G, rows, diagonal=diagonal),
        steps=partial(RawSteps, diagonal=diagonal),
        extend=lambda encoding: encoding,
        statistics=lambda encoding, weights, rows: weighted_statistics(encoding, weights, *accumulate(encoding, rows)),
    )


ADJUSTED = Distance(
    diagonal=True,
    in_pairs=False,
    measure=adjusted_state,
    losses=lambda encoding, rows, state: state.losses,
    steps=AdjustedSteps,
    extend=with_everything,
    statistics=adjusted_statistics,
)


def resolve_distance(agreement, diagonal):
    """Check both arguments and return the :class:`Distance` of that name."""
    adjusted = check_choice(agreement, ("raw", "adjusted"), name="agreement") == "adjusted"
    diagonal = check_bool(diagonal, name="diagonal")
    if adjusted and not diagonal:
        raise ValueError('diagonal must be True with agreement="adjusted", which is defined over all pairs; got False.')
    return ADJUSTED if adjusted else raw_distance(diagonal)
