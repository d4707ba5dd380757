"""The canonical membership: the one of largest total confidence among all with the same Y'Y.

Losses depend on Y only through Y'Y. For an orthogonal Q with Q1 = 1, the columns of QY sum to one and (QY)'(QY) = Y'Y:
a rotation, admissible if QY >= 0. An admissible rotation only renames a cluster with an object of membership one, since
the column of Q for it has non-negative entries, sum one and length one. The others are *free*: with f free clusters,
rotations act on f - 1 coordinates of the rows, in the plane of sum 0 of these clusters.
"""

from functools import partial
from itertools import islice, product

import numpy as np
from scipy.linalg import helmert
from scipy.optimize import linear_sum_assignment, nnls

from ..common import row_blocks
from ..core.threads import LOG

# With more free clusters than this, memberships are not rotated: rotations have (f - 1)(f - 2) / 2 dimensions.
MOST_ROTATED = 20
# The search sees at most about this many rows.
MOST_ROWS = 2**14
# Random starts of climbs with up to five free clusters, and from six on: stop once the best value was found _HITS
# times.
_STARTS = 40
_STARTS_FROM_SIX = 20
_HITS = 4
# Maximum number of steps in a climb.
_CLIMB_STEPS = 100
# An axis of smaller skewness has no direction; each start tries at most this many combinations of directions.
_SYMMETRIC = 1e-3
_MOST_SIGNS = 8
# Differences of mean confidence below this are treated as zero.
_SAME_VALUE = 1e-6
# Memberships this close to zero or one are treated as zero or one.
_ZERO = 1e-9
# Newton steps: maximum number, maximum angle, minimum angle with and without constraints, minimum curvature.
_NEWTON_STEPS = 40
_REACH = 0.3
_SMALL_ANGLE = 1e-8
_SMALL_STEP = 1e-5
_LEAST_CURVATURE = 1e-3
# Memberships above -tolerance count as feasible, after Newton steps and at an angle in closed form.
_INSIDE = 1e-9
_ROUNDED = 1e-12
# Penalties for leaving the simplex: in the first Newton step from outside, and the largest; it grows tenfold each step.
_PRICES = 1e3, 1e12
# Give up outside the simplex if this many consecutive steps leave more than this share of the distance to it.
_STUCK = 3
_NEARER = 0.9


def free_clusters(largest):
    """Indices of the clusters that rotations can mix: those of `largest` membership below one; none if fewer than 3."""
    free = np.flatnonzero(largest < 1.0 - _ZERO)
    return free if len(free) > 2 and largest[free].max() > _ZERO else free[:0]


class Search:
    """The search for optima of the confidence over the admissible rotations of memberships.

    rows, weight : (n, k) memberships, or a sample of them, and how many objects each stands for.
    free : the :func:`free_clusters` of all rows.
    survey : if the rows are a sample, a function of Q: (of all rows, the one of smallest membership in every cluster
        after the rotation, (k, k); their mean confidence).
    slack : memberships above -slack are admissible.
    """

    def __init__(self, rows, weight, free, survey=None, slack=0.0):
        # Rows outside the free clusters do not rotate.
        moved = rows[:, free].any(axis=1)
        self.rows = rows[moved]
        self.weight = weight[moved] / weight.sum()
        self.free = free
        self._survey = survey
        self._slack = slack
        # Orthonormal basis of the vectors of sum 0 that only the free clusters have entries in.
        self.plane = np.zeros((rows.shape[1], max(len(free) - 1, 0)))
        if len(free):
            self.plane[free] = helmert(len(free)).T

    @classmethod
    def of(cls, rows, weight, slack=0.0):
        """The search for memberships of all objects, on a sample if they are many."""
        some = some_rows(len(rows), MOST_ROWS)
        of_all = None if isinstance(some, slice) else partial(survey, rows, weight / weight.sum())
        return cls(rows[some], weight[some], free_clusters(rows.max(axis=0)), of_all, slack)

    def canonical(self, *, near=False):
        """The admissible rotation Q of largest confidence, with clusters numbered as in the rows where they correspond.

        It maximises sum_i weight_i max_p (Q y_i)_p subject to Q y_i >= 0. None if only permutations are admissible, if
        the rows are canonical already, or if more than 20 clusters are free. Rotated rows give the same membership, up
        to the numbers of clusters. The optimum is exact with three free clusters; with more, it is the best one found.
        If it is known to be `near` the rows, the search starts only from there.
        """
        n_free = len(self.free)
        k = self.rows.shape[1]
        if not 2 < n_free <= MOST_ROTATED or (n_free > 3 and self.rigid()):
            return None
        best = self._best_of_three() if n_free == 3 else self._best(near)
        best = best[linear_sum_assignment(best.T, maximize=True)[1]]
        return best if np.abs(best - np.eye(k)).max() > _SMALL_ANGLE else None

    def optima(self):
        """All distinct admissible optima that the search finds."""
        found = {}
        known = []
        for number, start in enumerate(self._starts(), start=1):
            LOG.info("other memberships with the same losses: start %d", number)
            highest, end = self._climb(start)
            # The same climb ends at the same optimum.
            if any(abs(highest - other) <= _SAME_VALUE for other in known):
                continue
            known.append(highest)
            Q, value, _ = self.refine(end)
            if value > -np.inf and all(abs(value - other) > _SAME_VALUE for other in found):
                found[value] = Q
        return list(found.values())

    def rigid(self):
        """Whether no small rotation is admissible, and rows come near every free cluster: then nothing is searched."""
        # Near the identity, only the identity is admissible if no antisymmetric A with A1 = 0 has (A y_i)_p >= 0 for
        # all y_ip = 0: by Farkas, if the gradients of these constraints span the tangent space and some positive
        # combination of them is zero. Gradients are averaged over the rows with the same zero and the same largest
        # membership. Far from the identity it is a heuristic: every free cluster then has a membership above the
        # midpoint of one and 2 / f, which the ball inside the simplex reaches.
        mixed = self.rows[:, self.free]
        n_free = len(self.free)
        if mixed.max(axis=0).min() < 0.5 + 1.0 / n_free:
            return False
        row, zero = np.nonzero(mixed <= _ZERO)
        key = mixed[row].argmax(axis=1) * n_free + zero
        sums = np.array([np.bincount(key, weights=mixed[row, q], minlength=n_free**2) for q in range(n_free)])
        groups = np.flatnonzero(sums.any(axis=0))
        if len(groups) <= (n_free - 1) * (n_free - 2) // 2:
            return False
        means = sums[:, groups] / sums[:, groups].sum(axis=0)
        slopes = _slopes(helmert(n_free).T, means.T, groups % n_free)
        if np.linalg.matrix_rank(slopes, tol=1e-6) < slopes.shape[1]:
            return False
        _, residual = nnls(slopes.T, -slopes.sum(axis=0))
        return residual <= 1e-9

    def _best_of_three(self):
        mixed = self.rows[:, self.free]
        kept = np.delete(self.rows, self.free, axis=1).max(axis=1, initial=0.0)
        bound = mixed
        while True:
            angle = best_angle(mixed, kept, self.weight, *admissible_angles(bound, _ROUNDED))
            Q = embedded(rotation_of_three(angle), self.free, self.rows.shape[1])
            outside, _ = self._outside(Q)
            if len(outside) == 0:
                return Q
            bound = np.concatenate([bound, outside[:, self.free]])

    def _best(self, near):
        """The best rotation found by climbs from several starts, and Newton steps from their ends to the simplex."""
        # A climb ends above all admissible rotations in its basin: an end below the best one needs no Newton steps.
        best, reached, value = self.refine(np.eye(len(self.plane)))
        n_hits = 0
        known = []
        for start in [] if near else self._starts():
            highest, end = self._climb(start)
            same = [own for other, own in known if abs(highest - other) <= _SAME_VALUE]
            if same:
                own = same[0]
            elif highest <= reached + _SAME_VALUE:
                own = highest
            else:
                Q, own, found = self.refine(end)
                if found > value + _SAME_VALUE:
                    best = Q
                    value = found
            known.append((highest, own))
            if own > reached + _SAME_VALUE:
                n_hits = 0
                reached = own
            n_hits += own >= reached - _SAME_VALUE
            if n_hits == _HITS:
                break
        return best

    def _starts(self):
        """Random rotations in the principal axes of the rows: the same for rotated rows in any order."""
        # An axis points where its third moment is positive; both directions are tried if the moment is too small.
        inner = self.rows @ self.plane
        inner -= self.weight @ inner / self.weight.sum()
        squares, axes = np.linalg.eigh(inner.T @ (inner * self.weight[:, np.newaxis]))
        skewness = self.weight @ (inner @ axes) ** 3 / np.maximum(squares, _ZERO) ** 1.5
        ways = [(-1.0, 1.0) if abs(each) < _SYMMETRIC else (np.sign(each),) for each in skewness]
        rng = np.random.RandomState(0)
        size = self.plane.shape[1]
        for _ in range(_STARTS if len(self.free) < 6 else _STARTS_FROM_SIX):
            start = np.linalg.qr(rng.standard_normal((size, size)))[0]
            for signs in islice(product(*ways), _MOST_SIGNS):
                yield rotation_in(self.plane, start @ (axes * signs).T)

    def _climb(self, Q):
        """(confidence, rotation): labels by the largest membership and the best rotation to them, in turn."""
        n_rows, k = self.rows.shape
        units = np.eye(k)
        objects = np.arange(n_rows)
        value = -np.inf
        for _ in range(_CLIMB_STEPS):
            rotated = self.rows @ Q.T
            labels = rotated.argmax(axis=1)
            before = value
            value = self.weight @ rotated[objects, labels]
            if value <= before + 1e-12:
                break
            target = (units[labels] * self.weight[:, np.newaxis]).T @ self.rows
            Q = rotation_in(self.plane, _polar(self.plane.T @ target @ self.plane))
        return value, Q

    def refine(self, Q):
        """(rotation, its confidence, that of all rows) after Newton steps constrained by all rows; -inf outside."""
        bound = self.rows
        kept = np.empty(0, dtype=np.intp)
        while True:
            Q, kept = self._newton(bound, Q, kept)
            if (bound @ Q.T).min() < -self._slack - _INSIDE:
                return Q, -np.inf, -np.inf
            outside, of_all = self._outside(Q)
            if len(outside) == 0:
                value = self.weight @ (self.rows @ Q.T).max(axis=1)
                return Q, value, value if of_all is None else of_all
            bound = np.concatenate([bound, outside])

    def _outside(self, Q):
        """(the worst in every cluster of all rows that leave the simplex, confidence of all or None if not sampled)."""
        if self._survey is None:
            return self.rows[:0], None
        lowest, of_all = self._survey(Q)
        return lowest[(lowest @ Q.T).min(axis=1) < -self._slack - _INSIDE], of_all

    def _newton(self, bound, Q, kept):
        """(a local optimum of the confidence, its active constraints), by sequential quadratic programming from Q.

        Constraints are numbered as the entries of `bound` in the free clusters; `kept` are those active at Q, if it
        already is such an optimum. A step maximises a quadratic model of the Lagrangian, subject to a linear model that
        keeps the rows `bound` inside the simplex. In the eigenvectors of its Hessian, this is a least-distance problem,
        solved by non-negative least squares (Lawson and Hanson 1974, chapter 23).
        """
        rows = self.rows
        weight = self.weight
        plane = self.plane
        free = self.free
        k, size = plane.shape
        units = np.eye(k)
        first, second = np.triu_indices(size, 1)
        most = 8 * k + 4 * len(first)
        of_bounds = np.zeros((k, k))
        price = _PRICES[1] if len(kept) or (bound @ Q.T).min() >= -self._slack - _INSIDE else _PRICES[0]
        outside = np.inf
        n_stuck = 0
        for _ in range(_NEWTON_STEPS):
            rotated = rows @ Q.T
            edge = rotated if bound is rows else bound @ Q.T
            before = outside
            outside = -self._slack - edge.min()
            n_stuck = n_stuck + 1 if outside > max(_INSIDE, _NEARER * before) else 0
            if n_stuck >= _STUCK and price == _PRICES[1]:
                break
            target = (units[rotated.argmax(axis=1)] * weight[:, np.newaxis]).T @ rotated
            curvature, axes = np.linalg.eigh(plane.T @ (target + of_bounds) @ plane)
            basis = plane @ axes
            scale = np.sqrt(np.maximum(curvature[first] + curvature[second], _LEAST_CURVATURE))
            slope = basis.T @ target @ basis
            ideal = (slope - slope.T)[first, second] / scale
            flat = edge[:, free].ravel()
            near = np.argpartition(flat, most)[:most] if len(flat) > most else np.arange(len(flat))
            near = np.union1d(near, kept)
            at = near // len(free)
            clusters = free[near % len(free)]
            slopes = _slopes(basis, edge[at], clusters) / scale
            step, prices = _nearest(slopes, -flat[near] - self._slack, ideal, price)
            price = min(10.0 * price, _PRICES[1])
            kept = near[prices > 0.0]
            angles = step / scale
            largest = np.abs(angles).max()
            generator = np.zeros((size, size))
            generator[first, second] = angles * min(1.0, _REACH / max(largest, _REACH))
            # (I + A)(I - A^2)^(-1/2) is a rotation by atan of the angles.
            Q = rotation_in(basis, _polar(np.eye(size) + generator - generator.T)) @ Q
            of_bounds = np.zeros((k, k))
            np.add.at(of_bounds, clusters, prices[:, np.newaxis] * edge[at])
            of_bounds = 0.5 * (of_bounds + of_bounds.T)
            # Without active constraints, the next error is of the order of the squared step.
            if largest <= (_SMALL_ANGLE if len(kept) else _SMALL_STEP):
                break
        return Q, kept


def _nearest(slopes, levels, ideal, price):
    """(the vector nearest to `ideal` with slopes @ vector >= levels, multipliers of these constraints)."""
    # A slack variable that all constraints share, with penalty `price`, keeps the problem feasible.
    lacking = levels - slopes @ ideal
    if (lacking <= 0.0).all():
        return ideal, np.zeros(len(levels))
    matrix = np.concatenate([slopes.T, np.full((1, len(levels)), price**-0.5), lacking[np.newaxis]])
    right = np.zeros(len(matrix))
    right[-1] = 1.0
    prices, _ = nnls(matrix, right, maxiter=50 * len(levels))
    residual = matrix @ prices - right
    return ideal - residual[:-2] / residual[-1], -prices / residual[-1]


def embedded(Q, free, k):
    """The (k, k) rotation that is Q of the free clusters."""
    whole = np.eye(k)
    whole[np.ix_(free, free)] = Q
    return whole


def rotation_in(plane, inner):
    """The (k, k) rotation that is `inner` in a basis of the plane, and the identity across it."""
    return np.eye(len(plane)) + plane @ (inner - np.eye(len(inner))) @ plane.T


def _polar(matrix):
    """The orthogonal matrix of largest inner product with a matrix."""
    U, _, Vt = np.linalg.svd(matrix)
    return U @ Vt


def _slopes(plane, rows, clusters):
    """(n, d) derivatives of the memberships of rows in a cluster each along the rotations of two axes of the plane."""
    first, second = np.triu_indices(plane.shape[1], 1)
    inner = rows @ plane
    own = plane[clusters]
    return own[:, first] * inner[:, second] - own[:, second] * inner[:, first]


def some_rows(n_rows, most):
    """A slice of all rows, or about `most` indices: random, since the order can be periodic, with a fixed seed."""
    return slice(None) if n_rows <= most else np.unique(np.random.RandomState(0).randint(n_rows, size=most))


def survey(rows, weight, Q):
    """((k, k) the row of smallest membership in every cluster after a rotation, the total confidence)."""
    lowest = []
    total = 0.0
    for block in row_blocks(len(rows)):
        # A row per cluster: extremes along the rows are fast.
        rotated = Q @ rows[block].T
        lowest.append(block.start + rotated.argmin(axis=1))
        total += weight[block] @ rotated.max(axis=0)
    return lowest_of(rows[np.array(lowest)], Q), total


def lowest_of(candidates, Q):
    """(k, k) the row of smallest membership in every cluster after a rotation, from (b, k, k) candidates for each."""
    places = np.einsum("bpq,pq->bp", candidates, Q).argmin(axis=0)
    return candidates[places, np.arange(len(Q))]


def rotate_rows(rows, Q):
    """Rotate memberships in place; despite rounding errors they stay in the simplex."""
    for block in row_blocks(len(rows)):
        rotated = np.maximum(rows[block] @ Q.T, 0.0)
        rows[block] = rotated / rotated.sum(axis=1, keepdims=True)


# Rotations of three clusters have one angle; its admissible values and the best of them are exact.

# Rotations by this angle permute three clusters.
CIRCLE = 2.0 * np.pi / 3.0
_UNITS = np.exp(1j * CIRCLE * np.arange(3))
# Radii below this are treated as zero.
_TINY = 1e-12


def rotation_of_three(angle):
    """The (3, 3) rotation by an angle."""
    return (1.0 + 2.0 * np.cos(angle - CIRCLE * np.subtract.outer(np.arange(3), np.arange(3)))) / 3.0


def _phases(rows):
    """(mean, radius, phase) of (n, 3) rows: rotated, membership p is mean + radius cos(phase + angle - p CIRCLE)."""
    inner = rows @ _UNITS * (2.0 / 3.0)
    return rows.sum(axis=1) / 3.0, np.abs(inner), np.angle(inner)


def admissible_angles(rows, slack):
    """(lower, upper) ends of the intervals of angles in [0, CIRCLE] that keep memberships of (n, 3) rows above -slack.

    A row whose radius exceeds its mean is outside in an open arc of angles. At 0, all rows are inside.
    """
    mean, radius, phase = _phases(rows)
    leaves = radius > mean + slack
    reach = np.arccos((mean[leaves] + slack) / radius[leaves])
    centre = (0.5 * CIRCLE - phase[leaves]) % CIRCLE
    first = np.maximum(centre - reach, 0.0)
    last = np.minimum(centre + reach, CIRCLE)
    order = np.argsort(first)
    least = np.maximum.accumulate(np.concatenate([[0.0], last[order]]))
    most = np.concatenate([first[order], [CIRCLE]])
    return least[most >= least], most[most >= least]


def label_changes(rows, floor):
    """The sorted angles in [0, CIRCLE] at which the largest of floor_i and the memberships of a row i changes."""
    first, last = _arcs(rows, floor)[:2]
    return np.unique(np.concatenate([first, last]))


def best_angle(rows, floor, weight, least, most):
    """The angle in these intervals of largest total weight_i max(floor_i, largest membership of row i)."""
    # A term exceeds its floor in an arc around the angle at which the row points to a cluster; there it is a constant
    # plus a cosine. Between the ends of all arcs so is the total, which is concave: its maximum is at the peak of a
    # cosine or at an end of an interval.
    first, last, row, excess, moment = _arcs(rows, floor)
    terms = weight[row] * np.array([excess, moment])
    terms = np.concatenate([np.zeros((2, 1)), terms, -terms], axis=1)
    ends = np.concatenate([[0.0], first, last])
    order = np.argsort(ends, kind="stable")
    level, moment = np.cumsum(terms[:, order], axis=1)
    start = ends[order]
    stop = np.append(start[1:], CIRCLE)
    middle = 0.5 * (start + stop)
    peaks = middle + np.angle(moment * np.exp(-1j * middle))
    peaks = peaks[(peaks >= start) & (peaks <= stop)]
    admissible = peaks <= most[np.searchsorted(least, peaks, side="right") - 1]
    angles = np.concatenate([peaks[admissible], least, most])
    piece = np.searchsorted(start, angles, side="right") - 1
    values = level[piece].real + (moment[piece] * np.exp(-1j * angles)).real
    return angles[values.argmax()]


def _arcs(rows, floor):
    """The arcs of angles in [0, CIRCLE] in which the largest membership of a row exceeds the row's floor.

    (first, last, row, excess, moment); in the arc it is floor + excess + the real part of moment exp(-i angle).
    """
    mean, radius, phase = _phases(rows)
    # Within half a circle, the same cluster is the largest. A radius of 0 has no angle.
    reach = np.arccos(np.clip((floor - mean) / np.maximum(radius, _TINY), 0.5, 1.0))
    centre = -phase % CIRCLE + CIRCLE * np.array([[-1.0], [0.0], [1.0]])
    first = np.maximum(centre - reach, 0.0)
    last = np.minimum(centre + reach, CIRCLE)
    turn, row = np.nonzero(first < last)
    moment = radius[row] * np.exp(1j * centre[turn, row])
    return first[turn, row], last[turn, row], row, (mean - floor)[row], moment
