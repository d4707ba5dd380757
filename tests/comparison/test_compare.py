"""Comparison in one call: what is run, what is graded, and what happens when a run fails."""

import os
import warnings
from concurrent.futures.process import BrokenProcessPool
from functools import partial

import numpy as np
import pandas as pd
import pytest

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


def pairs(records):
    return [(record["scheme"], record["function"]) for record in records]


def seed_of_the_first(random_state):
    return np.random.RandomState(random_state).randint(np.iinfo(np.int32).max)


def first_alone(labels, *, X, random_state):
    return np.eye(labels.shape[1])[0]


seen = []


def last_seen(labels, *, X, random_state):
    seen.append(labels.copy())
    return np.ones(labels.shape[1])


renamed = partial(first_alone)
renamed.__name__ = "first_alone"


def first_column(labels, n_clusters, *, weights, random_state):
    return labels[:, 0]


def test_everything_is_run_and_nothing_fails(rng):
    X, y = load_dataset("iris")
    X, y = X[::6], y[::6]
    labels = planted_ensemble(rng, y, 8)
    solvers = [(name, "robust-eac") for name in WEIGHT_SOLVERS if name not in WEIGHTING_SCHEMES]
    every = compare(labels, 3, y=y, X=X, weightings=["uniform", "l2"], random_state=0)
    assert pairs(every) == [*(("uniform", function) for function in CONSENSUS_FUNCTIONS), ("l2", "robust-eac")]
    with_features = compare(labels, 3, X=X, consensus=["robust-eac"], random_state=0)
    assert pairs(with_features) == [*((name, "robust-eac") for name in WEIGHTING_SCHEMES), *solvers]
    without = compare(labels, 3, consensus=["kmeans"], random_state=0)
    assert pairs(without) == [(name, "kmeans") for name in WEIGHTING_SCHEMES if name not in FEATURE_SCHEMES]
    assert {record["error"] for record in every + with_features + without} == {None}


@pytest.mark.parametrize("unknown", [-1, None, np.nan])
def test_a_truth_known_in_part_grades_what_is_known(labels, unknown):
    options = {"weightings": ["uniform"], "consensus": ["kmeans", "sec"], "random_state": 0}
    y = TRUTH.astype(object)
    y[::3] = unknown
    known = np.arange(len(y)) % 3 > 0
    records = compare(labels, 3, y=y, **options)
    for record in records:
        assert record["n_graded"] == known.sum() == 16
        assert record["ari"] == adjusted_rand_score(TRUTH[known], record["labels"][known])
        assert record["h"] == h_criterion(TRUTH[known], record["labels"][known])
    assert str(records.summary()).endswith("; without 8 objects of unknown class")
    assert "unknown" not in str(records.summary("density"))
    assert "unknown" not in str(compare(labels, 3, y=TRUTH, **options).summary())
    with pytest.raises(ValueError, match="y must label at least one object, got only missing labels"):
        compare(labels, 3, y=np.full(len(y), unknown), **options)


def test_leaving_out_objects_is_no_way_to_a_better_score(labels):
    def half(labels, n_clusters, *, weights, random_state):
        return np.where(np.arange(len(labels)) % 2, TRUTH, -1)

    (record,) = compare(labels, 3, y=TRUTH, weightings=["uniform"], consensus=[half], random_state=0)
    assert (record["n_clusters"], record["h"]) == (4, 0.5)


def test_the_records_are_what_the_parts_compute(labels):
    options = {"weightings": ["uniform", "weac"], "consensus": ["sec", "kmeans"], "random_state": 4}
    record = compare(labels, 3, y=TRUTH, **options)[-1]
    weights, rng = agreement_weights(labels), np.random.RandomState(seed_of_the_first(4))
    found = kmeans_consensus(labels, 3, weights=weights, random_state=rng)
    np.testing.assert_allclose(record["weights"], weights, rtol=1e-14)
    assert np.array_equal(record["labels"], found)
    assert record["n_clusters"] == 3
    assert record["h"] == h_criterion(TRUTH, found)
    assert record["nmi"] == normalized_mutual_information(TRUTH, found)
    assert record["ari"] == adjusted_rand_score(TRUTH, found)
    assert record["ensemble_nmi"] == ensemble_nmi(labels, found)
    assert record["density"] == density(labels, found)
    assert min(record["seconds"], record["scheme_seconds"]) >= 0.0
    # A run does not depend on the others.
    (alone,) = compare(labels, 3, weightings=["weac"], consensus=["kmeans"], random_state=4)
    assert np.array_equal(alone["labels"], found)
    assert alone["h"] is None


def test_every_repeat_has_its_seed_and_every_run_begins_with_it(labels):
    drawn = []

    def scheme(labels, *, X, random_state):
        drawn.append(random_state.uniform())
        return np.ones(labels.shape[1])

    def function(labels, n_clusters, *, weights, random_state):
        drawn.append(random_state.uniform())
        return labels[:, 0]

    options = {"weightings": {"one": scheme}, "consensus": {"a": function, "b": function}, "random_state": 7}
    records = compare(labels, 3, **options, n_repeats=3)
    assert sorted(drawn) == sorted(3 * list(set(drawn)))
    assert len(set(drawn)) == 3
    assert np.random.RandomState(seed_of_the_first(7)).uniform() == drawn[0]
    assert [record["repeat"] for record in records] == [0, 0, 1, 1, 2, 2]
    assert {record["partitions"] for record in records} == {None}


def test_weights_found_jointly_go_with_the_robust_consensus_alone(labels):
    asked = []

    def gentle(losses):
        asked.append(losses.shape)
        return l2_weights(losses, lam=10.0 * losses.mean())

    options = {"weightings": ["l2", "uniform"], "weight_solvers": [gentle, Entropy(eta=3.0)]}
    records = compare(labels, 3, **options, consensus=["kmeans", "robust-eac"], random_state=0)
    first, *others = [(name, "robust-eac") for name in ("l2", "gentle", "Entropy(eta=3.0)")]
    assert pairs(records) == [first, ("uniform", "kmeans"), ("uniform", "robust-eac"), *others]
    assert set(asked) == {(10,)}
    for record, weighting in zip([records[0], *records[3:]], ("l2", gentle, Entropy(eta=3.0)), strict=True):
        rng = np.random.RandomState(seed_of_the_first(0))
        direct = solve_median_partition(labels, 3, weighting=weighting, random_state=rng)
        np.testing.assert_array_equal(record["weights"], direct.weights)
        assert record["scheme_seconds"] is None


def test_a_failing_run_is_reported_and_stops_nothing(labels):
    def failing(labels, n_clusters, *, weights, random_state):
        raise RuntimeError("no luck")

    def short(labels, n_clusters, *, weights, random_state):
        return [0, 1]

    def nonsense(labels, *, X, random_state):
        return -np.ones(labels.shape[1])

    functions = {"failing": failing, "short": short, "good": kmeans_consensus}
    records = compare(labels, 3, y=TRUTH, weightings=["uniform", nonsense], consensus=functions, random_state=0)
    assert records[0]["error"] == "RuntimeError: no luck"
    assert {records[0][key] for key in ("labels", "h", "nmi", "ari", "density", "n_clusters")} == {None}
    assert records[1]["error"].startswith("ValueError: the result of the function must have shape (24,)")
    assert records[2]["error"] is None
    assert records[2]["h"] > 0.9
    assert all("what the scheme returns must be finite and non-negative" in record["error"] for record in records[3:])


def without_seconds(records):
    return [{key: value for key, value in record.items() if not key.endswith("seconds")} for record in records]


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
        "n_repeats": 2,
        "resample": 0.7,
        "random_state": 0,
    }
    found = []
    for n_jobs in (None, 2):
        with pytest.warns(UserWarning, match="so so"):
            found.append(compare(labels, 3, **chosen, n_jobs=n_jobs))
    alone, together = map(without_seconds, found)
    assert len(alone) == 18
    np.testing.assert_equal(together, alone)
    assert {(record["function"], record["error"]) for record in alone} == {
        ("robust-eac", None), ("kmeans", None), ("warning", None), ("failing", "RuntimeError: no luck"),
    }  # fmt: skip
    assert min(record["seconds"] for record in found[1]) >= 0.0


def test_a_worker_process_that_dies_ends_the_comparison(labels):
    def dying(labels, n_clusters, *, weights, random_state):
        os._exit(3)

    with pytest.raises(BrokenProcessPool):
        compare(labels, 3, weightings=["uniform"], consensus=["kmeans", dying], n_jobs=2, random_state=0)


def test_no_function_can_change_what_the_others_see(labels):
    def greedy(labels, n_clusters, *, weights, random_state):
        labels[:] = 0
        return labels[:, 0]

    def heavy(labels, n_clusters, *, weights, random_state):
        weights *= 2.0
        return labels[:, 0]

    def blind(labels, *, X, random_state):
        X[:] = 0.0
        return np.ones(labels.shape[1])

    functions = {"greedy": greedy, "heavy": heavy, "good": kmeans_consensus}
    options = {"X": np.ones((len(labels), 2)), "weightings": ["uniform", blind], "random_state": 0}
    before = labels.copy()
    records = compare(labels, 3, y=TRUTH, consensus=functions, **options)
    assert np.array_equal(labels, before)
    assert [record["error"] is None for record in records] == [False, False, True, False, False, False]
    assert all("read-only" in record["error"] for record in records if record["error"])


def test_classes_and_features_must_have_the_index_of_the_labels(labels):
    frame, y = pd.DataFrame(labels).rename("x{}".format), pd.Series(TRUTH)
    X = pd.DataFrame(np.ones((len(y), 2)))
    options = {"weightings": ["uniform"], "consensus": ["kmeans"], "random_state": 0}
    named = compare(frame, 3, y=y.rename("x{}".format), **options)[0]
    # An index 0, 1, ... names nothing.
    for found in (compare(labels, 3, y=TRUTH, **options)[0], compare(frame, 3, y=y, **options)[0]):
        assert found["h"] == named["h"]
    for name, values in (("y", y), ("X", X)):
        for other in (values.rename("y{}".format), values.rename("x{}".format)[::-1]):
            with pytest.raises(ValueError, match=rf"{name}: its index must be labels\.index, in this order"):
                compare(frame, 3, **options, **{name: other})


@pytest.mark.parametrize("y", [None, np.array(["c", "a", "b"])[TRUTH]])
def test_labels_of_all_records_are_numbered_alike(labels, y):
    functions = {str(turn): lambda labels, n_clusters, turn=turn, **_: (labels[:, 0] + turn) % 3 for turn in range(3)}
    records = compare(labels, 3, y=y, weightings=["uniform"], consensus=functions, random_state=0)
    expected = labels[:, 0] if y is None else match_labels(labels[:, 0], np.array([2, 0, 1])[TRUTH])
    assert all(np.array_equal(record["labels"], expected) for record in records)


def test_names_and_functions_may_be_mixed(labels):
    functions = ["robust-eac", first_column]
    listed = compare(labels, 3, weightings=["weac", first_alone, "l2"], consensus=functions, random_state=0)
    schemes = [(name, function) for name in ("weac", "first_alone") for function in ("robust-eac", "first_column")]
    assert pairs(listed) == [*schemes, ("l2", "robust-eac")]
    weightings, functions = {"a": "weac", "b": first_alone, "c": "l2"}, {"ours": "robust-eac", "copy": first_column}
    named = compare(labels, 3, weightings=weightings, consensus=functions, random_state=0)
    assert pairs(named) == [("a", "ours"), ("a", "copy"), ("b", "ours"), ("b", "copy"), ("c", "ours")]
    assert {record["error"] for record in listed + named} == {None}
    assert h_criterion(named[3]["labels"], labels[:, 0]) == 1.0
    for one, other in zip(listed, named, strict=True):
        np.testing.assert_array_equal(one["weights"], other["weights"])


@pytest.mark.parametrize(("resample", "size"), [(0.5, 5), (0.01, 1), ("bootstrap", 10)])
def test_all_methods_of_a_repeat_see_the_partitions_that_it_drew(labels, resample, size):
    seen = []

    def recorded(labels, n_clusters, *, weights, random_state):
        seen.append(labels)
        return labels[:, 0]

    options = {"weightings": ["uniform", first_alone], "consensus": [recorded], "n_repeats": 3, "resample": resample}
    records = compare(labels, 3, **options, random_state=0)
    assert len(records) == len(seen) == 6
    for record, given in zip(records, seen, strict=True):
        np.testing.assert_array_equal(given, labels[:, record["partitions"]])
        assert record["weights"].shape == record["partitions"].shape == (size,)
        assert record["ensemble_nmi"] == ensemble_nmi(labels, record["labels"])
        assert (len(set(record["partitions"])) < size) == (resample == "bootstrap")
    first, second = ([record["partitions"].tolist() for record in records[place::2]] for place in (0, 1))
    assert first == second
    assert len(set(map(tuple, first))) > 1


def test_the_records_name_the_partitions(labels):
    frame = pd.DataFrame(labels, columns=list("abcdefghij")).replace({0: "x", 1: "y", 2: "z"})
    chosen = {"y": pd.Series(TRUTH).map(str), "weightings": ["weac"], "consensus": ["kmeans"], "random_state": 0}
    (record,) = compare(frame, 3, **chosen)
    assert record["partition_names"] == tuple("abcdefghij")
    (of_codes,) = compare(labels, 3, **chosen)
    assert of_codes["partition_names"] is None
    assert (record["ari"], record["weights"].tolist()) == (of_codes["ari"], of_codes["weights"].tolist())
    (drawn,) = compare([frame[name] for name in frame], 3, **chosen, resample="bootstrap")
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
        ({"y": [0, 1]}, ValueError, r"y must have shape \(3,\), one label per object, got \(2,\)"),
        ({"weightings": "uniform"}, TypeError, "weightings must be a list of names or a dict"),
        ({"consensus": {"kmeans": 3}}, TypeError, r"consensus\['kmeans'\] must be a name or a function .*, got 3"),
        (
            {"consensus": [first_alone]},
            TypeError,
            r"an entry of consensus must be a name or a function \(labels, n_clus",
        ),
        ({"weightings": {"a": lambda losses: losses}}, TypeError, r"those of losses belong in weight_solvers, got"),
        ({"weightings": [lambda labels, *, X, random_state: 1]}, ValueError, "weightings: a function without a name"),
        ({"weightings": [first_alone, renamed]}, ValueError, "weightings: two entries are called 'first_alone'"),
        ({"weight_solvers": ["l2"]}, ValueError, "weight_solvers: 'l2' is a name in weightings too"),
        ({"weightings": ["l2"], "consensus": ["kmeans"]}, ValueError, "'robust-eac', which 'l2' needs .* got 'kmeans'"),
        (
            {"weight_solvers": {"a": np.square}, "consensus": ["sec"]},
            ValueError,
            "consensus must hold .* which 'a' needs",
        ),
        ({"resample": "jackknife"}, ValueError, "resample must be a share, 'bootstrap' or None, got 'jackknife'"),
    ],
)
def test_errors(kwargs, error, match):
    with pytest.raises(error, match=match):
        compare(np.array([[0, 0], [0, 1], [1, 1]]), **{"n_clusters": 2} | kwargs)


def test_fractions_replace_more_and_more_of_the_same_partitions(labels):
    chosen = {"weightings": {"first": last_seen}, "consensus": ["kmeans"], "n_repeats": 2, "random_state": 0}
    seen.clear()
    records = compare(labels, 3, y=TRUTH, fractions=(0.0, 0.3, 1.0), **chosen)
    assert [(r["fraction"], r["repeat"]) for r in records] == [(f, r) for f in (0.0, 0.3, 1.0) for r in (0, 1)]
    changed = np.array([(noisy != labels).any(axis=0) for noisy in seen])
    assert changed.sum(axis=1).tolist() == [0, 0, 3, 3, 10, 10]
    assert (changed[2] != changed[3]).any()
    # Scores against the ensemble are those against what was run, and without noise all is as it was.
    for record, noisy in zip(records, seen, strict=True):
        assert record["ensemble_nmi"] == pytest.approx(ensemble_nmi(noisy, record["labels"]))
    clean = compare(labels, 3, y=TRUTH, **chosen)
    assert {record["fraction"] for record in clean} == {None}
    assert [record["ari"] for record in clean] == [record["ari"] for record in records[:2]]
    assert records.to_frame().pivot_table("ari", "fraction", "scheme").index.tolist() == [0.0, 0.3, 1.0]


def test_several_kinds_of_noise_replace_the_same_partitions(labels):
    chosen = {"weightings": {"first": last_seen}, "consensus": ["kmeans"], "random_state": 0}
    seen.clear()
    kinds = ["shuffled", "unequal"]
    records = compare(labels, 3, fractions=(0.2, 0.5), kind=kinds, **chosen)
    assert [(r["kind"], r["fraction"]) for r in records] == [(kind, share) for kind in kinds for share in (0.2, 0.5)]
    changed = np.array([(noisy != labels).any(axis=0) for noisy in seen])
    assert changed.sum(axis=1).tolist() == [2, 5, 2, 5]
    assert (changed[:2] == changed[2:]).all()
    assert all((np.sort(noisy, axis=0) == np.sort(labels, axis=0)).all() for noisy in seen[:2])
    assert not (np.sort(seen[3], axis=0) == np.sort(labels, axis=0)).all()
    assert {record["kind"] for record in compare(labels, 3, kind="unequal", **chosen)} == {None}
    for kind in ("wrong", ["uniform", "wrong"]):
        with pytest.raises(ValueError, match="kind must be one of 'uniform', 'unequal', 'shuffled', got 'wrong'"):
            compare(labels, 3, fractions=[0.5], kind=kind)
    with pytest.raises(TypeError, match="kind must be a list of kinds, got 3"):
        compare(labels, 3, kind=3)
    with pytest.raises(ValueError, match="kind must be different kinds, at least one, got"):
        compare(labels, 3, fractions=[0.5], kind=["uniform", "uniform"])


@pytest.mark.parametrize(
    ("fractions", "error", "match"),
    [
        (0.5, TypeError, "fractions must be a list of shares, got 0.5"),
        ([0.5, 1.5], ValueError, "fractions must"),
        ([], ValueError, "at least one"),
        ([0.5, 0.5], ValueError, "different shares"),
    ],
)
def test_bad_fractions(labels, fractions, error, match):
    with pytest.raises(error, match=match):
        compare(labels, 3, fractions=fractions)


def test_names_are_texts(labels):
    with pytest.raises(TypeError, match="consensus must have texts as names, got 2"):
        compare(labels, 3, consensus={2: "kmeans"})
