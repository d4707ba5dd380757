"""Work on one block of rows of a distributed ensemble, which reports only sums; and all blocks together."""

import sys
from collections.abc import Callable
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.utils.random import sample_without_replacement

from .. import validation as check
from ..common import row_blocks
from ..core import permutation
from ..core.encoding import Encoding, Partitions, RowData, Visit, encode, hard_partitions, select, take_rows, weigh
from ..core.formula import accumulate, agreement_sums_from, coefficients, losses_of
from ..median_partition import sweep as sweeping
from ..median_partition.base import MAX_PLACING, first_objects, gap_of, gradient_of, place_by
from ..median_partition.objective import Matrices
from ..median_partition.rotation import MOST_ROWS, rotate_rows, some_rows, survey
from ..median_partition.starts import merge_rows
from ..median_partition.sweep import visiting_order

# Shorter intervals that a line search tries.
_MAX_SHORTER = 20


class Report(NamedTuple):
    """The label of each slot of a block's own encoding, -1 for "not observed", and the partitions of the encoding."""

    values: np.ndarray
    partitions: Partitions


def read(labels, weight, first_row):
    """(encoding of a block by itself, its :class:`Report`)."""
    name = f"labels[{first_row}:]"
    ensemble = check.ensemble(labels, name=name, part=True)
    check.objects_observed(ensemble, name)
    labels = ensemble.labels
    encoding = encode(labels)
    if weight is not None:
        encoding = weigh(encoding, check.vector(weight, name=f"sample_weight[{first_row}:]", size=len(labels)))
    values = np.empty(len(encoding.partitions.sizes), dtype=np.int64)
    for block in row_blocks(len(labels)):
        values[encoding.partitions.offsets + encoding.rows.codes[block]] = labels[block]
    return encoding, Report(values, encoding.partitions)


def merge(reports, *, weighted=False):
    """Merge the reports of all blocks: (:class:`~robust_eac.core.encoding.Partitions`, the labels of their slots)."""
    known = np.concatenate([report.values for report in reports])
    alone = [report.partitions for report in reports]
    m = len(alone[0].mask_of)
    total = sum(own.total for own in alone)
    if not 1e-60 < total < 1e60:
        raise ValueError(f"sample_weight must have a sum between 1e-60 and 1e60, got {total}.")
    partition = np.concatenate([np.repeat(np.arange(m), own.n_codes) for own in alone])
    counts = np.concatenate([own.sizes for own in alone])
    values = []
    sizes = []
    missing = np.zeros(m, dtype=bool)
    for u in range(m):
        distinct, place = np.unique(known[partition == u], return_inverse=True)
        size = np.bincount(place, weights=counts[partition == u])
        # "Not observed" is the last code.
        last = distinct == -1
        missing[u] = last.any()
        values.append(np.append(distinct[~last], distinct[last]))
        sizes.append(np.append(size[~last], np.zeros(np.count_nonzero(last))))
    empty = [u for u, size in enumerate(sizes) if size.sum() == 0.0]
    if empty and weighted:
        rule = f"every partition must observe an object of positive weight, partition {empty[0]} does not."
        raise ValueError(f"sample_weight: {rule}")
    if empty:
        rule = f"every partition must observe at least one object, column {empty[0]} has no label"
        raise ValueError(f"labels: {rule}: leave it out by da.delete(labels, {empty}, axis=1).")
    n_codes = np.array([len(size) for size in sizes], dtype=np.int64)
    # Partitions share a mask if they share one in every block.
    _, mask_of = np.unique([own.mask_of for own in alone], axis=1, return_inverse=True)
    partitions = hard_partitions(np.concatenate(sizes), n_codes, missing, mask_of.ravel(), total)
    return partitions._replace(copy=min(own.copy for own in alone)), np.concatenate(values)


def encode_block(alone, report, partitions, values, start):
    """(encoding of a block by the common partitions, Proposal of an array start)."""
    n, m = alone.rows.codes.shape
    known = np.split(values, partitions.offsets[1:])
    codes_of = [
        np.where(own == -1, len(every) - 1, np.searchsorted(every[: len(every) - (every[-1] == -1)], own))
        for every, own in zip(known, np.split(report.values, alone.partitions.offsets[1:]), strict=True)
    ]
    codes_of = np.concatenate(codes_of)
    codes = np.empty((n, m), dtype=np.min_scalar_type(int(partitions.n_codes.max()) - 1))
    for block in row_blocks(n):
        codes[block] = codes_of[alone.partitions.offsets + alone.rows.codes[block]]
    _, example = np.unique(partitions.mask_of, return_index=True)
    observed = np.ascontiguousarray(alone.rows.observed[:, alone.partitions.mask_of[example]])
    encoding, start = merge_rows(Encoding(alone.rows._replace(codes=codes, observed=observed), partitions), start)
    return encoding, Proposal(start, start)


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
    labels = check.ensemble(start[:, np.newaxis], name=name, part=True).labels[:, 0]
    if labels.min() < 0 or labels.max() >= n_clusters:
        wrong = labels.min() if labels.min() < 0 else labels.max()
        raise ValueError(f"{name}: labels of a Dask array must be in [0, n_clusters={n_clusters}), got {wrong}.")
    return np.eye(n_clusters)[labels]


class Proposal(NamedTuple):
    """Memberships of a block's rows, and those proposed by a sweep; equal if there was no sweep."""

    rows: np.ndarray
    target: np.ndarray

    def at(self, t):
        """The memberships after a fraction t of the step."""
        if t in (0.0, 1.0):
            return self.target if t else self.rows
        return self.rows + t * (self.target - self.rows)


class Shared(NamedTuple):
    """The input of every block for its next step.

    t, model : share of their last steps that all blocks take; that of the objective after that step.
    visit, seed : settings of the sweep, None for a step towards the best clusters; draws the orders of the rows.
    """

    t: float
    model: Callable
    visit: Visit | None = None
    seed: int = 0


def place_block(encoding, partitions, model, n_clusters, skip=0.0, max_visits=1):
    """The :class:`Proposal` of the memberships of least loss by the model of other rows of these partitions."""
    part = encoding if len(partitions) == len(encoding.partitions.offsets) else select(encoding, partitions)
    absent, statistics = model(part.with_rows(multiplicity=np.zeros(len(encoding.rows.codes))))
    rows = place_by(absent, statistics, n_clusters, skip=skip, max_visits=max_visits)
    return Proposal(rows, rows)


def measure(encoding, proposal, t):
    return accumulate(encoding, proposal.at(t))


def gap_of_block(encoding, proposal, shared):
    visited, statistics = shared.model(encoding)
    return (gap_of(visited, proposal.at(shared.t).copy(), statistics, encoding.partitions.total),)


def propose(encoding, proposal, shared, number):
    """(Proposal of the block of that number, its :class:`Sums`) by one sweep of its rows, with all others fixed."""
    rows = proposal.at(shared.t)
    visited, statistics = shared.model(encoding)
    if shared.visit is None:
        # The Frank-Wolfe step: towards the best cluster of every object.
        gradient = gradient_of(visited, rows, statistics)
        target = np.eye(rows.shape[1])[gradient.argmin(axis=1)]
        gap = encoding.rows.multiplicity @ np.einsum("ip,ip->i", gradient, rows - target)
    else:
        target = rows.copy()
        order = visiting_order(len(rows), np.random.RandomState([shared.seed, number]))
        gap, _ = sweeping.sweep_rows(order, *visited, statistics, target, shared.visit)
    return Proposal(rows, target), sums_of_step(encoding, rows, target, gap)


class Sums(NamedTuple):
    """Sums over rows for the line search along steps D = Y_target - Y.

    S, gap : (n_slots, k) D X'; the sum of the Frank-Wolfe gaps.
    cross, square : (n_masks, k, k) Y D' + D Y', and D D', over the rows that each mask observes.
    """

    S: np.ndarray
    cross: np.ndarray
    square: np.ndarray
    gap: float


def sums_of_step(encoding, rows, target, gap):
    moved = np.flatnonzero((target != rows).any(axis=1))
    before = rows[moved]
    step = target[moved] - rows[moved]
    of_moved = take_rows(encoding, moved)
    S, square = accumulate(of_moved, step)
    cross = np.array([(before.T * (of_moved.rows.multiplicity * mask)) @ step for mask in of_moved.rows.observed.T])
    return Sums(S, cross + cross.transpose(0, 2, 1), square, gap)


def search_line(partitions, weights, S, G, sums):
    """The share t in [0, 1] of all blocks' steps that lowers the objective most: the exact minimiser of a quartic."""
    coef, mask_coef = coefficients(partitions, weights)
    slot_coef = partitions.by_slot(coef)

    def inner(a, b):
        return float(mask_coef @ np.einsum("gpq,gpq->g", a, b))

    along_S = slot_coef @ np.einsum("sp,sp->s", S, sums.S)
    step_S = slot_coef @ np.einsum("sp,sp->s", sums.S, sums.S)
    cross = sums.cross
    square = sums.square
    linear = 2.0 * inner(G, cross) - 4.0 * along_S
    quadratic = inner(cross, cross) + 2.0 * inner(G, square) - 2.0 * step_S
    return sweeping.minimise_quartic(linear, quadratic, 2.0 * inner(cross, square), inner(square, square), 1.0)


def search_values(value):
    """A share t in [0, 1] with value(t) < value(0), the least nearby; 0 if there is none."""
    least = value(0.0)
    upper = 1.0
    for _ in range(_MAX_SHORTER):
        t = min(upper, minimize_scalar(value, bounds=(0.0, upper), method="bounded").x, key=value)
        if value(t) < least:
            return float(t)
        upper = 0.25 * t
    return 0.0


def after_step(S, G, sums, t):
    """S and G after a share t of the step."""
    return Matrices(S + t * sums.S, G + t * (sums.cross + t * sums.square))


def _weighty(encoding, rows):
    """Encoding and memberships of the rows with weight, at least one row."""
    weighty = encoding.rows.multiplicity > 0.0
    weighty[0] |= not weighty.any()
    return (encoding, rows) if weighty.all() else (take_rows(encoding, np.flatnonzero(weighty)), rows[weighty])


def sample_memberships(encoding, proposal, t, n_samples):
    """(memberships of some of the block's rows, their weights) for the choice of a rotation."""
    encoding, rows = _weighty(encoding, proposal.at(t))
    some = some_rows(len(rows), max(1, round(MOST_ROWS * encoding.n_samples / max(n_samples, MOST_ROWS))))
    return rows[some], encoding.rows.multiplicity[some]


def largest_memberships(encoding, proposal, t):
    """(k,) largest membership in every cluster."""
    return _weighty(encoding, proposal.at(t))[1].max(axis=0, initial=0.0)


def survey_block(encoding, proposal, t, Q):
    """(the row of smallest membership in every cluster after a rotation, the total confidence)."""
    encoding, rows = _weighty(encoding, proposal.at(t))
    return survey(rows, encoding.rows.multiplicity, Q)


def rotate_block(encoding, proposal, t, Q):
    """The :class:`Proposal` of the rotated memberships."""
    rows = proposal.at(t).copy()
    rotate_rows(rows, Q)
    return Proposal(rows, rows)


def finish(encoding, proposal, t, model, skip):
    """Memberships of all objects of a block; those without weight are placed."""
    rows = proposal.at(t)
    absent = np.flatnonzero(encoding.rows.multiplicity == 0.0)
    if len(absent):
        rows = rows.copy()
        partitions = np.arange(len(encoding.partitions.offsets))
        how = {"skip": skip, "max_visits": MAX_PLACING}
        rows[absent] = place_block(take_rows(encoding, absent), partitions, model, rows.shape[1], **how).rows
    return encoding.expand(rows)


def winners(encoding, proposal, t, order):
    """(n_rows,) clusters of the rows, with the columns of the memberships in this order."""
    return proposal.at(t)[:, order].argmax(axis=1)


def first_winners(membership, order):
    """(k,) first object of every cluster, in the given order of clusters; infinity for an empty one."""
    return first_values(membership[:, order].argmax(axis=1), len(order))


def first_values(values, n_values):
    """(n_values,) first place of each value among those that are not negative; infinity if there is none."""
    values = values[values >= 0]
    first = first_objects(values, n_values)
    return np.where(first < len(values), first, np.inf)


def measure_clusters(encoding, clusters, n_clusters):
    return None, accumulate(encoding, np.eye(n_clusters)[clusters])


def _on_part(function, partitions, encoding, *args):
    return function(encoding if partitions is None else select(encoding, partitions), *args)


@contextmanager
def opened(labels, *others, name="labels"):
    """The labels and others: a checked Ensemble, or Dask arrays. Those of a single chunk are loaded into memory."""
    if check.is_dask_array(labels):
        labels = check.dask_rows(labels, name=name)
    with scheduler_watched():
        if not check.is_dask_array(labels) or labels.numblocks[0] == 1:
            labels, *others = (v.compute() if check.is_dask_array(v) else v for v in (labels, *others))
            labels = check.ensemble(labels, name=name)
        yield (labels, *others)


def as_given(result, labels, *names):
    """A named tuple in which these arrays are Dask arrays if the labels are one."""
    if not check.is_dask_array(labels):
        return result
    import dask.array as da

    return result._replace(**{name: da.asarray(getattr(result, name), chunks=-1) for name in names})


# Objects that are drawn from the chunks, all of them if there are no more.
_SAMPLE = 2**17


class Chunks:
    """An ensemble in a Dask array: encodings of its chunks by the common partitions, and starts, on the workers."""

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
        pairs = [later(read, 2)(chunk, weight, int(first)) for chunk, weight, first in each]
        alone, reports = persist(*zip(*pairs, strict=True))
        self.partitions, values = merge(compute(*reports), weighted=sample_weight is not None)
        shared = ship(self.partitions), ship(values)
        starts = [start] * len(self.sizes)
        if check.is_dask_array(start):
            pieces = zip(start.to_delayed().ravel(), self.first_rows, strict=True)
            starts = [later(check_start)(piece, n_clusters, int(first)) for piece, first in pieces]
        each = zip(on_blocks(encode_block, alone, n_results=2), reports, starts, strict=True)
        encoded = zip(*[task(report, *shared, rows) for task, report, rows in each], strict=True)
        self.encodings, self.starts = persist(*encoded)

    def sample(self, rng):
        """Encoding of objects drawn without replacement, in order, with the sizes of all objects."""
        from dask import compute

        rows = np.sort(sample_without_replacement(self.n_samples, min(_SAMPLE, self.n_samples), random_state=rng))
        drawn = np.split(rows, np.searchsorted(rows, self.first_rows[1:]))
        each = zip(on_blocks(take_objects, self.encodings), drawn, self.first_rows, strict=True)
        parts = compute(*[task(own - first) for task, own, first in each])
        codes, observed, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Encoding(RowData(codes, weights, observed), self.partitions)

    def select(self, partitions):
        """These objects, of which functions see only some of the partitions."""
        part = copy(self)
        part._seen = partitions
        return part

    def _tasks(self, function, parts, shared, n_results):
        shared = [ship(value) for value in shared]
        function = partial(_on_part, function, self._seen)
        return [task(*shared) for task in on_blocks(function, self.encodings, *parts, n_results=n_results)]

    def total(self, function, *parts, shared=()):
        """(first results on the workers, sum of the second ones, tuples) of a function of (encoding, parts, shared)."""
        kept, sums = zip(*self._tasks(function, parts, shared, 2), strict=True)
        total, kept = sum_of(sums, kept)
        return kept, total

    def arrays(self, function, *parts, shared=(), kinds):
        """The values of the objects that such a function returns, as Dask arrays; kinds : (type, shape of one)."""
        from dask import persist

        results = zip(*self._tasks(function, parts, shared, len(kinds)), strict=True)
        return persist(*[self.array(pieces, *kind) for pieces, kind in zip(results, kinds, strict=True)])

    def array(self, pieces, dtype, shape):
        import dask.array as da

        each = zip(pieces, self.sizes, strict=True)
        return da.concatenate([da.from_delayed(piece, shape=(size, *shape), dtype=dtype) for piece, size in each])

    def order(self, values, n_values):
        """The values 0, 1, ... of the rows, each of which occurs, in the order of their first objects."""
        expanded = on_blocks(Encoding.expand, self.encodings, values)
        return np.argsort(self.first_of([later(first_values)(task(), n_values) for task in expanded]))

    def first_of(self, tasks):
        from dask import compute

        return (np.array(compute(*tasks)) + self.first_rows[:, np.newaxis]).min(axis=0)

    def compare(self, clusters, n_clusters):
        """(losses of all partitions, adjusted agreements) at a partition, from the clusters of the rows."""
        _, (S, G) = self.total(measure_clusters, clusters, shared=(n_clusters,))
        return losses_of(self.partitions, S, G), permutation.adjusted(*agreement_sums_from(self.partitions, S, G))


def like_rows(values, labels, shapes, name):
    """A Dask array with a row per object, with the chunks of the labels."""
    if values.shape not in shapes:
        raise ValueError(f"{name} must have shape {' or '.join(map(str, shapes))}, got {values.shape}.")
    return check.with_checked_chunks(values, name=name).rechunk((labels.chunks[0], *values.shape[1:]))


# Blocks are summed in a tree with this fan-in.
_FAN_IN = 8


class Rows:
    """Memberships of all rows, on the workers: the proposals of all blocks, and the share t of their steps."""

    def __init__(self, encodings, proposals, t=0.0):
        self.encodings = encodings
        self.proposals = proposals
        self.t = t

    def copy(self):
        return Rows(self.encodings, self.proposals, self.t)

    def each(self, function, n_results=None):
        """Tasks of a function of (encoding, proposal, ...), one per block, on the worker that stores the block."""
        return on_blocks(function, self.encodings, self.proposals, n_results=n_results)


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
