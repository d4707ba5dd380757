"""Memberships of new objects in a fixed consensus, and the data of a fit that they need."""

from typing import NamedTuple

import numpy as np

from .common import row_blocks
from .ensemble.encoding import Encoding, RowData, Slots, Statistics, Visited
from .median_partition.model import MAX_PLACING, padded, place_by, totals_by_mask
from .median_partition.row_sweeps import ROUNDING


class Codebook(NamedTuple):
    """The base clusters of a fit by their labels.

    partitions : (m,) intp; the partitions with weight, which are the ones used.
    starts : (m + 1,) int64; first slot of each used partition; last, the slot of labels that no fitted object has.
    labels : (n_slots,) int64; label of each cluster, in ascending order within each partition, then -1 if some were
        missing.
    categories : values that the labels of each used partition represent; None if the labels are the values.
    """

    partitions: np.ndarray
    starts: np.ndarray
    labels: np.ndarray
    categories: list


class NewObjects(NamedTuple):
    """New objects: (n, m) slots of a :class:`Codebook`, and whether each partition observes the object."""

    codes: np.ndarray
    observed: np.ndarray


class FixedConsensus(NamedTuple):
    """The part of the objective in the pairs of a new object with the fitted objects.

    It is 2 y'H y - 4 b'y plus a constant. H is the sum of quadratic_u G over the partitions u that observe the object;
    b is the sum of the rows of T of its slots, and of together_u Y1 over these partitions.

    T : (n_slots + 1, width) coef S, the last row zero.
    G, totals : (n_masks, k, k) Y Y' and (n_masks, k) Y1 over the fitted objects of each mask.
    mask_of, quadratic, together : (m,), by partition.
    skip : a quarter of the largest Frank-Wolfe gap of an assigned object.
    """

    book: Codebook
    T: np.ndarray
    G: np.ndarray
    totals: np.ndarray
    mask_of: np.ndarray
    quadratic: np.ndarray
    together: np.ndarray
    skip: float

    def place(self, new):
        """(n, k) memberships that minimise it, by exact line search from the middle of the simplex."""
        k, (n, m) = self.G.shape[1], new.codes.shape
        placed = np.empty((n, k))
        T, Q, whole, first = self._grouped(new.observed)
        statistics = Statistics(T, Q, np.empty((0, 3)), np.zeros(len(Q)), np.zeros(len(T)))
        slots = Slots(np.zeros(m, dtype=np.int64), whole, np.array([len(self.T) - 1]))
        for rows in row_blocks(n):
            codes = new.codes[rows]
            seen = np.ascontiguousarray(new.observed[rows][:, first])
            absent = Visited(RowData(codes, np.zeros(len(codes)), seen), slots)
            placed[rows] = place_by(absent, statistics, k, skip=self.skip, max_visits=MAX_PLACING)
        return placed

    def unplaced(self, new):
        """(n,) bool; the objects without any label that a fitted object has in a used partition."""
        n_slots = len(self.T) - 1
        return (new.codes == n_slots).all(axis=1)

    def _grouped(self, observed):
        """(T, Q, slots of single clusters, one partition of each) for groups that observe the same objects."""
        first, group_of = _observed_alike(self.mask_of, observed)
        quadratic, together = (np.bincount(group_of, weights=part) for part in (self.quadratic, self.together))
        masks = self.mask_of[first]
        # Kernels need writeable arrays; those of a memory-mapped model are read-only.
        T = self.T.copy()
        Q = self.G[masks] * quadratic[:, np.newaxis, np.newaxis]
        whole = np.empty(0, dtype=np.int64)
        if together.any():
            # A single cluster of all objects of each group.
            whole = len(T) + np.arange(len(first))
            T = np.concatenate([T, padded(together[:, np.newaxis] * self.totals[masks])])
        return T, Q, whole, first


def _observed_alike(mask_of, observed):
    """(one partition of each group that observes the same fitted and new objects, group of every partition)."""
    patterns = np.packbits(observed, axis=0)
    keys = np.concatenate([mask_of[np.newaxis], np.zeros_like(patterns[:1]) if observed.all() else patterns])
    _, first, group_of = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    return first, group_of.ravel()


def write_codebook(encoding: Encoding, ensemble, partitions):
    """The :class:`Codebook` of some of the partitions of an ensemble, from its encoding with all objects as rows."""
    starts = np.concatenate([[0], np.cumsum(encoding.partitions.n_codes[partitions])])
    labels = np.empty(starts[-1], dtype=np.int64)
    for u, start in zip(partitions, starts, strict=False):
        labels[start + encoding.rows.codes[:, u].astype(np.int64)] = ensemble.labels[:, u]
    return Codebook(partitions, starts, labels, [_categories(ensemble, u) for u in partitions])


def _categories(ensemble, u):
    """Values that the labels of a partition represent; None if the labels are the values."""
    return ensemble.categories and ensemble.categories[u]


def _as_in_fit(labels, categories, fitted):
    """Labels as the integers of the same values in the fit, -1 for values that the fit did not have."""
    labels = labels.astype(np.int64)
    if categories == fitted:
        return labels
    if categories is None:
        values, labels = np.unique(labels, return_inverse=True)
        categories = values.tolist()
    if fitted is None:
        numbers = [-1 if isinstance(value, str) else value for value in categories]
    else:
        label_of = {value: label for label, value in enumerate(fitted)}
        numbers = [label_of.get(value, -1) for value in categories]
    # The last entry is for missing labels.
    return np.array([*numbers, -1], dtype=np.int64)[labels]


def read_new_objects(book, ensemble):
    """The :class:`NewObjects` of a checked ensemble with the partitions of the fit."""
    codes = np.empty((ensemble.n_samples, len(book.partitions)), dtype=np.uint32)
    for place, u in enumerate(book.partitions):
        start = book.starts[place]
        end = book.starts[place + 1]
        known = book.labels[start:end]
        asked = _as_in_fit(ensemble.labels[:, u], _categories(ensemble, u), book.categories[place])
        known = known[: len(known) - (known[-1] == -1)]
        at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        codes[:, place] = np.where(known[at] == asked, start + at, book.starts[-1])
    return NewObjects(codes, ensemble.observed()[:, book.partitions])


def keep_consensus(ensemble, objective, result, state, tol):
    """The :class:`FixedConsensus` of a median partition, from the objective's state there."""
    partitions = objective.partitions
    active = np.flatnonzero(result.weights)
    book = write_codebook(objective.rows.encoding, ensemble, active)
    skip = max(tol, ROUNDING) * partitions.total
    coef, quadratic, together, _ = objective.loss.terms(partitions, result.weights, state)
    weighted_S = state.S * partitions.by_slot(coef)[:, np.newaxis]
    T = np.pad(padded(partitions.take_slots(weighted_S, active)), ((0, 1), (0, 0)))
    totals = totals_by_mask(partitions, state.S)
    mask_of = partitions.mask_of[active]
    return FixedConsensus(book, T, state.G, totals, mask_of, quadratic[active], together[active], skip)
