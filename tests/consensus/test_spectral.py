"""HBGF and the transfer cut against explicit matrices, clusters as sets, and scikit-learn."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from scipy import sparse

from robust_eac import CONSENSUS_FUNCTIONS
from robust_eac.consensus import spectral
from robust_eac.consensus.spectral import embed_rows, hbgf, leading_vectors, normalised_graph, transfer_cut
from robust_eac.schemes import ensemble_driven_cluster_index

from ..access import clusters_of, collapse, encode
from ..conftest import planted_ensemble, random_ensemble, same_partition
from ..reference import indicator_lists, transfer_cut_rows


@pytest.fixture
def kmeans_calls(monkeypatch):
    """(points, sample_weight, labels) of every k-means."""
    calls = []

    class Spy(sklearn.cluster.KMeans):
        def fit(self, points, sample_weight):
            super().fit(points, sample_weight=sample_weight)
            calls.append((points, sample_weight, self.labels_))
            return self

    monkeypatch.setattr(sklearn.cluster, "KMeans", Spy)
    return calls


# ----------------------------------------------------------------------------------------------------- HBGF


def explicit_coassociation(labels, weights):
    """D1^(-1/2) B D2^(-1) B' D1^(-1/2) pair by pair: a shared cluster counts by its weight over its size."""
    n, m = labels.shape
    A = np.zeros((n, n))
    for u, i, j in np.ndindex(m, n, n):
        if labels[i, u] == labels[j, u] != -1:
            A[i, j] += weights[u] / np.count_nonzero(labels[:, u] == labels[i, u])
    degrees = (labels != -1) @ weights
    return A / np.sqrt(np.outer(degrees, degrees))


@pytest.mark.parametrize("solver", ["dense", "lanczos"])
def test_vectors_are_those_of_the_size_normalised_coassociation(rng, monkeypatch, missing, solver):
    """Identical objects are one row of their number."""
    if solver == "lanczos":
        monkeypatch.setattr(spectral, "_DENSE", 1)
    labels = random_ensemble(rng, 40, 6, missing=missing)[np.r_[0:40, 0:15]]
    encoding, weights = collapse(encode(labels), min_saving=0.0), rng.dirichlet(np.full(6, 5.0))
    members, _, cluster_weights = clusters_of(encoding, weights)
    scaled, _ = normalised_graph(members, encoding.rows.multiplicity, cluster_weights)
    rows, right = leading_vectors(scaled, 4, rng)
    left = encoding.expand(rows / np.sqrt(encoding.rows.multiplicity)[:, np.newaxis])
    explicit = explicit_coassociation(labels, weights)
    values = np.linalg.eigvalsh(explicit)[::-1][:4]
    # Lanczos stops at machine precision; vectors of eigenvalues close to each other are less certain.
    tolerance = 1e-10 if solver == "dense" else 1e-8
    assert_allclose(explicit @ left, left * values, atol=tolerance)
    assert_allclose(left.T @ left, np.eye(4), atol=tolerance)
    assert_allclose(scaled @ right, rows * np.sqrt(values), atol=tolerance)


@pytest.mark.parametrize("most", [1000, 1])
def test_vectors_of_more_clusters_than_objects_and_of_low_rank(rng, monkeypatch, most):
    monkeypatch.setattr(spectral, "_DENSE", most)
    for shape in ((5, 30), (30, 5)):
        dense = rng.uniform(size=shape)
        left, right = leading_vectors(sparse.csr_array(dense / np.linalg.norm(dense, 2)), 7, rng)
        assert (left.shape, right.shape) == ((shape[0], 5), (shape[1], 5))
        u, _, vt = np.linalg.svd(dense, full_matrices=False)
        assert_allclose(np.abs(u.T @ left), np.eye(5), atol=1e-8)
        assert_allclose(np.abs(vt @ right), np.eye(5), atol=1e-8)
    rank_two = rng.uniform(size=(20, 2)) @ rng.uniform(size=(2, 9))
    left, right = leading_vectors(sparse.csr_array(rank_two / np.linalg.norm(rank_two, 2)), 6, rng)
    assert left.shape == (20, 2)


def test_what_kmeans_is_given_by_hbgf(rng, kmeans_calls):
    labels = np.unique(random_ensemble(rng, 30, 5, missing=0.2), axis=0)
    n, weights = len(labels), rng.dirichlet(np.ones(5))
    hbgf(labels, 3, weights=weights, random_state=0)
    ((points, degrees, _),) = kmeans_calls
    sets = indicator_lists(labels)
    assert points.shape == (n + len(sets), 3)
    assert_allclose(np.linalg.norm(points, axis=1), 1.0, atol=1e-12)
    assert_allclose(degrees[:n], (labels != -1) @ weights, atol=1e-12)
    assert_allclose(degrees[n:], [weights[u] * len(a) for a, u in sets], atol=1e-12)


# ---------------------------------------------------------------------------------------------- transfer cut


def edges_by_loops(labels, weights, theta):
    """B, cluster by cluster: w_u ECI in the rows of the cluster's objects."""
    indices = [1.0] * sum(len(np.unique(column[column != -1])) for column in labels.T)
    if theta is not None:
        indices = np.concatenate(ensemble_driven_cluster_index(labels, theta=theta, weights=weights))
    B = np.zeros((len(labels), len(indices)))
    for column, ((objects, u), index) in enumerate(zip(indicator_lists(labels), indices, strict=True)):
        B[list(objects), column] = weights[u] * index
    return B


@pytest.mark.parametrize("theta", [None, 0.4])
@pytest.mark.parametrize("dense", [1000, 1])
def test_coordinates_equal_the_definition(rng, monkeypatch, theta, missing, dense):
    monkeypatch.setattr(spectral, "_DENSE", dense)
    labels = random_ensemble(rng, 30, 6, missing=missing)
    labels = labels[np.r_[0:30, 0:10]]
    weights = rng.dirichlet(np.full(6, 5.0))
    expected = transfer_cut_rows(edges_by_loops(labels, weights, theta), 4)
    for encoding in (encode(labels), collapse(encode(labels), min_saving=0.0)):
        found = encoding.expand(embed_rows(encoding, 4, weights, theta, rng))
        # Eigenvectors are unique up to signs, which inner products do not see.
        assert_allclose(found @ found.T, expected @ expected.T, atol=1e-7)


def test_usenc_is_lwgp_without_the_index(rng):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 20), 10, noise=0.3)
    usenc = CONSENSUS_FUNCTIONS["usenc"](labels, 3, random_state=0)
    assert same_partition(usenc, transfer_cut(labels, 3, theta=1e6, random_state=0))


def test_fewer_coordinates_than_clusters(rng):
    # Two partitions of two clusters: B has rank 3, and at most four objects differ.
    labels = np.column_stack([np.arange(40) % 2, np.arange(40) // 20])
    assert embed_rows(encode(labels), 10, np.full(2, 0.5), None, rng).shape == (40, 3)
    assert len(np.unique(transfer_cut(labels, 10, random_state=0))) == 4
