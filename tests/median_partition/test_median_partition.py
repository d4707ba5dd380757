import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robust_eac import RestrictedSimplex, l2_weights, solve_median_partition

from ..conftest import planted_ensemble, random_ensemble, random_membership

TRUTH = np.repeat([0, 1, 2], [15, 20, 25])


@pytest.fixture
def labels(rng):
    """Twelve noisy copies of three clusters and four random partitions."""
    return planted_ensemble(rng, TRUTH, 16, noise=0.15, n_random=4)


def test_starts(rng, labels):
    reached = solve_median_partition(labels, 3, random_state=0)
    for init in ("kmeans", TRUTH, np.eye(3)[TRUTH], 0.8 * np.eye(3)[TRUTH] + 0.2 * random_membership(rng, 60, 3)):
        result = solve_median_partition(labels, 3, init=init, random_state=0)
        assert result.objective == pytest.approx(reached.objective, rel=1e-4)
    assert np.array_equal(solve_median_partition(labels, 3, init=TRUTH, random_state=0).labels, TRUTH)


def test_a_stationary_start_still_gets_its_weights(labels):
    uniform = solve_median_partition(labels, 3, weighting="uniform", tol=1e-8, random_state=0)
    options = {"init": uniform.membership, "max_iter": 1, "tol": 1.0, "random_state": 0}
    result = solve_median_partition(labels, 3, weighting="l2", **options)
    assert_allclose(result.weights, l2_weights(uniform.losses, lam=0.5 * 60**2), atol=1e-9)


def test_a_tolerance_of_zero_ends_at_rounding(rng):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = solve_median_partition(random_ensemble(rng, 20, 6), 3, tol=0.0, max_iter=1000, random_state=0)
    assert result.converged
    assert result.gap <= 1e-14


def test_callable_weighting(labels):
    class BestHalf:
        __hash__ = None

        def __call__(self, losses):
            weights = losses <= np.median(losses)
            losses[:] = np.nan
            return weights

    result = solve_median_partition(labels, 3, weighting=BestHalf(), random_state=0)
    assert np.array_equal(result.weights > 0, result.losses <= np.median(result.losses))
    assert result.weights.sum() == pytest.approx(1.0)
    assert result.objective == pytest.approx(result.weights @ result.losses)


@pytest.mark.parametrize(
    ("weighting", "match"), [("robust", "weighting"), (RestrictedSimplex(rho=0.01), "rho"), ([1.0, 2.0], "weighting")]
)
def test_errors_come_before_any_work(labels, monkeypatch, weighting, match):
    monkeypatch.setattr("robust_eac.median_partition.solve.encode_ensemble", None)
    with pytest.raises(ValueError, match=match):
        solve_median_partition(labels, 3, random_state=0, weighting=weighting)
