"""Spectral clustering by the bipartite graph of objects and landmarks: landmarks, affinities, cut, labels."""

from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans

from ._blocks import draw_sample, nearest_centres
from ._landmark_kernels import nearest_landmarks
from .spectral import KMEANS_PASSES, leading_vectors, normalised_graph, unit_rows

# Objects that landmarks are made of, per landmark, as in the paper.
_CANDIDATES = 10
# Passes of k-means that makes landmarks: they need not be its optimum.
_LANDMARK_PASSES = 10
# A landmark with less than this share of the largest sum of affinities is no neighbour of anything, up to rounding.
_NO_DEGREE = 1e-12


class Index(NamedTuple):
    """Landmarks in groups, for the search of the nearest ones.

    centres : (n_features, n_groups).
    radii : (n_groups,) distance of the farthest landmark of a group from its centre.
    neighbours : (n_groups, n_groups) the groups by their distance from each group.
    sizes : (n_groups,) landmarks per group.
    landmarks : (n_groups, n_features, largest size) zeros at the end of smaller groups.
    numbers : (n_groups, largest size) which landmarks these are.
    """

    centres: np.ndarray
    radii: np.ndarray
    neighbours: np.ndarray
    sizes: np.ndarray
    landmarks: np.ndarray
    numbers: np.ndarray


class Model(NamedTuple):
    """One partition, as it labels objects.

    landmarks : (p, n_features).
    groups : the same landmarks, as they are searched.
    width : sigma.
    coordinates : (p, at most k) N^(-1/2) V, of the landmarks.
    centres : (k, at most k) of k-means on the coordinates of objects.
    """

    landmarks: np.ndarray
    groups: Index
    width: float
    coordinates: np.ndarray
    centres: np.ndarray


def fit_model(X, n_clusters, n_landmarks, n_neighbors, max_samples, seed):
    """The :class:`Model` of a random sample of the objects."""
    rng = np.random.RandomState(seed)
    points = draw_sample(X, max_samples, rng)
    landmarks = choose_landmarks(points, n_landmarks, rng)
    index = build_index(landmarks, rng)
    numbers, squares = search(points, index, n_neighbors)
    width = float(np.sqrt(squares).mean())
    edges = to_sparse(affinities(squares, width), numbers, len(landmarks))
    degrees = edges.sum(axis=0)
    near = degrees > _NO_DEGREE * degrees.max()
    if not near.all():
        landmarks = landmarks[near]
        index = build_index(landmarks, rng)
        numbers, squares = search(points, index, n_neighbors)
        edges = to_sparse(affinities(squares, width), numbers, len(landmarks))
    scaled, (_, degrees) = normalised_graph(edges, np.ones(len(points)), np.ones(len(landmarks)))
    vectors = leading_vectors(scaled, n_clusters, rng)[1] / np.sqrt(degrees)[:, np.newaxis]
    model = Model(landmarks, index, width, vectors, np.empty((0, 0)))
    kmeans = KMeans(n_clusters, n_init=1, max_iter=KMEANS_PASSES, random_state=rng)
    return model._replace(centres=kmeans.fit(embed(points, model, n_neighbors)).cluster_centers_)


def choose_landmarks(points, n_landmarks, rng):
    """(at most n_landmarks, n_features) centres of random candidates: hybrid representative selection."""
    candidates = np.unique(draw_sample(points, min(_CANDIDATES * n_landmarks, len(points)), rng), axis=0)
    if len(candidates) <= n_landmarks:
        return candidates
    kmeans = KMeans(n_landmarks, init="random", n_init=1, max_iter=_LANDMARK_PASSES, random_state=rng)
    return kmeans.fit(candidates).cluster_centers_


def build_index(landmarks, rng):
    """The :class:`Index` of about sqrt(p) groups, made by k-means."""
    n_groups = ceil(sqrt(len(landmarks)))
    kmeans = KMeans(n_groups, init="random", n_init=1, max_iter=_LANDMARK_PASSES, random_state=rng).fit(landmarks)
    centres, groups = kmeans.cluster_centers_, kmeans.labels_
    sizes = np.bincount(groups, minlength=n_groups)
    grouped = np.zeros((n_groups, landmarks.shape[1], sizes.max()))
    numbers = np.zeros((n_groups, sizes.max()), dtype=np.intp)
    for a, size in enumerate(sizes):
        numbers[a, :size] = np.flatnonzero(groups == a)
        grouped[a, :, :size] = landmarks[groups == a].T
    offsets = np.sqrt(((landmarks - centres[groups]) ** 2).sum(axis=1))
    radii = np.zeros(n_groups)
    np.maximum.at(radii, groups, offsets)
    between = ((centres[:, np.newaxis] - centres) ** 2).sum(axis=2)
    # Radii a little too large, so that rounding leaves no landmark out.
    return Index(
        np.ascontiguousarray(centres.T), radii * (1.0 + 1e-9), np.argsort(between, axis=1), sizes, grouped, numbers
    )


def search(points, index, n_neighbors):
    """(numbers, squared distances) of the nearest landmarks, each (n, at most n_neighbors), nearest first."""
    shape = len(points), min(n_neighbors, int(index.sizes.sum()))
    numbers, squares = np.empty(shape, dtype=np.intp), np.empty(shape)
    nearest_landmarks(points, index, numbers, squares)
    return numbers, squares


def affinities(squares, width):
    """exp(-squares / (2 width^2)); for a width of zero, its limit."""
    scale = 2.0 * width**2
    if scale == 0.0:
        return (squares == 0.0).astype(float)
    with np.errstate(over="ignore"):
        return np.exp(-squares / scale)


def to_sparse(values, numbers, n_columns):
    """Sparse (n, n_columns) matrix of these values (n, K) in the columns of these numbers."""
    n, K = values.shape
    return sparse.csr_array((values.ravel(), numbers.ravel(), np.arange(0, n * K + 1, K)), shape=(n, n_columns))


def embed(points, model, n_neighbors):
    """(n, at most k) coordinates of objects: the rows of D^(-1) B N^(-1/2) V, scaled to length one."""
    numbers, squares = search(points, model.groups, n_neighbors)
    # The scale of a row does not matter: relative to the nearest landmark, affinities of far objects do not underflow.
    weights = affinities(squares - squares[:, :1], model.width)
    return unit_rows(to_sparse(weights, numbers, len(model.landmarks)) @ model.coordinates)


def label_by_models(models, n_neighbors, block, labels):
    """Fill labels (n_rows, m)."""
    for u, model in enumerate(models):
        label, *_ = nearest_centres([model.centres])
        label(embed(block, model, n_neighbors), labels[:, u : u + 1])
