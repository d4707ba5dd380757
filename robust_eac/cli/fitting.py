"""Find the consensus that the arguments ask for: options of the solver, number of clusters, fit."""

import sys
from contextlib import nullcontext
from functools import partial
from inspect import signature
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from ..consensus.n_clusters import ClusterNumberSelection, select_n_clusters
from ..core.encoding import encode
from ..core.threads import lines_to
from ..diagnostics.certificates import assess_partition
from ..estimators import MergeConsensus, RobustEAC
from ..hard.losses import LEVEL, radius_of
from ..hard.median_partition import solve_hard_median_partition, summarise_partition
from ..hard.multistart import agreements_with
from ..summary import assess, certificate_rows, summarise
from ..weightings import L2, RestrictedSimplex
from ..weightings.joint import name_of
from ..wording import counted, listed
from .output import NO_NUMBER, print_problem, progress, say

# Parameter -> the weighting that has it.
_WEIGHTING_OF = {"rho": ("restricted-simplex", RestrictedSimplex), "lam": ("l2", L2)}
# Options that are parameters of the solvers, besides --n-clusters and --seed.
_OPTIONS = ("weighting", *_WEIGHTING_OF, "loss", "cost", "agreement", "init", "n_init", "max_iter", "tol", "n_jobs")
_SOLVERS = {"median-partition": RobustEAC, "merge": MergeConsensus}


class Found(NamedTuple):
    """A consensus and the facts that the commands write; a hard median partition has neither membership nor model."""

    labels: np.ndarray
    membership: np.ndarray | None
    weights: np.ndarray
    losses: np.ndarray
    agreements: np.ndarray
    parameters: dict
    results: dict
    summary: str
    model: RobustEAC | MergeConsensus | None
    selection: ClusterNumberSelection | None = None


def solver_options(arguments):
    """The options of the solver that were given, as keywords; ValueError for options that do not go together."""
    n_clusters, loss, method = arguments.n_clusters, arguments.loss, arguments.method or "median-partition"
    mode, solver = f"--method {method}", _SOLVERS[method]
    if loss is not None:
        mode, solver = f"--loss {loss}", solve_hard_median_partition
        if not isinstance(n_clusters, int | None):
            raise ValueError(f"--n-clusters must be an integer for {mode}, or left out for as many as the loss wants.")
    elif n_clusters is None:
        raise ValueError("--n-clusters is required; only --loss can do without.")
    options = {name: getattr(arguments, name) for name in (*_OPTIONS, "verbose")}
    options = {name: value for name, value in options.items() if value is not None}
    chosen = options.get("weighting", "restricted-simplex")
    applicable = signature(solver).parameters.keys() - ({"init"} if loss else set())
    for name in options:
        if ("weighting" if name in _WEIGHTING_OF else name) not in applicable:
            raise ValueError(f"--{name.replace('_', '-')} does not apply to {mode}.")
    for name in _WEIGHTING_OF.keys() & options:
        weighting, kind = _WEIGHTING_OF[name]
        if chosen != weighting:
            raise ValueError(f"--{name} applies to --weighting {weighting} only, not to {chosen}.")
        options["weighting"] = kind(options.pop(name))
    for name, applies in (
        ("method", loss is None),
        ("membership", loss is None),
        ("certify", mode in ("--method median-partition", "--loss binder")),
    ):
        if getattr(arguments, name, None) and not applies:
            raise ValueError(f"--{name} does not apply to {mode}.")
    return options


def find_consensus(arguments, options, labels, titles):
    """The consensus, a :class:`Found`, by these options; warns of clusterings with a single cluster."""
    # Where -1 stands for the largest label, a clustering of one cluster has a single value.
    largest = labels.max(axis=0)
    is_constant = (np.where(labels == -1, largest, labels) == largest).all(axis=0)
    if len(labels) > 1 and is_constant.any():
        alike = f"{counted(is_constant.sum(), 'clustering')} with a single cluster, which no consensus can use"
        alike += f": {listed(np.array(titles)[is_constant])}; --drop-column leaves them out."
        print_problem("warning", f"{arguments.labels}: {alike}")
    return (_fit if arguments.loss is None else _search)(arguments, options, labels, titles)


def _fit(arguments, options, labels, titles):
    """The consensus by an estimator."""
    merging = arguments.method == "merge"
    n_clusters, selection = choose_n_clusters(arguments, labels)
    model = _SOLVERS[arguments.method or "median-partition"](n_clusters, random_state=arguments.seed, **options)
    shown = lines_to(partial(tqdm.write, file=sys.stderr)) if arguments.verbose else nullcontext()
    with progress("consensus"), shown:
        model.fit(labels)
    assessment = None
    if arguments.certify:
        with progress("certificate"):
            assessment = assess(model, labels, None, model._settings)
    # Merging minimises no objective.
    names = () if merging else ("objective", "gap", "converged", "n_iter")
    per_partition = model.weights_, model.losses_, model.agreements_
    results = {name: getattr(model, f"{name}_") for name in names} | _certificate(assessment)
    if selection is not None:
        results["selection"] = dict(zip(selection._fields[2:], selection[2:], strict=True))
    parameters = model.get_params(deep=False)
    if not merging:
        parameters["weighting"] = name_of(model.weighting)
    summary = summarise(model, titles, model._settings, assessment)
    return Found(model.labels_, model.membership_, *per_partition, parameters, results, summary, model, selection)


def _search(arguments, options, labels, titles):
    """The consensus as a hard median partition."""
    options = {"weighting": "restricted-simplex", "n_init": 10, "random_state": arguments.seed} | options
    with progress("consensus"):
        result = solve_hard_median_partition(labels, arguments.n_clusters, **options)
        agreements = agreements_with(encode(labels), result.labels)
    radius = radius_of(result.losses, result.weights, LEVEL)
    results = {name: getattr(result, name) for name in ("objective", "cost", "converged", "n_passes")}
    assessment = None
    if arguments.certify:
        most = max(arguments.n_clusters or len(labels), result.n_clusters)
        with progress("certificate"):
            assessment = assess_partition(encode(labels), result.weights, result.labels, most, result.cost)
    results |= {"credible_radius": radius} | _certificate(assessment)
    summary = summarise_partition(result, agreements, titles, certificate_rows(assessment, len(result.labels)))
    parameters = options | result.options | {"cost": result.cost}
    return Found(result.labels, None, result.weights, result.losses, agreements, parameters, results, summary, None)


def _certificate(assessment):
    """The certificate as an entry of the results, with losses per ordered pair of objects."""
    return {} if assessment is None else {"certificate": assessment._asdict() | {"excess": assessment.excess}}


def choose_n_clusters(arguments, labels):
    """The number of clusters and None; or the one chosen from candidates, and the selection, which is printed."""
    if isinstance(arguments.n_clusters, int):
        return arguments.n_clusters, None
    candidates = None if arguments.n_clusters == "auto" else arguments.n_clusters
    with progress("choosing the number of clusters"):
        selection = select_n_clusters(labels, candidates, n_jobs=arguments.n_jobs, random_state=arguments.seed)
    say(f"{selection}\n")
    return selection.n_clusters, selection


def exit_code_of(selection):
    """0, or another code if no number of clusters is stable."""
    return 0 if selection is None or selection.stable.any() else NO_NUMBER
