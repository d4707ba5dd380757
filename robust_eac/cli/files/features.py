"""Columns of a table as features."""

import warnings

import numpy as np

from .tables import cell_error, check_not_empty, shown
from .text import comma_hint, is_missing, is_number

_HOW_TO_LEAVE_OUT = "; use --index-column for names of the objects, --drop-column for other columns to leave out"


def features_of(table, columns, *, hint=_HOW_TO_LEAVE_OUT):
    """Columns of a table as finite numbers, (n_rows, len(columns)) float64.

    The hint ends messages about a column that is probably no feature. A column that counts the objects gets a warning.
    """
    check_not_empty(table, columns)
    features = _matrix(table, columns, hint) if table.is_numeric else _parsed(table, columns, hint)
    for position, column in enumerate(columns):
        if len(features) > 2 and np.all(np.diff(features[:, position]) == 1.0):
            warnings.warn(
                f"{table.file}, column {column + 1}: it seems to number the objects, but is used as a feature{hint}.",
                UserWarning,
                stacklevel=2,
            )
    return features


def _matrix(table, columns, hint):
    """Features of a matrix of numbers."""
    features = table.cells[:, columns].astype(np.float64)
    wrong = ~np.isfinite(features)
    if wrong.any():
        row, position = np.argwhere(wrong)[0]
        raise cell_error(table, row, columns[position], _no_feature(features[row, position], hint))
    return features


def _parsed(table, columns, hint):
    """Features of columns of texts."""
    features = np.empty((table.n_rows, len(columns)))
    for position, column in enumerate(columns):
        codes, texts = table.cells[column]
        numbers = np.array([float(text) if is_number(text) else np.nan for text in map(str.strip, texts)])
        wrong = np.flatnonzero(~np.isfinite(numbers[codes]))
        if len(wrong):
            raise cell_error(table, wrong[0], column, _no_feature(texts[codes[wrong[0]]], hint))
        features[:, position] = numbers[codes]
    return features


def _no_feature(cell, hint):
    if is_missing(str(cell)):
        hint = "; fill in the value, or leave out the row or the column"
    return f"a feature must be a finite number, got {shown(cell)}{comma_hint(cell) or hint}"
