"""Dask tasks for the blocks of an ensemble, run where the block lies: sums travel, blocks do not."""

import sys
from contextlib import contextmanager
from functools import partial

# Blocks are summed in a tree with this fan-in.
_FAN_IN = 8


class Rows:
    """Memberships of all rows, on the workers: the proposals of all blocks and the fraction t taken of them."""

    def __init__(self, encodings, proposals, t=0.0):
        self.encodings = encodings
        self.proposals = proposals
        self.t = t

    def copy(self):
        return Rows(self.encodings, self.proposals, self.t)

    def each(self, function, n_results=None):
        """The function of (encoding, proposal, ...) for every block, to be called where the block lies."""
        return on_blocks(function, self.encodings, self.proposals, n_results=n_results)


def on_blocks(function, *parts, n_results=None):
    """The function of (parts of a block, ...) for every block, to be called where the block lies."""
    blocks = zip(*parts, homes(*parts), strict=True)
    return [partial(later(function, n_results, home), *block) for *block, home in blocks]


def later(function, n_results=None, workers=()):
    """The function as a task for these workers, if any of them still lives.

    Where the caller names the workers (``dask.annotate(workers=...)``), those do.
    """
    from dask import annotate, delayed, get_annotations

    task = delayed(function, pure=False, nout=n_results)
    if not workers or "workers" in get_annotations():
        return task

    def placed(*args):
        with annotate(workers=workers, allow_other_workers=True):
            return task(*args)

    return placed


def homes(*parts):
    """Addresses of the workers that hold all parts of each block; none where this process does the work.

    Without this, the scheduler moves small blocks to idle workers.
    """
    blocks = list(zip(*parts, strict=True))
    # If distributed is not imported there are no workers; importing it takes half a second.
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
    """What follows from a lost scheduler ends as one ConnectionError that says so.

    Which of many errors that would be depends on the moment: cancelled futures, closed connections, a closed client.
    """
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
            f"The connection to the Dask scheduler at {address} was lost, and with it what its workers held. The same "
            "call on a new cluster starts anew, or with `checkpoint` goes on from the last one."
        ) from error


def ship(value):
    """A value that is sent to every worker once, and again if a worker is lost."""
    from dask.delayed import Delayed, delayed

    leaf = delayed(value, pure=False, traverse=False)
    # Own graph: otherwise Dask re-annotates it per task.
    return Delayed(leaf.key, leaf.dask)


def sum_of(parts, kept=()):
    """(sum of tuples that blocks return, what is computed with them and kept on the workers)."""
    from dask import compute, persist

    parts = list(parts)
    while len(parts) > 1:
        parts = [later(_add)(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
    total, *kept = persist(parts[0], *kept)
    return compute(total)[0], kept


def _add(parts):
    """Sum of tuples of arrays, entry by entry and in their order."""
    return tuple(sum(entries) for entries in zip(*parts, strict=True))
