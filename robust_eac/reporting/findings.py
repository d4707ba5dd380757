"""The numbers in the report on a fitted consensus."""

from copy import deepcopy
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..alternation.one_start import Limits, Problem
from ..alternation.several_starts import solve
from ..checks.values import MAX_SEED, check_n_jobs, check_random_state
from ..consensus.eac import coassociation_of
from ..consensus.merge import merge_labels
from ..core.encoding import take_rows
from ..core.formula import accumulate, adjusted_agreements, losses_of
from ..diagnostics.agreement import AgreementTest, adjusted_agreement, agreement_test_of
from ..diagnostics.certificates import Assessment, Moves
from ..objectives import objective_for
from ..plotting.matrices import draw_objects, order_by_group
from ..summary import assess_encoded, describe, encode_fitted
from ..weightings.joint import WEIGHTINGS
from ..weightings.pairs import compare_pairs
from ..weightings.trust import linked_group, near_copies

# Largest number of objects in the heat map.
_DRAWN = 400
# Weightings to compare with that of the fit.
_WEIGHTINGS = ("uniform", "restricted-simplex", "chance-corrected")
# Largest number of starts of the solutions that are compared.
_STARTS = 5
# Parameters of these solutions if the model has none.
_DEFAULTS = {"n_init": 10, "tol": 1e-5, "max_iter": 100}


class Alternative(NamedTuple):
    """A consensus found by another method.

    n_with_weight : number of partitions with weight.
    agreement : adjusted Rand index with the consensus of the report; None for that consensus itself.
    losses : of its labels, per ordered pair of objects: with equal weights, and with the weights of the report.
    mean_agreement : of all partitions with its labels.
    """

    name: str
    n_clusters: int
    n_with_weight: int
    agreement: float | None
    losses: tuple[float, float]
    mean_agreement: float


class Nearest(NamedTuple):
    """The partition that agrees most with the consensus.

    clusters : names of its clusters. overlap : (clusters of the consensus, its clusters) total weight of the objects
        that are in both, their number if objects have no weights.
    """

    partition: int
    clusters: list
    overlap: np.ndarray


class Findings(NamedTuple):
    """A fitted consensus. `labels` and `certainty` are per object, the other arrays per partition.

    rows : texts of the summary, by subject. assessment : the numbers in two of them.
    labels, certainty : cluster of every object, and its largest membership.
    moves : the best move of every object.
    losses : per ordered pair of objects, or shares of the losses by chance.
    test : None if objects have weights between 0 and 1.
    n_clusters, n_observed : clusters, and weight of the observed objects, of every partition.
    n_missing : number of missing labels.
    families : number of the family of near copies, from 1; 0 for none.
    heat_map : co-association of some objects, ordered by cluster, and the cluster of each.
    alternatives : this consensus first.
    """

    rows: dict
    assessment: Assessment
    labels: np.ndarray
    certainty: np.ndarray
    moves: Moves
    weights: np.ndarray
    losses: np.ndarray
    agreements: np.ndarray
    nearest: Nearest
    test: AgreementTest | None
    n_clusters: np.ndarray
    n_observed: np.ndarray
    n_missing: int
    families: np.ndarray
    heat_map: tuple[np.ndarray, np.ndarray]
    alternatives: list


def find_out(model, ensemble, sample_weight, settings):
    """The :class:`Findings` on a model fitted to arrays in memory; ValueError if the ensemble is not the fitted one."""
    encoding, membership = encode_fitted(model, ensemble, sample_weight, settings)
    parameters = _DEFAULTS | settings.parameters
    labels, k = model.labels_, membership.shape[1]
    # A copy of the generator, so that two reports on one model are the same.
    rng = check_random_state(deepcopy(parameters["random_state"]))
    effort = {
        "seeds": rng.randint(MAX_SEED, size=min(parameters["n_init"], _STARTS)),
        "limits": Limits(parameters["tol"], parameters["max_iter"]),
        "n_jobs": check_n_jobs(parameters["n_jobs"]),
    }
    pairs = compare_pairs(encoding, rng)
    hard = np.eye(labels.max() + 1)[labels]
    counts = np.all((encoding.rows.multiplicity == 0.0) | (encoding.rows.multiplicity >= 1.0))
    assessment, moves = assess_encoded(model, encoding, membership, settings)
    return Findings(
        rows=describe(model, settings, assessment),
        assessment=assessment,
        labels=labels,
        certainty=model.confidence_,
        moves=moves,
        weights=model.weights_,
        losses=model.losses_ if settings.adjusted else model.losses_ / settings.total**2,
        agreements=model.agreements_,
        nearest=_nearest(encoding, ensemble, model.agreements_, hard),
        test=agreement_test_of(encoding, membership) if counts else None,
        n_clusters=encoding.partitions.n_clusters,
        n_observed=encoding.partitions.n_observed,
        n_missing=int((~encoding.rows.observed).sum(axis=0)[encoding.partitions.mask_of].sum()),
        families=families_of(pairs, model.agreements_),
        heat_map=_heat_map(encoding, model.weights_, labels, rng),
        alternatives=_alternatives(encoding, ensemble, sample_weight, model, settings, k, hard, rng, effort),
    )


def families_of(pairs, agreements):
    """(m,) number of the family of near copies of each partition, the largest family first; 0 for none."""
    m = len(agreements)
    first, second = np.nonzero(near_copies(pairs, agreements))
    graph = coo_array((np.ones(len(first)), (pairs.references[first], second)), shape=(m, m))
    part = connected_components(graph, directed=False)[1]
    sizes = np.bincount(part)
    order = np.argsort(-sizes, kind="stable")
    numbers = np.zeros(len(sizes), dtype=np.intp)
    numbers[order] = np.arange(1, len(sizes) + 1)
    return np.where(sizes[part] > 1, numbers[part], 0)


def _nearest(encoding, ensemble, agreements, hard):
    """The :class:`Nearest` to a hard membership."""
    partitions, u = encoding.partitions, int(np.argmax(agreements))
    overlap = accumulate(encoding, hard)[0][partitions.cluster_slots[u]].T
    values = np.unique(ensemble.labels[:, u])
    values = values[values != -1].tolist()
    names = None if ensemble.categories is None else ensemble.categories[u]
    return Nearest(u, values if names is None else [names[value] for value in values], overlap)


def _agreements_with(hard, partitions, sample_weight):
    """Adjusted Rand indices of some label vectors with a hard membership."""
    if len(partitions) == 0:
        return np.empty(0)
    return adjusted_agreement(np.column_stack(partitions), hard, sample_weight=sample_weight)


def _heat_map(encoding, weights, labels, rng):
    """(co-association of some objects in the order of their clusters, their clusters)."""
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
    # Merging needs objects without weights.
    if not settings.merged and sample_weight is None:
        merged = merge_labels(ensemble, k, model.weights_, n_jobs=effort["n_jobs"], random_state=rng).labels
        found.append(("merging with these weights", merged, model.weights_))
    agreements = _agreements_with(hard, [labels for _, labels, _ in found[1:]], sample_weight)
    return [
        _graded(encoding, name, labels, weights, agreement, model.weights_)
        for (name, labels, weights), agreement in zip(found, [None, *agreements.tolist()], strict=True)
    ]


def _graded(encoding, name, labels, weights, agreement, own):
    """The :class:`Alternative` with these labels and weights, compared with a consensus of the weights `own`."""
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
    weighting = kind().ready(len(encoding.partitions.offsets), objective.unit, partial(linked_group, encoding, rng))
    run, membership = solve(Problem(objective, weighting), "random", **effort)
    return membership.argmax(axis=1), run.weights
