"""Every public callable: labels pass the door, parameters are checked, and odd data give sound results.

The forms of labels, weights, memberships, features and numbers are those of tests/test_validation.py.
"""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import robust_eac
from robust_eac import L2, ChanceCorrected, Entropy, RestrictedSimplex, RobustEAC, solve_median_partition

from ..access import check_ensemble
from .hostile import (
    CALLABLES,
    NOT_CALLED,
    OF_LABELS,
    arguments_of,
    assert_same,
    call,
    degenerate_ensembles,
    label_parameter,
    make_world,
    parameters_of,
    refusal,
    small_world,
    sound_result,
)

WORLD = small_world()
N, M = WORLD.n, WORLD.m
NOTHING = object()
# Zero has a meaning for these parameters, numbers below zero for those, and numbers above two for none of the last.
ZERO = {"cost", "decay", "eta", "fraction", "imbalance", "lam", "max_steps", "max_sweeps", "min_per_order",
        "min_value", "share", "singleton", "threshold", "tol"}  # fmt: skip
NEGATIVE = {"min_value", "threshold"}
SHARES = {"cost", "decay", "fraction", "imbalance", "level", "share", "singleton"}


def test_every_public_name_is_tried_or_has_a_reason_not_to_be():
    callables = {name for name in robust_eac.__all__ if callable(getattr(robust_eac, name))}
    assert callables - {*CALLABLES, *NOT_CALLED} == set()
    assert len(OF_LABELS) > 60


@pytest.mark.parametrize("name", OF_LABELS)
def test_labels_pass_through_the_door(name):
    labels = np.where(WORLD.labels == 2, -1, WORLD.labels)
    parameter, arguments = label_parameter(name), arguments_of(name, make_world(labels))
    frame = pd.DataFrame(labels, columns=list("abcd"), index=range(N, 0, -1)).astype("Int64").mask(labels == -1)
    assert_same(sound_result(name, arguments | {parameter: frame}), call(name, arguments))
    with pytest.raises(ValueError, match="integer") as raised:
        check_ensemble(labels + 0.5, name=parameter)
    with pytest.raises(ValueError, match=f"^{re.escape(str(raised.value))}$"):
        call(name, arguments | {parameter: labels + 0.5})


@pytest.mark.parametrize("name", OF_LABELS)
def test_degenerate_ensembles(name):
    for labels in degenerate_ensembles().values():
        if labels.shape[1] >= {"select_n_clusters": 2}.get(name, 1):
            sound_result(name, arguments_of(name, make_world(labels)))


@settings(max_examples=3, derandomize=True, deadline=None)
@given(arrays(np.float64, (N, 2), elements=st.sampled_from([0.0, 5e-324, 1.0, -1e60, 1e60, 3.0, -0.25])))
def test_any_features(X):
    for name in (name for name in CALLABLES if "X" in parameters_of(name) and label_parameter(name) != "X"):
        sound_result(name, arguments_of(name, WORLD) | {"X": X})


def meaningless(name, key, annotation):
    """Values that a parameter refuses."""
    yield from (NOTHING, np.nan)
    if str(annotation).startswith(("int", "float")) and key not in ("n_jobs", "random_state"):
        yield from [0] * (key not in ZERO) + [2.5] * (key in SHARES)
        if key not in NEGATIVE and (name, key) != ("silhouette_weights", "singleton"):
            yield -1


@pytest.mark.parametrize("name", CALLABLES)
def test_every_parameter_refuses_what_is_meaningless_or_out_of_range(name):
    arguments = arguments_of(name, WORLD)
    for key, parameter in parameters_of(name).items():
        # Of one only the truth is read; the other may be any number.
        for bad in meaningless(name, key, parameter.annotation) if key not in ("verbose", "undefined") else ():
            try:
                refusal(lambda **given: call(name, given), arguments | {key: bad}, key)
            except AssertionError:
                # Parameters that a common signature has, and that do nothing here.
                assert key in ("X", "random_state")
                assert_same(call(name, arguments | {key: bad}), call(name, arguments))


@pytest.mark.parametrize("kind", [L2, Entropy, RestrictedSimplex, ChanceCorrected])
def test_parameters_of_weightings_are_read_by_a_checker(kind):
    def fit(**parameters):
        return RobustEAC(2, weighting=kind(**parameters), random_state=0).fit(WORLD.labels)

    (key,) = inspect.signature(kind).parameters
    for bad in (NOTHING, np.nan, -1.0, "much"):
        refusal(fit, {key: bad}, key)


@pytest.mark.parametrize("weights", [[np.nan] * 4, [1.0] * 3, None])
def test_what_a_weighting_of_the_user_returns_is_checked(weights):
    with pytest.raises((ValueError, TypeError), match="weighting"):
        solve_median_partition(WORLD.labels, 2, weighting=lambda losses: weights, random_state=0)
