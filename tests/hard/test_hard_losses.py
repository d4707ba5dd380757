"""What follows from the losses of hard partitions, which test_contingency.py compares with their definitions."""

import numpy as np
import pytest

from robust_eac import expected_losses, reassignment_costs

from .. import reference
from ..conftest import random_ensemble

LOSSES = ("binder", "vi")
WITH_COSTS = [*((loss, 1.0) for loss in LOSSES), ("binder", 0.4), ("binder", 2.0), ("vi", 1.7), ("vi", 0.0)]
EVERY_LOSS = pytest.mark.parametrize(("loss", "cost"), WITH_COSTS)


def slow_loss(u, c, loss="binder", cost=1.0, weight=None):
    """Loss of c against u on the objects that both observe (label not -1), from its definition."""
    both = (u != -1) & (c != -1)
    weight = None if weight is None else np.asarray(weight)[both]
    return float(reference.hard_losses(loss, cost, u[both][:, np.newaxis], c[both], weight)[0])


def slow_objective(labels, partition, loss, cost, weights, weight=None):
    return sum(w * slow_loss(u, partition, loss, cost, weight) for w, u in zip(weights, labels.T, strict=True))


def problems(rng, count=4):
    """(labels, partition, weights of partitions, whole weights of objects), with and without missing labels."""
    for number in range(count):
        n, m = rng.randint(2, 14), rng.randint(1, 6)
        labels = random_ensemble(rng, n, m, missing=0.3 * (number % 2))
        weights = rng.uniform(size=m)
        yield labels, rng.randint(4, size=n), weights / weights.sum(), rng.randint(1, 4, size=n)


@EVERY_LOSS
def test_expected_losses_are_weighted_means_on_common_objects(rng, loss, cost):
    for labels, _, weights, weight in problems(rng):
        for w in (None, weight):
            found = expected_losses(labels, loss=loss, cost=cost, weights=weights, sample_weight=w)
            for v, column in enumerate(labels.T):
                common = [np.any((column != -1) & (u != -1)) for u in labels.T]
                total = slow_objective(labels[:, common], column, loss, cost, weights[common], w)
                assert found[v] == pytest.approx(total / weights[common].sum(), rel=1e-9, abs=1e-12)


def test_expected_losses_where_nothing_is_shared():
    """A partition that shares no object with the weighted ones has none; others leave it out."""
    labels = np.array([[0, 0, -1], [0, 1, -1], [1, -1, 0], [1, -1, 0]])
    np.testing.assert_allclose(expected_losses(labels, weights=[0, 1, 0]), [0.5, 0.0, np.nan])
    # Means over those that share an object: three of them, two, two.
    np.testing.assert_allclose(expected_losses(labels), [0.5 / 3.0, 0.25, 0.0], rtol=1e-12)
    # An object of weight zero does not count as shared.
    labels = np.array([[0, 0], [0, -1], [-1, 1]])
    assert np.isnan(expected_losses(labels, weights=[0, 1], sample_weight=[0, 1, 1])[0])


def best_moves(labels, partition, loss, cost, weights, weight=None):
    """Rise of every object's best move per unit of its weight, and the moves that reach it, by recomputation."""
    here = slow_objective(labels, partition, loss, cost, weights, weight)
    for i in range(len(partition)):
        names = sorted(set(np.delete(partition, i)) - {partition[i]})
        if partition[i] in np.delete(partition, i):
            names.append(-1)
        rises = []
        for name in names:
            moved = partition.copy()
            moved[i] = partition.max() + 1 if name == -1 else name
            rises.append(slow_objective(labels, moved, loss, cost, weights, weight) - here)
        rises = np.array(rises) / (1.0 if weight is None else weight[i])
        least = rises.min() if len(rises) else np.inf
        yield least, [name for name, rise in zip(names, rises, strict=True) if rise <= least + 1e-12]


@EVERY_LOSS
def test_reassignment_costs_are_differences_of_objectives(rng, loss, cost):
    for labels, partition, weights, weight in problems(rng):
        for w in (None, weight):
            options = {"loss": loss, "cost": cost, "weights": weights, "sample_weight": w}
            clusters, rises = reassignment_costs(labels, 3 * partition, **options)
            expected = best_moves(labels, 3 * partition, loss, cost, weights, w)
            for cluster, rise, (least, names) in zip(clusters, rises, expected, strict=True):
                assert rise == pytest.approx(least, rel=1e-8, abs=1e-12)
                assert cluster in names


def test_alone_is_not_improved_by_another_empty_cluster():
    """An object of its own must name an existing cluster, also where others have no weight."""
    clusters, rises = reassignment_costs(np.array([[0, 0], [0, 0], [1, 1], [2, 1]]), [5, 5, 6, 7])
    assert clusters.tolist() == [-1, -1, 7, 6]
    assert rises.min() >= 0.0
    # Object 2 is alone, since object 3 weighs nothing; cluster 8 is as good as none.
    labels = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [2, 0]])
    weighted = reassignment_costs(labels, [5, 5, 6, 6, 8], sample_weight=[1, 1, 1, 0, 0])
    plain = reassignment_costs(labels[:3], [5, 5, 6])
    np.testing.assert_allclose(weighted.rises[:3], plain.rises, rtol=1e-12)
    assert weighted.clusters[:3].tolist() == plain.clusters.tolist()
    # Object 3 would leave object 2 behind, so a new cluster is another one.
    assert weighted.clusters[3] == -1
    assert weighted.clusters[4] in (5, 6)
    # A single object has nowhere to go.
    assert reassignment_costs(np.array([[0, 3]]), [4]).rises.tolist() == [np.inf]
    assert reassignment_costs(np.array([[0], [0]]), [4, 5], loss="vi", sample_weight=[2, 0]).rises[0] == np.inf


@EVERY_LOSS
def test_objects_of_weight_zero_do_not_matter_to_the_others(rng, loss, cost):
    labels, partition, weight = random_ensemble(rng, 12, 4), rng.randint(4, size=12), rng.randint(1, 4, size=12)
    weight[[2, 5, 7]] = 0
    kept, options = weight > 0, {"loss": loss, "cost": cost}
    found = reassignment_costs(labels, partition, sample_weight=weight, **options)
    fewer = reassignment_costs(labels[kept], partition[kept], sample_weight=weight[kept], **options)
    np.testing.assert_allclose(found.rises[kept], fewer.rises, rtol=1e-8, atol=1e-13)
    found, fewer = (expected_losses(labels[rows], sample_weight=weight[rows], **options) for rows in (slice(12), kept))
    np.testing.assert_allclose(found, fewer, rtol=1e-10, atol=1e-13)
