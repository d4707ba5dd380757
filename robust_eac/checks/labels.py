"""Checks of labels: label matrices, lists of partitions with soft ones among them, weights of the objects in them."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from .blocks import row_blocks
from .columns import (
    column_titles,
    integer_matrix,
    label_column,
    label_matrix,
    numbers_from_objects,
    refuse_names_of_objects,
    side_by_side,
)
from .forms import (
    LabelMatrix,
    is_clustering,
    is_membership,
    is_vertex_clustering,
    objects_of,
    read_matrix,
    refuse_nested,
    refuse_other_objects,
    refuse_several,
)
from .values import MAX_DENSE, as_array, check_choice, check_membership, check_vector, real_array


class Ensemble(NamedTuple):
    """What :func:`check_ensemble` returns: m partitions of n objects, hard or soft.

    labels : (n, n_hard) int; the hard partitions, -1 where an object was not observed.
    soft : (n, total width) float64; the memberships in the soft partitions side by side, rows on the simplex, a row of
        zeros where an object was not observed.
    widths : (n_soft,) int64; clusters of each soft partition.
    hard : (n_hard,) intp; places of the hard partitions among all, the soft ones take the others.
    names : what the partitions are called, in the order of the input; None if nothing says so.
    meanings : what the labels of the hard partitions stand for, as in a :class:`~robust_eac.LabelMatrix`.
    """

    labels: np.ndarray
    soft: np.ndarray
    widths: np.ndarray
    hard: np.ndarray
    names: tuple | None = None
    meanings: tuple | None = None

    @property
    def n_samples(self):
        """Number of objects."""
        return len(self.labels)

    @property
    def n_partitions(self):
        """Number of partitions."""
        return len(self.hard) + len(self.widths)

    def observed(self):
        """(n, m) bool; does a partition observe an object."""
        if len(self.widths) == 0:
            return self.labels != -1
        observed = np.empty((self.n_samples, self.n_partitions), dtype=bool)
        observed[:, self.hard] = self.labels != -1
        soft, starts = np.setdiff1d(np.arange(self.n_partitions), self.hard), np.cumsum(self.widths) - self.widths
        observed[:, soft] = np.add.reduceat(self.soft, starts, axis=1) > 0.0
        return observed


def is_ensemble_list(labels, name="labels") -> bool:
    """Whether labels are a list or tuple of clusterings; TypeError for a list of plain lists."""
    if not isinstance(labels, (list, tuple)) or isinstance(labels, (Ensemble, LabelMatrix)):
        return False
    if hasattr(labels, "_fields"):
        refuse_other_objects(labels, name)
    refuse_several(labels, name)
    if any(map(is_clustering, labels)):
        return True
    if labels and not isinstance(labels[0], str):
        refuse_other_objects(labels[0], f"{name}[0]")
    if any(isinstance(entry, (list, tuple)) for entry in labels):
        refuse_nested(labels, name)
    return False


def check_ensemble(labels, *, name="labels", part=False) -> Ensemble:
    """Return a label matrix, or a list of label vectors and membership matrices, as an :class:`Ensemble`.

    A list or tuple of arrays, columns or igraph's clusterings is one partition per entry. What was checked before is
    returned as it is. With `part` these are some of the objects: a partition may observe none of them.
    """
    if isinstance(labels, Ensemble):
        return labels
    if not is_ensemble_list(labels, name):
        found = _checked_matrix(labels, name, part)
        n, m = found.labels.shape
        nothing = np.empty((n, 0)), np.empty(0, dtype=np.int64)
        return Ensemble(found.labels, *nothing, np.arange(m), found.names, found.meanings)
    _check_same_objects(labels, name)
    is_soft = np.array([is_membership(entry) for entry in labels])
    hard, soft = np.flatnonzero(~is_soft), np.flatnonzero(is_soft)
    read = [_entry(entry, f"{name}[{u}]", is_soft[u]) for u, entry in enumerate(labels)]
    entries = [array for array, _ in read]
    n = next(len(entries[u]) for u in (*soft, *hard) if entries[u].ndim)
    for u in (*hard, *soft):
        if entries[u].ndim != (2 if is_soft[u] else 1) or len(entries[u]) != n or entries[u].size == 0:
            rule = "a label vector of shape (n_samples,) or a membership matrix of shape (n_samples, k_u)"
            raise ValueError(f"{name}[{u}] must be {rule}, with n_samples={n}, got shape {entries[u].shape}.")
    matrix, meanings = side_by_side([read[u] for u in hard]) if len(hard) else (np.empty((n, 0), dtype=np.int64), None)
    if not part:
        refuse_names_of_objects(matrix, meanings, name, lambda column: f"{name}[{hard[column]}]")
    widths = np.array([entries[u].shape[1] for u in soft], dtype=np.int64)
    names = [getattr(entry, "name", None) for entry in labels]
    names = tuple(names) if all(isinstance(title, str) and title for title in names) else None
    ensemble = Ensemble(matrix, np.empty((n, widths.sum())), widths, hard, names, meanings)
    for u, end, width in zip(soft, np.cumsum(widths), widths, strict=True):
        ensemble.soft[:, end - width : end] = _memberships(entries[u], f"{name}[{u}]")
    _check_all_observed(ensemble.observed(), name, part)
    return ensemble


def _check_same_objects(entries, name):
    """Entries of a list go by position: those that name the objects must name the same ones in the same order."""
    named = [(u, objects) for u, entry in enumerate(entries) if (objects := objects_of(entry)) is not None]
    for u, objects in named[1:]:
        if objects != named[0][1]:
            raise ValueError(
                f"{name}[{u}] must have the objects of {name}[{named[0][0]}] in the same order, since a list goes by "
                "position, got an index or names of vertices that differ. Align columns with "
                "pandas.concat(columns, axis=1), clusterings of igraph with labels_from."
            )


def _entry(entry, name, is_soft):
    """An entry of a list as an array, which has no index to align, and what its labels stand for."""
    if is_vertex_clustering(entry):
        entry = entry.membership
    refuse_other_objects(entry, name)
    return (as_array(entry, name), None) if is_soft else label_column(entry, name)


def _memberships(entry, name):
    """A checked membership matrix with its rows of NaN replaced by zeros."""
    array = real_array(entry, name)
    missing = np.isnan(array).all(axis=1)
    if np.isnan(array).any(axis=1).sum() > missing.sum():
        row = int(np.argmax(np.isnan(array).any(axis=1) & ~missing))
        raise ValueError(f"{name}: a row must be NaN throughout (not observed) or not at all, row {row} is mixed.")
    array[missing] = np.eye(1, array.shape[1])
    array = check_membership(array, len(array), name=name)
    array[missing] = 0.0
    return array


def _check_all_observed(observed, name, part):
    """Every partition of a list, if not of a part, must observe an object; a partition must observe every object."""
    partitions, rows = observed.any(axis=0), observed.any(axis=1)
    if not (part or partitions.all()):
        u = int(np.argmin(partitions))
        raise ValueError(f"{name}: every partition must observe at least one object, {name}[{u}] observes none.")
    if not rows.all():
        i = int(np.argmin(rows))
        raise ValueError(f"{name}: every object must be observed by at least one partition, object {i} is not.")


def check_sample_weight(sample_weight, ensemble, *, counts=False, name="sample_weight") -> np.ndarray | None:
    """Return None, or fresh float64 weights of the objects of an ensemble; `counts` are none between 0 and 1."""
    if sample_weight is None:
        return None
    weight = check_vector(sample_weight, name=name, size=ensemble.n_samples, each="sample", positive_sum=True)
    # A sum could overflow: look at the largest first.
    total = weight.max() if weight.max() > 1e60 else weight.sum()
    if not 1e-60 < total < 1e60:
        raise ValueError(f"{name} must sum to a number between 1e-60 and 1e60, got {total} or more.")
    # Their squares could underflow, and they change no sum.
    weight[weight < 1e-100 * total] = 0.0
    part = (weight > 0.0) & (weight < 1.0)
    if counts and part.any():
        i = int(part.argmax())
        raise ValueError(f"{name} must be 0 or at least 1, a number of objects, got {weight[i]} at position {i}.")
    if weight.min() > 0.0:
        return weight
    observed = ensemble.observed()[weight > 0.0].any(axis=0)
    if not observed.all():
        u = int(np.argmin(observed))
        raise ValueError(f"{name}: every partition must observe an object of positive weight, partition {u} does not.")
    return weight


def check_labels(labels, *, name="labels") -> np.ndarray:
    """Return the ensemble as a two-dimensional integer array; a view of the input whenever it already is one.

    Accepts matrices of numbers, texts and categories and lists of hard clusterings, as :func:`check_ensemble`, with -1,
    None, NaN and NA for missing labels. Raises TypeError for soft partitions and what is known to be no ensemble,
    ValueError for everything else that is no label matrix.
    """
    if not isinstance(labels, Ensemble) and not is_ensemble_list(labels, name):
        return _checked_matrix(labels, name).labels
    if len(labels.widths) if isinstance(labels, Ensemble) else any(map(is_membership, labels)):
        raise TypeError(
            f"{name} must be a label matrix here, got a list with membership matrices: only what solves, grades or "
            "checks the median partition takes soft partitions. Harden them, for example by argmax."
        )
    return check_ensemble(labels, name=name).labels


def _checked_matrix(labels, name, part=False):
    """The :class:`LabelMatrix` of a matrix of labels in which everything is observed somewhere."""
    matrix = read_matrix(labels, name, part)
    columns = _observed_columns(matrix.labels, name)
    if not part:
        check_columns_observed(columns, name, matrix.names)
    return matrix


def check_label_block(labels, *, name) -> np.ndarray:
    """Check some rows of a matrix of numbers; a partition may observe none of them."""
    array, _ = label_matrix(as_array(labels, name), name)
    _observed_columns(array, name)
    return array


def _observed_columns(array, name):
    """Which partitions observe an object, where every object is observed by a partition: otherwise an error."""
    if array.dtype.kind in "bu" or array.min() > -1:
        return np.ones(array.shape[1], dtype=bool)
    columns = np.zeros(array.shape[1], dtype=bool)
    for block in row_blocks(len(array)):
        observed = array[block] != -1
        rows = observed.any(axis=1)
        if not rows.all():
            i = block.start + int(np.argmin(rows))
            rule = "every object must be observed by at least one partition"
            raise ValueError(f"{name}: {rule}, row {i} has no label.")
        columns |= observed.any(axis=0)
    return columns


def check_partition(labels, *, name):
    """Return an array of labels of any shape: integers or texts."""
    array = as_array(labels, name)
    if array.dtype.kind in "SU" and isinstance(labels, (list, tuple)):
        # NumPy turns mixed lists into texts: NaN becomes a name, and 1 and "1" become equal.
        array = np.array(labels, dtype=object)
    if array.dtype.kind == "O" and array.size:
        texts = [isinstance(value, str) for value in array.flat]
        if any(texts) and not all(texts):
            odd = array.flat[texts.index(not texts[0])]
            raise TypeError(
                f"{name} must hold labels of one kind, integers or texts, got {array.flat[0]!r} and {odd!r}."
            )
        array = array.astype(str) if texts[0] else numbers_from_objects(array, name)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} must not contain NaN or infinity.")
    if array.dtype.kind not in "biufSU":
        raise TypeError(f"{name} must hold labels, integers or texts, got dtype {array.dtype}.")
    return array


def check_columns_observed(columns, name="labels", names=None):
    """Every partition must observe an object."""
    if not columns.all():
        title = column_titles(names)(int(np.argmin(columns)))
        raise ValueError(f"{name}: every partition must observe at least one object, {title} has no label.")


def check_init(init, n_samples, n_clusters, names=("random", "kmeans"), *, may_be_sparse=False):
    """Return the name of a start (None is "random"), or the membership that an array describes.

    It is dense, unless it `may_be_sparse` and has more than MAX_DENSE entries.
    """
    if init is None:
        return "random"
    if isinstance(init, str):
        return check_choice(init, names, name="init")
    array = init if sparse.issparse(init) else as_array(init, "init")
    if array.ndim == 1:
        codes = _check_label_vector(array, n_samples, n_clusters)
        if n_samples * n_clusters <= MAX_DENSE or not may_be_sparse:
            return np.eye(n_clusters)[codes]
        return sparse.csr_array((np.ones(n_samples), codes, np.arange(n_samples + 1)), shape=(n_samples, n_clusters))
    membership = check_membership(array, n_samples, n_clusters, name="init", may_be_sparse=may_be_sparse)
    lowest, highest = membership.min(axis=0), membership.max(axis=0)
    if sparse.issparse(membership):
        lowest, highest = lowest.toarray(), highest.toarray()
    check_start_tells_apart(lowest, highest)
    return membership


def check_start_tells_apart(lowest, highest):
    """Refuse a start that gives all objects the same soft membership; takes the extremes of every cluster."""
    n_clusters = len(lowest)
    if n_clusters > 1 and highest.max() < 1.0 and np.max(highest - lowest) <= 1e-12:
        raise ValueError(
            "init must not give every object the same membership: such a start tells no two objects apart, and the "
            f"uniform one, 1/{n_clusters} everywhere, is a stationary point that no line search leaves. "
            'Use init="random".'
        )


def _check_label_vector(array, n_samples, n_clusters):
    """Codes in [0, n_clusters) of a consensus given as labels; codes already in that range are kept."""
    if len(array) != n_samples:
        raise ValueError(f"init must have n_samples={n_samples} labels, got {len(array)}.")
    if np.any(array == -1):
        raise ValueError("init must label every object, got -1.")
    codes = integer_matrix(array.reshape(-1, 1), "init")[:, 0]
    if codes.dtype.kind == "b" or codes.min() < 0 or codes.max() >= n_clusters:
        values, codes = np.unique(codes, return_inverse=True)
        if len(values) > n_clusters:
            raise ValueError(f"init must have at most n_clusters={n_clusters} labels, got {len(values)}.")
    return codes
