"""Orders of objects, partitions and labels that their given order and names do not decide."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robust_eac import select_n_clusters

from ..access import encode, in_random_order, weigh
from ..conftest import planted_ensemble, random_ensemble, same_partition


def written(found, labels, columns):
    """Check that an encoding has these labels, with other numbers, and return it."""
    codes, partitions = found.rows.codes[found.inverse], found.partitions
    for u, column in enumerate(labels[:, columns].T):
        seen = column != -1
        assert np.array_equal(np.equal.outer(codes[:, u], codes[:, u]), np.equal.outer(column, column))
        assert np.array_equal(seen, found.rows.observed[found.inverse, partitions.mask_of[u]])
        assert np.all(codes[~seen, u] == partitions.n_clusters[u])
    return found


@pytest.mark.parametrize("weighted", [False, True])
def test_given_orders_and_names_make_no_difference(rng, missing, weighted):
    labels = random_ensemble(rng, 40, 9, missing=missing)
    weights, weight = rng.dirichlet(np.ones(9)), rng.uniform(0.5, 2.0, size=40)
    order, partitions = rng.permutation(40), rng.permutation(9)
    named = [np.where(column == -1, -1, rng.permutation(99)[column]) for column in labels[order][:, partitions].T]

    def of(labels, weights, weight):
        encoding = weigh(encode(labels), weight) if weighted else encode(labels)
        found, columns, slots = in_random_order(encoding, np.random.RandomState(0), weights)
        assert_array_equal(encoding.partitions.sizes[slots], found.partitions.sizes)
        assert_array_equal(encoding.rows.multiplicity, found.rows.multiplicity[found.inverse])
        return written(found, labels, columns), columns

    one, columns = of(labels, weights, weight)
    other, others = of(np.array(named).T, weights[partitions], weight[order])
    assert np.array_equal(partitions[others], columns)
    assert np.array_equal(one.inverse[order], other.inverse)
    for name in ("codes", "multiplicity"):
        assert_array_equal(getattr(one.rows, name), getattr(other.rows, name))
    assert_allclose(one.partitions.sizes, other.partitions.sizes, rtol=1e-14)


def test_orders_are_random(rng):
    """Every object and every partition is first about as often as any other."""
    encoding = encode(random_ensemble(rng, 5, 4))
    objects, partitions = np.zeros(5), np.zeros(4)
    for seed in range(400):
        found, columns, _ = in_random_order(encoding, np.random.RandomState(seed))
        objects += found.inverse == 0
        partitions[columns[0]] += 1
    assert objects.min() > 50
    assert partitions.min() > 65


def test_what_has_no_weight_changes_nothing(rng):
    labels = random_ensemble(rng, 70, 6)
    weight, weights = np.repeat([1.0, 0.0], [20, 50]), np.array([0.3, 0.0, 0.2, 0.0, 0.4, 0.1])
    found, columns, _ = in_random_order(weigh(encode(labels), weight), np.random.RandomState(0), weights)
    some = weights > 0
    alone, others, _ = in_random_order(encode(labels[:20][:, some]), np.random.RandomState(0), weights[some])
    assert np.array_equal(found.inverse[:20] - 50, alone.inverse)
    assert np.array_equal(columns[:2], [1, 3])
    assert np.array_equal(columns[2:], np.flatnonzero(some)[others])


@pytest.mark.filterwarnings("ignore:no number of clusters")
def test_the_number_of_clusters_of_four_partitions_does_not_depend_on_the_order_of_the_rows(rng):
    """Few partitions of few clusters, as diceR makes them: most objects are like others, and most merges tie."""
    labels, order = planted_ensemble(rng, np.arange(60) % 4, 4, noise=0.5), rng.permutation(60)
    labels = labels[np.lexsort(labels.T)]
    options = {"n_clusters": (2, 6), "n_splits": 3, "random_state": 0}
    one, other = select_n_clusters(labels, **options), select_n_clusters(labels[order], **options)
    assert_array_equal(one.split_stability, other.split_stability)
    assert same_partition(one.labels[order], other.labels)
