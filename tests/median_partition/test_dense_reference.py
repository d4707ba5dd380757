"""Ensembles and weights of the objects, through everything that solves or grades, against dense matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robust_eac import objective_value, optimality_gap, partition_losses
from robust_eac.diagnostics import membership_gradient

from .. import reference
from ..access import accumulate, check_ensemble, encode_ensemble, reduce_rows, sweep, weighted_statistics
from ..conftest import random_ensemble, random_membership

cases = pytest.mark.parametrize(("missing", "weighted"), [(0.0, False), (0.3, False), (0.0, True), (0.3, True)])


def random_sample_weight(rng, n, weighted):
    """None, or weights below, at and above one, and one of them zero."""
    if not weighted:
        return None
    weight = rng.choice([0.3, 1.0, 2.0, 2.5], size=n) * rng.uniform(0.9, 1.1, size=n) ** rng.randint(2, size=n)
    weight[rng.randint(n)] = 0.0
    return weight


def problems(rng, missing, weighted, count=8):
    for _ in range(count):
        n, m, k = rng.randint(4, 22), rng.randint(2, 7), rng.randint(1, 5)
        labels, weight = random_ensemble(rng, n, m, missing=missing), random_sample_weight(rng, n, weighted)
        if weighted and missing:
            # Every partition observes objects that count.
            weight = np.maximum(weight, 0.1)
        weights = rng.uniform(0.1, 1.0, size=m)
        yield labels, weight, random_membership(rng, n, k), weights / weights.sum()


def repeated(entry, times):
    return np.repeat(entry, times, axis=0)


@cases
def test_losses_value_gradient_and_gap_equal_the_dense_reference(rng, missing, weighted):
    for labels, weight, Y, weights in problems(rng, missing, weighted):
        n2 = len(Y) ** 2 if weight is None else weight.sum() ** 2
        options, lam = {"sample_weight": weight}, rng.uniform(0.0, n2)
        expected = reference.losses(labels, Y, **options)
        assert_allclose(partition_losses(labels, Y, **options), expected, rtol=1e-10, atol=1e-12 * n2)
        expected, given = reference.objective(labels, Y, weights, lam, **options), options | {"weights": weights}
        assert objective_value(labels, Y, lam=lam, **given) == pytest.approx(expected, rel=1e-10)
        expected = reference.gradient(labels, Y, weights, **options)
        assert_allclose(membership_gradient(labels, Y, **given), expected, rtol=0, atol=1e-12 * n2)
        expected = reference.gap(labels, Y, weights, **options)
        assert optimality_gap(labels, Y, **given) == pytest.approx(expected, rel=1e-10, abs=1e-14)


@cases
@pytest.mark.parametrize(("repeat", "n_steps", "k"), [(False, 4, 3), (True, 1, 3), (False, 1, 12)])
def test_every_step_equals_the_dense_reference(rng, missing, weighted, repeat, n_steps, k):
    for labels, _, _, weights in problems(rng, missing, weighted, count=3):
        if repeat:
            # Identical objects share a row.
            labels = labels[np.concatenate([np.arange(len(labels)), rng.randint(len(labels), size=len(labels))])]
        weight = rng.choice([0.3, 1.0, 2.5], size=len(labels)) if weighted else None
        encoding, _ = reduce_rows(encode_ensemble(check_ensemble(labels), weight), None)
        rows = random_membership(rng, encoding.n_rows, k)
        statistics = weighted_statistics(encoding, weights, *accumulate(encoding, rows))
        for row in rng.permutation(len(rows)):
            members = [row] if encoding.inverse is None else list(np.flatnonzero(encoding.inverse == row))
            outcomes = reference.visit(labels, encoding.expand(rows).copy(), weights, members, n_steps, weight)
            sweep(encoding, statistics, rows, np.array([row]), n_steps=n_steps)
            assert min(np.abs(encoding.expand(rows) - outcome).max() for outcome in outcomes) <= 1e-9
        fresh = weighted_statistics(encoding, weights, *accumulate(encoding, rows))
        assert_allclose(statistics.T, fresh.T, rtol=0, atol=1e-12)
        assert_allclose(statistics.Q, fresh.Q, rtol=0, atol=1e-12)


def test_blocks_of_rows_join_without_a_seam(rng, monkeypatch):
    labels, Y = random_ensemble(rng, 23, 4, missing=0.2), random_membership(rng, 23, 3)
    whole = partition_losses(labels, Y), optimality_gap(labels, Y)
    for module in ("common", "ensemble.encoding"):
        monkeypatch.setattr(f"robust_eac.{module}.BLOCK", 5)
    assert_array_equal(partition_losses(labels, Y), whole[0])
    assert optimality_gap(labels, Y) == pytest.approx(whole[1], rel=1e-12)
