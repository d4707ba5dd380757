"""Encodings of ensembles for the kernels: compact codes, cluster sizes, multiplicities, masks.

Notation, for a row i that stands for ``w_i`` identical objects with membership ``y_i`` (S_u = Y X_u', G = Y Y'):

* ``S[offsets[u] + c]`` is the column of S_u that belongs to cluster c of partition u: the sum of w_i y_i over its
  objects;
* ``G[g]`` is the sum of w_i y_i y_i' over the objects of mask g. A mask is a set of objects that one or more
  partitions observe; a complete ensemble has one mask, with all objects;
* with ``coef[u] = alpha_u (n / n_u)^2``, the objective needs ``T = coef * S`` and ``Q[g] = mask_coef[g] * G[g]``, where
  mask_coef sums coef over the partitions of a mask.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..common import BLOCK, row_blocks
from ..core.formula import cluster_counts

# Collapsing copies the codes: do it only if it saves at least this share of the rows.
_MIN_SAVING = 0.1


class RowData(NamedTuple):
    """The rows of an encoding. Each stands for one or more identical objects.

    codes : (n_rows, m) uint8, uint16 or uint32; cluster in each partition.
    multiplicity : (n_rows,); total weight of the row's objects: their number if objects have no weights.
    observed : (n_rows, n_masks) bool; whether the row belongs to mask g.
    """

    codes: np.ndarray
    multiplicity: np.ndarray
    observed: np.ndarray

    def take(self, rows):
        """Some of the rows, given by a slice or by indices."""
        return RowData(*(np.ascontiguousarray(values[rows]) for values in self))


class Slots(NamedTuple):
    """The rows of S and T that belong to the clusters of the base partitions.

    offsets : (m,) int64; first slot of each partition.
    whole : (n_masks,) int64; slots in T of a single cluster of all objects of each mask. Empty if there are none.
    missing : int64; the slots of the code "not observed". S and T are zero there.
    """

    offsets: np.ndarray
    whole: np.ndarray
    missing: np.ndarray


class Visited(NamedTuple):
    """The arrays of an ensemble that a sweep reads."""

    rows: RowData
    slots: Slots


class Statistics(NamedTuple):
    """S, G and the weights of the partitions, in the form that gradient and line search use.

    T : (n_slots, width >= k) coef S, padded with columns of zeros, since loops over whole SIMD vectors are faster.
    Q : (n_masks, k, k) mask_coef G.
    own : (n_rows, 3) terms of one object of a row by itself. Columns: its mask_coef; mask_coef minus the coefs of its
        slots in T; the coef of a partition that puts every object into its own cluster.
    mask_coef : (n_masks,).
    slot_coef : (n_slots,) coef of each slot.
    """

    T: np.ndarray
    Q: np.ndarray
    own: np.ndarray
    mask_coef: np.ndarray
    slot_coef: np.ndarray


class Visit(NamedTuple):
    """How a sweep updates one column of Y.

    n_steps : largest number of pairwise steps: preparing a row costs O(m k), a step only O(k).
    skip : a column is left alone if a quarter of the Frank-Wolfe gap of one object is at most this.
    relaxation : over-relaxation factor; 1 stops at the minimum.
    """

    n_steps: int = 4
    skip: float = 0.0
    relaxation: float = 1.0


class Partitions(NamedTuple):
    """The m base partitions. Each cluster has a slot, and so has "not observed" where labels are missing.

    offsets : (m,) int64; first slot of each partition.
    sizes : (n_slots,) float64; weight of each cluster's objects, X_u 1 (0 in the slots of "not observed").
    squares : (m,) float64; |X_u'X_u|^2, the sum of the squared sizes.
    missing_slots : int64; the slots of "not observed".
    mask_of : (m,) intp; mask of each partition: a distinct set of observed objects.
    n_observed : (m,) float64; weight of the objects that each partition observes.
    total : float; weight of all objects.
    copy : float; weight of one copy of an object: an object of weight w counts as w / copy copies. 1, or the smallest
        weight if that is below 1.
    """

    offsets: np.ndarray
    sizes: np.ndarray
    squares: np.ndarray
    missing_slots: np.ndarray
    mask_of: np.ndarray
    n_observed: np.ndarray
    total: float
    copy: float = 1.0

    @property
    def n_partitions(self):
        """m."""
        return len(self.offsets)

    @property
    def n_slots(self):
        """Number of slots of all partitions."""
        return len(self.sizes)

    @property
    def slots(self):
        """The :class:`~robust_eac.ensemble.encoding.Slots` for the kernels."""
        return Slots(self.offsets, np.empty(0, dtype=np.int64), self.missing_slots)

    @property
    def bounds(self):
        """(m + 1,) first slot of each partition, and the number of slots."""
        return np.concatenate([self.offsets, [len(self.sizes)]])

    @property
    def n_codes(self):
        """(m,) number of slots of each partition: its clusters, and "not observed" if labels are missing."""
        return np.diff(self.bounds)

    @property
    def n_clusters(self):
        """(m,) number of clusters of each partition, including those whose objects have no weight."""
        return self.n_codes - np.isin(self.offsets + self.n_codes - 1, self.missing_slots)

    @property
    def cluster_slots(self):
        """The slots of each partition's clusters as a slice, without the slot of "not observed"."""
        return list(map(slice, self.offsets.tolist(), (self.offsets + self.n_clusters).tolist()))

    @property
    def scale(self):
        """(m,) factors (n / n_u)^2, which scale the loss of an incomplete partition to all pairs."""
        return (self.total / self.n_observed) ** 2

    def by_slot(self, values):
        """(n_slots, ...) value of each slot's partition, 0 in the slots of "not observed"."""
        by_slot = np.repeat(values, self.n_codes, axis=0)
        by_slot[self.missing_slots] = 0
        return by_slot

    def sum_slots(self, values):
        """(m, ...) sums of the values of each partition's slots."""
        return np.add.reduceat(values, self.offsets, axis=0)

    def take_slots(self, values, chosen):
        """The values of the slots of the chosen partitions."""
        kept = np.zeros(len(self.offsets), dtype=bool)
        kept[chosen] = True
        return values[np.repeat(kept, self.n_codes)]

    def select(self, chosen):
        """The chosen partitions, in ascending order, without the slots and masks of the others."""
        n_codes = self.n_codes[chosen]
        offsets = np.cumsum(n_codes) - n_codes
        last_slots = offsets + n_codes - 1
        with_missing = self.n_clusters[chosen] < n_codes
        return self._replace(
            offsets=offsets,
            sizes=self.take_slots(self.sizes, chosen),
            squares=self.squares[chosen],
            missing_slots=last_slots[with_missing],
            mask_of=np.unique(self.mask_of[chosen], return_inverse=True)[1],
            n_observed=self.n_observed[chosen],
        )

    def by_mask(self, values):
        """(n_masks,) sums of the partitions' values over the partitions of each mask."""
        return np.bincount(self.mask_of, weights=values)


class Encoding(NamedTuple):
    """An ensemble of n objects and m partitions, as rows of identical objects and as partitions.

    rows : :class:`RowData`; codes are 0, 1, ... in the order of the labels' values, and the
        number of clusters if the label is missing.
    partitions : :class:`Partitions`
    inverse : (n_samples,) intp or None; row of each object, None if every object is its own row.
    """

    rows: RowData
    partitions: Partitions
    inverse: np.ndarray | None = None

    @property
    def n_rows(self):
        """Number of rows."""
        return len(self.rows.codes)

    @property
    def n_samples(self):
        """Number of objects."""
        return self.n_rows if self.inverse is None else len(self.inverse)

    @property
    def visited(self):
        """The arrays that a sweep reads."""
        return Visited(self.rows, self.partitions.slots)

    def with_rows(self, **changed):
        """The encoding with some arrays of its rows replaced."""
        return self._replace(rows=self.rows._replace(**changed))

    @property
    def self_pairs(self):
        """(n_rows,) weight of the row's pairs (i, i): one pair per copy of an object."""
        return self.rows.multiplicity * self.partitions.copy

    def expand(self, rows):
        """Values of the objects from values of the rows."""
        return rows if self.inverse is None else rows[self.inverse]


def encode_ensemble(ensemble, sample_weight=None):
    """Encode an :class:`~robust_eac.ensemble.reading.Ensemble` and weights of its objects, one row per object."""
    encoding = encode(ensemble.labels)
    return encoding if sample_weight is None else weigh(encoding, sample_weight)


def weigh(encoding, weight):
    """The encoding with these weights of its rows, and everything that depends on them."""
    rows, partitions, _ = encoding
    weighed = encoding.with_rows(multiplicity=weight)
    sizes = cluster_counts(weighed, np.zeros(len(weight)), 1)[:, 0]
    total = float(weight.sum())
    n_observed = np.where(rows.observed.all(axis=0), total, weight @ rows.observed)
    partitions = partitions._replace(
        sizes=sizes,
        squares=partitions.sum_slots(sizes**2),
        copy=float(min(1.0, weight[weight > 0.0].min(initial=1.0))),
        n_observed=n_observed[partitions.mask_of],
        total=total,
    )
    return weighed._replace(partitions=partitions)


def encode(labels):
    """Encode a checked label matrix, one row per object; O(n m) time, one small copy of the labels."""
    n, m = labels.shape
    codes, sizes, missing = compact_codes(labels)
    n_codes = np.array([len(s) for s in sizes], dtype=np.int64)
    observed = np.ones((n, 1), dtype=bool)
    mask_of = np.zeros(m, dtype=np.intp)
    if missing.any():
        # A mask is a distinct column.
        observed = np.where(missing, codes != n_codes - 1, True)
        _, first, mask_of = np.unique(np.packbits(observed, axis=0), axis=1, return_index=True, return_inverse=True)
        observed = np.ascontiguousarray(observed[:, first])
        mask_of = mask_of.ravel()
    rows = RowData(codes, np.ones(n), observed)
    return Encoding(rows, hard_partitions(np.concatenate(sizes, dtype=np.float64), n_codes, missing, mask_of, n))


def hard_partitions(sizes, n_codes, missing, mask_of, n):
    """The :class:`Partitions` of a label matrix with n objects; missing : (m,) bool, whether labels are missing."""
    offsets = np.cumsum(n_codes) - n_codes
    return Partitions(
        offsets=offsets,
        sizes=sizes,
        squares=np.add.reduceat(sizes**2, offsets),
        missing_slots=(offsets + n_codes - 1)[missing],
        mask_of=mask_of,
        n_observed=np.add.reduceat(sizes, offsets),
        total=float(n),
    )


def collapse(encoding, start=None, *, min_saving=_MIN_SAVING):
    """Merge rows with equal labels (and equal rows of `start`) if that saves at least this share of the rows."""
    codes, multiplicity, observed = encoding.rows
    hashes = hash_rows(codes)
    tables = [codes]
    if start is not None:
        hashes += 3 * hash_rows(start.view(np.uint64))
        tables.append(start)
    n_distinct = 1 + np.count_nonzero(np.diff(np.sort(hashes)))
    if n_distinct == len(codes) or n_distinct > (1.0 - min_saving) * len(codes):
        return encoding
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    # Order rows by their first object, so that the result does not depend on the hash function.
    order = np.argsort(first)
    first = first[order]
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    inverse = rank[inverse]
    for values in tables:
        for block in row_blocks(len(codes)):
            if not np.array_equal(values[first[inverse[block]]], values[block]):
                return encoding
    weights = np.bincount(inverse, weights=multiplicity)
    rows = RowData(codes[first], weights, np.ascontiguousarray(observed[first]))
    return Encoding(rows, encoding.partitions, inverse if encoding.inverse is None else inverse[encoding.inverse])


def merge_rows(encoding, memberships):
    """(the encoding with identical objects in a row if that pays, memberships on its rows), which must not differ."""
    collapsed = collapse(encoding, memberships)
    if memberships is None or collapsed.inverse is None:
        return collapsed, memberships
    rows = np.empty((collapsed.n_rows, memberships.shape[1]))
    rows[collapsed.inverse] = memberships
    return collapsed, rows


def hash_rows(values):
    """64-bit hash of every row of unsigned integers: a sum with odd random factors, modulo 2^64."""
    factors = np.random.RandomState(0).randint(2**63, size=values.shape[1], dtype=np.uint64)
    factors = factors * np.uint64(2) + np.uint64(1)
    hashes = np.empty(len(values), dtype=np.uint64)
    for block in row_blocks(len(values)):
        hashes[block] = values[block].astype(np.uint64) @ factors
    return hashes


def select(encoding, chosen):
    """The encoding of the chosen partitions, in ascending order and without slots and masks of others; None for all."""
    if chosen is None:
        return encoding
    rows, partitions, inverse = encoding
    masks = np.unique(partitions.mask_of[chosen])
    rows = rows._replace(
        codes=rows.codes.take(chosen, axis=1),
        observed=np.ascontiguousarray(rows.observed[:, masks]),
    )
    return Encoding(rows, partitions.select(chosen), inverse)


def take_rows(encoding, rows):
    """The encoding of some of the rows; cluster sizes stay those of the whole ensemble."""
    return Encoding(encoding.rows.take(rows), encoding.partitions)


def sub_ensemble(encoding, rows, partitions):
    """The encoding of some rows and some partitions (ascending), with the cluster sizes of these rows."""
    part = select(take_rows(encoding, rows), partitions)
    return weigh(part, part.rows.multiplicity)


def one_hot(encoding):
    """The ensemble as a sparse (n_rows, n_slots) matrix of indicators."""
    codes, _, observed = encoding.rows
    partitions = encoding.partitions
    n, m = codes.shape
    # scikit-learn accepts 32-bit indices only.
    index = np.int32 if n * m <= np.iinfo(np.int32).max else np.int64
    indices = codes + partitions.offsets.astype(index)
    observed = observed[:, partitions.mask_of]
    ends = np.concatenate([[0], np.cumsum(np.count_nonzero(observed, axis=1))]).astype(index)
    entries = indices[observed].astype(index)
    return sparse.csr_array((np.ones(len(entries)), entries, ends), shape=(n, partitions.n_slots))


def compact_codes(labels):
    """(codes of the smallest type, cluster sizes of each column, whether a column has missing labels).

    The code "not observed" is the last of its column.
    """
    n, m = labels.shape
    lows = labels.min(axis=0).astype(np.int64)
    highs = labels.max(axis=0).astype(np.int64)
    # Python integers, since the range of 64-bit codes can exceed 64 bits.
    widths = [int(high) - int(low) + 1 for low, high in zip(lows, highs, strict=True)]
    # Lookup tables over the range of the values, together no larger than the labels; np.unique for a wide range.
    narrow = np.array([width <= max(1024, n // 8) for width in widths], dtype=bool)
    starts = np.concatenate([[0], np.cumsum(np.where(narrow, widths, 0).astype(np.int64))])
    columns = slice(None) if narrow.all() else narrow
    shift = (starts[:-1] - lows)[columns]

    def places_in_blocks(size=BLOCK):
        """Yield (slice, places of the labels in the lookup tables) for blocks of rows."""
        for rows in row_blocks(n, size):
            places = labels[rows, columns].astype(np.int64, order="C")
            places += shift
            yield rows, places

    tally = np.zeros(starts[-1], dtype=np.int64)
    # With few rows in a block, adding its counts would take longer than counting.
    for _, places in places_in_blocks(max(BLOCK, len(tally) // m)):
        tally += np.bincount(places.ravel(), minlength=len(tally))

    tables = np.empty(len(tally), dtype=np.int64)
    missing = np.zeros(m, dtype=bool)
    sizes = []
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
            # "Not observed" takes the last code; later codes move up.
            place = where[0]
            table = np.where(table == place, len(values) - 1, table - (table > place))
            counts = np.append(np.delete(counts, place), 0)
        if narrow[u]:
            tables[starts[u] : starts[u + 1]] = table
        else:
            wide_values[u] = values, table
        sizes.append(counts)

    largest = max(len(counts) for counts in sizes)
    codes = np.empty((n, m), dtype=np.min_scalar_type(largest - 1))
    tables = tables.astype(codes.dtype)
    for rows, places in places_in_blocks():
        codes[rows, columns] = tables[places]
    for u, (values, table) in wide_values.items():
        codes[:, u] = table[np.searchsorted(values, labels[:, u].astype(np.int64))]
    return codes, sizes, missing


def first_objects(labels, n_clusters):
    """(n_clusters,) the first object of every cluster; infinity for an empty one. The label -1 stands for none."""
    first = np.full(n_clusters + 1, np.inf)
    # NumPy keeps the last of several values for the same index.
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    return first[:-1]


def relabel(codes):
    """Rename clusters to 0, 1, ... in the order of first appearance; (n,) intp."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
