"""Every weighting with every consensus function on one ensemble."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_labels
from ..checks.types import RandomState
from ..checks.values import (
    MAX_SEED,
    check_choice,
    check_features,
    check_n_clusters,
    check_random_state,
    check_returned_weights,
)
from ..metrics.density import check_consensus
from ..metrics.external import adjusted_rand_score, density, ensemble_nmi, h_criterion, normalized_mutual_information
from ..solvers.median_partition import solve_median_partition
from ..weighting import WEIGHT_SOLVERS, WEIGHTING_SCHEMES
from ..weighting.schemes import FEATURE_SCHEMES
from ._common import relabel
from .registry import CONSENSUS_FUNCTIONS

__all__ = ["compare"]


def compare(
    labels: ArrayLike,
    n_clusters: int,
    *,
    y: ArrayLike | None = None,
    X: ArrayLike | None = None,
    weightings: Iterable[str] | Mapping[str, Callable[..., np.ndarray]] | None = None,
    consensus: Iterable[str] | Mapping[str, Callable[..., np.ndarray]] | None = None,
    random_state: RandomState = None,
) -> list[dict]:
    """Run weightings and consensus functions on one ensemble and score every consensus by the same measures.

    Every scheme of `WEIGHTING_SCHEMES` computes its weights once, and every function of `CONSENSUS_FUNCTIONS` runs with
    them. The solvers of `WEIGHT_SOLVERS` find the weights jointly with the consensus, so they run with "robust-eac"
    only. A run that fails does not stop the others.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    n_clusters : int
        Number of clusters that every function is given.
    y : array-like of shape (n_samples,), default=None
        Classes to compare with.
    X : array-like of shape (n_samples, n_features), default=None
        Features, for the schemes that need them.
    weightings : list of str, or dict of str to callable, default=None
        Names in `WEIGHTING_SCHEMES` and `WEIGHT_SOLVERS`, or functions ``(labels, *, X, random_state) -> weights`` by
        name. None means all names; without X, those that need none.
    consensus : list of str, or dict of str to callable, default=None
        Names in `CONSENSUS_FUNCTIONS`, or functions ``(labels, n_clusters, *, weights, random_state) -> labels`` by
        name; a `functools.partial` sets their other options. None means all names.
    random_state : int, RandomState instance or None, default=None
        Draws one seed for all runs, so that leaving out a run does not change the others.

    Returns
    -------
    records : list of dict
        One per run: "scheme", "function", "weights", "labels"; "n_clusters" found; "h", "nmi", "ari" against `y` (None
        without it); "ensemble_nmi" and "density", unweighted, against the ensemble; "seconds" of the consensus function
        ("scheme_seconds" of the scheme); "error", None or the message of a run that failed; its results are then None.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, a name unknown, or a solver of `WEIGHT_SOLVERS` named without
        "robust-eac".

    Notes
    -----
    The runs follow one another. The first run of a function also loads its kernels, the very first compiles them.
    Memory is that of the largest run and O(n_samples) per record. Compare "ensemble_nmi" and "density" only between
    partitions with the same number of clusters; more clusters are denser.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> records = compare(labels, 2, y=[0, 0, 0, 1, 1], weightings=["uniform"], consensus=["kmeans", "sec"])
    >>> [(record["scheme"], record["function"], record["h"], round(record["density"], 3)) for record in records]
    [('uniform', 'kmeans', 1.0, 0.867), ('uniform', 'sec', 1.0, 0.867)]
    """
    labels = check_labels(labels)
    n_clusters = check_n_clusters(n_clusters, len(labels))
    y = None if y is None else check_consensus(y, len(labels), name="y")
    X = None if X is None else check_features(X, n_samples=len(labels))
    schemes, solvers = _resolve_weightings(weightings, X)
    functions = _resolve(consensus, CONSENSUS_FUNCTIONS, "consensus")
    if weightings is not None and solvers and "robust-eac" not in functions:
        raise ValueError(
            f"weightings: {solvers[0]!r} finds weights and consensus together and needs 'robust-eac' in consensus."
        )
    seed = check_random_state(random_state).randint(MAX_SEED)

    records = []
    for name, scheme in schemes.items():
        weights, scheme_seconds, error = _attempt(
            lambda scheme=scheme: check_returned_weights(
                scheme(labels, X=X, random_state=np.random.RandomState(seed)), labels.shape[1], name="the scheme"
            )
        )
        for function_name, function in functions.items():
            run = partial(function, labels, n_clusters, weights=weights, random_state=np.random.RandomState(seed))
            result = (None, None, error) if error else _attempt(run)
            records.append(_record(name, function_name, weights, scheme_seconds, result, labels, y))
    if "robust-eac" in functions:
        for name in solvers:
            run = partial(
                solve_median_partition, labels, n_clusters, weighting=name, random_state=np.random.RandomState(seed)
            )
            solution, seconds, error = _attempt(run)
            weights, found = (None, None) if error else (solution.weights, relabel(solution.labels))
            records.append(_record(name, "robust-eac", weights, None, (found, seconds, error), labels, y))
    return records


def _resolve_weightings(weightings, X):
    """{name: scheme} and the names of joint solvers."""
    if isinstance(weightings, Mapping):
        return _resolve(weightings, WEIGHTING_SCHEMES, "weightings"), []
    known = dict.fromkeys([*WEIGHTING_SCHEMES, *WEIGHT_SOLVERS])
    if weightings is None:
        weightings = [name for name in known if X is not None or name not in FEATURE_SCHEMES]
    names = list(_resolve(weightings, known, "weightings"))
    schemes = {name: WEIGHTING_SCHEMES[name] for name in names if name in WEIGHTING_SCHEMES}
    # "uniform" is both a scheme and a solver: the scheme is run.
    return schemes, [name for name in names if name not in schemes]


def _resolve(chosen, registry, name):
    """{name: function} for the names or functions that the user chose."""
    if chosen is None:
        return dict(registry)
    if isinstance(chosen, Mapping):
        for key, function in chosen.items():
            if not callable(function):
                raise TypeError(f"{name}[{key!r}] must be a function, got {function!r}.")
        return dict(chosen)
    if isinstance(chosen, str):
        raise TypeError(f"{name} must be a list of names or a dict of functions, got the text {chosen!r}.")
    return {key: registry[check_choice(key, registry, name=f"an entry of {name}")] for key in chosen}


def _attempt(run):
    """(result, seconds, None), or (None, seconds, error message)."""
    start = time.perf_counter()
    try:
        result, error = run(), None
    except Exception as exception:
        result, error = None, f"{type(exception).__name__}: {exception}"
    return result, time.perf_counter() - start, error


def _record(scheme, function, weights, scheme_seconds, result, labels, y):
    found, seconds, error = result
    graded = error is None
    return {
        "scheme": scheme,
        "function": function,
        "weights": weights,
        "labels": found,
        "n_clusters": len(np.unique(found)) if graded else None,
        "h": h_criterion(y, found) if graded and y is not None else None,
        "nmi": normalized_mutual_information(y, found) if graded and y is not None else None,
        "ari": float(adjusted_rand_score(y, found)) if graded and y is not None else None,
        "ensemble_nmi": ensemble_nmi(labels, found) if graded else None,
        "density": density(labels, found) if graded else None,
        "scheme_seconds": scheme_seconds,
        "seconds": seconds,
        "error": error,
    }
