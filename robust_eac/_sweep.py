"""Sweeps over the rows of an encoding, down to an optimality gap, for fixed weights."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from ._encoding import Encoding, select
from ._formula import accumulate, gap_of, gap_unit, matrices_of, padded, visit, weighted_statistics

# Rows up to this number fit in the cache, where visiting them one by one at random costs nothing.
_SHUFFLED_SINGLY = 2**15
_RUN = 16
# Gaps below this are rounding of the small matrices.
ROUNDING = 1e-14
# Pair steps per visit of a column: a visit costs O(m k) before the first, a step only O(k). Where visits miss the
# cache, more steps pay.
_PAIR_STEPS = 4
PAIR_STEPS_OF_MANY = 8
# Sweeps that leave more than this share of the gap are slow; columns are then carried this many times as far as their
# minimum, which speeds up what all of them do together.
_SLOW = 0.5
_RELAXATION = 1.7
# What the columns of relaxed sweeps overshot by, one plain sweep takes back, and leaves about this share of their gap.
_CLOSED = 0.28
# Visits see gaps that their sweep goes on to close: of the sum of a slow sweep about this share is left. A measured gap
# that exceeds it corrects the share.
_SEEN = {"plain": 0.5, "relaxed": 0.67, "closing": 0.36}
# Columns whose own gap is below this share of the tolerance are settled; all of them together cannot exceed it.
SETTLED = 0.05
# Rows from this number on are visited in rounds of blocks that do not see each other's steps, a block per thread at a
# time. Blocks are long enough for the copies of the small matrices not to count, rounds short enough for the steps of
# one block to matter little to the others. The number of blocks does not depend on the threads: nor does the result.
_IN_ROUNDS = 2**16
_BLOCKS = 8
_MIN_BLOCK = 512
_COPIES = 16
_ROUNDS = 32


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


class State(NamedTuple):
    """S and G of a membership, and the encoding of the partitions that had weight when it was last lowered."""

    S: np.ndarray
    G: np.ndarray
    active: np.ndarray | None = None
    part: Encoding | None = None


def measure(encoding, rows, *, n_threads=1):
    """The :class:`State` of the memberships of an encoding's rows."""
    return State(*accumulate(encoding, rows, n_threads=n_threads))


def descend(encoding, weights, rows, state, *, diagonal, tol, max_sweeps, rng, reduction=0.0, n_threads=1):
    """Sweep over `rows` in place until the optimality gap is at most tol, or `reduction` times the gap on entry.

    `state` is that of the rows. Returns (gap, number of sweeps, state). A gap above tol may be what the visits of the
    last sweep let expect. Zero sweeps mean that the gap was at most tol already. What has no weight is not read.
    """
    S, G, active, part = state
    if active is None or not np.array_equal(active, np.flatnonzero(weights)):
        active = np.flatnonzero(weights)
        part = select(encoding, active) if len(active) < len(weights) else encoding
    weights = weights[active]
    options = {
        "diagonal": diagonal,
        "n_steps": _PAIR_STEPS if len(rows) <= _SHUFFLED_SINGLY else PAIR_STEPS_OF_MANY,
        "skip": SETTLED * tol * encoding.total,
        "n_threads": n_threads,
    }
    n_sweeps, target, estimate, relaxation, kind, seen = 0, tol, np.inf, 1.0, "plain", dict(_SEEN)
    while True:
        statistics = weighted_statistics(part, weights, *matrices_of(encoding, active, S, G))
        gap = gap_of(part, rows, statistics, diagonal=diagonal, n_threads=n_threads)
        if is_stationary(gap, target) or n_sweeps >= max_sweeps:
            return gap, n_sweeps, State(S, G, active, part)
        if n_sweeps == 0:
            target = max(tol, reduction * gap)
        seen[kind] = max(seen[kind], gap / estimate)
        expected = np.inf
        while not is_stationary(expected, target) and n_sweeps < max_sweeps:
            order = visiting_order(len(rows), rng)
            before = estimate
            kind = "relaxed" if relaxation > 1.0 else "closing" if kind == "relaxed" else "plain"
            estimate = sweep(part, statistics, rows, order, relaxation=relaxation, **options) / gap_unit(encoding)
            n_sweeps += 1
            relaxation = next_relaxation(relaxation, estimate, before, target)
            expected = seen[kind] * estimate
        # Fresh matrices before every decision: what the sweeps update has rounding errors of its own.
        S, G = accumulate(encoding, rows, n_threads=n_threads)
        if tol < expected <= target:
            # The weights move next; only what may be the last gap has to be exact.
            return expected, n_sweeps, State(S, G, active, part)


def next_relaxation(relaxation, gap, before, target):
    """How many times as far as their minimum the next sweep carries columns, from the gaps of the last two.

    Relaxed sweeps end with a plain one where that is expected to reach the target.
    """
    closes = relaxation > 1.0 and _CLOSED * gap <= target
    return _RELAXATION if gap > _SLOW * before and not closes else 1.0


def sweep(encoding, statistics, rows, order, *, diagonal, n_steps=_PAIR_STEPS, skip=0.0, relaxation=1.0, n_threads=1):
    """One visit of the rows in the given order: rows, T and Q follow; returns the sum of the objects' gaps.

    The objective never rises.
    """

    descend = partial(
        visit, encoding, statistics, rows, diagonal=diagonal, n_steps=n_steps, skip=skip, relaxation=relaxation
    )
    T, Q = padded(statistics.T), statistics.Q
    if len(order) < _IN_ROUNDS:
        total, _ = descend(order, T, Q)
    else:
        total = _sweep_in_rounds(encoding, statistics, rows, order, T, Q, descend, n_threads)
    statistics.T[:] = T[:, : rows.shape[1]]
    return total


def _sweep_in_rounds(encoding, statistics, rows, order, T, Q, descend, n_threads):
    """The same in rounds of blocks.

    A round's blocks are joined when the decreases that they saw, each with the others at rest, outweigh what their
    steps cost each other; otherwise they follow one another.
    """

    def propose(block):
        """Gaps and fall of the objective at a block's visits, its rows before them, and its steps of T and Q."""
        before, own_T, own_Q = rows[block], T.copy(), Q.copy()
        gap, fall = descend(block, own_T, own_Q)
        return gap, fall, before, own_T - T, own_Q - Q

    # A block's visits should outweigh the copy of T: m slots are read per visit, len(T) copied.
    length = max(len(order) // (_BLOCKS * _ROUNDS), _MIN_BLOCK, _COPIES * len(T) // len(encoding.offsets))
    interaction = partial(_interaction, statistics.slot_coef, statistics.mask_coef)
    total = 0.0
    with ThreadPoolExecutor(n_threads) as pool:
        for first in range(0, len(order), _BLOCKS * length):
            blocks = np.split(order[first : first + _BLOCKS * length], range(length, _BLOCKS * length, length))
            gaps, falls, before, steps_T, steps_Q = zip(*pool.map(propose, blocks), strict=True)
            steps_T, steps_Q = np.array(steps_T), np.array(steps_Q)
            if sum(falls) + interaction(steps_T, steps_Q) <= 0.0:
                T += steps_T.sum(axis=0)
                Q += steps_Q.sum(axis=0)
            else:
                for block, values in zip(blocks, before, strict=True):
                    rows[block] = values
                gaps = [descend(block, T, Q)[0] for block in blocks]
            total += sum(gaps)
    return total


def _interaction(coef, mask_coef, steps_T, steps_Q):
    """By how much the objective rises with all steps of S and G taken together more than with each of them alone."""

    def cross(steps):
        together = steps.sum(axis=0)
        return np.sum(together**2, axis=-1) - np.sum(steps**2, axis=(0, -1))

    def weigh(values, coef):
        return np.sum(np.divide(values, coef, out=np.zeros_like(values), where=coef != 0.0))

    return weigh(cross(steps_Q).sum(axis=-1), mask_coef) - 2.0 * weigh(cross(steps_T), coef)


def visiting_order(n_rows, rng):
    """Random order of the rows; of many rows, random order of short runs, which memory delivers faster."""
    if n_rows <= _SHUFFLED_SINGLY:
        return rng.permutation(n_rows)
    starts = _RUN * rng.permutation(-(-n_rows // _RUN))
    order = (starts[:, np.newaxis] + np.arange(_RUN)).ravel()
    return order[order < n_rows]


def is_stationary(gap, tol):
    """Whether an optimality gap is at most tol, or as small as rounding lets it become."""
    return bool(gap <= max(tol, ROUNDING))
