"""What the kernels read: arrays that belong together.

Notation, for a row i that stands for ``w_i`` identical objects with membership ``y_i`` (S_u = Y X_u', G = Y Y'):

* ``S[offsets[u] + c]`` is the column of S_u that belongs to cluster c of hard partition u: the sum of w_i y_i over its
  objects. ``S[soft_slots[s]]`` belongs to column s of ``soft``, the memberships in the soft partitions: the sum of
  w_i x_is y_i;
* ``G[g]`` is the sum of w_i y_i y_i' over the objects that mask g observes. A mask is a set of objects that one or
  more partitions observe; a complete ensemble has one mask, everything;
* ``coef[u] = alpha_u (n / n_u)^2`` turns these into what the objective needs, ``T = coef * S`` and
  ``Q[g] = mask_coef[g] * G[g]``, where mask_coef sums coef over the partitions of a mask.
"""

from typing import NamedTuple

import numpy as np


class RowData(NamedTuple):
    """The rows of an encoding, which stand for identical objects.

    codes : (n_rows, n_hard) uint8, uint16 or uint32; cluster in each hard partition.
    soft : (n_rows, n_soft_slots); memberships in the clusters of the soft partitions, 0 where not observed.
    multiplicity : (n_rows,); weight of the row's objects: their number when none are weighted.
    observed : (n_rows, n_masks) bool; does mask g observe the row.
    """

    codes: np.ndarray
    soft: np.ndarray
    multiplicity: np.ndarray
    observed: np.ndarray

    def take(self, rows):
        """Some of the rows, given by a slice or by indices."""
        return RowData(*(np.ascontiguousarray(values[rows]) for values in self))


class Slots(NamedTuple):
    """Where clusters of base partitions stand in S and T.

    offsets : (n_hard,) int64; first slot of each hard partition.
    soft : (n_soft_slots,) int64; slot of each column of the soft memberships.
    missing : int64; the slots that the code "not observed" points to. S and T are zero there.
    """

    offsets: np.ndarray
    soft: np.ndarray
    missing: np.ndarray


class Visited(NamedTuple):
    """What a sweep reads of an ensemble."""

    rows: RowData
    slots: Slots


class Statistics(NamedTuple):
    """S, G and the weights of the partitions, as gradient and line search read them.

    T : (n_slots, width >= k) coef S; columns behind the k-th are zero, since loops over whole vectors are faster.
    Q : (n_masks, k, k) mask_coef G.
    own : (n_rows, 3) what one object of a row adds to its own objective: its mask_coef; what that has more than the
        coefs of its slots that are in T; the coef of a partition that puts every object into a cluster of its own.
    mask_coef : (n_masks,).
    slot_coef : (n_slots,) coef of each slot.
    """

    T: np.ndarray
    Q: np.ndarray
    own: np.ndarray
    mask_coef: np.ndarray
    slot_coef: np.ndarray


class Visit(NamedTuple):
    """How a sweep visits a column.

    n_steps : largest number of pairwise steps.
    skip : Frank-Wolfe gap of one object up to which a column is left alone.
    relaxation : how many times as far as their minimum columns are carried.
    """

    n_steps: int
    skip: float
    relaxation: float
