"""Silhouettes of clusterings of subsets of the features against their definition and scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import silhouette_samples

from robust_eac.consensus import zca_whiten
from robust_eac.schemes import order_weights, silhouette_weights

from ..conftest import random_ensemble

METRICS = pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean"])
LABELS = np.array([[0, 0], [0, 1], [1, 1]])


def slow_silhouette(x, labels, *, singleton, squared=True):
    """Ramped mean silhouette by its definition; NaN where MATLAB's is."""
    values = []
    for i in range(len(x)):
        means = {}
        for c in set(labels):
            others = [j for j in range(len(x)) if labels[j] == c and j != i]
            square = [np.sum((x[i] - x[j]) ** 2) for j in others]
            means[c] = np.mean(square if squared else np.sqrt(square)) if others else 0.0
        a = means.pop(labels[i])
        if not means:
            return 0.0
        b = min(means.values())
        if max(a, b) == 0.0:
            return 0.0
        values.append(singleton if list(labels).count(labels[i]) == 1 else (b - a) / max(a, b))
    return max(0.0, np.mean(values))


@METRICS
def test_silhouette_weights_equal_scikit_learn(rng, metric, missing):
    labels = random_ensemble(rng, 40, 12, max_clusters=5, missing=missing)
    labels[:, :6] = np.where(labels[:, :6] < 0, -1, 7 * labels[:, :6] - 20)
    centres = rng.normal(scale=3.0, size=(5, 4))
    X = centres[labels[:, -1]] + rng.normal(size=(40, 4)) + 100.0
    for subsets in (None, [rng.permutation(4)[: 1 + u % 4] for u in range(12)]):
        weights = silhouette_weights(labels, X=X, subsets=subsets, metric=metric, singleton=0.0)
        assert weights[-1] > 0.0
        for u in range(12):
            seen = labels[:, u] != -1
            x = X[seen] if subsets is None else X[np.ix_(seen, np.sort(subsets[u]))]
            expected = max(0.0, silhouette_samples(x, labels[seen, u], metric=metric).mean())
            assert np.isclose(weights[u], expected, rtol=1e-9, atol=1e-12)


@METRICS
@pytest.mark.parametrize("singleton", [0.0, 1.0, -0.5])
def test_objects_alone_in_their_cluster(rng, metric, singleton):
    X = rng.normal(size=(9, 2)) + 10.0 * np.repeat([0, 1, 2], 3)[:, np.newaxis]
    labels = np.column_stack([np.arange(9) // 2, np.minimum(np.arange(9), 7)])
    found = silhouette_weights(labels, X=X, metric=metric, singleton=singleton)
    squared = metric == "sqeuclidean"
    expected = [slow_silhouette(X, c.tolist(), singleton=singleton, squared=squared) for c in labels.T]
    assert_allclose(found, expected, rtol=1e-12)
    assert silhouette_weights(np.arange(9)[:, np.newaxis], X=X, singleton=1.0) == 1.0


@METRICS
def test_coinciding_objects(metric):
    # 0.1 + 0.1 + 0.1 is not 0.3: a mean of equal values differs from them.
    X = np.array([[0.1]] * 7)
    labels = np.array([[0], [0], [0], [1], [1], [1], [2]])
    for undefined, expected in ((0.0, 0.0), (0.5, 0.5), (np.nan, 0.0)):
        assert silhouette_weights(labels, X=X, metric=metric, undefined=undefined) == expected
    X[6] = 5.0
    assert silhouette_weights(labels, X=X, metric=metric, undefined=0.0) == 1.0 / 7.0
    assert silhouette_weights(labels, X=X, metric=metric, undefined=np.nan) == 0.0
    labels = (X > 1.0).astype(int)
    assert silhouette_weights(labels, X=X, metric=metric, undefined=np.nan) == 1.0


def test_fast_sums_of_squares_are_accurate(rng):
    x = np.float64(2.0**40) + rng.randint(1000, size=(30, 2)) / 512.0
    labels = rng.randint(4, size=(30, 1))
    labels[:4, 0] = range(4)
    labels = np.column_stack([labels, x[:, 0] > np.median(x[:, 0])])
    found = silhouette_weights(labels, X=x, singleton=1.0)
    # The differences are exact, so the definition is too.
    expected = [slow_silhouette(x, c.tolist(), singleton=1.0) for c in labels.T]
    assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
    assert found[1] > 0.0


def test_whitened_silhouettes_of_any_number_of_threads(rng):
    X = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 3))
    labels = random_ensemble(rng, 20, 5, max_clusters=2)
    labels[:, 0] = zca_whiten(X)[:, 0] > 0.0
    labels[:, 1] = 0
    found = silhouette_weights(labels, X=X, whiten=True, n_jobs=2)
    assert_allclose(found, silhouette_weights(labels, X=zca_whiten(X)), rtol=1e-9, atol=1e-12)
    assert found[0] > 0.0 == found[1]
    assert found[0] != silhouette_weights(labels, X=X)[0]


def test_order_weights(rng):
    subsets = [rng.permutation(6)[: 1 + u % 3] for u in range(8)]
    weights = order_weights(subsets)
    assert_allclose(weights, [1 / 3, 1 / 3, 1 / 2] * 2 + [1 / 3] * 2)
    mask = np.array([np.isin(np.arange(6), s) for s in subsets])
    assert_array_equal(order_weights(mask), weights)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: order_weights([]), "subset"),
        (lambda: order_weights([[0, -1]]), "-1"),
        (lambda: silhouette_weights(LABELS, X=np.eye(3), subsets=[[0]]), "2 partitions, got 1"),
        (lambda: silhouette_weights(LABELS, X=np.eye(3), subsets=[[0], [3]]), r"subsets\[1\]"),
    ],
)
def test_errors(call, match):
    with pytest.raises(ValueError, match=match):
        call()
