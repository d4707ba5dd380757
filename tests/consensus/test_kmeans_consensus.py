"""The k-means family on label codes against one-hot matrices, scikit-learn and the identities of its papers."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from robust_eac import KMeansEnsemble, coassociation_matrix, density, load_dataset
from robust_eac.consensus import (
    bisecting_kmeans_consensus,
    bisecting_tree,
    cut_bisecting_tree,
    ecc,
    kmeans_consensus,
    sec,
)

from ..access import _lloyd, cluster_counts, collapse, cross_entropies, degree_costs, encode, one_hot
from ..conftest import planted_ensemble, random_ensemble
from ..reference import balanced_partitions

CRITERIA = pytest.mark.parametrize("criterion", ["density", "size"])
TABLES = {"category": _lloyd.squared_distances, "entropy": cross_entropies, "sec": degree_costs}


def full_costs(encoding, table):
    """(n_rows, k) of the cost that a table describes, as a plain sum."""
    return np.array([table[row.astype(int) + encoding.partitions.offsets].sum(axis=0) for row in encoding.rows.codes])


def assert_cheapest(encoding, weights, table_of, result):
    """Every object is in the cluster where it costs least; the sum of these costs is the loss."""
    assert result.converged
    n, k = len(result.clusters), result.clusters.max() + 1
    costs = full_costs(encoding, table_of(encoding, weights, cluster_counts(encoding, result.clusters, k)))
    own = costs[np.arange(n), result.clusters]
    assert np.all(own <= costs.min(axis=1) + 1e-9)
    assert result.loss == pytest.approx(encoding.rows.multiplicity @ own, rel=1e-10)


def shares_by_hand(column, members):
    """Shares of the labels of one partition among the members that it observes."""
    seen = column[members][column[members] != -1]
    return {label: np.mean(seen == label) for label in np.unique(column)} if len(seen) else None


DIVERGENCES = {
    "category": lambda p, label: 1 - 2 * p[label] + sum(q**2 for q in p.values()),
    "entropy": lambda p, label: -np.log(max(p[label], np.finfo(float).eps)),
}


@pytest.mark.parametrize("name", DIVERGENCES)
def test_tables_are_the_divergences_written_out(rng, name, missing):
    labels, weights = random_ensemble(rng, 12, 4, missing=missing), rng.dirichlet(np.ones(4))
    # The last cluster has one object: some partitions observe none of it.
    clusters = np.r_[0, 1, 2, rng.randint(2, size=9)]
    encoding = encode(labels)
    costs = full_costs(encoding, TABLES[name](encoding, weights, cluster_counts(encoding, clusters, 3)))
    for i, c in product(range(12), range(3)):
        expected = 0.0
        for u in range(4):
            if labels[i, u] != -1:
                p = shares_by_hand(labels[:, u], clusters == c) or shares_by_hand(labels[:, u], np.ones(12, dtype=bool))
                expected += weights[u] * DIVERGENCES[name](p, labels[i, u])
        assert costs[i, c] == pytest.approx(expected, rel=1e-10)


def test_the_loss_is_that_of_scikit_learn_on_the_one_hot_matrix(rng):
    X, _ = load_dataset("iris")
    labels = KMeansEnsemble(30, (3, 12), random_state=rng.randint(1000)).fit_transform(X)
    # Random weights: no object is as far from one mean as from another.
    encoding, weights = encode(labels), rng.dirichlet(np.ones(30))
    seeds = _lloyd.seed_rows(encoding, weights, 4, rng)
    start = _lloyd.seed_table(encoding, weights, seeds)
    result = _lloyd.run_lloyd(encoding, weights, _lloyd.squared_distances, start, max_iter=300)
    dense = one_hot(encoding).toarray() * np.sqrt(np.repeat(weights, encoding.partitions.n_codes))
    model = KMeans(4, init=dense[seeds], n_init=1, tol=0.0).fit(dense)
    assert result.converged
    assert result.loss == pytest.approx(model.inertia_, rel=1e-9)
    assert np.array_equal(result.clusters, model.labels_)


@pytest.mark.parametrize("name", TABLES)
def test_margins_skip_nothing_that_would_move(rng, name, missing):
    """Lloyd's algorithm with bounds ends where every object is in its cheapest cluster, and no pass raises the loss."""
    labels, weights = random_ensemble(rng, 200, 9, missing=missing), rng.dirichlet(np.ones(9))
    encoding = collapse(encode(labels[np.r_[0:200, rng.randint(200, size=400)]]))
    assert encoding.n_rows <= 200
    seeds = _lloyd.seed_rows(encoding, weights, 5, rng)
    start, table_of = _lloyd.seed_table(encoding, weights, seeds), TABLES[name]
    results = [_lloyd.run_lloyd(encoding, weights, table_of, start, max_iter=max_iter) for max_iter in range(1, 40)]
    assert np.all(np.diff([result.loss for result in results]) <= 1e-9)
    assert_cheapest(encoding, weights, table_of, results[-1])


def test_a_start_on_a_sample_is_finished_on_all(rng, monkeypatch):
    monkeypatch.setattr(_lloyd, "_SAMPLE", 50)
    monkeypatch.setattr(_lloyd, "_SAMPLE_PER_CLUSTER", 5)
    labels = random_ensemble(rng, 400, 9, missing=0.1)
    encoding, weights = encode(labels), rng.dirichlet(np.ones(9))
    for table_of in TABLES.values():
        result = _lloyd.best_lloyd(encoding, weights, table_of, 4, n_init=1, max_iter=300, rng=rng)
        assert_cheapest(encoding, weights, table_of, result)


def test_seeds_are_different_rows_far_apart(rng):
    labels, weights = random_ensemble(rng, 40, 7, missing=0.2), rng.dirichlet(np.ones(7))
    encoding = encode(labels)
    seeds = _lloyd.seed_rows(encoding, weights, 40, rng)
    assert sorted(seeds) == list(range(40))
    differ = (labels[:, np.newaxis] != labels[seeds]) & (labels[:, np.newaxis] != -1) & (labels[seeds] != -1)
    expected = differ @ weights
    costs = _lloyd.table_costs(encoding, _lloyd.seed_table(encoding, weights, seeds))
    assert_allclose(costs, expected, atol=1e-12)
    planted = planted_ensemble(rng, np.repeat([0, 1, 2], 20), 15, noise=0.0)
    assert len(set(_lloyd.seed_rows(encode(planted), np.full(15, 1 / 15), 3, rng) // 20)) == 3


def loss_of(labels, clusters):
    """k-means loss of the one-hot rows, over the number of partitions."""
    dense = one_hot(encode(labels)).toarray()
    inside = [dense[clusters == c] for c in set(clusters)]
    return sum(((rows - rows.mean(axis=0)) ** 2).sum() for rows in inside) / len(labels[0])


def test_small_problems_reach_the_best_of_all_partitions(rng):
    labels = planted_ensemble(rng, np.array([0, 0, 0, 1, 1, 2, 2]), 7, noise=0.2)
    partitions = list(balanced_partitions(7, 3, 7))
    found = kmeans_consensus(labels, 3, n_init=100, random_state=rng)
    assert loss_of(labels, found) == pytest.approx(min(loss_of(labels, p) for p in partitions), rel=1e-9)


def test_sec_loss_is_the_normalised_cut(rng):
    labels, weights = random_ensemble(rng, 40, 6), rng.dirichlet(np.ones(6))
    encoding = encode(labels)
    result = _lloyd.best_lloyd(encoding, weights, degree_costs, 3, n_init=3, max_iter=100, rng=rng)
    A = coassociation_matrix(labels, weights=weights)
    inside = [A[np.ix_(result.clusters == c, result.clusters == c)].sum() for c in range(3)]
    degree = [A[result.clusters == c].sum() for c in range(3)]
    assert result.loss == pytest.approx(-np.sum(np.divide(inside, degree)), rel=1e-9)


@CRITERIA
def test_bisecting_tree_levels(rng, criterion):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2, 3], 15), 20, noise=0.1)
    tree = bisecting_tree(labels, 6, criterion=criterion, random_state=0)
    cuts = [cut_bisecting_tree(tree, q) for q in range(1, 7)]
    for q, cut in enumerate(cuts, start=1):
        # Every level refines the one before.
        assert len(set(cut)) == len(set(zip(cuts[max(q - 2, 0)], cut, strict=True))) == q
        assert tree.densities[q - 1] == pytest.approx(density(labels, cut), abs=1e-12)
    assert np.array_equal(bisecting_kmeans_consensus(labels, 6, criterion=criterion, random_state=0), cuts[-1])


@CRITERIA
def test_the_criterion_chooses_the_next_cluster(rng, criterion):
    """Against the best split of every cluster by trying all of them; some rows stand for several objects."""
    labels = random_ensemble(rng, 8, 5)[np.r_[np.arange(8), rng.choice(8, 2).repeat(8)]]
    tree = bisecting_tree(labels, 5, criterion=criterion, n_init=60, random_state=rng)
    for level, parent in enumerate(tree.parents, start=1):
        ancestors = np.arange(len(tree.parents) + 1)
        for cluster in range(level, len(ancestors)):
            ancestors[cluster] = ancestors[tree.parents[cluster - 1]]
        at_level = ancestors[tree.labels]
        gains = []
        for cluster in range(level):
            own = labels[at_level == cluster]
            rows, inverse = np.unique(own, axis=0, return_inverse=True)
            splits = [halves[inverse] for halves in balanced_partitions(len(rows), 2, len(rows))]
            if not splits:
                gains.append(-np.inf)
                continue
            zeros, halves = np.zeros(len(own), dtype=int), min(splits, key=lambda halves, own=own: loss_of(own, halves))
            denser = density(own, halves) - density(own, zeros)
            gains.append({"density": len(own) * denser, "size": len(own)}[criterion])
        assert gains[parent] == pytest.approx(max(gains), rel=1e-9)


def test_splitting_stops_at_identical_objects():
    labels = np.repeat([[0, 0], [1, 1]], 5, axis=0)
    tree = bisecting_tree(labels, 7, random_state=0)
    assert len(tree.parents) == 1
    assert len(set(kmeans_consensus(labels, 7, random_state=0))) == 2
    with pytest.raises(ValueError, match="levels"):
        cut_bisecting_tree(tree, 3)


def test_empty_clusters_are_filled(rng):
    labels = np.unique(random_ensemble(rng, 30, 6), axis=0)
    encoding, weights, n = encode(labels), rng.dirichlet(np.ones(6)), len(labels)
    # The second cluster starts empty: its seed is the first one's.
    start = _lloyd.seed_table(encoding, weights, np.array([0, 0, 1]))
    for name, table in TABLES.items():
        result = _lloyd.run_lloyd(encoding, weights, table, start, max_iter=100)
        assert set(result.clusters) == {0, 1, 2}, name
        counts = cluster_counts(encoding, result.clusters, 3)
        assert result.loss == pytest.approx(np.sum(table(encoding, weights, counts) * counts), rel=1e-7)
    # As many clusters as different objects: each gets its own.
    for function in (kmeans_consensus, ecc, sec):
        assert len(set(function(np.r_[labels, labels[:1]], n + 1, n_init=1, random_state=rng))) == n
    assert len(set(kmeans_consensus(labels, n - 3, n_init=1, random_state=rng))) == n - 3


@pytest.mark.parametrize("function", [kmeans_consensus, ecc, sec])
def test_threads_change_nothing_and_stopping_early_warns(rng, function):
    labels = random_ensemble(rng, 300, 8)
    one, two = (function(labels, 6, n_init=4, n_jobs=n_jobs, random_state=3) for n_jobs in (1, 2))
    assert np.array_equal(one, two)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        function(labels, 6, n_init=1, max_iter=1, random_state=3)
