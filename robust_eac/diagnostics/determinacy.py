"""How far labels are determined: what other memberships with the same losses make of them."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import ortho_group
from sklearn.metrics import adjusted_rand_score

from ..solve.rotation import only_permutations_left, plane_of

# Planes in which the membership is turned, one after the other, and angles in each; with one plane, as many in that.
_PLANES = 200
_ANGLES = 4
_ANGLES_OF_ONE = 100
# Rotations are admissible for at most this many objects, evenly spaced.
_ROWS = 2**12


class Determinacy(NamedTuple):
    """How far labels are determined.

    agreement : adjusted Rand index of the labels with the most different ones found at the same losses.
    undetermined : (n,) mask of the objects that change cluster in some such membership, clusters matched.
    """

    agreement: float
    undetermined: np.ndarray


def determinacy(membership):
    """The :class:`Determinacy` of the labels of a membership of (n, k) numbers.

    A walk, always the same, over the rotations Q with Q Y >= 0 (see :mod:`~robust_eac.solve.rotation`). A step turns
    one plane; there the angles of the way through the membership lie in an interval whose ends are known in closed
    form. The walk goes on from a random one. With three clusters there is only one plane.
    """
    n, k = membership.shape
    labels = membership.argmax(axis=1)
    agreement, undetermined = 1.0, np.zeros(n, dtype=bool)
    if k < 3 or only_permutations_left(some := membership[:: -(-n // _ROWS)]):
        return Determinacy(agreement, undetermined)
    own, Q, rng = some.argmax(axis=1), np.eye(k), np.random.RandomState(0)
    changed, most_changed = np.zeros(len(some), dtype=bool), 0
    n_planes, n_angles = (_PLANES, _ANGLES) if k > 3 else (1, _ANGLES_OF_ONE)
    for _ in range(n_planes):
        axes = plane_of(k) @ ortho_group.rvs(k - 1, random_state=rng)[:, :2]
        least, most = _interval(some @ Q.T, axes)
        for angle in np.linspace(least, most, n_angles):
            turned = _turn(axes, angle) @ Q
            other = _matched(own, (some @ turned.T).argmax(axis=1), k) != own
            if (changed < other).any():
                changed |= other
                undetermined |= _matched(labels, (membership @ turned.T).argmax(axis=1), k) != labels
            if np.count_nonzero(other) > most_changed:
                most_changed, furthest = np.count_nonzero(other), turned
        Q = _turn(axes, rng.uniform(least, most)) @ Q
    if most_changed:
        agreement = float(adjusted_rand_score(labels, (membership @ furthest.T).argmax(axis=1)))
    return Determinacy(agreement, undetermined)


def _turn(axes, angle):
    """The rotation by an angle in the plane of two orthonormal (k, 2) axes."""
    c, s = np.cos(angle), np.sin(angle)
    return np.eye(len(axes)) + axes @ np.array([[c - 1.0, -s], [s, c - 1.0]]) @ axes.T


def _interval(rows, axes):
    """Angles around 0, from the least to the largest, up to which rows turned in a plane stay in the simplex.

    The membership of a row in a cluster is rest + radius cos(angle - phase).
    """
    inner = rows @ axes
    cosine = inner @ axes.T
    sine = inner @ np.array([axes[:, 1], -axes[:, 0]])
    radius = np.hypot(cosine, sine)
    leaves = radius > rows - cosine
    reach = np.arccos(np.clip((cosine - rows)[leaves] / radius[leaves], -1.0, 1.0))
    phase = np.arctan2(sine, cosine)[leaves]
    # On the boundary of the simplex, rounding must not leave 0 out.
    least, most = (phase - reach).max(initial=-np.pi), (phase + reach).min(initial=np.pi)
    return min(least, 0.0), max(most, 0.0)


def _matched(labels, found, n_clusters):
    """The other labels, their clusters numbered as those that they share most objects with."""
    table = np.bincount(labels * n_clusters + found, minlength=n_clusters**2).reshape(n_clusters, n_clusters)
    order, matched = linear_sum_assignment(table, maximize=True)
    number = np.empty(n_clusters, dtype=np.intp)
    number[matched] = order
    return number[found]
