"""Dask: arrays chunked by rows; tasks on their blocks, where they run, what is sent to them, and sums of results."""

import sys
from contextlib import contextmanager
from functools import partial

import numpy as np

from .. import validation as check

# Blocks are summed in a tree with this fan-in.
_FAN_IN = 8


def on_blocks(function, *parts, n_results=None):
    """Tasks of a function of (parts of a block, ...), one per block, on the worker that stores the block."""
    blocks = zip(*parts, homes(*parts), strict=True)
    return [partial(later(function, n_results, home), *block) for *block, home in blocks]


def later(function, n_results=None, workers=()):
    """The function as a task, on one of these workers if any is alive."""
    from dask import annotate, delayed, get_annotations

    task = delayed(function, pure=False, nout=n_results)
    if not workers or "workers" in get_annotations():
        return task

    def placed(*args):
        with annotate(workers=workers, allow_other_workers=True):
            return task(*args)

    return placed


def homes(*parts):
    """Addresses of the workers that store all parts of each block; none if this process does the work."""
    blocks = list(zip(*parts, strict=True))
    # Without an import of distributed there are no workers; importing it takes half a second.
    futures = sys.modules["distributed"].futures_of(blocks) if "distributed" in sys.modules else []
    if not futures:
        return [[]] * len(blocks)
    client = futures[0].client
    with client.as_current():
        sys.modules["distributed"].wait(futures)
    holders = client.who_has(futures)
    return [sorted(set.intersection(*(set(holders.get(part.key, ())) for part in block))) for block in blocks]


@contextmanager
def scheduler_watched():
    """Turn errors that follow from the loss of the scheduler into one ConnectionError that says so."""
    try:
        client = sys.modules["distributed"].default_client()
    except (KeyError, ValueError):
        client = None
    if client is None or client.status != "running":
        yield
        return
    address = client.scheduler.address
    try:
        yield
    except Exception as error:
        closed = sys.modules["distributed"].comm.CommClosedError
        if client.status == "running" and not isinstance(error, closed):
            raise
        raise ConnectionError(
            f"The connection to the Dask scheduler at {address} was lost, and with it the memberships. Call again on a "
            "new cluster, with a saved membership as `init` to continue."
        ) from error


def ship(value):
    """A value as a task, so that it is sent to every worker once, and again if a worker is lost."""
    from dask.delayed import Delayed, delayed

    leaf = delayed(value, pure=False, traverse=False)
    # Own graph: otherwise Dask re-annotates it per task.
    return Delayed(leaf.key, leaf.dask)


def sum_of(parts, kept=()):
    """(sum of the tuples that blocks return, results `kept` on the workers)."""
    from dask import compute, persist

    parts = list(parts)
    while len(parts) > 1:
        parts = [later(_add)(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
    total, *kept = persist(parts[0], *kept)
    return compute(total)[0], kept


def _add(parts):
    return tuple(sum(entries) for entries in zip(*parts, strict=True))


def dask_rows(array, *, name):
    """A two-dimensional Dask array of numbers, chunked by rows only and without empty chunks."""
    if not check.is_dask_array(array) or array.ndim != 2 or array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be a two-dimensional Dask array of numbers, got {array!r:.200}.")
    if not all(size > 0 for size in array.shape):
        rule = "must have objects and columns, and chunks of known sizes (see compute_chunk_sizes)"
        raise ValueError(f"{name} {rule}, got shape {array.shape}.")
    sizes = tuple(size for size in array.chunks[0] if size)
    return with_checked_chunks(array, name=name).rechunk((sizes, array.shape[1]))


def with_checked_chunks(array, *, name):
    """The Dask array, which raises ValueError when it reads a chunk whose shape is not the declared one."""
    return array.map_blocks(_check_chunk, argument=name, dtype=array.dtype, meta=array._meta)


def _check_chunk(chunk, *, argument, block_info):
    """Return a chunk if it has the shape that its Dask array declares."""
    declared = tuple(block_info[None]["chunk-shape"])
    if np.shape(chunk) != declared:
        first = block_info[None]["array-location"][0][0]
        raise ValueError(f"{argument}[{first}:] must start with a chunk of shape {declared}, got {np.shape(chunk)}.")
    return chunk
