"""Threads for kernels that release the interpreter's lock."""

from concurrent.futures import ThreadPoolExecutor

from joblib import effective_n_jobs


def count_threads(n_jobs, n_tasks=1):
    """(threads over the tasks, threads within each) that a number of jobs stands for."""
    n_threads = effective_n_jobs(n_jobs)
    outer = min(n_threads, n_tasks)
    return outer, n_threads // outer


def map_threads(function, items, n_threads):
    """[function(item) for item in items], by so many threads."""
    if n_threads == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, items))
