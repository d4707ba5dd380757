"""A consensus at a glance: how far from the best it is at most, and how many of its objects are unsure."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..hard.losses import reassign
from ..hard.lower_bound import bound_memberships, bound_partitions, different_rows, spectral_bound
from ..hard.tables import LOSSES, partition_losses
from ..objectives import Raw
from ..sparse.objective import SparseRaw
from ..sparse.rows import membership_of

# A bound within this share of the loss is not improved: the report has no more digits to show.
_ENOUGH = 1e-3
# Bounds by all pairs of objects that differ, or of base clusters, are for at most so many: a minute or two.
MOST_PAIRED = 3000
# An object is unsure if its best move costs less than this share of the loss per object; below zero, for rounding.
UNSURE = 0.1
_GAIN = -1e-9


class Assurance(NamedTuple):
    """A consensus beside a lower bound for its weights, both per ordered pair of objects, and its unsure objects.

    unbounded : why there is no bound, if there is none.
    n_unsure, n_gaining : how many objects a move costs less than `UNSURE` of the loss per object, how many it gains;
        None where nobody looked.
    """

    loss: float | None
    bound: float | None
    unbounded: str | None
    n_unsure: int | None
    n_gaining: int | None

    @property
    def excess(self):
        """How far the loss is above the least possible at most, as a share of that; None without a bound above zero."""
        if self.bound is not None and self.loss <= self.bound:
            return 0.0
        return self.loss / self.bound - 1.0 if self.bound else None


def unassured(reason):
    """The :class:`Assurance` of a consensus that cannot be looked at."""
    return Assurance(None, None, reason, None, None)


def assure_membership(encoding, weights, membership, labels, *, unbounded=None):
    """The :class:`Assurance` of a membership, whose labels are what objects may be unsure about.

    unbounded : why it is not to be held against a bound.
    """
    n_clusters, loss, bound = membership.shape[1], None, None
    if unbounded is None:
        loss = float(weights @ _losses_of_membership(encoding, membership))
        bound, unbounded = _bound_of_membership(encoding, weights, n_clusters, loss / (1.0 + _ENOUGH))
        loss /= encoding.total**2
    return Assurance(loss, bound, unbounded, *_count_unsure(encoding, weights, labels, n_clusters))


def _losses_of_membership(encoding, membership):
    if sparse.issparse(membership):
        objective, membership = SparseRaw(encoding, membership.shape[1]), membership_of(membership)
    else:
        objective = Raw(encoding, membership.shape[1])
    return objective.losses(objective.measure(membership))


def assure_partition(encoding, weights, labels, n_clusters, cost):
    """The :class:`Assurance` of a partition under Binder's loss, among those of at most so many clusters."""
    loss = float(weights @ partition_losses(encoding, labels, LOSSES["binder"]._replace(cost=cost)))
    bound, unbounded = _bound_of_partition(encoding, weights, n_clusters, cost)
    return Assurance(loss, bound, unbounded, *_count_unsure(encoding, weights, labels, n_clusters, cost))


def _bound_of_membership(encoding, weights, n_clusters, enough):
    """(bound per ordered pair, None), or (None, why there is none)."""
    n_different = len(different_rows(encoding, weights, False).codes)
    obstacle = _obstacle(encoding)
    bound = 0.0
    if obstacle is None and len(encoding.sizes) < n_different:
        bound = spectral_bound(encoding, weights, n_clusters)
    if bound < enough and n_different <= MOST_PAIRED:
        by_pairs = bound_memberships(encoding, weights, n_clusters, enough=enough)
        bound, obstacle = max(bound, by_pairs.bound), None
    return _stated(encoding, bound, obstacle)


def _bound_of_partition(encoding, weights, n_clusters, cost):
    """(bound per ordered pair, None), or (None, why there is none)."""
    if len(different_rows(encoding, weights, True, cost).codes) <= MOST_PAIRED:
        bound = bound_partitions(encoding, weights, n_clusters, cost=cost, tol=_ENOUGH).bound
        return _stated(encoding, bound, None)
    obstacle = _obstacle(encoding) if cost == 1.0 else "the cost is not 1"
    # A partition is a membership, too.
    return _stated(encoding, 0.0 if obstacle else spectral_bound(encoding, weights, n_clusters), obstacle)


def _stated(encoding, bound, obstacle):
    if obstacle is None:
        return bound / encoding.total**2, None
    return None, f"more than {MOST_PAIRED:,} objects differ, and {obstacle}"


def _obstacle(encoding):
    """Why there is no bound by pairs of base clusters, if there is none."""
    if not encoding.observed[encoding.multiplicity > 0.0].all():
        return "labels are missing"
    return f"there are more than {MOST_PAIRED:,} base clusters" if len(encoding.sizes) > MOST_PAIRED else None


class Moves(NamedTuple):
    """The best move of every object from its cluster to another one.

    clusters : the other one, as numbered in the labels; the number of clusters for a new one.
    rises : by how much it raises the loss, times the weight of all objects over that of the object; infinite for
        objects without weight.
    loss : the loss before, which is the loss per object in the same unit.
    """

    clusters: np.ndarray
    rises: np.ndarray
    loss: float

    @property
    def unsure(self):
        """Mask of the objects that hardly lose by it, or gain."""
        return self.rises - UNSURE * self.loss < _GAIN

    @property
    def gaining(self):
        """Mask of the objects that gain by it."""
        return self.rises < _GAIN


def best_moves(encoding, weights, labels, n_clusters, cost=1.0):
    """The :class:`Moves` of a partition under Binder's loss, among those of at most so many clusters."""
    binder = LOSSES["binder"]._replace(cost=cost)
    loss = float(weights @ partition_losses(encoding, labels, binder))
    used, best, rises = reassign(encoding, weights, binder, labels, n_clusters)
    rises = np.where(encoding.multiplicity > 0.0, encoding.total * rises, np.inf)
    return Moves(np.append(used, labels.max() + 1)[best], rises, loss)


def _count_unsure(encoding, weights, labels, n_clusters, cost=1.0):
    """How many objects hardly lose by their best move, and how many gain."""
    moves = best_moves(encoding, weights, labels, n_clusters, cost)
    return int(np.count_nonzero(moves.unsure)), int(np.count_nonzero(moves.gaining))
