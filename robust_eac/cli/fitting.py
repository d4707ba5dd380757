"""Find the consensus that the arguments ask for: options of the solver, number of clusters, fit."""

import sys
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

import numpy as np

from ..consensus.n_clusters import ClusterNumberSelection, select_n_clusters
from ..core.encoding import encode
from ..core.threads import lines_to
from ..diagnostics.certificates import assess_partition
from ..estimators import MergeConsensus, RobustEAC
from ..hard.credible_ball import LEVEL, radius_of
from ..hard.multistart import agreements_with
from ..hard.solve import solve_hard_median_partition, summarise_partition
from ..median_partition import L2, RestrictedSimplex
from ..median_partition.weightings import name_of
from ..summary import assess, certificate_rows, summarise
from ..wording import counted, listed
from .output import NO_NUMBER, print_problem, progress, say

# Options that apply to each --method, and to --loss.
_OF_WEIGHTS = ("weighting", "rho", "lam", "n_init", "n_jobs")
_TAKEN = {
    "median-partition": (*_OF_WEIGHTS, "agreement", "init", "max_iter", "tol", "verbose", "method", "membership"),
    "merge": ("n_jobs", "method", "membership"),
    "loss": (*_OF_WEIGHTS, "loss", "cost"),
}
# Parameter -> the weighting that has it.
_WEIGHTING_OF = {"rho": ("restricted-simplex", RestrictedSimplex), "lam": ("l2", L2)}


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
    """The options of the solver that were given; ValueError for options that do not go together."""
    n_clusters, loss = arguments.n_clusters, arguments.loss
    method = arguments.method or "median-partition"
    mode = f"--method {method}" if loss is None else f"--loss {loss}"
    given = {name: getattr(arguments, name, None) for name in dict.fromkeys(sum(_TAKEN.values(), ()))}
    given = {name: value for name, value in given.items() if value is not None}
    if loss is None and n_clusters is None:
        raise ValueError("--n-clusters is required; only --loss can do without.")
    for name in given:
        if name not in _TAKEN[method if loss is None else "loss"]:
            raise ValueError(f"--{name.replace('_', '-')} does not apply to {mode}.")
    chosen = given.get("weighting", "restricted-simplex")
    for name, (weighting, _) in _WEIGHTING_OF.items():
        if name in given and chosen != weighting:
            raise ValueError(f"--{name} applies to --weighting {weighting} only, not to {chosen}.")
    if arguments.certify and mode not in ("--method median-partition", "--loss binder"):
        raise ValueError(f"--certify does not apply to {mode}, for which there is no bound.")
    if loss is not None and not isinstance(n_clusters, int | None):
        raise ValueError(f"--n-clusters must be an integer for {mode}, or left out for as many as the loss wants.")
    return {name: value for name, value in given.items() if name not in ("method", "membership")}


def _keywords(options):
    """The options as keywords of the solvers: a weighting with parameters becomes an object."""
    keywords = {name: value for name, value in options.items() if name not in _WEIGHTING_OF}
    for name in options.keys() & _WEIGHTING_OF.keys():
        keywords["weighting"] = _WEIGHTING_OF[name][1](options[name])
    return keywords


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
    if merging:
        model = MergeConsensus(n_clusters, random_state=arguments.seed, **options).fit(labels)
    else:
        model = RobustEAC(n_clusters, random_state=arguments.seed, **_keywords(options))
        # With --verbose, all lines go to standard error; without, a terminal shows the latest one.
        with progress("consensus", "{desc} [{elapsed}]", disable=bool(arguments.verbose) or None) as bar:
            latest = nullcontext() if bar.disable else lines_to(bar.set_description_str)
            with lines_to(partial(print, file=sys.stderr, flush=True)) if arguments.verbose else latest:
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
        columns = selection._asdict()
        results["selection"] = {name: np.asarray(columns[name]).tolist() for name in selection._fields[2:]}
    parameters = model.get_params(deep=False) | options
    if "weighting" in parameters:
        parameters["weighting"] = name_of(parameters["weighting"])
    summary = summarise(model, titles, model._settings, assessment)
    return Found(model.labels_, model.membership_, *per_partition, parameters, results, summary, model, selection)


def _search(arguments, options, labels, titles):
    """The consensus as a hard median partition."""
    options = {"weighting": "restricted-simplex", "cost": 1.0, "n_init": 10} | options
    options["n_clusters"] = arguments.n_clusters
    options["random_state"] = arguments.seed
    with progress("consensus"):
        result = solve_hard_median_partition(labels, **_keywords(options))
        agreements = agreements_with(encode(labels), result.labels)
    radius = float(radius_of(result.losses, result.weights, LEVEL))
    results = {name: getattr(result, name) for name in ("objective", "cost", "converged", "n_passes")}
    assessment = None
    if arguments.certify:
        most = max(arguments.n_clusters or len(labels), result.n_clusters)
        with progress("certificate"):
            assessment = assess_partition(encode(labels), result.weights, result.labels, most, result.cost)
    results |= {"credible_radius": radius} | _certificate(assessment)
    summary = summarise_partition(result, agreements, titles, certificate_rows(assessment, len(result.labels)))
    return Found(result.labels, None, result.weights, result.losses, agreements, options, results, summary, None)


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
