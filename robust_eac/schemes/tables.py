"""Contingency tables of pairs of partitions, and weights from values, which the weighting schemes share."""

from typing import NamedTuple

import numpy as np

from .. import validation as check
from ..common import warn
from ..core.encoding import collapse, encode
from ..core.kernels import njit

# Tables with up to this many cells per row are counted as arrays; the cells of larger ones, nearly empty, are sorted.
_CELLS_PER_ROW = 4
_SMALL_TABLE = 2**16
# Chunks are counted for pairs of partitions with up to this many cells at a time.
_CELLS_AT_ONCE = 2**21
# Decisions use values rounded to this many decimals, so that rounding errors, and with them the names of the labels and
# the order of the objects, do not matter.
DECIMALS = 12


class Table(NamedTuple):
    """Non-empty cells of a contingency table, over the objects that both partitions observe.

    rows, cols, counts : (n_cells,) clusters of the two partitions, from 0 in the order of the labels; objects per cell.
    row_sums, col_sums, total : (k_u,), (k_v,) objects per cluster; number of all of them.
    """

    rows: np.ndarray
    cols: np.ndarray
    counts: np.ndarray
    row_sums: np.ndarray
    col_sums: np.ndarray
    total: float


def encode_collapsed(labels):
    """Check and encode labels, with equal rows merged if that saves enough."""
    return collapse(encode(check.ensemble(labels).labels))


def tables(encoding):
    """Yield (u, v, Table) for all pairs u < v. Time O(rows m^2), memory for one table and a copy of the codes."""
    columns = np.asfortranarray(encoding.rows.codes)
    n_codes = encoding.partitions.n_codes
    n_clusters = encoding.partitions.n_clusters
    for u in range(len(n_codes)):
        for v in range(u + 1, len(n_codes)):
            shape = n_codes[u], n_codes[v]
            if shape[0] * shape[1] <= max(_SMALL_TABLE, _CELLS_PER_ROW * len(columns)):
                counted = _count_pair(columns, encoding.rows.multiplicity, n_codes, u, v)
                yield u, v, _table_of(counted, n_clusters[u], n_clusters[v])
            else:
                keys = columns[:, u].astype(np.int64) * shape[1] + columns[:, v]
                keys, inverse = np.unique(keys, return_inverse=True)
                counts = np.bincount(inverse, weights=encoding.rows.multiplicity)
                rows, cols = np.divmod(keys, shape[1])
                kept = (rows < n_clusters[u]) & (cols < n_clusters[v]) & (counts > 0.0)
                yield u, v, _table(rows[kept], cols[kept], counts[kept], (n_clusters[u], n_clusters[v]))


def tables_in_chunks(chunks, partitions):
    """:func:`tables` of the objects of :class:`~robust_eac.distributed.blocks.Chunks`, some pairs at a time."""
    n_clusters = partitions.n_clusters
    pairs = [(u, v) for u in range(len(n_clusters)) for v in range(u + 1, len(n_clusters))]
    n_at_once = max(1, _CELLS_AT_ONCE // int(partitions.n_codes.max()) ** 2)
    for now in (pairs[start : start + n_at_once] for start in range(0, len(pairs), n_at_once)):
        _, counted = chunks.total(count_tables, shared=(now,))
        for (u, v), cells in zip(now, counted, strict=True):
            yield u, v, _table_of(cells, n_clusters[u], n_clusters[v])


def count_tables(encoding, pairs):
    columns = np.asfortranarray(encoding.rows.codes)
    n_codes = encoding.partitions.n_codes
    return None, tuple(_count_pair(columns, encoding.rows.multiplicity, n_codes, u, v) for u, v in pairs)


def _count_pair(columns, weight, n_codes, u, v):
    counted = np.zeros((n_codes[u], n_codes[v]))
    count_cells(columns[:, u], columns[:, v], weight, counted)
    return counted


def _table_of(counted, n_rows, n_cols):
    # "Not observed" has the last code.
    counted = counted[:n_rows, :n_cols]
    rows, cols = np.nonzero(counted)
    return _table(rows, cols, counted[rows, cols], counted.shape)


def _table(rows, cols, counts, shape):
    row_sums = np.bincount(rows, weights=counts, minlength=shape[0])
    col_sums = np.bincount(cols, weights=counts, minlength=shape[1])
    return Table(rows, cols, counts, row_sums, col_sums, float(row_sums.sum()))


def shares(values, reason, *, power=1.0):
    """Weights proportional to a power of non-negative values. If all are zero: uniform weights and a warning."""
    if not values.any():
        warn(f"The weights are uniform: {reason}.")
        return np.full(len(values), 1.0 / len(values))
    # Dividing by the maximum first avoids underflow of the powers of small values.
    values = (values / values.max()) ** power
    return values / values.sum()


def share_among_copies(weights, properties):
    """Weights averaged over partitions with equal rows of properties, so that duplicates get equal weights."""
    _, group = np.unique(properties.round(DECIMALS), axis=0, return_inverse=True)
    group = group.ravel()
    return (np.bincount(group, weights=weights) / np.bincount(group))[group]


@njit
def count_cells(first, second, multiplicity, counted):
    """Add the number of objects with each pair of codes."""
    for i in range(first.shape[0]):
        counted[first[i], second[i]] += multiplicity[i]
