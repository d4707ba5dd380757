"""Every array but the labels that a public callable takes, in odd forms, at the edges of floats, and malformed."""

import inspect
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from .hostile import CALLABLES, arguments_of, assert_same, call, parameters_of, refusal, small_world, sound_result
from .hostile_arrays import (
    bad_features,
    bad_memberships,
    bad_partitions,
    bad_vectors,
    layouts,
    odd_features,
    odd_vectors,
    partition_forms,
)

WORLD = small_world()
N, M = WORLD.n, WORLD.m


def _having(*keys, without=()):
    """(name, key) of every public callable that takes one of these."""
    return [(name, key) for name in CALLABLES for key in parameters_of(name) if key in keys and name not in without]


def _reads_features(name):
    text = inspect.getdoc(getattr(CALLABLES[name], "func", CALLABLES[name]))
    return name != "RobustEAC" and re.search(r"^X : [Ii]gnored", text, re.MULTILINE) is None


VECTORS = [
    *_having("weights", "sample_weight", "losses"),
    ("chance_corrected_weights", "expected"),
    ("RobustEAC", "weighting"),
    ("solve_median_partition", "weighting"),
]
PARTITIONS = [
    *_having("consensus", "partition", "y_true", "y_pred", "a", "b", "y", without=("compare",)),
    ("compare", "y"),
    ("assign_to_cores", "labels"),
]
MEMBERSHIPS = _having("membership", "memberships")
FEATURES = [(name, key) for name, key in _having("X") if _reads_features(name)]
STARTS = _having("init", without=("fuzzy_c_means", "gath_geva", "solve_hard_median_partition"))


@pytest.mark.parametrize(("name", "key"), VECTORS)
def test_vectors(name, key):
    arguments = arguments_of(name, WORLD)
    size = N if key == "sample_weight" else M
    for bad, value in bad_vectors(size).items():
        if key == "losses" and bad in ("too short", "too long", "zeros"):
            sound_result(name, arguments | {key: value})
        elif not (key == "expected" and bad == "a number"):
            refusal(name, arguments | {key: value}, key)
    for odd, value in odd_vectors(size).items():
        if _within_range(key, odd):
            sound_result(name, arguments | {key: value})
        else:
            refusal(name, arguments | {key: value}, key)


def _within_range(key, odd):
    """Whether a vector of non-negative numbers is one that this parameter allows."""
    if key == "sample_weight":
        # Sums between 1e-60 and 1e60.
        return odd not in ("denormal", "tiny", "huge", "one huge", "wide", "largest")
    return not (key == "expected" and odd in ("a zero", "only one"))


@pytest.mark.parametrize(("name", "key"), PARTITIONS)
def test_partitions(name, key):
    arguments = arguments_of(name, WORLD)
    texts = name not in ("refine_labels", "assign_to_cores") and key != "partition"
    expected = call(name, arguments | {key: WORLD.consensus})
    for value in partition_forms(WORLD.consensus, texts=texts).values():
        assert_same(sound_result(name, arguments | {key: value}), expected)
    for value in bad_partitions(N, texts=texts).values():
        refusal(name, arguments | {key: value}, key)


@pytest.mark.parametrize(("name", "key"), MEMBERSHIPS)
def test_memberships(name, key, tmp_path):
    arguments = arguments_of(name, WORLD)
    expected = call(name, arguments | {key: WORLD.membership})
    for change in layouts(tmp_path).values():
        assert_same(sound_result(name, arguments | {key: change(WORLD.membership)}), expected)
    for form in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        assert_same(sound_result(name, arguments | {key: form(WORLD.membership)}), expected)
    for value in (np.ones((N, 1)), np.full((N, 3), 1 / 3), np.eye(N), np.eye(N, 12), np.eye(3)[WORLD.consensus]):
        sound_result(name, arguments | {key: value})
    for bad, value in bad_memberships(WORLD.membership).items():
        refusal(name, arguments | {key: value + 0.5 if key == "memberships" and bad == "one dimension" else value}, key)


@pytest.mark.parametrize(("name", "key"), STARTS)
def test_starts(name, key):
    arguments = arguments_of(name, WORLD)
    k = arguments["n_clusters"]
    for value in (
        WORLD.consensus,
        WORLD.consensus + 7,
        np.eye(k)[WORLD.consensus],
        sparse.csr_array(np.eye(k)[WORLD.consensus]),
        WORLD.consensus.tolist(),
        np.zeros(N, int),
    ):
        sound_result(name, arguments | {key: value})
    bad = bad_memberships(np.eye(k)[WORLD.consensus] * 0.8 + 0.2 / k)
    del bad["None"], bad["one dimension"]
    bad |= {
        "uniform": np.full((N, k), 1 / k),
        "missing": np.full(N, -1),
        "three clusters": np.arange(N),
        "short": [0, 1],
    }
    for value in (*bad.values(), *bad_partitions(N, texts=False).values()):
        refusal(name, arguments | {key: value}, key)


def test_partitions_to_start_from():
    name = "solve_hard_median_partition"
    arguments = arguments_of(name, WORLD) | {"n_clusters": 2}
    expected = call(name, arguments | {"init": WORLD.consensus})
    for value in partition_forms(WORLD.consensus, texts=False).values():
        assert_same(sound_result(name, arguments | {"init": value}), expected)
    for value in ("mixed", "sequential", "random", "partitions", "relaxed", WORLD.consensus - 7, np.zeros(N, int)):
        sound_result(name, arguments | {"init": value})
    bad = bad_partitions(N, texts=False)
    bad |= {"three": np.arange(N) % 3, "missing": np.arange(N) % 2 - 1, "membership": np.eye(2)[WORLD.consensus]}
    for value in (None, True, "k-means", "", 3, *bad.values()):
        refusal(name, arguments | {"init": value}, "init")


@pytest.mark.parametrize("name", [name for name, _ in FEATURES])
def test_features(name, tmp_path):
    arguments = arguments_of(name, WORLD)
    expected = call(name, arguments | {"X": WORLD.X})
    for change in layouts(tmp_path).values():
        assert_same(sound_result(name, arguments | {"X": change(WORLD.X)}), expected)
    for bad, value in bad_features(WORLD.X).items():
        if not (name == "compare" and bad == "None"):
            refusal(name, arguments | {"X": value}, "X")
    for value in odd_features(WORLD.X).values():
        sound_result(name, arguments | {"X": value})


@pytest.mark.parametrize(
    ("name", "key"),
    [(name, key) for name in CALLABLES for key in parameters_of(name) if key in ("subsets", "combinations")],
)
def test_subsets(name, key):
    arguments = arguments_of(name, WORLD)
    for value in (
        [[0]] * M,
        [[0, 1], [1], [1, 0], [0]],
        np.array([[0, 1]] * M),
        np.array([[True, False]] * M),
        [np.array([1])] * M,
    ):
        sound_result(name, arguments | {key: value})
    for value in ([], 3, "ab", [[]] * M, [[0.5]] * M, [[-1]] * M, [[0, 0]] * M, [[[0]]] * M, [["a"]] * M, [None] * M):
        refusal(name, arguments | {key: value}, key)


@pytest.mark.parametrize("name", [name for name in CALLABLES if "indices" in parameters_of(name)])
def test_indices(name):
    arguments = arguments_of(name, WORLD)
    for value in ("silhouette", [], ["nonsense"], [3], 3, None, [["silhouette"]]):
        refusal(name, arguments | {"indices": value}, "indices")


def test_values():
    """Of objects in the consensus of OVI-LDA, of a path."""
    arguments = arguments_of("ovi_lda_consensus", WORLD)
    for value in (np.full((N, M), np.nan), np.full((N, M), -1.0), np.eye(N, M).tolist()):
        sound_result("ovi_lda_consensus", arguments | {"values": value})
    for value in (np.ones((N, M - 1)), np.ones(N), np.full((N, M), np.inf), np.full((N, M), "a"), None):
        refusal("ovi_lda_consensus", arguments | {"values": value}, "values")
    arguments = arguments_of("weight_path", WORLD) | {"n_init": 1}
    for value in ([0.25], [1.0, 0.25], np.full(3, 0.5), [1e300]):
        sound_result("weight_path", arguments | {"values": value})
    for value in ([], [0.1], [np.nan], [-1.0], 0.5, "rho", [[0.5]]):
        with pytest.raises((ValueError, TypeError), match=r"\b(values|rho)\b"):
            call("weight_path", arguments | {"values": value})


def test_first_centers_and_memberships_of_fuzzy_clusterers():
    for name, good in (("fuzzy_c_means", WORLD.X[:2]), ("gath_geva", np.eye(2)[WORLD.consensus])):
        arguments = arguments_of(name, WORLD)
        for value in (good, good.tolist(), np.asfortranarray(good)):
            sound_result(name, arguments | {"init": value})
        for value in (
            good[:, :1],
            good[0],
            good * np.nan,
            np.full(good.shape, "a"),
            "kmeans",
            3,
            np.ma.masked_array(good),
        ):
            refusal(name, arguments | {"init": value}, "init")


_FLOATS = st.one_of(
    st.floats(0.0, allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, 5e-324, 1e-308, 1e-16, 1.0, 1e16, 1e308]),
)


@settings(max_examples=50, derandomize=True, deadline=None)
@given(arrays(np.float64, st.integers(1, 7), elements=_FLOATS), st.sampled_from([0.0, 5e-324, 1e-300, 1.0, 1e308]))
def test_weights_from_any_losses(losses, parameter):
    """On the simplex, and a smaller loss never gets less weight, whatever the scale."""
    for name in (name for name, key in VECTORS if key == "losses"):
        arguments = {"losses": losses} | {key: parameter for key in ("lam", "eta") if key in parameters_of(name)}
        weights = sound_result(name, arguments)
        assert np.all(np.diff(weights[np.argsort(losses, kind="stable")]) <= 1e-12)


@settings(max_examples=15, derandomize=True, deadline=None)
@given(arrays(np.float64, M, elements=_FLOATS), arrays(np.float64, N, elements=st.floats(1e-30, 1e30)))
def test_any_weights_of_partitions_and_objects(weights, sample_weight):
    for name, key in _having("weights"):
        arguments = arguments_of(name, WORLD) | {key: weights}
        if "sample_weight" in parameters_of(name):
            arguments["sample_weight"] = sample_weight
        if not weights.any():
            refusal(name, arguments, key)
        else:
            sound_result(name, arguments)


@settings(max_examples=12, derandomize=True, deadline=None)
@given(
    arrays(np.float64, (N, 2), elements=st.one_of(st.floats(-1e60, 1e60), st.sampled_from([0.0, 5e-324, 1.0, 1e60])))
)
def test_any_features(X):
    for name, key in FEATURES:
        sound_result(name, arguments_of(name, WORLD) | {key: X})
