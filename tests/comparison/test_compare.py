"""Comparison in one call: what is run, what is graded, and what happens when a run fails."""

import os
import warnings
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal

from robust_eac import (
    CONSENSUS_FUNCTIONS,
    WEIGHT_SOLVERS,
    WEIGHTING_SCHEMES,
    Entropy,
    adjusted_rand_score,
    compare,
    density,
    ensemble_nmi,
    h_criterion,
    l2_weights,
    load_dataset,
    normalized_mutual_information,
    solve_median_partition,
)
from robust_eac.consensus import kmeans_consensus
from robust_eac.metrics import match_labels
from robust_eac.schemes import agreement_weights

from ..access import FEATURE_SCHEMES
from ..conftest import planted_ensemble

TRUTH = np.repeat([0, 1, 2], 8)


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, TRUTH, 10, n_random=2)


def run(labels, **options):
    """The table of a comparison for three clusters."""
    return compare(labels, 3, **{"random_state": 0} | options).table


def pairs(runs):
    return list(zip(runs["scheme"], runs["function"], strict=True))


def seed_of_the_first(random_state):
    return np.random.RandomState(random_state).randint(np.iinfo(np.int32).max)


def first_alone(labels, *, X, random_state):
    return np.eye(labels.shape[1])[0]


def first_column(labels, n_clusters, *, weights, random_state):
    return labels[:, 0]


def test_everything_is_run_and_nothing_fails(rng):
    X, y = load_dataset("iris")
    X, y = X[::6], y[::6]
    labels = planted_ensemble(rng, y, 8)
    solvers = [(name, "robust-eac") for name in WEIGHT_SOLVERS if name not in WEIGHTING_SCHEMES]
    every = run(labels, y=y, X=X, weightings=["uniform", "l2"])
    assert pairs(every) == [*(("uniform", function) for function in CONSENSUS_FUNCTIONS), ("l2", "robust-eac")]
    with_features = run(labels, X=X, consensus=["robust-eac"])
    assert pairs(with_features) == [*((name, "robust-eac") for name in WEIGHTING_SCHEMES), *solvers]
    without = run(labels, consensus=["kmeans"])
    assert pairs(without) == [(name, "kmeans") for name in WEIGHTING_SCHEMES if name not in FEATURE_SCHEMES]
    assert all(runs["error"].isna().all() for runs in (every, with_features, without))
    assert every["n_clusters"].dtype == "Int64"


@pytest.mark.parametrize("unknown", [-1, None, np.nan])
def test_a_truth_known_in_part_grades_what_is_known(labels, unknown):
    options = {"weightings": ["uniform"], "consensus": ["kmeans", "sec"], "random_state": 0}
    y = TRUTH.astype(object)
    y[::3] = unknown
    known = np.arange(len(y)) % 3 > 0
    found = compare(labels, 3, y=y, **options)
    for row in found.table.itertuples():
        assert row.n_graded == known.sum() == 16
        assert row.ari == adjusted_rand_score(TRUTH[known], row.labels[known])
        assert row.h == h_criterion(TRUTH[known], row.labels[known])
    assert "; without 8 objects of unknown class" in str(found.summary())
    for certain in (found.summary("density"), compare(labels, 3, y=TRUTH, **options).summary()):
        assert "unknown" not in str(certain)
    with pytest.raises(ValueError, match="missing"):
        run(labels, y=np.full(len(y), unknown), **options)


def test_the_runs_are_what_the_parts_compute(labels):
    options = {"weightings": ["uniform", "weac"], "consensus": ["sec", "kmeans"], "random_state": 4}
    row = run(labels, y=TRUTH, **options).iloc[-1]
    weights, rng = agreement_weights(labels), np.random.RandomState(seed_of_the_first(4))
    found = kmeans_consensus(labels, 3, weights=weights, random_state=rng)
    assert_allclose(row["weights"], weights, rtol=1e-14)
    assert np.array_equal(row["labels"], found)
    of_truth = [score(TRUTH, found) for score in (h_criterion, normalized_mutual_information, adjusted_rand_score)]
    scores = [3, *of_truth, ensemble_nmi(labels, found), density(labels, found)]
    assert row[["n_clusters", "h", "nmi", "ari", "ensemble_nmi", "density"]].tolist() == scores
    assert min(row["seconds"], row["scheme_seconds"]) >= 0.0
    # A run does not depend on the others.
    alone = run(labels, weightings=["weac"], consensus=["kmeans"], random_state=4)
    assert np.array_equal(alone["labels"][0], found)
    assert alone["h"].isna().all()


def test_every_repeat_has_its_seed_and_every_run_begins_with_it(labels):
    drawn = []

    def scheme(labels, *, X, random_state):
        drawn.append(random_state.uniform())
        return np.ones(labels.shape[1])

    def function(labels, n_clusters, *, weights, random_state):
        drawn.append(random_state.uniform())
        return labels[:, 0]

    options = {"weightings": {"one": scheme}, "consensus": {"a": function, "b": function}, "random_state": 7}
    runs = run(labels, **options, n_repeats=3)
    assert sorted(drawn) == sorted(3 * list(set(drawn)))
    assert len(set(drawn)) == 3
    assert np.random.RandomState(seed_of_the_first(7)).uniform() == drawn[0]
    assert runs["repeat"].tolist() == [0, 0, 1, 1, 2, 2]
    assert runs["partitions"].isna().all()


def test_weights_found_jointly_go_with_the_robust_consensus_alone(labels):
    asked = []

    def gentle(losses):
        asked.append(losses.shape)
        return l2_weights(losses, lam=10.0 * losses.mean())

    options = {"weightings": ["l2", "uniform"], "weight_solvers": [gentle, Entropy(eta=3.0)]}
    runs = run(labels, **options, consensus=["kmeans", "robust-eac"])
    first, *others = [(name, "robust-eac") for name in ("l2", "gentle", "Entropy(eta=3.0)")]
    assert pairs(runs) == [first, ("uniform", "kmeans"), ("uniform", "robust-eac"), *others]
    assert set(asked) == {(10,)}
    for place, weighting in {0: "l2", 3: gentle, 4: Entropy(eta=3.0)}.items():
        rng = np.random.RandomState(seed_of_the_first(0))
        direct = solve_median_partition(labels, 3, weighting=weighting, random_state=rng)
        assert_array_equal(runs["weights"][place], direct.weights)
        assert np.isnan(runs["scheme_seconds"][place])


def test_a_failing_run_is_reported_and_stops_nothing(labels):
    def failing(labels, n_clusters, *, weights, random_state):
        raise RuntimeError("no luck")

    def short(labels, n_clusters, *, weights, random_state):
        return [0, 1]

    def half(labels, n_clusters, *, weights, random_state):
        return np.where(np.arange(len(labels)) % 2, TRUTH, -1)

    def greedy(labels, n_clusters, *, weights, random_state):
        labels[:] = 0

    def heavy(labels, n_clusters, *, weights, random_state):
        weights *= 2.0

    def nonsense(labels, *, X, random_state):
        return -np.ones(labels.shape[1])

    def blind(labels, *, X, random_state):
        X[:] = 0.0

    before = labels.copy()
    options = {"y": TRUTH, "X": np.ones((len(labels), 2))}
    functions = [failing, short, greedy, heavy, half, "kmeans"]
    runs = run(labels, weightings=["uniform", nonsense, blind], consensus=functions, **options)
    errors = runs["error"].tolist()
    assert errors[0] == "RuntimeError: no luck"
    assert runs.loc[0, ["labels", "h", "nmi", "ari", "density", "n_clusters"]].isna().all()
    assert "shape (24,)" in errors[1]
    # No function can change what the others see.
    assert all("read-only" in error for error in (*errors[2:4], *errors[12:]))
    assert np.array_equal(labels, before)
    # Leaving out objects is no way to a better score.
    assert runs.loc[4, ["n_clusters", "h"]].tolist() == [4, 0.5]
    assert pd.isna(errors[5])
    assert runs["h"][5] > 0.9
    assert all("what the scheme returns must be" in error for error in errors[6:12])


def test_the_result_does_not_depend_on_the_jobs(labels):
    def failing(labels, n_clusters, *, weights, random_state):
        raise RuntimeError("no luck")

    def warning(labels, n_clusters, *, weights, random_state):
        warnings.warn("so so", stacklevel=1)
        return labels[:, 0]

    chosen = {
        "y": TRUTH,
        "weightings": {"weac": "weac", "mine": lambda labels, *, X, random_state: random_state.uniform(size=7)},
        "consensus": ["robust-eac", "kmeans", failing, warning],
        "weight_solvers": {"of the losses": lambda losses: np.exp(-losses / losses.mean())},
    }
    found = []
    for n_jobs in (None, 2):
        with pytest.warns(UserWarning, match="so so"):
            found.append(run(labels, **chosen, n_repeats=2, resample=0.7, n_jobs=n_jobs))
    alone, together = (one.drop(columns=["seconds", "scheme_seconds"]).to_dict("list") for one in found)
    assert_equal(together, alone)
    assert len(found[1]) == 18
    assert set(found[1].loc[found[1]["error"].notna(), "function"]) == {"failing"}


def test_a_worker_process_that_dies_ends_the_comparison(labels):
    def dying(labels, n_clusters, *, weights, random_state):
        os._exit(3)

    with pytest.raises(BrokenProcessPool):
        compare(labels, 3, weightings=["uniform"], consensus=["kmeans", dying], n_jobs=2, random_state=0)


@pytest.mark.parametrize("y", [None, np.array(["c", "a", "b"])[TRUTH]])
def test_labels_of_all_runs_are_numbered_alike(labels, y):
    functions = {str(turn): lambda labels, n_clusters, turn=turn, **_: (labels[:, 0] + turn) % 3 for turn in range(3)}
    runs = run(labels, y=y, weightings=["uniform"], consensus=functions)
    expected = labels[:, 0] if y is None else match_labels(labels[:, 0], np.array([2, 0, 1])[TRUTH])
    assert all(np.array_equal(found, expected) for found in runs["labels"])


def test_names_and_functions_may_be_mixed(labels):
    listed = run(labels, weightings=["weac", first_alone, "l2"], consensus=["robust-eac", first_column])
    schemes = [(name, function) for name in ("weac", "first_alone") for function in ("robust-eac", "first_column")]
    assert pairs(listed) == [*schemes, ("l2", "robust-eac")]
    weightings, functions = {"a": "weac", "b": first_alone, "c": "l2"}, {"ours": "robust-eac", "copy": first_column}
    named = run(labels, weightings=weightings, consensus=functions)
    assert pairs(named) == [("a", "ours"), ("a", "copy"), ("b", "ours"), ("b", "copy"), ("c", "ours")]
    assert h_criterion(named["labels"][3], labels[:, 0]) == 1.0
    assert_equal(listed["weights"].tolist(), named["weights"].tolist())


@pytest.mark.parametrize(("resample", "size"), [(0.5, 5), (0.01, 1), ("bootstrap", 10)])
def test_all_methods_of_a_repeat_see_the_partitions_that_it_drew(labels, resample, size):
    seen = []

    def recorded(labels, n_clusters, *, weights, random_state):
        seen.append(labels)
        return labels[:, 0]

    options = {"weightings": ["uniform", first_alone], "consensus": [recorded], "n_repeats": 3, "resample": resample}
    runs = run(labels, **options)
    assert len(runs) == len(seen) == 6
    for row, given in zip(runs.itertuples(), seen, strict=True):
        assert_array_equal(given, labels[:, row.partitions])
        assert row.weights.shape == row.partitions.shape == (size,)
        assert row.ensemble_nmi == ensemble_nmi(labels, row.labels)
        assert (len(set(row.partitions)) < size) == (resample == "bootstrap")
    first, second = (runs["partitions"][place::2].map(tuple).tolist() for place in (0, 1))
    assert first == second
    assert len(set(first)) > 1


def test_the_runs_name_the_partitions(labels):
    frame = pd.DataFrame(labels, columns=list("abcdefghij")).replace({0: "x", 1: "y", 2: "z"})
    chosen = {"y": pd.Series(TRUTH).map(str), "weightings": ["weac"], "consensus": ["kmeans"]}
    named, of_codes = run(frame, **chosen).loc[0], run(labels, **chosen).loc[0]
    assert named["partition_names"] == tuple("abcdefghij")
    assert of_codes["partition_names"] is None
    assert (named["ari"], named["weights"].tolist()) == (of_codes["ari"], of_codes["weights"].tolist())
    drawn = run([frame[name] for name in frame], **chosen, resample="bootstrap").loc[0]
    assert drawn["partition_names"] == tuple(frame.columns[drawn["partitions"]])


def test_progress_is_shown_on_request(labels, capsys):
    chosen = {"weightings": ["weac"], "consensus": ["kmeans", "sec"], "n_repeats": 2, "random_state": 0}
    compare(labels, 3, **chosen)
    assert capsys.readouterr() == ("", "")
    compare(labels, 3, **chosen, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "0/6" in err
    assert "weac, repeat 0" in err
    assert "weac + sec, repeat 1" in err


@pytest.mark.parametrize(
    ("kwargs", "error", "match"),
    [
        ({"y": [0, 1]}, ValueError, "y"),
        ({"weightings": "uniform"}, TypeError, "weightings"),
        ({"consensus": {"kmeans": 3}}, TypeError, r"consensus\['kmeans'\]"),
        ({"consensus": {2: "kmeans"}}, TypeError, "consensus"),
        ({"weightings": {"a": lambda losses: losses}}, TypeError, "weight_solvers"),
        ({"weightings": [lambda labels, *, X, random_state: 1]}, ValueError, "name"),
        ({"weight_solvers": ["l2"]}, ValueError, "weight_solvers"),
        ({"weightings": ["l2"], "consensus": ["kmeans"]}, ValueError, "'robust-eac'"),
        ({"weight_solvers": {"a": np.square}, "consensus": ["sec"]}, ValueError, "which 'a' needs"),
        ({"resample": "jackknife"}, ValueError, "resample"),
        ({"dataset": 3}, TypeError, "dataset"),
        ({"fractions": [0.5, 1.5]}, ValueError, "fractions"),
        ({"fractions": [0.5, 0.5]}, ValueError, "fractions"),
        ({"kind": ["uniform", "uniform"]}, ValueError, "kind"),
        ({"kind": 3}, TypeError, "kind"),
    ],
)
def test_errors(kwargs, error, match):
    with pytest.raises(error, match=match):
        compare(np.array([[0, 0], [0, 1], [1, 1]]), **{"n_clusters": 2} | kwargs)


def test_fractions_replace_more_and_more_of_the_same_partitions(labels):
    seen = []

    def last_seen(labels, *, X, random_state):
        seen.append(labels.copy())
        return np.ones(labels.shape[1])

    def noise_of(**noise):
        seen.clear()
        runs = run(labels, y=TRUTH, weightings={"first": last_seen}, consensus=["kmeans"], **noise)
        return runs, np.array([(noisy != labels).any(axis=0) for noisy in seen])

    runs, changed = noise_of(fractions=(0.0, 0.3, 1.0), n_repeats=2)
    assert runs["fraction"].tolist() == [0.0, 0.0, 0.3, 0.3, 1.0, 1.0]
    assert runs["repeat"].tolist() == 3 * [0, 1]
    assert changed.sum(axis=1).tolist() == [0, 0, 3, 3, 10, 10]
    assert (changed[2] != changed[3]).any()
    # Scores against the ensemble are those against what was run, and without noise all is as it was.
    for score, found, noisy in zip(runs["ensemble_nmi"], runs["labels"], seen, strict=True):
        assert score == pytest.approx(ensemble_nmi(noisy, found))
    clean, _ = noise_of(kind="unequal", n_repeats=2)
    assert clean[["fraction", "kind"]].isna().all(axis=None)
    assert clean["ari"].tolist() == runs["ari"][:2].tolist()
    # Several kinds of noise replace the same partitions.
    runs, changed = noise_of(fractions=(0.2, 0.5), kind=["shuffled", "unequal"])
    assert runs["kind"].tolist() == ["shuffled", "shuffled", "unequal", "unequal"]
    assert runs["fraction"].tolist() == 2 * [0.2, 0.5]
    assert changed.sum(axis=1).tolist() == [2, 5, 2, 5]
    assert (changed[:2] == changed[2:]).all()
    assert [(np.sort(noisy, axis=0) == np.sort(labels, axis=0)).all() for noisy in seen] == [True, True, False, False]
