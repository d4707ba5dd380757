"""Columns of a table as integer labels."""

import re
import warnings

import numpy as np

from ...checks.blocks import row_blocks
from ...checks.texts import INTEGER, NUMBER
from .tables import cell_error, check_not_empty, coded, shown
from .text import DECIMAL_COMMA, comma_hint, is_missing

_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
# A clustering of fewer objects may well have more labels than half of them.
_TELLING = 20


def labels_of(table, columns):
    """Columns of a table as integer labels, (n_rows, len(columns)), -1 where missing.

    Names are numbered in sorted order, after the numbers in the same column.

    Raises
    ------
    ValueError
        For a number that is infinite, not an integer or too large for 64 bits; for an object or a column without any
        label; for a column of names of the objects, where one that may be such names gets a warning; for a matrix of
        pairs of objects.
    """
    check_not_empty(table, columns)
    _refuse_pairs(table, columns)
    if table.is_numeric:
        labels = _integers(table, columns)
        # Numbers of the objects come first; names may be in any column.
        n_labels = [len(np.unique(labels[:, 0]))]
    else:
        found = [_coded_labels(table, column) for column in columns]
        labels = np.empty((table.n_rows, len(columns)), dtype=np.int64)
        for rows in row_blocks(table.n_rows):
            for position, (codes, values) in enumerate(found):
                labels[rows, position] = values[codes[rows]]
        n_labels = [len(np.unique(values)) for _, values in found]
    _check_observed(table, labels, columns)
    for column, number in zip(columns, n_labels, strict=False):
        _check_no_index(table, column, number)
    return labels


def _refuse_pairs(table, columns):
    """Raise ValueError for a matrix of pairs of objects."""
    if len(columns) != table.n_rows:
        return
    # What it imports is not needed for --help.
    from ...checks.forms import kind_of_pairs

    try:
        cells = table.cells if table.is_numeric else np.column_stack([table.cells[c].cast("float64") for c in columns])
    except ValueError:
        # Some are names or missing.
        return
    kind = kind_of_pairs(cells[:, columns] if table.is_numeric else cells)
    if kind is not None:
        raise ValueError(
            f"{table.file}: must have one column per clustering, got a symmetric matrix of {table.n_rows} "
            f"rows, as {kind} are; give the clusterings that it was made from."
        )


def _integers(table, columns):
    """Labels of a matrix of numbers, of its own type if that is an integer type."""
    cells = table.cells if len(columns) == table.n_columns else table.cells[:, columns]
    if cells.dtype.kind == "u" and cells.max() > np.iinfo(np.int64).max:
        row, position = np.argwhere(cells > np.iinfo(np.int64).max)[0]
        raise cell_error(table, row, columns[position], _too_large(cells[row, position]))
    if cells.dtype.kind != "f":
        return cells
    labels = np.empty(cells.shape, dtype=np.int64)
    for rows in row_blocks(len(cells)):
        block = cells[rows].astype(np.float64)
        block[np.isnan(block)] = -1.0
        # Beyond 2^53 neighbouring integers share a float: two labels could have become one.
        wrong = (block != np.rint(block)) | (np.abs(block) >= 2.0**53)
        if wrong.any():
            row, position = np.argwhere(wrong)[0]
            value = block[row, position]
            reason = _too_large(value) if abs(value) >= 2.0**53 else _no_label(value)
            raise cell_error(table, rows.start + row, columns[position], reason)
        labels[rows] = block
    return labels


def _coded_labels(table, column):
    """Codes of a column of texts, and the labels that they mean."""
    codes, texts = coded(table, column)
    values = []
    for code, text in enumerate(texts.to_pylist()):
        try:
            values.append(_parse_label(text.strip()))
        except ValueError as error:
            raise cell_error(table, np.argmax(codes == code), column, error) from None
    if any(isinstance(value, str) for value in values):
        if len(set(values)) == len(codes) > 2:
            raise _names_error(table, column)
        # Numbers come before names.
        known = sorted({value for value in values if value != -1}, key=lambda value: (isinstance(value, str), value))
        number_of = {value: number for number, value in enumerate(known)} | {-1: -1}
        values = [number_of[value] for value in values]
    return codes, np.array(values, dtype=np.int64)


def _parse_label(text):
    """Integer or name; -1 if the text means a missing label."""
    if is_missing(text):
        return -1
    if INTEGER.fullmatch(text):
        # Python refuses to convert thousands of digits.
        if len(text.lstrip("+-0")) > 19 or not -(2**63) <= int(text) < 2**63:
            raise ValueError(_too_large(text))
        return int(text)
    if _INFINITE.fullmatch(text) or DECIMAL_COMMA.fullmatch(text):
        raise ValueError(_no_label(text))
    if NUMBER.fullmatch(text):
        number = float(text)
        if abs(number) >= 2.0**53:
            raise ValueError(_too_large(text))
        if number != int(number):
            raise ValueError(_no_label(text))
        return int(number)
    return text


def _no_label(cell):
    return (
        f"a label must be an integer or a name, got {shown(cell)}{comma_hint(cell)}. If the columns are features, "
        "cluster them with 'robust-eac ensemble' first"
    )


def _too_large(cell):
    return f"a label must fit in 64 bits (53 bits if it is a float), got {shown(cell)}"


def _names_error(table, column):
    number = column + 1
    return ValueError(
        f"{table.file}, column {number}: every object has its own label, so this is not a clustering; give "
        f"--index-column {number} if these are names of the objects, --drop-column {number} otherwise."
    )


def _check_observed(table, labels, columns):
    """Raise ValueError for an object or a column without any label."""
    if labels.min() > -1:
        return
    observed = labels != -1
    if not observed.any(axis=1).all():
        row = table.numbers[np.argmin(observed.any(axis=1))]
        raise ValueError(f"{table.file}, row {row}: every label is missing; an object needs at least one.")
    if not observed.any(axis=0).all():
        column = columns[int(np.argmin(observed.any(axis=0)))] + 1
        raise ValueError(f"{table.file}, column {column}: every label is missing; a clustering needs at least one.")


def _check_no_index(table, column, n_labels):
    """Warn of a column that looks like names of the objects, and refuse the untitled one that pandas writes."""
    n = table.n_rows
    if n < 3 or 2 * n_labels <= n or (n_labels < n < _TELLING):
        return
    if n_labels == n and table.header is not None and not table.header[column]:
        raise _names_error(table, column)
    found = "every object has its own label" if n_labels == n else f"{n_labels} labels for {n} objects"
    warnings.warn(
        f"{table.file}, column {column + 1}: {found}; if these are names or numbers of the objects, give "
        f"--index-column {column + 1}.",
        UserWarning,
        stacklevel=3,
    )
