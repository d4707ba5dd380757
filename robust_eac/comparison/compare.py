"""Run every weighting with every consensus function on one ensemble."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from tqdm import tqdm

from .. import validation as check
from ..common import MAX_SEED, RandomState, check_texts, warn
from ..consensus import CONSENSUS_FUNCTIONS
from ..ensemble import reading
from ..ensemble.encoding import relabel
from ..ensembles.corruption import KINDS, corrupt_ensemble
from ..median_partition import WEIGHT_SOLVERS, Weighting
from ..median_partition.solve import solve_median_partition
from ..metrics import external as metrics
from ..schemes import FEATURE_SCHEMES, WEIGHTING_SCHEMES
from .result import Comparison

Method = str | Callable[..., np.ndarray]
Chosen = Iterable[Method] | Mapping[str, Method] | None

# How the functions of a parameter are called: number of positional arguments, names of the others, text of both.
_CALLS = {
    "weightings": (1, ("X", "random_state"), "(labels, *, X, random_state); those of losses belong in weight_solvers"),
    "weight_solvers": (1, (), "(losses)"),
    "consensus": (2, ("weights", "random_state"), "(labels, n_clusters, *, weights, random_state)"),
}


class _Run(NamedTuple):
    """Columns of the table, the ensemble with noise, the labels drawn from it, and the seed of a repeat."""

    about: dict
    among: np.ndarray
    labels: np.ndarray
    seed: int


class _Outcome(NamedTuple):
    """What a task returned, its seconds and its error; the defaults are those of a task that was not run."""

    result: Any = None
    seconds: float = np.nan
    error: str | None = None


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
    fractions: Iterable[float] | None = None,
    kind: str | Iterable[str] = "uniform",
    dataset: str | None = None,
    ensemble: str | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    random_state: RandomState = None,
) -> Comparison:
    """Run weightings and consensus functions on one ensemble and score every consensus by the same measures.

    Every weighting scheme computes its weights once per repeat, and every consensus function runs with them. Weight
    solvers find the weights jointly with the consensus, so they run with "robust-eac" only. A run that fails does not
    stop the others.

    Parameters
    ----------
    labels
        As in :func:`~robust_eac.eac`.
    n_clusters : int
        Number of clusters that every function is given.
    y : array-like of shape (n_samples,), default=None
        Classes to compare with; -1, None, NaN and NA mean unknown. Runs are graded on the objects of known class.
    X : array-like of shape (n_samples, n_features), default=None
        Features, for the schemes that need them.
    weightings : list or dict of names, functions and objects, default=None
        Names in `WEIGHTING_SCHEMES` and `WEIGHT_SOLVERS`; functions ``(labels, *, X, random_state) -> weights`` that do
        not use a consensus; objects such as ``L2(lam=...)``. In a list a function is named by its ``__name__``, in a
        dict by its key. None means all names; without X, those that do not need it. With an empty list only
        `weight_solvers` run.
    weight_solvers : list or dict of names, functions and objects, default=None
        In addition, names in `WEIGHT_SOLVERS`, objects, and functions ``losses -> weights`` that find the weights
        jointly with the consensus, as in :func:`~robust_eac.solve_median_partition`.
    consensus : list or dict of names and functions, default=None
        Names in `CONSENSUS_FUNCTIONS`, and functions ``(labels, n_clusters, *, weights, random_state) -> labels``; a
        `functools.partial` sets their other options. None means all names. The arrays that functions share are
        read-only.
    n_repeats : int, default=1
        Number of repeats of all runs, each with its own seed, which all methods share.
    resample : float or "bootstrap", default=None
        Partitions that a repeat draws, the same for all methods: a share in (0, 1] without replacement, or all with
        replacement, where some weightings mistake copies for agreement. None means all in every repeat.
    fractions : list of float, default=None
        Shares of the partitions to replace by random ones (:func:`~robust_eac.corrupt_ensemble`); everything is run for
        each. Within a repeat, the partitions replaced for a smaller share are among those for a larger one.
    kind : str or list of str, default="uniform"
        Kinds of these random partitions, as in :func:`~robust_eac.corrupt_ensemble`; everything is run for each.
    dataset : str, default=None
        Name in the records, for joining comparisons of several data sets.
    ensemble : str, default=None
        Name of the ensemble if a data set has several: statistics over data sets take their mean first.
    n_jobs : int, default=None
        Number of joblib's worker processes; -1 means one per core. None and 1 mean this process. The result does not
        depend on it, but the seconds do: simultaneous runs share the machine.
    verbose : int, default=0
        Whether to show progress on standard error, by tqdm.
    random_state : int, RandomState instance or None, default=None
        Draws one seed for all runs of a repeat, so that leaving out a run does not change the others.

    Returns
    -------
    comparison : Comparison
        Its `table` has a row per run, in the order of the repeats: "dataset", "ensemble", "fraction", "kind",
        "repeat" (0, 1, ...), "partitions" and "partition_names" (numbers and names of those drawn; None for all, and
        without names);
        "scheme", "function", "weights" (of the partitions drawn); "labels", numbered by
        :func:`~robust_eac.metrics.match_labels` as the classes of `y` in ascending order, or as in the first run;
        "n_clusters" found; "n_graded", the number of objects of known class, and "h", "nmi", "ari" on these against
        `y` (missing without it);
        "ensemble_nmi" and "density", unweighted, against all partitions; "scheme_seconds" of the scheme, "seconds" of
        the consensus function; "error", None or the message of a failed run, whose results are missing.

    Notes
    -----
    Repeats vary the seeds, and the partitions if these are resampled, on one data set. To compare methods in general,
    call this once per data set with a `dataset`, and join the results by ``+``. Compare "ensemble_nmi" and "density"
    only between partitions with the same number of clusters.

    Memory is that of the largest runs, one per job, of an ensemble for every repeat and fraction, and O(n_samples) per
    run. The seconds of the first run of a function in a process include loading or compiling its kernels. A worker
    process uses its share of the cores, unless NUMBA_NUM_THREADS and OMP_NUM_THREADS are set. If one dies, for example
    for lack of memory, joblib's error ends the comparison.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> found = compare(labels, 2, y=[0, 0, 0, 1, 1], weightings=["uniform"], consensus=["kmeans", "sec"])
    >>> print(found.table[["scheme", "function", "h", "density"]].round(3).to_string(index=False))
     scheme function   h  density
    uniform   kmeans 1.0    0.867
    uniform      sec 1.0    0.867
    """
    partitions_of = reading.ensemble(labels, y=y, X=X)
    labels = partitions_of.labels
    n = partitions_of.n_samples
    n_clusters = check.n_clusters(n_clusters, n)
    y = None if y is None else reading.clusters(y, n, name="y")
    X = None if X is None else check.features(X, n_samples=n)
    methods = methods_of(weightings, weight_solvers, consensus, features=X is not None)
    n_repeats = check.positive(n_repeats, name="n_repeats")
    n_drawn = _number_drawn(resample, labels.shape[1])
    check_texts(dataset=dataset, ensemble=ensemble)
    kinds = [kind] if isinstance(kind, str) else kind
    kinds = _several(kinds, "kind", "kinds", check.choice, choices=KINDS)
    noises = [(None, np.nan)]
    if fractions is not None:
        noises = product(kinds, _several(fractions, "fractions", "shares", check.share))
    n_jobs = check.n_jobs(n_jobs)
    rng = check.random_state(random_state)
    seeds = [rng.randint(MAX_SEED) for _ in range(n_repeats)]
    runs = list(_runs(partitions_of, noises, seeds, n_drawn, resample == "bootstrap"))
    # Number of a run, names of the weighting and of the consensus function.
    cells = [(number, *pair) for number, pair in product(range(len(runs)), methods)]
    weighing = {}
    for number, name, function in cells:
        scheme, _ = methods[name, function]
        if scheme is not None:
            weighing[number, name] = _weigh, scheme, runs[number].labels, X, runs[number].seed
    with tqdm(total=len(weighing) + len(cells), desc="compare", unit="run", leave=False, disable=not verbose) as bar:
        weighed = _outcomes(weighing, n_jobs, bar)
        clustering = {}
        for number, name, function in cells:
            weighting = weighed.get((number, name), _Outcome())
            if weighting.error is None:
                arguments = runs[number].labels, n_clusters, weighting.result, runs[number].seed
                clustering[number, name, function] = _find_consensus, methods[name, function][1], *arguments
        clustered = _outcomes(clustering, n_jobs, bar)

    rows = []
    reference = y
    for number, name, function in cells:
        run = runs[number]
        weighting = weighed.get((number, name), _Outcome())
        outcome = clustered.get((number, name, function), _Outcome(error=weighting.error))
        weights = weighting.result
        consensus = None
        if outcome.result is not None:
            weights, consensus = outcome.result
            reference = consensus if reference is None else reference
            consensus = metrics.match_labels(consensus, reference)
        rows.append(
            {
                "dataset": dataset,
                "ensemble": ensemble,
                **run.about,
                "scheme": name,
                "function": function,
                "weights": weights,
                "labels": consensus,
                **_score(run.among, y, consensus),
                "scheme_seconds": weighting.seconds,
                "seconds": outcome.seconds,
                "error": outcome.error,
            }
        )
    return Comparison(pd.DataFrame(rows).astype({"n_clusters": "Int64", "n_graded": "Int64"}))


def methods_of(weightings, weight_solvers, consensus, *, features):
    """The table of what a user chose: {(weighting, function): (scheme, consensus function)}.

    Where the weights are found jointly with the consensus, they are (None, value of `weighting`). `features` says
    whether X is given.
    """
    functions = _resolve(consensus, CONSENSUS_FUNCTIONS, "consensus")
    robust = [name for name, function in functions.items() if function is CONSENSUS_FUNCTIONS["robust-eac"]]
    known_solvers = {name: name for name in WEIGHT_SOLVERS}
    # "uniform" is both a scheme and a solver: the scheme is run.
    known = WEIGHTING_SCHEMES | known_solvers | WEIGHTING_SCHEMES
    all_that_run = [name for name in known if features or name not in FEATURE_SCHEMES]
    chosen = all_that_run if weightings is None else weightings
    chosen = _resolve(chosen, known, "weightings")
    for name in FEATURE_SCHEMES:
        if not features and chosen.get(name) is known[name]:
            raise ValueError(f"X, the features, must be given for {name!r}.")
    solvers = _resolve(weight_solvers or (), known_solvers, "weight_solvers")
    for name in solvers.keys() & chosen:
        raise ValueError(f"weight_solvers: {name!r} is a name in weightings too; give each its own name.")
    joint = solvers | {name: entry for name, entry in chosen.items() if not callable(entry)}
    if not robust and joint and (solvers or weightings is not None):
        which = f"which {next(iter(joint))!r} needs to find weights and consensus together"
        raise ValueError(f"consensus must hold 'robust-eac', {which}, got {', '.join(map(repr, functions))}.")
    methods = {}
    for name, entry in (chosen | solvers).items():
        if name not in joint:
            methods |= {(name, function): (entry, functions[function]) for function in functions}
        elif robust:
            methods[name, robust[0]] = None, entry
    return methods


def _resolve(chosen, registry, parameter):
    """{name: entry of the registry, or function} for the names and functions that the user chose."""
    if chosen is None:
        return dict(registry)
    if isinstance(chosen, str) or not isinstance(chosen, Iterable):
        raise TypeError(f"{parameter} must be a list of names or a dict of functions, or hold both, got {chosen!r}.")
    is_dict = isinstance(chosen, Mapping)
    named = chosen.items() if is_dict else ((_name_of(entry), entry) for entry in chosen)
    resolved = {}
    for name, entry in named:
        if not isinstance(name, str):
            raise TypeError(f"{parameter} must have texts as names, got {name!r}.")
        if name == "<lambda>" and not is_dict:
            raise ValueError(f"{parameter}: a function without a name needs a dict, which gives it one, got {entry!r}.")
        entry = _entry(entry, registry, parameter, f"{parameter}[{name!r}]")
        if resolved.setdefault(name, entry) is not entry:
            raise ValueError(f"{parameter}: two entries are called {name!r}; give a dict of names.")
    return resolved


def _name_of(entry):
    """Name of an entry of a list; "<lambda>" if it has none."""
    return getattr(entry, "__name__", "<lambda>") if callable(entry) else str(entry)


def _entry(entry, registry, parameter, where):
    """The function, or the entry of the registry, that a user named."""
    if isinstance(entry, str):
        return registry[check.choice(entry, registry, name=where)]
    if isinstance(entry, Weighting) and parameter != "consensus":
        return entry
    n_positional, keywords, text = _CALLS[parameter]
    # Some compiled functions have no signature; a wrong call is then an error of their runs.
    with suppress(ValueError):
        try:
            inspect.signature(entry).bind(*[None] * n_positional, **dict.fromkeys(keywords))
        except TypeError as error:
            raise TypeError(f"{where} must be a name or a function {text}, got {entry!r}: {error}.") from None
    return entry


def _number_drawn(resample, n_partitions):
    """Number of partitions that a repeat draws; None for all, without drawing."""
    if resample is None:
        return None
    if isinstance(resample, str) and resample != "bootstrap":
        raise ValueError(f"resample must be a share, 'bootstrap' or None, got {resample!r}.")
    if resample == "bootstrap":
        return n_partitions
    return max(1, round(check.share(resample, name="resample", strict=True) * n_partitions))


def _several(values, name, noun, rule, **options):
    """The checked values of a list, which must differ."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list of {noun}, got {values!r}.")
    checked = [rule(value, name=name, **options) for value in values]
    if not checked or len(set(checked)) < len(checked):
        raise ValueError(f"{name} must be different {noun}, at least one, got {checked}.")
    return checked


def _runs(ensemble, noises, seeds, n_drawn, with_replacement):
    """Generate the :class:`_Run` of every repeat. Noise, draw and methods have their own random streams."""
    for (kind, fraction), (repeat, seed) in product(noises, enumerate(seeds)):
        among = ensemble.labels
        names = ensemble.names
        partitions = None
        if kind is not None:
            among, _ = corrupt_ensemble(among, fraction, np.random.RandomState([seed, 2]), kind=kind)
        drawn = among
        if n_drawn is not None:
            rng = np.random.RandomState([seed, 1])
            partitions = np.sort(rng.choice(among.shape[1], n_drawn, replace=with_replacement))
            drawn = np.ascontiguousarray(among[:, partitions])
            names = names and tuple(names[u] for u in partitions)
        about = {"fraction": fraction, "kind": kind, "repeat": repeat}
        yield _Run(about | {"partitions": partitions, "partition_names": names}, among, drawn, seed)


def _outcomes(tasks, n_jobs, bar):
    """{key: :class:`_Outcome`} of {key: (function, *arguments)}; repeats warnings in this process."""
    # Not by threads, whose seconds would include waiting for Python's lock. In the order of the tasks, since joblib 1.5
    # may fail where results come in the order in which they finish.
    parallel = Parallel(n_jobs=n_jobs or 1, backend="loky", return_as="generator")
    attempts = parallel(delayed(_attempt)(*task) for task in tasks.values())
    outcomes = {}
    noted = {}
    for key, (outcome, caught) in zip(tasks, attempts, strict=True):
        outcomes[key] = outcome
        noted |= dict.fromkeys(caught)
        bar.set_postfix_str(f"{' + '.join(key[1:])}, repeat {key[0]}")
        bar.update()
    for message, category in noted:
        warn(message, category)
    return outcomes


def _attempt(function, *arguments):
    """(the :class:`_Outcome` of a task, its warnings)."""
    start = time.perf_counter()
    result = None
    error = None
    with warnings.catch_warnings(record=True) as caught:
        try:
            result = function(*arguments)
        except Exception as exception:
            error = f"{type(exception).__name__}: {exception}"
    outcome = _Outcome(result, time.perf_counter() - start, error)
    return outcome, [(str(warning.message), warning.category) for warning in caught]


def _read_only(array):
    """A view of an array that methods cannot change."""
    return np.broadcast_to(array, array.shape)


def _weigh(scheme, labels, X, seed):
    X = None if X is None else _read_only(X)
    weights = scheme(_read_only(labels), X=X, random_state=np.random.RandomState(seed))
    return check.returned_weights(weights, labels.shape[1], name="the scheme")


def _find_consensus(function, labels, n_clusters, weights, seed):
    """(weights, labels) of a consensus; without weights, `function` is the weighting of the robust consensus."""
    rng = np.random.RandomState(seed)
    if weights is None:
        solution = solve_median_partition(labels, n_clusters, weighting=function, random_state=rng)
        return solution.weights, relabel(solution.labels)
    clusters = function(_read_only(labels), n_clusters, weights=_read_only(weights), random_state=rng)
    return weights, reading.clusters(clusters, len(labels), name="the result of the function")


def _score(labels, y, consensus):
    """Scores of a consensus; NaN for a failed one."""
    scores = dict.fromkeys(("n_clusters", "n_graded", "h", "nmi", "ari", "ensemble_nmi", "density"), np.nan)
    if consensus is None:
        return scores
    # A method must not gain by leaving out objects: its -1 is a cluster here.
    names, clusters = np.unique(consensus, return_inverse=True)
    if y is not None:
        scores["n_graded"] = int(np.count_nonzero(y != -1))
        scores["h"] = metrics.h_criterion(y, clusters)
        scores["nmi"] = metrics.normalized_mutual_information(y, clusters)
        scores["ari"] = metrics.adjusted_rand_score(y, clusters)
    scores["n_clusters"] = len(names)
    scores["ensemble_nmi"] = metrics.ensemble_nmi(labels, clusters)
    scores["density"] = metrics.density(labels, clusters)
    return scores
