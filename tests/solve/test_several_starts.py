"""Several starts: all are solved loosely, and the best of them to the tolerance."""

import re
import tracemalloc

import numpy as np
import pytest

from robust_eac import partition_losses, solve_median_partition

from ..access import (
    Raw,
    _alternation,
    _starts,
    alternate,
    as_weighting,
    empty_last,
    encode,
    pays_to_sample,
    reduce_rows,
)
from ..conftest import planted_ensemble

WEIGHTINGS = ("uniform", "restricted-simplex", "l2")


@pytest.fixture(params=["few", "sampled"])
def labels(request, rng, monkeypatch):
    """Eight noisy copies of six clusters and four random partitions; with many objects, starts come from a sample."""
    monkeypatch.setattr(_starts, "_SAMPLE", 60)
    monkeypatch.setattr(_starts, "_SAMPLE_PER_CLUSTER", 10)
    n = {"few": 90, "sampled": 600}[request.param]
    return planted_ensemble(rng, rng.randint(6, size=n), 12, noise=0.5, n_random=4)


def run_to_the_end(labels, weighting, seed, n_init):
    """The result of every start on its own."""
    encoding, start = reduce_rows(encode(labels), "random")
    weighting = as_weighting(weighting).bind(labels.shape[1], float(len(labels)) ** 2)
    seeds = np.random.RandomState(seed).randint(np.iinfo(np.int32).max, size=n_init)
    return [alternate(Raw(encoding, 6), start, weighting, seed=s) for s in seeds], encoding


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_going_on_is_the_same_as_never_having_stopped(labels, weighting, monkeypatch):
    runs, encoding = run_to_the_end(labels, weighting, 3, 6)
    best = min(runs, key=lambda run: run.objective)
    assert len({run.objective for run in runs}) > 1
    monkeypatch.setattr(_alternation, "_LOOSE_TOL", 0.0)
    monkeypatch.setattr(_alternation, "_N_LOOSE", 6)
    many = solve_median_partition(labels, 6, weighting=weighting, n_init=6, random_state=3)
    assert many.objective == best.objective
    assert np.array_equal(many.objective_history, best.history)
    assert many.n_iter == best.n_iter
    assert np.array_equal(many.weights, best.weights)
    expected, _ = empty_last(encoding.expand(best.rows))
    assert np.array_equal(many.membership, expected)
    np.testing.assert_allclose(partition_losses(labels, many.membership), many.losses, rtol=1e-10)


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


def test_the_best_starts_go_on(labels, monkeypatch):
    begun, went_on = [], []
    begin, continue_run = _alternation.start_run, _alternation.continue_run

    def spy_begin(problem, *args, **options):
        run = begin(problem, *args, **options)
        begun.append((len(problem.objective.encoding.codes), run.objective))
        return run

    def spy_go_on(problem, run, limits):
        went_on.append((len(problem.objective.encoding.codes), run.objective))
        return continue_run(problem, run, limits)

    monkeypatch.setattr(_alternation, "start_run", spy_begin)
    monkeypatch.setattr(_alternation, "continue_run", spy_go_on)
    solve_median_partition(labels, 6, n_init=8, n_jobs=1, random_state=2)
    # Those of all objects, not of a sample.
    objectives, went_on = ([value for size, value in runs if size == len(labels)] for runs in (begun, went_on))
    assert len(set(objectives)) == 8
    assert went_on[:-1] == (sorted(objectives)[:3] if pays_to_sample(encode(labels), 6) else objectives)
    assert went_on[-1] <= min(objectives)


def peak_of(function):
    """The most bytes that were allocated during a call."""
    tracemalloc.start()
    function()
    highest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return highest


@pytest.mark.parametrize("size", [2, 500])
def test_starts_that_have_lost_take_no_memory(rng, size):
    labels = np.column_stack([rng.permutation(3000) // size for _ in range(6)])
    assert pays_to_sample(encode(labels), 8) == (size == 500)

    def peak(n_init):
        return peak_of(lambda: solve_median_partition(labels, 8, n_init=n_init, tol=1e-3, n_jobs=1, random_state=0))

    peak(1)
    assert peak(16) < 1.25 * peak(4)


def test_iterations_of_all_stages_count_towards_the_limit(labels):
    with pytest.warns(match="did not converge"):
        result = solve_median_partition(labels, 6, max_iter=1, tol=1e-9, random_state=0)
    assert result.n_iter == 1
    assert len(result.objective_history) == 2


def test_progress_of_every_start_is_told(labels, capsys):
    result = solve_median_partition(labels, 6, n_init=5, verbose=1, random_state=0)
    lines = capsys.readouterr().out.splitlines()
    starts = {line.split(":")[0] for line in lines}
    assert starts == {f"start {number}/5" for number in range(1, 6)}
    told = [(line.split(":")[0], re.search(r"iteration (\d+)", line)) for line in lines]
    iterations = {name: [int(found[1]) for start, found in told if found and start == name] for name in starts}
    # Starts keep their numbers, whether they are refined or not.
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in iterations.values())
    assert result.n_iter in map(len, iterations.values())
    assert any(line.endswith(f"objective {result.objective:.6g}") for line in lines)
