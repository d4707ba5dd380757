"""Trust: weights from agreement beyond chance, the group that agrees with itself, and the solver that uses both."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

from robust_eac import agreement_test, chance_corrected_weights, corrupt_ensemble, trusted_group_weights

from ..access import _chance, check_ensemble, encode, encode_ensemble, pairs_of, sample_columns
from ..conftest import planted_ensemble, random_ensemble
from ..diagnostics.test_agreement import one_hot, random_partitions

TRUTH = np.repeat([0, 1, 2], [30, 40, 50])


def weights_by_loop(losses, expected, share):
    """The definition, number by number."""
    agreements = [1.0 - loss / mean for loss, mean in zip(losses, expected, strict=True)]
    positive = [a for a in agreements if a > 0.0]
    if not positive:
        return [1.0 / len(losses)] * len(losses)
    mean = sum(a * a for a in positive) / sum(positive)
    trusted = [a > 0.0 and a >= share * mean for a in agreements]
    return [one / sum(trusted) for one in trusted]


def test_weights_are_the_definition(rng):
    for _ in range(50):
        m = rng.randint(1, 12)
        expected, share = rng.uniform(0.5, 2.0, size=m), rng.uniform()
        losses = expected * rng.uniform(0.0, 1.4, size=m) * (rng.uniform(size=m) < 0.9)
        weights = chance_corrected_weights(losses, expected=expected, share=share)
        assert_allclose(weights, weights_by_loop(losses, expected, share), rtol=1e-14)
        same = chance_corrected_weights(losses, expected=1.5, share=share)
        assert_allclose(same, weights_by_loop(losses, [1.5] * m, share), rtol=1e-14)
        own = chance_corrected_weights(losses, share=share)
        assert_allclose(own, weights_by_loop(losses, [losses.max() or 1.0] * m, share), rtol=1e-14)


@pytest.mark.parametrize(
    ("losses", "options", "expected"),
    [
        ([2.0, 5.0], {"expected": 1.0}, [0.5, 0.5]),
        ([0.3 * 2.0**900, 0.9 * 2.0**900, 2.0**900], {"expected": 2.0**900, "share": 0.1}, [0.5, 0.5, 0.0]),
        ([0.0, 0.9, 1.0], {"expected": 1.0, "share": 0.0}, [0.5, 0.5, 0.0]),
        ([0.0, 0.5, 0.0], {"expected": 1.0, "share": 1.0}, [0.5, 0.0, 0.5]),
        ([5e-324, 1.0], {"expected": 1.0}, [1.0, 0.0]),
        ([1.0, 1.0 - 2**-53], {"expected": 1.0}, [0.0, 1.0]),
    ],
)
def test_edges(losses, options, expected):
    assert np.array_equal(chance_corrected_weights(losses, **options), expected)


@pytest.mark.parametrize("expected", [[1.0], [1.0, 0.0]])
def test_losses_by_chance_are_positive_and_one_per_loss(expected):
    with pytest.raises(ValueError, match="expected"):
        chance_corrected_weights([1.0, 2.0], expected=expected)


def pvalues_by_test(labels):
    """{(u, v): p-value} of all pairs by agreement_test on what both observe, the statistic half a step lower."""
    pvalues = {}
    for u, v in combinations(range(labels.shape[1]), 2):
        both = (labels[:, u] != -1) & (labels[:, v] != -1)
        pvalues[u, v] = 1.0
        if both.sum() > 1:
            column = labels[both, v]
            test = agreement_test(column[:, np.newaxis], one_hot(labels[both, u]))
            sides = [side_of(labels[both, w]) for w in (u, v)]
            pvalues[u, v] = float(_chance.significance(test.statistic[0] - 1.0, *sides)[1])
            # With fewer objects, agreement_test permutes them.
            if both.sum() > 8:
                assert _chance.significance(test.statistic[0], *sides)[1] == pytest.approx(test.pvalue[0], rel=1e-6)
    return pvalues


def side_of(column):
    return _chance.soft_moments(one_hot(column), np.ones(len(column)))


def test_pairwise_p_values_are_those_of_the_test(rng, missing):
    for n in (3, 12, 60):
        labels, i = random_ensemble(rng, n, 4, missing=missing), np.arange(n)
        labels = np.column_stack([labels, 0 * i, i, i % 3, np.where(labels[:, 0] == -1, -1, 7 - labels[:, 0])])
        pvalues = pairs_of(sample_columns(encode(labels), rng), np.arange(labels.shape[1])).pvalue
        for (u, v), expected in pvalues_by_test(labels).items():
            assert pvalues[u, v] == pytest.approx(expected, rel=1e-6, abs=1e-300)
            assert pvalues[v, u] == pvalues[u, v]
        assert np.all(np.diag(pvalues) == 1.0)


@pytest.mark.parametrize("kind", ["fine", "tiny", "incomplete"])
def test_independent_partitions_are_rarely_linked(rng, kind):
    draws, linked = 200, 0
    for _ in range(draws):
        labels = random_partitions(rng, 12 if kind == "tiny" else 100, 12, fine=kind == "fine")
        if kind == "incomplete":
            labels = np.where(rng.uniform(size=labels.shape) < 0.4, -1, labels)
            labels = labels[(labels != -1).any(axis=1)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            weights = trusted_group_weights(labels)
        linked += not caught
        assert bool(caught) == np.array_equal(weights, np.full(12, 1 / 12))
    # At most 1 %, and what chance and the approximation in the tail add: not 5 %.
    assert linked <= binom.ppf(0.9999, draws, 0.013)


def test_nothing_to_compare_is_all_equal_and_says_so_unless_it_is_one_partition():
    disjoint = np.full((40, 2), -1)
    disjoint[:20, 0] = disjoint[20:, 1] = np.arange(20) % 2
    trivial = np.column_stack([np.zeros(40, dtype=int), np.arange(40), np.zeros(40, dtype=int)])
    for labels in (disjoint, trivial, np.array([[0, 0], [0, 0], [1, 1]])):
        with pytest.warns(UserWarning, match="beyond chance") as caught:
            weights = trusted_group_weights(labels)
        assert caught[0].filename == __file__
        assert np.array_equal(weights, np.full(np.shape(labels)[1], 1.0 / np.shape(labels)[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert trusted_group_weights(TRUTH[:, np.newaxis]) == [1.0]
        assert np.array_equal(trusted_group_weights(np.tile(TRUTH[:, np.newaxis], 7)), np.full(7, 1 / 7))


def test_the_seed_of_the_noise_may_be_that_of_the_trust(rng):
    """References drawn in the order in which partitions were replaced would all be noise, which links nothing."""
    planted = planted_ensemble(rng, np.repeat(np.arange(4), 50), 320, noise=0.2)
    noisy, replaced = corrupt_ensemble(planted, 0.8, 0)
    weights = trusted_group_weights(noisy, random_state=0)
    assert_array_equal(weights > 0.0, ~replaced)


def test_the_sample_is_large_enough_for_incomplete_partitions(rng):
    # Two partitions have 1 % of the objects in common: 10 of 1,000, where nothing would be significant.
    truth = rng.randint(3, size=30_000)
    labels = np.column_stack([planted_ensemble(rng, truth, 8, noise=0.2), rng.randint(3, size=(30_000, 4))])
    labels[rng.uniform(size=labels.shape) < 0.9] = -1
    labels = labels[(labels != -1).any(axis=1)]
    assert np.array_equal(trusted_group_weights(labels, random_state=0) > 0.0, np.arange(12) < 8)
    sample = sample_columns(encode(labels), rng)
    assert np.mean([np.sum((a >= 0) & (b >= 0)) for a, b in combinations(sample, 2)]) > 250
    assert sample_columns(encode(np.where(labels == -1, 0, labels)), rng).shape == (12, 1000)


def test_objects_without_weight_do_not_count(rng):
    labels = planted_ensemble(rng, TRUTH, 6)
    weight = np.r_[np.zeros(60), rng.uniform(0.01, 3.0, size=60)]
    sample = sample_columns(encode_ensemble(check_ensemble(labels), weight), rng)
    assert sample.shape == (6, 60)
    rest = sample_columns(encode(labels[60:]), rng)
    assert_allclose(*(pairs_of(columns, np.arange(6)).pvalue for columns in (sample, rest)))
