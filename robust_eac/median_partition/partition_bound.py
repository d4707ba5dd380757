"""Lower bounds of a linear objective over partitions, from triangle inequalities and a semidefinite matrix."""

from itertools import count

import numpy as np

from ..core.kernels import njit

# Stop when a bound has not risen by more than the tolerance over this many iterations.
_PATIENCE = 20
# Penalty of the method of multipliers in units of the mean weight of a pair, and its over-relaxation.
_PENALTY = 2.0
_RELAXATION = 1.3
# Passes over the active triangles per iteration; iterations between two searches for violated ones.
_PASSES = 2
_SEARCH = 5
# Positive eigenvalues are updated from step to step between two searches if they are at most this share of all.
_FEW = 0.25
# Maximum number of triangles per pair that a search adds, and minimum violation of a triangle that is added.
_PER_PAIR = 2
_VIOLATION = 1e-3
# Largest number of passes over all objects to improve a partition.
_MOVES = 10
# Triangles of objects of almost no weight are skipped: those whose squared inverse weights sum to more than this.
_LARGEST = 1e100


def until_settled(values, tol):
    """Yield values until their maximum has risen by no more than `tol` of itself over the last iterations."""
    history = []
    for value in values:
        yield value
        history.append(max(value, history[-1]) if history else value)
        if len(history) > _PATIENCE and history[-1] - history[-1 - _PATIENCE] <= tol * history[-1]:
            return


def partition_bounds(slope, scale, constant, n_clusters, tol):
    """Yield lower bounds of  constant + sum_gh slope_gh Z_gh  over partitions (Z_gh is scale_gh or 0), until settled.

    With a free number of clusters, triangles alone come first, since their iterations are cheap.
    """
    triangles = _Triangles(slope, scale)
    Z = np.where(triangles.slope < 0.0, scale, 0.0)
    np.fill_diagonal(Z, np.diagonal(scale))
    best = constant + triangles.bound()
    found = np.inf
    yield best
    mean = scale / n_clusters
    for centre in (None, mean) if n_clusters >= len(scale) else (mean,):
        if found - best <= 10.0 * tol * abs(best):
            return
        bounds = (constant + bound for bound in _ascend(triangles, Z, centre))
        for number, bound in enumerate(until_settled(bounds, tol)):
            yield bound
            best = max(best, bound)
            if number % _SEARCH == 0:
                clusters = np.empty(len(Z), dtype=np.int64)
                _round(Z / scale, triangles.costs, min(n_clusters, len(Z)), clusters)
                same = clusters[:, np.newaxis] == clusters
                found = min(found, constant + float(np.sum(triangles.costs, where=same)))
                if found - best <= tol * abs(best):
                    return


def _ascend(triangles, Z, mean):
    """Yield lower bounds, without the constant, from ascending multipliers; Z is the start and is changed."""
    scale = triangles.scale
    limited = mean is not None
    penalty = _PENALTY * float(np.sum(np.abs(triangles.costs)) / np.sum(scale**2)) or 1.0
    M = Z - mean if limited else Z
    A = np.zeros_like(Z)
    vectors = None
    for number in count():
        if number % _SEARCH == 0:
            triangles.search(Z)
            vectors = None
        centre = M + mean + A / penalty if limited else Z.copy()
        np.clip(centre - triangles.slope / penalty, 0.0, scale, out=Z)
        np.fill_diagonal(Z, np.diagonal(scale))
        triangles.ascend(Z, centre, penalty)
        if not limited:
            yield triangles.bound()
            continue
        near = _RELAXATION * (Z - mean) + (1.0 - _RELAXATION) * M - A / penalty
        exact = vectors is None or vectors.shape[1] > _FEW * len(Z)
        M, vectors = _positive_part(near, None if exact else vectors)
        A = penalty * (M - near)
        # Only an exact A is semidefinite. Z_gg = scale_gg is the end of the box that the slope prefers.
        yield triangles.bound(A) + float(np.sum(A * mean)) if exact else -np.inf


def _positive_part(matrix, vectors):
    """Nearest semidefinite matrix and its eigenvectors; given those of a similar matrix, approximately."""
    if vectors is not None:
        basis = np.linalg.qr(np.hstack([vectors, matrix @ vectors]))[0]
        values, rotation = np.linalg.eigh(basis.T @ matrix @ basis)
        kept = basis @ rotation[:, values > 0.0]
        return (kept * values[values > 0.0]) @ kept.T, kept
    values, vectors = np.linalg.eigh(matrix)
    above = values > 0.0
    kept = vectors[:, above]
    if 2 * np.sum(above) <= len(values):
        return (kept * values[above]) @ kept.T, kept
    return matrix - (vectors[:, ~above] * values[~above]) @ vectors[:, ~above].T, kept


class _Triangles:
    """Triangle inequalities  z_ij + z_jk - z_ik <= 1  (z = Z / scale), their multipliers, and the slope these leave.

    A row of `_corners` is the (i, j, k) of one inequality. A search keeps those of positive multipliers.
    """

    def __init__(self, slope, scale):
        self.scale = scale
        self.costs = slope * scale
        self._given = slope
        self._inverse = 1.0 / np.sqrt(np.diagonal(scale))
        capacity = _PER_PAIR * len(scale) * (len(scale) - 1) // 2
        # The system allocates only the pages that a search fills.
        self._found = np.empty((capacity, 3), dtype=np.int32)
        amounts = np.empty(capacity)
        n_found = _pack(self.costs.copy(), self._found, amounts)
        self._corners = self._found[:n_found].copy()
        self._multipliers = amounts[:n_found].copy()
        self._restate()

    def _restate(self):
        """Compute the slope anew, so that rounding does not add up."""
        self.slope = self._given.copy()
        _add_multipliers(self.slope, self._corners, self._multipliers, self._inverse)

    def search(self, Z):
        """Replace triangles without a multiplier by violated ones."""
        kept = self._multipliers > 0.0
        n_found = _violated(Z / self.scale, _PER_PAIR, _VIOLATION, self._found)
        self._corners = np.concatenate([self._corners[kept], self._found[:n_found]])
        self._multipliers = np.concatenate([self._multipliers[kept], np.zeros(n_found)])
        self._restate()

    def ascend(self, Z, centre, penalty):
        """Passes over the active triangles, each raising its multiplier to the best one; Z and the slope follow."""
        for _ in range(_PASSES):
            _raise_multipliers(Z, centre, self.slope, self._corners, self._multipliers, self._inverse, penalty)

    def bound(self, A=0.0):
        """Smallest value of  <slope - A, Z>  over the box, with the constant of the Lagrangian."""
        least = float(np.sum(np.minimum(self.slope - A, 0.0) * self.scale))
        return least - 2.0 * float(np.sum(self._multipliers))


@njit
def _round(z, costs, n_clusters, clusters):
    """A partition near z, improved by moves of single objects; in order, objects without a cluster open a new one."""
    n = len(z)
    used = 0
    clusters[:] = -1
    for i in range(n):
        if clusters[i] < 0:
            own = min(used, n_clusters - 1)
            clusters[i] = own
            for j in range(n):
                if clusters[j] < 0 and z[i, j] > 0.5:
                    clusters[j] = own
            used += 1
    sums = np.empty(n_clusters)
    for _ in range(_MOVES):
        moved = False
        for i in range(n):
            sums[:] = 0.0
            for j in range(n):
                if j != i:
                    sums[clusters[j]] += costs[i, j]
            best = sums.argmin()
            if sums[best] < sums[clusters[i]]:
                clusters[i], moved = best, True
        if not moved:
            break


@njit
def _pack(costs, corners, amounts):
    """Raise multipliers until no triangle has two attractive sides and a repulsive one; return their number."""
    n = len(costs)
    count = 0
    for i in range(n):
        for k in range(i):
            left = costs[i, k]
            if left <= 0.0:
                continue
            for j in range(n):
                if costs[i, j] < 0.0 and costs[k, j] < 0.0:
                    if count == len(amounts):
                        return count
                    amount = min(-costs[i, j], -costs[k, j], left)
                    corners[count, 0], corners[count, 1], corners[count, 2] = i, j, k
                    amounts[count] = amount
                    count += 1
                    costs[i, j] += amount
                    costs[j, i] = costs[i, j]
                    costs[k, j] += amount
                    costs[j, k] = costs[k, j]
                    left -= amount
                    if left <= 0.0:
                        break
            costs[i, k] = left
            costs[k, i] = left
    return count


@njit
def _violated(z, per_pair, least, corners):
    """Write the most violated triangles over every pair (i, k), if by more than `least`; return their number."""
    n = len(z)
    count = 0
    near = np.empty(n, dtype=np.int64)
    sides = np.empty(n)
    excess = np.empty(per_pair + 1)
    apex = np.empty(per_pair + 1, dtype=np.int64)
    for i in range(n):
        n_near = 0
        for j in range(n):
            if z[i, j] > least and j != i:
                near[n_near], sides[n_near] = j, z[i, j] - 1.0
                n_near += 1
        for k in range(i):
            if z[i, k] + least >= 1.0:
                continue
            n_found = 0
            lowest = z[i, k] + least
            for position in range(n_near):
                value = sides[position] + z[k, near[position]]
                if value > lowest and near[position] != k:
                    # Insert in descending order; the last one is dropped if there are too many.
                    place = n_found
                    while place > 0 and excess[place - 1] < value:
                        excess[place], apex[place] = excess[place - 1], apex[place - 1]
                        place -= 1
                    excess[place], apex[place] = value, near[position]
                    if n_found < per_pair:
                        n_found += 1
                    if n_found == per_pair:
                        lowest = excess[per_pair - 1]
            for place in range(n_found):
                corners[count, 0], corners[count, 1], corners[count, 2] = i, apex[place], k
                count += 1
    return count


@njit
def _add_multipliers(slope, corners, multipliers, inverse):
    for t in range(len(multipliers)):
        i = corners[t, 0]
        j = corners[t, 1]
        k = corners[t, 2]
        slope[i, j] += multipliers[t] * inverse[i] * inverse[j]
        slope[k, j] += multipliers[t] * inverse[k] * inverse[j]
        slope[i, k] -= multipliers[t] * inverse[i] * inverse[k]
        slope[j, i], slope[j, k], slope[k, i] = slope[i, j], slope[k, j], slope[i, k]


@njit
def _raise_multipliers(Z, centre, slope, corners, multipliers, inverse, penalty):
    """One pass of exact steps; Z stays at  argmin <slope, Z> + penalty / 2 |Z - centre|^2  in the box."""
    for t in range(len(multipliers)):
        i = corners[t, 0]
        j = corners[t, 1]
        k = corners[t, 2]
        ij = inverse[i] * inverse[j]
        kj = inverse[k] * inverse[j]
        ik = inverse[i] * inverse[k]
        squares = ij * ij + kj * kj + ik * ik
        if not squares < _LARGEST:
            continue
        excess = ij * Z[i, j] + kj * Z[k, j] - ik * Z[i, k] - 1.0
        step = max(penalty * excess / squares, -multipliers[t])
        if step == 0.0:
            continue
        multipliers[t] += step
        slope[i, j] += step * ij
        slope[k, j] += step * kj
        slope[i, k] -= step * ik
        Z[i, j] = min(max(centre[i, j] - slope[i, j] / penalty, 0.0), 1.0 / ij)
        Z[k, j] = min(max(centre[k, j] - slope[k, j] / penalty, 0.0), 1.0 / kj)
        Z[i, k] = min(max(centre[i, k] - slope[i, k] / penalty, 0.0), 1.0 / ik)
        slope[j, i], slope[j, k], slope[k, i] = slope[i, j], slope[k, j], slope[i, k]
        Z[j, i], Z[j, k], Z[k, i] = Z[i, j], Z[k, j], Z[i, k]
