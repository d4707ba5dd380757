"""Rotations of three clusters: one angle. Its admissible values and the best of them are exact."""

import numpy as np

# Rotations by this angle permute three clusters.
CIRCLE = 2.0 * np.pi / 3.0
_UNITS = np.exp(1j * CIRCLE * np.arange(3))
# Radii below this are treated as zero.
_TINY = 1e-12


def rotation_of_three(angle):
    """The (3, 3) rotation by an angle."""
    return (1.0 + 2.0 * np.cos(angle - CIRCLE * np.subtract.outer(np.arange(3), np.arange(3)))) / 3.0


def _polar(rows):
    """(mean, radius, phase) of (n, 3) rows: rotated, membership p is mean + radius cos(phase + angle - p CIRCLE)."""
    inner = rows @ _UNITS * (2.0 / 3.0)
    return rows.sum(axis=1) / 3.0, np.abs(inner), np.angle(inner)


def admissible_angles(rows, slack):
    """(lower, upper) ends of the intervals of angles in [0, CIRCLE] that keep memberships of (n, 3) rows above -slack.

    A row whose radius exceeds its mean is outside in an open arc of angles. At 0, all rows are inside.
    """
    mean, radius, phase = _polar(rows)
    leaves = radius > mean + slack
    reach = np.arccos((mean[leaves] + slack) / radius[leaves])
    centre = (0.5 * CIRCLE - phase[leaves]) % CIRCLE
    first, last = np.maximum(centre - reach, 0.0), np.minimum(centre + reach, CIRCLE)
    order = np.argsort(first)
    least = np.maximum.accumulate(np.concatenate([[0.0], last[order]]))
    most = np.concatenate([first[order], [CIRCLE]])
    return least[most >= least], most[most >= least]


def label_changes(rows, floor):
    """The sorted angles in [0, CIRCLE] at which the largest of floor_i and the memberships of a row i changes."""
    first, last = _arcs(rows, floor)[:2]
    return np.unique(np.concatenate([first, last]))


def best_angle(rows, floor, weight, least, most):
    """The angle in these intervals of largest total weight_i max(floor_i, largest membership of row i)."""
    # A term exceeds its floor in an arc around the angle at which the row points to a cluster; there it is a constant
    # plus a cosine. Between the ends of all arcs so is the total, which is concave: its maximum is at the peak of a
    # cosine or at an end of an interval.
    first, last, row, excess, moment = _arcs(rows, floor)
    terms = weight[row] * np.array([excess, moment])
    terms = np.concatenate([np.zeros((2, 1)), terms, -terms], axis=1)
    ends = np.concatenate([[0.0], first, last])
    order = np.argsort(ends, kind="stable")
    level, moment = np.cumsum(terms[:, order], axis=1)
    start = ends[order]
    stop = np.append(start[1:], CIRCLE)
    middle = 0.5 * (start + stop)
    peaks = middle + np.angle(moment * np.exp(-1j * middle))
    peaks = peaks[(peaks >= start) & (peaks <= stop)]
    admissible = peaks <= most[np.searchsorted(least, peaks, side="right") - 1]
    angles = np.concatenate([peaks[admissible], least, most])
    piece = np.searchsorted(start, angles, side="right") - 1
    values = level[piece].real + (moment[piece] * np.exp(-1j * angles)).real
    return angles[values.argmax()]


def _arcs(rows, floor):
    """The arcs of angles in [0, CIRCLE] in which the largest membership of a row exceeds the row's floor.

    (first, last, row, excess, moment); in the arc it is floor + excess + the real part of moment exp(-i angle).
    """
    mean, radius, phase = _polar(rows)
    # Within half a circle, the same cluster is the largest. A radius of 0 has no angle.
    reach = np.arccos(np.clip((floor - mean) / np.maximum(radius, _TINY), 0.5, 1.0))
    centre = -phase % CIRCLE + CIRCLE * np.array([[-1.0], [0.0], [1.0]])
    first, last = np.maximum(centre - reach, 0.0), np.minimum(centre + reach, CIRCLE)
    turn, row = np.nonzero(first < last)
    moment = radius[row] * np.exp(1j * centre[turn, row])
    return first[turn, row], last[turn, row], row, (mean - floor)[row], moment
