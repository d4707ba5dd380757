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

from ..access import _multistart, adjusted_agreements, check_ensemble, encode_ensemble
from ..conftest import planted_ensemble, random_ensemble


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


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_agreements_are_those_of_the_membership(rng, missing):
    labels, clusters = random_ensemble(rng, 120, 8, max_clusters=40, missing=missing), rng.randint(40, size=120)
    for weight in (None, rng.randint(0, 4, size=120), rng.uniform(0.1, 3.0, size=120)):
        encoding = encode_ensemble(check_ensemble(labels), weight)
        expected = adjusted_agreements(encoding, np.eye(40)[clusters])
        np.testing.assert_allclose(_multistart.agreements_with(encoding, clusters), expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(("work", "sequential"), [(10**9, False), (0, True)])
def test_relaxed_starts_in_many_clusters(work, sequential, rng, monkeypatch):
    """Large problems start like "sequential" ones."""
    monkeypatch.setattr(_multistart, "_RELAXED_WORK", work)
    monkeypatch.setattr(_multistart, "_RELAXED_CLUSTERS", 16)
    starts, start = [], np.zeros(120, dtype=int)
    monkeypatch.setattr(_multistart, "_relaxed", lambda *arguments: starts.append(arguments) or start)
    labels = random_ensemble(rng, 120, 8, max_clusters=40)
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
