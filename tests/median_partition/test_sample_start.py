"""Starts that begin on a quarter of the objects, or on a quarter of that."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robust_eac import WEIGHT_SOLVERS, adjusted_rand_score, optimality_gap, solve_median_partition

from ..access import _starts, check_ensemble, draw_quarter, encode, encode_ensemble
from ..conftest import planted_ensemble

TRUTH = np.arange(1200) % 3


@pytest.fixture
def small_quarters(monkeypatch):
    monkeypatch.setattr(_starts, "_QUARTER", 120)
    monkeypatch.setattr(_starts, "_PER_CLUSTER", 1)


def solve(labels, **options):
    return solve_median_partition(labels, 3, n_init=1, random_state=0, **options)


def left_at_the_start(found, whole, labels, **options):
    """What is left, at the start of a fit, of the way from a random start (1) to the minimum for equal weights (0)."""
    equal = solve(labels, weighting="uniform", **options)
    # All weights are equal at the start, so that regularisers cancel.
    gained = whole.objective_history[0] - found.objective_history[0]
    return 1.0 - gained / (equal.objective_history[0] - equal.objective)


@pytest.mark.usefixtures("small_quarters")
@pytest.mark.parametrize("weighting", WEIGHT_SOLVERS)
@pytest.mark.parametrize("case", ["raw", "adjusted", "incomplete and weighted"])
def test_result_is_a_solution_for_all_objects(rng, monkeypatch, weighting, case):
    labels, options = planted_ensemble(rng, TRUTH, 20, noise=0.2, n_random=4), {}
    if case == "incomplete and weighted":
        labels[rng.uniform(size=labels.shape) < 0.2] = -1
        options["sample_weight"] = rng.choice([0.0, 0.5, 1.0, 3.0], size=1200)
    found = solve(labels, weighting=weighting, agreement="adjusted" if case == "adjusted" else "raw", **options)
    assert found.converged
    assert np.all(np.diff(found.objective_history) <= 1e-12 * abs(found.objective))
    if case == "adjusted":
        # Some weightings end with one partition alone: which one depends on the start.
        return
    assert adjusted_rand_score(TRUTH, found.labels) > (0.95 if options else 1.0 - 1e-12)
    gap = optimality_gap(labels, found.membership, weights=found.weights, **options)
    assert gap <= 1e-5 or weighting == "chance-corrected"
    monkeypatch.setattr(_starts, "_QUARTER", 10**9)
    whole = solve(labels, weighting=weighting, agreement="raw", **options)
    assert found.objective == pytest.approx(whole.objective, rel=1e-3)
    # A start from the quarter leaves little to improve.
    assert left_at_the_start(found, whole, labels, **options) < 0.2


@pytest.mark.usefixtures("small_quarters")
def test_objects_are_drawn_as_often_as_they_weigh(rng):
    labels = planted_ensemble(rng, TRUTH, 20, noise=0.2)
    weight = np.where(TRUTH == 0, 8.0, 1.0)
    encoding = encode_ensemble(check_ensemble(labels), weight)
    drawn = [draw_quarter(encoding, 3, np.random.RandomState(seed)) for seed in range(50)]
    assert all(quarter.partitions.total == pytest.approx(weight.sum()) for quarter in drawn)
    share = np.mean([quarter.partitions.sizes / quarter.partitions.total for quarter in drawn], axis=0)
    assert_allclose(share, encoding.partitions.sizes / encoding.partitions.total, atol=0.03)


@pytest.mark.usefixtures("small_quarters")
def test_no_quarter_that_is_too_small(rng):
    labels = planted_ensemble(rng, TRUTH, 6, noise=0.2)
    # A partition that observes a tenth of the objects, and one with hundreds of clusters, need larger quarters.
    hidden, fine = labels.copy(), np.column_stack([np.arange(1200) % 400, labels[:, 1:]])
    hidden[rng.permutation(1200)[120:], 0] = -1
    for ensemble, pays in ((labels[:480], True), (labels[:479], False), (hidden, False), (fine, False)):
        assert (draw_quarter(encode(ensemble), 3, np.random.RandomState(0)) is not None) == pays


@pytest.mark.usefixtures("small_quarters")
@pytest.mark.parametrize(("weighting", "missing"), [("restricted-simplex", 0.0), ("chance-corrected", 0.1)])
def test_very_many_objects_are_solved_from_quarters_of_them(rng, monkeypatch, capsys, weighting, missing):
    monkeypatch.setattr(_starts, "_QUARTER", 60)
    truth = np.arange(6000) % 3
    labels = planted_ensemble(rng, truth, 20, noise=0.3, n_random=6, missing=missing)

    def solve(**options):
        return solve_median_partition(labels, 3, weighting=weighting, random_state=0, **options)

    result = solve(n_init=2, verbose=1, n_jobs=2)
    told = capsys.readouterr().out
    assert result.converged
    assert optimality_gap(labels, result.membership, weights=result.weights) <= 1e-5 or weighting == "chance-corrected"
    assert adjusted_rand_score(truth, result.labels) > 0.99
    # Starts on a quarter of a quarter of a quarter; their distinct ends on a quarter of a quarter; the best of them.
    solved = [int(size) for size in re.findall(r"^start \d/2: solution of (\d+) objects", told, flags=re.MULTILINE)]
    assert len(set(solved)) == 3 <= len(solved) <= 4
    assert solved == sorted(solved)
    assert told.index("start 2/2: ") < told.index("solution of ")
    assert np.array_equal(solve(n_init=2, n_jobs=1).membership, result.membership)
    monkeypatch.setattr(_starts, "_QUARTER", 10**9)
    whole = solve(n_init=1)
    assert result.objective == pytest.approx(whole.objective, rel=1e-3)
    agreement = "adjusted" if weighting == "chance-corrected" else "raw"
    assert left_at_the_start(result, whole, labels, agreement=agreement) < 0.05
