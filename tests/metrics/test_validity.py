import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import mahalanobis
from sklearn.metrics import calinski_harabasz_score, silhouette_score

from robust_eac.metrics import calinski_harabasz, fukuyama_sugeno, ovi_lda, partition_entropy, silhouette, xie_beni

from ..access import _ovi
from ..conftest import random_membership

INDICES = (calinski_harabasz, silhouette, partition_entropy, xie_beni, fukuyama_sugeno)


def mixture(rng, sizes=(25, 12, 18), n_features=3, spread=2.0):
    """Overlapping Gaussian clusters of different size and covariance, in mixed order: X and labels."""
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    shapes = rng.normal(size=(len(sizes), n_features, n_features)) + 1.5 * np.eye(n_features)
    centers = spread * rng.normal(size=(len(sizes), n_features))
    return np.array([shapes[k] @ rng.normal(size=n_features) + centers[k] for k in y]), y


def slow_ovi(X, membership, min_size, euclidean=False, as_printed=False):
    """v, V, V_k, coverage and neighbours from the formulas, object by object."""
    n, n_clusters = membership.shape
    sizes = [sum(membership[i, k] for i in range(n)) for k in range(n_clusters)]
    valid = [k for k in range(n_clusters) if sizes[k] >= min_size]
    centers, covariances = {}, {}
    for k in valid:
        weights = membership[:, k] ** 2
        if as_printed:
            centers[k] = sum(weights[i] * X[i] for i in range(n)) / sizes[k]
            squares = sum(weights[i] * np.outer(X[i] - centers[k], X[i] - centers[k]) for i in range(n))
            covariances[k] = squares / (sizes[k] - 1)
        else:
            centers[k] = np.average(X, axis=0, weights=weights)
            covariances[k] = np.cov(X.T, aweights=weights)
    values, neighbours = np.full(n, np.nan), np.full(n, -1)
    for i in range(n):
        own = int(np.argmax(membership[i]))
        others = [k for k in valid if k != own]
        if own not in valid or not others:
            continue
        if euclidean:
            others = [min(others, key=lambda k: np.linalg.norm(X[i] - centers[k]))]
        for k in others:
            a, b = sizes[own] - 1, sizes[k] - 1
            if as_printed:
                a, b = b, a
            inverse = np.linalg.inv((a * covariances[own] + b * covariances[k]) / (a + b))
            ratio = np.log(mahalanobis(X[i], centers[k], inverse) / mahalanobis(X[i], centers[own], inverse))
            if not ratio >= values[i]:
                values[i], neighbours[i] = ratio, k
    cluster_values = np.full(n_clusters, np.nan)
    for k in valid:
        members = membership.argmax(axis=1) == k
        if members.any():
            cluster_values[k] = values[members].sum() / (sizes[k] if as_printed else members.sum())
    return values, np.nanmean(values), cluster_values, np.mean(~np.isnan(values)), neighbours


def one_hot(y):
    return (y[:, None] == np.unique(y)).astype(float)


@pytest.mark.parametrize("as_printed", [False, True])
@pytest.mark.parametrize("neighbour", ["mahalanobis", "euclidean"])
@pytest.mark.parametrize("fuzzy", [False, True])
def test_values_against_plain_loops(rng, as_printed, neighbour, fuzzy):
    X, y = mixture(rng, sizes=(25, 12, 18, 3))
    X += 3.0
    membership = random_membership(rng, len(X), 4) ** 2 + 0.5 * one_hot(y) if fuzzy else one_hot(y)
    membership /= membership.sum(axis=1, keepdims=True)
    for min_size in (4, 12.5):
        options = {"min_cluster_size": min_size, "neighbour": neighbour, "as_printed": as_printed}
        result = ovi_lda(X, membership if fuzzy else y, **options)
        expected = slow_ovi(X, membership, min_size, neighbour == "euclidean", as_printed)
        for value, other in zip(result, expected, strict=True):
            assert_allclose(value, other, rtol=1e-8, atol=1e-9)
        zeros = ovi_lda(X, membership if fuzzy else y, **options, nan_as_zero=True)
        assert zeros.value == pytest.approx(np.nansum(result.object_values) / len(X))


def test_objects_in_no_cluster_are_as_if_absent(rng):
    X, y = mixture(rng)
    outside = rng.uniform(size=len(X)) < 0.2
    result, alone = ovi_lda(X, np.where(outside, -1, y)), ovi_lda(X[~outside], y[~outside])
    assert_allclose(result.object_values[~outside], alone.object_values, rtol=1e-12)
    assert np.isnan(result.object_values[outside]).all()
    assert result.value == pytest.approx(alone.value)
    assert result.coverage == np.mean(~outside)
    for index in INDICES:
        assert index(X, np.where(outside, -1, y)) == pytest.approx(index(X[~outside], y[~outside]))


def test_a_single_cluster_has_no_value(rng):
    X = rng.normal(size=(10, 2))
    for memberships in (np.zeros(10, dtype=int), np.arange(10), np.full((10, 20), 0.05)):
        result = ovi_lda(X, memberships, nan_as_zero=True, neighbour="euclidean")
        for values in (result.value, result.object_values, result.cluster_values):
            assert np.isnan(values).all()
        assert result.coverage == 0.0
        assert (result.neighbours == -1).all()


def test_far_apart_dependent_and_constant_features_change_nothing(rng):
    X, y = mixture(rng)
    far = X + 1e8 * y[:, None]
    assert_allclose(ovi_lda(far, y).object_values, slow_ovi(far, one_hot(y), 4)[0], rtol=1e-6)
    redundant = np.column_stack([X, X @ [1.0, -2.0, 0.5], np.full(len(X), 0.1)])
    values = ovi_lda(X, y).object_values
    assert_allclose(ovi_lda(redundant, y).object_values, values, rtol=1e-6, atol=1e-7)


def test_coincident_objects_have_finite_values():
    result = ovi_lda([[0.0, 0.0]] * 3 + [[1.0, 0.0]] * 3, [0, 0, 0, 1, 1, 1])
    assert np.isfinite(result.object_values).all()
    assert result.value > 10.0
    assert not ovi_lda(np.zeros((6, 2)), [0, 0, 0, 1, 1, 1]).object_values.any()
    at_center = ovi_lda([[-1.0], [0.0], [1.0], [5.0], [7.0]], [0, 0, 0, 1, 1])
    assert np.isfinite(at_center.object_values).all()
    assert at_center.object_values.argmax() == 1


def test_crisp_indices_are_those_of_scikit_learn(rng):
    X, y = mixture(rng)
    membership = random_membership(rng, len(X), 3)
    for index, score in ((calinski_harabasz, calinski_harabasz_score), (silhouette, silhouette_score)):
        assert index(X, y) == pytest.approx(score(X, y), rel=1e-12)
        assert index(X, membership) == pytest.approx(score(X, membership.argmax(axis=1)), rel=1e-12)
        assert np.isnan(index(X, np.zeros(len(X), dtype=int)))
        assert np.isnan(index(X, np.arange(len(X))))


def test_fuzzy_indices_against_plain_loops(rng):
    X, y = mixture(rng)
    for memberships, u in ((membership := random_membership(rng, len(X), 3), membership), (y, one_hot(y))):
        n, m = len(X), 2
        centers = [sum(u[i, k] ** m * X[i] for i in range(n)) / sum(u[i, k] ** m for i in range(n)) for k in range(3)]
        within = sum(u[i, k] ** m * ((X[i] - centers[k]) ** 2).sum() for i in range(n) for k in range(3))
        between = sum(u[i, k] ** m * ((centers[k] - X.mean(axis=0)) ** 2).sum() for i in range(n) for k in range(3))
        closest = min(((centers[a] - centers[b]) ** 2).sum() for a in range(3) for b in range(a))
        entropy = -sum(u[i, k] * np.log(u[i, k]) for i in range(n) for k in range(3) if u[i, k] > 0.0) / n
        assert xie_beni(X, memberships) == pytest.approx(within / (n * closest), rel=1e-10)
        assert fukuyama_sugeno(X, memberships) == pytest.approx(within - between, rel=1e-9)
        assert partition_entropy(X, memberships) == pytest.approx(entropy, rel=1e-12)


def test_degenerate_fuzzy_indices():
    X, single = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 0, 0]
    assert np.isnan(xie_beni(X, single))
    assert fukuyama_sugeno(X, single) == 5.0
    assert str(partition_entropy(X, single)) == "0.0"
    assert xie_beni(X, [0, 1, 1, 0]) == np.inf
    empty = np.eye(3)[[0, 0, 2, 2]]
    for index in (xie_beni, fukuyama_sugeno):
        assert index(X, empty) == index(X, [0, 0, 1, 1])


@pytest.mark.parametrize("index", [ovi_lda, *INDICES])
@pytest.mark.parametrize(("memberships", "match"), [([-1] * 4, "at least one"), ([[0.5, 0.5]] * 3, "shape")])
def test_errors(index, memberships, match):
    with pytest.raises(ValueError, match=match):
        index([[0.0], [1.0], [2.0], [3.0]], memberships)


def test_values_do_not_depend_on_the_blocks(rng, monkeypatch):
    X, membership = rng.normal(size=(60, 3)), rng.dirichlet(np.ones(5), size=60)
    whole = ovi_lda(X, membership)
    monkeypatch.setattr(_ovi, "_BLOCK", 25)
    blocks = ovi_lda(X, membership)
    assert np.allclose(blocks.object_values, whole.object_values, rtol=1e-12)
    assert np.array_equal(blocks.neighbours, whole.neighbours)
