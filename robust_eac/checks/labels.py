"""Checks of labels: label matrices, lists of label vectors, weights of objects, starts."""

import warnings
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from .common import row_blocks
from .forms import (
    LabelMatrix,
    as_names,
    column_titles,
    integer_vector,
    is_frame,
    is_vertex_clustering,
    label_column,
    objects_of,
    read_matrix,
    refuse_names_of_objects,
    refuse_other_objects,
    refuse_votes,
    side_by_side,
)
from .names import Count, in_order, index_of, is_numbering, names_of
from .values import as_array, as_dense, check_choice, check_membership, check_vector

_DRAW = (
    "From a membership matrix P draw hard clusterings: (P[:, :-1].cumsum(axis=1) < rng.uniform(size=(len(P), 1)))"
    ".sum(axis=1)."
)


class Ensemble(NamedTuple):
    """The m partitions of n objects that :func:`check_ensemble` returns.

    labels : (n, m) int; the partitions, -1 where an object was not observed.
    names : names of the partitions, in the order of the input, or None.
    meanings : meanings of their labels, as in a :class:`~robust_eac.LabelMatrix`.
    objects : names that an index of objects is matched with, or None.
    """

    labels: np.ndarray
    names: tuple | None = None
    meanings: tuple | None = None
    objects: Iterable | None = None

    @property
    def n_samples(self):
        """:class:`~robust_eac.checks.names.Count` of the objects."""
        return Count(len(self.labels), self.objects)

    @property
    def n_partitions(self):
        """:class:`~robust_eac.checks.names.Count` of the partitions."""
        m = self.labels.shape[1]
        # The columns of a table without titles are numbered.
        return Count(m, range(m) if self.names is None and self.objects is not None else self.names)

    def observed(self, rows=slice(None)):
        """(n, m) bool; whether a partition observes an object. rows : a slice of the objects."""
        return self.labels[rows] != -1


def check_labels(labels, *, name="labels") -> np.ndarray:
    """Return the ensemble as a two-dimensional integer array; a view of the input if that is such an array."""
    return check_ensemble(labels, name=name).labels


def check_ensemble(labels, *, name="labels", part=False, votes=False) -> Ensemble:
    """The :class:`Ensemble` of a label matrix or a list of label vectors.

    part : whether it is of some objects only. votes : whether to read a table that looks like votes as clusterings.
    """
    if isinstance(labels, Ensemble):
        return labels
    if _is_list(labels, name):
        ensemble = _read_list(labels, name, part)
        titles = partial("{}[{}]".format, name)
    else:
        found = read_matrix(labels, name, part)
        titles = column_titles(found.names)
        if is_frame(labels) and not part and not votes:
            refuse_votes(found.labels, found.names, name)
        objects = found.objects if index_of(labels) is None else index_of(labels)
        ensemble = Ensemble(found.labels, found.names, found.meanings, objects)
    lowest = ensemble.labels.min() if ensemble.labels.dtype.kind == "i" and ensemble.labels.size else 0
    if lowest < -1 and not part:
        rule = 'only -1, None, NaN and NA mean "not observed".'
        warnings.warn(f"{name}: {lowest} is a cluster like any other label; {rule}", UserWarning, stacklevel=2)
    if not part and lowest < 0:
        check_columns_observed(check_objects_observed(ensemble, name), name, titles)
    return ensemble


def check_objects_observed(ensemble, name):
    """(m,) bool, whether each partition observes an object; ValueError unless some partition observes every object."""
    columns = np.zeros(ensemble.n_partitions, dtype=bool)
    seen = np.zeros(ensemble.n_samples, dtype=bool)
    for block in row_blocks(ensemble.n_samples):
        observed = ensemble.observed(block)
        seen[block] = observed.any(axis=1)
        columns |= observed.any(axis=0)
    if not seen.all():
        unseen = np.flatnonzero(~seen)
        raise ValueError(
            f"{name}: every object must be observed by at least one partition, {len(unseen)} of {len(seen)} have no "
            f"label, the first at row {unseen[0]}. Leave them out: RobustEAC fitted to the others predicts -1."
        )
    return columns


def check_columns_observed(columns, name="labels", titles="column {}".format):
    """Raise ValueError unless every partition observes an object; columns : bool, whether each partition does."""
    if not columns.all():
        title = titles(int(np.argmin(columns)))
        raise ValueError(f"{name}: every partition must observe at least one object, {title} has no label.")


def _is_list(labels, name):
    """Whether labels are a list or tuple of clusterings; raise TypeError if an entry is not a clustering."""
    if not isinstance(labels, (list, tuple)) or isinstance(labels, LabelMatrix):
        return False
    if hasattr(labels, "_fields"):
        refuse_other_objects(labels, name)
    for u, entry in enumerate(labels):
        if isinstance(entry, (list, tuple)) and entry and isinstance(entry[0], (set, frozenset)):
            raise TypeError(f"{name}[{u}] must be a clustering, got a list of sets: labels_from reads communities.")
        if isinstance(entry, (list, tuple)) and any(map(_is_vector, entry[:1])):
            rule = f"labels_from reads communities as sets. {_DRAW}"
            raise TypeError(f"{name}[{u}] must be a clustering, got a list of lists: {rule}")
        if len(getattr(entry, "shape", ())) > 1:
            kind = "a DataFrame" if is_frame(entry) else "an array"
            raise TypeError(
                f"{name}[{u}] must be a clustering, a vector of labels, got {kind} of shape {tuple(entry.shape)}. "
                f"{_DRAW} Join tables of clusterings by pandas.concat(tables, axis=1), where they have the same index."
            )
    if any(map(_is_clustering, labels)):
        return True
    if labels and not isinstance(labels[0], str):
        refuse_other_objects(labels[0], f"{name}[0]")
    lengths = {len(entry) for entry in labels if isinstance(entry, (list, tuple))}
    if len(lengths) > 1:
        rule = "clusterings must label the same objects, and communities must be sets, which labels_from reads"
        raise TypeError(f"{name} must not be a list of lists of different lengths: {rule}.")
    if lengths:
        raise TypeError(
            f"{name} must not be a list of plain lists, which has two readings: give np.array({name}) if each of the "
            f"{len(labels)} inner lists holds the labels of an object, np.array({name}).T if each holds a clustering. "
            "Communities must be sets, which labels_from reads."
        )
    return False


def _is_clustering(entry):
    """Whether an entry of a list is a clustering by itself: an array, a column, igraph's object."""
    return len(getattr(entry, "shape", ())) > 0 or is_vertex_clustering(entry)


def _is_vector(row):
    return isinstance(row, (list, tuple)) or np.ndim(row) == 1


def _read_list(labels, name, part):
    """Read a list of clusterings; whether every object is observed is checked later."""
    labels, objects = list(labels), None
    for u, entry in enumerate(labels):
        if is_vertex_clustering(entry) and objects_of(entry) is not None:
            import pandas as pd

            entry = pd.Series(entry.membership, objects_of(entry))
        labels[u] = entry = in_order(entry, objects, f"{name}[{u}]")
        index = index_of(entry)
        # The first entry that names the objects decides.
        if objects is None or (index is not None and not index.equals(objects) and is_numbering(objects)):
            objects = index
    columns = []
    for u, entry in enumerate(labels):
        entry = entry.membership if is_vertex_clustering(entry) else entry
        refuse_other_objects(entry, f"{name}[{u}]")
        columns.append(label_column(entry, f"{name}[{u}]"))
    n = next(len(codes) for codes, _ in columns if codes.ndim)
    for u, (codes, _) in enumerate(columns):
        if codes.ndim != 1 or len(codes) != n or n == 0:
            rule = f"a label vector of shape (n_samples,), with n_samples={n}"
            raise ValueError(f"{name}[{u}] must be {rule}, got shape {codes.shape}.")
    matrix, meanings = side_by_side(columns)
    titles = [getattr(entry, "name", None) for entry in labels]
    names = None if None in titles or "" in titles else as_names(titles)
    if not part:
        title_of = column_titles(names) if names else partial("{}[{}]".format, name)
        refuse_names_of_objects(matrix, meanings, name, title_of, titled=names is not None)
    return Ensemble(matrix, names, meanings, objects)


def check_sample_weight(sample_weight, ensemble, *, counts=False, name="sample_weight") -> np.ndarray | None:
    """Return None, or fresh float64 weights of the objects of an ensemble; `counts` are 0 or at least 1."""
    if sample_weight is None:
        return None
    weight = check_vector(sample_weight, name=name, size=ensemble.n_samples, each="sample", positive_sum=True)
    # The sum could overflow, so the maximum is compared first.
    total = weight.max() if weight.max() > 1e60 else weight.sum()
    if not 1e-60 < total < 1e60:
        raise ValueError(f"{name} must sum to a number between 1e-60 and 1e60, got {total} or more.")
    # The squares of these weights could underflow, and they do not change the sum.
    weight[weight < 1e-100 * total] = 0.0
    fractions = (weight > 0.0) & (weight < 1.0)
    if counts and fractions.any():
        i = int(fractions.argmax())
        raise ValueError(f"{name} must be 0 or at least 1, a number of objects, got {weight[i]} at position {i}.")
    if weight.min() > 0.0:
        return weight
    observed = ensemble.observed()[weight > 0.0].any(axis=0)
    if not observed.all():
        u = int(np.argmin(observed))
        raise ValueError(f"{name}: every partition must observe an object of positive weight, partition {u} does not.")
    return weight


def check_clusters(labels, n_samples, *, name):
    """(n_samples,) integer labels of one partition, -1 where the cluster is unknown; at least one is known."""
    array = label_column(in_order(labels, names_of(n_samples), name), name)[0]
    if array.shape != (n_samples,):
        raise ValueError(f"{name} must have shape ({n_samples},), one label per object, got {array.shape}.")
    if not (array != -1).any():
        raise ValueError(f"{name} must label at least one object, got only missing labels (-1, None, NaN, NA).")
    return array


def check_hard_partition(partition, n_samples, name="partition", n_clusters=None):
    """Codes 0, 1, ... of a hard partition of all objects, in the order of its labels; at most n_clusters of them."""
    array = as_array(in_order(partition, names_of(n_samples), name), name)
    if array.shape != (n_samples,):
        raise ValueError(f"{name} must have shape ({n_samples},), one label per object, got {array.shape}.")
    if np.any(array == -1):
        raise ValueError(f"{name} must label every object, got -1.")
    codes = np.unique(integer_vector(array, name), return_inverse=True)[1]
    if n_clusters is not None and codes.max() >= n_clusters:
        raise ValueError(f"{name} must have at most n_clusters={n_clusters} clusters, got {codes.max() + 1}.")
    return codes


def check_init(init, n_samples, n_clusters, names=("random", "kmeans")):
    """Return the name of a start (None is "random"), or the membership that an array describes."""
    if init is None:
        return "random"
    if isinstance(init, str):
        return check_choice(init, names, name="init")
    array = as_dense(in_order(init, names_of(n_samples), "init"), "init")
    if array.ndim == 1:
        codes = check_hard_partition(array, n_samples, "init", n_clusters)
        labels = integer_vector(array, "init").astype(np.int64)
        in_range = labels.min() >= 0 and labels.max() < n_clusters
        return np.eye(n_clusters)[labels if in_range else codes]
    membership = check_membership(array, n_samples, n_clusters, name="init")
    check_start_distinguishes(membership.min(axis=0), membership.max(axis=0))
    return membership


def check_start_distinguishes(lowest, highest):
    """Refuse a start with the same soft membership for all objects, from the extremes of memberships per cluster."""
    n_clusters = len(lowest)
    if n_clusters > 1 and highest.max() < 1.0 and np.max(highest - lowest) <= 1e-12:
        raise ValueError(
            "init must not give every object the same membership: such a start does not distinguish objects, and the "
            f"uniform one, 1/{n_clusters} everywhere, is a stationary point that no line search leaves. "
            'Use init="random".'
        )
