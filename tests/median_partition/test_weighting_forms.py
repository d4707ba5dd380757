"""What `weighting` may be (a name, an object, a function, weights to keep), and the agreement that goes with it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robust_eac import (
    L2,
    WEIGHT_SOLVERS,
    ChanceCorrected,
    Entropy,
    RestrictedSimplex,
    RobustEAC,
    adjusted_agreement,
    certify,
    chance_corrected_weights,
    solve_median_partition,
)

from ..conftest import planted_ensemble

GIVEN = np.array([3.0, 0.0, 1.0, 2.0, 2.0])


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, np.repeat([0, 1, 2], 15), 12, noise=0.2, n_random=4)


def fitted(labels, **options):
    return RobustEAC(3, n_init=2, random_state=0, **options).fit(labels)


def assert_same(labels, options, expected):
    """The fit with these options, also by the function, is the expected one."""
    model = fitted(labels, **options)
    for field in ("labels_", "membership_", "weights_", "losses_", "agreements_", "objective_", "gap_"):
        assert np.array_equal(getattr(model, field), getattr(expected, field)), field
    result = solve_median_partition(labels, 3, n_init=2, random_state=0, **options)
    assert np.array_equal(result.membership, expected.membership_)
    assert np.array_equal(result.losses, expected.losses_)


FORMS = {
    "restricted-simplex": RestrictedSimplex(),
    "l2": L2(lam=0.5 * 45**2),
    "entropy": Entropy(eta=0.5 * 45**2),
    "chance-corrected": ChanceCorrected(share=0.2),
}


@pytest.mark.parametrize("name", FORMS)
def test_an_object_with_the_defaults_is_its_name(labels, name):
    expected = fitted(labels, weighting=name)
    assert_same(labels, {"weighting": FORMS[name]}, expected)
    assert fitted(labels, weighting=FORMS[name]).summary() == expected.summary()


def test_auto_is_adjusted_for_chance_corrected_weights(labels):
    weighting = ChanceCorrected(share=0.3)
    adjusted, raw = (fitted(labels, weighting=weighting, agreement=agreement) for agreement in ("adjusted", "raw"))
    assert_same(labels, {"weighting": weighting}, adjusted)
    assert_allclose(adjusted.losses_, 1.0 - adjusted_agreement(labels, adjusted.membership_), atol=1e-12)
    assert not np.array_equal(adjusted.membership_, raw.membership_)


def unknown(losses):
    """A function of which the solver knows nothing."""
    return chance_corrected_weights(losses, expected=losses.max())


@pytest.mark.parametrize(
    "weighting", [*sorted({*WEIGHT_SOLVERS} - {"chance-corrected"}), RestrictedSimplex(0.2), unknown]
)
def test_auto_is_raw_for_all_others(labels, weighting):
    assert_same(labels, {"weighting": weighting}, fitted(labels, weighting=weighting, agreement="raw"))


@pytest.mark.parametrize("agreement", ["raw", "adjusted"])
def test_the_membership_is_stationary_for_weights_that_are_given(agreement):
    noise = np.random.RandomState(0).randint(4, size=(60, 5))
    model = RobustEAC(3, weighting=GIVEN, tol=1e-8, agreement=agreement, random_state=0).fit(noise)
    assert certify(noise, model.membership_, weights=GIVEN, agreement=agreement).gap <= 1.001e-8
    assert_array_equal(model.weights_, GIVEN / GIVEN.sum())
    tiny = solve_median_partition(noise, 3, weighting=[*1e-200 * GIVEN], agreement=agreement, random_state=0)
    assert_allclose(tiny.weights, model.weights_, rtol=1e-15)
    assert model.get_params()["weighting"] is GIVEN
    assert "4 of 5 partitions have weight (given)" in model.summary(noise)
