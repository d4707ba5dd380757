"""Gradient by differences, losses and gap at single points; test_dense_reference.py has the dense reference."""

import numpy as np
import pytest

from robust_eac import optimality_gap, partition_losses, solve_membership
from robust_eac.diagnostics import membership_gradient

from ..conftest import random_ensemble, random_membership


def test_gap_is_zero_at_a_stationary_point_and_only_there(rng):
    labels = random_ensemble(rng, 15, 6)
    result = solve_membership(labels, 3, tol=1e-14, max_sweeps=20000, random_state=0)
    assert result.gap <= 1e-14
    # KKT: on the support all derivatives are equal, elsewhere they are not smaller.
    g = membership_gradient(labels, result.membership)
    lowest = g.min(axis=1, keepdims=True)
    assert np.all((g - lowest)[result.membership > 1e-4] <= 1e-6 * 15)
    moved = result.membership.copy()
    moved[0] = np.roll(moved[0], 1)
    assert optimality_gap(labels, moved) > 1e-6
    assert optimality_gap(labels, np.full((15, 3), 1 / 3)) == pytest.approx(0.0, abs=1e-14)


def test_blocks_of_rows_join_without_a_seam(rng, monkeypatch):
    labels, Y = random_ensemble(rng, 23, 4, missing=0.2), random_membership(rng, 23, 3)
    whole = partition_losses(labels, Y), optimality_gap(labels, Y)
    for module in ("common", "core.encoding", "core.formula"):
        monkeypatch.setattr(f"robust_eac.{module}.BLOCK", 5)
    np.testing.assert_array_equal(partition_losses(labels, Y), whole[0])
    assert optimality_gap(labels, Y) == pytest.approx(whole[1], rel=1e-12)
