"""The line search: minima of quartics, and whole descents."""

import numpy as np
import pytest

from .. import reference
from ..access import _line_search, collapse, encode, statistics_of, sweep
from ..conftest import random_ensemble, random_membership


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
    assert _line_search.minimise_quartic(*c, upper) == pytest.approx(expected, rel=1e-9, abs=1e-16)


def test_minimise_quartic_agrees_with_the_roots_of_numpy(rng):
    for _ in range(3000):
        c = rng.normal(size=4) * 10.0 ** rng.randint(-3, 4, size=4) * (rng.uniform(size=4) < 0.8)
        upper = rng.uniform(0.01, 1.0)
        t = _line_search.minimise_quartic(*c, upper)
        assert 0.0 <= t <= upper
        least = _line_search.quartic_value(reference.minimise_polynomial(c, upper), *c)
        assert _line_search.quartic_value(t, *c) <= least + 1e-12 * np.abs(c).sum()


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_whole_descent_in_the_same_order_ends_where_the_dense_one_does(rng, missing):
    """Identical objects share a row; a sweep that skips all rows changes none."""
    labels = random_ensemble(rng, 7, 5, missing=missing)[np.concatenate([np.arange(7), rng.randint(7, size=7)])]
    encoding, weights = collapse(encode(labels)), rng.dirichlet(np.full(5, 3.0))
    rows = random_membership(rng, len(encoding.rows.codes), 3)
    dense, groups = encoding.expand(rows).copy(), [np.flatnonzero(encoding.inverse == row) for row in range(len(rows))]
    sweep(encoding, statistics_of(encoding, weights, rows), rows, np.arange(len(rows)), skip=np.inf)
    assert np.array_equal(encoding.expand(rows), dense)
    for _ in range(3000):
        order = rng.permutation(len(rows))
        sweep(encoding, statistics_of(encoding, weights, rows), rows, order, n_steps=1)
        for row in order:
            dense = reference.visit(labels, dense, weights, list(groups[row]), 1)[0]
        if reference.gap(labels, dense, weights) <= 1e-7:
            break
    else:
        raise AssertionError("the dense reference did not converge")
    ours, theirs = (reference.objective(labels, Y, weights) for Y in (encoding.expand(rows), dense))
    assert ours == pytest.approx(theirs, rel=1e-6)
