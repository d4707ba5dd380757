"""Checks of labels: label matrices, lists of partitions with soft ones among them, weights of the objects in them."""

from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

from .blocks import row_blocks
from .values import as_array, check_choice, check_membership, check_vector, real_array


class Ensemble(NamedTuple):
    """What :func:`check_ensemble` returns: m partitions of n objects, hard or soft.

    labels : (n, n_hard) int; the hard partitions, -1 where an object was not observed.
    soft : (n, total width) float64; the memberships in the soft partitions side by side, rows on the simplex, a row of
        zeros where an object was not observed.
    widths : (n_soft,) int64; clusters of each soft partition.
    hard : (n_hard,) intp; places of the hard partitions among all, the soft ones take the others.
    """

    labels: np.ndarray
    soft: np.ndarray
    widths: np.ndarray
    hard: np.ndarray

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


def is_ensemble_list(labels) -> bool:
    """Whether labels are a list of partitions: a list or tuple with at least one two-dimensional entry."""
    return isinstance(labels, (list, tuple)) and any(_is_matrix(entry) for entry in labels)


def _is_matrix(entry):
    if isinstance(entry, (list, tuple)):
        return any(isinstance(row, (list, tuple)) or np.ndim(row) == 1 for row in entry[:1])
    return getattr(entry, "ndim", 0) == 2


def check_ensemble(labels, *, name="labels", part=False) -> Ensemble:
    """Return a label matrix, or a list of label vectors and membership matrices, as an :class:`Ensemble`.

    A list or tuple with at least one two-dimensional entry is one partition per entry; anything else is a label matrix.
    What was checked before is returned as it is. With `part` a partition may observe none of the objects.
    """
    if isinstance(labels, Ensemble):
        return labels
    if not is_ensemble_list(labels):
        matrix = (check_label_block if part else check_labels)(labels, name=name)
        n, m = matrix.shape
        return Ensemble(matrix, np.empty((n, 0)), np.empty(0, dtype=np.int64), np.arange(m))
    is_soft = np.array([_is_matrix(entry) for entry in labels])
    hard, soft = np.flatnonzero(~is_soft), np.flatnonzero(is_soft)
    # pandas objects would align their indices.
    entries = [as_array(entry, f"{name}[{u}]") for u, entry in enumerate(labels)]
    n = len(entries[soft[0]])
    for u in (*hard, *soft):
        if entries[u].ndim != (2 if is_soft[u] else 1) or len(entries[u]) != n or entries[u].size == 0:
            rule = "a label vector of shape (n_samples,) or a membership matrix of shape (n_samples, k_u)"
            raise ValueError(f"{name}[{u}] must be {rule}, with n_samples={n}, got shape {entries[u].shape}.")
    columns = [integer_matrix(entries[u][:, np.newaxis], f"{name}[{u}]") for u in hard]
    matrix = np.concatenate(columns, axis=1) if columns else np.empty((n, 0), dtype=np.int64)
    widths = np.array([entries[u].shape[1] for u in soft], dtype=np.int64)
    ensemble = Ensemble(matrix, np.empty((n, widths.sum())), widths, hard)
    for u, end, width in zip(soft, np.cumsum(widths), widths, strict=True):
        ensemble.soft[:, end - width : end] = _memberships(entries[u], f"{name}[{u}]")
    _check_all_observed(ensemble.observed(), name, part)
    return ensemble


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

    Accepts whatever NumPy turns into numbers (lists, pandas DataFrames, booleans, floats with integer values). Raises
    TypeError for text, objects, sparse matrices and soft partitions, ValueError for everything else that is no label
    matrix.
    """
    if is_ensemble_list(labels):
        raise TypeError(
            f"{name} must be a label matrix here, got a list with membership matrices: only what solves, grades or "
            "checks the median partition takes soft partitions. Harden them, for example by argmax."
        )
    array = integer_matrix(labels, name)
    check_columns_observed(_observed_columns(array, name), name)
    return array


def check_label_block(labels, *, name) -> np.ndarray:
    """Check some rows of a label matrix; a partition may observe none of them."""
    array = integer_matrix(labels, name)
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
            raise ValueError(f"{name}: {rule}, row {i} is -1 throughout.")
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
        array = array.astype(str) if texts[0] else _numbers_from_objects(array, name)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} must not contain NaN or infinity.")
    if array.dtype.kind not in "biufSU":
        raise TypeError(f"{name} must hold labels, integers or texts, got dtype {array.dtype}.")
    return array


def integer_matrix(labels, name):
    """Convert to a two-dimensional integer array."""
    array = as_array(labels, name)
    if array.dtype.kind == "O":
        array = _numbers_from_objects(array, name)
    if array.dtype.kind == "c":
        raise ValueError(f"{name} must hold integers. Complex data not supported, got dtype {array.dtype}.")
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must hold integers, got dtype {array.dtype}: encode text labels as integers, "
            "for example with pandas.factorize, a column at a time."
        )
    if array.ndim != 2:
        raise ValueError(
            f"{name} must be two-dimensional (n_samples, n_partitions), got shape {array.shape}. "
            "Reshape your data with array.reshape(-1, 1) if it is a single partition."
        )
    if array.shape[0] == 0 or array.shape[1] == 0:
        kind = "sample(s)" if array.shape[0] == 0 else "feature(s)"
        raise ValueError(f"{name} must not be empty: 0 {kind} (shape={array.shape}) while a minimum of 1 is required.")
    if array.dtype.kind == "f":
        array = _integers_from_floats(array, name)
    elif array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} must hold integers below 2^63, got {array.max()}.")
    return array


def _numbers_from_objects(array, name):
    """Convert an object array of numbers to a numeric array."""
    for value in array.flat:
        if not isinstance(value, (Real, np.bool_)):
            if isinstance(value, complex):
                raise ValueError(f"{name} must hold integers. Complex data not supported, got {value!r}.")
            raise TypeError(
                f"{name} must hold integers, got {value!r}: the argument must be an integer matrix. Encode each string "
                "as a number, a missing label as -1."
            )
    if not all(isinstance(value, (Integral, np.bool_)) for value in array.flat):
        return array.astype(np.float64)
    try:
        return array.astype(np.int64)
    except OverflowError as error:
        raise ValueError(f"{name} must hold integers that fit in 64 bits.") from error


def _integers_from_floats(array, name):
    """Convert a float array of integers to int64, block by block."""
    integers = np.empty(array.shape, dtype=np.int64)
    for rows in row_blocks(len(array)):
        block = array[rows].astype(np.float64)
        wrong = ~np.isfinite(block)
        if not wrong.any():
            # From 2^53 on neighbouring integers share a float: two labels could have become one.
            wrong = (block != np.rint(block)) | (np.abs(block) >= 2.0**53)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            value = block[row, column]
            where = f"got {value} at row {rows.start + row}, column {column}"
            if not np.isfinite(value):
                raise ValueError(f"{name} must not contain NaN or infinity, {where}. A missing label is written -1.")
            raise ValueError(
                f"{name} must hold integer cluster labels, {where}. If these are features, make an ensemble of "
                "clusterings first, for example with KMeansEnsemble."
            )
        integers[rows] = block
    return integers


def check_columns_observed(columns, name="labels"):
    """Every partition must observe an object."""
    if not columns.all():
        u = int(np.argmin(columns))
        raise ValueError(f"{name}: every partition must observe at least one object, column {u} is -1 throughout.")


def check_init(init, n_samples, n_clusters, names=("random", "kmeans")):
    """Return the name of a start (None is "random"), or the membership that an array describes."""
    if init is None:
        return "random"
    if isinstance(init, str):
        return check_choice(init, names, name="init")
    array = as_array(init, "init")
    if array.ndim == 1:
        return np.eye(n_clusters)[_check_label_vector(array, n_samples, n_clusters)]
    membership = check_membership(array, n_samples, n_clusters, name="init")
    check_start_tells_apart(membership.min(axis=0), membership.max(axis=0))
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
    codes = check_labels(array.reshape(-1, 1), name="init")[:, 0]
    if codes.dtype.kind == "b" or codes.min() < 0 or codes.max() >= n_clusters:
        values, codes = np.unique(codes, return_inverse=True)
        if len(values) > n_clusters:
            raise ValueError(f"init must have at most n_clusters={n_clusters} labels, got {len(values)}.")
    return codes
