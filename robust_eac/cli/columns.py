"""Columns of a table as labels, features or names of the objects, and what the texts of cells mean."""

import re
import warnings

import numpy as np

from ..checks.common import MISSING, NUMBER

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
# Spreadsheets run a cell that begins like this, without the quotes.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
# A clustering of fewer objects may well have more labels than half of them.
_TELLING = 20
_HOW_TO_LEAVE_OUT = "; use --index-column for names of the objects, --drop-column for other columns to leave out"


def is_missing(text):
    """Whether a cell means that the value is missing."""
    return text.strip().lower() in MISSING


def is_number(text):
    """Whether a cell is a decimal number."""
    return NUMBER.fullmatch(text.strip()) is not None


def as_written(text):
    """A text, no number, as a cell of an output: behind one more quote if a spreadsheet would run it as a formula."""
    return f"'{text}" if _FORMULA.match(text) and not is_number(text) else text


def as_read(cell):
    """The text that :func:`as_written` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def column_number(spec):
    """The column number that a text means, "1" or "@1"; None for any other text."""
    digits = spec.removeprefix("@")
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None


def find_column(table, spec):
    """Position of a column given by its title, or by its number counted from 1."""
    titles, number = table.header or [], column_number(spec)
    named = [c for c, title in enumerate(titles) if title == spec]
    numbered = [c for c in range(len(table.columns)) if c + 1 == number]
    if len(named) > 1:
        raise ValueError(f"{table.file}: {len(named)} columns have the title {spec!r}; choose one by its number.")
    if named and numbered and named != numbered:
        told = f"{spec!r} is the title of column {named[0] + 1} and the number of another column"
        raise ValueError(f"{table.file}: {told}; write @{named[0] + 1} or @{number}.")
    if named or numbered:
        return (named or numbered)[0]
    known = f"numbers are 1 to {len(table.columns)}"
    if titles:
        known += f", titles are {', '.join(map(repr, titles[:10]))}" + (", ..." if len(table.columns) > 10 else "")
    raise ValueError(f"{table.file}: no column {spec!r}; {known}.")


def texts_of(table, column):
    """Cells of a column as texts, without white space at the ends and the quote before what could be a formula."""
    return [as_read(str(cell).strip()) for cell in table.cells(column)]


def names_of(table, column):
    """Names of the objects, as :func:`texts_of`; warns if two objects have the same name."""
    names, first = texts_of(table, column), {}
    for row, name in zip(table.numbers, names, strict=True):
        if first.setdefault(name, row) != row:
            told = f"rows {first[name]} and {row} have the same name {_shown(name)}; they are kept as two objects."
            warnings.warn(f"{table.file}, column {column + 1}: {told}", UserWarning, stacklevel=3)
            break
    return names


def features_of(table, columns, *, hint=_HOW_TO_LEAVE_OUT):
    """Columns of a table as finite numbers; the hint ends messages about what is probably no feature."""
    _check_not_empty(table, columns)
    features = np.empty((len(table.numbers), len(columns)))
    for position, column in enumerate(columns):
        features[:, position] = numbers = _numbers(table.columns[column])
        wrong = ~np.isfinite(numbers)
        if wrong.any():
            row = int(np.argmax(wrong))
            cell = table.cells(column)[row]
            lacking = "; fill in the value, or leave out the row or the column" if is_missing(str(cell)) else hint
            told = f"a feature must be a finite number, got {_shown(cell)}{_comma_hint(cell) or lacking}"
            raise _cell_error(table, row, column, told)
        if len(numbers) > 2 and np.all(np.diff(numbers) == 1.0):
            told = f"it seems to number the objects, but is used as a feature{hint}."
            warnings.warn(f"{table.file}, column {column + 1}: {told}", UserWarning, stacklevel=2)
    return features


def _numbers(cells):
    """Cells as floats, NaN where one is no number."""
    if cells.dtype.kind in "biuf":
        return cells.astype(np.float64)
    return np.array([float(text) if is_number(text) else np.nan for text in map(str, cells.tolist())])


def labels_of(table, columns):
    """Columns of a table as integer labels, (n_rows, len(columns)), -1 where missing."""
    # SciPy, which it imports, is not needed for --help.
    from ..checks.forms import LabelError, kind_of_pairs, label_column, side_by_side

    _check_not_empty(table, columns)
    n, found = len(table.numbers), []
    if len(columns) == n:
        kind = kind_of_pairs(np.column_stack([_numbers(table.columns[column]) for column in columns]))
        if kind is not None:
            told = f"must have one column per clustering, got a symmetric matrix of {n} rows, as {kind} are"
            raise ValueError(f"{table.file}: {told}; give the clusterings that it was made from.")
    for column in columns:
        try:
            found.append(label_column(table.columns[column], table.file))
        except LabelError as error:
            raise _label_error(table, error.row, column) from None
    labels, _ = side_by_side(found)
    for axis, kind, what in ((1, "row", "an object"), (0, "column", "a clustering")):
        observed = (labels != -1).any(axis=axis)
        if not observed.all():
            at = int(np.argmin(observed))
            where = f"{kind} {table.numbers[at] if axis else columns[at] + 1}"
            raise ValueError(f"{table.file}, {where}: every label is missing; {what} needs at least one.")
    for position, (_, names) in enumerate(found):
        # Numbers of the objects come first; names of them may be in any column.
        if names or position == 0:
            n_labels = len(np.unique(labels[:, position]))
            _check_no_index(table, columns[position], n_labels, has_names=bool(names))
    return labels


def _label_error(table, row, column):
    cell = table.cells(column)[row]
    if (not isinstance(cell, str) or is_number(cell)) and abs(float(cell)) >= 2.0**53:
        told = f"a label must fit in 64 bits (53 bits if it is a float), got {_shown(cell)}"
    else:
        told = f"a label must be an integer or a name, got {_shown(cell)}{_comma_hint(cell)}"
        told += ". If the columns are features, cluster them with 'robust-eac ensemble' first"
    return _cell_error(table, row, column, told)


def _check_no_index(table, column, n_labels, *, has_names):
    """Refuse a column that names the objects, and the untitled one that pandas writes; warn if it may be one."""
    n, number = len(table.numbers), column + 1
    if n < 3 or 2 * n_labels <= n or (n_labels < n < _TELLING):
        return
    where, untitled = f"{table.file}, column {number}", table.header is not None and not table.header[column]
    if n_labels == n and (has_names or untitled):
        rule = f"give --index-column {number} if these are names of the objects, --drop-column {number} otherwise"
        raise ValueError(f"{where}: every object has its own label, so this is not a clustering; {rule}.")
    found = "every object has its own label" if n_labels == n else f"{n_labels} labels for {n} objects"
    told = f"{found}; if these are names or numbers of the objects, give --index-column {number}."
    warnings.warn(f"{where}: {told}", UserWarning, stacklevel=3)


def _check_not_empty(table, columns):
    if not columns:
        raise ValueError(f"{table.file}: none of the {len(table.columns)} columns is left.")


def _cell_error(table, row, column, reason):
    """The ValueError for a cell, which tells its row and column in the file."""
    return ValueError(f"{table.file}, row {table.numbers[row]}, column {column + 1}: {reason}.")


def _shown(cell):
    text = str(cell)
    return repr(text if len(text) <= 40 else text[:37] + "...") if isinstance(cell, str) else text


def _comma_hint(cell):
    return " (decimal comma?)" if isinstance(cell, str) and _DECIMAL_COMMA.fullmatch(cell.strip()) else ""
