"""Several starts: all are solved loosely, those that meet as one, and the best of them to the tolerance."""

import re
import tracemalloc

import numpy as np
import pytest

from robust_eac import Entropy, adjusted_rand_score, solve_median_partition

from .. import reference
from ..access import (
    Problem,
    _alternation,
    _several_starts,
    _starts,
    as_weighting,
    draw_quarter,
    empty_last,
    encode,
    raw_objective,
    reading,
    reduce_rows,
    relabel,
    weigh,
)
from ..conftest import planted_ensemble

WEIGHTINGS = ("uniform", "restricted-simplex", "l2")


@pytest.fixture(params=["few", "many"])
def labels(request, rng, monkeypatch):
    """Eight noisy copies of six clusters and four random partitions; many objects begin with a quarter."""
    monkeypatch.setattr(_starts, "_QUARTER", 60)
    monkeypatch.setattr(_starts, "_PER_CLUSTER", 10)
    n = {"few": 90, "many": 600}[request.param]
    return planted_ensemble(rng, rng.randint(6, size=n), 12, noise=0.5, n_random=4)


def run_to_the_end(labels, weighting, seed, n_init):
    """The result of every start on its own, with all objects."""
    encoding, _ = reduce_rows(encode(labels), None)
    weighting = as_weighting(weighting).ready(labels.shape[1], float(len(labels)) ** 2, None)
    seeds = np.random.RandomState(seed).randint(np.iinfo(np.int32).max, size=n_init)
    problem = Problem(raw_objective(encoding, 6), weighting, 1e-5, 100)
    start = reading.Start("random")
    states = (_alternation.first_state(problem, start, np.random.RandomState(own)) for own in seeds)
    return [_alternation.alternate(problem, state) for state in states], encoding


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_resuming_equals_running_without_a_stop(labels, weighting, monkeypatch):
    runs, encoding = run_to_the_end(labels, weighting, 3, 6)
    best = min(runs, key=lambda run: run.objective)
    assert len({run.objective for run in runs}) > 1
    monkeypatch.setattr(_several_starts, "LOOSE_TOL", 0.0)
    monkeypatch.setattr(_several_starts, "_lowest_of_each", lambda objective, states: list(states))
    monkeypatch.setattr(_starts, "_QUARTER", 10**9)
    many = solve_median_partition(labels, 6, weighting=weighting, n_init=6, random_state=3)
    assert many.objective == best.objective
    assert np.array_equal(many.objective_history, best.history)
    assert many.n_iter == best.n_iter
    assert np.array_equal(many.weights, best.weights)
    expected, _ = empty_last(encoding.expand(best.memberships), by_object=True)
    assert np.array_equal(many.membership, expected)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_stopping_most_starts_costs_next_to_nothing(labels, weighting):
    spread, lost = 0.0, 0.0
    for seed in range(4):
        objectives = np.array([run.objective for run in run_to_the_end(labels, weighting, seed, 10)[0]])
        result = solve_median_partition(labels, 6, weighting=weighting, n_init=10, random_state=seed)
        assert result.converged
        assert result.n_iter == len(result.objective_history) - 1
        assert np.all(np.diff(result.objective_history) <= 1e-12 * result.objective_history[0])
        spread += np.median(objectives) / objectives.min() - 1.0
        lost += result.objective / objectives.min() - 1.0
    assert lost <= 0.5 * spread + 4e-5


def test_of_runs_that_meet_the_lowest_continues(rng):
    """They have met if they put the same objects together, however their memberships are turned."""
    k, n = 4, 40
    objective = raw_objective(weigh(encode(rng.randint(3, size=(n, 8))), rng.uniform(0.5, 2.0, size=n)), k)
    places = [0.3 / k + 0.7 * rng.dirichlet(np.full(k, 0.3), size=n) for _ in range(6)]
    expected, states = {}, []
    for value in rng.permutation(30):
        place = rng.randint(6)
        Q = rng.permutation(reference.admissible_rotation(places[place], rng, 3))
        rows = places[place] @ Q.T
        state = _alternation.State(rows, None, None, None, [float(value)], None)
        states.append(state)
        expected[place] = min(expected.get(place, state), state, key=lambda state: state.objective)
    found = _several_starts._lowest_of_each(objective, iter(states))
    assert list(map(id, found)) == list(map(id, expected.values()))
    # They differ in labels where the same objects are together.
    labels = [state.memberships.argmax(axis=1) for state in states]
    assert len({relabel(one).tobytes() for one in labels}) > len(expected)


def peak_of(function):
    """The most bytes that were allocated during a call."""
    tracemalloc.start()
    function()
    highest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return highest


@pytest.mark.parametrize(("n", "size"), [(600, 2), (1200, 200)])
def test_starts_that_have_lost_take_no_memory(rng, monkeypatch, n, size):
    monkeypatch.setattr(_several_starts, "_IN_STEP", 40_000)
    labels = np.column_stack([rng.permutation(n) // size for _ in range(6)])
    assert (draw_quarter(encode(labels), 8, rng) is not None) == (size == 200)

    def peak(n_init):
        return peak_of(lambda: solve_median_partition(labels, 8, n_init=n_init, tol=1e-3, n_jobs=1, random_state=0))

    peak(1)
    assert peak(16) < 1.25 * peak(4)


def test_iterations_of_all_stages_count_towards_the_limit(labels):
    with pytest.warns(match="did not converge"):
        result = solve_median_partition(labels, 6, max_iter=1, tol=1e-9, random_state=0)
    assert result.n_iter == 1
    assert len(result.objective_history) == 2


def test_progress_of_every_start_is_printed(labels, capsys):
    result = solve_median_partition(labels, 6, n_init=5, verbose=1, random_state=0)
    out, iterations = capsys.readouterr().out, {}
    for start, number in re.findall(r"^(start \d/5):.*iteration (\d+)", out, flags=re.MULTILINE):
        iterations.setdefault(start, []).append(int(number))
    assert set(re.findall(r"^start (\d)/5", out, flags=re.MULTILINE)) == set("12345")
    # Starts keep their numbers, whether they are refined or not; with all objects, iterations are counted anew.
    for numbers in iterations.values():
        assert all(number in (1, before + 1) for before, number in zip([0, *numbers], numbers, strict=False))
    assert result.n_iter in [numbers[-1] for numbers in iterations.values()]
    assert f"objective {result.objective:.6g}\n" in out


@pytest.mark.parametrize("agreement", ["raw", "adjusted"])
def test_partitions_without_weight_do_not_depend_on_the_quarter(agreement):
    # All partitions are equally good: those that a quarter leaves without weight are a matter of chance.
    rng = np.random.RandomState(0)
    truth = rng.randint(4, size=4000)
    labels = planted_ensemble(rng, truth, 12, noise=0.4)

    def fit(labels, seed):
        result = solve_median_partition(labels, 4, agreement=agreement, random_state=seed)
        return result.objective, set(np.flatnonzero(result.weights == 0.0))

    objective, without = fit(labels, 0)
    for seed in (1, 2):
        other, also = fit(labels[rng.permutation(len(labels))], seed)
        assert other == pytest.approx(objective, rel=2e-5)
        assert also == without


def test_starts_with_equal_weights_give_no_copy_of_a_partition():
    # With nearly all weight on one partition there are lower minima.
    rng = np.random.RandomState(0)
    truth = rng.randint(3, size=500)
    labels = planted_ensemble(rng, truth, 15, noise=0.3)
    result = solve_median_partition(labels, 3, weighting=Entropy(eta=0.05 * 500**2), random_state=0)
    assert result.weights.max() < 0.5
    assert adjusted_rand_score(truth, result.labels) > 0.95
