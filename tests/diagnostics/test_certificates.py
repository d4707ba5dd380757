from functools import partial

import numpy as np
import pytest

from robust_eac import (
    WEIGHT_SOLVERS,
    agreement_test,
    certify,
    entropy_weights,
    l2_weights,
    optimality_gap,
    partition_losses,
    power_weights,
    refine_labels,
    restricted_simplex_weights,
    solve_median_partition,
)

from .. import reference
from ..conftest import planted_ensemble, random_ensemble, random_membership

CASES = pytest.mark.parametrize(
    ("diagonal", "missing"),
    [(True, 0.0), (False, 0.0), (True, 0.3), (False, 0.3)],
    ids=["with-diagonal", "no-diagonal", "with-diagonal-incomplete", "no-diagonal-incomplete"],
)


@CASES
def test_gaps_of_objects_equal_the_dense_reference_and_average_to_the_optimality_gap(rng, diagonal, missing):
    for _ in range(6):
        n, m, k = rng.randint(2, 20), rng.randint(1, 6), rng.randint(1, 5)
        labels, Y = random_ensemble(rng, n, m, missing=missing), random_membership(rng, n, k)
        weights = rng.dirichlet(np.ones(m))
        result = certify(labels, Y, weights=weights, diagonal=diagonal)
        g = reference.gradient(labels, Y, weights, diagonal)
        np.testing.assert_allclose(
            result.object_gaps, ((g * Y).sum(axis=1) - g.min(axis=1)) / (4.0 * n), rtol=1e-9, atol=1e-12
        )
        gap = optimality_gap(labels, Y, weights=weights, diagonal=diagonal)
        assert result.gap == pytest.approx(gap, rel=1e-12, abs=1e-15)
        assert result.object_gaps.mean() == pytest.approx(gap, rel=1e-12, abs=1e-15)
        assert result.weight_gap is None
        for one, other in zip(result.trust, agreement_test(labels, Y), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_move_costs_are_those_of_all_single_moves(rng, missing):
    for _ in range(6):
        n, m, k = rng.randint(4, 15), rng.randint(1, 6), rng.randint(2, 5)
        labels = random_ensemble(rng, n, m, missing=missing)
        Y, weights = random_membership(rng, n, k), rng.dirichlet(np.ones(m))
        clusters = Y.argmax(axis=1)
        changes = reference.single_moves(labels, clusters, weights, k)
        changes[np.arange(n), clusters] = np.inf
        result = certify(labels, Y, weights=weights)
        np.testing.assert_allclose(result.move_costs, changes.min(axis=1) / (2.0 * n), rtol=1e-9, atol=1e-12)
        if not missing:
            assert np.abs(result.move_costs).max() <= 1.0


def test_a_refined_partition_has_no_negative_move_cost(rng):
    labels = random_ensemble(rng, 40, 6)
    start = rng.randint(3, size=40)
    assert certify(labels, np.eye(3)[start]).move_costs.min() < 0.0
    refined = refine_labels(labels, start, 3, random_state=0)
    assert certify(labels, np.eye(3)[refined.labels]).move_costs.min() >= -1e-12


def test_margins(rng):
    Y = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.5, 0.3]])
    labels = random_ensemble(rng, 3, 2)
    np.testing.assert_allclose(certify(labels, Y).margins, [1.0, 0.0, 0.2])
    alone = certify(labels, np.ones((3, 1)))
    assert np.array_equal(alone.margins, np.ones(3))
    assert np.array_equal(alone.move_costs, np.full(3, np.inf))
    assert alone.gap == 0.0
    assert np.array_equal(certify(np.array([[4]]), np.eye(2)[[0]]).margins, [1.0])


NAMES = ["uniform", "restricted-simplex", "l2", "entropy", "power"]
PARAMETERS = {
    "l2": {"lam": 300.0},
    "entropy": {"eta": 200.0},
    "restricted-simplex": {"rho": 0.2},
    "power": {"gamma": 3.0},
}


@pytest.mark.parametrize("name", NAMES)
def test_weight_gap_is_zero_at_the_optimum_and_positive_elsewhere(rng, name):
    labels = planted_ensemble(rng, rng.randint(3, size=30), 8, noise=0.3)
    Y = random_membership(rng, 30, 3)
    losses = partition_losses(labels, Y)
    weighting = partial(WEIGHT_SOLVERS[name], **PARAMETERS.get(name, {}))
    best = weighting(losses)
    assert certify(labels, Y, weights=best, weighting=weighting).weight_gap == pytest.approx(0.0, abs=1e-12)
    for _ in range(5):
        # Mixing with uniform weights keeps any weights within the restricted simplex.
        other = 0.9 / 8 + 0.1 * rng.dirichlet(np.ones(8))
        assert certify(labels, Y, weights=other, weighting=weighting).weight_gap > 0.0


def test_weight_gap_is_the_excess_per_ordered_pair(rng):
    labels, Y = random_ensemble(rng, 10, 4), random_membership(rng, 10, 2)
    d, weights = partition_losses(labels, Y), np.array([0.4, 0.3, 0.2, 0.1])
    best = {
        "restricted-simplex": reference.weights_by_cvxpy(d[None], rho=0.5)[0],
        "l2": reference.weights_by_cvxpy(d[None], lam=40.0)[0],
        "entropy": reference.weights_by_cvxpy(d[None], eta=5.0)[0],
        "power": reference.weights_by_cvxpy(d[None], gamma=2.0)[0],
    }
    problems = {
        "restricted-simplex": (partial(restricted_simplex_weights, rho=0.5), lambda a: a @ d),
        "l2": (partial(l2_weights, lam=40.0), lambda a: a @ d + 20.0 * a @ a),
        "entropy": (
            partial(entropy_weights, eta=5.0),
            lambda a: a @ d + 5.0 * np.sum(a * np.log(np.maximum(a, 1e-300))),
        ),
        "power": (power_weights, lambda a: a**2 @ d),
    }
    for name, (weighting, value) in problems.items():
        result = certify(labels, Y, weights=weights, weighting=weighting)
        assert result.weight_gap == pytest.approx((value(weights) - value(best[name])) / 100.0, rel=1e-4, abs=1e-7), (
            name
        )


def test_weights_that_a_weighting_does_not_allow(rng):
    labels, Y = random_ensemble(rng, 10, 4), random_membership(rng, 10, 2)
    assert certify(labels, Y, weights=[1, 1, 1, 2], weighting="uniform").weight_gap == np.inf
    assert certify(labels, Y, weighting="uniform").weight_gap == 0.0
    assert certify(labels, Y, weights=[1, 0, 0, 0], weighting="restricted-simplex").weight_gap == np.inf
    assert certify(labels, Y, weights=[1, 0, 0, 0], weighting="restricted-simplex", rho=1.0).weight_gap < np.inf


@pytest.mark.parametrize("name", NAMES)
def test_a_solved_consensus_is_certified(rng, name):
    labels = planted_ensemble(rng, rng.randint(3, size=50), 10, noise=0.2, n_random=2)
    solved = solve_median_partition(labels, 3, weighting=name, n_init=2, tol=1e-8, max_iter=1000, random_state=0)
    result = certify(labels, solved.membership, weights=solved.weights, weighting=name)
    assert result.gap == pytest.approx(solved.gap, rel=1e-6, abs=1e-14)
    assert result.weight_gap == pytest.approx(0.0, abs=1e-10)


def test_invariances_and_inputs(rng):
    labels, Y = random_ensemble(rng, 12, 5, missing=0.2), random_membership(rng, 12, 3)
    weights, order = rng.uniform(0.1, 1.0, size=5), rng.permutation(12)
    copies = labels.copy(), Y.copy(), weights.copy()
    first = certify(labels, Y, weights=weights, weighting="l2")
    swapped = certify(labels[order], Y[order][:, ::-1], weights=3.0 * weights, weighting="l2")
    for one, other in zip(first[1:4], swapped[1:4], strict=True):
        np.testing.assert_allclose(other, one[order], atol=1e-12)
    renamed = certify(np.where(labels == -1, -1, 8 - labels)[:, ::-1], Y, weights=weights[::-1], weighting="l2")
    np.testing.assert_allclose(renamed.object_gaps, first.object_gaps, atol=1e-12)
    assert renamed.weight_gap == pytest.approx(first.weight_gap)
    # Repeating all objects changes no gap.
    twice = certify(np.r_[labels, labels], np.r_[Y, Y], weights=weights)
    np.testing.assert_allclose(twice.object_gaps[:12], first.object_gaps, rtol=1e-9, atol=1e-12)
    assert all(np.array_equal(a, b) for a, b in zip((labels, Y, weights), copies, strict=True))


@pytest.mark.parametrize(
    ("kwargs", "error", "match"),
    [
        ({"membership": np.ones((3, 2))}, ValueError, "membership: every row must sum to 1"),
        ({"membership": np.eye(2)}, ValueError, r"membership must have shape \(3, 'n_clusters'\), got \(2, 2\)"),
        ({"weights": [1.0]}, ValueError, "weights must have 2 values, one per partition, got 1"),
        ({"diagonal": 1}, TypeError, "diagonal must be True or False"),
        ({"weighting": "best"}, ValueError, "weighting must be one of 'uniform'"),
        (
            {"weighting": np.sqrt},
            ValueError,
            "weighting must be the name or a functools.partial of one of uniform_weights",
        ),
        ({"weighting": "chance-corrected"}, ValueError, "weighting must be the name or a functools.partial of one of"),
        ({"weighting": "restricted-simplex", "rho": 0.1}, ValueError, "rho must be at least 1/n_partitions"),
        ({"weighting": "l2", "lam": -1.0}, ValueError, "lam must be at least 0"),
    ],
)
def test_errors(kwargs, error, match):
    arguments = {"labels": np.array([[0, 0], [0, 1], [1, 1]]), "membership": np.eye(2)[[0, 0, 1]]} | kwargs
    with pytest.raises(error, match=match):
        certify(**arguments)
