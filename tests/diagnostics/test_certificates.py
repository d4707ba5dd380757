"""Certificates: stationarity, moves, trust and weights, with weights of objects and missing labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robust_eac import agreement_test, certify, optimality_gap

from .. import reference
from ..conftest import random_ensemble, random_membership
from ..median_partition.test_dense_reference import problems


@pytest.mark.parametrize(("missing", "weighted"), [(0.0, False), (0.3, True)], ids=["complete", "weighted-incomplete"])
def test_gaps_and_move_costs_equal_the_dense_reference(rng, missing, weighted):
    for labels, weight, Y, weights in problems(rng, missing, weighted):
        (n, k), w = Y.shape, np.ones(len(Y)) if weight is None else weight
        result = certify(labels, Y, weights=weights, sample_weight=weight)
        gap = optimality_gap(labels, Y, weights=weights, sample_weight=weight)
        assert result.gap == pytest.approx(gap, rel=1e-12, abs=1e-15)
        assert result.gap == pytest.approx(w @ result.object_gaps / w.sum(), rel=1e-12, abs=1e-15)
        some, clusters = w > 0.0, Y.argmax(axis=1)
        g = reference.gradient(labels, Y, weights, sample_weight=weight)
        gaps = ((g * Y).sum(axis=1) - g.min(axis=1))[some] / (4.0 * w.sum() * w[some])
        assert_allclose(result.object_gaps[some], gaps, rtol=1e-9, atol=1e-12)
        changes = reference.single_moves(labels, clusters, weights, k, weight)
        changes[np.arange(n), clusters] = np.inf
        costs = changes.min(axis=1)[some] / (2.0 * w.sum() * w[some])
        assert_allclose(result.move_costs[some], costs, rtol=1e-9, atol=1e-11)
        if not missing and k > 1:
            assert np.abs(result.move_costs).max() <= 1.0
        if np.any((w > 0.0) & (w < 1.0)):
            assert result.trust is None
        else:
            for one, other in zip(result.trust, agreement_test(labels, Y, sample_weight=weight), strict=True):
                assert_array_equal(one, other)


def test_objects_without_weight_are_looked_at_with_a_little_of_it(rng):
    labels, Y = random_ensemble(rng, 15, 4), random_membership(rng, 15, 3)
    found, weight = [], rng.uniform(0.5, 2.0, size=15)
    for little in (0.0, 1e-9):
        weight[:5] = little
        found.append(certify(labels, Y, sample_weight=weight)[:4])
    for a, b in zip(*found, strict=True):
        assert_allclose(a, b, atol=1e-6)


def test_margins(rng):
    Y = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.5, 0.3]])
    labels = random_ensemble(rng, 3, 2)
    assert_allclose(certify(labels, Y).margins, [1.0, 0.0, 0.2])
    alone = certify(labels, np.ones((3, 1)))
    assert np.array_equal(alone.margins, np.ones(3))
    assert np.array_equal(alone.move_costs, np.full(3, np.inf))
    assert alone.gap == 0.0
    assert np.array_equal(certify(np.array([[4]]), np.eye(2)[[0]]).margins, [1.0])
