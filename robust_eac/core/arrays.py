"""The arguments of the kernels: arrays that belong together.

Notation, for a row i that stands for ``w_i`` identical objects with membership ``y_i`` (S_u = Y X_u', G = Y Y'):

* ``S[offsets[u] + c]`` is the column of S_u that belongs to cluster c of partition u: the sum of w_i y_i over its
  objects;
* ``G[g]`` is the sum of w_i y_i y_i' over the objects of mask g. A mask is a set of objects that one or more
  partitions observe; a complete ensemble has one mask, with all objects;
* with ``coef[u] = alpha_u (n / n_u)^2``, the objective needs ``T = coef * S`` and ``Q[g] = mask_coef[g] * G[g]``, where
  mask_coef sums coef over the partitions of a mask.
"""

from typing import NamedTuple

import numpy as np


class RowData(NamedTuple):
    """The rows of an encoding. Each stands for one or more identical objects.

    codes : (n_rows, m) uint8, uint16 or uint32; cluster in each partition.
    multiplicity : (n_rows,); total weight of the row's objects: their number if objects have no weights.
    observed : (n_rows, n_masks) bool; whether the row belongs to mask g.
    """

    codes: np.ndarray
    multiplicity: np.ndarray
    observed: np.ndarray

    def take(self, rows):
        """Some of the rows, given by a slice or by indices."""
        return RowData(*(np.ascontiguousarray(values[rows]) for values in self))


class Slots(NamedTuple):
    """The rows of S and T that belong to the clusters of the base partitions.

    offsets : (m,) int64; first slot of each partition.
    whole : (n_masks,) int64; slots in T of a single cluster of all objects of each mask. Empty if there are none.
    missing : int64; the slots of the code "not observed". S and T are zero there.
    """

    offsets: np.ndarray
    whole: np.ndarray
    missing: np.ndarray


class Visited(NamedTuple):
    """The arrays of an ensemble that a sweep reads."""

    rows: RowData
    slots: Slots


class Statistics(NamedTuple):
    """S, G and the weights of the partitions, in the form that gradient and line search use.

    T : (n_slots, width >= k) coef S, padded with columns of zeros, since loops over whole SIMD vectors are faster.
    Q : (n_masks, k, k) mask_coef G.
    own : (n_rows, 3) the terms of one object of a row by itself: its mask_coef; mask_coef minus the coefs of its slots
        in T; the coef of a partition that puts every object into its own cluster.
    mask_coef : (n_masks,).
    slot_coef : (n_slots,) coef of each slot.
    """

    T: np.ndarray
    Q: np.ndarray
    own: np.ndarray
    mask_coef: np.ndarray
    slot_coef: np.ndarray


class Visit(NamedTuple):
    """How a sweep updates one column of Y.

    n_steps : largest number of pairwise steps.
    skip : a column is left alone if the Frank-Wolfe gap of one object is at most this.
    relaxation : over-relaxation factor; 1 stops at the minimum.
    """

    n_steps: int
    skip: float
    relaxation: float


def unit_rows(points):
    """Scale the rows to length one. Zero rows, of objects that no partition observes, stay zero."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0.0)
