"""Sweeps over the rows; with many rows, in rounds of blocks."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..core.arrays import Visit
from ..core.threads import stop_if_cancelled
from . import line_search

# Gaps below this are rounding errors of the small matrices.
ROUNDING = 1e-14
# Up to this many rows fit in the cache, where random access is cheap; more are shuffled in runs of _RUN.
_SHUFFLED_SINGLY = 2**15
_RUN = 16
# Pairwise steps per row and sweep: preparing a row costs O(m k), a step only O(k).
_PAIR_STEPS = 4
# From this many rows on, threads sweep the blocks of a round without seeing each other's steps. Long blocks make copies
# of the small matrices cheap; short rounds make the unseen steps small. The number of threads does not change the
# result.
_IN_ROUNDS = 2**16
_BLOCKS = 8
_MIN_BLOCK = 512
_COPIES = 16
_ROUNDS = 32


def visit_with(relaxation):
    """The :class:`~robust_eac.core.arrays.Visit` of a sweep."""
    return Visit(_PAIR_STEPS, 0.0, relaxation)


def sweep(visited, statistics, rows, order, how, *, n_threads=1):
    """Lower the objective row by row, in this order; updates rows, T and Q. Returns the sum of the gaps."""
    if len(order) < _IN_ROUNDS:
        return line_search.sweep_rows(order, *visited, statistics, rows, how)[0]
    # A row reads one slot per column, a copy reads all of T: copies should take a small part of the time.
    n_columns = visited.rows.codes.shape[1] + len(visited.slots.whole)
    length = max(len(order) // (_BLOCKS * _ROUNDS), _MIN_BLOCK, _COPIES * len(statistics.T) // n_columns)
    total = 0.0
    with ThreadPoolExecutor(n_threads) as pool:
        for first in range(0, len(order), _BLOCKS * length):
            stop_if_cancelled()
            blocks = np.split(order[first : first + _BLOCKS * length], range(length, _BLOCKS * length, length))
            total += _sweep_round(visited, statistics, rows, blocks, how, pool)
    return total


def _sweep_round(visited, statistics, rows, blocks, how, pool):
    """Sweep all blocks of a round at the same time, or in turn if the objective would rise; returns the sum of gaps."""
    T, Q = statistics.T, statistics.Q

    def sweep_block(block, statistics):
        return line_search.sweep_rows(block, *visited, statistics, rows, how)

    def propose(block):
        """Sweep a block by itself: (gap, change of the objective, its rows before, its steps of T and of Q)."""
        before, own = rows[block], statistics._replace(T=T.copy(), Q=Q.copy())
        gap, fall = sweep_block(block, own)
        return gap, fall, before, own.T - T, own.Q - Q

    gaps, falls, before, steps_T, steps_Q = zip(*pool.map(propose, blocks), strict=True)
    if sum(falls) + _interaction(statistics, steps_T, steps_Q) <= 0.0:
        T += sum(steps_T)
        Q += sum(steps_Q)
        return sum(gaps)
    for block, values in zip(blocks, before, strict=True):
        rows[block] = values
    return sum(sweep_block(block, statistics)[0] for block in blocks)


def _interaction(statistics, steps_T, steps_Q):
    """Change of the objective by all steps together, minus the sum of its changes by each step alone."""

    def cross(steps):
        return np.sum(sum(steps) ** 2, axis=-1) - sum(np.sum(step**2, axis=-1) for step in steps)

    def weigh(values, coef):
        return np.sum(np.divide(values, coef, out=np.zeros_like(values), where=coef != 0.0))

    of_G = weigh(cross(steps_Q).sum(axis=-1), statistics.mask_coef)
    return of_G - 2.0 * weigh(cross(steps_T), statistics.slot_coef)


def visiting_order(n_rows, rng, groups=None):
    """Random order of the rows. Many rows are shuffled in short runs, for the cache; with groups, runs of one group."""
    if n_rows <= _SHUFFLED_SINGLY:
        return rng.permutation(n_rows)
    starts = _RUN * rng.permutation(-(-n_rows // _RUN))
    order = (starts[:, np.newaxis] + np.arange(_RUN)).ravel()
    order = order[order < n_rows]
    return order if groups is None else np.argsort(groups, kind="stable")[order]
