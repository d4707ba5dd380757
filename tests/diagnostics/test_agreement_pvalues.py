"""The p-values of agreement: where nothing varies, of few objects, and of random partitions."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robust_eac import agreement_test, certify

from .. import reference
from ..access import _chance, check_ensemble, encode_ensemble, moments_of_test
from ..conftest import random_ensemble, random_membership
from .test_agreement import one_hot


def cluster_sizes(n, largest=None):
    """All ways to split n objects into clusters, as lists of falling sizes."""
    largest = largest or n
    return [[]] if n == 0 else [
        [size, *rest] for size in range(min(n, largest), 0, -1) for rest in cluster_sizes(n - size, size)
    ]  # fmt: skip


def column_of(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def exact_variance(sizes, others):
    """Variance of |S|^2 of two hard partitions, in rational numbers, from the sums over all pairs, centred."""
    n, sides = sum(sizes), []
    two, three, four = n * (n - 1), n * (n - 1) * (n - 2), n * (n - 1) * (n - 2) * (n - 3)
    for side in (sizes, others):
        inside = sum(c * (c - 1) for c in side)
        mean = Fraction(inside, two)
        # Of a pair in one cluster, and of a pair in two.
        square = inside * (1 - mean) ** 2 + (two - inside) * mean**2
        sides.append((square, sum(c * ((c - 1) - (n - 1) * mean) ** 2 for c in side)))
    (square, rows), (other_square, other_rows) = sides
    return (
        2 * square * other_square / two
        + 4 * (rows - square) * (other_rows - other_square) / three
        + 4 * (square - 2 * rows) * (other_square - 2 * other_rows) / four
    )


def assert_varies(test, u, variance):
    """Of the exact variance, and certain of nothing if this is zero."""
    # What varies little is a difference of terms up to n times as large.
    assert test.variance[u] == pytest.approx(float(variance), rel=1e-8, abs=0.0)
    if variance == 0:
        assert (test.zscore[u], test.pvalue[u]) == (0.0, 1.0)


@pytest.mark.parametrize("n", [6, 9])
def test_variance_of_all_cluster_sizes_is_exact_and_zero_where_nothing_varies(n):
    every = cluster_sizes(n)
    columns = [column_of(sizes) for sizes in every]
    for sizes, consensus in zip(every, columns, strict=True):
        variances = [exact_variance(sizes, others) for others in every]
        test = agreement_test(np.column_stack(columns), one_hot(consensus))
        for u, variance in enumerate(variances):
            assert_varies(test, u, variance)


@pytest.mark.parametrize("swap", [False, True])
def test_equal_clusters_beside_one_singled_out_object(swap):
    numbers = [*range(6, 31), 200, 1200, 10_000]
    for n, k in [(a, b) for a in numbers for b in range(2, min(a, 9)) if a % b == 0]:
        equal, lone = [n // k] * k, [n - 1, 1]
        other = [n // k + 1, n // k - 1, *equal[2:]]
        first, rest = (equal, [lone, other]) if not swap else (lone, [equal, other])
        # Sums round most where the single object comes amid the others.
        labels = np.roll(np.column_stack([column_of(sizes) for sizes in rest]), n // 3, axis=0)
        consensus = one_hot(np.roll(column_of(first), n // 3))
        test = agreement_test(labels, consensus)
        for u, sizes in enumerate(rest):
            assert_varies(test, u, exact_variance(first, sizes))
        if swap:
            assert test.variance[1] > 0.0


@pytest.mark.parametrize("row", [(0.75, 0.25), (0.625, 0.25, 0.125), (0.5, 0.25, 0.25, 0.0)])
def test_a_soft_consensus_beside_one_singled_out_object(rng, row):
    for repeats in (*range(1, 6), 300):
        # Every row moved around: all objects together belong to every cluster alike.
        Y = np.array([np.roll(row, j) for j in range(len(row))] * repeats)
        labels = (np.arange(len(Y)) == rng.randint(len(Y))).astype(int)[:, np.newaxis]
        assert_varies(agreement_test(labels, Y), 0, 0)
        Y[0, :2] = Y[0, 1::-1]
        # |S|^2 is a constant less twice the sum of y_i'y_j over the j != i, i being the object singled out.
        alone = ((Y.sum(axis=0) - Y) * Y).sum(axis=1)
        assert_varies(agreement_test(labels, Y), 0, 4.0 * np.var(alone))


def exact_pvalue(membership, column):
    values = reference.relabelled_agreements(membership, column)
    return np.mean(values >= values[0] - 1e-10)


def test_few_objects_have_the_p_value_of_all_permutations(rng, missing):
    for n in (1, 2, 3, 4, 5, 6, 6, 6, 7, 8):
        labels, k = random_ensemble(rng, n, 6 if n < 8 else 3, missing=missing), rng.randint(1, 5)
        for Y in (random_membership(rng, n, k), np.eye(k)[rng.randint(k, size=n)]):
            expected = [exact_pvalue(Y, column) for column in labels.T]
            assert_allclose(agreement_test(labels, Y).pvalue, expected, rtol=1e-12)
            assert_allclose(certify(labels, Y).trust.pvalue, expected, rtol=1e-12)


@pytest.mark.parametrize("shares", [(1.0,), (0.1, 0.2, 0.7)])
def test_equal_agreement_is_as_much_in_spite_of_rounding(rng, shares):
    # Sums of 0.1, 0.2 and 0.7 in another order differ in their last digits.
    for sizes, others, expected in (([3, 3], [3, 2, 1], 0.1), ([3, 2, 1], [3, 1, 1, 1], 0.05), ([5, 1], [3, 3], 1.0)):
        one = one_hot(column_of(sizes))
        Y = np.concatenate([share * one for share in shares], axis=1)
        for _ in range(10):
            order, clusters = rng.permutation(6), rng.permutation(Y.shape[1])
            labels = column_of(others)[order][:, np.newaxis]
            assert agreement_test(labels, Y[order][:, clusters]).pvalue[0] == pytest.approx(expected, rel=1e-12)


def test_few_objects_by_weights_and_beyond_few(rng):
    labels, Y = random_ensemble(rng, 4, 5), random_membership(rng, 4, 3)
    repeated = np.array([0, 0, 0, 1, 3, 3])
    expected = [exact_pvalue(Y[repeated], column[repeated]) for column in labels.T]
    test = agreement_test(labels, Y, sample_weight=[3, 1, 0, 2])
    assert_allclose(test.pvalue, expected, rtol=1e-12)
    # Parts of objects cannot be permuted.
    weight = np.array([2.5, 1.0, 0.0, 2.5])
    parts = agreement_test(labels, Y, sample_weight=weight)
    sides = moments_of_test(encode_ensemble(check_ensemble(labels), weight), Y)
    assert_allclose(parts.pvalue, _chance.significance(parts.statistic, *sides)[1], rtol=1e-12)
    with pytest.raises(ValueError, match="number of objects"):
        agreement_test(labels, Y, sample_weight=[2.0, 0.5, 0.0, 0.0])
    # Nine objects are approximated, the first eight of them are not.
    column = column_of([3, 3, 3])
    nine = agreement_test(np.column_stack([column, np.append(column[:8], -1)]), one_hot(column))
    assert nine.pvalue[1] == pytest.approx(1 / 280, rel=1e-12)
    assert nine.pvalue[0] != pytest.approx(1 / 280, rel=1e-3)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("n", [6, 9, 100])
def test_random_partitions_with_random_cluster_sizes_are_seldom_significant(rng, n, soft):
    def column():
        k = rng.randint(2, min(n, 10) + 1)
        return rng.choice(k, p=rng.dirichlet(np.ones(k)), size=n)

    pvalues = []
    for _ in range(30):
        Y = random_membership(rng, n, rng.randint(2, min(n, 10) + 1)) if soft else one_hot(column())
        pvalues.append(agreement_test(np.column_stack([column() for _ in range(100)]), Y).pvalue)
    pvalues = np.sort(np.concatenate(pvalues))
    for level in (0.05, 0.01, 0.001):
        assert np.mean(pvalues <= level) <= 1.5 * level + 0.006
    assert np.max(np.arange(1, len(pvalues) + 1) / len(pvalues) - pvalues) <= 0.06
    if n >= 9:
        assert np.mean(pvalues <= 0.05) >= 0.025
    elif not soft:
        # Of the sizes of clusters of six objects, 3, 2 and 1 can be arranged in the most ways: 60.
        assert pvalues[0] >= 1 / 60
