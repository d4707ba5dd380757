"""Two-dimensional data sets with clusters of varied shape, drawn from a seed.

They re-create, by their stated sizes and shapes, data sets of the literature on evidence accumulation whose files are
not public. Results on them follow the published ones in pattern, not in digits.
"""

import numpy as np

from ..checks.types import RandomState
from ..checks.values import check_random_state

__all__ = ["make_cigar", "make_half_rings", "make_image_1", "make_image_c", "make_rings", "make_spiral"]


def make_spiral(random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
    """Draw two interleaved spirals of 100 objects each.

    A re-creation: the arms follow the two-spirals curve, with Gaussian noise of standard deviation 0.05. The radius
    grows by two units per half turn; the second arm is the first, rotated by half a turn.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Seed of the noise.

    Returns
    -------
    X : ndarray of shape (200, 2), float64
        Coordinates.
    y : ndarray of shape (200,), int64
        Arm of each object, 0 or 1.

    Examples
    --------
    >>> X, y = make_spiral(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((200, 2), [100, 100])
    """
    rng = check_random_state(random_state)
    radius = np.linspace(0.5625, 6.75, 100)
    arm = _polar(radius, np.pi / 2 * (1.5 - radius))
    return _join(_jitter(rng, arm, 0.05), _jitter(rng, -arm, 0.05))


def make_cigar(random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
    """Draw two long parallel clusters of 100 objects and two small round ones of 25.

    A re-creation of the "cigar" data: the clusters are Gaussian, clipped at three standard deviations,
    and each small one lies below the end of a long one.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (250, 2), float64
        Coordinates.
    y : ndarray of shape (250,), int64
        Cluster of each object: 0 and 1 the long ones, 2 and 3 the small ones.

    Examples
    --------
    >>> X, y = make_cigar(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((250, 2), [100, 100, 25, 25])
    """
    rng = check_random_state(random_state)
    return _join(
        _gaussian(rng, 100, (0.0, 0.0), (0.1, 1.0)),
        _gaussian(rng, 100, (1.5, 0.0), (0.1, 1.0)),
        _gaussian(rng, 25, (0.0, -4.0), (0.1, 0.1)),
        _gaussian(rng, 25, (1.5, -4.0), (0.1, 0.1)),
    )


def make_rings(random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
    """Draw three concentric rings of 200, 200 and 50 objects.

    A re-creation of the "three rings" data; the small cluster is the innermost ring, so that all three are
    about equally dense along their circumference.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (450, 2), float64
        Coordinates.
    y : ndarray of shape (450,), int64
        Ring of each object, from the outermost (0) to the innermost (2).

    Examples
    --------
    >>> X, y = make_rings(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((450, 2), [200, 200, 50])
    """
    rng = check_random_state(random_state)
    return _join(
        _ring(rng, 200, (0, 0), 4.0, 0.1),
        _ring(rng, 200, (0, 0), 2.5, 0.1),
        _ring(rng, 50, (0, 0), 1.0, 0.1),
    )


def make_half_rings(random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
    """Draw two interlocked half rings: a sparse upper one of 100 objects and a dense lower one of 300.

    A re-creation of the "half-rings" data of [1]_, with the shape and the proportions of the public copy: outer radius
    4 for both, inner radius 1.9 for the upper and 3 for the lower ring, one end of each in the hole of the other.
    Radii and angles are uniform.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (400, 2), float64
        Coordinates.
    y : ndarray of shape (400,), int64
        Ring of each object: 0 the upper, 1 the lower one.

    References
    ----------
    .. [1] A. L. N. Fred and A. K. Jain, "Data clustering using evidence accumulation", ICPR 2002.

    Examples
    --------
    >>> X, y = make_half_rings(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((400, 2), [100, 300])
    """
    rng = check_random_state(random_state)
    upper = _polar(rng.uniform(1.9, 4.0, size=100), rng.uniform(0.0, np.pi, size=100))
    lower = _polar(rng.uniform(3.0, 4.0, size=300), rng.uniform(np.pi, 2.0 * np.pi, size=300))
    return _join(upper, np.array([4.0, 0.87]) + lower)


def make_image_c(random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
    """Draw a "complex image": 739 objects in seven clusters of different shape, size and density.

    A re-creation in the spirit of the complex image of [1]_, not of its layout: an outer ring encloses a
    small ring with a dense blob at its centre, a sparse blob, a bar, an arc and a small dense blob.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (739, 2), float64
        Coordinates.
    y : ndarray of shape (739,), int64
        Cluster of each object, 0 to 6, in the order of the list above.

    References
    ----------
    .. [1] A. L. N. Fred and A. K. Jain, "Combining multiple clusterings using evidence accumulation", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 27(6), 2005.

    Examples
    --------
    >>> X, y = make_image_c(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((739, 2), [200, 110, 60, 100, 130, 99, 40])
    """
    rng = check_random_state(random_state)
    return _join(
        _ring(rng, 200, (0.0, 0.0), 5.0, 0.08),
        _ring(rng, 110, (-1.8, 1.7), 1.4, 0.08),
        _ellipse(rng, 60, (-1.8, 1.7), (0.4, 0.4)),
        _ellipse(rng, 100, (2.0, 1.9), (1.2, 1.2)),
        _rectangle(rng, 130, (-2.2, -0.9), (2.2, -0.5)),
        _jitter(rng, _arc(rng, 99, (0.0, -0.9), 2.6, np.pi * 1.15, np.pi * 1.85), 0.08),
        _ellipse(rng, 40, (0.0, -2.3), (0.3, 0.3)),
    )


def make_image_1(random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
    """Draw a segmented picture: 1000 objects in eight regions of varied shape.

    A re-creation of only the size and the number of clusters of "image-1", whose file and picture are not public. The
    objects are drawn uniformly from the regions of a landscape: sky, sun, mountain, meadow, wall, roof, crown, trunk.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (1000, 2), float64
        Coordinates.
    y : ndarray of shape (1000,), int64
        Region of each object, 0 to 7, in the order of the list above.

    Examples
    --------
    >>> X, y = make_image_1(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((1000, 2), [200, 80, 150, 220, 120, 70, 120, 40])
    """
    rng = check_random_state(random_state)
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
    """Stack clusters of shape (n_c, 2); return all coordinates and the number of each object's cluster."""
    sizes = [len(cluster) for cluster in clusters]
    return np.concatenate(clusters), np.repeat(np.arange(len(clusters), dtype=np.int64), sizes)


def _polar(radius, angle):
    """Points of shape (n, 2) from n radii (or one) and n angles."""
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _jitter(rng, points, scale):
    """Points of shape (n, 2) moved by isotropic Gaussian noise."""
    return points + rng.normal(scale=scale, size=points.shape)


def _gaussian(rng, n, center, scales):
    """n points of a Gaussian with one scale per coordinate, each coordinate clipped at three scales."""
    # Otherwise a rare outlier would touch the next cluster.
    return center + np.asarray(scales) * np.clip(rng.normal(size=(n, 2)), -3.0, 3.0)


def _arc(rng, n, center, radius, start, stop):
    """n points on an arc of a circle, one at a random place in each n-th of the angle."""
    # Independent angles would leave gaps larger than the distance to the next cluster.
    return center + _polar(radius, start + (stop - start) * (np.arange(n) + rng.uniform(size=n)) / n)


def _ring(rng, n, center, radius, scale):
    """n points on a circle, moved by Gaussian noise."""
    return _jitter(rng, _arc(rng, n, center, radius, 0.0, 2 * np.pi), scale)


def _ellipse(rng, n, center, radii):
    """n points, uniform in an ellipse with axes along the coordinates."""
    # The area within a radius grows with its square: uniform radii would crowd the centre.
    unit_disc = _polar(np.sqrt(rng.uniform(size=n)), rng.uniform(0.0, 2 * np.pi, size=n))
    return center + np.asarray(radii) * unit_disc


def _rectangle(rng, n, low, high):
    """n points, uniform in the rectangle with the corners low and high."""
    return rng.uniform(low, high, size=(n, 2))


def _triangle(rng, n, *corners):
    """n points, uniform in the triangle with the three corners."""
    return rng.dirichlet((1.0, 1.0, 1.0), size=n) @ np.array(corners)
