"""What an alternation lowers: the losses of the partitions, raw or corrected for chance."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ._formula import losses_of
from ._sweep import PLAIN, Model, descend, measure
from ._validation import check_bool, check_choice
from .adjusted import CHANCE, adjusted_state, descend_adjusted


class Distance(NamedTuple):
    """How far partitions are from a membership, and how to lower the weighted sum of it.

    measure : (encoding, rows) -> the state that losses and descent share.
    losses : (encoding, rows, state) -> losses of the partitions.
    descend : as :func:`~robust_eac._sweep.descend`.
    model : what the sweeps minimise.
    diagonal : whether the pairs (i, i) count.
    """

    measure: Callable
    losses: Callable
    descend: Callable
    model: Model
    diagonal: bool


ADJUSTED = Distance(adjusted_state, lambda encoding, rows, state: state.losses, descend_adjusted, CHANCE, diagonal=True)


def raw_distance(diagonal):
    """The :class:`Distance` d_u of the paper, with or without the pairs (i, i)."""

    def losses(encoding, rows, state):
        return losses_of(encoding, state.S, state.G, rows, diagonal=diagonal)

    return Distance(measure, losses, partial(descend, diagonal=diagonal), PLAIN, diagonal)


def resolve_distance(agreement, diagonal):
    """The :class:`Distance` that an agreement's name stands for; both arguments are checked."""
    adjusted = check_choice(agreement, ("raw", "adjusted"), name="agreement") == "adjusted"
    diagonal = check_bool(diagonal, name="diagonal")
    if adjusted and not diagonal:
        raise ValueError('diagonal must be True with agreement="adjusted", which is defined over all pairs; got False.')
    return ADJUSTED if adjusted else raw_distance(diagonal)
