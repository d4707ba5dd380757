"""Ensembles of spectral clusterings by landmarks."""

from __future__ import annotations

from functools import partial
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import svds
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from ..checks.common import RandomState
from ..checks.values import MAX_SEED, check_candidates, check_features, check_integer, check_n_jobs, check_random_state
from ..core.compiling import njit
from ..core.threads import progress, silent
from .base import (
    EnsembleTransformer,
    check_share,
    draw_sample,
    label_by_blocks,
    label_dtype,
    list_fits,
    nearest_centres,
)

__all__ = ["LandmarkSpectralEnsemble"]

# Candidates per landmark, as in the paper.
_CANDIDATES = 10
# Passes of k-means for the landmarks, which need no optimum.
_LANDMARK_PASSES = 10
# A landmark whose affinities sum to at most this share of the largest such sum counts as the neighbour of no object.
_NO_DEGREE = 1e-12
# Passes of k-means on coordinates, as in the authors' programs.
KMEANS_PASSES = 100
# If the smaller side of the matrix of the graph is at most this, the eigenvalue problem is solved densely, in a second.
_DENSE = 1000
# Squared singular values up to this are zero up to rounding; the largest is one.
_ZERO = 1e-10


class LandmarkSpectralEnsemble(EnsembleTransformer):
    r"""Cluster the same data many times by spectral clustering with landmarks, which finds clusters of any shape.

    The ensemble of U-SENC [1]_. Each partition has its own p landmarks, the centres of k-means on 10 p random objects.
    An edge joins each object i to each of its K nearest landmarks :math:`r_j`, with weight
    :math:`B_{ij} = \exp(-\|x_i - r_j\|^2 / (2 \sigma^2))` and :math:`\sigma` the mean length of the edges. The transfer
    cut [2]_, as in ``consensus.transfer_cut``, cuts this graph into :math:`k_u` clusters, by
    k-means from one start.

    Parameters
    ----------
    n_partitions, n_clusters : as in :class:`~robust_eac.ClustererEnsemble`; at most `n_landmarks` clusters
    n_landmarks : int, default=1000
        p; fewer if fewer objects are distinct.
    n_neighbors : int, default=5
        K, at most all landmarks.
    max_samples : int, default=None
        Fit every partition (landmarks, eigenvectors, k-means) to its own random sample of this many objects, and label
        all objects by their nearest landmarks. None means all objects.
    n_jobs, random_state, verbose : as in :class:`~robust_eac.ClustererEnsemble`

    Attributes
    ----------
    labels_, n_clusters_ : as in :class:`~robust_eac.ClustererEnsemble`; a cluster can stay empty
    landmarks_ : list of n_partitions ndarray of shape (p, n_features)
        Landmarks that are neighbours of an object of the sample.
    n_features_in_ : int

    Notes
    -----
    The nearest landmarks are exact: the search skips groups of landmarks, about sqrt(p) balls, that are too far away.
    [1]_ searches approximately, and fits all partitions to all objects; its numbers of partitions, clusters, landmarks
    and neighbours are the defaults here. :meth:`transform` returns `labels_` for the data of the fit.

    Time per partition O(p^2 n_features + p^3 + n_s k_u^2 passes of k-means) for the fit to n_s objects, and
    O(n (n_features l + K k_u + k_u^2)) for the labels, with l <= p + sqrt(p) distances per object. If `max_samples` is
    less than all objects, arrays and memory maps of any real type are read in blocks and never copied whole.

    References
    ----------
    .. [1] Huang et al., "Ultra-scalable spectral clustering and ensemble clustering", IEEE TKDE 32(6), 2020.
    .. [2] Li, Wu, Chang, "Segmentation using superpixels: a bipartite graph partitioning approach", CVPR 2012.

    Examples
    --------
    >>> from robust_eac import LandmarkSpectralEnsemble, load_dataset
    >>> X, y = load_dataset("iris")
    >>> LandmarkSpectralEnsemble(5, (3, 6), n_landmarks=50, random_state=0).fit_transform(X).shape
    (150, 5)
    """

    def __init__(
        self,
        n_partitions: int = 20,
        n_clusters: int | tuple[int, int] = (20, 60),
        *,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        max_samples: int | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_partitions = n_partitions
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.max_samples = max_samples
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _make(self, X):
        X = check_features(X, estimator=self, as_is=True)
        n_partitions = check_integer(self.n_partitions, name="n_partitions", low=1)
        n_landmarks = check_integer(self.n_landmarks, name="n_landmarks", low=1)
        n_neighbors = check_integer(self.n_neighbors, name="n_neighbors", low=1)
        size = check_share(self.max_samples, len(X), name="max_samples")
        limits = {"n_samples": len(X), "max_samples": size, "n_landmarks": n_landmarks}
        name = min(limits, key=lambda key: limits[key])
        candidates = check_candidates(self.n_clusters, high=limits[name], high_name=name)
        n_jobs = check_n_jobs(self.n_jobs)
        rng = check_random_state(self.random_state)
        log = progress(self.verbose)
        self.n_clusters_ = candidates[rng.randint(len(candidates), size=n_partitions)]
        seeds = rng.randint(MAX_SEED, size=n_partitions)
        fits = (
            delayed(fit_model)(X, int(k), n_landmarks, n_neighbors, size, seed)
            for k, seed in zip(self.n_clusters_, seeds, strict=True)
        )
        self._models = list_fits(fits, self.n_clusters_, n_jobs, log)
        self._n_neighbors = n_neighbors
        self.landmarks_ = [model.landmarks for model in self._models]
        self.labels_ = self._label(X, n_jobs, log)

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Label new objects by every clustering of the ensemble, from their nearest landmarks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples, n_partitions)
        """
        check_is_fitted(self)
        X = check_features(X, estimator=self, reset=False, as_is=True)
        return self._label(X, check_n_jobs(self.n_jobs), silent)

    def _label(self, X, n_jobs, log):
        """Labels of all objects, in blocks."""
        dtype = label_dtype(self.n_clusters_.max() - 1)
        label = partial(label_by_models, self._models, self._n_neighbors)
        return label_by_blocks(X, label, len(self._models), dtype, n_jobs, log)


class Index(NamedTuple):
    """Landmarks in groups, for the search of nearest neighbours.

    centres : (n_features, n_groups).
    radii : (n_groups,) largest distance of a landmark from the centre of its group.
    neighbours : (n_groups, n_groups) the groups by their distance from each group.
    sizes : (n_groups,) landmarks per group.
    landmarks : (n_groups, n_features, largest size), with zeros at the end of smaller groups.
    numbers : (n_groups, largest size) indices of these landmarks.
    """

    centres: np.ndarray
    radii: np.ndarray
    neighbours: np.ndarray
    sizes: np.ndarray
    landmarks: np.ndarray
    numbers: np.ndarray


class Model(NamedTuple):
    """A fitted partition, which can label objects.

    landmarks : (p, n_features).
    groups : the index of the landmarks.
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
    # Slightly larger radii, so that rounding leaves out no landmark.
    radii *= 1.0 + 1e-9
    return Index(np.ascontiguousarray(centres.T), radii, np.argsort(between, axis=1), sizes, grouped, numbers)


def search(points, index, n_neighbors):
    """(n, at most n_neighbors) indices and squared distances of the nearest landmarks, nearest first."""
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
    """Sparse (n, n_columns) matrix with these values (n, K) in the columns `numbers` (n, K)."""
    n, K = values.shape
    return sparse.csr_array((values.ravel(), numbers.ravel(), np.arange(0, n * K + 1, K)), shape=(n, n_columns))


def embed(points, model, n_neighbors):
    """(n, at most k) coordinates of objects: the rows of D^(-1) B N^(-1/2) V, scaled to length one."""
    numbers, squares = search(points, model.groups, n_neighbors)
    # The scale of a row cancels: relative to the nearest landmark, affinities of distant objects do not underflow.
    weights = affinities(squares - squares[:, :1], model.width)
    return unit_rows(to_sparse(weights, numbers, len(model.landmarks)) @ model.coordinates)


def label_by_models(models, n_neighbors, block, labels):
    """Fill labels (n_rows, m) of a block of objects."""
    for u, model in enumerate(models):
        label, *_ = nearest_centres([model.centres])
        label(embed(block, model, n_neighbors), labels[:, u : u + 1])


@njit
def nearest_landmarks(points, index, numbers, squares):
    """Fill the indices and squared distances (n, K) of the K nearest landmarks of every point, nearest first."""
    n_dims, n_groups = index.centres.shape
    K = numbers.shape[1]
    bounds = np.empty(n_groups)
    found = np.empty(index.landmarks.shape[2])
    for i in range(points.shape[0]):
        bounds[:] = 0.0
        for j in range(n_dims):
            x = points[i, j]
            for a in range(n_groups):
                bounds[a] += (x - index.centres[j, a]) ** 2
        nearest = 0
        for a in range(1, n_groups):
            if bounds[a] < bounds[nearest]:
                nearest = a
        for a in range(n_groups):
            bounds[a] = max(np.sqrt(bounds[a]) - index.radii[a], 0.0) ** 2
        for q in range(K):
            squares[i, q] = np.inf
        for a in index.neighbours[nearest]:
            if bounds[a] >= squares[i, K - 1]:
                continue
            size = index.sizes[a]
            found[:] = 0.0
            for j in range(n_dims):
                x = points[i, j]
                for c in range(size):
                    found[c] += (x - index.landmarks[a, j, c]) ** 2
            for c in range(size):
                square = found[c]
                if square < squares[i, K - 1]:
                    q = K - 1
                    while q > 0 and squares[i, q - 1] > square:
                        squares[i, q] = squares[i, q - 1]
                        numbers[i, q] = numbers[i, q - 1]
                        q -= 1
                    squares[i, q] = square
                    numbers[i, q] = index.numbers[a, c]


def normalised_graph(members, multiplicity, weights):
    """Sparse (n_rows, K) D1^(-1/2) B D2^(-1/2), and the degrees (D1, D2), which count all objects of a row."""
    edges = sparse.diags_array(multiplicity) @ members @ sparse.diags_array(weights)
    degrees = edges.sum(axis=1), edges.sum(axis=0)
    left, right = (np.divide(1.0, np.sqrt(d), out=np.zeros_like(d), where=d > 0.0) for d in degrees)
    return (sparse.diags_array(left) @ edges @ sparse.diags_array(right)).tocsr(), degrees


def transfer_coordinates(members, multiplicity, weights, n_vectors, rng):
    """(n_rows, at most n_vectors) coordinates of the rows by the transfer cut, scaled to length one."""
    scaled, _ = normalised_graph(members, multiplicity, weights)
    # D^(-1) B N^(-1/2) is this matrix with its rows scaled, and the last step removes such scales.
    return unit_rows(scaled @ leading_vectors(scaled, n_vectors, rng)[1])


def leading_vectors(matrix, n_vectors, rng):
    """Left and right singular vectors of the n_vectors largest singular values, or of all positive ones."""
    if matrix.shape[0] < matrix.shape[1]:
        right, left = leading_vectors(matrix.T.tocsr(), n_vectors, rng)
        return left, right
    side = matrix.shape[1]
    if side <= _DENSE or n_vectors >= side:
        first = max(side - n_vectors, 0)
        squares, right = eigh((matrix.T @ matrix).toarray(), subset_by_index=(first, side - 1))
    else:
        values, right = svds(matrix, n_vectors, v0=rng.uniform(-1.0, 1.0, size=side), return_singular_vectors="vh")[1:]
        squares, right = values**2, right.T
    positive = squares > _ZERO
    right = right[:, positive][:, ::-1]
    return (matrix @ right) / np.sqrt(squares[positive])[::-1], right


def unit_rows(points):
    """Scale the rows to length one. Zero rows, of objects that no partition observes, stay zero."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0.0)
