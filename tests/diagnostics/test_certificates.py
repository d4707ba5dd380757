"""Certificates: stationarity, moves, trust and weights, with weights of objects and missing labels."""

import numpy as np
import pytest

from robust_eac import agreement_test, certify, optimality_gap, partition_losses, solve_median_partition
from robust_eac.weightings import L2, Entropy, Power, RestrictedSimplex

from .. import reference
from ..access import as_weighting
from ..conftest import planted_ensemble, random_ensemble, random_membership
from ..solvers.test_dense_reference import problems

CASES = pytest.mark.parametrize(
    ("missing", "weighted"), [(0.0, False), (0.3, True)], ids=["complete", "weighted-incomplete"]
)
NAMES = ["uniform", "restricted-simplex", "l2", "entropy", "power"]


@CASES
def test_gaps_and_move_costs_equal_the_dense_reference(rng, missing, weighted):
    for labels, weight, Y, weights in problems(rng, missing, weighted):
        (n, k), w = Y.shape, np.ones(len(Y)) if weight is None else weight
        result = certify(labels, Y, weights=weights, sample_weight=weight)
        gap = optimality_gap(labels, Y, weights=weights, sample_weight=weight)
        assert result.gap == pytest.approx(gap, rel=1e-12, abs=1e-15)
        assert result.gap == pytest.approx(w @ result.object_gaps / w.sum(), rel=1e-12, abs=1e-15)
        assert result.weight_gap is None
        some, clusters = w > 0.0, Y.argmax(axis=1)
        g = reference.gradient(labels, Y, weights, sample_weight=weight)
        gaps = ((g * Y).sum(axis=1) - g.min(axis=1))[some] / (4.0 * w.sum() * w[some])
        np.testing.assert_allclose(result.object_gaps[some], gaps, rtol=1e-9, atol=1e-12)
        changes = reference.single_moves(labels, clusters, weights, k, weight)
        changes[np.arange(n), clusters] = np.inf
        costs = changes.min(axis=1)[some] / (2.0 * w.sum() * w[some])
        np.testing.assert_allclose(result.move_costs[some], costs, rtol=1e-9, atol=1e-11)
        if not missing and k > 1:
            assert np.abs(result.move_costs).max() <= 1.0
        if np.any((w > 0.0) & (w < 1.0)):
            assert result.trust is None
        else:
            for one, other in zip(result.trust, agreement_test(labels, Y, sample_weight=weight), strict=True):
                np.testing.assert_array_equal(one, other)


def test_objects_without_weight_are_looked_at_with_a_little_of_it(rng):
    labels, Y = random_ensemble(rng, 15, 4), random_membership(rng, 15, 3)
    found, weight = [], rng.uniform(0.5, 2.0, size=15)
    for little in (0.0, 1e-9):
        weight[:5] = little
        found.append(certify(labels, Y, sample_weight=weight)[:4])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_margins(rng):
    Y = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.5, 0.3]])
    labels = random_ensemble(rng, 3, 2)
    np.testing.assert_allclose(certify(labels, Y).margins, [1.0, 0.0, 0.2])
    alone = certify(labels, np.ones((3, 1)))
    assert np.array_equal(alone.margins, np.ones(3))
    assert np.array_equal(alone.move_costs, np.full(3, np.inf))
    assert alone.gap == 0.0
    assert np.array_equal(certify(np.array([[4]]), np.eye(2)[[0]]).margins, [1.0])


OBJECTS = ["uniform", RestrictedSimplex(rho=0.2), L2(lam=300.0), Entropy(eta=200.0), Power(gamma=3.0)]


@pytest.mark.parametrize("weighting", OBJECTS, ids=NAMES)
def test_weight_gap_is_zero_at_the_optimum_and_positive_elsewhere(rng, weighting):
    labels = planted_ensemble(rng, rng.randint(3, size=30), 8, noise=0.3)
    Y = random_membership(rng, 30, 3)
    best = as_weighting(weighting).bind(8, 900.0).solve(partition_losses(labels, Y))
    assert certify(labels, Y, weights=best, weighting=weighting).weight_gap == pytest.approx(0.0, abs=1e-12)
    for _ in range(5):
        # Mixing with uniform weights keeps any weights within the restricted simplex.
        other = 0.9 / 8 + 0.1 * rng.dirichlet(np.ones(8))
        assert certify(labels, Y, weights=other, weighting=weighting).weight_gap > 0.0


def test_weight_gap_is_the_excess_per_ordered_pair(rng):
    labels, Y = random_ensemble(rng, 10, 4), random_membership(rng, 10, 2)
    d, weights = partition_losses(labels, Y), np.array([0.4, 0.3, 0.2, 0.1])
    for weighting, value in (
        (RestrictedSimplex(rho=0.5), lambda a: a @ d),
        (L2(lam=40.0), lambda a: a @ d + 20.0 * a @ a),
        (Entropy(eta=5.0), lambda a: a @ d + 5.0 * np.sum(a * np.log(np.maximum(a, 1e-300)))),
        (Power(), lambda a: a**2 @ d),
    ):
        best = reference.weights_by_cvxpy(d[None], **weighting.get_params())[0]
        result = certify(labels, Y, weights=weights, weighting=weighting)
        assert result.weight_gap == pytest.approx((value(weights) - value(best)) / 100.0, rel=1e-4, abs=1e-7)


def test_weights_that_a_weighting_does_not_allow(rng):
    labels, Y = random_ensemble(rng, 10, 4), random_membership(rng, 10, 2)
    assert certify(labels, Y, weights=[1, 1, 1, 2], weighting="uniform").weight_gap == np.inf
    assert certify(labels, Y, weighting="uniform").weight_gap == 0.0
    assert certify(labels, Y, weights=[1, 0, 0, 0], weighting="restricted-simplex").weight_gap == np.inf
    assert certify(labels, Y, weights=[1, 0, 0, 0], weighting=RestrictedSimplex(rho=1.0)).weight_gap < np.inf


@pytest.mark.parametrize("agreement", ["raw", "adjusted"])
@pytest.mark.parametrize("name", NAMES[:4])
def test_a_solved_consensus_is_certified(rng, name, agreement):
    labels, weight = planted_ensemble(rng, rng.randint(3, size=50), 8), rng.uniform(0.3, 3.0, size=50)
    options = {"weighting": name, "agreement": agreement, "sample_weight": weight}
    solved = solve_median_partition(labels, 3, n_init=2, tol=1e-8, max_iter=1000, random_state=0, **options)
    result = certify(labels, solved.membership, weights=solved.weights, **options)
    assert result.gap == pytest.approx(solved.gap, rel=1e-5, abs=1e-13)
    assert result.weight_gap == pytest.approx(0.0, abs=1e-10)
    other = certify(labels, solved.membership, weights=[1, 1, 1, 1, 1, 1, 1, 1.1], **options)
    assert other.weight_gap > 1e-12
    raw = certify(labels, solved.membership, weights=solved.weights, sample_weight=weight)
    np.testing.assert_array_equal(raw.move_costs, result.move_costs)
    assert (raw.gap > result.gap) == (agreement == "adjusted")


@pytest.mark.parametrize("weighting", [np.sqrt, "chance-corrected"])
def test_weightings_that_minimise_nothing_known(weighting):
    with pytest.raises(ValueError, match="weighting must be the name or an object of one of Uniform"):
        certify(np.array([[0, 0], [0, 1], [1, 1]]), np.eye(2)[[0, 0, 1]], weighting=weighting)
