"""Linkages of similarities against SciPy and merge by merge, graphs of exact shares, clusters by loops."""

from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

import robust_eac
from robust_eac import coassociation_matrix, threshold_eac
from robust_eac.consensus import enhanced_coassociation_matrix, enhanced_eac, locally_weighted_eac
from robust_eac.schemes import ensemble_driven_cluster_index

from ..access import _consensus_common, _eac_module, encode, relabel, walk_similarities
from ..conftest import random_ensemble, same_partition
from ..reference import cluster_trajectories, indicator_lists

LINKAGES = ["single", "average", "complete"]
# Calls with the same seed decide ties in the same way.
SEEDED = {"random_state": 0}
eac, eac_linkage = partial(robust_eac.eac, **SEEDED), partial(robust_eac.consensus.eac_linkage, **SEEDED)
lifetime_eac = partial(robust_eac.consensus.lifetime_eac, **SEEDED)
METHODS = pytest.mark.parametrize("method", LINKAGES)


def scipy_tree(similarity, method):
    distance = 1.0 - similarity
    np.fill_diagonal(distance, 0.0)
    return linkage(squareform(distance, checks=False), method)


def cuts_where_heights_differ(tree):
    """(number of clusters, SciPy's cut) wherever no tie leaves the cut open."""
    heights = np.concatenate([[0.0], tree[:, 2], [2.0]])
    for q in range(1, len(heights)):
        low, high = heights[-q - 1], heights[-q]
        if high - low > 1e-5:
            yield q, fcluster(tree, (low + high) / 2, "distance")


def untied_ensemble(rng, n, missing):
    """An ensemble and weights for which all co-associations differ: with ties, the tree is not unique."""
    while True:
        labels = random_ensemble(rng, n, 16, max_clusters=3, missing=missing)
        weights = rng.uniform(size=16)
        values = np.sort(coassociation_matrix(labels, weights=weights)[np.triu_indices(n, 1)])
        if np.diff(values).min(initial=1.0) > 1e-6 and values[-1] < 1.0:
            return labels, weights


@METHODS
def test_every_merge_joins_a_closest_pair_also_where_there_are_ties(rng, method, missing):
    """Identical objects count as often as they occur, so the mean is over all pairs of objects."""
    labels = random_ensemble(rng, 16, 6, max_clusters=3, missing=missing)
    labels = labels[np.concatenate([np.arange(16), rng.randint(5, size=8)])]
    for weights in (None, [1, 2, 2, 1, 3, 1], rng.uniform(size=6)):
        distances = 1.0 - coassociation_matrix(labels, weights=weights)
        clusters = {i: [i] for i in range(len(labels))}
        tree = eac_linkage(labels, linkage=method, weights=weights)
        assert is_valid_linkage(tree)
        for step, (a, b, height, size) in enumerate(tree):
            reduce = {"single": np.min, "average": np.mean, "complete": np.max}[method]
            between = {
                (p, q): reduce(distances[np.ix_(clusters[p], clusters[q])]) for p, q in combinations(clusters, 2)
            }
            assert_allclose([between[a, b], height], min(between.values()), atol=1e-9)
            clusters[len(labels) + step] = clusters.pop(a) + clusters.pop(b)
            assert size == len(clusters[len(labels) + step])


@METHODS
def test_number_of_clusters_of_nested_trees(rng, method):
    labels = np.repeat(np.arange(12)[:, np.newaxis], 3, axis=1)  # all similarities 0
    labels = np.vstack([labels, random_ensemble(rng, 10, 3, max_clusters=2)])
    _, distinct = np.unique(labels, axis=0, return_inverse=True)
    levels = [*(eac(labels, k, linkage=method) for k in range(1, 23)), distinct]
    for k, (coarse, fine) in enumerate(pairwise(levels), start=1):
        assert coarse.max() + 1 == min(k, distinct.max() + 1)
        assert len({*zip(coarse, fine, strict=True)}) == fine.max() + 1


# -------------------------------------------------------------------------------------------------- lifetimes


@METHODS
@pytest.mark.parametrize("one_cluster", [False, True])
def test_lifetimes_equal_a_loop_over_heights(rng, method, one_cluster):
    for _ in range(4):
        labels, weights = untied_ensemble(rng, 12, 0.0)
        labels = labels[np.concatenate([np.arange(12), rng.randint(12, size=3)])]
        heights = [*scipy_tree(coassociation_matrix(labels, weights=weights), method)[:, 2], 1.0]
        lifetimes = {q: heights[15 - q] - heights[14 - q] for q in range(1 if one_cluster else 2, 15)}
        found = lifetime_eac(labels, linkage=method, weights=weights, one_cluster=one_cluster)
        expected = eac(labels, max(lifetimes, key=lifetimes.get), linkage=method, weights=weights)
        assert np.array_equal(found, expected)


@METHODS
@pytest.mark.parametrize("labels", [np.array([[3, 1]]), np.array([[0], [1]]), np.arange(7)[:, np.newaxis]])
def test_flat_and_tiny_dendrograms_are_one_cluster(method, labels):
    for one_cluster in (False, True):
        assert not lifetime_eac(labels, linkage=method, one_cluster=one_cluster).any()


def test_lifetimes_that_differ_by_rounding_are_equal(rng):
    # Lifetimes of 1/3 for two and for four clusters, however the sums of the weights are rounded.
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 0, 2], [1, 1, 2]])
    for _ in range(20):
        weights = np.full(3, 0.1) * (1.0 + 1e-9 * rng.uniform(size=3))
        heights = eac_linkage(labels, linkage="single", weights=weights)[:, 2]
        assert_allclose(heights, [0, 1 / 3, 1 / 3, 2 / 3], atol=1e-8)
        assert np.array_equal(lifetime_eac(labels, weights=weights), [0, 0, 0, 1, 1])


# ------------------------------------------------------------------------------------------------- thresholds


def components_by_hand(labels, threshold, strict):
    graph = np.zeros((len(labels), len(labels)))
    for i, j in np.ndindex(graph.shape):
        both = (labels[i] != -1) & (labels[j] != -1)
        share = Fraction(int((labels[i] == labels[j])[both].sum()), int(both.sum())) if both.any() else Fraction(0)
        graph[i, j] = i != j and (share > threshold if strict else share >= threshold)
    return connected_components(graph, directed=False)[1]


@pytest.mark.parametrize("strict", [True, False])
def test_threshold_equals_components_of_the_graph_of_exact_shares(rng, strict, missing):
    """Whole weights are partitions that occur so often."""
    sizes = set()
    for votes in ([1], [1] * 10, [3, 1, 0, 2, 1, 1]):
        labels = random_ensemble(rng, 18, len(votes), missing=missing if len(votes) > 1 else 0.0)
        labels[:, 0] = np.maximum(labels[:, 0], 0)
        labels = labels[np.concatenate([np.arange(18), rng.randint(18, size=4)])]
        for tenths in (-10, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 3000):
            found = threshold_eac(labels, threshold=tenths / 10, strict=strict, weights=votes)
            expected = components_by_hand(np.repeat(labels, votes, axis=1), Fraction(tenths, 10), strict)
            assert np.array_equal(found, relabel(expected))
            sizes.add(found.max() + 1)
    assert {1, 22} < sizes


@pytest.mark.parametrize("n_votes", [0, 1, 6, 7, 14, 19, 20])
def test_threshold_ties_are_ties_for_every_number(n_votes):
    # Two objects together in n_votes of 20 partitions.
    labels = np.array([np.zeros(20), np.arange(20) >= n_votes]).astype(int)
    share = n_votes / 20
    for threshold in (share, n_votes * 0.05, np.nextafter(share, -1), np.nextafter(share, 2)):
        assert np.array_equal(threshold_eac(labels, threshold=threshold), [0, 1])
        assert np.array_equal(threshold_eac(labels, threshold=threshold, strict=False), [0, 0])
    assert np.array_equal(threshold_eac(labels, threshold=share - 2e-9), [0, 0])
    assert np.array_equal(threshold_eac(labels, threshold=share + 2e-9, strict=False), [0, 1])


def test_a_pair_that_no_partition_observes_has_no_share():
    labels = np.array([[0, -1], [-1, 0]])
    for threshold, strict, n_clusters in ((0, True, 2), (0, False, 1), (2e-9, False, 2), (-2e-9, True, 1)):
        assert threshold_eac(labels, threshold=threshold, strict=strict).max() + 1 == n_clusters


# ------------------------------------------------------------------------------------------- memory and errors


def test_the_limit_of_memory_is_that_of_the_machine(monkeypatch):
    labels = np.arange(300)[:, np.newaxis] // np.array([1, 2, 3])
    monkeypatch.setattr(_consensus_common, "physical_memory", lambda: 1000)
    for method in LINKAGES:
        with pytest.raises(ValueError, match=rf"{method} .* 44850 distances"):
            eac(np.vstack([labels, labels[:1]]), 2, linkage=method)
    # Of every six objects, two pairs are together in two partitions of three.
    assert threshold_eac(labels).max() == 199


def test_a_threshold_across_blocks_of_rows(monkeypatch):
    # A chain of objects, each together with the next in two of three partitions.
    labels = (np.arange(40)[:, np.newaxis] + np.arange(3)) // 3
    monkeypatch.setattr(_eac_module, "_BLOCK_PAIRS", 280)
    assert np.array_equal(threshold_eac(labels), np.zeros(40))
    assert np.array_equal(threshold_eac(labels, threshold=0.7), np.arange(40))


# --------------------------------------------------------------------------------------- finer similarities


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


@pytest.mark.parametrize("n_steps", [1, 2, 5, 20])
def test_enhanced_coassociation_equals_the_definition(rng, missing, n_steps):
    labels, weights = random_ensemble(rng, 12, 5, missing=missing), rng.dirichlet(np.ones(5))
    Z, encoding = cosines(cluster_trajectories(labels, n_steps)), encode(labels)
    observed = np.flatnonzero(encoding.partitions.sizes)
    found = walk_similarities(encoding, n_steps)
    assert_allclose(found[np.ix_(observed, observed)], Z, atol=1e-12)
    assert not found[encoding.partitions.missing_slots].any()
    enhanced = enhanced_coassociation_matrix(labels, n_steps=n_steps, weights=weights)
    assert_allclose(enhanced, object_similarities(labels, weights, Z), atol=1e-12)
    assert np.all(enhanced >= coassociation_matrix(labels, weights=weights) - 1e-15)


def test_clusters_that_meet_no_other_are_like_none(rng):
    # In a single partition no cluster meets another one; in a unanimous ensemble only itself.
    for labels in (rng.randint(3, size=(9, 1)), np.repeat(rng.randint(3, size=(9, 1)), 4, axis=1)):
        assert np.array_equal(enhanced_coassociation_matrix(labels), coassociation_matrix(labels))


@METHODS
def test_linkages_are_those_of_scipy_on_the_explicit_matrix(rng, method, missing):
    # So many partitions that no two objects agree in all that observe both: their order of merging would be open.
    labels, weights = random_ensemble(rng, 22, 15, missing=missing), rng.dirichlet(np.full(15, 5.0))
    labels = labels[np.r_[0:22, rng.randint(22, size=8)]]
    options = {"linkage": method, "weights": weights, "random_state": 0}
    for S, function, own in (
        (coassociation_matrix(labels, weights=weights), robust_eac.eac, {}),
        (enhanced_coassociation_matrix(labels, n_steps=3, weights=weights), enhanced_eac, {"n_steps": 3}),
        (locally_weighted_by_loops(labels, weights, 0.5), locally_weighted_eac, {"theta": 0.5}),
    ):
        cuts = list(cuts_where_heights_differ(scipy_tree(S, method)))
        assert len(cuts) > 6
        for q, cut in cuts[:12]:
            assert same_partition(function(labels, q, **own, **options), cut)


def locally_weighted_by_loops(labels, weights, theta):
    """Sum of w_u ECI(C) over the clusters C that hold both objects, over the weight of those that observe both."""
    indices = ensemble_driven_cluster_index(labels, theta=theta, weights=weights)
    total, both = np.zeros((2, len(labels), len(labels)))
    for column, own, weight in zip(labels.T, indices, weights, strict=True):
        both += weight * np.outer(column != -1, column != -1)
        for name, index in zip(np.unique(column[column != -1]), own, strict=True):
            total += weight * index * np.outer(column == name, column == name)
    return np.divide(total, both, out=np.eye(len(labels)), where=(both > 0.0) & ~np.eye(len(labels), dtype=bool))
