"""The consensus and its weights along a path of settings, each solved from the one before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_ensemble, check_sample_weight
from ..checks.types import ClusterWeights, Labels, RandomState
from ..checks.values import (
    MAX_SEED,
    check_choice,
    check_integer,
    check_n_clusters,
    check_n_jobs,
    check_random_state,
    check_real,
    check_vector,
)
from ..objectives.distance import resolve_distance
from ..solve.alternation import Problem, Settings, alternate, best_of_starts, memberships_of
from ..solve.descent import is_stationary
from ..solve.encoding import encode_ensemble
from ..solve.starts import reduce_rows
from ..solve.threads import count_threads
from ..weightings.clusters import check_cluster_weights, weigh_by
from ..weightings.joint import resolve_weighting

__all__ = ["WeightPath", "weight_path"]

# {weighting: parameters that can vary, the default first}.
_PARAMETERS = {"restricted-simplex": ("rho", "n_trusted"), "l2": ("lam", "lam0")}
# Default path: number of values, and the smallest lam0.
_N_VALUES = 20
_SMALLEST_LAM0 = 1e-4


class WeightPath(NamedTuple):
    """What :func:`weight_path` returns: one entry, or row, per value."""

    parameter: str
    values: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    labels: np.ndarray
    objectives: np.ndarray
    gaps: np.ndarray
    converged: np.ndarray
    levels: np.ndarray | None


def weight_path(
    labels: Labels,
    n_clusters: int,
    *,
    weighting: str = "restricted-simplex",
    values: ArrayLike | None = None,
    parameter: str | None = None,
    agreement: str = "raw",
    n_init: int = 10,
    max_iter: int = 100,
    tol: float = 1e-5,
    diagonal: bool = True,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    cluster_weights: ClusterWeights = None,
    threshold: str = "half",
) -> WeightPath:
    """Follow the consensus and its weights from equal weights to few trusted partitions.

    Solve the problem of :func:`~robust_eac.solve_median_partition`, Eq. (4) or (5) of [1]_, for every value of rho or
    lambda. The first, of most equal weights, is the best of `n_init` starts; each further one starts from the
    membership before it and the weights that this deserves.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list of partitions
        The ensemble, as in :func:`~robust_eac.solve_median_partition`.
    n_clusters : int
        Number of clusters of the consensus, an upper bound.
    weighting : {"restricted-simplex", "l2"}, default="restricted-simplex"
        How the partitions are weighted.
    values : array-like of shape (n_values,), default=None
        Values of the parameter, in any order. None means 20 or fewer: for the restricted simplex all whole numbers of
        partitions from n_partitions to 1 when there are so few, else equally spaced ones, rho being 1 over these; for
        l2 a geometric grid from lam0 = 1, where every partition has weight unless `cluster_weights` are large, down to
        1e-4.
    parameter : {"rho", "n_trusted", "lam", "lam0"}, default=None
        What varies. Of the restricted simplex, rho (also None) or the number of partitions that it trusts, 1 / rho; of
        l2 weights, lambda (also None) or its scale-free form lam0 = lambda / (n_partitions n_samples^2).
    agreement : {"raw", "adjusted"}, default="raw"
        As in :func:`~robust_eac.solve_median_partition`.
    n_init : int, default=10
        Number of starts of the first value.
    max_iter : int, default=100
        Largest number of alternations per value and start.
    tol : float, default=1e-5
        As in :func:`~robust_eac.solve_median_partition`.
    diagonal : bool, default=True
        Count the pairs (i, i).
    n_jobs : int, default=None
        Threads, as in :func:`~robust_eac.solve_median_partition`. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the starts and the order of the visits.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the objects.
    cluster_weights : {"entropy", "size", "entropy-size"} or list of ndarrays, default=None
        Weights of the base clusters, as in :func:`~robust_eac.partition_losses`.
    threshold : {"half", "data"}, default="half"
        As in :func:`~robust_eac.solve_median_partition`. With "data" every value has levels of its own; the random
        starts of the first one find one of many local minima, which the others then follow.

    Returns
    -------
    path : WeightPath
        Named tuple: `parameter`; `values` from the most equal weights to the least; `weights` and `losses` of shape
        (n_values, n_partitions); `labels` of shape (n_values, n_samples); `objectives`, `gaps` and `converged` of
        shape (n_values,); `levels` of shape (n_values, 2), (a, b) with ``threshold="data"``, otherwise None.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Cost of one :func:`~robust_eac.solve_median_partition` and, for each further value, of the few sweeps that a warm
    start needs. A warm start follows one valley: a fresh start may find a lower one.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
    >>> path = weight_path(labels, 2, weighting="restricted-simplex", values=[0.25, 0.5], random_state=0)
    >>> path.weights
    array([[0.25, 0.25, 0.25, 0.25],
           [0.5 , 0.5 , 0.  , 0.  ]])
    """
    ensemble = check_ensemble(labels)
    n, m = ensemble.n_samples, ensemble.n_partitions
    n_clusters = check_n_clusters(n_clusters, n)
    weighting = check_choice(weighting, _PARAMETERS, name="weighting")
    known = _PARAMETERS[weighting]
    parameter = known[0] if parameter is None else check_choice(parameter, known, name="parameter")
    distance = resolve_distance(agreement, diagonal, threshold)
    cluster_weights = check_cluster_weights(cluster_weights)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    total = float(n) if sample_weight is None else float(sample_weight.sum())
    n_pairs = distance.unit(total)
    values = _default_values(parameter, m, n_pairs) if values is None else check_vector(values, name="values")
    values = np.sort(values)[:: 1 if parameter == "rho" else -1]
    weightings = [_weighting(weighting, parameter, value, m, n_pairs) for value in values]
    n_init = check_integer(n_init, name="n_init", low=1)
    max_iter = check_integer(max_iter, name="max_iter", low=1)
    tol = check_real(tol, name="tol", low=0.0)
    n_jobs = check_n_jobs(n_jobs)
    seeds = check_random_state(random_state).randint(MAX_SEED, size=n_init)

    whole = weigh_by(encode_ensemble(ensemble, sample_weight), cluster_weights)
    encoding, start = reduce_rows(whole, "random", diagonal=distance.diagonal)
    _, n_threads = count_threads(n_jobs, 1, encoding, n_clusters)
    settings = Settings(tol, max_iter, n_threads=n_threads)
    problems = [Problem(encoding, n_clusters, weighting, distance) for weighting in weightings]
    runs = [best_of_starts(problems[0], start, seeds, settings, n_jobs=n_jobs)]
    for problem in problems[1:]:
        rng = np.random.RandomState(seeds[0])
        runs.append(alternate(problem, runs[-1].rows.copy(), rng, settings, warm=True))
    memberships = [memberships_of(whole, problems[0], run, tol) for run in runs]
    return WeightPath(
        parameter,
        values,
        np.array([run.weights for run in runs]),
        np.array([run.losses for run in runs]),
        np.array([membership.argmax(axis=1) for membership in memberships]),
        np.array([run.objective for run in runs]),
        np.array([run.gap for run in runs]),
        np.array([is_stationary(run.gap, tol) for run in runs]),
        np.array([run.levels for run in runs]) if threshold == "data" else None,
    )


def _default_values(parameter, n_partitions, n_pairs):
    """Values from equal weights to few partitions."""
    numbers = np.unique(np.linspace(1.0, n_partitions, min(_N_VALUES, n_partitions)).round())
    if parameter == "n_trusted":
        return numbers
    if parameter == "rho":
        return 1.0 / numbers
    # Without weights of base clusters no loss exceeds the number of pairs: every partition has weight at lam0 = 1.
    lam0 = np.geomspace(_SMALLEST_LAM0, 1.0, _N_VALUES)
    return lam0 if parameter == "lam0" else lam0 * n_partitions * n_pairs


def _weighting(weighting, parameter, value, n_partitions, n_pairs):
    """The weighting at a value, checked."""
    if parameter == "n_trusted":
        value = 1.0 / check_real(float(value), name="n_trusted", low=1.0, high=float(n_partitions))
    name = "rho" if parameter == "n_trusted" else parameter
    return resolve_weighting(weighting, n_pairs=n_pairs, n_partitions=n_partitions, **{name: float(value)})
