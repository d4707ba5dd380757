"""Run every weighting with every consensus function on one ensemble."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from tqdm import tqdm

from ..checks.common import RandomState
from ..checks.labels import check_clusters, check_ensemble, check_index
from ..checks.values import (
    MAX_SEED,
    check_choice,
    check_features,
    check_integer,
    check_n_clusters,
    check_n_jobs,
    check_random_state,
    check_real,
    check_returned_weights,
)
from ..consensus import CONSENSUS_FUNCTIONS
from ..core.codes import relabel
from ..ensembles.corruption import corrupt_ensemble
from ..metrics.external import (
    adjusted_rand_score,
    density,
    ensemble_nmi,
    h_criterion,
    match_labels,
    normalized_mutual_information,
)
from ..schemes import FEATURE_SCHEMES, WEIGHTING_SCHEMES
from ..solvers.median_partition import solve_median_partition
from ..weightings import WEIGHT_SOLVERS, Weighting
from .result import Comparison
from .runs import outcomes

__all__ = ["compare"]

Chosen = Iterable[str | Callable[..., np.ndarray]] | Mapping[str, str | Callable[..., np.ndarray]] | None

# How the functions of a parameter are called: number of positional arguments, names of the others, text of both.
_OF_LABELS = "(labels, *, X, random_state); one of the losses belongs in weight_solvers"
_CALLS = {
    "weightings": (1, ("X", "random_state"), _OF_LABELS),
    "weight_solvers": (1, (), "(losses)"),
    "consensus": (2, ("weights", "random_state"), "(labels, n_clusters, *, weights, random_state)"),
}


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
    dataset: str | None = None,
    ensemble: str | None = None,
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
    dataset : str, default=None
        Name in the records, for joining comparisons of several data sets.
    ensemble : str, default=None
        Name of the ensemble if a data set has several: statistics over data sets take their mean first.
    n_jobs : int, default=None
        Number of worker processes; -1 means one per core. None and 1 mean this process. The result does not depend on
        it, but the seconds do: simultaneous runs share the machine.
    time_limit : float, default=None
        Limit in seconds of wall time for a scheme, and for every consensus. Runs are then done by worker processes,
        since only killing the process stops compiled code; "error" is "TimeoutError: stopped after N s".
    verbose : int, default=0
        Whether to show progress on standard error, by tqdm.
    random_state : int, RandomState instance or None, default=None
        Draws one seed for all runs of a repeat, so that leaving out a run does not change the others.

    Returns
    -------
    records : Comparison
        A list of dicts, one per run, in the order of the repeats: "dataset", "ensemble", "fraction", "repeat" (0,
        1, ...), "partitions" and "partition_names" (numbers and names of those drawn; None for all, and without names);
        "scheme", "function", "weights" (of the partitions drawn); "labels", numbered by
        :func:`~robust_eac.metrics.match_labels` as the classes of `y` in ascending order, or as in the first record;
        "n_clusters" found; "n_graded", the number of objects of known class, and "h", "nmi", "ari" on these against
        `y` (None without it);
        "ensemble_nmi" and "density", unweighted, against all partitions; "seconds" of the consensus function
        ("scheme_seconds" of the scheme); "error", None or the message of a failed run, whose results are None.

    Raises
    ------
    RuntimeError
        If no worker process can be started.

    Notes
    -----
    Repeats vary the seeds, and the partitions if these are resampled, on one data set. To compare methods in general,
    call this once per data set with a `dataset`, and join the results by ``+``. Compare "ensemble_nmi" and "density"
    only between partitions with the same number of clusters.

    The statistics count the ensembles of different `fractions` like repeats; those of one share are
    ``Comparison(record for record in records if record["fraction"] == share)``.

    Memory is that of the largest runs, one per job, of an ensemble for every repeat and fraction, and O(n_samples) per
    record. The seconds of the first run of a function in a process include loading or compiling its kernels. A worker
    process takes some seconds to start, which do not count, and is replaced after every run that it stops; it uses its
    share of the cores, unless NUMBA_NUM_THREADS and OMP_NUM_THREADS are set.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> records = compare(labels, 2, y=[0, 0, 0, 1, 1], weightings=["uniform"], consensus=["kmeans", "sec"])
    >>> [(record["scheme"], record["function"], record["h"], round(record["density"], 3)) for record in records]
    [('uniform', 'kmeans', 1.0, 0.867), ('uniform', 'sec', 1.0, 0.867)]
    """
    partitions_of = check_ensemble(labels)
    check_index(partitions_of, y=y, X=X)
    labels, n = partitions_of.labels, partitions_of.n_samples
    n_clusters = check_n_clusters(n_clusters, n)
    y = None if y is None else check_clusters(y, n, name="y")
    X = None if X is None else check_features(X, n_samples=n)
    methods = _resolve_methods(weightings, weight_solvers, consensus, features=X is not None)
    n_repeats = check_integer(n_repeats, name="n_repeats", low=1)
    n_drawn = _number_drawn(resample, labels.shape[1])
    for name, value in (("dataset", dataset), ("ensemble", ensemble)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} must be a text or None, got {value!r}.")
    fractions = [None] if fractions is None else _check_fractions(fractions)
    n_jobs = check_n_jobs(n_jobs)
    time_limit = None if time_limit is None else check_real(time_limit, name="time_limit", low=0.0, strict=True)
    rng = check_random_state(random_state)
    seeds = [rng.randint(MAX_SEED) for _ in range(n_repeats)]
    runs = [(fraction, repeat, seed) for fraction in fractions for repeat, seed in enumerate(seeds)]
    noisy = [_corrupt(labels, fraction, seed) for fraction, _, seed in runs]
    repeated = resample == "bootstrap"
    draws = [_draw(among, n_drawn, repeated, seed) for among, (*_, seed) in zip(noisy, runs, strict=True)]
    options = {"n_workers": effective_n_jobs(n_jobs or 1), "time_limit": time_limit}
    found = _run_all(methods, draws, X, n_clusters, show=bool(verbose), **options)

    records = Comparison()
    reference = y
    for number, (among, (fraction, repeat, _), (_, partitions, _)) in enumerate(zip(noisy, runs, draws, strict=True)):
        names = partitions_of.names
        if names is not None and partitions is not None:
            names = tuple(names[u] for u in partitions)
        about = {
            "dataset": dataset,
            "ensemble": ensemble,
            "fraction": fraction,
            "repeat": repeat,
            "partitions": partitions,
            "partition_names": names,
        }
        for name, function in methods.pairs():
            weights, scheme_seconds, _ = found.get((number, name), (None, None, None))
            result, seconds, error = found[number, name, function]
            if name in methods.solvers and error is None:
                weights, result = result
            if result is not None:
                reference = result if reference is None else reference
                result = match_labels(result, reference)
            own = {"scheme": name, "function": function, "weights": weights, "labels": result}
            costs = {"scheme_seconds": scheme_seconds, "seconds": seconds, "error": error}
            records.append(about | own | _grade(among, y, result) | costs)
    return records


class _Methods(NamedTuple):
    """schemes, functions : {name: function}. solvers : {name: value of `weighting`}.

    robust : name of the consensus function for the solvers; None if it was not chosen, and then there are no solvers.
    """

    schemes: dict
    solvers: dict
    functions: dict
    robust: str | None

    def pairs(self):
        """(weighting, function) of every consensus in a repeat."""
        pairs = [(name, function) for name in self.schemes for function in self.functions]
        return pairs + [(name, self.robust) for name in self.solvers]


def _resolve_methods(weightings, weight_solvers, consensus, *, features):
    """The :class:`_Methods` that a user chose; `features` says whether X is given."""
    functions = _resolve(consensus, CONSENSUS_FUNCTIONS, "consensus")
    robust = next((name for name, function in functions.items() if function is CONSENSUS_FUNCTIONS["robust-eac"]), None)
    # "uniform" is both a scheme and a solver: the scheme is run.
    known = WEIGHTING_SCHEMES | {name: name for name in WEIGHT_SOLVERS if name not in WEIGHTING_SCHEMES}
    all_that_run = [name for name in known if features or name not in FEATURE_SCHEMES]
    chosen = _resolve(all_that_run if weightings is None else weightings, known, "weightings")
    schemes = {name: entry for name, entry in chosen.items() if callable(entry)}
    solvers = {name: entry for name, entry in chosen.items() if not callable(entry)}
    own = _resolve(weight_solvers or (), {name: name for name in WEIGHT_SOLVERS}, "weight_solvers")
    for parameter, names in (("weightings", {} if weightings is None else solvers), ("weight_solvers", own)):
        if names and robust is None:
            raise ValueError(
                f"{parameter}: {next(iter(names))!r} finds weights and consensus together and needs 'robust-eac' in "
                "consensus."
            )
    for name in own:
        if name in chosen:
            raise ValueError(f"weight_solvers: {name!r} is a name in weightings too; give each its own name.")
    return _Methods(schemes, {} if robust is None else solvers | own, functions, robust)


def _resolve(chosen, registry, parameter):
    """{name: entry of the registry, or function} for the names and functions that the user chose."""
    if chosen is None:
        return dict(registry)
    if isinstance(chosen, str) or not isinstance(chosen, Iterable):
        kind = "the text" if isinstance(chosen, str) else type(chosen).__name__
        raise TypeError(
            f"{parameter} must be a list of names or a dict of functions, or hold both, got {kind} {chosen!r}."
        )
    if isinstance(chosen, Mapping):
        return {name: _entry(entry, registry, parameter, f"{parameter}[{name!r}]") for name, entry in chosen.items()}
    found = {}
    for entry in chosen:
        resolved = _entry(entry, registry, parameter, f"an entry of {parameter}")
        name = getattr(entry, "__name__", "<lambda>") if callable(entry) else str(entry)
        if name == "<lambda>":
            raise ValueError(f"{parameter}: a function without a name needs a dict, which gives it one, got {entry!r}.")
        if found.setdefault(name, resolved) is not resolved:
            raise ValueError(f"{parameter}: two entries are called {name!r}; give a dict of names.")
    return found


def _entry(entry, registry, parameter, where):
    """The function, or the entry of the registry, that a user named."""
    if isinstance(entry, str):
        return registry[check_choice(entry, registry, name=where)]
    if isinstance(entry, Weighting) and parameter != "consensus":
        return entry
    n_positional, keywords, text = _CALLS[parameter]
    if not callable(entry):
        raise TypeError(f"{where} must be a function {text}, or a name, got {entry!r}.")
    try:
        signature = inspect.signature(entry)
    except ValueError:
        # Some compiled functions have no signature; a wrong call is then an error of their runs.
        return entry
    try:
        signature.bind(*[None] * n_positional, **dict.fromkeys(keywords))
    except TypeError as error:
        raise TypeError(f"{where} must be a function {text}, got {entry!r} of {signature}: {error}.") from None
    return entry


def _number_drawn(resample, n_partitions):
    """Number of partitions that a repeat draws; None for all, without drawing."""
    if resample is None:
        return None
    if isinstance(resample, str):
        if resample != "bootstrap":
            raise ValueError(f"resample must be a share, 'bootstrap' or None, got {resample!r}.")
        return n_partitions
    share = check_real(resample, name="resample", low=0.0, high=1.0, strict=True)
    return max(1, round(share * n_partitions))


def _check_fractions(fractions):
    if isinstance(fractions, str) or not isinstance(fractions, Iterable):
        raise TypeError(f"fractions must be a list of shares or None, got {fractions!r}.")
    shares = [check_real(fraction, name="fractions", low=0.0, high=1.0) for fraction in fractions]
    if not shares or len(set(shares)) < len(shares):
        raise ValueError(f"fractions must be different shares, at least one, got {shares}.")
    return shares


def _corrupt(labels, fraction, seed):
    """The ensemble of a run, by another random stream than those of draws and methods."""
    return labels if fraction is None else corrupt_ensemble(labels, fraction, np.random.RandomState([seed, 2]))[0]


def _draw(labels, n_drawn, with_replacement, seed):
    """(labels, indices of their partitions or None for all, seed) of a repeat, for all methods."""
    if n_drawn is None:
        return labels, None, seed
    # Another random stream than that of the methods.
    rng = np.random.RandomState([seed, 1])
    partitions = np.sort(rng.choice(labels.shape[1], n_drawn, replace=with_replacement))
    return np.ascontiguousarray(labels[:, partitions]), partitions, seed


def _run_all(methods, draws, X, n_clusters, *, show, **options):
    """{(repeat, scheme): outcome of its weights, (repeat, name, function): outcome of a consensus}."""
    found, waiting = {}, deque()
    for repeat, (labels, _, seed) in enumerate(draws):
        for name, scheme in methods.schemes.items():
            waiting.append(((repeat, name), partial(_weigh, scheme, labels, seed, X)))
        for name, solver in methods.solvers.items():
            waiting.append(((repeat, name, methods.robust), partial(_solve, solver, labels, seed, n_clusters)))
    n_runs = len(draws) * (len(methods.schemes) + len(methods.pairs()))
    with tqdm(total=n_runs, desc="compare", unit="run", leave=False, disable=not show) as bar:

        def begin(key):
            bar.set_postfix_str(f"{' + '.join(key[1:])}, repeat {key[0]}")

        for key, outcome in outcomes(waiting, begin=begin, **options):
            found[key] = outcome
            bar.update()
            if len(key) == 3:
                continue
            labels, _, seed = draws[key[0]]
            weights, _, error = outcome
            for name, function in methods.functions.items():
                if error is None:
                    waiting.append(((*key, name), partial(_find, function, labels, seed, n_clusters, weights)))
                else:
                    found[*key, name] = None, None, error
                    bar.update()
    return found


def _read_only(array):
    """A view of an array that methods cannot change."""
    view = array.view()
    view.flags.writeable = False
    return view


def _weigh(scheme, labels, seed, X):
    X = None if X is None else _read_only(X)
    weights = scheme(_read_only(labels), X=X, random_state=np.random.RandomState(seed))
    return check_returned_weights(weights, labels.shape[1], name="the scheme")


def _find(function, labels, seed, n_clusters, weights):
    rng = np.random.RandomState(seed)
    found = function(_read_only(labels), n_clusters, weights=_read_only(weights), random_state=rng)
    return check_clusters(found, len(labels), name="the result of the function")


def _solve(solver, labels, seed, n_clusters):
    rng = np.random.RandomState(seed)
    solution = solve_median_partition(labels, n_clusters, weighting=solver, random_state=rng)
    return solution.weights, relabel(solution.labels)


def _grade(labels, y, found):
    """Scores of a consensus; None for a failed one."""
    scores = dict.fromkeys(("n_clusters", "n_graded", "h", "nmi", "ari", "ensemble_nmi", "density"))
    if found is None:
        return scores
    # A method must not gain by leaving out objects: its -1 is a cluster here.
    names, found = np.unique(found, return_inverse=True)
    scores["n_clusters"] = len(names)
    if y is not None:
        scores["n_graded"] = int(np.count_nonzero(y != -1))
        scores["h"] = h_criterion(y, found)
        scores["nmi"] = normalized_mutual_information(y, found)
        scores["ari"] = adjusted_rand_score(y, found)
    return scores | {"ensemble_nmi": ensemble_nmi(labels, found), "density": density(labels, found)}
