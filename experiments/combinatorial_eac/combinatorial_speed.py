"""Seconds of combination clustering and ordinary EAC by numbers of features and objects (paper 000, first experiment).

A cell is one number of objects, one number of features, one repetition and one method, in a process of its own. The
methods alternate, so that other load on the machine affects both.
"""

from robust_eac import CombinatorialEAC

from ..shared.measure import significant, timed
from ..shared.store import grid
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

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True

METHODS = {
    "combination": lambda n_features, seed: CombinatorialEAC(N_CLUSTERS, random_state=seed),
    # The rotation of `ordinary_eac` is not part of the paper's method.
    "ordinary": ordinary_model,
}


def cells(
    *,
    n_features=(3, 10, 30, 100, 300, 1000, 2000),
    n_objects=(100, 200, 400),
    few_objects=N_OBJECTS,
    many_features=300,
    repetitions=5,
    methods=tuple(METHODS),
):
    """Every number of features goes with few objects, every number of objects with many features.

    The paper reports 50 objects with 300 features.
    """
    shapes = [*((few_objects, d) for d in n_features), *((n, many_features) for n in n_objects)]
    axes = {"repetition": range(repetitions), "method": methods}
    return [cell for n, d in shapes for cell in grid(n_objects=(n,), n_features=(d,), **axes)]


SMOKE = cells(n_features=(), n_objects=(20, 30), many_features=3, repetitions=1)


def make_input(n_objects, n_features, repetition):
    """Data of the paper's first experiment with any even number of objects."""
    X = data_rng(repetition, n_features, SPEED_STREAM).standard_normal((n_objects, n_features))
    X[n_objects // 2 :, 0] += SIGNALS[SIGNAL](SNR)
    return standardise(X)


def run_one(*, n_objects, n_features, repetition, method):
    """Seconds of the fit, and the number of sub-clusterings."""
    seed = solver_seed(repetition, n_features)
    # A small first run compiles the kernels, so that compilation is not timed.
    METHODS[method](2, seed).fit(make_input(10, 2, repetition))
    X = make_input(n_objects, n_features, repetition)
    model, seconds = timed(METHODS[method](n_features, seed).fit, X)
    return {"seconds": significant(seconds, 4), "n_partitions": len(model.orders_)}
