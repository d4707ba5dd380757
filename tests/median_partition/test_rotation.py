"""The canonical membership against turned ones, and against all rotations of three clusters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linear_sum_assignment

from robust_eac import corrupt_ensemble, optimality_gap, solve_median_partition, solve_membership

from .. import reference
from ..access import _rotation, encode, raw_objective
from ..conftest import planted_ensemble


def noisy(rng, n, k, m, share, missing=0.0):
    """Noisy copies of k clusters, a share of which is random."""
    clean = planted_ensemble(rng, rng.permutation(np.arange(n) % k), m, noise=0.3)
    labels = corrupt_ensemble(clean, share, random_state=rng.randint(1000))[0]
    labels[rng.uniform(size=labels.shape) < missing] = -1
    return labels


def numbered_alike(rows, others):
    """The rows with their clusters in the order of those of others that they are nearest to."""
    return rows[:, linear_sum_assignment(others.T @ rows, maximize=True)[1]]


def canonical(rows, weight=None):
    """The canonical membership of rows, which stay."""
    weight = np.ones(len(rows)) if weight is None else weight
    turned, Q = rows.copy(), _rotation.Search.of(rows, weight).canonical()
    if Q is not None:
        assert_allclose(Q @ Q.T, np.eye(len(Q)), atol=1e-12)
        assert_allclose(Q.sum(axis=1), 1.0, atol=1e-12)
        _rotation.rotate_rows(turned, Q)
    return turned


# m : partitions. turns : whether surely rotations are left, or only permutations; None where that depends on the draw.
FITS = {
    "two clusters": {"k": 2, "turns": False},
    "three": {"k": 3},
    "four, weighted": {"k": 4, "weighted": True},
    "five, missing": {"k": 5, "m": 200, "missing": 0.1},
    "three, adjusted": {"k": 3, "agreement": "adjusted", "turns": None},
    "four, adjusted": {"k": 4, "agreement": "adjusted", "missing": 0.2, "weighted": True, "turns": None},
    "seven": {"k": 7, "m": 300, "share": 0.8},
    "twelve": {"k": 12, "m": 400, "share": 0.8},
    "one cluster of four": {"k": 4, "classes": 1, "turns": None},
    "empty clusters": {"k": 6, "classes": 3, "share": 0.0, "turns": None},
    "clean": {"k": 4, "share": 0.0, "turns": None},
    "stopped": {"k": 4, "max_iter": 1, "turns": None},
}


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_turned_membership_comes_back(rng, fit):
    k, share = fit["k"], fit.get("share", 0.7)
    classes = fit.get("classes", k)
    labels = noisy(rng, 100, classes, fit.get("m", 60), share, fit.get("missing", 0.0))
    weight = rng.uniform(0.5, 2.0, size=len(labels)) if fit.get("weighted") else None
    options = {"weighting": "uniform", "agreement": fit.get("agreement", "raw"), "sample_weight": weight}
    result = solve_median_partition(labels, k, n_init=2, max_iter=fit.get("max_iter", 300), random_state=0, **options)
    rows = result.membership
    if options["agreement"] == "raw":
        gap = optimality_gap(labels, rows, sample_weight=weight)
        assert result.gap == pytest.approx(gap, rel=1e-6, abs=1e-13)
    assert_allclose(numbered_alike(canonical(rows, weight), rows), rows, atol=1e-5)
    turns = [reference.admissible_rotation(rows, rng) for _ in range(3)]
    if fit.get("turns", True) is not None:
        assert (max(np.abs(Q - np.eye(k)).max() for Q in turns) > 1e-3) == fit.get("turns", True)
    for Q in turns:
        back = numbered_alike(canonical(np.maximum(rows @ rng.permutation(Q).T, 0.0), weight), rows)
        assert_allclose(back, rows, atol=1e-5)


def test_no_rotation_of_three_free_clusters_beside_pure_ones_has_more_confidence(rng):
    angles = reference.turns_of_three(6001)
    for _ in range(10):
        rows = rng.dirichlet(np.full(5, 0.5), size=rng.randint(5, 40))
        rows = np.concatenate([0.9 * rows + 0.02, np.eye(5)[[1, 3]]])
        weight, free = rng.uniform(0.1, 2.0, size=len(rows)), [0, 2, 4]
        turned = np.repeat(rows[np.newaxis], len(angles), axis=0)
        turned[:, :, free] = rows[:, free] @ angles.transpose(0, 2, 1)
        confidence = turned.max(axis=2) @ weight
        best = confidence[turned.min(axis=(1, 2)) >= -1e-9].max()
        assert weight @ canonical(rows, weight).max(axis=1) >= best - 1e-9 * weight.sum()


def test_rigid_rows_stay_and_free_ones_turn(rng):
    assert _rotation.Search.of(np.eye(3)[np.arange(9) % 3], np.ones(9)).canonical() is None
    # All rotations keep rows near the centre in the simplex.
    rows = 1.0 / 4.0 + 0.02 * (rng.dirichlet(np.ones(4), size=50) - 0.25)
    best = canonical(rows).max(axis=1).sum()
    for _ in range(200):
        Q = reference.rotations(4, rng)
        assert (rows @ Q.T).min() > 0.0
        assert (rows @ Q.T).max(axis=1).sum() <= best + 1e-9


def is_rigid(rows):
    return _rotation.Search.of(rows, np.ones(len(rows))).rigid()


def test_rows_are_rigid_if_no_small_rotation_keeps_them_in_the_simplex():
    # Around each vertex, they touch all faces.
    near = np.array([[0.95, 0.05, 0.0], [0.95, 0.0, 0.05]])
    assert is_rigid(np.concatenate([np.roll(near, shift, axis=1) for shift in range(3)]))
    assert not is_rigid(np.concatenate([np.roll(near[:1], shift, axis=1) for shift in range(3)]))


def test_rows_in_turn_do_not_hide_clusters(rng, monkeypatch):
    monkeypatch.setattr(_rotation, "MOST_ROWS", 500)
    rows = 0.5 / 4.0 + 0.5 * rng.dirichlet(np.ones(4), size=2000)
    rows += np.eye(4)[np.arange(2000) % 4]
    rows = 0.2 + 0.2 * (rows / 2.0 - 0.25)
    rows /= rows.sum(axis=1, keepdims=True)
    turned = rows @ reference.rotations(4, rng).T
    objective = raw_objective(encode(np.arange(2000)[:, np.newaxis] % 4), 4)
    Q = objective.rows.rotation(turned)
    # The confidence of the rotation that all rows determine.
    full = _rotation.Search.of(turned, np.ones(2000)).canonical()
    best = (turned @ full.T).max(axis=1).mean()
    assert (turned @ Q.T).max(axis=1).mean() == pytest.approx(best, rel=1e-3)


@pytest.mark.parametrize("k", [3, 6])
def test_rows_that_bound_a_sample_in_turn_or_from_the_start_lead_to_the_same_optimum(rng, k):
    n = 20 if k == 3 else 200
    n_bounded = 0
    for _ in range(5):
        rows = 0.1 / k + 0.9 * rng.dirichlet(np.full(k, 3.0 / k), size=2000)
        some = rows[:n]

        def bounded_by(lowest, rows=rows, some=some):
            # Judged by the sample's confidence, as without a survey.
            survey = lowest and (lambda Q: (lowest(Q), (some @ Q.T).max(axis=1).mean()))
            Q = _rotation.Search(some, np.ones(n), np.arange(k), survey).canonical()
            turned = rows if Q is None else rows @ Q.T
            return turned.min(), turned[:n].max(axis=1).mean()

        n_bounded += bounded_by(None)[0] < -1e-3
        lowest, value = bounded_by(lambda Q, rows=rows: _rotation.survey(rows, np.ones(2000), Q)[0])
        assert lowest >= -1e-9
        # Of six clusters, Newton steps with other rows can end at another optimum, which is about as good.
        same = 1e-10 if k == 3 else 1e-5
        assert value == pytest.approx(bounded_by(lambda Q, rows=rows: rows)[1], rel=same)
    assert n_bounded > 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sweeps_are_at_most_those_asked_for(rng):
    labels = noisy(rng, 80, 4, 40, 0.8)
    for max_sweeps in range(0, 60, 3):
        result = solve_membership(labels, 4, init="random", max_sweeps=max_sweeps, random_state=1)
        assert result.n_sweeps <= max_sweeps
