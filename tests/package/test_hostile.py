"""Odd and bad arguments: the shared checkers on all kinds, every public callable on one of each kind.

Checkers read all labels, weights, memberships, features and numbers. That every parameter of every
callable has one is shown by two values that no parameter accepts: a meaningless object, and NaN.
"""

import inspect
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

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

from ..access import check_ensemble, check_init, check_labels, check_membership, check_weights, validation
from ..access import validation as checks
from .hostile import (
    CALLABLES,
    NOT_CALLED,
    OF_LABELS,
    PUBLIC,
    arguments_of,
    assert_same,
    bad_labels,
    call,
    degenerate_ensembles,
    label_forms,
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mapped")


@st.composite
def ensembles(draw, scales=(1, 7)):
    """Small label matrices with missing labels; every object and every partition keeps one."""
    n, m, k = draw(st.integers(1, 9)), draw(st.integers(2, 6)), draw(st.integers(1, 5))
    labels = np.array(draw(st.lists(st.integers(-1, k - 1), min_size=n * m, max_size=n * m))).reshape(n, m)
    kept = np.arange(max(n, m))
    labels[kept % n, kept % m] = np.maximum(labels[kept % n, kept % m], 0)
    return np.where(labels == -1, -1, labels * draw(st.sampled_from(scales)))


# The checkers.


@examples(40)
@given(ensembles())
def test_forms_of_labels_are_the_labels(folder, labels):
    for form, changed in label_forms(labels, folder).items():
        before = repr(changed)
        assert np.array_equal(check_labels(changed), labels), form
        assert np.array_equal(check_ensemble(changed).observed(), labels != -1), form
        assert repr(changed) == before, form


NO_LABEL = (0.5, np.inf, -np.inf, 2.0**53, 2**63, 1j, "0.5", "1,5", "inf", "1" * 30, [1], {}, NOTHING,
            np.datetime64("2020-01-01"), pd.Timestamp("2020"))  # fmt: skip


@examples(60)
@given(ensembles(), st.sampled_from(range(len(NO_LABEL))), st.integers(0, 99), st.integers(0, 99))
def test_one_entry_that_is_no_label_is_refused(labels, bad, i, u):
    matrix, (n, m) = labels.astype(object), labels.shape
    matrix[i % n, u % m] = NO_LABEL[bad]
    for form in (matrix, pd.DataFrame(matrix), list(matrix.T)):
        refusal(check_labels, {"labels": form}, "labels")
        with pytest.raises((TypeError, ValueError), match=rf"row {i % n}\b"):
            check_ensemble(form)


@examples(60)
@given(arrays(np.float64, M, elements=LARGE_AND_SMALL), st.integers(0, M - 1))
def test_vectors(values, u):
    if values.any():
        weights = check_weights(values, M)
        assert weights.min() >= 0.0
        np.testing.assert_allclose(weights.sum(), 1.0, rtol=1e-9)
        assert np.all(np.diff(weights[np.argsort(values)]) >= 0.0)
    else:
        refusal(partial(check_weights, n_partitions=M), {"weights": values}, "weights")
    for bad in (np.nan, np.inf, -1.0, -TINY, None, "1", 1j, NOTHING, 10**400):
        wrong = values.astype(object)
        wrong[u] = bad
        for form in (wrong, wrong.tolist(), pd.Series(wrong, dtype=object)):
            refusal(partial(check_weights, n_partitions=M), {"weights": form}, "weights")


@examples(30)
@given(arrays(np.float64, (N, 3), elements=st.floats(0.0, 1e6)), st.integers(0, N - 1))
def test_memberships(values, i):
    rows = (values + 1e-6) / (values + 1e-6).sum(axis=1, keepdims=True)
    for form in (rows, np.asfortranarray(rows), rows.tolist(), rows.astype(object), pd.DataFrame(rows), *(
        kind(rows) for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array)
    )):  # fmt: skip
        np.testing.assert_allclose(check_membership(form, N, 3), rows, rtol=1e-12)
    for bad in (np.nan, np.inf, -0.1, 1.1):
        wrong = rows.copy()
        wrong[i, 0] = bad
        for form in (wrong, sparse.csr_array(wrong)):
            refusal(partial(check_membership, n_samples=N), {"membership": form}, "membership")
            refusal(partial(check_init, n_samples=N, n_clusters=3), {"init": form}, "init")


CODES = np.arange(N) % 2
NO_PARTITIONS = (
    np.where(CODES == 1, np.nan, 0.0), np.where(CODES == 1, np.inf, 0.0), [None] + [0] * (N - 1), ["a"] + [0] * (N - 1),
    np.array([np.nan] + [0] * (N - 1), dtype=object), np.ma.masked_array(CODES), sparse.csr_array(CODES[np.newaxis]),
    CODES.astype(complex), {"a": 0}, {0, 1}, CODES.astype("datetime64[D]"), [[0], [0, 1]],
)  # fmt: skip


def test_partitions():
    for form in (
        CODES.tolist(), tuple(CODES), CODES.astype(float), CODES.astype(bool), CODES.astype(np.uint64),
        CODES.astype(object), np.repeat(CODES, 2)[::2], pd.Series(CODES, index=range(N, 0, -1)),
    ):  # fmt: skip
        assert np.array_equal(validation.clusters(form, N, name="partition"), CODES)
        assert np.array_equal(check_init(form, N, 2), np.eye(2)[CODES])
    assert np.array_equal(validation.clusters(CODES.astype(str), N, name="partition"), CODES)


def named(check, **options):
    return partial(check, name="value", **options)


NO_INTEGERS = (2.5, 2.0, "2", True, np.True_, np.nan, np.inf, 1j, [1], np.array([1, 2]), "many", NOTHING)
NO_REALS = ("0.5", True, np.True_, 1j, [0.5], np.array([0.5, 0.5]), np.nan, np.inf, -np.inf, 10**400, None, NOTHING)
ROWS = WORLD.membership
SHARES = np.full((N, 2), 0.5)
X = WORLD.X
NO_MATRICES = (None, "X", 1.0, [[0.0], [0.0, 1.0]], {"a": [0.0]}, np.full((N, 2), "a"))
# Valid and invalid values, by the name of the parameter, or else "value".
CHECKS = {
    "labels": (check_labels, (WORLD.labels,), bad_labels().values()),
    "entry of a list": (
        lambda value: check_ensemble([np.arange(N), value], name="value"), (CODES, CODES.tolist()),
        (SHARES, sparse.csr_array(SHARES), np.ma.masked_array(CODES), SHARES[:, :, np.newaxis], SHARES[:, :0],
         SHARES.tolist(), CODES[:-1], CODES[:, np.newaxis], CODES + 0.5, [1j] * N, None, 3),
    ),
    "sample_weight": (
        partial(validation.sample_weight, ensemble=check_ensemble(WORLD.labels)), (None, np.ones(N), CODES),
        (1.0, "ab", np.ones(N - 1), np.ones((N, 1)), [], np.zeros(N), np.full(N, 1e-300), np.full(N, 1e300),
         sparse.csr_array(np.ones((1, N))), np.ma.masked_array(np.ones(N)), {"a": 1.0}, [[1.0], [1.0, 2.0]],
         np.ones(N).astype("datetime64[D]")),
    ),
    "membership": (
        partial(check_membership, n_samples=N), (ROWS, np.eye(N, 12)),
        (*NO_MATRICES, ROWS[:, 0], ROWS[:, :0], ROWS[:-1], ROWS.T, ROWS.astype(str), ROWS.astype(complex), 0.0 * ROWS,
         sparse.csc_matrix(ROWS[:-1]), np.ma.masked_array(ROWS), ROWS[:, :, np.newaxis]),
    ),
    "partition": (
        partial(validation.clusters, n_samples=N, name="partition"),
        (CODES, CODES.astype(str), *NO_PARTITIONS[2:5]), (NO_PARTITIONS[1], *NO_PARTITIONS[5:], CODES[1:], -np.ones(N)),
    ),
    "init": (
        partial(check_init, n_samples=N, n_clusters=2),
        (None, "kmeans", CODES + 7, np.zeros(N, int), CODES.astype(str)),
        (*NO_PARTITIONS, CODES[:-1], CODES - 1, np.arange(N), CODES + 0.5, SHARES, "k-means", 3),
    ),
    "X": (
        partial(checks.features, n_samples=N),
        (X, X.tolist(), X.astype(object), pd.DataFrame(X), X.astype(int), X > 0.0, X.astype(np.float32)),
        (*NO_MATRICES, X[:, 0], X[:, :0], X[:0], sparse.csr_array(X), np.ma.masked_array(X), X.astype(complex),
         X[:, :, np.newaxis], X[:-1]),
    ),
    "integer": (
        named(checks.integer, low=1, high=9), (1, 9, np.int64(3), np.uint8(1)),
        (*NO_INTEGERS, None, 0, 10, -(2**70)),
    ),
    "real": (named(checks.real, low=0.0, high=1.0), (0, 1.0, TINY, np.float32(0.5)), (*NO_REALS, -TINY, 1.1)),
    "positive": (named(checks.real, low=0.0, strict=True), (TINY, 1e300, 7), (*NO_REALS, 0.0, 0)),
    "flag": (named(checks.flag), (True, np.False_), (0, 1, "yes", 0.0, [True], np.array([True]), None, NOTHING)),
    "name": (named(checks.choice, choices=("l2", "vi")), ("l2",), ("L2", "", 3, ["l2"], b"l2", None, np.nan)),
    "names": (named(checks.names, size=2), (["a", "b"], ("a", 1)), ("ab", {"a": 1, "b": 2}, ["a"], 3, None)),
    "mask": (
        named(checks.mask, size=2), ([True, False],), ([True], [0, 1], "ab", None, [[True, False]], [0.5, 0.5]),
    ),
    "n_clusters": (lambda value: checks.n_clusters(value, 9), (1, 9), (*NO_INTEGERS, None, 0, 10)),
    "n_jobs": (checks.n_jobs, (None, 1, -1, np.int64(2)), (0, 2.5, "2", True, np.nan, [1], NOTHING)),
    "random_state": (
        checks.random_state, (None, 0, 2**32 - 1, np.int64(7), np.random.RandomState(0)),
        (-1, 2.5, "seed", [1], True, 2**40, np.nan, NOTHING),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHECKS)
def test_what_a_checker_takes_and_refuses(kind):
    check, good, bad = CHECKS[kind]
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises((TypeError, ValueError), match=rf"\b({kind}|value)\b"):
            check(value)


def test_dask_arrays():
    da = pytest.importorskip("dask.array", reason="needs dask")
    labels = WORLD.labels
    assert np.array_equal(checks.dask_rows(da.from_array(labels, chunks=(4, 2)), name="labels"), labels)
    unknown = da.from_array(labels, chunks=(3, 4))[da.from_array(labels[:, 0], chunks=3) > 0]
    for bad in (None, labels, labels.tolist(), unknown, *(
        da.from_array(array) for array in (labels[:, 0], labels.astype(str), labels.astype(complex), labels[:0])
    )):  # fmt: skip
        refusal(partial(checks.dask_rows, name="labels"), {"array": bad}, "labels")


# The public callables.


def test_every_public_name_is_tried_or_has_a_reason_not_to_be():
    callables = {name for name in robust_eac.__all__ if callable(getattr(robust_eac, name))}
    assert callables - {*CALLABLES, *NOT_CALLED} == set()
    assert len(OF_LABELS) > 60


@pytest.mark.parametrize("name", OF_LABELS)
def test_labels_in_another_form_give_the_same_result(name):
    labels = np.where(WORLD.labels == 2, -1, WORLD.labels)
    parameter, arguments = label_parameter(name), arguments_of(name, make_world(labels))
    frame = pd.DataFrame(labels, columns=list("abcd"), index=range(N, 0, -1)).astype("Int64").mask(labels == -1)
    assert_same(sound_result(name, arguments | {parameter: frame}), call(name, arguments))


@pytest.mark.parametrize("name", OF_LABELS)
def test_bad_labels_are_refused(name):
    parameter, arguments = label_parameter(name), arguments_of(name, WORLD)
    for bad in ("halves", "an object nowhere", "a partition of nothing"):
        refusal(partial(_call, name), arguments | {parameter: bad_labels()[bad]}, parameter)
    memberships = [np.array([0, 1] * 4 + [0]), np.full((N, 2), 0.5)] * 2
    refusal(partial(_call, name), arguments | {parameter: memberships}, parameter)


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


@pytest.mark.parametrize(
    "weights", [[np.nan] * 4, [1.0, -1.0, 0.5, 0.5], [0.0] * 4, [1.0] * 3, [[1.0] * 4], None, "uniform", 1.0, [1j] * 4]
)
def test_what_a_weighting_of_the_user_returns_is_checked(weights):
    with pytest.raises((ValueError, TypeError), match="weighting"):
        solve_median_partition(WORLD.labels, 2, weighting=lambda losses: weights, random_state=0)


@pytest.mark.parametrize("m", [1, 2, 7, 49, 10**5 + 3])
def test_the_least_rho_is_one_over_m_however_rounded(m):
    for rho in (1.0 / m, np.nextafter(1.0 / m, 0.0), np.nextafter(1.0 / m, 1.0)):
        weights = robust_eac.restricted_simplex_weights(np.arange(m), rho=rho)
        np.testing.assert_allclose(weights, 1.0 / m, rtol=1e-9)
