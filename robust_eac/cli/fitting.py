"""Find the consensus that the arguments ask for: options of the solver, number of clusters, fit."""

from inspect import signature
from typing import NamedTuple

import numpy as np

from ..consensus.n_clusters import ClusterNumberSelection, select_n_clusters
from ..diagnostics.certificates import Assessed, assess_partition
from ..diagnostics.resampling import by_large_clusters, consensus_distribution, least_ambiguous
from ..ensemble.encoding import encode
from ..estimators import MergeConsensus, RobustEAC
from ..hard.credible_ball import CREDIBLE_LEVEL, radius_of
from ..hard.multistart import agreements_with
from ..hard.solve import solve_hard_median_partition, summarise_partition
from ..median_partition import L2, RestrictedSimplex
from ..median_partition.weightings import name_of
from ..summary import assess, certificate_rows, summarise
from .output import NO_NUMBER, say

# Parameter -> the weighting that has it.
_WEIGHTING_OF = {"rho": ("restricted-simplex", RestrictedSimplex), "lam": ("l2", L2)}
# Options that are parameters of the solvers, besides --n-clusters and --seed.
_OPTIONS = ("weighting", *_WEIGHTING_OF, "loss", "cost", "agreement", "init", "n_init", "max_iter", "tol", "n_jobs")
_SOLVERS = {"median-partition": RobustEAC, "merge": MergeConsensus}


class Result(NamedTuple):
    """A consensus and what the commands write of it; a hard median partition has no model.

    assessed : empty if that was not asked for.
    """

    labels: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    agreements: np.ndarray
    parameters: dict
    results: dict
    summary: str
    assessed: Assessed
    model: RobustEAC | MergeConsensus | None = None
    selection: ClusterNumberSelection | None = None


def solver_options(arguments):
    """The options of the solver that were given, as keywords; ValueError for options that do not go together."""
    n_clusters = arguments.n_clusters
    loss = arguments.loss
    method = arguments.method or "median-partition"
    mode = f"--method {method}"
    solver = _SOLVERS[method]
    if loss is not None:
        mode = f"--loss {loss}"
        solver = solve_hard_median_partition
        if not isinstance(n_clusters, int | None):
            raise ValueError(f"--n-clusters must be an integer for {mode}, or left out for as many as the loss wants.")
    elif n_clusters is None:
        raise ValueError("--n-clusters is required; only --loss can do without.")
    options = {name: value for name in _OPTIONS if (value := getattr(arguments, name)) is not None}
    if arguments.draws and method != "merge":
        # Draws of a posterior have equal weights.
        options.setdefault("weighting", "uniform")
    chosen = options.get("weighting", "restricted-simplex")
    known = {*signature(solver).parameters}
    if "weighting" in known:
        known |= _WEIGHTING_OF.keys()
    odd = [name for name in options if name not in known]
    odd += [name for name in ("method", "membership") if loss and getattr(arguments, name) is not None]
    if arguments.certify and mode not in ("--method median-partition", "--loss binder"):
        odd.append("certify")
    if odd:
        raise ValueError(f"--{odd[0].replace('_', '-')} does not apply to {mode}.")
    for name in _WEIGHTING_OF.keys() & options:
        weighting, kind = _WEIGHTING_OF[name]
        if chosen != weighting:
            raise ValueError(f"--{name} applies to --weighting {weighting} only, not to {chosen}.")
        options["weighting"] = kind(options.pop(name))
    return options


def find_consensus(arguments, options, labels, titles):
    """The consensus, a :class:`Result`, by these options."""
    if arguments.loss is not None:
        return _search(arguments, options, labels, titles)
    n_clusters, selection = choose_n_clusters(arguments, labels)
    model = _SOLVERS[arguments.method or "median-partition"](n_clusters, random_state=arguments.seed, **options)
    model.fit(labels)
    if arguments.sort == "size":
        # Of equal sizes, the cluster with the first object comes first.
        order = np.argsort(-np.bincount(model.labels_, minlength=model.membership_.shape[1]), kind="stable")
        model.labels_ = np.argsort(order)[model.labels_]
        model.membership_ = model.membership_[:, order]
    assessed = Assessed()
    if arguments.certify or arguments.command == "report":
        assessed = assess(model, labels, None, bound=arguments.certify)
    results = _certificate(assessed.assessment)
    parameters = model.get_params(deep=False)
    if arguments.method != "merge":
        results |= {name: getattr(model, f"{name}_") for name in ("objective", "gap", "converged", "n_iter")}
        parameters["weighting"] = name_of(model.weighting)
    if selection is not None:
        results["selection"] = dict(zip(selection._fields[2:], selection[2:], strict=True))
    values = model.labels_, model.weights_, model.losses_, model.agreements_, parameters, results
    return Result(*values, summarise(model, titles, assessed.assessment), assessed, model, selection)


def _search(arguments, options, labels, titles):
    """The consensus as a hard median partition."""
    options = {"weighting": "restricted-simplex", "n_init": 10, "random_state": arguments.seed} | options
    result = solve_hard_median_partition(labels, arguments.n_clusters, **options)
    if arguments.sort == "size":
        order = np.argsort(-np.bincount(result.labels), kind="stable")
        result = result._replace(labels=np.argsort(order)[result.labels])
    encoding = encode(labels)
    agreements = agreements_with(encoding, result.labels)
    radius = radius_of(result.losses, result.weights, CREDIBLE_LEVEL)
    results = {name: getattr(result, name) for name in ("objective", "cost", "converged", "n_passes")}
    assessed = Assessed()
    if arguments.certify:
        most = arguments.n_clusters or len(labels)
        assessed = assess_partition(encoding, result.weights, result.labels, most, result.cost)
    results |= {"credible_radius": radius} | _certificate(assessed.assessment)
    certificate = certificate_rows(assessed.assessment, len(result.labels))
    summary = summarise_partition(result, agreements, titles, certificate)
    parameters = options | result.options | {"cost": result.cost}
    return Result(result.labels, result.weights, result.losses, agreements, parameters, results, summary, assessed)


def _certificate(assessment):
    """The certificate as an entry of the results, with losses per ordered pair of objects."""
    return {} if assessment is None else {"certificate": assessment._asdict() | {"excess": assessment.excess}}


def choose_n_clusters(arguments, labels):
    """The number of clusters and None; or the one chosen from candidates, and the selection, which is printed."""
    if isinstance(arguments.n_clusters, int):
        return arguments.n_clusters, None
    candidates = None if arguments.n_clusters == "auto" else arguments.n_clusters
    how = {"n_jobs": arguments.n_jobs, "random_state": arguments.seed}
    selection = select_n_clusters(labels, candidates, **how)
    say(f"{selection}\n")
    resamples = by_large_clusters(labels) if labels.min() < 0 else None
    if resamples is not None and resamples.groups.max() > 1:
        named = least_ambiguous(consensus_distribution(*resamples, **how))
        if named != selection.n_clusters:
            say(f"robust-eac distribution: of these resamples, those with {named} clusters have the smallest pac\n")
    return selection.n_clusters, selection


def exit_code_of(selection):
    """0, or another code if no number of clusters is stable."""
    return 0 if selection is None or selection.stable.any() else NO_NUMBER
