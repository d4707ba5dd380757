"""Sweeps of fixed weights: when columns are over-relaxed, and when a descent ends."""

import numpy as np
import pytest

from robust_eac import KMeansEnsemble, load_dataset

from ..access import RawObjective, _alternation, _raw, descend, encode, gap_of, next_relaxation, weighted_statistics
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
    weights = np.full(len(encoding.partitions.offsets), 1.0 / len(encoding.partitions.offsets))
    for _ in range(n_starts):
        rows = random_membership(rng, len(encoding.rows.codes), 3)
        gap, n_sweeps, state = descend(RawObjective(encoding, 3), weights, rows, tol=TOL, max_sweeps=1000, rng=rng)
        statistics = weighted_statistics(encoding, weights, state.S, state.G)
        results.append((n_sweeps, gap, gap_of(encoding.visited, rows, statistics, encoding.partitions.total)))
    return np.array(results)


@pytest.fixture
def relaxations(monkeypatch):
    """The relaxation of every sweep."""
    seen, sweep = [], _raw.sweep

    def spy(encoding, statistics, rows, order, how, **options):
        seen.append(how.relaxation)
        return sweep(encoding, statistics, rows, order, how, **options)

    monkeypatch.setattr(_raw, "sweep", spy)
    return seen


def test_ends_at_a_gap_that_was_measured(encoding, seed, relaxations):
    _, reported, measured = descents(encoding, seed, 1).T
    np.testing.assert_allclose(reported, measured, rtol=1e-9)
    assert reported.max() <= TOL
    assert max(relaxations) > 1.0
    assert relaxations[-1] == 1.0


class Told:
    """Steps with given gaps, which record what is asked of them."""

    def __init__(self, gaps, seen):
        self.gaps = iter(gaps)
        self.seen = iter(seen)
        self.asked = []

    def gap(self):
        self.asked.append("gap")
        return next(self.gaps)

    def sweep(self, relaxation):
        self.asked.append("sweep")
        return next(self.seen)

    def refresh(self):
        self.asked.append("refresh")


@pytest.mark.parametrize(
    ("far", "max_sweeps", "gaps", "asked", "returned"),
    [
        pytest.param(False, 9, [1.0], "gap sweep sweep refresh", (0.05, 2), id="to a tenth of the gap on entry"),
        pytest.param(True, 9, [], "sweep sweep refresh", (0.05, 2), id="to a tenth of what the first sweep tells"),
        pytest.param(False, 9, [1e-4], "gap", (1e-4, 0), id="stationary already"),
        pytest.param(True, 0, [1.0], "gap", (1.0, 0), id="no sweeps allowed"),
        pytest.param(True, 1, [0.3], "sweep refresh gap", (0.3, 1), id="one sweep allowed: the last gap is exact"),
    ],
)
def test_what_a_descent_measures(far, max_sweeps, gaps, asked, returned):
    steps = Told(gaps, [0.8, 0.1])
    assert _alternation.descend(steps, tol=1e-3, max_sweeps=max_sweeps, reduction=0.1, far=far) == pytest.approx(
        returned
    )
    assert " ".join(steps.asked) == asked


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
        for gap, target, expected in ((0.9, 0.0, relaxed), (0.4, 0.0, 1.0), (0.9, 0.8, relaxed + 1.0 - before)):
            assert next_relaxation(before, gap, 1.0, target=target) == expected
