"""The objective on encodings, once: losses, agreements, gradient and gap, all from k x k and k x k_u matrices."""

import numpy as np

from ..checks.common import BLOCK, row_blocks
from . import kernels, relabelling
from .bundles import Statistics, Visit
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
        S = np.empty((len(encoding.sizes), k + -k % _WIDTH))
        G = np.empty((encoding.observed.shape[1], k, k))
        data = encoding.data.take(part)
        by_product = k > _BY_PRODUCT
        kernels.accumulate(data, encoding.slots, rows[part], S, G[:0] if by_product else G)
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
    counts = np.zeros((len(encoding.sizes), n_clusters))
    kernels.count(encoding.codes, encoding.offsets, encoding.multiplicity, clusters.astype(np.intp), counts)
    counts[encoding.missing_slots] = 0.0
    return counts


def matrices_of(encoding, partitions, S, G):
    """The S and G of some of the partitions, given ascending; those of :func:`~robust_eac.solve.encoding.select`."""
    if len(partitions) == len(encoding.offsets):
        return S, G
    return slots_of(encoding, partitions, S), G[np.unique(encoding.mask_of[partitions])]


def slots_of(encoding, partitions, values):
    """The values, one or a row per slot, of some of the partitions."""
    chosen = np.zeros(len(encoding.offsets), dtype=bool)
    chosen[partitions] = True
    return values[np.repeat(chosen, encoding.n_codes)]


def losses_of(encoding, S, G):
    """The losses d_u from S and G; does not read the encoding's rows."""
    return losses_from_sums(encoding, shared_pairs(encoding, S), np.einsum("gpq,gpq->g", G, G))


def losses_from_sums(encoding, shared, square_G):
    """The losses d_u from <Y'Y, X_u'W_uX_u> of every partition and |Y'Y|^2 of every mask."""
    square_G = square_G[encoding.mask_of]
    losses = square_G - 2.0 * shared + encoding.squares
    # The difference of three large numbers: rounding must not hide perfect agreement.
    losses[losses < _ROUNDING * (square_G + encoding.squares)] = 0.0
    return losses * encoding.scale


def shared_pairs(encoding, S):
    """(m,) <Y'Y, X_u'W_uX_u> = sum over the slots l of w_l |S_l|^2."""
    return encoding.sum_slots(np.einsum("sp,sp->s", S, S))


def agreement_sums(encoding, S, rows, partitions=None):
    """The lift |S_u|^2 - E_u, and the PairSums (see relabelling) of the consensus and of the partition, (m,) each."""
    if partitions is None:
        partitions = partition_sums(encoding)
    mask_of_slot, soft_slots = np.repeat(encoding.mask_of, encoding.n_codes), encoding.soft_slots
    means, sides, of_soft = [], [], np.empty((len(soft_slots), rows.shape[1]))
    for g, mask in enumerate(encoding.observed.T):
        weight = encoding.multiplicity * mask
        mean, centred = relabelling.centre(rows, weight)
        means.append(mean)
        sides.append(relabelling.soft_sums(mean, centred, weight, encoding.self_pairs * mask))
        soft = np.flatnonzero(mask_of_slot[soft_slots] == g)
        of_soft[soft] = encoding.soft[:, soft].T @ (weight[:, np.newaxis] * centred)
    mean_of_slot, sizes = np.array(means)[mask_of_slot], encoding.sizes
    centred_S = S - sizes[:, np.newaxis] * mean_of_slot
    centred_S[soft_slots] = of_soft
    along, own = (np.einsum("sp,sp->s", centred_S, other) for other in (mean_of_slot, centred_S))
    shared = encoding.sum_slots(2.0 * sizes * along + own)
    consensus = relabelling.stack(sides, encoding.mask_of)
    return relabelling.lift(shared, consensus, partitions), consensus, partitions


def partition_sums(encoding):
    """The PairSums (see relabelling) of all partitions."""
    singles = (encoding.self_pairs @ encoding.observed)[encoding.mask_of]
    own = singles.copy()
    for u in np.intersect1d(encoding.unlike_self, encoding.hard):
        own[u] = encoding.self_pairs @ encoding.self_similarity(u)
    everything = encoding.sum_slots(encoding.sizes**2)
    sides = relabelling.pair_sums(encoding.n_observed, singles, own, everything, encoding.squares)
    for u in encoding.soft_partitions:
        mask = encoding.observed[:, encoding.mask_of[u]]
        weight, self_pairs = encoding.multiplicity * mask, encoding.self_pairs * mask
        centred = relabelling.centre(_scaled_memberships(encoding, u), weight)
        _fill(sides, u, relabelling.soft_sums(*centred, weight, self_pairs))
    return sides


def _scaled_memberships(encoding, partition):
    """Memberships in a soft partition times the roots of the weights of its clusters: their products are B_u."""
    memberships = encoding.memberships(partition)
    if encoding.slot_weights is None:
        return memberships
    return memberships * np.sqrt(encoding.slot_weights[encoding.offsets[partition] :][: memberships.shape[1]])


def moments_of_test(encoding, memberships):
    """The TestedSides (see relabelling) of the consensus and of the partition, one value per partition each."""
    consensus = [relabelling.soft_moments(memberships, encoding.multiplicity * mask) for mask in encoding.observed.T]
    n, power2 = encoding.n_observed, np.add.reduceat(encoding.sizes**2, encoding.offsets)
    deviation = encoding.sizes - np.repeat(power2 / n, encoding.n_codes)
    rows = [np.add.reduceat(encoding.sizes * deviation**power, encoding.offsets) for power in (2, 3)]
    sides = relabelling.hard_moments(n, power2, *rows)
    for u in encoding.soft_partitions:
        weight = encoding.multiplicity * encoding.observed[:, encoding.mask_of[u]]
        _fill(sides, u, relabelling.soft_moments(encoding.memberships(u), weight))
    return relabelling.stack(consensus, encoding.mask_of), sides


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
    partitions, losses = partition_sums(encoding), losses / encoding.scale
    return relabelling.adjusted(
        relabelling.half_expected_loss(consensus, partitions) - 0.5 * losses, consensus, partitions
    )


def _sums_by_mask(encoding, rows):
    """The PairSums (see relabelling) of the memberships on the objects of each partition, summed block by block."""
    n_masks, k = encoding.observed.shape[1], rows.shape[1]
    n, singles, own = np.zeros((3, n_masks))
    v, H = np.zeros((n_masks, k)), np.zeros((n_masks * k, k))
    size = min(BLOCK, 1 + _NUMBERS_AT_ONCE // (n_masks * k))
    for start in range(0, len(rows), size):
        block = slice(start, start + size)
        X, observed = rows[block], encoding.observed[block].T
        weight = encoding.multiplicity[block] * observed
        self_pairs = weight * encoding.copy
        squares = np.einsum("ic,ic->i", X, X)
        n += weight.sum(axis=1)
        singles += self_pairs.sum(axis=1)
        own += self_pairs @ squares
        v += weight @ X
        H += (weight[:, np.newaxis] * X.T).reshape(n_masks * k, -1) @ X
    square, everything = np.sum(H.reshape(n_masks, -1) ** 2, axis=1), np.einsum("gc,gc->g", v, v)
    by_mask = relabelling.pair_sums(n, singles, own, everything, square)
    return relabelling.PairSums(*(values[encoding.mask_of] for values in by_mask))


def agreement_from_sums(tables, S, G):
    """The adjusted agreements a_u of hard partitions of unweighted objects, from S and G alone."""
    square_S = np.add.reduceat(np.einsum("sp,sp->s", S, S), tables.offsets)
    # Each observed object is in one cluster of the partition, so that S sums all memberships.
    n, v = tables.n_observed, np.add.reduceat(S, tables.offsets, axis=0)
    own, square = (values[tables.mask_of] for values in (np.einsum("gpp->g", G), np.einsum("gpq,gpq->g", G, G)))
    consensus = relabelling.pair_sums(n, n, own, np.einsum("up,up->u", v, v), square)
    partitions = relabelling.hard_sums(n, n, tables.squares)
    return relabelling.adjusted(square_S - relabelling.expected(consensus, partitions), consensus, partitions)


def coefficients(encoding, weights):
    """alpha_u (n / n_u)^2 and their sum per mask."""
    coef = weights * encoding.scale
    return coef, encoding.by_mask(coef)


def weighted_statistics(encoding, weights, S, G):
    """The :class:`~robust_eac.solve.bundles.Statistics` of weighted raw losses."""
    coef, mask_coef = coefficients(encoding, weights)
    return _statistics(encoding, S, G, encoding.by_slot(coef), mask_coef, encoding.surplus(coef), 0.0 * mask_coef)


def statistics_from(encoding, S, G, coef, mask_coef, together, alone):
    """The :class:`~robust_eac.solve.bundles.Statistics` for visits of the encoding :func:`with_one_cluster`.

    They minimise  sum_g mask_coef |Y'Y|^2 - 2 sum_u coef <Y'Y, X_u'W_uX_u> - 2 sum_g together |Y1|^2 - 2 sum_g alone
    sum_i |y_i|^2,  sums over the objects of mask g and what partition u observes.
    """
    of_masks = mask_coef - encoding.by_mask(coef) - together
    surplus = encoding.surplus(coef) + encoding.observed @ of_masks
    # A partition's memberships sum to 1 wherever it observes.
    _, first = np.unique(encoding.mask_of, return_index=True)
    v = np.add.reduceat(S, encoding.offsets, axis=0)[first]
    slot_coef = np.append(encoding.by_slot(coef), together)
    return _statistics(encoding, np.concatenate([S, v]), G, slot_coef, mask_coef, surplus, alone)


def with_one_cluster(encoding):
    """The encoding with one more soft partition per mask: a single cluster of all its objects."""
    n_slots, n_masks = len(encoding.sizes), encoding.observed.shape[1]
    return encoding._replace(
        soft=np.concatenate([encoding.soft, encoding.observed], axis=1),
        soft_slots=np.append(encoding.soft_slots, n_slots + np.arange(n_masks)),
        sizes=np.append(encoding.sizes, np.zeros(n_masks)),
    )


def _statistics(encoding, S, G, slot_coef, mask_coef, surplus, alone):
    """The Statistics from coefficients of slots and masks, and what a row's mask_coef has more than its slots."""
    alone = np.where(encoding.multiplicity > 0.0, encoding.observed @ alone * encoding.copy, 0.0)
    return Statistics(
        T=padded(S * slot_coef[:, np.newaxis]),
        Q=G * mask_coef[:, np.newaxis, np.newaxis],
        own=np.column_stack(
            [encoding.observed @ mask_coef, surplus, np.where(encoding.multiplicity > 0.0, alone, 0.0)]
        ),
        mask_coef=mask_coef,
        slot_coef=slot_coef,
    )


def padded(T):
    """T with columns of zeros up to the SIMD width."""
    missing = -T.shape[1] % _WIDTH
    return np.concatenate([T, np.zeros((len(T), missing))], axis=1) if missing else T


def gradient_of(encoding, rows, statistics, *, block=slice(None)):
    """Gradient in the membership of one object of every row (of a block of rows)."""
    out = np.empty_like(rows[block])
    statistics = statistics._replace(own=statistics.own[block])
    kernels.gradient(encoding.data.take(block), encoding.slots, statistics, rows[block], out)
    return out


def frank_wolfe_gaps(encoding, rows, statistics):
    """max_p <g_i, y_i - e_p> for one object of every row; the gradient is formed block by block."""
    gaps = np.empty(len(rows))
    for block in row_blocks(len(rows)):
        gradient = gradient_of(encoding, rows, statistics, block=block)
        gaps[block] = np.einsum("ip,ip->i", gradient, rows[block]) - gradient.min(axis=1)
    return np.maximum(gaps, 0.0)


def gap_of(encoding, rows, statistics, *, n_threads=1):
    """The optimality gap, by visits that leave every column alone."""
    # These visits change nothing, so that threads can share T and Q.
    how = Visit(n_steps=1, skip=np.inf, relaxation=1.0)

    def of_part(order):
        return kernels.sweep(order, encoding.data, encoding.slots, statistics, rows, how)[0]

    return sum(map_threads(of_part, row_parts(len(rows)), n_threads)) / gap_unit(encoding)


def row_parts(n_rows):
    """The numbers of the rows in the parts over which sums are taken, whatever the number of threads."""
    return np.array_split(np.arange(n_rows), _PARTS if n_rows >= _IN_PARTS else 1)


def gap_unit(encoding):
    """Divide a sum of Frank-Wolfe gaps over objects by this to get the optimality gap."""
    return 4.0 * encoding.total**2
