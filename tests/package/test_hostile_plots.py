"""Plots of odd values are drawn; what cannot be drawn is refused."""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import sparse

import robust_eac
from robust_eac import select_n_clusters, weight_path

from .hostile import PLOTS, TRIED, small_world, time_limit
from .hostile_arrays import bad_labels, bad_memberships, bad_partitions, bad_vectors

WORLD = small_world()
N, M = WORLD.n, WORLD.m


@pytest.fixture(scope="module")
def arguments():
    """Valid arguments of all plots."""
    return {
        "labels": WORLD.labels,
        "consensus": WORLD.consensus,
        "membership": WORLD.membership,
        "weights": np.arange(1.0, M + 1.0),
        "losses": np.arange(1.0, M + 1.0),
        "objective_history": np.array([3.0, 2.0, 1.5]),
        "path": weight_path(WORLD.labels, 2, values=[0.25, 1.0], n_init=1, random_state=0),
        "selection": select_n_clusters(WORLD.labels, [1, 2], n_splits=2, random_state=0),
        "random_state": 0,
    }


def _signed():
    bad = bad_vectors(3)
    for valid in ("negative", "minus the least", "zeros", "too short", "too long"):
        del bad[valid]
    return bad


_NOT_AXES = {"a text": "ax", "a number": 3, "a list": [None]}
_NOT_MASK = {
    "short": [True],
    "texts": ["yes"] * M,
    "numbers": np.full(M, 0.5),
    "two dimensions": np.ones((M, 1), dtype=bool),
}
_NOT_RESULT = {"None": None, "a text": "path", "a tuple": (1, 2), "a dict": {}}
BAD = {
    "labels": bad_labels(),
    "consensus": bad_partitions(N, texts=True),
    "membership": bad_memberships(WORLD.membership),
    "weights": bad_vectors(M),
    "losses": bad_vectors(M, zeros=False),
    "objective_history": _signed(),
    "path": _NOT_RESULT,
    "selection": _NOT_RESULT,
    "ax": _NOT_AXES,
    "corrupted": _NOT_MASK,
    "max_objects": {"zero": 0, "half": 0.5, "a text": "2", "True": True, "None": None},
    "random_state": {"negative": -1, "half": 0.5, "a text": "seed"},
    "agreement": {"unknown": "nonsense", "None": None},
    "sort": {"one": 1, "None": None},
    "names": {"a text": "abcd", "a number": 3, "too short": ["a"], "too long": ["a"] * (M + 1), "a dict": {"a": 1}},
}
# Without further arguments nothing tells how many partitions there are; the memberships tell how many objects.
_ALLOWED = {
    ("plot_weights", "weights"): ("too short", "too long"),
    ("plot_membership", "membership"): ("rows", "sparse rows", "transposed"),
}
CASES = [(name, key) for name in PLOTS for key in inspect.signature(getattr(robust_eac, name)).parameters]


def _draw(name, arguments, **options):
    function = getattr(robust_eac, name)
    parameters = inspect.signature(function).parameters
    own = {key: arguments[key] for key, value in parameters.items() if value.default is value.empty}
    own |= {"random_state": 0} if "random_state" in parameters else {}
    try:
        with time_limit():
            ax = function(**(own | options))
            ax.figure.canvas.draw()
    finally:
        plt.close("all")


@pytest.mark.parametrize(("name", "key"), CASES)
def test_what_cannot_be_drawn_is_refused(name, key, arguments):
    values = BAD[key]
    if (name, key) == ("plot_membership", "labels"):
        values = bad_partitions(N, texts=True)
    for bad, value in values.items():
        if bad in _ALLOWED.get((name, key), ()):
            continue
        TRIED["refused"] += 1
        with pytest.raises((ValueError, TypeError), match=rf"\b({key}|n_samples|losses)\b"):
            _draw(name, arguments, **{key: value})


@pytest.mark.parametrize("name", PLOTS)
def test_odd_values_are_drawn(name, arguments):
    odd = {
        "labels": [np.zeros((N, M), dtype=int), np.full((N, 1), 7), np.where(WORLD.labels == 2, -1, WORLD.labels)],
        "consensus": [np.zeros(N, dtype=int), np.arange(N), [f"${i}" for i in range(N)]],
        "membership": [np.ones((N, 1)), np.eye(N), np.full((N, 3), 1 / 3), sparse.csr_array(np.eye(N))],
        "weights": [np.eye(M)[0], np.full(M, 5e-324), np.full(M, 1e300)],
        "losses": [np.zeros(M), np.full(M, 1e300), np.full(M, 5e-324)],
        "objective_history": [[1.0], [0.0, 0.0], [1e300, 1.0], [-1.0, -2.0], [5e-324, 0.0]],
    }
    parameters = inspect.signature(getattr(robust_eac, name)).parameters
    for key in (key for key in odd if key in parameters and parameters[key].default is inspect.Parameter.empty):
        for value in odd[key]:
            TRIED["answered"] += 1
            _draw(name, arguments, **{key: value})
