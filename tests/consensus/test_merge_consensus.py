"""Merged consensus against loops over objects and pairs, and brute force over cuts."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cut_tree, fcluster, is_valid_linkage

import robust_eac
from robust_eac import CONSENSUS_FUNCTIONS, adjusted_rand_score, trusted_group_weights

from .. import reference
from ..access import (
    _agglomeration,
    _consensus_common,
    _merging,
    _objects,
    cluster_counts,
    encode,
    scaled_distances,
    table_costs,
    take_rows,
    weigh,
)
from ..conftest import planted_ensemble, random_ensemble, same_partition

merge_consensus = partial(robust_eac.merge_consensus, random_state=0)


def distinct_ensemble(rng, n, m, **options):
    """A random ensemble whose objects all differ; so many partitions that no merges tie."""
    draws = (random_ensemble(rng, n, m, **options) for _ in range(1000))
    return next(labels for labels in draws if len(np.unique(labels, axis=0)) == n)


def dense_pairs(labels, weights, theta=0.4):
    """The (n, n) sums and weights of all pairs of objects."""
    return reference.merged_pairs(labels, weights, reference.base_cluster_weights(labels, weights, theta))


@pytest.mark.parametrize("theta", [0.2, 3.0])
def test_base_cluster_weights_equal_the_definition(rng, missing, theta):
    labels, weights = random_ensemble(rng, 30, 6, missing=missing), rng.dirichlet(np.full(6, 3.0))
    expected = reference.base_cluster_weights(labels, weights, theta)
    found = merge_consensus(labels, 3, weights=weights, theta=theta).cluster_weights
    assert_allclose(np.concatenate(found), np.concatenate(expected), rtol=1e-9)


def test_the_tree_is_that_of_all_objects(rng, missing):
    labels, weights = distinct_ensemble(rng, 22, 15, missing=missing), rng.dirichlet(np.full(15, 3.0))
    found = merge_consensus(labels, 4, weights=weights, n_micro_clusters=22)
    assert_array_equal(found.micro_clusters, np.arange(22))
    sums, pairs = dense_pairs(labels, weights)
    merges = reference.naive_merges(reference.product_sums(sums, pairs, np.arange(22)), pairs)
    similarities = np.minimum.accumulate([similarity for similarity, _ in merges])
    assert_allclose(1.0 / found.tree[:, 2] - 1.0, similarities, rtol=1e-6)
    groups = np.argmax([np.isin(np.arange(22), group) for group in merges[-4][1]], axis=0)
    assert same_partition(cut_tree(found.tree, 4)[:, 0], groups)


@pytest.mark.parametrize("power", [0.0, 0.2, 0.5])
def test_merges_equal_those_of_sums_made_anew(rng, missing, power):
    """With many groups, so that nearest ones merge away and merged groups become nearest."""
    sums, pairs = dense_pairs(distinct_ensemble(rng, 40, 25, missing=missing), rng.dirichlet(np.full(25, 3.0)))
    tree = _agglomeration.tree_of_sums(sums, pairs, power)
    merges = reference.naive_merges(sums, pairs, power)
    assert_allclose(tree.similarities, np.minimum.accumulate([s for s, _ in merges]), rtol=1e-9)
    for k in range(1, 40):
        groups = np.argmax([np.isin(np.arange(40), group) for group in merges[-k][1]], axis=0)
        assert same_partition(_agglomeration.cut(tree, k), groups)


def test_small_clusters_are_not_counted():
    # Groups 0 and 2 merge first, then 4 and 5; 3 and 1 are the last to join.
    left, right = np.array([0, 4, 0, 0, 0]), np.array([2, 5, 4, 3, 1])
    tree = _agglomeration.Tree(left, right, np.linspace(1.0, 0.2, 5))
    sizes = np.array([50.0, 2.0, 40.0, 3.0, 60.0, 47.0])
    assert [_merging.cut_into_large(tree, n_clusters, sizes).tolist() for n_clusters in range(1, 7)] == [
        [0, 0, 0, 0, 0, 0],
        [0, -1, 0, -1, 1, 1],
        [0, -1, 0, 1, 2, 2],
        [0, -1, 0, 1, 2, 3],
        [0, -1, 1, 2, 3, 4],
        [0, 1, 2, 3, 4, 5],
    ]


@pytest.mark.parametrize(("n", "small", "groups"), [(60, 3, [0, 0, 1]), (60, 2, [0, 1, -1]), (300, 3, [0, 1, -1])])
def test_a_large_cluster_has_three_objects_and_a_share(n, small, groups):
    """In two clusters, 3 of 300 have 2 % of the mean size."""
    pair = _agglomeration.Tree(np.array([0, 0]), np.array([1, 2]), np.array([0.5, 0.1]))
    assert _merging.cut_into_large(pair, 2, np.array([n / 2, n / 2 - small, small])).tolist() == groups


def test_an_outlier_of_many_objects_is_not_a_cluster(rng):
    """An object alone in most partitions joins the others last."""
    truth = np.repeat([0, 1], 100)
    flipped = [truth ^ (rng.uniform(size=200) < 0.1) for _ in range(12)]
    labels = np.column_stack([rng.randint(4, size=200) + 4 * half for half in flipped])
    labels[0, :9] = 99
    result = merge_consensus(labels, 2, weights=np.ones(12))
    assert adjusted_rand_score(truth, result.labels) > 0.9


def test_classes_that_many_labels_get_wrong():
    """Small groups that agree by chance do not stay apart from two even classes."""
    truth, scores = np.repeat([0, 1], 100), []
    for seed in range(6):
        rng = np.random.RandomState(seed)
        flipped = [truth ^ (rng.uniform(size=200) < 0.3) for _ in range(30)]
        labels = np.column_stack([rng.randint(4, size=200) + 4 * half for half in flipped])
        result = merge_consensus(labels, 2, weights=np.ones(30))
        scores.append(adjusted_rand_score(truth, result.labels))
    assert np.mean(scores) > 0.4


def test_pairs_that_no_partition_sees(rng):
    """Two halves of the objects that share no partition are merged last, at similarity 0."""
    labels = np.full((16, 12), -1)
    labels[:8, :6], labels[8:, 6:] = random_ensemble(rng, 8, 6), random_ensemble(rng, 8, 6)
    found = merge_consensus(labels, 2, weights=np.ones(12))
    assert found.tree[-1, 2] == 1.0
    assert np.isfinite(found.membership).all()


def test_as_many_clusters_as_asked_for_or_as_objects_that_differ():
    """A missing label is one more label; objects that no weighted partition observes do not count."""
    rng = np.random.RandomState(0)
    for seed in range(150):
        n, m = rng.randint(4, 40), rng.randint(1, 7)
        labels, weights = random_ensemble(rng, n, m, missing=rng.choice([0.0, 0.3, 0.6])), rng.randint(3, size=m)
        weights[0] += not weights.any()
        n_clusters = rng.randint(1, min(n, 9) + 1)
        n_micro = [None, n_clusters, n_clusters + 3][rng.randint(3)]
        result = merge_consensus(labels, n_clusters, weights=weights, n_micro_clusters=n_micro, random_state=seed)
        seen = labels[:, weights > 0]
        distinct = np.unique(seen[(seen != -1).any(axis=1)], axis=0)
        assert result.n_clusters == result.labels.max() + 1 == min(n_clusters, len(distinct))
        assert [values.any() for values in result.cluster_weights] == (weights > 0).tolist()


def test_similarities_that_differ_by_rounding_are_equal():
    """The first pair is taken; of nine equal values, rounding makes the last the largest."""
    sums = np.ones((4, 4)) + 1e-15 * np.arange(16).reshape(4, 4)
    tree = _agglomeration.tree_of_sums(sums, np.ones((4, 4)), 0.2)
    assert (tree.left[0], tree.right[0]) == (0, 1)
    sums[3, 2] = sums[2, 3] = 1.0 + 1e-9
    tree = _agglomeration.tree_of_sums(sums, np.ones((4, 4)), 0.2)
    assert (tree.left[0], tree.right[0]) == (2, 3)


def test_membership_and_labels_equal_the_definition(rng, missing):
    labels, weights = planted_ensemble(rng, np.repeat([0, 1, 2], 15), 8, noise=0.3), rng.dirichlet(np.full(8, 3.0))
    labels[:, 1:][rng.uniform(size=(45, 7)) < missing] = -1
    result = merge_consensus(labels, 3, weights=weights, n_micro_clusters=12)
    assert is_valid_linkage(result.tree)
    assert np.array_equal(np.unique(result.micro_clusters), np.arange(12))
    sums, pairs = dense_pairs(labels, weights)
    # Membership is in the groups that the tree was cut into.
    groups = fcluster(result.tree, 3, "maxclust")[result.micro_clusters] == np.arange(1, 4)[:, np.newaxis]
    seen = pairs @ groups.T
    similarity = np.divide(sums @ groups.T, seen, out=np.zeros_like(seen), where=seen > 0)
    similarity /= [np.sqrt(sums[np.ix_(c, c)].sum() / pairs[np.ix_(c, c)].sum()) for c in groups]
    expected = similarity / similarity.sum(axis=1, keepdims=True)
    columns = [int(expected[result.labels == c].sum(axis=0).argmax()) for c in range(3)]
    assert sorted(columns) == [0, 1, 2]
    assert_allclose(result.membership, expected[:, columns], atol=1e-10)
    assert np.array_equal(result.membership.argmax(axis=1), result.labels)
    assert np.array_equal(result.confidence, result.membership.max(axis=1))


@pytest.mark.parametrize(
    ("similarity", "leaves", "groups", "clusters"),
    [
        # Objects of a tie stay.
        ([[1.0, 1.0 + 1e-15], [1.0, 1.0 + 1e-9], [1.0, 0.5], [2.0, 3.0]], [0, 1, 2, 3], [0, 0, 0, 1], [0, 1, 0, 1]),
        # All of group 0 would go to 1, all of group 1 to 2: when the first return, the second have to.
        ([[1, 2, 0], [1, 2, 0], [0, 1, 2], [0, 0, 1]], [0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 1, 2]),
        # One of two may go.
        ([[1, 2], [2, 1], [0, 1]], [0, 1, 2], [0, 0, 1], [1, 0, 1]),
        # An object that nothing sees fills no group.
        ([[0, 0], [1, 2], [0, 1]], [-1, 0, 1], [0, 1], [0, 0, 1]),
    ],
)
def test_objects_move_to_the_nearest_group(monkeypatch, similarity, leaves, groups, clusters):
    monkeypatch.setattr(_merging, "mean_similarities", lambda *_: np.array(similarity, dtype=float))
    monkeypatch.setattr(_merging, "group_norms", lambda *_: np.ones(len(similarity[0])))
    monkeypatch.setattr(_merging, "cut_into_large", lambda *_: np.array(groups))
    encoding, counts = encode(np.zeros((len(similarity), 1), dtype=int)), np.ones((1, len(groups)))
    grown = _merging.GroupTree(_objects.Objects(encoding), np.ones(1), np.ones(1), np.array(leaves), counts, None, None)
    (membership, _, _), found, _ = _merging.assign(grown, len(similarity[0]), 1)
    assert found.tolist() == clusters
    totals = np.sum(similarity, axis=1, keepdims=True)
    shares = np.where(totals > 0, similarity / np.where(totals > 0, totals, 1.0), 1.0 / len(similarity[0]))
    assert_allclose(membership, shares)


def test_auto_goes_to_ten_or_to_the_mean_number(rng):
    truth = np.arange(240) % 12
    labels = planted_ensemble(rng, truth, 8, noise=0.02)
    assert merge_consensus(labels, weights=np.ones(8)).n_clusters == 12
    with pytest.warns(UserWarning, match="2 to 10"):
        merge_consensus(rng.randint(4, size=(60, 8)), weights=np.ones(8))
    with pytest.warns(UserWarning, match="2 to 11"):
        merge_consensus(rng.randint([12] * 7 + [2], size=(60, 8)), weights=np.ones(8))


def test_scaled_distances_are_those_of_explicit_rows(rng, missing):
    labels, groups = random_ensemble(rng, 20, 5, missing=missing), rng.permutation(np.arange(20) % 3)
    encoding = encode(labels)
    by_slot = np.where(encoding.partitions.sizes > 0.0, rng.uniform(0.1, 3.0, size=encoding.partitions.n_slots), 0.0)
    found = scaled_distances(encoding, by_slot[:, np.newaxis], cluster_counts(encoding, groups, 3))
    expected = np.zeros((20, 3))
    for u, start in enumerate(encoding.partitions.offsets):
        seen = labels[:, u] != -1
        for slot in range(encoding.partitions.n_codes[u]):
            rows = np.sqrt(by_slot[start + slot]) * (encoding.rows.codes[:, u] == slot)
            # A mean over the objects that the partition observes.
            means = np.array([rows[seen & (groups == c)].mean() for c in range(3)])
            expected[seen] += (rows[seen, np.newaxis] - means) ** 2
    assert_allclose(table_costs(encoding, found), expected, atol=1e-12)


def test_many_objects(rng, monkeypatch):
    """More objects than the sample on which micro-clusters are found, nearly all different."""
    samples = []
    monkeypatch.setattr(_merging, "take_rows", lambda encoding, rows: samples.append(rows) or take_rows(encoding, rows))
    truth = rng.randint(5, size=10_000)
    labels = planted_ensemble(rng, truth, 40, noise=0.4, n_random=8)
    result = merge_consensus(labels, 5)
    assert adjusted_rand_score(truth, result.labels) > 0.98
    assert np.array_equal(np.flatnonzero(result.weights), np.arange(32))
    assert len(result.tree) + 1 == 30
    # The sample is one of all objects alike.
    sample = samples[-1]
    assert len(np.unique(sample)) == _merging._SAMPLE
    assert abs(sample.mean() / 5000.0 - 1.0) < 0.05
    threads = merge_consensus(labels, 5, n_jobs=2)
    assert np.array_equal(threads.membership, result.membership)


def test_halves_in_the_mean_number_of_clusters_do_not_depend_on_the_order(rng):
    """Five partitions of four clusters and five of five: their mean has rounding on either side of 4.5."""
    truth = rng.randint(20, size=300)
    labels = np.column_stack([(truth % k + rng.randint(2, size=300)) % k for k in [4] * 5 + [5] * 5])
    for _ in range(30):
        assert len(merge_consensus(labels[:, rng.permutation(10)], 2, weights=np.ones(10)).tree) == 23


def test_clusters_without_objects_of_weight_are_not_counted():
    encoding = weigh(encode(np.array([[0, 0], [1, 0], [2, -1], [3, 1]])), np.array([1.0, 1.0, 1.0, 0.0]))
    assert _merging.mean_n_clusters(encoding, np.array([1.0, 0.0])) == 3
    assert _merging.mean_n_clusters(encoding, np.array([0.0, 1.0])) == 1


def test_identical_objects_share_all(rng):
    rows = distinct_ensemble(rng, 15, 12)
    copies = rng.permutation(np.repeat(np.arange(15), rng.randint(1, 5, size=15)))
    result = merge_consensus(rows[copies], 4, weights=np.ones(12))
    # Its clusters are clusters of the tree of all objects, in which copies merge before others join them.
    sums, pairs = dense_pairs(rows[copies], np.ones(12))
    merges = reference.naive_merges(reference.product_sums(sums, pairs, copies), pairs)
    clusters = {tuple(group) for _, groups in merges for group in groups}
    for k in range(1, 15):
        cut = cut_tree(result.tree, k)[result.micro_clusters, 0]
        assert {tuple(np.flatnonzero(cut == c).tolist()) for c in range(k)} <= clusters


def test_without_weights_trust_decides(rng):
    labels = planted_ensemble(rng, rng.randint(3, size=500), 20, noise=0.4, n_random=9)
    result = merge_consensus(labels, 3, random_state=3)
    assert np.array_equal(result.weights, trusted_group_weights(labels, random_state=3))
    assert np.count_nonzero(result.weights) == 11
    assert np.array_equal(result.labels, CONSENSUS_FUNCTIONS["robust-merge"](labels, 3, random_state=3))


def test_objects_that_no_trusted_partition_observes(rng):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 20), 10, noise=0.1)
    unseen = rng.permutation(60)[:7]
    labels[unseen, :9] = -1
    result = merge_consensus(labels, "auto", weights=[1.0] * 9 + [0.0])
    assert np.array_equal(np.flatnonzero(result.micro_clusters == -1), np.sort(unseen))
    assert_allclose(result.membership[unseen], 1.0 / 3.0)
    alone = merge_consensus(np.delete(labels, unseen, axis=0)[:, :9], "auto", weights=np.ones(9))
    assert same_partition(alone.labels, np.delete(result.labels, unseen))


def test_sizes_at_the_edges(rng):
    labels = distinct_ensemble(rng, 12, 9)
    assert np.array_equal(merge_consensus(labels, 1, weights=np.ones(9)).membership, np.ones((12, 1)))
    # One partition comes back, and so does its number of clusters, however far apart its labels are.
    column = np.array([-(2**63), 0, 2**63 - 1])[rng.randint(3, size=30)]
    single = merge_consensus(column[:, np.newaxis], "auto")
    assert same_partition(single.labels, column)
    # All objects equal.
    with pytest.warns(UserWarning, match="2 to 6"):
        same = merge_consensus(np.zeros((6, 3), dtype=int), "auto", weights=np.ones(3))
    assert (same.n_clusters, same.tree.shape, same.confidence.min()) == (1, (0, 4), 1.0)


@pytest.mark.parametrize(
    ("kwargs", "match"), [({"theta": 1e-6}, "theta"), ({"n_micro_clusters": 1, "n_clusters": "auto"}, "at least 2")]
)
def test_errors(kwargs, match):
    options = {"n_clusters": 2, "weights": [1, 1], "random_state": 0}
    with pytest.raises(ValueError, match=match):
        merge_consensus(np.array([[0, 0], [0, 1], [1, 1], [1, 0]]), **options | kwargs)


def test_memory_is_checked_before_it_is_taken(rng, monkeypatch):
    many = np.column_stack([rng.permutation(3000) for _ in range(3)])
    few = many // 1500
    # At most as many groups as objects; the default is that large here.
    for memory, labels, n_micro, match in (
        (2**20, many, 10**12, "=3000 groups"), (2**20, many, None, "=3000"), (2**14, few, 2, "membership")
    ):  # fmt: skip
        monkeypatch.setattr(_consensus_common, "physical_memory", lambda memory=memory: memory)
        with pytest.raises(ValueError, match=match):
            merge_consensus(labels, 2, weights=np.ones(3), n_micro_clusters=n_micro)
