"""An ensemble in a Dask array, chunked by rows: every chunk is encoded where it lies, and reports only sums.

Before it, tasks on the blocks of any array: where they run, what is sent to them, and sums of their results.
"""

import sys
from contextlib import contextmanager
from functools import partial

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.random import sample_without_replacement

from .. import validation as check
from ..common import row_blocks
from ..core.formula import CELLS_AT_ONCE, accumulate, cells_of, count_cells, pairs_at_once
from . import reading
from .encoding import (
    Encoding,
    RowData,
    encode,
    first_objects,
    hard_partitions,
    merge_rows,
    select,
    weigh,
)
from .objects import Objects

# Objects that are drawn from the chunks, all of them if there are no more.
_SAMPLE = 2**17
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


class Chunks(Objects):
    """Encodings of the chunks by the common partitions, and given memberships of their rows, on the workers."""

    is_sampled = True
    # The partitions that functions of the encodings see; None for all.
    _seen = None

    def __init__(self, labels, sample_weight=None, start=None, n_clusters=None):
        import dask.array as da
        from dask import compute, persist

        self.n_samples = len(labels)
        self.sizes = labels.chunks[0]
        self.first_rows = np.cumsum((0, *self.sizes[:-1]))
        weights = [None] * len(self.sizes)
        if sample_weight is not None:
            if not check.is_dask_array(sample_weight):
                sample_weight = da.asarray(check.as_array(sample_weight, "sample_weight"))
            weights = like_rows(sample_weight, labels, [(self.n_samples,)], "sample_weight").to_delayed()
        each = zip(labels.to_delayed()[:, 0], weights, self.first_rows, strict=True)
        read_blocks = [later(read, 3)(chunk, weight, int(first)) for chunk, weight, first in each]
        alone, *reports = persist(*zip(*read_blocks, strict=True))
        self.partitions, slots = merge(*compute(*reports), weighted=sample_weight is not None)
        partitions = ship(self.partitions)
        starts = [start] * len(self.sizes)
        if check.is_dask_array(start):
            pieces = zip(start.to_delayed().ravel(), self.first_rows, strict=True)
            starts = [later(check_start)(piece, n_clusters, int(first)) for piece, first in pieces]
        each = zip(on_blocks(encode_block, alone, n_results=2), slots, starts, strict=True)
        encoded = zip(*[task(own, partitions, rows) for task, own, rows in each], strict=True)
        self.encodings, self.memberships = persist(*encoded)

    def sample(self, rng):
        """The encoding of objects drawn without replacement, in order, with the sizes of all objects."""
        from dask import compute

        rows = np.sort(sample_without_replacement(self.n_samples, min(_SAMPLE, self.n_samples), random_state=rng))
        drawn = np.split(rows, np.searchsorted(rows, self.first_rows[1:]))
        each = zip(on_blocks(take_objects, self.encodings), drawn, self.first_rows, strict=True)
        parts = compute(*[task(own - first) for task, own, first in each])
        codes, observed, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        self.encoding = Encoding(RowData(codes, weights, observed), self.partitions)
        return self.encoding

    def select(self, partitions):
        part = super().select(partitions)
        part.partitions = self.partitions.select(partitions)
        part._seen = partitions
        return part

    def _tasks(self, function, parts, shared, n_results):
        shared = [ship(value) for value in shared]
        function = partial(_on_part, function, self._seen)
        return [task(*shared) for task in on_blocks(function, self.encodings, *parts, n_results=n_results)]

    def total(self, function, *parts, shared=()):
        kept, sums = zip(*self._tasks(function, parts, shared, 2), strict=True)
        total, kept = sum_of(sums, kept)
        return kept, total

    def arrays(self, function, *parts, shared=(), kinds):
        from dask import persist

        results = zip(*self._tasks(function, parts, shared, len(kinds)), strict=True)
        return persist(*[self.array(pieces, *kind) for pieces, kind in zip(results, kinds, strict=True)])

    def array(self, pieces, dtype, shape):
        import dask.array as da

        each = zip(pieces, self.sizes, strict=True)
        return da.concatenate([da.from_delayed(piece, shape=(size, *shape), dtype=dtype) for piece, size in each])

    def order(self, values, n_values):
        expanded = on_blocks(Encoding.expand, self.encodings, values)
        return np.argsort(self.first_of([later(first_objects)(task(), n_values) for task in expanded]))

    def first_of(self, tasks):
        from dask import compute

        return (np.array(compute(*tasks)) + self.first_rows[:, np.newaxis]).min(axis=0)

    def pair_cells(self):
        pairs = list(pairs_at_once(self.partitions, self.n_samples))
        n_at_once = max(1, CELLS_AT_ONCE // int(self.partitions.n_codes.max() * self.partitions.n_slots))
        for start in range(0, len(pairs), n_at_once):
            now = pairs[start : start + n_at_once]
            _, counted = self.total(count_pairs, shared=(now,))
            for some, table in zip(now, counted, strict=True):
                cells = table.tocoo()
                yield cells_of(self.partitions, some, *cells.coords, cells.data)

    def measure(self, clusters, n_clusters):
        """S and G (see :mod:`~robust_eac.ensemble.encoding`) of a partition, from the clusters of the rows."""
        return self.total(measure_clusters, clusters, shared=(n_clusters,))[1]


def read(labels, weight, first_row):
    """(encoding of a block by itself, its partitions, the label of each of their slots, -1 for "not observed")."""
    name = f"labels[{first_row}:]"
    ensemble = reading.ensemble(labels, name=name, part=True)
    reading.objects_observed(ensemble, name)
    labels = ensemble.labels
    encoding = encode(labels)
    if weight is not None:
        encoding = weigh(encoding, check.vector(weight, name=f"sample_weight[{first_row}:]", size=len(labels)))
    values = np.empty(encoding.partitions.n_slots, dtype=np.int64)
    for block in row_blocks(len(labels)):
        values[encoding.partitions.offsets + encoding.rows.codes[block]] = labels[block]
    return encoding, encoding.partitions, values


def merge(alone, values, *, weighted):
    """Merge the partitions of all blocks, given the labels of their slots.

    (partitions, as in an Encoding; for each block, the slots of its own slots).
    """
    m = alone[0].n_partitions
    total = sum(own.total for own in alone)
    if not 1e-60 < total < 1e60:
        raise ValueError(f"sample_weight must have a sum between 1e-60 and 1e60, got {total}.")
    values = np.concatenate(values)
    partition = np.concatenate([np.repeat(np.arange(m), own.n_codes) for own in alone])
    # "Not observed" is the last code.
    keys = np.column_stack([partition, values == -1, values])
    (partition, is_missing, _), slots = _distinct(keys)
    sizes = np.bincount(slots, weights=np.concatenate([own.sizes for own in alone]))
    empty = np.flatnonzero(np.bincount(partition, weights=sizes) == 0.0).tolist()
    if empty and weighted:
        rule = f"every partition must observe an object of positive weight, partition {empty[0]} does not."
        raise ValueError(f"sample_weight: {rule}")
    if empty:
        rule = f"every partition must observe at least one object, column {empty[0]} has no label"
        raise ValueError(f"labels: {rule}: leave it out by da.delete(labels, {empty}, axis=1).")
    # Partitions share a mask if they share one in every block.
    _, mask_of = _distinct(np.column_stack([own.mask_of for own in alone]))
    missing = np.bincount(partition, weights=is_missing) > 0.0
    partitions = hard_partitions(sizes, np.bincount(partition), missing, mask_of, total)
    partitions = partitions._replace(copy=min(own.copy for own in alone))
    return partitions, np.split(slots, np.cumsum([own.n_slots for own in alone])[:-1])


def _distinct(keys):
    """(columns of the distinct rows, in ascending order; which of them each row is)."""
    distinct, inverse = np.unique(keys, axis=0, return_inverse=True)
    return distinct.T, inverse.ravel()


def encode_block(alone, slots, partitions, memberships):
    """(encoding of a block by the common partitions, given memberships on its rows, or None).

    alone, slots : the encoding of the block by itself; for each of its slots, that of the common partitions.
    """
    code_of = slots - np.repeat(partitions.offsets, alone.partitions.n_codes)
    codes = np.empty(alone.rows.codes.shape, dtype=np.min_scalar_type(int(partitions.n_codes.max()) - 1))
    for block in row_blocks(len(codes)):
        codes[block] = code_of[alone.partitions.offsets + alone.rows.codes[block]]
    _, example = np.unique(partitions.mask_of, return_index=True)
    observed = np.ascontiguousarray(alone.rows.observed[:, alone.partitions.mask_of[example]])
    rows = alone.rows._replace(codes=codes, observed=observed)
    return merge_rows(Encoding(rows, partitions), memberships)


def take_objects(encoding, objects):
    """(codes, observed, weights) of some of a block's objects; of identical objects, the mean weight."""
    inverse = np.arange(encoding.n_samples) if encoding.inverse is None else encoding.inverse
    rows = inverse[objects]
    weights = encoding.rows.multiplicity[rows] / np.bincount(inverse)[rows]
    return encoding.rows.codes[rows], encoding.rows.observed[rows], weights


def check_start(start, n_clusters, first_row):
    """Memberships of a block of an array start, which has memberships or labels 0, 1, ...."""
    name = f"init[{first_row}:]"
    if start.ndim == 2:
        return check.membership(start, len(start), n_clusters, name=name)
    labels = reading.ensemble(start[:, np.newaxis], name=name, part=True).labels[:, 0]
    if labels.min() < 0 or labels.max() >= n_clusters:
        wrong = labels.min() if labels.min() < 0 else labels.max()
        raise ValueError(f"{name}: labels of a Dask array must be in [0, n_clusters={n_clusters}), got {wrong}.")
    return np.eye(n_clusters)[labels]


def count_pairs(encoding, pairs):
    """(None, sparse table (n_own, n_slots) of each of :func:`~robust_eac.core.formula.pairs_at_once`)."""
    bounds = encoding.partitions.bounds
    tables = []
    for u, n_own, first, last in pairs:
        own, slots, counts = count_cells(encoding, u, n_own, first, last)
        tables.append(csr_array((counts, (own, slots)), shape=(n_own, bounds[last] - bounds[first])))
    return None, tuple(tables)


def measure_clusters(encoding, clusters, n_clusters):
    return None, accumulate(encoding, np.eye(n_clusters)[clusters])


def _on_part(function, partitions, encoding, *args):
    return function(select(encoding, partitions), *args)


def like_rows(values, labels, shapes, name):
    """A Dask array with a row per object, with the chunks of the labels."""
    if values.shape not in shapes:
        raise ValueError(f"{name} must have shape {' or '.join(map(str, shapes))}, got {values.shape}.")
    return with_checked_chunks(values, name=name).rechunk((labels.chunks[0], *values.shape[1:]))
