"""Memberships with few clusters per object: sparse rows that can grow, and a floor in all clusters."""

import numpy as np
from scipy import sparse

from ..checks.common import row_blocks
from . import products
from .bundles import Groups, SparseRows

# Rows have half as much room again as they need, and for so many entries more; all together for a quarter more.
_ROOM = 2
_FREE = 0.25


class SparseMembership:
    """Memberships y_i = s_i + f_i (1, ..., 1) of rows in k clusters.

    parts : :class:`~robust_eac.sparse.bundles.SparseRows`, the s_i; replaced where they outgrow their arrays.
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
    """Empty :class:`~robust_eac.sparse.bundles.SparseRows` with room for rows of these lengths, and more."""
    capacity = lengths + lengths // 2 + _ROOM
    used = int(capacity.sum())
    n_entries = int((1.0 + _FREE) * used)
    return SparseRows(
        start=np.cumsum(capacity) - capacity,
        length=np.zeros(len(capacity), dtype=np.int32),
        capacity=capacity.astype(np.int32),
        columns=np.empty(n_entries, dtype=np.int32),
        values=np.empty(n_entries),
        hits=np.empty(n_entries, dtype=np.int32),
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
    longer = (np.concatenate([values, np.empty(more, dtype=values.dtype)]) for values in rows[3:6])
    return rows._replace(**dict(zip(("columns", "values", "hits"), longer, strict=True)))


def from_csr(matrix):
    """The rows of a matrix in compressed rows, without the entries that are zero."""
    matrix = sparse.csr_array(matrix)
    matrix.eliminate_zeros()
    lengths = np.diff(matrix.indptr).astype(np.int64)
    rows = make_room(lengths)
    at = np.repeat(rows.start - matrix.indptr[:-1], lengths) + np.arange(matrix.nnz)
    rows.columns[at], rows.values[at], rows.hits[at] = matrix.indices, matrix.data, 1
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
    products.count_columns(groups, parts, k, lengths)
    rows = make_room(lengths)
    products.multiply(groups, parts, k, rows)
    return rows


def row_squares(groups, parts, k):
    """Squares of the rows of that product."""
    squares = np.empty(len(groups.ends) - 1)
    products.row_squares(groups, parts, k, squares)
    return squares


def floor_sums(groups, floor):
    """Sums of the groups' shares times the floors."""
    sums = np.empty(len(groups.ends) - 1)
    products.sum_floors(groups, floor, sums)
    return sums
