"""What takes Dask arrays: the same values in other chunks and types, and what must be refused."""

import numpy as np
import pytest

from robust_eac import (
    KMeansEnsemble,
    MixedEnsemble,
    RobustEAC,
    ensemble_distributed,
    kmeans_ensemble_distributed,
    solve_median_partition_distributed,
)

from .hostile import TRIED, small_world, time_limit
from .hostile_scalars import SCALARS

da = pytest.importorskip("dask.array", reason="needs dask")

WORLD = small_world()


def solve(labels, **options):
    return solve_median_partition_distributed(labels, 2, **({"n_init": 1, "random_state": 0} | options))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint64", "float32", "float64"])
def test_types_of_labels(dtype):
    expected = solve(da.from_array(WORLD.labels, chunks=(4, 4)))
    TRIED["answered"] += 1
    found = solve(da.from_array(WORLD.labels.astype(dtype), chunks=(4, 2)))
    np.testing.assert_array_equal(found.membership.compute(), expected.membership.compute())
    np.testing.assert_array_equal(found.weights, expected.weights)


def _bad_labels():
    labels = WORLD.labels
    row, column = labels.copy(), labels.copy()
    row[4], column[:, 2] = -1, -1
    return {
        "an array": labels, "None": None, "a list": labels.tolist(), "one dimension": da.from_array(labels[:, 0]),
        "texts": da.from_array(labels.astype(str)), "complex": da.from_array(labels.astype(complex)),
        "objects": da.from_array(labels.astype(object), chunks=(4, 4)), "empty": da.from_array(labels[:0]),
        "halves": da.from_array(labels + 0.5, chunks=(4, 4)), "NaN": da.from_array(labels * np.nan, chunks=(4, 4)),
        "an object nowhere": da.from_array(row, chunks=(2, 4)),
        "a partition of nothing": da.from_array(column, chunks=(2, 4)),
        "unknown chunks": da.from_array(labels, chunks=(3, 4))[da.from_array(labels[:, 0], chunks=3) > 0],
        "beyond 2^63": da.from_array(labels.astype(np.uint64) + np.uint64(2**63), chunks=(4, 4)),
    }  # fmt: skip


@pytest.mark.parametrize("bad", _bad_labels())
def test_what_is_no_dask_label_matrix(bad):
    TRIED["refused"] += 1
    with time_limit(), pytest.raises((ValueError, TypeError), match=r"\blabels\b"):
        solve(_bad_labels()[bad])


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"tol": -1.0}, "tol"), ({"tol": np.nan}, "tol"), ({"n_init": 0}, "n_init"), ({"max_iter": 0}, "max_iter"),
        ({"diagonal": 1}, "diagonal"), ({"rho": np.array([1.0, 1.0])}, "rho"), ({"rho": 0.1}, "rho"), ({"lam": -1.0},
        "lam"),
        ({"lam0": np.nan}, "lam0"), ({"weighting": "chance-corrected"}, "weighting"), ({"weighting": 3}, "weighting"),
        ({"init": "nonsense"}, "init"), ({"init": np.full((9, 2), 0.5)}, "init"), ({"init": [0, 1]}, "init"),
        ({"n_jobs": 0}, "n_jobs"), ({"n_jobs": "2"}, "n_jobs"), ({"random_state": -1}, "random_state"),
        *(({"checkpoint": bad}, "checkpoint")
          for bad in (3, 1.5, True, b"folder", "", ["folder"], np.zeros(2), __file__)),
        *(({"checkpoint_every": bad}, "checkpoint_every") for bad in SCALARS["tol"].bad),
        ({"checkpoint": "unused", "random_state": None}, "random_state"),
        ({"checkpoint": "unused", "random_state": np.random.RandomState(0)}, "random_state"),
    ],
)  # fmt: skip
def test_parameters(options, match):
    TRIED["refused"] += 1
    with time_limit(), pytest.raises((ValueError, TypeError), match=rf"\b{match}\b"):
        solve(da.from_array(WORLD.labels, chunks=(4, 4)), **options)


@pytest.mark.parametrize("n_clusters", [0, 10, 2.5, None, "2", True])
def test_numbers_of_clusters(n_clusters):
    TRIED["refused"] += 1
    with pytest.raises((ValueError, TypeError), match="n_clusters"):
        RobustEAC(n_clusters).fit(da.from_array(WORLD.labels, chunks=(4, 4)))


@pytest.mark.parametrize(
    ("X", "options", "match"),
    [
        (WORLD.X, {}, "X"), (da.from_array(WORLD.X[:, 0]), {}, "X"), (da.from_array(WORLD.X.astype(str)), {}, "X"),
        (da.from_array(WORLD.X[:0]), {}, "X"), (da.from_array(WORLD.X * np.nan, chunks=(4, 2)), {}, "X"),
        (da.from_array(WORLD.X * 1e200, chunks=(4, 2)), {}, "X"), (None, {}, "X"),
        *((da.from_array(WORLD.X, chunks=(4, 2)), {key: value}, key) for key, value in (
            ("max_samples", 0), ("max_samples", 2.5), ("n_partitions", 0), ("n_clusters", 0), ("n_clusters", (2, 99)),
            ("n_jobs", 0), ("random_state", "seed"),
        )),
    ],
)  # fmt: skip
def test_ensembles(X, options, match):
    TRIED["refused"] += 1
    with time_limit(), pytest.raises((ValueError, TypeError), match=rf"\b{match}\b"):
        kmeans_ensemble_distributed(X, 3, **({"n_clusters": 2, "random_state": 0} | options)).compute()


@pytest.mark.parametrize(
    ("X", "ensemble", "options", "match"),
    [
        (WORLD.X, KMeansEnsemble(3, 2), {}, "X"),
        (da.from_array(WORLD.X * np.nan, chunks=(4, 2)), KMeansEnsemble(3, 2), {}, "X"),
        *((da.from_array(WORLD.X, chunks=(4, 2)), ensemble, {}, "ensemble") for ensemble in (
            None, KMeansEnsemble, "kmeans", WORLD.labels, MixedEnsemble(6, 2),
        )),
        *((da.from_array(WORLD.X, chunks=(4, 2)), KMeansEnsemble(3, 2), {key: value}, key) for key, value in (
            ("max_samples", 0), ("max_samples", 2.5), ("random_state", "seed"),
        )),
    ],
)  # fmt: skip
def test_any_ensemble(X, ensemble, options, match):
    TRIED["refused"] += 1
    with time_limit(), pytest.raises((ValueError, TypeError), match=rf"\b{match}\b"):
        ensemble_distributed(X, ensemble, **({"random_state": 0} | options))
