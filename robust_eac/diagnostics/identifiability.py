"""How far the losses identify the labels: the labels of other memberships with the same losses."""

from typing import NamedTuple

import numpy as np
import sklearn
from scipy.stats import ortho_group

from ..common import row_blocks
from ..median_partition.rotation import (
    MOST_ROTATED,
    Search,
    admissible_angles,
    embedded,
    free_clusters,
    label_changes,
    rotation_in,
    rotation_of_three,
)
from ..metrics.external import count_shared, matched_numbers

# Memberships above -SLACK are admissible: a fit is only as exact as its tolerance.
SLACK = 1e-3
# Number of planes in which the membership is rotated in turn: _TURNED over the number of objects, within limits.
_LEAST_PLANES = 4
_MOST_PLANES = 200
_TURNED = 2**20
# Number of angles in each plane, and maximum number for three free clusters.
_ANGLES = 4
_ANGLES_OF_THREE = 200


class Identifiability(NamedTuple):
    """How far the losses identify the labels.

    agreement : adjusted Rand index of the labels with the most different ones found at the same losses.
    unidentified : (n,) mask of the objects that change cluster in some such membership, clusters matched.
    proven : whether it is certain that no other labels have the same losses.
    """

    agreement: float
    unidentified: np.ndarray
    proven: bool

    @property
    def counts(self):
        """(number of unidentified objects, agreement, whether it is certain that these are all)."""
        return int(np.count_nonzero(self.unidentified)), self.agreement, self.proven


def identifiability(membership, weight=None):
    """The :class:`Identifiability` of the labels of an (n, k) membership; None for very many free clusters."""
    # Tries rotations Q with Q Y >= 0 for the objects with weight (see :mod:`~robust_eac.median_partition.rotation`).
    # With three free clusters, all angles are known. With more, walks with a fixed seed start at the membership and at
    # each optimum of the confidence that a search finds, since admissible rotations can lie apart. Each step rotates
    # one plane, in which the admissible angles around the current rotation form an interval with ends in closed form;
    # it tries some of them and continues from a random one. It need not find all changes.
    rows = membership
    weight = np.ones(len(membership)) if weight is None else weight
    if not weight.all():
        rows = membership[weight > 0.0]
        weight = weight[weight > 0.0]
    free = free_clusters(rows.max(axis=0, initial=0.0))
    if len(free) > MOST_ROTATED:
        return None
    seen = _Seen(membership)
    if len(free) == 0:
        proven = True
    elif len(free) == 3:
        proven = _try_three(seen, rows, free)
    else:
        proven = False
        _try_walks(seen, rows, weight, free)
    unchanged = not seen.unidentified.any()
    return Identifiability(
        float(sklearn.metrics.adjusted_rand_score(seen.labels, seen.furthest)), seen.unidentified, proven and unchanged
    )


class _Seen:
    """The labels of a membership after rotations: which objects changed cluster, and the labels that changed most."""

    def __init__(self, membership):
        self.membership = membership
        self.labels = self.furthest = membership.argmax(axis=1)
        self.unidentified = np.zeros(len(membership), dtype=bool)

    def add(self, Q):
        """Compare the labels after the rotation Q."""
        labels = (self.membership @ Q.T).argmax(axis=1)
        labels = matched_numbers(count_shared(self.labels, labels, Q.shape))[labels]
        changed = labels != self.labels
        self.unidentified |= changed
        if np.count_nonzero(changed) > np.count_nonzero(self.furthest != self.labels):
            self.furthest = labels


def _try_three(seen, rows, free):
    """Try an angle between any two changes of labels, if they are not very many; return whether all were tried."""
    k = rows.shape[1]
    fixed = np.delete(seen.membership, free, axis=1).max(axis=1, initial=0.0)
    changes = label_changes(seen.membership[:, free], fixed)
    angles = []
    for least, most in zip(*admissible_angles(rows[:, free], SLACK), strict=True):
        ends = np.concatenate([[least], changes[(changes > least) & (changes < most)], [most]])
        angles.append(0.5 * (ends[1:] + ends[:-1]))
    angles = np.concatenate(angles)
    for place in np.unique(np.linspace(0, len(angles) - 1, _ANGLES_OF_THREE).astype(int)):
        seen.add(embedded(rotation_of_three(angles[place]), free, k))
    return len(angles) <= _ANGLES_OF_THREE


def _try_walks(seen, rows, weight, free):
    """Try rotations on walks from the identity and from the optima of the confidence."""
    n, k = rows.shape
    search = Search.of(rows, weight, slack=SLACK)
    starts = [np.eye(k), *search.optima()]
    rng = np.random.RandomState(0)
    n_planes = min(max(_TURNED // n, _LEAST_PLANES), _MOST_PLANES)
    for start in starts:
        seen.add(start)
    for number in range(n_planes):
        Q = starts[number % len(starts)]
        axes = search.plane @ ortho_group.rvs(len(free) - 1, random_state=rng)[:, :2]
        least, most = _interval(rows, Q, axes)
        for angle in np.linspace(least, most, _ANGLES):
            seen.add(_turn(axes, angle) @ Q)
        starts[number % len(starts)] = _turn(axes, rng.uniform(least, most)) @ Q


def _turn(axes, angle):
    """The rotation by an angle in the plane of two orthonormal (k, 2) axes."""
    c = np.cos(angle)
    s = np.sin(angle)
    return rotation_in(axes, np.array([[c, -s], [s, c]]))


def _interval(membership, Q, axes):
    """(minimum, maximum) angle by which a plane can be rotated after Q with no membership below -SLACK."""
    # The membership of a row in a cluster is rest + radius cos(angle - phase).
    least = -np.pi
    most = np.pi
    for block in row_blocks(len(membership)):
        rows = membership[block] @ Q.T
        inner = rows @ axes
        cosine = inner @ axes.T
        sine = inner @ np.array([axes[:, 1], -axes[:, 0]])
        radius = np.hypot(cosine, sine)
        rest = rows - cosine + SLACK
        leaves = radius > rest
        reach = np.arccos(np.clip(-rest[leaves] / radius[leaves], -1.0, 1.0))
        phase = np.arctan2(sine, cosine)[leaves]
        least = max(least, (phase - reach).max(initial=-np.pi))
        most = min(most, (phase + reach).min(initial=np.pi))
    # On the boundary of the simplex, rounding must not exclude 0.
    return min(least, 0.0), max(most, 0.0)
