"""Delimited text, read by Arrow: its delimiter, its comments, its header, and its cells as columns of texts."""

import csv
import gzip
import io
import re
import warnings
from contextlib import suppress
from itertools import dropwhile, islice, pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

from .arrays import attempt
from .text import INTEGER, column_number, is_missing, is_number

# The delimiter is judged by this many lines.
_PROBE = 20


def read_text(path, *, delimiter=None, header=None, special=()):
    """(cells, titles or None, numbers of the rows) of a text, as :class:`.tables.Table` has them."""
    file, data = str(path), _read_bytes(path)
    if all(line.startswith("#") for line in _lines(data)):
        raise ValueError(f"{file}: every line begins with #, as comments do; put quotes around such a cell.")
    delimiter = delimiter or _find_delimiter(file, data)
    if delimiter == " ":
        data = "".join(" ".join(line.split()) + "\n" for line in _lines(data, newline=None)).encode()
    data, comments = _without_comments(file, data, delimiter)
    first = next(_rows(file, _lines(data), delimiter, comments))
    if not first:
        raise ValueError(f"{file}, row {_in_file(1, comments)}: the first row is empty.")
    left_out = {column_number(spec) for spec in special}
    kept = [c for c in range(len(first)) if c + 1 not in left_out]
    if header is None and None in left_out:
        header = True
    skip = any(not is_number(first[c]) and not is_missing(first[c]) for c in kept) if header is None else header
    cells, again = _read_integers(data, delimiter, len(first), skip), [False] * len(kept)
    is_matrix = cells is not None
    if not is_matrix:
        cells = _read_columns(file, data, delimiter, len(first), comments)
        again = [pc.any(pc.equal(cells[c].slice(1), first[c])).as_py() for c in kept]
    titles = [cell.strip() for cell in first]
    if header is None:
        header = _is_header(file, _in_file(1, comments), [titles[c] for c in kept], again)
    if header and not is_matrix:
        cells = [column.slice(1) for column in cells]
    n_rows = len(cells) if is_matrix else len(cells[0])
    if not n_rows:
        raise ValueError(f"{file}: there are no rows below the header.")
    return cells, titles if header else None, _in_file(np.arange(1, n_rows + 1) + header, comments)


def _in_file(number, comments):
    """Number of a row in the file, from its number without the comments: those that have fewer rows above count."""
    return number + np.searchsorted(comments, number, side="left")


def _is_header(file, row, cells, repeated):
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
        f"{file}, row {row}: could be a header or an object; give --header yes or --header no (and --index-column if a "
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


def _find_delimiter(file, data):
    """The delimiter that splits every one of the first lines into the same number of cells, at least two."""
    lines = list(islice((line for line in _lines(data) if not line.startswith("#")), _PROBE))
    widths = {}
    for delimiter in (",", ";", "\t", "|"):
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


def _without_comments(file, data, delimiter):
    """The data without its comments, and the number of rows above each of them.

    A line that begins with # is none inside a quoted cell, as a first row (of titles) that fits the others, or with an
    Excel error as a missing cell. Any other that could be a row is refused: nobody would notice one object too few.
    """
    if b"#" not in data or not re.search(rb"(?:\A|[\r\n])#", data):
        return data, []
    lines, kept, comments, above, inside = data.splitlines(keepends=True), [], [], 0, False
    table = dropwhile(lambda line: line.startswith(b"#"), lines)
    width = len(next(_rows(file, map(bytes.decode, table), delimiter, [])))
    for number, line in enumerate(lines, start=1):
        if line.startswith(b"#") and not inside:
            cells = [] if line[1:2].isspace() else next(_rows(file, [line.decode()], delimiter, [0] * (number - 1)))
            if not cells or len(cells) != width:
                comments.append(above)
                continue
            if above and not is_missing(cells[0]):
                raise ValueError(
                    f"{file}, row {number}: could be a comment or an object; begin comments with '# ', put quotes "
                    "around a cell that begins with #."
                )
        kept.append(line)
        above += not inside
        inside ^= delimiter != " " and line.count(b'"') % 2 == 1
    return b"".join(kept), comments


def _rows(file, lines, delimiter, comments):
    """Yield the rows of a text, strictly, as lists of cells."""
    quoting = csv.QUOTE_NONE if delimiter == " " else csv.QUOTE_MINIMAL
    n_read = 0
    try:
        for row in csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True):
            yield row
            n_read += 1
    except csv.Error as error:
        raise ValueError(f"{file}, row {_in_file(n_read + 1, comments)}: {error}.") from error


def _read_integers(data, delimiter, width, skip):
    """Matrix of a text in which every cell is an integer, without its first row if that is to be skipped; else None.

    NumPy takes half of Arrow's time for these, but skips empty lines.
    """
    separator = None if delimiter == " " else delimiter
    if not _has_empty_lines(data):
        with warnings.catch_warnings(), suppress(ValueError, Warning):
            warnings.simplefilter("error")
            lines = _lines(data, newline=None)
            matrix = np.loadtxt(lines, np.int64, comments=None, delimiter=separator, skiprows=int(skip), ndmin=2)
            return matrix if matrix.shape[1] == width else None
    return None


def _has_empty_lines(data):
    return any(gap in data for gap in (b"\n\n", b"\n\r\n", b"\r\r"))


def _read_columns(file, data, delimiter, width, comments):
    """The columns of a text, strings of Arrow."""

    def check():
        """Raise ValueError for a row that csv would not take either."""
        for number, row in enumerate(_rows(file, _lines(data), delimiter, comments), start=1):
            if len(row) != width:
                where = f"{file}, row {_in_file(number, comments)}"
                raise ValueError(f"{where}: must have {width} cells as in the first row, got {len(row)}.")

    quotes = delimiter != " " and b'"' in data
    # Arrow takes an empty line for missing cells, and what stands behind a closing quote for a part of the cell.
    if quotes or _has_empty_lines(data):
        check()
    names = [*map(str, range(width))]
    try:
        columns = read_csv(
            pa.BufferReader(data),
            # A block must hold the longest row.
            ReadOptions(column_names=names, block_size=min(max(1 << 22, 256 * width), 2**31 - 1)),
            ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quotes else False,
                newlines_in_values=quotes,
                ignore_empty_lines=False,
            ),
            ConvertOptions(column_types=dict.fromkeys(names, pa.string()), check_utf8=False),
        ).columns
    except pa.ArrowInvalid as error:
        check()
        raise ValueError(f"{file}: cannot be read: {str(error).rstrip('.')}.") from error
    if max(pc.max(pc.binary_length(column)).as_py() for column in columns) > csv.field_size_limit():
        check()
    return columns


def _lines(data, newline=""):
    """The lines of a text, decoded."""
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline=newline)


def _read_bytes(path):
    """UTF-8 text of a file, without empty lines at the end."""
    read = gzip.decompress if path.suffix.lower() == ".gz" else bytes
    data = attempt(path, lambda: read(path.read_bytes()))
    if b"\0" in data:
        raise ValueError(f"{path}: not UTF-8 text (binary or UTF-16?); save it as CSV in UTF-8.")
    try:
        data.isascii() or data.decode()
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, row {row}: not UTF-8 text, byte 0x{data[error.start]:02x}; save it as CSV in UTF-8."
        ) from error
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.isspace() or not data:
        raise ValueError(f"{path}: the file is empty.")
    return data.rstrip(b"\r\n") + b"\n"
