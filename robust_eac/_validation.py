"""Checks of what users pass in: the only place that raises for a bad array or an out-of-range value."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse

# Rows of a label matrix are read in blocks of this many: the working copies stay small whatever n_samples is.
BLOCK = 4096
# Seeds for the parts of a computation are drawn below this.
MAX_SEED = np.iinfo(np.int32).max


def check_labels(labels, *, name="labels"):
    """Return the ensemble as a two-dimensional integer array; a view of the input whenever it already is one.

    Accepts whatever NumPy turns into numbers (lists, pandas DataFrames, booleans, floats with integer values). Raises
    TypeError for text, objects and sparse matrices, ValueError for everything else that is no label matrix.
    """
    if sparse.issparse(labels):
        raise TypeError(f"{name} must be a dense array of labels, got a sparse matrix of shape {labels.shape}.")
    if np.ma.isMaskedArray(labels):
        raise TypeError(f"{name} must not be a masked array: write -1 where a label was not observed.")
    try:
        array = np.asarray(labels)
    except ValueError as error:
        raise ValueError(f"{name} must be a rectangular matrix of integers: {error}") from error
    if array.dtype.kind == "O":
        array = _numbers_from_objects(array, name)
    if array.dtype.kind == "c":
        raise ValueError(f"{name} must hold integers. Complex data not supported, got dtype {array.dtype}.")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold integers, got dtype {array.dtype}: encode text labels as integers.")
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
    _check_observed(array, name)
    return array


def _numbers_from_objects(array, name):
    """Object array -> numeric array when every entry is a number."""
    for value in array.flat:
        if not isinstance(value, (Real, np.bool_)):
            if isinstance(value, complex):
                raise ValueError(f"{name} must hold integers. Complex data not supported, got {value!r}.")
            raise TypeError(
                f"{name} must hold integers: an argument must be no string or object but a number, "
                f"got {value!r}. A missing label is -1; encode text labels as integers."
            )
    if not all(isinstance(value, (Integral, np.bool_)) for value in array.flat):
        return array.astype(np.float64)
    try:
        return array.astype(np.int64)
    except OverflowError as error:
        raise ValueError(f"{name} must hold integers that fit in 64 bits.") from error


def _integers_from_floats(array, name):
    """Float array -> int64 when every value is an integer; built block by block."""
    integers = np.empty(array.shape, dtype=np.int64)
    for start in range(0, array.shape[0], BLOCK):
        block = array[start : start + BLOCK].astype(np.float64)
        wrong = ~np.isfinite(block)
        if not wrong.any():
            # Beyond 2^53 neighbouring integers share a float: two labels could have become one.
            wrong = (block != np.rint(block)) | (np.abs(block) >= 2.0**53)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            value = block[row, column]
            where = f"got {value} at row {start + row}, column {column}"
            if not np.isfinite(value):
                raise ValueError(f"{name} must not contain NaN or infinity, {where}. A missing label is written -1.")
            raise ValueError(
                f"{name} must hold integer cluster labels, {where}. If these are features, make an ensemble of "
                "clusterings first, for example with KMeansEnsemble."
            )
        integers[start : start + BLOCK] = block
    return integers


def _check_observed(array, name):
    """Every partition must observe an object and every object must be observed by a partition."""
    if array.dtype.kind in "bu" or array.min() > -1:
        return
    columns = np.zeros(array.shape[1], dtype=bool)
    for start in range(0, array.shape[0], BLOCK):
        observed = array[start : start + BLOCK] != -1
        columns |= observed.any(axis=0)
        rows = observed.any(axis=1)
        if not rows.all():
            i = start + int(np.argmin(rows))
            raise ValueError(
                f"{name}: every object must be observed by at least one partition, row {i} is -1 throughout."
            )
    if not columns.all():
        u = int(np.argmin(columns))
        raise ValueError(f"{name}: every partition must observe at least one object, column {u} is -1 throughout.")


def check_vector(values, *, name, size=None, positive_sum=False):
    """Return a fresh float64 vector of finite non-negative numbers."""
    array = _real_array(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}.")
    if array.size == 0 or (size is not None and array.size != size):
        expected = "at least one value" if size is None else f"{size} values, one per partition"
        raise ValueError(f"{name} must have {expected}, got {array.size}.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}.")
    if array.min() < 0.0:
        raise ValueError(f"{name} must be non-negative, got {array.min()} at position {array.argmin()}.")
    if positive_sum and array.max() == 0.0:
        raise ValueError(f"{name} must not be all zero.")
    return array


def _real_array(values, name):
    """Fresh C-ordered float64 array; text, complex numbers and masks are refused, not converted."""
    if np.ma.isMaskedArray(values):
        raise TypeError(f"{name} must not be a masked array.")
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"dtype {array.dtype}")
        return np.array(array, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be an array of real numbers, got {type(values).__name__}: {error}.") from error


def check_weights(weights, n_partitions, *, name="weights"):
    """Return fresh weights that sum to one; None means uniform."""
    if weights is None:
        return np.full(n_partitions, 1.0 / n_partitions)
    array = check_vector(weights, name=name, size=n_partitions, positive_sum=True)
    # Dividing by the maximum first keeps the sum finite and the quotient exact for tiny and huge weights.
    array /= array.max()
    return array / array.sum()


def check_n_clusters(n_clusters, n_samples):
    """Return n_clusters as an int in [1, n_samples]."""
    return check_integer(n_clusters, name="n_clusters", low=1, high=n_samples, high_name="n_samples")


def check_integer(value, *, name, low, high=None, high_name=None):
    """Return value as an int within [low, high]."""
    if not isinstance(value, Integral) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < low or (high is not None and value > high):
        upper = "" if high is None else f", {f'{high_name}=' if high_name else ''}{high}"
        rule = f"at least {low}" if high is None else f"in [{low}{upper}]"
        raise ValueError(f"{name} must be {rule}, got {value}.")
    return int(value)


def check_real(value, *, name, low, high=np.inf, strict=False):
    """Return value as a finite float in [low, high], or strictly above low."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a real number, got {value!r}.")
    value = float(value)
    if not (low < value if strict else low <= value) or not value <= high or np.isinf(value):
        rule = f"{'greater than' if strict else 'at least'} {low:g}"
        rule += f" and at most {high:g}" if np.isfinite(high) else " and finite" if np.isinf(value) else ""
        raise ValueError(f"{name} must be {rule}, got {value}.")
    return value


def check_bool(value, *, name):
    """Return value as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_membership(membership, n_samples, n_clusters=None, *, name="membership"):
    """Return a fresh C-ordered float64 (n_samples, n_clusters) matrix with rows on the simplex."""
    array = _real_array(membership, name)
    expected = (n_samples, "n_clusters" if n_clusters is None else n_clusters)
    if (
        array.ndim != 2
        or array.shape[0] != n_samples
        or array.shape[1] != (n_clusters or array.shape[1])
        or array.shape[1] == 0
    ):
        raise ValueError(f"{name} must have shape {expected}, got {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}.")
    if array.min() < 0.0:
        raise ValueError(f"{name} must be non-negative, got {array.min()}.")
    sums = array.sum(axis=1)
    worst = int(np.argmax(np.abs(sums - 1.0)))
    if abs(sums[worst] - 1.0) > 1e-6:
        raise ValueError(f"{name}: every row must sum to 1, row {worst} sums to {sums[worst]}.")
    array /= sums[:, np.newaxis]
    return array


def check_choice(value, choices, *, name):
    """Return value when it is one of the known names."""
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {known}, got {value!r}.")
    return value
