"""Every public callable on ensembles of labels in odd forms, at the edges, and on what is no ensemble."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import robust_eac

from .hostile import (
    CALLABLES,
    NOT_CALLED,
    OF_LABELS,
    ON_DASK,
    ON_RESULTS,
    PLOTS,
    SOFT,
    arguments_of,
    assert_same,
    call,
    label_parameter,
    make_world,
    refusal,
    small_world,
    sound_result,
)
from .hostile_arrays import bad_labels, degenerate_ensembles, label_forms

# Of ensembles, numbers of partitions that they need.
_AT_LEAST = {"select_n_clusters": 2}


@pytest.fixture(params=OF_LABELS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mapped")


def test_every_public_name_is_tried_or_has_a_reason_not_to_be():
    assert set(robust_eac.__all__) <= {*CALLABLES, *NOT_CALLED, *ON_DASK, *ON_RESULTS, *PLOTS}
    assert not set(NOT_CALLED) & set(CALLABLES)
    for known in (*NOT_CALLED, *ON_DASK, *ON_RESULTS):
        assert known in robust_eac.__all__


def test_forms_of_the_same_labels_give_the_same_result(name, folder):
    parameter = label_parameter(name)
    for labels in (small_world().labels, np.where(small_world().labels == 2, -1, small_world().labels)):
        arguments = arguments_of(name, make_world(labels))
        expected = call(name, arguments)
        for form, changed in label_forms(labels, folder).items():
            found = sound_result(name, arguments | {parameter: changed})
            try:
                assert_same(found, expected)
            except AssertionError as error:
                raise AssertionError(f"{name} on {form}: {error}") from None


def test_what_is_no_label_matrix_is_refused(name):
    parameter = label_parameter(name)
    arguments = arguments_of(name, small_world())
    for bad in bad_labels().values():
        refusal(name, arguments | {parameter: bad}, parameter)
    soft = [np.array([0, 1] * 4 + [0]), np.full((9, 2), 0.5)]
    if name in SOFT:
        sound_result(name, arguments_of(name, small_world()) | {parameter: [*soft, *soft]})
    else:
        refusal(name, arguments | {parameter: soft}, parameter)


def test_degenerate_ensembles(name):
    for labels in degenerate_ensembles().values():
        if labels.shape[1] >= _AT_LEAST.get(name, 1):
            sound_result(name, arguments_of(name, make_world(labels)))


@st.composite
def ensembles(draw):
    """Small label matrices with missing labels; every object and every partition keeps one."""
    n, m, k = draw(st.integers(1, 9)), draw(st.integers(2, 6)), draw(st.integers(1, 5))
    labels = np.array(draw(st.lists(st.integers(-1, k - 1), min_size=n * m, max_size=n * m))).reshape(n, m)
    kept = np.arange(max(n, m))
    labels[kept % n, kept % m] = np.maximum(labels[kept % n, kept % m], 0)
    return labels * draw(st.sampled_from([1, 7, 10**6])) if draw(st.booleans()) and labels.min() >= 0 else labels


@settings(max_examples=15, derandomize=True, deadline=None)
@given(ensembles())
def test_random_ensembles(labels):
    world = make_world(labels)
    for name in OF_LABELS:
        sound_result(name, arguments_of(name, world))


def _soft_entries():
    rows = np.full((9, 2), 0.5)
    part = rows.copy()
    part[0, 0] = np.nan
    return {
        "sums": 1.1 * rows, "negative": rows + [0.6, -0.6], "some NaN": part,
        "nothing observed": np.full((9, 2), np.nan),
        "shorter": rows[:-1], "texts": rows.astype(str), "sparse": sparse.csr_array(rows),
        "masked": np.ma.masked_array(rows),
        "infinite": np.full((9, 2), np.inf), "three dimensions": rows[:, :, np.newaxis], "no columns": rows[:, :0],
        "complex": rows.astype(complex), "ragged": [[1.0]] * 8 + [[0.5, 0.5]],
    }  # fmt: skip


@pytest.mark.parametrize("name", SOFT)
def test_lists_with_bad_memberships_are_refused(name):
    parameter = label_parameter(name)
    arguments = arguments_of(name, small_world())
    good = np.full((9, 2), 0.5)
    for bad in _soft_entries().values():
        refusal(name, arguments | {parameter: [np.arange(9), good, bad, good]}, parameter)
    for labels in ([good, np.arange(8)], [good, np.arange(9) + 0.5], [good, [1j] * 9], [good, None], [good, 3]):
        refusal(name, arguments | {parameter: labels}, parameter)


@pytest.mark.parametrize("name", SOFT)
def test_degenerate_soft_ensembles(name):
    """Memberships that are hard, uniform, of one cluster, not observed; as lists, mixed with labels."""
    n, parameter = 6, label_parameter(name)
    rng = np.random.RandomState(0)
    uniform, one, hard = np.full((n, 3), 1 / 3), np.ones((n, 1)), np.eye(3)[rng.randint(3, size=n)]
    unseen = hard.copy()
    unseen[1:] = np.nan
    for labels in (
        [uniform] * 4, [one] * 4, [hard] * 4, [uniform, one, hard, np.zeros(n, dtype=int)],
        [unseen, hard, unseen, uniform],
        [np.array([0, 0, -1, -1, 1, 1]), unseen, hard, hard.tolist()],
    ):  # fmt: skip
        world = make_world(rng.randint(3, size=(n, 4)))
        sound_result(name, arguments_of(name, world) | {parameter: labels})


def test_parameters_of_the_registries_are_those_of_the_public_functions():
    for registry in (robust_eac.CONSENSUS_FUNCTIONS, robust_eac.WEIGHTING_SCHEMES, robust_eac.WEIGHT_SOLVERS):
        for function in registry.values():
            known = [inspect.unwrap(getattr(function, "func", function)) for function in CALLABLES.values()]
            assert getattr(function, "func", function) in known or function.__name__ == "equal_weights"
