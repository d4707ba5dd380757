"""Every compiled function, on ensembles small enough for plain Python; test_kernels runs this file that way alone."""

import ast
from contextlib import contextmanager
from cProfile import Profile
from pathlib import Path

import numba
import numpy as np
import pytest

import robust_eac
from robust_eac import consensus_lower_bound, solve_hard_median_partition, solve_median_partition, solve_membership

from ..access import _starts
from ..package.hostile import CALLABLES, arguments_of, degenerate_ensembles, make_world, sound_result

# Ensembles that reach both sides of what depends on labels: missing ones, copies of objects, single clusters.
_ENSEMBLES = ("all noise", "-1 everywhere but one", "duplicated objects", "one cluster", "one object")
_LEAST_OBJECTS = {"MixedEnsemble": 2, "OVIConsensus": 2, "gaussian_reference": 2}
REACHED = set()


def compiled_functions():
    """(file, name) of every function of the library under an njit decorator."""
    found = set()
    for path in Path(robust_eac.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(mark) for mark in node.decorator_list):
                found.add((str(path), node.name))
    return found


@contextmanager
def _recorded():
    """Note which functions are called. The profiler does not see calls of compiled functions."""
    with Profile(subcalls=False, builtins=False) as profile:
        yield
    REACHED.update((entry.code.co_filename, entry.code.co_name) for entry in profile.getstats())


def _ensembles():
    """(labels, weights of the objects) of a complete and an incomplete ensemble of twelve objects."""
    rng = np.random.RandomState(0)
    labels, weight = rng.randint(4, size=(12, 6)), rng.randint(3, size=12)
    missing = np.where(rng.uniform(size=labels.shape) < 0.3, -1, labels)
    missing[:, 0], missing[0] = labels[:, 0], labels[0]
    return [(each, weight + (weight == 0) * (np.arange(12) < 6)) for each in (labels, missing)]


@pytest.mark.parametrize("name", CALLABLES)
def test_every_public_callable(name):
    with _recorded():
        for ensemble in _ENSEMBLES:
            labels = degenerate_ensembles()[ensemble][:9]
            if len(labels) >= _LEAST_OBJECTS.get(name, 1):
                sound_result(name, arguments_of(name, make_world(labels)))


# Four clusters have a loop of their own; with twelve, few of them move.
@pytest.mark.parametrize("n_clusters", [1, 2, 4, 5, 12])
@pytest.mark.parametrize("agreement", ["raw", "adjusted"])
def test_the_solver(n_clusters, agreement):
    options = {"agreement": agreement, "n_init": 1, "tol": 1e-3, "random_state": 0}
    with _recorded():
        for labels, weight in _ensembles():
            for sample_weight in (None, weight):
                result = solve_median_partition(labels, n_clusters, sample_weight=sample_weight, **options)
                assert np.isfinite(result.membership).all()
            found = solve_hard_median_partition(labels, n_clusters, init=result.labels, random_state=0)
            assert found.objective >= 0.0


def test_many_pair_steps_and_carried_columns():
    """Slow convergence, so that columns are over-relaxed."""
    labels = np.random.RandomState(0).randint(2, size=(14, 3))
    with _recorded():
        assert solve_membership(labels, 3, tol=1e-9, random_state=0).converged


def test_rows_put_one_by_one_where_they_cost_least(monkeypatch):
    """The start with many clusters, with clusters to open and without."""
    monkeypatch.setattr(_starts, "_FEW", 1)
    with _recorded():
        for labels, weight in _ensembles():
            for n_clusters in (2, 5, 12):
                assert solve_membership(labels, n_clusters, tol=1e-4, sample_weight=weight, random_state=0).converged


def test_what_the_defaults_do_not_reach():
    """The Kullback-Leibler divergence, co-associations, distances, bounds, many clusters."""
    labels = degenerate_ensembles()["all noise"]
    world = make_world(labels)
    with _recorded():
        sound_result("solve_peace", arguments_of("solve_peace", world) | {"divergence": "kl"})
        assert consensus_lower_bound(labels, hard=True).bound >= 0.0
        assert solve_hard_median_partition(labels, 3, loss="vi", n_init=2, random_state=0).objective >= 0.0
        sound_result("silhouette_weights", arguments_of("silhouette_weights", world) | {"metric": "euclidean"})
        for n_clusters in (2, len(labels)):
            features = arguments_of("FeatureSubsetEnsemble", world) | {"n_clusters": n_clusters}
            sound_result("FeatureSubsetEnsemble", features | {"X": np.repeat(world.X[:5], 2, axis=0)})
        for linkage in ("single", "average", "complete"):
            for name in ("eac", "enhanced_eac", "locally_weighted_eac"):
                sound_result(name, arguments_of(name, world) | {"linkage": linkage})


@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="what compiled code calls cannot be seen")
def test_every_kernel_was_reached():
    assert compiled_functions() - REACHED == set()
