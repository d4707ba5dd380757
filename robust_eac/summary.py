"""A fitted consensus, in words."""

from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np

from .checks.common import percent
from .checks.labels import check_ensemble, check_sample_weight
from .checks.values import is_dask_array
from .diagnostics.certificates import UNSURE, Assurance, assure_membership
from .hard.losses import LEVEL
from .hard.tables import LOSSES
from .objectives import agreements_with
from .solve.encoding import encode_ensemble
from .weightings.clusters import check_cluster_weights, weigh_by
from .weightings.joint import WEIGHTINGS, Fixed, FromFunction, as_weighting

# Up to so many partitions are listed all, otherwise so many from either end; sizes of clusters; characters of a name.
_ALL_LISTED = 15
_LISTED = 3
_SIZES = 8
_NAME = 24
# Chance-corrected agreements that differ by more are those of another ensemble than the one that was fitted.
_SAME = 1e-6
# What the objective of a hard partition is counted in.
_UNITS = {"binder": " per ordered pair of objects", "vi": " bits", "id": " bits"}


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
    agreements = agreements_with(encoding, membership)
    if not np.allclose(agreements, model.agreements_, rtol=0.0, atol=_SAME):
        raise ValueError(
            "X and sample_weight must be those of the fit, got others: the partitions agree with the consensus by "
            f"{_rounded(agreements.mean())} in the mean, those of the fit by {_rounded(model.agreements_.mean())}."
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
    return _report(rows, len(model.labels_), model.weights_, model.agreements_, names)


def describe(model, settings, assurance=None):
    """The rows of the report on a fitted model: what they are about and what they say."""
    agreements = model.agreements_
    rows = {"clusters": _clusters(model.labels_, settings.parameters["n_clusters"])}
    if not settings.merged:
        if not_default := _model(settings):
            rows["model"] = not_default
        rows["objective"] = _objective(model.objective_, settings)
        rows["convergence"] = _convergence(model, settings.parameters["tol"])
    rows |= _assured(assurance, len(model.labels_))
    rows["weights"] = _weights(model.weights_, "trust" if settings.merged else settings.parameters["weighting"])
    rows["agreement"] = _agreement(model.weights_, agreements)
    if settings.second_mode:
        share = 100.0 * settings.second_mode / len(agreements)
        size = f"{counted(settings.second_mode, 'partition')} ({share:.0f} %) without weight"
        rows["second mode"] = f"{size} agree with each other, hardly with this consensus"
    kind = "share of similarity" if settings.merged else "largest membership"
    rows["confidence"] = f"{kind} {_below(model.confidence_)}"
    return rows


def summarise_partition(result, radius, agreements, names, options, assurance=None):
    """The report on a hard median partition, with its solver's options and the radius of its credible ball."""
    unit, level = _UNITS.get(options["loss"], ""), percent(LEVEL)
    cost = f", cost {result.cost:.4g}" if LOSSES[options["loss"]].linear else ""
    passes = counted(result.n_passes, "pass", "passes")
    rows = {
        "clusters": _clusters(result.labels, options["n_clusters"]),
        "loss": f"{options['loss']}{cost}",
        "objective": f"{result.objective:.5g}{unit}",
        "distances": f"nearest partition {result.losses.min():.5g}; {level} of the weight within {radius:.5g}{unit}",
        "convergence": f"{'converged' if result.converged else 'NOT converged'} after {passes}",
        **_assured(assurance, len(result.labels)),
        "weights": _weights(result.weights, options["weighting"]),
        "agreement": _agreement(result.weights, agreements),
    }
    return _report(rows, len(result.labels), result.weights, agreements, names)


def _report(rows, n_samples, weights, agreements, names):
    lines = [headline(n_samples, len(agreements)), ""]
    if out := weightless(weights, agreements, names):
        rows["no weight"] = out
    lines += [f"{name:<13}{text}" for name, text in rows.items()]
    return "\n".join([*lines, "", *_table(weights, agreements, names)])


def headline(n_samples, n_partitions):
    """The first line of a report."""
    return f"Consensus of {counted(n_partitions, 'partition')} of {counted(n_samples, 'object')}"


def counted(number, noun, plural=None):
    """A number and its noun: 1 object, 1,000 objects."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def _clusters(labels, n_clusters):
    found = int(labels.max()) + 1
    sizes = np.asarray(np.bincount(labels, minlength=found))
    listed = ", ".join(f"{size:,}" for size in sizes[:_SIZES]) + (", ..." if found > _SIZES else "")
    wanted = {"auto": "as the cut of largest lift", None: "without a limit"}.get(n_clusters)
    wanted = wanted or f"of {n_clusters:,} asked for"
    return f"{found:,} found {wanted}; objects in each: {listed}"


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


def _assured(assurance, n_samples):
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
    share = f"{100 * assurance.n_unsure / n_samples:.1f} %"
    gains = f"; for {assurance.n_gaining:,} it gains" if assurance.n_gaining else ""
    unsure = f"{counted(assurance.n_unsure, 'object')} ({share}): moving one costs less than {percent(UNSURE)}"
    return {"bound": distance, "unsure": f"{unsure} of the loss per object{gains}"}


def _at_most(value):
    """A number above zero in two digits, rounded up, not below a thousandth."""
    value = max(value, 1e-3)
    unit = 10.0 ** (floor(log10(value)) - 1)
    return f"{ceil(value / unit) * unit:.6g}"


def name_of(weighting):
    """What a weighting is called: its name, or that of the function."""
    if isinstance(weighting, str):
        return weighting
    weighting = as_weighting(weighting)
    if isinstance(weighting, Fixed):
        return "given"
    if isinstance(weighting, FromFunction):
        return getattr(weighting.function, "__name__", type(weighting.function).__name__)
    return next((name for name, kind in WEIGHTINGS.items() if kind is type(weighting)), type(weighting).__name__)


def _weights(weights, weighting):
    with_weight = np.count_nonzero(weights)
    split = f"{counted(with_weight, 'partition')} with weight, {len(weights) - with_weight:,} without"
    name, copies = name_of(weighting), np.count_nonzero((weights > 0.0) & (weights < (1.0 - 1e-9) * weights.max()))
    # Only there do members of a family of near copies share the weight of one partition.
    share = f"; {copies:,} of them share it with near copies" if name == "chance-corrected" and copies else ""
    return f"{name}: {split}{share}"


def _agreement(weights, agreements):
    mean, by_weight = _rounded(agreements.mean()), _rounded(weights @ agreements)
    return f"of the partitions with the consensus: mean {mean}, by weight {by_weight} (1: same, 0: chance)"


def _below(largest):
    """How many objects have a small largest membership."""
    below, n = [(bound, int((largest < bound).sum())) for bound in (0.5, 0.9)], len(largest)
    return ", ".join(f"below {bound} for {counted(few, 'object')} ({100 * few / n:.1f} %)" for bound, few in below)


def _table(weights, agreements, names):
    """Lines with the partitions of largest and smallest weight, by agreement among equal ones."""
    order = list(np.lexsort((-agreements, -weights)))
    if len(order) > _ALL_LISTED:
        order[_LISTED:-_LISTED] = [None]
    cells = [("partition", "weight", "agreement")]
    for u in order:
        row = ("...", "", "") if u is None else (shortened(names[u]), f"{weights[u]:.3g}", _rounded(agreements[u]))
        cells.append(row)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def weightless(weights, agreements, names):
    """Which partitions have no weight, those of least agreement by name; "" if all have some."""
    out = np.flatnonzero(weights == 0.0)
    listed = [shortened(names[u]) for u in out[np.argsort(agreements[out], kind="stable")[:_LISTED]]]
    return ", ".join(listed) + (f" and {len(out) - _LISTED:,} more" if len(out) > _LISTED else "")


def shortened(name):
    """A name on one line, shortened."""
    text = " ".join(str(name).split())
    return text if len(text) <= _NAME else f"{text[: _NAME - 3]}..."


def _rounded(value):
    """Three decimals, without a sign of zero."""
    return f"{round(float(value), 3) + 0.0:.3f}"
