"""Encode ensembles for the kernels: compact codes, soft memberships, cluster sizes, multiplicities, masks."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..checks.common import row_blocks
from . import kernels
from .bundles import RowData, Slots
from .codes import compact_codes

# Collapse identical rows, which copies the codes, if it saves at least this share of them.
_MIN_SAVING = 0.1


class Encoding(NamedTuple):
    """An ensemble of n objects and m partitions, as rows of identical objects.

    codes : (n_rows, n_hard) uint8, uint16 or uint32; cluster of the row in each hard partition, from 0 in the order of
        the labels' values; in a partition with missing labels, its number of clusters means "not observed".
    hard : (n_hard,) intp; the hard partitions, in the order of their columns in codes.
    soft : (n_rows, n_soft_slots) float64; memberships in the clusters of the soft partitions, 0 where not observed.
    soft_slots : (n_soft_slots,) int64; slot of each column of soft.
    offsets : (m,) int64; first slot of each partition, one slot per code or soft cluster.
    sizes : (n_slots,) float64; weight of each cluster's objects, X_u 1 (0 in the slots of "not observed").
    squares : (m,) float64; |X_u'W_uX_u|^2, for a hard partition the sum of its squared sizes times squared weights.
    missing_slots : int64; the slots of "not observed".
    multiplicity : (n_rows,) float64; weight of each row's objects: their number when none are weighted.
    copy : float; weight of one copy of an object, of which an object of weight w is w / copy: 1, or the smallest weight
        where some are below 1.
    inverse : (n_samples,) intp or None; row of each object, None when every object is its own row.
    observed : (n_rows, n_masks) bool; does mask g observe the row. A mask is a distinct set of observed objects.
    mask_of : (m,) intp; mask of each partition.
    n_observed : (m,) float64; weight of the objects each partition observes.
    total : float; weight of all objects.
    n_samples : int
    slot_weights : (n_slots,) float64 or None; weights W_u of the base clusters, 0 in the slots of "not observed"; None
        where all are 1.
    """

    codes: np.ndarray
    hard: np.ndarray
    soft: np.ndarray
    soft_slots: np.ndarray
    offsets: np.ndarray
    sizes: np.ndarray
    squares: np.ndarray
    missing_slots: np.ndarray
    multiplicity: np.ndarray
    copy: float
    inverse: np.ndarray | None
    observed: np.ndarray
    mask_of: np.ndarray
    n_observed: np.ndarray
    total: float
    n_samples: int
    slot_weights: np.ndarray | None = None

    @property
    def data(self):
        """The rows, as the kernels read them."""
        return RowData(self.codes, self.soft, self.multiplicity, self.observed)

    @property
    def slots(self):
        """The slots, as the kernels read them."""
        return Slots(self.offsets[self.hard], self.soft_slots, self.missing_slots)

    @property
    def n_codes(self):
        """Slots of each partition: its clusters, and one more for "not observed" where hard labels are missing."""
        return np.diff(np.append(self.offsets, len(self.sizes)))

    @property
    def n_clusters(self):
        """(m,) number of clusters of each partition, those whose objects have no weight included."""
        return self.n_codes - np.isin(self.offsets + self.n_codes - 1, self.missing_slots)

    @property
    def cluster_slots(self):
        """The slots of each partition's clusters, as slices; without the slot of "not observed"."""
        return list(map(slice, self.offsets.tolist(), (self.offsets + self.n_clusters).tolist()))

    @property
    def scale(self):
        """(n / n_u)^2, which scales the loss of an incomplete partition to all pairs."""
        return (self.total / self.n_observed) ** 2

    @property
    def soft_partitions(self):
        """The soft partitions, ascending."""
        return np.setdiff1d(np.arange(len(self.offsets)), self.hard)

    def memberships(self, partition):
        """(n_rows, k_u) view of the memberships in a soft partition, X_u'; rows of zeros where it does not observe."""
        end = self.offsets[partition] + self.n_codes[partition]
        return self.soft[:, slice(*np.searchsorted(self.soft_slots, [self.offsets[partition], end]))]

    @property
    def self_pairs(self):
        """(n_rows,) weight of the row's pairs (i, i): each copy of an object has one."""
        return self.multiplicity * self.copy

    @property
    def unlike_self(self):
        """The partitions whose co-association of an object with itself need not be 1: soft, or with slot weights."""
        return self.soft_partitions if self.slot_weights is None else np.arange(len(self.offsets))

    def by_slot(self, coef):
        """(n_slots,) coefficients of the partitions times the weights of their clusters."""
        by_slot = np.repeat(coef, self.n_codes)
        return by_slot if self.slot_weights is None else by_slot * self.slot_weights

    def sum_slots(self, values):
        """(m,) sums of the values of a partition's slots, times the weights of the clusters."""
        return np.add.reduceat(values if self.slot_weights is None else values * self.slot_weights, self.offsets)

    def by_mask(self, values):
        """(n_masks,) sums of the values of the partitions of each mask."""
        return np.bincount(self.mask_of, weights=values, minlength=self.observed.shape[1])

    def presence(self, coef):
        """(n_rows,) sum of coef over the partitions that observe the row."""
        return self.observed @ self.by_mask(coef)

    def self_similarity(self, partition):
        """(n_rows,) x_ui'W_u x_ui, the co-association of an object with itself; 0 where it is not observed."""
        weights = self.by_slot(np.ones(len(self.offsets)))[self.offsets[partition] :][: self.n_codes[partition]]
        if partition in self.hard:
            observed = self.observed[:, self.mask_of[partition]]
            codes = self.codes[:, np.searchsorted(self.hard, partition)]
            return np.where(observed, weights[codes], 0.0)
        return self.memberships(partition) ** 2 @ weights

    def surplus(self, coef):
        """(n_rows,) sum over the partitions that observe the row of coef (1 - x_ui'W_u x_ui); 0 if all are hard."""
        if self.slot_weights is None:
            return (self.soft * (1.0 - self.soft)) @ np.repeat(coef, self.n_codes)[self.soft_slots]
        by_slot = self.by_slot(coef)
        similarity = np.zeros((len(self.codes), 1))
        kernels.table_costs(self.codes, self.offsets[self.hard], by_slot[:, np.newaxis], similarity)
        return self.presence(coef) - similarity[:, 0] - self.soft**2 @ by_slot[self.soft_slots]

    def mean_self_similarity(self, coef):
        """(n_rows,) mean of x_ui'W_u x_ui over the partitions that observe the row, with weights coef."""
        lack = self.surplus(coef)
        return 1.0 - np.divide(lack, self.presence(coef), out=np.zeros_like(lack), where=lack != 0.0)

    def gram(self, partition):
        """(k_u, k_u) matrix H_u = X_u X_u', diagonal when the partition is hard."""
        if partition in self.hard:
            return np.diag(self.sizes[self.offsets[partition] :][: self.n_codes[partition]])
        x = self.memberships(partition)
        return (x.T * self.multiplicity) @ x

    def expand(self, rows):
        """Values of the objects from values of the rows."""
        return rows if self.inverse is None else rows[self.inverse]


def encode_ensemble(ensemble, sample_weight=None):
    """Encode a checked :class:`~robust_eac.checks.labels.Ensemble`, one row per object, with weights of the objects."""
    hard = encode(ensemble.labels)
    if len(ensemble.widths) == 0:
        return hard if sample_weight is None else weigh(hard, sample_weight)
    n, m = ensemble.n_samples, ensemble.n_partitions
    soft_partitions = np.setdiff1d(np.arange(m), ensemble.hard)
    n_codes = np.empty(m, dtype=np.int64)
    n_codes[ensemble.hard], n_codes[soft_partitions] = hard.n_codes, ensemble.widths
    is_soft = np.repeat(np.isin(np.arange(m), soft_partitions), n_codes)
    masks, mask_of = _masks(ensemble.observed())
    encoding = hard._replace(
        hard=ensemble.hard,
        soft=ensemble.soft,
        soft_slots=np.flatnonzero(is_soft),
        offsets=np.cumsum(n_codes) - n_codes,
        sizes=np.empty(len(is_soft)),
        missing_slots=np.flatnonzero(~is_soft)[hard.missing_slots],
        observed=masks,
        mask_of=mask_of,
    )
    return weigh(encoding, np.ones(n) if sample_weight is None else sample_weight)


def weigh(encoding, weight):
    """Set the weights of the rows, and all that depends on them."""
    counts = np.zeros((len(encoding.sizes), 1))
    nowhere = np.zeros(len(weight), dtype=np.intp)
    kernels.count(encoding.codes, encoding.offsets[encoding.hard], weight, nowhere, counts)
    counts[encoding.missing_slots] = 0.0
    sizes = counts[:, 0]
    sizes[encoding.soft_slots] = weight @ encoding.soft
    total = float(weight.sum())
    n_observed = np.where(encoding.observed.all(axis=0), total, weight @ encoding.observed)
    encoding = encoding._replace(
        sizes=np.ascontiguousarray(sizes),
        multiplicity=weight,
        copy=float(min(1.0, weight[weight > 0.0].min(initial=1.0))),
        n_observed=n_observed[encoding.mask_of],
        total=total,
    )
    return weigh_clusters(encoding, encoding.slot_weights)


def weigh_clusters(encoding, slot_weights):
    """Set the weights of the base clusters, and what depends on them; None for 1 each."""
    encoding = encoding._replace(slot_weights=slot_weights)
    weights = encoding.by_slot(np.ones(len(encoding.offsets)))
    squares = np.add.reduceat((weights * encoding.sizes) ** 2, encoding.offsets)
    for u in encoding.soft_partitions:
        own = weights[encoding.offsets[u] :][: encoding.n_codes[u]]
        squares[u] = own @ encoding.gram(u) ** 2 @ own
    return encoding._replace(squares=squares)


def encode(labels):
    """Encode a checked label matrix, one row per object; O(n m) time, one small copy of the labels."""
    n, m = labels.shape
    codes, sizes, missing = compact_codes(labels)
    n_codes = np.array([len(s) for s in sizes], dtype=np.int64)
    offsets = np.cumsum(n_codes) - n_codes
    observed, mask_of = np.ones((n, 1), dtype=bool), np.zeros(m, dtype=np.intp)
    if missing.any():
        observed, mask_of = _masks(np.where(missing, codes != n_codes - 1, True))
    sizes = np.concatenate([*sizes, np.empty(0)])
    ones = np.ones(n)
    return Encoding(
        codes=codes,
        hard=np.arange(m),
        soft=np.empty((n, 0)),
        soft_slots=np.empty(0, dtype=np.int64),
        offsets=offsets,
        sizes=sizes,
        squares=np.add.reduceat(sizes**2, offsets),
        missing_slots=(offsets + n_codes - 1)[missing],
        multiplicity=ones,
        copy=1.0,
        inverse=None,
        observed=observed,
        mask_of=mask_of,
        n_observed=np.add.reduceat(sizes, offsets),
        total=float(n),
        n_samples=n,
    )


def collapse(encoding, start=None, *, min_saving=_MIN_SAVING):
    """Merge identical rows, and of equal `start`, if that saves the given share; else return the encoding unchanged."""
    codes = encoding.codes
    hashes = hash_rows(codes)
    tables = [codes] + [table for table in (encoding.soft, start) if table is not None and table.shape[1]]
    for factor, table in zip((3, 5), tables[1:], strict=False):
        hashes += factor * hash_rows(table.view(np.uint64))
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
    return encoding._replace(
        codes=codes[first],
        soft=encoding.soft[first],
        multiplicity=np.bincount(inverse, weights=encoding.multiplicity),
        inverse=inverse,
        observed=np.ascontiguousarray(encoding.observed[first]),
    )


def hash_rows(values):
    """64-bit hash of every row of unsigned integers: a sum with odd random factors that wraps around."""
    factors = np.random.RandomState(0).randint(2**63, size=values.shape[1], dtype=np.uint64)
    factors = factors * np.uint64(2) + np.uint64(1)
    hashes = np.empty(len(values), dtype=np.uint64)
    for block in row_blocks(len(values)):
        hashes[block] = values[block].astype(np.uint64) @ factors
    return hashes


def select(encoding, partitions):
    """The encoding of some of the partitions, in ascending order, without the slots and masks of the others."""
    chosen = np.zeros(len(encoding.offsets), dtype=bool)
    chosen[partitions] = True
    slots = np.repeat(chosen, encoding.n_codes)
    hard = np.isin(partitions, encoding.hard)
    n_codes = encoding.n_codes[partitions]
    offsets = np.cumsum(n_codes) - n_codes
    with_missing = np.isin(encoding.offsets[partitions] + n_codes - 1, encoding.missing_slots)
    masks, mask_of = np.unique(encoding.mask_of[partitions], return_inverse=True)
    kept = slots[encoding.soft_slots]
    return encoding._replace(
        codes=encoding.codes.take(np.flatnonzero(chosen[encoding.hard]), axis=1),
        hard=np.flatnonzero(hard),
        soft=np.ascontiguousarray(encoding.soft[:, kept]),
        soft_slots=np.flatnonzero(np.repeat(~hard, n_codes)),
        offsets=offsets,
        sizes=encoding.sizes[slots],
        squares=encoding.squares[partitions],
        missing_slots=(offsets + n_codes - 1)[with_missing],
        observed=np.ascontiguousarray(encoding.observed[:, masks]),
        mask_of=mask_of,
        n_observed=encoding.n_observed[partitions],
        slot_weights=None if encoding.slot_weights is None else encoding.slot_weights[slots],
    )


def take_rows(encoding, rows):
    """The encoding of some of the rows; cluster sizes stay those of the whole ensemble."""
    return encoding._replace(
        codes=np.ascontiguousarray(encoding.codes[rows]),
        soft=encoding.soft[rows],
        multiplicity=encoding.multiplicity[rows],
        observed=np.ascontiguousarray(encoding.observed[rows]),
        inverse=None,
        n_samples=len(rows),
    )


def sub_ensemble(encoding, rows, partitions):
    """The encoding of some of the rows and some of the partitions, given ascending, as an ensemble of its own."""
    part = select(take_rows(encoding, rows), partitions)
    return weigh(part, part.multiplicity)


def harden(encoding):
    """The encoding of the same rows with every soft partition replaced by its labels of largest membership."""
    soft = encoding.soft_partitions
    if len(soft) == 0:
        return encoding
    labels = np.empty((len(encoding.codes), len(encoding.offsets)), dtype=np.int64)
    labels[:, encoding.hard] = encoding.codes
    for u in soft:
        labels[:, u] = encoding.memberships(u).argmax(axis=1)
    labels[~encoding.observed[:, encoding.mask_of]] = -1
    return weigh(encode(labels), encoding.multiplicity)


def one_hot(encoding):
    """The ensemble as a sparse (n_rows, n_slots) matrix of indicators, or of memberships in the soft partitions."""
    n, m = encoding.codes.shape
    # scikit-learn reads 32-bit indices only.
    index = np.int32 if n * m <= np.iinfo(np.int32).max else np.int64
    indices = encoding.codes + encoding.offsets[encoding.hard].astype(index)
    observed = encoding.observed[:, encoding.mask_of[encoding.hard]]
    ends = np.concatenate([[0], np.cumsum(np.count_nonzero(observed, axis=1))]).astype(index)
    entries = indices[observed].astype(index)
    indicators = sparse.csr_array((np.ones(len(entries)), entries, ends), shape=(n, len(encoding.sizes)))
    if encoding.soft.shape[1] == 0:
        return indicators
    rows, columns = np.nonzero(encoding.soft)
    memberships = encoding.soft[rows, columns], (rows, encoding.soft_slots[columns])
    return indicators + sparse.csr_array(memberships, shape=indicators.shape)


def _masks(observed):
    """Distinct columns of (n, m) bool, as (n, n_masks) bool, and the index of each column among them."""
    if observed.all():
        return np.ones((len(observed), 1), dtype=bool), np.zeros(observed.shape[1], dtype=np.intp)
    _, first, mask_of = np.unique(np.packbits(observed, axis=0), axis=1, return_index=True, return_inverse=True)
    return np.ascontiguousarray(observed[:, first]), mask_of.ravel()
