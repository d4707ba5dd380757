"""Memberships in hundreds of clusters, which are dense, and those that would be too large."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robust_eac import (
    RobustEAC,
    adjusted_rand_score,
    solve_hard_median_partition,
    solve_median_partition,
    solve_membership,
)

from .. import reference
from ..access import _starts, check_ensemble, encode_ensemble, initial_rows
from ..conftest import planted_ensemble


def test_memberships_that_are_too_large_are_refused_and_hard_partitions_are_not(rng, monkeypatch):
    k = 20
    # The tables of 6 k base clusters are smaller than a membership of 300 objects.
    monkeypatch.setattr("robust_eac.validation.MAX_DENSE", 250 * k)
    truth = np.arange(300) % k
    labels = planted_ensemble(rng, truth, 6)
    result = solve_hard_median_partition(labels, k, weighting="restricted-simplex", random_state=0)
    assert adjusted_rand_score(result.labels, truth) > 0.95
    for solve in (solve_membership, solve_median_partition, lambda labels, k: RobustEAC(k).fit(labels)):
        with pytest.raises(ValueError, match=r"n_clusters.*solve_hard"):
            solve(labels, k)
    assert solve_membership(labels[:250], k, random_state=0).membership.shape == (250, k)


def test_hundreds_of_clusters(missing, rng):
    """Weights, membership and measures are those of slow, obvious code."""
    truth = rng.permutation(np.arange(600) % 200)
    labels = planted_ensemble(rng, truth, 12, noise=0.1, n_random=2)
    labels[:, :2][rng.uniform(size=(600, 2)) < missing] = -1
    model = RobustEAC(200, n_init=2, random_state=0).fit(labels)
    assert model.converged_
    assert model.weights_[10:].max() < 1e-12
    assert adjusted_rand_score(model.labels_, truth) > 0.9
    losses = reference.losses(labels, model.membership_)
    assert_allclose(model.losses_, losses, rtol=1e-9)
    assert model.gap_ == pytest.approx(reference.gap(labels, model.membership_, model.weights_), rel=1e-6)


@pytest.mark.parametrize("limit", [5, 12, 50])
def test_the_start_puts_objects_one_by_one_where_they_cost_least(limit, rng, monkeypatch):
    monkeypatch.setattr(_starts, "_FEW", 1)
    labels = planted_ensemble(rng, np.arange(50) % 12, 6, noise=0.3)
    encoding = encode_ensemble(check_ensemble(labels))
    found = initial_rows(encoding, limit, "random", np.random.RandomState(7)).argmax(axis=1)
    used, order = set(), np.random.RandomState(7).permutation(50)
    for i, costs in reference.costs_in_order(labels, order, found):
        if found[i] not in used:
            assert min(costs.values(), default=0.0) > -1e-12
        elif costs:
            assert costs[found[i]] <= min([*costs.values()] + [0.0] * (len(used) < limit)) + 1e-12
        used.add(found[i])
    assert 1 < len(used) <= limit
