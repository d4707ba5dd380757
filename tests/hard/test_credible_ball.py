"""Credible balls against their definition, radius by radius and draw by draw."""

import numpy as np
import pytest

from robust_eac import credible_ball

from ..conftest import random_ensemble
from .test_hard_losses import EVERY_LOSS, slow_loss


def groups_of(column, weight):
    """A partition of the objects that have weight, as a set of clusters."""
    kept = [i for i in range(len(column)) if column[i] != -1 and weight[i] > 0]
    return frozenset(frozenset(i for i in kept if column[i] == label) for label in {column[i] for i in kept})


def slow_ball(labels, partition, level, loss, cost, weights, weight):
    """(radius, distances, draws inside, horizontal, upper, lower) by trying all radii; weights are whole numbers."""
    m = labels.shape[1]
    # Equal up to rounding is equal.
    distances = [round(slow_loss(u, partition, loss, cost, weight), 11) for u in labels.T]
    for radius in sorted(distances):
        inside = [u for u in range(m) if distances[u] <= radius and weights[u] > 0]
        if sum(weights[u] for u in inside) >= level * sum(weights):
            break
    groups = [groups_of(column, weight) for column in labels.T]

    def farthest(draws):
        most = max(distances[u] for u in draws)
        far = [u for u in draws if distances[u] == most]
        return [u for u in far if not any(v < u and groups[v] == groups[u] for v in far)]

    counts = [len(group) for group in groups]
    fewest, many = min(counts[u] for u in inside), max(counts[u] for u in inside)
    upper, lower = [[u for u in inside if counts[u] == count] for count in (fewest, many)]
    return radius, distances, inside, farthest(inside), farthest(upper), farthest(lower)


def assert_equal_to_slow(ball, expected):
    radius, distances, inside, *bounds = expected
    assert ball.radius == pytest.approx(radius, abs=1e-10)
    np.testing.assert_allclose(ball.distances, distances, atol=1e-10)
    assert np.flatnonzero(ball.inside).tolist() == inside
    assert [bound.tolist() for bound in (ball.horizontal, ball.vertical_upper, ball.vertical_lower)] == bounds


@EVERY_LOSS
@pytest.mark.parametrize("level", [0.05, 0.75, 1.0])
def test_ball_is_that_of_the_definition(rng, loss, cost, level):
    for number in range(4):
        n, m = rng.randint(1, 8), rng.randint(1, 15)
        labels = random_ensemble(rng, n, m, max_clusters=3, missing=0.2 * (number % 2))
        weights, weight = rng.randint(3, size=m), rng.randint(1, 3, size=n)
        weights[rng.randint(m)] = 1
        partition = rng.randint(3, size=n)
        options = {"loss": loss, "cost": cost, "level": level}
        expected = slow_ball(labels, partition, weights=[1] * m, weight=[1] * n, **options)
        assert_equal_to_slow(credible_ball(labels, partition, **options), expected)
        options |= {"weights": weights, "weight": weight}
        expected = slow_ball(labels, partition, **options)
        options["sample_weight"] = options.pop("weight")
        assert_equal_to_slow(credible_ball(labels, partition, **options), expected)


@pytest.mark.parametrize("m", [1, 7, 20, 49, 100])
def test_a_level_that_whole_numbers_of_draws_reach_is_reached_by_them(rng, m):
    """0.95 of 100 draws are 95, however the sums of weights of 0.01 are rounded."""
    labels = np.zeros((m + 1, m), dtype=int)
    # Draw u takes the first u objects apart: distances to the first draw ascend.
    for u in range(m):
        labels[:u, u] = np.arange(1, u + 1)
    order = rng.permutation(m)
    for count in {1, m, *rng.randint(1, m + 1, size=5)}:
        for level in (count / m, np.nextafter(count / m, 0.0), min(np.nextafter(count / m, 2.0), 1.0)):
            ball = credible_ball(labels[:, order], labels[:, 0], level=level)
            assert ball.inside.sum() == count
            assert set(order[ball.inside]) == set(range(count))


@EVERY_LOSS
@pytest.mark.parametrize("weights", [None, np.geomspace(1e-30, 1.0, 12), np.geomspace(1.0, 1e-30, 12)])
def test_level_one_holds_all_draws_and_the_least_the_nearest(rng, loss, cost, weights):
    labels = random_ensemble(rng, 20, 12)
    all_, least = (
        credible_ball(labels, labels[:, 3], level=level, loss=loss, cost=cost, weights=weights)
        for level in (1.0, 5e-324)
    )
    assert all_.inside.all()
    assert np.flatnonzero(least.inside).tolist() == [3]


def test_partitions_that_differ_in_objects_without_weight_are_equal():
    labels = np.array([[0, 0, 0], [1, 1, 1], [1, 1, 0], [0, 1, 2]])
    ball = credible_ball(labels, [0, 0, 0, 0], level=1.0, loss="vi", sample_weight=[1, 1, 1, 0])
    assert ball.horizontal.tolist() == ball.vertical_lower.tolist() == [0, 2]


def test_equal_partitions_are_named_once():
    column = np.array([0, 0, 1, 1])
    labels = np.column_stack([column, [0, 1, 1, 1], [5, 2, 2, 2], [1, 0, 1, 1], 1 - column])
    ball = credible_ball(labels, column, level=1.0)
    assert ball.horizontal.tolist() == [1, 3]
    assert ball.vertical_upper.tolist() == ball.vertical_lower.tolist() == [1, 3]
    # Partitions that observe different objects are not equal.
    labels = np.array([[0, 0, -1], [0, 0, 0], [0, -1, 0], [1, 1, 1]])
    assert credible_ball(labels, [0, 0, 1, 1], level=1.0, loss="vi").horizontal.tolist() in ([0], [1], [2])
    assert credible_ball(labels, [0, 0, 0, 1], level=1.0).horizontal.tolist() == [0, 1, 2]


def test_distances_that_differ_by_rounding_are_equal(rng):
    """Copies of a partition under other names: their entropies are summed in another order."""
    partition, other = rng.randint(9, size=(2, 101))
    labels = np.column_stack([rng.permutation(9)[other] for _ in range(50)])
    ball = credible_ball(labels, partition, level=0.01, loss="vi")
    assert ball.inside.all()
    assert ball.radius == ball.distances.max()
    assert ball.horizontal.tolist() == ball.vertical_upper.tolist() == ball.vertical_lower.tolist() == [0]
    # The farthest is the first of its kind, though rounding puts a copy farther.
    labels[:, 0] = partition
    for u in range(1, 49):
        assert credible_ball(labels[:, [0, *range(u, 50)]], partition, level=1.0, loss="vi").horizontal.tolist() == [1]
