"""Runs one after another in this process, or in worker processes that can be stopped at any time."""

import os
import time
import warnings
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from typing import NamedTuple

import numpy as np
from joblib import cpu_count
from joblib.externals.loky import ProcessPoolExecutor

from ..checks.common import warn

# Variables that limit the threads of a worker process, unless the user has set them.
_THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def attempt(run):
    """(result, seconds, None), or (None, seconds, error message)."""
    start = time.perf_counter()
    try:
        result, error = run(), None
    except Exception as exception:
        result, error = None, f"{type(exception).__name__}: {exception}"
    return result, time.perf_counter() - start, error


def outcomes(waiting, *, n_workers, time_limit, begin):
    """Generate (key, result of :func:`attempt`) for every run in the deque `waiting`, to which the caller may add.

    One worker without a limit is this process; otherwise each is a process, killed and replaced at its `time_limit`.
    """
    if n_workers == 1 and time_limit is None:
        while waiting:
            key, run = waiting.popleft()
            begin(key)
            yield key, attempt(run)
        return
    idle, busy = [], {}
    try:
        while waiting or busy:
            while waiting and idle:
                key, run = waiting.popleft()
                begin(key)
                _submit(busy, idle.pop(), key, run, np.inf if time_limit is None else time_limit)
            starting = sum(at_work.key is None for at_work in busy.values())
            # A first run that does nothing shows when a worker has started.
            for _ in range(min(len(waiting) - starting, n_workers - len(busy))):
                _submit(busy, _new_worker(n_workers), None, int, np.inf)
            for future in _wait(busy):
                at_work = busy.pop(future)
                outcome, usable = _outcome(future, time.perf_counter() - at_work.start, time_limit)
                if usable:
                    idle.append(at_work.worker)
                else:
                    at_work.worker.shutdown(kill_workers=True)
                if at_work.key is not None:
                    yield at_work.key, outcome
                elif not usable:
                    raise RuntimeError(f"no worker process could be started: {outcome[2]}")
    finally:
        for worker in (*idle, *(at_work.worker for at_work in busy.values())):
            worker.shutdown(kill_workers=True)


class _AtWork(NamedTuple):
    """The run of a future; key : None while the worker starts, which has no limit."""

    worker: ProcessPoolExecutor
    key: object
    start: float
    deadline: float


def _new_worker(n_workers):
    """A worker process with its share of the cores."""
    share = max(1, cpu_count() // n_workers)
    threads = {name: str(share) for name in _THREADS if name not in os.environ}
    return ProcessPoolExecutor(max_workers=1, timeout=None, env=threads)


def _submit(busy, worker, key, run, limit):
    start = time.perf_counter()
    busy[worker.submit(_attempt_in_worker, run)] = _AtWork(worker, key, start, start + limit)


def _wait(busy):
    """The futures that are done, or else those whose time is up."""
    left = min(at_work.deadline for at_work in busy.values()) - time.perf_counter()
    done = wait(busy, timeout=None if left == np.inf else max(left, 0.0), return_when=FIRST_COMPLETED).done
    return done or [future for future, at_work in busy.items() if at_work.deadline <= time.perf_counter()]


def _outcome(future, seconds, time_limit):
    """(result of :func:`attempt`, whether the worker can be used again)."""
    if not future.done():
        return (None, seconds, f"TimeoutError: stopped after {time_limit:g} s"), False
    try:
        outcome, messages = future.result()
    except BrokenProcessPool:
        return (None, seconds, "ChildProcessError: its process died: it was killed, or crashed"), False
    except Exception as exception:
        # The run or its result cannot be sent to another process.
        return (None, seconds, f"{type(exception).__name__}: {exception}"), True
    for message, category in messages:
        warn(message, category)
    return outcome, True


def _attempt_in_worker(run):
    """(result of :func:`attempt`, the warnings, which the caller's process repeats)."""
    with warnings.catch_warnings(record=True) as caught:
        outcome = attempt(run)
    return outcome, list(dict.fromkeys((str(warning.message), warning.category) for warning in caught))
