"""Comparison in one call: what is run, what is graded, and what happens when a run fails."""

import numpy as np
import pytest

from robust_eac import (
    CONSENSUS_FUNCTIONS,
    WEIGHT_SOLVERS,
    WEIGHTING_SCHEMES,
    adjusted_rand_score,
    agreement_weights,
    compare,
    density,
    ensemble_nmi,
    h_criterion,
    kmeans_consensus,
    load_dataset,
    normalized_mutual_information,
    solve_median_partition,
)
from robust_eac.weighting.schemes import FEATURE_SCHEMES

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


@pytest.mark.parametrize(
    ("kwargs", "error", "match"),
    [
        ({"n_clusters": 0}, ValueError, "n_clusters must be in"),
        ({"y": [0, 1]}, ValueError, r"y must have shape \(3,\), one label per object, got \(2,\)"),
        ({"X": [[0.0]]}, ValueError, "X must have n_samples=3 rows"),
        ({"weightings": ["best"]}, ValueError, "an entry of weightings must be one of 'uniform'"),
        ({"weightings": "uniform"}, TypeError, "weightings must be a list of names or a dict"),
        ({"consensus": ["median"]}, ValueError, "an entry of consensus must be one of 'robust-eac'"),
        ({"consensus": {"kmeans": "kmeans"}}, TypeError, r"consensus\['kmeans'\] must be a function"),
    ],
)
def test_errors(kwargs, error, match):
    arguments = {"n_clusters": 2} | kwargs
    with pytest.raises(error, match=match):
        compare(np.array([[0, 0], [0, 1], [1, 1]]), **arguments)
