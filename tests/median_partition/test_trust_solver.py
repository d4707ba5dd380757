"""Trust in the solver: chance-corrected weighting."""

from functools import partial
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

from robust_eac import (
    ChanceCorrected,
    adjusted_agreement,
    chance_corrected_weights,
    partition_losses,
    solve_median_partition,
)

from ..access import _several_starts, trust
from ..conftest import planted_ensemble
from ..diagnostics.test_agreement import random_partitions

TRUTH = np.repeat([0, 1, 2], [30, 40, 50])


def noisy_planted(rng, fraction, m=40):
    good = planted_ensemble(rng, TRUTH, m - round(fraction * m), noise=0.3)
    return np.column_stack([good, random_partitions(rng, 120, round(fraction * m))]), np.arange(m) >= good.shape[1]


def solve(labels, k=3, **options):
    return solve_median_partition(
        labels, k, **({"weighting": "chance-corrected", "n_init": 2, "random_state": 0} | options)
    )


@pytest.mark.parametrize("fraction", [0.5, 0.8, 0.9])
def test_no_weight_on_random_partitions(rng, fraction):
    labels, corrupted = noisy_planted(rng, fraction)
    result = solve(labels)
    assert np.array_equal(result.weights > 0.0, ~corrupted)
    oracle = solve(labels[:, ~corrupted], weighting="uniform")
    assert adjusted_rand_score(result.labels, oracle.labels) > 0.95


def test_where_all_are_trusted_it_is_no_weighting_bit_for_bit(rng):
    complete = planted_ensemble(rng, TRUTH, 12, noise=0.2)
    for labels in (complete, np.where(rng.uniform(size=complete.shape) < 0.2, -1, complete)):
        for agreement, weight in product(("adjusted", "raw"), (None, rng.uniform(0.2, 3.0, size=120))):
            options = {"agreement": agreement, "sample_weight": weight}
            ours, plain = (solve(labels, weighting=name, **options) for name in ("chance-corrected", "uniform"))
            for one, other in zip(ours, plain, strict=True):
                assert np.array_equal(one, other)


@pytest.mark.parametrize("case", ["hard", "raw distance", "missing", "weighted", "normalised weights", "weak"])
def test_result_is_what_it_says_and_a_fixpoint(rng, case):
    labels, options = noisy_planted(rng, 0.6)[0], {"agreement": "raw"} if case == "raw distance" else {}
    if case == "weak":
        labels = np.column_stack([planted_ensemble(rng, TRUTH, 6, noise=noise) for noise in (0.2, 0.7, 0.8, 0.9)])
    if case == "missing":
        labels[rng.uniform(size=(120, 40)) < 0.3] = -1
    weights = {"weighted": np.r_[np.zeros(5), rng.uniform(0.2, 3.0, size=115)], "normalised weights": [1 / 120] * 120}
    options["sample_weight"] = weight = weights.get(case)
    raw = options.get("agreement") == "raw"
    result = solve(labels, **options)
    agreement = adjusted_agreement(labels, result.membership, sample_weight=weight)
    confirmed = chance_corrected_weights(np.maximum(1.0 - agreement, 0.0), expected=1.0)
    trusted = result.weights > 0.0
    # The last consensus confirms all that are trusted; what was withdrawn before does not come back.
    assert np.array_equal(trusted & (confirmed > 0.0), trusted)
    assert_allclose(result.weights[trusted], 1.0 / trusted.sum(), rtol=1e-12)
    losses = partition_losses(labels, result.membership, sample_weight=weight) if raw else 1.0 - agreement
    assert result.objective == pytest.approx(result.weights @ losses, rel=1e-8)
    assert result.converged
    if case != "weak":
        assert np.array_equal(trusted, np.arange(40) < 16)


def test_partitions_that_the_group_missed_can_be_added(rng, monkeypatch):
    labels, corrupted = noisy_planted(rng, 0.5)
    for n in (4, 40):
        monkeypatch.setattr(trust, "largest_group", lambda pairs, level, n=n: np.arange(40) < n)
        assert np.array_equal(solve(labels).weights > 0.0, ~corrupted)


@pytest.mark.parametrize("rule", ["flips", "one by one"])
def test_alternation_with_trust_stops_whatever_the_rule(rng, monkeypatch, rule):
    m = 8
    labels, steps = planted_ensemble(rng, TRUTH, m, noise=0.4), []

    def adversary(losses):
        flips = (np.arange(m) % 2 == len(steps) % 2) + 1.0 * (len(steps) % 3 == 0)
        weights = flips if rule == "flips" else 1.0 * (np.arange(m) >= len(steps) - 1)
        return weights / weights.sum()

    monkeypatch.setattr(ChanceCorrected, "update", lambda self, losses: adversary(losses))
    monkeypatch.setattr(trust, "largest_group", lambda pairs, level: None)

    def counted(begin, problem, *args, **options):
        steps.append(problem.weighting.solve(None) > 0.0)
        assert len(steps) <= m + 1
        return begin(problem, *args, **options)

    for name in ("first_state", "resumed"):
        monkeypatch.setattr(_several_starts, name, partial(counted, getattr(_several_starts, name)))
    result = solve(labels, n_init=1)
    # After the first update trust is only withdrawn.
    for before, after in pairwise(steps[1:]):
        assert np.all(before | ~after)
        assert after.sum() < before.sum()
    assert result.weights.sum() == pytest.approx(1.0)
    assert np.array_equal(result.weights > 0.0, steps[-1])


@pytest.mark.filterwarnings("ignore:No two partitions agree")
def test_trivial_problems(rng):
    alone = np.tile(np.arange(8)[:, np.newaxis], 4)
    for labels, k in ((noisy_planted(rng, 0.5)[0], 1), (np.zeros((20, 4), dtype=int), 3), (alone, 8)):
        assert_allclose(solve(labels, k).weights, 1.0 / labels.shape[1])
