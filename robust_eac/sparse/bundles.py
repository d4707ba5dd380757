"""What the sparse kernels read: arrays that belong together."""

from typing import NamedTuple

import numpy as np

from ..solve.bundles import RowData, Slots


class SparseRows(NamedTuple):
    """Sparse rows that grow: row r is columns[start[r] : start[r] + length[r]] with values, up to capacity[r] of them.

    hits : how many terms an entry is the sum of; without any it is removed. used : (1,) where room for rows ends.
    """

    start: np.ndarray
    length: np.ndarray
    capacity: np.ndarray
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


class Fixed(NamedTuple):
    """What a sweep reads."""

    data: RowData
    slots: Slots
    coefs: Coefs


class Matrices(NamedTuple):
    """What a sweep changes: the memberships, as parts Y and floors, and their S, F, G and sums."""

    Y: SparseRows
    floor: np.ndarray
    S: SparseRows
    F: np.ndarray
    G: SparseRows
    sums: Sums


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
