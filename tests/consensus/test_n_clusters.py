"""The number of clusters: known answers, ensembles at mixed resolutions, random ones, and criteria by scikit-learn."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from robust_eac import merge_consensus, select_n_clusters

from ..access import check_ensemble, encode, encode_ensemble
from ..access import n_clusters as _n_clusters
from ..conftest import planted_ensemble, random_ensemble

QUICK = {"n_splits": 4, "random_state": 0}

# Most ensembles here are too small or too random for a stable number; the tests of the warnings record them.
pytestmark = pytest.mark.filterwarnings("ignore:No two partitions", "ignore:no number of clusters")
FEW = "at least 6 different partitions should agree beyond chance, got {}"


def slow_agreement(column, consensus):
    """Adjusted Rand index on the observed objects; 0 for one cluster on either side, or a partition all apart."""
    seen = column != -1
    tells = len(set(consensus[seen])) > 1 and 1 < len(set(column[seen])) < np.count_nonzero(seen)
    return adjusted_rand_score(column[seen], consensus[seen]) if tells else 0.0


def slow_strength(a, b, weight, n_a, n_b):
    """Least share, over the clusters of either cut, of the pairs in a cluster that the other cut keeps together."""
    if min(n_a, n_b) == 1:
        return 0.0
    least = 1.0
    for cut, other, number in ((a, b, n_a), (b, a, n_b)):
        for c in range(number):
            inside = np.flatnonzero(cut == c)
            pairs = [(weight[i] * weight[j], other[i] == other[j]) for i, j in combinations(inside, 2)]
            kept_together, everything = sum(w * kept for w, kept in pairs), sum(w for w, _ in pairs)
            least = min(least, kept_together / everything if pairs else 0.0)
    return least


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


def excess(selection):
    return selection.prediction_strength - 0.8 - 0.2 / selection.candidates


@pytest.mark.parametrize("n_noise", [0, 1, 3])
def test_one_rule_at_mixed_resolutions_with_noise(rng, n_noise):
    truth = np.repeat(np.arange(5), [40, 40, 60, 60, 100])
    labels = mixed_ensemble(rng, truth, n_noise=n_noise)
    selection, consensus = select_n_clusters(labels, (2, 12), random_state=0), merge_consensus(labels, random_state=0)
    for found in (selection, consensus):
        assert found.n_clusters == 5
        assert adjusted_rand_score(truth, found.labels) > 0.99
    # Noise is in no half.
    assert selection.n_different == np.count_nonzero(consensus.weights) <= 10


def test_the_warning_says_what_is_nearest_and_what_is_not_judged(rng):
    labels = rng.randint(4, size=(50, 5))
    with pytest.warns(UserWarning, match="nearest") as caught:
        selection = select_n_clusters(labels, range(1, 5), **QUICK)
    trust, number = caught
    place = excess(selection).argmax()
    nearest, strength = selection.candidates[place], selection.prediction_strength[place]
    assert "No two partitions" in str(trust.message)
    said = f"{nearest} comes nearest, with a prediction strength of {strength:.3f}, not 0.94, or 0.8 + 0.2 / k if"
    assert said in str(number.message)
    assert FEW.format(5) in str(number.message)
    assert trust.filename == number.filename == __file__


@pytest.mark.parametrize(("sizes", "figure", "match"), [([5, 10, 20, 25], 1.0, "uncertain"), ([10], 0.0, "no number")])
def test_unanimous_ensembles(sizes, figure, match):
    """One cluster tells nothing."""
    labels = np.repeat(np.arange(len(sizes)), sizes)[:, np.newaxis] + np.zeros((1, 6), dtype=int)
    selection = unstable(labels, [4, 5, 6], match=match)
    assert selection.stable.all() == selection.stable.any() == (figure == 1.0)
    assert_allclose(selection.split_stability, figure)
    assert_allclose(selection.prediction_strength, figure)
    assert selection.n_clusters == len(sizes)
    assert_array_equal(selection.n_nonempty, np.minimum(selection.candidates, len(sizes)))


@pytest.mark.parametrize(
    ("strength", "stable", "chosen"),
    [
        ([0.95, 0.97, 0.95, 0.2], [2, 3, 4], 4),
        ([0.97, 0.2, 0.95, 0.2], [2, 4], 4),
        ([0.93, 0.94, 0.84, 0.2], [3], 3),
        # Before a fall, 0.9 is enough for two clusters, 0.84 for five; after the last candidate, too.
        ([0.9, 0.6, 0.6, 0.6], [2], 2),
        ([0.89, 0.6, 0.5, 0.84], [5], 5),
        ([0.99, 0.6, 0.93, 0.63], [2, 4], 4),
        ([0.99, 0.6, 0.93, 0.64], [2], 2),
    ],
)
def test_choice_is_the_largest_stable_number(strength, stable, chosen):
    candidates = np.arange(1, 6)
    found, number = _n_clusters.choose(candidates, np.array([0.0, *strength]), 9)
    assert (candidates[found].tolist(), number) == (stable, chosen)


@pytest.mark.parametrize(
    ("strength", "nearest", "least", "answer"),
    [
        ([0.91, 0.62], 2, 1, "it is the answer"),
        ([0.9, 0.88], 3, 1, "it is the answer"),
        ([0.89, 0.86], 3, 1, "the answer is one cluster"),
        ([0.89, 0.86], 3, 2, "it is the answer"),
    ],
)
def test_without_a_stable_number_the_nearest_or_one_is_chosen(strength, nearest, least, answer):
    """One cluster only if no other reaches 0.8 + 0.2 / k."""
    candidates = np.arange(least, 5)
    strength = np.array([0.0, *strength, 0.7])[least - 1 :]
    with pytest.warns(UserWarning, match=f"from {least} to 4 is stable: {nearest} comes nearest, with .*; {answer}"):
        stable, number = _n_clusters.choose(candidates, strength, 9)
    assert (stable.any(), number) == (False, 1 if "one" in answer else nearest)


@pytest.mark.parametrize("weighted", [False, True])
def test_criteria_compare_cuts_on_the_objects_of_both_halves(rng, weighted, missing):
    labels, candidates = random_ensemble(rng, 30, 9, missing=missing), np.array([1, 2, 4])
    weight = rng.randint(1, 4 if weighted else 2, size=30).astype(float)
    encoding = encode_ensemble(check_ensemble(labels), weight)
    equal, apart = np.full(9, 1 / 9), np.arange(9)
    held_out, stability, strength = _n_clusters._compare_pair(encoding, equal, apart, candidates, 0.7, 5)
    draws = np.random.RandomState(5)
    halves = _n_clusters._draw_pair(encoding, apart, 0.7, draws)
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
        a, b = (cut[rows, place] for cut, rows in zip(cuts, places, strict=True))
        numbers = (cut[:, place].max() + 1 for cut in cuts)
        assert strength[place] == pytest.approx(slow_strength(a, b, weight[common], *numbers), abs=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_halves_have_no_partition_in_common_and_observe_what_they_hold(rng, missing):
    labels = random_ensemble(rng, 20, 7, missing=missing)
    first, second = _n_clusters._draw_pair(encode(labels), np.arange(7), 0.7, rng)
    assert set(first.partitions).isdisjoint(second.partitions)
    for half in (first, second):
        part = labels[np.ix_(half.objects, half.partitions)]
        assert (part != -1).any(axis=0).all()
        assert (part != -1).any(axis=1).all()
    if not missing:
        assert sorted([len(first.partitions), len(second.partitions)]) == [3, 4]
        assert len(first.objects) == len(second.objects) == 14
        assert set(first.objects) != set(second.objects)


@pytest.mark.parametrize("m", [10, 9])
def test_halves_are_equally_fine(rng, m):
    # Partitions of 2, 2, 3, 3, ... equal clusters, in any order: each half has one of every pair.
    numbers = rng.permutation(np.repeat([2, 3, 4, 6, 12], 2))[:m]
    partitions = encode(np.arange(24)[:, np.newaxis] % numbers).partitions
    halves = [_n_clusters._equally_fine(partitions, np.arange(m), rng) for _ in range(20)]
    for first, second in halves:
        assert sorted([*first, *second]) == list(range(m))
        assert m == 9 or sorted(numbers[first]) == sorted(numbers[second]) == [2, 3, 4, 6, 12]
    assert len({tuple(first) for first, _ in halves}) > 5
    assert {len(first) for first, _ in halves} == {m // 2, -(-m // 2)}


def test_of_many_objects_a_sample_is_judged_and_of_many_partitions_sixty(rng, monkeypatch):
    monkeypatch.setattr(_n_clusters, "_JUDGED", 100)
    labels = planted_ensemble(rng, np.arange(1000) % 3, 90, noise=0.1)
    first, second = _n_clusters._draw_pair(encode(labels), np.arange(90), 0.7, rng)
    assert len(first.objects) == len(second.objects) == 70
    assert len(first.partitions) == len(second.partitions) == 30
    # Both draw from the same hundred objects.
    assert len(np.intersect1d(first.objects, second.objects)) >= 40
    assert select_n_clusters(labels, range(1, 6), **QUICK).n_clusters == 3


def test_halves_without_common_objects_say_nothing(rng):
    # The only object that the second partition observes is left out of its half in most pairs.
    labels = np.column_stack([np.arange(20) % 2, np.where(np.arange(20) == 7, 0, -1)])
    pairs = [_n_clusters._draw_pair(encode(labels), np.arange(2), 0.6, rng) for _ in range(20)]
    assert any(half.encoding is None for pair in pairs for half in pair)
    assert unstable(labels, [1, 2], n_splits=20).n_clusters == 1


def test_missing_labels_threads_and_the_order_of_candidates(rng):
    labels = planted_ensemble(rng, np.arange(90) % 3, 60, noise=0.1, missing=0.4)
    selection = select_n_clusters(labels, range(1, 6), **QUICK)
    assert selection.n_clusters == 3
    again = select_n_clusters(labels, [4, 1, 2, 5, 3, 2], **QUICK, n_jobs=2)
    for one, other in zip(selection, again, strict=True):
        assert_array_equal(one, other)


def test_objects_without_weight_decide_nothing(rng):
    labels, weight = planted_ensemble(rng, np.arange(60) % 3, 20, noise=0.1), np.repeat([1.0, 0.0], [60, 40])
    noise = np.r_[labels, rng.randint(5, size=(40, 20))]
    # Rounding decides where a fourth cluster would be cut.
    selection = select_n_clusters(noise, range(1, 4), sample_weight=weight, **QUICK)
    alone = select_n_clusters(labels, range(1, 4), **QUICK)
    assert_array_equal(selection.labels[:60], alone.labels)
    for field in ("held_out_agreement", "split_stability", "prediction_strength"):
        assert_allclose(getattr(selection, field), getattr(alone, field), atol=1e-12)


def test_a_selection_is_printed_as_a_table(rng, capsys):
    labels = np.repeat([0, 1, 2], 20)[:, np.newaxis] + np.zeros((1, 6), dtype=int)
    selection = unstable(labels, range(3, 5), match="uncertain", verbose=1)
    assert capsys.readouterr().out.splitlines() == [f"pair of halves {number} of 4" for number in range(1, 5)]
    said = str(selection).splitlines()
    assert said[:2] == ["number of clusters: 3", "The largest stable number."]
    assert said[-2].split() == ["3", "1.00", "1.00", "1.00", "0", "stable"]
    assert "Next:" not in str(selection)
    selection = selection._replace(n_nonempty=np.array([2, 3]))
    assert "The largest stable number.\nNext: 2, 1.00.\n" in str(selection)
    random = unstable(rng.randint(4, size=(50, 5)), (1, 4))
    place = excess(random).argmax()
    assert f"No number is stable.\nNext: {place + 1}, {random.prediction_strength[place]:.2f}.\n" in str(random)
    assert "No larger number than 4 was tried." in str(selection._replace(n_clusters=4))
    for sizes, remark in (([2, 29, 29], "Of its clusters, 1 has"), ([1, 2, 57], "Of its clusters, 2 have")):
        assert f"{remark} under 3 objects." in str(selection._replace(labels=np.repeat(np.arange(3), sizes)))


@pytest.mark.parametrize("n_outliers", [1, 3])
def test_outliers_take_the_place_of_no_cluster(rng, n_outliers):
    """Each is alone in two of three partitions; weights count in objects of mean weight."""
    truth = np.arange(120) % 6
    labels = mixed_ensemble(rng, truth, n_noise=4)
    alone = np.where(np.arange(16) % 3, 20 + np.arange(n_outliers)[:, np.newaxis], labels[:n_outliers])
    labels = np.vstack([labels, alone])
    for weight in (None, np.full(120 + n_outliers, 1e-3), np.full(120 + n_outliers, 1e3)):
        selection = select_n_clusters(labels, (1, 10), sample_weight=weight, random_state=0)
        assert selection.n_clusters == 6
        assert adjusted_rand_score(truth, selection.labels[:120]) == 1.0


@pytest.mark.parametrize("n_changed", [0, 1])
def test_copies_are_no_evidence(rng, n_changed):
    X = make_blobs(300, centers=1, random_state=0)[0]
    labels = np.column_stack([AgglomerativeClustering(k).fit_predict(X) for k in np.repeat(np.arange(2, 7), 20)])
    for column in labels.T:
        column[rng.randint(300, size=n_changed)] = 0
    assert unstable(labels, match=FEW.format(5)).n_different == 5
    groups = _n_clusters.linked_copies(encode(labels), rng)
    assert_array_equal(groups, np.repeat(groups[::20], 20))
    first, second = _n_clusters._equally_fine(encode(labels).partitions, groups, rng)
    assert set(groups[first]).isdisjoint(groups[second])
    # Equal partitions of different objects are evidence.
    truth = np.repeat(np.arange(3), 100)
    resamples = np.where(rng.uniform(size=(300, 20)) < 0.8, truth[:, np.newaxis], -1)
    assert _n_clusters.linked_copies(encode(resamples), rng).max() == 19


@pytest.mark.parametrize(("n_partitions", "max_samples", "match"), [(6, 0.5, "max_samples"), (1, 0.7, "2 partitions")])
def test_errors(rng, n_partitions, max_samples, match):
    with pytest.raises(ValueError, match=match):
        select_n_clusters(rng.randint(3, size=(20, n_partitions)), [2], max_samples=max_samples)
