"""Comparison in one call: what is run, what is graded, and what happens when a run fails."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from robust_eac import (
    CONSENSUS_FUNCTIONS,
    WEIGHT_SOLVERS,
    WEIGHTING_SCHEMES,
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
from robust_eac.schemes import agreement_weights
from robust_eac.schemes.registry import FEATURE_SCHEMES

from ..conftest import planted_ensemble

TRUTH = np.repeat([0, 1, 2], 8)


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, TRUTH, 10, n_random=2)


def pairs(records):
    return [(record["scheme"], record["function"]) for record in records]


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


def test_the_records_are_what_the_parts_compute(labels):
    (record,) = compare(labels, 3, y=TRUTH, weightings=["weac"], consensus=["kmeans"], random_state=4)
    weights = agreement_weights(labels)
    seed = np.random.RandomState(4).randint(np.iinfo(np.int32).max)
    found = kmeans_consensus(labels, 3, weights=weights, random_state=np.random.RandomState(seed))
    np.testing.assert_allclose(record["weights"], weights, rtol=1e-14)
    assert np.array_equal(record["labels"], found)
    assert record["n_clusters"] == 3
    assert record["h"] == h_criterion(TRUTH, found)
    assert record["nmi"] == normalized_mutual_information(TRUTH, found)
    assert record["ari"] == adjusted_rand_score(TRUTH, found)
    assert record["ensemble_nmi"] == ensemble_nmi(labels, found)
    assert record["density"] == density(labels, found)
    assert record["seconds"] >= 0.0
    assert record["scheme_seconds"] >= 0.0


def test_every_run_starts_from_the_seed(labels):
    """Every run has a generator with the same seed, also if the scheme draws before the function."""
    expected = np.random.RandomState(np.random.RandomState(7).randint(np.iinfo(np.int32).max)).uniform()
    drawn = []

    def scheme(labels, *, X, random_state):
        drawn.append(random_state.uniform())
        return np.ones(labels.shape[1])

    def function(labels, n_clusters, *, weights, random_state):
        drawn.append(random_state.uniform())
        return labels[:, 0]

    compare(labels, 3, weightings={"one": scheme}, consensus={"a": function, "b": function}, random_state=7)
    assert drawn == [expected] * 3


def test_joint_solvers_go_with_the_robust_consensus_alone(labels):
    records = compare(labels, 3, weightings=["l2", "uniform"], consensus=["kmeans", "robust-eac"], random_state=0)
    assert pairs(records) == [("uniform", "kmeans"), ("uniform", "robust-eac"), ("l2", "robust-eac")]
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    direct = solve_median_partition(labels, 3, weighting="l2", random_state=np.random.RandomState(seed))
    assert np.array_equal(records[-1]["weights"], direct.weights)
    assert records[-1]["h"] is None
    with pytest.raises(
        ValueError, match="weightings: 'l2' finds weights and consensus together and needs 'robust-eac' in consensus"
    ):
        compare(labels, 3, weightings=["uniform", "l2"], consensus=["kmeans"])


def test_a_run_does_not_depend_on_the_others(labels):
    every = compare(
        labels, 3, weightings=["uniform", "weac"], consensus=["kmeans", "sec", "robust-eac"], random_state=1
    )
    (one,) = compare(labels, 3, weightings=["weac"], consensus=["robust-eac"], random_state=1)
    (same,) = (r for r in every if pairs([r]) == [("weac", "robust-eac")])
    assert np.array_equal(one["labels"], same["labels"])


def test_a_failing_run_is_reported_and_stops_nothing(labels):
    def failing(labels, n_clusters, *, weights, random_state):
        raise RuntimeError("no luck")

    def nonsense(labels, *, X, random_state):
        return -np.ones(labels.shape[1])

    records = compare(
        labels, 3, y=TRUTH, weightings=["uniform"], consensus={"bad": failing, "good": kmeans_consensus}, random_state=0
    )
    assert records[0]["error"] == "RuntimeError: no luck"
    assert {records[0][key] for key in ("labels", "h", "nmi", "ari", "density", "n_clusters")} == {None}
    assert records[1]["error"] is None
    assert records[1]["h"] > 0.9
    records = compare(labels, 3, weightings={"bad": nonsense}, consensus=["kmeans"], random_state=0)
    assert "what the scheme returns must be non-negative" in records[0]["error"]


def test_functions_and_schemes_of_the_user(labels):
    (record,) = compare(
        labels,
        3,
        weightings={"first": lambda labels, *, X, random_state: np.eye(labels.shape[1])[0]},
        consensus={"copy": lambda labels, n_clusters, *, weights, random_state: labels[:, np.argmax(weights)]},
        random_state=0,
    )
    assert pairs([record]) == [("first", "copy")]
    assert np.array_equal(record["labels"], labels[:, 0])


def first_alone(labels, *, X, random_state):
    return np.eye(labels.shape[1])[0]


renamed = partial(first_alone)
renamed.__name__ = "first_alone"


def first_column(labels, n_clusters, *, weights, random_state):
    return labels[:, 0]


def test_names_and_functions_may_be_mixed(labels):
    listed = compare(
        labels, 3, weightings=["weac", first_alone, "l2"], consensus=["robust-eac", first_column], random_state=0
    )
    schemes = [(name, function) for name in ("weac", "first_alone") for function in ("robust-eac", "first_column")]
    assert pairs(listed) == [*schemes, ("l2", "robust-eac")]
    weightings = {"a": "weac", "b": first_alone, "c": "l2"}
    named = compare(
        labels, 3, weightings=weightings, consensus={"ours": "robust-eac", "copy": first_column}, random_state=0
    )
    schemes = [(name, function) for name in "ab" for function in ("ours", "copy")]
    assert pairs(named) == [*schemes, ("c", "ours")]
    assert {record["error"] for record in listed + named} == {None}
    for one, other in zip(listed, named, strict=True):
        np.testing.assert_array_equal(one["weights"], other["weights"])


def test_weights_found_jointly_by_a_function_of_the_losses(labels):
    asked = []

    def gentle(losses):
        asked.append(losses.shape)
        return l2_weights(losses, lam=10.0 * losses.mean())

    records = compare(labels, 3, weightings=[], weight_solvers=[gentle, "l2"], consensus=["robust-eac"], random_state=0)
    assert pairs(records) == [("gentle", "robust-eac"), ("l2", "robust-eac")]
    assert set(asked) == {(10,)}
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    for record, weighting in zip(records, (gentle, "l2"), strict=True):
        direct = solve_median_partition(labels, 3, weighting=weighting, random_state=np.random.RandomState(seed))
        np.testing.assert_array_equal(record["weights"], direct.weights)
    assert not np.array_equal(records[0]["weights"], records[1]["weights"])
    assert records[0]["scheme_seconds"] is None


def without_seconds(records):
    return [{key: value for key, value in record.items() if not key.endswith("seconds")} for record in records]


def test_every_repeat_has_its_seed_and_the_first_is_that_of_a_single_run(labels):
    chosen = {"y": TRUTH, "weightings": ["uniform", "l2"], "consensus": ["robust-eac", "kmeans"]}
    once = compare(labels, 3, **chosen, random_state=3)
    thrice = compare(labels, 3, **chosen, n_repeats=3, random_state=3)
    np.testing.assert_equal(without_seconds(thrice[: len(once)]), without_seconds(once))
    assert [record["repeat"] for record in thrice] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert {record["partitions"] for record in thrice} == {None}
    drawn = []

    def recorded(labels, n_clusters, *, weights, random_state):
        drawn.append(random_state.uniform())
        return labels[:, 0]

    compare(labels, 3, weightings=["uniform"], consensus=[recorded], n_repeats=4, random_state=0)
    assert len(set(drawn)) == 4


@pytest.mark.parametrize(("resample", "size"), [(0.5, 5), (0.01, 1), (1.0, 10), ("bootstrap", 10)])
def test_all_methods_of_a_repeat_see_the_partitions_that_it_drew(labels, resample, size):
    seen = []

    def scheme(labels, *, X, random_state):
        return np.ones(labels.shape[1])

    def recorded(labels, n_clusters, *, weights, random_state):
        seen.append(labels)
        return labels[:, 0]

    options = {"weightings": ["uniform", scheme], "consensus": [recorded], "n_repeats": 3, "resample": resample}
    records = compare(labels, 3, **options, random_state=0)
    assert len(records) == len(seen) == 6
    for record, given in zip(records, seen, strict=True):
        np.testing.assert_array_equal(given, labels[:, record["partitions"]])
        assert record["weights"].shape == record["partitions"].shape == (size,)
        assert record["ensemble_nmi"] == ensemble_nmi(labels, record["labels"])
        repeats = len(set(record["partitions"])) < size
        assert repeats == (resample == "bootstrap")
    by_repeat = [records[2 * repeat]["partitions"].tolist() for repeat in range(3)]
    assert by_repeat == [records[2 * repeat + 1]["partitions"].tolist() for repeat in range(3)]
    assert len({tuple(partitions) for partitions in by_repeat}) > 1 or resample == 1.0


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
    assert len(drawn["partition_names"]) == len(drawn["weights"]) > len(set(drawn["partition_names"]))


def test_what_a_consensus_function_returns_is_checked(labels):
    def short(labels, n_clusters, *, weights, random_state):
        return [0, 1]

    (record,) = compare(labels, 3, y=TRUTH, weightings=["uniform"], consensus=[short], random_state=0)
    assert record["error"].startswith("ValueError: what the function returns must have shape (24,)")


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
        ({"n_clusters": 0}, ValueError, "n_clusters must be in"),
        ({"y": [0, 1]}, ValueError, r"y must have shape \(3,\), one label per object, got \(2,\)"),
        ({"X": [[0.0]]}, ValueError, "X must have n_samples=3 rows"),
        ({"weightings": ["best"]}, ValueError, "an entry of weightings must be one of 'uniform'"),
        ({"weightings": "uniform"}, TypeError, "weightings must be a list of names or a dict"),
        ({"consensus": ["median"]}, ValueError, "an entry of consensus must be one of 'robust-eac'"),
        ({"consensus": {"kmeans": 3}}, TypeError, r"consensus\['kmeans'\] must be a function .*, or a name, got 3"),
        ({"consensus": {"k": "median"}}, ValueError, r"consensus\['k'\] must be one of 'robust-eac'"),
        ({"consensus": 3}, TypeError, "consensus must be a list of names or a dict of functions, .* got int 3"),
        ({"consensus": [first_alone]}, TypeError, r"an entry of consensus must be a function \(labels, n_clusters"),
        ({"weightings": {"a": lambda losses: losses}}, TypeError, r"one of the losses belongs in weight_solvers, got"),
        ({"weightings": [lambda labels, *, X, random_state: 1]}, ValueError, "weightings: a function without a name"),
        ({"weightings": [first_alone, renamed]}, ValueError, "weightings: two entries are called 'first_alone'"),
        ({"weight_solvers": [first_alone]}, TypeError, r"an entry of weight_solvers must be a function \(losses\)"),
        ({"weight_solvers": ["weac"]}, ValueError, "an entry of weight_solvers must be one of 'uniform'"),
        ({"weight_solvers": ["l2"]}, ValueError, "weight_solvers: 'l2' is a name in weightings too"),
        (
            {"weight_solvers": {"mine": np.square}, "consensus": ["kmeans"]},
            ValueError,
            "weight_solvers: 'mine' finds weights and consensus together and needs 'robust-eac' in consensus",
        ),
        ({"resample": "jackknife"}, ValueError, "resample must be a share, 'bootstrap' or None, got 'jackknife'"),
        ({"resample": 0.0}, ValueError, "resample must be greater than 0 and at most 1, got 0.0"),
        ({"dataset": 3}, TypeError, "dataset must be a text or None, got 3"),
        ({"time_limit": 0}, ValueError, "time_limit must be greater than 0, got 0.0"),
    ],
)
def test_errors(kwargs, error, match):
    arguments = {"n_clusters": 2} | kwargs
    with pytest.raises(error, match=match):
        compare(np.array([[0, 0], [0, 1], [1, 1]]), **arguments)
