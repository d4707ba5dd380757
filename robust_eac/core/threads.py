"""Threads for kernels that release the interpreter's lock."""

from concurrent.futures import ThreadPoolExecutor

from joblib import effective_n_jobs
from numba import config

# Below this much work (objects x partitions x clusters), threads do not pay.
_WORTH_THREADS = 10**6


def count_threads(n_jobs, n_tasks, encoding, n_clusters):
    """(threads over the tasks, threads within each) for a number of jobs.

    None means all cores if there is enough work; NUMBA_NUM_THREADS limits them.
    """
    if n_jobs is None:
        work = len(encoding.codes) * len(encoding.offsets) * n_clusters
        n_threads = config.NUMBA_NUM_THREADS if work >= _WORTH_THREADS else 1
    else:
        n_threads = effective_n_jobs(n_jobs)
    outer = min(n_threads, n_tasks)
    return outer, n_threads // outer


def map_threads(function, items, n_threads):
    """Generate function(item) for item in items, in order, with this many threads."""
    if n_threads == 1:
        yield from map(function, items)
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            yield from pool.map(function, items)
