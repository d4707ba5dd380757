"""The consensus that the arguments ask for: the number of clusters, and the fit."""

from typing import NamedTuple

import numpy as np
from sklearn.metrics.cluster import pair_confusion_matrix

from ..diagnostics.assurance import assure_partition
from ..diagnostics.selection import select_n_clusters
from ..estimators import RobustEAC
from ..hard.credible_ball import LEVEL, radius_of
from ..hard.median_partition import solve_hard_median_partition
from ..hard.search import LOSSES, Aim, partition_losses
from ..solve.encoding import encode
from ..summary import assure, summarise, summarise_partition
from ..weightings.clusters import check_cluster_weights, weigh_by
from .console import progress, say, solver_lines, warn
from .options import AUTO_CANDIDATES
from .solver_options import PASSED, PASSED_WITH_LOSS

# The number of clusters cannot be judged by halves of fewer clusterings than this.
_FEW = 6
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
    model: RobustEAC | None


def find_consensus(arguments, labels, titles):
    """The consensus :class:`Found`; warns if the clusterings hardly agree with it, or it joins all that they part."""
    found = (_fit if arguments.loss is None else _search)(arguments, labels, titles)
    if found.labels.max() > 0:
        _warn_of_low_agreement(labels, found)
    elif arguments.loss is not None and found.agreements.min() < 1.0:
        warn("all objects are in one cluster, which costs least. Are the columns clusterings, and the rows objects?")
    return found


def _fit(arguments, labels, titles):
    """What a RobustEAC finds."""
    merging = arguments.method == "merge"
    n_clusters = _n_clusters_to_merge(arguments) if merging else choose_n_clusters(arguments, labels)
    options = {name: getattr(arguments, name) for name in PASSED}
    model = RobustEAC(n_clusters, random_state=arguments.seed, verbose=int(arguments.verbose), **options)
    with solver_lines(arguments.verbose) as model._tell:
        model.fit(labels)
    # Merging minimises no objective.
    names = () if merging else ("objective", "gap", "converged", "n_iter")
    assurance = None
    if arguments.certify:
        with progress("certificate"):
            assurance = assure(model, labels, None, model._settings)
    return Found(
        labels=model.labels_,
        membership=model.membership_,
        weights=model.weights_,
        losses=model.losses_,
        agreements=model.agreements_,
        parameters=model.get_params(),
        results={name: getattr(model, f"{name}_") for name in names} | _certificate(assurance),
        summary=summarise(model, titles, model._settings, assurance),
        model=model,
    )


def _search(arguments, labels, titles):
    """A hard median partition."""
    options = {name: getattr(arguments, name) for name in PASSED_WITH_LOSS}
    cost = "n_clusters" if arguments.cost == "n-clusters" else arguments.cost
    options |= {"n_clusters": arguments.n_clusters, "cost": 1.0 if cost is None else cost}
    options |= {"random_state": arguments.seed}
    with progress("consensus"):
        result = solve_hard_median_partition(labels, **options)
        adjusted_rand = Aim(LOSSES["omari"], 1.0, len(labels))
        agreements = 1.0 - partition_losses(encode(labels), result.labels, adjusted_rand)
    radius = float(radius_of(result.losses, result.weights, LEVEL))
    results = {name: getattr(result, name) for name in ("objective", "cost", "converged", "n_passes")}
    results["credible_radius"] = radius
    assurance = None
    if arguments.certify:
        most = max(arguments.n_clusters or len(labels), result.n_clusters)
        encoding = weigh_by(encode(labels), check_cluster_weights(arguments.cluster_weights))
        with progress("certificate"):
            assurance = assure_partition(encoding, result.weights, result.labels, most, result.cost)
    results |= _certificate(assurance)
    summary = summarise_partition(result, radius, agreements, titles, options, assurance)
    return Found(result.labels, None, result.weights, result.losses, agreements, options, results, summary, None)


def _certificate(assurance):
    """What the summary for programs says of it; losses per ordered pair of objects."""
    if assurance is None:
        return {}
    return {"certificate": assurance._asdict() | {"excess": assurance.excess}}


def choose_n_clusters(arguments, labels):
    """The number of clusters given, or the one of the candidates that the clusterings support."""
    candidates = arguments.n_clusters
    if isinstance(candidates, int):
        return candidates
    if candidates == AUTO_CANDIDATES:
        candidates = candidates[: len(labels)]
    low, high = candidates[0], candidates[-1]
    with progress(f"choosing the number of clusters from {low} to {high}"):
        n_jobs = getattr(arguments, "n_jobs", None)
        selection = select_n_clusters(labels, candidates, n_jobs=n_jobs, random_state=arguments.seed)
    if selection.stable.any():
        say(f"number of clusters: {selection.n_clusters}, chosen from {low} to {high}")
    else:
        highest = f"{selection.split_stability.max():.2f}"
        say(f"number of clusters: 1, because none from {low} to {high} is stable (highest stability {highest})")
        if labels.shape[1] < _FEW:
            warn(f"{labels.shape[1]} clusterings are too few to choose the number of clusters; have at least {_FEW}.")
    return selection.n_clusters


def _n_clusters_to_merge(arguments):
    """An integer, or "auto", which merging answers itself and without candidates."""
    if isinstance(arguments.n_clusters, int):
        return arguments.n_clusters
    if arguments.n_clusters != AUTO_CANDIDATES:
        low, high = arguments.n_clusters[0], arguments.n_clusters[-1]
        raise ValueError(f"--n-clusters must be an integer or 'auto' for --method merge, got {low}-{high}.")
    return "auto"


def _warn_of_low_agreement(labels, found):
    """Warn if the clusterings hardly agree with the consensus, judged on some of the objects."""
    rows = np.random.RandomState(0).permutation(len(labels))[:_JUDGED]
    share = found.weights @ [attained_agreement(column, found.labels[rows]) for column in labels[rows].T]
    if share < _LOW_AGREEMENT:
        warn(
            f"the clusterings hardly agree with their consensus: {max(share, 0.0):.0%} of the agreement beyond chance "
            "that their cluster sizes allow. Are the columns clusterings, or features?"
        )


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
