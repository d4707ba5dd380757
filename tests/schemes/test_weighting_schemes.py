"""Schemes that look at the ensemble alone: agreement, kernel, clusters; and what all schemes promise."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import normalized_mutual_info_score

from robust_eac.schemes import (
    FEATURE_SCHEMES,
    WEIGHTING_SCHEMES,
    agreement_weights,
    ensemble_driven_cluster_index,
    kernel_weights,
)
from robust_eac.schemes.agreement import pairwise_nmi, partition_kernel

from ..conftest import planted_ensemble, random_ensemble

MEANS = {"geometric": lambda a, b: np.sqrt(a * b), "max": np.maximum}


def nmi_loop(labels, average):
    """NMI of all pairs by scikit-learn over the objects that both observe."""
    m = labels.shape[1]
    nmi = np.ones((m, m))
    for u, v in combinations(range(m), 2):
        both = (labels[:, u] != -1) & (labels[:, v] != -1)
        a, b = labels[both, u], labels[both, v]
        nmi[u, v] = nmi[v, u] = normalized_mutual_info_score(a, b, average_method=average) if both.any() else 0.0
    return nmi


def clusters_of(column):
    """Sets of objects, in the order of the labels."""
    return [set(np.flatnonzero(column == c)) for c in np.unique(column[column != -1])]


@pytest.mark.parametrize("average", MEANS)
def test_pairwise_nmi_equals_scikit_learn(rng, average):
    for n, clusters, missing in ((7, 2, 0.0), (40, 4, 0.3), (30, 25, 0.3)):
        labels = random_ensemble(rng, n, 6, max_clusters=clusters, missing=missing)
        labels[:, 2] = labels[:, 1] + 3 * (labels[:, 1] >= 0)
        labels[:, 3] = np.where(labels[:, 3] >= 0, 0, -1)
        # Objects that come again.
        labels = labels[rng.randint(n, size=2 * n)]
        nmi = pairwise_nmi(labels, MEANS[average])
        assert_allclose(nmi, nmi_loop(labels, average), atol=1e-13)
    # One cluster each, one against two, and no object in common.
    labels = np.array([[0, 0, 0, -1], [0, 0, 1, -1], [0, 0, 1, -1], [-1, 0, 0, 0], [-1, 0, 0, 1]])
    assert pairwise_nmi(labels, np.maximum)[0].tolist() == [1.0, 1.0, 0.0, 0.0]


def test_agreement_weights_are_the_formula(rng):
    labels = random_ensemble(rng, 25, 6, missing=0.2)
    nmi = nmi_loop(labels, "max")
    index = np.array([np.mean([nmi[u, v] for v in range(6) if v != u]) for u in range(6)])
    assert_allclose(agreement_weights(labels), index**2 / (index**2).sum(), atol=1e-12)


def test_independent_partitions_get_equal_weights_and_a_warning():
    labels = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    with pytest.warns(UserWarning, match="no two partitions share any information"):
        assert np.array_equal(agreement_weights(labels), np.full(3, 1 / 3))
    disjoint = np.array([[0, -1], [1, -1], [-1, 0]])
    with pytest.warns(UserWarning, match="similarities between different partitions are 0"):
        assert np.array_equal(kernel_weights(disjoint), [0.5, 0.5])


def kernel_loop(labels):
    """The kernel from its definition: the sum over all ordered pairs of objects."""
    n, m = labels.shape
    features = np.zeros((m, n, n))
    for u in range(m):
        for cluster in map(list, clusters_of(labels[:, u])):
            features[u][np.ix_(cluster, cluster)] = 1.0 / len(cluster)
    gram = np.tensordot(features, features, ([1, 2], [1, 2]))
    norms = np.sqrt(np.diag(gram))
    return gram / np.outer(norms, norms)


def test_kernel_weights_are_mean_similarities(rng):
    few = [random_ensemble(rng, n, 4, max_clusters=3, missing=share) for n, share in ((2, 0.3), (5, 0.0), (30, 0.4))]
    for labels in (*few, planted_ensemble(rng, np.arange(500) % 5, 8, noise=0.002)):
        # A copy, whose similarity rounding must not put above one.
        labels = np.column_stack([labels, np.where(labels[:, 0] == -1, -1, 7 - labels[:, 0])])
        kernel = partition_kernel(labels)
        assert_allclose(kernel, kernel_loop(labels), atol=1e-13)
        assert np.array_equal(np.diag(kernel), np.ones(len(kernel)))
        assert kernel.max() <= 1.0
        similarity = kernel.sum(axis=1) - 1.0
        assert_allclose(kernel_weights(labels), similarity / similarity.sum(), atol=1e-12)


def index_loop(labels, theta, weights):
    """ECI of every cluster, by sets."""
    m = labels.shape[1]
    found = []
    for u in range(m):
        values = []
        for cluster in clusters_of(labels[:, u]):
            entropy, seen = 0.0, 0.0
            for v in range(m):
                parts = np.array([len(cluster & other) for other in clusters_of(labels[:, v])], dtype=float)
                if parts.sum() > 0.0:
                    p = parts[parts > 0.0] / parts.sum()
                    entropy -= weights[v] * (p * np.log2(p)).sum()
                    seen += weights[v]
            values.append(np.exp(-entropy / seen / theta) if seen else 1.0)
        found.append(values)
    return found


def test_cluster_index_equals_loops(rng, missing):
    labels = random_ensemble(rng, 14, 5, missing=missing)
    for theta, weights in ((0.4, None), (1.0, rng.uniform(size=5)), (0.4, np.array([1.0, 0.0, 2.0, 0.0, 0.0]))):
        shares = np.full(5, 0.2) if weights is None else weights / weights.sum()
        expected = index_loop(labels, theta, shares)
        indices = ensemble_driven_cluster_index(labels, theta=theta, weights=weights)
        for values, loop in zip(indices, expected, strict=True):
            assert_allclose(values, loop, atol=1e-13)


@pytest.mark.parametrize("name", WEIGHTING_SCHEMES)
@pytest.mark.filterwarnings("ignore:No two partitions agree beyond chance")
def test_schemes_without_features_do_not_read_them(rng, name):
    labels = random_ensemble(rng, 15, 6)
    if name in FEATURE_SCHEMES:
        with pytest.raises(ValueError, match="X"):
            WEIGHTING_SCHEMES[name](labels)
    else:
        weights = WEIGHTING_SCHEMES[name](labels, random_state=0)
        assert np.array_equal(weights, WEIGHTING_SCHEMES[name](labels, X="nonsense", random_state=0))


@pytest.mark.parametrize("name", WEIGHTING_SCHEMES)
def test_names_and_order_of_objects_do_not_matter(rng, name, missing):
    scheme, n, m = WEIGHTING_SCHEMES[name], 24, 7
    labels = planted_ensemble(rng, np.arange(n) % 3, m, noise=0.3, missing=missing)
    X = np.arange(n)[:, np.newaxis] % 3 + rng.uniform(size=(n, 2))
    weights = scheme(labels, X=X, random_state=0)
    assert (weights.shape, weights.dtype) == ((m,), np.float64)
    names = np.array([rng.permutation(50)[:3] for _ in range(m)])
    renamed = np.where(labels == -1, -1, names[np.arange(m), labels])
    # "redundancy" stops at a gap of 1e-5, from starts that it draws object by object.
    iterative = name == "redundancy"
    assert_allclose(scheme(renamed, X=X, random_state=0), weights, atol=1e-3 if iterative else 1e-9)
    if not iterative:
        order = rng.permutation(n)
        assert_allclose(scheme(labels[order], X=X[order], random_state=0), weights, atol=1e-9)


@pytest.mark.parametrize("name", WEIGHTING_SCHEMES)
@pytest.mark.filterwarnings("ignore:The weights are uniform", "ignore:No two partitions agree beyond chance")
def test_copies_get_equal_weights(rng, name):
    scheme = WEIGHTING_SCHEMES[name]
    X = rng.uniform(size=(12, 2))
    for column in (np.zeros(12, dtype=int), np.arange(12), np.arange(12) % 3):
        labels = np.column_stack([column, 20 - column, column + 5, 3 * column])
        assert_allclose(scheme(labels, X=X, random_state=0), 0.25, atol=1e-9)
    other = np.column_stack([labels, rng.randint(3, size=12)])
    assert_allclose(np.ptp(scheme(other, X=X, random_state=0)[:4]), 0.0, atol=1e-9)
