"""Base class of the objectives; gradient and optimality gap from S and G; the order of the clusters."""

import numpy as np

from ..common import row_blocks
from ..core.encoding import Statistics, Visit, Visited, take_rows
from ..core.formula import IN_PARTS, PARTS, WIDTH, adjusted_agreements, coefficients
from ..core.threads import map_threads
from . import sweep as sweeping
from .rotation import Search, rotate_rows, some_rows
from .starts import draw_quarter, initial_rows
from .sweep import ROUNDING, sweep, visit_with, visiting_order

# A sweep that places rows from the uniform membership makes at most this many pairwise steps per cluster.
_PLACING_STEPS = 2
# Memberships coincide if the cosine of their centred Y'Y is at least this.
_COINCIDENT = 0.995
# Memberships are compared on at most this many rows.
_COMPARED_ROWS = 2**10
# Curvatures below this share of the largest are treated as zero.
_SINGULAR = 1e-6
# Maximum number of sweeps that place objects without weight; a few suffice.
MAX_PLACING = 1000


class Objective:
    """Weighted losses of the partitions as a function of the memberships of an encoding's rows.

    Each subclass defines:

    measure(rows, n_threads=1) : the small matrices of these memberships, from which all else is computed.
    matrices(S, G) : the same from the memberships' S and G, which are sums over the objects.
    losses(matrices) : (m,) losses of the partitions.
    steps(weights, rows, matrices, rng, n_threads) : the `steps` of
    :func:`~robust_eac.median_partition.alternation.descend` for the weighted losses; they change the rows.
    statistics(weights, matrices) : the :class:`~robust_eac.core.encoding.Statistics` for sweeps over `visited`.
    model(weights, matrices) : function of an encoding of any rows: (the arrays that a sweep reads, its statistics).
    terms(weights, matrices) : (m,) coefficients of -2 <Y'Y, X_u'X_u>, |Y'Y|^2 and -2 |Y1|^2 over the pairs that u
    observes.

    corrected : whether the losses are corrected for chance.
    unbounded : why there is no lower bound on the objective; None if there is one.
    """

    corrected = False
    unbounded: str | None = None

    def __init__(self, encoding, n_clusters):
        self.encoding = encoding
        self.n_clusters = n_clusters
        self.partitions = encoding.partitions

    def on(self, encoding):
        return type(self)(encoding, self.n_clusters)

    @classmethod
    def unit(cls, total):
        """Unit of the losses of objects of this total weight: ordered pairs, or 1 if losses are relative to chance."""
        return 1.0 if cls.corrected else total**2

    @property
    def visited(self):
        """The arrays that a sweep reads."""
        return self.encoding.visited

    def quarter(self, rng):
        """The same objective for a quarter of the objects, drawn at random; None if that is too small."""
        quarter = draw_quarter(self.encoding, self.n_clusters, rng)
        return None if quarter is None else self.on(quarter)

    def initial_rows(self, start, rng):
        return initial_rows(self.encoding, self.n_clusters, start, rng)

    def agreements(self, rows, n_threads=1):
        """(m,) adjusted agreements of the partitions with these memberships."""
        return adjusted_agreements(self.encoding, rows, n_threads=n_threads)

    def signature(self, rows):
        """C = Y - 1/k on some rows of a membership Y, scaled so that |C'C| = 1; :meth:`coincide` compares two."""
        some = some_rows(len(rows), _COMPARED_ROWS)
        inner = np.sqrt(self.encoding.rows.multiplicity[some, np.newaxis]) * (rows[some] - 1.0 / self.n_clusters)
        norm = np.linalg.norm(inner.T @ inner)
        return inner / np.sqrt(norm) if norm > 0.0 else inner

    def coincide(self, one, other):
        """Whether two memberships, given by their signatures, have nearly the same C'C: they differ by a rotation."""
        product = one.T @ other
        return bool(np.vdot(product, product) >= _COINCIDENT)

    def canonical_rotation(self, rows, *, near=False):
        """The rotation to the canonical membership (see :mod:`~robust_eac.median_partition.rotation`), or None."""
        return Search.of(rows, self.encoding.rows.multiplicity).canonical(near=near)

    def rotate_rows(self, rows, Q):
        rotate_rows(rows, Q)

    def rotated(self, matrices, Q):
        return matrices._replace(S=matrices.S @ Q.T, G=Q @ matrices.G @ Q.T)

    def ordered(self, matrices, order):
        """The matrices with the clusters in this order."""
        return matrices._replace(S=matrices.S[:, order], G=matrices.G[:, order[:, np.newaxis], order])

    def place(self, encoding, weights, rows, *, n_threads=1, **how):
        """Memberships of least loss for the rows of another encoding, with those of this encoding's rows fixed."""
        statistics = self.statistics(weights, self.measure(rows, n_threads))
        absent = self.on(encoding.with_rows(multiplicity=np.zeros(len(encoding.rows.codes)))).visited
        return place_by(absent, statistics, self.n_clusters, n_threads=n_threads, **how)

    def expand(self, whole, weights, rows, tol):
        """Memberships of all objects of the encoding `whole`, of which this objective has only those with weight."""
        membership = self.encoding.expand(rows)
        weightless = np.flatnonzero(whole.rows.multiplicity == 0.0)
        if len(weightless) == 0:
            return membership
        full = np.empty((len(whole.rows.codes), membership.shape[1]))
        full[whole.rows.multiplicity > 0.0] = membership
        skip = max(tol, ROUNDING) * whole.partitions.total
        full[weightless] = self.place(take_rows(whole, weightless), weights, rows, skip=skip, max_visits=MAX_PLACING)
        return full


class Steps:
    """Steps of memberships down their weighted losses; `_read()` gives what a sweep reads, and its statistics."""

    def __init__(self, objective, weights, rows, matrices, rng, n_threads=1):
        self.matrices = matrices
        self._objective = objective
        self._weights = weights
        self._rows = rows
        self._rng = rng
        self._n_threads = n_threads

    def gap(self):
        visited, statistics = self._read()
        return gap_of(visited, self._rows, statistics, self._objective.partitions.total, n_threads=self._n_threads)

    def refresh(self):
        self.matrices = self._objective.measure(self._rows, self._n_threads)

    def _sweep(self, visited, statistics, relaxation):
        """Sweep all rows in random order; returns the gap before it."""
        order = visiting_order(len(self._rows), self._rng)
        how = visit_with(relaxation)
        gaps = sweep(visited, statistics, self._rows, order, how, n_threads=self._n_threads)
        return gaps / gap_unit(self._objective.partitions.total)


def place_by(absent, statistics, n_clusters, *, leap=False, skip=0.0, max_visits=1, n_threads=1):
    """Memberships of least loss of rows without weight, by the statistics of other rows of the same partitions."""
    # `leap` first moves them by :func:`_leap`: then one sweep ends close to the minimum. Without it, a sweep from the
    # uniform membership stops short of the minimum, which smooths the noise in the statistics of a few rows.
    statistics = statistics._replace(own=np.zeros((len(absent.rows.codes), 3)))
    placed = np.full((len(absent.rows.codes), n_clusters), 1.0 / n_clusters)
    if leap:
        _leap(absent, statistics, placed, n_threads)
    order = np.arange(len(placed))
    how = Visit(n_steps=_PLACING_STEPS * n_clusters, skip=skip, relaxation=1.0)
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


def first_objects(labels, n_clusters):
    """(n_clusters,) the first object of every cluster; for an empty cluster, the number of objects."""
    first = np.full(n_clusters, len(labels))
    # NumPy keeps the last of several values for the same index.
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    return first


def empty_last(membership, *, by_object=False):
    """(the membership, changed in place, with clusters that win no object last; the order): labels have no gaps.

    by_object : order the other clusters by the first object that each wins, whatever the start. The order decides which
        of two equal memberships of an object wins, so it is repeated until it is stable.
    """
    order = np.arange(membership.shape[1])
    while True:
        first = first_objects(membership.argmax(axis=1), len(order))
        step = np.argsort(first if by_object else first == membership.shape[0], kind="stable")
        if (np.diff(step) == 1).all():
            return membership, order
        order = order[step]
        # In place, since the matrix can take gigabytes.
        for rows in row_blocks(len(membership)):
            membership[rows] = membership[rows][:, step]


def weighted_statistics(encoding, weights, S, G):
    coef, mask_coef = coefficients(encoding.partitions, weights)
    slot_coef = encoding.partitions.by_slot(coef)
    surplus = np.zeros(len(encoding.rows.codes))
    alone = np.zeros(len(mask_coef))
    return _statistics(encoding, S, G, slot_coef, mask_coef, surplus, alone)


def statistics_from(encoding, S, G, coef, mask_coef, together, alone):
    """The :class:`~robust_eac.core.encoding.Statistics` with which sweeps over :func:`with_one_cluster` minimise

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
    n_slots = len(encoding.partitions.sizes)
    n_masks = rows.observed.shape[1]
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
    sweeping.gradient(visited.rows.take(block), visited.slots, statistics, rows[block], out)
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
        return sweeping.sweep_rows(order, *visited, statistics, rows, how)[0]

    return sum(map_threads(of_part, row_parts(len(rows)), n_threads)) / gap_unit(total)


def row_parts(n_rows):
    """Row indices in each of the parts over which sums are taken; independent of the number of threads."""
    return np.array_split(np.arange(n_rows), PARTS if n_rows >= IN_PARTS else 1)


def gap_unit(total):
    """The optimality gap of objects of this total weight is their sum of Frank-Wolfe gaps over this unit."""
    return 4.0 * total**2
