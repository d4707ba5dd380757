"""Odd and bad arguments: the shared checkers on all kinds, every public callable on one of each kind.

Checkers read all labels, weights, memberships, features and numbers. That every parameter of every
callable has one is shown by two values that no parameter accepts: a meaningless object, and NaN.
"""

import inspect
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import robust_eac
from robust_eac import (
    L2,
    WEIGHT_SOLVERS,
    ChanceCorrected,
    Entropy,
    KMeansEnsemble,
    RestrictedSimplex,
    RobustEAC,
    solve_median_partition,
)
from robust_eac.consensus import bisecting_tree, cut_bisecting_tree

from ..access import check_ensemble
from .hostile import (
    CALLABLES,
    NOT_CALLED,
    OF_LABELS,
    PUBLIC,
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
TINY = 5e-324
NOTHING = object()
LARGE_AND_SMALL = st.one_of(
    st.floats(0.0, allow_nan=False, allow_infinity=False), st.sampled_from([0.0, TINY, 1e-308, 1e-16, 1.0, 1e16, 1e308])
)


def examples(number):
    return settings(max_examples=number, derandomize=True, deadline=None)


@st.composite
def ensembles(draw, scales=(1, 7)):
    """Small label matrices with missing labels; every object and every partition keeps one."""
    n, m, k = draw(st.integers(1, 9)), draw(st.integers(2, 6)), draw(st.integers(1, 5))
    labels = np.array(draw(st.lists(st.integers(-1, k - 1), min_size=n * m, max_size=n * m))).reshape(n, m)
    kept = np.arange(max(n, m))
    labels[kept % n, kept % m] = np.maximum(labels[kept % n, kept % m], 0)
    return np.where(labels == -1, -1, labels * draw(st.sampled_from(scales)))


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


@examples(5)
@given(ensembles(scales=(1, 10**6)))
def test_random_ensembles(labels):
    for name in OF_LABELS:
        sound_result(name, arguments_of(name, make_world(labels)))


@examples(4)
@given(arrays(np.float64, M, elements=LARGE_AND_SMALL).filter(np.any))
def test_any_weights(weights):
    for name in (name for name in OF_LABELS if "weights" in parameters_of(name)):
        sound_result(name, arguments_of(name, WORLD) | {"weights": weights})


@examples(5)
@given(arrays(np.float64, (N, 2), elements=st.sampled_from([0.0, TINY, 1.0, -1e60, 1e60, 3.0, -0.25])))
def test_any_features(X):
    for name in (name for name in CALLABLES if "X" in parameters_of(name) and label_parameter(name) != "X"):
        sound_result(name, arguments_of(name, WORLD) | {"X": X})


@examples(50)
@given(
    arrays(np.float64, st.integers(1, 7), elements=LARGE_AND_SMALL), st.sampled_from([0.0, TINY, 1e-300, 1.0, 1e308])
)
def test_weights_from_any_losses(losses, parameter):
    for function in WEIGHT_SOLVERS.values():
        keys = [key for key in ("lam", "eta") if key in inspect.signature(function).parameters]
        weights = function(losses, **dict.fromkeys(keys, parameter))
        np.testing.assert_allclose(weights.sum(), 1.0, rtol=1e-9)
        assert weights.min() >= 0.0
        assert np.all(np.diff(weights[np.argsort(losses, kind="stable")]) <= 1e-12)


@pytest.mark.parametrize("name", CALLABLES)
def test_every_parameter_is_read_by_a_checker(name):
    arguments = arguments_of(name, WORLD)
    for key in parameters_of(name):
        for bad in (NOTHING, np.nan):
            if key in ("verbose", "undefined"):  # Of one only the truth is read; the other may be NaN.
                continue
            try:
                refusal(partial(_call, name), arguments | {key: bad}, key)
            except AssertionError:
                # Parameters that a common signature has, and that do nothing here.
                assert key in ("X", "random_state")
                assert_same(call(name, arguments | {key: bad}), call(name, arguments))


# Zero has a meaning for these parameters, numbers below zero for those, and numbers above two for none of the last.
ZERO = {"cost", "decay", "eta", "fraction", "imbalance", "lam", "max_steps", "max_sweeps", "min_per_order",
        "min_value", "share", "singleton", "threshold", "tol"}  # fmt: skip
NEGATIVE = {"min_value", "threshold"}
NOT_TRIED = {"n_jobs", "random_state", "undefined", "verbose"}
SHARES = {"cost", "decay", "fraction", "imbalance", "level", "share", "singleton"}


@pytest.mark.parametrize("name", CALLABLES)
def test_numbers_out_of_range_are_refused(name):
    arguments = arguments_of(name, WORLD)
    for key, parameter in parameters_of(name).items():
        if not str(parameter.annotation).startswith(("int", "float")) or key in NOT_TRIED:
            continue
        negative = key in NEGATIVE or (name, key) == ("silhouette_weights", "singleton")
        for bad, refused in ((0, key not in ZERO), (-1, not negative), (2.5, key in SHARES)):
            if refused:
                refusal(partial(_call, name), arguments | {key: bad}, key)


def _call(name, **arguments):
    return call(name, arguments)


def _others():
    """What takes no plain arrays, with valid arguments."""
    labels, losses = WORLD.labels, np.arange(1.0, M + 1.0)
    selection = robust_eac.select_n_clusters(labels, [1, 2], n_splits=2, random_state=0)
    yield cut_bisecting_tree, {"tree": bisecting_tree(labels, 3, random_state=0), "n_clusters": 2}
    yield robust_eac.load_dataset, {"name": "spiral"}
    yield robust_eac.plot_coassociation, {"labels": labels, "consensus": WORLD.consensus}
    yield robust_eac.plot_consensus_distribution, {"distribution": robust_eac.consensus_distribution(labels)}
    yield robust_eac.plot_membership, {"membership": WORLD.membership}
    yield robust_eac.plot_n_clusters, {"selection": selection}
    yield robust_eac.plot_weights, {"weights": losses}
    da = pytest.importorskip("dask.array", reason="needs dask")
    X = da.from_array(WORLD.X, chunks=(4, 2))
    yield robust_eac.ensemble_distributed, {"X": X, "ensemble": KMeansEnsemble(3, 2)}
    distributed = {"labels": da.from_array(labels, chunks=(4, 4)), "n_clusters": 2}
    yield robust_eac.solve_median_partition_distributed, distributed


def test_every_parameter_of_what_takes_no_plain_arrays_is_read_by_a_checker():
    tried = set()
    for function, arguments in _others():
        tried.add(function.__name__)
        for key in inspect.signature(function).parameters:
            for bad in (NOTHING, np.nan):
                if key != "verbose":
                    refusal(function, arguments | {key: bad}, key)
    assert tried == {name for name in NOT_CALLED if inspect.isfunction(PUBLIC[name])} - {"main"}


@pytest.mark.parametrize("kind", [L2, Entropy, RestrictedSimplex, ChanceCorrected])
def test_parameters_of_weightings_are_read_by_a_checker(kind):
    def fit(**parameters):
        return RobustEAC(2, weighting=kind(**parameters), random_state=0).fit(WORLD.labels)

    (key,) = inspect.signature(kind).parameters
    for bad in (NOTHING, np.nan, -1.0, "much", True, [1.0]):
        refusal(fit, {key: bad}, key)


@pytest.mark.parametrize("weights", [[np.nan] * 4, [1.0] * 3, None, "uniform", 1.0])
def test_what_a_weighting_of_the_user_returns_is_checked(weights):
    with pytest.raises((ValueError, TypeError), match="weighting"):
        solve_median_partition(WORLD.labels, 2, weighting=lambda losses: weights, random_state=0)


@pytest.mark.parametrize("m", [1, 2, 7, 49, 10**5 + 3])
def test_the_least_rho_is_one_over_m_however_rounded(m):
    for rho in (1.0 / m, np.nextafter(1.0 / m, 0.0), np.nextafter(1.0 / m, 1.0)):
        weights = robust_eac.restricted_simplex_weights(np.arange(m), rho=rho)
        np.testing.assert_allclose(weights, 1.0 / m, rtol=1e-9)
