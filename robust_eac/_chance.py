"""How |S_u|^2, the agreement of a consensus with a partition, is distributed if the objects are relabelled at random.

|S|^2 = |Y X'|^2 = sum_ij (y_i'y_j) (x_i'x_j) over all ordered pairs, i = j among them. Permuting the objects of a side
makes it a quadratic assignment statistic: its mean and variance are exact sums over single objects, pairs, and pairs of
pairs. All that they need of either side are the eleven numbers of a :class:`Side`.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import pearson3

# Share of the larger of two numbers that rounding can leave of their difference.
_ROUNDING = 1e-13


class Side(NamedTuple):
    """What the distribution needs of one side, a membership matrix of columns x_i; numbers, or arrays of one shape.

    With v = sum_i x_i, H = sum_i x_i x_i', r_i = x_i'(v - x_i) and Sigma = H - v v'/n:

    n : weight of the objects.
    own, own2 : sum_i |x_i|^2 and sum_i |x_i|^4.
    pairs, pairs2 : sums over i != j of x_i'x_j and of its square.
    rows2, mixed : sum_i r_i^2 and sum_i |x_i|^2 r_i.
    spread2, spread3 : traces of Sigma^2 and Sigma^3.
    pull, pull2 : v'Sigma v and v'Sigma^2 v.
    """

    n: np.ndarray
    own: np.ndarray
    own2: np.ndarray
    pairs: np.ndarray
    pairs2: np.ndarray
    rows2: np.ndarray
    mixed: np.ndarray
    spread2: np.ndarray
    spread3: np.ndarray
    pull: np.ndarray
    pull2: np.ndarray

    @property
    def square(self):
        """|X'X|^2 over all ordered pairs, which is what |S|^2 becomes where both sides agree."""
        return self.own2 + self.pairs2


def hard_side(n, power2, power3, power4):
    """Side of a partition from n and the sums of the second, third and fourth powers of its cluster sizes."""
    return Side(
        n=n,
        own=n.copy(),
        own2=n.copy(),
        pairs=power2 - n,
        pairs2=power2 - n,
        rows2=power3 - 2.0 * power2 + n,
        mixed=power2 - n,
        spread2=power2 - 2.0 * power3 / n + (power2 / n) ** 2,
        spread3=power3 - 3.0 * power4 / n + 3.0 * power3 * power2 / n**2 - (power2 / n) ** 3,
        pull=power3 - power2**2 / n,
        pull2=power4 - 2.0 * power3 * power2 / n + power2**3 / n**2,
    )


def soft_side(X, weight):
    """Side of a membership matrix X' of shape (n_rows, k), whose rows stand for `weight` objects each."""
    squares = np.einsum("ic,ic->i", X, X)
    n, v = weight.sum(), weight @ X
    H = (X.T * weight) @ X
    tilt = v @ ((weight * squares) @ X)
    own, own2 = weight @ squares, weight @ squares**2
    sigma = H - np.outer(v, v) / n
    pulled = sigma @ v
    return Side(
        n=n,
        own=own,
        own2=own2,
        pairs=v @ v - own,
        pairs2=np.sum(H**2) - own2,
        rows2=v @ H @ v - 2.0 * tilt + own2,
        mixed=tilt - own2,
        spread2=np.sum(sigma**2),
        spread3=np.sum((sigma @ sigma) * sigma),
        pull=v @ pulled,
        pull2=pulled @ pulled,
    )


def stack(sides):
    """One Side of arrays from several Sides of numbers."""
    return Side(*(np.array(values) for values in zip(*sides, strict=True)))


def expected(a, b):
    """Mean of |S|^2 over all relabellings of the objects."""
    n = a.n
    return a.own * b.own / n + a.pairs * b.pairs / np.maximum(n * (n - 1.0), 1.0)


def variance(a, b):
    """Variance of |S|^2 over all relabellings of the objects: Mantel's, and the terms of the pairs (i, i)."""
    n = a.n
    # Sums of fewer objects than their denominators ask for are empty: 0 over anything.
    n1, n2, n3 = (np.maximum(n - j, 1.0) for j in (1, 2, 3))
    centred = []
    for side in (a, b):
        pairs2 = side.pairs2 - side.pairs**2 / (n * n1)
        rows2 = side.rows2 - side.pairs**2 / n
        centred.append((side.own2 - side.own**2 / n, side.mixed - side.own * side.pairs / n, pairs2, rows2))
    (own_a, mixed_a, pairs_a, rows_a), (own_b, mixed_b, pairs_b, rows_b) = centred
    same = 2.0 * pairs_a * pairs_b / (n * n1)
    shared = 4.0 * (rows_a - pairs_a) * (rows_b - pairs_b) / (n * n1 * n2)
    apart = 4.0 * (pairs_a - 2.0 * rows_a) * (pairs_b - 2.0 * rows_b) / (n * n1 * n2 * n3)
    off_diagonal = same + np.where(n > 2.0, shared, 0.0) + np.where(n > 3.0, apart, 0.0)
    diagonal = own_a * own_b / n1
    both = np.where(n > 2.0, 2.0 * mixed_a * mixed_b / (n1 * n2), 2.0 * mixed_a * mixed_b / (n * n1))
    return np.maximum(off_diagonal + diagonal + 2.0 * both, 0.0)


def skewness(a, b):
    """Skewness of |S|^2 in the limit of many objects, where S is normal with its exact mean and covariance.

    |S|^2 is then a quadratic form with the cumulants 2^(r-1) (r-1)! (tr C^r + r mu'C^(r-1) mu), where mu = v_a v_b'/n
    and C is the Kronecker product of both Sigma over n - 1.
    """
    n, n1 = a.n, np.maximum(a.n - 1.0, 1.0)
    second = 2.0 * (a.spread2 * b.spread2 / n1**2 + 2.0 * a.pull * b.pull / (n**2 * n1))
    third = 8.0 * (a.spread3 * b.spread3 / n1**3 + 3.0 * a.pull2 * b.pull2 / (n**2 * n1**2))
    some = second > 0.0
    return np.where(some, third / np.where(some, second, 1.0) ** 1.5, 0.0)


def adjusted(square_S, a, b):
    """(|S|^2 - E) / ((|Y'Y|^2 + |X'X|^2)/2 - E): 1 where both sides agree, 0 on average under random relabelling."""
    mean = expected(a, b)
    most = 0.5 * (a.square + b.square)
    room = most - mean
    # No room between the mean and the most: both sides put all objects together, or all apart.
    trivial = room <= _ROUNDING * most
    return np.where(trivial, 1.0, (square_S - mean) / np.where(trivial, 1.0, room))


def significance(square_S, a, b):
    """(z-score, p-value) of |S|^2: probability of as much or more agreement, by the Pearson type III distribution."""
    mean, spread = expected(a, b), variance(a, b)
    varies = spread > (_ROUNDING * mean) ** 2
    zscore = np.where(varies, (square_S - mean) / np.sqrt(np.where(varies, spread, 1.0)), 0.0)
    return zscore, np.where(varies, pearson3.sf(zscore, skewness(a, b)), 1.0)
