"""HGPA against the enumeration of all balanced partitions; HBGF against explicit matrices and scikit-learn."""

import importlib

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import SpectralCoclustering

from robust_eac import adjusted_rand_score
from robust_eac.consensus.cspa import cspa
from robust_eac.consensus.hbgf import hbgf
from robust_eac.consensus.hgpa import hgpa
from robust_eac.consensus.mcla import clusters_of, mcla

from ..access import _bipartite, collapse, encode, leading_vectors, normalised_graph
from ..conftest import planted_ensemble, random_ensemble
from ..reference import balanced_partitions, hyperedge_cut, indicator_lists

PACKAGES = {cspa: "pymetis", mcla: "pymetis", hgpa: "kahypar"}


@pytest.fixture
def kahypar():
    return pytest.importorskip("kahypar")


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1.0


# ----------------------------------------------------------------------------------------------------- HGPA


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_hgpa_finds_the_smallest_cut(rng, kahypar, missing):
    excess = []
    for n, k in ((8, 2), (9, 3), (9, 3), (8, 4), (8, 4)):
        labels = random_ensemble(rng, n, 5, max_clusters=4, missing=missing)
        # A partition of objects that are all different: nothing is collapsed, and its clusters cannot be cut.
        labels = np.column_stack([labels, np.arange(n)])
        weights = rng.randint(1, 5, size=6)
        cuts = [hyperedge_cut(labels, codes, weights) for codes in balanced_partitions(n, k, n // k)]
        found = hgpa(labels, k, weights=weights, imbalance=0.0, random_state=0)
        assert np.bincount(found).max() == n // k
        excess.append((hyperedge_cut(labels, found, weights) - min(cuts)) / (np.mean(cuts) - min(cuts)))
    # One of 20 starts finds the best bisection of so few vertices; with k > 2 the first bisection need not be part
    # of the best partition. A cut drawn at random has excess 1.
    assert excess[0] == 0.0
    assert np.mean(excess) < 0.5


def test_hgpa_minimises_the_cut_not_the_connectivity(kahypar):
    # Found by enumeration: least cut 6, but 7 for all partitions that touch fewest pairs of a hyperedge and a cluster.
    labels = np.transpose([[1, 0, 2, 1, 0, 0], [1, 2, 1, 1, 0, 2], [1, 1, 1, 2, 2, 2], [0, 1, 1, 2, 0, 2]])
    assert min(hyperedge_cut(labels, codes, np.ones(4)) for codes in balanced_partitions(6, 3, 2)) == 6
    assert hyperedge_cut(labels, hgpa(labels, 3, imbalance=0.0, random_state=0), np.ones(4)) == 6


def test_hgpa_ignores_clusters_of_one_object(kahypar):
    # All hyperedges have a single vertex: any balanced partition is as good, and KaHyPar must not see them.
    labels = np.column_stack([np.arange(8), np.arange(8)[::-1]])
    assert np.array_equal(np.bincount(hgpa(labels, 2, random_state=0)), [4, 4])


def test_large_hyperedges_count(rng, kahypar):
    # Many programs leave out hyperedges of more than 1000 vertices.
    truth = np.repeat([0, 1], 1200)
    labels = np.column_stack([truth, rng.randint(300, size=(2400, 2))])
    assert same_partition(hgpa(labels, 2, weights=[1e5, 1, 1], random_state=0), truth)


# ----------------------------------------------------------------------------------------------------- HBGF


def explicit_coassociation(labels, weights):
    """D1^(-1/2) B D2^(-1) B' D1^(-1/2) pair by pair: a shared cluster counts by its weight over its size."""
    n, m = labels.shape
    A = np.zeros((n, n))
    for u in range(m):
        for i in range(n):
            for j in range(n):
                if labels[i, u] == labels[j, u] != -1:
                    A[i, j] += weights[u] / np.count_nonzero(labels[:, u] == labels[i, u])
    degrees = (labels != -1) @ weights
    return A / np.sqrt(np.outer(degrees, degrees))


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("solver", ["dense", "lanczos"])
def test_vectors_are_those_of_the_size_normalised_coassociation(rng, monkeypatch, missing, solver):
    if solver == "lanczos":
        monkeypatch.setattr(_bipartite, "_DENSE", 1)
    labels = random_ensemble(rng, 40, 6, missing=missing)
    weights = rng.dirichlet(np.full(6, 5.0))
    members, _, cluster_weights = clusters_of(encode(labels), weights)
    scaled, _ = normalised_graph(members, np.ones(40), cluster_weights)
    left, right = leading_vectors(scaled, 4, rng)
    explicit = explicit_coassociation(labels, weights)
    values = np.linalg.eigvalsh(explicit)[::-1][:4]
    assert values[0] == pytest.approx(1.0, abs=1e-12)
    # Lanczos stops at machine precision; vectors of eigenvalues close to each other are less certain.
    tolerance = 1e-10 if solver == "dense" else 1e-8
    np.testing.assert_allclose(explicit @ left, left * values, atol=tolerance)
    np.testing.assert_allclose(left.T @ left, np.eye(4), atol=tolerance)
    np.testing.assert_allclose(right.T @ right, np.eye(4), atol=tolerance)
    np.testing.assert_allclose(scaled @ right, left * np.sqrt(values), atol=tolerance)
    if missing == 0.0:
        one = np.zeros((40, 40))
        for column in labels.T:
            X = (column == np.unique(column)[:, np.newaxis]).astype(float)
            one += X.T @ np.diag(1.0 / X.sum(axis=1)) @ X / 6.0
        uniform, _ = normalised_graph(members, np.ones(40), np.full(members.shape[1], 1.0 / 6.0))
        np.testing.assert_allclose((uniform @ uniform.T).toarray(), one, atol=1e-12)


@pytest.mark.parametrize("dense", [1000, 1])
def test_vectors_of_more_clusters_than_objects_and_of_low_rank(rng, monkeypatch, dense):
    monkeypatch.setattr(_bipartite, "_DENSE", dense)
    for shape in ((5, 30), (30, 5)):
        dense = rng.uniform(size=shape)
        left, right = leading_vectors(sparse.csr_array(dense / np.linalg.norm(dense, 2)), 7, rng)
        assert (left.shape, right.shape) == ((shape[0], 5), (shape[1], 5))
        u, _, vt = np.linalg.svd(dense, full_matrices=False)
        np.testing.assert_allclose(np.abs(u.T @ left), np.eye(5), atol=1e-8)
        np.testing.assert_allclose(np.abs(vt @ right), np.eye(5), atol=1e-8)
    rank_two = rng.uniform(size=(20, 2)) @ rng.uniform(size=(2, 9))
    left, right = leading_vectors(sparse.csr_array(rank_two / np.linalg.norm(rank_two, 2)), 6, rng)
    assert left.shape == (20, 2)


def test_hbgf_embeds_a_repeated_partition_like_its_weight(rng):
    labels = np.unique(random_ensemble(rng, 30, 5), axis=0)
    weights = np.array([3, 1, 2, 1, 1])
    embeddings = []
    for ensemble, w in ((labels, weights / 8.0), (np.repeat(labels, weights, axis=1), np.full(8, 1.0 / 8.0))):
        members, _, cluster_weights = clusters_of(encode(ensemble), w)
        scaled, degrees = normalised_graph(members, np.ones(len(labels)), cluster_weights)
        left, _ = leading_vectors(scaled, 3, rng)
        assert degrees[0].sum() == pytest.approx(len(labels))
        assert degrees[1].sum() == pytest.approx(len(labels))
        embeddings.append(left @ left.T)
    np.testing.assert_allclose(*embeddings, atol=1e-10)


def test_what_kmeans_is_given(rng, monkeypatch):
    module = importlib.import_module("robust_eac.consensus.hbgf")
    labels = np.unique(random_ensemble(rng, 30, 5, missing=0.2), axis=0)
    n, weights = len(labels), rng.dirichlet(np.ones(5))
    calls = []

    class Spy(module.KMeans):
        def fit(self, points, sample_weight):
            calls.append((points, sample_weight))
            return super().fit(points, sample_weight=sample_weight)

    monkeypatch.setattr(module, "KMeans", Spy)
    hbgf(labels, 3, weights=weights, random_state=0)
    ((points, degrees),) = calls
    sets = indicator_lists(labels)
    assert points.shape == (n + len(sets), 3)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(degrees[:n], (labels != -1) @ weights, atol=1e-12)
    np.testing.assert_allclose(degrees[n:], [weights[u] * len(a) for a, u in sets], atol=1e-12)
    # Objects point as the rows of the leading eigenvectors do, up to a change of signs.
    vectors = np.linalg.eigh(explicit_coassociation(labels, weights))[1][:, ::-1][:, :3]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(points[:n] @ points[:n].T, vectors @ vectors.T, atol=1e-8)


def test_hbgf_sees_identical_objects_as_one(rng):
    labels = random_ensemble(rng, 12, 5)
    copies = np.repeat(np.arange(12), rng.randint(1, 6, size=12))
    weights = np.full(5, 0.2)
    encodings = encode(labels[copies]), collapse(encode(labels[copies]), min_saving=0.0)
    projections = []
    for encoding in encodings:
        members, _, cluster_weights = clusters_of(encoding, weights)
        scaled, _ = normalised_graph(members, encoding.multiplicity, cluster_weights)
        left, _ = leading_vectors(scaled, 3, rng)
        left = encoding.expand(left / np.sqrt(encoding.multiplicity)[:, np.newaxis])
        projections.append(left @ left.T)
    np.testing.assert_allclose(*projections, atol=1e-10)


def test_hbgf_agrees_with_spectral_coclustering(rng):
    truth = np.repeat([0, 1], 25)
    labels = planted_ensemble(rng, truth, 12, noise=0.3)
    B = np.column_stack([labels == 0, labels == 1]).astype(float)
    model = SpectralCoclustering(n_clusters=2, random_state=0).fit(B)
    # Objects have equal degrees, so both see the same second singular vector, and two groups far apart.
    assert same_partition(hbgf(labels, 2, random_state=0), model.row_labels_)
    encoding = encode(labels)
    members, _, weights = clusters_of(encoding, np.full(12, 1.0 / 12.0))
    scaled, _ = normalised_graph(members, encoding.multiplicity, weights)
    from sklearn.cluster._bicluster import _scale_normalize

    normalised, _, _ = _scale_normalize(members.toarray())
    np.testing.assert_allclose(scaled.toarray(), normalised, atol=1e-12)
