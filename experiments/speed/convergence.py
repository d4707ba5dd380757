"""Sweeps and seconds that the Y step needs to reach an optimality gap, beside the plain cyclic method, equal weights.

"ours" is `solve_membership` with its defaults. The other methods visit all objects in the order of their numbers, from
a random start and in one thread, and go to the minimum along a pair of clusters: "cyclic" along up to eight pairs per
visit, "cyclic, one step" along one. If "ours" starts at random, its start is the same.
"""

import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from robust_eac import KMeansEnsemble, load_dataset, objective_value, solve_membership
from robust_eac.solve.bundles import Visit
from robust_eac.solve.descent import sweep
from robust_eac.solve.encoding import encode
from robust_eac.solve.formula import accumulate, gap_of, gap_unit, weighted_statistics
from robust_eac.solve.starts import initial_rows

from ..shared.ensembles import N_PARTITIONS, planted_labels
from ..shared.measure import timed
from ..shared.store import derive_seed, grid

VERSION = 1
# Cells are timed, so they run one after another.
JOBS = 1

GAPS = (1e-3, 1e-5, 1e-7)
# A method stops after this number of sweeps, even if it has not reached the gap.
MAX_SWEEPS = 2000
PLANTED = 100_000
# {ensemble: k}; an ensemble with the name of a data set has k-means partitions into k to 4 k clusters.
ENSEMBLES = {"iris": 3, "wine": 3, "house-votes": 2, "optdigits": 10, "planted": 10}


def run_one(*, ensemble, gap, repetition, method):
    """Sweeps over all objects, seconds of the whole fit, gap and objective over n^2 at its end.

    Sweeps over the sample, which has few objects, count only in the seconds.
    """
    labels, seed = make_ensemble(ensemble, repetition), derive_seed(0, repetition, "solver")
    # A small first run loads the compiled kernels.
    METHODS[method](labels[:50], 2, 1e-2, seed)
    (membership, reached, n_sweeps), seconds = timed(METHODS[method], labels, ENSEMBLES[ensemble], gap, seed)
    objective = objective_value(labels, membership) / len(labels) ** 2
    return {"fit_seconds": seconds, "n_sweeps": n_sweeps, "gap": reached, "objective": objective}


def make_ensemble(ensemble, repetition):
    """Labels (n, 100)."""
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
    """(membership, gap, number of sweeps) of the plain method: visits in index order, from Dirichlet(1) rows."""
    encoding = encode(labels)
    rows = initial_rows(encoding, n_clusters, "random", np.random.RandomState(seed))
    weights = np.full(labels.shape[1], 1.0 / labels.shape[1])
    order, n_sweeps = np.arange(len(rows)), 0
    while True:
        statistics = weighted_statistics(encoding, weights, *accumulate(encoding, rows))
        gap = gap_of(encoding, rows, statistics)
        if gap <= tol or n_sweeps >= MAX_SWEEPS:
            return rows, gap, n_sweeps
        # The visits estimate the gap on their way, as in `solve_membership`.
        how, estimate = Visit(n_steps=n_steps, skip=0.0, relaxation=1.0), np.inf
        while estimate > tol and n_sweeps < MAX_SWEEPS:
            estimate = sweep(encoding, statistics, rows, order, how) / gap_unit(encoding)
            n_sweeps += 1


METHODS = {"ours": _ours, "cyclic": cyclic, "cyclic, one step": partial(cyclic, n_steps=1)}


def cells(*, ensembles=tuple(ENSEMBLES), gaps=GAPS, repetitions=3, methods=tuple(METHODS)):
    return grid(ensemble=ensembles, gap=gaps, repetition=range(repetitions), method=methods)


GRID = cells()
SMOKE = cells(ensembles=("iris",), gaps=(1e-3,), repetitions=1)
