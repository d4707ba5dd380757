"""Weights of the objects."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robust_eac import RobustEAC, partition_losses, solve_median_partition, solve_membership

from .. import reference
from ..conftest import planted_ensemble, random_ensemble, random_membership
from .test_dense_reference import repeated


def test_weight_is_repetition(rng):
    labels, times = random_ensemble(rng, 15, 5, missing=0.2), rng.randint(1, 4, size=15)
    many = repeated(labels, times)
    Y, weights = random_membership(rng, 15, 3), rng.uniform(size=5)
    # Repeated objects share a row, so that the same start leads to the same solution.
    options = {"weights": weights, "tol": 1e-9, "max_sweeps": 20000, "random_state": 0}
    first = solve_membership(labels, 3, init=Y, sample_weight=times, **options)
    second = solve_membership(many, 3, init=repeated(Y, times), **options)
    assert_allclose(repeated(first.membership, times), second.membership, atol=1e-9)


def test_the_scale_of_weights_does_not_matter(rng):
    labels, Y = random_ensemble(rng, 20, 4, missing=0.2), random_membership(rng, 20, 3)
    weight = rng.uniform(size=20)
    options = {"weighting": "l2", "random_state": 0}
    losses = partition_losses(labels, Y, sample_weight=weight)
    expected = solve_median_partition(labels, 3, sample_weight=weight, **options)
    # Powers of two scale without rounding.
    for scale in (2.0**-60, 2.0, 2.0**60):
        scaled = partition_losses(labels, Y, sample_weight=scale * weight)
        assert_allclose(scaled, scale**2 * losses, rtol=1e-15)
        result = solve_median_partition(labels, 3, sample_weight=scale * weight, **options)
        assert np.array_equal(result.membership, expected.membership)


def test_objects_without_weight_change_nothing_and_find_their_place(rng):
    n = 60
    labels = planted_ensemble(rng, np.arange(n) // 2 % 3, 6)
    labels[rng.uniform(size=n) < 0.2, 0] = -1
    weight = np.where(np.arange(n) % 3 == 1, 0.0, rng.uniform(0.5, 2.0, size=n))
    kept = weight > 0.0
    options = {"tol": 1e-10, "max_sweeps": 20000, "random_state": 0}
    result = solve_membership(labels, 3, sample_weight=weight, **options)
    expected = solve_membership(labels[kept], 3, sample_weight=weight[kept], **options)
    # Rounding decides which cluster is which.
    grams = [Y @ Y.T for Y in (result.membership[kept], expected.membership)]
    assert_allclose(*grams, atol=1e-5)
    assert result.objective == pytest.approx(expected.objective, rel=1e-9)
    # The others being fixed, no membership of an object without weight is better, its own pair aside.
    gram_terms = list(reference.pair_terms(labels))
    Y = result.membership
    scale = [(weight.sum() / weight[np.diag(pairs) > 0].sum()) ** 2 for _, pairs, _ in gram_terms]
    for i in np.flatnonzero(~kept):
        slope = sum(
            s * (pairs[i] * weight * (Y @ Y[i] - together[i])) @ Y
            for s, (together, pairs, _) in zip(scale, gram_terms, strict=True)
        )
        assert slope @ Y[i] - slope.min() <= 1e-6 * weight.sum()


def test_labels_have_no_holes_where_memberships_are_equal():
    # The membership of the second object, which only a partition without weight observes, is uniform.
    labels = np.array([[1, 2], [1, -1], [1, 0], [1, 0], [1, 0]])
    model = RobustEAC(3, weighting=[0, 1], random_state=16, n_init=1).fit(labels, sample_weight=[1, 0, 1, 1, 1])
    assert np.array_equal(model.labels_, [0, 0, 1, 1, 1])
    assert model.n_clusters_found_ == 2
