"""Paper 001's experiments: the measures they compute themselves, against the library's; and their data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from experiments.linear_eac import linear_eac, linear_eac_data, linear_eac_starts
from robust_eac import CONSENSUS_FUNCTIONS

from ..conftest import random_ensemble


def test_abalones_have_the_eight_features_the_paper_lists(monkeypatch):
    rows = np.column_stack([np.eye(3)[[0, 1, 2, 2]], np.random.RandomState(0).uniform(size=(4, 7))])
    monkeypatch.setattr(linear_eac_data, "load_dataset", lambda name: (rows, np.arange(4)))
    linear_eac_data.features.cache_clear()
    X, _ = linear_eac_data.features("abalone")
    without, _ = linear_eac_data.features(linear_eac_data.VARIANT)
    linear_eac_data.features.cache_clear()
    assert X.shape == (4, 8)
    assert_allclose(np.diff(X[:, 0]), [X[1, 0] - X[0, 0]] * 2 + [0.0])
    assert X[1, 0] > X[0, 0]
    assert_array_equal(X[:, 1:], without)


@pytest.mark.parametrize("system", linear_eac_starts.LOSSES)
def test_what_the_library_finds_is_where_the_experiments_lloyd_stays(rng, system):
    labels = random_ensemble(rng, 200, 6, max_clusters=5)
    found = CONSENSUS_FUNCTIONS[system](labels, linear_eac.N_CLUSTERS, random_state=0)
    rows, k = linear_eac_starts.one_hot(labels), linear_eac.N_CLUSTERS

    def lloyd(clusters):
        return linear_eac_starts.lloyd(rows, clusters, linear_eac_starts.LOSSES[system], k)

    again, loss = lloyd(found)
    assert_array_equal(again, found)
    for start in (linear_eac_starts.random_objects, linear_eac_starts.random_partition):
        clusters, _ = lloyd(start(labels, k, rng))
        assert set(clusters) == set(range(k))
        assert_array_equal(lloyd(clusters)[0], clusters)
    if system == "kmeans":
        assert loss == pytest.approx(labels.size * (1.0 - linear_eac.diagonal_density(labels, found)))


@pytest.mark.parametrize("kind", linear_eac_starts.STARTS)
def test_bisecting_splits_the_largest_cluster_whose_objects_differ(kind, monkeypatch):
    # The largest group cannot be split; of the others the larger one is.
    labels = np.repeat([[0, 0, 0], [1, 1, 0], [1, 1, 1], [2, 2, 2], [2, 2, 3]], [60, 20, 25, 5, 6], axis=0)
    monkeypatch.setattr(linear_eac_starts, "N_CLUSTERS", 4)
    found = linear_eac_starts.best_of(labels, linear_eac_starts.BISECTING, kind, 3)[1]
    assert sorted(np.bincount(found)) == [11, 20, 25, 60]


def test_more_starts_lose_no_more_and_greedy_ones_are_those_of_the_library(rng):
    labels = random_ensemble(rng, 100, 6, max_clusters=5)
    for kind in linear_eac_starts.STARTS:
        found = linear_eac_starts.best_of(labels, "kmeans", kind, 3)
        one, ten = (linear_eac.diagonal_density(labels, each) for each in found)
        assert ten > one or (kind == linear_eac_starts.GREEDY and ten == one)
    for system in linear_eac_starts.SYSTEMS:
        ten = linear_eac_starts.best_of(labels, system, linear_eac_starts.GREEDY, 3)[1]
        again = linear_eac_data.SYSTEMS[system](labels, linear_eac.N_CLUSTERS, random_state=3)
        assert_array_equal(ten, again)
