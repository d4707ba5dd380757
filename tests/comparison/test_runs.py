"""Runs in worker processes: the same results, and what becomes of one that takes too long, dies or cannot be sent."""

import os
import re
import threading
import time
import warnings
from collections import deque
from contextlib import suppress
from functools import partial

import numpy as np
import pytest

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
        "weightings": {"weac": "weac", "mine": lambda labels, *, X, random_state: random_state.uniform(size=7)},
        "consensus": ["robust-eac", "kmeans"],
        "weight_solvers": {"of the losses": lambda losses: np.exp(-losses / losses.mean())},
        "n_repeats": 2,
        "resample": 0.7,
        "random_state": 0,
    }
    alone, together = (compare(labels, 3, **chosen, n_jobs=n_jobs) for n_jobs in (None, 2))
    assert len(alone) == 10
    np.testing.assert_equal(without_seconds(together), without_seconds(alone))
    assert {record["error"] for record in alone} == {None}


def test_slow_runs_are_stopped_and_dead_runs_are_reported(labels, time_is_up):
    """Compiled code that never looks up is stopped too, and the runs after it are as without it."""

    def sleepy(labels, *, X, random_state):
        time_is_up.touch()
        time.sleep(3600.0)

    def endless(labels, n_clusters, *, weights, random_state):
        time_is_up.touch()
        re.match("(a+)+$", 60 * "a" + "b")

    def dying(labels, n_clusters, *, weights, random_state):
        os._exit(3)

    def told(labels, n_clusters, *, weights, random_state):
        warnings.warn("so so", stacklevel=1)
        return labels[:, 0]

    functions = {"endless": endless, "dying": dying, "told": told}
    options = {"weightings": [sleepy, "uniform"], "consensus": functions, "time_limit": 0.5, "random_state": 0}
    with pytest.warns(UserWarning, match="so so"):
        records = compare(labels, 3, **options)
    stopped = "TimeoutError: stopped after 0.5 s"
    died = "ChildProcessError: its process died: it was killed, or crashed"
    assert [record["error"] for record in records] == [*[stopped] * 3, stopped, died, None]
    assert {record["seconds"] for record in records[:3]} == {None}
    assert records[3]["seconds"] >= 0.5
    np.testing.assert_array_equal(records[5]["labels"], labels[:, 0])


def test_results_that_cannot_be_pickled_are_errors_and_idle_workers_end():
    """Nobody waits after Ctrl-C, an error of the caller, or when the generator is closed."""
    runs = [partial(int, "3"), partial(next, (i for i in range(3))), threading.Lock, lambda: lambda: 1, os.getpid]
    runs.append(partial(time.sleep, 3600.0))
    running = outcomes(deque(enumerate(runs)), n_workers=1, time_limit=1e6, begin=print)
    found = dict(next(running) for _ in runs[:-1])
    assert found[0][0] == 3
    assert "pickle" in found[1][2]
    assert "pickle" in found[2][2]
    assert found[3][0]() == 1
    pid = found[4][0]
    assert pid != os.getpid()
    running.close()
    with suppress(ProcessLookupError):
        while os.kill(pid, 0) is None:
            time.sleep(0.1)
