"""How far labels are determined: the labels of other memberships with the same losses."""

from typing import NamedTuple

import numpy as np
from scipy.stats import ortho_group
from sklearn.metrics import adjusted_rand_score

from ..checks.common import row_blocks
from ..core.rotation import MOST_TURNED, only_permutations_left, plane_of
from ..metrics.external import count_shared, matched_numbers

# Planes in which the membership is turned, one after the other: _TURNED over the number of objects, within limits.
_LEAST_PLANES, _MOST_PLANES = 4, 200
_TURNED = 2**20
# Angles in each plane, and in the only plane of three clusters.
_ANGLES, _ANGLES_OF_ONE = 4, 100


class Determinacy(NamedTuple):
    """How far labels are determined.

    agreement : adjusted Rand index of the labels with the most different ones found at the same losses.
    undetermined : (n,) mask of the objects that change cluster in some such membership, clusters matched.
    """

    agreement: float
    undetermined: np.ndarray


def determinacy(membership):
    """The :class:`Determinacy` of the labels of a membership of (n, k) numbers; None for very many clusters.

    A walk with a fixed seed over the rotations Q with Q Y >= 0 (see :mod:`~robust_eac.core.rotation`). A step turns
    one plane, in which the admissible angles around the current rotation form an interval with ends in closed form; it
    tries some of them and continues from a random one. With more than three clusters it need not find all changes.
    """
    n, k = membership.shape
    labels, rng = membership.argmax(axis=1), np.random.RandomState(0)
    undetermined = np.zeros(n, dtype=bool)
    most_changed, furthest = 0, labels
    if k > 2 and not only_permutations_left(membership):
        if k > MOST_TURNED:
            return None
        n_planes, n_angles = min(max(_TURNED // n, _LEAST_PLANES), _MOST_PLANES), _ANGLES
        if k == 3:
            n_planes, n_angles = 1, _ANGLES_OF_ONE
        Q = np.eye(k)
        for _ in range(n_planes):
            axes = plane_of(k) @ ortho_group.rvs(k - 1, random_state=rng)[:, :2]
            least, most = _interval(membership, Q, axes)
            for angle in np.linspace(least, most, n_angles):
                found = (membership @ (_turn(axes, angle) @ Q).T).argmax(axis=1)
                found = matched_numbers(count_shared(labels, found, (k, k)))[found]
                changed = found != labels
                undetermined |= changed
                if np.count_nonzero(changed) > most_changed:
                    most_changed, furthest = np.count_nonzero(changed), found
            Q = _turn(axes, rng.uniform(least, most)) @ Q
    return Determinacy(float(adjusted_rand_score(labels, furthest)), undetermined)


def _turn(axes, angle):
    """The rotation by an angle in the plane of two orthonormal (k, 2) axes."""
    c, s = np.cos(angle), np.sin(angle)
    return np.eye(len(axes)) + axes @ np.array([[c - 1.0, -s], [s, c - 1.0]]) @ axes.T


def _interval(membership, Q, axes):
    """The least and the largest angle by which a plane can be turned after Q without leaving the simplex.

    The membership of a row in a cluster is rest + radius cos(angle - phase).
    """
    least, most = -np.pi, np.pi
    for block in row_blocks(len(membership)):
        rows = membership[block] @ Q.T
        inner = rows @ axes
        cosine = inner @ axes.T
        sine = inner @ np.array([axes[:, 1], -axes[:, 0]])
        radius = np.hypot(cosine, sine)
        leaves = radius > rows - cosine
        reach = np.arccos(np.clip((cosine - rows)[leaves] / radius[leaves], -1.0, 1.0))
        phase = np.arctan2(sine, cosine)[leaves]
        least = max(least, (phase - reach).max(initial=-np.pi))
        most = min(most, (phase + reach).min(initial=np.pi))
    # On the boundary of the simplex, rounding must not exclude 0.
    return min(least, 0.0), max(most, 0.0)
