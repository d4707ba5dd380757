"""Memberships with few clusters per object: sparse rows that can grow, their products, and what kernels read."""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from ..checks.common import row_blocks
from ..solve.bundles import RowData, Slots

# Rows have half as much room again as they need, and for so many entries more; all together for as much again, which
# costs no memory before it is used.
_ROOM = 2
_FREE = 1.0


class SparseRows(NamedTuple):
    """Sparse rows that grow: row r is columns[start[r] : start[r] + length[r]] with values, up to capacity[r] of them.

    used : (1,) where room for rows ends. An entry stays when it comes to zero.
    """

    start: np.ndarray
    length: np.ndarray
    capacity: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    used: np.ndarray


class Groups(NamedTuple):
    """Rows of a sparse matrix over objects: members[ends[r] : ends[r + 1]] with shares."""

    ends: np.ndarray
    members: np.ndarray
    shares: np.ndarray


class Coefs(NamedTuple):
    """What a sparse sweep does not change.

    slot_coef : (n_slots,) as in Statistics, 0 in the slots of "not observed". mask_coef : (n_masks,).
    own : (n_rows, 2) the first two columns of that of Statistics. sizes : (n_slots,) weight of the slots' objects.
    with_floor : whether memberships may have a floor.
    """

    slot_coef: np.ndarray
    mask_coef: np.ndarray
    own: np.ndarray
    sizes: np.ndarray
    with_floor: bool


class Sums(NamedTuple):
    """Sums over the objects of every mask, of the sparse parts s_i and the floors f_i of their memberships.

    held : (k,) rows with an entry in the cluster. diagonal, row_sums, lean : (n_masks, k) of w s_ip^2, of w s_ip |s_i|
    and of w f_i s_ip, with |s_i| the sum of s_i. whole, whole_lean : (n_masks,) of w |s_i|^2 and of w f_i |s_i|.
    """

    held: np.ndarray
    diagonal: np.ndarray
    row_sums: np.ndarray
    lean: np.ndarray
    whole: np.ndarray
    whole_lean: np.ndarray


class Fixed(NamedTuple):
    """What a sweep reads."""

    data: RowData
    slots: Slots
    coefs: Coefs


class Matrices(NamedTuple):
    """What a sweep changes: the memberships, as parts Y and floors, and their S, F, G and sums."""

    Y: SparseRows
    floor: np.ndarray
    S: SparseRows
    F: np.ndarray
    G: SparseRows
    sums: Sums


class Near(NamedTuple):
    """The clusters that a row can gain in, under local numbers, its own first; all (k,).

    place : local number of a cluster, -1 where it has none. cluster : the cluster of a local number.
    y, y0 : part of the row in it, now and before the visit. e, tilt : what its slope is made of.
    change : by how much a sum changes. moved : local numbers of what the row has, or had.
    """

    place: np.ndarray
    cluster: np.ndarray
    y: np.ndarray
    y0: np.ndarray
    e: np.ndarray
    tilt: np.ndarray
    change: np.ndarray
    moved: np.ndarray


class SparseMembership:
    """Memberships y_i = s_i + f_i (1, ..., 1) of rows in k clusters.

    parts : :class:`SparseRows`, the s_i; replaced where they outgrow their arrays.
    floor : (n_rows,) the f_i.
    """

    def __init__(self, parts, floor, k):
        self.parts, self.floor, self.k = parts, floor, k

    def __len__(self):
        return len(self.floor)

    def copy(self):
        """A copy, whose changes do not show here."""
        return SparseMembership(SparseRows(*(values.copy() for values in self.parts)), self.floor.copy(), self.k)

    @property
    def is_hard(self):
        """Whether every row is in one cluster alone."""
        return bool((self.parts.length == 1).all()) and not self.floor.any()

    @property
    def squares(self):
        """(n_rows,) |y_i|^2."""
        parts = to_csr(self.parts, self.k)
        return (parts**2).sum(axis=1) + self.floor * (2.0 * parts.sum(axis=1) + self.k * self.floor)


def first_clusters(membership):
    """(n_rows,) one cluster of every row, mostly the one that it began in."""
    parts = membership.parts
    return np.where(parts.length > 0, parts.columns[parts.start], 0)


def membership_of_labels(labels, k, floor=0.0):
    """The :class:`SparseMembership` of clusters, of which all k share a part k floor of every row."""
    n = len(labels)
    parts = sparse.csr_array((np.full(n, 1.0 - k * floor), labels, np.arange(n + 1)), shape=(n, k))
    return SparseMembership(from_csr(parts), np.full(n, floor), k)


def membership_of(matrix):
    """The :class:`SparseMembership` of a dense matrix, or of one in compressed rows, which has no floor."""
    n, k = matrix.shape
    if sparse.issparse(matrix):
        return SparseMembership(from_csr(matrix), np.zeros(n), k)
    floor = matrix.min(axis=1)
    blocks = [sparse.csr_array(matrix[rows] - floor[rows, np.newaxis]) for rows in row_blocks(n)]
    return SparseMembership(from_csr(sparse.vstack(blocks, format="csr")), floor, k)


def as_array(membership, *, dense):
    """The memberships as a dense matrix, or in compressed rows if they have no floor."""
    parts = to_csr(membership.parts, membership.k)
    if not dense:
        return parts
    # In place: the matrix can have gigabytes.
    matrix = parts.toarray()
    matrix += membership.floor[:, np.newaxis]
    return matrix


def make_room(lengths):
    """Empty :class:`SparseRows` with room for rows of these lengths, and more."""
    capacity = lengths + lengths // 2 + _ROOM
    used = int(capacity.sum())
    n_entries = int((1.0 + _FREE) * used)
    return SparseRows(
        start=np.cumsum(capacity) - capacity,
        length=np.zeros(len(capacity), dtype=np.int32),
        capacity=capacity.astype(np.int32),
        columns=np.empty(n_entries, dtype=np.int32),
        values=np.empty(n_entries),
        used=np.array([used]),
    )


def with_empty_row(rows):
    """The rows and one more, without entries and without room."""
    ends = {name: np.append(getattr(rows, name), 0).astype(getattr(rows, name).dtype) for name in rows._fields[:3]}
    return rows._replace(**ends)


def grow(rows, n_entries):
    """The rows, with room for so many entries in all."""
    missing = n_entries - len(rows.columns)
    if missing <= 0:
        return rows
    more = max(missing, len(rows.columns) // 2)
    longer = (np.concatenate([values, np.empty(more, dtype=values.dtype)]) for values in rows[3:5])
    return rows._replace(**dict(zip(("columns", "values"), longer, strict=True)))


def from_csr(matrix):
    """The rows of a matrix in compressed rows, without the entries that are zero."""
    matrix = sparse.csr_array(matrix)
    matrix.eliminate_zeros()
    lengths = np.diff(matrix.indptr).astype(np.int64)
    rows = make_room(lengths)
    at = np.repeat(rows.start - matrix.indptr[:-1], lengths) + np.arange(matrix.nnz)
    rows.columns[at], rows.values[at] = matrix.indices, matrix.data
    rows.length[:] = lengths
    return rows


def to_csr(rows, k):
    """The rows as a matrix in compressed rows, columns ascending."""
    ends = np.concatenate([[0], np.cumsum(rows.length, dtype=np.int64)])
    at = np.repeat(rows.start - ends[:-1], rows.length) + np.arange(ends[-1])
    # SciPy's fastest functions read 32-bit indices.
    ends = ends.astype(np.int32) if ends[-1] <= np.iinfo(np.int32).max else ends
    matrix = sparse.csr_array((rows.values[at], rows.columns[at], ends), shape=(len(rows.start), k))
    matrix.sort_indices()
    return matrix


def groups_of(matrix):
    """The rows of a sparse matrix over objects, as the kernels read them."""
    matrix = sparse.csr_array(matrix)
    matrix.eliminate_zeros()
    return Groups(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)


def product(groups, parts, k):
    """Rows of the product of groups with the rows' parts."""
    lengths = np.zeros(len(groups.ends) - 1, dtype=np.int64)
    _count_columns(groups, parts, k, lengths)
    rows = make_room(lengths)
    _multiply(groups, parts, k, rows)
    return rows


def row_squares(groups, parts, k):
    """Squares of the rows of that product."""
    squares = np.empty(len(groups.ends) - 1)
    _row_squares(groups, parts, k, squares)
    return squares


def floor_sums(groups, floor):
    """Sums of the groups' shares times the floors."""
    sums = np.empty(len(groups.ends) - 1)
    _sum_floors(groups, floor, sums)
    return sums


@njit(cache=True, nogil=True)
def _row_squares(groups, rows, n_columns, squares):
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
def _count_columns(groups, rows, n_columns, counts):
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
def _multiply(groups, rows, n_columns, out):
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
                    out.columns[at], out.values[at] = c, 0.0
                    end += 1
                out.values[at] += share * values[t]
        out.length[r] = end - first
        for t in range(first, end):
            place[out.columns[t]] = -1


@njit(cache=True, nogil=True)
def _sum_floors(groups, floor, sums):
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
