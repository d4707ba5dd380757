import functools
import math
import operator

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from robust_eac.consensus.combinatorial import zca_whiten
from robust_eac.ensembles import FeatureSubsetEnsemble

from ..access import feature_subsets as subsets


def kmeans(x, seeds, max_iter):
    """One run of the kernel on the rows of x."""
    labels = np.empty((1, len(x)), dtype=np.int32)
    data = np.ascontiguousarray(np.asarray(x, dtype=float).T[np.newaxis])
    subsets.run_kmeans(data, np.array([seeds]), np.array([len(seeds)]), max_iter, labels)
    return labels[0]


def add(values):
    """Plain sum, where the built-in one compensates rounding errors from Python 3.12 on."""
    return functools.reduce(operator.add, values, 0.0)


def slow_kmeans(x, seeds, max_iter):
    """The rules of MATLAB's batch phase on lists, sums in the order of the objects; also what happened on the way."""
    n, d, k = len(x), len(x[0]), len(seeds)
    events = set()

    def distance(i, centre):
        return add((x[i][j] - centre[j]) * (x[i][j] - centre[j]) for j in range(d))

    def mean(c):
        members = [x[i] for i in range(n) if labels[i] == c]
        return [add(row[j] for row in members) / len(members) for j in range(d)] if members else None

    labels = [min(range(k), key=lambda c: distance(i, x[seeds[c]])) for i in range(n)]
    previous, last = None, math.inf
    for _ in range(max_iter):
        centres = [mean(c) for c in range(k)]
        for c in [c for c in range(k) if centres[c] is None]:
            events.add("empty")
            far = max(range(n), key=lambda i: distance(i, centres[labels[i]]))
            if labels.count(labels[far]) == 1:
                events.add("all on their centres")
                spare = min(c for c in range(k) if labels.count(c) > 1)
                far = labels.index(spare)
            source, labels[far] = labels[far], c
            centres[c], centres[source] = x[far], mean(source)
        total = add(distance(i, centres[labels[i]]) for i in range(n))
        if total >= last:
            return previous, events | {"taken back"}
        previous, last = list(labels), total
        for i in range(n):
            nearest = min(range(k), key=lambda c: distance(i, centres[c]))
            if distance(i, centres[nearest]) < distance(i, centres[labels[i]]):
                labels[i] = nearest
        if labels == previous:
            break
    return previous, events


@pytest.mark.parametrize("kind", ["generic", "few values", "far from the origin"])
def test_kmeans_equals_plain_loops(rng, kind):
    seen = set()
    for _ in range(120):
        n, d = rng.randint(4, 30), rng.randint(1, 4)
        x = rng.normal(size=(n, d))
        if kind == "few values":
            x = rng.randint(3, size=(n, d)) / 3.0
        elif kind == "far from the origin":
            # The means are rounded by as much as the objects differ: passes come that do not help.
            x = 1e8 + 5e-8 * x
        seeds = rng.permutation(n)[: rng.randint(1, min(n, 6))]
        max_iter = rng.choice([1, 2, 3, 100])
        expected, events = slow_kmeans(x.tolist(), seeds.tolist(), max_iter)
        assert kmeans(x, seeds, max_iter).tolist() == expected
        seen |= events
    assert seen >= {"few values": {"empty", "all on their centres"}, "far from the origin": {"taken back"}}.get(
        kind, set()
    )


@pytest.mark.parametrize("whiten", [False, True])
def test_every_partition_is_a_fixed_point_of_kmeans_on_its_sub_data(rng, whiten):
    X = rng.normal(size=(40, 5)) @ rng.normal(size=(5, 5)) + 3.0
    model = FeatureSubsetEnsemble((2, 4), whiten=whiten, max_order=3, random_state=rng).fit(X)
    for labels, subset in zip(model.labels_.T, model.subsets_, strict=True):
        x = zca_whiten(X[:, subset]) if whiten else X[:, subset]
        means = np.array([x[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
        assert_array_equal(np.argmin(((x[:, np.newaxis] - means) ** 2).sum(axis=2), axis=1), labels)


def distinct(model, order):
    return {tuple(s) for s in model.subsets_ if len(s) == order}


def test_many_subsets_are_sampled_with_repetitions_in_the_listing_alone(rng):
    def subsets_of(n_features, **options):
        return FeatureSubsetEnsemble(2, random_state=rng, **options).fit(rng.normal(size=(4, n_features)))

    listing, equation = (subsets_of(1500, max_order=1, reproduce=name) for name in ("listing", "equation"))
    assert len(listing.subsets_) == len(equation.subsets_) == len(distinct(equation, 1)) == 1000
    # 1500 (1 - (1 - 1/1500)^1000) = 730 are expected.
    assert 670 < len(distinct(listing, 1)) < 790
    few = subsets_of(2)
    assert np.bincount(few.orders_).tolist() == [0, 50, 50]
    assert [len(distinct(few, order)) for order in (1, 2)] == [2, 1]
    assert np.bincount(subsets_of(4, max_order=2, max_per_order=12).orders_).tolist() == [0, 12, 12]
    few = subsets_of(10, max_order=2, max_per_order=40, reproduce="equation")
    assert np.bincount(few.orders_).tolist() == [0, 10, 40]
    assert len(distinct(few, 2)) == 40


def test_draws_are_uniform():
    rng = np.random.RandomState(0)
    pairs = np.sort(subsets.draw_combinations(rng, 6000, 4, 2), axis=1)
    _, counts = np.unique(pairs, axis=0, return_counts=True)
    assert len(counts) == 6
    assert np.abs(counts - 1000).max() < 150
    # Nine of ten pairs without repetition: each is left out about 50 times.
    drawn = np.concatenate([np.unique(subsets._draw_different(rng, 9, 5, 2), axis=0) for _ in range(500)])
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert (len(counts), counts.sum()) == (10, 4500)
    assert np.abs(counts - 450).max() < 35


def test_given_subsets(rng):
    X = rng.normal(size=(15, 6))
    mask = rng.uniform(size=(20, 6)) < 0.5
    mask[:, 2] = True
    indices = [rng.permutation(np.flatnonzero(row)) for row in mask]
    one, two = (FeatureSubsetEnsemble(combinations=given, random_state=0).fit(X) for given in (mask, indices))
    assert_array_equal(one.labels_, two.labels_)
    assert_array_equal(one.orders_, mask.sum(axis=1))
    assert all(np.array_equal(s, np.flatnonzero(row)) for s, row in zip(one.subsets_, mask, strict=True))


def test_same_seed_same_ensemble_whatever_the_batches(rng, monkeypatch):
    X = rng.normal(size=(30, 8))
    one = FeatureSubsetEnsemble((2, 5), random_state=3).fit_transform(X)
    monkeypatch.setattr(subsets, "_BATCH_SIZE", 1000)
    assert_array_equal(one, FeatureSubsetEnsemble((2, 5), random_state=3).fit_transform(X))


def test_extremes(rng):
    constant = FeatureSubsetEnsemble((2, 3), random_state=0).fit(np.ones((6, 3)))
    assert [len(np.unique(c)) for c in constant.labels_.T] == constant.n_clusters_.tolist()
    big = FeatureSubsetEnsemble(300, combinations=[[0]], random_state=0).fit(rng.normal(size=(400, 1)))
    assert big.labels_.dtype == np.int16
    assert len(np.unique(big.labels_)) == 300


@pytest.mark.parametrize(
    ("combinations", "error", "match"),
    [
        (3, TypeError, "list"),
        ([[0], []], ValueError, "at least one"),
        ([[0, 4]], ValueError, "indices"),
        ([[1, 2, 1]], ValueError, "twice"),
        ([[0.0, 1.0]], TypeError, "feature indices"),
    ],
)
def test_errors(combinations, error, match):
    with pytest.raises(error, match=match):
        FeatureSubsetEnsemble(combinations=combinations, random_state=0).fit(np.eye(4))
