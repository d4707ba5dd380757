"""The distances that an alternation minimises: losses of the partitions, raw, at two levels, or chance-corrected."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ..checks.values import check_bool, check_choice
from ..solve.formula import accumulate, coefficients, losses_of, weighted_statistics, with_everything
from ..sparse import objective as many
from . import chance_corrected as adjusted
from . import levels
from .raw import RawSteps, State

AGREEMENTS = ("auto", "raw", "adjusted")


class Distance(NamedTuple):
    """Distance of partitions from a membership, and how to minimise its weighted sum.

    diagonal : whether the pairs (i, i) count.
    in_pairs : whether losses count ordered pairs of objects; otherwise they are shares of what chance would give.
    measure : (encoding, rows, weights, *, n_threads) -> the state that losses and steps share.
    losses : (encoding, rows, state) -> losses of the partitions.
    steps : (encoding, weights, rows, state, settings, rng) -> what :func:`~robust_eac.solve.descent.descend` drives; its
        `state` is that of the rows after the last refresh.
    extend : encoding -> the encoding that gradient and line search visit.
    statistics : (encoding, weights, rows) -> the Statistics at the rows for these visits.
    factor : (encoding, weights, rows) -> gradient of the weighted losses over that of the statistics.
    terms : (encoding, weights, state) -> what the statistics are made of, (m,) each: coefficients, on the pairs that a
        partition observes, of -2 <Y'Y, X_u'W_uX_u>, of |Y'Y|^2 and of -2 |Y1|^2.
    follow : (encoding, weights, state) -> the state whose losses belong to these weights; None if losses do not depend
        on the weights.
    many : (encoding, *, with_floor) -> the same Distance of sparse memberships, for many clusters; None if there is
        none. Such a one has `start` and `expand` in place of the functions from `extend` to `terms`.
    start : (encoding, n_clusters, start, rng) -> memberships to start from.
    expand : (whole, weights, rows, tol) -> memberships of all objects of an encoding from those of its rows.
    gap : (weights, rows) -> the optimality gap.
    """

    diagonal: bool
    in_pairs: bool
    measure: Callable
    losses: Callable
    steps: Callable
    extend: Callable | None = None
    statistics: Callable | None = None
    factor: Callable | None = None
    terms: Callable | None = None
    follow: Callable | None = None
    many: Callable | None = None
    start: Callable | None = None
    expand: Callable | None = None
    gap: Callable | None = None

    def unit(self, total):
        """Unit of the losses: the number of ordered pairs for objects of this total weight; 1 for shares."""
        return total**2 if self.in_pairs else 1.0


def _measure(encoding, rows, weights, *, n_threads=1):
    return State(*accumulate(encoding, rows, n_threads=n_threads))


def _raw_terms(encoding, weights, state):
    coef, _ = coefficients(encoding, weights)
    return coef, coef, 0.0 * coef


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
        factor=lambda encoding, weights, rows: 1.0,
        terms=_raw_terms,
        many=partial(_raw_distance_of_many, diagonal=diagonal),
    )


def _raw_distance_of_many(encoding, *, diagonal, with_floor):
    ensemble, how = many.Ensemble(encoding), {"diagonal": diagonal, "with_floor": with_floor}
    return Distance(
        diagonal=diagonal,
        in_pairs=True,
        measure=lambda encoding, rows, weights, *, n_threads=1: many.measure(ensemble, rows),
        losses=lambda encoding, rows, state: many.losses(ensemble, rows, state, diagonal=diagonal),
        steps=lambda encoding, weights, rows, state, settings, rng: many.SparseSteps(
            ensemble, weights, rows, state, rng, **how
        ),
        gap=lambda weights, rows: many.SparseSteps(ensemble, weights, rows, None, None, **how).gap(),
        start=partial(many.start_rows, with_floor=with_floor),
        expand=partial(many.expand, ensemble, with_floor=with_floor),
    )


ADJUSTED = Distance(
    diagonal=True,
    in_pairs=False,
    measure=lambda encoding, rows, weights, *, n_threads=1: adjusted.measure(encoding, rows, n_threads=n_threads),
    losses=lambda encoding, rows, state: state.losses,
    steps=adjusted.AdjustedSteps,
    extend=with_everything,
    statistics=adjusted.statistics_at,
    factor=adjusted.factor,
    terms=adjusted.terms,
)


def level_distance(diagonal=True):
    """The :class:`Distance` from two levels found from the data, with or without the pairs (i, i)."""
    return Distance(
        diagonal=diagonal,
        in_pairs=True,
        measure=partial(levels.measure, diagonal=diagonal),
        losses=lambda encoding, rows, state: levels.losses(encoding, state),
        steps=partial(levels.LevelSteps, diagonal=diagonal),
        extend=with_everything,
        statistics=partial(levels.statistics_at, diagonal=diagonal),
        factor=partial(levels.factor, diagonal=diagonal),
        terms=levels.terms,
        follow=levels.follow,
    )


def resolve_distance(agreement, diagonal, threshold="half", *, corrected=None):
    """Check the arguments and return the :class:`Distance` of that name.

    corrected : whether the weighting reads chance-corrected losses, which "auto" follows if no argument needs raw ones.
        None where there is no "auto".
    """
    names = ("raw", "adjusted") if corrected is None else AGREEMENTS
    check_choice(agreement, names, name="agreement")
    diagonal = check_bool(diagonal, name="diagonal")
    data = check_choice(threshold, ("half", "data"), name="threshold") == "data"
    if agreement == "adjusted" and not diagonal:
        raise ValueError('diagonal must be True with agreement="adjusted", which is defined over all pairs; got False.')
    if agreement == "adjusted" and data:
        raise ValueError('threshold must be "half" with agreement="adjusted", got "data".')
    if agreement == "adjusted" or (agreement == "auto" and corrected and diagonal and not data):
        return ADJUSTED
    return level_distance(diagonal) if data else raw_distance(diagonal)
