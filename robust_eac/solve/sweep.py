"""One sweep: visit every row once; many rows in rounds of blocks."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import kernels
from .threads import end_if_told

# So many rows fit in the cache, where random access costs nothing.
_SHUFFLED_SINGLY = 2**15
_RUN = 16
# Pairwise steps per visit: a visit costs O(m k) before the first, a step only O(k).
PAIR_STEPS = 4
# From this many rows on, a sweep goes in rounds of blocks, which threads sweep without seeing each other's steps. Long
# blocks make the copies of the small matrices cheap; short rounds keep the steps of one block small for the others. The
# result does not depend on the number of threads.
_IN_ROUNDS = 2**16
_BLOCKS = 8
_MIN_BLOCK = 512
_COPIES = 16
_ROUNDS = 32


def sweep(encoding, statistics, rows, order, how, *, n_threads=1):
    """Visit the rows in the given order, each as the :class:`~robust_eac.solve.bundles.Visit` says.

    Rows, T and Q follow. Returns the sum of the objects' gaps. The objective never rises.
    """
    if len(order) < _IN_ROUNDS:
        return kernels.sweep(order, encoding.data, encoding.slots, statistics, rows, how)[0]
    # A visit reads m slots; copying T takes len(T). Visits should dominate.
    n_partitions = len(encoding.offsets)
    length = max(len(order) // (_BLOCKS * _ROUNDS), _MIN_BLOCK, _COPIES * len(statistics.T) // n_partitions)
    total = 0.0
    with ThreadPoolExecutor(n_threads) as pool:
        for first in range(0, len(order), _BLOCKS * length):
            end_if_told()
            blocks = np.split(order[first : first + _BLOCKS * length], range(length, _BLOCKS * length, length))
            total += _sweep_round(encoding, statistics, rows, blocks, how, pool)
    return total


def _sweep_round(encoding, statistics, rows, blocks, how, pool):
    """Sweep all blocks of a round at the same time; returns the sum of their gaps.

    Take all steps if the decreases, each computed with the other blocks at rest, outweigh the interaction of the steps.
    Otherwise sweep the blocks one after another.
    """
    T, Q = statistics.T, statistics.Q

    def visit(block, statistics):
        return kernels.sweep(block, encoding.data, encoding.slots, statistics, rows, how)

    def propose(block):
        """Gaps and decrease of a block's visits, its rows before them, and its steps of T and Q."""
        before, own = rows[block], statistics._replace(T=T.copy(), Q=Q.copy())
        gap, fall = visit(block, own)
        return gap, fall, before, own.T - T, own.Q - Q

    gaps, falls, before, steps_T, steps_Q = zip(*pool.map(propose, blocks), strict=True)
    if sum(falls) + _interaction(statistics, steps_T, steps_Q) <= 0.0:
        T += sum(steps_T)
        Q += sum(steps_Q)
        return sum(gaps)
    for block, values in zip(blocks, before, strict=True):
        rows[block] = values
    return sum(visit(block, statistics)[0] for block in blocks)


def _interaction(statistics, steps_T, steps_Q):
    """Rise of the objective with all steps together, minus the sum of its rises with each step alone."""

    def cross(steps):
        return np.sum(sum(steps) ** 2, axis=-1) - sum(np.sum(step**2, axis=-1) for step in steps)

    def weigh(values, coef):
        return np.sum(np.divide(values, coef, out=np.zeros_like(values), where=coef != 0.0))

    of_G = weigh(cross(steps_Q).sum(axis=-1), statistics.mask_coef)
    return of_G - 2.0 * weigh(cross(steps_T), statistics.slot_coef)


def visiting_order(n_rows, rng):
    """Random order of the rows; of many rows, of short runs, which saves cache misses."""
    if n_rows <= _SHUFFLED_SINGLY:
        return rng.permutation(n_rows)
    starts = _RUN * rng.permutation(-(-n_rows // _RUN))
    order = (starts[:, np.newaxis] + np.arange(_RUN)).ravel()
    return order[order < n_rows]
