"""Agreement corrected for chance: the adjusted Rand index, its extension to memberships, and the test of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
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
            assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_weights_below_one_count_for_their_ratios(rng):
    """They are copies of the lightest object."""
    labels, Y = random_ensemble(rng, 9, 4), random_membership(rng, 9, 3)
    copies = np.r_[1, rng.randint(1, 5, size=8)]
    expected = adjusted_agreement(np.repeat(labels, copies, axis=0), np.repeat(Y, copies, axis=0))
    for scale in (1e-58, 1e-3, 0.05, 1.0 / copies.sum()):
        found = adjusted_agreement(labels, Y, sample_weight=scale * copies)
        assert_allclose(found, expected, rtol=1e-10, atol=1e-13)
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
