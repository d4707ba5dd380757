"""Selection of partitions by quality and diversity."""

from itertools import combinations

import numpy as np
from numpy.testing import assert_allclose
from scipy.spatial import ConvexHull
from sklearn.metrics import adjusted_rand_score

from robust_eac.schemes import cluster_and_select_weights, convex_hull_weights, joint_criterion_weights

from ..access import _hull_vertices, _spectral_groups
from ..conftest import random_ensemble
from .test_weighting_schemes import nmi_loop

# Three copies under other names, and a partition that is independent of them.
COPIES = np.array([[0, 1, 5, 0], [0, 1, 5, 1], [1, 0, 7, 0], [1, 0, 7, 1]])


def joint_criterion(nmi, chosen):
    """Value of the criterion for a set of partitions, by loops."""
    return sum(sum(nmi[u]) for u in chosen) + sum(1.0 - nmi[u, v] for u in chosen for v in chosen if u != v)


def test_joint_criterion_adds_the_best_partition_each_time(rng):
    labels = random_ensemble(rng, 40, 9, missing=0.1)
    nmi = nmi_loop(labels, "geometric")
    chosen = [int(np.argmax(nmi.sum(axis=1)))]
    for size in range(1, 10):
        weights = joint_criterion_weights(labels, size=size)
        assert_allclose(weights, np.isin(np.arange(9), chosen) / size, atol=1e-15)
        rest = [u for u in range(9) if u not in chosen]
        if rest:
            chosen.append(max(rest, key=lambda u: joint_criterion(nmi, [*chosen, u])))


def test_default_size_is_half_rounded_up(rng):
    for m in (1, 2, 5, 8):
        labels = random_ensemble(rng, 60, m)
        assert np.count_nonzero(joint_criterion_weights(labels)) == (m + 1) // 2
        assert np.count_nonzero(cluster_and_select_weights(labels, random_state=0)) == (m + 1) // 2


def test_cluster_and_select_takes_the_best_of_each_group(rng):
    # Two groups of partitions that share no information, one member of each exact and the others noisy.
    first, second = np.divmod(np.arange(36), 6)
    labels = np.empty((36, 8), dtype=int)
    for u in range(8):
        labels[:, u] = (first, second)[u % 2]
        if u > 1:
            labels[rng.choice(36, size=4, replace=False), u] = rng.randint(6, size=4)
    nmi = nmi_loop(labels, "geometric")
    groups = _spectral_groups(nmi, 2, np.random.RandomState(0))
    assert adjusted_rand_score(groups, np.arange(8) % 2) == 1.0
    best = [max(range(start, 8, 2), key=lambda u: nmi[u].sum()) for start in (0, 1)]
    assert np.array_equal(np.flatnonzero(cluster_and_select_weights(labels, size=2, random_state=0)), sorted(best))
    assert np.array_equal(cluster_and_select_weights(labels, size=8, random_state=0), np.full(8, 1 / 8))


def test_convex_hull_equals_scipy(rng):
    m = 20
    labels = random_ensemble(rng, 50, m, missing=0.1)
    nmi = nmi_loop(labels, "geometric")
    pairs = np.array(list(combinations(range(m), 2)))
    points = [(nmi[u, v], 0.5 * (nmi[u].sum() + nmi[v].sum())) for u, v in pairs]
    selected = np.unique(pairs[ConvexHull(points).vertices])
    weights = convex_hull_weights(labels)
    assert np.array_equal(np.flatnonzero(weights), selected)
    assert_allclose(weights[selected], 1 / len(selected), atol=1e-15)
    assert len(selected) < m


def test_hull_vertices_of_any_points(rng):
    for n in (3, 10, 60):
        points = np.unique(rng.uniform(size=(n, 2)).round(rng.randint(2, 9)), axis=0)
        assert np.array_equal(_hull_vertices(points), np.sort(ConvexHull(points).vertices))
    for slope in rng.uniform(-3.0, 3.0, size=20):
        # On a line but for rounding.
        line = np.array([[x, slope * x + 0.1] for x in np.sort(rng.uniform(size=6))])
        assert np.array_equal(_hull_vertices(line), [0, 5])
    square = np.array([[x, y] for x in (0.0, 0.5, 1.0) for y in (0.0, 0.5, 1.0)])
    assert np.array_equal(_hull_vertices(square), [0, 2, 6, 8])


def test_convex_hull_takes_all_pairs_at_a_vertex(rng):
    # Shifts of a pattern around a circle: all partitions are equivalent, so all pairs of least NMI are in one place.
    pattern = rng.randint(3, size=23)
    labels = np.column_stack([rng.permutation(3)[np.roll(pattern, u)] for u in range(23)])
    assert_allclose(convex_hull_weights(labels), 1 / 23, rtol=1e-12)


def test_selected_copies_share():
    assert_allclose(joint_criterion_weights(COPIES, size=1), [1 / 3, 1 / 3, 1 / 3, 0.0])
    assert_allclose(joint_criterion_weights(COPIES, size=4), [1 / 4, 1 / 4, 1 / 4, 1 / 4])
    assert_allclose(cluster_and_select_weights(COPIES, random_state=0), [1 / 6, 1 / 6, 1 / 6, 1 / 2])
    assert_allclose(convex_hull_weights(COPIES), 1 / 4)
