"""How kernels are compiled; sums over rows of codes, and the passes of k-means on them.

Arguments: see :mod:`~robust_eac.ensemble.encoding`.
Slots are unsigned in inner loops, which saves numba's check for negative indices.
"""

import logging
import sys
from functools import partial

import numba
import numpy as np
from numba.core import event

from .threads import LOG

# Kernels are called from Python or from each other, never from C: wrappers for C would take time to compile.
#
# They assign at most three values at once: Python builds a tuple for more, which would take time to compile, too.
njit = partial(numba.njit, cache=True, nogil=True, no_cfunc_wrapper=True)
# Cells are read slot by slot where there are at most this many slots per label, otherwise label by label.
_SLOTS_PER_LABEL = 16
_COMPILING = "Compiling, once per installation."


class _Announcement(event.Listener):
    """Logs one line when the first kernel is compiled; on a terminal it is shown if progress is not."""

    done = False

    def on_start(self, event):
        if not self.done:
            self.done = True
            LOG.info(_COMPILING)
            if sys.stderr.isatty() and not LOG.isEnabledFor(logging.INFO):
                from tqdm import tqdm

                tqdm.write(_COMPILING, sys.stderr)

    def on_end(self, event):
        """Log nothing."""


def announce_compiling():
    """Context in which a line is logged if numba compiles a kernel, rather than load it from its cache.

    Compiling takes four seconds of the first fit on a machine (docs/speed.md), in which nothing else is shown.
    """
    return event.install_listener("numba:compile", _Announcement())


@njit
def add_rows(data, offsets, membership, S, G):
    """Add to S (n_slots, k) and, unless empty, G (n_masks, k, k); O(rows (m k + masks k^2)).

    The sums of "not observed" are added, too.
    """
    codes = data.codes
    observed = data.observed
    multiplicity = data.multiplicity
    k = membership.shape[1]
    wy = np.empty(S.shape[1])
    for p in range(S.shape[1]):
        wy[p] = 0.0
    for i in range(codes.shape[0]):
        for p in range(k):
            wy[p] = multiplicity[i] * membership[i, p]
        for u in range(codes.shape[1]):
            slot = np.uint64(offsets[u] + codes[i, u])
            for p in range(S.shape[1]):
                S[slot, p] += wy[p]
        for g in range(G.shape[0]):
            if observed[i, g]:
                for p in range(k):
                    if wy[p] != 0.0:
                        for q in range(k):
                            G[g, p, q] += wy[p] * membership[i, q]


@njit
def count(codes, offsets, multiplicity, clusters, counts):
    """Add the objects of each slot in each cluster of a hard consensus to counts (n_slots, k); O(rows m).

    Rows in cluster -1 are left out.
    """
    for i in range(codes.shape[0]):
        if clusters[i] >= 0:
            for u in range(codes.shape[1]):
                counts[offsets[u] + codes[i, u], clusters[i]] += multiplicity[i]


@njit
def count_pairs(codes, multiplicity, members, ends, offsets, first, tally, own, slots, counts):
    """Fill the non-empty cells of a partition's contingency tables with partitions first, first + 1, ...; their number.

    The rows of its cluster c are ``members[ends[c] : ends[c + 1]]``; ``offsets`` are those of the other partitions,
    ``tally`` (n_slots,) is minus infinity in their slots of "not observed" and zero in the others. Cells are in the
    order of clusters, then of slots, except where a cluster has much fewer rows than there are slots per partition.
    """
    n = 0
    n_others = offsets.shape[0]
    for c in range(ends.shape[0] - 1):
        n_rows = ends[c + 1] - ends[c]
        for j in range(ends[c], ends[c + 1]):
            i = members[j]
            for v in range(n_others):
                tally[np.uint64(offsets[v] + codes[i, first + v])] += multiplicity[i]
        by_slot = tally.shape[0] <= _SLOTS_PER_LABEL * n_others * n_rows
        for place in range(tally.shape[0] if by_slot else n_others * n_rows):
            slot = np.uint64(place)
            if not by_slot:
                v = place % n_others
                slot = np.uint64(offsets[v] + codes[members[ends[c] + place // n_others], first + v])
            if tally[slot] > 0.0:
                own[n] = c
                slots[n] = slot
                counts[n] = tally[slot]
                tally[slot] = 0.0
                n += 1
    return n


@njit
def _gather(codes, i, offsets, table, cost):
    """cost = sum over u of table[slot of row i in u]; four partitions at a time, see sweep.gather."""
    m = codes.shape[1]
    k = cost.shape[0]
    rest = m - m % 4
    for p in range(k):
        cost[p] = 0.0
    for u in range(0, rest, 4):
        slot0 = np.uint64(offsets[u] + codes[i, u])
        slot1 = np.uint64(offsets[u + 1] + codes[i, u + 1])
        slot2 = np.uint64(offsets[u + 2] + codes[i, u + 2])
        slot3 = np.uint64(offsets[u + 3] + codes[i, u + 3])
        for p in range(k):
            cost[p] += (table[slot0, p] + table[slot1, p]) + (table[slot2, p] + table[slot3, p])
    for u in range(rest, m):
        slot0 = np.uint64(offsets[u] + codes[i, u])
        for p in range(k):
            cost[p] += table[slot0, p]


@njit
def fill_costs(codes, offsets, table, costs):
    """costs[i] = sum over u of table[slot of row i in u]; O(rows m k)."""
    for i in range(codes.shape[0]):
        _gather(codes, i, offsets, table, costs[i])


@njit
def move_rows(data, slots, table, drift, slack, clusters, margins, counts):
    """Move every row to the cluster of least cost and update the counts; returns how many rows moved.

    ``margins[i]`` is a lower bound on the extra cost of any other cluster for row i; ``drift[c]`` is the amount by
    which the bounds of the rows of cluster c shrink, since the table changed after the last call. Costs are computed
    only for rows whose bound is at most ``slack``: O(m k) each.
    """
    codes = data.codes
    offsets = slots.offsets
    multiplicity = data.multiplicity
    k = table.shape[1]
    cost = np.empty(k)
    n_moved = 0
    for i in range(codes.shape[0]):
        own = clusters[i]
        margins[i] -= drift[own]
        if margins[i] > slack:
            continue
        _gather(codes, i, offsets, table, cost)
        best = own
        for c in range(k):
            # Equal costs differ by rounding errors: move a row only if the gain exceeds them.
            if cost[c] < cost[best] and cost[c] < cost[own] - slack:
                best = c
        second = np.inf
        for c in range(k):
            if c != best and cost[c] < second:
                second = cost[c]
        margins[i] = second - cost[best]
        if best != own:
            for u in range(codes.shape[1]):
                slot = np.uint64(offsets[u] + codes[i, u])
                counts[slot, own] -= multiplicity[i]
                counts[slot, best] += multiplicity[i]
            clusters[i] = best
            n_moved += 1
    return n_moved
