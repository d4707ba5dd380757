"""Selection of the number of clusters: known answers, random ensembles, and the criteria against scikit-learn."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from robust_eac import select_n_clusters, solve_median_partition

from ..access import _selection, as_weighting, check_ensemble, encode, encode_ensemble
from ..conftest import planted_ensemble, random_ensemble, random_membership
from ..solvers.test_soft_ensembles import random_soft_ensemble

FIGURES = ("agreement", "held_out_agreement", "start_stability", "split_stability")
QUICK = {"n_init": 2, "n_splits": 4, "random_state": 0}


def slow_agreement(column, consensus):
    """Adjusted Rand index on the observed objects; 0 for one cluster on either side, or a partition all apart."""
    seen = column != -1
    tells = len(set(consensus)) > 1 and 1 < len(set(column[seen])) < np.count_nonzero(seen)
    return adjusted_rand_score(column[seen], consensus[seen]) if tells else 0.0


@pytest.mark.parametrize("k", [2, 3, 5])
def test_planted_number_is_found(rng, k):
    truth = np.arange(120) % k
    labels = planted_ensemble(rng, truth, 40, noise=0.25, n_random=8)
    selection = select_n_clusters(labels, range(1, 8), **QUICK)
    assert selection.n_clusters == k
    assert adjusted_rand_score(truth, selection.labels) > 0.95
    # The solver never uses more than the maximum number of clusters.
    assert np.all(selection.n_nonempty <= selection.candidates)


def test_finer_partitions_than_clusters(rng):
    # Six groups of labels in every partition, two of each class, cut elsewhere every time.
    truth = np.arange(120) % 3
    labels = np.column_stack([2 * truth + rng.randint(2, size=120) for _ in range(40)])
    assert select_n_clusters(labels, range(1, 8), **QUICK).n_clusters == 3


@pytest.mark.parametrize("shape", [(8, 4), (30, 2), (60, 30), "soft"])
def test_random_partitions_give_one(rng, shape):
    soft = [random_membership(rng, 60, rng.randint(2, 6)) for _ in range(12)]
    labels = soft if shape == "soft" else random_ensemble(rng, *shape)
    selection = select_n_clusters(labels, range(1, 7), weighting="uniform" if shape == "soft" else "l2", **QUICK)
    assert selection.n_clusters == 1
    assert np.all(selection.labels == 0)
    assert not selection.stable.any()


def test_held_out_agreement_of_random_partitions_vanishes_and_the_other_does_not(rng):
    held_out, agreement = [], []
    for repetition in range(12):
        selection = select_n_clusters(rng.randint(3, size=(60, 8)), [3], n_init=2, n_splits=4, random_state=repetition)
        held_out.append(selection.held_out_agreement[0])
        agreement.append(selection.agreement[0])
    error = np.std(held_out, ddof=1) / np.sqrt(len(held_out))
    assert abs(np.mean(held_out)) < 4.0 * error + 1e-12
    assert np.mean(agreement) > 0.05


@pytest.mark.parametrize(("sizes", "agreement"), [([5, 10, 20, 25], 1.0), ([10], 0.0)])
def test_unanimous_ensembles_and_one_cluster_counts_as_no_agreement(sizes, agreement):
    labels = np.repeat(np.arange(len(sizes)), sizes)[:, np.newaxis] + np.zeros((1, 6), dtype=int)
    selection = select_n_clusters(labels, [3, 4, 6], **QUICK)
    assert selection.n_clusters == selection.n_nonempty[1] == len(sizes)
    assert selection.stable[1] == (agreement > 0.0)
    for field in FIGURES:
        assert getattr(selection, field)[1] == pytest.approx(agreement)


def test_choice_is_the_stable_candidate_of_largest_held_out_agreement(rng):
    # Two clusters of two each: two and four are stable, and so is the number that the solver keeps of five.
    truth = np.repeat([0, 1, 2, 3], [20, 30, 25, 25])
    labels = np.column_stack([truth if u % 6 else truth // 2 for u in range(18)])
    selection = select_n_clusters(labels, range(1, 6), **QUICK)
    limit = max(0.9, selection.split_stability.max() - 0.05)
    np.testing.assert_array_equal(selection.stable, (selection.split_stability >= limit) & (selection.n_nonempty > 1))
    assert selection.stable[[1, 3]].all()
    best = np.flatnonzero(selection.stable)[selection.held_out_agreement[selection.stable].argmax()]
    assert selection.n_clusters == selection.n_nonempty[best] == 4
    assert len(np.unique(selection.labels)) == 4


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_agreements_are_adjusted_rand_indices(rng, missing):
    for _ in range(10):
        labels = random_ensemble(rng, 12, 5, max_clusters=rng.randint(1, 5), missing=missing)
        labels[:, 0] = 3
        labels[:, 4] = -1
        consensus = rng.randint(rng.randint(1, 4), size=12)
        expected = [slow_agreement(column, consensus) for column in labels.T]
        seen = (labels != -1).any(axis=0)
        found = _selection._agreements(encode(labels[:, seen]), np.arange(12), consensus)
        np.testing.assert_allclose(found, np.array(expected)[seen], atol=1e-12)
        # On some of the objects, of which a partition observes none.
        labels[:, 3] = np.where(np.arange(12) == 5, 1, -1)
        seen[3], rows = True, np.sort(rng.permutation(5)[:4])
        expected = [slow_agreement(column, consensus[rows]) for column in labels[rows][:, seen].T]
        found = _selection._agreements(encode(labels[:, seen]), rows, consensus[rows])
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_halves_are_compared_on_the_objects_of_both_with_their_weights(rng, weighted):
    labels, weight = random_ensemble(rng, 30, 9, missing=0.3), rng.randint(1, 4 if weighted else 2, size=30)
    halves = _selection._draw_pair(encode_ensemble(check_ensemble(labels), weight.astype(float)), 0.7, rng)
    problems = [_selection._pose(half.encoding, as_weighting("l2"), 0) for half in halves]
    runs = [_selection._consensus(problem, 3, n_init=1, seed=seed) for seed, problem in enumerate(problems)]
    common, *places = np.intersect1d(*(half.objects for half in halves), return_indices=True)
    times = weight[common]
    a, b = (np.repeat(run.labels[place], times) for run, place in zip(runs, places, strict=True))
    columns = np.repeat(labels[common], times, axis=0).T
    of_other = [
        sum(w * slow_agreement(columns[u], consensus) for u, w in zip(half.partitions, run.weights, strict=True))
        for consensus, half, run in ((a, halves[1], runs[1]), (b, halves[0], runs[0]))
    ]
    expected = np.mean(of_other), slow_agreement(a, b)
    np.testing.assert_allclose(_selection._compare(*halves, *runs), expected, atol=1e-12)


def test_halves_that_share_hardly_an_object_say_nothing():
    labels = np.array([[0], [1]])
    first, second = (_selection._Half(np.array(objects), np.array([0]), encode(labels)) for objects in ([0, 1], [1, 2]))
    run = solve_median_partition(labels, 2, n_init=1, random_state=0)
    assert _selection._compare(first, second, run, run) == (0.0, 0.0)
    nothing = _selection._Half(np.empty(0, dtype=int), np.empty(0, dtype=int), None)
    assert _selection._compare(first, nothing, run, None) == (0.0, 0.0)


def test_a_half_that_observes_nothing(rng):
    # The only object that the second partition observes is left out of its half in most pairs.
    labels = np.column_stack([np.arange(20) % 2, np.where(np.arange(20) == 7, 0, -1)])
    pairs = [_selection._draw_pair(encode(labels), 0.6, rng) for _ in range(20)]
    assert any(half.encoding is None for pair in pairs for half in pair)
    assert select_n_clusters(labels, [1, 2], n_init=2, n_splits=20, random_state=0).n_clusters == 1


@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_halves_have_no_partition_in_common_and_observe_what_they_hold(rng, missing):
    labels = random_ensemble(rng, 20, 7, missing=missing)
    first, second = _selection._draw_pair(encode(labels), 0.7, rng)
    assert set(first.partitions).isdisjoint(second.partitions)
    for half in (first, second):
        part = labels[np.ix_(half.objects, half.partitions)]
        assert (part != -1).any(axis=0).all()
        assert (part != -1).any(axis=1).all()
    if not missing:
        assert len(first.partitions) + len(second.partitions) == 7
        assert len(first.objects) == len(second.objects) == 14
        assert set(first.objects) != set(second.objects)


@pytest.mark.parametrize("weighted", [False, True])
def test_agreement_and_start_stability_are_those_of_the_starts(rng, monkeypatch, weighted):
    labels = random_ensemble(rng, 40, 4)
    weight = rng.randint(1, 4, size=40) if weighted else None
    times = 1 if weight is None else weight
    runs, find = [], _selection._consensus

    def spy(problem, k, **options):
        run = find(problem, k, **options)
        if problem.encoding.n_samples == 40:
            runs.append(run)
        return run

    monkeypatch.setattr(_selection, "_consensus", spy)
    selection = select_n_clusters(labels, [5], n_init=4, n_splits=1, random_state=0, sample_weight=weight)
    assert np.ptp([run.objective for run in runs]) > 0.0
    best = min(runs, key=lambda run: np.mean([other.weights for other in runs], axis=0) @ run.losses)
    columns, found = np.repeat(labels, times, axis=0).T, np.repeat(best.labels, times)
    expected = best.weights @ [slow_agreement(column, found) for column in columns]
    assert selection.agreement[0] == pytest.approx(expected, abs=1e-12)
    assert len(runs) == 4
    pairs = combinations([np.repeat(run.labels, times) for run in runs], 2)
    assert selection.start_stability[0] == pytest.approx(np.mean([adjusted_rand_score(a, b) for a, b in pairs]))


def test_a_start_is_not_better_for_trusting_little():
    run = solve_median_partition(np.array([[0, 0], [1, 1]]), 2, n_init=1, random_state=0)
    sure = run._replace(weights=np.array([1.0, 0.0]), losses=np.array([1.0, 10.0]))
    fair = run._replace(weights=np.array([0.5, 0.5]), losses=np.array([3.0, 3.0]))
    assert _selection._best([sure, fair]) is fair


def test_same_answer_for_the_same_seed_any_threads_names_and_order(rng):
    labels = planted_ensemble(rng, np.arange(60) % 3, 10, noise=0.3)
    selection = select_n_clusters(labels, range(2, 5), **QUICK)
    for other in (
        select_n_clusters(labels, range(2, 5), **QUICK, n_jobs=2),
        select_n_clusters(labels, [4, 2, 3, 2], **QUICK),
        select_n_clusters(labels.astype(float).astype(object), range(2, 5), **QUICK),
        select_n_clusters(7 * labels + 2, range(2, 5), **QUICK),
    ):
        for one, two in zip(selection, other, strict=True):
            np.testing.assert_array_equal(one, two)
    different = select_n_clusters(labels, range(2, 5), **QUICK | {"random_state": 1})
    assert not np.array_equal(selection.split_stability, different.split_stability)


@pytest.mark.parametrize("weighting", ["restricted-simplex", "l2"])
def test_missing_labels_and_other_weightings(rng, weighting):
    # Partitions enough that the few to which l2 gives weight in a half observe every object.
    labels = planted_ensemble(rng, np.arange(90) % 3, 60, noise=0.1)
    labels[rng.uniform(size=labels.shape) < 0.4] = -1
    labels[np.all(labels == -1, axis=1), 0] = 0
    assert select_n_clusters(labels, range(1, 6), weighting=weighting, **QUICK).n_clusters == 3


def test_one_hot_partitions_give_the_hard_selection(rng):
    labels = planted_ensemble(rng, np.arange(60) % 3, 10, noise=0.3)
    soft = [np.eye(3)[column] if u % 2 else column for u, column in enumerate(labels.T)]
    hard, other = (select_n_clusters(ensemble, range(2, 5), **QUICK) for ensemble in (labels, soft))
    for one, two in zip(hard, other, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_half_of_a_soft_ensemble_is_that_of_its_entries(rng, missing):
    labels, weight = random_soft_ensemble(rng, 30, 7, missing=missing), rng.uniform(0.1, 3.0, size=30)
    weight[:3] = 0.0
    for half in _selection._draw_pair(encode_ensemble(check_ensemble(labels), weight), 0.7, rng):
        assert half.objects.min() >= 3
        part = [labels[u][half.objects] for u in half.partitions]
        if not any(entry.ndim == 2 for entry in part):
            part = np.column_stack(part)
        direct = encode_ensemble(check_ensemble(part), weight[half.objects])
        assert half.encoding.partitions.total == direct.partitions.total
        assert half.encoding.n_samples == direct.n_samples
        for field in ("multiplicity", "soft"):
            np.testing.assert_allclose(getattr(half.encoding.rows, field), getattr(direct.rows, field), rtol=1e-12)
        for field in ("squares", "n_observed", "copy", "hard"):
            found, expected = getattr(half.encoding.partitions, field), getattr(direct.partitions, field)
            np.testing.assert_allclose(found, expected, rtol=1e-12)
        consensus, rows = rng.randint(3, size=len(half.objects)), np.arange(len(half.objects))
        found, expected = (_selection._agreements(one, rows, consensus) for one in (half.encoding, direct))
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_objects_without_weight_decide_nothing(rng):
    labels = planted_ensemble(rng, np.arange(60) % 3, 12, noise=0.2)
    weight = np.r_[np.ones(60), np.zeros(40)]
    noise = np.r_[labels, rng.randint(5, size=(40, 12))]
    selection = select_n_clusters(noise, range(1, 5), sample_weight=weight, **QUICK)
    alone = select_n_clusters(labels, range(1, 5), **QUICK)
    assert selection.n_clusters == alone.n_clusters == 3
    for field in FIGURES:
        np.testing.assert_allclose(getattr(selection, field), getattr(alone, field), atol=1e-12)


def test_one_warning_for_all_ensembles_without_agreement_and_none_for_halves(rng):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        select_n_clusters(rng.randint(4, size=(50, 6)), range(1, 5), n_jobs=2, **QUICK)
    assert [str(warning.message) for warning in caught] == [
        "No two partitions agree beyond chance at the level 0.01: all are weighted equally."
    ]
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        select_n_clusters(planted_ensemble(rng, np.arange(50) % 3, 9, noise=0.3), range(1, 5), n_jobs=2, **QUICK)
        select_n_clusters(rng.randint(4, size=(50, 6)), range(1, 4), weighting="uniform", n_jobs=2, **QUICK)


def test_one_warning_for_all_that_did_not_converge(rng, monkeypatch):
    labels = random_ensemble(rng, 40, 8)
    monkeypatch.setattr(_selection, "_LIMITS", _selection._LIMITS._replace(tol=1e-12, max_iter=1))
    with pytest.warns(ConvergenceWarning, match=r"of 20 consensuses did not converge within 1 alternations") as caught:
        select_n_clusters(labels, [2, 3], weighting="uniform", **QUICK)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_pair_is_a_range_and_a_list_holds_candidates():
    labels = planted_ensemble(np.random.RandomState(0), np.arange(60) % 3, 8, noise=0.2)
    options = {"n_init": 2, "n_splits": 2, "random_state": 0}
    assert select_n_clusters(labels, (2, 4), **options).candidates.tolist() == [2, 3, 4]
    assert select_n_clusters(labels, [4, 2], **options).candidates.tolist() == [2, 4]


def test_few_partitions_without_a_stable_number_are_warned_of():
    noise = np.random.RandomState(0).randint(3, size=(60, 5))
    with pytest.warns(UserWarning, match="5 clusterings are too few to choose the number of clusters; have at least 6"):
        assert select_n_clusters(noise, (2, 3), n_init=2, n_splits=2, random_state=0).n_clusters == 1


LABELS = np.arange(24).reshape(6, 4) % 3


@pytest.mark.parametrize(
    ("kwargs", "error", "match"),
    [
        ({"labels": LABELS[:, :1]}, ValueError, "labels must have at least 2 partitions to compare, got 1"),
        ({"n_clusters": 3}, TypeError, "n_clusters must be a pair .* or a list of integers, got 3"),
        ({"n_clusters": []}, ValueError, "n_clusters must hold at least one candidate, got none"),
        ({"n_clusters": [2, 7]}, ValueError, r"each of n_clusters must be in \[1, n_samples=6\], got 7"),
        ({"n_init": 1}, ValueError, "n_init must be at least 2, got 1"),
        ({"max_samples": 0.5}, ValueError, "max_samples must be at least 0.6 and at most 1, got 0.5"),
        ({"labels": [np.eye(3)]}, ValueError, "labels must have at least 2 partitions to compare, got 1"),
    ],
)
def test_errors(kwargs, error, match):
    with pytest.raises(error, match=match):
        select_n_clusters(**{"labels": LABELS, "n_clusters": [2, 3]} | kwargs)
