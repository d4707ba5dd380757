"""Columns of a table as features."""

import warnings
from contextlib import suppress

import numpy as np

from .tables import cell_error, check_not_empty, coded, shown
from .text import comma_hint, is_missing, is_number

_HOW_TO_LEAVE_OUT = "; use --index-column for names of the objects, --drop-column for other columns to leave out"


def features_of(table, columns, *, hint=_HOW_TO_LEAVE_OUT):
    """Columns of a table as finite numbers, (n_rows, len(columns)) float64.

    The hint ends messages about a column that is probably no feature. A column that counts the objects gets a warning.
    """
    check_not_empty(table, columns)
    features = np.empty((table.n_rows, len(columns)))
    for position, column in enumerate(columns):
        numbers = _numbers(table, column)
        wrong = ~np.isfinite(numbers)
        if wrong.any():
            row = int(np.argmax(wrong))
            cell = table.cells[row, column] if table.is_numeric else table.cells[column][row].as_py()
            raise cell_error(table, row, column, _no_feature(cell, hint))
        if len(numbers) > 2 and np.all(np.diff(numbers) == 1.0):
            warnings.warn(
                f"{table.file}, column {column + 1}: it seems to number the objects, but is used as a feature{hint}.",
                UserWarning,
                stacklevel=2,
            )
        features[:, position] = numbers
    return features


def _numbers(table, column):
    """A column as floats, NaN where a cell is no number."""
    if table.is_numeric:
        return table.cells[:, column].astype(np.float64)
    with suppress(ValueError):
        return table.cells[column].cast("float64").to_numpy()
    # Arrow takes no white space around a number.
    codes, texts = coded(table, column)
    return np.array([float(text) if is_number(text) else np.nan for text in texts.to_pylist()])[codes]


def _no_feature(cell, hint):
    if is_missing(str(cell)):
        hint = "; fill in the value, or leave out the row or the column"
    return f"a feature must be a finite number, got {shown(cell)}{comma_hint(cell) or hint}"
