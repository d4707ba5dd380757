"""A fitted consensus, in words."""

from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np

from . import validation as check
from .core.encoding import encode_ensemble
from .core.formula import adjusted_agreements
from .diagnostics.certificates import AMBIGUOUS, Assessment, assess_membership
from .diagnostics.identifiability import identifiability
from .median_partition.base import Objective
from .median_partition.weightings import name_of
from .wording import agreement_of, clusters_found, counted, percent, report_text, rounded, with_weight

# If chance-corrected agreements differ from those of the fit by more than this, X is not the fitted ensemble.
_SAME = 1e-6


class Settings(NamedTuple):
    """Properties of a fit that are not among its attributes.

    parameters : the model's parameters, by name.
    objective : its objective class, None for merging.
    total : total weight of the objects.
    sample_weight : weight of each object, None if all are equal.
    """

    parameters: dict
    objective: type[Objective] | None
    total: float
    sample_weight: np.ndarray | None

    @property
    def unit(self):
        """Unit of the losses."""
        return (self.objective or Objective).unit(self.total)


def assess(model, X, sample_weight, settings):
    """The Assessment of a fitted :class:`~robust_eac.RobustEAC`; ValueError if X is not the fitted ensemble."""
    if check.is_dask_array(model.labels_):
        return Assessment(unbounded="the fit was to a Dask array")
    return assess_encoded(model, *encode_fitted(model, X, sample_weight, settings), settings)[0]


def encode_fitted(model, X, sample_weight, settings):
    """(encoding, membership) of a model fitted to arrays in memory; ValueError if X is not the fitted ensemble."""
    ensemble, labels = check.ensemble(X, name="X"), model.labels_
    if (ensemble.n_samples, ensemble.n_partitions) != (len(labels), len(model.weights_)):
        raise ValueError(
            f"X must be the ensemble that was fitted, {counted(len(model.weights_), 'partition')} of "
            f"{counted(len(labels), 'object')}, got {ensemble.n_partitions:,} of {ensemble.n_samples:,}."
        )
    if ensemble.names is not None and hasattr(model, "feature_names_in_"):
        model._check_names(ensemble)
    check.index(ensemble, name="X", sample_weight=sample_weight)
    encoding = encode_ensemble(ensemble, check.sample_weight(sample_weight, ensemble))
    membership = np.eye(model.n_clusters_found_)[labels] if settings.objective is None else model.membership_
    agreements = adjusted_agreements(encoding, membership)
    if not np.allclose(agreements, model.agreements_, rtol=0.0, atol=_SAME):
        raise ValueError(
            "X and sample_weight must be those of the fit, got others: the partitions agree with the consensus by "
            f"{rounded(agreements.mean())} in the mean, those of the fit by {rounded(model.agreements_.mean())}."
        )
    return encoding, membership


def assess_encoded(model, encoding, membership, settings):
    """(Assessment, Moves) of a fitted model from the result of :func:`encode_fitted`."""
    unbounded = "merging minimises no objective" if settings.objective is None else settings.objective.unbounded
    return assess_membership(encoding, model.weights_, membership, model.labels_, unbounded=unbounded)


def summarise(model, names, settings, assessment=None):
    """The report on a fitted :class:`~robust_eac.RobustEAC`, whose labels and membership may be Dask arrays."""
    rows = describe(model, settings, assessment)
    return report_text(rows, len(model.labels_), model.weights_, model.agreements_, names)


def describe(model, settings, assessment=None):
    """The rows of the report on a fitted model: {subject: text}."""
    agreements = model.agreements_
    rows = {"clusters": clusters_found(model.labels_, settings.parameters["n_clusters"])}
    if settings.objective is not None:
        if settings.objective.corrected:
            rows["model"] = "losses corrected for chance"
        rows["objective"] = _objective(model.objective_, settings)
        rows["convergence"] = _convergence(model, settings.parameters["tol"])
        if isinstance(model.membership_, np.ndarray):
            if assessment is None:
                found = identifiability(model.membership_, settings.sample_weight)
                counts = (None, None, None) if found is None else found.counts
            else:
                counts = assessment.n_unidentified, assessment.label_agreement, assessment.identified
            rows["labels"] = _identified(*counts, len(model.labels_))
    rows |= certificate_rows(assessment, len(model.labels_))
    weighting = "trust" if settings.objective is None else name_of(settings.parameters["weighting"])
    rows["weights"] = with_weight(model.weights_, weighting)
    if model.n_clusters_found_ == 1:
        rows["weights"] += "; trust is not judged, because one cluster agrees with no partition"
    rows["agreement"] = agreement_of(model.weights_, agreements, len(model.labels_))
    kind = "share of similarity" if settings.objective is None else "largest membership"
    shares = ((bound, int((model.confidence_ < bound).sum())) for bound in (0.5, 0.9))
    few = (f"below {bound} for {_share(count, len(model.labels_))}" for bound, count in shares)
    rows["confidence"] = f"{kind} {', '.join(few)}"
    return rows


def _objective(objective, settings):
    if settings.objective.corrected:
        return f"{objective:.5g}, in shares of the losses that chance would give"
    return f"{objective:.5g}, or {objective / settings.unit:.4g} per ordered pair of objects"


def _convergence(model, tol):
    steps = counted(model.n_iter_, "alternation")
    if model.converged_:
        return f"converged: gap {model.gap_:.2g} after {steps}"
    return f"NOT converged: gap {model.gap_:.2g} > tol {tol:.2g} after {steps}"


def _identified(n_unidentified, agreement, proven, n_samples):
    """Whether the losses identify the labels, in words."""
    if n_unidentified is None:
        return "not computed: too many clusters"
    if proven:
        return "identified: memberships with the same losses have the same labels"
    if n_unidentified == 0:
        return "no other labels found among memberships with the same losses"
    few = _share(n_unidentified, n_samples)
    return f"memberships with the same losses have {few} elsewhere; adjusted Rand index down to {rounded(agreement)}"


def _share(few, n):
    return f"{counted(few, 'object')} ({100 * few / n:.1f} %)"


def certificate_rows(assessment, n_samples):
    """Two rows of the report: the distance to the bound, and the ambiguous objects; empty if there is no assessment."""
    if assessment is None:
        return {}
    loss, bound, excess = assessment.loss, assessment.bound, assessment.excess
    if bound is None:
        distance = f"none: {assessment.unbounded}"
    elif excess is None:
        distance = f"weighted loss at most {loss:.2g} per ordered pair of objects above the least possible"
    else:
        distance = f"weighted loss at most {_at_most(100.0 * excess)} % above the least possible with these weights"
    if assessment.n_ambiguous is None:
        return {"bound": distance, "ambiguous": "not counted"}
    few = _share(assessment.n_ambiguous, n_samples)
    text = f"{few}: moving one costs less than {percent(AMBIGUOUS)} of the loss per object"
    if assessment.n_gaining:
        text += f"; for {assessment.n_gaining:,} it gains"
    if assessment.n_unidentified:
        text += f"; at the same losses {assessment.n_unidentified:,} can be elsewhere"
    return {"bound": distance, "ambiguous": text}


def _at_most(value):
    """A positive number rounded up to two digits, at least 0.001."""
    value = max(value, 1e-3)
    unit = 10.0 ** (floor(log10(value)) - 1)
    return f"{ceil(value / unit) * unit:.6g}"
