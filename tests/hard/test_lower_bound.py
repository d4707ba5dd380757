"""Lower bounds beside every membership and partition, semidefinite programs, and triangles one by one."""

from itertools import islice

import numpy as np
import pytest

from robust_eac import (
    coassociation_matrix,
    consensus_lower_bound,
    objective_value,
    solve_hard_median_partition,
    solve_membership,
)

from .. import reference
from ..access import (
    _membership_bounds,
    _pair_terms,
    bound_memberships,
    check_ensemble,
    encode,
    encode_ensemble,
    partition_bound,
    spectral_bound,
)
from ..conftest import planted_ensemble, random_ensemble, random_membership

# Of the interior-point solver that the references use, at tolerances that the comparisons allow for.
LOOSE = pytest.mark.filterwarnings("ignore:Solution may be inaccurate")


def problems(rng, count, n_max, *, complete=False):
    """Small ensembles, random or planted, with copies of objects, and weights of objects or none."""
    for case in range(count):
        n, m, k = rng.randint(4, n_max), rng.randint(2, 7), rng.randint(1, 5)
        labels = random_ensemble(rng, n, m, missing=0.0 if complete else 0.3 * (case % 4 == 1))
        if case % 4 == 2:
            labels = planted_ensemble(rng, np.arange(n) % k, m, noise=0.2)
        weight = rng.choice([0.4, 1.0, 1.7, 3.0], size=n + 3) if case % 3 else None
        yield labels[np.r_[np.arange(n), rng.randint(n, size=3)]], weight, rng.dirichlet(np.full(m, 5.0)), k


def test_the_first_bound_of_memberships_needs_no_pairs_of_objects(rng):
    for n, m, k in ((12, 5, 3), (20, 9, 1), (9, 4, 9), (60, 2, 60), (30, 3, 4)):
        labels, sample_weight = random_ensemble(rng, n, m), rng.randint(1, 4, size=n) * rng.uniform(0.5, 2.0)
        weights = rng.dirichlet(np.ones(m))
        encoding = encode_ensemble(check_ensemble(labels), sample_weight)
        given = {"n_clusters": k, "weights": weights, "max_iter": 1}
        first = consensus_lower_bound(labels, sample_weight=sample_weight, **given).bound
        found = spectral_bound(encoding, weights, k)
        # The bound that every pair by itself gives may be larger.
        value = next(_membership_bounds(_pair_terms(encoding, weights, False), k))
        assert found == pytest.approx(max(value, 0.0), abs=1e-9 * encoding.partitions.total**2)
        assert found <= first + 1e-12 * encoding.partitions.total**2


def test_a_bound_that_is_enough_is_not_raised(rng):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 5), 4, noise=0.3)
    encoding, weights = encode(labels), np.full(4, 0.25)
    full = bound_memberships(encoding, weights, 2)
    for enough in (0.0, 0.999 * full.bound, 2.0 * full.bound):
        found = bound_memberships(encoding, weights, 2, enough=enough)
        assert min(enough, full.bound) <= found.bound <= full.bound
        assert (found.n_iter < full.n_iter) == (enough < full.bound)


@LOOSE
def test_multipliers_keep_the_pairs_within_the_box():
    # All partitions join four of the ten objects: the low-rank fit has entries above 1 for pairs of these four.
    rng = np.random.RandomState(3)
    labels = np.zeros((10, 4), dtype=int)
    labels[:6] = (rng.uniform(size=(6, 4)) < 0.6) * rng.randint(1, 4, size=(6, 4))
    weights = np.full(4, 0.25)
    first = consensus_lower_bound(labels, n_clusters=2, max_iter=1)
    assert not first.converged
    result = consensus_lower_bound(labels, n_clusters=2, tol=1e-8)
    assert first.bound < result.bound - 1e-3
    assert result.bound == pytest.approx(reference.membership_lower_bound(labels, weights, 2), abs=1e-5)
    found = min(solve_membership(labels, 2, tol=1e-9, random_state=start).objective for start in range(5))
    assert result.bound == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize("hard", [False, True])
def test_unanimous_ensembles_are_bounded_exactly(rng, hard):
    truth = rng.permutation(np.repeat([0, 1, 2], (3, 5, 8)))
    labels = planted_ensemble(rng, truth, 7, noise=0.0)
    assert consensus_lower_bound(labels, n_clusters=3, hard=hard).bound == pytest.approx(0.0, abs=1e-9)
    assert consensus_lower_bound(labels, hard=hard).bound == pytest.approx(0.0, abs=1e-9)
    # Two clusters cannot hold three: the two smallest are best joined.
    result = consensus_lower_bound(labels, n_clusters=2, hard=True, tol=1e-8)
    assert result.bound == pytest.approx(2.0 * 3 * 5, rel=1e-2)
    assert result.bound <= 30.0


def test_bound_of_every_pair_by_itself(rng):
    labels = random_ensemble(rng, 12, 5)
    C = coassociation_matrix(labels)
    assert consensus_lower_bound(labels).pairwise == pytest.approx((C * (1.0 - C)).sum())
    assert consensus_lower_bound(labels, hard=True).pairwise == pytest.approx(np.minimum(C, 1.0 - C).sum())
    assert consensus_lower_bound(labels).bound >= (C * (1.0 - C)).sum() - 1e-9


def test_no_membership_is_below_the_bound(rng):
    for labels, weight, weights, k in problems(rng, 12, 10):
        options, n = {"weights": weights, "sample_weight": weight}, len(labels)
        result = consensus_lower_bound(labels, n_clusters=k, **options)
        assert 0.0 <= result.pairwise <= result.bound
        found = [solve_membership(labels, k, tol=1e-8, random_state=start, **options).objective for start in range(5)]
        tried = [random_membership(rng, n, k) for _ in range(10)] + [np.eye(k)[rng.randint(k, size=n)]]
        found += [objective_value(labels, Y, **options) for Y in tried]
        assert result.bound <= min(found)


@LOOSE
def test_bound_of_partitions_is_the_relaxation(rng):
    for labels, weight, weights, k in problems(rng, 8, 9):
        value = reference.partition_lower_bound(labels, weights, k, sample_weight=weight)
        options = {"weights": weights, "sample_weight": weight, "tol": 1e-9, "max_iter": 3000}
        result = consensus_lower_bound(labels, n_clusters=k, hard=True, **options)
        scale = len(labels) ** 2 if weight is None else weight.sum() ** 2
        assert value - 1e-3 * scale <= result.bound <= value + 1e-6 * scale


@LOOSE
def test_bound_of_memberships_is_the_convex_envelope(rng):
    sizes = ((10, 4, 4, 0.3), (12, 8, 3, 0.05))
    ensembles = (planted_ensemble(rng, np.arange(n) % k, m, noise=noise) for n, m, k, noise in sizes)
    planted = [(labels, None, rng.dirichlet(np.ones(labels.shape[1])), 2) for labels in ensembles]
    for labels, weight, weights, k in (*planted, *problems(rng, 4, 9, complete=True)):
        k += 1
        value = reference.membership_lower_bound(labels, weights, k, weight)
        first = reference.eckart_young_bound(labels, weights, k, weight)
        encoding = encode_ensemble(check_ensemble(labels), weight)
        start = next(_membership_bounds(_pair_terms(encoding, weights, False), k))
        assert start == pytest.approx(first, rel=1e-9, abs=1e-9)
        result = consensus_lower_bound(labels, n_clusters=k, weights=weights, tol=1e-7, sample_weight=weight)
        scale = len(labels) ** 2 if weight is None else weight.sum() ** 2
        assert first - 1e-9 * scale <= result.bound <= value + 1e-6 * scale
        assert result.bound >= value - 1e-3 * scale


@pytest.mark.parametrize("hard", [False, True])
def test_repeated_objects_and_scales(rng, hard):
    labels = random_ensemble(rng, 10, 5, missing=0.2)
    weights, weight = rng.dirichlet(np.ones(5)), rng.randint(1, 4, size=10)

    def bound(labels, **options):
        return consensus_lower_bound(labels, n_clusters=3, weights=weights, hard=hard, tol=1e-7, **options).bound

    first = bound(labels, sample_weight=weight)
    assert bound(np.repeat(labels, weight, axis=0)) == pytest.approx(first, rel=1e-9)
    # Rounding can end a rest of the bound of partitions sooner or later.
    close = 2e-3 if hard else 1e-6
    assert bound(labels, sample_weight=0.1 * weight) == pytest.approx(0.01 * first, rel=close)
    absent = np.r_[labels, random_ensemble(rng, 3, 5)]
    assert bound(absent, sample_weight=np.r_[weight, 0, 0, 0]) == pytest.approx(first, rel=1e-9)


# --------------------------------- partitions: triangle inequalities, alone and with a semidefinite matrix


def signed_problem(rng, n):
    """Slope and scale of a problem whose objects have different weights."""
    roots = np.sqrt(rng.choice([0.3, 1.0, 2.0, 5.0], size=n))
    centres = rng.randint(3, size=n)
    slope = np.where(centres[:, np.newaxis] == centres, -0.4, 0.4) + rng.normal(scale=0.6, size=(n, n))
    slope = slope + slope.T
    np.fill_diagonal(slope, 0.0)
    scale = np.outer(roots, roots)
    return slope * scale, scale


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
    near, _ = partition_bound._positive_part(other, vectors)
    assert near == pytest.approx(partition_bound._positive_part(other, None)[0], abs=1e-4)
    # Many positive eigenvalues: the negative ones are taken away. None at all: nothing is left.
    assert partition_bound._positive_part(-matrix, None)[0] == pytest.approx(exact - matrix)
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
