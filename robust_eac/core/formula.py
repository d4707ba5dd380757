"""Sums over objects: S and G of memberships, agreement by chance; contingency tables of pairs of partitions."""

from typing import NamedTuple

import numpy as np

from . import kernels, permutation
from .threads import map_threads

# From this many rows on, sums are taken over a fixed number of parts: they do not depend on the number of threads.
IN_PARTS = 2**16
PARTS = 8
# With more clusters than this, a matrix product is faster than a loop that skips memberships of zero.
_BY_PRODUCT = 64
# Up to this many cells of contingency tables of pairs of partitions are counted at a time.
CELLS_AT_ONCE = 2**20
# SIMD width in float64.
WIDTH = 4


def accumulate(encoding, rows, *, n_threads=1) -> tuple[np.ndarray, np.ndarray]:
    """S of shape (n_slots, k) and G of shape (n_masks, k, k) of the memberships of an encoding's rows."""
    k = rows.shape[1]
    partitions = encoding.partitions

    def of_part(part):
        data = encoding.rows.take(part)
        Y = rows[part]
        S = np.zeros((partitions.n_slots, k + -k % WIDTH))
        G = np.zeros((data.observed.shape[1], k, k))
        if k > _BY_PRODUCT:
            kernels.add_rows(data, partitions.offsets, Y, S, G[:0])
            for g, mask in enumerate(data.observed.T):
                G[g] = (Y * (data.multiplicity * mask)[:, np.newaxis]).T @ Y
        else:
            kernels.add_rows(data, partitions.offsets, Y, S, G)
        S[partitions.missing_slots] = 0.0
        return np.ascontiguousarray(S[:, :k]), G

    if len(rows) < IN_PARTS:
        return of_part(slice(None))
    ends = np.linspace(0, len(rows), PARTS + 1).astype(int)
    parts = map_threads(of_part, [slice(*ends[p : p + 2]) for p in range(PARTS)], n_threads)
    S, G = next(parts)
    for S_of_part, G_of_part in parts:
        S += S_of_part
        G += G_of_part
    return S, G


def cluster_counts(encoding, clusters, n_clusters):
    """(n_slots, n_clusters) weight of the objects of each slot in each cluster; 0 for "not observed"."""
    rows = encoding.rows
    partitions = encoding.partitions
    counts = np.zeros((partitions.n_slots, n_clusters))
    kernels.count(rows.codes, partitions.offsets, rows.multiplicity, clusters.astype(np.intp), counts)
    counts[partitions.missing_slots] = 0.0
    return counts


class Cells(NamedTuple):
    """Non-empty cells of the contingency tables of partition u, into n_own clusters, with some of the later ones.

    later, span : slices of these partitions and of their slots, from whose starts indices below count.
    of_slot : (n_slots,) partition of each of these slots.
    own, slots, others, counts : (n_cells,) cluster of u; slot of the other cluster; its partition; weight of the
        objects.
    """

    u: int
    n_own: int
    later: slice
    span: slice
    of_slot: np.ndarray
    own: np.ndarray
    slots: np.ndarray
    others: np.ndarray
    counts: np.ndarray

    def by_partition(self, values):
        """(n_later,) sums of the values of each other partition's cells."""
        return np.bincount(self.others, values, self.later.stop - self.later.start)

    def by_slot(self, values):
        """(n_slots,) sums of the values of each other cluster's cells."""
        return np.bincount(self.slots, values, len(self.of_slot))

    def by_own(self, values):
        """(n_later, n_own) sums of the values of the cells of u's clusters in each other partition."""
        n_later = self.later.stop - self.later.start
        return np.bincount(self.others * self.n_own + self.own, values, n_later * self.n_own).reshape(n_later, -1)


def pair_cells(encoding, n_first=None):
    """Yield the :class:`Cells` of every partition, or of the first ones, with those after it; O(rows m^2) in all."""
    for pairs in pairs_at_once(encoding.partitions, encoding.n_rows, n_first):
        yield cells_of(encoding.partitions, pairs, *count_cells(encoding, *pairs))


def pairs_at_once(partitions, n_rows, n_first=None):
    """Yield (u, n_own, first, last): partitions after u with at most CELLS_AT_ONCE cells in common with u, or one."""
    n_clusters = partitions.n_clusters.tolist()
    width = max(1, CELLS_AT_ONCE // min(n_rows, max(n_clusters) ** 2 + 1))
    for u, n_own in enumerate(n_clusters[:n_first]):
        for first in range(u + 1, len(n_clusters), width):
            yield u, n_own, first, min(first + width, len(n_clusters))


def count_cells(encoding, u, n_own, first, last):
    """(own, slots, counts) of the cells of partition u with partitions `first` to `last`, see :class:`Cells`."""
    (codes, multiplicity, _), partitions = encoding.rows, encoding.partitions
    tally = np.zeros(partitions.n_slots)
    tally[partitions.missing_slots] = -np.inf
    start, stop = partitions.bounds[[first, last]]
    members = np.argsort(codes[:, u], kind="stable")
    ends = np.searchsorted(codes[members, u], np.arange(n_own + 1))
    most = min(len(codes) * (last - first), n_own * (stop - start))
    own, slots = np.empty((2, most), dtype=np.intp)
    counts = np.empty(most)
    offsets = partitions.offsets[first:last] - start
    n = kernels.count_pairs(codes, multiplicity, members, ends, offsets, first, tally[start:stop], own, slots, counts)
    return own[:n], slots[:n], counts[:n]


def cells_of(partitions, pairs, own, slots, counts):
    """The :class:`Cells` of counted cells."""
    u, n_own, first, last = pairs
    of_slot = np.repeat(np.arange(last - first), partitions.n_codes[first:last])
    span = slice(*partitions.bounds[[first, last]])
    return Cells(u, n_own, slice(first, last), span, of_slot, own, slots, of_slot[slots], counts)


def agreement_sums(encoding, S, rows, of_partitions):
    """The lift |S_u|^2 - E_u, and the PairSums (see permutation) of consensus and partitions, (m,) each.

    of_partitions : their :func:`partition_sums`.
    """
    data = encoding.rows
    partitions = encoding.partitions
    sizes = partitions.sizes
    means = []
    sums = []
    for mask in data.observed.T:
        weight = data.multiplicity * mask
        mean, centred = permutation.centre(rows, weight)
        means.append(mean)
        sums.append(permutation.soft_sums(mean, centred, weight, encoding.self_pairs * mask))
    mean_of_slot = np.repeat(np.array(means)[partitions.mask_of], partitions.n_codes, axis=0)
    centred_S = S - sizes[:, np.newaxis] * mean_of_slot
    along = np.einsum("sp,sp->s", centred_S, mean_of_slot)
    own = np.einsum("sp,sp->s", centred_S, centred_S)
    shared = partitions.sum_slots(2.0 * sizes * along + own)
    of_consensus = permutation.stack_sums(sums, partitions.mask_of)
    return permutation.lift(shared, of_consensus, of_partitions), of_consensus, of_partitions


def partition_sums(encoding):
    """The PairSums (see permutation) of all partitions."""
    partitions = encoding.partitions
    singles = (encoding.self_pairs @ encoding.rows.observed)[partitions.mask_of]
    return permutation.hard_sums(partitions.n_observed, singles, partitions.squares)


def moments_of_test(encoding, memberships):
    """The PairMoments (see permutation) of consensus and partitions, (m,) each."""
    rows = encoding.rows
    partitions = encoding.partitions
    sizes = partitions.sizes
    of_consensus = [permutation.soft_moments(memberships, rows.multiplicity * mask) for mask in rows.observed.T]
    deviation = sizes - np.repeat(partitions.squares / partitions.n_observed, partitions.n_codes)
    rows2 = partitions.sum_slots(sizes * deviation**2)
    rows3 = partitions.sum_slots(sizes * deviation**3)
    moments = permutation.hard_moments(partitions.n_observed, partitions.squares, rows2, rows3)
    return permutation.stack_sums(of_consensus, partitions.mask_of), moments


def adjusted_agreements(encoding, rows, *, n_threads=1):
    """The adjusted agreements a_u of memberships of an encoding's rows."""
    S, _ = accumulate(encoding, rows, n_threads=n_threads)
    return permutation.adjusted(*agreement_sums(encoding, S, rows, partition_sums(encoding)))


def agreement_beside(encoding, losses, consensus):
    """The adjusted agreements a_u from known losses d_u and the PairSums of the consensus."""
    of_partitions = partition_sums(encoding)
    lift = permutation.half_expected_loss(consensus, of_partitions) - 0.5 * (losses / encoding.partitions.scale)
    return permutation.adjusted(lift, consensus, of_partitions)


def agreement_sums_from(partitions, S, G):
    """:func:`agreement_sums` from S and G alone, without centring."""
    n = partitions.n_observed
    square_S = partitions.sum_slots(np.einsum("sp,sp->s", S, S))
    # Each observed object is in exactly one cluster of a partition: S sums to Y1 there.
    v = partitions.sum_slots(S)
    own = partitions.copy * np.einsum("gpp->g", G)[partitions.mask_of]
    singles = partitions.copy * n
    square = np.einsum("gpq,gpq->g", G, G)[partitions.mask_of]
    of_consensus = permutation.pair_sums(n, singles, own, np.einsum("up,up->u", v, v), square)
    of_partitions = permutation.hard_sums(n, singles, partitions.squares)
    return square_S - permutation.expected(of_consensus, of_partitions), of_consensus, of_partitions
