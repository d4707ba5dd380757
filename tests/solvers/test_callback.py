"""What a callback gets, how it ends a solve, and that a solve can start from what it saved."""

import multiprocessing
import os
import signal

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from robust_eac import objective_value, optimality_gap, solve_median_partition, solve_median_partition_distributed

from ..conftest import planted_ensemble

N, K = 120, 3


def ensemble(seed=0):
    rng = np.random.RandomState(seed)
    return planted_ensemble(rng, np.arange(N) % K, 12, noise=0.4, n_random=4)


def by_rows(labels):
    da = pytest.importorskip("dask.array")
    return da.from_array(labels, chunks=(50, labels.shape[1]))


def solve(labels, *, distributed=False, **options):
    options = {"tol": 1e-7, "random_state": 0} | options
    if distributed:
        return solve_median_partition_distributed(by_rows(labels), K, **options)
    return solve_median_partition(labels, K, **options)


@pytest.mark.parametrize("distributed", [False, True], ids=["memory", "dask"])
@pytest.mark.parametrize("n_init", [1, 4])
def test_the_callback_gets_every_alternation(distributed, n_init):
    labels, told = ensemble(), []
    result = solve(labels, distributed=distributed, n_init=n_init, callback=told.append)
    plain = solve(labels, distributed=distributed, n_init=n_init)
    assert np.array_equal(np.asarray(result.membership), np.asarray(plain.membership))
    assert len(told) >= 1
    assert [one.n_iter for one in told] == list(range(told[0].n_iter, result.n_iter + 1))
    for one in told:
        membership = np.asarray(one.membership)
        np.testing.assert_allclose(membership.sum(axis=1), 1.0, atol=1e-12)
        value = objective_value(labels, membership, weights=one.weights)
        assert one.objective == pytest.approx(value, rel=1e-9)
        assert one.objective == result.objective_history[one.n_iter]


@pytest.mark.parametrize("distributed", [False, True], ids=["memory", "dask"])
def test_a_callback_ends_the_solve_with_what_it_has(distributed):
    def stop(state):
        raise StopIteration

    labels = ensemble()
    with pytest.warns(ConvergenceWarning, match="stopped"):
        result = solve(labels, distributed=distributed, n_init=1, tol=1e-12, callback=stop)
    assert not result.converged
    assert result.n_iter < solve(labels, distributed=distributed, n_init=1, tol=1e-12).n_iter
    gap = optimality_gap(labels, np.asarray(result.membership), weights=result.weights)
    assert result.gap == pytest.approx(gap, rel=1e-6)


def test_the_callback_gets_and_stops_alternations_with_trust():
    labels, told = ensemble(), []
    options = {"weighting": "chance-corrected", "tol": 1e-9}
    result = solve(labels, callback=told.append, **options)
    assert told[-1].n_iter == result.n_iter
    assert told[-1].objective == result.objective
    assert np.array_equal(told[-1].weights, result.weights)

    calls = []

    def stop(state):
        calls.append(state)
        raise StopIteration

    with pytest.warns(ConvergenceWarning, match="stopped"):
        stopped = solve(labels, callback=stop, n_init=1, **options)
    assert len(calls) == 1
    assert stopped.objective == calls[0].objective


def _save_and_die(labels, path):
    def callback(state):
        np.save(path, np.asarray(state.membership))
        os.kill(os.getpid(), signal.SIGKILL)

    solve(labels, distributed=True, n_init=2, callback=callback)


def test_a_killed_solve_resumes_from_the_saved_membership(tmp_path):
    labels, path = ensemble(), tmp_path / "membership.npy"
    process = multiprocessing.get_context("spawn").Process(target=_save_and_die, args=(labels, path))
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGKILL
    result, whole = solve(labels, init=np.load(path), distributed=True), solve(labels, distributed=True, n_init=2)
    assert result.objective == pytest.approx(whole.objective, rel=1e-5)
    assert result.converged


def test_a_callback_must_be_callable():
    with pytest.raises(TypeError, match="callback must be None or callable, got int"):
        solve_median_partition(ensemble(), K, callback=3)
