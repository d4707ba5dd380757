"""Distribution of |S_u|^2, the agreement of a consensus with a partition, when objects are permuted at random.

|S|^2 = |Y X'|^2 = sum_ij (y_i'y_j) (x_i'x_j) over all ordered pairs, including i = j. Under permutations of one side's
objects it is a quadratic assignment statistic: its moments are exact sums over single objects, pairs, and pairs and
triples of pairs. They depend on either side only through its :class:`PairSums`, or :class:`PairMoments`.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import pearson3

# Differences below this share of the larger number are rounding errors.
ROUNDING_SHARE = 1e-13
# In a sum over n objects, differences below n times this share of it are rounding errors, too.
_EPSILON = np.finfo(float).eps
# If memberships differ by less than the square root of this, too few digits remain.
_ALIKE = 1e-12
# Number of orders and directions of three pairs, for each of the graphs that they can form; see _graphs.
_WAYS = (4, 24, 8, 6, 24, 8, 12, 1)


class PairSums(NamedTuple):
    """Sums over a membership matrix of columns x_i, for the mean of |S|^2; numbers, or arrays of one shape.

    They are centred, so that memberships that hardly differ keep their digits. With A_ij = x_i'x_j:

    n : weight of the objects.
    singles : weight of the pairs (i, i); n times the weight of a copy of an object.
    level : mean of the A_ij over all pairs.
    excess : sum of A_ii - level over the pairs (i, i).
    scatter : sum of (A_ij - level)^2 over all pairs.
    """

    n: np.ndarray
    singles: np.ndarray
    level: np.ndarray
    excess: np.ndarray
    scatter: np.ndarray

    @property
    def own(self):
        """Sum of the A_ii over the pairs (i, i)."""
        return self.singles * self.level + self.excess

    @property
    def pairs(self):
        """Sum of the A_ij over i != j."""
        return (self.n**2 - self.singles) * self.level - self.excess

    @property
    def square(self):
        """|X'X|^2 over all ordered pairs: |S|^2 if both sides agree."""
        return (self.n * self.level) ** 2 + self.scatter


class PairMoments(NamedTuple):
    """A :class:`PairSums` with the sums for variance and skewness; weights are numbers of objects.

    The sums are centred: the A_ij, i != j, less their mean, and the A_ii less theirs. With A_i = sum_{j != i} A_ij and
    B_i = sum_{j != i} A_ij^2:

    own_spread : sum_i A_ii^2.
    mixed : sum_i A_ii A_i.
    spread, cubes : sums over i != j of A_ij^2 and A_ij^3.
    rows2, rows3 : sum_i A_i^2 and A_i^3.
    forks : sum_i A_i B_i.
    chains : sum over i != j of A_i A_ij A_j.
    triangles : sum over distinct i, j, l of A_ij A_jl A_li.
    """

    n: np.ndarray
    singles: np.ndarray
    level: np.ndarray
    excess: np.ndarray
    scatter: np.ndarray
    own_spread: np.ndarray
    mixed: np.ndarray
    spread: np.ndarray
    cubes: np.ndarray
    rows2: np.ndarray
    rows3: np.ndarray
    forks: np.ndarray
    chains: np.ndarray
    triangles: np.ndarray

    # Properties, not fields.
    own, pairs, square = PairSums.own, PairSums.pairs, PairSums.square  # type: ignore[misc]


def hard_sums(n, singles, power2):
    """PairSums of a hard partition from n, the weight of its pairs (i, i) and the sum of its squared cluster sizes."""
    return pair_sums(n, singles, singles, power2, power2)


def pair_sums(n, singles, own, everything, square):
    """PairSums from the sums of A_ii over the pairs (i, i), and of A_ij and its square over all pairs."""
    level = everything / n**2
    return PairSums(n + 0.0, singles + 0.0, level, own - singles * level, np.maximum(square - (n * level) ** 2, 0.0))


def hard_moments(n, power2, rows2, rows3):
    """The :class:`PairMoments` of a hard partition, from three sums over the cluster sizes n_c.

    With their mean over the objects, t = sum_c n_c^2 / n:  power2 = sum_c n_c^2,  rows2 = sum_c n_c (n_c - t)^2  and
    rows3 = sum_c n_c (n_c - t)^3. The other sums follow, since A_ij is 0 or 1.
    """
    side = hard_sums(n, n, power2)
    n_pairs = np.maximum(n * (n - 1.0), 1.0)
    share = side.pairs / n_pairs
    rest = (n * (n - 1.0) - side.pairs) / n_pairs
    spread = side.pairs * rest
    return PairMoments(
        *side,
        own_spread=np.zeros_like(n),
        mixed=np.zeros_like(n),
        spread=spread,
        cubes=spread * (rest - share),
        rows2=rows2,
        rows3=rows3,
        forks=rows2 * (rest - share),
        chains=rows3 + (power2 / n - rest) * rows2,
        triangles=(rest - 2.0 * share) * rows2 + spread * (share * (n + 1.0) - 1.0),
    )


def centre(X, weight):
    """(mean of the rows, rows minus the mean); centred twice, since the first mean is rounded."""
    mean = weight @ X / weight.sum()
    centred = X - mean
    rest = weight @ centred / weight.sum()
    centred -= rest
    return mean + rest, centred


def soft_sums(mean, centred, weight, self_pairs):
    """PairSums of memberships, given by :func:`centre`, and of weights of the rows and of their pairs (i, i)."""
    along = centred @ mean
    scatter = (centred.T * weight) @ centred
    excess = self_pairs @ (2.0 * along + np.einsum("ic,ic->i", centred, centred))
    n = weight.sum()
    return PairSums(n, self_pairs.sum(), mean @ mean, excess, 2.0 * n * (weight @ along**2) + np.sum(scatter**2))


def soft_moments(X, weight):
    """The :class:`PairMoments` of a membership matrix; O(n_rows k^3)."""
    mean, centred = centre(X, weight)
    side = soft_sums(mean, centred, weight, weight)
    n = side.n
    n_pairs = max(side.n * (side.n - 1.0), 1.0)
    v = weight @ X
    H = (X.T * weight) @ X
    squares = np.einsum("ic,ic->i", X, X)
    rows = X @ v - squares
    squares_by_row = np.einsum("ic,ic->i", X @ H, X)
    share = side.pairs / n_pairs
    pairs2 = np.sum(H**2) - weight @ squares**2
    scatter = (centred.T * weight) @ centred
    excess = np.einsum("ic,ic->i", centred, centred) + 2.0 * centred @ mean
    surplus = excess - weight @ excess / n
    deviation = centred @ v - surplus
    spread = (
        np.sum(scatter**2) + 2.0 * n * mean @ scatter @ mean - weight @ excess**2 - (weight @ excess) ** 2 / n_pairs
    )
    forks = squares_by_row - squares**2 - 2.0 * share * rows
    pulled = (weight * deviation) @ X
    rows2 = weight @ deviation**2
    cubes = sum(np.sum(((X.T * (weight * x)) @ X) ** 2) for x in X.T) - weight @ squares**3
    triangles = np.sum((H @ H) * H) - weight @ (squares * (3.0 * squares_by_row - 2.0 * squares**2))
    open_ends = weight @ rows**2 - pairs2
    return PairMoments(
        *side,
        own_spread=weight @ surplus**2,
        mixed=weight @ (surplus * deviation),
        spread=spread,
        cubes=cubes - 3.0 * share * pairs2 + 2.0 * share**2 * side.pairs,
        rows2=rows2,
        rows3=weight @ deviation**3,
        forks=weight @ ((forks - weight @ forks / n) * deviation),
        chains=pulled @ pulled - weight @ (deviation**2 * squares) + share * rows2,
        triangles=triangles - 3.0 * share * open_ends + 2.0 * share**2 * (n - 2.0) * side.pairs,
    )


def stack_sums(sides, index):
    """Sums as arrays from a list of sums as numbers, in the order of an index into the list."""
    return type(sides[0])(*(np.array(values)[index] for values in zip(*sides, strict=True)))


def expected(a, b):
    """Mean of |S|^2 over all permutations of the objects."""
    return (a.n * a.level) * (b.n * b.level) + _of_self_pairs(a, b)


def _of_self_pairs(a, b):
    """Mean of |S|^2 minus n^2 times both levels: a permutation maps pairs (i, i) to pairs (i, i)."""
    different = b.n**2 - b.singles
    # A single object has no other pairs, and no excess.
    return a.excess * (b.excess / b.singles + b.excess / np.where(different > 0.0, different, 1.0))


def lift(shared, a, b):
    """|S|^2 - E, where `shared` is |S|^2 minus n^2 times both levels."""
    return shared - _of_self_pairs(a, b)


def half_expected_loss(a, b):
    """(|Y'Y|^2 + |X'X|^2)/2 - E = E[d]/2."""
    return 0.5 * ((b.n * (a.level - b.level)) ** 2 + a.scatter + b.scatter) - _of_self_pairs(a, b)


def share_of_pairs(side):
    """Mean of the A_ij over i != j; for a single object, which has no such pairs, A_ii."""
    different = side.n**2 - side.singles
    return side.level - side.excess / np.where(different > 0.0, different, 1.0)


def variance(a, b):
    """Variance of |S|^2 over all permutations of the objects: Mantel's, and the terms of the pairs (i, i)."""
    n, n1, n2, n3 = (np.maximum(a.n - j, 1.0) for j in range(4))
    # Sums over more objects than exist are zero.
    same = 2.0 * (a.spread / n) * (b.spread / n1)
    shared = 4.0 * ((a.rows2 - a.spread) / (n * n1)) * ((b.rows2 - b.spread) / n2)
    apart = 4.0 * ((a.spread - 2.0 * a.rows2) / (n * n1)) * ((b.spread - 2.0 * b.rows2) / (n2 * n3))
    mixed = a.mixed * b.mixed
    both = np.where(n > 2.0, 2.0 * mixed / (n1 * n2), 2.0 * mixed / (n * n1))
    # Each side's sums are bounded by its own spread: rounding errors inside a term are relative to these terms.
    terms = np.array([same, shared, apart, a.own_spread * b.own_spread / n1, 2.0 * both])
    total = terms.sum(axis=0)
    size = np.abs(terms).sum(axis=0)
    varies = (total > (ROUNDING_SHARE + _EPSILON * n) * size) & is_informative(a) & is_informative(b)
    return np.where(varies, total, 0.0)


def skewness(a, b):
    """Skewness of |S|^2 over all permutations, never below 0; exact if a side is hard, else up to O(1/n).

    The third moment is a sum over triples of pairs, grouped by the graph that they form: for each graph, the product of
    the sums of both sides, times the number of orders and directions of the three pairs.
    """
    graphs = zip(_graphs(a), _graphs(b), _WAYS, (2, 3, 3, 4, 4, 4, 5, 6), strict=True)
    third = 0.0
    for of_a, of_b, ways, n_objects in graphs:
        # Two factors at a time: the product of both sums could overflow.
        for j in range(n_objects):
            left = np.maximum(a.n - j, 1.0)
            of_a, of_b = (of_a, of_b / left) if j % 2 else (of_a / left, of_b)
        third = third + ways * of_a * of_b
    second = variance(a, b)
    some = second > 0.0
    return np.where(some, np.maximum(third, 0.0) / np.where(some, second, 1.0) ** 1.5, 0.0)


def _graphs(side):
    """Centred sums over triples of pairs of distinct objects, by the graph that they form.

    The same pair three times; a pair twice and one that shares an object; a triangle; a pair twice and one disjoint; a
    path; a star; two pairs that share an object and one disjoint; three disjoint pairs.
    """
    cubes = side.cubes
    rows3 = side.rows3
    forks = side.forks
    chains = side.chains
    triangles = side.triangles
    sums = [
        cubes,
        forks - cubes,
        triangles,
        2.0 * cubes - 4.0 * forks,
        chains - 2.0 * forks + cubes - triangles,
        rows3 - 3.0 * forks + 2.0 * cubes,
        2.0 * triangles - 2.0 * rows3 - 4.0 * chains + 10.0 * forks - 4.0 * cubes,
    ]
    # The sum over all triples is the cube of the sum over all pairs, which is zero.
    return [*sums, -sum(ways * value for ways, value in zip(_WAYS, sums, strict=False))]


def adjusted(lift, a, b):
    """(|S|^2 - E) / ((|Y'Y|^2 + |X'X|^2)/2 - E): 1 for equal partitions, 0 on average under random permutation."""
    informative = is_informative(b)
    some = informative & (np.abs(lift) > ROUNDING_SHARE * np.sqrt(a.square * b.scatter))
    return np.minimum(np.where(some, lift, 0.0) / np.where(informative, half_expected_loss(a, b), 1.0), 1.0)


def is_informative(side):
    """Whether a permutation changes the co-associations: not for one cluster, single objects, or equal memberships."""
    return side.scatter - _of_self_pairs(side, side) > _ALIKE * side.square


def significance(square_S, a, b):
    """(z-score, p-value) of |S|^2: the probability of at least this agreement, by a Pearson type III distribution."""
    # The distribution is skewed: by a normal tail, p-values below 1e-4 would be 27 times as frequent among random
    # partitions of 100 objects, and link partitions that agree by chance.
    mean = expected(a, b)
    spread = variance(a, b)
    varies = spread > (ROUNDING_SHARE * mean) ** 2
    zscore = np.where(varies, (square_S - mean) / np.sqrt(np.where(varies, spread, 1.0)), 0.0)
    return zscore, np.where(varies, pearson3.sf(zscore, np.where(varies, skewness(a, b), 0.0)), 1.0)
