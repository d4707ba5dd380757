import numpy as np
import pytest

from robust_eac import (
    coassociation_matrix,
    consensus_lower_bound,
    objective_value,
    solve_hard_median_partition,
    solve_median_partition,
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


def test_global_minimum_is_recognised(rng):
    labels = random_ensemble(rng, 40, 15)
    solved = solve_median_partition(labels, 2, weighting="uniform", tol=1e-9, max_iter=1000, random_state=0)
    bound = consensus_lower_bound(labels, n_clusters=2).bound
    assert bound <= solved.objective
    assert bound == pytest.approx(solved.objective, rel=1e-3)
    found = solve_hard_median_partition(labels, 2, init=solved.labels, random_state=0)
    hard = consensus_lower_bound(labels, n_clusters=2, hard=True).bound
    assert bound <= hard <= 40**2 * found.objective


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
