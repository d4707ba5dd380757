"""Many clusters: the weighted losses of the paper, of sparse memberships.

An object can gain only in clusters that share a base cluster with it, and in one with which it has nothing in common.
So a visit costs what the objects near it have, not k. In noise the minimum spreads a little of every object over all
clusters, though: what all of them share is the floor f_i of :class:`~robust_eac.sparse.rows.SparseMembership`.
With v_p = sum_i w_i f_i s_ip and r_p = sum_i w_i s_ip |s_i| over the objects of a mask, |s_i| being the sum of s_i,

    G = Y Y' = sum_i w_i s_i s_i' + v 1' + 1 v' + (sum_i w_i f_i^2) 1 1',
    S_u x = sum over the objects of the base cluster of w_i s_i, plus the sum of their w_i f_i times 1.

A step takes mass from one cluster, or from all alike, to one cluster, or to all alike, by exact line search.
"""

from copy import copy
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..checks.values import MAX_DENSE
from ..solve import relabelling
from ..solve.bundles import RowData, Slots, Visit
from ..solve.descent import ROUNDING, visiting_order
from ..solve.encoding import one_hot, select, take_rows, weigh_clusters
from ..solve.formula import agreement_beside, coefficients, gap_unit, losses_from_sums, row_parts
from ..solve.objective import MAX_PLACING, Objective, first_objects, labels_of
from ..solve.starts import allocate, kmeans_start
from ..solve.threads import end_if_told, map_threads
from . import kernels
from .rows import (
    Coefs,
    Fixed,
    Matrices,
    SparseMembership,
    SparseRows,
    Sums,
    as_array,
    find_diagonal,
    first_clusters,
    floor_sums,
    from_csr,
    groups_of,
    grow,
    membership_of,
    membership_of_labels,
    product,
    row_squares,
    to_csr,
    with_empty_row,
)

# Pairwise steps per visit: more of them leave more clusters per object, which makes the later sweeps slow.
_PAIR_STEPS = 2
# Rows that are visited before a sweep looks whether it was interrupted.
_UNINTERRUPTED = 2**14


class State(NamedTuple):
    """<Y'Y, X_u'W_uX_u> of every partition, and |Y'Y|^2 of every mask."""

    shared: np.ndarray
    of_pairs: np.ndarray


class SparseRaw(Objective):
    """sum_u alpha_u d_u of sparse memberships.

    with_floor : whether objects may be in all clusters alike, which makes the memberships of all objects dense.
    """

    starts_are_cheap = True

    def __init__(self, encoding, n_clusters, with_floor=None):
        super().__init__(encoding, n_clusters)
        self.with_floor = encoding.n_samples * n_clusters <= MAX_DENSE if with_floor is None else with_floor
        self._part = None

    def on(self, encoding):
        return SparseRaw(encoding, self.n_clusters, self.with_floor)

    @cached_property
    def slots(self):
        """The objects of every slot."""
        return groups_of((one_hot(self.encoding) * self.encoding.multiplicity[:, np.newaxis]).T)

    def part(self, weights):
        """The objective of the partitions with weight."""
        active = np.flatnonzero(weights)
        if len(active) == len(weights):
            return self
        part = self._part
        if part is None or not np.array_equal(part[0], active):
            part = self._part = active, self.on(select(self.encoding, active))
        return part[1]

    def sample(self, rng, *, quarter=False):
        """None: starts are cheap."""

    def initial_rows(self, start, rng):
        """The :class:`~robust_eac.sparse.rows.SparseMembership` to start from."""
        encoding, k = self.encoding, self.n_clusters
        if not isinstance(start, str):
            return membership_of(start)
        if start == "kmeans":
            clusters, floor = kmeans_start(encoding, k, rng)
            return membership_of_labels(clusters, k, floor if self.with_floor else 0.0)
        return membership_of_labels(allocate(encoding, k, rng), k)

    def measure(self, membership, n_threads=1):
        encoding, parts, floor, k = self.encoding, membership.parts, membership.floor, membership.k
        F = floor_sums(self.slots, floor)
        of_slots = row_squares(self.slots, parts, k) + F * (2.0 * encoding.sizes - k * F)
        square_G = row_squares(_cluster_groups(encoding, membership), parts, k).reshape(-1, k).sum(axis=1)
        row_sums, lean, whole, whole_lean = _sums(encoding, membership)
        square_f = (encoding.multiplicity * floor**2) @ encoding.observed
        square_G += 4.0 * np.einsum("gp,gp->g", lean, row_sums) + 2.0 * k * np.einsum("gp,gp->g", lean, lean)
        square_G += 2.0 * square_f * whole + 2.0 * whole_lean**2 + k * square_f * (4.0 * whole_lean + k * square_f)
        return State(encoding.sum_slots(of_slots), square_G)

    def losses(self, state):
        return losses_from_sums(self.encoding, *state)

    def whereabouts(self, membership):
        labels = self.labels(membership)
        return first_objects(labels, self.n_clusters)[labels]

    def have_met(self, one, other):
        return np.array_equal(one, other)

    def labels(self, membership):
        """(n_rows,) the first cluster of largest membership."""
        labels, held = np.zeros(len(membership), dtype=np.intp), np.flatnonzero(membership.parts.length)
        labels[held] = labels_of(to_csr(membership.parts, membership.k)[held])
        return labels

    def canonical_rotation(self, rows, *, near=False):
        """Memberships of many clusters stay as the descent left them."""
        return None

    def ordered(self, state, order):
        return state

    def steps(self, weights, membership, state, rng, n_threads=1):
        return SparseSteps(self, weights, membership, state, rng, n_threads)

    def expand(self, whole, weights, membership, tol):
        found = self.encoding.expand(as_array(membership, dense=self.with_floor))
        weightless = np.flatnonzero(whole.multiplicity == 0.0)
        if len(weightless) == 0:
            return found
        absent = select(take_rows(whole, weightless), np.flatnonzero(weights))
        coefs = _coefs(absent, weights[weights > 0.0], self.with_floor)
        placed = place(absent, coefs, SumsOf(self.part(weights), membership), max(tol, ROUNDING) * whole.total)
        # Where each object is when those without weight are last.
        order = np.argsort(np.argsort(whole.multiplicity == 0.0, kind="stable"))
        found = [found, placed]
        return np.concatenate(found)[order] if self.with_floor else sparse.vstack(found, format="csr")[order]


def agreements(encoding, membership):
    """The adjusted agreements a_u, whatever the weights of base clusters."""
    objective = SparseRaw(weigh_clusters(encoding, None), membership.k)
    state, observed, self_pairs = objective.measure(membership), encoding.observed, encoding.self_pairs
    weight = encoding.multiplicity[:, np.newaxis] * observed
    total = to_csr(membership.parts, membership.k).T @ weight + membership.floor @ weight
    sums = weight.sum(axis=0), self_pairs @ observed, (self_pairs * membership.squares) @ observed
    consensus = relabelling.pair_sums(*sums, np.einsum("pg,pg->g", total, total), state.of_pairs)
    consensus = relabelling.PairSums(*(values[encoding.mask_of] for values in consensus))
    return agreement_beside(objective.encoding, objective.losses(state), consensus)


class SparseSteps:
    """Steps down sum_u alpha_u d_u over sparse memberships."""

    def __init__(self, objective, weights, membership, state, rng, n_threads):
        self.state, self._n_threads = state, n_threads
        self._objective, self._part = objective, objective.part(weights)
        self._coefs = _coefs(self._part.encoding, weights[weights > 0.0], objective.with_floor)
        self._membership, self._rng, self._sums = membership, rng, None

    def gap(self):
        self._sums = SumsOf(self._part, self._membership)
        # These visits leave every row alone, so that threads can share all.
        visit = partial(self._visit_all, how=Visit(1, np.inf, 1.0), coefs=self._coefs)
        order = np.argsort(first_clusters(self._membership), kind="stable")
        return sum(map_threads(visit, (order[rows] for rows in row_parts(len(order))), self._n_threads))

    def sweep(self, relaxation):
        """One plain sweep, whatever the relaxation: floors would end where a cluster's part is zero.

        From a partition it takes one step per object, to a single cluster: floors would keep objects in wrong clusters.
        """
        # Short runs of rows of one cluster: the base clusters that they share stay in the cache.
        order = visiting_order(len(self._membership), self._rng, first_clusters(self._membership))
        n_steps, coefs = _PAIR_STEPS, self._coefs
        self._sums = self._sums or SumsOf(self._part, self._membership)
        if self._membership.is_hard:
            n_steps, coefs = 1, coefs._replace(with_floor=False)
        return self._visit_all(order, Visit(n_steps, 0.0, 1.0), coefs)

    def refresh(self):
        self.state = self._objective.measure(self._membership)

    def _visit_all(self, order, how, coefs):
        encoding = self._part.encoding
        gaps = self._sums.sweep(encoding, coefs, self._membership, order, how)[0]
        return float(gaps) / gap_unit(encoding)


class SumsOf:
    """S and G of the memberships of an objective's rows; both follow the visits."""

    def __init__(self, objective, membership):
        encoding, parts, k = objective.encoding, membership.parts, membership.k
        self.S, self.F = product(objective.slots, parts, k), floor_sums(objective.slots, membership.floor)
        self.G = product(_cluster_groups(encoding, membership), parts, k)
        row_sums, lean, whole, whole_lean = _sums(encoding, membership)
        diagonal = np.empty_like(lean)
        find_diagonal(self.G, k, diagonal)
        held = np.bincount(to_csr(parts, k).indices, minlength=k)
        self.sums = Sums(held, diagonal, row_sums, lean, whole, whole_lean)

    def sweep(self, encoding, coefs, membership, order, how):
        """Visit an encoding's rows in the given order: (sum of their gaps, change of the objective, rows changed)."""
        totals, needed, reached = np.zeros(3), np.zeros(3, dtype=np.int64), 0
        fixed = Fixed(encoding.data, encoding.slots, coefs)
        while reached < len(order):
            matrices = Matrices(membership.parts, membership.floor, self.S, self.F, self.G, self.sums)
            end = min(reached + _UNINTERRUPTED, len(order))
            reached = kernels.sweep(order[:end], reached, fixed, matrices, how, totals, needed)
            if reached < end:
                pools = membership.parts, self.S, self.G
                pools = (grow(pool, n_entries) for pool, n_entries in zip(pools, needed, strict=True))
                membership.parts, self.S, self.G = pools
            end_if_told()
        return totals

    def of_masks(self, masks):
        """The same for other masks, each of which is one of these, for visits that change nothing."""
        k, other = len(self.sums.held), copy(self)
        # The kernels want arrays that they may write to, as those of a memory-mapped model are not.
        other.S, other.F = SparseRows(*map(_writeable, self.S)), _writeable(self.F)
        of_masks = (values.reshape(-1, k)[masks].ravel() for values in self.G[:3])
        other.G = SparseRows(*of_masks, *map(_writeable, self.G[3:]))
        other.sums = Sums(_writeable(self.sums.held), *(values[masks] for values in self.sums[1:]))
        return other


def _writeable(values):
    return values if values.flags.writeable else values.copy()


def _cluster_groups(encoding, membership):
    """The objects of the clusters, mask by mask: the rows of the part of G that is sparse."""
    clusters = sparse.csr_array(to_csr(membership.parts, membership.k).T)
    return groups_of(sparse.vstack([clusters * (encoding.multiplicity * mask) for mask in encoding.observed.T]))


def _sums(encoding, membership):
    """`row_sums`, `lean`, `whole` and `whole_lean` of :class:`~robust_eac.sparse.rows.Sums`."""
    parts, floor = to_csr(membership.parts, membership.k), membership.floor
    size = parts.sum(axis=1)
    weight = encoding.multiplicity * encoding.observed.T
    row_sums, lean = (np.ascontiguousarray((parts.T @ (weight * values).T).T) for values in (size, floor))
    return row_sums, lean, weight @ size**2, weight @ (floor * size)


def _coefs(encoding, weights, with_floor):
    coef, mask_coef = coefficients(encoding, weights)
    slot_coef = np.array(encoding.by_slot(coef))
    slot_coef[encoding.missing_slots] = 0.0
    own = np.column_stack([encoding.observed @ mask_coef, encoding.surplus(coef)])
    return Coefs(slot_coef, mask_coef, own, encoding.sizes, with_floor)


def place(rows, coefs, sums, skip):
    """Memberships of rows without weight beside those that the sums are of, which stay as they are.

    `rows` have the `data` and the `slots` of an encoding; `skip` is a quarter of the gap at which an object is placed.
    """
    n, k, dense = len(rows.data.codes), len(sums.sums.held), coefs.with_floor
    coefs = coefs._replace(own=np.zeros((n, 2)))
    # Where nothing is known of an object it stays in all clusters, in the first one where these would be too many.
    start = sparse.csr_array((n, k)) if dense else np.eye(1, k).repeat(n, axis=0)
    placed = SparseMembership(from_csr(start), np.full(n, 1.0 / k if dense else 0.0), k)
    how = Visit(n_steps=2 * _PAIR_STEPS, skip=skip, relaxation=1.0)
    for _ in range(MAX_PLACING):
        if sums.sweep(rows, coefs, placed, np.arange(n), how)[2] == 0.0:
            break
    return as_array(placed, dense=dense)


class FixedMany(NamedTuple):
    """What :class:`~robust_eac.placing.FixedConsensus` is for sparse memberships and raw losses.

    sums : of the fitted objects, with one more slot, for all that no fitted object has. coef : (m,).
    """

    sums: SumsOf
    coefs: Coefs
    coef: np.ndarray
    mask_of: np.ndarray
    skip: float

    def place(self, newcomers):
        """(n, k) memberships that minimise what the pairs of an object with fitted ones add to the objective."""
        first, group_of = observed_alike(self.mask_of, newcomers.observed)
        observed = np.ascontiguousarray(newcomers.observed[:, first])
        data = RowData(newcomers.codes, newcomers.soft, np.zeros(len(newcomers.codes)), observed)
        slots = Slots(np.zeros(newcomers.codes.shape[1], dtype=np.int64), newcomers.soft_slots, np.empty(0, np.int64))
        # As for the sums, see `of_masks`.
        fixed = {name: _writeable(getattr(self.coefs, name)) for name in ("slot_coef", "sizes")}
        coefs = self.coefs._replace(**fixed, mask_coef=np.bincount(group_of, weights=self.coef))
        return place(_Rows(data, slots), coefs, self.sums.of_masks(self.mask_of[first]), self.skip)

    def unplaced(self, newcomers):
        """(n,) bool; the objects of which nothing is known."""
        return ~newcomers.observed.any(axis=1)


class _Rows(NamedTuple):
    data: RowData
    slots: Slots


def observed_alike(mask_of, observed):
    """(one partition of each group whose fitted and new objects are the same, group of every partition)."""
    patterns = np.packbits(observed, axis=0)
    keys = np.concatenate([mask_of[np.newaxis], np.zeros_like(patterns[:1]) if observed.all() else patterns])
    _, first, group_of = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    return first, group_of.ravel()


def freeze(objective, weights, membership, *, skip):
    """The :class:`FixedMany` of memberships of a :class:`SparseRaw` objective's rows."""
    encoding = objective.encoding
    sums, coefs = SumsOf(objective, membership), _coefs(encoding, weights, objective.with_floor)
    sums.S = with_empty_row(sums.S)
    sums.F = np.append(sums.F, 0.0)
    padded = {name: np.append(getattr(coefs, name), 0.0) for name in ("slot_coef", "sizes")}
    return FixedMany(sums, coefs._replace(**padded), coefficients(encoding, weights)[0], encoding.mask_of, skip)
