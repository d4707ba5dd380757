"""RobustEAC's report: its numbers are those of the public functions, and its statements are true."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from robust_eac import (
    MergeConsensus,
    RobustEAC,
    adjusted_agreement,
    certify,
    consensus_lower_bound,
    partition_losses,
    solve_hard_median_partition,
    solve_median_partition_distributed,
)

from ..access import _summary, _wording
from ..conftest import planted_ensemble


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, np.repeat([0, 1, 2], 15), 12, noise=0.15, n_random=4)


def estimator(options):
    return MergeConsensus(3, random_state=0) if options == "merge" else RobustEAC(3, random_state=0, **options)


def _line(text, name):
    return next(line[len(name) :].strip() for line in text.splitlines() if line.startswith(name))


def _rows(text):
    """The table at the end: [(partition, weight, agreement)]."""
    table = text.split("\n\n")[-1].splitlines()
    assert table[0].split() == ["partition", "weight", "agreement"]
    return [tuple(line.split()) for line in table[1:]]


def test_a_dask_array_has_the_same_report_without_a_certificate(rng, missing):
    da = pytest.importorskip("dask.array")
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 20), 8, n_random=2, missing=missing)
    array = da.from_array(labels, chunks=(17, 8))
    model = RobustEAC(4, n_init=2, random_state=0).fit(array)
    membership = model.membership_.compute()
    text = model.summary(array)
    assert model.n_clusters_found_ == len(np.unique(model.labels_.compute()))
    assert _line(text, "confidence").startswith(f"{np.sum(membership.max(axis=1) < 0.9)} object")
    assert "8 partitions of 60 objects" in text
    assert "Dask" in _line(text, "bound")
    assert _line(text, "ambiguous") == "not counted"


def test_report_says_what_the_attributes_say(labels):
    model = RobustEAC(5, random_state=0).fit(labels)
    text = model.summary()
    assert len(text.splitlines()) <= 25
    assert max(map(len, text.splitlines())) <= 120
    assert "12 partitions of 45 objects" in text.splitlines()[0]
    sizes = np.bincount(model.labels_)
    assert model.n_clusters_found_ == len(sizes)
    found, rest = _line(text, "clusters").split(" found of 5 asked for; objects in each: ")
    assert int(found) == len(sizes)
    assert [int(size) for size in rest.split(", ")] == list(sizes)
    assert _line(text, "convergence") == f"converged: gap {model.gap_:.2g}"
    n_trusted = np.count_nonzero(model.weights_)
    assert _line(text, "weights") == f"{n_trusted} of 12 partitions have weight (restricted-simplex)"
    found = [float(value) for value in re.findall(r"-?\d\.\d{3}", _line(text, "agreement"))]
    assert found == pytest.approx([model.agreements_.mean(), model.weights_ @ model.agreements_], abs=1e-3)
    n_divided = np.sum(model.confidence_ < 0.9)
    share = f"{n_divided} objects ({100 * n_divided / 45:.1f} %)"
    assert n_divided > 1
    assert _line(text, "confidence") == f"{share} with a largest membership below 0.9"
    assert "per ordered pair" not in text


def test_the_table_has_both_ends_in_order(labels, monkeypatch):
    model = RobustEAC(3, weighting="l2", random_state=0).fit(labels)
    every = _rows(model.summary())
    monkeypatch.setattr(_wording, "_ALL_LISTED", 11)
    rows = _rows(model.summary())
    assert rows == [*every[:3], ("...",), *every[-3:]]
    order = np.lexsort((-model.agreements_, -model.weights_))
    assert [int(row[0]) for row in rows[:3] + rows[4:]] == [*order[:3], *order[-3:]]
    for number, weight, agreement in rows[:3] + rows[4:]:
        assert float(weight) == pytest.approx(model.weights_[int(number)], rel=1e-2, abs=1e-12)
        assert float(agreement) == pytest.approx(model.agreements_[int(number)], abs=1e-3)
    # The random partitions are the last four.
    assert {int(row[0]) for row in rows[4:]} <= {8, 9, 10, 11}


def test_names_of_partitions_that_come_without(labels):
    model = RobustEAC(3, random_state=0).fit(labels[:, :5])
    frame = pd.DataFrame(labels[:, :5], columns=list("abcde"))
    assert model.summary(names=frame.columns) == RobustEAC(3, random_state=0).fit(frame).summary()
    text = model.summary(names=["run 0", "b", "c", "d", "a very long name of a partition"])
    assert "run 0" in text
    assert "a very lo... a partition " in text


@pytest.mark.parametrize("agreement", ["raw", "adjusted"])
def test_an_unconverged_fit_is_reported(labels, agreement):
    with pytest.warns(ConvergenceWarning):
        model = RobustEAC(3, agreement=agreement, tol=1e-12, max_iter=1, n_init=1, random_state=0).fit(labels)
    text = model.summary()
    assert _line(text, "convergence").startswith("NOT converged")
    assert _line(text, "convergence").endswith(f"to tol 1e-12: gap {model.gap_:.2g}")
    assert "of 3 asked for" in text
    assert "restricted-simplex" in text
    # The report is about the fit, whatever the parameters are now.
    assert model.set_params(tol=1.0, n_clusters=9, weighting="l2", agreement="auto").summary() == text


@pytest.mark.parametrize(("n_clusters", "how"), [(5, "5 found of 5 asked for"), ("auto", "3 found by stability")])
def test_report_on_a_merged_consensus(labels, n_clusters, how):
    model = MergeConsensus(n_clusters, random_state=0).fit(labels)
    text = model.summary()
    _, found, sure, _ = (part.splitlines() for part in text.split("\n\n"))
    assert [line[:11].rstrip() for line in found] == ["clusters", "weights", "agreement", "no weight"]
    assert [line.split()[0] for line in sure] == ["How", "confidence"]
    assert max(map(len, text.splitlines())) <= 120
    sizes = ", ".join(map(str, np.bincount(model.labels_)))
    assert _line(text, "clusters") == f"{how}; objects in each: {sizes}"
    assert _line(text, "weights") == "8 of 12 partitions have weight (the trusted ones, with equal weights)"
    worst = 8 + np.argsort(model.agreements_[8:])
    assert _line(text, "no weight") == ", ".join(map(str, worst[:3])) + " and 1 more"
    agreements = adjusted_agreement(labels, np.eye(model.n_clusters_found_)[model.labels_])
    found = [float(value) for value in re.findall(r"-?\d\.\d{3}", _line(text, "agreement"))]
    assert found == pytest.approx([agreements.mean(), agreements[:8].mean()], abs=1e-3)
    assert [weight for _, weight, _ in _rows(text)] == ["0.125"] * 8 + ["0"] * 4


@pytest.mark.parametrize("weight", [None, np.arange(45) % 3 + 1.0])
def test_with_the_labels_two_rows_certify_the_fit(labels, weight):
    model = RobustEAC(3, n_init=2, random_state=0).fit(labels, sample_weight=weight)
    hard = np.eye(3)[model.labels_]
    agreements = adjusted_agreement(labels, hard, sample_weight=weight)
    assert_allclose(model.agreements_, agreements, atol=1e-12)
    plain, text = model.summary().splitlines(), model.summary(labels, weight).splitlines()
    assert max(map(len, text)) <= 120
    ambiguous, bound = (line for line in text if line not in plain)
    assert [line for line in text if line in plain] == plain
    sure = [line.split()[0] for line in "\n".join(text).split("\n\n")[2].splitlines()]
    assert sure == ["How", "ambiguous", "confidence", "labels", "bound", "convergence"]
    least = consensus_lower_bound(labels, n_clusters=3, weights=model.weights_, sample_weight=weight).bound
    stated = re.search(r"at most (\S+) %", bound)
    excess = 100 * (model.weights_ @ model.losses_ / least - 1.0)
    assert excess <= float(stated[1]) <= max(1.1 * excess, 0.1)
    # The report is about the fit, whatever the parameters are now, and with names.
    model.set_params(n_clusters=2, agreement="adjusted")
    assert model.summary(pd.DataFrame(labels), weight).splitlines() == text
    assert pickle.loads(pickle.dumps(model)).summary(list(labels.T), weight).splitlines() == text
    if weight is None:
        loss = model.weights_ @ partition_losses(labels, hard) / 45**2
        n_ambiguous = np.sum(certify(labels, hard, weights=model.weights_).move_costs < 0.05 * loss)
        assert f"{n_ambiguous} object" in ambiguous
        assert f"({100 * n_ambiguous / 45:.1f} %) can move to another cluster at little cost" in ambiguous
        model.labels_ = np.where(np.arange(45) < 4, (model.labels_ + 1) % 3, model.labels_)
        assert int(_line(model.summary(labels), "ambiguous").split()[0]) >= 4


def _distributed(labels, n_clusters, **options):
    da = pytest.importorskip("dask.array")
    array = da.from_array(np.asarray(labels), chunks=(20, labels.shape[1]))
    return solve_median_partition_distributed(array, n_clusters, **options)


@pytest.mark.parametrize(
    "solve", [lambda labels, k, **how: RobustEAC(k, **how).fit(labels), solve_hard_median_partition, _distributed]
)
def test_a_partition_with_most_of_the_weight_is_told(labels, solve):
    frame = pd.DataFrame(labels).add_prefix("run ")
    named = "" if solve is _distributed else "run "
    told = f"nearly a copy of partition {named}2 (or joins its clusters), which has 1.00 of the weight"

    def on_one(losses):
        return np.eye(len(losses))[2]

    with pytest.warns(UserWarning, match=re.escape(told)):
        result = solve(frame, 3, weighting=on_one, random_state=0)
    if solve is not _distributed:
        text = result.summary(frame)
        assert _line(text, "most weight") == told
        assert max(map(len, result.summary(frame, names=["x" * 30] * 12).splitlines())) <= 120
    fixed = np.eye(12)[2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = solve(frame, 3, weighting=fixed, random_state=0)
        solve(frame.iloc[:, :4], 3, weighting=on_one, random_state=0)
        solve(frame, 1, weighting=on_one, random_state=0)
    if solve is not _distributed:
        assert "most weight" not in result.summary(frame)


@pytest.mark.parametrize(("options", "reason"), [({"agreement": "adjusted"}, "chance"), ("merge", "merging")])
def test_where_there_is_no_bound_the_report_says_why(labels, options, reason):
    model = estimator(options).fit(labels)
    text = model.summary(labels)
    assert reason in _line(text, "bound")
    assert re.match(r"\d+ objects? \(\d+\.\d %\)", _line(text, "ambiguous"))


@pytest.mark.parametrize("options", [{}, "merge"])
def test_only_the_ensemble_that_was_fitted_certifies(labels, options):
    model = estimator(options)
    for call in (model.summary, model.to_html):
        with pytest.raises(NotFittedError):
            call(labels)
    model.fit(labels)
    for wrong in (labels[:-1], labels[:, :-1], labels[np.random.RandomState(0).permutation(45)], labels[:, ::-1]):
        with pytest.raises(ValueError, match="fit"):
            model.summary(wrong)
    with pytest.raises(ValueError, match="sample_weight"):
        model.summary(labels, np.arange(1.0, 46.0))
    frame = pd.DataFrame(labels).add_prefix("u")
    with pytest.raises(ValueError, match="order"):
        model.fit(frame).summary(frame.iloc[:, ::-1])


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.001"), (0.65001, "0.66"), (0.65, "0.65"), (12.01, "13"), (48.0, "48"), (312.0, "320")]
)
def test_distances_are_rounded_up(value, text):
    assert _summary._at_most(value) == text


def test_a_bound_of_zero_has_a_distance_without_percent():
    labels = np.tile(np.arange(40)[:, np.newaxis] % 4, 6)
    model = RobustEAC(4, n_init=1, tol=0.05, random_state=0).fit(labels)
    assert model.losses_.max() > 0.0
    assert f"at most {model.weights_ @ model.losses_ / 1600:.2g} per" in _line(model.summary(labels), "bound")
    model.set_params(tol=1e-9, init=labels[:, 0]).fit(labels)
    assert _line(model.summary(labels), "bound").startswith("the loss is at most 0.001 %")
