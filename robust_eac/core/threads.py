"""Threads for kernels that release the interpreter's lock, and lines of progress."""

import logging
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial

from joblib import Parallel, effective_n_jobs
from joblib.parallel import get_active_backend
from numba import config

# Below this much work (tasks x objects x partitions x clusters), threads do not pay.
_WORTH_THREADS = 2 * 10**6

# Lines of progress, at the level INFO.
LOG = logging.getLogger("robust_eac")
# In a thread of map_threads: `stop`, an event that is set when the thread should end.
_own = threading.local()


def count_threads(n_jobs, n_tasks, encoding, n_clusters):
    """(threads over the tasks, threads within each) for a number of jobs."""
    if n_jobs is None:
        work = n_tasks * encoding.n_rows * encoding.partitions.n_partitions * n_clusters
        n_threads = config.NUMBA_NUM_THREADS if work >= _WORTH_THREADS else 1
    else:
        n_threads = effective_n_jobs(n_jobs)
    outer = min(n_threads, n_tasks)
    return outer, n_threads // outer


def prefer_threads(n_jobs):
    """joblib's Parallel, whose results come in order: with threads, or with what joblib.parallel_config chooses."""
    backend, _ = get_active_backend(prefer="threads")
    # That of multiprocessing gives the results only when all are there.
    return_as = "generator" if backend.supports_return_generator else "list"
    return Parallel(n_jobs=n_jobs, prefer="threads", return_as=return_as)


def map_threads(function, items, n_threads):
    """Generate function(item) for item in items, in order, with this many threads.

    After an error or Ctrl-C, the other threads end at their next call of :func:`stop_if_cancelled`.
    """
    if n_threads == 1:
        for item in items:
            stop_if_cancelled()
            yield function(item)
        return
    stop = threading.Event()

    def run(item):
        _own.stop = stop
        stop_if_cancelled()
        return function(item)

    with ThreadPoolExecutor(n_threads) as pool:
        try:
            yield from pool.map(run, items)
        except BaseException:
            stop.set()
            raise


def stop_if_cancelled():
    """Raise CancelledError in a thread of :func:`map_threads` that should end; long computations call this often."""
    stop = getattr(_own, "stop", None)
    if stop is not None and stop.is_set():
        raise CancelledError


class _Lines(logging.Handler):
    """Writes lines of progress as long as any call, counted in `n_calls`, asked for them."""

    write = None
    n_calls = 0
    before = ()

    def emit(self, record):
        self.write(record.getMessage())


_LINES = _Lines(logging.INFO)
_changing = threading.Lock()
_print = partial(print, flush=True)


@contextmanager
def lines_to(write):
    """Hand the lines of progress, also of other threads, to a function, unless something else shows them already."""
    with _changing:
        if _LINES.n_calls > 0:
            takes_part = _LINES.write == write
        else:
            # With handlers of the user's own for these lines, they would show twice.
            takes_part = not (LOG.isEnabledFor(logging.INFO) and LOG.hasHandlers())
            if takes_part:
                _LINES.write = write
                _LINES.before = (LOG.level, LOG.propagate)
                LOG.addHandler(_LINES)
                LOG.setLevel(logging.INFO)
                LOG.propagate = False
        _LINES.n_calls += takes_part
    try:
        yield
    finally:
        with _changing:
            _LINES.n_calls -= takes_part
            if takes_part and _LINES.n_calls == 0:
                LOG.removeHandler(_LINES)
                level, LOG.propagate = _LINES.before
                LOG.setLevel(level)


def progress(verbose):
    """Context that prints the lines of progress if a computation is verbose."""
    return lines_to(_print) if verbose else nullcontext()
