"""Delimited text: its delimiter, its header, and its cells as numbers or texts."""

import csv
import io
import re
import warnings
from collections import defaultdict
from contextlib import suppress
from itertools import count, islice, pairwise
from typing import NamedTuple

import numpy as np

from ...checks.blocks import BLOCK

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " "}
# The delimiter is judged by this many lines.
_PROBE = 20
# In any case. The integer -1 means missing as well.
_MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"}
INTEGER = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
# Spreadsheets run a cell that begins like this, without the quotes.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


class Coded(NamedTuple):
    """A column of texts: row i holds ``texts[codes[i]]``."""

    codes: np.ndarray
    texts: list


def is_missing(text):
    """Whether a cell means that the value is missing."""
    return text.strip().lower() in _MISSING


def is_number(text):
    """Whether a cell is a decimal number."""
    return NUMBER.fullmatch(text.strip()) is not None


def as_written(text):
    """A text as a cell of an output: behind a single quote if a spreadsheet would run it as a formula.

    Numbers stay as they are. Quotes before a formula get one more, so that :func:`as_read` undoes this for every text.
    """
    return f"'{text}" if _FORMULA.match(text) and not is_number(text) else text


def as_read(cell):
    """The text that :func:`as_written` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def comma_hint(cell):
    """A note for messages about a cell that looks like a number with a decimal comma; otherwise empty."""
    return " (decimal comma?)" if isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell.strip()) else ""


def column_number(spec):
    """The column number that a text means, "1" or "@1"; None for any other text."""
    digits = spec.removeprefix("@")
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None


def read_text(path, dtype, *, delimiter=None, header=None, special=()):
    """(cells, titles or None) of a text; the arguments are those of :func:`.tables.read_table`.

    The cells are a matrix of numbers, or a list of :class:`Coded` columns.
    """
    file, text = str(path), _read_characters(path)
    delimiter = delimiter or _find_delimiter(file, text)
    rows = _rows(file, text, delimiter)
    first = next(rows)
    numbers = {column_number(spec) for spec in special}
    if header is None and None in numbers:
        header = True
    titles = [cell.strip() for cell in first]
    kept = [c for c in range(len(first)) if c + 1 not in numbers]

    skip = any(not is_number(first[c]) and not is_missing(first[c]) for c in kept) if header is None else header
    matrix = _read_numbers(text, delimiter, dtype, skip_rows=int(skip))
    if matrix is not None and matrix.shape[1] == len(first):
        if header is None:
            header = _is_header(file, [titles[c] for c in kept], [False] * len(kept))
        if header == skip:
            return matrix, titles if header else None

    columns = _read_codes(file, rows, len(first))
    if header is None:
        header = _is_header(file, [titles[c] for c in kept], [first[c] in columns[c].texts for c in kept])
    if not header:
        columns = [_with_first(column, cell) for column, cell in zip(columns, first, strict=True)]
    elif not len(columns[0].codes):
        raise ValueError(f"{file}: there are no rows below the header.")
    return columns, titles if header else None


def _is_header(file, cells, repeated):
    """Whether the first row is a header; `repeated` tells which of its cells occur again below.

    Titles are not numbers, and do not occur again. A row that could be either is refused, because nobody would notice
    one object too many or too few.
    """
    names = [not is_number(cell) and not is_missing(cell) for cell in cells]
    if not any(names):
        if not _may_number_columns(cells):
            return False
    else:
        again = [repeat for repeat, name in zip(repeated, names, strict=True) if name]
        if all(again):
            return False
        if not any(again) and not any(is_number(cell) for cell in cells):
            return True
    raise ValueError(
        f"{file}, row 1: could be a header or an object; give --header yes or --header no (and --index-column if a "
        "column names the objects)."
    )


def _may_number_columns(cells):
    """Whether cells that are all numbers could be titles: evenly spaced integers.

    pandas writes 0, 1, 2, ... above columns without titles, after an empty cell above its index.
    """
    numbers = [int(cell) for cell in cells if INTEGER.fullmatch(cell) and len(cell) < 10]
    if cells[:1] == [""] and numbers == list(range(len(cells) - 1)):
        return True
    steps = {after - before for before, after in pairwise(numbers)}
    return len(numbers) == len(cells) >= 3 and len(steps) == 1 and min(steps) > 0


def _find_delimiter(file, text):
    """The delimiter that splits every one of the first lines into the same number of cells, at least two."""
    lines = list(islice(io.StringIO(text, newline=""), _PROBE))
    widths = {}
    for delimiter in (",", ";", "\t"):
        with suppress(csv.Error):
            widths[delimiter] = {len(row) for row in csv.reader(lines, delimiter=delimiter)}
    occurring = [delimiter for delimiter, found in widths.items() if max(found) > 1]
    even = [delimiter for delimiter in occurring if len(widths[delimiter]) == 1]
    likely = even or occurring
    words = [line.split() for line in lines]
    if not likely and len({len(row) for row in words}) == 1 < len(words[0]):
        numeric = all(is_number(word) or is_missing(word) for row in words[1:] or words for word in row)
        likely = [" "] if numeric else [" ", ","]
    if not likely and any('" ' in line for line in lines):
        raise ValueError(
            f"{file}: cannot read quoted cells between spaces; write it with commas (in R, with write.csv)."
        )
    if len(likely) > 1:
        raise ValueError(f"{file}: more than one delimiter fits; choose one with --delimiter.")
    return likely[0] if likely else ","


def _rows(file, text, delimiter):
    """The rows of a text as lists of cells."""
    if delimiter == " ":
        yield from (line.split() for line in io.StringIO(text, newline=None))
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        yield from reader
    except csv.Error as error:
        raise ValueError(f"{file}, row {reader.line_num}: {error}.") from error


def _read_numbers(text, delimiter, dtype, *, skip_rows):
    """Matrix of a text in which every cell is a number of that type; None for any other text."""
    # NumPy skips empty lines; here they are missing cells.
    if re.search(r"\n\r?\n|\r\r", text):
        return None
    cells = io.StringIO(text, newline=None)
    delimiter = None if delimiter == " " else delimiter
    with warnings.catch_warnings(), suppress(ValueError, Warning):
        warnings.simplefilter("error")
        return np.loadtxt(cells, dtype=dtype, delimiter=delimiter, comments=None, skiprows=skip_rows, ndmin=2)
    return None


def _read_codes(file, rows, width):
    """The remaining rows as :class:`Coded` columns; the first one has been taken from `rows` already."""
    # Each dictionary numbers the texts of a column in order of first lookup.
    numbers = [defaultdict(count().__next__) for _ in range(width)]
    blocks, n_read = [[np.empty(0, np.int32)] for _ in range(width)], 1
    while block := list(islice(rows, BLOCK)):
        lengths = list(map(len, block))
        if set(lengths) != {width}:
            wrong = next(i for i, length in enumerate(lengths) if length != width)
            raise ValueError(
                f"{file}, row {n_read + wrong + 1}: must have {width} cells as in the first row, got {lengths[wrong]}."
            )
        for number_of, part, cells in zip(numbers, blocks, zip(*block, strict=True), strict=True):
            part.append(np.fromiter(map(number_of.__getitem__, cells), np.int32, len(block)))
        n_read += len(block)
    return [Coded(np.concatenate(part), list(number_of)) for number_of, part in zip(numbers, blocks, strict=True)]


def _with_first(column, cell):
    """The column with a cell added at the top."""
    texts = column.texts if cell in column.texts else [*column.texts, cell]
    return Coded(np.concatenate([[texts.index(cell)], column.codes]), texts)


def _read_characters(path):
    """Text of a UTF-8 file without empty lines at the end."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if b"\0" in data:
        raise ValueError(f"{path}: not UTF-8 text (binary or UTF-16?); save it as CSV in UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, row {row}: not UTF-8 text, byte 0x{data[error.start]:02x}; save it as CSV in UTF-8."
        ) from error
    if not text.strip():
        raise ValueError(f"{path}: the file is empty.")
    return text.rstrip("\r\n")
