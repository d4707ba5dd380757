"""The number of clusters: known answers, ensembles at mixed resolutions, random ones, and criteria by scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from robust_eac import MergeConsensus, merge_consensus, select_n_clusters

from ..access import check_ensemble, encode, encode_ensemble
from ..access import n_clusters as _n_clusters
from ..conftest import planted_ensemble, random_ensemble

QUICK = {"n_splits": 4, "random_state": 0}

# Most ensembles here are too small or too random for a stable number; the tests of the warnings record them.
pytestmark = pytest.mark.filterwarnings("ignore:No two partitions", "ignore:no number of clusters")
FIGURES = ("held_out_agreement", "split_stability")


def slow_agreement(column, consensus):
    """Adjusted Rand index on the observed objects; 0 for one cluster on either side, or a partition all apart."""
    seen = column != -1
    tells = len(set(consensus[seen])) > 1 and 1 < len(set(column[seen])) < np.count_nonzero(seen)
    return adjusted_rand_score(column[seen], consensus[seen]) if tells else 0.0


def mixed_ensemble(rng, truth, *, n_noise=0):
    """Partitions that join and split the classes, from coarse to fine, and random ones."""
    k = truth.max() + 1
    columns = []
    for resolution in range(2, 2 * k + 2):
        if resolution <= k:
            columns.append(rng.permutation(np.arange(k) % resolution)[truth])
        else:
            split = np.isin(truth, rng.permutation(k)[: resolution - k])
            columns.append(truth + k * (split & (rng.uniform(size=len(truth)) < 0.5)))
    noise = [rng.randint(rng.randint(2, 9), size=len(truth)) for _ in range(n_noise)]
    return np.column_stack([*columns, *noise])


def unstable(labels, *arguments, match="no number of clusters", **options):
    with pytest.warns(UserWarning, match=match):
        return select_n_clusters(labels, *arguments, **QUICK | options)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_planted_number_is_found(rng, k):
    truth = np.arange(120) % k
    labels = planted_ensemble(rng, truth, 40, noise=0.25, n_random=8)
    selection = select_n_clusters(labels, range(1, 8), **QUICK)
    assert selection.n_clusters == k
    assert adjusted_rand_score(truth, selection.labels) > 0.95
    np.testing.assert_array_equal(selection.n_nonempty, selection.candidates)


@pytest.mark.parametrize("n_noise", [0, 1, 3])
def test_one_rule_at_mixed_resolutions_with_noise(rng, n_noise):
    truth = np.repeat(np.arange(5), [40, 40, 60, 60, 100])
    labels = mixed_ensemble(rng, truth, n_noise=n_noise)
    selection = select_n_clusters(labels, (2, 12), random_state=0)
    assert selection.n_clusters == 5
    model = MergeConsensus(random_state=0).fit(labels)
    assert model.n_clusters_found_ == merge_consensus(labels, random_state=0).n_clusters == 5
    for found in (selection.labels, model.labels_):
        assert adjusted_rand_score(truth, found) > 0.99


def test_noise_columns_are_in_no_half(rng):
    labels = mixed_ensemble(rng, np.arange(200) % 4)
    noise = rng.randint(4, size=(200, 3))
    clean, noisy = (select_n_clusters(each, (2, 8), **QUICK) for each in (labels, np.hstack([labels, noise])))
    assert clean.n_clusters == noisy.n_clusters == 4
    assert abs(clean.split_stability - noisy.split_stability).max() < 0.1
    assert noisy.split_stability[2] > 0.95


def test_finer_partitions_than_clusters(rng):
    # Six groups of labels in every partition, two of each class, cut elsewhere every time.
    truth = np.arange(120) % 3
    labels = np.column_stack([2 * truth + rng.randint(2, size=120) for _ in range(40)])
    assert select_n_clusters(labels, range(1, 8), **QUICK).n_clusters == 3


@pytest.mark.parametrize("shape", [(8, 8), (60, 30)])
def test_random_partitions_give_one_or_the_nearest(rng, shape):
    labels = random_ensemble(rng, *shape)
    selection = unstable(labels, range(1, 7))
    assert selection.n_clusters == 1
    assert np.all(selection.labels == 0)
    assert not selection.stable.any()
    # One cluster only where it was asked for.
    selection = unstable(labels, range(2, 7), match="nearest, with a stability of .*, below 0.9; it is the answer")
    assert selection.n_clusters == selection.n_nonempty[selection.split_stability.argmax()] > 1


def test_the_warning_says_what_is_nearest_and_what_is_not_judged(rng):
    labels = rng.randint(4, size=(50, 5))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selection = select_n_clusters(labels, range(1, 5), **QUICK)
    nearest = selection.candidates[selection.split_stability.argmax()]
    hint = f": ask for {nearest} clusters if you know that there are some" if nearest > 1 else ""
    assert [str(warning.message) for warning in caught] == [
        "No two partitions agree beyond chance at the level 0.01: all are weighted equally.",
        f"no number of clusters from 1 to 4 is stable: {nearest} comes nearest, with a stability of "
        f"{selection.split_stability.max():.2f}, below 0.9; the answer is one cluster, which says nothing about trust "
        f"in the partitions{hint}. At least 6 partitions should agree beyond chance, got 5.",
    ]
    assert {warning.filename for warning in caught} == {__file__}
    for find in (lambda: merge_consensus(labels, random_state=0), lambda: MergeConsensus(random_state=0).fit(labels)):
        with pytest.warns(UserWarning, match=r"from 2 to 10 is stable: .*; it is the answer") as caught:
            find()
        assert {warning.filename for warning in caught} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        select_n_clusters(planted_ensemble(rng, np.arange(50) % 3, 9, noise=0.1), range(1, 5), **QUICK)


def test_held_out_agreement_of_random_partitions_vanishes(rng):
    found = [unstable(rng.randint(3, size=(60, 8)), [3], random_state=seed).held_out_agreement[0] for seed in range(12)]
    assert abs(np.mean(found)) < 4.0 * np.std(found, ddof=1) / np.sqrt(len(found))


@pytest.mark.parametrize("sizes", [[5, 10, 20, 25], [10]])
def test_unanimous_ensembles(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)[:, np.newaxis] + np.zeros((1, 6), dtype=int)
    if len(sizes) == 1:
        # One cluster tells nothing.
        selection = unstable(labels, [3, 4, 6])
        assert not selection.stable.any()
        assert np.all(selection.split_stability == 0.0)
    else:
        selection = select_n_clusters(labels, [3, 4, 6], **QUICK)
        assert selection.stable.all()
        np.testing.assert_allclose(selection.split_stability, 1.0)
    assert selection.n_clusters == len(sizes)
    np.testing.assert_array_equal(selection.n_nonempty, np.minimum([3, 4, 6], len(sizes)))


def test_choice_is_the_most_stable_and_the_largest_in_a_tie():
    for stability, expected in [
        ([0.95, 0.93, 0.95, 0.2], ([True, True, True, False], 4)),
        ([0.91, 0.93, 0.929, 0.2], ([True, True, True, False], 3)),
        ([0.89, 0.9, 0.899, 0.2], ([False, True, False, False], 3)),
    ]:
        stable, chosen = _n_clusters.choose(np.arange(2, 6), np.array(stability), n_trusted=9)
        assert (stable.tolist(), chosen) == expected
    with pytest.warns(UserWarning, match=r"3 comes nearest, with a stability of 0\.89"):
        stable, chosen = _n_clusters.choose(np.array([2, 3]), np.array([0.5, 0.89]), n_trusted=9)
    assert (stable.any(), chosen) == (False, 3)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_criteria_are_adjusted_rand_indices_on_the_objects_of_both_halves(rng, weighted, missing):
    labels, candidates = random_ensemble(rng, 30, 9, missing=missing), np.array([1, 2, 4])
    weight = rng.randint(1, 4 if weighted else 2, size=30).astype(float)
    encoding = encode_ensemble(check_ensemble(labels), weight)
    held_out, stability = _n_clusters._compare_pair(encoding, np.full(9, 1 / 9), candidates, 0.7, 5)
    draws = np.random.RandomState(5)
    halves = _n_clusters._draw_pair(encoding, 0.7, draws)
    cuts = [_n_clusters._cuts(half, np.ones(len(half.partitions)), candidates, draws) for half in halves]
    common, *places = np.intersect1d(*(half.objects for half in halves), return_indices=True)
    times = weight[common].astype(int)
    columns = np.repeat(labels[common], times, axis=0).T
    for place in range(len(candidates)):
        a, b = (np.repeat(cut[rows, place], times) for cut, rows in zip(cuts, places, strict=True))
        of_other = [
            [slow_agreement(columns[u], found) for u in half.partitions if np.any(columns[u] != -1)]
            for found, half in ((b, halves[0]), (a, halves[1]))
        ]
        assert held_out[place] == pytest.approx(np.mean([np.mean(each) for each in of_other]), abs=1e-12)
        assert stability[place] == pytest.approx(slow_agreement(a, b), abs=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_halves_have_no_partition_in_common_and_observe_what_they_hold(rng, missing):
    labels = random_ensemble(rng, 20, 7, missing=missing)
    first, second = _n_clusters._draw_pair(encode(labels), 0.7, rng)
    assert set(first.partitions).isdisjoint(second.partitions)
    for half in (first, second):
        part = labels[np.ix_(half.objects, half.partitions)]
        assert (part != -1).any(axis=0).all()
        assert (part != -1).any(axis=1).all()
    if not missing:
        assert sorted([len(first.partitions), len(second.partitions)]) == [3, 4]
        assert len(first.objects) == len(second.objects) == 14
        assert set(first.objects) != set(second.objects)


def test_halves_are_equally_fine(rng):
    # Partitions of 2, 2, 3, 3, ... equal clusters, in any order: each half has one of every pair.
    numbers = rng.permutation(np.repeat([2, 3, 4, 6, 12], 2))
    encoding = encode(np.arange(24)[:, np.newaxis] % numbers)
    seen = set()
    for _ in range(20):
        first, second = _n_clusters._equally_fine(encoding.partitions, rng)
        assert sorted(numbers[first]) == sorted(numbers[second]) == [2, 3, 4, 6, 12]
        seen.add(tuple(first))
    assert len(seen) > 5
    odd = encode(np.arange(24)[:, np.newaxis] % numbers[:9])
    halves = [_n_clusters._equally_fine(odd.partitions, rng) for _ in range(20)]
    assert {len(first) for first, _ in halves} == {4, 5}
    np.testing.assert_array_equal(np.sort(np.concatenate(halves[0])), np.arange(9))


def test_of_many_objects_a_sample_is_judged(rng, monkeypatch):
    monkeypatch.setattr(_n_clusters, "_JUDGED", 100)
    truth = np.arange(1000) % 3
    labels = planted_ensemble(rng, truth, 12, noise=0.2)
    first, second = _n_clusters._draw_pair(encode(labels), 0.7, rng)
    assert len(first.objects) == len(second.objects) == 70
    # Both draw from the same hundred objects.
    assert len(np.intersect1d(first.objects, second.objects)) >= 40
    selection = select_n_clusters(labels, range(1, 6), **QUICK)
    assert selection.n_clusters == 3
    assert adjusted_rand_score(truth, selection.labels) > 0.95


def test_halves_without_common_objects_say_nothing(rng):
    # The only object that the second partition observes is left out of its half in most pairs.
    labels = np.column_stack([np.arange(20) % 2, np.where(np.arange(20) == 7, 0, -1)])
    pairs = [_n_clusters._draw_pair(encode(labels), 0.6, rng) for _ in range(20)]
    assert any(half.encoding is None for pair in pairs for half in pair)
    assert unstable(labels, [1, 2], n_splits=20).n_clusters == 1


def test_a_single_partition_is_its_own_consensus():
    labels = np.repeat([4, 1, 7], 20)[:, np.newaxis]
    assert MergeConsensus(random_state=0).fit(labels).n_clusters_found_ == 3


def test_same_answer_for_the_same_seed_any_threads_names_and_order(rng):
    labels = planted_ensemble(rng, np.arange(60) % 3, 10, noise=0.3)
    selection = select_n_clusters(labels, range(2, 5), **QUICK)
    for other in (
        select_n_clusters(labels, range(2, 5), **QUICK, n_jobs=2),
        select_n_clusters(labels, [4, 2, 3, 2], **QUICK),
        select_n_clusters(labels.astype(float).astype(object), range(2, 5), **QUICK),
        select_n_clusters(7 * labels + 2, range(2, 5), **QUICK),
        select_n_clusters(2 - labels, range(2, 5), **QUICK),
    ):
        for one, two in zip(selection, other, strict=True):
            np.testing.assert_array_equal(one, two)
    different = select_n_clusters(labels, range(2, 5), **QUICK | {"random_state": 1})
    assert not np.array_equal(selection.split_stability, different.split_stability)


def test_missing_labels(rng):
    labels = planted_ensemble(rng, np.arange(90) % 3, 60, noise=0.1)
    labels[rng.uniform(size=labels.shape) < 0.4] = -1
    labels[np.all(labels == -1, axis=1), 0] = 0
    assert select_n_clusters(labels, range(1, 6), **QUICK).n_clusters == 3


def test_objects_without_weight_decide_nothing(rng):
    labels = planted_ensemble(rng, np.arange(60) % 3, 12, noise=0.2)
    weight = np.r_[np.ones(60), np.zeros(40)]
    noise = np.r_[labels, rng.randint(5, size=(40, 12))]
    # Rounding decides where a fourth cluster would be cut.
    selection = select_n_clusters(noise, range(1, 4), sample_weight=weight, **QUICK)
    alone = select_n_clusters(labels, range(1, 4), **QUICK)
    assert selection.n_clusters == alone.n_clusters == 3
    np.testing.assert_array_equal(selection.labels[:60], alone.labels)
    for field in FIGURES:
        np.testing.assert_allclose(getattr(selection, field), getattr(alone, field), atol=1e-12)


def test_a_selection_is_printed_as_a_table(rng):
    labels = np.repeat([0, 1, 2], 20)[:, np.newaxis] + np.zeros((1, 6), dtype=int)
    assert str(select_n_clusters(labels, range(2, 5), **QUICK)).splitlines() == [
        "number of clusters: 3, the most stable",
        "",
        "clusters  stability  held-out agreement  empty",
        "       2       1.00                0.51      0  stable",
        "       3       1.00                1.00      0  stable",
        "       4       1.00                1.00      1  stable",
    ]
    assert "no number is stable" in str(unstable(rng.randint(4, size=(50, 5)), (1, 4)))


def test_lines_of_progress(rng, capsys):
    select_n_clusters(planted_ensemble(rng, np.arange(60) % 3, 9), range(2, 4), verbose=1, **QUICK)
    assert capsys.readouterr().out.splitlines() == [f"pair of halves {number} of 4" for number in range(1, 5)]


def test_a_pair_is_a_range_and_a_list_holds_candidates():
    labels = planted_ensemble(np.random.RandomState(0), np.arange(60) % 3, 8, noise=0.2)
    np.testing.assert_array_equal(select_n_clusters(labels, (2, 4), **QUICK).candidates, [2, 3, 4])
    np.testing.assert_array_equal(select_n_clusters(labels, [2, 4], **QUICK).candidates, [2, 4])


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"n_clusters": 3}, TypeError, r"n_clusters must be a pair \(lowest, highest\) or a list of integers, got 3"),
        ({"n_clusters": [2, 21]}, ValueError, r"each of n_clusters must be in \[1, n_samples=20\], got 21"),
        ({"n_clusters": []}, ValueError, r"n_clusters must hold at least one candidate, got none"),
        ({"n_splits": 0}, ValueError, r"n_splits must be at least 1, got 0"),
        ({"max_samples": 0.5}, ValueError, r"max_samples must be at least 0\.6 and at most 1, got 0\.5"),
        ({"max_samples": 1.1}, ValueError, r"max_samples must be at least 0\.6 and at most 1, got 1\.1"),
        ({"sample_weight": [1.0]}, ValueError, r"sample_weight must have 20 values"),
    ],
)
def test_errors(rng, options, error, match):
    with pytest.raises(error, match=match):
        select_n_clusters(random_ensemble(rng, 20, 6), **{"n_clusters": (1, 4)} | options)


def test_one_partition_has_nothing_to_agree_with(rng):
    with pytest.raises(ValueError, match=r"labels must have at least 2 partitions to compare, got 1"):
        select_n_clusters(rng.randint(3, size=(10, 1)), [2])
