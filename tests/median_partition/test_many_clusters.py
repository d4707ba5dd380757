"""Memberships in hundreds of clusters, which are dense, and those that would be too large."""

import numpy as np
import pytest
from scipy import sparse

from robust_eac import (
    RobustEAC,
    adjusted_agreement,
    adjusted_rand_score,
    agreement_test,
    certify,
    objective_value,
    optimality_gap,
    partition_losses,
    solve_hard_median_partition,
    solve_median_partition,
    solve_membership,
)

from .. import reference
from ..access import _starts, check_ensemble, encode_ensemble, initial_rows
from ..conftest import planted_ensemble

N, K = 60, 20
SOLVERS = {
    "RobustEAC": lambda labels, k: RobustEAC(k).fit(labels),
    "chance-corrected": lambda labels, k: solve_median_partition(labels, k, weighting="chance-corrected"),
    "adjusted": lambda labels, k: solve_median_partition(labels, k, agreement="adjusted"),
    "solve_median_partition": solve_median_partition,
    "solve_membership": solve_membership,
}
MEASURES = adjusted_agreement, agreement_test, certify, objective_value, optimality_gap, partition_losses


@pytest.fixture
def small_is_large(monkeypatch):
    """Let memberships of more than 1,000 entries be too large."""
    monkeypatch.setattr("robust_eac.validation.MAX_DENSE", 1000)


@pytest.fixture
def ensemble(rng):
    return planted_ensemble(rng, np.arange(N) % K, 6)


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_solvers_refuse_memberships_that_are_too_large(solver, ensemble, small_is_large):
    message = r"n_clusters must be at most 16 for 60 objects.*got 20: .*solve_hard_median_partition\(labels, n_clusters"
    with pytest.raises(ValueError, match=message):
        solver(ensemble, K)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
def test_measures_refuse_memberships_that_are_too_large(measure, form, ensemble, small_is_large):
    message = r"membership.shape\[1\] must be at most 16 for 60 objects.*got 20: .*solve_hard_median_partition"
    with pytest.raises(ValueError, match=message):
        measure(ensemble, form(np.eye(K)[np.arange(N) % K]))


def test_hard_partitions_may_have_more_clusters(rng, monkeypatch):
    # The tables of 6 K base clusters are smaller than a membership of 300 objects.
    monkeypatch.setattr("robust_eac.validation.MAX_DENSE", 250 * K)
    truth = np.arange(300) % K
    labels = planted_ensemble(rng, truth, 6)
    result = solve_hard_median_partition(labels, K, weighting="restricted-simplex", random_state=0)
    assert adjusted_rand_score(result.labels, truth) > 0.95
    with pytest.raises(ValueError, match="a membership of"):
        RobustEAC(K).fit(labels)


def test_memberships_of_just_that_size_are_found(rng, monkeypatch):
    monkeypatch.setattr("robust_eac.validation.MAX_DENSE", N * K)
    assert solve_membership(planted_ensemble(rng, np.arange(N) % K, 6), K, random_state=0).membership.shape == (N, K)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_hundreds_of_clusters(missing, rng):
    """Weights, membership and measures are those of slow, obvious code."""
    truth = rng.permutation(np.arange(900) % 300)
    labels = planted_ensemble(rng, truth, 12, noise=0.1, n_random=2)
    labels[:, :2][rng.uniform(size=(900, 2)) < missing] = -1
    model = RobustEAC(300, n_init=2, random_state=0).fit(labels)
    assert model.converged_
    assert model.weights_[10:].max() < 1e-12
    assert adjusted_rand_score(model.labels_, truth) > 0.9
    losses = reference.losses(labels, model.membership_)
    np.testing.assert_allclose(model.losses_, losses, rtol=1e-9)
    assert model.objective_ == pytest.approx(model.weights_ @ losses, rel=1e-9)
    assert model.gap_ == pytest.approx(reference.gap(labels, model.membership_, model.weights_), rel=1e-6)
    np.testing.assert_allclose(model.agreements_, adjusted_agreement(labels, model.membership_), rtol=1e-9)
    # Objects of the fit go where they are; one of which nothing is known is in all clusters alike.
    known = np.flatnonzero((labels[:, model.weights_ > 0.0] != -1).all(axis=1))[:40]
    assert np.mean(model.predict(labels[known]) == model.labels_[known]) > 0.95
    unknown = np.where(model.weights_ > 0.0, -1, labels[:1])
    np.testing.assert_allclose(model.predict_membership(unknown), 1.0 / 300)


@pytest.mark.parametrize("limit", [5, 12, 50])
def test_the_start_puts_objects_one_by_one_where_they_cost_least(limit, rng, monkeypatch):
    monkeypatch.setattr(_starts, "FEW", 1)
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
