"""The p-values of agreement where nothing varies."""

from fractions import Fraction

import numpy as np
import pytest

from robust_eac import agreement_test

from .test_agreement import exact_moments, one_hot


def cluster_sizes(n, largest=None):
    """All ways to split n objects into clusters, as lists of falling sizes."""
    largest = largest or n
    return [[]] if n == 0 else [
        [size, *rest] for size in range(min(n, largest), 0, -1) for rest in cluster_sizes(n - size, size)
    ]  # fmt: skip


def column_of(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def exact_variance(sizes, others):
    return exact_moments(*({c: list(side).count(c) for c in side} for side in (sizes, others)))[1]


def assert_varies(test, u, variance):
    """Of the exact variance, and certain of nothing if this is zero."""
    # What varies little is a difference of terms up to n times as large.
    assert test.variance[u] == pytest.approx(float(variance), rel=1e-8, abs=0.0)
    if variance == 0:
        assert (test.zscore[u], test.pvalue[u]) == (0.0, 1.0)


@pytest.mark.parametrize("n", [6, 7, 9])
def test_variance_of_all_cluster_sizes_is_exact_and_zero_where_nothing_varies(n):
    every = cluster_sizes(n)
    columns = [column_of(sizes) for sizes in every]
    for sizes, consensus in zip(every, columns, strict=True):
        variances = [exact_variance(sizes, others) for others in every]
        for labels in (np.column_stack(columns), [one_hot(column) for column in columns]):
            test = agreement_test(labels, one_hot(consensus))
            for u, variance in enumerate(variances):
                assert_varies(test, u, variance)


@pytest.mark.parametrize("swap", [False, True])
def test_equal_clusters_beside_one_singled_out_object(swap):
    numbers = [*range(6, 61), 200, 1200, 10_000]
    for n, k in [(a, b) for a in numbers for b in range(2, min(a, 9)) if a % b == 0]:
        equal, lone = [n // k] * k, [n - 1, 1]
        other = [n // k + 1, n // k - 1, *equal[2:]]
        first, rest = (equal, [lone, other]) if not swap else (lone, [equal, other])
        # Sums round most where the single object comes amid the others.
        labels = np.roll(np.column_stack([column_of(sizes) for sizes in rest]), n // 3, axis=0)
        consensus = one_hot(np.roll(column_of(first), n // 3))
        for ensemble in (labels, [one_hot(column) for column in labels.T]):
            test = agreement_test(ensemble, consensus)
            for u, sizes in enumerate(rest):
                assert_varies(test, u, exact_variance(first, sizes))
            if swap:
                assert test.variance[1] > 0.0


def relabelled_variance(membership, lone):
    """Variance of |S|^2, of the floats taken as rational numbers, if the partition only singles out one object.

    Then |S|^2 is a constant less twice the sum of y_i'y_j over the j != i, i being the object singled out.
    """
    rows = [[Fraction(value) for value in row] for row in membership]
    total = [sum(values) for values in zip(*rows, strict=True)]
    alone = [sum(y * (v - y) for y, v in zip(row, total, strict=True)) for row in rows]
    mean = sum(alone) / len(alone)
    assert np.bincount(lone).min() == 1
    return 4 * sum((value - mean) ** 2 for value in alone) / len(alone)


@pytest.mark.parametrize("row", [(0.75, 0.25), (0.625, 0.25, 0.125), (0.5, 0.25, 0.25, 0.0)])
def test_a_soft_consensus_beside_one_singled_out_object(rng, row):
    for repeats in (*range(1, 8), 100, 1000):
        # Every row moved around: all objects together belong to every cluster alike.
        Y = np.array([np.roll(row, j) for j in range(len(row))] * repeats)
        n = len(Y)
        lone = np.arange(n) == rng.randint(n)
        for labels in (lone[:, np.newaxis].astype(int), [one_hot(lone)]):
            assert relabelled_variance(Y, lone) == 0
            assert_varies(agreement_test(labels, Y), 0, 0)
            moved = Y.copy()
            moved[0, :2] = moved[0, 1::-1]
            test = agreement_test(labels, moved)
            assert_varies(test, 0, relabelled_variance(moved, lone))
