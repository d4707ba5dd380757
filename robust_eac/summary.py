"""A fitted consensus, in words."""

from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np

from .checks.common import agreement_of, clusters_found, counted, percent, report, rounded, with_weight
from .checks.labels import check_ensemble, check_sample_weight
from .checks.values import is_dask_array
from .core.encoding import encode_ensemble
from .core.formula import adjusted_agreements
from .diagnostics.certificates import UNSURE, Assurance, assure_membership
from .diagnostics.determinacy import determinacy
from .weightings.clusters import check_cluster_weights, weigh_by
from .weightings.joint import name_of

# Chance-corrected agreements that differ by more are those of another ensemble than the one that was fitted.
_SAME = 1e-6


class Settings(NamedTuple):
    """What the report mentions of a fit beside its attributes.

    parameters : those of the model, by name. merged : whether the consensus is that of average linkage.
    adjusted : whether losses are corrected for chance. total : weight of all objects. second_mode : number of
    partitions in it; None if nobody looked.
    """

    parameters: dict
    merged: bool
    adjusted: bool
    total: float
    second_mode: int | None


def assure(model, X, sample_weight, settings):
    """The Assurance of a fitted :class:`~robust_eac.RobustEAC`; ValueError if X is not what it was fitted to."""
    if is_dask_array(model.labels_):
        return Assurance(unbounded="the fit was to a Dask array")
    return assure_encoded(model, *encode_fitted(model, X, sample_weight, settings), settings)


def encode_fitted(model, X, sample_weight, settings):
    """(encoding, membership) of a model fitted to arrays in memory; ValueError if X is not what it was fitted to."""
    ensemble, labels = check_ensemble(X, name="X"), model.labels_
    if (ensemble.n_samples, ensemble.n_partitions) != (len(labels), len(model.weights_)):
        raise ValueError(
            f"X must be the ensemble that was fitted, {counted(len(model.weights_), 'partition')} of "
            f"{counted(len(labels), 'object')}, got {ensemble.n_partitions:,} of {ensemble.n_samples:,}."
        )
    if ensemble.names is not None and hasattr(model, "feature_names_in_"):
        model._check_names(ensemble)
    encoding = encode_ensemble(ensemble, check_sample_weight(sample_weight, ensemble))
    membership = np.eye(model.n_clusters_found_)[labels] if settings.merged else model.membership_
    agreements = adjusted_agreements(encoding, membership)
    if not np.allclose(agreements, model.agreements_, rtol=0.0, atol=_SAME):
        raise ValueError(
            "X and sample_weight must be those of the fit, got others: the partitions agree with the consensus by "
            f"{rounded(agreements.mean())} in the mean, those of the fit by {rounded(model.agreements_.mean())}."
        )
    return encoding, membership


def assure_encoded(model, encoding, membership, settings):
    """The Assurance of a fitted model from what :func:`encode_fitted` returns."""
    cluster_weights = None if settings.merged else settings.parameters["cluster_weights"]
    unbounded = "merging minimises no objective" if settings.merged else None
    if settings.adjusted:
        unbounded = "the losses are corrected for chance; agreement='raw' has a bound"
    encoding = weigh_by(encoding, check_cluster_weights(cluster_weights))
    return assure_membership(encoding, model.weights_, membership, model.labels_, unbounded=unbounded)


def summarise(model, names, settings, assurance=None):
    """The report on a fitted :class:`~robust_eac.RobustEAC`, whose labels and membership may be Dask arrays."""
    rows = describe(model, settings, assurance)
    return report(rows, len(model.labels_), model.weights_, model.agreements_, names)


def describe(model, settings, assurance=None):
    """The rows of the report on a fitted model: what they are about and what they say."""
    agreements = model.agreements_
    rows = {"clusters": clusters_found(model.labels_, settings.parameters["n_clusters"])}
    if not settings.merged:
        if not_default := _model(settings):
            rows["model"] = not_default
        rows["objective"] = _objective(model.objective_, settings)
        rows["convergence"] = _convergence(model, settings.parameters["tol"])
        if isinstance(model.membership_, np.ndarray):
            rows["labels"] = _determined(determinacy(model.membership_))
    rows |= assured(assurance, len(model.labels_))
    weighting = "trust" if settings.merged else name_of(settings.parameters["weighting"])
    rows["weights"] = with_weight(model.weights_, weighting)
    rows["agreement"] = agreement_of(model.weights_, agreements)
    if settings.second_mode:
        share = 100.0 * settings.second_mode / len(agreements)
        size = f"{counted(settings.second_mode, 'partition')} ({share:.0f} %) without weight"
        rows["second mode"] = f"{size} agree with each other, hardly with this consensus"
    kind = "share of similarity" if settings.merged else "largest membership"
    rows["confidence"] = f"{kind} {_below(model.confidence_)}"
    return rows


def _model(settings):
    """How the losses differ from the paper's."""
    parts, given = [], settings.parameters["cluster_weights"]
    if settings.adjusted:
        parts.append("losses corrected for chance")
    if given is not None:
        parts.append(f"cluster weights: {given if isinstance(given, str) else 'given'}")
    return "; ".join(parts)


def _objective(objective, settings):
    if settings.adjusted:
        return f"{objective:.5g}, in shares of the losses that chance would give"
    return f"{objective:.5g}, or {objective / settings.total**2:.4g} per ordered pair of objects"


def _convergence(model, tol):
    steps = counted(model.n_iter_, "alternation")
    if model.converged_:
        return f"converged: gap {model.gap_:.2g} after {steps}"
    return f"NOT converged: gap {model.gap_:.2g} > tol {tol:.2g} after {steps}"


def _determined(found):
    if found is None:
        return "not looked at: very many clusters"
    agreement, undetermined = found
    if not undetermined.any():
        return "determined: memberships with the same losses have the same labels"
    few = _share(np.count_nonzero(undetermined), len(undetermined))
    return f"memberships with the same losses have {few} elsewhere; adjusted Rand index down to {rounded(agreement)}"


def _share(few, n):
    return f"{counted(few, 'object')} ({100 * few / n:.1f} %)"


def assured(assurance, n_samples):
    """Two rows: the distance to the bound, the unsure objects; none if nobody asked."""
    if assurance is None:
        return {}
    loss, bound, excess = assurance.loss, assurance.bound, assurance.excess
    if bound is None:
        distance = f"none: {assurance.unbounded}"
    elif excess is None:
        distance = f"weighted loss at most {loss:.2g} per ordered pair of objects above the least possible"
    else:
        distance = f"weighted loss at most {_at_most(100.0 * excess)} % above the least possible with these weights"
    if assurance.n_unsure is None:
        return {"bound": distance, "unsure": "not counted"}
    few = _share(assurance.n_unsure, n_samples)
    text = f"{few}: moving one costs less than {percent(UNSURE)} of the loss per object"
    text += f"; for {assurance.n_gaining:,} it gains" * bool(assurance.n_gaining)
    text += f"; at the same losses {assurance.n_undetermined:,} can be elsewhere" * bool(assurance.n_undetermined)
    return {"bound": distance, "unsure": text}


def _at_most(value):
    """A number above zero in two digits, rounded up, not below a thousandth."""
    value = max(value, 1e-3)
    unit = 10.0 ** (floor(log10(value)) - 1)
    return f"{ceil(value / unit) * unit:.6g}"


def _below(largest):
    """How many objects have a small largest membership."""
    below, n = [(bound, int((largest < bound).sum())) for bound in (0.5, 0.9)], len(largest)
    return ", ".join(f"below {bound} for {_share(few, n)}" for bound, few in below)
