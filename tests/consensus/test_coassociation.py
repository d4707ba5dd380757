import numpy as np
import pytest

from robust_eac import coassociation_matrix
from robust_eac.consensus import enhanced_coassociation_matrix

from ..conftest import random_ensemble


def enhanced_by_loops(labels, n_steps, weights):
    """Clusters as sets, the walk step by step with the trajectories written out, objects pair by pair."""
    n, m = labels.shape
    clusters = [
        (u, {i for i in range(n) if labels[i, u] == c}) for u in range(m) for c in np.unique(labels[:, u]) if c != -1
    ]
    observed = [set(np.flatnonzero(labels[:, u] != -1)) for u in range(m)]
    edges = np.zeros((len(clusters), len(clusters)))
    for a, (u, one) in enumerate(clusters):
        for b, (v, other) in enumerate(clusters):
            either = (one | other) & observed[u] & observed[v]
            if a != b and either:
                edges[a, b] = len(one & other) / len(either)
    walk = np.zeros_like(edges)
    for a in range(len(edges)):
        if edges[a].sum() > 0:
            walk[a] = edges[a] / edges[a].sum()
    power, trajectories = np.eye(len(edges)), []
    for _ in range(n_steps):
        power = power @ walk
        trajectories.append(power)
    trajectories = np.hstack(trajectories)
    where = {(u, i): a for a, (u, cluster) in enumerate(clusters) for i in cluster}
    result = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            total = both = 0.0
            for u in range(m):
                if weights[u] > 0 and (u, i) in where and (u, j) in where:
                    a, b = where[u, i], where[u, j]
                    lengths = np.linalg.norm(trajectories[a]) * np.linalg.norm(trajectories[b])
                    alike = 1.0 if a == b else trajectories[a] @ trajectories[b] / lengths if lengths > 0 else 0.0
                    total += weights[u] * alike
                    both += weights[u]
            result[i, j] = total / both if both else 0.0
    return result


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("n_steps", [1, 2, 3, 20])
def test_enhanced_coassociation_equals_the_definition(rng, missing, n_steps):
    labels = random_ensemble(rng, 12, 5, missing=missing)
    weights = rng.dirichlet(np.ones(5))
    expected = enhanced_by_loops(labels, n_steps, weights)
    np.testing.assert_allclose(
        enhanced_coassociation_matrix(labels, n_steps=n_steps, weights=weights), expected, atol=1e-12
    )


def test_enhanced_coassociation_by_hand():
    # Jaccard indices 1/2 and 1/3: the walk goes from {0, 1} to {0} with 0.6 and to {1, 2} with 0.4, from {2} to {1, 2}.
    enhanced = enhanced_coassociation_matrix(np.array([[0, 0], [0, 1], [1, 1]]), n_steps=1)
    cosine = 0.4 / np.hypot(0.6, 0.4)
    expected = [[1, (1 + cosine) / 2, cosine], [(1 + cosine) / 2, 1, (1 + cosine) / 2], [cosine, (1 + cosine) / 2, 1]]
    np.testing.assert_allclose(enhanced, expected, atol=1e-15)


def test_enhanced_coassociation_properties(rng):
    labels = random_ensemble(rng, 15, 6, missing=0.1)
    enhanced = enhanced_coassociation_matrix(labels)
    np.testing.assert_allclose(enhanced, enhanced.T, atol=1e-15)
    np.testing.assert_allclose(np.diagonal(enhanced), 1.0, rtol=1e-15)
    plain = coassociation_matrix(labels)
    assert np.all(enhanced >= plain - 1e-15)
    assert np.any(enhanced > plain + 0.1)
    assert enhanced.max() <= 1.0
    renamed = np.where(labels == -1, -1, (labels + 3) % 4 + 5)
    np.testing.assert_allclose(enhanced_coassociation_matrix(renamed), enhanced, atol=1e-12)


def test_a_partition_without_weight_is_not_there(rng):
    labels = random_ensemble(rng, 12, 5)
    np.testing.assert_allclose(
        enhanced_coassociation_matrix(labels, weights=[2, 0, 2, 0, 2]),
        enhanced_coassociation_matrix(labels[:, ::2]),
        atol=1e-15,
    )


def test_clusters_that_meet_no_other_are_like_none(rng):
    # In a single partition no cluster meets another one; in a unanimous ensemble only itself.
    for labels in (rng.randint(3, size=(9, 1)), np.repeat(rng.randint(3, size=(9, 1)), 4, axis=1)):
        assert np.array_equal(enhanced_coassociation_matrix(labels), coassociation_matrix(labels))


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"n_steps": 0}, "n_steps must be at least 1, got 0"),
        ({"n_steps": 2.0}, "n_steps must be an integer"),
        ({"weights": [1.0]}, "weights must have 2 values"),
        ({"labels": np.array([[0.5, 1.0]])}, "labels must hold integer cluster labels"),
    ],
)
def test_errors(kwargs, match):
    with pytest.raises((ValueError, TypeError), match=match):
        enhanced_coassociation_matrix(**{"labels": np.array([[0, 1], [1, 1]]), **kwargs})
