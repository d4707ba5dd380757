"""The line search: minima of quartics."""

import numpy as np
import pytest

from .. import reference
from ..access import _sweep


def from_roots(roots, leading=1.0):
    """Coefficients (t .. t^4) of the quartic whose derivative is 4 leading prod (t - root)."""
    cubic = 4.0 * leading * np.poly(roots)
    return cubic[3], cubic[2] / 2.0, cubic[1] / 3.0, cubic[0] / 4.0


@pytest.mark.parametrize(
    ("c", "upper", "expected"),
    [
        pytest.param(from_roots([0.25, 0.5, 0.75]), 1.0, 0.25, id="three interior roots, equal minima: the first"),
        pytest.param(from_roots([0.1, 0.2, 2.0]), 1.0, 1.0, id="upper end beyond a barrier"),
        pytest.param((0.0, -1.0, 0.0, 0.0), 0.5, 0.5, id="concave parabola from its top"),
        pytest.param((0.0, 0.0, 0.0, 0.0), 0.5, 0.0, id="flat"),
        pytest.param((-1.0, 1.0, 0.0, 0.0), 0.0, 0.0, id="nowhere to go"),
        pytest.param((-1e-9, 1e6, 0.0, 4.0), 1.0, 5e-16, id="tiny step, huge curvature"),
    ],
)
def test_minimise_quartic(c, upper, expected):
    c = tuple(map(float, c))
    assert _sweep.minimise_quartic(*c, upper) == pytest.approx(expected, rel=1e-9, abs=1e-16)


def test_minimise_quartic_agrees_with_the_roots_of_numpy(rng):
    for _ in range(3000):
        c = rng.normal(size=4) * 10.0 ** rng.randint(-3, 4, size=4) * (rng.uniform(size=4) < 0.8)
        upper = rng.uniform(0.01, 1.0)
        t = _sweep.minimise_quartic(*c, upper)
        assert 0.0 <= t <= upper
        least = _sweep.quartic_value(reference.minimise_polynomial(c, upper), *c)
        assert _sweep.quartic_value(t, *c) <= least + 1e-12 * np.abs(c).sum()
