"""Seconds of combination clustering and ordinary EAC by numbers of features and objects (paper 000, first experiment).

A cell is one number of objects, of features, one method and one repetition, in a process of its own; the methods
alternate, so that a busy moment of the machine meets both.
"""

import time

from robust_eac import CombinatorialEAC

from .combinatorial_data import (
    N_CLUSTERS,
    N_OBJECTS,
    SIGNAL,
    SIGNALS,
    SNR,
    SPEED_STREAM,
    data_rng,
    ordinary_model,
    solver_seed,
    standardise,
)
from .measure import in_fresh_process, print_measured

VERSION = 1
# Cells are timed: one after another.
JOBS = 1

METHODS = {
    "combination": lambda n_features, seed: CombinatorialEAC(N_CLUSTERS, random_state=seed),
    # On the features as they are: the rotation of `ordinary_eac` is no part of the paper's method.
    "ordinary": ordinary_model,
}
# (objects, features); the paper prints (50, 300).
SHAPES = (
    *((N_OBJECTS, n_features) for n_features in (3, 10, 30, 100, 300, 1000, 2000)),
    *((n_objects, 300) for n_objects in (100, 200, 400)),
)
REPETITIONS = 5


def _grid(shapes, repetitions):
    return [
        {"n_objects": n_objects, "n_features": n_features, "repetition": repetition, "method": method}
        for n_objects, n_features in shapes
        for repetition in range(repetitions)
        for method in METHODS
    ]


GRID = _grid(SHAPES, REPETITIONS)
SMOKE = _grid(((20, 3), (30, 3)), 1)


def run_one(*, n_objects, n_features, repetition, method):
    """Seconds of the work alone, and the number of sub-clusterings."""
    return in_fresh_process(
        __name__,
        {"n_objects": n_objects, "n_features": n_features, "repetition": repetition, "method": method},
    )


def make_input(n_objects, n_features, repetition):
    """As in the paper's first experiment, with any even number of objects."""
    X = data_rng(repetition, n_features, SPEED_STREAM).standard_normal((n_objects, n_features))
    X[n_objects // 2 :, 0] += SIGNALS[SIGNAL](SNR)
    return standardise(X)


def measure(n_objects, n_features, repetition, method):
    """What run_one returns, in this process."""
    seed = solver_seed(repetition, n_features)
    # A first small run compiles, so that the clock sees the work alone.
    METHODS[method](2, seed).fit(make_input(10, 2, repetition))
    X = make_input(n_objects, n_features, repetition)
    model = METHODS[method](n_features, seed)
    start = time.perf_counter()
    model.fit(X)
    seconds = time.perf_counter() - start
    return {"seconds": float(f"{seconds:.4g}"), "n_partitions": len(model.orders_)}


if __name__ == "__main__":
    print_measured(measure)
