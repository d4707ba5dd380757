from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from robust_eac import L2, ChanceCorrected, RobustEAC, entropy_weights, l2_weights, restricted_simplex_weights

from .. import reference


def random_losses(rng, cases, m):
    """Losses with ties, zeros and spread scales (each case scaled to at most 1 for the reference solver)."""
    losses = rng.uniform(size=(cases, m))
    losses[::3] = np.round(losses[::3], 1)
    losses[1::7, rng.randint(m)] = 0.0
    return losses


@pytest.mark.parametrize("m", [1, 2, 5, 30])
def test_restricted_simplex_equals_cvxpy(rng, m):
    cases = 200
    losses = random_losses(rng, cases, m)
    rho = np.exp(rng.uniform(np.log(1.0 / m), 0.3, size=cases))
    rho[::5] = 1.0 / m
    rho[1::5] = 1.5
    expected = reference.weights_by_cvxpy(losses, rho=rho)
    weights = np.array([restricted_simplex_weights(d, rho=r) for d, r in zip(losses, rho, strict=True)])
    assert weights.min() >= 0.0
    assert np.all(weights <= rho[:, None] + 1e-12)
    assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
    # The minimiser is not unique under ties; the minimum is.
    assert_allclose((weights * losses).sum(axis=1), (expected * losses).sum(axis=1), atol=1e-7)
    assert_allclose((weights * losses).sum(axis=1)[1::5], losses.min(axis=1)[1::5], atol=1e-12)


def test_rho_of_one_over_m_however_rounded_is_uniform_and_its_default_trims_the_worst_fifth_for_every_m():
    for m in range(1, 301):
        losses, share = np.arange(m, dtype=float), 1.0 / (0.8 * m)
        for rho in (1.0 / m, np.nextafter(1.0 / m, 0.0), np.nextafter(1.0 / m, 1.0)):
            assert_allclose(restricted_simplex_weights(losses, rho=rho), 1.0 / m, rtol=1e-9)
        weights = restricted_simplex_weights(losses)
        full, rest = divmod(4 * m, 5)
        if m == 1:
            full = 1
            rest = 0
            share = 1.0
        assert_allclose(weights[:full], share, rtol=1e-9)
        assert np.all(weights[full + (rest > 0) :] == 0.0)
        if rest:
            assert weights[full] == pytest.approx(share * rest / 5, rel=1e-9)
        else:
            # Without rounding: a fit stops once its weights stay, whichever partition comes last.
            assert len(set(weights[:full])) == 1


@pytest.mark.parametrize("lam", [1e-12, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("m", [1, 2, 20])
def test_l2_satisfies_its_optimality_conditions_at_every_scale(rng, m, lam):
    """They are sufficient, since the problem is convex."""
    for losses in random_losses(rng, 100, m) * 1e6:
        weights = l2_weights(losses, lam=lam)
        assert weights.min() >= 0.0
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        # d_u + lam alpha_u equals the multiplier where alpha_u > 0 and is at least it elsewhere.
        slope = losses + lam * weights
        held = weights > 0.0
        tolerance = 1e-9 * (lam + losses.max())
        assert np.ptp(slope[held]) <= tolerance
        assert slope[~held].min(initial=np.inf) >= slope[held].min() - tolerance
        # Large lambda: nearly equal weights.
        assert np.abs(weights - 1 / m).max() <= (np.ptp(losses) + tolerance) / lam


def test_entropy_equals_cvxpy(rng):
    losses = random_losses(rng, 60, 6)
    for eta in (0.05, 1.0, 10.0):
        weights = np.array([entropy_weights(d, eta=eta) for d in losses])
        assert_allclose(weights, reference.weights_by_cvxpy(losses, eta=eta), atol=1e-4)


@pytest.mark.parametrize(("solver", "key"), [(l2_weights, "lam"), (entropy_weights, "eta")])
def test_limits_are_the_best_alone_and_no_weighting(solver, key):
    losses = np.array([2.0, 1.0, 1.0, 5.0])
    for value in (0.0, 5e-324, 1e-300):
        assert_allclose(solver(losses, **{key: value}), [0.0, 0.5, 0.5, 0.0], atol=1e-12)
    assert_allclose(solver(losses, **{key: 1e15}), 0.25)
    # At the edges of floats.
    assert_allclose(solver([0.0, 1e308, 1e308], **{key: 1.0}), [1.0, 0.0, 0.0])
    assert_allclose(solver([0.0, 1.0, 1.0, 1.0], **{key: 1e-308}), [1.0, 0.0, 0.0, 0.0])


def test_copies_share_equally_in_spite_of_rounding():
    losses = np.array([1.0, 2.0 + 4e-16, 2.0, 2.0 - 4e-16, 9.0])
    assert_allclose(restricted_simplex_weights(losses, rho=0.4), [0.4, 0.2, 0.2, 0.2, 0.0], rtol=1e-12)
    for f in (partial(l2_weights, lam=0.0), partial(entropy_weights, eta=0.0)):
        assert_allclose(f(losses[1:]), [1 / 3, 1 / 3, 1 / 3, 0.0], rtol=1e-12)


def test_weightings_are_parameters_of_an_estimator():
    model = RobustEAC(2, weighting=L2(lam=3.0), random_state=0)
    assert clone(model).weighting.lam == 3.0
    model.set_params(weighting__lam=5.0)
    assert model.get_params()["weighting__lam"] == 5.0
    assert clone(ChanceCorrected(0.5)).share == 0.5
    # The default is found anew for every ensemble.
    model.set_params(weighting=L2())
    for n in (6, 12):
        model.fit(np.tile([[0, 0], [0, 1], [1, 1]], (n // 3, 1)))
        assert model.weighting.lam is None
