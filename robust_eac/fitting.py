"""Parts of :meth:`~robust_eac.RobustEAC.fit`: what its parameters exclude, and what it reports and keeps."""

import inspect
import reprlib
import warnings
from functools import partial
from typing import NamedTuple

import numpy as np

from .checks.labels import check_ensemble
from .checks.values import check_choice, is_dask_array
from .distributed.solver import solve_and_grade_distributed
from .objectives.distance import AGREEMENTS
from .placing import Codebook, FixedConsensus, FixedGroups, hold_consensus, hold_groups, write_codebook
from .solve.descent import ROUNDING
from .solve.encoding import encode, select, weigh_clusters
from .solve.formula import accumulate, adjusted_agreement_of, agreement_from_losses
from .sparse.objective import MANY, agreements
from .sparse.rows import membership_of
from .weightings.tables import cluster_slots

METHODS = ("median-partition", "merge")
HARDENINGS = ("argmax", "search")
# Parameters of "merge"; all others belong to "median-partition".
_OF_MERGING = ("n_clusters", "method", "n_jobs", "random_state")


def ensemble_to_merge(model, X, sample_weight):
    """The checked ensemble; ValueError if they are not hard, or for options that merging does not support."""
    parameters = model.get_params(deep=False)
    for name, parameter in inspect.signature(type(model)).parameters.items():
        if name not in _OF_MERGING and not np.array_equal(parameters[name], parameter.default):
            raise ValueError(
                f'{name} belongs to method="median-partition" and must be {parameter.default!r} for method="merge", '
                f"got {reprlib.repr(parameters[name])}."
            )
    if sample_weight is not None:
        raise ValueError(f'sample_weight must be None for method="merge", got {type(sample_weight).__name__}.')
    ensemble = None if is_dask_array(X) else check_ensemble(X, name="X")
    if ensemble is None or len(ensemble.widths):
        kind = "a Dask array" if ensemble is None else "a list with memberships in it"
        raise ValueError(f'X must be a matrix of hard labels for method="merge", got {kind}.')
    return ensemble


def keep_names(model, ensemble):
    """What scikit-learn's estimators keep of the columns; it knows no lists of clusterings."""
    model.n_features_in_ = ensemble.n_partitions
    model.__dict__.pop("feature_names_in_", None)
    if ensemble.names is not None:
        model.feature_names_in_ = np.array(ensemble.names, dtype=object)


def check_names_of_fit(model, ensemble):
    """Ask for the partitions of the fit, in their order; in the words of scikit-learn, which knows no lists."""
    kind, known, found = type(model).__name__, getattr(model, "feature_names_in_", None), ensemble.names
    if known is not None and found is not None and list(known) != list(found):
        message = "The feature names should match those that were passed during fit.\n"
        unseen, missing = sorted(set(found) - set(known)), sorted(set(known) - set(found))
        if unseen:
            message += "\n- ".join(["Feature names unseen at fit time:", *unseen[:5]]) + "\n"
        if missing:
            message += "\n- ".join(["Feature names seen at fit time, yet now missing:", *missing[:5]]) + "\n"
        if not unseen and not missing:
            message += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(f"X: {message}")
    if ensemble.n_partitions != model.n_features_in_:
        raise ValueError(
            f"X has {ensemble.n_partitions} features, but {kind} is expecting {model.n_features_in_} features as input."
        )
    if known is None and found is not None:
        warnings.warn(f"X has feature names, but {kind} was fitted without feature names", UserWarning, stacklevel=4)
    if known is not None and found is None:
        text = f"X does not have valid feature names, but {kind} was fitted with feature names"
        warnings.warn(text, UserWarning, stacklevel=4)


def check_hardening(hardening, options, *, is_dask=False):
    """The hardening; ValueError if the search would lower another objective than the solver, or reads no such data."""
    if check_choice(hardening, HARDENINGS, name="hardening") == "search":
        choices = (("agreement", AGREEMENTS, "adjusted", "raw"), ("threshold", ("half", "data"), "data", "half"))
        for name, known, other, own in choices:
            if check_choice(getattr(options, name), known, name=name) == other:
                raise ValueError(
                    f'hardening must be "argmax" with {name}="{other}", got "search", which lowers the losses of '
                    f'{name}="{own}".'
                )
        if is_dask:
            raise ValueError('hardening must be "argmax" for a Dask array, got "search".')
    return hardening


def solve_chunks(X, sample_weight, n_clusters, options):
    if check_choice(options.agreement, AGREEMENTS, name="agreement") == "adjusted":
        raise ValueError('agreement must not be "adjusted" for a Dask array.')
    if check_choice(options.threshold, ("half", "data"), name="threshold") == "data":
        raise ValueError('threshold must be "half" for a Dask array, got "data".')
    if sample_weight is not None:
        raise ValueError("sample_weight must be None for a Dask array.")
    return solve_and_grade_distributed(X, n_clusters, options)


def agreements_of(encoding, result, distance):
    """Chance-corrected agreement of the partitions, all base clusters alike, with the consensus."""
    if encoding.slot_weights is None and not distance.in_pairs:
        return 1.0 - result.losses
    if result.membership.shape[1] > MANY:
        return agreements(encoding, membership_of(result.membership))
    if encoding.slot_weights is None and result.levels is None:
        return agreement_from_losses(encoding, result.losses, result.membership, diagonal=distance.diagonal)
    plain, rows = weigh_clusters(encoding, None), result.membership
    return adjusted_agreement_of(plain, accumulate(plain, rows)[0], rows)


class Known(NamedTuple):
    """What a model keeps of the objects it was fitted to, so as to place others: sums over base clusters.

    membership : those that :meth:`~robust_eac.RobustEAC.predict_membership` goes by.
    labels : those of hard labels that do not follow from the membership, or None.
    """

    book: Codebook
    membership: FixedConsensus | FixedGroups
    labels: FixedConsensus | None


def keep_consensus(ensemble, encoding, result, distance, tol, clusters=None):
    """The :class:`Known` of a median partition; `clusters` are its labels as one-hot rows if found by search."""
    active = np.flatnonzero(result.weights)
    part = select(encoding, active) if len(active) < len(result.weights) else encoding
    weights = result.weights[active]
    hold = partial(hold_consensus, part, weights, distance=distance, skip=max(tol, ROUNDING) * encoding.total)
    book = write_codebook(part, ensemble, active)
    return Known(book, hold(result.membership), None if clusters is None else hold(clusters))


def keep_groups(ensemble, result):
    """The :class:`Known` of a merged consensus."""
    encoding, active = encode(ensemble.labels), np.flatnonzero(result.weights)
    values = np.zeros(len(encoding.sizes))
    for own, of_clusters in zip(cluster_slots(encoding), result.cluster_weights, strict=True):
        values[own] = of_clusters
    part, weights = select(encoding, active), result.weights[active]
    values = values[np.repeat(result.weights > 0.0, encoding.n_codes)] * part.by_slot(weights)
    groups = hold_groups(part, weights, values, result.labels)
    return Known(write_codebook(part, ensemble, active), groups, None)
