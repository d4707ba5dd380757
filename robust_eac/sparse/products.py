"""Compiled products of sparse matrices over objects with sparse rows, and sums that go with them; see bundles."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def row_squares(groups, rows, n_columns, squares):
    """squares[r] = sum over columns of the squares of row r of the product of `groups` with sparse rows."""
    ends, members, shares = groups.ends, groups.members, groups.shares
    start, length, columns, values = rows.start, rows.length, rows.columns, rows.values
    sums, touched = np.zeros(n_columns), np.empty(n_columns, dtype=np.int32)
    for r in range(squares.shape[0]):
        n_touched = 0
        for e in range(ends[r], ends[r + 1]):
            i, share = members[e], shares[e]
            for t in range(start[i], start[i] + length[i]):
                c = columns[t]
                if sums[c] == 0.0:
                    touched[n_touched] = c
                    n_touched += 1
                sums[c] += share * values[t]
        square = 0.0
        for t in range(n_touched):
            square += sums[touched[t]] ** 2
            sums[touched[t]] = 0.0
        squares[r] = square


@njit(cache=True, nogil=True)
def count_columns(groups, rows, n_columns, counts):
    """counts[r] = number of columns in row r of the product of `groups` with sparse rows."""
    ends, members = groups.ends, groups.members
    start, length, columns = rows.start, rows.length, rows.columns
    seen = np.full(n_columns, -1)
    for r in range(counts.shape[0]):
        n = 0
        for e in range(ends[r], ends[r + 1]):
            i = members[e]
            for t in range(start[i], start[i] + length[i]):
                if seen[columns[t]] != r:
                    seen[columns[t]] = r
                    n += 1
        counts[r] = n


@njit(cache=True, nogil=True)
def multiply(groups, rows, n_columns, out):
    """Fill sparse rows, which have room for it, with the product of `groups` with sparse rows."""
    ends, members, shares = groups.ends, groups.members, groups.shares
    start, length, columns, values = rows.start, rows.length, rows.columns, rows.values
    place = np.full(n_columns, -1)
    for r in range(out.start.shape[0]):
        first = end = out.start[r]
        for e in range(ends[r], ends[r + 1]):
            i, share = members[e], shares[e]
            for t in range(start[i], start[i] + length[i]):
                c = columns[t]
                at = place[c]
                if at < first:
                    at = place[c] = end
                    out.columns[at], out.values[at], out.hits[at] = c, 0.0, 0
                    end += 1
                out.values[at] += share * values[t]
                out.hits[at] += 1
        out.length[r] = end - first
        for t in range(first, end):
            place[out.columns[t]] = -1


@njit(cache=True, nogil=True)
def sum_floors(groups, floor, sums):
    """sums[r] = sum over the members of group r of their share times their floor."""
    for r in range(sums.shape[0]):
        sums[r] = 0.0
        for e in range(groups.ends[r], groups.ends[r + 1]):
            sums[r] += groups.shares[e] * floor[groups.members[e]]


@njit(cache=True, nogil=True)
def find_diagonal(G, k, diagonal):
    """diagonal[g, p] = G[g, p, p]."""
    for row in range(G.start.shape[0]):
        diagonal[row // k, row % k] = 0.0
        for t in range(G.start[row], G.start[row] + G.length[row]):
            if G.columns[t] == row % k:
                diagonal[row // k, row % k] = G.values[t]
