import numpy as np
import pytest
from numpy.testing import assert_allclose

from robust_eac import solve_membership

from ..access import collapse, encode, initial_rows, visiting_order


@pytest.mark.parametrize("n_rows", [1, 7, 2**15, 2**15 + 1, 100_003])
def test_every_row_is_visited_once(n_rows, rng):
    order, other = visiting_order(n_rows, rng), visiting_order(n_rows, rng)
    assert np.array_equal(np.sort(order), np.arange(n_rows))
    assert n_rows == 1 or not np.array_equal(order, other)


@pytest.mark.parametrize("k", [1, 3, 30])
def test_random_start_is_dirichlet(k, rng):
    n = 20000
    rows = initial_rows(encode(np.arange(n)[:, None]), k, "random", rng)
    assert_allclose(rows.sum(axis=1), 1.0)
    # Moments of Dirichlet(1/k), whose parameters sum to one: E y^p = prod_{j<p} (1/k + j) / (1 + j).
    for power, moment in enumerate(np.cumprod((1 / k + np.arange(3)) / (1 + np.arange(3))), start=1):
        assert_allclose((rows**power).mean(), moment, atol=0.01 / k)


def test_kmeans_start_is_smoothed_and_counts_the_objects_of_a_row(rng):
    labels = np.repeat([[0, 0], [0, 1], [1, 1], [2, 2]], [1, 1, 1000, 1000], axis=0)
    encoding = collapse(encode(labels))
    for _ in range(10):
        rows = initial_rows(encoding, 3, "kmeans", rng)
        assert rows.min() == pytest.approx(0.1 / 3)
        assert rows.max() == pytest.approx(0.9 + 0.1 / 3)
        # The last two rows stand for a thousand objects each, and are separate clusters.
        assert len({*rows[2:].argmax(axis=1)}) == 2


def test_objects_without_an_observing_partition_stay_put():
    labels = np.array([[0, -1], [0, -1], [1, -1], [1, 0], [-1, 1]])
    start = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9], [0.6, 0.4]])
    result = solve_membership(labels, 2, weights=[1, 0], init=start, random_state=0)
    assert_allclose(result.membership[4], [0.6, 0.4])
    assert result.converged
