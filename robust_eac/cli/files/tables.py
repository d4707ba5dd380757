"""A file as a table, and its columns by title or number."""

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .arrays import ARRAY_SUFFIXES, read_array
from .text import as_read, column_number


class Table(NamedTuple):
    """The cells of a file: a matrix of numbers, or a list of columns, strings of Arrow.

    `header` is the list of titles, or None; `numbers` are the numbers of the rows in the file.
    """

    file: str
    cells: np.ndarray | list
    header: list | None
    numbers: range | np.ndarray

    @property
    def n_rows(self):
        """Number of rows below the header."""
        return len(self.numbers)

    @property
    def n_columns(self):
        """Number of columns."""
        return self.cells.shape[1] if self.is_numeric else len(self.cells)

    @property
    def is_numeric(self):
        """Whether the cells are a matrix of numbers."""
        return isinstance(self.cells, np.ndarray)


def read_table(path, *, variable=None, delimiter=None, header=None, special=()):
    """The :class:`Table` in a file; a ValueError if it cannot be read, or can be read in several ways.

    Parameters
    ----------
    path : str or Path
        The suffix tells the format: .npy, .npz, .mat or .parquet; any other file is text, compressed if it ends in .gz.
    variable : str, default=None
        Name of the array in an .npz or .mat file; required if there are several.
    delimiter : str, default=None
        Of a text: ",", ";", tab, "|" or space. None takes the one that fits the first lines.
    header : bool, default=None
        Whether the first row of a text is a header. None decides by its cells.
    special : sequence of str
        Columns, by title or number, that are ignored when looking for a header.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in ARRAY_SUFFIXES:
        for value, option in ((delimiter, "--delimiter"), (header, "--header")):
            if value is not None:
                raise ValueError(f"{path}: {option} applies to text files only, not to {suffix} files.")
        cells, titles = read_array(path, variable)
        numbers = range(1, len(cells if isinstance(cells, np.ndarray) else cells[0]) + 1)
    elif variable is not None:
        raise ValueError(f"{path}: --variable applies to .npz and .mat files only, not to text files.")
    else:
        # Arrow takes a while to import, and --help needs no file.
        from .delimited import read_text

        cells, titles, numbers = read_text(path, delimiter=delimiter, header=header, special=special)
    return Table(str(path), cells, titles and [*map(as_read, titles)], numbers)


def find_column(table, spec):
    """Position of a column given by its title, or by its number counted from 1."""
    named = [c for c, name in enumerate(table.header or []) if name == spec]
    if len(named) > 1:
        raise ValueError(f"{table.file}: {len(named)} columns have the title {spec!r}; choose one by its number.")
    number = column_number(spec)
    numbered = [] if number is None or not 1 <= number <= table.n_columns else [number - 1]
    if named and numbered and named != numbered:
        raise ValueError(
            f"{table.file}: {spec!r} is the title of column {named[0] + 1} and the number of another column; write "
            f"@{named[0] + 1} or @{number}."
        )
    if named or numbered:
        return (named or numbered)[0]
    known = f"numbers are 1 to {table.n_columns}"
    if table.header:
        shown = ", ".join(map(repr, table.header[:10])) + (", ..." if table.n_columns > 10 else "")
        known += f", titles are {shown}"
    raise ValueError(f"{table.file}: no column {spec!r}; {known}.")


def coded(table, column):
    """(codes, texts) of a column of texts: row i holds ``texts[codes[i]]``; the texts are an array of Arrow."""
    encoded = table.cells[column].dictionary_encode()
    return np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks]), encoded.chunk(0).dictionary


def texts_of(table, column):
    """Cells of a column as texts, without white space at the ends and the quote before what could be a formula."""
    if table.is_numeric:
        return [str(value) for value in table.cells[:, column].tolist()]
    return [as_read(text.strip()) for text in table.cells[column].to_pylist()]


def names_of(table, column):
    """Names of the objects, as :func:`texts_of`; warns if two objects have the same name."""
    names = texts_of(table, column)
    first = {}
    for row, name in zip(table.numbers, names, strict=True):
        if first.setdefault(name, row) != row:
            warnings.warn(
                f"{table.file}, column {column + 1}: rows {first[name]} and {row} have the same name {shown(name)}; "
                "they are kept as two objects.",
                UserWarning,
                stacklevel=3,
            )
            break
    return names


def check_not_empty(table, columns):
    """Raise ValueError if no column is selected."""
    if not columns:
        raise ValueError(f"{table.file}: none of the {table.n_columns} columns is left.")


def cell_error(table, row, column, reason):
    """The ValueError for a cell, which tells its row and column in the file."""
    return ValueError(f"{table.file}, row {table.numbers[row]}, column {column + 1}: {reason}.")


def shown(cell):
    """A cell as messages show it: texts in quotes, cut if they are long."""
    text = str(cell)
    return repr(text if len(text) <= 40 else text[:37] + "...") if isinstance(cell, str) else text
