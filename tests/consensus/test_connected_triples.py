"""Connected-triple similarities against loops over triples of clusters, and SciPy's linkage of them."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform

from robust_eac import adjusted_rand_score, eac
from robust_eac.consensus.refined_eac import connected_triples, triple_similarities

from ..access import encode
from ..conftest import random_ensemble
from ..reference import cluster_jaccard, indicator_lists


def similarities_by_loops(labels, weights, decay):
    """(n, n) similarities of objects, triple by triple and pair by pair."""
    J, sets = cluster_jaccard(labels), indicator_lists(labels)
    k = len(sets)
    T = np.zeros((k, k))
    for a in range(k):
        for b in range(k):
            if a != b and sets[a][1] == sets[b][1]:
                T[a, b] = sum(weights[sets[c][1]] * min(J[a, c], J[b, c]) for c in range(k))
    T = np.eye(k) + (decay * T / T.max() if T.max() > 0 else 0.0)
    n, m = labels.shape
    S = np.zeros((n, n))
    where = {(u, i): a for a, (objects, u) in enumerate(sets) for i in objects}
    for i in range(n):
        for j in range(n):
            both = [u for u in range(m) if (u, i) in where and (u, j) in where]
            total = sum(weights[u] for u in both)
            S[i, j] = sum(weights[u] * T[where[u, i], where[u, j]] for u in both) / total if total else 0.0
    return S


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("method", ["single", "average", "complete"])
def test_linkage_of_the_definition(rng, missing, method):
    # So many partitions that no two objects agree in all that observe both: their order of merging would be open.
    labels = random_ensemble(rng, 25, 15, missing=missing)
    weights = rng.dirichlet(np.full(15, 5.0))
    S = similarities_by_loops(labels, weights, 0.8)
    tree = linkage(squareform(1.0 - S, checks=False), method)
    for k in (2, 5, 9):
        found = connected_triples(labels, k, linkage=method, weights=weights)
        assert adjusted_rand_score(found, cut_tree(tree, k).ravel()) == 1.0


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_tables_equal_the_definition(rng, missing):
    labels = random_ensemble(rng, 15, 5, missing=missing)
    weights = rng.dirichlet(np.ones(5))
    tables = triple_similarities(encode(labels), weights, 0.9)
    for u, table in enumerate(tables):
        codes = np.unique(labels[:, u][labels[:, u] != -1], return_inverse=True)[1]
        seen = np.flatnonzero(labels[:, u] != -1)
        expected = one_partition(labels, weights, u)[np.ix_(seen, seen)]
        np.testing.assert_allclose(table[codes[:, np.newaxis], codes], expected, atol=1e-12)
    assert max((table - np.diag(np.diag(table))).max() for table in tables) == pytest.approx(0.9)


def one_partition(labels, weights, u):
    """What partition u alone says of every two objects that it observes."""
    J, sets = cluster_jaccard(labels), indicator_lists(labels)
    own = [a for a in range(len(sets)) if sets[a][1] == u]
    k = range(len(sets))

    def triples(a, b):
        return sum(weights[sets[c][1]] * min(J[a, c], J[b, c]) for c in k)

    largest = max(triples(a, b) for a in k for b in k if a != b and sets[a][1] == sets[b][1])
    S = np.zeros((len(labels), len(labels)))
    for a in own:
        for b in own:
            S[np.ix_(list(sets[a][0]), list(sets[b][0]))] = 1.0 if a == b else 0.9 * triples(a, b) / largest
    return S


def test_without_triples_it_is_eac(rng):
    labels = random_ensemble(rng, 30, 6, missing=0.2)
    for k in (2, 4, 8):
        assert np.array_equal(connected_triples(labels, k, decay=0.0), eac(labels, k))
    # Unanimous partitions have no triples at all.
    labels = np.repeat(rng.randint(4, size=(20, 1)), 3, axis=1)
    assert np.array_equal(connected_triples(labels, 4), eac(labels, 4))


def test_a_repeated_partition_is_one_of_that_weight(rng):
    labels, weights = random_ensemble(rng, 20, 4, missing=0.1), np.array([3, 1, 2, 1])
    one = triple_similarities(encode(labels), weights / 7.0, 0.8)
    other = triple_similarities(encode(np.repeat(labels, weights, axis=1)), np.full(7, 1.0 / 7.0), 0.8)
    for u, place in enumerate([0, 3, 4, 6]):
        np.testing.assert_allclose(one[u], other[place], atol=1e-12)


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"decay": 1.5}, "decay must be at least 0 and at most 1"),
        ({"linkage": "ward"}, "linkage"),
        ({"max_bytes": 0}, "max_bytes"),
    ],
)
def test_errors(kwargs, match):
    with pytest.raises((ValueError, TypeError), match=match):
        connected_triples(np.array([[0, 0], [0, 1], [1, 1]]), 2, **kwargs)
