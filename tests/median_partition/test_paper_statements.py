"""Statements of Lourenço et al. (2013) on their problems; those on the weights alone: test_weighting.py."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robust_eac import optimality_gap, partition_losses, restricted_simplex_weights, solve_membership

from .. import reference


def test_the_membership_problem_differs_by_a_constant():
    rng = np.random.RandomState(0)
    labels, weights = rng.randint(4, size=(15, 6)), rng.dirichlet(np.ones(6))
    mean = sum(weight * reference.comembership(column)[0] for weight, column in zip(weights, labels.T, strict=True))
    memberships = rng.dirichlet(np.ones(3), size=(50, 15))
    rest = [weights @ partition_losses(labels, Y) - np.sum((Y @ Y.T - mean) ** 2) for Y in memberships]
    assert_allclose(rest, rest[0], atol=1e-9)
    # The term that does not depend on the membership: the spread of the partitions around the co-association.
    assert rest[0] == pytest.approx(
        weights @ [np.sum(reference.comembership(c)[0]) for c in labels.T] - np.sum(mean**2)
    )
    # With other weights in (6), the two do not differ by a constant.
    other = np.tensordot(np.full(6, 1.0 / 6.0), [reference.comembership(c)[0] for c in labels.T], axes=1)
    wrong = [weights @ partition_losses(labels, Y) - np.sum((Y @ Y.T - other) ** 2) for Y in memberships]
    assert np.ptp(wrong) > 1e-3


def test_proposition_1_holds_with_a_ceiling_in_its_last_place():
    losses, ranks = np.sort(np.random.RandomState(0).gamma(2.0, size=10)), np.arange(1, 11)
    right, largest = {"floor": 0, "ceiling": 0}, 0.0
    for rho in np.arange(11, 100) / 100.0:
        best, whole = restricted_simplex_weights(losses, rho=rho), np.floor(1.0 / rho + 1e-12)
        for reading, last in (("floor", whole), ("ceiling", np.ceil(1.0 / rho - 1e-12))):
            weights = np.where(ranks <= whole, rho, 0.0) + np.where(ranks == last, 1.0 - rho * whole, 0.0)
            right[reading] += np.allclose(weights, best, atol=1e-9)
            largest = max(largest, weights.max() / rho)
    # The text at hand has the floor, right for the three rho of the 89 with a whole 1 / rho.
    assert right == {"floor": 3, "ceiling": 89}
    assert largest == pytest.approx(1.96, abs=5e-3)


def test_all_weight_on_one_partition_is_optimal_but_loses_nothing_only_with_enough_clusters():
    rng = np.random.RandomState(0)
    labels = np.array([rng.permutation(np.arange(12) % 4) for _ in range(5)]).T

    def least(k, weights):
        return min(solve_membership(labels, k, weights=weights, random_state=seed).objective for seed in range(5))

    alone = [least(2, weights) for weights in np.eye(5)]
    mixed = [least(2, weights) for weights in rng.dirichlet(np.ones(5), size=10)]
    # (3) is linear in the weights: no mixture is below the best partition alone.
    assert min(alone) == pytest.approx(27.0, abs=1e-3)
    assert min(mixed) > min(alone) + 1.0
    assert least(4, np.eye(5)[0]) < 1e-4


def test_the_uniform_start_is_a_saddle_point():
    cut, uniform = np.repeat(np.arange(4), 5)[:, np.newaxis], np.full((20, 2), 0.5)
    assert optimality_gap(cut, uniform) < 1e-12
    along = uniform + 1e-3 * (np.eye(2)[cut[:, 0] // 2] - uniform)
    assert partition_losses(cut, along)[0] < partition_losses(cut, uniform)[0]
