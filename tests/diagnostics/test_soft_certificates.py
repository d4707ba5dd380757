"""Certificates and local search with soft partitions, weights of the objects and corrected agreement."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from robust_eac import (
    adjusted_agreement,
    agreement_test,
    certify,
    objective_value,
    optimality_gap,
    partition_losses,
    refine_labels,
    solve_median_partition,
)

from .. import reference
from ..access import LOSSES, Aim, Search, check_ensemble, encode_ensemble, resolve_weighting
from ..conftest import random_ensemble, random_membership
from ..solvers.test_soft_ensembles import planted_soft_ensemble, problems, random_soft_ensemble

CASES = pytest.mark.parametrize(
    ("missing", "weighted"),
    [(0.0, False), (0.0, True), (0.3, False), (0.3, True)],
    ids=["complete", "weighted", "incomplete", "weighted-incomplete"],
)


def with_copies(rng, labels, weight):
    """The objects of a problem, and some of them once more."""
    rows = np.r_[np.arange(len(labels[0])), rng.randint(len(labels[0]), size=4)]
    return [entry[rows] for entry in labels], None if weight is None else weight[rows]


def same_partition(a, b):
    return np.array_equal(a[:, None] == a, b[:, None] == b)


def pairs_of(labels, weight):
    return float(len(labels[0]) if weight is None else weight.sum()) ** 2


@CASES
def test_no_single_move_improves_the_refined_labels(rng, missing, weighted):
    for labels, weight, Y, weights in problems(rng, missing, weighted, count=12):
        labels, weight = with_copies(rng, labels, weight)
        k = Y.shape[1]
        start = rng.randint(k, size=len(labels[0]))
        result = refine_labels(labels, start, k, weights=weights, sample_weight=weight, random_state=0)
        assert result.converged
        tiny = 1e-9 * pairs_of(labels, weight)
        moves = reference.single_moves(labels, result.labels, weights, k, weight)
        assert moves.min() >= -tiny
        losses = reference.losses(labels, np.eye(k)[result.labels], sample_weight=weight)
        np.testing.assert_allclose(result.losses, losses, rtol=1e-9, atol=tiny)
        assert result.objective == pytest.approx(weights @ losses, rel=1e-9, abs=tiny)
        before = reference.objective(labels, np.eye(k)[start], weights, sample_weight=weight)
        assert result.gain == pytest.approx(before - weights @ losses, abs=tiny)
        assert result.gain >= 0.0


@CASES
def test_moves_are_those_of_the_slow_search_in_the_same_order(rng, missing, weighted):
    for case, (labels, weight, Y, weights) in enumerate(problems(rng, missing, weighted)):
        k, n = Y.shape[1], len(Y)
        weight = None if weight is None else np.maximum(weight, 0.1)
        start = rng.randint(k, size=n)
        # All objects differ, so rows and objects are in the same order.
        labels, weights = [*labels, random_membership(rng, n, 3)], np.append(0.9 * weights, 0.1)
        result = refine_labels(labels, start, k, weights=weights, sample_weight=weight, random_state=case)
        orders, clusters = np.random.RandomState(case), start.copy()
        for _ in range(50):
            before = clusters.copy()
            for i in orders.permutation(n):
                changes = reference.single_moves(labels, clusters, weights, k, weight)[i]
                if changes.min() < -1e-9 * pairs_of(labels, weight):
                    clusters[i] = changes.argmin()
            if np.array_equal(before, clusters):
                break
        assert same_partition(result.labels, clusters)


def test_every_pass_lowers_the_objective(rng):
    labels, weight = random_soft_ensemble(rng, 40, 6), rng.uniform(0.1, 3.0, size=40)
    start = rng.randint(4, size=40)
    values = [objective_value(labels, np.eye(4)[start], sample_weight=weight)]
    for passes in range(1, 20):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            result = refine_labels(labels, start, 4, max_passes=passes, sample_weight=weight, random_state=0)
        values.append(result.objective)
        if result.converged:
            break
    assert result.converged
    assert np.all(np.diff(values) <= 1e-9)
    again = refine_labels(labels, result.labels, 4, sample_weight=weight, random_state=1)
    assert (again.gain, again.n_moves) == (0.0, 0)


def test_copies_part_where_they_agree_with_themselves_by_less_than_half(rng):
    # Twelve copies: every pair has a target of 1/3, and apart misses it by less than together.
    labels = [np.full((12, 3), 1.0 / 3.0), np.full((12, 3), 1.0 / 3.0)]
    result = refine_labels(labels, np.zeros(12, dtype=int), 4, random_state=0)
    assert np.bincount(result.labels).tolist() == [3, 3, 3, 3]
    best = np.eye(4)[np.arange(12) % 4]
    assert result.objective == pytest.approx(objective_value(labels, best))
    assert reference.single_moves(labels, result.labels, np.array([0.5, 0.5]), 4).min() >= -1e-9


def test_copies_come_together_where_they_agree_with_themselves_by_more_than_half(rng):
    sharp = 0.9 * np.eye(3)[rng.randint(3, size=8)] + 0.1 / 3.0
    labels = [np.repeat(entry, 4, axis=0) for entry in (sharp, rng.randint(3, size=8), rng.randint(3, size=8))]
    result = refine_labels(labels, rng.randint(5, size=32), 5, random_state=0)
    assert np.all(result.labels.reshape(8, 4) == result.labels[::4, None])


def test_one_hot_memberships_give_the_hard_result(rng):
    labels = random_ensemble(rng, 40, 6)[rng.randint(40, size=60)]
    soft = [np.eye(4)[column] if u % 2 else column for u, column in enumerate(labels.T)]
    start, weights = rng.randint(4, size=60), rng.dirichlet(np.ones(6))
    one = refine_labels(labels, start, weights=weights, random_state=0)
    two = refine_labels(soft, start, weights=weights, random_state=0)
    np.testing.assert_array_equal(one.labels, two.labels)
    assert (one.n_moves, one.n_passes) == (two.n_moves, two.n_passes)
    assert two.objective == pytest.approx(one.objective, rel=1e-12)
    Y = random_membership(rng, 60, 3)
    for agreement in ("raw", "adjusted"):
        one = certify(labels, Y, weights=weights, agreement=agreement, weighting="l2")
        two = certify(soft, Y, weights=weights, agreement=agreement, weighting="l2")
        for a, b in zip((*one[:4], one.weight_gap, *one.trust), (*two[:4], two.weight_gap, *two.trust), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_list_of_vectors_with_weights_and_repeated_objects(rng, missing):
    labels = random_ensemble(rng, 20, 5, missing=missing)
    weight = rng.randint(1, 4, size=20)
    start, weights = rng.randint(4, size=20), rng.dirichlet(np.ones(5))
    result = refine_labels(labels, start, 4, weights=weights, sample_weight=weight, random_state=0)
    repeated = np.repeat(labels, weight, axis=0)
    np.testing.assert_allclose(
        result.losses, reference.losses(repeated, np.eye(4)[np.repeat(result.labels, weight)]), atol=1e-9
    )
    stays = refine_labels(repeated, np.repeat(result.labels, weight), 4, weights=weights, random_state=0)
    assert stays.n_moves == 0


def test_objects_without_weight_go_where_little_weight_would_take_them(rng):
    labels, weight = random_soft_ensemble(rng, 15, 4), rng.uniform(0.5, 2.0, size=15)
    start = rng.randint(3, size=15)
    weight[:5] = 0.0
    absent = refine_labels(labels, start, 3, sample_weight=weight, random_state=0)
    weight[:5] = 1e-9
    light = refine_labels(labels, start, 3, sample_weight=weight, random_state=0)
    np.testing.assert_array_equal(absent.labels, light.labels)
    Y = random_membership(rng, 15, 3)
    for agreement in ("raw", "adjusted"):
        weight[:5] = 0.0
        absent = certify(labels, Y, sample_weight=weight, agreement=agreement)
        weight[:5] = 1e-9
        light = certify(labels, Y, sample_weight=weight, agreement=agreement)
        for a, b in zip(absent[:4], light[:4], strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_matrices_follow_the_moves(rng, missing):
    labels, weight = random_soft_ensemble(rng, 40, 5, missing=missing), rng.uniform(0.2, 3.0, size=40)
    encoding = encode_ensemble(check_ensemble(labels), weight)
    weights, clusters = rng.dirichlet(np.ones(5)), rng.randint(4, size=40)
    search = Search(encoding, weights, Aim(LOSSES["binder"], 1.0, 4), clusters)
    search.settle(rng, 1)
    assert search.n_moves > 0
    fresh = Search(encoding, weights, Aim(LOSSES["binder"], 1.0, 4), search.clusters)
    for followed, found in zip(search._tables, fresh._tables, strict=True):
        np.testing.assert_allclose(followed, found, atol=1e-10)


@pytest.mark.parametrize("name", ["restricted-simplex", "l2"])
def test_weights_of_the_hard_consensus(rng, name):
    labels, weight = planted_soft_ensemble(rng, rng.randint(3, size=40), 9), rng.uniform(0.3, 2.0, size=40)
    options = {"lam0": 0.02} if name == "l2" else {}
    result = refine_labels(
        labels, rng.randint(3, size=40), 3, weighting=name, sample_weight=weight, random_state=0, **options
    )
    weighting = resolve_weighting(name, n_pairs=weight.sum() ** 2, n_partitions=9, **options)
    losses = reference.losses(labels, np.eye(3)[result.labels], sample_weight=weight)
    np.testing.assert_allclose(result.weights, weighting.solve(losses), rtol=1e-9)
    assert result.objective == pytest.approx(weighting.objective(losses, result.weights))
    certificate = certify(
        labels, np.eye(3)[result.labels], weights=result.weights, weighting=name, sample_weight=weight, **options
    )
    assert certificate.weight_gap == pytest.approx(0.0, abs=1e-12)
    assert certificate.move_costs.min() >= -1e-12


@pytest.mark.parametrize("diagonal", [True, False])
@CASES
def test_gaps_and_move_costs_equal_the_dense_reference(rng, missing, weighted, diagonal):
    for labels, weight, Y, weights in problems(rng, missing, weighted):
        (n, k), w = Y.shape, np.ones(len(Y)) if weight is None else weight
        result = certify(labels, Y, weights=weights, diagonal=diagonal, sample_weight=weight)
        gap = optimality_gap(labels, Y, weights=weights, diagonal=diagonal, sample_weight=weight)
        assert result.gap == pytest.approx(gap, rel=1e-12, abs=1e-15)
        assert result.gap == pytest.approx(w @ result.object_gaps / w.sum(), rel=1e-12, abs=1e-15)
        some, clusters = w > 0.0, Y.argmax(axis=1)
        g = reference.gradient(labels, Y, weights, diagonal, weight)
        gaps = (g * Y).sum(axis=1) - g.min(axis=1)
        np.testing.assert_allclose(
            result.object_gaps[some], gaps[some] / (4.0 * w.sum() * w[some]), rtol=1e-9, atol=1e-12
        )
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


def test_trust_counts_objects(rng):
    labels, Y = random_soft_ensemble(rng, 12, 4), random_membership(rng, 12, 3)
    weight = rng.randint(4, size=12)
    weight[:2] = 0, 3
    for one, other in zip(
        certify(labels, Y, sample_weight=weight).trust, agreement_test(labels, Y, sample_weight=weight), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@CASES
def test_gaps_of_the_adjusted_objective_by_central_differences(rng, missing, weighted):
    for labels, weight, Y, weights in problems(rng, missing, weighted, count=4):
        n, k = Y.shape
        w = np.ones(n) if weight is None else weight
        Y = 0.9 * Y + 0.1 / k

        def value(rows, labels=labels, weight=weight, weights=weights):
            return weights @ (1.0 - adjusted_agreement(labels, rows, sample_weight=weight))

        h, slopes = 1e-4, np.zeros((n, k))
        for i, p in np.ndindex(n, k):
            step = np.zeros_like(Y)
            step[i] = h * (np.eye(k)[p] - Y[i])
            slopes[i, p] = (value(Y + step) - value(Y - step)) / (2.0 * h)
        result = certify(labels, Y, weights=weights, agreement="adjusted", sample_weight=weight)
        # The gap counts pairs: the slopes times the losses that chance would give.
        # Partitions that tell nothing have no part in it.
        losses = partition_losses(labels, Y, sample_weight=weight)
        agreement = adjusted_agreement(labels, Y, sample_weight=weight)
        rates = np.divide(1.0 - agreement, losses, out=np.zeros_like(losses), where=agreement != 0.0)
        chance = 1.0 / (weights @ rates) if k > 1 else 0.0
        expected = -slopes.min(axis=1) * chance / w.sum() ** 2
        np.testing.assert_allclose(4.0 * w * result.object_gaps / w.sum(), expected, atol=2e-6)
        assert result.gap == pytest.approx(expected.sum() / 4.0, abs=1e-5)


@pytest.mark.parametrize("name", ["uniform", "restricted-simplex", "l2", "entropy"])
def test_a_solved_adjusted_consensus_is_certified(rng, name):
    labels, weight = planted_soft_ensemble(rng, rng.randint(3, size=50), 8), rng.uniform(0.3, 3.0, size=50)
    options = {"weighting": name, "agreement": "adjusted", "sample_weight": weight}
    if name == "l2":
        options["lam0"] = 0.05
    solved = solve_median_partition(labels, 3, n_init=2, tol=1e-8, max_iter=1000, random_state=0, **options)
    result = certify(labels, solved.membership, weights=solved.weights, **options)
    assert result.gap == pytest.approx(solved.gap, rel=1e-5, abs=1e-13)
    assert result.weight_gap == pytest.approx(0.0, abs=1e-10)
    other = certify(labels, solved.membership, weights=[1, 1, 1, 1, 1, 1, 1, 1.1], **options)
    assert other.weight_gap > 1e-12
    raw = certify(labels, solved.membership, weights=solved.weights, sample_weight=weight)
    np.testing.assert_array_equal(raw.move_costs, result.move_costs)
    assert raw.gap > result.gap


def test_units_do_not_depend_on_the_scale_of_the_weights(rng):
    labels, Y, weight = random_soft_ensemble(rng, 15, 4), random_membership(rng, 15, 3), rng.uniform(0.2, 2.0, size=15)
    # An object of weight above one has pairs with itself, which enter the expected agreement.
    for factor, options in ((5.0, {}), (0.1, {"agreement": "adjusted"})):
        one = certify(labels, Y, weighting="l2", sample_weight=0.5 * weight, **options)
        two = certify(labels, Y, weighting="l2", sample_weight=0.5 * factor * weight, **options)
        for a, b in zip((*one[:4], one.weight_gap), (*two[:4], two.weight_gap), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_inputs_stay(rng):
    labels, weight, Y = random_soft_ensemble(rng, 15, 4, missing=0.2), np.full(15, 0.5), random_membership(rng, 15, 3)
    copies = [entry.copy() for entry in labels], weight.copy(), Y.copy()
    refine_labels(labels, rng.randint(3, size=15), 3, sample_weight=weight, random_state=0)
    certify(labels, Y, sample_weight=weight, agreement="adjusted")
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(labels, copies[0], strict=True))
    assert np.array_equal(weight, copies[1])
    assert np.array_equal(Y, copies[2])


LABELS = [np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]), np.array([0, 0, 1])]


@pytest.mark.parametrize(
    ("function", "kwargs", "match"),
    [
        (certify, {"agreement": "best"}, "agreement must be one of 'raw', 'adjusted', got 'best'"),
        (certify, {"agreement": "adjusted", "diagonal": False}, "diagonal must be True with agreement"),
        (certify, {"weighting": "l2", "lam": 1.0, "lam0": 1.0}, "Only one of lam and lam0 may be given"),
        (certify, {"sample_weight": [1.0, 1.0]}, "sample_weight must have 3 values, one per sample, got 2"),
        (refine_labels, {"sample_weight": [1.0, -1.0, 1.0]}, "sample_weight must be non-negative"),
        (refine_labels, {"lam0": 0.1}, "rho, lam and lam0 need a weighting, got lam0=0.1 and weighting=None"),
        (refine_labels, {"labels": [LABELS[0][:2], LABELS[1]]}, r"labels\[1\] must be a label vector"),
    ],
)
def test_errors(function, kwargs, match):
    second = {"membership": np.eye(2)[[0, 0, 1]]} if function is certify else {"consensus": [0, 0, 1]}
    with pytest.raises(ValueError, match=match):
        function(**{"labels": LABELS} | second | kwargs)
