"""The canonical membership: the one of largest total confidence among all with the same Y'Y.

Losses depend on Y only through Y'Y. For an orthogonal Q with Q1 = 1, the columns of QY sum to one and (QY)'(QY) = Y'Y:
a rotation, admissible if QY >= 0. Rotations act on the k - 1 coordinates of rows in the plane of sum 1.
"""

from functools import cache, lru_cache

import numpy as np
from scipy.linalg import helmert
from scipy.optimize import linear_sum_assignment, nnls

from ..checks.common import row_blocks

# With more clusters than this, memberships are not rotated: rotations have (k - 1)(k - 2) / 2 dimensions.
MOST_TURNED = 20
# Confidence is summed over at most this many rows, in the climbs over fewer.
MOST_ROWS = 2**14
_CLIMB_ROWS = 512
# Largest number of climbs, and of steps in each. Stop once the best value was found _HITS times, inside the simplex.
_STARTS = 20
_HITS = 4
_CLIMB_STEPS = 100
# With three clusters, there is one angle: try this many rotations between two permutations.
_ANGLES = 240
# Number of optima from which Newton steps start, if the best ones leave the simplex.
_REFINED = 4
# Relative differences of total confidence below this are treated as zero.
_SAME_VALUE = 1e-6
# Memberships this close to zero or one are treated as zero or one.
_ZERO = 1e-9
# Newton steps: largest number, largest angle, smallest angle with and without constraints, smallest curvature.
_NEWTON_STEPS = 40
_REACH = 0.3
_SMALL_ANGLE = 1e-8
_SMALL_STEP = 1e-5
_LEAST_CURVATURE = 1e-3
# Memberships above minus this are inside the simplex.
_INSIDE = 1e-9
# Penalty for leaving the simplex, in the first Newton step from outside and at most; it grows tenfold each step.
_PRICES = 1e3, 1e12


def canonical_rotation(rows, weight, lowest=None, *, near=False):
    """The rotation Q of (n, k) memberships that maximises sum_i weight_i max_p (Q y_i)_p subject to Q y_i >= 0.

    (k, k), with clusters numbered as in `rows` as far as they correspond. None if only permutations are admissible, if
    the rows are canonical already, or if there are more than 20 clusters. Rotated rows give the same canonical
    membership, up to the numbers of clusters.

    lowest : if the rows are a sample, a function of Q: of all rows, the one of smallest membership in every cluster
        after the rotation, (k, k).
    near : whether the optimum is surely near the rows; then it is searched only from there.
    """
    k = rows.shape[1]
    if not 2 < k <= MOST_TURNED or only_permutations_left(rows):
        return None
    weight = weight / weight.sum()
    optima = [] if near else _optima(rows, weight)
    optima = [*optima, np.eye(k)]
    highest = _confidence(rows, weight, optima[0])
    best, value = optima[-1], -np.inf
    for Q in optima:
        if np.abs(best - Q).max() <= _SMALL_ANGLE and value > -np.inf:
            continue
        refined, found = _refine(rows, weight, lowest, Q)
        if found > value + _SAME_VALUE:
            best, value = refined, found
        if value > highest - _SAME_VALUE:
            break
    _, order = linear_sum_assignment(best.T, maximize=True)
    return best[order] if np.abs(best[order] - np.eye(k)).max() > _SMALL_ANGLE else None


def some_rows(n_rows, most=None):
    """A slice of all rows, or the indices of about `most` rows: random, since the order can be periodic, but fixed."""
    most = MOST_ROWS if most is None else most
    return slice(None) if n_rows <= most else _drawn(n_rows, most)


@lru_cache(maxsize=8)
def _drawn(n_rows, most):
    """About `most` row indices, in ascending order."""
    drawn = np.unique(np.random.RandomState(0).randint(n_rows, size=most))
    drawn.flags.writeable = False
    return drawn


def turn(rows, Q):
    """Rotate memberships in place; despite rounding errors they stay in the simplex."""
    for block in row_blocks(len(rows)):
        turned = np.maximum(rows[block] @ Q.T, 0.0)
        rows[block] = turned / turned.sum(axis=1, keepdims=True)


def only_permutations_left(rows):
    """Whether permutations are the only admissible rotations of these memberships.

    They are if every cluster that is not empty has an object with membership one. Near the identity, they are if no
    antisymmetric A with A1 = 0 has (A y_i)_p >= 0 for all y_ip = 0: by Farkas, if the gradients of these constraints
    span the tangent space and some positive combination of them is zero. The gradients are averaged over the rows with
    the same zero and the same largest membership. Far from all permutations, no admissible rotation was ever found if
    every cluster has a membership above the midpoint of one and 2 / k, which the ball inside the simplex reaches.
    """
    k, largest = rows.shape[1], rows.max(axis=0)
    if ((largest <= _ZERO) | (largest >= 1.0 - _ZERO)).all():
        return True
    if k > MOST_TURNED or largest.min() < 0.5 + 1.0 / k:
        return False
    row, zero = np.nonzero(rows <= _ZERO)
    key = rows.argmax(axis=1)[row] * k + zero
    sums = np.array([np.bincount(key, weights=rows[row, q], minlength=k * k) for q in range(k)])
    groups = np.flatnonzero(sums.any(axis=0))
    if len(groups) <= (k - 1) * (k - 2) // 2:
        return False
    means = sums[:, groups] / sums[:, groups].sum(axis=0)
    slopes = _slopes(plane_of(k), means.T, groups % k)
    if np.linalg.matrix_rank(slopes, tol=1e-6) < slopes.shape[1]:
        return False
    _, residual = nnls(slopes.T, -slopes.sum(axis=0))
    return residual <= 1e-9


@cache
def plane_of(k):
    """(k, k - 1) orthonormal basis of the vectors of sum 0."""
    basis = np.ascontiguousarray(helmert(k).T)
    basis.flags.writeable = False
    return basis


def _rotation(plane, inner):
    """The (k, k) rotation that is `inner` in a basis of the plane."""
    return 1.0 / len(plane) + plane @ inner @ plane.T


def _polar(matrix):
    """The orthogonal matrix of largest inner product with a matrix."""
    U, _, Vt = np.linalg.svd(matrix)
    return U @ Vt


def _slopes(plane, rows, clusters):
    """(n, d) derivatives of the memberships of rows in a cluster each along the rotations of two axes of the plane."""
    first, second = np.triu_indices(plane.shape[1], 1)
    inner, own = rows @ plane, plane[clusters]
    return own[:, first] * inner[:, second] - own[:, second] * inner[:, first]


def _optima(rows, weight):
    """Rotations at the ends of climbs from several starts, the best first; the same for rotated rows."""
    k = rows.shape[1]
    plane, some = plane_of(k), some_rows(len(rows), _CLIMB_ROWS)
    rows, weight = rows[some], weight[some] / weight[some].sum()
    inner = rows @ plane
    centred = inner - weight @ inner
    _, axes = np.linalg.eigh(centred.T @ (centred * weight[:, np.newaxis]))
    axes *= np.where(weight @ (centred @ axes) ** 3 < 0.0, -1.0, 1.0)
    if k == 3:
        return _optima_of_three(rows, weight, axes)
    rng = np.random.RandomState(0)
    found = []
    for _ in range(_STARTS):
        start = np.linalg.qr(rng.standard_normal((k - 1, k - 1)))[0] @ axes.T
        found.append(_climb(rows, weight, _rotation(plane, start)))
        values = np.array([value for value, _ in found])
        enough = np.count_nonzero(values > values.max() - _SAME_VALUE) >= _HITS
        if enough and (rows @ found[values.argmax()][1].T).min() >= 0.0:
            break
    order = np.argsort(-values, kind="stable")
    distinct = np.diff(values[order], prepend=np.inf) < -_SAME_VALUE
    return [found[start][1] for start in order[distinct][:_REFINED]]


def _optima_of_three(rows, weight, axes):
    """The best rotations among evenly spaced ones: those better than their neighbours, and the best admissible one."""
    angles = np.arange(_ANGLES) * (2.0 * np.pi / 3.0 / _ANGLES)
    c, s = np.cos(angles), np.sin(angles)
    inner = np.array([[c, -s], [s, c]]).transpose(2, 0, 1) @ axes.T
    found = _rotation(plane_of(3), inner)
    turned = rows @ found.transpose(0, 2, 1)
    values = turned.max(axis=2) @ weight
    order = np.argsort(-values, kind="stable")
    highest = (values >= np.roll(values, 1)) & (values >= np.roll(values, -1))
    inside = turned.min(axis=(1, 2)) >= 0.0
    return found[[*order[highest[order]][:_REFINED], *order[inside[order]][:1]]]


def _climb(rows, weight, Q):
    """(total confidence, rotation): labels by the largest membership and the best rotation to them, in turn."""
    n_rows, k = rows.shape
    plane, units = plane_of(k), np.eye(k)
    objects, value = np.arange(n_rows), -np.inf
    for _ in range(_CLIMB_STEPS):
        turned = rows @ Q.T
        labels = turned.argmax(axis=1)
        before, value = value, weight @ turned[objects, labels]
        if value <= before + 1e-12:
            break
        target = (units[labels] * weight[:, np.newaxis]).T @ rows
        Q = _rotation(plane, _polar(plane.T @ target @ plane))
    return value, Q


def _confidence(rows, weight, Q):
    return float(weight @ (rows @ Q.T).max(axis=1))


def _refine(rows, weight, lowest, Q):
    """(rotation, total confidence) after Newton steps constrained by all rows; -inf if it is not admissible."""
    bound, kept = rows, np.empty(0, dtype=np.intp)
    while True:
        Q, kept = _newton(rows, weight, bound, Q, kept)
        if (bound @ Q.T).min() < -_INSIDE:
            return Q, -np.inf
        others = rows[:0] if lowest is None else lowest(Q)
        outside = (others @ Q.T).min(axis=1, initial=0.0) < -_INSIDE
        if not outside.any():
            return Q, _confidence(rows, weight, Q)
        bound = np.concatenate([bound, others[outside]])


def lowest_rows(rows, Q):
    """(k, k) the row of smallest membership in every cluster after a rotation."""
    blocks = row_blocks(len(rows))
    lowest = np.array([block.start + (rows[block] @ Q.T).argmin(axis=0) for block in blocks])
    places = np.einsum("bpq,pq->bp", rows[lowest], Q).argmin(axis=0)
    return rows[lowest[places, np.arange(len(Q))]]


def _newton(rows, weight, bound, Q, kept):
    """(a local optimum of the confidence, its active constraints), by sequential quadratic programming from Q.

    Constraints are numbered as the entries of `bound`; those `kept` are active at Q, if it is such an optimum already.

    A step maximises a quadratic model of the Lagrangian, subject to a linear model that keeps the rows `bound` inside
    the simplex. In the eigenvectors of its Hessian, this is a least-distance problem, solved by non-negative least
    squares (Lawson and Hanson 1974, chapter 23).
    """
    k = len(Q)
    plane, units = plane_of(k), np.eye(k)
    first, second = np.triu_indices(k - 1, 1)
    most = 8 * k + 4 * len(first)
    of_bounds = np.zeros((k, k))
    price = _PRICES[1] if len(kept) or (bound @ Q.T).min() >= -_INSIDE else _PRICES[0]
    for _ in range(_NEWTON_STEPS):
        turned = rows @ Q.T
        edge = turned if bound is rows else bound @ Q.T
        target = (units[turned.argmax(axis=1)] * weight[:, np.newaxis]).T @ turned
        curvature, axes = np.linalg.eigh(plane.T @ (target + of_bounds) @ plane)
        basis = plane @ axes
        scale = np.sqrt(np.maximum(curvature[first] + curvature[second], _LEAST_CURVATURE))
        slope = basis.T @ target @ basis
        ideal = (slope - slope.T)[first, second] / scale
        flat = edge.ravel()
        near = np.argpartition(flat, most)[:most] if len(flat) > most else np.arange(len(flat))
        near = np.union1d(near, kept)
        at, clusters = near // k, near % k
        slopes = _slopes(basis, edge[at], clusters) / scale
        step, prices = _nearest(slopes, -flat[near], ideal, price)
        price = min(10.0 * price, _PRICES[1])
        kept = near[prices > 0.0]
        angles = step / scale
        largest = np.abs(angles).max()
        generator = np.zeros((k - 1, k - 1))
        generator[first, second] = angles * min(1.0, _REACH / max(largest, _REACH))
        # (I + A)(I - A^2)^(-1/2) is a rotation by atan of the angles.
        Q = _rotation(basis, _polar(np.eye(k - 1) + generator - generator.T)) @ Q
        of_bounds = np.zeros((k, k))
        np.add.at(of_bounds, clusters, prices[:, np.newaxis] * edge[at])
        of_bounds = 0.5 * (of_bounds + of_bounds.T)
        # Without active constraints, the next error is of the order of the squared step.
        if largest <= (_SMALL_ANGLE if len(kept) else _SMALL_STEP):
            break
    return Q, kept


def _nearest(slopes, levels, ideal, price):
    """(the vector nearest to `ideal` with slopes @ vector >= levels, multipliers of these constraints).

    A slack variable, shared by all constraints and penalised by `price`, keeps the problem feasible.
    """
    lacking = levels - slopes @ ideal
    if (lacking <= 0.0).all():
        return ideal, np.zeros(len(levels))
    matrix = np.concatenate([slopes.T, np.full((1, len(levels)), price**-0.5), lacking[np.newaxis]])
    right = np.zeros(len(matrix))
    right[-1] = 1.0
    prices, _ = nnls(matrix, right, maxiter=50 * len(levels))
    residual = matrix @ prices - right
    return ideal - residual[:-2] / residual[-1], -prices / residual[-1]
