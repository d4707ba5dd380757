"""Fits that go on from a given membership."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robust_eac import (
    RestrictedSimplex,
    RobustEAC,
    adjusted_rand_score,
    solve_median_partition,
    solve_median_partition_distributed,
)

from ..conftest import planted_ensemble
from .test_rotation import noisy


@pytest.mark.parametrize("weighting", ["few", "restricted-simplex", "l2", "entropy", "chance-corrected"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:no two partitions agree")
def test_a_fit_goes_on_from_its_membership(rng, weighting):
    m = 20
    weighting = RestrictedSimplex(2.0 / m) if weighting == "few" else weighting
    for share in (0.2, 0.4, 0.6, 0.8):
        labels, k = noisy(rng, 60, 4, m, share), 3
        fit = RobustEAC(k, weighting=weighting, n_init=2, random_state=0).fit(labels)
        again = RobustEAC(k, weighting=weighting, init=fit.membership_, random_state=1).fit(labels)
        # Chance-corrected trust begins anew, and comes back to the minimum as near as the tolerance says.
        above = 1e-6 if weighting == "chance-corrected" else 1e-10
        assert again.objective_ <= fit.objective_ + above * abs(fit.objective_)
        assert adjusted_rand_score(again.labels_, fit.labels_) > 0.98
        assert_allclose(again.weights_, fit.weights_, atol=1e-3)


def test_a_start_that_is_a_clustering_gets_all_weight_only_if_that_is_given(rng):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 20), 4, noise=0.4)
    options = {"init": labels[:, 0], "random_state": 0}
    result = solve_median_partition(labels, 3, weighting=RestrictedSimplex(1.0), max_iter=1, **options)
    assert adjusted_rand_score(result.labels, labels[:, 0]) < 1.0
    assert (result.losses > 0.0).all()
    given = solve_median_partition(labels, 3, weighting=[1, 0, 0, 0], **options)
    assert_array_equal(given.weights, [1.0, 0.0, 0.0, 0.0])
    assert adjusted_rand_score(given.labels, labels[:, 0]) == 1.0


@pytest.mark.parametrize("distributed", [False, True], ids=["memory", "dask"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_solve_in_parts_ends_where_a_whole_one_does(rng, distributed):
    given, init, options = noisy(rng, 120, 3, 16, 0.25), "random", {"tol": 1e-7, "n_init": 2, "random_state": 0}
    solve = solve_median_partition
    if distributed:
        given = pytest.importorskip("dask.array").from_array(given, chunks=(50, 16))
        solve = solve_median_partition_distributed
    parts = []
    while not parts or not parts[-1].converged:
        parts.append(solve(given, 3, init=init, max_iter=1, **options))
        init = np.asarray(parts[-1].membership)
    assert len(parts) > 2
    objectives = [part.objective for part in parts]
    assert (np.diff(objectives) <= 1e-9 * objectives[0]).all()
    assert objectives[-1] == pytest.approx(solve(given, 3, **options).objective, rel=1e-5)
