"""Base class of the objectives, and the order of the clusters."""

from functools import partial

import numpy as np

from ..checks.common import row_blocks
from ..core.arrays import Visit
from ..core.encoding import take_rows
from ..core.formula import gradient_of
from ..core.rotation import canonical_rotation, lowest_rows, some_rows, turn
from ..core.starts import draw_quarter, draw_sample, initial_rows, pays_to_sample
from ..core.sweep import ROUNDING, sweep
from ..core.threads import map_threads

# Pairwise steps of a visit from the uniform membership, per cluster.
_PLACING_STEPS = 2
# Memberships whose centred Y'Y have at least this cosine have met. Chosen on ensembles of twelve data sets: the starts
# that are dropped would have lowered the objective by 1e-5 of it in the mean, as with equal labels and supports.
_MET = 0.995
# They are compared by at most so many rows.
_COMPARED = 2**10
# Curvatures below this share of the largest say nothing.
_SINGULAR = 1e-6
# Largest number of visits of an object without weight; a few suffice.
MAX_PLACING = 1000


class Objective:
    """Weighted losses of the partitions as a function of the memberships of an encoding's rows.

    Each kind has the same methods. A state is what losses and steps share: small matrices at some memberships.

    measure(rows, n_threads=1) : the state at memberships.
    losses(state) : (m,) losses of the partitions.
    steps(weights, rows, state, rng, n_threads) : what :func:`~robust_eac.alternation.descent.descend` drives, down the
        weighted losses; it changes the rows.
    statistics(weights, state) : the :class:`~robust_eac.core.arrays.Statistics` for visits of `visited`.
    terms(weights, state) : what these statistics are made of, (m,) each: coefficients, on the pairs that a partition
        observes, of -2 <Y'Y, X_u'W_uX_u>, of |Y'Y|^2 and of -2 |Y1|^2.
    """

    def __init__(self, encoding, n_clusters):
        self.encoding, self.n_clusters = encoding, n_clusters
        self.partitions = encoding.partitions

    def on(self, encoding):
        """The same objective for the rows of another encoding."""
        return type(self)(encoding, self.n_clusters)

    @property
    def unit(self):
        """Unit of the losses: the number of ordered pairs of objects; 1 where losses are shares."""
        return self.partitions.total**2

    @property
    def visited(self):
        """What sweeps read."""
        return self.encoding.visited

    @property
    def starts_are_cheap(self):
        """Whether a start shows where it leads before all rows are swept."""
        return pays_to_sample(self.encoding, self.n_clusters)

    def sample(self, rng, *, quarter=False):
        """The same objective for a small sample of the objects, or a quarter of them; None if that does not pay."""
        sample = (draw_quarter if quarter else draw_sample)(self.encoding, self.n_clusters, rng)
        return None if sample is None else self.on(sample)

    def initial_rows(self, start, rng):
        """Memberships to start from, by the name of a start; those given, themselves."""
        return initial_rows(self.encoding, self.n_clusters, start, rng) if isinstance(start, str) else start

    def whereabouts(self, rows):
        """What :meth:`have_met` compares of a membership Y: C = Y - 1/k, some rows, scaled so that C'C has norm 1."""
        some = some_rows(len(rows), _COMPARED)
        inner = np.sqrt(self.encoding.rows.multiplicity[some, np.newaxis]) * (rows[some] - 1.0 / self.n_clusters)
        norm = np.linalg.norm(inner.T @ inner)
        return inner / np.sqrt(norm) if norm > 0.0 else inner

    def have_met(self, one, other):
        """Whether two memberships are about at one place, by the cosine of their C'C, which no rotation changes."""
        product = one.T @ other
        return bool(np.vdot(product, product) >= _MET)

    def canonical_rotation(self, rows, *, near=False):
        """See :mod:`~robust_eac.core.rotation`; None where nothing turns."""
        some, weight = some_rows(len(rows)), self.encoding.rows.multiplicity
        lowest = None if isinstance(some, slice) else partial(lowest_rows, rows)
        return canonical_rotation(rows[some], weight[some], lowest, near=near)

    def turn(self, rows, Q):
        """Turn memberships in place by a rotation."""
        turn(rows, Q)

    def ordered(self, state, order):
        """The state of the clusters in another order."""
        return state._replace(S=state.S[:, order], G=state.G[:, order[:, np.newaxis], order])

    def place(self, encoding, weights, rows, **how):
        """Memberships of other rows of the same partitions that agree best with those of this encoding's rows."""
        statistics = self.statistics(weights, self.measure(rows, how.get("n_threads", 1)))
        absent = self.on(encoding.with_rows(multiplicity=np.zeros(len(encoding.rows.codes)))).visited
        return place_by(absent, statistics, self.n_clusters, **how)

    def expand(self, whole, weights, rows, tol):
        """Memberships of all objects of `whole`, of which this encoding has the rows with weight."""
        membership = self.encoding.expand(rows)
        weightless = np.flatnonzero(whole.rows.multiplicity == 0.0)
        if len(weightless) == 0:
            return membership
        full = np.empty((len(whole.rows.codes), membership.shape[1]))
        full[whole.rows.multiplicity > 0.0] = membership
        skip = max(tol, ROUNDING) * whole.partitions.total
        full[weightless] = self.place(take_rows(whole, weightless), weights, rows, skip=skip, max_visits=MAX_PLACING)
        return full


def place_by(absent, statistics, n_clusters, *, leap=False, skip=0.0, max_visits=1, n_threads=1):
    """Place rows without weight, as sweeps read them, by the statistics of another encoding of the same partitions.

    Visits start from the uniform membership. One visit ends short of the minimum, which smooths what the statistics of
    few rows say; after a leap it ends close to it.
    """
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
    """Move rows to the minima of their quadratics on the plane of sum 1, and from there to memberships nearby.

    Exact where all rows have one mask and Q is diagonal: the membership nearest by the diagonal of Q is
    max(row - tau / diagonal, 0), with the tau that makes its sum 1.
    """
    k, H = placed.shape[1], statistics.Q.sum(axis=0)
    centre = np.eye(k) - 1.0 / k
    # The gradient is 4 (H y - t).
    inverse = 0.25 * np.linalg.pinv(centre @ H @ centre, rcond=_SINGULAR, hermitian=True)
    diagonal = np.diag(H)
    softness = 1.0 / np.maximum(diagonal, _SINGULAR * diagonal.max())

    def move(block):
        minima = placed[block] - gradient_of(absent, placed, statistics, block=block) @ inverse
        positive, before = np.ones(minima.shape, dtype=bool), None
        while not np.array_equal(positive, before):
            before = positive
            tau = (np.where(before, minima, 0.0).sum(axis=1) - 1.0) / (before @ softness)
            rows = minima - tau[:, np.newaxis] * softness
            positive = before & (rows > 0.0)
        placed[block] = np.where(before, rows, 0.0)

    for _ in map_threads(move, row_blocks(len(placed)), n_threads):
        pass


def first_objects(labels, n_clusters):
    """(n_clusters,) the first object of every cluster; of one without objects, their number."""
    first = np.full(n_clusters, len(labels))
    # NumPy keeps the last of several values for one place.
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    return first


def empty_last(membership, *, by_object=False):
    """(the membership, changed, with the clusters that win no object last: labels have no holes; their order).

    by_object : order the others by the first object that they win, so that their numbers say nothing of the start.
    Where memberships are equal, the order decides which cluster wins: it is looked at again until it stays.
    """
    order = np.arange(membership.shape[1])
    while True:
        first = first_objects(membership.argmax(axis=1), len(order))
        step = np.argsort(first if by_object else first == membership.shape[0], kind="stable")
        if (np.diff(step) == 1).all():
            return membership, order
        order = order[step]
        # In place: the matrix can have gigabytes.
        for rows in row_blocks(len(membership)):
            membership[rows] = membership[rows][:, step]
