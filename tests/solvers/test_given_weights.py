"""Weights that the user gives and the alternation keeps."""

from functools import partial

import numpy as np
import pytest

from robust_eac import RobustEAC, certify, objective_value, select_n_clusters, solve_median_partition, solve_membership
from robust_eac.consensus import robust_consensus

GIVEN = np.array([3.0, 0.0, 1.0, 2.0, 2.0])


@pytest.fixture
def labels():
    return np.random.RandomState(0).randint(4, size=(60, 5))


@pytest.mark.parametrize("form", [np.array, list, tuple, partial(np.multiply, 1e-200)])
def test_weights_are_kept_in_proportion(labels, form):
    result = solve_median_partition(labels, 3, weighting=form(GIVEN), random_state=0)
    np.testing.assert_allclose(result.weights, GIVEN / GIVEN.sum(), rtol=1e-15)
    assert result.converged
    np.testing.assert_allclose(result.objective, objective_value(labels, result.membership, weights=GIVEN), rtol=1e-12)


@pytest.mark.parametrize("options", [{}, {"agreement": "adjusted"}, {"diagonal": False}, {"threshold": "data"}])
def test_the_membership_is_stationary_for_them(labels, options):
    model = RobustEAC(3, weighting=GIVEN, tol=1e-8, random_state=0, **options).fit(labels)
    assert certify(labels, model.membership_, weights=GIVEN, **options).gap <= 1.001e-8
    np.testing.assert_array_equal(model.weights_, GIVEN / GIVEN.sum())


def test_a_partition_without_weight_changes_nothing(labels):
    start = solve_membership(labels, 3, random_state=0).membership
    other = labels.copy()
    other[:, 1] = 0
    one, two = (
        solve_median_partition(given, 3, weighting=GIVEN, init=start, random_state=0) for given in (labels, other)
    )
    np.testing.assert_array_equal(one.membership, two.membership)


def test_the_array_is_neither_changed_nor_compared(labels):
    weights = GIVEN.copy()
    model = RobustEAC(3, weighting=weights, random_state=0).fit(labels)
    np.testing.assert_array_equal(weights, GIVEN)
    assert model.get_params()["weighting"] is weights
    assert "given: 4 partitions with weight, 1 without" in model.summary(labels)


def test_they_belong_to_a_number_of_partitions(labels):
    with pytest.raises(ValueError, match="weighting must have 5 values, one per partition, got 4"):
        RobustEAC(3, weighting=GIVEN[:4]).fit(labels)
    with pytest.raises(ValueError, match="weighting must be a name or a function"):
        select_n_clusters(labels, weighting=GIVEN)


def test_robust_consensus_keeps_weights_the_same_way(labels):
    found = robust_consensus(labels, 3, weights=GIVEN, random_state=0)
    own = RobustEAC(3, weighting=GIVEN, random_state=0).fit_predict(labels)
    assert len(set(zip(found, own, strict=True))) == len(set(found)) == len(set(own))
