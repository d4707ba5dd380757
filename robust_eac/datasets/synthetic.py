"""Two-dimensional data sets with clusters of varied shape, drawn from a seed: ``make(random_state) -> (X, y)``.

They re-create, by their stated sizes and shapes, data sets of [1]_ and [2]_ whose files are not public: results agree
with the published ones in pattern, not in digits. Clusters are numbered in the order in which the docstrings list them.

.. [1] Fred, Jain, "Data clustering using evidence accumulation", ICPR 2002.
.. [2] Fred, Jain, "Combining multiple clusterings using evidence accumulation", IEEE PAMI 27(6), 2005.
"""

import numpy as np

from .. import validation as check


def make_spiral(random_state=None):
    """Two interleaved spirals of 100 objects each."""
    rng = check.random_state(random_state)
    radius = np.linspace(0.5625, 6.75, 100)
    arm = _polar(radius, np.pi / 2 * (1.5 - radius))
    return _join(_jitter(rng, arm, 0.05), _jitter(rng, -arm, 0.05))


def make_cigar(random_state=None):
    """Two long parallel Gaussian clusters of 100 objects and two small round ones of 25, each below the end of one."""
    rng = check.random_state(random_state)
    return _join(
        _gaussian(rng, 100, (0.0, 0.0), (0.1, 1.0)),
        _gaussian(rng, 100, (1.5, 0.0), (0.1, 1.0)),
        _gaussian(rng, 25, (0.0, -4.0), (0.1, 0.1)),
        _gaussian(rng, 25, (1.5, -4.0), (0.1, 0.1)),
    )


def make_rings(random_state=None):
    """Three concentric rings of 200, 200 and 50 objects, the small one innermost, all about equally dense."""
    rng = check.random_state(random_state)
    return _join(*(_ring(rng, n, (0, 0), radius, 0.1) for n, radius in ((200, 4.0), (200, 2.5), (50, 1.0))))


def make_half_rings(random_state=None):
    """Two interlocked half rings [1]_: a sparse upper one of 100 objects and a dense lower one of 300."""
    rng = check.random_state(random_state)
    upper = _polar(rng.uniform(1.9, 4.0, size=100), rng.uniform(0.0, np.pi, size=100))
    lower = _polar(rng.uniform(3.0, 4.0, size=300), rng.uniform(np.pi, 2.0 * np.pi, size=300))
    return _join(upper, np.array([4.0, 0.87]) + lower)


def make_image_c(random_state=None):
    """A "complex image" in the spirit, not the layout, of [2]_: 739 objects in seven clusters of different density."""
    rng = check.random_state(random_state)
    return _join(
        _ring(rng, 200, (0.0, 0.0), 5.0, 0.08),
        _ring(rng, 110, (-1.8, 1.7), 1.4, 0.08),
        _ellipse(rng, 60, (-1.8, 1.7), (0.4, 0.4)),
        _ellipse(rng, 100, (2.0, 1.9), (1.2, 1.2)),
        _rectangle(rng, 130, (-2.2, -0.9), (2.2, -0.5)),
        _jitter(rng, _arc(rng, 99, (0.0, -0.9), 2.6, np.pi * 1.15, np.pi * 1.85), 0.08),
        _ellipse(rng, 40, (0.0, -2.3), (0.3, 0.3)),
    )


def make_image_1(random_state=None):
    """A segmented picture: 1000 objects, uniform in eight regions; "image-1" has their numbers, not their shapes."""
    rng = check.random_state(random_state)
    return _join(
        _rectangle(rng, 200, (0.0, 8.7), (10.0, 10.0)),
        _ellipse(rng, 80, (4.7, 7.3), (0.7, 0.7)),
        _triangle(rng, 150, (0.2, 2.4), (4.0, 2.4), (2.1, 7.4)),
        _rectangle(rng, 220, (0.0, 0.0), (10.0, 1.3)),
        _rectangle(rng, 120, (4.8, 2.1), (6.8, 4.1)),
        _triangle(rng, 70, (4.5, 4.8), (7.1, 4.8), (5.8, 6.4)),
        _ellipse(rng, 120, (8.7, 5.4), (0.9, 1.4)),
        _rectangle(rng, 40, (8.5, 2.1), (8.9, 3.3)),
    )


def _join(*clusters):
    """All coordinates, and the number of each object's cluster, from clusters of shape (n_c, 2)."""
    sizes = [len(cluster) for cluster in clusters]
    return np.concatenate(clusters), np.repeat(np.arange(len(clusters)), sizes)


def _polar(radius, angle):
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _jitter(rng, points, scale):
    return points + rng.normal(scale=scale, size=points.shape)


def _gaussian(rng, n, center, scales):
    # Clipped: otherwise a rare outlier would touch the next cluster.
    return center + np.clip(rng.normal(size=(n, 2)), -3.0, 3.0) * scales


def _arc(rng, n, center, radius, start, stop):
    # One point in each n-th of the angle: independent angles would leave gaps larger than the distance to the next
    # cluster.
    return center + _polar(radius, start + (stop - start) * (np.arange(n) + rng.uniform(size=n)) / n)


def _ring(rng, n, center, radius, scale):
    return _jitter(rng, _arc(rng, n, center, radius, 0.0, 2 * np.pi), scale)


def _ellipse(rng, n, center, radii):
    # The area within a radius grows with its square: uniform radii would be denser at the centre.
    unit_disc = _polar(np.sqrt(rng.uniform(size=n)), rng.uniform(0.0, 2 * np.pi, size=n))
    return center + unit_disc * radii


def _rectangle(rng, n, low, high):
    return rng.uniform(low, high, size=(n, 2))


def _triangle(rng, n, *corners):
    return rng.dirichlet((1.0, 1.0, 1.0), size=n) @ np.array(corners)
