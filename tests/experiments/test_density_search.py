"""The local search for the densest consensus against all partitions and single moves."""

from itertools import product

import numpy as np
import pytest

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
