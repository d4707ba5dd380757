"""Delimited text: which delimiter, whether a header, and the cells as numbers or texts."""

import csv
import io
import re
import warnings
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from ._label_checks import BLOCK

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " "}
# So many lines tell how a file is delimited.
_PROBE = 20
# In any case; -1 is an integer first, and missing all the same.
_MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"}
INTEGER = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Coded(NamedTuple):
    """A column of texts: that of row i is ``texts[codes[i]]``."""

    codes: np.ndarray
    texts: list


def is_missing(text):
    return text.strip().lower() in _MISSING


def is_number(text):
    return NUMBER.fullmatch(text.strip()) is not None


def column_number(spec):
    """Number that a text gives a column by, None of a title; "@1" is always a number."""
    digits = spec.removeprefix("@")
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None


def read_text(path, dtype, *, delimiter=None, header=None, special=()):
    """(cells, titles or None) of a text; the arguments are those of :func:`~robust_eac._files.read_table`.

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

    skip = header
    if skip is None:
        skip = any(not is_number(first[c]) and not is_missing(first[c]) for c in kept)
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
    """Whether the first row names the columns, from its cells and from which of them occur again below.

    Names are no numbers and do not occur again. Whatever could be both is refused: an object too many, or too few,
    would go unnoticed.
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
        f"{file}, row 1: it may name the columns or be an object: give --header yes or --header no (and --index-column "
        "if a column has the names of the objects)."
    )


def _may_number_columns(cells):
    """Whether cells without a name among them are evenly spaced integers, as names of columns are at times.

    pandas writes 0, 1, 2, ... for columns without names, after an empty cell if it writes its index.
    """
    numbers = [int(cell) for cell in cells if INTEGER.fullmatch(cell) and len(cell) < 10]
    if cells[:1] == [""] and numbers == list(range(len(cells) - 1)):
        return True
    steps = {after - before for before, after in pairwise(numbers)}
    return len(numbers) == len(cells) >= 3 and len(steps) == 1 and min(steps) > 0


def _find_delimiter(file, text):
    """The delimiter that gives the first lines equal numbers of cells, more than one."""
    lines = list(islice(io.StringIO(text, newline=""), _PROBE))
    widths = {}
    for delimiter in (",", ";", "\t"):
        try:
            widths[delimiter] = {len(row) for row in csv.reader(lines, delimiter=delimiter)}
        except csv.Error:
            widths[delimiter] = {1}
    occurring = [delimiter for delimiter, found in widths.items() if max(found) > 1]
    even = [delimiter for delimiter in occurring if len(widths[delimiter]) == 1]
    likely = even or occurring
    words = [line.split() for line in lines]
    if not likely and len({len(row) for row in words}) == 1 < len(words[0]):
        numeric = all(is_number(word) or is_missing(word) for row in words[1:] or words for word in row)
        likely = [" "] if numeric else [" ", ","]
    if not likely and any('" ' in line for line in lines):
        raise ValueError(f"{file}: cells in quotes between spaces; write it with commas (in R, by write.csv).")
    if len(likely) > 1:
        raise ValueError(f"{file}: it can be read with more than one delimiter: give --delimiter.")
    return likely[0] if likely else ","


def _rows(file, text, delimiter):
    """The rows of a text, lists of cells."""
    if delimiter == " ":
        yield from (line.split() for line in io.StringIO(text, newline=None))
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        yield from reader
    except csv.Error as error:
        raise ValueError(f"{file}, row {reader.line_num}: {error}.") from error


def _read_numbers(text, delimiter, dtype, *, skip_rows):
    """Matrix of a text of nothing but numbers of that type, None of another."""
    # NumPy passes over empty lines; here they are missing cells.
    if re.search(r"\n\r?\n|\r\r", text):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.loadtxt(
                io.StringIO(text, newline=None),
                dtype=dtype,
                delimiter=None if delimiter == " " else delimiter,
                comments=None,
                skiprows=skip_rows,
                ndmin=2,
            )
        except (ValueError, Warning):
            return None


class _Codes(dict):
    """Numbers of texts, in the order in which they are asked for."""

    def __missing__(self, text):
        self[text] = number = len(self)
        return number


def _read_codes(file, rows, width):
    """The remaining rows as :class:`Coded` columns; `rows` has given the first one already."""
    numbers, blocks, n_read = [_Codes() for _ in range(width)], [[] for _ in range(width)], 1
    while block := list(islice(rows, BLOCK)):
        lengths = list(map(len, block))
        if set(lengths) != {width}:
            wrong = next(i for i, length in enumerate(lengths) if length != width)
            raise ValueError(
                f"{file}, row {n_read + wrong + 1}: {lengths[wrong]} cells where the first row has {width}."
            )
        for number_of, part, cells in zip(numbers, blocks, zip(*block, strict=True), strict=True):
            part.append(np.fromiter(map(number_of.__getitem__, cells), np.int32, len(block)))
        n_read += len(block)
    return [
        Coded(np.concatenate([np.empty(0, np.int32), *part]), list(number_of))
        for number_of, part in zip(numbers, blocks, strict=True)
    ]


def _with_first(column, cell):
    """The column with one more cell at its top."""
    texts = column.texts if cell in column.texts else [*column.texts, cell]
    return Coded(np.concatenate([[texts.index(cell)], column.codes]), texts)


def _read_characters(path):
    """Text of a UTF-8 file without the ends of its last lines."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if b"\0" in data:
        raise ValueError(f"{path}: no text in UTF-8 (binary, or UTF-16); save it as CSV in UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, row {row}: no text in UTF-8, byte 0x{data[error.start]:02x}; save it as CSV in UTF-8."
        ) from error
    if not text.strip():
        raise ValueError(f"{path}: the file is empty.")
    return text.rstrip("\r\n")
