"""Losses and agreements of a membership with the partitions, all from k x k and k x k_u matrices."""

import numpy as np

from . import kernels, permutation
from .threads import map_threads

# From this many rows on, sums are taken over a fixed number of parts: they do not depend on the number of threads.
IN_PARTS = 2**16
PARTS = 8
# With more clusters than this, a matrix product is faster than a loop that skips memberships of zero.
_BY_PRODUCT = 64
# SIMD width in float64.
WIDTH = 4


def accumulate(encoding, rows, *, n_threads=1) -> tuple[np.ndarray, np.ndarray]:
    """S of shape (n_slots, k) and G of shape (n_masks, k, k) of the memberships of an encoding's rows."""
    k = rows.shape[1]
    partitions = encoding.partitions

    def of_part(part):
        data = encoding.rows.take(part)
        Y = rows[part]
        S = np.zeros((len(partitions.sizes), k + -k % WIDTH))
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
    counts = np.zeros((len(partitions.sizes), n_clusters))
    kernels.count(rows.codes, partitions.offsets, rows.multiplicity, clusters.astype(np.intp), counts)
    counts[partitions.missing_slots] = 0.0
    return counts


def matrices_of(partitions, chosen, S, G):
    """The S and G of the chosen partitions, in the order of :func:`~robust_eac.core.encoding.select`."""
    if len(chosen) == len(partitions.offsets):
        return S, G
    return partitions.take_slots(S, chosen), G[np.unique(partitions.mask_of[chosen])]


def losses_of(partitions, S, G):
    """The losses d_u from S and G."""
    shared = partitions.sum_slots(np.einsum("sp,sp->s", S, S))
    square_G = np.einsum("gpq,gpq->g", G, G)[partitions.mask_of]
    losses = square_G - 2.0 * shared + partitions.squares
    # A difference of large numbers: rounding must not hide perfect agreement.
    losses[losses < permutation.ROUNDING_SHARE * (square_G + partitions.squares)] = 0.0
    return losses * partitions.scale


def agreement_sums(encoding, S, rows, of_partitions=None):
    """The lift |S_u|^2 - E_u, and the PairSums (see permutation) of consensus and partitions, (m,) each.

    of_partitions : their :func:`partition_sums`, if the caller has them.
    """
    if of_partitions is None:
        of_partitions = partition_sums(encoding)
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
    offsets = partitions.offsets
    of_consensus = [permutation.soft_moments(memberships, rows.multiplicity * mask) for mask in rows.observed.T]
    power2 = np.add.reduceat(sizes**2, offsets)
    deviation = sizes - np.repeat(power2 / partitions.n_observed, partitions.n_codes)
    rows2 = np.add.reduceat(sizes * deviation**2, offsets)
    rows3 = np.add.reduceat(sizes * deviation**3, offsets)
    moments = permutation.hard_moments(partitions.n_observed, power2, rows2, rows3)
    return permutation.stack_sums(of_consensus, partitions.mask_of), moments


def adjusted_agreements(encoding, rows, *, n_threads=1):
    """The adjusted agreements a_u of memberships of an encoding's rows."""
    S, _ = accumulate(encoding, rows, n_threads=n_threads)
    return permutation.adjusted(*agreement_sums(encoding, S, rows))


def agreement_beside(encoding, losses, consensus):
    """The adjusted agreements a_u from known losses d_u and the PairSums of the consensus."""
    of_partitions = partition_sums(encoding)
    lift = permutation.half_expected_loss(consensus, of_partitions) - 0.5 * (losses / encoding.partitions.scale)
    return permutation.adjusted(lift, consensus, of_partitions)


def agreement_sums_from(partitions, S, G):
    """:func:`agreement_sums` from S and G alone, without centring."""
    n = partitions.n_observed
    offsets = partitions.offsets
    square_S = np.add.reduceat(np.einsum("sp,sp->s", S, S), offsets)
    # Each observed object is in exactly one cluster of a partition: S sums to Y1 there.
    v = np.add.reduceat(S, offsets, axis=0)
    own = partitions.copy * np.einsum("gpp->g", G)[partitions.mask_of]
    singles = partitions.copy * n
    square = np.einsum("gpq,gpq->g", G, G)[partitions.mask_of]
    of_consensus = permutation.pair_sums(n, singles, own, np.einsum("up,up->u", v, v), square)
    of_partitions = permutation.hard_sums(n, singles, partitions.squares)
    return square_S - permutation.expected(of_consensus, of_partitions), of_consensus, of_partitions


def coefficients(partitions, weights):
    """coef, (m,) alpha_u (n / n_u)^2, and mask_coef, (n_masks,) their sums per mask."""
    coef = weights * partitions.scale
    return coef, partitions.by_mask(coef)
