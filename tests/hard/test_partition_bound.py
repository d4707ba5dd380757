"""Bounds of partitions by triangle inequalities, alone and with a semidefinite matrix."""

from itertools import islice

import numpy as np
import pytest

from robust_eac import consensus_lower_bound, solve_hard_median_partition

from .. import reference
from ..access import partition_bound
from ..conftest import planted_ensemble, random_ensemble


def signed_problem(rng, n):
    """Slope and scale of a problem whose objects have different weights."""
    roots = np.sqrt(rng.choice([0.3, 1.0, 2.0, 5.0], size=n))
    centres = rng.randint(3, size=n)
    slope = np.where(centres[:, np.newaxis] == centres, -0.4, 0.4) + rng.normal(scale=0.6, size=(n, n))
    slope = slope + slope.T
    np.fill_diagonal(slope, 0.0)
    scale = np.outer(roots, roots)
    return slope * scale, scale


def least_value(costs, k):
    n = len(costs)
    return min(np.sum(costs, where=codes[:, None] == codes) for codes in reference.all_partitions(n, k))


@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_no_partition_is_below_any_bound(rng, k):
    for _ in range(4):
        slope, scale = signed_problem(rng, 6)
        least = least_value(slope * scale, k)
        for tol in (1e-2, 1e-9):
            bounds = list(islice(partition_bound.partition_bounds(slope, scale, 0.5, k, tol), 400))
            assert max(bounds) <= 0.5 + least + 1e-12 * scale.sum()
    # Few objects leave little to relax.
    assert max(bounds) >= 0.5 + least - 0.1 * np.abs(slope * scale).sum()


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(("k", "n"), [(2, 7), (3, 5), (3, 7), (6, 6)])
def test_no_consensus_is_below_the_bound(rng, missing, k, n):
    labels = random_ensemble(rng, n, 4, missing=missing)
    weights, weight = rng.dirichlet(np.ones(4)), rng.choice([0.5, 1.0, 3.0], size=n)
    losses = [
        reference.objective(labels, np.eye(k)[codes], weights, sample_weight=weight)
        for codes in reference.all_partitions(n, k)
    ]
    options = {"n_clusters": k, "weights": weights, "sample_weight": weight}
    for tol in (1e-4, 1e-10):
        bound = consensus_lower_bound(labels, hard=True, tol=tol, **options).bound
        assert 0.8 * min(losses) <= bound <= min(losses) + 1e-12


def test_triangles_reach_the_linear_program(rng):
    for n in (4, 9, 12):
        slope, scale = signed_problem(rng, n)
        least = reference.triangle_lower_bound(slope * scale)
        triangles = partition_bound._Triangles(slope, scale)
        bounds = list(islice(partition_bound._ascend(triangles, scale.copy(), None), 600))
        size = np.abs(slope * scale).sum()
        assert max(bounds) <= least + 1e-9 * size
        assert max(bounds) >= least - 1e-3 * size
        # With a semidefinite matrix no less, from the same multipliers on.
        Z = np.where(triangles.slope < 0.0, scale, 0.0)
        assert max(islice(partition_bound._ascend(triangles, Z, scale / n), 600)) >= least - 1e-3 * size


def test_bound_without_a_limit_is_exact_where_partitions_are_clear(rng):
    truth = np.repeat(np.arange(5), 30)
    labels = planted_ensemble(rng, truth, 25, noise=0.3)
    for k in (5, None):
        best = 150**2 * solve_hard_median_partition(labels, k, init=truth, random_state=0).objective
        result = consensus_lower_bound(labels, n_clusters=k, hard=True)
        assert result.converged
        assert result.bound == pytest.approx(best, rel=1e-3)
        assert result.bound <= best * (1.0 + 1e-12)
        assert result.bound > result.pairwise


def test_more_iterations_never_lower_the_bound(rng):
    labels = random_ensemble(rng, 40, 6)
    for k in (3, None):
        results = [consensus_lower_bound(labels, n_clusters=k, hard=True, max_iter=m) for m in (1, 2, 7, 30, 1000)]
        bounds = [result.bound for result in results]
        assert bounds == sorted(bounds)
        assert results[0].pairwise < bounds[-1]
        assert [result.n_iter for result in results[:2]] == [1, 2]
        assert [result.converged for result in (results[0], results[-1])] == [False, True]


def test_packing_equals_the_slow_one(rng):
    for n in (3, 8, 15):
        slope, scale = signed_problem(rng, n)
        packed, left = reference.packed_triangles(slope * scale)
        triangles = partition_bound._Triangles(slope, scale)
        found = dict(zip(map(tuple, triangles._corners.tolist()), triangles._multipliers, strict=True))
        assert found == pytest.approx(packed)
        assert triangles.slope * scale == pytest.approx(left)
        # No triangle has two attractive sides and a repulsive one any more: every pair by itself, less the multipliers.
        assert triangles.bound() == pytest.approx(np.minimum(left, 0.0).sum() - 2.0 * sum(packed.values()))
        tiny = 1e-12
        for i, j, k in np.ndindex(n, n, n):
            assert not (len({i, j, k}) == 3 and max(left[i, j], left[j, k]) < -tiny and left[i, k] > tiny)


def test_search_finds_the_worst_triangles(rng):
    for n in (4, 10, 20):
        z = rng.uniform(size=(n, n)) ** 0.3 * (rng.uniform(size=(n, n)) < 0.7)
        z = np.minimum(z, z.T)
        np.fill_diagonal(z, 1.0)
        for per_pair in (1, 2, 5):
            corners = np.empty((per_pair * n * n, 3), dtype=np.int32)
            n_found = partition_bound._violated(z, per_pair, 1e-3, corners)
            found = list(map(tuple, corners[:n_found].tolist()))
            assert len(found) == len(set(found))
            assert set(found) == reference.violated_triangles(z, per_pair, 1e-3)


def test_followed_eigenvectors_come_close(rng):
    basis = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    matrix = (basis * np.r_[9.0, 5.0, 2.0, -rng.uniform(size=37)]) @ basis.T
    exact, vectors = partition_bound._positive_part(matrix, None)
    assert exact == pytest.approx((basis[:, :3] * [9.0, 5.0, 2.0]) @ basis[:, :3].T)
    change = rng.normal(scale=1e-4, size=(40, 40))
    other = matrix + change + change.T
    near, followed = partition_bound._positive_part(other, vectors)
    assert followed.shape == (40, 3)
    assert near == pytest.approx(partition_bound._positive_part(other, None)[0], abs=1e-4)
    # Many positive eigenvalues: the negative ones are taken away. None at all: nothing is left.
    assert partition_bound._positive_part(-matrix, None)[0] == pytest.approx(exact - matrix)
    nothing, vectors = partition_bound._positive_part(-exact - np.eye(40), None)
    assert nothing == pytest.approx(np.zeros((40, 40)), abs=1e-9)
    assert partition_bound._positive_part(-np.eye(40), vectors)[0] == pytest.approx(np.zeros((40, 40)))


def test_rounding_ends_where_no_single_move_improves(rng):
    for n, k in ((2, 1), (15, 2), (15, 15), (30, 4)):
        slope, scale = signed_problem(rng, n)
        clusters = np.empty(n, dtype=np.int64)
        partition_bound._round(rng.uniform(size=(n, n)), slope * scale, k, clusters)
        assert 0 <= clusters.min() <= clusters.max() < k
        value = np.sum(slope * scale, where=clusters[:, None] == clusters)
        for i, c in np.ndindex(n, k):
            moved = np.where(np.arange(n) == i, c, clusters)
            assert np.sum(slope * scale, where=moved[:, None] == moved) >= value - 1e-9


def test_objects_of_next_to_no_weight_leave_finite_bounds(rng):
    labels = random_ensemble(rng, 12, 4)
    for least in (1e-30, 1e-60, 1e-120, 1e-200):
        weight = np.where(np.arange(12) < 4, least, 1.0)
        for k in (2, None):
            with_them = consensus_lower_bound(labels, n_clusters=k, hard=True, sample_weight=weight).bound
            without = consensus_lower_bound(labels[4:], n_clusters=k, hard=True).bound
            assert with_them == pytest.approx(without, rel=1e-2)
