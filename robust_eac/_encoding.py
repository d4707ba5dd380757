"""Label matrices -> what the kernels read: compact codes, cluster sizes, multiplicities, observation masks."""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from ._validation import BLOCK

# Collapsing identical rows costs a copy of the codes; below this share of the rows saved it is not worth it.
_MIN_SAVING = 0.1


class Encoding(NamedTuple):
    """An ensemble of n objects and m partitions, as rows of identical objects.

    codes : (n_rows, m) uint8, uint16 or uint32; cluster of the row in each partition, from 0 in the order of the
        labels' values; in a partition with missing labels, its number of clusters means "not observed".
    offsets : (m,) int64; first slot of each partition, one slot per code.
    sizes : (n_slots,) float64; objects per cluster (0 in the slots of "not observed").
    missing_slots : int64; the slots of "not observed".
    multiplicity : (n_rows,) float64; objects per row.
    inverse : (n_samples,) intp or None; row of each object, None when every object is its own row.
    observed : (n_rows, n_masks) bool; does mask g observe the row. A mask is a distinct set of observed objects.
    mask_of : (m,) intp; mask of each partition.
    n_observed : (m,) float64; objects each partition observes.
    n_samples : int
    """

    codes: np.ndarray
    offsets: np.ndarray
    sizes: np.ndarray
    missing_slots: np.ndarray
    multiplicity: np.ndarray
    inverse: np.ndarray | None
    observed: np.ndarray
    mask_of: np.ndarray
    n_observed: np.ndarray
    n_samples: int

    @property
    def n_codes(self):
        """Slots of each partition: its clusters, and one more for "not observed" where labels are missing."""
        return np.diff(np.append(self.offsets, len(self.sizes)))

    @property
    def scale(self):
        """(n / n_u)^2, by which the loss of an incomplete partition is brought to all pairs."""
        return (self.n_samples / self.n_observed) ** 2

    def expand(self, rows):
        """Values of the rows -> values of the objects."""
        return rows if self.inverse is None else rows[self.inverse]


def encode(labels):
    """Encode a checked label matrix, one row per object; O(n m) time, one small copy of the labels."""
    n, m = labels.shape
    lows, highs = labels.min(axis=0).astype(np.int64), labels.max(axis=0).astype(np.int64)
    # Python integers: the range of 64-bit codes need not fit in 64 bits.
    widths = [int(high) - int(low) + 1 for low, high in zip(lows, highs, strict=True)]
    # Tables over the range of the values, together no larger than the labels; np.unique where the range is wide.
    narrow = np.array([width <= max(1024, n // 8) for width in widths])
    starts = np.concatenate([[0], np.cumsum(np.where(narrow, widths, 0).astype(np.int64))])
    tally = np.zeros(starts[-1], dtype=np.int64)
    for _, block in _blocks(labels):
        _tally(block, lows, narrow, starts, tally)

    tables, sizes, missing = np.empty(len(tally), dtype=np.int64), [], np.zeros(m, dtype=bool)
    wide_values = {}
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
            # "Not observed" takes the last code; the codes behind its place move up.
            place = where[0]
            table = np.where(table == place, len(values) - 1, table - (table > place))
            counts = np.append(np.delete(counts, place), 0)
        if narrow[u]:
            tables[starts[u] : starts[u + 1]] = table
        else:
            wide_values[u] = values, table
        sizes.append(counts)

    n_codes = np.array([len(s) for s in sizes])
    codes = np.empty((n, m), dtype=np.min_scalar_type(int(n_codes.max()) - 1))
    coded = np.empty((min(n, BLOCK), m), dtype=np.int64)
    for start, block in _blocks(labels):
        part = coded[: len(block)]
        _look_up(block, lows, narrow, starts, tables, part)
        for u, (values, table) in wide_values.items():
            part[:, u] = table[np.searchsorted(values, block[:, u])]
        codes[start : start + len(block)] = part

    offsets = np.cumsum(n_codes) - n_codes
    observed, mask_of = _masks(codes, n_codes, missing)
    sizes = np.concatenate(sizes).astype(np.float64)
    return Encoding(
        codes=codes,
        offsets=offsets.astype(np.int64),
        sizes=sizes,
        missing_slots=(offsets + n_codes - 1)[missing].astype(np.int64),
        multiplicity=np.ones(n),
        inverse=None,
        observed=observed,
        mask_of=mask_of,
        n_observed=np.add.reduceat(sizes, offsets),
        n_samples=n,
    )


def collapse(encoding, start=None, *, min_saving=_MIN_SAVING):
    """Merge identical rows when that saves the given share of them; otherwise return the encoding as it is.

    Rows with different values in ``start``, a (n_rows, k) membership, are not merged. Equality is verified on the
    values themselves: the hash only proposes.
    """
    codes = encoding.codes
    hashes = hash_rows(codes) if start is None else hash_rows(codes) + 3 * hash_rows(start.view(np.uint64))
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    if len(first) == len(codes) or len(first) > (1.0 - min_saving) * len(codes):
        return encoding
    # Rows in the order of their first object: what follows does not depend on the hash function.
    order = np.argsort(first)
    first = first[order]
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    inverse = rank[inverse]
    for values in (codes,) if start is None else (codes, start):
        for begin in range(0, len(codes), BLOCK):
            block = slice(begin, begin + BLOCK)
            if not np.array_equal(values[first[inverse[block]]], values[block]):
                return encoding
    return encoding._replace(
        codes=codes[first],
        multiplicity=np.bincount(inverse).astype(np.float64),
        inverse=inverse,
        observed=np.ascontiguousarray(encoding.observed[first]),
    )


def hash_rows(values):
    """64-bit hash of every row of unsigned integers: a sum with odd random factors that wraps around."""
    factors = np.random.RandomState(0).randint(2**63, size=values.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(
        1
    )
    hashes = np.empty(len(values), dtype=np.uint64)
    for start in range(0, len(values), BLOCK):
        hashes[start : start + BLOCK] = values[start : start + BLOCK].astype(np.uint64) @ factors
    return hashes


def select(encoding, partitions):
    """The encoding of some of the partitions; slots and masks of the others disappear."""
    sizes = np.split(encoding.sizes, encoding.offsets[1:])
    n_codes = encoding.n_codes[partitions]
    offsets = np.cumsum(n_codes) - n_codes
    with_missing = np.isin(encoding.offsets[partitions] + n_codes - 1, encoding.missing_slots)
    masks, mask_of = np.unique(encoding.mask_of[partitions], return_inverse=True)
    return encoding._replace(
        codes=np.ascontiguousarray(encoding.codes[:, partitions]),
        offsets=offsets.astype(np.int64),
        sizes=np.concatenate([sizes[u] for u in partitions]),
        missing_slots=(offsets + n_codes - 1)[with_missing].astype(np.int64),
        observed=np.ascontiguousarray(encoding.observed[:, masks]),
        mask_of=mask_of,
        n_observed=encoding.n_observed[partitions],
    )


def take_rows(encoding, rows):
    """The encoding of some of the rows, which then stand for themselves; sizes stay those of the whole ensemble."""
    return encoding._replace(
        codes=np.ascontiguousarray(encoding.codes[rows]),
        multiplicity=encoding.multiplicity[rows],
        observed=np.ascontiguousarray(encoding.observed[rows]),
        inverse=None,
    )


def one_hot(encoding):
    """The ensemble as a sparse (n_rows, n_slots) indicator matrix; missing labels have no entry."""
    n, m = encoding.codes.shape
    # scikit-learn reads 32-bit indices only.
    index = np.int32 if n * m <= np.iinfo(np.int32).max else np.int64
    indices = encoding.codes + encoding.offsets.astype(index)
    observed = encoding.observed[:, encoding.mask_of]
    ends = np.concatenate([[0], np.cumsum(np.count_nonzero(observed, axis=1))]).astype(index)
    entries = indices[observed].astype(index)
    return sparse.csr_array((np.ones(len(entries)), entries, ends), shape=(n, len(encoding.sizes)))


def _blocks(labels):
    """Yield (start, int64 copy) of blocks of rows: one kernel signature, and memory that does not grow with n."""
    for start in range(0, len(labels), BLOCK):
        yield start, labels[start : start + BLOCK].astype(np.int64, order="C")


def _masks(codes, n_codes, missing):
    """Distinct sets of observed objects: (n, n_masks) bool, and the mask of each partition."""
    if not missing.any():
        return np.ones((len(codes), 1), dtype=bool), np.zeros(codes.shape[1], dtype=np.intp)
    observed = np.where(missing, codes != n_codes - 1, True)
    _, first, mask_of = np.unique(np.packbits(observed, axis=0), axis=1, return_index=True, return_inverse=True)
    return np.ascontiguousarray(observed[:, first]), mask_of.ravel()


@njit(cache=True, nogil=True)
def _tally(block, lows, narrow, starts, tally):
    for i in range(block.shape[0]):
        for u in range(block.shape[1]):
            if narrow[u]:
                tally[starts[u] + block[i, u] - lows[u]] += 1


@njit(cache=True, nogil=True)
def _look_up(block, lows, narrow, starts, tables, out):
    for i in range(block.shape[0]):
        for u in range(block.shape[1]):
            if narrow[u]:
                out[i, u] = tables[starts[u] + block[i, u] - lows[u]]
