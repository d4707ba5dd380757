"""A fitted consensus, in words."""

from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np

from . import validation as check
from .diagnostics.certificates import Assessed, Assessment, assess_membership
from .diagnostics.identifiability import identifiability
from .ensemble import reading
from .ensemble.encoding import encode_ensemble
from .median_partition.losses import LOSSES, Loss
from .median_partition.objective import in_memory
from .median_partition.weightings import name_of
from .wording import counted, report_text, rows_found

# If losses differ from those of the fit by more than this share of their unit, X is not the fitted ensemble.
_SAME = 1e-6
# The rows on how sure a consensus is: on objects, then on the whole.
_ORDER = ("ambiguous", "confidence", "labels", "bound", "convergence")


class Settings(NamedTuple):
    """Properties of a fit that are not among its attributes.

    parameters : the model's parameters, by name.
    loss : what its objective minimises, None for merging.
    total : total weight of the objects.
    sample_weight : weight of each object, None if all are equal.
    """

    parameters: dict
    loss: Loss | None
    total: float
    sample_weight: np.ndarray | None

    @property
    def unit(self):
        """Unit of the losses."""
        return (self.loss or LOSSES["raw"]).unit(self.total)


def assess(model, X, sample_weight, *, bound=True):
    """The :class:`~robust_eac.diagnostics.certificates.Assessed` model; ValueError if X is not the fitted ensemble."""
    settings = model._settings
    labels = model.labels_
    if check.is_dask_array(labels):
        return Assessed(Assessment(unbounded="the fit was to a Dask array"))
    ensemble = reading.ensemble(X, name="X")
    if ensemble.shape != (len(labels), len(model.weights_)):
        raise ValueError(
            f"X must be the ensemble that was fitted, {counted(len(model.weights_), 'partition')} of "
            f"{counted(len(labels), 'object')}, got {ensemble.n_partitions:,} of {ensemble.n_samples:,}."
        )
    if ensemble.names is not None and hasattr(model, "feature_names_in_"):
        model._check_names(ensemble)
    reading.index(ensemble, name="X", sample_weight=sample_weight)
    encoding = encode_ensemble(ensemble, reading.sample_weight(sample_weight, ensemble))
    if settings.loss is None:
        membership = np.eye(model.n_clusters_found_)[labels]
        unbounded = "merging minimises no objective"
    else:
        membership = model.membership_
        unbounded = settings.loss.unbounded
    objective = in_memory(encoding, membership.shape[1], settings.loss or LOSSES["raw"])
    losses = objective.losses(objective.measure(membership))
    if not np.allclose(losses, model.losses_, rtol=0.0, atol=_SAME * settings.unit):
        raise ValueError(
            "X and sample_weight must be those of the fit, got others: the mean loss of the partitions is "
            f"{losses.mean():.6g}, in the fit it was {model.losses_.mean():.6g}."
        )
    if unbounded is None and not bound:
        unbounded = "not computed without --certify"
    return assess_membership(encoding, model.weights_, membership, labels, unbounded=unbounded)


def summarise(model, names, assessment=None):
    """The report on a fitted :class:`~robust_eac.RobustEAC`, whose labels and membership may be Dask arrays."""
    found, sure = describe(model, names, assessment)
    return report_text(found, sure, len(model.labels_), model.weights_, model.agreements_, names)


def describe(model, names, assessment=None):
    """The rows of the report on a fitted model, as two dicts {subject: text}: what was found, and how sure it is."""
    n = len(model.labels_)
    settings = model._settings
    is_merged = settings.loss is None
    parameters = settings.parameters
    weighting = "the trusted ones, with equal weights" if is_merged else name_of(parameters["weighting"])
    found = rows_found(model.labels_, parameters["n_clusters"], model.weights_, weighting, model.agreements_, names)
    if model.n_clusters_found_ == 1:
        found["weights"] += "; trust is not judged, because one cluster agrees with no partition"
    sure = certificate_rows(assessment, n)
    unsure = _share(int((model.confidence_ < 0.9).sum()), n)
    if is_merged:
        sure["confidence"] = f"{unsure} with a share of similarity below 0.9"
    else:
        sure["confidence"] = f"{unsure} with a largest membership below 0.9"
        if isinstance(model.membership_, np.ndarray):
            sure["labels"] = _labels(model.membership_, settings.sample_weight, assessment)
        verdict = "converged" if model.converged_ else f"NOT converged to tol {parameters['tol']:.2g}"
        sure["convergence"] = f"{verdict}: gap {model.gap_:.2g}"
    return found, {subject: sure[subject] for subject in _ORDER if subject in sure}


def _labels(membership, sample_weight, assessment):
    """Whether the losses identify the labels, in words."""
    if assessment is None:
        result = identifiability(membership, sample_weight)
        n_unidentified, _, proven = (None, None, None) if result is None else result.counts
    else:
        n_unidentified = assessment.n_unidentified
        proven = assessment.identified
    if n_unidentified is None:
        return "not computed: too many clusters"
    few = "no object found that"
    if n_unidentified:
        few = _share(n_unidentified, len(membership))
    elif proven:
        few = "identified: no object"
    return f"{few} can change cluster at the same losses"


def _share(few, n):
    return f"{counted(few, 'object')} ({100 * few / n:.1f} %)"


def certificate_rows(assessment, n_samples):
    """Two rows of the report: the ambiguous objects, and the distance to the bound; empty if there is no assessment."""
    if assessment is None:
        return {}
    if assessment.bound is None:
        distance = f"none: {assessment.unbounded}"
    else:
        above = f"{assessment.loss:.2g} per ordered pair of objects"
        if assessment.excess is not None:
            above = f"{_at_most(100.0 * assessment.excess)} %"
        distance = f"the loss is at most {above} above the least possible with these weights"
    few = "not counted"
    if assessment.n_ambiguous is not None:
        few = f"{_share(assessment.n_ambiguous, n_samples)} can move to another cluster at little cost"
    return {"ambiguous": few, "bound": distance}


def _at_most(value):
    """A positive number rounded up to two digits, at least 0.001."""
    value = max(value, 1e-3)
    unit = 10.0 ** (floor(log10(value)) - 1)
    return f"{ceil(value / unit) * unit:.6g}"
