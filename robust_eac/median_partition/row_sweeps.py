"""Sweeps over the rows, with many rows in rounds of blocks; and the line search of the Y step, compiled.

A sweep visits columns of Y, one after the other, by exact steps along pairs of clusters. Notation and arguments: see
:mod:`~robust_eac.ensemble.encoding`. Kernels that call each other share a file, because numba's cache does not notice
changes in another one. Slots are unsigned in inner loops, which saves numba's check for negative indices.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..core.kernels import njit
from ..core.threads import stop_if_cancelled

# Gaps below this are rounding errors of the small matrices.
ROUNDING = 1e-14
# Up to this many rows fit in the cache, where random access is cheap; more are shuffled in runs of _RUN.
_SHUFFLED_SINGLY = 2**15
_RUN = 16
# From this many rows on, threads sweep the blocks of a round without seeing each other's steps. Long blocks make copies
# of the small matrices cheap; short rounds make the unseen steps small. The number of threads does not change the
# result.
_IN_ROUNDS = 2**16
_BLOCKS = 8
_MIN_BLOCK = 512
_COPIES = 16
_ROUNDS = 32


def sweep(visited, statistics, rows, order, how, *, n_threads=1):
    """Lower the objective row by row, in this order; updates rows, T and Q. Returns the sum of the gaps."""
    if len(order) < _IN_ROUNDS:
        return sweep_rows(order, *visited, statistics, rows, how)[0]
    # A row reads one slot per column, a copy reads all of T: copies should take a small part of the time.
    n_columns = visited.rows.codes.shape[1] + len(visited.slots.whole)
    length = max(len(order) // (_BLOCKS * _ROUNDS), _MIN_BLOCK, _COPIES * len(statistics.T) // n_columns)
    total = 0.0
    with ThreadPoolExecutor(n_threads) as pool:
        for first in range(0, len(order), _BLOCKS * length):
            stop_if_cancelled()
            blocks = np.split(order[first : first + _BLOCKS * length], range(length, _BLOCKS * length, length))
            total += _sweep_round(visited, statistics, rows, blocks, how, pool)
    return total


def _sweep_round(visited, statistics, rows, blocks, how, pool):
    """Sweep all blocks of a round at the same time, or in turn if the objective would rise; returns the sum of gaps."""
    T = statistics.T
    Q = statistics.Q

    def sweep_block(block, statistics):
        return sweep_rows(block, *visited, statistics, rows, how)

    def propose(block):
        """Sweep a block by itself: (gap, change of the objective, its rows before, its steps of T and of Q)."""
        before = rows[block]
        own = statistics._replace(T=T.copy(), Q=Q.copy())
        gap, fall = sweep_block(block, own)
        return gap, fall, before, own.T - T, own.Q - Q

    gaps, falls, before, steps_T, steps_Q = zip(*pool.map(propose, blocks), strict=True)
    if sum(falls) + _interaction(statistics, steps_T, steps_Q) <= 0.0:
        T += sum(steps_T)
        Q += sum(steps_Q)
        return sum(gaps)
    for block, values in zip(blocks, before, strict=True):
        rows[block] = values
    return sum(sweep_block(block, statistics)[0] for block in blocks)


def _interaction(statistics, steps_T, steps_Q):
    """Change of the objective by all steps together, minus the sum of its changes by each step alone."""

    def cross(steps):
        return np.sum(sum(steps) ** 2, axis=-1) - sum(np.sum(step**2, axis=-1) for step in steps)

    def weigh(values, coef):
        return np.sum(np.divide(values, coef, out=np.zeros_like(values), where=coef != 0.0))

    of_G = weigh(cross(steps_Q).sum(axis=-1), statistics.mask_coef)
    return of_G - 2.0 * weigh(cross(steps_T), statistics.slot_coef)


def visiting_order(n_rows, rng, groups=None):
    """Random order of the rows. Many rows are shuffled in short runs, for the cache; with groups, runs of one group."""
    if n_rows <= _SHUFFLED_SINGLY:
        return rng.permutation(n_rows)
    starts = _RUN * rng.permutation(-(-n_rows // _RUN))
    order = (starts[:, np.newaxis] + np.arange(_RUN)).ravel()
    order = order[order < n_rows]
    return order if groups is None else np.argsort(groups, kind="stable")[order]


# Maximum number of steps; Newton's method on a monotone cubic needs a handful, bisection alone about 60.
_MAX_ROOT_STEPS = 100
_EPS = np.finfo(np.float64).eps


@njit
def gather(data, i, slots, T, places, b):
    """Fill `places` with the slots of row i and b with the sum of their rows of T; O(m k), the loop of all solvers.

    After the slots of the partitions come those of the masks' single clusters, with a row of zeros for masks without i.
    """
    # Four slots at a time: otherwise every addition waits for the store of the previous one. Functions take the whole
    # array and a row index, because numba counts references to views of rows.
    codes = data.codes
    offsets = slots.offsets
    m = codes.shape[1]
    n = places.shape[0]
    k = b.shape[0]
    for u in range(m):
        places[u] = offsets[u] + codes[i, u]
    for g in range(n - m):
        places[m + g] = slots.whole[g] if data.observed[i, g] else slots.missing[0]
    for p in range(k):
        b[p] = 0.0
    start = 0
    stop = m
    while start < n:
        rest = stop - (stop - start) % 4
        if k == 4:
            # These few columns fit in registers.
            b0 = b[0]
            b1 = b[1]
            b2 = b[2]
            b3 = b[3]
            for u in range(start, rest, 4):
                slot0 = places[u]
                slot1 = places[u + 1]
                slot2 = places[u + 2]
                slot3 = places[u + 3]
                b0 += (T[slot0, 0] + T[slot1, 0]) + (T[slot2, 0] + T[slot3, 0])
                b1 += (T[slot0, 1] + T[slot1, 1]) + (T[slot2, 1] + T[slot3, 1])
                b2 += (T[slot0, 2] + T[slot1, 2]) + (T[slot2, 2] + T[slot3, 2])
                b3 += (T[slot0, 3] + T[slot1, 3]) + (T[slot2, 3] + T[slot3, 3])
            b[0], b[1] = b0, b1
            b[2], b[3] = b2, b3
        else:
            for u in range(start, rest, 4):
                slot0 = places[u]
                slot1 = places[u + 1]
                slot2 = places[u + 2]
                slot3 = places[u + 3]
                for p in range(k):
                    b[p] += (T[slot0, p] + T[slot1, p]) + (T[slot2, p] + T[slot3, p])
        for u in range(rest, stop):
            for p in range(k):
                b[p] += T[places[u], p]
        start = stop
        stop = n


@njit
def fill_hessian(observed, i, Q, H):
    """H = sum of Q[g] over the masks that contain row i."""
    for p in range(H.shape[0]):
        for q in range(H.shape[1]):
            H[p, q] = 0.0
    for g in range(observed.shape[1]):
        if observed[i, g]:
            for p in range(H.shape[0]):
                for q in range(H.shape[1]):
                    H[p, q] += Q[g, p, q]


@njit
def quarter_gradient(y, H, b, quartic, extra, out):
    """Quarter gradient in one column, without the row's own terms: H y - b - (quartic (|y|^2 - 1) + extra) y."""
    k = y.shape[0]
    square = 0.0
    for p in range(k):
        square += y[p] * y[p]
        out[p] = -b[p]
    for q in range(k):
        if y[q] != 0.0:
            for p in range(k):
                out[p] += y[q] * H[q, p]
    shift = quartic * (square - 1.0) + extra
    if shift != 0.0:
        for p in range(k):
            out[p] -= shift * y[p]


@njit
def gradient(data, slots, statistics, membership, out):
    """Fill out (rows, k) with the gradient in each object's column; O(rows (m k + masks k^2))."""
    k = membership.shape[1]
    T = statistics.T
    Q = statistics.Q
    own = statistics.own
    b = np.empty(T.shape[1])
    places = np.empty(data.codes.shape[1] + slots.whole.shape[0], dtype=np.uint64)
    everywhere = Q.shape[0] == 1 and data.observed.all()
    H = Q[0] if everywhere else np.empty((k, k))
    for i in range(data.codes.shape[0]):
        gather(data, i, slots, T, places, b)
        if not everywhere:
            fill_hessian(data.observed, i, Q, H)
        quarter_gradient(membership[i], H, b, 0.0, own[i, 2], out[i])
        for p in range(k):
            out[i, p] *= 4.0


@njit
def quartic_value(t, c1, c2, c3, c4):
    """c1 t + c2 t^2 + c3 t^3 + c4 t^4."""
    return t * (c1 + t * (c2 + t * (c3 + t * c4)))


@njit
def _rising_root(lo, hi, c1, c2, c3, c4):
    """Root of the quartic's derivative in [lo, hi], where it rises from negative to positive."""
    t = lo
    if c2 > 0.0:
        # Minimiser of the quadratic part, corrected for the higher powers.
        inverse = 0.5 / c2
        t = -c1 * inverse
        t -= t * t * (3.0 * c3 + 4.0 * c4 * t) * inverse
    if not lo < t < hi:
        t = 0.5 * (lo + hi)
    for _ in range(_MAX_ROOT_STEPS):
        slope = c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * 4.0 * c4))
        if slope < 0.0:
            lo = t
        elif slope > 0.0:
            hi = t
        else:
            return t
        bend = 2.0 * c2 + t * (6.0 * c3 + t * 12.0 * c4)
        new = t - slope / bend if bend > 0.0 else lo
        if not lo < new < hi:
            new = 0.5 * (lo + hi)
        elif (new - t) * (new - t) * (6.0 * abs(c3) + 24.0 * abs(c4) * hi) <= _EPS * bend * new:
            # The error after a Newton step is below the square of the step times third over second derivative.
            return new
        if abs(new - t) <= 2.0 * _EPS * abs(new) or hi - lo <= _EPS * hi:
            return new
        t = new
    return t


@njit
def minimise_quartic(c1, c2, c3, c4, upper):
    """Minimiser of c1 t + c2 t^2 + c3 t^3 + c4 t^4 over 0 <= t <= upper; 0 if no value is below that at 0."""
    # The roots of the second derivative cut [0, upper] into at most three pieces on which the first is monotone.
    # Interior minima, where it changes from negative to positive, are compared by value with the two ends.
    discriminant = 9.0 * c3 * c3 - 24.0 * c4 * c2
    if c2 > 0.0 and c4 >= 0.0 and discriminant <= 0.0:
        # Convex: the usual case.
        if c1 >= 0.0:
            return 0.0
        if c1 + upper * (2.0 * c2 + upper * (3.0 * c3 + upper * 4.0 * c4)) <= 0.0:
            return upper
        return _rising_root(0.0, upper, c1, c2, c3, c4)

    best = best_value = 0.0
    value = quartic_value(upper, c1, c2, c3, c4)
    if value < best_value:
        best = upper
        best_value = value

    # Roots of 12 c4 t^2 + 6 c3 t + 2 c2, in the form without cancellation.
    cut1 = 0.0
    cut2 = upper
    if discriminant > 0.0:
        root = -(3.0 * c3 + (np.sqrt(discriminant) if c3 >= 0.0 else -np.sqrt(discriminant)))
        cut1 = root / (12.0 * c4) if c4 != 0.0 else upper
        cut2 = 2.0 * c2 / root
        if cut1 > cut2:
            cut1, cut2 = cut2, cut1

    lo = 0.0
    for piece in range(3):
        hi = cut1 if piece == 0 else cut2
        if piece == 2 or hi > upper:
            hi = upper
        if hi > lo:
            left = c1 + lo * (2.0 * c2 + lo * (3.0 * c3 + lo * 4.0 * c4))
            right = c1 + hi * (2.0 * c2 + hi * (3.0 * c3 + hi * 4.0 * c4))
            if left < 0.0 < right:
                t = _rising_root(lo, hi, c1, c2, c3, c4)
                value = quartic_value(t, c1, c2, c3, c4)
                if value < best_value:
                    best = t
                    best_value = value
            lo = hi
    return best


@njit(fastmath={"nnan", "nsz"})
def steepest_pair(y, e, shift, slopes):
    """(p, q, lowest, highest): the first coordinates of lowest slope e + shift y and, among positive y, of highest.

    No value is NaN; with fastmath's "nnan", the compiler compares whole vectors.
    """
    k = y.shape[0]
    low = np.inf
    high = -np.inf
    for j in range(k):
        slope = e[j] + shift * y[j]
        slopes[j] = slope
        low = min(low, slope)
        high = max(high, slope if y[j] > 0.0 else -np.inf)
    p = q = 0
    while p < k - 1 and slopes[p] != low:
        p += 1
    while q < k - 1 and (slopes[q] != high or y[q] <= 0.0):
        q += 1
    return p, q, low, high


@njit
def descend_column(y, y0, e, H, weight, extra, visit, slopes):
    """Up to n_steps exact pairwise steps on a column y; returns a quarter of the gap at the start, and the change.

    Minimises 2 y' H_ y - 4 b_' y + weight (|y|^2 - 1)^2 + 2 extra |y|^2 over the simplex, where H_ = H - weight y0 y0'
    and b_ are the terms of the other rows. ``e`` is H_ y - b_ and is updated with y. A step moves mass from the
    positive coordinate of largest derivative to the one of smallest derivative, by exact line search.
    """
    k = y.shape[0]
    gap = decrease = square = 0.0
    for j in range(k):
        square += y[j] * y[j]
    for step in range(visit.n_steps):
        r = square - 1.0
        shift = weight * r + extra
        p, q, low, high = steepest_pair(y, e, shift, slopes)
        if step == 0:
            mean = 0.0
            for j in range(k):
                mean += slopes[j] * y[j]
            gap = mean - low if mean > low else 0.0
            if gap <= visit.skip:
                break
        if not low < high:
            break
        d = y[p] - y[q]
        d0 = y0[p] - y0[q]
        bend = H[p, p] + H[q, q] - 2.0 * H[p, q] - weight * d0 * d0
        c1 = 4.0 * (e[p] - e[q] + weight * r * d + extra * d)
        c2 = 2.0 * bend + 4.0 * weight * (d * d + r) + 4.0 * extra
        c3 = 8.0 * weight * d
        c4 = 4.0 * weight
        t = minimise_quartic(c1, c2, c3, c4, y[q])
        if t == 0.0:
            break
        decrease += quartic_value(t, c1, c2, c3, c4)
        square += 2.0 * t * (d + t)
        for j in range(k):
            e[j] += t * (H[p, j] - H[q, j] - weight * d0 * y0[j])
        y[p] += t
        y[q] = y[q] - t if t < y[q] else 0.0
    return gap, decrease


@njit
def overrelax(y, y0, e, e0, weight, extra, relaxation, decrease):
    """Go `relaxation` times the step from y0 to y, or until a coordinate reaches 0; stay at y if that is worse than y0.

    Returns the change from y0, which is never positive. ``e0`` is ``e`` at y0, so that their difference is H_ times the
    step.
    """
    k = y.shape[0]
    reach = relaxation
    slope = bend = square = dot = length = 0.0
    for p in range(k):
        d = y[p] - y0[p]
        slope += e0[p] * d
        bend += (e[p] - e0[p]) * d
        square += y0[p] * y0[p]
        dot += y0[p] * d
        length += d * d
        if y0[p] + reach * d < 0.0:
            reach = -y0[p] / d
    if reach <= 1.0:
        return decrease
    r = square - 1.0
    value = quartic_value(
        reach,
        4.0 * (slope + (weight * r + extra) * dot),
        2.0 * (bend + weight * (r * length + 2.0 * dot * dot) + extra * length),
        4.0 * weight * dot * length,
        weight * length * length,
    )
    if value > 0.0:
        return decrease
    for p in range(k):
        moved = y0[p] + reach * (y[p] - y0[p])
        y[p] = moved if moved > 0.0 else 0.0
    return value


@njit
def sweep_rows(order, data, slots, statistics, membership, visit):
    """Minimise over the columns of Y in this order of the rows; updates membership, T and Q.

    With a relaxation above 1, columns go beyond their minimum unless their objective rises. Returns the sum over
    objects of their Frank-Wolfe gaps, each just before its step, and the change of the objective, which is never
    positive. O(rows (m k + masks k^2)) time, no allocation that grows with the rows.
    """
    observed = data.observed
    multiplicity = data.multiplicity
    missing = slots.missing
    own = statistics.own
    relaxation = visit.relaxation
    T = statistics.T
    Q = statistics.Q
    slot_coef = statistics.slot_coef
    mask_coef = statistics.mask_coef
    k = membership.shape[1]
    width = T.shape[1]
    places = np.empty(data.codes.shape[1] + slots.whole.shape[0], dtype=np.uint64)
    b = np.empty(width)
    step = np.empty(width)
    e = np.empty(k)
    y = np.empty(k)
    y0 = np.empty(k)
    e0 = np.empty(k)
    slopes = np.empty(k)
    moved = np.empty(k, dtype=np.uint64)
    for p in range(width):
        step[p] = 0.0
    everywhere = Q.shape[0] == 1
    for i in order:
        everywhere &= observed[i, 0]
    H = Q[0]
    if not everywhere:
        H = H.copy()
    total = total_decrease = 0.0
    for i in order:
        for p in range(k):
            y[p] = y0[p] = membership[i, p]
        w = multiplicity[i]
        weight = w * own[i, 0]
        extra = w * own[i, 1]
        gather(data, i, slots, T, places, b)
        if not everywhere:
            fill_hessian(observed, i, Q, H)
        quarter_gradient(y, H, b, weight, extra, e)
        for p in range(k):
            e0[p] = e[p]
        extra -= own[i, 2]
        gap, decrease = descend_column(y, y0, e, H, weight, extra, visit, slopes)
        if relaxation > 1.0 and decrease < 0.0:
            decrease = overrelax(y, y0, e, e0, weight, extra, relaxation, decrease)
        total += 4.0 * w * gap
        total_decrease += w * decrease

        n_moved = 0
        for p in range(k):
            step[p] = w * (y[p] - y0[p])
            if step[p] != 0.0:
                moved[n_moved] = p
                n_moved += 1
            membership[i, p] = y[p]
        if n_moved == 0:
            continue
        if 4 * n_moved < k:
            for slot in places:
                factor = slot_coef[slot]
                for j in range(n_moved):
                    T[slot, moved[j]] += factor * step[moved[j]]
        else:
            for slot in places:
                factor = slot_coef[slot]
                for p in range(width):
                    T[slot, p] += factor * step[p]
        for slot in missing:
            for p in range(width):
                T[slot, p] = 0.0
        for g in range(observed.shape[1]):
            if observed[i, g]:
                factor = mask_coef[g] * w
                for p in range(k):
                    if y[p] != 0.0 or y0[p] != 0.0:
                        new = factor * y[p]
                        old = factor * y0[p]
                        if 4 * n_moved < k and y[p] == y0[p]:
                            for j in range(n_moved):
                                Q[g, p, moved[j]] += new * y[moved[j]] - old * y0[moved[j]]
                            continue
                        for q in range(k):
                            Q[g, p, q] += new * y[q] - old * y0[q]
    return total, total_decrease
