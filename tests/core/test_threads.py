"""Threads end soon after an interrupt, or after an error in one of them; lines of progress show once."""

import logging
import os
import signal
import threading
import time
from concurrent.futures import CancelledError

import numpy as np
import pytest

from robust_eac import solve_hard_median_partition, solve_median_partition

from ..access import _threads, encode
from ..conftest import planted_ensemble

# Far longer than a thread may run after it was asked to end.
LONG = 30.0


def work(ended):
    """Run until asked to end."""
    until = time.monotonic() + LONG
    try:
        while time.monotonic() < until:
            _threads.stop_if_cancelled()
            time.sleep(0.01)
    except CancelledError:
        ended.append(True)
        raise


@pytest.fixture
def interruptible():
    """Interrupts are heard, which programs started in the background ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="os.kill does not interrupt on Windows")
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_all_threads():
    ended, start = [], time.monotonic()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        list(_threads.map_threads(lambda item: work(ended), range(5), 2))
    assert time.monotonic() - start < LONG / 2.0
    assert len(ended) == 2


def test_an_error_ends_the_other_threads_and_is_raised():
    ended, start = [], time.monotonic()

    def fail_or_work(item):
        if item == 0:
            raise ValueError("first")
        work(ended)

    with pytest.raises(ValueError, match="first"):
        list(_threads.map_threads(fail_or_work, range(3), 3))
    assert time.monotonic() - start < LONG / 2.0
    assert list(_threads.map_threads(abs, [-1, 2], 2)) == [1, 2]


@pytest.mark.parametrize("cancelled", [True, False])
def test_searches_end_when_asked(rng, monkeypatch, cancelled):
    labels = planted_ensemble(rng, np.repeat(np.arange(3), 20), 6, noise=0.3)
    stop = threading.Event()
    monkeypatch.setattr(_threads._own, "stop", stop, raising=False)
    if cancelled:
        stop.set()
    for search in (
        lambda: solve_median_partition(labels, 3, random_state=0, n_jobs=1),
        lambda: solve_hard_median_partition(labels, 3, random_state=0, n_jobs=1),
        lambda: solve_hard_median_partition(labels, init=rng.randint(3, size=60), random_state=0),
    ):
        if cancelled:
            with pytest.raises(CancelledError):
                search()
        else:
            search()


def test_threads_without_a_number_of_jobs_are_those_that_the_work_of_all_tasks_pays(monkeypatch):
    monkeypatch.setattr(_threads.config, "NUMBA_NUM_THREADS", 4)
    encoding = encode(np.random.RandomState(0).randint(5, size=(1000, 50)))
    assert _threads.count_threads(None, 1, encoding, 5) == (1, 1)
    assert _threads.count_threads(None, 10, encoding, 5) == (4, 1)
    assert _threads.count_threads(None, 2, encoding, 40) == (2, 2)
    assert _threads.count_threads(3, 1, encoding, 5) == (1, 3)


def log_of(capsys):
    return capsys.readouterr().out.splitlines()


def test_lines_show_once_while_a_call_is_verbose(capsys):
    state = _threads.LOG.level, _threads.LOG.propagate, list(_threads.LOG.handlers)
    _threads.LOG.info("before")
    with _threads.progress(1):
        with _threads.progress(1), _threads.progress(0):
            _threads.LOG.info("%d inside", 2)
        _threads.LOG.info("still")
    _threads.LOG.info("after")
    assert log_of(capsys) == ["2 inside", "still"]
    assert state == (_threads.LOG.level, _threads.LOG.propagate, list(_threads.LOG.handlers))


def test_verbose_calls_at_the_same_time_show_each_line_once(capsys):
    def run(number):
        with _threads.progress(1):
            _threads.LOG.info("call %d", number)

    calls = [threading.Thread(target=run, args=(number,)) for number in range(20)]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert sorted(log_of(capsys)) == sorted(f"call {number}" for number in range(20))
    assert _threads.LOG.handlers == []


def test_the_users_own_logging_gets_the_lines_instead(capsys, caplog):
    labels = np.arange(30)[:, np.newaxis] % [2, 2, 3]
    with caplog.at_level(logging.INFO, logger="robust_eac"):
        solve_median_partition(labels, 2, random_state=0, n_init=2, verbose=1)
    assert log_of(capsys) == []
    quiet = [record.getMessage() for record in caplog.records]
    solve_median_partition(labels, 2, random_state=0, n_init=2, verbose=1, n_jobs=2)
    assert sorted(log_of(capsys)) == sorted(quiet)
    assert {line.split(":")[0] for line in quiet} == {"start 1/2", "start 2/2"}
