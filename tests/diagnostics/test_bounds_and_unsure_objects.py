"""The two figures of a certificate that one can read: the distance to a bound, and the ambiguous objects."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robust_eac import (
    RobustEAC,
    consensus_lower_bound,
    objective_value,
    reassignment_costs,
    solve_hard_median_partition,
)

from ..access import _certificates, encode, weigh
from ..conftest import planted_ensemble, random_membership


def _ensemble(rng, n=60, k=3, noise=0.35, missing=0.0):
    return planted_ensemble(rng, np.arange(n) % k, 9, noise=noise, n_random=2, missing=missing)


def _assessed(model, labels, **options):
    arguments = encode(labels), model.weights_, model.membership_, model.labels_
    return _certificates.assess_membership(*arguments, **options)[0]


def test_the_bound_is_one(rng, monkeypatch, missing):
    labels = _ensemble(rng, missing=missing)
    model = RobustEAC(3, n_init=2, random_state=0).fit(labels)
    found = _assessed(model, labels)
    full = consensus_lower_bound(labels, n_clusters=3, weights=model.weights_).bound / 60**2
    loss = objective_value(labels, model.membership_, weights=model.weights_) / 60**2
    assert found.unbounded is None
    assert found.loss == pytest.approx(loss)
    # Where the first bound is near enough the others are left out.
    assert min(0.999 * loss, 0.999 * full) <= found.bound <= full * (1.0 + 1e-9)
    assert found.excess == pytest.approx(found.loss / found.bound - 1.0)
    # 11 partitions have more than 10 clusters.
    monkeypatch.setattr(_certificates, "MOST_PAIRED", 10)
    found = _assessed(model, labels)
    assert (found.bound, found.excess) == (None, None)
    assert ("missing" if missing else "10 base clusters") in found.unbounded


def test_a_loss_of_zero_with_missing_labels_has_a_bound():
    labels = np.repeat([[0, 0, -1], [1, 1, 1]], 5, axis=0)
    labels[0, 2] = 0
    found = _assessed(RobustEAC(2, weighting="uniform", random_state=0).fit(labels), labels)
    assert (found.unbounded, found.excess) == (None, 0.0)


def test_many_objects_have_a_bound_without_pairs(rng, monkeypatch):
    n = 100
    labels = _ensemble(rng, n=n, k=4)
    model = RobustEAC(4, n_init=2, random_state=0).fit(labels)
    exact = _assessed(model, labels)
    hard = solve_hard_median_partition(labels, 4, weights=model.weights_, random_state=0)
    full = consensus_lower_bound(labels, n_clusters=4, weights=model.weights_, hard=True).bound / n**2
    arguments = encode(labels), hard.weights, hard.labels, 4
    near = _certificates.assess_partition(*arguments, 1.0)[0]
    assert near.loss == pytest.approx(hard.objective)
    assert full * 0.99 <= near.bound <= hard.objective
    for name, value in (("bound_memberships", None), ("MOST_PAIRED", 90), ("bound_partitions", None)):
        monkeypatch.setattr(_certificates, name, value)
    # It was enough above, too.
    assert _assessed(model, labels) == exact
    assert exact.unbounded is None
    assert 0.0 < exact.excess < 1e-3
    # Of partitions it is the bound on all memberships: valid, and loose.
    loose = _certificates.assess_partition(*arguments, 1.0)[0]
    assert loose.bound == pytest.approx(exact.bound)
    assert 0.0 < loose.bound <= full
    assert "cost" in _certificates.assess_partition(*arguments, 1.5)[0].unbounded


@pytest.mark.parametrize("limit", [None, "found"])
@pytest.mark.parametrize("cost", [1.0, 1.4])
def test_ambiguous_objects_of_a_partition(rng, limit, cost):
    labels = _ensemble(rng, noise=0.6)
    result = solve_hard_median_partition(labels, cost=cost, random_state=0)
    most = len(labels) if limit is None else result.n_clusters
    found = _certificates.assess_partition(encode(labels), result.weights, result.labels, most, cost)[0]
    assert 1 < result.n_clusters < 60
    assert found.n_gaining == 0
    rises = 60 * reassignment_costs(labels, result.labels, cost=cost).rises
    n_ambiguous = np.count_nonzero(rises < 0.1 * result.objective)
    # Without room for a new cluster fewer moves are cheap. An object that is alone gains nothing by being alone.
    assert found.n_ambiguous == n_ambiguous if limit is None else found.n_ambiguous < n_ambiguous


def test_perfect_agreement_and_a_single_cluster():
    labels = np.tile(np.arange(40)[:, np.newaxis] % 4, 6)
    found = _assessed(RobustEAC(4, random_state=0, init=labels[:, 0]).fit(labels), labels)
    assert (found.loss, found.bound) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert (found.n_ambiguous, found.n_gaining, found.excess) == (0, 0, 0.0)
    assert found._replace(loss=1e-3).excess is None
    exact = _certificates.assess_partition(encode(labels), np.full(6, 1 / 6), np.arange(40) % 4, 4, 1.0)[0]
    assert exact == (0.0, 0.0, None, 0, 0, None, None, None)
    found = _assessed(RobustEAC(1, random_state=0).fit(labels), labels)
    assert found.excess == pytest.approx(0.0, abs=1e-3)
    assert (found.n_ambiguous, found.n_gaining) == (0, 0)


def test_objects_without_weight_are_not_counted(rng):
    labels, n_ambiguous = _ensemble(rng, noise=0.6), set()
    membership, weights = random_membership(rng, 60, 3), np.full(9, 1 / 9)
    for _ in range(5):
        weight = rng.randint(3, size=60).astype(float)
        kept = weight > 0.0
        arguments = weights, membership, membership.argmax(axis=1)
        found = _certificates.assess_membership(weigh(encode(labels), weight), *arguments)[0]
        arguments = weights, membership[kept], membership[kept].argmax(axis=1)
        fewer = _certificates.assess_membership(weigh(encode(labels[kept]), weight[kept]), *arguments)[0]
        assert_allclose(found[:2], fewer[:2], rtol=1e-9)
        assert found[2:] == fewer[2:]
        n_ambiguous.add(found.n_ambiguous)
    assert len(n_ambiguous) > 1
