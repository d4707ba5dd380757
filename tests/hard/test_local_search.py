"""The search from a given partition, for Binder's loss, without dissolving clusters: moves of objects and of groups."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from robust_eac import objective_value, solve_hard_median_partition

from .. import reference
from ..access import _multistart
from ..conftest import random_ensemble, same_partition


@pytest.fixture(autouse=True)
def moves_alone(monkeypatch):
    """No cluster is dissolved."""
    monkeypatch.setattr(_multistart, "_THOROUGH_WORK", 0)


def search_from(labels, start, n_clusters=None, *, random_state=0, **options):
    """The result of the search from a partition, with at most as many clusters as it has, or a given number."""
    n_clusters = n_clusters or len(np.unique(start))
    return solve_hard_median_partition(labels, n_clusters, init=start, random_state=random_state, **options)


@pytest.mark.parametrize("missing", [0.0, 0.3], ids=["complete", "incomplete"])
def test_no_move_of_a_group_improves_the_result(rng, missing):
    for k in (1, 2, 2, 3, 3, 4):
        labels = random_ensemble(rng, 6, 5, missing=missing)[np.r_[0:6, rng.randint(6, size=6)]]
        weights = rng.dirichlet(np.ones(5))
        result = search_from(labels, rng.randint(k, size=12), k, weights=weights, random_state=0)
        assert result.converged
        assert reference.group_moves(labels, result.labels, weights, k).min() >= -1e-9 * 144


@pytest.mark.parametrize(("missing", "weighted"), [(0.0, False), (0.3, True)], ids=["complete", "weighted-incomplete"])
def test_moves_are_those_of_the_slow_search_in_the_same_order(rng, missing, weighted):
    for case in range(4):
        n, k = rng.randint(4, 22), rng.randint(1, 5)
        # All objects differ, so rows and objects are in the same order.
        labels = np.column_stack([random_ensemble(rng, n, 4, missing=missing), rng.permutation(n)])
        weights, start = rng.dirichlet(np.ones(5)), rng.randint(k, size=n)
        weight = rng.choice([0.1, 0.3, 1.0, 2.5], size=n) if weighted else np.ones(n)
        result = search_from(labels, start, k, weights=weights, sample_weight=weight, random_state=case)
        seed = np.random.RandomState(case).randint(2**31 - 1, size=16)[0]
        orders, clusters, before = np.random.RandomState(seed), start.copy(), None
        while not np.array_equal(before, clusters):
            before = clusters.copy()
            for i in orders.permutation(n):
                changes = reference.single_moves(labels, clusters, weights, k, weight)[i]
                if changes.min() < -1e-9 * weight.sum() ** 2:
                    clusters[i] = changes.argmin()
        assert same_partition(result.labels, clusters)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_pass_lowers_the_objective_and_a_result_stays(rng):
    labels, start = random_ensemble(rng, 40, 7), rng.randint(4, size=40)
    results = [search_from(labels, start, 4, max_passes=passes) for passes in range(1, 20)]
    values = [objective_value(labels, np.eye(4)[start]) / 1600, *(result.objective for result in results)]
    assert np.all(np.diff(values) <= 1e-12)
    assert values[0] > values[1] > values[-1]
    assert all(result.n_passes <= passes for passes, result in enumerate(results, start=1))
    assert not results[0].converged
    with pytest.warns(ConvergenceWarning, match="max_passes=1"):
        search_from(labels, start, 4, max_passes=1)
    again = search_from(labels, results[-1].labels, 4, random_state=1)
    assert np.array_equal(again.labels, results[-1].labels)
    assert again.n_passes == 1


def test_a_group_leaves_where_no_single_object_would():
    # Five identical objects: alone, each prefers to stay with the other four; together they belong to the left.
    labels = np.array([[0, 0, 1, 1]] * 5 + [[0, 0, 0, 2]] * 6 + [[1, 2, 1, 1]])
    start = np.array([1] * 5 + [0] * 6 + [1])
    weights = np.array([0.3, 0.3, 0.3, 0.1])
    assert reference.single_moves(labels, start, weights, 2)[0].min() == 0.0
    assert reference.group_moves(labels, start, weights, 2)[0].min() < 0.0
    result = search_from(labels, start, weights=weights, random_state=0)
    assert len(set(result.labels[:11])) == 1


def test_objects_without_weight_go_where_little_weight_would_take_them(rng):
    labels, weight, start = random_ensemble(rng, 15, 4), rng.uniform(0.5, 2.0, size=15), rng.randint(3, size=15)
    none, little = (np.where(np.arange(15) < 5, least, weight) for least in (0.0, 1e-9))
    found = (search_from(labels, start, 3, sample_weight=each).labels for each in (none, little))
    assert np.array_equal(*found)
