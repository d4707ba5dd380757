"""Compiled kernels of PEACE: greedy column descent on sampled pairs.

The gradient of an object's column is  g_i = sum_j N_ij w(y_i'y_j, c_ij) y_j,  with w the derivative of the divergence
in its first argument. All kernels are in this file because numba's disk cache misses changes of a callee elsewhere.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

_MAX_ROOT_STEPS = 100


class Pairs(NamedTuple):
    """Both directions of every pair, as the rows of a sparse symmetric matrix.

    starts : (n + 1,) int64; the pairs of object i are at starts[i], ..., starts[i + 1] - 1.
    partners : the other object of each pair.
    c, N : its co-association and weight.
    """

    starts: np.ndarray
    partners: np.ndarray
    c: np.ndarray
    N: np.ndarray


class Loss(NamedTuple):
    """Divergence of a pair: squared difference, or with kl the binary Kullback-Leibler divergence.

    margin : the latter is continued linearly within this distance of 0 and 1.
    """

    margin: float
    kl: bool


class State(NamedTuple):
    """A membership and what follows from it.

    Y, g : (n, k) memberships, and the gradients in them.
    gaps : (n,) gap of each column.
    heap, place : (n,) objects as a binary heap, largest gap first, and the place of each object in it.
    """

    Y: np.ndarray
    g: np.ndarray
    gaps: np.ndarray
    heap: np.ndarray
    place: np.ndarray


@njit(cache=True, nogil=True)
def divergence(p, c, loss):
    """Divergence of the prediction p from the co-association c."""
    if not loss.kl:
        return (p - c) * (p - c)
    inside = min(max(p, loss.margin), 1.0 - loss.margin)
    value = (p - inside) * slope(p, c, loss)
    if c > 0.0:
        value += c * np.log(c / inside)
    if c < 1.0:
        value += (1.0 - c) * np.log((1.0 - c) / (1.0 - inside))
    return value


@njit(cache=True, nogil=True)
def slope(p, c, loss):
    """Derivative of the divergence in p; non-decreasing."""
    if not loss.kl:
        return 2.0 * (p - c)
    inside = min(max(p, loss.margin), 1.0 - loss.margin)
    return (inside - c) / (inside * (1.0 - inside))


@njit(cache=True, nogil=True)
def bend(p, c, loss):
    """Second derivative of the divergence in p."""
    if not loss.kl:
        return 2.0
    if not loss.margin < p < 1.0 - loss.margin:
        return 0.0
    return c / (p * p) + (1.0 - c) / ((1.0 - p) * (1.0 - p))


@njit(cache=True, nogil=True)
def compare_pairs(codes, offsets, weights, missing, first, second, together, both):
    """Fill, for each pair, the weight of the partitions that join it, and of those that observe both objects."""
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
def total_divergence(pairs, loss, Y):
    """Sum over the unordered pairs of N d(c, y_i'y_j)."""
    total = 0.0
    for i in range(Y.shape[0]):
        for e in range(pairs.starts[i], pairs.starts[i + 1]):
            j = pairs.partners[e]
            if j > i:
                total += pairs.N[e] * divergence(predict(Y, i, j), pairs.c[e], loss)
    return total


@njit(cache=True, nogil=True)
def column_gradient(i, pairs, loss, Y, g):
    """Fill g[i] with the gradient in the column of object i; O(partners k)."""
    g[i] = 0.0
    for e in range(pairs.starts[i], pairs.starts[i + 1]):
        j = pairs.partners[e]
        w = pairs.N[e] * slope(predict(Y, i, j), pairs.c[e], loss)
        for q in range(Y.shape[1]):
            g[i, q] += w * Y[j, q]


@njit(cache=True, nogil=True)
def extremes(y, g):
    """Cluster of smallest gradient, and of largest gradient among the clusters with mass."""
    low, high = 0, -1
    for q in range(y.shape[0]):
        if g[q] < g[low]:
            low = q
        if y[q] > 0.0 and (high < 0 or g[q] > g[high]):
            high = q
    return low, high


@njit(cache=True, nogil=True)
def column_gap(y, g):
    """Largest rate of decrease when mass moves between two clusters; 0 exactly if the column is stationary."""
    low, high = extremes(y, g)
    return g[high] - g[low]


@njit(cache=True, nogil=True)
def all_gradients(pairs, loss, state):
    """Fill the gradients and the gaps of all columns."""
    for i in range(state.Y.shape[0]):
        column_gradient(i, pairs, loss, state.Y, state.g)
        state.gaps[i] = column_gap(state.Y[i], state.g[i])


@njit(cache=True, nogil=True)
def _before(a, b, key):
    """Whether object a comes before b: by larger key, then by smaller number."""
    return key[a] > key[b] or (key[a] == key[b] and a < b)


@njit(cache=True, nogil=True)
def _swap(heap, place, a, b):
    heap[a], heap[b] = heap[b], heap[a]
    place[heap[a]] = a
    place[heap[b]] = b


@njit(cache=True, nogil=True)
def repair(heap, place, key, item):
    """Restore the order of a binary heap after the key of one item has changed; O(log n)."""
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
def exchange(J, low, high, pairs, loss, Y, g):
    """Mass in [0, y_high] that object J should move from cluster high to low: the exact minimiser."""
    upper = Y[J, high]
    if not loss.kl:
        curvature = 0.0
        for e in range(pairs.starts[J], pairs.starts[J + 1]):
            j = pairs.partners[e]
            d = Y[j, low] - Y[j, high]
            curvature += 2.0 * pairs.N[e] * d * d
        fall = g[J, high] - g[J, low]
        return upper if fall >= upper * curvature else fall / curvature
    lo, hi, t = 0.0, upper, upper
    for _ in range(_MAX_ROOT_STEPS):
        rate, curvature = 0.0, 0.0
        for e in range(pairs.starts[J], pairs.starts[J + 1]):
            j = pairs.partners[e]
            d = Y[j, low] - Y[j, high]
            p = predict(Y, J, j) + t * d
            rate += pairs.N[e] * slope(p, pairs.c[e], loss) * d
            curvature += pairs.N[e] * bend(p, pairs.c[e], loss) * d * d
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
def descend(pairs, loss, state, target, n_steps):
    """Move mass in the column of largest gap, at most n_steps times, until no gap exceeds the target.

    Returns the number of steps. On entry the gradients, gaps and heap must belong to Y; they are kept up to date.
    O(partners (k + log n)) per step.
    """
    Y, g, gaps, heap, place = state
    k = Y.shape[1]
    old = np.empty(k)
    for step in range(n_steps):
        J = heap[0]
        if gaps[J] <= target:
            return step
        low, high = extremes(Y[J], g[J])
        t = exchange(J, low, high, pairs, loss, Y, g)
        old[:] = Y[J]
        Y[J, low] += t
        Y[J, high] = Y[J, high] - t if t < Y[J, high] else 0.0
        for e in range(pairs.starts[J], pairs.starts[J + 1]):
            j = pairs.partners[e]
            before, after = 0.0, 0.0
            for q in range(k):
                before += old[q] * Y[j, q]
                after += Y[J, q] * Y[j, q]
            w_before = pairs.N[e] * slope(before, pairs.c[e], loss)
            w_after = pairs.N[e] * slope(after, pairs.c[e], loss)
            for q in range(k):
                g[j, q] += w_after * Y[J, q] - w_before * old[q]
            gaps[j] = column_gap(Y[j], g[j])
            repair(heap, place, gaps, j)
        column_gradient(J, pairs, loss, Y, g)
        gaps[J] = column_gap(Y[J], g[J])
        repair(heap, place, gaps, J)
    return n_steps
