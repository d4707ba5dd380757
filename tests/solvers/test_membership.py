import numpy as np
import pytest

from robust_eac import solve_membership

from .. import reference
from ..access import Raw, check_init, collapse, descend, encode, initial_rows, visiting_order
from ..conftest import planted_ensemble, random_ensemble, random_membership


@pytest.mark.parametrize("n_rows", [1, 7, 2**15, 2**15 + 1, 100_003])
def test_every_row_is_visited_once(n_rows, rng):
    order, other = visiting_order(n_rows, rng), visiting_order(n_rows, rng)
    assert np.array_equal(np.sort(order), np.arange(n_rows))
    assert n_rows == 1 or not np.array_equal(order, other)


@pytest.mark.parametrize("k", [1, 3, 30])
def test_random_start_is_dirichlet(k, rng):
    n = 20000
    rows = initial_rows(encode(np.arange(n)[:, None]), k, "random", rng)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    # Moments of Dirichlet(1/k), whose parameters sum to one: E y^p = prod_{j<p} (1/k + j) / (1 + j).
    for power, moment in enumerate(np.cumprod((1 / k + np.arange(3)) / (1 + np.arange(3))), start=1):
        np.testing.assert_allclose((rows**power).mean(), moment, atol=0.01 / k)


def test_kmeans_start_is_smoothed_and_counts_the_objects_of_a_row(rng):
    labels = np.repeat([[0, 0], [0, 1], [1, 1], [2, 2]], [1, 1, 1000, 1000], axis=0)
    encoding = collapse(encode(labels))
    for _ in range(10):
        rows = initial_rows(encoding, 3, "kmeans", rng)
        assert rows.min() == pytest.approx(0.1 / 3)
        assert rows.max() == pytest.approx(0.9 + 0.1 / 3)
        # With their thousand objects each, the last two rows are clusters of their own.
        assert len({*rows[2:].argmax(axis=1)}) == 2


def test_unanimous_ensemble_is_recovered_exactly(rng):
    truth = rng.permutation(np.repeat([0, 1, 2], [5, 8, 12]))
    labels = planted_ensemble(rng, truth, 7, noise=0.0)
    result = min((solve_membership(labels, 3, tol=1e-12, random_state=s) for s in range(10)), key=lambda r: r.objective)
    hard = result.membership.argmax(axis=1)
    assert len(set(zip(hard, truth, strict=True))) == 3
    assert result.objective == pytest.approx(0.0, abs=1e-6)


def test_no_hard_consensus_beats_the_relaxed_minimum_found(rng):
    labels = random_ensemble(rng, 7, 4, max_clusters=3)
    weights = np.full(4, 0.25)
    hard = min(reference.objective(labels, np.eye(3)[codes], weights) for codes in reference.all_partitions(7, 3))
    best = min(solve_membership(labels, 3, tol=1e-9, random_state=s).objective for s in range(20))
    assert best <= hard + 1e-9


def test_label_start_keeps_codes_and_maps_others():
    assert np.array_equal(check_init([0, 2, 2], 3, 3), np.eye(3)[[0, 2, 2]])
    assert np.array_equal(check_init([10, 30, 10], 3, 2), np.eye(2)[[0, 1, 0]])
    assert check_init(None, 3, 2) == "random"


@pytest.mark.parametrize(
    ("init", "match"),
    [
        (np.full((6, 3), 1 / 3), "uniform one, 1/3 everywhere, is a stationary point"),
        (np.tile([0.5, 0.3, 0.2], (6, 1)), "same membership"),
    ],
)
def test_bad_starts_are_refused(rng, init, match):
    with pytest.raises(ValueError, match=match):
        solve_membership(random_ensemble(rng, 6, 4), 3, init=init)


def test_uniform_start_is_a_trap_indeed(rng):
    labels = random_ensemble(rng, 12, 4)
    rows = np.full((12, 3), 1.0 / 3.0)
    encoding = encode(labels)
    gap, n_sweeps, _ = descend(Raw(encoding, 3), np.full(4, 0.25), rows, tol=1e-12, max_sweeps=10, rng=rng)
    assert (gap, n_sweeps) == (pytest.approx(0.0, abs=1e-12), 0)


def test_objects_no_partition_of_positive_weight_observes_stay_put():
    labels = np.array([[0, -1], [0, -1], [1, -1], [1, 0], [-1, 1]])
    start = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9], [0.6, 0.4]])
    result = solve_membership(labels, 2, weights=[1, 0], init=start, random_state=0)
    np.testing.assert_allclose(result.membership[4], [0.6, 0.4])
    assert result.converged


def test_zero_weight_is_absence_and_integer_weight_is_repetition(rng):
    labels, start = random_ensemble(rng, 20, 4), random_membership(rng, 20, 3)
    options = {"init": start, "tol": 1e-9, "max_sweeps": 20000, "random_state": 0}
    weighted = solve_membership(labels, 3, weights=[1, 2, 1, 0], **options)
    repeated = solve_membership(labels[:, [0, 1, 1, 2]], 3, **options)
    np.testing.assert_allclose(repeated.membership, weighted.membership, atol=1e-6)
