"""Sweeps and seconds of the Y step down to optimality gaps, beside the plain cyclic method, for equal weights.

"ours" is `solve_membership` as it comes: equal rows shared, a start from a sample of many objects, random orders,
settled columns left alone, several threads. The others visit all objects in the order of their numbers, from a random
start, in one thread, each column to the minimum along a pair: "cyclic" with up to eight pairs per visit, "cyclic, one
step" with one. Where ours starts at random too, it starts from the same memberships.
"""

import time
import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from robust_eac import KMeansEnsemble, load_dataset, objective_value, solve_membership
from robust_eac.core.bundles import Visit
from robust_eac.core.encoding import encode
from robust_eac.core.formula import accumulate, gap_of, gap_unit, weighted_statistics
from robust_eac.core.starts import initial_rows
from robust_eac.core.sweep import sweep

from .scaling import planted_labels
from .store import derive_seed

VERSION = 1
# Cells are timed: one after another.
JOBS = 1

REPETITIONS = 3
N_PARTITIONS = 100
GAPS = (1e-3, 1e-5, 1e-7)
# What is not there after so many sweeps is recorded as it is.
MAX_SWEEPS = 2000
PLANTED = 100_000
# {ensemble: clusters}; those with a data set's name are of k-means partitions with k to 4 k clusters
ENSEMBLES = {"iris": 3, "wine": 3, "house-votes": 2, "optdigits": 10, "planted": 10}


def run_one(*, ensemble, gap, repetition, method):
    """Sweeps over all objects, "fit_seconds" from the labels on, "gap" reached, "objective" over n^2 there.

    The sweeps over the sample, of which there are few objects, count in the seconds alone.
    """
    labels, seed = make_ensemble(ensemble, repetition), derive_seed(0, repetition, "solver")
    # A first run loads the compiled kernels.
    METHODS[method](labels[:50], 2, 1e-2, seed)
    start = time.perf_counter()
    membership, reached, n_sweeps = METHODS[method](labels, ENSEMBLES[ensemble], gap, seed)
    seconds = time.perf_counter() - start
    objective = objective_value(labels, membership) / len(labels) ** 2
    return {"fit_seconds": seconds, "n_sweeps": n_sweeps, "gap": reached, "objective": objective}


def make_ensemble(ensemble, repetition):
    """(n, 100) labels."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    if ensemble == "planted":
        return planted_labels(PLANTED, rng)[0]
    X, _ = load_dataset(ensemble)
    k = ENSEMBLES[ensemble]
    return KMeansEnsemble(N_PARTITIONS, (k, 4 * k), random_state=rng).fit_transform(X)


def _ours(labels, n_clusters, tol, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = solve_membership(labels, n_clusters, tol=tol, max_sweeps=MAX_SWEEPS, random_state=seed)
    return result.membership, result.gap, result.n_sweeps


def cyclic(labels, n_clusters, tol, seed, *, n_steps=8):
    """(membership, gap, sweeps) of the plain method: visits in index order, from Dirichlet(1) rows."""
    encoding = encode(labels)
    rows = initial_rows(encoding, n_clusters, "random", np.random.RandomState(seed))
    weights = np.full(labels.shape[1], 1.0 / labels.shape[1])
    order, n_sweeps = np.arange(len(rows)), 0
    while True:
        statistics = weighted_statistics(encoding, weights, *accumulate(encoding, rows))
        gap = gap_of(encoding, rows, statistics, diagonal=True)
        if gap <= tol or n_sweeps >= MAX_SWEEPS:
            return rows, gap, n_sweeps
        # What the visits saw on their way estimates the gap, as in ours.
        how, estimate = Visit(diagonal=True, n_steps=n_steps, skip=0.0, relaxation=1.0), np.inf
        while estimate > tol and n_sweeps < MAX_SWEEPS:
            estimate = sweep(encoding, statistics, rows, order, how) / gap_unit(encoding)
            n_sweeps += 1


METHODS = {"ours": _ours, "cyclic": cyclic, "cyclic, one step": partial(cyclic, n_steps=1)}


def _grid(ensembles, repetitions, gaps):
    return [
        {"ensemble": ensemble, "gap": gap, "repetition": repetition, "method": method}
        for ensemble in ensembles
        for gap in gaps
        for repetition in range(repetitions)
        for method in METHODS
    ]


GRID = _grid(ENSEMBLES, REPETITIONS, GAPS)
SMOKE = _grid(("iris",), 1, (1e-2, 1e-4))
