"""PEACE against plain loops over pairs, a linear search for the next column, cvxpy and the exact solver."""

from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import brentq
from sklearn.exceptions import ConvergenceWarning

from robust_eac import (
    RobustEAC,
    adjusted_rand_score,
    coassociation_matrix,
    objective_value,
    optimality_gap,
    solve_membership,
)
from robust_eac.consensus.peace import peace, solve_peace

from ..access import _MARGIN, _consensus_common, encode, sample_pairs
from ..access import _peace_kernels as kernels
from ..conftest import planted_ensemble, random_ensemble, random_membership


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
    total = 0.0
    for i in range(len(Y)):
        for e in range(pairs.starts[i], pairs.starts[i + 1]):
            total += pairs.N[e] * plain_divergence(pairs.c[e], Y[i] @ Y[pairs.partners[e]], kl) / 2
    return total


LOSSES = {kl: kernels.Loss(_MARGIN, kl) for kl in (False, True)}


def gradients(pairs, Y, kl):
    state = state_of(pairs, Y, kl)
    return state.g, state.gaps


def state_of(pairs, Y, kl):
    n = len(Y)
    state = kernels.State(Y, np.empty_like(Y), np.empty(n), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64))
    kernels.all_gradients(pairs, LOSSES[kl], state)
    state.heap[:] = np.argsort(-state.gaps, kind="stable")
    state.place[:] = np.argsort(state.heap)
    return state


@pytest.fixture
def problem(rng):
    labels, weights = random_ensemble(rng, 12, 6, missing=0.3), rng.dirichlet(np.ones(6))
    return labels, weights, sample_pairs(encode(labels), weights, None, rng)


def test_pairs_are_all_that_some_partition_observes(problem):
    labels, weights, pairs = problem
    stored = {}
    for i in range(12):
        for e in range(pairs.starts[i], pairs.starts[i + 1]):
            stored[i, pairs.partners[e]] = pairs.N[e], pairs.c[e]
    expected = {}
    for i, j in combinations(range(12), 2):
        N, c = pair_values(labels, weights, i, j)
        if N:
            expected[i, j] = expected[j, i] = N, c
    assert stored.keys() == expected.keys()
    for pair in expected:
        assert stored[pair] == pytest.approx(expected[pair], rel=1e-12)


def test_every_object_has_partners_and_no_pair_is_sampled_twice(rng):
    encoding, weights = encode(random_ensemble(rng, 300, 5)), np.full(5, 0.2)
    pairs = sample_pairs(encoding, weights, 3, np.random.RandomState(1))
    again = sample_pairs(encoding, weights, 3, np.random.RandomState(1))
    assert all(np.array_equal(a, b) for a, b in zip(pairs, again, strict=True))
    first = np.repeat(np.arange(300), np.diff(pairs.starts))
    drawn = set(zip(first.tolist(), pairs.partners.tolist(), strict=True))
    assert len(drawn) == len(first) <= 2 * 3 * 300
    assert len(first) > 0.9 * 2 * 3 * 300
    assert all((j, i) in drawn and i != j for i, j in drawn)
    assert np.diff(pairs.starts).min() >= 1
    other = sample_pairs(encoding, weights, 3, np.random.RandomState(2))
    assert not np.array_equal(pairs.partners, other.partners)
    assert len(sample_pairs(encoding, weights, 150, rng).partners) == 300 * 299


@pytest.mark.parametrize("kl", [False, True])
def test_objective_and_gradient(rng, problem, kl):
    _, _, pairs = problem
    Y = random_membership(rng, 12, 3)
    value = kernels.total_divergence(pairs, LOSSES[kl], Y)
    assert value == pytest.approx(plain_objective(pairs, Y, kl), rel=1e-12)
    g, key = gradients(pairs, Y, kl)
    h = 1e-6
    for i in range(12):
        for q in range(3):
            up, down = Y.copy(), Y.copy()
            up[i, q] += h
            down[i, q] -= h
            slope = (plain_objective(pairs, up, kl) - plain_objective(pairs, down, kl)) / (2 * h)
            assert g[i, q] == pytest.approx(slope, abs=1e-6)
        assert key[i] == pytest.approx(g[i].max() - g[i].min())


def test_the_continued_divergence_is_smooth_and_convex():
    for c in (0.0, 1e-3, 0.5, 1.0):
        p = np.concatenate([np.linspace(0, 2e-6, 41), np.linspace(0.01, 0.99, 50), 1 - np.linspace(2e-6, 0, 41)])
        slopes = np.array([kernels.slope(x, c, LOSSES[True]) for x in p])
        values = np.array([kernels.divergence(x, c, LOSSES[True]) for x in p])
        assert np.isfinite(values).all()
        assert np.all(np.diff(slopes) >= -1e-9)
        inner = (p > 0.005) & (p < 0.995)
        np.testing.assert_allclose(values[inner], [plain_divergence(c, x, True) for x in p[inner]], rtol=1e-12)
        for end, step in ((0.0, _MARGIN), (1.0, -_MARGIN)):
            value, rate = (f(end + step, c, LOSSES[True]) for f in (kernels.divergence, kernels.slope))
            assert value == pytest.approx(plain_divergence(c, end + step, True), rel=1e-12)
            for share in (0.0, 0.3, 0.999):
                line = value - (1 - share) * step * rate
                assert kernels.divergence(end + share * step, c, LOSSES[True]) == pytest.approx(line, rel=1e-9)


@pytest.mark.parametrize("kl", [False, True])
def test_the_step_is_the_exact_minimiser(rng, problem, kl):
    _, _, pairs = problem
    for _ in range(20):
        Y = random_membership(rng, 12, 3)
        g, key = gradients(pairs, Y, kl)
        J = int(key.argmax())
        low, high = kernels.extremes(Y[J], g[J])
        t = kernels.exchange(J, low, high, pairs, LOSSES[kl], Y, g)
        assert 0 < t <= Y[J, high]

        def along(step, Y=Y, J=J, low=low, high=high):
            moved = Y.copy()
            moved[J, low] += step
            moved[J, high] -= step
            return kernels.total_divergence(pairs, LOSSES[kl], moved)

        grid = min(along(step) for step in np.linspace(0, Y[J, high], 200))
        assert along(t) <= grid + 1e-12


@pytest.mark.parametrize("kl", [False, True])
def test_the_heap_chooses_what_a_linear_search_chooses(rng, problem, kl):
    """Every step is the best exchange of the column of largest gap, and what is updated stays right."""
    _, _, pairs = problem
    Y = random_membership(rng, 12, 3)
    current = state_of(pairs, Y, kl)
    _, g, key, heap, place = current
    n_steps = 0
    while key.max() > 1e-6 and n_steps < 150:
        before, (plain_g, plain_key) = Y.copy(), gradients(pairs, Y, kl)
        assert kernels.descend(pairs, LOSSES[kl], current, 1e-6, 1) == 1
        n_steps += 1
        (J,) = np.flatnonzero((before != Y).any(axis=1))
        low, high = np.argmax(Y[J] - before[J]), np.argmin(Y[J] - before[J])
        assert plain_g[J, high] - plain_g[J, low] == pytest.approx(plain_key.max(), abs=1e-7)
        assert np.count_nonzero(Y[J] != before[J]) == 2
        assert Y[J].sum() == pytest.approx(1.0, abs=1e-12)
        fresh_g, fresh_key = gradients(pairs, Y, kl)
        np.testing.assert_allclose(g, fresh_g, atol=1e-7 if kl else 1e-12)
        np.testing.assert_allclose(key, fresh_key, atol=1e-7 if kl else 1e-12)
        values = [kernels.total_divergence(pairs, LOSSES[kl], state) for state in (before, Y)]
        assert values[1] < values[0]
        assert np.array_equal(heap[place], np.arange(12))
        assert all(key[heap[(at - 1) // 2]] >= key[heap[at]] for at in range(1, 12))
    assert n_steps > 10


@pytest.mark.parametrize("divergence", ["l2", "kl"])
def test_columns_at_the_end_are_optimal_by_cvxpy(rng, divergence):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 5), 8, noise=0.3)
    result = solve_peace(labels, 3, divergence=divergence, tol=1e-7, random_state=rng)
    assert result.converged
    Y, C = result.membership, coassociation_matrix(labels)
    for i in range(15):
        others = np.arange(15) != i
        rows, c, y = Y[others], C[i, others], cp.Variable(3, nonneg=True)
        if divergence == "l2":
            value, constant = cp.sum_squares(rows @ y - c), 0.0
        else:
            some, rest, inner = c > 0, c < 1, c[(c > 0) & (c < 1)]
            value = -c[some] @ cp.log(rows[some] @ y) - (1 - c[rest]) @ cp.log(1 - rows[rest] @ y)
            constant = np.sum(inner * np.log(inner) + (1 - inner) * np.log(1 - inner))
        loss = LOSSES[divergence == "kl"]
        least = cp.Problem(cp.Minimize(value), [cp.sum(y) == 1]).solve() + constant
        own = sum(kernels.divergence(p, a, loss) for p, a in zip(rows @ Y[i], c, strict=True))
        assert own == pytest.approx(least, abs=1e-5)


def test_all_pairs_is_the_exact_problem_without_the_diagonal(rng):
    labels, weights = random_ensemble(rng, 20, 6), rng.dirichlet(np.ones(6))
    pairs = sample_pairs(encode(labels), weights, None, rng)
    C = coassociation_matrix(labels, weights=weights)
    rest = np.sum((C * (1 - C))[~np.eye(20, dtype=bool)])
    for k in (2, 5):
        Y = random_membership(rng, 20, k)
        exact = objective_value(labels, Y, weights=weights, diagonal=False)
        assert exact == pytest.approx(2 * kernels.total_divergence(pairs, LOSSES[False], Y) + rest, rel=1e-12)
    # A solution of one is a solution of the other.
    start = random_membership(rng, 20, 3)
    ours = solve_peace(labels, 3, n_partners=None, weights=weights, init=start, tol=1e-9)
    assert optimality_gap(labels, ours.membership, weights=weights, diagonal=False) < 1e-8
    theirs = solve_membership(labels, 3, init=start, weights=weights, diagonal=False, tol=1e-10, random_state=0)
    again = solve_peace(labels, 3, n_partners=None, weights=weights, init=theirs.membership, tol=1e-4)
    assert again.n_steps == 0
    assert again.gap < 1e-4


def test_same_minimum_as_the_exact_solver_on_planted_clusters(rng):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 10), 12, noise=0.2)
    start = random_membership(rng, 30, 3)
    ours = solve_peace(labels, 3, n_partners=None, init=start, tol=1e-8)
    theirs = solve_membership(labels, 3, init=start, diagonal=False, tol=1e-10, random_state=0)
    assert objective_value(labels, ours.membership, diagonal=False) == pytest.approx(theirs.objective, rel=1e-6)
    model = RobustEAC(3, weighting="uniform", diagonal=False, init=start, tol=1e-10, random_state=0).fit(labels)
    assert model.objective_ == pytest.approx(theirs.objective, rel=1e-6)
    assert adjusted_rand_score(model.labels_, ours.labels) == 1.0


@pytest.mark.parametrize("divergence", ["l2", "kl"])
def test_a_sample_of_pairs_finds_planted_clusters(rng, divergence):
    truth = np.repeat(np.arange(4), 50)
    labels = planted_ensemble(rng, truth, 20, noise=0.2, n_random=4)
    result = solve_peace(labels, 4, divergence=divergence, n_partners=20, n_init=5, random_state=rng)
    assert result.converged
    assert adjusted_rand_score(truth, result.labels) > 0.95


def test_threads_change_nothing_and_stopping_early_warns(rng):
    labels = random_ensemble(rng, 60, 8)
    one = solve_peace(labels, 3, n_partners=5, n_init=4, random_state=2)
    two = solve_peace(labels, 3, n_partners=5, n_init=4, n_jobs=2, random_state=2)
    assert np.array_equal(one.membership, two.membership)
    assert np.array_equal(peace(labels, 3, n_partners=5, n_init=4, random_state=2), one.labels)
    with pytest.warns(ConvergenceWarning, match=r"gap=.* > tol=0.001 after max_steps=3"):
        stopped = solve_peace(labels, 3, max_steps=3, random_state=0)
    assert stopped.n_steps == 3
    assert not stopped.converged


def test_the_best_start_is_kept(rng):
    better = []
    for repetition in range(8):
        labels = random_ensemble(rng, 30, 5)
        # The first start of both is the same.
        one, several = (solve_peace(labels, 4, n_init=n, random_state=repetition).objective for n in (1, 8))
        assert several <= one
        better.append(several < one - 1e-6)
    assert any(better)


def test_starts_are_kept(rng):
    labels = random_ensemble(rng, 10, 4)
    start = random_membership(rng, 10, 3)
    before = start.copy()
    with pytest.warns(ConvergenceWarning):
        result = solve_peace(labels, 3, init=start, max_steps=0, tol=0.0)
    np.testing.assert_allclose(result.membership, before, rtol=1e-14)
    solve_peace(labels, 3, init=start)
    assert np.array_equal(start, before)


def plain_descent(labels, weights, Y, kl, tol):
    """Gauss-Southwell with dense matrices, a linear search for the column and SciPy's root of the slope.

    Returns the columns moved, in order, and the last membership.
    """
    n = len(labels)
    values = np.array(
        [[pair_values(labels, weights, i, j) if i != j else (0.0, 0.0) for j in range(n)] for i in range(n)]
    )
    N, c = values[:, :, 0], np.nan_to_num(values[:, :, 1])

    def slope(p, c):
        inside = np.clip(p, _MARGIN, 1 - _MARGIN)
        return (inside - c) / (inside * (1 - inside)) if kl else 2 * (p - c)

    Y, moved = Y.copy(), []
    while True:
        G = (N * slope(Y @ Y.T, c)) @ Y
        gaps = np.where(Y > 0, G, -np.inf).max(axis=1) - G.min(axis=1)
        J = int(gaps.argmax())
        if gaps[J] <= tol:
            return moved, Y
        low, high = G[J].argmin(), np.where(Y[J] > 0, G[J], -np.inf).argmax()
        d, top = Y[:, low] - Y[:, high], Y[J, high]

        def rate(t, J=J, d=d, Y=Y):
            return np.sum(N[J] * slope(Y @ Y[J] + t * d, c[J]) * d)

        t = top if rate(top) <= 0 else brentq(rate, 0, top, xtol=1e-16, rtol=1e-14)
        Y[J, low] += t
        Y[J, high] = max(Y[J, high] - t, 0.0)
        moved.append(J)


@pytest.mark.parametrize("kl", [False, True])
def test_a_whole_run_is_that_of_a_linear_search(rng, problem, kl):
    labels, weights, pairs = problem
    # With two clusters an exact step leaves no tie between clusters, which rounding would break either way.
    start = random_membership(rng, 12, 2)
    columns, expected = plain_descent(labels, weights, start, kl, 1e-6)
    Y = start.copy()
    current = state_of(pairs, Y, kl)
    key, heap = current.gaps, current.heap
    found = []
    while key[heap[0]] > 1e-6:
        found.append(int(heap[0]))
        kernels.descend(pairs, LOSSES[kl], current, 1e-6, 1)
    assert found == columns
    assert len(found) > 10
    np.testing.assert_allclose(Y, expected, atol=1e-10)


@pytest.mark.parametrize("divergence", ["l2", "kl"])
def test_small_cases(rng, divergence):
    labels = random_ensemble(rng, 10, 6, missing=0.3)
    one = solve_peace(labels, 1, divergence=divergence, random_state=0)
    assert np.array_equal(one.membership, np.ones((10, 1)))
    assert (one.n_steps, one.gap, one.converged) == (0, 0.0, True)
    unanimous = np.column_stack([rng.permutation(10) for _ in range(3)])
    apart = solve_peace(unanimous, 10, divergence=divergence, n_init=5, random_state=0)
    assert np.array_equal(apart.labels, np.arange(10))


@pytest.mark.parametrize("divergence", ["l2", "kl"])
def test_integer_weights_are_repeated_partitions(rng, divergence):
    labels, times = random_ensemble(rng, 10, 6, missing=0.3), rng.randint(1, 4, size=6)
    repeated = np.repeat(labels, times, axis=1)
    one = sample_pairs(encode(labels), times / times.sum(), None, rng)
    other = sample_pairs(encode(repeated), np.full(times.sum(), 1 / times.sum()), None, rng)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    # Two clusters: no ties between clusters, which rounding would break either way.
    start = random_membership(rng, 10, 2)
    weighted = solve_peace(labels, 2, divergence=divergence, weights=times, init=start)
    plain = solve_peace(repeated, 2, divergence=divergence, init=start)
    assert weighted.n_steps == plain.n_steps > 0
    np.testing.assert_allclose(weighted.membership, plain.membership, atol=1e-9)


@pytest.mark.parametrize("divergence", ["l2", "kl"])
def test_objects_that_no_partition_observes_together(rng, divergence):
    labels = np.full((7, 3), -1)
    labels[:3, 0], labels[3:6, 1], labels[6, 2] = (0, 0, 1), (2, 2, 2), 5
    pairs = sample_pairs(encode(labels), np.full(3, 1 / 3), None, rng)
    assert np.array_equal(np.diff(pairs.starts), [2, 2, 2, 2, 2, 2, 0])
    start = random_membership(rng, 7, 2)
    result = solve_peace(labels, 2, divergence=divergence, init=start)
    assert result.converged
    np.testing.assert_allclose(result.membership[6], start[6], rtol=1e-14)
    alone = solve_peace(np.where(np.eye(4), 0, -1), 2, divergence=divergence, random_state=0)
    assert (alone.objective, alone.gap, alone.n_steps, alone.converged) == (0.0, 0.0, 0, True)


@pytest.mark.parametrize("kl", [False, True])
def test_gap_and_tolerance_are_relative_to_the_mean_weight_of_an_object(rng, problem, kl):
    labels, weights, pairs = problem
    options = {"divergence": "kl" if kl else "l2", "weights": weights, "init": random_membership(rng, 12, 3)}
    total = sum(pair_values(labels, weights, i, j)[0] for i in range(12) for j in range(12) if i != j)
    result = solve_peace(labels, 3, tol=1e-2, **options)
    _, key = gradients(pairs, result.membership, kl)
    assert result.gap == pytest.approx(key.max() / (total / 12), rel=1e-9)
    assert result.gap <= 1e-2
    # It stops there and not later.
    with pytest.warns(ConvergenceWarning):
        earlier = solve_peace(labels, 3, tol=1e-2, max_steps=result.n_steps - 1, **options)
    assert earlier.gap > 1e-2


def test_no_descent_without_a_step(rng, monkeypatch):
    """A tolerance one rounding below the gap of the start: driver and kernel must agree on whether it is reached."""
    descend = kernels.descend

    def moves(*args):
        n_steps = descend(*args)
        assert n_steps > 0
        return n_steps

    monkeypatch.setattr(kernels, "descend", moves)
    for _ in range(60):
        labels, start = random_ensemble(rng, 10, 7), random_membership(rng, 10, 3)
        with pytest.warns(ConvergenceWarning):
            gap = solve_peace(labels, 3, init=start, max_steps=0, tol=0.0).gap
        for tol in (gap, np.nextafter(gap, 0.0), np.nextafter(gap, 1.0)):
            assert solve_peace(labels, 3, init=start, tol=tol).converged


def test_memory_of_all_pairs_is_checked_first(monkeypatch):
    monkeypatch.setattr(_consensus_common, "physical_memory", lambda: 20_000)
    labels = np.arange(40).reshape(20, 2) % 3
    with pytest.raises(ValueError, match="peace: all pairs of n_samples=20 objects needs about"):
        peace(labels, 2, n_partners=None)
    assert len(peace(labels, 2, n_partners=3, random_state=0)) == 20


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"divergence": "l1"}, "divergence must be one of 'l2', 'kl', got 'l1'"),
        ({"n_partners": 0}, "n_partners must be at least 1, got 0"),
        ({"init": "kmeans"}, 'init must be None, "random" or an array'),
        ({"init": np.full((4, 2), 0.5)}, "init must not give every object the same membership"),
        ({"n_init": 0}, "n_init must be at least 1"),
        ({"tol": -1.0}, "tol must be at least 0"),
        ({"max_steps": -1}, "max_steps must be at least 0"),
    ],
)
def test_errors(kwargs, match):
    with pytest.raises((ValueError, TypeError), match=match):
        solve_peace(np.array([[0, 0], [0, 1], [1, 1], [1, 0]]), 2, **kwargs)
