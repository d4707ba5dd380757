import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from robust_eac.ensembles import fuzzy_c_means, gath_geva, kaufman_kmeans, kaufman_seeds


def blobs(rng, n_clusters=3, size=15, n_features=2, spread=4.0):
    y = np.repeat(np.arange(n_clusters), size)
    return spread * rng.normal(size=(n_clusters, n_features))[y] + rng.normal(size=(len(y), n_features)), y


def unfinished(function, *args, **kwargs):
    """Result of a run that is stopped on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return function(*args, **kwargs)


def slow_memberships(X, centers):
    squares = cdist(X, centers) ** 2
    return 1.0 / (squares[:, :, np.newaxis] / squares[:, np.newaxis]).sum(axis=2)


def test_c_means_against_plain_loops(rng):
    X, _ = blobs(rng)
    centers = rng.normal(size=(3, 2))
    start = centers.copy()
    u = slow_memberships(X, centers)
    for _ in range(6):
        centers = np.array([sum(u[i, k] ** 2 * X[i] for i in range(len(X))) / sum(u[:, k] ** 2) for k in range(3)])
        u = slow_memberships(X, centers)
    with pytest.warns(ConvergenceWarning, match="fuzzy c-means .*max_iter=6"):
        result = fuzzy_c_means(X, 3, init=start, max_iter=6, tol=0.0)
    assert_allclose(result.membership, u, rtol=1e-9, atol=1e-14)
    assert_allclose(result.centers, centers, rtol=1e-9)
    assert result.objective == pytest.approx(np.sum(u**2 * cdist(X, centers) ** 2), rel=1e-10)
    assert (result.n_iter, result.converged) == (6, False)


def test_c_means_ends_where_both_steps_stand_still(rng):
    X, _ = blobs(rng)
    result = fuzzy_c_means(X, 3, tol=1e-9, random_state=rng)
    assert result.converged
    powers = result.membership**2
    assert_allclose(powers.T @ X / powers.sum(axis=0)[:, None], result.centers, atol=1e-7)
    assert_allclose(slow_memberships(X, result.centers), result.membership, atol=1e-7)


def test_c_means_edge_cases(rng):
    X, _ = blobs(rng)
    assert_allclose(fuzzy_c_means(X, 1, random_state=0).centers[0], X.mean(axis=0))
    coincident = fuzzy_c_means(np.ones((5, 2)), 2, random_state=0)
    assert np.array_equal(coincident.membership, np.full((5, 2), 0.5))
    assert coincident.objective == 0.0
    # First centers are distinct objects.
    repeated = np.repeat([[0.0], [1.0], [5.0]], [50, 1, 1], axis=0)
    first = unfinished(fuzzy_c_means, repeated, 3, max_iter=1, tol=0.0, random_state=0)
    assert_allclose(np.sort(first.centers.ravel()), [0.0, 1.0, 5.0], atol=1e-12)
    # An object on a center belongs to it alone.
    result = unfinished(fuzzy_c_means, [[-1.0], [0.0], [1.0], [9.0]], 2, init=[[0.0], [9.0]], max_iter=1, tol=0.0)
    assert np.isfinite(result.membership).all()
    # A center too far away for any membership stays.
    result = fuzzy_c_means(1e-100 * X, 2, init=[[0.0, 0.0], [1e70, 0.0]], max_iter=2)
    assert np.array_equal(result.centers[1], [1e70, 0.0])
    assert_allclose(result.centers[0], 1e-100 * X.mean(axis=0), rtol=1e-7)


def test_gath_geva_is_expectation_maximisation_of_a_gaussian_mixture(rng):
    X, _ = blobs(rng, n_features=3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    centers, precisions = X[[0, 20, 40]], np.tile(np.eye(3), (3, 1, 1))
    densities = np.column_stack([multivariate_normal(center).pdf(X) for center in centers])
    start = densities / densities.sum(axis=1, keepdims=True)
    for n_iter in (1, 5, 40):
        mixture = GaussianMixture(
            3, tol=0.0, reg_covar=1e-6, max_iter=n_iter, means_init=centers, precisions_init=precisions,
            weights_init=[1 / 3] * 3, random_state=0,
        )  # fmt: skip
        unfinished(mixture.fit, X)
        result = unfinished(gath_geva, X, 3, init=start, max_iter=n_iter, tol=0.0)
        assert_allclose(result.centers, mixture.means_, rtol=1e-6, atol=1e-9)
        assert_allclose(result.covariances, mixture.covariances_, rtol=1e-6, atol=1e-9)
        assert_allclose(result.priors, mixture.weights_, rtol=1e-6)
        assert_allclose(result.membership, mixture.predict_proba(X), rtol=1e-5, atol=1e-9)
        assert result.objective == pytest.approx(-mixture.score(X) * len(X), rel=1e-8)


def test_gath_geva_edge_cases(rng):
    X, y = blobs(rng)
    single = gath_geva(X, 1, random_state=0)
    covariance = np.cov(X.T, bias=True) + 1e-6 * np.diag(X.var(axis=0))
    assert_allclose(single.covariances[0], covariance, rtol=1e-12)
    # Far apart, in wild units, with a constant feature, with duplicates: no overflow, no singular matrix.
    wild = np.column_stack([np.repeat([0.0, 1e8], 20) + rng.normal(size=40), 1e-6 * rng.normal(size=40), np.ones(40)])
    result = gath_geva(np.vstack([wild, wild]), 2, random_state=0)
    assert np.isfinite(result.membership).all()
    assert_allclose(result.priors, 0.5, rtol=1e-9)
    # A cluster without membership keeps out and disturbs nothing.
    start = np.column_stack([0.9 * (y == 0) + 0.05, 0.9 * (y > 0) + 0.05, np.zeros(len(y))])
    result, pair = gath_geva(X, 3, init=start), gath_geva(X, 2, init=start[:, :2])
    assert_allclose(result.membership[:, :2], pair.membership, atol=1e-12)
    assert_allclose(result.centers[2], X.mean(axis=0))


def slow_seeds(X, n_clusters):
    n, d = len(X), cdist(X, X)
    seeds = [min(range(n), key=lambda i: d[i].sum())]
    while len(seeds) < n_clusters:
        others = [i for i in range(n) if i not in seeds]
        nearest = d[:, seeds].min(axis=1)
        gains = [sum(max(nearest[j] - d[i, j], 0.0) for j in others if j != i) for i in others]
        seeds.append(others[int(np.argmax(gains))])
    return seeds


def test_seeds_against_plain_loops(rng):
    X = rng.normal(size=(25, 3))
    seeds = kaufman_seeds(X, 25)
    # Near the end every gain is zero: only there does the choice rest on the order.
    assert seeds[:12].tolist() == slow_seeds(X, 12)
    assert sorted(seeds) == list(range(25))
    assert np.array_equal(kaufman_seeds(X, 5), seeds[:5])
    assert kaufman_seeds(X + 100.0, 5).tolist() == seeds[:5].tolist()


def test_equally_good_seeds_are_taken_in_order():
    square = [[0.1, 0.1], [0.1, 0.3], [0.3, 0.1], [0.3, 0.3]]
    assert kaufman_seeds(square, 4).tolist() == [0, 1, 2, 3]
    assert kaufman_seeds([[1.0]] * 3, 2).tolist() == [0, 1]
    # Corners of a polygon are equally good, but in rounded sums of distances some come out better.
    for corners in range(5, 13):
        angles = 2.0 * np.pi * np.arange(corners) / corners
        polygon = np.column_stack([np.cos(angles), np.sin(angles)])
        assert kaufman_seeds(polygon, 1).tolist() == [0]
        assert kaufman_seeds(np.vstack([[[0.0, 0.0]], polygon]), 2).tolist() == [0, 1]


def test_kaufman_kmeans_is_k_means_from_the_seeds(rng):
    X, _ = blobs(rng, n_clusters=5)
    labels = kaufman_kmeans(X, 5)
    assert np.array_equal(labels, KMeans(5, init=X[kaufman_seeds(X, 5)], n_init=1).fit(X).labels_)
    with pytest.warns(ConvergenceWarning, match="Gath-Geva .*max_iter=2"):
        assert not gath_geva(X, 3, max_iter=2, tol=0.0, random_state=0).converged
    assert gath_geva(X, 3, random_state=0).converged
