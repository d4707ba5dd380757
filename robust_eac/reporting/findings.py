"""What a report says of a fitted consensus, in numbers."""

from copy import deepcopy
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..alternation.one_start import Limits, Problem
from ..alternation.several_starts import solve
from ..checks.labels import check_ensemble
from ..checks.values import MAX_SEED, check_n_jobs, check_random_state
from ..consensus.eac import coassociation_of
from ..consensus.merge import merge_labels
from ..core.encoding import take_rows
from ..core.formula import accumulate, adjusted_agreements, losses_of
from ..diagnostics.agreement import AgreementTest, adjusted_agreement, agreement_test_of
from ..diagnostics.certificates import Assurance, Moves, best_moves
from ..objectives import objective_for
from ..plotting.matrices import draw_objects, order_by_group
from ..solvers.consensus_modes import ConsensusModes, find_modes
from ..summary import assure_encoded, describe, encode_fitted
from ..weightings.clusters import check_cluster_weights, weigh_by
from ..weightings.joint import WEIGHTINGS, resolve_group
from ..weightings.pairs import compare_pairs
from ..weightings.trust import near_copies

# Objects in the heat map.
_DRAWN = 400
# Weightings to compare with, at most three of them beside that of the fit.
_WEIGHTINGS = ("uniform", "restricted-simplex", "chance-corrected")
# Starts of what is compared, at most.
_STARTS = 5
# What a model without these parameters is held against.
_DEFAULTS = {"n_init": 10, "tol": 1e-5, "max_iter": 100, "cluster_weights": None}


class Alternative(NamedTuple):
    """Another way to a consensus, and what it finds.

    n_with_weight : number of partitions with weight.
    agreement : its adjusted Rand index with the consensus of the report; None for that itself.
    losses : of its labels, per ordered pair of objects: with equal weights, with the weights of the report.
    mean_agreement : of all partitions with its labels.
    """

    name: str
    n_clusters: int
    n_with_weight: int
    agreement: float | None
    losses: tuple[float, float]
    mean_agreement: float


class Findings(NamedTuple):
    """A fitted consensus; arrays are per partition, or per object for the first three.

    rows : what the summary says, by subject. assurance : what two of them rest on.
    labels, certainty : cluster of every object, and its largest membership.
    moves : the best move of every object.
    losses : per ordered pair of objects, or shares of what chance would give.
    test : None if objects have weights between 0 and 1.
    n_clusters, n_observed : of every partition; objects count with their weight.
    n_missing : labels that no partition gives. n_soft : number of soft partitions.
    families : number of the family of near copies, from 1; 0 for none.
    mode_agreements : adjusted Rand index of the consensus of every mode with this one.
    heat_map : co-association of some objects, ordered by cluster, and the cluster of each.
    alternatives : this consensus first.
    """

    rows: dict
    assurance: Assurance
    labels: np.ndarray
    certainty: np.ndarray
    moves: Moves
    weights: np.ndarray
    losses: np.ndarray
    agreements: np.ndarray
    test: AgreementTest | None
    n_clusters: np.ndarray
    n_observed: np.ndarray
    n_missing: int
    n_soft: int
    families: np.ndarray
    modes: ConsensusModes
    mode_agreements: np.ndarray
    heat_map: tuple[np.ndarray, np.ndarray]
    alternatives: list


def find_out(model, X, sample_weight, settings):
    """The :class:`Findings` on a model fitted to arrays in memory; ValueError if X is not what it was fitted to."""
    ensemble = check_ensemble(X, name="X")
    encoding, membership = encode_fitted(model, ensemble, sample_weight, settings)
    parameters, labels, k = _DEFAULTS | settings.parameters, model.labels_, membership.shape[1]
    # Two reports on one model are the same.
    rng = check_random_state(deepcopy(parameters["random_state"]))
    effort = {
        "seeds": rng.randint(MAX_SEED, size=min(parameters["n_init"], _STARTS)),
        "limits": Limits(parameters["tol"], parameters["max_iter"]),
        "n_jobs": check_n_jobs(parameters["n_jobs"]),
    }
    pairs = compare_pairs(encoding, rng)
    limit = len(model.weights_)
    modes = find_modes(encoding, pairs, k, limit, "adjusted", **effort)
    hard = np.eye(labels.max() + 1)[labels]
    counts = np.all((encoding.rows.multiplicity == 0.0) | (encoding.rows.multiplicity >= 1.0))
    weighed = weigh_by(encoding, check_cluster_weights(parameters["cluster_weights"]))
    assurance = assure_encoded(model, encoding, membership, settings)
    return Findings(
        rows=describe(model, settings, assurance),
        assurance=assurance,
        labels=labels,
        certainty=model.confidence_,
        moves=best_moves(weighed, model.weights_, labels, k, membership),
        weights=model.weights_,
        losses=model.losses_ if settings.adjusted else model.losses_ / settings.total**2,
        agreements=model.agreements_,
        test=agreement_test_of(encoding, membership) if counts else None,
        n_clusters=encoding.partitions.n_clusters,
        n_observed=encoding.partitions.n_observed,
        n_missing=int((~encoding.rows.observed).sum(axis=0)[encoding.partitions.mask_of].sum()),
        n_soft=len(encoding.partitions.soft),
        families=families_of(pairs, np.max([model.agreements_, *modes.agreements], axis=0)),
        modes=modes,
        mode_agreements=_agreements_with(hard, modes.labels.T, sample_weight),
        heat_map=_heat_map(encoding, model.weights_, labels, rng),
        alternatives=_alternatives(encoding, ensemble, sample_weight, model, settings, k, hard, rng, effort),
    )


def families_of(pairs, agreements):
    """(m,) number of the family of near copies that a partition is in, the largest family first; 0 for none."""
    m = len(agreements)
    first, second = np.nonzero(near_copies(pairs, agreements))
    graph = coo_array((np.ones(len(first)), (pairs.references[first], second)), shape=(m, m))
    part = connected_components(graph, directed=False)[1]
    sizes = np.bincount(part)
    order = np.argsort(-sizes, kind="stable")
    numbers = np.zeros(len(sizes), dtype=np.intp)
    numbers[order] = np.arange(1, len(sizes) + 1)
    return np.where(sizes[part] > 1, numbers[part], 0)


def _agreements_with(hard, partitions, sample_weight):
    """Adjusted Rand indices of some label vectors with a hard membership."""
    if len(partitions) == 0:
        return np.empty(0)
    return adjusted_agreement(np.column_stack(partitions), hard, sample_weight=sample_weight)


def _heat_map(encoding, weights, labels, rng):
    drawn = draw_objects(labels, _DRAWN, rng)
    together = coassociation_of(take_rows(encoding, drawn), weights)
    order = order_by_group(together, labels[drawn])
    return together[np.ix_(order, order)], labels[drawn][order]


def _alternatives(encoding, ensemble, sample_weight, model, settings, k, hard, rng, effort):
    """The :class:`Alternative` of this consensus, of other weightings, and of merging with the weights found."""
    found = [("this consensus", model.labels_, model.weights_)]
    for name in _WEIGHTINGS:
        if settings.merged or not np.array_equal(settings.parameters["weighting"], name):
            found.append((f"weighting {name}", *_median_partition(encoding, name, k, rng, effort)))
    # Merging takes hard partitions of objects that count alike.
    if (
        not settings.merged
        and sample_weight is None
        and len(encoding.partitions.hard) == len(encoding.partitions.offsets)
    ):
        merged = merge_labels(ensemble, k, model.weights_, n_jobs=effort["n_jobs"], random_state=rng).labels
        found.append(("merging with these weights", merged, model.weights_))
    agreements = _agreements_with(hard, [labels for _, labels, _ in found[1:]], sample_weight)
    return [
        _graded(encoding, name, labels, weights, agreement, model.weights_)
        for (name, labels, weights), agreement in zip(found, [None, *agreements.tolist()], strict=True)
    ]


def _graded(encoding, name, labels, weights, agreement, own):
    """The :class:`Alternative` with these labels and weights, beside a consensus with the weights `own`."""
    rows = np.eye(labels.max() + 1)[labels]
    S, G = accumulate(encoding, rows)
    losses = losses_of(encoding.partitions, S, G) / encoding.partitions.total**2
    return Alternative(
        name=name,
        n_clusters=len(np.unique(labels)),
        n_with_weight=int(np.count_nonzero(weights)),
        agreement=agreement,
        losses=(float(losses.mean()), float(own @ losses)),
        mean_agreement=float(adjusted_agreements(encoding, rows).mean()),
    )


def _median_partition(encoding, name, k, rng, effort):
    """(labels, weights) of the median partition with another weighting and otherwise the defaults."""
    kind = WEIGHTINGS[name]
    objective = objective_for(encoding, k, "adjusted" if kind.corrected else "raw")
    weighting, _ = resolve_group(kind().bind(len(encoding.partitions.offsets), objective.unit), encoding, rng)
    run, membership = solve(Problem(objective, weighting), "random", **effort)
    return membership.argmax(axis=1), run.weights
