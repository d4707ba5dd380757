"""Merged consensus against loops over objects and pairs, SciPy's linkage, and brute force over cuts."""

import importlib
import warnings

import numpy as np
import pytest
from scipy.cluster.hierarchy import dendrogram, fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import squareform

from robust_eac import adjusted_rand_score, merge_consensus, trusted_group_weights
from robust_eac.consensus import robust_merge

from .. import reference
from ..access import (
    _consensus_common,
    _linkage,
    _merging,
    cluster_counts,
    collapse,
    encode,
    scaled_distances,
    table_costs,
    take_rows,
)
from ..conftest import planted_ensemble, random_ensemble

module = importlib.import_module("robust_eac.consensus.merge")


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1.0


def distinct_ensemble(rng, n, m, **options):
    """A random ensemble whose objects all differ; so many partitions that no merges tie."""
    while True:
        labels = random_ensemble(rng, n, m, **options)
        if len(np.unique(labels, axis=0)) == n:
            return labels


def dense_pairs(labels, weights, theta=0.4):
    """The (n, n) sums and weights of all pairs of objects."""
    return reference.merged_pairs(labels, weights, reference.base_cluster_weights(labels, weights, theta))


def partition_of(groups, n):
    codes = np.empty(n, dtype=int)
    for c, group in enumerate(groups):
        codes[group] = c
    return codes


CASES = pytest.mark.parametrize(("missing", "weighted"), [(0.0, False), (0.0, True), (0.3, False), (0.3, True)])


def weights_of(rng, m, weighted):
    return rng.dirichlet(np.full(m, 3.0)) if weighted else np.full(m, 1.0 / m)


@CASES
@pytest.mark.parametrize("theta", [0.2, 0.4, 3.0])
def test_base_cluster_weights_equal_the_definition(rng, missing, weighted, theta):
    labels = random_ensemble(rng, 30, 6, missing=missing)
    weights = weights_of(rng, 6, weighted)
    expected = reference.base_cluster_weights(labels, weights, theta)
    found = merge_consensus(labels, 3, weights=weights, theta=theta, random_state=0).cluster_weights
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    sums, pairs = reference.merged_pairs(labels, weights, found)
    assert sums.sum() / pairs.sum() == pytest.approx(1.0)
    if not missing:
        assert (sums / pairs).mean() == pytest.approx(1.0)


def test_small_and_certain_clusters_count_most():
    # Both partitions agree on 0 and 1; the second one cuts what the first leaves whole.
    labels = np.column_stack([np.repeat([0, 1, 2], [5, 10, 20]), np.repeat([0, 1, 2, 3], [5, 10, 10, 10])])
    first, second = merge_consensus(labels, 3, weights=[1, 1]).cluster_weights
    assert first[0] == pytest.approx(2.0 * first[1])
    # One bit of entropy, in one of two partitions.
    assert first[1] == pytest.approx(2.0 * first[2] * np.exp(0.5 / 0.4))
    np.testing.assert_allclose(second[:2], first[:2])
    np.testing.assert_allclose(second[2:], second[1])


@CASES
def test_similarities_of_groups_are_sums_over_pairs(rng, missing, weighted):
    labels = random_ensemble(rng, 24, 5, missing=missing)
    weights = weights_of(rng, 5, weighted)
    encoding = encode(labels)
    by_slot = np.repeat(weights, encoding.n_codes) * _merging.base_cluster_weights(encoding, weights, 0.4)
    sums, pairs = dense_pairs(labels, weights)
    for groups in (np.arange(24), rng.permutation(np.arange(24) % 7)):
        indicator = np.eye(groups.max() + 1)[groups]
        counts = cluster_counts(encoding, groups, groups.max() + 1)
        found = _merging.similarity_sums(encoding, weights, by_slot, counts)
        np.testing.assert_allclose(found[0], indicator.T @ sums @ indicator, atol=1e-10)
        np.testing.assert_allclose(found[1], indicator.T @ pairs @ indicator, atol=1e-10)
        means = _merging.mean_similarities(encoding, weights, by_slot, counts, 1)
        seen = pairs @ indicator
        np.testing.assert_allclose(means, np.divide(sums @ indicator, seen, where=seen > 0, out=0.0 * seen), atol=1e-10)


@CASES
def test_tree_of_all_objects_equals_a_naive_agglomeration(rng, missing, weighted):
    labels = distinct_ensemble(rng, 22, 15, missing=missing)
    weights = weights_of(rng, 15, weighted)
    sums, pairs = dense_pairs(labels, weights)
    merges = reference.naive_average_linkage(sums, pairs)
    tree = _merging.average_linkage(sums, pairs)
    np.testing.assert_allclose(tree.similarities, sorted((s for s, _ in merges), reverse=True), rtol=1e-9)
    for k in (1, 2, 3, 5, 9, 22):
        groups = merges[len(merges) - k][1] if k < 22 else [[i] for i in range(22)]
        assert same_partition(_linkage.cut(tree, k), partition_of(groups, 22))
    found = merge_consensus(labels, 4, weights=weights, n_micro_clusters=22, random_state=0)
    np.testing.assert_array_equal(found.micro_clusters, np.arange(22))
    np.testing.assert_allclose(1.0 / found.tree[:, 2] - 1.0, tree.similarities, rtol=1e-9)


def test_pairs_that_no_partition_sees(rng):
    """Two halves of the objects that share no partition are merged last, at similarity 0."""
    labels = np.full((16, 12), -1)
    labels[:8, :6], labels[8:, 6:] = random_ensemble(rng, 8, 6), random_ensemble(rng, 8, 6)
    sums, pairs = dense_pairs(labels, np.full(12, 1.0 / 12))
    tree = _merging.average_linkage(sums, pairs)
    merges = reference.naive_average_linkage(sums, pairs)
    np.testing.assert_allclose(tree.similarities, sorted((s for s, _ in merges), reverse=True), atol=1e-12)
    assert tree.similarities[-1] == 0.0
    found = merge_consensus(labels, 2, weights=np.ones(12), random_state=0)
    assert found.tree[-1, 2] == 1.0
    assert np.isfinite(found.membership).all()


def test_tree_equals_that_of_scipy(rng):
    labels = distinct_ensemble(rng, 40, 25)
    sums, pairs = dense_pairs(labels, np.full(25, 0.04))
    # SciPy averages distances: similarities below a bound, which it does not matter.
    bound = (sums / pairs).max()
    theirs = linkage(squareform(bound - sums / pairs, checks=False), "average")
    found = merge_consensus(labels, 5, weights=np.ones(25), n_micro_clusters=40)
    np.testing.assert_allclose(1.0 / found.tree[:, 2] - 1.0, bound - theirs[:, 2], rtol=1e-9)
    for k in (2, 5, 13):
        ours, expected = (fcluster(tree, k, "maxclust") for tree in (found.tree, theirs))
        assert same_partition(ours, expected)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("n_micro", [None, 9, 30])
def test_tree_is_one_of_scipy(rng, monkeypatch, missing, n_micro):
    cuts = []
    monkeypatch.setattr(module, "cut", lambda *arguments: cuts.append(_linkage.cut(*arguments)) or cuts[-1])
    labels = random_ensemble(rng, 30, 12, missing=missing)
    result = merge_consensus(labels, 4, weights=np.ones(12), n_micro_clusters=n_micro, random_state=0)
    cuts.clear()
    assert is_valid_linkage(result.tree)
    n_leaves = len(result.tree) + 1
    assert np.array_equal(np.unique(result.micro_clusters), np.arange(n_leaves))
    assert sorted(dendrogram(result.tree, no_plot=True)["leaves"]) == list(range(n_leaves))
    assert result.tree[-1, 3] == n_leaves
    assert np.all(np.diff(result.tree[:, 2]) >= 0.0)
    assert n_leaves == (n_micro or 24)
    for k in (1, 2, 4, n_leaves):
        merge_consensus(labels, k, weights=np.ones(12), n_micro_clusters=n_leaves, random_state=0)
        assert same_partition(cuts.pop(), fcluster(result.tree, k, "maxclust"))


@CASES
def test_membership_and_labels_equal_the_definition(rng, missing, weighted):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 15), 8, noise=0.3)
    labels[rng.uniform(size=labels.shape) < missing] = -1
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    weights = weights_of(rng, 8, weighted)
    result = merge_consensus(labels, 3, weights=weights, n_micro_clusters=12, random_state=0)
    sums, pairs = dense_pairs(labels, weights)
    # Membership is in the groups that the tree was cut into.
    groups = fcluster(result.tree, 3, "maxclust")[result.micro_clusters]
    similarity = np.zeros((45, 3))
    for i in range(45):
        for c in range(3):
            inside = np.flatnonzero(groups == c + 1)
            seen = sum(pairs[i, j] for j in inside)
            similarity[i, c] = sum(sums[i, j] for j in inside) / seen if seen else 0.0
    expected = similarity / similarity.sum(axis=1, keepdims=True)
    columns = [int(expected[np.flatnonzero(result.labels == c)].sum(axis=0).argmax()) for c in range(3)]
    assert sorted(columns) == [0, 1, 2]
    np.testing.assert_allclose(result.membership, expected[:, columns], atol=1e-10)
    assert np.array_equal(result.membership.argmax(axis=1), result.labels)
    assert np.array_equal(result.confidence, result.membership.max(axis=1))
    # Some were at a border: the last step has something to do.
    assert result.n_clusters == 3


def test_the_border_is_mended(rng):
    """Micro-clusters that are too coarse lose the objects that are nearer to another group."""
    truth = np.repeat([0, 1, 2], 40)
    labels = planted_ensemble(rng, truth, 30, noise=0.4)
    result = merge_consensus(labels, 3, weights=np.ones(30), n_micro_clusters=4, random_state=0)
    groups = fcluster(result.tree, 3, "maxclust")[result.micro_clusters]
    assert adjusted_rand_score(truth, result.labels) >= adjusted_rand_score(truth, groups)


def assign(similarity, leaves, groups):
    """Groups that `_assign` gives to rows with these similarities to the groups."""

    class Encoding:
        n_samples, n_codes = len(similarity), np.array([1])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "mean_similarities", lambda *_: np.array(similarity, dtype=float))
        counts = np.ones((1, len(groups)))
        return module._assign(Encoding, np.ones(1), np.ones(1), np.array(leaves), counts, np.array(groups), 1)


def test_objects_of_a_tie_stay():
    similarity = [[1.0, 1.0 + 1e-15], [1.0, 1.0 + 1e-9], [1.0, 0.5], [2.0, 3.0]]
    membership, clusters = assign(similarity, [0, 1, 2, 3], [0, 0, 0, 1])
    assert clusters.tolist() == [0, 1, 0, 1]
    np.testing.assert_allclose(membership[3], [0.4, 0.6])


def test_no_group_is_emptied():
    # All of group 0 would go to 1, all of group 1 to 2: when the first return, the second have to.
    _, clusters = assign([[1, 2, 0], [1, 2, 0], [0, 1, 2], [0, 0, 1]], [0, 1, 2, 3], [0, 0, 1, 2])
    assert clusters.tolist() == [0, 0, 1, 2]
    # One of two may go.
    _, clusters = assign([[1, 2], [2, 1], [0, 1]], [0, 1, 2], [0, 0, 1])
    assert clusters.tolist() == [1, 0, 1]


def test_an_object_that_nothing_sees_fills_no_group():
    membership, clusters = assign([[0, 0], [1, 2], [0, 1]], [-1, 0, 1], [0, 1])
    assert clusters.tolist() == [0, 0, 1]
    assert membership[0].tolist() == [0.5, 0.5]


@CASES
def test_the_cut_is_that_of_largest_lift(rng, missing, weighted):
    labels = planted_ensemble(rng, rng.randint(3, size=30), 9, noise=0.25)
    labels = np.where(rng.uniform(size=labels.shape) < missing, -1, labels)
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    weights = weights_of(rng, 9, weighted)
    sums, pairs = dense_pairs(labels, weights)
    tree = _merging.average_linkage(sums, pairs)
    lifts = []
    for k in range(2, 12):
        groups = _linkage.cut(tree, k)
        totals = np.zeros((2, 2))
        for i in range(30):
            for j in range(30):
                if i != j:
                    totals[int(groups[i] == groups[j])] += sums[i, j], pairs[i, j]
        (between, n_between), (inside, n_inside) = totals
        lifts.append((inside / n_inside) / (between / n_between))
    own = np.trace(sums), np.trace(pairs)
    for most in (2, 5, 11):
        assert _merging.cut_of_largest_lift(tree, sums, pairs, own, most) == 2 + np.argmax(lifts[: most - 1])


def test_lift_of_single_objects_is_no_rounding(rng):
    """Without pairs inside clusters, what rounding leaves of them must not look like a lift."""
    labels = np.column_stack([rng.permutation(7) for _ in range(13)])
    weights = rng.dirichlet(np.ones(13))
    result = merge_consensus(labels, "auto", weights=weights)
    assert result.n_clusters == 2
    sums, pairs = dense_pairs(labels, weights)
    own = np.trace(sums) * (1.0 - 1e-15), np.trace(pairs) * (1.0 - 1e-15)
    assert _merging.cut_of_largest_lift(_merging.average_linkage(sums, pairs), sums, pairs, own, 7) == 2


@pytest.mark.parametrize("truth", [np.repeat([0, 1], [3, 30]), np.repeat(np.arange(6), 4), np.arange(40) % 13])
def test_auto_on_unanimous_ensembles(rng, truth):
    labels = np.column_stack([rng.permutation(truth.max() + 1)[truth] for _ in range(5)])
    result = merge_consensus(labels, random_state=0)
    assert result.n_clusters == truth.max() + 1
    assert same_partition(result.labels, truth)
    np.testing.assert_allclose(result.confidence, 1.0)


def test_auto_takes_no_more_than_the_mean_number():
    """Three crossed halvings have the largest lift in their eight cells."""
    labels = np.arange(64)[:, np.newaxis] >> np.arange(3) & 1
    result = merge_consensus(labels, weights=np.ones(3))
    assert result.n_clusters == 2
    sums, pairs = dense_pairs(labels, np.ones(3))
    own = np.trace(sums), np.trace(pairs)
    assert _merging.cut_of_largest_lift(_merging.average_linkage(sums, pairs), sums, pairs, own, 8) == 8


def test_auto_on_planted_and_on_finer_partitions(rng):
    truth = np.repeat(np.arange(4), 30)
    labels = planted_ensemble(rng, truth, 20, noise=0.1)
    assert merge_consensus(labels, random_state=0).n_clusters == 4
    # Every cluster is cut at random: no more than the mean number of clusters, and none of the cuts is common.
    finer = labels * 2 + rng.randint(2, size=labels.shape)
    assert merge_consensus(finer, random_state=0).n_clusters == 4


def explicit_rows(labels, values):
    """(n, K) indicator rows scaled by the roots of the clusters' values, and which entries are observed."""
    columns, seen = [], []
    for column, of_u in zip(labels.T, values, strict=True):
        for name, value in zip(np.unique(column[column != -1]), of_u, strict=True):
            columns.append(np.sqrt(value) * (column == name))
            seen.append(column != -1)
    return np.column_stack(columns), np.column_stack(seen)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_scaled_distances_are_those_of_explicit_rows(rng, missing):
    labels = random_ensemble(rng, 20, 5, missing=missing)
    encoding = encode(labels)
    values = [rng.uniform(0.1, 3.0, size=len(np.unique(column[column != -1]))) for column in labels.T]
    by_slot = np.zeros(len(encoding.sizes))
    by_slot[encoding.sizes > 0.0] = np.concatenate(values)
    groups = rng.permutation(np.arange(20) % 3)
    found = table_costs(
        encoding, scaled_distances(encoding, by_slot[:, np.newaxis], cluster_counts(encoding, groups, 3))
    )
    rows, seen = explicit_rows(labels, values)
    for c in range(3):
        inside = groups == c
        for i in range(20):
            # A mean over the objects that the partition observes.
            means = [rows[inside & seen[:, a], a].mean() for a in range(rows.shape[1])]
            expected = sum((rows[i, a] - means[a]) ** 2 for a in range(rows.shape[1]) if seen[i, a])
            assert found[i, c] == pytest.approx(expected)


@pytest.fixture(scope="module")
def many():
    """More objects than the sample on which micro-clusters are found, nearly all different."""
    rng = np.random.RandomState(0)
    truth = rng.randint(5, size=12_000)
    labels = planted_ensemble(rng, truth, 40, noise=0.4, n_random=8)
    assert len(np.unique(labels, axis=0)) > _merging._SAMPLE
    return truth, labels


@pytest.mark.parametrize("n_clusters", [5, "auto"])
def test_many_objects(many, n_clusters):
    truth, labels = many
    result = merge_consensus(labels, n_clusters, random_state=0)
    assert result.n_clusters == 5
    assert adjusted_rand_score(truth, result.labels) > 0.98
    assert np.array_equal(np.flatnonzero(result.weights), np.arange(32))
    assert len(result.tree) + 1 == 30
    by_jobs = [merge_consensus(labels, n_clusters, n_jobs=n_jobs, random_state=0) for n_jobs in (1, 2)]
    for other in by_jobs:
        assert np.array_equal(other.membership, result.membership)
        assert np.array_equal(other.micro_clusters, result.micro_clusters)
    again = merge_consensus(labels, n_clusters, random_state=1)
    assert not np.array_equal(again.micro_clusters, result.micro_clusters)
    assert adjusted_rand_score(again.labels, result.labels) > 0.98


def test_micro_clusters_of_many_objects_are_found_on_a_sample(many, monkeypatch):
    samples = []

    def spy(encoding, rows):
        samples.append(rows)
        return take_rows(encoding, rows)

    monkeypatch.setattr(_merging, "take_rows", spy)
    for seed in (0, 0, 1):
        merge_consensus(many[1], 5, weights=np.ones(40), random_state=seed)
    for rows in samples:
        assert len(np.unique(rows)) == _merging._SAMPLE
        # From all of them alike.
        assert abs(rows.mean() / 6000.0 - 1.0) < 0.05
    assert np.array_equal(samples[0], samples[1])
    assert not np.array_equal(samples[0], samples[2])


def test_names_and_order_of_many_objects(rng, many):
    _, labels = many
    result = merge_consensus(labels, 5, weights=np.ones(40), random_state=0)
    renamed = np.column_stack([10**9 * rng.permutation(5)[column] + 7 for column in labels.T])
    for other in (renamed, labels[:, rng.permutation(40)]):
        assert same_partition(merge_consensus(other, 5, weights=np.ones(40), random_state=0).labels, result.labels)


def test_micro_clusters_agree_with_the_rows(rng):
    truth = rng.randint(4, size=600)
    labels = planted_ensemble(rng, truth, 25, noise=0.35)
    weights = np.ones(25)
    rows = merge_consensus(labels, 4, weights=weights, n_micro_clusters=600)
    assert len(rows.tree) > 500
    micro = merge_consensus(labels, 4, weights=weights, random_state=0)
    assert len(micro.tree) + 1 == 24
    assert adjusted_rand_score(rows.labels, micro.labels) > 0.97
    assert adjusted_rand_score(truth, micro.labels) > 0.97
    # A micro-cluster holds objects of one cluster, but for a few.
    for leaf in range(24):
        inside = truth[micro.micro_clusters == leaf]
        assert np.bincount(inside).max() >= 0.9 * len(inside)


def test_micro_clusters_are_those_of_scaled_kmeans(rng):
    labels = distinct_ensemble(rng, 200, 8, max_clusters=5, missing=0.1)
    encoding, weights = encode(labels), np.full(8, 0.125)
    by_slot = 0.125 * _merging.base_cluster_weights(encoding, weights, 0.2)
    found = _merging.find_micro_clusters(encoding, weights, by_slot, 6, rng=rng, n_threads=1)
    assert np.array_equal(np.unique(found), np.arange(6))
    # Nothing moves any more: every row is in the nearest.
    table = scaled_distances(encoding, by_slot[:, np.newaxis], cluster_counts(encoding, found, 6))
    costs = table_costs(encoding, table)
    assert np.all(costs[np.arange(200), found] <= costs.min(axis=1) + 1e-9)


def test_halves_in_the_mean_number_of_clusters_do_not_depend_on_the_order(rng):
    """Five partitions of four clusters and five of five: their mean has rounding on either side of 4.5."""
    truth = rng.randint(20, size=3000)
    labels = np.column_stack([(truth % k + rng.randint(2, size=3000)) % k for k in [4] * 5 + [5] * 5])
    sizes = {
        len(merge_consensus(labels[:, rng.permutation(10)], 2, weights=np.ones(10), random_state=0).tree)
        for _ in range(30)
    }
    assert sizes == {23}


def test_identical_objects_share_all(rng):
    rows = distinct_ensemble(rng, 15, 12)
    copies = rng.permutation(np.repeat(np.arange(15), rng.randint(1, 5, size=15)))
    result = merge_consensus(rows[copies], 4, weights=np.ones(12))
    assert len(result.tree) == 14
    for i in range(15):
        same = np.flatnonzero(copies == i)
        assert len(np.unique(result.membership[same], axis=0)) == len(np.unique(result.micro_clusters[same])) == 1
    # The tree is that of all objects, but for the merges of copies, as similar as each is to itself.
    sums, pairs = dense_pairs(rows[copies], np.ones(12))
    first = np.unique(copies, return_index=True)[1]
    among_copies = np.delete(np.diag(sums / pairs), first)
    merges = np.concatenate([1.0 / result.tree[:, 2] - 1.0, among_copies])
    np.testing.assert_allclose(np.sort(merges)[::-1], _merging.average_linkage(sums, pairs).similarities, rtol=1e-9)


def test_a_repeated_partition_is_one_of_that_weight(rng):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 20), 6, noise=0.3)
    weights = np.array([3, 1, 2, 1, 1, 4])
    one = merge_consensus(labels, 3, weights=weights, n_micro_clusters=60)
    other = merge_consensus(np.repeat(labels, weights, axis=1), 3, weights=np.ones(12), n_micro_clusters=60)
    np.testing.assert_allclose(one.membership, other.membership, atol=1e-10)
    np.testing.assert_allclose(one.tree[:, 2], other.tree[:, 2], rtol=1e-9)
    repeats = np.repeat(np.arange(6), weights)
    for u, values in zip(repeats, other.cluster_weights, strict=True):
        np.testing.assert_allclose(values, one.cluster_weights[u])


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_partition_without_weight_is_not_there(rng, missing):
    labels = random_ensemble(rng, 40, 7, missing=missing)
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    weights = np.array([2.0, 0.0, 1.0, 0.5, 0.0, 1.0, 1.0])
    one = merge_consensus(labels, "auto", weights=7.0 * weights, random_state=0)
    other = merge_consensus(labels[:, weights > 0.0], "auto", weights=weights[weights > 0.0], random_state=0)
    assert np.array_equal(one.membership, other.membership)
    assert np.array_equal(one.tree, other.tree)
    assert np.array_equal(one.weights[weights > 0.0], other.weights)
    assert [values.any() for values in one.cluster_weights] == (weights > 0.0).tolist()
    assert [len(values) for values in one.cluster_weights] == [
        len(np.unique(column[column != -1])) for column in labels.T
    ]


def test_without_weights_trust_decides(rng):
    labels = planted_ensemble(rng, rng.randint(3, size=2000), 20, noise=0.4, n_random=9)
    trusted = trusted_group_weights(labels, random_state=3)
    assert np.count_nonzero(trusted) == 11
    result = merge_consensus(labels, 3, random_state=3)
    assert np.array_equal(result.weights, trusted)
    seed = np.random.RandomState(3)
    given = merge_consensus(labels, 3, weights=trusted_group_weights(labels, random_state=seed), random_state=seed)
    assert np.array_equal(given.membership, result.membership)
    assert np.array_equal(given.labels, robust_merge(labels, 3, random_state=3))


def test_objects_that_no_trusted_partition_observes(rng):
    truth = np.repeat([0, 1, 2], 20)
    labels = planted_ensemble(rng, truth, 10, noise=0.1)
    unseen = rng.permutation(60)[:7]
    labels[unseen, :9] = -1
    for k in (3, "auto"):
        result = merge_consensus(labels, k, weights=[1.0] * 9 + [0.0], random_state=0)
        assert result.n_clusters == 3
        assert np.array_equal(np.flatnonzero(result.micro_clusters == -1), np.sort(unseen))
        np.testing.assert_allclose(result.membership[unseen], 1.0 / 3.0)
        others = np.setdiff1d(np.arange(60), unseen)
        alone = merge_consensus(labels[others][:, :9], k, weights=np.ones(9), random_state=0)
        assert same_partition(alone.labels, result.labels[others])
        np.testing.assert_allclose(np.sort(alone.membership), np.sort(result.membership[others]))


def test_sizes_at_the_edges(rng):
    labels = distinct_ensemble(rng, 12, 9)
    one = merge_consensus(labels, 1, weights=np.ones(9))
    assert one.n_clusters == 1
    assert not one.labels.any()
    assert np.array_equal(one.membership, np.ones((12, 1)))
    every = merge_consensus(labels, 12, weights=np.ones(9))
    assert np.array_equal(every.labels, np.arange(12))
    # Fewer different objects than clusters wanted.
    few = merge_consensus(np.repeat(np.array([[0, 0], [0, 1], [1, 1]]), 4, axis=0), 8, weights=[1, 1])
    assert few.n_clusters == 3
    assert few.membership.shape == (12, 3)
    assert np.array_equal(few.labels, np.repeat([0, 1, 2], 4))
    # One partition comes back, and so does its number of clusters.
    column = rng.randint(4, size=30)
    for k in (len(np.unique(column)), "auto"):
        single = merge_consensus(column[:, np.newaxis], k)
        assert same_partition(single.labels, column)
        assert np.array_equal(single.weights, [1.0])
    # All objects equal, or one alone.
    for same in (np.zeros((6, 3), dtype=int), np.zeros((1, 3), dtype=int)):
        for k in (1, "auto", len(same)):
            result = merge_consensus(same, k, weights=np.ones(3))
            assert result.n_clusters == 1
            assert result.tree.shape == (0, 4)
            assert not result.micro_clusters.any()
            np.testing.assert_array_equal(result.confidence, 1.0)


def test_labels_far_apart(rng):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 20), 8, noise=0.2)
    expected = merge_consensus(labels, 3, random_state=0)
    wide = np.array([-(2**63), 0, 2**63 - 1])[labels]
    found = merge_consensus(wide, 3, random_state=0)
    assert np.array_equal(found.membership, expected.membership)
    assert all(map(np.array_equal, found.cluster_weights, expected.cluster_weights))


def test_dtypes_and_read_only_inputs(rng):
    labels, weights = random_ensemble(rng, 30, 6, missing=0.2), rng.uniform(size=6)
    before = labels.copy(), weights.copy()
    labels.setflags(write=False)
    weights.setflags(write=False)
    result = merge_consensus(labels, 3, weights=weights, random_state=0)
    assert np.array_equal(labels, before[0])
    assert np.array_equal(weights, before[1])
    np.testing.assert_allclose(result.weights, weights / weights.sum())
    for name in ("labels", "micro_clusters"):
        assert getattr(result, name).dtype == np.intp
    for name in ("membership", "confidence", "weights", "tree"):
        assert getattr(result, name).dtype == np.float64
    assert isinstance(result.n_clusters, int)


def test_equal_similarities_are_no_trouble():
    """All pairs of objects are equally similar: every step of a chain is a tie."""
    labels = np.column_stack([np.arange(30)] * 3)
    result = merge_consensus(labels, 4, weights=np.ones(3))
    assert result.n_clusters == 4
    assert is_valid_linkage(result.tree)
    grid = np.column_stack([np.arange(36) // 6, np.arange(36) % 6])
    for k in range(1, 37):
        assert merge_consensus(grid, k, weights=[1, 1]).n_clusters == k


def test_the_warning(rng):
    labels = rng.randint(4, size=(40, 6))
    with pytest.warns(UserWarning, match="No two partitions agree beyond chance"):
        result = merge_consensus(labels, 3, random_state=0)
    np.testing.assert_allclose(result.weights, 1.0 / 6.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        merge_consensus(labels, 3, weights=np.ones(6), random_state=0)
        merge_consensus(planted_ensemble(rng, np.repeat([0, 1, 2], 20), 6), 3, random_state=0)


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"n_clusters": 0}, r"n_clusters must be in \[1, n_samples=4\], got 0"),
        ({"n_clusters": 5}, r"n_clusters must be in \[1, n_samples=4\], got 5"),
        ({"n_clusters": 2.0}, "n_clusters must be an integer"),
        ({"n_clusters": "many"}, "n_clusters must be an integer or \"auto\", got 'many'"),
        ({"weights": [1.0]}, "weights must have 2 values"),
        ({"weights": [0.0, 0.0]}, "weights must not be all zero"),
        ({"weights": [1.0, -1.0]}, "weights must be non-negative"),
        ({"theta": 0.0}, "theta must be greater than 0"),
        ({"theta": "x"}, "theta must be a real number"),
        (
            {"theta": 1e-6, "labels": np.array([[0, 0], [0, 1], [1, 1], [1, 0]])},
            "theta must be large enough for some base cluster to keep weight",
        ),
        ({"n_micro_clusters": 1}, "n_micro_clusters must be at least 2, got 1"),
        ({"n_micro_clusters": 1, "n_clusters": "auto"}, "n_micro_clusters must be at least 2, got 1"),
        ({"n_micro_clusters": 2.5}, "n_micro_clusters must be an integer"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"random_state": "seed"}, "random_state must be None, an integer"),
        ({"labels": np.full((4, 2), 0.5)}, "labels must hold integer cluster labels"),
    ],
)
def test_errors(kwargs, match):
    arguments = {"labels": np.array([[0, 0], [0, 1], [1, 1], [1, 0]]), "n_clusters": 2, "weights": [1, 1]} | kwargs
    with pytest.raises((ValueError, TypeError), match=match):
        merge_consensus(**arguments)


def test_the_number_of_robust_merge_is_given():
    with pytest.raises(TypeError, match="n_clusters must be an integer, got 'auto'"):
        robust_merge(np.array([[0, 0], [0, 1], [1, 1]]), "auto")


def test_too_many_micro_clusters_are_refused_before_any_work(rng, monkeypatch):
    labels = np.column_stack([rng.permutation(3000) for _ in range(3)])
    monkeypatch.setattr(_consensus_common, "physical_memory", lambda: 2**20)

    def never(*arguments, **options):
        raise AssertionError("allocated before the check")

    monkeypatch.setattr(module, "find_micro_clusters", never)
    monkeypatch.setattr(module, "cluster_counts", never)
    # At most as many as objects; the default is that large here.
    for n_micro in (10**12, None):
        with pytest.raises(ValueError, match=r"n_micro_clusters=3000 groups needs about 1.07 GiB of memory"):
            merge_consensus(labels, 2, weights=np.ones(3), n_micro_clusters=n_micro)


def test_a_membership_beyond_memory_is_refused(rng, monkeypatch):
    labels = np.repeat(np.arange(2000) % 2, 1)[:, np.newaxis]
    monkeypatch.setattr(_consensus_common, "physical_memory", lambda: 2**14)
    with pytest.raises(ValueError, match="the membership of 2000 objects needs about"):
        merge_consensus(labels, 2)


def test_collapsed_rows_are_counted(rng):
    labels = random_ensemble(rng, 60, 3, max_clusters=2)
    encoding = collapse(encode(labels), min_saving=0.0)
    assert len(encoding.codes) <= 8
    weights = np.full(3, 1.0 / 3.0)
    values = _merging.base_cluster_weights(encoding, weights, 0.4)
    np.testing.assert_allclose(values, _merging.base_cluster_weights(encode(labels), weights, 0.4))


def test_one_compiled_form_of_the_kernel(rng):
    if not hasattr(_merging._follow_chains, "signatures"):
        pytest.skip("numba is disabled (NUMBA_DISABLE_JIT)")
    for labels in (random_ensemble(rng, 20, 4), random_ensemble(rng, 20, 4, missing=0.3).astype(np.int8)):
        merge_consensus(np.asfortranarray(labels), 2, weights=np.ones(4))
    assert len(_merging._follow_chains.signatures) == 1
