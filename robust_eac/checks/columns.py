"""Labels of any type as integers: numbers, texts, categories, with missing ones among them."""

import re
import reprlib
from collections import defaultdict
from itertools import count
from numbers import Integral, Real

import numpy as np

from .blocks import row_blocks
from .texts import INTEGER, MISSING, NUMBER
from .values import as_array

# A missing value of pandas is known by the name of its type.
_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}
# Nobody means a name by these.
_ODD = re.compile(r"[+-]?(inf(inity)?|[0-9]+,[0-9]+)", re.IGNORECASE)
_FEATURES = "If these are features, make an ensemble of clusterings first, for example with KMeansEnsemble."
_NO_INTEGER = "must hold integer cluster labels or names"
_KINDS = "the argument must be a string or a number, or None, NaN or NA where a label is missing"


def column_titles(names=None):
    """u -> what errors call column u: by its name if it has one."""
    return lambda u: f"column {u}" if names is None else f"column {names[u]!r}"


def integer_matrix(labels, name):
    """Convert numbers, none of them missing, to a two-dimensional integer array."""
    array = as_array(labels, name)
    if array.dtype.kind == "O":
        array = numbers_from_objects(array, name)
    _check_kind(array, "biuf", "integers", name)
    check_matrix(array, name)
    return numbers_as_integers(array, name)


def label_matrix(array, name, titles=None):
    """(integers, -1 where missing; what they stand for) of a matrix of labels of any type.

    Integers are returned as they are. What they stand for is told for each column, as by :func:`label_column`, or is
    None for all of them.
    """
    titles = titles or column_titles()
    check_matrix(array, name)
    if array.dtype.kind in "OSUT":
        return side_by_side([_integers(column, name, titles(u)) for u, column in enumerate(array.T)])
    _check_kind(array, "biuf", "labels", name)
    return numbers_as_integers(array, name, titles, missing=True), None


def side_by_side(columns):
    """What :func:`label_matrix` returns, of what :func:`label_column` returned."""
    labels, meanings = zip(*columns, strict=True)
    return np.column_stack([_signed(column) for column in labels]), meanings if any(meanings) else None


def _signed(column):
    """Unsigned labels of 64 bits, which were checked, as signed ones: beside others NumPy would make them floats."""
    return column.astype(np.int64) if column.dtype == np.uint64 else column


def label_column(values, name, column=""):
    """(integers, -1 where missing; what they stand for) of a sequence of labels of any type, also of pandas or polars.

    Where there are names, 0, 1, ... stand for the entries of a tuple, the numbers first, each in sorted order; None
    where integers stand for themselves.

    name : of the argument. column : what errors call this column of it.
    """
    codes = getattr(values, "codes", None)
    codes = getattr(getattr(values, "cat", None), "codes", None) if codes is None else codes
    if codes is not None:
        categories = values.categories if hasattr(values, "categories") else values.dtype.categories
        return _numbered(np.asarray(codes), list(categories), name, column)
    array = as_array(_without_masks(values), name)
    return (array, None) if array.ndim != 1 else _integers(array, name, column)


def _without_masks(values):
    """A nullable Series of numbers as an array: -1 or NaN where missing."""
    dtype = getattr(values, "dtype", None)
    kind = getattr(dtype, "kind", "O")
    if isinstance(dtype, np.dtype) or not hasattr(values, "isna") or kind not in "biuf":
        return values
    if kind == "f":
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    # Numbers beyond 63 bits are refused where they are seen.
    return values if kind == "u" and dtype.itemsize == 8 else values.to_numpy(dtype=np.int64, na_value=-1)


def _integers(array, name, column):
    """What :func:`label_column` returns, of an array."""
    if array.dtype.kind not in "OSUT":
        _check_kind(array, "biuf", "labels", name, column)
        return numbers_as_integers(array[:, np.newaxis], name, lambda u: column, missing=True)[:, 0], None
    # The dictionary numbers the values in order of first lookup.
    number_of, values = defaultdict(count().__next__), array.tolist()
    try:
        codes = np.fromiter(map(number_of.__getitem__, values), np.intp, len(values))
    except TypeError as error:
        row = next(row for row, value in enumerate(values) if type(value).__hash__ is None)
        raise TypeError(_no_label(values[row], row, name, column)) from error
    return _numbered(codes, list(number_of), name, column)


def _numbered(codes, values, name, column):
    """What :func:`label_column` returns, of codes of values."""
    labels = []
    for code, value in enumerate(values):
        try:
            labels.append(_parse(value))
        except (TypeError, ValueError) as error:
            rows = np.flatnonzero(codes == code)
            if len(rows):
                raise type(error)(_no_label(value, rows[0], name, column, str(error))) from None
            labels.append(-1)  # A category that no object has.
    known = None
    if any(isinstance(label, str) for label in labels):
        known = sorted({label for label in labels if label != -1}, key=lambda label: (isinstance(label, str), label))
        number_of = {label: number for number, label in enumerate(known)} | {-1: -1}
        labels = [number_of[label] for label in labels]
    return np.array([*labels, -1], dtype=np.int64)[codes], known and tuple(known)


def refuse_names_of_objects(labels, meanings, name, titles):
    """ValueError for a column of a matrix of labels in which every object has a name of its own."""
    for u, meaning in enumerate(meanings or ()):
        if meaning and len(labels) > 2 and labels[:, u].min() > -1 and len(np.unique(labels[:, u])) == len(labels):
            raise ValueError(
                f"{name}: every object has a label of its own in {titles(u)}, so this is no clustering. Leave it out "
                "if it names the objects."
            )


def _parse(value):
    """Integer or name that a value stands for; -1 if it means a missing label."""
    if type(value).__name__ in _MISSING_TYPES or (isinstance(value, (float, np.floating)) and np.isnan(value)):
        return -1
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    if isinstance(value, str):
        text = value.strip()
        if text.lower() in MISSING:
            return -1
        if _ODD.fullmatch(text):
            raise ValueError(_NO_INTEGER)
        if not NUMBER.fullmatch(text):
            return text
        if not INTEGER.fullmatch(text):
            return _whole(float(text))
        # Python refuses to convert thousands of digits.
        value = int(text) if len(text) < 25 else 2**63
    if isinstance(value, (Integral, np.bool_)):
        if not -(2**63) <= value < 2**63:
            raise ValueError("must hold integers that fit in 64 bits")
        return int(value)
    if isinstance(value, Real):
        return _whole(float(value))
    if isinstance(value, complex):
        raise ValueError("must hold integers. Complex data not supported")
    raise TypeError(f"must hold labels, {_KINDS}")


def _whole(number):
    if not abs(number) < 2.0**53 or number != int(number):
        raise ValueError(_NO_INTEGER)
    return int(number)


def _no_label(value, row, name, column, rule=f"must hold labels, {_KINDS}"):
    return f"{name} {rule}, got {reprlib.repr(value)} at {_place(row, column)}."


def _place(row, column):
    return f"row {row}, {column}" if column else f"row {row}"


def check_matrix(array, name):
    """Two dimensions, none of them empty."""
    if array.ndim != 2:
        raise ValueError(
            f"{name} must be two-dimensional (n_samples, n_partitions), got shape {array.shape}. "
            "Reshape your data with array.reshape(-1, 1) if it is a single partition."
        )
    if array.shape[0] == 0 or array.shape[1] == 0:
        kind = "sample(s)" if array.shape[0] == 0 else "feature(s)"
        raise ValueError(f"{name} must not be empty: 0 {kind} (shape={array.shape}) while a minimum of 1 is required.")


def _check_kind(array, kinds, what, name, column=""):
    if array.dtype.kind in kinds:
        return
    where = f" in {column}" if column else ""
    if array.dtype.kind == "c":
        raise ValueError(f"{name} must hold integers. Complex data not supported, got dtype {array.dtype}{where}.")
    hint = " Dates are no labels: give their numbers, or their texts." if array.dtype.kind in "mM" else ""
    raise TypeError(f"{name} must hold {what}, got dtype {array.dtype}{where}.{hint}")


def numbers_from_objects(array, name):
    """Convert an object array of numbers to a numeric array."""
    for value in array.flat:
        if not isinstance(value, (Real, np.bool_)):
            if isinstance(value, complex):
                raise ValueError(f"{name} must hold integers. Complex data not supported, got {value!r}.")
            raise TypeError(f"{name} must hold integers, got {value!r}.")
    if not all(isinstance(value, (Integral, np.bool_)) for value in array.flat):
        return array.astype(np.float64)
    try:
        return array.astype(np.int64)
    except OverflowError as error:
        raise ValueError(f"{name} must hold integers that fit in 64 bits.") from error


def numbers_as_integers(array, name, titles=None, *, missing=False):
    """A matrix of numbers as integers; `missing` allows NaN, which becomes -1."""
    if array.dtype.kind == "f":
        return _integers_from_floats(array, name, titles or column_titles(), missing)
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} must hold integers below 2^63, got {array.max()}.")
    return array


def _integers_from_floats(array, name, titles, missing):
    """Convert a float array of integers to int64, block by block."""
    integers = np.empty(array.shape, dtype=np.int64)
    for rows in row_blocks(len(array)):
        block = array[rows].astype(np.float64)
        if missing:
            block[np.isnan(block)] = -1.0
        wrong = ~np.isfinite(block)
        if not wrong.any():
            # From 2^53 on neighbouring integers share a float: two labels could have become one.
            wrong = (block != np.rint(block)) | (np.abs(block) >= 2.0**53)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            value = block[row, column]
            where = f"got {value} at {_place(rows.start + row, titles(column))}"
            if not np.isfinite(value):
                raise ValueError(f"{name} must not contain {'infinity' if missing else 'NaN or infinity'}, {where}.")
            raise ValueError(f"{name} must hold integer cluster labels, {where}. {_FEATURES}")
        integers[rows] = block
    return integers
