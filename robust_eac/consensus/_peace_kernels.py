"""Compiled kernels of PEACE: greedy column descent on sampled pairs.

The pairs are the rows of a symmetric sparse matrix: object i has the partners ``partners[starts[i]:starts[i + 1]]``,
with co-association ``c`` and weight ``N`` in the same places. The gradient of an object's column is
``g_i = sum_j N_ij w(y_i'y_j, c_ij) y_j`` with w the derivative of the divergence in its second argument. Kernels that
call each other share this file because numba's disk cache does not notice changes in a callee of another file.
"""

import numpy as np
from numba import njit

_MAX_ROOT_STEPS = 100


@njit(cache=True, nogil=True)
def divergence(p, c, margin, kl):
    """(p - c)^2, or the binary Kullback-Leibler divergence, continued linearly where p is within margin of 0 or 1."""
    if not kl:
        return (p - c) * (p - c)
    inside = min(max(p, margin), 1.0 - margin)
    value = (p - inside) * slope(p, c, margin, kl)
    if c > 0.0:
        value += c * np.log(c / inside)
    if c < 1.0:
        value += (1.0 - c) * np.log((1.0 - c) / (1.0 - inside))
    return value


@njit(cache=True, nogil=True)
def slope(p, c, margin, kl):
    """Derivative of the divergence in p; it never falls."""
    if not kl:
        return 2.0 * (p - c)
    inside = min(max(p, margin), 1.0 - margin)
    return (inside - c) / (inside * (1.0 - inside))


@njit(cache=True, nogil=True)
def bend(p, c, margin, kl):
    """Second derivative of the divergence in p."""
    if not kl:
        return 2.0
    if not margin < p < 1.0 - margin:
        return 0.0
    return c / (p * p) + (1.0 - c) / ((1.0 - p) * (1.0 - p))


@njit(cache=True, nogil=True)
def compare_pairs(codes, offsets, weights, missing, first, second, together, both):
    """Fill the weight of the partitions that observe both objects of each pair, and of those that join them."""
    for pair in range(first.shape[0]):
        i, j = first[pair], second[pair]
        seen, same = 0.0, 0.0
        for u in range(codes.shape[1]):
            if codes[i, u] != missing[u] and codes[j, u] != missing[u]:
                seen += weights[u]
                if codes[i, u] == codes[j, u]:
                    same += weights[u]
        both[pair] = seen
        together[pair] = same


@njit(cache=True, nogil=True)
def predict(Y, i, j):
    """y_i'y_j."""
    total = 0.0
    for q in range(Y.shape[1]):
        total += Y[i, q] * Y[j, q]
    return total


@njit(cache=True, nogil=True)
def total_divergence(starts, partners, c, N, Y, margin, kl):
    """Sum over the unordered pairs of N d(c, y_i'y_j)."""
    total = 0.0
    for i in range(Y.shape[0]):
        for e in range(starts[i], starts[i + 1]):
            if partners[e] > i:
                total += N[e] * divergence(predict(Y, i, partners[e]), c[e], margin, kl)
    return total


@njit(cache=True, nogil=True)
def column_gradient(i, starts, partners, c, N, Y, margin, kl, g):
    """Fill g[i] with the gradient in the column of object i; O(partners k)."""
    g[i] = 0.0
    for e in range(starts[i], starts[i + 1]):
        j = partners[e]
        w = N[e] * slope(predict(Y, i, j), c[e], margin, kl)
        for q in range(Y.shape[1]):
            g[i, q] += w * Y[j, q]


@njit(cache=True, nogil=True)
def extremes(y, g):
    """Cluster of least gradient, and of largest among those with mass."""
    low, high = 0, -1
    for q in range(y.shape[0]):
        if g[q] < g[low]:
            low = q
        if y[q] > 0.0 and (high < 0 or g[q] > g[high]):
            high = q
    return low, high


@njit(cache=True, nogil=True)
def column_gap(y, g):
    """Largest decrease rate of an exchange of mass between two clusters; 0 exactly where the column is stationary."""
    low, high = extremes(y, g)
    return g[high] - g[low]


@njit(cache=True, nogil=True)
def all_gradients(starts, partners, c, N, Y, margin, kl, g, key):
    """Fill the gradients and the gaps of all columns."""
    for i in range(Y.shape[0]):
        column_gradient(i, starts, partners, c, N, Y, margin, kl, g)
        key[i] = column_gap(Y[i], g[i])


@njit(cache=True, nogil=True)
def _before(a, b, key):
    """Whether object a stands above b: larger key, or the same and the smaller number."""
    return key[a] > key[b] or (key[a] == key[b] and a < b)


@njit(cache=True, nogil=True)
def _swap(heap, place, a, b):
    heap[a], heap[b] = heap[b], heap[a]
    place[heap[a]] = a
    place[heap[b]] = b


@njit(cache=True, nogil=True)
def repair(heap, place, key, item):
    """Restore the order of a binary heap after the key of one item changed; O(log n)."""
    at = place[item]
    while at > 0 and _before(heap[at], heap[(at - 1) // 2], key):
        _swap(heap, place, at, (at - 1) // 2)
        at = (at - 1) // 2
    while True:
        top = at
        for child in (2 * at + 1, 2 * at + 2):
            if child < heap.shape[0] and _before(heap[child], heap[top], key):
                top = child
        if top == at:
            return
        _swap(heap, place, at, top)
        at = top


@njit(cache=True, nogil=True)
def exchange(J, low, high, starts, partners, c, N, Y, g, margin, kl):
    """Exact minimiser over [0, y_high] of the mass that object J moves from cluster high to low."""
    upper = Y[J, high]
    if not kl:
        curvature = 0.0
        for e in range(starts[J], starts[J + 1]):
            d = Y[partners[e], low] - Y[partners[e], high]
            curvature += 2.0 * N[e] * d * d
        fall = g[J, high] - g[J, low]
        return upper if fall >= upper * curvature else fall / curvature
    lo, hi, t = 0.0, upper, upper
    for _ in range(_MAX_ROOT_STEPS):
        rate, curvature = 0.0, 0.0
        for e in range(starts[J], starts[J + 1]):
            j = partners[e]
            d = Y[j, low] - Y[j, high]
            p = predict(Y, J, j) + t * d
            rate += N[e] * slope(p, c[e], margin, kl) * d
            curvature += N[e] * bend(p, c[e], margin, kl) * d * d
        if rate <= 0.0:
            if t == upper:
                return upper
            lo = t
        else:
            hi = t
        new = t - rate / curvature if curvature > 0.0 else lo
        if not lo < new < hi:
            new = 0.5 * (lo + hi)
        if hi - lo <= 1e-14 * upper or abs(new - t) <= 1e-15 * upper:
            return new
        t = new
    return t


@njit(cache=True, nogil=True)
def descend(starts, partners, c, N, Y, g, key, heap, place, margin, kl, target, n_steps):
    """Move mass in the column of largest gap, at most n_steps times, until no gap exceeds the target.

    Returns the number of steps. ``g`` and ``key`` (the gaps) must be those of Y, ``heap`` sorted by them with
    ``place[heap[a]] = a``; all of them follow. O(partners (k + log n)) per step.
    """
    k = Y.shape[1]
    old = np.empty(k)
    for step in range(n_steps):
        J = heap[0]
        if key[J] <= target:
            return step
        low, high = extremes(Y[J], g[J])
        t = exchange(J, low, high, starts, partners, c, N, Y, g, margin, kl)
        old[:] = Y[J]
        Y[J, low] += t
        Y[J, high] = Y[J, high] - t if t < Y[J, high] else 0.0
        for e in range(starts[J], starts[J + 1]):
            j = partners[e]
            before, after = 0.0, 0.0
            for q in range(k):
                before += old[q] * Y[j, q]
                after += Y[J, q] * Y[j, q]
            w_before = N[e] * slope(before, c[e], margin, kl)
            w_after = N[e] * slope(after, c[e], margin, kl)
            for q in range(k):
                g[j, q] += w_after * Y[J, q] - w_before * old[q]
            key[j] = column_gap(Y[j], g[j])
            repair(heap, place, key, j)
        column_gradient(J, starts, partners, c, N, Y, margin, kl, g)
        key[J] = column_gap(Y[J], g[J])
        repair(heap, place, key, J)
    return n_steps
