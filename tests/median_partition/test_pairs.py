"""Pairs of partitions: how much they agree, on what evidence, and which of them are nested."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

from robust_eac import agreement_test, trusted_group_weights

from .. import reference
from ..access import Pairs, compare_pairs, encode, pairs_of, sample_columns
from ..conftest import planted_ensemble, random_ensemble
from ..diagnostics.test_agreement import one_hot

# What a partition and itself, or two without enough objects in common, have.
NOTHING = {"pvalue": 1.0, "agreement": 0.0, "precision": 0.0, "nesting": 0.0}


def all_pairs(labels):
    """The pairs of all partitions with all; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return compare_pairs(encode(np.asarray(labels)), np.random.RandomState(0))


def pair_by_hand(first, second):
    """Fields of the pair of two label vectors that do not depend on a test."""
    seen, other_seen = first != -1, second != -1
    both = seen & other_seen
    numbers = [len(np.unique(labels[labels != -1])) for labels in (first, second)]
    found = NOTHING | {"overlap": both.sum() / (seen | other_seen).sum(), "fineness": min(numbers) / max(numbers)}
    first, second = first[both], second[both]
    if len(first) > 1:
        test = agreement_test(second[:, np.newaxis], one_hot(first))
        if test.variance[0] > 0.0:
            # The adjusted Rand index is the statistic, less its mean, over the largest such difference.
            room = 0.5 * (np.unique(first, return_counts=True)[1] ** 2).sum()
            room += 0.5 * (np.unique(second, return_counts=True)[1] ** 2).sum() - test.expected[0]
            found["agreement"] = adjusted_rand_score(first, second)
            found["precision"] = room**2 / test.variance[0]
            # That of the partition that joins fewer pairs is further from zero.
            found["nesting"] = max(reference.adjusted_wallace(first, second), key=abs)
    return found


def odd_and_planted(rng, n, missing):
    """Random partitions, finer and coarser ones of the same, and some that tell nothing."""
    labels = random_ensemble(rng, n, 4, missing=missing)
    fine = np.where(labels[:, 0] == -1, -1, 5 * labels[:, 0] + rng.randint(2, size=n))
    alone = np.full(n, -1)
    alone[0] = 3
    return np.column_stack(
        [labels, fine, labels[:, 0], np.zeros(n, dtype=int), np.arange(n), np.arange(n) == 0, alone, np.arange(n) % 2]
    )


@pytest.mark.parametrize("n", [1, 2, 3, 6, 40])
def test_every_field_is_that_of_slow_code(rng, n, missing):
    labels = odd_and_planted(rng, n, missing)
    pairs = all_pairs(labels)
    n_telling = 0
    for u, v in combinations(range(labels.shape[1]), 2):
        expected = pair_by_hand(labels[:, u], labels[:, v])
        n_telling += expected["precision"] > 0.0
        for field, value in expected.items():
            found = getattr(pairs, field)
            if field != "pvalue" or expected["precision"] == 0.0:
                assert found[u, v] == pytest.approx(value, rel=1e-9, abs=1e-12), field
            assert found[v, u] == found[u, v], field
    assert n_telling > 10 or n < 40
    for field in pairs._fields[1:]:
        assert getattr(pairs, field).shape == 2 * labels.shape[1:]
        assert np.array_equal(np.diag(getattr(pairs, field)), np.full(labels.shape[1], NOTHING.get(field, 0.0)))


def test_some_references_are_rows_of_the_whole_table(rng):
    labels = odd_and_planted(rng, 30, 0.3)
    columns = sample_columns(encode(labels), rng)
    whole = pairs_of(columns, np.arange(len(columns)))
    for references in (np.array([4]), np.array([0, 3, 7, 10]), np.array([2, 5, 6])):
        part = pairs_of(columns, references)
        for field in Pairs._fields[1:]:
            assert_allclose(getattr(part, field), getattr(whole, field)[references], rtol=1e-9, atol=1e-12)
    # With many partitions, some are references.
    references = all_pairs(planted_ensemble(rng, np.repeat([0, 1, 2], 10), 300, noise=0.2)).references
    assert references.shape == (256,)
    assert np.all(np.diff(references) > 0)


def test_a_link_is_as_improbable_as_the_number_of_pairs_demands(rng):
    columns = sample_columns(encode(odd_and_planted(rng, 30, 0.0)), rng)
    for references, n_pairs in ((np.arange(11), 55), (np.array([2, 5, 6]), 27), (np.array([4]), 10)):
        pairs = pairs_of(columns, references)
        for pvalue, linked in ((0.3 / n_pairs, True), (1.001 * 0.3 / n_pairs, False)):
            assert np.all(pairs._replace(pvalue=np.full_like(pairs.pvalue, pvalue)).linked(0.3) == linked)


def test_a_partition_of_which_the_sample_sees_nothing_is_in_no_group(rng):
    """Of 5,000 objects 1,000 or so are drawn; this partition observes two."""
    alone = np.full(5000, -1)
    alone[:2] = 0, 1
    labels = np.column_stack([np.tile(rng.randint(3, size=(5000, 1)), 9), alone])
    draws = [sample_columns(encode(labels), np.random.RandomState(seed)) for seed in range(5)]
    missed = [seed for seed, columns in enumerate(draws) if columns[9].max() == -1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(trusted_group_weights(labels, random_state=missed[0]) > 0.0, np.arange(10) < 9)
        pairs = pairs_of(draws[missed[0]], np.arange(10))
    assert np.array_equal(pairs.agreement[9], np.zeros(10))
