"""Spectral clustering by landmarks against explicit matrices, and what scikit-learn says of the same graph."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_moons

from robust_eac import KMeansEnsemble, LandmarkSpectralEnsemble, adjusted_rand_score, load_dataset

from ..access import landmarks as landmark_graph
from ..reference import transfer_cut_rows


@pytest.fixture(name="X", scope="module")
def features():
    return load_dataset("iris")[0]


@pytest.mark.parametrize(
    ("d", "p", "K", "shift"), [(1, 9, 3, 1e4), (2, 60, 5, 0.0), (16, 200, 5, 1e4), (7, 4, 9, 0.0), (3, 1, 1, 0.0)]
)
def test_the_nearest_landmarks_are_exact(rng, d, p, K, shift):
    points, landmarks = rng.normal(size=(80, d)) + shift, rng.normal(size=(p, d)) + shift
    numbers, squares = landmark_graph.search(points, landmark_graph.build_index(landmarks, rng), K)
    distances = cdist(points, landmarks)
    K = min(K, p)
    expected = np.argsort(distances, axis=1)[:, :K]
    np.testing.assert_array_equal(numbers, expected)
    np.testing.assert_allclose(np.sqrt(squares), np.sort(distances, axis=1)[:, :K], rtol=1e-12)


def test_groups_of_landmarks_that_are_far_away_are_left_out(rng):
    """With ties, and groups of very different widths."""
    landmarks = np.concatenate([rng.normal(scale=scale, size=(40, 2)) + 5 * scale for scale in (0.01, 1.0, 30.0)])
    points = np.concatenate([landmarks[::3], rng.uniform(-50.0, 250.0, size=(60, 2))])
    _, squares = landmark_graph.search(points, landmark_graph.build_index(landmarks, rng), 6)
    np.testing.assert_allclose(squares, np.sort(cdist(points, landmarks, "sqeuclidean"), axis=1)[:, :6], atol=1e-12)


def edges_by_loops(X, landmarks, K):
    """(B, its sigma): the affinities of all objects to their K nearest landmarks, zero elsewhere."""
    distances = np.array([[np.sqrt(np.sum((x - r) ** 2)) for r in landmarks] for x in X])
    nearest = [np.argsort(row)[:K] for row in distances]
    sigma = np.mean([distances[i, j] for i, row in enumerate(nearest) for j in row])
    B = np.zeros(distances.shape)
    for i, row in enumerate(nearest):
        for j in row:
            B[i, j] = np.exp(-(distances[i, j] ** 2) / (2.0 * sigma**2))
    return B, sigma


@pytest.mark.parametrize("K", [2, 40])
def test_coordinates_equal_the_definition(X, K):
    model = landmark_graph.fit_model(X, 4, 40, K, len(X), 3)
    B, sigma = edges_by_loops(X, model.landmarks, K)
    assert model.width == pytest.approx(sigma, rel=1e-12)
    found = landmark_graph.embed(X, model, K)
    # Eigenvectors are unique up to rotations and signs, which inner products do not see.
    np.testing.assert_allclose(found @ found.T, (expected := transfer_cut_rows(B, 4)) @ expected.T, atol=1e-7)
    labels = np.empty((len(X), 1), dtype=np.uint8)
    landmark_graph.label_by_models([model], K, X, labels)
    np.testing.assert_array_equal(labels[:, 0], cdist(expected_centres(found, labels[:, 0]), found).argmin(axis=0))


def expected_centres(points, labels):
    """Means of the clusters: k-means has converged on so few points."""
    return np.array([points[labels == c].mean(axis=0) for c in range(labels.max() + 1)])


def test_landmarks_are_centres_of_their_candidates(rng):
    points = rng.normal(size=(500, 3))
    landmarks = landmark_graph.choose_landmarks(points, 20, rng)
    assert landmarks.shape == (20, 3)
    assert cdist(points, landmarks).min(axis=1).mean() < cdist(points, points[:20]).min(axis=1).mean()
    few = landmark_graph.choose_landmarks(np.repeat(points[:5], 4, axis=0), 20, rng)
    np.testing.assert_array_equal(few, np.unique(points[:5], axis=0))


@pytest.mark.filterwarnings("ignore:Graph is not fully connected:UserWarning")
def test_clusters_of_any_shape():
    X, y = make_moons(600, noise=0.05, random_state=0)
    model = LandmarkSpectralEnsemble(4, 2, n_landmarks=80, random_state=0).fit(X)
    assert min(adjusted_rand_score(y, column) for column in model.labels_.T) == 1.0
    by_kmeans = KMeansEnsemble(4, 2, random_state=0).fit_transform(X)
    assert max(adjusted_rand_score(y, column) for column in by_kmeans.T) < 0.6
    B, _ = edges_by_loops(X, model.landmarks_[0], 5)
    affinity = B @ np.diag(1.0 / B.sum(axis=0)) @ B.T
    other = SpectralClustering(2, affinity="precomputed", random_state=0).fit_predict(affinity)
    assert adjusted_rand_score(other, model.labels_[:, 0]) == 1.0


def test_landmarks_that_no_object_is_near_to_are_left_out():
    rng = np.random.RandomState(0)
    X = np.concatenate([rng.normal(size=(400, 2)), [[300.0, 0.0], [300.0, 60.0]]])
    # One of the landmarks is the centre of the two objects far away, and far from both.
    model = landmark_graph.fit_model(X, 3, 30, 1, len(X), 1)
    assert len(model.landmarks) < 30
    assert cdist(model.landmarks, X).min(axis=1).max() < 5.0
    assert np.isfinite(landmark_graph.embed(X, model, 1)).all()


def test_objects_far_from_everything_are_labelled(X):
    model = LandmarkSpectralEnsemble(5, (2, 4), n_landmarks=30, random_state=0).fit(X)
    far = np.array([[1e6, 0.0, 0.0, 0.0], [-1e60, 0.0, 0.0, 0.0]])
    assert np.all(model.transform(far) < model.n_clusters_)
    coordinates = landmark_graph.embed(far, landmark_graph.fit_model(X, 3, 30, 5, len(X), 0), 5)
    np.testing.assert_allclose(np.linalg.norm(coordinates, axis=1), 1.0)


@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
def test_identical_objects():
    labels = LandmarkSpectralEnsemble(3, (1, 2), random_state=0).fit_transform(np.ones((8, 2)))
    assert np.all(labels == labels[:1])


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"n_clusters": (5, 41), "n_landmarks": 40}, r"n_clusters must be in \[5, n_landmarks=40\], got 41"),
        ({"n_clusters": (5, 31), "max_samples": 30}, r"n_clusters must be in \[5, max_samples=30\], got 31"),
        ({"n_clusters": 151}, r"n_clusters must be in \[1, n_samples=150\], got 151"),
    ],
)
def test_errors(X, options, match):
    with pytest.raises(ValueError, match=match):
        LandmarkSpectralEnsemble(3, **options).fit(X)
