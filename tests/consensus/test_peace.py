"""PEACE against plain loops over pairs; its steps against what ends a search along a line."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from robust_eac import CONSENSUS_FUNCTIONS, solve_peace

from ..access import _consensus_common, encode
from ..access import _peace as module
from ..conftest import random_ensemble, random_membership

_MARGIN, sample_pairs = module._MARGIN, module._sample
DIVERGENCES = pytest.mark.parametrize("kl", [False, True], ids=["l2", "kl"])


def pair_values(labels, weights, i, j):
    """(N_ij, c_ij) of one pair."""
    both = (labels[i] != -1) & (labels[j] != -1)
    N = weights[both].sum()
    return N, weights[both & (labels[i] == labels[j])].sum() / N if N else np.nan


def plain_divergence(c, p, kl):
    if not kl:
        return (c - p) ** 2
    return (c * np.log(c / p) if c > 0 else 0.0) + ((1 - c) * np.log((1 - c) / (1 - p)) if c < 1 else 0.0)


def plain_objective(pairs, Y, kl):
    """Sum over the stored entries, each pair being stored twice."""
    first = np.repeat(np.arange(len(Y)), np.diff(pairs.starts))
    stored = zip(first, pairs.partners, pairs.N, pairs.c, strict=True)
    return sum(N * plain_divergence(c, Y[i] @ Y[j], kl) for i, j, N, c in stored) / 2


def state_of(pairs, Y, kl):
    state = module.PeaceState(Y, np.empty_like(Y), np.empty(len(Y)))
    module.all_gradients(pairs, kl, state)
    return state


@pytest.fixture
def problem(rng):
    labels, weights = random_ensemble(rng, 12, 6, missing=0.3), rng.dirichlet(np.ones(6))
    return labels, weights, sample_pairs(encode(labels), weights, None, rng)


def test_pairs_are_all_that_some_partition_observes(problem):
    labels, weights, pairs = problem
    first = np.repeat(np.arange(12), np.diff(pairs.starts)).tolist()
    stored = {(*pair, name): x for name, x in (("N", pairs.N), ("c", pairs.c))
              for *pair, x in zip(first, pairs.partners.tolist(), x, strict=True)}  # fmt: skip
    expected = {}
    for i, j in permutations(range(12), 2):
        N, c = pair_values(labels, weights, i, j)
        if N:
            expected |= {(i, j, "N"): N, (i, j, "c"): c}
    assert stored == pytest.approx(expected, rel=1e-12)


def test_every_object_has_partners_and_no_pair_is_sampled_twice(rng):
    encoding, weights = encode(random_ensemble(rng, 300, 5)), np.full(5, 0.2)
    pairs = sample_pairs(encoding, weights, 3, rng)
    first = np.repeat(np.arange(300), np.diff(pairs.starts))
    drawn = set(zip(first.tolist(), pairs.partners.tolist(), strict=True))
    assert 0.9 * 2 * 3 * 300 < len(drawn) == len(first) <= 2 * 3 * 300
    assert all((j, i) in drawn and i != j for i, j in drawn)
    assert np.diff(pairs.starts).min() >= 1
    assert len(sample_pairs(encoding, weights, 150, rng).partners) == 300 * 299


@DIVERGENCES
def test_objective_and_gradient(rng, problem, kl):
    _, _, pairs = problem
    Y, h = random_membership(rng, 12, 3), 1e-6
    value = module.total_divergence(pairs, kl, Y)
    assert value == pytest.approx(plain_objective(pairs, Y, kl), rel=1e-12)
    _, g, gaps, *_ = state_of(pairs, Y, kl)
    for i, q in np.ndindex(12, 3):
        step = np.zeros((12, 3))
        step[i, q] = h
        slope = (plain_objective(pairs, Y + step, kl) - plain_objective(pairs, Y - step, kl)) / (2 * h)
        assert g[i, q] == pytest.approx(slope, abs=1e-6)
    assert_allclose(gaps, np.ptp(g, axis=1))


def test_the_continued_divergence_is_smooth_and_convex():
    for c in (0.0, 1e-3, 0.5, 1.0):
        p = np.concatenate([np.linspace(0, 2e-6, 41), np.linspace(0.01, 0.99, 50), 1 - np.linspace(2e-6, 0, 41)])
        slopes = np.array([module.slope(x, c, True) for x in p])
        values = np.array([module.divergence(x, c, True) for x in p])
        assert np.isfinite(values).all()
        assert np.all(np.diff(slopes) >= -1e-9)
        inner = (p > 0.005) & (p < 0.995)
        assert_allclose(values[inner], [plain_divergence(c, x, True) for x in p[inner]], rtol=1e-12)
        for end, step in ((0.0, _MARGIN), (1.0, -_MARGIN)):
            value, rate = (f(end + step, c, True) for f in (module.divergence, module.slope))
            assert value == pytest.approx(plain_divergence(c, end + step, True), rel=1e-12)
            for share in (0.0, 0.3, 0.999):
                line = value - (1 - share) * step * rate
                assert module.divergence(end + share * step, c, True) == pytest.approx(line, rel=1e-9)


@DIVERGENCES
def test_every_step_is_the_best_exchange_of_the_column_of_largest_gap(rng, problem, kl):
    """The objective is convex along an exchange; updated quantities stay exact."""
    *_, pairs = problem
    Y, tolerance = random_membership(rng, 12, 3), 1e-7 if kl else 1e-12
    current, n_steps = state_of(pairs, Y, kl), 0
    while current.gaps.max() > 1e-6:
        held = np.where(Y > 0.0, current.g, -np.inf)
        J = (held.max(axis=1) - current.g.min(axis=1)).argmax()
        low, high = current.g[J].argmin(), held[J].argmax()
        before = Y.copy()
        assert module.move_mass(pairs, kl, current, 1e-6, 1) == 1
        step = Y - before
        assert np.count_nonzero(step) == 2
        assert step[J, low] == pytest.approx(-step[J, high], rel=1e-9)
        fresh = state_of(pairs, Y, kl)
        assert_allclose(current.g, fresh.g, atol=tolerance)
        assert_allclose(current.gaps, fresh.gaps, atol=tolerance)
        left = fresh.g[J, high] - fresh.g[J, low]
        assert step[J, low] > 0.0 <= left + tolerance
        # Nothing is left to gain, or no mass to move.
        assert left <= tolerance or Y[J, high] == 0.0
        n_steps += 1
    assert n_steps > 10


def test_starts_and_threads(rng):
    labels, start = random_ensemble(rng, 60, 8), random_membership(rng, 60, 3)
    one, two = (solve_peace(labels, 3, n_init=10, n_jobs=n_jobs, random_state=2) for n_jobs in (1, 2))
    assert np.array_equal(one.membership, two.membership)
    assert np.array_equal(CONSENSUS_FUNCTIONS["peace"](labels, 3, random_state=2), one.labels)
    # The first start of both is the same; the best is kept.
    assert one.objective <= solve_peace(labels, 3, random_state=2).objective
    with pytest.warns(ConvergenceWarning, match="max_steps=0"):
        stopped = solve_peace(labels, 3, init=start, max_steps=0, tol=0.0)
    assert_allclose(stopped.membership, start, rtol=1e-14)


@pytest.mark.parametrize("divergence", ["l2", "kl"])
def test_objects_that_no_partition_observes_with_another_stay_where_they_start(rng, divergence):
    labels = np.full((7, 3), -1)
    labels[:3, 0] = (0, 0, 1)
    labels[3:6, 1] = (2, 2, 2)
    labels[6, 2] = 5
    start = random_membership(rng, 7, 2)
    result = solve_peace(labels, 2, divergence=divergence, init=start)
    assert_allclose(result.membership[6], start[6], rtol=1e-14)
    alone = solve_peace(np.where(np.eye(4), 0, -1), 2, divergence=divergence, random_state=0)
    assert (alone.objective, alone.gap, alone.n_steps, alone.converged) == (0.0, 0.0, 0, True)


@DIVERGENCES
def test_gap_and_tolerance_are_relative_to_the_mean_weight_of_an_object(rng, problem, kl):
    labels, weights, pairs = problem
    options = {"divergence": "kl" if kl else "l2", "weights": weights, "init": random_membership(rng, 12, 3)}
    total = sum(pair_values(labels, weights, i, j)[0] for i in range(12) for j in range(12) if i != j)
    result = solve_peace(labels, 3, tol=1e-2, **options)
    gaps = state_of(pairs, result.membership, kl).gaps
    assert result.gap == pytest.approx(gaps.max() / (total / 12), rel=1e-9)
    assert result.gap <= 1e-2
    # It stops there and not later.
    with pytest.warns(ConvergenceWarning):
        earlier = solve_peace(labels, 3, tol=1e-2, max_steps=result.n_steps - 1, **options)
    assert earlier.gap > 1e-2


def test_no_descent_without_a_step(rng, monkeypatch):
    """A tolerance one rounding below the gap of the start: driver and kernel must agree on whether it is reached."""
    move_mass, n_steps = module.move_mass, []
    monkeypatch.setattr(module, "move_mass", lambda *args: n_steps.append(move_mass(*args)) or n_steps[-1])
    for _ in range(20):
        labels, start = random_ensemble(rng, 10, 7), random_membership(rng, 10, 3)
        with pytest.warns(ConvergenceWarning):
            gap = solve_peace(labels, 3, init=start, max_steps=0, tol=0.0).gap
        for tol in (gap, np.nextafter(gap, 0.0), np.nextafter(gap, 1.0)):
            assert solve_peace(labels, 3, init=start, tol=tol).converged
    assert min(n_steps) > 0


def test_memory_of_all_pairs_is_checked_first(monkeypatch):
    monkeypatch.setattr(_consensus_common, "physical_memory", lambda: 20_000)
    labels = np.arange(40).reshape(20, 2) % 3
    with pytest.raises(ValueError, match="all pairs"):
        solve_peace(labels, 2, n_partners=None)
    assert len(solve_peace(labels, 2, n_partners=3, random_state=0).labels) == 20


@pytest.mark.parametrize(("init", "match"), [("kmeans", "random"), (np.full((4, 2), 0.5), "same membership")])
def test_errors(init, match):
    with pytest.raises(ValueError, match=match):
        solve_peace(np.array([[0, 0], [0, 1], [1, 1], [1, 0]]), 2, init=init)
