"""Work on one block of rows of a distributed ensemble.

All blocks share the slots, and sweep their rows given S and G of all rows. A block reports only sums, matrices of k x k
and k x K numbers.
"""

import sys
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import numpy as np

from .. import validation as check
from ..common import row_blocks
from ..core.encoding import Encoding, Visit, encode, hard_partitions, select, take_rows
from ..core.formula import accumulate, coefficients, matrices_of
from ..median_partition import sweep as sweeping
from ..median_partition.base import first_objects, gap_of, gradient_of, place_by, weighted_statistics
from ..median_partition.objective import Matrices
from ..median_partition.rotation import MOST_ROWS, rotate_rows, some_rows, survey
from ..median_partition.starts import draw_rows, reduce_rows
from ..median_partition.sweep import visiting_order


class Report(NamedTuple):
    """The labels of a block, for the common encoding.

    values, sizes : (n_slots,) label of each slot of the block's own encoding, -1 for "not observed"; number of objects.
    n_codes, mask_of : (m,) number of slots of each partition; equal numbers for partitions that observe the same
        objects.
    n_samples : int
    """

    values: np.ndarray
    n_codes: np.ndarray
    sizes: np.ndarray
    mask_of: np.ndarray
    n_samples: int


def read(labels, first_row):
    """(encoding of a block by itself, its :class:`Report`)."""
    name = f"labels[{first_row}:]"
    ensemble = check.ensemble(labels, name=name, part=True)
    check.objects_observed(ensemble, name)
    labels = ensemble.labels
    encoding = encode(labels)
    values = np.empty(len(encoding.partitions.sizes), dtype=np.int64)
    for block in row_blocks(len(labels)):
        values[encoding.partitions.offsets + encoding.rows.codes[block]] = labels[block]
    return encoding, Report(
        values, encoding.partitions.n_codes, encoding.partitions.sizes, encoding.partitions.mask_of, len(labels)
    )


def merge(reports):
    """Merge the reports of all blocks: (:class:`~robust_eac.core.encoding.Partitions`, the labels of their slots)."""
    m, n = len(reports[0].mask_of), sum(report.n_samples for report in reports)
    partition = np.concatenate([np.repeat(np.arange(m), report.n_codes) for report in reports])
    known = np.concatenate([report.values for report in reports])
    counts = np.concatenate([report.sizes for report in reports])
    values, sizes = [], []
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
    if empty:
        rule = f"every partition must observe at least one object, column {empty[0]} has no label"
        raise ValueError(f"labels: {rule}: leave it out by da.delete(labels, {empty}, axis=1).")
    n_codes = np.array([len(size) for size in sizes], dtype=np.int64)
    # Partitions share a mask if they share one in every block.
    _, mask_of = np.unique([report.mask_of for report in reports], axis=1, return_inverse=True)
    partitions = hard_partitions(np.concatenate(sizes), n_codes, missing, mask_of.ravel(), n)
    return partitions, np.concatenate(values)


def encode_block(alone, report, partitions, values, start):
    """(reduced encoding of a block by the common partitions, Proposal of an array start)."""
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
    encoding, start = reduce_rows(Encoding(alone.rows._replace(codes=codes, observed=observed), partitions), start)
    return encoding, None if isinstance(start, str) else Proposal(start, start)


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


def least_and_largest(rows):
    """(2, k) minimum and maximum membership in every cluster."""
    return np.array([rows.min(axis=0), rows.max(axis=0)])


def sample_block(encoding, size, seed):
    """(codes, observed, numbers of objects) of rows drawn from a block, or of all rows if size is None."""
    if size is None:
        rows, counts = np.arange(len(encoding.rows.codes)), encoding.rows.multiplicity
    else:
        rows, counts = draw_rows(encoding, size, np.random.RandomState(seed))
    return encoding.rows.codes[rows], encoding.rows.observed[rows], counts


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

    t, S, G : share of their last steps that all blocks take; S and G of all rows after that step.
    weights, visit, seed : of the partitions; settings of the sweep; draws the orders of the rows.
    """

    t: float
    S: np.ndarray
    G: np.ndarray
    weights: np.ndarray
    visit: Visit
    seed: int


def place_block(encoding, partitions, statistics, n_clusters):
    """The :class:`Proposal` of the memberships that agree best with those behind the statistics."""
    absent = encoding if len(partitions) == len(encoding.partitions.offsets) else select(encoding, partitions)
    absent = absent.with_rows(multiplicity=np.zeros(len(encoding.rows.codes))).visited
    # Tasks share their arguments: copy the arrays that placing changes.
    statistics = statistics._replace(T=statistics.T.copy(), Q=statistics.Q.copy())
    rows = place_by(absent, statistics, n_clusters, skip=0.0, max_visits=1)
    return Proposal(rows, rows)


def measure(encoding, proposal, t):
    return accumulate(encoding, proposal.at(t))


def _of_weighty(encoding, shared):
    """The encoding without the partitions of weight zero, and its Statistics."""
    active = np.flatnonzero(shared.weights)
    part = encoding if len(active) == len(shared.weights) else select(encoding, active)
    matrices = matrices_of(encoding.partitions, active, shared.S, shared.G)
    return part, weighted_statistics(part, shared.weights[active], *matrices)


def gap_of_block(encoding, proposal, shared):
    part, statistics = _of_weighty(encoding, shared)
    return (gap_of(part.visited, proposal.at(shared.t).copy(), statistics, part.partitions.total),)


def propose(encoding, proposal, shared, number):
    """(Proposal of the block of that number, its :class:`Sums`) by one sweep of its rows, with all others fixed."""
    rows = proposal.at(shared.t)
    part, statistics = _of_weighty(encoding, shared)
    target = rows.copy()
    order = visiting_order(len(rows), np.random.RandomState([shared.seed, number]))
    gap, _ = sweeping.sweep_rows(order, *part.visited, statistics, target, shared.visit)
    return Proposal(rows, target), sums_of_step(encoding, rows, target, gap)


def propose_best_clusters(encoding, proposal, shared, _):
    """As :func:`propose`, but for the Frank-Wolfe step: towards the best cluster of every object."""
    rows = proposal.at(shared.t)
    part, statistics = _of_weighty(encoding, shared)
    gradient = gradient_of(part.visited, rows, statistics)
    target = np.eye(rows.shape[1])[gradient.argmin(axis=1)]
    gap = part.rows.multiplicity @ np.einsum("ip,ip->i", gradient, rows - target)
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
    before, step = rows[moved], target[moved] - rows[moved]
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
    cross, square = sums.cross, sums.square
    powers = np.array(
        [
            2.0 * inner(G, cross) - 4.0 * along_S,
            inner(cross, cross) + 2.0 * inner(G, square) - 2.0 * step_S,
            2.0 * inner(cross, square),
            inner(square, square),
        ]
    )
    return sweeping.minimise_quartic(*powers, 1.0)


def after_step(S, G, sums, t):
    """S and G after a share t of the step."""
    return Matrices(S + t * sums.S, G + t * (sums.cross + t * sums.square))


def sample_memberships(encoding, proposal, t, n_samples):
    """(memberships of some of the block's rows, their numbers of objects) for the choice of a rotation."""
    rows = proposal.at(t)
    some = some_rows(len(rows), max(1, round(MOST_ROWS * encoding.n_samples / max(n_samples, MOST_ROWS))))
    return rows[some], encoding.rows.multiplicity[some]


def largest_memberships(encoding, proposal, t):
    """(k,) largest membership in every cluster."""
    return proposal.at(t).max(axis=0)


def survey_block(encoding, proposal, t, Q):
    """(the row of smallest membership in every cluster after a rotation, the total confidence)."""
    return survey(proposal.at(t), encoding.rows.multiplicity, Q)


def rotate_block(encoding, proposal, t, Q):
    """The :class:`Proposal` of the rotated memberships."""
    rows = proposal.at(t).copy()
    rotate_rows(rows, Q)
    return Proposal(rows, rows)


def finish(encoding, proposal, t):
    return encoding.expand(proposal.at(t))


def first_winners(membership, order):
    """(k,) first object of every cluster, in the given order of clusters; infinity for an empty one."""
    first = first_objects(membership[:, order].argmax(axis=1), len(order))
    return np.where(first < len(membership), first, np.inf)


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
