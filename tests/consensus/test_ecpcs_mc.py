"""ECPCS-MC against clusters as sets, walks step by step, explicit matrices."""

import importlib

import numpy as np
import pytest

from robust_eac import adjusted_rand_score
from robust_eac.consensus.ecpcs_mc import ecpcs_mc, embed

from ..access import encode, walk_similarities
from ..conftest import planted_ensemble, random_ensemble
from ..reference import cluster_trajectories, indicator_lists

module = importlib.import_module("robust_eac.consensus.ecpcs_mc")


def cosines(trajectories):
    """Cosine by cosine; 1 for a cluster with itself, 0 if a trajectory is zero."""
    k = len(trajectories)
    Z = np.eye(k)
    for a in range(k):
        for b in range(k):
            lengths = np.linalg.norm(trajectories[a]) * np.linalg.norm(trajectories[b])
            if a != b and lengths > 0.0:
                Z[a, b] = trajectories[a] @ trajectories[b] / lengths
    return Z


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("n_steps", [1, 3, 20])
def test_similarities_of_all_clusters(rng, missing, n_steps):
    labels = random_ensemble(rng, 12, 5, missing=missing)
    encoding = encode(labels)
    observed = np.flatnonzero(encoding.sizes)
    found = walk_similarities(encoding, n_steps)
    np.testing.assert_allclose(
        found[np.ix_(observed, observed)], cosines(cluster_trajectories(labels, n_steps)), atol=1e-12
    )
    assert not found[encoding.missing_slots].any()


def test_clusters_are_embedded_by_the_normalised_cut(rng):
    labels = random_ensemble(rng, 20, 6)
    Z = cosines(cluster_trajectories(labels, 5))
    w = rng.dirichlet(np.full(6, 5.0))[[u for _, u in indicator_lists(labels)]]
    W = np.diag(w) @ Z @ np.diag(w)
    N = np.diag(W.sum(axis=1) ** -0.5)
    vectors = np.linalg.eigh(N @ W @ N)[1][:, -3:]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = embed(Z, w, 3)
    np.testing.assert_allclose(found @ found.T, vectors @ vectors.T, atol=1e-10)
    # A cluster of weight 2 stands where two of weight 1 would.
    twice = np.append(np.arange(len(Z)), 0)
    copies = embed(Z[np.ix_(twice, twice)], np.ones(len(twice)), 3)
    single = embed(Z, np.where(np.arange(len(Z)) == 0, 2.0, 1.0), 3)
    np.testing.assert_allclose(copies[:-1] @ copies[:-1].T, single @ single.T, atol=1e-10)
    np.testing.assert_allclose(copies[0], copies[-1], atol=1e-10)


def votes_by_loops(labels, groups, weights, n_groups):
    """Weighted mean indicator of every group, object by object."""
    sets = indicator_lists(labels)
    votes = np.zeros((len(labels), n_groups))
    for i in range(len(labels)):
        for g in range(n_groups):
            inside = [a for a in range(len(sets)) if groups[a] == g]
            total = sum(weights[sets[a][1]] for a in inside)
            votes[i, g] = sum(weights[sets[a][1]] for a in inside if i in sets[a][0]) / total
    return votes


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_objects_go_where_most_of_their_clusters_are(rng, monkeypatch, missing):
    labels = random_ensemble(rng, 30, 6, missing=missing)
    weights = rng.dirichlet(np.ones(6))
    calls = []

    class Spy(module.KMeans):
        def fit(self, points, sample_weight):
            super().fit(points, sample_weight=sample_weight)
            calls.append((points, sample_weight, self.labels_))
            return self

    monkeypatch.setattr(module, "KMeans", Spy)
    found = ecpcs_mc(labels, 4, weights=weights, random_state=0)
    ((points, cluster_weights, groups),) = calls
    sets = indicator_lists(labels)
    assert points.shape == (len(sets), 4)
    np.testing.assert_allclose(cluster_weights, [weights[u] for _, u in sets], atol=1e-15)
    votes = votes_by_loops(labels, groups, weights, 4)
    assert adjusted_rand_score(found, [np.flatnonzero(row >= row.max() - 1e-9)[0] for row in votes]) == 1.0


def test_more_clusters_than_base_clusters():
    # Three partitions of two clusters are six base clusters, each a meta-cluster of its own: votes are equal.
    labels = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)])
    found = ecpcs_mc(labels, 7, random_state=0)
    assert np.array_equal(found, labels[:, 0])


def test_planted_clusters_among_noise(rng):
    truth = np.repeat([0, 1, 2], 40)
    labels = planted_ensemble(rng, truth, 20, noise=0.3, n_random=2)
    assert adjusted_rand_score(truth, ecpcs_mc(labels, 3, random_state=0)) > 0.9


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"n_steps": 0}, "n_steps must be at least 1, got 0"),
        ({"n_init": 1.5}, "n_init must be an integer"),
    ],
)
def test_errors(kwargs, match):
    with pytest.raises((ValueError, TypeError), match=match):
        ecpcs_mc(np.array([[0, 0], [0, 1], [1, 1]]), 2, **kwargs)
