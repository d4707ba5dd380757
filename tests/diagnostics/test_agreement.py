"""Agreement corrected for chance: the adjusted Rand index, its extension to memberships, and the test of it."""

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from robust_eac import adjusted_agreement, agreement_test

from .. import reference
from ..access import _chance, check_ensemble, encode_ensemble, moments_of_test
from ..conftest import random_ensemble, random_membership


def one_hot(column):
    values, codes = np.unique(column, return_inverse=True)
    return np.eye(len(values))[codes]


def skewness(labels, membership):
    """What the p-values take for the skewness of every partition's statistic."""
    return _chance.skewness(*moments_of_test(encode_ensemble(check_ensemble(labels)), membership))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_hard_agreement_is_scikit_learns_adjusted_rand_index(rng, missing):
    for n in [1, 2, 3, 4, 5, 6, 12, 40]:
        labels = np.column_stack([random_ensemble(rng, n, 6, missing=missing), np.zeros(n, dtype=int), np.arange(n)])
        for consensus in (*labels.T[-2:], rng.randint(3, size=n), rng.randint(n, size=n)):
            agreement = adjusted_agreement(labels, one_hot(consensus))
            for value, column in zip(agreement, labels.T, strict=True):
                seen = column != -1
                tells = 1 < len(np.unique(column[seen])) < np.count_nonzero(seen)
                expected = adjusted_rand_score(column[seen], consensus[seen]) if tells else 0.0
                assert value == pytest.approx(expected, abs=1e-12)


def test_a_consensus_that_treats_all_objects_alike_agrees_with_nothing_to_the_last_digit(rng):
    for n in (*range(20, 30), 100_000):
        labels = np.column_stack([random_partitions(rng, n, 20), np.arange(n)])
        # No partition of a single cluster.
        labels[0] = labels[1] + 1
        assert not adjusted_agreement(labels, np.ones((n, 1))).any()
        test = agreement_test(labels, np.tile(rng.dirichlet(np.ones(4)), (n, 1)))
        assert not test.zscore.any()
        assert np.array_equal(test.pvalue, np.ones(21))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_moments_equal_those_over_all_permutations(rng, missing):
    for n in (1, 2, 3, 4, 5, 6):
        labels = random_ensemble(rng, n, 5, missing=missing)
        k = rng.randint(1, 5)
        for Y in (random_membership(rng, n, k), np.eye(k)[rng.randint(k, size=n)]):
            test = agreement_test(labels, Y)
            skews = skewness(labels, Y)
            for u, column in enumerate(labels.T):
                values = reference.relabelled_agreements(Y, column)
                assert test.statistic[u] == pytest.approx(values[0], rel=1e-12)
                assert test.expected[u] == pytest.approx(values.mean(), rel=1e-12)
                assert test.variance[u] == pytest.approx(values.var(), rel=1e-10, abs=1e-13)
                if values.var() > 1e-9:
                    z = (values - values.mean()) / values.std()
                    assert test.zscore[u] == pytest.approx(z[0], abs=1e-6)
                    assert skews[u] == pytest.approx(max((z**3).mean(), 0.0), abs=1e-5)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_weights_are_repeated_objects(rng, missing):
    for _ in range(5):
        n = 9
        labels, Y = random_ensemble(rng, n, 4, missing=missing), random_membership(rng, n, 3)
        copies = rng.randint(1, 4, size=n)
        index = np.repeat(np.arange(n), copies)
        repeated = agreement_test(labels[index], Y[index])
        # Objects without weight are absent.
        labels, Y = np.concatenate([labels, labels[:2]]), np.concatenate([Y, Y[5:7]])
        found = agreement_test(labels, Y, sample_weight=[*copies, 0, 0])
        for one, other in zip(found, repeated, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_weights_below_one_count_for_their_ratios(rng):
    """They are copies of the lightest object."""
    labels, Y = random_ensemble(rng, 9, 4), random_membership(rng, 9, 3)
    copies = np.r_[1, rng.randint(1, 5, size=8)]
    expected = adjusted_agreement(np.repeat(labels, copies, axis=0), np.repeat(Y, copies, axis=0))
    for scale in (1e-58, 1e-3, 0.05, 1.0 / copies.sum()):
        found = adjusted_agreement(labels, Y, sample_weight=scale * copies)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)
    test = agreement_test(labels, Y, sample_weight=1e58 * (1.0 + copies))
    assert all(np.isfinite(values).all() for values in test)


def random_partitions(rng, n, m, fine=False):
    """Random partitions: 2 to 10 clusters of equal or unequal probability, or tens of them."""
    columns = []
    for u in range(m):
        k = n // 10 if fine else rng.randint(2, 11)
        p = np.ones(k) if fine else np.arange(1.0, k + 1.0) ** -(u % 3)
        columns.append(rng.choice(k, p=p / p.sum(), size=n))
    return np.column_stack(columns)


def exact_moments(sizes, others):
    """Mean, variance and third moment of |S|^2 of two hard partitions, {cluster size: clusters}, in rational numbers.

    From the sums over all objects, with the pairs centred; the mean over permutations of a product of pairs is that of
    its pattern on either side.
    """
    n = sum(count * c for c, count in sizes.items())
    falling = [prod(n - j for j in range(i)) for i in range(7)]
    sides = []
    for side in (sizes, others):
        inside = [sum(count * prod(c - j for j in range(i)) for c, count in side.items()) for i in range(4)]
        mean = Fraction(inside[2], falling[2])
        row = [(c, count, (c - 1) - (n - 1) * mean) for c, count in side.items()]
        # Of a pair in one cluster, and of a pair in two.
        near, far = 1 - mean, -mean
        square, cube = (inside[2] * near**p + (falling[2] - inside[2]) * far**p for p in (2, 3))
        rows2, rows3 = (sum(count * c * r**p for c, count, r in row) for p in (2, 3))
        forks = sum(count * c * r * ((c - 1) * near**2 + (n - c) * far**2) for c, count, r in row)
        total = sum(count * c * r for c, count, r in row)
        chains = near * sum(count * c * (c - 1) * r**2 for c, count, r in row)
        chains += far * (total**2 - sum(count * (c * r) ** 2 for c, count, r in row))
        two = sum(count * c * (c - 1) * (n - c) for c, count in side.items())
        triangles = inside[3] * near**3 + 3 * two * near * far**2 + (falling[3] - inside[3] - 3 * two) * far**3
        sides.append((square, rows2, [
            cube, forks - cube, triangles, 2 * cube - 4 * forks, chains - 2 * forks + cube - triangles,
            rows3 - 3 * forks + 2 * cube, 2 * triangles - 2 * rows3 - 4 * chains + 10 * forks - 4 * cube,
        ]))  # fmt: skip
    (square_a, rows_a, a), (square_b, rows_b, b) = sides
    pairs = [sum(count * c * (c - 1) for c, count in side.items()) for side in (sizes, others)]
    expected = n + Fraction(prod(pairs), falling[2])
    variance = (
        Fraction(2) * square_a * square_b / falling[2]
        + Fraction(4) * (rows_a - square_a) * (rows_b - square_b) / falling[3]
        + Fraction(4) * (square_a - 2 * rows_a) * (square_b - 2 * rows_b) / falling[4]
    )
    ways = (4, 24, 8, 6, 24, 8, 12)
    for graphs in (a, b):
        graphs.append(-sum(way * value for way, value in zip(ways, graphs, strict=True)))
    third = sum(
        way * of_a * of_b / falling[size]
        for way, of_a, of_b, size in zip((*ways, 1), a, b, (2, 3, 3, 4, 4, 4, 5, 6), strict=True)
    )
    return expected, variance, third


SIZES = {
    "ten": {100_000: 10},
    "halves": {500_000: 2},
    "one apart": {999_999: 1, 1: 1},
    "two apart": {999_998: 1, 2: 1},
    "thousand": {1000: 999, 900: 1, 100: 1},
    "pairs": {2: 500_000},
    "half and pairs": {500_000: 1, 2: 250_000},
    "halving": {2**i: 1 for i in range(19)} | {1_000_000 - 2**19 + 1: 1},
}


@pytest.mark.parametrize("second", SIZES)
@pytest.mark.parametrize("first", ["ten", "halves", "one apart", "two apart", "halving"])
def test_a_million_objects_lose_no_digits(first, second):
    def side(sizes):
        sizes = np.repeat(np.array(list(sizes), dtype=float), list(sizes.values()))
        deviation = sizes - sizes @ sizes / sizes.sum()
        sums = (sizes @ sizes, sizes @ deviation**2, sizes @ deviation**3)
        return _chance.hard_moments(np.array(sizes.sum()), *map(np.array, sums))

    expected, variance, third = exact_moments(SIZES[first], SIZES[second])
    a, b = side(SIZES[first]), side(SIZES[second])
    assert _chance.expected(a, b) == pytest.approx(float(expected), rel=1e-14)
    assert _chance.variance(a, b) == pytest.approx(float(variance), rel=1e-7, abs=1e-6)
    if variance > 0:
        skew = float(third) / float(variance) ** 1.5
        assert _chance.skewness(a, b) == pytest.approx(max(skew, 0.0), rel=1e-6, abs=1e-4)
