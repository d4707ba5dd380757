"""Statements of Lourenço et al. (2013) on the regularisations (4) and (5), beside general solvers and full matrices."""

import cvxpy as cp
import numpy as np
import pytest

from robust_eac import (
    l2_weights,
    optimality_gap,
    partition_losses,
    restricted_simplex_weights,
    solve_membership,
)

from .. import reference

LOSSES = [np.random.RandomState(seed).gamma(2.0, size=12) for seed in range(5)]
RHOS = (1.0 / 12.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0)


def least(losses, *, rho=None, lam=0.0):
    """Weights and value of problem (8), or of (9) if there is no rho, by cvxpy."""
    weights = cp.Variable(len(losses), nonneg=True)
    bound = [] if rho is None else [weights <= rho]
    problem = cp.Problem(
        cp.Minimize(losses @ weights + 0.5 * lam * cp.sum_squares(weights)), [cp.sum(weights) == 1.0, *bound]
    )
    problem.solve(solver=cp.CLARABEL)
    return weights.value, problem.value


@pytest.mark.parametrize("losses", LOSSES)
def test_least_rho_is_the_unweighted_problem(losses):
    np.testing.assert_allclose(least(losses, rho=1.0 / 12.0)[0], 1.0 / 12.0, atol=1e-6)
    np.testing.assert_allclose(restricted_simplex_weights(losses, rho=1.0 / 12.0), 1.0 / 12.0, rtol=1e-12)


@pytest.mark.parametrize("rho", [1.0, 2.0])
@pytest.mark.parametrize("losses", LOSSES)
def test_rho_of_one_or_more_is_the_unregularised_problem(losses, rho):
    assert least(losses, rho=rho)[1] == pytest.approx(least(losses)[1], abs=1e-6)
    assert losses @ restricted_simplex_weights(losses, rho=rho) == pytest.approx(losses.min(), abs=1e-12)


@pytest.mark.parametrize("losses", LOSSES)
def test_large_lambda_is_the_unweighted_problem(losses):
    for lam in (1e1, 1e3, 1e5):
        np.testing.assert_allclose(least(losses, lam=lam)[0], l2_weights(losses, lam=lam), atol=1e-5)
        assert np.abs(l2_weights(losses, lam=lam) - 1.0 / 12.0).max() <= np.ptp(losses) / lam


@pytest.mark.parametrize("rho", RHOS)
def test_no_feasible_weights_have_fewer_positive_entries(rho):
    positive, weights = cp.Variable(12, boolean=True), cp.Variable(12, nonneg=True)
    problem = cp.Problem(cp.Minimize(cp.sum(positive)), [cp.sum(weights) == 1.0, weights <= rho, weights <= positive])
    fewest = round(problem.solve(solver=cp.HIGHS))
    assert fewest == np.ceil(1.0 / rho - 1e-9)
    assert fewest >= np.floor(1.0 / rho + 1e-9)
    for losses in LOSSES:
        assert np.count_nonzero(restricted_simplex_weights(losses, rho=rho)) >= fewest


def test_the_membership_problem_differs_by_a_constant():
    rng = np.random.RandomState(0)
    labels, weights = rng.randint(4, size=(15, 6)), rng.dirichlet(np.ones(6))
    mean = sum(weight * reference.comembership(column)[0] for weight, column in zip(weights, labels.T, strict=True))
    memberships = rng.dirichlet(np.ones(3), size=(50, 15))
    rest = [weights @ partition_losses(labels, Y) - np.sum((Y @ Y.T - mean) ** 2) for Y in memberships]
    np.testing.assert_allclose(rest, rest[0], atol=1e-9)
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


def test_all_weight_on_one_partition_is_optimal_only_with_enough_clusters():
    cut = np.repeat(np.arange(4), 5)[:, np.newaxis]
    losses = {k: solve_membership(cut, k, tol=1e-12, random_state=0).objective for k in (2, 4)}
    assert losses[4] < 1e-9
    assert losses[2] == pytest.approx(75.0, rel=0.1)


def test_the_uniform_start_is_a_saddle_point():
    cut, uniform = np.repeat(np.arange(4), 5)[:, np.newaxis], np.full((20, 2), 0.5)
    assert optimality_gap(cut, uniform) < 1e-12
    along = uniform + 1e-3 * (np.eye(2)[cut[:, 0] // 2] - uniform)
    assert partition_losses(cut, along)[0] < partition_losses(cut, uniform)[0]
