"""Every parameter of every public callable at the edges of its range and outside it."""

import inspect
import re

import numpy as np
import pytest

from robust_eac import load_dataset, restricted_simplex_weights, solve_median_partition
from robust_eac.consensus import bisecting_tree, cut_bisecting_tree

from .hostile import CALLABLES, TRIED, arguments_of, parameters_of, refusal, small_world, sound_result
from .hostile_arrays import ARRAYS
from .hostile_scalars import UNCHECKED, scalar


def _ignored(name, key):
    """Whether the documentation says that a parameter is there for the common signature alone."""
    function = CALLABLES[name]
    text = inspect.getdoc(getattr(function, "func", function))
    return re.search(rf"^{key} : .*\n?.*[Ii]gnored", text, re.MULTILINE) is not None


CASES = [
    (name, key)
    for name in CALLABLES
    for key in parameters_of(name)
    if key not in ARRAYS and key not in UNCHECKED and not _ignored(name, key)
]


def test_every_parameter_is_tried():
    unknown = {case for case in CASES if scalar(*case) is None}
    assert not unknown


@pytest.mark.parametrize("name", CALLABLES)
def test_parameters(name):
    arguments = arguments_of(name, small_world())
    for key in (key for callable_, key in CASES if callable_ == name):
        bad, good, none = scalar(name, key)
        for value in bad if none or key == "random_state" else (*bad, None):
            refusal(name, arguments | {key: value}, key)
        for value in (*good, None) if none else good:
            sound_result(name, arguments | {key: value})


def _refused(call, match):
    TRIED["refused"] += 1
    with pytest.raises((ValueError, TypeError), match=match):
        call()


@pytest.mark.parametrize(
    "weights",
    [
        [np.nan] * 4, [1.0, -1.0, 0.5, 0.5], [0.0] * 4, [1.0] * 3, [[1.0] * 4], None, "uniform", [np.inf, 0, 0, 0], 1.0,
        [1j] * 4, [None] * 4, ["1"] * 4,
    ],
)  # fmt: skip
def test_what_a_weighting_of_the_user_returns_is_checked(weights):
    labels = small_world().labels
    _refused(lambda: solve_median_partition(labels, 2, weighting=lambda losses: weights, random_state=0), "weighting")


def test_a_weighting_of_the_user_cannot_change_what_is_reported():
    def greedy(losses):
        losses[:] = 0.0
        return np.arange(1.0, 5.0)

    labels = small_world().labels
    result = solve_median_partition(labels, 2, weighting=greedy, random_state=0)
    again = solve_median_partition(labels, 2, weighting=lambda losses: np.arange(1.0, 5.0), random_state=0)
    assert np.array_equal(result.losses, again.losses)
    assert result.losses.any()


@pytest.mark.parametrize("m", [1, 2, 3, 7, 49, 1000, 10**5 + 3])
def test_the_least_rho_is_one_over_m_however_rounded(m):
    for rho in (1.0 / m, np.nextafter(1.0 / m, 0.0), np.nextafter(1.0 / m, 1.0)):
        np.testing.assert_allclose(restricted_simplex_weights(np.arange(m), rho=rho), 1.0 / m, rtol=1e-9)
    if m > 1:
        _refused(lambda: restricted_simplex_weights(np.arange(m), rho=0.99 / m), "rho must be at least")


@pytest.mark.parametrize("n_clusters", [0, -1, 4, 2.0, "2", None, True, np.nan])
def test_cuts_of_a_tree(n_clusters):
    tree = bisecting_tree(small_world().labels, 3, random_state=0)
    _refused(lambda: cut_bisecting_tree(tree, n_clusters), "n_clusters")


@pytest.mark.parametrize("tree", [None, 3, "tree", (1, 2, 3, 4), [0, 1]])
def test_what_is_no_tree(tree):
    _refused(lambda: cut_bisecting_tree(tree, 2), "tree")


@pytest.mark.parametrize("name", ["nonsense", "", 3, None, ["iris"], b"iris", "../iris", "iris.csv"])
def test_names_of_data_sets(name):
    _refused(lambda: load_dataset(name), "name must be one of")


def test_random_state_of_data_sets():
    for random_state in (-1, 2.5, "seed", [1]):
        _refused(lambda random_state=random_state: load_dataset("spiral", random_state=random_state), "random_state")
