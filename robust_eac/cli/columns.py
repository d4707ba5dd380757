"""Read columns of a table as labels, features or names of the objects, and the texts of cells as values."""

import re

import numpy as np

from ..checks.common import MISSING, NUMBER, warn

# With fewer objects than this, a clustering may well have more labels than half of them.
_FEW_OBJECTS = 20
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
# Spreadsheets run a cell that begins like this, quotes aside, as a formula.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_HOW_TO_LEAVE_OUT = "; use --index-column for names of the objects, --drop-column for other columns to leave out"


def is_missing(text):
    """Whether a cell marks a missing value."""
    return text.strip().lower() in MISSING


def is_number(text):
    """Whether a cell is a decimal number."""
    return NUMBER.fullmatch(text.strip()) is not None


def as_written(text):
    """The cell to write for a text: with a quote in front if a spreadsheet would run the text as a formula."""
    return f"'{text}" if _FORMULA.match(text) and not is_number(text) else text


def as_read(cell):
    """The text of a cell: undoes :func:`as_written`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def column_number(spec):
    """The number in "1" or "@1"; None for any other text."""
    digits = spec.removeprefix("@")
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None


def find_column(table, spec):
    """Position of a column given by its title, or by its number counted from 1."""
    titles = table.header or []
    number = column_number(spec)
    named = [c for c, title in enumerate(titles) if title == spec]
    numbered = [c for c in range(len(table.columns)) if c + 1 == number]
    if len(named) > 1:
        raise ValueError(f"{table.file}: {len(named)} columns have the title {spec!r}; choose one by its number.")
    if named and numbered and named != numbered:
        titled = named[0] + 1
        found = f"{spec!r} is the title of column {titled} and the number of another column"
        raise ValueError(f"{table.file}: {found}; write @{titled} or @{number}.")
    if named or numbered:
        return (named or numbered)[0]
    known = f"numbers are 1 to {len(table.columns)}"
    if titles:
        known += f", titles are {', '.join(map(repr, titles[:10]))}" + (", ..." if len(table.columns) > 10 else "")
    raise ValueError(f"{table.file}: no column {spec!r}; {known}.")


def texts_of(table, column):
    """Cells of a column as texts, without white space at the ends and without the quote of :func:`as_written`."""
    return [as_read(str(cell).strip()) for cell in table.cells(column)]


def names_of(table, column):
    """Names of the objects, read by :func:`texts_of`; warns if two objects have the same name."""
    names = texts_of(table, column)
    first = {}
    for row, name in zip(table.numbers, names, strict=True):
        if first.setdefault(name, row) != row:
            found = f"rows {first[name]} and {row} have the same name {_shown(name)}; they are kept as two objects."
            warn(f"{table.file}, column {column + 1}: {found}")
            break
    return names


def features_of(table, columns, *, hint=_HOW_TO_LEAVE_OUT):
    """Columns of a table as finite numbers; `hint` ends a message on a column that is probably not a feature."""
    _check_not_empty(table, columns)
    features = np.empty((len(table.numbers), len(columns)))
    for position, column in enumerate(columns):
        features[:, position] = numbers = numbers_of(table.columns[column])
        wrong = ~np.isfinite(numbers)
        if wrong.any():
            row = int(np.argmax(wrong))
            cell = table.cells(column)[row]
            advice = "; fill in the value, or leave out the row or the column" if is_missing(str(cell)) else hint
            reason = f"a feature must be a finite number, got {_shown(cell)}{_comma_hint(cell) or advice}"
            raise _cell_error(table, row, column, reason)
        if len(numbers) > 2 and np.all(np.diff(numbers) == 1.0):
            found = f"it seems to number the objects, but is used as a feature{hint}."
            warn(f"{table.file}, column {column + 1}: {found}")
    return features


def numbers_of(cells):
    """Cells as floats, NaN where a cell is not a number."""
    if cells.dtype.kind in "biuf":
        return cells.astype(np.float64)
    return np.array([float(text) if is_number(text) else np.nan for text in map(str, cells.tolist())])


def labels_of(table, columns, *, in_part=False):
    """Columns of a table as integer labels, (n_rows, len(columns)), -1 where missing; `in_part`, also in whole rows."""
    # Imported here, because it imports SciPy, which --help does without.
    from ..checks.labels import LabelError, kind_of_pairs, label_column, side_by_side

    _check_not_empty(table, columns)
    n = len(table.numbers)
    if len(columns) == n:
        kind = kind_of_pairs(np.column_stack([numbers_of(table.columns[column]) for column in columns]))
        if kind is not None:
            rule = f"must have one column per clustering, got a symmetric matrix of {n} rows, as {kind} are"
            raise ValueError(f"{table.file}: {rule}; give the clusterings that it was made from.")
    found = []
    for column in columns:
        try:
            found.append(label_column(table.columns[column], table.file))
        except LabelError as error:
            raise _label_error(table, error.row, column) from None
    labels, _ = side_by_side(found)
    observed = labels != -1
    if not in_part and not observed.any(axis=1).all():
        unseen = np.flatnonzero(~observed.any(axis=1))
        where = f"{table.file}, row {table.numbers[unseen[0]]}"
        rule = f"an object needs at least one, {len(unseen)} of {n} have none. Leave their rows out"
        raise ValueError(f"{where}: every label is missing; {rule}.")
    if not observed.any(axis=0).all():
        number = columns[np.argmin(observed.any(axis=0))] + 1
        raise ValueError(f"{table.file}, column {number}: every label is missing; a clustering needs at least one.")
    for position, (_, names) in enumerate(found):
        # Without titles, a column that numbers the objects comes first; one that names them may be any column.
        if names or position == 0 or table.header is not None:
            n_labels = len(np.unique(labels[:, position]))
            _check_no_index(table, columns[position], labels[:, position], n_labels, has_names=bool(names))
    return labels


def _label_error(table, row, column):
    cell = table.cells(column)[row]
    if (not isinstance(cell, str) or is_number(cell)) and abs(float(cell)) >= 2.0**53:
        reason = f"a label must fit in 64 bits (53 bits if it is a float), got {_shown(cell)}"
    else:
        reason = f"a label must be an integer or a name, got {_shown(cell)}{_comma_hint(cell)}"
        reason += ". If the columns are features, cluster them with 'robust-eac ensemble' first"
    return _cell_error(table, row, column, reason)


def _check_no_index(table, column, labels, n_labels, *, has_names):
    """Refuse a column that names the objects, or a written index without a title; warn of one that may be either."""
    n = len(labels)
    if n < 3 or not (n_labels == n or _may_count(labels, n_labels)):
        return
    number = column + 1
    where = f"{table.file}, column {number}"
    is_untitled = table.header is not None and not table.header[column]
    if n_labels == n and (has_names or is_untitled):
        rule = f"give --index-column {number} if these are names of the objects, --drop-column {number} otherwise"
        raise ValueError(f"{where}: every object has its own label, so this is not a clustering; {rule}.")
    found = "every object has its own label" if n_labels == n else f"{n_labels} labels for {n} objects"
    rule = f"if it names or numbers the objects, give --index-column {number}; if it counts, --drop-column {number}"
    warn(f"{where}: {found}; {rule}.")


def _may_count(labels, n_labels):
    """Whether a column of integers may count something: more labels than half the objects, or a fifth with gaps.

    n_labels : number of different labels. Clusterings number their clusters without gaps.
    """
    n, width = len(labels), int(labels.max()) - int(labels.min()) + 1
    has_gaps = n_labels >= _FEW_OBJECTS and 10 * n_labels < 9 * width
    return n >= _FEW_OBJECTS and (2 * n_labels > n or (has_gaps and 5 * n_labels > n))


def _check_not_empty(table, columns):
    if not columns:
        raise ValueError(f"{table.file}: none of the {len(table.columns)} columns is left.")


def _cell_error(table, row, column, reason):
    """The ValueError for a cell, with its row and column in the file."""
    return ValueError(f"{table.file}, row {table.numbers[row]}, column {column + 1}: {reason}.")


def _shown(cell):
    text = str(cell)
    return repr(text if len(text) <= 40 else text[:37] + "...") if isinstance(cell, str) else text


def _comma_hint(cell):
    return " (decimal comma?)" if isinstance(cell, str) and _DECIMAL_COMMA.fullmatch(cell.strip()) else ""
