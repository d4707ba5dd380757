"""The consensus that the arguments ask for: the options of its solver, the number of clusters, and the fit."""

import sys
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.metrics.cluster import pair_confusion_matrix

from ..core.encoding import encode
from ..diagnostics.certificates import assess_partition
from ..diagnostics.selection import select_n_clusters
from ..estimators import MergeConsensus, RobustEAC
from ..hard.losses import LEVEL, radius_of
from ..hard.median_partition import solve_hard_median_partition, summarise_partition
from ..hard.tables import LOSSES, partition_losses
from ..summary import assess, certificate_rows, summarise
from ..weightings import L2, RestrictedSimplex
from ..weightings.clusters import check_cluster_weights, weigh_by
from .output import progress, say, tell

# What takes which options.
_OF_WEIGHTS = ("weighting", "rho", "lam", "cluster_weights", "n_init", "n_jobs")
_TAKEN = {
    "median-partition": (*_OF_WEIGHTS, "agreement", "init", "max_iter", "tol", "verbose", "method", "membership"),
    "merge": ("n_jobs", "method", "membership"),
    "loss": (*_OF_WEIGHTS, "loss", "cost"),
}
# Parameter -> the weighting that has it.
_WEIGHTING_OF = {"rho": ("restricted-simplex", RestrictedSimplex), "lam": ("l2", L2)}
# The candidates of "--n-clusters auto".
_CANDIDATES = range(1, 11)
# Clusterings that agree less with their consensus are suspicious; judged on at most so many objects.
_LOW_AGREEMENT = 0.3
_JUDGED = 2000


class Found(NamedTuple):
    """A consensus as the commands write it: per object, per partition, what found it, what it is worth, and in words.

    A hard median partition has neither membership nor model.
    """

    labels: np.ndarray
    membership: np.ndarray | None
    weights: np.ndarray
    losses: np.ndarray
    agreements: np.ndarray
    parameters: dict
    results: dict
    summary: str
    model: RobustEAC | MergeConsensus | None


def solver_options(arguments):
    """The options of the solver, checked; ValueError for options that do not go together."""
    n_clusters, loss, method = arguments.n_clusters, arguments.loss, arguments.method or "median-partition"
    given = {name: getattr(arguments, name, None) for name in dict.fromkeys(sum(_TAKEN.values(), ()))}
    given = {name: value for name, value in given.items() if value is not None}
    mode, certify = f"--method {method}" if loss is None else f"--loss {loss}", arguments.certify
    taken, chosen = _TAKEN[method if loss is None else "loss"], given.get("weighting", "restricted-simplex")
    is_range = isinstance(n_clusters, range)
    got = f"{n_clusters[0]}-{n_clusters[-1]}" if is_range else n_clusters
    wanted = f"an integer for {mode}, or left out for as many clusters as the loss wants"
    only = "of the losses there is a bound for binder only"
    for broken, rule in (
        (loss is None and arguments.cost is not None, "--cost applies to --loss only."),
        (loss is None and n_clusters is None, "--n-clusters is required; only --loss can do without."),
        *((name not in taken, f"--{name.replace('_', '-')} does not apply to {mode}.") for name in given),
        *(
            (
                name in given and chosen != weighting,
                f"--{name} applies to --weighting {weighting} only, not to {chosen}.",
            )
            for name, (weighting, _) in _WEIGHTING_OF.items()
        ),
        (certify and mode == "--method merge", f"--certify does not apply to {mode}, which minimises no objective."),
        (certify and loss not in (None, "binder"), f"--certify does not apply to {mode}: {only}."),
        (given.get("cost") == "n-clusters" and n_clusters is None, "--cost n-clusters needs --n-clusters."),
        (method == "merge" and is_range, f"--n-clusters must be an integer or 'auto' for {mode}, got {got}."),
        (loss is not None and not isinstance(n_clusters, int | None), f"--n-clusters must be {wanted}, got {got}."),
    ):
        if broken:
            raise ValueError(rule)
    return {name: value for name, value in given.items() if name not in ("method", "membership")}


def _keywords(options):
    """The options as the solvers take them: a parameter of a weighting is in its object."""
    keywords = dict(options)
    for name, (_, kind) in _WEIGHTING_OF.items():
        if name in keywords:
            keywords["weighting"] = kind(keywords.pop(name))
    return keywords


def find_consensus(arguments, options, labels, titles):
    """The consensus :class:`Found` with the options of the solver; warns if the clusterings hardly agree with it."""
    found = (_fit if arguments.loss is None else _search)(arguments, options, labels, titles)
    if found.labels.max() > 0:
        # Judged on some of the objects.
        rows = np.random.RandomState(0).permutation(len(labels))[:_JUDGED]
        share = found.weights @ [attained_agreement(column, found.labels[rows]) for column in labels[rows].T]
        if share < _LOW_AGREEMENT:
            told = f"the clusterings hardly agree with their consensus: {max(share, 0.0):.0%} of the agreement beyond "
            told += "chance that their cluster sizes allow. Are the columns clusterings, or features?"
            tell("warning", told)
    elif arguments.loss is not None and found.agreements.min() < 1.0:
        told = "all objects are in one cluster, which costs least. Are the columns clusterings, and the rows objects?"
        tell("warning", told)
    return found


def _fit(arguments, options, labels, titles):
    """What an estimator finds."""
    merging = arguments.method == "merge"
    if merging:
        model = MergeConsensus(arguments.n_clusters, random_state=arguments.seed, **options).fit(labels)
    else:
        n_clusters = choose_n_clusters(arguments, labels)
        model = RobustEAC(n_clusters, random_state=arguments.seed, **_keywords(options))
        # All lines go to standard error, or a terminal shows the latest one.
        with progress("consensus", "{desc} [{elapsed}]", disable=bool(arguments.verbose) or None) as bar:
            latest = None if bar.disable else bar.set_description_str
            model._tell = partial(print, file=sys.stderr, flush=True) if arguments.verbose else latest
            model.fit(labels)
    assessment = None
    if arguments.certify:
        with progress("certificate"):
            assessment = assess(model, labels, None, model._settings)
    # Merging minimises no objective.
    names = () if merging else ("objective", "gap", "converged", "n_iter")
    per_partition = model.weights_, model.losses_, model.agreements_
    results = {name: getattr(model, f"{name}_") for name in names} | _certificate(assessment)
    parameters = model.get_params(deep=False) | options
    summary = summarise(model, titles, model._settings, assessment)
    return Found(model.labels_, model.membership_, *per_partition, parameters, results, summary, model)


def _search(arguments, options, labels, titles):
    """A hard median partition."""
    cost = options.get("cost", 1.0)
    options = {"weighting": "restricted-simplex", "cluster_weights": None, "n_init": 10} | options
    options |= {"cost": "n_clusters" if cost == "n-clusters" else cost, "n_clusters": arguments.n_clusters}
    options["random_state"] = arguments.seed
    with progress("consensus"):
        result = solve_hard_median_partition(labels, **_keywords(options))
        agreements = 1.0 - partition_losses(encode(labels), result.labels, LOSSES["omari"])
    radius = float(radius_of(result.losses, result.weights, LEVEL))
    results = {name: getattr(result, name) for name in ("objective", "cost", "converged", "n_passes")}
    assessment = None
    if arguments.certify:
        most = max(arguments.n_clusters or len(labels), result.n_clusters)
        encoding = weigh_by(encode(labels), check_cluster_weights(options["cluster_weights"]))
        with progress("certificate"):
            assessment = assess_partition(encoding, result.weights, result.labels, most, result.cost)
    results |= {"credible_radius": radius} | _certificate(assessment)
    summary = summarise_partition(result, agreements, titles, certificate_rows(assessment, len(result.labels)))
    return Found(result.labels, None, result.weights, result.losses, agreements, options, results, summary, None)


def _certificate(assessment):
    """What the summary for programs says of it; losses per ordered pair of objects."""
    return {} if assessment is None else {"certificate": assessment._asdict() | {"excess": assessment.excess}}


def choose_n_clusters(arguments, labels):
    """The number of clusters given, or the one of the candidates that the clusterings support."""
    if isinstance(arguments.n_clusters, int):
        return arguments.n_clusters
    candidates = _CANDIDATES[: len(labels)] if arguments.n_clusters == "auto" else arguments.n_clusters
    low, high = candidates[0], candidates[-1]
    with progress(f"choosing the number of clusters from {low} to {high}"):
        selection = select_n_clusters(labels, candidates, n_jobs=arguments.n_jobs, random_state=arguments.seed)
    if selection.stable.any():
        say(f"number of clusters: {selection.n_clusters}, chosen from {low} to {high}")
    else:
        highest = f"{selection.split_stability.max():.2f}"
        say(f"number of clusters: 1, because none from {low} to {high} is stable (highest stability {highest})")
    return selection.n_clusters


def attained_agreement(labels, consensus):
    """Agreement beyond chance, as a share of the most that the cluster sizes allow; 1 for any finer clustering."""
    seen = labels != -1
    if not seen.any():
        return 0.0
    (_, apart_here), (apart_there, together) = pair_confusion_matrix(labels[seen], consensus[seen]).astype(float)
    most = together + min(apart_here, apart_there)
    pairs = seen.sum() * (seen.sum() - 1.0)
    expected = (together + apart_here) * (together + apart_there) / max(pairs, 1.0)
    return (together - expected) / (most - expected) if most > expected else 0.0
