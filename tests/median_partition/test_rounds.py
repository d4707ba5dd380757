"""Sweeps in rounds of blocks: never uphill, and the same for any number of threads."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ..access import (
    Visit,
    _formula,
    _model,
    _sweep,
    accumulate,
    check_ensemble,
    corrected_objective,
    encode,
    encode_ensemble,
    frank_wolfe_gaps,
    gap_of,
    gap_unit,
    losses_at,
    raw_objective,
    reduce_rows,
    statistics_of,
    sweep,
    visit,
    visiting_order,
)
from ..conftest import random_ensemble, random_membership
from .test_dense_reference import cases, random_sample_weight
from .test_several_starts import peak_of


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    # Blocks as short as that although copies of the matrices cost more than their visits.
    for name, value in {"_IN_ROUNDS": 0, "_MIN_BLOCK": 3, "_ROUNDS": 10**9, "_COPIES": 0}.items():
        monkeypatch.setattr(_sweep, name, value)
    for module in (_formula, _model):
        monkeypatch.setattr(module, "IN_PARTS", 0)


def problem(rng, missing, weighted, n=60, m=5, k=3):
    labels = random_ensemble(rng, n, m, missing=missing)
    weight = random_sample_weight(rng, n, weighted)
    encoding, _ = reduce_rows(encode_ensemble(check_ensemble(labels), weight), None)
    weights = rng.uniform(0.1, 1.0, size=m)
    return encoding, random_membership(rng, encoding.n_rows, k), weights / weights.sum()


@cases
@pytest.mark.parametrize("relaxation", [1.0, 1.6])
def test_objective_never_rises_and_matrices_follow(rng, missing, weighted, relaxation):
    encoding, rows, weights = problem(rng, missing, weighted)
    before = weights @ losses_at(encoding, rows)
    statistics, total = statistics_of(encoding, weights, rows), encoding.partitions.total
    violations = encoding.rows.multiplicity @ frank_wolfe_gaps(encoding.visited, rows, statistics)
    gap = gap_of(encoding.visited, rows, statistics, total, n_threads=3)
    assert gap == pytest.approx(violations / gap_unit(total), rel=1e-9)
    for _ in range(30):
        sweep(encoding, statistics, rows, visiting_order(len(rows), rng), relaxation=relaxation)
        value = weights @ losses_at(encoding, rows)
        assert value <= before + 1e-12 * total**2
        before = value
    fresh = statistics_of(encoding, weights, rows)
    assert_allclose(statistics.T, fresh.T, rtol=0, atol=1e-10)
    assert_allclose(statistics.Q, fresh.Q, rtol=0, atol=1e-10)
    # It has converged.
    assert gap_of(encoding.visited, rows, fresh, total) < 1e-3


@pytest.mark.parametrize("relaxation", [1.0, 1.6])
@pytest.mark.parametrize("kind", [raw_objective, corrected_objective])
@cases
def test_visits_return_the_fall_of_the_objective(rng, missing, weighted, kind, relaxation):
    encoding, rows, weights = problem(rng, missing, weighted)
    objective = kind(encoding, rows.shape[1])
    read, statistics = objective.model(weights, objective.measure(rows)).of(encoding)
    alone, multiplicity = statistics.own[:, 2], encoding.rows.multiplicity

    def model_value(rows):
        """sum of mask_coef |G|^2 - 2 sum of coef |S|^2, and what the pairs (i, i) add."""
        S, G = accumulate(encoding, rows)
        if kind is corrected_objective:
            S = np.concatenate([S, (multiplicity * encoding.rows.observed.T) @ rows])
        value = statistics.mask_coef @ (G**2).sum(axis=(1, 2)) - 2.0 * statistics.slot_coef @ (S**2).sum(axis=1)
        square = (rows**2).sum(axis=1)
        return value - 2.0 * np.sum(multiplicity * alone * square)

    before, falls = model_value(rows), 0.0
    for i in rng.permutation(len(rows)):
        _, fall = visit(read, statistics, rows, np.array([i]), Visit(4, 0.0, relaxation))
        assert fall <= 0.0
        falls += fall
    assert falls < 0.0
    assert model_value(rows) - before == pytest.approx(falls, rel=1e-9)


def test_blocks_that_would_raise_the_objective_together_follow_one_another(rng, monkeypatch):
    # Eight objects, each a block of its own: each moves to where the others were before the round.
    monkeypatch.setattr(_sweep, "_MIN_BLOCK", 1)

    def largest_rise():
        rises = []
        for seed in range(40):
            state = np.random.RandomState(seed)
            encoding, rows, weights = problem(state, 0.0, False, n=8, m=4, k=2)
            statistics = statistics_of(encoding, weights, rows)
            before = weights @ losses_at(encoding, rows)
            sweep(encoding, statistics, rows, state.permutation(len(rows)))
            rises.append(weights @ losses_at(encoding, rows) - before)
        return max(rises)

    assert largest_rise() <= 1e-12
    monkeypatch.setattr(_sweep, "_interaction", lambda *_: -np.inf)
    assert largest_rise() > 1e-3


def test_parts_add_up(rng, monkeypatch):
    encoding, rows, _ = problem(rng, 0.3, True)
    parts = accumulate(encoding, rows, n_threads=2)
    for module in (_formula, _model):
        monkeypatch.setattr(module, "IN_PARTS", len(rows) + 1)
    for matrix, expected in zip(parts, accumulate(encoding, rows), strict=True):
        assert_allclose(matrix, expected, rtol=1e-12, atol=1e-14)


def test_few_copies_of_the_matrices_are_in_memory_at_a_time(rng):
    encoding = encode(np.column_stack([rng.permutation(4000) // 2 for _ in range(4)]))
    rows, weights = random_membership(rng, 4000, 8), np.full(4, 0.25)
    statistics, order = statistics_of(encoding, weights, rows), np.arange(24)

    def peak_in_copies(function):
        function()
        return peak_of(function) / statistics.T.nbytes

    assert peak_in_copies(lambda: accumulate(encoding, rows)) < 5
    # The steps of eight blocks have to be kept.
    assert peak_in_copies(lambda: sweep(encoding, statistics, rows, order)) < 13
