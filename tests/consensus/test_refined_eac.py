"""Finer similarities against loops over clusters and objects, walks step by step, and SciPy's linkage of them."""

import numpy as np
import pytest

from robust_eac import coassociation_matrix
from robust_eac.consensus import enhanced_coassociation_matrix, enhanced_eac, locally_weighted_eac
from robust_eac.schemes import ensemble_driven_cluster_index

from ..access import encode, walk_similarities
from ..conftest import random_ensemble, same_partition
from ..reference import cluster_trajectories, indicator_lists
from .test_eac import cuts_where_heights_differ, scipy_tree

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
    for S, function, own in (
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
