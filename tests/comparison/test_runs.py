"""Runs in worker processes: the same results, and what becomes of one that takes too long, dies or cannot be sent."""

import os
import threading
import time
import warnings
from collections import deque
from functools import partial

import numpy as np
import pytest
from numba import njit

from robust_eac import compare

from ..access import outcomes
from ..conftest import planted_ensemble

TRUTH = np.repeat([0, 1, 2], 8)


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, TRUTH, 10, n_random=2)


def without_seconds(records):
    return [{key: value for key, value in record.items() if not key.endswith("seconds")} for record in records]


def test_the_result_does_not_depend_on_the_jobs(labels):
    chosen = {
        "y": TRUTH,
        "weightings": {
            "weac": "weac",
            "mine": lambda labels, *, X, random_state: random_state.uniform(size=len(labels.T)),
        },
        "consensus": ["robust-eac", "kmeans", "eac-average"],
        "weight_solvers": {"of the losses": lambda losses: np.exp(-losses / losses.mean())},
        "n_repeats": 2,
        "resample": 0.7,
        "random_state": 0,
    }
    alone, together = (compare(labels, 3, **chosen, n_jobs=n_jobs) for n_jobs in (None, 2))
    assert len(alone) == 14
    np.testing.assert_equal(without_seconds(together), without_seconds(alone))
    assert {record["error"] for record in alone} == {None}


def test_what_takes_too_long_is_stopped_and_what_dies_is_told(labels, time_is_up):
    """Compiled code that never looks up is stopped too, and the runs after it are as without it."""

    def endless(labels, n_clusters, *, weights, random_state):
        @njit
        def spin(n):
            while n > 0:
                n += 1
                n -= 1
            return n

        spin(0)
        time_is_up.touch()
        spin(1)

    def dying(labels, n_clusters, *, weights, random_state):
        os._exit(3)

    def told(labels, n_clusters, *, weights, random_state):
        warnings.warn("so so", stacklevel=1)
        return labels[:, 0]

    def good(labels, n_clusters, *, weights, random_state):
        return labels[:, 1]

    functions = {"endless": endless, "dying": dying, "good": good, "told": told}
    with pytest.warns(UserWarning, match="so so"):
        records = compare(labels, 3, weightings=["uniform"], consensus=functions, time_limit=0.5, random_state=0)
    assert [record["error"] for record in records] == [
        "TimeoutError: stopped after 0.5 s",
        "ChildProcessError: its process died: it was killed, or crashed",
        None,
        None,
    ]
    assert records[0]["seconds"] >= 0.5
    np.testing.assert_array_equal(records[2]["labels"], labels[:, 1])
    np.testing.assert_array_equal(records[3]["labels"], labels[:, 0])


def test_a_scheme_that_is_stopped_fails_its_functions(labels):
    def sleepy(labels, *, X, random_state):
        time.sleep(60.0)

    records = compare(labels, 3, weightings=[sleepy], consensus=["kmeans", "sec"], time_limit=0.5, random_state=0)
    assert [record["error"] for record in records] == ["TimeoutError: stopped after 0.5 s"] * 2
    assert {record["seconds"] for record in records} == {None}


def test_what_cannot_be_sent_is_an_error_of_its_run():
    runs = [partial(int, "3"), partial(next, (i for i in range(3))), threading.Lock, lambda: lambda: 1]
    found = dict(outcomes(deque(enumerate(runs)), n_workers=2, time_limit=None, begin=print))
    assert found[0][0] == 3
    assert "pickle" in found[1][2]
    assert "pickle" in found[2][2]
    assert found[3][0]() == 1


def test_workers_end_when_nobody_waits_any_more():
    """Ctrl-C, an error of the caller, or a generator that is closed."""
    runs = deque([("first", os.getpid), ("second", partial(time.sleep, 600.0))])
    running = outcomes(runs, n_workers=1, time_limit=1000.0, begin=print)
    _, (pid, _, _) = next(running)
    assert pid != os.getpid()
    os.kill(pid, 0)
    running.close()
    deadline = time.perf_counter() + 20.0
    while time.perf_counter() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail(f"process {pid} is still there")
