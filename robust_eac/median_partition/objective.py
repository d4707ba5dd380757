"""The objective of the membership: a loss of the partitions, on rows in memory or in chunks."""

import numpy as np

from ..core import permutation
from .losses import LOSSES
from .model import Model
from .rows_in_memory import RowsInMemory

# What an objective asks of its parts.
_OF_LOSS = "chance_corrected", "exact", "matrices", "losses", "terms"
_OF_ROWS = "measure", "steps", "rotation", "rotate", "sample"


class Objective:
    """Weighted losses of the partitions as a function of the memberships of rows.

    loss : a :class:`~robust_eac.median_partition.losses.Loss`.
    rows : where the rows are, with the same methods in memory and in chunks:

        measure(memberships, with_agreement, n_threads) : S, G, and the agreement_sums (see core.formula) or None.
        steps(objective, weights, memberships, matrices, rng, n_threads) : the `steps` of
        :func:`~robust_eac.median_partition.alternation.descend`.
        rotation(memberships, near) : the rotation to the canonical membership (see
        :mod:`~robust_eac.median_partition.rotation`), or None. rotate(memberships, Q) rotates them in place.
        sample(n_clusters, rng) : some of the objects as rows in memory, drawn at random; None if that is too few.

    Raises
    ------
    TypeError
        If the loss or the rows lack one of these.
    """

    def __init__(self, loss, rows, n_clusters):
        require(loss, _OF_LOSS)
        require(rows, _OF_ROWS)
        self.loss = loss
        self.rows = rows
        self.n_clusters = n_clusters
        self.partitions = rows.partitions

    def on(self, rows):
        """The same objective of other rows."""
        return Objective(self.loss, rows, self.n_clusters)

    def measure(self, memberships, n_threads=1):
        """The matrices of these memberships, from which all else is computed."""
        corrected = self.loss.chance_corrected
        measured = self.rows.measure(memberships, with_agreement=corrected, n_threads=n_threads)
        return self.loss.matrices(self.partitions, *measured)

    def losses(self, matrices):
        """(m,) losses of the partitions."""
        return self.loss.losses(self.partitions, matrices)

    def agreements(self, memberships, n_threads=1):
        """(m,) adjusted agreements of the partitions with these memberships."""
        _, _, sums = self.rows.measure(memberships, with_agreement=True, n_threads=n_threads)
        return permutation.adjusted(*sums)

    def model(self, weights, matrices, *, every=False):
        """The :class:`Model` for the weighted losses; of `every` partition, or without some of weight zero."""
        terms = self.loss.terms(self.partitions, weights, matrices)
        if every or not self.loss.exact or weights.all():
            return Model(terms, matrices.S, matrices.G)
        active = np.flatnonzero(weights)
        masks = np.unique(self.partitions.mask_of[active])
        S = self.partitions.take_slots(matrices.S, active)
        return Model(terms.take(active), S, matrices.G[masks], active)

    def steps(self, *how):
        return self.rows.steps(self, *how)


def require(component, names):
    """Raise TypeError unless a component has the attributes of these names."""
    missing = [name for name in names if not hasattr(component, name)]
    if missing:
        raise TypeError(f"{type(component).__name__} lacks {', '.join(missing)}, which an Objective needs.")


def in_memory(encoding, n_clusters, loss=LOSSES["raw"]):
    """The :class:`Objective` of the rows of an encoding."""
    return Objective(loss, RowsInMemory(encoding), n_clusters)
