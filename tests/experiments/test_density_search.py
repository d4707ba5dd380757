"""The local search for the densest consensus against all partitions and single moves."""

from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from experiments.linear_eac.density_search import density_search
from robust_eac import density

from ..conftest import planted_ensemble, random_ensemble
from ..reference import balanced_partitions


def test_small_problems_reach_the_best_of_all_partitions(rng):
    labels = planted_ensemble(rng, np.array([0, 0, 0, 1, 1, 2, 2]), 7, noise=0.2)
    found = density_search(labels, 3, n_init=100, random_state=rng)
    best = max(density(labels, partition) for partition in balanced_partitions(7, 3, 7))
    assert density(labels, found) == pytest.approx(best, rel=1e-9)


def test_the_search_ends_where_no_single_move_gains(rng):
    for missing, singleton in ((0.0, 0.0), (0.3, 0.0), (0.0, 1.0)):
        labels, weights = random_ensemble(rng, 20, 6, missing=missing), rng.dirichlet(np.ones(6))
        found = density_search(labels, 4, weights=weights, singleton=singleton, random_state=rng)
        value = density(labels, found, weights=weights, singleton=singleton)
        for i, c in product(range(20), range(4)):
            other = found.copy()
            other[i] = c
            if len(set(other)) == len(set(found)):
                assert density(labels, other, weights=weights, singleton=singleton) <= value + 1e-9


def test_identical_objects_stay_together(rng):
    labels = np.unique(random_ensemble(rng, 30, 6), axis=0)
    labels = np.concatenate([labels, labels[:1]])
    found = density_search(labels, len(labels), random_state=rng)
    assert len(set(found)) == len(labels) - 1
    assert found[0] == found[-1]


def test_threads_change_nothing_and_stopping_early_warns(rng):
    labels = random_ensemble(rng, 300, 8)
    serial = density_search(labels, 6, n_init=4, random_state=3)
    assert np.array_equal(serial, density_search(labels, 6, n_init=4, n_jobs=2, random_state=3))
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        density_search(labels, 6, n_init=1, max_iter=1, random_state=3)
