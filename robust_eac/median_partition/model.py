"""What sweeps read: S, G and the weights of the partitions as coefficients of the rows; gradient and gap from them."""

from typing import NamedTuple

import numpy as np

from ..common import row_blocks
from ..core.formula import IN_PARTS, PARTS, WIDTH
from ..core.threads import map_threads
from ..ensemble.encoding import Statistics, Visit, Visited
from .row_sweeps import gradient, sweep, sweep_rows

# A sweep that places rows from the uniform membership makes at most this many pairwise steps per cluster.
_PLACING_STEPS = 2
# Curvatures below this share of the largest are treated as zero.
_SINGULAR = 1e-6
# Maximum number of sweeps that place objects without weight; a few suffice.
MAX_PLACING = 1000


class Terms(NamedTuple):
    """(m,) coefficients of what sweeps minimise, sums over the objects that each partition u observes:

    sum_u  quadratic_u |Y'Y|^2 - 2 coef_u <Y'Y, X_u'X_u> - 2 together_u |Y1|^2 - 2 alone_u sum_i |y_i|^2.
    """

    coef: np.ndarray
    quadratic: np.ndarray
    together: np.ndarray
    alone: np.ndarray

    @property
    def are_raw(self):
        """Whether they are those of weighted raw losses."""
        return not (self.together.any() or self.alone.any()) and np.array_equal(self.coef, self.quadratic)

    def take(self, partitions):
        """Those of some of the partitions."""
        return Terms(*(values[partitions] for values in self))


class Model(NamedTuple):
    """What sweeps minimise at memberships with these S and G.

    partitions : those that count, which have weight; None for all.
    """

    terms: Terms
    S: np.ndarray
    G: np.ndarray
    partitions: np.ndarray | None = None

    def of(self, encoding):
        """(the arrays that a sweep reads, their Statistics) for rows of an encoding of the partitions that count."""
        terms = self.terms
        S = self.S
        partitions = encoding.partitions
        observed = encoding.rows.observed
        rows, slots = encoding.visited
        slot_coef = partitions.by_slot(terms.coef)
        mask_coef = partitions.by_mask(terms.quadratic)
        own = np.zeros((encoding.n_rows, 3))
        own[:, 0] = observed @ mask_coef
        if not terms.are_raw:
            together = partitions.by_mask(terms.together)
            own[:, 1] = observed @ (mask_coef - partitions.by_mask(terms.coef) - together)
            own[:, 2] = observed @ partitions.by_mask(terms.alone) * partitions.copy
            own[rows.multiplicity == 0.0, 2] = 0.0
            # |Y1|^2 is the agreement with one more partition per mask: a single cluster of all its objects.
            slots = slots._replace(whole=partitions.n_slots + np.arange(len(together)))
            slot_coef = np.append(slot_coef, together)
            S = np.concatenate([S, totals_by_mask(partitions, S)])
        statistics = Statistics(
            T=padded(S * slot_coef[:, np.newaxis]),
            Q=self.G * mask_coef[:, np.newaxis, np.newaxis],
            own=own,
            mask_coef=mask_coef,
            slot_coef=slot_coef,
        )
        return Visited(rows, slots), statistics

    def place(self, encoding, **how):
        """Memberships of least loss for the rows of another encoding, by :func:`place_by`."""
        absent = encoding.with_rows(multiplicity=np.zeros(encoding.n_rows))
        return place_by(*self.of(absent), self.G.shape[1], **how)


def totals_by_mask(partitions, S):
    """(n_masks, k) Y1 over the objects of each mask."""
    # The memberships of an observed object in a partition sum to 1.
    _, first = np.unique(partitions.mask_of, return_index=True)
    return partitions.sum_slots(S)[first]


def padded(T):
    """T with columns of zeros up to the SIMD width."""
    missing = -T.shape[1] % WIDTH
    return np.concatenate([T, np.zeros((len(T), missing))], axis=1) if missing else T


def gradient_of(visited, memberships, statistics, *, block=slice(None)):
    """Gradient with respect to the membership of one object, for every row of a block."""
    out = np.empty_like(memberships[block])
    statistics = statistics._replace(own=statistics.own[block])
    gradient(visited.rows.take(block), visited.slots, statistics, memberships[block], out)
    return out


def nearest_clusters(visited, memberships, statistics):
    """(target of a Frank-Wolfe step: every row in its cluster of smallest gradient; the gradient, (n_rows, k))."""
    slopes = gradient_of(visited, memberships, statistics)
    return np.eye(memberships.shape[1])[slopes.argmin(axis=1)], slopes


def frank_wolfe_gaps(visited, memberships, statistics):
    """max_p <g_i, y_i - e_p> for one object of every row; the gradient is formed block by block."""
    gaps = np.empty(len(memberships))
    for block in row_blocks(len(memberships)):
        slopes = gradient_of(visited, memberships, statistics, block=block)
        gaps[block] = np.einsum("ip,ip->i", slopes, memberships[block]) - slopes.min(axis=1)
    return np.maximum(gaps, 0.0)


def gap_of(visited, memberships, statistics, total, *, n_threads=1):
    """The optimality gap of objects of this total weight."""
    # A sweep that skips every column changes nothing, so that threads can share T and Q.
    how = Visit(n_steps=1, skip=np.inf)

    def of_part(order):
        return sweep_rows(order, *visited, statistics, memberships, how)[0]

    n_rows = len(memberships)
    parts = np.array_split(np.arange(n_rows), PARTS if n_rows >= IN_PARTS else 1)
    return sum(map_threads(of_part, parts, n_threads)) / gap_unit(total)


def gap_unit(total):
    """The optimality gap of objects of this total weight is their sum of Frank-Wolfe gaps over this unit."""
    return 4.0 * total**2


def place_by(absent, statistics, n_clusters, *, leap=False, skip=0.0, max_visits=1, n_threads=1):
    """Memberships of least loss of rows without weight, by the statistics of other rows of the same partitions."""
    # `leap` first moves them by :func:`_leap`: then one sweep ends close to the minimum. Without it, a sweep from the
    # uniform membership stops short of the minimum, which smooths the noise in the statistics of a few rows.
    n_rows = len(absent.rows.codes)
    statistics = statistics._replace(own=np.zeros((n_rows, 3)))
    placed = np.full((n_rows, n_clusters), 1.0 / n_clusters)
    if leap:
        _leap(absent, statistics, placed, n_threads)
    order = np.arange(n_rows)
    how = Visit(n_steps=_PLACING_STEPS * n_clusters, skip=skip)
    for _ in range(max_visits):
        before = placed.copy()
        sweep(absent, statistics, placed, order, how, n_threads=n_threads)
        if np.array_equal(before, placed):
            break
    return placed


def _leap(absent, statistics, placed, n_threads):
    """Move each row to the minimum of its quadratic among the rows of sum 1, then to the nearest membership."""
    # Exact for a single missingness pattern and diagonal Q. Distances are weighted by the diagonal of Q: the nearest
    # membership is max(row - tau / diagonal, 0), with the tau that makes its sum 1.
    k = placed.shape[1]
    H = statistics.Q.sum(axis=0)
    centre = np.eye(k) - 1.0 / k
    # The gradient is 4 (H y - t).
    inverse = 0.25 * np.linalg.pinv(centre @ H @ centre, rcond=_SINGULAR, hermitian=True)
    diagonal = np.diag(H)
    if diagonal.max() <= 0.0:
        # No minimum: only sweeps go down. If all partitions have loss 1, as with one cluster, H is zero.
        return
    softness = 1.0 / np.maximum(diagonal, _SINGULAR * diagonal.max())

    def move(block):
        minima = placed[block] - gradient_of(absent, placed, statistics, block=block) @ inverse
        positive = np.ones(minima.shape, dtype=bool)
        before = None
        while not np.array_equal(positive, before):
            before = positive
            tau = (np.where(before, minima, 0.0).sum(axis=1) - 1.0) / (before @ softness)
            rows = minima - tau[:, np.newaxis] * softness
            positive = before & (rows > 0.0)
        placed[block] = np.where(before, rows, 0.0)

    for _ in map_threads(move, row_blocks(len(placed)), n_threads):
        pass
