"""Compact codes of labels: 0, 1, ... in every column, in the order of the values."""

import numpy as np

from ..common import BLOCK, row_blocks
from .compiling import njit


def compact_codes(labels):
    """(codes of the smallest type, cluster sizes of each column, whether a column has missing labels).

    The code "not observed" is the last of its column.
    """
    n, m = labels.shape
    lows, highs = labels.min(axis=0).astype(np.int64), labels.max(axis=0).astype(np.int64)
    # Python integers, since the range of 64-bit codes can exceed 64 bits.
    widths = [int(high) - int(low) + 1 for low, high in zip(lows, highs, strict=True)]
    # Lookup tables over the range of the values, together no larger than the labels; np.unique for a wide range.
    narrow = np.array([width <= max(1024, n // 8) for width in widths], dtype=bool)
    starts = np.concatenate([[0], np.cumsum(np.where(narrow, widths, 0).astype(np.int64))])
    tally = np.zeros(starts[-1], dtype=np.int64)
    for _, block in _blocks(labels):
        _tally(block, lows, narrow, starts, tally)

    tables = np.empty(len(tally), dtype=np.int64)
    missing = np.zeros(m, dtype=bool)
    sizes, wide_values = [], {}
    for u in range(m):
        if narrow[u]:
            counts = tally[starts[u] : starts[u + 1]].copy()
            values = lows[u] + np.flatnonzero(counts)
            table = np.cumsum(counts > 0) - 1
            counts = counts[counts > 0]
        else:
            values, counts = np.unique(labels[:, u].astype(np.int64), return_counts=True)
            table = np.arange(len(values))
        where = np.flatnonzero(values == -1)
        missing[u] = len(where) > 0
        if missing[u]:
            # "Not observed" takes the last code; later codes move up.
            place = where[0]
            table = np.where(table == place, len(values) - 1, table - (table > place))
            counts = np.append(np.delete(counts, place), 0)
        if narrow[u]:
            tables[starts[u] : starts[u + 1]] = table
        else:
            wide_values[u] = values, table
        sizes.append(counts)

    largest = max((len(counts) for counts in sizes), default=1)
    codes = np.empty((n, m), dtype=np.min_scalar_type(largest - 1))
    coded = np.empty((min(n, BLOCK), m), dtype=np.int64)
    for rows, block in _blocks(labels):
        part = coded[: len(block)]
        _look_up(block, lows, narrow, starts, tables, part)
        for u, (values, table) in wide_values.items():
            part[:, u] = table[np.searchsorted(values, block[:, u])]
        codes[rows] = part
    return codes, sizes, missing


def _blocks(labels):
    """Yield (slice, int64 copy) of blocks of rows: one kernel signature, constant memory."""
    for block in row_blocks(len(labels)):
        yield block, labels[block].astype(np.int64, order="C")


@njit
def _tally(block, lows, narrow, starts, tally):
    for i in range(block.shape[0]):
        for u in range(block.shape[1]):
            if narrow[u]:
                tally[starts[u] + block[i, u] - lows[u]] += 1


@njit
def _look_up(block, lows, narrow, starts, tables, out):
    for i in range(block.shape[0]):
        for u in range(block.shape[1]):
            if narrow[u]:
                out[i, u] = tables[starts[u] + block[i, u] - lows[u]]


def relabel(codes):
    """Rename clusters to 0, 1, ... in the order of first appearance; (n,) intp."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
