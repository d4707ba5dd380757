"""Sweeps of fixed weights: when columns are over-relaxed, and when a descent ends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robust_eac import KMeansEnsemble, load_dataset

from ..access import (
    _alternation,
    _model,
    _objective,
    descend,
    encode,
    next_relaxation,
    raw_objective,
    weighted_statistics,
)
from ..conftest import random_membership

TOL = 1e-6


@pytest.fixture(scope="module")
def encoding():
    """A k-means ensemble, where sweeps are slow."""
    features, _ = load_dataset("iris")
    return encode(KMeansEnsemble(50, (3, 15), random_state=0).fit_transform(features))


def descents(encoding, seed, n_starts=6):
    """(number of sweeps, gap reported, gap measured) from several starts."""
    rng, results = np.random.RandomState(seed), []
    weights = np.full(encoding.partitions.n_partitions, 1.0 / encoding.partitions.n_partitions)
    for _ in range(n_starts):
        rows = random_membership(rng, encoding.n_rows, 3)
        gap, n_sweeps, state = descend(raw_objective(encoding, 3), weights, rows, tol=TOL, max_sweeps=1000, rng=rng)
        statistics = weighted_statistics(encoding, weights, state.S, state.G)
        results.append((n_sweeps, gap, _model.gap_of(encoding.visited, rows, statistics, encoding.partitions.total)))
    return np.array(results)


@pytest.fixture
def relaxations(monkeypatch):
    """The relaxation of every sweep."""
    seen, sweep = [], _objective.sweep

    def spy(encoding, statistics, rows, order, how, **options):
        seen.append(how.relaxation)
        return sweep(encoding, statistics, rows, order, how, **options)

    monkeypatch.setattr(_objective, "sweep", spy)
    return seen


def test_ends_at_a_gap_that_was_measured(encoding, seed, relaxations):
    _, reported, measured = descents(encoding, seed, 1).T
    assert_allclose(reported, measured, rtol=1e-9)
    assert reported.max() <= TOL
    assert max(relaxations) > 1.0
    assert relaxations[-1] == 1.0


@pytest.mark.parametrize(
    ("name", "off", "gain"),
    [("_RELAXATION", 1.0, 1.8), ("_CLOSED", np.inf, 1.1)],
    ids=["no relaxation", "no plain sweep at the end"],
)
def test_slow_descents_take_fewer_sweeps(encoding, monkeypatch, name, off, gain):
    with_it = descents(encoding, 0, 18)[:, 0].sum()
    monkeypatch.setattr(_alternation, name, off)
    assert descents(encoding, 0, 18)[:, 0].sum() >= gain * with_it


def test_relaxed_while_slow_and_plain_to_the_target():
    relaxed = next_relaxation(1.0, 0.9, 1.0, target=0.0)
    assert relaxed > 1.0
    for before in (1.0, relaxed):
        for gap, target, expected in (
            (0.9, 0.0, relaxed),
            (0.4, 0.0, 1.0),
            (0.9, 0.8, 1.0 if before > 1.0 else relaxed),
        ):
            assert next_relaxation(before, gap, 1.0, target=target) == expected
