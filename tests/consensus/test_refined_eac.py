"""Finer similarities against loops over clusters and objects, walks step by step, and SciPy's linkage of them."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, fcluster, linkage
from scipy.spatial.distance import squareform

from robust_eac import adjusted_rand_score, coassociation_matrix, eac
from robust_eac.consensus import enhanced_coassociation_matrix, enhanced_eac, locally_weighted_eac, refined_eac
from robust_eac.consensus.refined_eac import (
    connected_triples,
    embed_microclusters,
    probability_trajectories,
    trajectory_similarities,
)
from robust_eac.schemes import ensemble_driven_cluster_index

from ..access import _consensus_common, collapse, encode, walk_similarities
from ..conftest import random_ensemble
from ..reference import cluster_jaccard, cluster_trajectories, indicator_lists, transfer_cut_rows

MISSING = pytest.mark.parametrize("missing", [0.0, 0.3])


def cosines(trajectories):
    """Cosine by cosine; 1 for a row with itself, 0 if a trajectory is zero."""
    lengths = np.linalg.norm(trajectories, axis=1)
    Z = np.eye(len(lengths))
    for a, b in np.ndindex(Z.shape):
        if a != b and lengths[a] > 0.0 < lengths[b]:
            Z[a, b] = trajectories[a] @ trajectories[b] / (lengths[a] * lengths[b])
    return Z


def object_similarities(labels, weights, between):
    """(n, n) mean similarity of the two objects' clusters, over the partitions that observe both objects."""
    n, m = labels.shape
    where = {(u, i): a for a, (objects, u) in enumerate(indicator_lists(labels)) for i in objects}
    S = np.zeros((n, n))
    for i, j in np.ndindex(n, n):
        both = [u for u in range(m) if (u, i) in where and (u, j) in where and weights[u] > 0.0]
        total = sum(weights[u] for u in both)
        S[i, j] = sum(weights[u] * between[where[u, i], where[u, j]] for u in both) / total if total else 0.0
    return S


def assert_cut_of(found_at, S, method, least=6):
    """Clusters at q are those of SciPy's tree of the similarities, wherever no tie leaves the cut open."""
    distance = 1.0 - S
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), method)
    heights = np.concatenate([[0.0], tree[:, 2], [2.0]])
    open_at = [q for q in range(1, len(heights)) if heights[-q] - heights[-q - 1] > 1e-5]
    assert len(open_at) > least
    for q in open_at[:12]:
        expected = fcluster(tree, (heights[-q - 1] + heights[-q]) / 2, "distance")
        assert adjusted_rand_score(found_at(q), expected) == 1.0


@MISSING
@pytest.mark.parametrize("n_steps", [1, 2, 5, 20])
def test_enhanced_coassociation_equals_the_definition(rng, missing, n_steps):
    labels, weights = random_ensemble(rng, 12, 5, missing=missing), rng.dirichlet(np.ones(5))
    Z, encoding = cosines(cluster_trajectories(labels, n_steps)), encode(labels)
    observed = np.flatnonzero(encoding.partitions.sizes)
    found = walk_similarities(encoding, n_steps)
    np.testing.assert_allclose(found[np.ix_(observed, observed)], Z, atol=1e-12)
    assert not found[encoding.partitions.missing_slots].any()
    enhanced = enhanced_coassociation_matrix(labels, n_steps=n_steps, weights=weights)
    np.testing.assert_allclose(enhanced, object_similarities(labels, weights, Z), atol=1e-12)
    assert np.all(enhanced >= coassociation_matrix(labels, weights=weights) - 1e-15)


def test_clusters_that_meet_no_other_are_like_none(rng):
    # In a single partition no cluster meets another one; in a unanimous ensemble only itself.
    for labels in (rng.randint(3, size=(9, 1)), np.repeat(rng.randint(3, size=(9, 1)), 4, axis=1)):
        assert np.array_equal(enhanced_coassociation_matrix(labels), coassociation_matrix(labels))


@MISSING
@pytest.mark.parametrize("method", ["single", "average", "complete"])
def test_linkages_are_those_of_scipy_on_the_explicit_matrix(rng, method, missing):
    # So many partitions that no two objects agree in all that observe both: their order of merging would be open.
    labels, weights = random_ensemble(rng, 22, 15, missing=missing), rng.dirichlet(np.full(15, 5.0))
    labels = labels[np.r_[0:22, rng.randint(22, size=8)]]
    options = {"linkage": method, "weights": weights, "random_state": 0}
    S = enhanced_coassociation_matrix(labels, n_steps=3, weights=weights)
    assert_cut_of(lambda q: enhanced_eac(labels, q, n_steps=3, **options), S, method)
    S = locally_weighted_by_loops(labels, weights, 0.5)
    assert_cut_of(lambda q: locally_weighted_eac(labels, q, theta=0.5, **options), S, method)
    S = object_similarities(labels, weights, triples_by_loops(labels, weights, 0.9))
    assert_cut_of(lambda q: connected_triples(labels, q, decay=0.9, **options), S, method)


def locally_weighted_by_loops(labels, weights, theta):
    """Sum of w_u ECI(C) over the clusters C that hold both objects, over the weight of those that observe both."""
    indices = ensemble_driven_cluster_index(labels, theta=theta, weights=weights)
    total, both = np.zeros((2, len(labels), len(labels)))
    for column, own, weight in zip(labels.T, indices, weights, strict=True):
        both += weight * np.outer(column != -1, column != -1)
        for name, index in zip(np.unique(column[column != -1]), own, strict=True):
            total += weight * index * np.outer(column == name, column == name)
    return np.divide(total, both, out=np.eye(len(labels)), where=(both > 0.0) & ~np.eye(len(labels), dtype=bool))


def triples_by_loops(labels, weights, decay):
    """(K, K) similarities of clusters, triple by triple; 0 for those of different partitions."""
    J, sets = cluster_jaccard(labels), indicator_lists(labels)
    T = np.zeros_like(J)
    of_cluster = np.array([weights[u] for _, u in sets])
    for a, b in np.ndindex(T.shape):
        if a != b and sets[a][1] == sets[b][1]:
            T[a, b] = sum(of_cluster * np.minimum(J[a], J[b]))
    return np.eye(len(T)) + (decay * T / T.max() if T.max() > 0 else 0.0)


def test_without_triples_it_is_eac(rng):
    labels = random_ensemble(rng, 30, 6, missing=0.2)
    for k in (2, 4, 8):
        found = connected_triples(labels, k, decay=0.0, random_state=0)
        assert np.array_equal(found, eac(labels, k, random_state=0))
    # Unanimous partitions have no triples at all.
    labels = np.repeat(rng.randint(4, size=(20, 1)), 3, axis=1)
    assert np.array_equal(connected_triples(labels, 4, random_state=0), eac(labels, 4, random_state=0))


# ------------------------------------------------------------------------------------- probability trajectories


def similarities_by_loops(labels, counts, weights, n_neighbors, n_steps):
    """Cosines between trajectories of different rows that stand for `counts` objects each."""
    A = coassociation_matrix(labels, weights=weights)
    np.fill_diagonal(A, 0.0)
    links, P = np.zeros_like(A), np.zeros_like(A)
    for i in range(len(A)):
        least = sorted(A[i], reverse=True)[min(n_neighbors, len(A)) - 1]
        for j in range(len(A)):
            if A[i, j] >= least - 1e-9:
                links[i, j] = links[j, i] = A[i, j]
    for i in range(len(A)):
        total = sum(counts * links[i])
        P[i] = counts * links[i] / total if total else 0.0
    return cosines(np.hstack([np.linalg.matrix_power(P, t) for t in range(1, n_steps + 1)]))


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


@MISSING
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
def test_trajectories_are_linked(rng, method):
    labels, counts, _, weights = microclusters(rng, 0.0, n=40)
    S = similarities_by_loops(labels, counts, weights, 10, 3)
    tree = linkage(squareform(1.0 - S, checks=False), method)
    options = {"linkage": method, "n_neighbors": 10, "n_steps": 3, "weights": weights, "random_state": 0}
    for k in (2, 4, 7):
        found = probability_trajectories(np.repeat(labels, counts, axis=0), k, **options)
        # Microclusters without a link in common have similarity 0 with equal right to merge.
        if np.diff(np.sort(tree[:, 2]))[len(tree) - k] > 1e-6:
            assert adjusted_rand_score(found, np.repeat(cut_tree(tree, k).ravel(), counts)) == 1.0


@MISSING
def test_coordinates_of_the_cut_equal_the_definition(rng, missing):
    labels, _, encoding, weights = microclusters(rng, missing)
    S = trajectory_similarities(encoding, weights, 5, 3)
    sets = indicator_lists(labels)
    B = np.array([[weights[u] * np.mean([S[i, j] for j in objects]) for objects, u in sets] for i in range(len(S))])
    expected = transfer_cut_rows(B, 4)
    found = embed_microclusters(S, encoding, weights, 4, rng)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-7)


def test_default_neighbors_and_steps_are_half_the_root_of_the_microclusters(rng, monkeypatch):
    asked = []

    def spy(encoding, weights, n_neighbors, n_steps):
        asked.append((len(encoding.rows.codes), n_neighbors, n_steps))
        return trajectory_similarities(encoding, weights, n_neighbors, n_steps)

    monkeypatch.setattr(refined_eac, "trajectory_similarities", spy)
    labels = np.column_stack([np.arange(200) % 10, np.arange(200) // 10, rng.randint(3, size=200)])
    probability_trajectories(np.repeat(labels, 2, axis=0), 3, random_state=0)
    probability_trajectories(labels[:6], 3, n_steps=5, random_state=0)
    probability_trajectories(labels[:6], 3, n_neighbors=5, random_state=0)
    assert asked == [(200, 7, 7), (6, 1, 5), (6, 5, 1)]


def test_too_many_objects_for_the_memory(monkeypatch):
    monkeypatch.setattr(_consensus_common, "physical_memory", lambda: 1000)
    with pytest.raises(ValueError, match="probability_trajectories: the similarities of 10 distinct objects"):
        probability_trajectories(np.arange(10)[:, np.newaxis], 2)
