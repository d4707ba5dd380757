"""Levels and weights of the partitions for a fixed consensus, against cvxpy on losses summed pair by pair."""

import numpy as np
import pytest

from robust_eac import (
    l2_weights,
    objective_value,
    partition_losses,
    restricted_simplex_weights,
    solve_median_partition,
)

from .. import reference
from ..access import check_ensemble, encode_ensemble, level_distance, weigh_by
from ..conftest import random_membership
from .test_cluster_weights import CASES, K, M, N, make


def memberships(rng, labels):
    """Hard ones: like the first partition, across its clusters, at random; and each of them relaxed."""
    first = reference.partitions_of(labels)[0]
    across = np.empty(N, dtype=int)
    for value in np.unique(first):
        across[first == value] = np.arange(np.sum(first == value))
    for clusters in (first, across, rng.randint(K, size=N)):
        hard = np.eye(K)[clusters % K]
        share = rng.uniform(0.2, 0.8)
        yield hard
        yield share * hard + (1.0 - share) * random_membership(rng, N, K)


def levels_by_cvxpy(labels, membership, weights, **given):
    """cvxpy: levels a >= b of least weighted loss, and that loss, by least squares over all pairs of all partitions."""
    import cvxpy as cp

    gram = membership @ membership.T
    levels, residuals = cp.Variable(2), []
    for weight, (together, pairs, factor) in zip(weights, reference.pair_terms(labels, **given), strict=True):
        for level, shares in ((levels[0], gram), (levels[1], 1.0 - gram)):
            roots = np.sqrt(np.maximum(weight * factor * pairs * shares, 0.0)) / N
            residuals.append(cp.multiply(roots.ravel(), together.ravel() - level))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(cp.hstack(residuals))), [levels[0] >= levels[1]])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    return levels.value, problem.value * N**2


@pytest.mark.parametrize(("kind", "weighted", "diagonal"), CASES)
def test_levels_equal_cvxpy(rng, kind, weighted):
    labels, sample_weight, cluster_weights = make(rng, kind, weighted)
    given = {"sample_weight": sample_weight, "cluster_weights": cluster_weights}
    encoding = weigh_by(encode_ensemble(check_ensemble(labels), sample_weight), cluster_weights)
    # Most of the weight on the first partition: the levels follow it.
    weights = 0.6 * np.eye(M)[0] + 0.4 * rng.dirichlet(np.ones(M))
    for membership in memberships(rng, labels):
        expected, least = levels_by_cvxpy(labels, membership, weights, **given)
        found = level_distance(diagonal).measure(encoding, membership, weights).levels
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
        value = objective_value(labels, membership, weights=weights, threshold="data", **given)
        assert value == pytest.approx(least, rel=1e-8)


@pytest.mark.parametrize(("kind", "weighted", "diagonal"), CASES)
def test_weights_of_partitions_from_size_corrected_losses_equal_cvxpy(rng, kind, weighted):
    labels, sample_weight, _ = make(rng, kind, weighted)
    given = {"sample_weight": sample_weight}
    sizes = reference.cluster_weights(labels, "size", sample_weight)
    rho, share = rng.uniform(1.0 / M, 0.6), rng.uniform(0.3, 2.0)
    for membership in memberships(rng, labels):
        dense = reference.losses(labels, membership, cluster_weights=sizes, **given)
        # Some of the weights are zero, others not.
        lam = share * np.ptp(dense)
        losses = partition_losses(labels, membership, cluster_weights="size", **given)
        assert_least(restricted_simplex_weights(losses, rho=rho), dense, rho=rho)
        assert_least(l2_weights(losses, lam=lam), dense, lam=lam)


@pytest.mark.parametrize(("kind", "weighted", "diagonal"), CASES)
def test_weights_of_a_fit_with_size_corrected_losses_equal_cvxpy(rng, kind, weighted):
    labels, sample_weight, _ = make(rng, kind, weighted)
    given = {"sample_weight": sample_weight}
    sizes = reference.cluster_weights(labels, "size", sample_weight)
    for weighting, parameter in (("restricted-simplex", {"rho": 0.3}), ("l2", {"lam": 0.2 * N**2})):
        result = solve_median_partition(
            labels, K, weighting=weighting, cluster_weights="size", n_init=2, random_state=0, **parameter, **given
        )
        dense = reference.losses(labels, result.membership, cluster_weights=sizes, **given)
        assert_least(result.weights, dense, **parameter)


def assert_least(weights, losses, *, rho=None, lam=0.0):
    """The weights minimise sum_u alpha_u d_u + lam/2 |alpha|^2 on the simplex restricted by rho, as cvxpy finds it."""
    expected = reference.weights_by_cvxpy(losses[np.newaxis] / losses.max(), rho=rho, lam=lam / losses.max())[0]
    assert weights.sum() == pytest.approx(1.0)
    assert weights.min() >= 0.0
    assert rho is None or weights.max() <= rho * (1.0 + 1e-12)
    found, least = (w @ losses + 0.5 * lam * w @ w for w in (weights, expected))
    assert found == pytest.approx(least, rel=1e-8)
    # Without the quadratic term, equal losses share their weight in any way.
    if lam:
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-6)
