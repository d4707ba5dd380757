"""The transfer cut (LWGP, U-SENC) against explicit matrices."""

import importlib

import numpy as np
import pytest

from robust_eac import adjusted_rand_score
from robust_eac.consensus import CONSENSUS_FUNCTIONS
from robust_eac.consensus.transfer_cut import embed, transfer_cut
from robust_eac.weightings import ensemble_driven_cluster_index

from ..access import _bipartite, collapse, encode
from ..conftest import planted_ensemble, random_ensemble
from ..reference import indicator_lists, transfer_cut_rows

module = importlib.import_module("robust_eac.consensus.transfer_cut")


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1.0


def edges_by_loops(labels, weights, theta):
    """B, cluster by cluster: w_u ECI in the rows of the cluster's objects."""
    indices = [1.0] * sum(len(np.unique(column[column != -1])) for column in labels.T)
    if theta is not None:
        indices = np.concatenate(ensemble_driven_cluster_index(labels, theta=theta, weights=weights))
    B = np.zeros((len(labels), len(indices)))
    for column, ((objects, u), index) in enumerate(zip(indicator_lists(labels), indices, strict=True)):
        B[list(objects), column] = weights[u] * index
    return B


@pytest.mark.parametrize("theta", [None, 0.4, 1.0])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("dense", [1000, 1])
def test_coordinates_equal_the_definition(rng, monkeypatch, theta, missing, dense):
    monkeypatch.setattr(_bipartite, "_DENSE", dense)
    labels = random_ensemble(rng, 40, 6, missing=missing)
    weights = rng.dirichlet(np.full(6, 5.0))
    expected = transfer_cut_rows(edges_by_loops(labels, weights, theta), 4)
    for encoding in (encode(labels), collapse(encode(labels), min_saving=0.0)):
        found = encoding.expand(embed(encoding, 4, weights, theta, rng))
        # Eigenvectors are unique up to signs, which inner products do not see.
        np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-7)


def test_identical_objects_are_merged_and_counted(rng):
    labels = random_ensemble(rng, 12, 5)
    copies = np.repeat(np.arange(12), rng.randint(1, 6, size=12))
    weights = np.full(5, 0.2)
    expected = transfer_cut_rows(edges_by_loops(labels[copies], weights, 0.4), 3)
    encoding = collapse(encode(labels[copies]), min_saving=0.0)
    assert len(encoding.codes) < len(copies)
    found = encoding.expand(embed(encoding, 3, weights, 0.4, rng))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-8)


def test_what_kmeans_is_given(rng, monkeypatch):
    calls = []

    class Spy(module.KMeans):
        def fit(self, points, sample_weight):
            calls.append((self.n_clusters, self.n_init, points, sample_weight))
            return super().fit(points, sample_weight=sample_weight)

    monkeypatch.setattr(module, "KMeans", Spy)
    labels = random_ensemble(rng, 12, 5)
    copies = rng.permutation(np.repeat(np.arange(12), rng.randint(1, 6, size=12)))
    transfer_cut(labels[copies], 3, n_init=7, random_state=0)
    ((n_clusters, n_init, points, counts),) = calls
    assert (n_clusters, n_init) == (3, 7)
    _, expected = np.unique(labels[copies], axis=0, return_counts=True)
    assert sorted(counts) == sorted(expected)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("theta", [None, 0.4])
def test_a_repeated_partition_is_one_of_that_weight(rng, theta):
    labels = random_ensemble(rng, 30, 5, missing=0.2)
    weights = np.array([3, 1, 2, 1, 1])
    one = embed(encode(labels), 3, weights / 8.0, theta, rng)
    other = embed(encode(np.repeat(labels, weights, axis=1)), 3, np.full(8, 1.0 / 8.0), theta, rng)
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=1e-8)


def test_usenc_is_lwgp_without_the_index(rng):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 20), 10, noise=0.3)
    usenc = CONSENSUS_FUNCTIONS["usenc"](labels, 3, random_state=0)
    assert np.array_equal(usenc, transfer_cut(labels, 3, theta=None, random_state=0))
    assert same_partition(usenc, transfer_cut(labels, 3, theta=1e6, random_state=0))
    assert CONSENSUS_FUNCTIONS["lwgp"] is transfer_cut


def test_theta_counts(rng):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 10), 8, noise=0.2, n_random=3)
    rows = [embed(encode(labels), 3, np.full(8, 0.125), theta, rng) for theta in (0.1, 0.4, None)]
    products = [row @ row.T for row in rows]
    assert np.abs(products[0] - products[1]).max() > 1e-3
    assert np.abs(products[1] - products[2]).max() > 1e-3


def test_fewer_coordinates_than_clusters(rng):
    # Two partitions of two clusters: B has rank 3, and at most four objects differ.
    labels = np.column_stack([np.arange(40) % 2, np.arange(40) // 20])
    assert embed(encode(labels), 10, np.full(2, 0.5), None, rng).shape == (40, 3)
    assert len(np.unique(transfer_cut(labels, 10, random_state=0))) == 4


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"theta": 0.0}, "theta must be greater than 0"),
        ({"theta": "x"}, "theta must be a real number"),
        ({"n_init": 0}, "n_init must be at least 1"),
    ],
)
def test_errors(kwargs, match):
    with pytest.raises((ValueError, TypeError), match=match):
        transfer_cut(np.array([[0, 0], [0, 1], [1, 1]]), 2, **kwargs)
