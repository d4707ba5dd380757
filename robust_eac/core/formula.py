"""The objective on encodings, once: losses, agreements, gradient and gap, all from k x k and k x k_u matrices."""

import numpy as np

from ..checks.common import BLOCK, row_blocks
from . import kernels, relabelling
from .arrays import Statistics, Visit, Visited
from .threads import map_threads

# From this many rows on, sums are taken over this many parts, whatever the number of threads.
_IN_PARTS = 2**16
_PARTS = 8
# With more clusters than this, a matrix product is faster than a loop that skips memberships of zero.
_BY_PRODUCT = 64
# SIMD width in float64.
_WIDTH = 4
# Largest table (entries) of a block of rows and all masks.
_NUMBERS_AT_ONCE = 2**20
# Differences of |G|^2 and |X'X|^2 below this share are rounding.
_ROUNDING = 1e-13


def weighted_loss(losses, weights, *, lam=0.0):
    """sum_u alpha_u d_u + lambda/2 |alpha|^2: objective (4), or (5) with lambda."""
    return float(weights @ losses + 0.5 * lam * (weights @ weights))


def accumulate(encoding, rows, *, n_threads=1) -> tuple[np.ndarray, np.ndarray]:
    """S of shape (n_slots, k) and G of shape (n_masks, k, k) of the memberships of an encoding's rows."""
    k = rows.shape[1]

    def of_part(part):
        S = np.empty((len(encoding.partitions.sizes), k + -k % _WIDTH))
        G = np.empty((encoding.rows.observed.shape[1], k, k))
        data = encoding.rows.take(part)
        by_product = k > _BY_PRODUCT
        kernels.accumulate(data, encoding.partitions.slots, rows[part], S, G[:0] if by_product else G)
        for g in range(len(G) if by_product else 0):
            G[g] = (rows[part] * (data.multiplicity * data.observed[:, g])[:, np.newaxis]).T @ rows[part]
        return np.ascontiguousarray(S[:, :k]), G

    if len(rows) < _IN_PARTS:
        return of_part(slice(None))
    ends = np.linspace(0, len(rows), _PARTS + 1).astype(int)
    parts = map_threads(of_part, [slice(*ends[p : p + 2]) for p in range(_PARTS)], n_threads)
    S, G = next(parts)
    for S_of_part, G_of_part in parts:
        S += S_of_part
        G += G_of_part
    return S, G


def cluster_counts(encoding, clusters, n_clusters):
    """(n_slots, n_clusters) objects of each slot in each cluster; 0 for "not observed"."""
    counts = np.zeros((len(encoding.partitions.sizes), n_clusters))
    kernels.count(
        encoding.rows.codes, encoding.partitions.offsets, encoding.rows.multiplicity, clusters.astype(np.intp), counts
    )
    counts[encoding.partitions.missing_slots] = 0.0
    return counts


def matrices_of(partitions, chosen, S, G):
    """The S and G of some of the partitions, given ascending; those of :func:`~robust_eac.core.encoding.select`."""
    if len(chosen) == len(partitions.offsets):
        return S, G
    return slots_of(partitions, chosen, S), G[np.unique(partitions.mask_of[chosen])]


def slots_of(partitions, chosen, values):
    """The values, one or a row per slot, of some of the partitions."""
    kept = np.zeros(len(partitions.offsets), dtype=bool)
    kept[chosen] = True
    return values[np.repeat(kept, partitions.n_codes)]


def losses_of(partitions, S, G):
    """The losses d_u from S and G."""
    return losses_from_sums(partitions, shared_pairs(partitions, S), np.einsum("gpq,gpq->g", G, G))


def losses_from_sums(partitions, shared, square_G):
    """The losses d_u from <Y'Y, X_u'W_uX_u> of every partition and |Y'Y|^2 of every mask."""
    square_G = square_G[partitions.mask_of]
    losses = square_G - 2.0 * shared + partitions.squares
    # The difference of three large numbers: rounding must not hide perfect agreement.
    losses[losses < _ROUNDING * (square_G + partitions.squares)] = 0.0
    return losses * partitions.scale


def shared_pairs(partitions, S):
    """(m,) <Y'Y, X_u'W_uX_u> = sum over the slots l of w_l |S_l|^2."""
    return partitions.sum_slots(np.einsum("sp,sp->s", S, S))


def agreement_sums(encoding, S, rows, partitions=None):
    """The lift |S_u|^2 - E_u, and the PairSums (see relabelling) of the consensus and of the partition, (m,) each."""
    if partitions is None:
        partitions = partition_sums(encoding)
    mask_of_slot, soft_slots = (
        np.repeat(encoding.partitions.mask_of, encoding.partitions.n_codes),
        encoding.partitions.soft_slots,
    )
    means, sides, of_soft = [], [], np.empty((len(soft_slots), rows.shape[1]))
    for g, mask in enumerate(encoding.rows.observed.T):
        weight = encoding.rows.multiplicity * mask
        mean, centred = relabelling.centre(rows, weight)
        means.append(mean)
        sides.append(relabelling.soft_sums(mean, centred, weight, encoding.self_pairs * mask))
        soft = np.flatnonzero(mask_of_slot[soft_slots] == g)
        of_soft[soft] = encoding.rows.soft[:, soft].T @ (weight[:, np.newaxis] * centred)
    mean_of_slot, sizes = np.array(means)[mask_of_slot], encoding.partitions.sizes
    centred_S = S - sizes[:, np.newaxis] * mean_of_slot
    centred_S[soft_slots] = of_soft
    along, own = (np.einsum("sp,sp->s", centred_S, other) for other in (mean_of_slot, centred_S))
    shared = encoding.partitions.sum_slots(2.0 * sizes * along + own)
    consensus = relabelling.stack(sides, encoding.partitions.mask_of)
    return relabelling.lift(shared, consensus, partitions), consensus, partitions


def partition_sums(encoding):
    """The PairSums (see relabelling) of all partitions."""
    singles = (encoding.self_pairs @ encoding.rows.observed)[encoding.partitions.mask_of]
    own = singles.copy()
    for u in np.intersect1d(encoding.partitions.unlike_self, encoding.partitions.hard):
        own[u] = encoding.self_pairs @ encoding.self_similarity(u)
    everything = encoding.partitions.sum_slots(encoding.partitions.sizes**2)
    sides = relabelling.pair_sums(encoding.partitions.n_observed, singles, own, everything, encoding.partitions.squares)
    for u in encoding.partitions.soft:
        mask = encoding.rows.observed[:, encoding.partitions.mask_of[u]]
        weight, self_pairs = encoding.rows.multiplicity * mask, encoding.self_pairs * mask
        centred = relabelling.centre(_scaled_memberships(encoding, u), weight)
        _fill(sides, u, relabelling.soft_sums(*centred, weight, self_pairs))
    return sides


def _scaled_memberships(encoding, partition):
    """Memberships in a soft partition times the roots of the weights of its clusters: their products are B_u."""
    memberships = encoding.memberships(partition)
    if encoding.partitions.slot_weights is None:
        return memberships
    return memberships * np.sqrt(
        encoding.partitions.slot_weights[encoding.partitions.offsets[partition] :][: memberships.shape[1]]
    )


def moments_of_test(encoding, memberships):
    """The TestedSides (see relabelling) of the consensus and of the partition, one value per partition each."""
    consensus = [
        relabelling.soft_moments(memberships, encoding.rows.multiplicity * mask) for mask in encoding.rows.observed.T
    ]
    n, power2 = (
        encoding.partitions.n_observed,
        np.add.reduceat(encoding.partitions.sizes**2, encoding.partitions.offsets),
    )
    deviation = encoding.partitions.sizes - np.repeat(power2 / n, encoding.partitions.n_codes)
    rows = [
        np.add.reduceat(encoding.partitions.sizes * deviation**power, encoding.partitions.offsets) for power in (2, 3)
    ]
    sides = relabelling.hard_moments(n, power2, *rows)
    for u in encoding.partitions.soft:
        weight = encoding.rows.multiplicity * encoding.rows.observed[:, encoding.partitions.mask_of[u]]
        _fill(sides, u, relabelling.soft_moments(encoding.memberships(u), weight))
    return relabelling.stack(consensus, encoding.partitions.mask_of), sides


def _fill(sides, u, side):
    for values, value in zip(sides, side, strict=True):
        values[u] = value


def adjusted_agreements(encoding, rows, *, n_threads=1):
    """The adjusted agreements a_u of memberships of an encoding's rows."""
    S, _ = accumulate(encoding, rows, n_threads=n_threads)
    return relabelling.adjusted(*agreement_sums(encoding, S, rows))


def agreement_from_losses(encoding, losses, rows):
    """The adjusted agreements a_u from known losses d_u: O(n_rows k^2) per mask, without S."""
    return agreement_beside(encoding, losses, _sums_by_mask(encoding, rows))


def agreement_beside(encoding, losses, consensus):
    """The adjusted agreements a_u from known losses d_u, and the PairSums of the consensus."""
    partitions, losses = partition_sums(encoding), losses / encoding.partitions.scale
    return relabelling.adjusted(
        relabelling.half_expected_loss(consensus, partitions) - 0.5 * losses, consensus, partitions
    )


def _sums_by_mask(encoding, rows):
    """The PairSums (see relabelling) of the memberships on the objects of each partition, summed block by block."""
    n_masks, k = encoding.rows.observed.shape[1], rows.shape[1]
    n, singles, own = np.zeros((3, n_masks))
    v, H = np.zeros((n_masks, k)), np.zeros((n_masks * k, k))
    size = min(BLOCK, 1 + _NUMBERS_AT_ONCE // (n_masks * k))
    for start in range(0, len(rows), size):
        block = slice(start, start + size)
        X, observed = rows[block], encoding.rows.observed[block].T
        weight = encoding.rows.multiplicity[block] * observed
        self_pairs = weight * encoding.partitions.copy
        squares = np.einsum("ic,ic->i", X, X)
        n += weight.sum(axis=1)
        singles += self_pairs.sum(axis=1)
        own += self_pairs @ squares
        v += weight @ X
        H += (weight[:, np.newaxis] * X.T).reshape(n_masks * k, -1) @ X
    square, everything = np.sum(H.reshape(n_masks, -1) ** 2, axis=1), np.einsum("gc,gc->g", v, v)
    by_mask = relabelling.pair_sums(n, singles, own, everything, square)
    return relabelling.PairSums(*(values[encoding.partitions.mask_of] for values in by_mask))


def agreement_from_sums(partitions, S, G):
    """The adjusted agreements a_u of hard partitions of unweighted objects, from S and G alone."""
    square_S = np.add.reduceat(np.einsum("sp,sp->s", S, S), partitions.offsets)
    # Each observed object is in one cluster of the partition, so that S sums all memberships.
    n, v = partitions.n_observed, np.add.reduceat(S, partitions.offsets, axis=0)
    own, square = (values[partitions.mask_of] for values in (np.einsum("gpp->g", G), np.einsum("gpq,gpq->g", G, G)))
    consensus = relabelling.pair_sums(n, n, own, np.einsum("up,up->u", v, v), square)
    sides = relabelling.hard_sums(n, n, partitions.squares)
    return relabelling.adjusted(square_S - relabelling.expected(consensus, sides), consensus, sides)


def coefficients(partitions, weights):
    """alpha_u (n / n_u)^2 and their sum per mask."""
    coef = weights * partitions.scale
    return coef, partitions.by_mask(coef)


def weighted_statistics(encoding, weights, S, G):
    """The :class:`~robust_eac.core.arrays.Statistics` of weighted raw losses."""
    coef, mask_coef = coefficients(encoding.partitions, weights)
    slot_coef = encoding.partitions.by_slot(coef)
    return _statistics(encoding, S, G, slot_coef, mask_coef, encoding.surplus(coef), np.zeros(len(mask_coef)))


def statistics_from(encoding, S, G, coef, mask_coef, together, alone):
    """The :class:`~robust_eac.core.arrays.Statistics` for visits of :func:`with_one_cluster`.

    They minimise  sum_g mask_coef |Y'Y|^2 - 2 sum_u coef <Y'Y, X_u'W_uX_u> - 2 sum_g together |Y1|^2 - 2 sum_g alone
    sum_i |y_i|^2,  sums over the objects of mask g and what partition u observes.
    """
    partitions = encoding.partitions
    of_masks = mask_coef - partitions.by_mask(coef) - together
    surplus = encoding.surplus(coef) + encoding.rows.observed @ of_masks
    slot_coef = np.append(partitions.by_slot(coef), together)
    S = np.concatenate([S, totals_by_mask(partitions, S)])
    return _statistics(encoding, S, G, slot_coef, mask_coef, surplus, alone)


def totals_by_mask(partitions, S):
    """(n_masks, k) Y1 over the objects of each mask."""
    # A partition's memberships sum to 1 wherever it observes.
    _, first = np.unique(partitions.mask_of, return_index=True)
    return np.add.reduceat(S, partitions.offsets, axis=0)[first]


def with_one_cluster(encoding):
    """What sweeps read of the encoding, and of one more partition per mask: a single cluster of all its objects."""
    rows, slots = encoding.visited
    n_slots, n_masks = len(encoding.partitions.sizes), rows.observed.shape[1]
    rows = rows._replace(soft=np.concatenate([rows.soft, rows.observed], axis=1))
    return Visited(rows, slots._replace(soft=np.append(slots.soft, n_slots + np.arange(n_masks))))


def _statistics(encoding, S, G, slot_coef, mask_coef, surplus, alone):
    """The Statistics from coefficients of slots and masks, and what a row's mask_coef has more than its slots."""
    alone = np.where(encoding.rows.multiplicity > 0.0, encoding.rows.observed @ alone * encoding.partitions.copy, 0.0)
    return Statistics(
        T=padded(S * slot_coef[:, np.newaxis]),
        Q=G * mask_coef[:, np.newaxis, np.newaxis],
        own=np.column_stack([encoding.rows.observed @ mask_coef, surplus, alone]),
        mask_coef=mask_coef,
        slot_coef=slot_coef,
    )


def padded(T):
    """T with columns of zeros up to the SIMD width."""
    missing = -T.shape[1] % _WIDTH
    return np.concatenate([T, np.zeros((len(T), missing))], axis=1) if missing else T


def gradient_of(visited, rows, statistics, *, block=slice(None)):
    """Gradient in the membership of one object of every row (of a block of rows)."""
    out = np.empty_like(rows[block])
    statistics = statistics._replace(own=statistics.own[block])
    kernels.gradient(visited.rows.take(block), visited.slots, statistics, rows[block], out)
    return out


def frank_wolfe_gaps(visited, rows, statistics):
    """max_p <g_i, y_i - e_p> for one object of every row; the gradient is formed block by block."""
    gaps = np.empty(len(rows))
    for block in row_blocks(len(rows)):
        gradient = gradient_of(visited, rows, statistics, block=block)
        gaps[block] = np.einsum("ip,ip->i", gradient, rows[block]) - gradient.min(axis=1)
    return np.maximum(gaps, 0.0)


def gap_of(visited, rows, statistics, total, *, n_threads=1):
    """The optimality gap of objects of this total weight, by visits that leave every column alone."""
    # These visits change nothing, so that threads can share T and Q.
    how = Visit(n_steps=1, skip=np.inf, relaxation=1.0)

    def of_part(order):
        return kernels.sweep(order, *visited, statistics, rows, how)[0]

    return sum(map_threads(of_part, row_parts(len(rows)), n_threads)) / gap_unit(total)


def row_parts(n_rows):
    """The numbers of the rows in the parts over which sums are taken, whatever the number of threads."""
    return np.array_split(np.arange(n_rows), _PARTS if n_rows >= _IN_PARTS else 1)


def gap_unit(total):
    """Divide a sum of Frank-Wolfe gaps over objects of this total weight by this to get the optimality gap."""
    return 4.0 * total**2
