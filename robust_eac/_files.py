"""Tables of labels, features and names in files: delimited text, .npy, .npz and .mat.

Whatever is wrong with a file is a ValueError of one line that names the file and, where there is one, row and column.
Rows and columns are counted from 1, as editors do; a header is row 1, a column of names counts.
"""

import re
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ._array_files import ARRAY_SUFFIXES, read_array
from ._label_checks import BLOCK
from ._text_files import INTEGER, NUMBER, Coded, column_number, is_missing, is_number, read_text

_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")


class Table(NamedTuple):
    """What a file holds: `cells` is a matrix of numbers, or a list of :class:`Coded` columns.

    `header` has the names of the columns, or is None; `first_row` is the number of the first row of cells in the file.
    """

    file: str
    cells: np.ndarray | list
    header: list | None
    first_row: int

    @property
    def n_rows(self):
        """Number of rows below the header."""
        return len(self.cells) if self.is_numeric else len(self.cells[0].codes)

    @property
    def n_columns(self):
        """Number of columns, whatever they hold."""
        return self.cells.shape[1] if self.is_numeric else len(self.cells)

    @property
    def is_numeric(self):
        """Whether the cells are one matrix of numbers."""
        return isinstance(self.cells, np.ndarray)


def read_table(path, *, dtype=np.int64, variable=None, delimiter=None, header=None, special=()):
    """Read a file.

    Parameters
    ----------
    path : str or Path
        The suffix tells the format: .npy, .npz, .mat, and anything else is text.
    dtype : {np.int64, np.float64}
        What the numbers of a text are most likely to be: they are read fast then.
    variable : str, default=None
        Which array of an .npz or .mat file; needed where there are several.
    delimiter : str, default=None
        Of a text, one of ",", ";", tab, space. None means the one that its first lines have.
    header : bool, default=None
        Whether the first row of a text names the columns. None means to see.
    special : sequence of str
        Columns, by name or number, that do not tell whether there is a header.

    Returns
    -------
    table : Table

    Raises
    ------
    ValueError
        If the file cannot be read, or in more than one way.

    Notes
    -----
    Time and memory O(size of the file); integers take a tenth of the time of texts.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in ARRAY_SUFFIXES:
        for value, option in ((delimiter, "delimiter"), (header, "header")):
            if value is not None:
                raise ValueError(f"{path}: {option} is for text files, not for {suffix}.")
        return _from_array(str(path), read_array(path, variable))
    if variable is not None:
        raise ValueError(f"{path}: variable is for .npz and .mat files, a text has none.")
    cells, titles = read_text(path, dtype, delimiter=delimiter, header=header, special=special)
    return Table(str(path), cells, titles, 1 if titles is None else 2)


def find_column(table, spec):
    """Position of a column given by its title or by its number, counted from 1."""
    named = [c for c, name in enumerate(table.header or []) if name == spec]
    if len(named) > 1:
        raise ValueError(f"{table.file}: {len(named)} columns have the title {spec!r}, give the number of one.")
    number = column_number(spec)
    numbered = [] if number is None or not 1 <= number <= table.n_columns else [number - 1]
    if named and numbered and named != numbered:
        raise ValueError(f"{table.file}: {spec!r} is the title of column {named[0] + 1}; @{spec} is the number.")
    if named or numbered:
        return (named or numbered)[0]
    known = f"numbers 1 to {table.n_columns}"
    if table.header:
        shown = ", ".join(map(repr, table.header[:10])) + (", ..." if table.n_columns > 10 else "")
        known += f" and titles {shown}"
    raise ValueError(f"{table.file}: no column {spec!r}; there are {known}.")


def texts_of(table, column):
    """Cells of a column as texts, at the edges without white space."""
    if table.is_numeric:
        return [str(value) for value in table.cells[:, column].tolist()]
    codes, texts = table.cells[column]
    return np.array([text.strip() for text in texts], dtype=object)[codes].tolist()


def names_of(table, column):
    """Names of the objects, as :func:`texts_of`; warns where two objects have the same."""
    names = texts_of(table, column)
    first = {}
    for row, name in enumerate(names, start=table.first_row):
        if first.setdefault(name, row) != row:
            warnings.warn(
                f"{table.file}, column {column + 1}: objects have the same name, {_shown(name)} in rows {first[name]} "
                f"and {row}; they are kept as objects of their own.",
                UserWarning,
                stacklevel=3,
            )
            break
    return names


def labels_of(table, columns):
    """Columns of a table as integer labels, (n_rows, len(columns)), -1 where missing.

    Names are numbered in their order, after the numbers that a column has beside them.
    Raises ValueError for a number that is no integer or does not fit in 64 bits, infinity, an object without any
    label, a column without any, and one that looks like the names of the objects; warns of what may be such names.
    """
    _check_some(table, columns)
    if table.is_numeric:
        labels = _integers(table, columns)
    else:
        labels = np.empty((table.n_rows, len(columns)), dtype=np.int64)
        for position, column in enumerate(columns):
            labels[:, position] = _coded_labels(table, column)
    _check_observed(table, labels, columns)
    # Numbers of objects stand first; their names may stand anywhere.
    for position, column in enumerate(columns[:1] if table.is_numeric else columns):
        _check_no_index(table, labels[:, position], column)
    return labels


_CHOOSE = "; --index-column is for names of the objects, --drop-column for what to leave out"


def features_of(table, columns, *, hint=_CHOOSE):
    """Columns of a table as finite numbers, (n_rows, len(columns)) float64; the hint says how to leave one out."""
    _check_some(table, columns)
    features = _numbers(table, columns, hint)
    for position, column in enumerate(columns):
        if len(features) > 2 and np.all(np.diff(features[:, position]) == 1.0):
            warnings.warn(
                f"{table.file}, column {column + 1}: it numbers the objects, and is taken for a feature{hint}.",
                UserWarning,
                stacklevel=2,
            )
    return features


def _numbers(table, columns, hint):
    if table.is_numeric:
        features = table.cells[:, columns].astype(np.float64)
        wrong = ~np.isfinite(features)
        if wrong.any():
            row, position = np.argwhere(wrong)[0]
            raise _cell_error(table, row, columns[position], _no_feature(features[row, position], hint))
        return features
    features = np.empty((table.n_rows, len(columns)))
    for position, column in enumerate(columns):
        codes, texts = table.cells[column]
        numbers = np.array([float(text) if is_number(text) else np.nan for text in map(str.strip, texts)])
        wrong = np.flatnonzero(~np.isfinite(numbers[codes]))
        if len(wrong):
            raise _cell_error(table, wrong[0], column, _no_feature(texts[codes[wrong[0]]], hint))
        features[:, position] = numbers[codes]
    return features


def _no_feature(cell, hint):
    if is_missing(str(cell)):
        hint = "; fill it in, or leave out the row or the column"
    return f"a feature must be a finite number, got {_shown(cell)}{_comma_hint(cell) or hint}"


def _integers(table, columns):
    cells = table.cells if len(columns) == table.n_columns else table.cells[:, columns]
    if cells.dtype.kind == "u" and cells.max() > np.iinfo(np.int64).max:
        row, position = np.argwhere(cells > np.iinfo(np.int64).max)[0]
        raise _cell_error(table, row, columns[position], _too_large(cells[row, position]))
    if cells.dtype.kind != "f":
        return cells
    labels = np.empty(cells.shape, dtype=np.int64)
    for start in range(0, len(cells), BLOCK):
        block = cells[start : start + BLOCK].astype(np.float64)
        block[np.isnan(block)] = -1.0
        # Beyond 2^53 neighbouring integers share a float: two labels could have become one.
        wrong = (block != np.rint(block)) | (np.abs(block) >= 2.0**53)
        if wrong.any():
            row, position = np.argwhere(wrong)[0]
            value = block[row, position]
            reason = _too_large(value) if abs(value) >= 2.0**53 else _no_label(value)
            raise _cell_error(table, start + row, columns[position], reason)
        labels[start : start + BLOCK] = block
    return labels


def _coded_labels(table, column):
    codes, texts = table.cells[column]
    values = []
    for code, text in enumerate(texts):
        try:
            values.append(_parse_label(text.strip()))
        except ValueError as error:
            raise _cell_error(table, np.argmax(codes == code), column, error) from None
    if any(isinstance(value, str) for value in values):
        if len(set(values)) == len(codes) > 2:
            raise _names_error(table, column)
        # Numbers before names.
        known = sorted({value for value in values if value != -1}, key=lambda value: (isinstance(value, str), value))
        number_of = {value: number for number, value in enumerate(known)} | {-1: -1}
        values = [number_of[value] for value in values]
    return np.array(values, dtype=np.int64)[codes]


def _names_error(table, column):
    number = column + 1
    return ValueError(
        f"{table.file}, column {number}: every object has a label of its own, which is no clustering; if these are the "
        f"names of the objects, give --index-column {number}, if not, --drop-column {number}."
    )


def _parse_label(text):
    """Integer, name, or -1 for what is missing."""
    if is_missing(text):
        return -1
    if INTEGER.fullmatch(text):
        # Python itself refuses thousands of digits.
        if len(text.lstrip("+-0")) > 19 or not -(2**63) <= int(text) < 2**63:
            raise ValueError(_too_large(text))
        return int(text)
    if _INFINITE.fullmatch(text) or _DECIMAL_COMMA.fullmatch(text):
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
        f"a label must be an integer or a name, got {_shown(cell)}{_comma_hint(cell)}. If these are features, "
        "'robust-eac ensemble' makes labels of them"
    )


def _too_large(cell):
    return f"a label must fit in 64 bits (53 as a float), got {_shown(cell)}"


def _shown(cell):
    text = str(cell)
    return repr(text if len(text) <= 40 else text[:37] + "...") if isinstance(cell, str) else text


def _comma_hint(cell):
    return " (decimal comma?)" if isinstance(cell, str) and _DECIMAL_COMMA.fullmatch(cell.strip()) else ""


def _check_some(table, columns):
    if not columns:
        raise ValueError(f"{table.file}: of its {table.n_columns} columns none is left.")


def _check_observed(table, labels, columns):
    if labels.min() > -1:
        return
    observed = labels != -1
    if not observed.any(axis=1).all():
        row = table.first_row + int(np.argmin(observed.any(axis=1)))
        raise ValueError(f"{table.file}, row {row}: every label is missing; an object needs at least one.")
    if not observed.any(axis=0).all():
        column = columns[int(np.argmin(observed.any(axis=0)))] + 1
        raise ValueError(f"{table.file}, column {column}: every label is missing; a partition needs at least one.")


def _check_no_index(table, labels, column):
    """What names the objects looks like a partition into single objects; pandas writes numbers without a title."""
    n, n_labels = len(labels), len(np.unique(labels))
    if n < 3 or 2 * n_labels <= n or (n_labels < n < _TELLING):
        return
    if n_labels == n and table.header is not None and not table.header[column]:
        raise _names_error(table, column)
    found = "every object has a label of its own" if n_labels == n else f"{n_labels} labels of {n} objects"
    warnings.warn(
        f"{table.file}, column {column + 1}: {found}; if these number or name the objects, give --index-column "
        f"{column + 1}.",
        UserWarning,
        stacklevel=3,
    )


# Of fewer objects than this, a clustering may well have more labels than half of them.
_TELLING = 20


def _cell_error(table, row, column, reason):
    return ValueError(f"{table.file}, row {table.first_row + int(row)}, column {column + 1}: {reason}.")


def _from_array(file, array):
    """Table of a matrix of numbers or texts."""
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{file}: a matrix with a row per object is needed, got shape {array.shape}.")
    if array.dtype.kind in "biuf":
        return Table(file, np.array(array, dtype=array.dtype.newbyteorder("="), order="C"), None, 1)
    columns = [np.unique(column, return_inverse=True) for column in array.astype(str).T]
    return Table(file, [Coded(codes.ravel(), texts.tolist()) for texts, codes in columns], None, 1)
