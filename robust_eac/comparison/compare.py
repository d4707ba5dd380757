"""Every weighting with every consensus function on one ensemble."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from tqdm import tqdm

from ..checks.labels import check_ensemble, check_labels
from ..checks.types import RandomState
from ..checks.values import (
    MAX_SEED,
    check_features,
    check_integer,
    check_n_clusters,
    check_n_jobs,
    check_random_state,
    check_real,
    check_returned_weights,
)
from ..consensus._common import relabel
from ..metrics.density import check_consensus
from ..metrics.external import adjusted_rand_score, density, ensemble_nmi, h_criterion, normalized_mutual_information
from ..solvers.median_partition import solve_median_partition
from .methods import resolve_methods
from .result import Comparison
from .runs import outcomes

__all__ = ["compare"]

Chosen = Iterable[str | Callable[..., np.ndarray]] | Mapping[str, str | Callable[..., np.ndarray]] | None


def compare(
    labels: ArrayLike,
    n_clusters: int,
    *,
    y: ArrayLike | None = None,
    X: ArrayLike | None = None,
    weightings: Chosen = None,
    weight_solvers: Chosen = None,
    consensus: Chosen = None,
    n_repeats: int = 1,
    resample: float | str | None = None,
    dataset: str | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    verbose: int = 0,
    random_state: RandomState = None,
) -> Comparison:
    """Run weightings and consensus functions on one ensemble and score every consensus by the same measures.

    Every weighting scheme computes its weights once per repeat, and every consensus function runs with them. Weight
    solvers find the weights jointly with the consensus, so they run with "robust-eac" only. A run that fails does not
    stop the others.

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
    weightings : list or dict of names and functions, default=None
        Names in `WEIGHTING_SCHEMES` and `WEIGHT_SOLVERS`, and functions ``(labels, *, X, random_state) -> weights``
        that do not look at a consensus. A list calls a function by its ``__name__``, a dict by its key. None means all
        names; without X, those that need none. With an empty list only `weight_solvers` run.
    weight_solvers : list or dict of names and functions, default=None
        Besides, names in `WEIGHT_SOLVERS`, and functions ``losses -> weights`` that find the weights jointly with the
        consensus, as in :func:`~robust_eac.solve_median_partition`; a `functools.partial` sets their other options.
    consensus : list or dict of names and functions, default=None
        Names in `CONSENSUS_FUNCTIONS`, and functions ``(labels, n_clusters, *, weights, random_state) -> labels``; a
        `functools.partial` sets their other options. None means all names.
    n_repeats : int, default=1
        Times that everything is run, each with a seed of its own. All methods share the seed of a repeat.
    resample : float or "bootstrap", default=None
        Partitions that a repeat draws, the same for all methods: a share in (0, 1] without replacement, or as many as
        there are with replacement. Copies are evidence of agreement to some weightings, so a share is the better
        choice for these. None means all partitions in every repeat.
    dataset : str, default=None
        Name that the records carry, by which comparisons of several data sets can be joined.
    n_jobs : int, default=None
        Number of worker processes; -1 means one per core. None and 1 mean this process. The result does not depend on
        it, but the seconds do: runs at the same time share the machine.
    time_limit : float, default=None
        Seconds by the clock that a scheme, and then every consensus, may take. Runs then go to worker processes, since
        compiled code can only be stopped by killing its process; "error" is "TimeoutError: stopped after N s".
    verbose : int, default=0
        Whether to show on standard error, by tqdm, what is running.
    random_state : int, RandomState instance or None, default=None
        Draws one seed for all runs of a repeat, so that leaving out a run does not change the others.

    Returns
    -------
    records : Comparison
        A list of dicts, one per run, in the order of the repeats: "dataset", "repeat" (0, 1, ...), "partitions"
        (numbers of those drawn, None for all), "partition_names" (of those drawn, as the columns of a DataFrame are
        called, None without names); "scheme", "function", "weights" (of the partitions drawn), "labels"; "n_clusters"
        found; "h", "nmi", "ari" against `y` (None without it); "ensemble_nmi" and "density", unweighted, against all
        partitions; "seconds" of the consensus function ("scheme_seconds" of the scheme); "error", None or the message
        of a run that failed; its results are then None. Its methods are :meth:`~robust_eac.comparison.Comparison.summary`,
        :meth:`~robust_eac.comparison.Comparison.plot` and :meth:`~robust_eac.comparison.Comparison.to_frame`.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, a name unknown or given to two functions, a function does not take
        what it will be given, or weights that are found jointly with the consensus are asked for without "robust-eac".
    RuntimeError
        If no worker process can be started.

    Notes
    -----
    The spread over repeats is that over seeds, and over partitions if these are resampled, on one data set. It says how
    far the result of a method can be relied on here, and nothing of other data. A method without randomness that is
    always given all partitions does not vary. To compare methods in general, call this once per data set with a
    `dataset`, and join the results: ``(compare(..., dataset="a") + compare(..., dataset="b")).summary()`` counts data
    sets.

    Memory is that of the largest run (with several jobs, of as many) and O(n_samples) per record. The first run of a
    function in a process also loads its kernels, the very first compiles them; both count as its time. A worker process
    takes some seconds to start, outside the limit, and again after every run that it stops; each run sends it the
    labels, O(n_samples n_partitions). With several workers each uses its share of the cores, unless NUMBA_NUM_THREADS
    and OMP_NUM_THREADS are set.

    Compare "ensemble_nmi" and "density" only between partitions with the same number of clusters; more clusters are
    denser.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> records = compare(labels, 2, y=[0, 0, 0, 1, 1], weightings=["uniform"], consensus=["kmeans", "sec"])
    >>> [(record["scheme"], record["function"], record["h"], round(record["density"], 3)) for record in records]
    [('uniform', 'kmeans', 1.0, 0.867), ('uniform', 'sec', 1.0, 0.867)]
    """
    ensemble = check_ensemble(labels)
    labels = check_labels(ensemble)
    n_clusters = check_n_clusters(n_clusters, len(labels))
    y = None if y is None else check_consensus(y, len(labels), name="y")
    X = None if X is None else check_features(X, n_samples=len(labels))
    methods = resolve_methods(weightings, weight_solvers, consensus, features=X is not None)
    n_repeats = check_integer(n_repeats, name="n_repeats", low=1)
    n_drawn = _number_drawn(resample, labels.shape[1])
    if dataset is not None and not isinstance(dataset, str):
        raise TypeError(f"dataset must be a text or None, got {dataset!r}.")
    n_jobs = check_n_jobs(n_jobs)
    time_limit = None if time_limit is None else check_real(time_limit, name="time_limit", low=0.0, strict=True)
    rng = check_random_state(random_state)
    draws = [_draw(labels, n_drawn, resample == "bootstrap", rng.randint(MAX_SEED)) for _ in range(n_repeats)]
    options = {"n_workers": effective_n_jobs(n_jobs or 1), "time_limit": time_limit}
    found = _run_all(methods, draws, X, n_clusters, show=bool(verbose), **options)

    records = Comparison()
    for repeat, draw in enumerate(draws):
        tried = [(name, function_name) for name in methods.schemes for function_name in methods.functions]
        for name, function_name in [*tried, *((name, methods.robust) for name in methods.solvers)]:
            weights, scheme_seconds, _ = found.get((repeat, name), (None, None, None))
            result, seconds, error = found[repeat, name, function_name]
            if name in methods.solvers and error is None:
                weights, result = result
            about = {"dataset": dataset, "repeat": repeat, "partitions": draw.partitions}
            about |= {"partition_names": _names_of(draw.partitions, ensemble.names)}
            about |= {"scheme": name, "function": function_name, "weights": weights, "labels": result}
            costs = {"scheme_seconds": scheme_seconds, "seconds": seconds, "error": error}
            records.append(about | _grade(labels, y, result) | costs)
    return records


class _Draw(NamedTuple):
    """What all methods share in a repeat; partitions : numbers of those in `labels`, None for all."""

    labels: np.ndarray
    partitions: np.ndarray | None
    seed: int


def _number_drawn(resample, n_partitions):
    """Number of partitions that a repeat draws, None for all as they are."""
    if resample is None:
        return None
    if isinstance(resample, str):
        if resample != "bootstrap":
            raise ValueError(f"resample must be a share, 'bootstrap' or None, got {resample!r}.")
        return n_partitions
    share = check_real(resample, name="resample", low=0.0, high=1.0, strict=True)
    return max(1, round(share * n_partitions))


def _names_of(partitions, names):
    return names if names is None or partitions is None else tuple(names[u] for u in partitions)


def _draw(labels, n_drawn, with_replacement, seed):
    if n_drawn is None:
        return _Draw(labels, None, seed)
    # Another stream than that of the methods.
    rng = np.random.RandomState([seed, 1])
    partitions = np.sort(rng.choice(labels.shape[1], n_drawn, replace=with_replacement))
    return _Draw(np.ascontiguousarray(labels[:, partitions]), partitions, seed)


def _weigh(scheme, draw, X):
    weights = scheme(draw.labels, X=X, random_state=np.random.RandomState(draw.seed))
    return check_returned_weights(weights, draw.labels.shape[1], name="the scheme")


def _find(function, draw, n_clusters, weights):
    found = function(draw.labels, n_clusters, weights=weights, random_state=np.random.RandomState(draw.seed))
    return check_consensus(found, len(draw.labels), name="what the function returns")


def _solve(solver, draw, n_clusters):
    rng = np.random.RandomState(draw.seed)
    solution = solve_median_partition(draw.labels, n_clusters, weighting=solver, random_state=rng)
    return solution.weights, relabel(solution.labels)


def _run_all(methods, draws, X, n_clusters, *, show, **options):
    """{(repeat, scheme): outcome of its weights, (repeat, name, function): outcome of a consensus}.

    An outcome is (result, seconds, error). A consensus waits for its weights, and fails with them.
    """
    found, waiting = {}, deque()
    for repeat, draw in enumerate(draws):
        waiting += [((repeat, name), partial(_weigh, scheme, draw, X)) for name, scheme in methods.schemes.items()]
        for name, solver in methods.solvers.items():
            waiting.append(((repeat, name, methods.robust), partial(_solve, solver, draw, n_clusters)))
    n_runs = len(waiting) + len(draws) * len(methods.schemes) * len(methods.functions)
    with tqdm(total=n_runs, desc="compare", unit="run", leave=False, disable=not show) as bar:

        def begin(key):
            bar.set_postfix_str(f"{' + '.join(key[1:])}, repeat {key[0]}")

        for key, outcome in outcomes(waiting, begin=begin, **options):
            found[key] = outcome
            bar.update()
            if len(key) == 3:
                continue
            weights, _, error = outcome
            for name, function in methods.functions.items():
                if error is None:
                    waiting.append(((*key, name), partial(_find, function, draws[key[0]], n_clusters, weights)))
                else:
                    found[*key, name] = None, None, error
                    bar.update()
    return found


def _grade(labels, y, found):
    """Scores of a consensus; None of one that failed."""
    against = dict.fromkeys(("h", "nmi", "ari"))
    if found is None:
        return {"n_clusters": None, **against, "ensemble_nmi": None, "density": None}
    if y is not None:
        against = {
            "h": h_criterion(y, found),
            "nmi": normalized_mutual_information(y, found),
            "ari": float(adjusted_rand_score(y, found)),
        }
    of_ensemble = {"ensemble_nmi": ensemble_nmi(labels, found), "density": density(labels, found)}
    return {"n_clusters": len(np.unique(found)), **against, **of_ensemble}
