"""agreement="auto": chance-corrected weights lower chance-corrected losses, all others the raw ones."""

from functools import partial

import numpy as np
import pytest

from robust_eac import (
    WEIGHT_SOLVERS,
    RobustEAC,
    chance_corrected_weights,
    restricted_simplex_weights,
    solve_median_partition,
)

from ..access import ADJUSTED, resolve_distance
from ..conftest import planted_ensemble

CORRECTED = {
    "name": "chance-corrected",
    "function": chance_corrected_weights,
    "partial": partial(chance_corrected_weights, share=0.3),
}
OTHERS = {name: name for name in WEIGHT_SOLVERS if name != "chance-corrected"} | {
    "partial of another": partial(restricted_simplex_weights, rho=0.2),
    "of the user": lambda losses: np.ones(len(losses)),
    # Nobody knows what it reads.
    "wrapped": lambda losses: chance_corrected_weights(losses, expected=losses.max()),
}


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, np.repeat([0, 1, 2], 15), 12, noise=0.2, n_random=4)


def fitted(labels, **options):
    return RobustEAC(3, n_init=2, random_state=0, **options).fit(labels)


def assert_same_fits(labels, options, agreement):
    """Auto, in the estimator and the solver, where it is given and by default, is this agreement."""
    expected = fitted(labels, agreement=agreement, **options)
    for other in (fitted(labels, **options), fitted(labels, agreement="auto", **options)):
        for field in ("labels_", "membership_", "weights_", "losses_", "agreements_", "objective_", "gap_"):
            assert np.array_equal(getattr(other, field), getattr(expected, field)), field
        assert other.summary() == expected.summary()
    if "hardening" not in options:
        result = solve_median_partition(labels, 3, n_init=2, random_state=0, **options)
        assert np.array_equal(result.membership, expected.membership_)
        assert np.array_equal(result.losses, expected.losses_)


@pytest.mark.parametrize("weighting", CORRECTED)
def test_auto_is_adjusted_for_chance_corrected_weights(labels, weighting):
    assert_same_fits(labels, {"weighting": CORRECTED[weighting]}, "adjusted")
    model = fitted(labels, weighting=CORRECTED[weighting])
    assert "losses corrected for chance" in model.summary()
    np.testing.assert_allclose(model.losses_, 1.0 - model.agreements_, atol=1e-12)
    assert not np.array_equal(
        model.membership_, fitted(labels, weighting=CORRECTED[weighting], agreement="raw").membership_
    )


@pytest.mark.parametrize("weighting", OTHERS)
def test_auto_is_raw_for_all_others(labels, weighting):
    assert_same_fits(labels, {"weighting": OTHERS[weighting]}, "raw")


@pytest.mark.parametrize("options", [{"diagonal": False}, {"threshold": "data"}, {"hardening": "search"}])
def test_auto_is_raw_where_raw_losses_are_needed(labels, options):
    for weighting in ("chance-corrected", "uniform"):
        assert_same_fits(labels, {"weighting": weighting} | options, "raw")
    with pytest.raises(ValueError, match='agreement="adjusted"'):
        fitted(labels, weighting="chance-corrected", agreement="adjusted", **options)


def test_only_those_that_know_the_weights_take_auto():
    assert resolve_distance("auto", True, corrected=True) is ADJUSTED
    assert resolve_distance("auto", True, corrected=False).in_pairs
    assert resolve_distance("auto", False, corrected=True).in_pairs
    assert resolve_distance("auto", True, "data", corrected=True).in_pairs
    assert resolve_distance("raw", True, corrected=True).in_pairs
    assert resolve_distance("adjusted", True, corrected=False) is ADJUSTED
    with pytest.raises(ValueError, match="agreement must be one of 'raw', 'adjusted', got 'auto'"):
        resolve_distance("auto", True)


def test_a_dask_array_is_solved_with_raw_losses(labels):
    da = pytest.importorskip("dask.array")
    array = da.from_array(labels, chunks=(20, 12))
    auto, raw = (RobustEAC(3, agreement=agreement, random_state=0).fit(array) for agreement in ("auto", "raw"))
    assert np.array_equal(auto.losses_, raw.losses_)
    assert auto.summary() == raw.summary()
