"""The local search for the densest consensus against single moves."""

from itertools import product

import numpy as np

from experiments.linear_eac.density_search import density_search
from robust_eac import density

from ..conftest import random_ensemble


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
