"""Starts: initialisation, samples of many objects, and placement of objects that were left out."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from .bundles import Visit
from .descent import ROUNDING
from .encoding import Encoding, collapse, counts_copies, harden, take_rows, weigh
from .lloyd import best_lloyd, squared_distances
from .sweep import sweep

# Share of the uniform membership mixed into a hard k-means start, so that no membership is zero.
_SMOOTHING = 0.1
# A start need not converge.
_KMEANS_PASSES = 300
# Objects in a sample, at least, and per cluster; draw one if there are this many times more rows.
_SAMPLE = 512
_SAMPLE_PER_CLUSTER = 32
SAMPLE_SHARE = 4
# The sampling error makes a smaller gap on the sample useless.
SAMPLE_TOL = 1e-4
# Pairwise steps of a visit from the uniform membership, per cluster.
_PLACING_STEPS = 2
# Largest number of visits of an object without weight; a few suffice.
MAX_PLACING = 1000


class Solution(NamedTuple):
    """An encoding with weights of its partitions and memberships of its rows."""

    encoding: Encoding
    weights: np.ndarray
    rows: np.ndarray


def reduce_rows(encoding, start, *, diagonal):
    """The rows to solve for, and the start on them.

    Objects without weight are left out; identical ones share a row when that pays, unless an array start tells them
    apart, or weights do, of which the smaller ones leave out more of their own pairs.
    """
    weighty = np.flatnonzero(encoding.multiplicity)
    if len(weighty) < len(encoding.codes):
        encoding = take_rows(encoding, weighty)
        start = start if isinstance(start, str) else start[weighty]
    if sparse.issparse(start):
        # Identical objects with the same row are not looked for.
        return encoding, start
    apart = [] if isinstance(start, str) else [start]
    if not diagonal and not counts_copies(encoding):
        apart.append((encoding.own_pairs / encoding.multiplicity)[:, np.newaxis])
    collapsed = collapse(encoding, np.concatenate(apart, axis=1) if apart else None)
    if collapsed.inverse is not None and not isinstance(start, str):
        rows = np.empty((len(collapsed.codes), start.shape[1]))
        rows[collapsed.inverse] = start
        start = rows
    return collapsed, start


def initial_rows(encoding, n_clusters, start, rng):
    """A fresh starting membership of the encoding's rows."""
    if not isinstance(start, str):
        return start.copy()
    if start == "random":
        return random_rows(len(encoding.codes), n_clusters, rng)
    clusters, floor = kmeans_start(encoding, n_clusters, rng)
    return (1.0 - n_clusters * floor) * np.eye(n_clusters)[clusters] + floor


def kmeans_start(encoding, n_clusters, rng):
    """(clusters of the rows by k-means, the part of every row in each of the clusters alike)."""
    encoding = harden(encoding)
    weights = np.full(len(encoding.offsets), 1.0 / len(encoding.offsets))
    start = best_lloyd(encoding, weights, squared_distances, n_clusters, n_init=1, max_iter=_KMEANS_PASSES, rng=rng)
    return start.clusters, _SMOOTHING / n_clusters


def random_rows(n_rows, n_clusters, rng):
    """Dirichlet(1/k) memberships."""
    # Normalised gamma variables are Dirichlet. With many clusters, a larger parameter puts rows so near the uniform
    # membership, a saddle point, that their gap is below any tolerance.
    rows = rng.standard_gamma(1.0 / n_clusters, (n_rows, n_clusters))
    rows /= rows.sum(axis=1, keepdims=True)
    return rows


def expand_rows(whole, solution, distance, tol):
    """Memberships of all objects of `whole` from a solution for what :func:`reduce_rows` made of it.

    An object without weight gets the membership that agrees best with those of the others.
    """
    membership = solution.encoding.expand(solution.rows)
    weightless = np.flatnonzero(whole.multiplicity == 0.0)
    if len(weightless) == 0:
        return membership
    full = np.empty((len(whole.codes), membership.shape[1]))
    full[whole.multiplicity > 0.0] = membership
    skip = max(tol, ROUNDING) * whole.total
    full[weightless] = _place(take_rows(whole, weightless), solution, distance, skip=skip, max_visits=MAX_PLACING)
    return full


def place_from_sample(encoding, solution, distance, *, n_threads=1):
    """Memberships of an encoding's rows that agree best with a solution for a sample of them.

    A sample shows where the descent goes, up to the sampling error, at a fraction of the cost.
    """
    absent = encoding._replace(multiplicity=np.zeros(len(encoding.codes)))
    return _place(absent, solution, distance, skip=0.0, max_visits=1, n_threads=n_threads)


def draw_sample(encoding, n_clusters, rng):
    """Encoding of objects drawn with replacement, with the total weight of all; None if a sample does not pay."""
    if not pays_to_sample(encoding, n_clusters):
        return None
    size = sample_size(encoding, n_clusters)
    rows, counts = draw_rows(encoding, size, rng)
    sample = weigh(take_rows(encoding, rows), counts * (encoding.total / size))
    return sample if sample.n_observed.all() else None


def pays_to_sample(encoding, n_clusters):
    """Whether the rows are many times those of a sample."""
    return len(encoding.codes) >= SAMPLE_SHARE * sample_size(encoding, n_clusters)


def sample_size(encoding, n_clusters):
    """Number of objects in a sample; does not read the encoding's rows."""
    size = max(_SAMPLE, _SAMPLE_PER_CLUSTER * max(n_clusters, encoding.n_codes.max()))
    return int(np.ceil(size * encoding.total / encoding.n_observed.min()))


def draw_rows(encoding, size, rng):
    """(rows, how often each was drawn), drawn with replacement in proportion to the rows' weights."""
    ends = np.cumsum(encoding.multiplicity)
    drawn = np.minimum(np.searchsorted(ends, rng.uniform(high=ends[-1], size=size), side="right"), len(ends) - 1)
    return np.unique(drawn, return_counts=True)


def _place(absent, solution, distance, *, skip, max_visits, n_threads=1):
    """Memberships of weightless rows that agree best with a solution for another encoding.

    The same quartic without the row's own term, which is a convex quadratic: any start will do.
    """
    statistics = distance.statistics(solution.encoding, solution.weights, solution.rows)
    absent, n_clusters = distance.extend(absent), solution.rows.shape[1]
    return place_by(absent, statistics, n_clusters, skip=skip, max_visits=max_visits, n_threads=n_threads)


def place_by(absent, statistics, n_clusters, *, skip, max_visits, n_threads=1):
    """Place rows by the statistics of another encoding of the same partitions."""
    statistics = statistics._replace(own=np.zeros((len(absent.codes), 3)))
    placed = np.full((len(absent.codes), n_clusters), 1.0 / n_clusters)
    order = np.arange(len(placed))
    how = Visit(diagonal=True, n_steps=_PLACING_STEPS * n_clusters, skip=skip, relaxation=1.0)
    for _ in range(max_visits):
        before = placed.copy()
        sweep(absent, statistics, placed, order, how, n_threads=n_threads)
        if np.array_equal(before, placed):
            break
    return placed
