"""The gradient of the objective in the memberships, and the optimality gap, from S and G."""

import numpy as np

from ..common import row_blocks
from ..core.arrays import Statistics, Visit, Visited
from ..core.formula import IN_PARTS, PARTS, WIDTH, coefficients
from ..core.threads import map_threads
from . import line_search


def weighted_statistics(encoding, weights, S, G):
    coef, mask_coef = coefficients(encoding.partitions, weights)
    slot_coef = encoding.partitions.by_slot(coef)
    surplus, alone = np.zeros(len(encoding.rows.codes)), np.zeros(len(mask_coef))
    return _statistics(encoding, S, G, slot_coef, mask_coef, surplus, alone)


def statistics_from(encoding, S, G, coef, mask_coef, together, alone):
    """The :class:`~robust_eac.core.arrays.Statistics` with which sweeps over :func:`with_one_cluster` minimise

        sum_g mask_coef |Y'Y|^2 - 2 sum_u coef <Y'Y, X_u'X_u> - 2 sum_g together |Y1|^2 - 2 sum_g alone sum_i |y_i|^2,

    over the objects of missingness pattern (mask) g and of partition u.
    """
    partitions = encoding.partitions
    of_masks = mask_coef - partitions.by_mask(coef) - together
    surplus = encoding.rows.observed @ of_masks
    slot_coef = np.append(partitions.by_slot(coef), together)
    S = np.concatenate([S, totals_by_mask(partitions, S)])
    return _statistics(encoding, S, G, slot_coef, mask_coef, surplus, alone)


def totals_by_mask(partitions, S):
    """(n_masks, k) Y1 over the objects of each mask."""
    # The memberships of an observed object in a partition sum to 1.
    _, first = np.unique(partitions.mask_of, return_index=True)
    return np.add.reduceat(S, partitions.offsets, axis=0)[first]


def with_one_cluster(encoding):
    """The arrays that a sweep reads, with one more partition per mask: a single cluster of all its objects."""
    rows, slots = encoding.visited
    n_slots, n_masks = len(encoding.partitions.sizes), rows.observed.shape[1]
    return Visited(rows, slots._replace(whole=n_slots + np.arange(n_masks)))


def _statistics(encoding, S, G, slot_coef, mask_coef, surplus, alone):
    """The Statistics from the coefficients of slots and masks; surplus : (n_rows,), see Statistics.own."""
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
    missing = -T.shape[1] % WIDTH
    return np.concatenate([T, np.zeros((len(T), missing))], axis=1) if missing else T


def gradient_of(visited, rows, statistics, *, block=slice(None)):
    """Gradient with respect to the membership of one object, for every row of a block."""
    out = np.empty_like(rows[block])
    statistics = statistics._replace(own=statistics.own[block])
    line_search.gradient(visited.rows.take(block), visited.slots, statistics, rows[block], out)
    return out


def frank_wolfe_gaps(visited, rows, statistics):
    """max_p <g_i, y_i - e_p> for one object of every row; the gradient is formed block by block."""
    gaps = np.empty(len(rows))
    for block in row_blocks(len(rows)):
        gradient = gradient_of(visited, rows, statistics, block=block)
        gaps[block] = np.einsum("ip,ip->i", gradient, rows[block]) - gradient.min(axis=1)
    return np.maximum(gaps, 0.0)


def gap_of(visited, rows, statistics, total, *, n_threads=1):
    """The optimality gap of objects of this total weight."""
    # A sweep that skips every column changes nothing, so that threads can share T and Q.
    how = Visit(n_steps=1, skip=np.inf, relaxation=1.0)

    def of_part(order):
        return line_search.sweep_rows(order, *visited, statistics, rows, how)[0]

    return sum(map_threads(of_part, row_parts(len(rows)), n_threads)) / gap_unit(total)


def row_parts(n_rows):
    """Row indices in each of the parts over which sums are taken; independent of the number of threads."""
    return np.array_split(np.arange(n_rows), PARTS if n_rows >= IN_PARTS else 1)


def gap_unit(total):
    """The optimality gap of objects of this total weight is their sum of Frank-Wolfe gaps over this unit."""
    return 4.0 * total**2
