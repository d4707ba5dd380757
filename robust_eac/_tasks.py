"""Tasks of Dask for the blocks of an ensemble, done where a block lies, so that sums travel and blocks do not."""

from functools import partial

from . import _blocks

# Sums over blocks are taken in a tree, of so many at a time.
_FAN_IN = 8


class Rows:
    """Memberships of all rows, on the workers: the proposals of all blocks, and the share t that was taken of them."""

    def __init__(self, encodings, proposals, t=0.0):
        self.encodings = encodings
        self.proposals = proposals
        self.t = t

    def copy(self):
        return Rows(self.encodings, self.proposals, self.t)

    def each(self, function, n_results=None):
        """The function of (encoding, proposal, ...) for every block, to be called where the block lies."""
        places = homes(self.encodings, self.proposals)
        blocks = zip(self.encodings, self.proposals, places, strict=True)
        return [partial(later(function, n_results, home), *block) for *block, home in blocks]

    def map(self, function, *shared):
        """The function of (encoding, proposal, *shared) for every block."""
        return [task(*shared) for task in self.each(function)]


def later(function, n_results=None, workers=()):
    """The function as a task, which these workers take, if there are any and one of them still lives."""
    from dask import annotate, delayed

    task = delayed(function, pure=False, nout=n_results)
    if not workers:
        return task

    def placed(*args):
        with annotate(workers=workers, allow_other_workers=True):
            return task(*args)

    return placed


def homes(*parts):
    """Addresses of the workers that hold all parts of each block; none where this process does the work.

    Left to itself, the scheduler weighs a move against a wait, and moves blocks that are small.
    """
    blocks = list(zip(*parts, strict=True))
    try:
        from distributed import futures_of, wait
    except ImportError:
        return [[]] * len(blocks)
    futures = futures_of(blocks)
    if not futures:
        return [[]] * len(blocks)
    wait(futures)
    holders = futures[0].client.who_has(futures)
    return [sorted(set.intersection(*(set(holders.get(part.key, ())) for part in block))) for block in blocks]


def ship(value):
    """A value that travels to every worker once, and again when a worker is lost."""
    from dask import delayed

    return delayed(value, pure=False, traverse=False)


def sum_of(parts, kept=()):
    """(sum of tuples that blocks return, what is computed with them and kept on the workers)."""
    from dask import compute, persist

    parts = list(parts)
    while len(parts) > 1:
        parts = [later(_blocks.add)(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
    total, *kept = persist(parts[0], *kept)
    return compute(total)[0], kept
