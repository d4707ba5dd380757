"""Hard partitions with many clusters, compared with obvious code, and limits to their number."""

import numpy as np
import pytest

from robust_eac import (
    adjusted_rand_score,
    credible_ball,
    expected_losses,
    hard_partition_losses,
    reassignment_costs,
    solve_hard_median_partition,
)

from .. import reference
from ..access import _multistart, adjusted_agreements, check_ensemble, encode_ensemble
from ..conftest import planted_ensemble

N = 120
OF_BOTH = pytest.mark.parametrize(("name", "cost"), [("binder", 1.0), ("binder", 0.6), ("vi", 1.0), ("vi", 1.4)])
KINDS = ("complete", "missing", "repeated", "weighted")


def problem(kind, seed=0, n=N, k=40, m=8):
    """(labels, sample weights, encoding, weights of the partitions) of a noisy ensemble of many small clusters."""
    rng = np.random.RandomState(seed)
    labels = planted_ensemble(rng, rng.permutation(np.arange(n) % k), m, noise=0.4)
    sample_weight = None
    if kind == "missing":
        hidden = rng.uniform(size=labels.shape) < 0.2
        # Objects that no partition observes together could share a cluster or not.
        hidden[:, 0] = False
        labels = np.where(hidden, -1, labels)
    if kind == "repeated":
        sample_weight = rng.randint(0, 4, size=n).astype(float)
    if kind == "weighted":
        sample_weight = rng.uniform(0.1, 3.0, size=n)
    encoding = encode_ensemble(check_ensemble(labels), sample_weight)
    return labels, sample_weight, encoding, rng.dirichlet(np.full(m, 4.0))


@OF_BOTH
@pytest.mark.parametrize("kind", KINDS)
def test_no_single_move_is_left(name, cost, kind):
    """By the losses as they are defined; new clusters included where there may be more."""
    labels, weight, _, weights = problem(kind, seed=5, n=24, k=8, m=4)
    for limit in (None, 5):
        options = {"weights": weights, "sample_weight": weight, "loss": name, "cost": cost, "n_init": 2}
        found = solve_hard_median_partition(labels, limit, random_state=0, **options)
        assert found.converged
        near = reference.moved_and_merged(found.labels, limit or 24)
        near = near[len(near) - 24 * min(found.n_clusters + 1, limit or 24) :]
        values = reference.hard_losses(name, cost, labels, near, weight) @ weights
        assert values.min() >= found.objective - 1e-12
        expected = reference.hard_losses(name, cost, labels, found.labels, weight) @ weights
        assert found.objective == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("given", "least"), [(False, 0.9), (True, 0.6)])
def test_thousands_of_objects_in_hundreds_of_clusters(given, least):
    rng = np.random.RandomState(0)
    truth = rng.permutation(np.arange(1500) % 300)
    labels = planted_ensemble(rng, truth, 8, noise=0.1, n_random=2)
    # Half of the objects are scattered.
    start = np.where(rng.uniform(size=1500) < 0.5, rng.randint(300, size=1500), truth) if given else "mixed"
    options = {"weighting": "chance-corrected", "init": start, "n_init": 2, "random_state": 0}
    found = solve_hard_median_partition(labels, **options)
    assert found.converged
    assert adjusted_rand_score(found.labels, truth) > least
    assert found.weights[6:].max() == 0.0
    np.testing.assert_allclose(hard_partition_losses(labels, found.labels), found.losses, atol=1e-12)
    assert reassignment_costs(labels, found.labels, weights=found.weights).rises.min() >= -1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_agreements_are_those_of_the_membership(kind):
    _, _, encoding, _ = problem(kind)
    clusters = np.random.RandomState(1).randint(40, size=N)
    expected = adjusted_agreements(encoding, np.eye(40)[clusters])
    np.testing.assert_allclose(_multistart.agreements_with(encoding, clusters), expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(("work", "sequential"), [(10**9, False), (0, True)])
def test_relaxed_starts_in_many_clusters(work, sequential, rng, monkeypatch):
    """Large problems start like "sequential" ones."""
    monkeypatch.setattr(_multistart, "_RELAXED_WORK", work)
    monkeypatch.setattr(_multistart, "_RELAXED_CLUSTERS", 16)
    truth = rng.permutation(np.arange(N) % 40)
    labels = planted_ensemble(rng, truth, 8, noise=0.4)
    starts = []
    monkeypatch.setattr(_multistart, "_relaxed", lambda *arguments: starts.append(arguments) or np.zeros(N, dtype=int))
    solve_hard_median_partition(labels, 40, init="relaxed", n_init=1, random_state=0)
    assert (starts == []) == sequential


LABELS = np.column_stack([np.roll(np.arange(40), u) // 2 for u in range(4)])


@pytest.mark.parametrize(
    ("function", "options", "match"),
    [
        (solve_hard_median_partition, {"n_clusters": 6}, "n_clusters must be at most 5 with 80 base clusters"),
        (solve_hard_median_partition, {"init": np.arange(40) % 6}, "clusters of init"),
        (solve_hard_median_partition, {"init": "partitions"}, "a column of labels"),
        (hard_partition_losses, {"partition": np.arange(40) % 6}, "clusters of partition"),
        (reassignment_costs, {"partition": np.arange(40) % 6}, "clusters of partition"),
        (credible_ball, {"partition": np.arange(40) % 6}, "clusters of partition"),
        (expected_losses, {}, "a column of labels"),
    ],
)
def test_tables_that_are_too_large_are_refused(function, options, match, monkeypatch):
    """More than 400 numbers: five clusters fit with 80 base clusters."""
    monkeypatch.setattr("robust_eac.validation.MAX_DENSE", 400)
    with pytest.raises(ValueError, match=match):
        function(LABELS, **options)
    assert solve_hard_median_partition(LABELS, 5, init=np.arange(40) % 5, random_state=0).n_clusters == 5


def test_a_search_without_a_limit_opens_no_more_clusters_than_tables_have_room_for(monkeypatch):
    assert solve_hard_median_partition(LABELS, n_init=2, random_state=0).n_clusters > 5
    monkeypatch.setattr("robust_eac.validation.MAX_DENSE", 400)
    for init in ("mixed", np.arange(40) % 3):
        result = solve_hard_median_partition(LABELS, bound=True, init=init, n_init=2, random_state=0)
        assert 1 < result.n_clusters <= 5
        # Of all partitions, not only of these.
        assert result.bound < 0.8 * result.objective
