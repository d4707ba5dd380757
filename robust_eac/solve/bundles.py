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
    """The rows of an encoding; see :class:`~robust_eac.solve.encoding.Encoding`.

    codes : (n_rows, n_hard) unsigned integers; cluster in each hard partition.
    soft : (n_rows, n_soft_slots); memberships in the clusters of the soft partitions.
    multiplicity : (n_rows,); weight of the row's objects.
    own_pairs : (n_rows,); of the w_i^2 pairs of row i with itself, those of one object, which can be left out.
    observed : (n_rows, n_masks) bool; does mask g observe the row.
    """

    codes: np.ndarray
    soft: np.ndarray
    multiplicity: np.ndarray
    own_pairs: np.ndarray
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

    diagonal : whether pairs (i, i) count.
    n_steps : largest number of pairwise steps.
    skip : Frank-Wolfe gap of one object up to which a column is left alone.
    relaxation : how many times as far as their minimum columns are carried.
    """

    diagonal: bool
    n_steps: int
    skip: float
    relaxation: float


class OwnTerm(NamedTuple):
    """What a row adds to its own objective: quartic (|y|^2 - 1)^2 + 2 extra |y|^2, and weight y0 y0' in H."""

    weight: float
    quartic: float
    extra: float


class Clusters(NamedTuple):
    """A hard consensus in the search for density.

    labels : (n_rows,) intp.
    T : (n_slots, k) weight of the partition times the objects of each slot in each cluster.
    pair_weights : (k,) weight of the ordered pairs inside each cluster.
    sizes : (k,) objects.
    """

    labels: np.ndarray
    T: np.ndarray
    pair_weights: np.ndarray
    sizes: np.ndarray


class DensityTerms(NamedTuple):
    """What the search for density does not change.

    weights : (m,) of the partitions.
    presence : (n_rows,) weight of the partitions that observe the row.
    singleton : density of a cluster of one object.
    slack : gain below which a move is rounding.
    """

    weights: np.ndarray
    presence: np.ndarray
    singleton: float
    slack: float


class SparseRows(NamedTuple):
    """Sparse rows that grow: row r is columns[start[r] : start[r] + length[r]] with values, up to room[r] of them.

    hits : how many terms an entry is the sum of; without any it is removed. used : (1,) where room for rows ends.
    """

    start: np.ndarray
    length: np.ndarray
    room: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    hits: np.ndarray
    used: np.ndarray


class Groups(NamedTuple):
    """Rows of a sparse matrix over objects: members[ends[r] : ends[r + 1]] with shares."""

    ends: np.ndarray
    members: np.ndarray
    shares: np.ndarray


class Coefs(NamedTuple):
    """What a sparse sweep does not change.

    slot_coef : (n_slots,) as in Statistics, 0 in the slots of "not observed". mask_coef : (n_masks,).
    own : (n_rows, 2) the first two columns of that of Statistics. sizes : (n_slots,) weight of the slots' objects.
    with_floor : whether memberships may have a floor.
    """

    slot_coef: np.ndarray
    mask_coef: np.ndarray
    own: np.ndarray
    sizes: np.ndarray
    with_floor: bool


class Sums(NamedTuple):
    """Sums over the objects of every mask, of the sparse parts s_i and the floors f_i of their memberships.

    held : (k,) rows with an entry in the cluster. diagonal, row_sums, lean : (n_masks, k) of w s_ip^2, of w s_ip |s_i|
    and of w f_i s_ip, with |s_i| the sum of s_i. whole, whole_lean : (n_masks,) of w |s_i|^2 and of w f_i |s_i|.
    """

    held: np.ndarray
    diagonal: np.ndarray
    row_sums: np.ndarray
    lean: np.ndarray
    whole: np.ndarray
    whole_lean: np.ndarray


class Near(NamedTuple):
    """The clusters that a row can gain in, under local numbers, its own first; all (k,).

    place : local number of a cluster, -1 where it has none. cluster : the cluster of a local number.
    y, y0 : part of the row in it, now and before the visit. e, tilt : what its slope is made of.
    change, hit : by how much a sum changes, and the number of its terms. moved : local numbers of what changes.
    seen : False, but while a sum is looked for them.
    """

    place: np.ndarray
    cluster: np.ndarray
    y: np.ndarray
    y0: np.ndarray
    e: np.ndarray
    tilt: np.ndarray
    change: np.ndarray
    hit: np.ndarray
    moved: np.ndarray
    seen: np.ndarray
