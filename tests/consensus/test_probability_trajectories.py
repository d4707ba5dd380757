"""PTA and PTGP against walks step by step, explicit matrices and SciPy's linkage."""

import importlib

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform

from robust_eac import adjusted_rand_score
from robust_eac.consensus.refined_eac import embed_microclusters as embed
from robust_eac.consensus.refined_eac import probability_trajectories, trajectory_similarities

from ..access import _consensus_common, collapse, encode
from ..conftest import planted_ensemble, random_ensemble
from ..reference import indicator_lists, transfer_cut_rows

module = importlib.import_module("robust_eac.consensus.refined_eac")


def similarities_by_loops(labels, counts, weights, n_neighbors, n_steps):
    """Cosines between trajectories of different rows that stand for `counts` objects each."""
    n, m = labels.shape
    A = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            both = [u for u in range(m) if labels[i, u] != -1 != labels[j, u]]
            if i != j and both:
                A[i, j] = sum(weights[u] for u in both if labels[i, u] == labels[j, u]) / sum(weights[u] for u in both)
    links = np.zeros((n, n))
    for i in range(n):
        least = sorted(A[i], reverse=True)[min(n_neighbors, n) - 1]
        for j in range(n):
            if A[i, j] >= least - 1e-9:
                links[i, j] = links[j, i] = A[i, j]
    P = np.zeros((n, n))
    for i in range(n):
        total = sum(counts[j] * links[i, j] for j in range(n))
        for j in range(n):
            P[i, j] = counts[j] * links[i, j] / total if total else 0.0
    trajectories = np.hstack([np.linalg.matrix_power(P, t) for t in range(1, n_steps + 1)])
    S = np.eye(n)
    for i in range(n):
        for j in range(n):
            lengths = np.linalg.norm(trajectories[i]) * np.linalg.norm(trajectories[j])
            if i != j and lengths:
                S[i, j] = trajectories[i] @ trajectories[j] / lengths
    return S


def microclusters(rng, missing, n=25):
    """Different rows, how many objects each stands for, their encoding, and weights."""
    labels = np.unique(random_ensemble(rng, n, 6, missing=missing), axis=0)
    counts = rng.randint(1, 5, size=len(labels))
    return (
        labels,
        counts,
        collapse(encode(np.repeat(labels, counts, axis=0)), min_saving=0.0),
        rng.dirichlet(np.ones(6)),
    )


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(("n_neighbors", "n_steps"), [(1, 1), (2, 3), (4, 6), (100, 2)])
def test_similarities_equal_the_definition(rng, missing, n_neighbors, n_steps):
    labels, counts, encoding, weights = microclusters(rng, missing)
    expected = similarities_by_loops(labels, counts, weights, n_neighbors, n_steps)
    np.testing.assert_allclose(trajectory_similarities(encoding, weights, n_neighbors, n_steps), expected, atol=1e-10)


def test_elite_links_of_equal_value_all_stay():
    # The first row shares a half with each of the others: with one neighbour, both links stay.
    labels = np.array([[0, 0], [0, 1], [1, 0]])
    S = similarities_by_loops(labels, np.ones(3), np.full(2, 0.5), 1, 1)
    np.testing.assert_allclose(trajectory_similarities(encode(labels), np.full(2, 0.5), 1, 1), S, atol=1e-15)
    assert S[1, 2] == 1.0


@pytest.mark.parametrize("method", ["single", "average", "complete"])
def test_linkage_of_the_definition(rng, method):
    labels, counts, _, weights = microclusters(rng, 0.1)
    S = similarities_by_loops(labels, counts, weights, 4, 3)
    tree = linkage(squareform(1.0 - S, checks=False), method)
    for k in (2, 4, 7):
        found = probability_trajectories(
            np.repeat(labels, counts, axis=0), k, linkage=method, n_neighbors=4, n_steps=3, weights=weights
        )
        merged = np.repeat(cut_tree(tree, k).ravel(), counts)
        # Microclusters without a link in common have similarity 0 with equal right to merge.
        if np.diff(np.sort(tree[:, 2]))[len(tree) - k] > 1e-6:
            assert adjusted_rand_score(found, merged) == 1.0


def test_linkage_is_compared(rng):
    labels, counts, _, weights = microclusters(rng, 0.0, n=40)
    S = similarities_by_loops(labels, counts, weights, 10, 3)
    tree = linkage(squareform(1.0 - S, checks=False), "average")
    assert np.diff(np.sort(tree[:, 2])).min() > 1e-6
    for k in range(2, 10):
        found = probability_trajectories(
            np.repeat(labels, counts, axis=0), k, n_neighbors=10, n_steps=3, weights=weights
        )
        assert adjusted_rand_score(found, np.repeat(cut_tree(tree, k).ravel(), counts)) == 1.0


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_coordinates_of_the_cut_equal_the_definition(rng, missing):
    labels, _, encoding, weights = microclusters(rng, missing)
    S = trajectory_similarities(encoding, weights, 5, 3)
    sets = indicator_lists(labels)
    B = np.array([[weights[u] * np.mean([S[i, j] for j in objects]) for objects, u in sets] for i in range(len(S))])
    expected = transfer_cut_rows(B, 4)
    found = embed(S, encoding, weights, 4, rng)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-7)


def test_a_repeated_partition_is_one_of_that_weight(rng):
    labels, weights = random_ensemble(rng, 20, 4, missing=0.1), np.array([3, 1, 2, 1])
    ensembles = (encode(labels), weights / 7.0), (encode(np.repeat(labels, weights, axis=1)), np.full(7, 1.0 / 7.0))
    alike = [trajectory_similarities(encoding, w, 4, 3) for encoding, w in ensembles]
    np.testing.assert_allclose(*alike, atol=1e-10)
    rows = [embed(S, encoding, w, 3, rng) for S, (encoding, w) in zip(alike, ensembles, strict=True)]
    np.testing.assert_allclose(*[row @ row.T for row in rows], atol=1e-7)


def test_default_neighbors_and_steps_are_half_the_root_of_the_microclusters(rng, monkeypatch):
    asked = []

    def spy(encoding, weights, n_neighbors, n_steps):
        asked.append((len(encoding.codes), n_neighbors, n_steps))
        return trajectory_similarities(encoding, weights, n_neighbors, n_steps)

    monkeypatch.setattr(module, "trajectory_similarities", spy)
    labels = np.column_stack([np.arange(200) % 10, np.arange(200) // 10, rng.randint(3, size=200)])
    probability_trajectories(np.repeat(labels, 2, axis=0), 3)
    probability_trajectories(labels[:6], 3, n_steps=5)
    probability_trajectories(labels[:6], 3, n_neighbors=5)
    assert asked == [(200, 7, 7), (6, 1, 5), (6, 5, 1)]


@pytest.mark.parametrize("method", ["linkage", "cut"])
def test_planted_clusters(rng, method):
    truth = np.repeat([0, 1, 2], 40)
    # Finer partitions of the truth: as many microclusters as objects, nearly.
    labels = 4 * planted_ensemble(rng, truth, 12, noise=0.1) + rng.randint(4, size=(120, 12))
    assert adjusted_rand_score(truth, probability_trajectories(labels, 3, method=method, random_state=0)) > 0.9


def test_too_many_objects_for_the_memory(monkeypatch):
    monkeypatch.setattr(_consensus_common, "physical_memory", lambda: 1000)
    with pytest.raises(ValueError, match="probability_trajectories: the similarities of 10 distinct objects"):
        probability_trajectories(np.arange(10)[:, np.newaxis], 2)


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"method": "pta"}, "method must be"),
        ({"linkage": "ward"}, "linkage must be"),
        ({"n_neighbors": 0}, "n_neighbors must be at least 1"),
        ({"n_steps": 0}, "n_steps must be at least 1"),
        ({"n_init": 0}, "n_init must be at least 1"),
    ],
)
def test_errors(kwargs, match):
    with pytest.raises((ValueError, TypeError), match=match):
        probability_trajectories(np.array([[0, 0], [0, 1], [1, 1]]), 2, **kwargs)
