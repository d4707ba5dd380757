"""Read the input files of the commands: delimited text, .npy, .npz, .mat, .parquet and .h5ad; none can run code.

Every error is a ValueError of one line: file, row, column, counted from 1. A header is row 1, a column of names counts.
"""

import csv
import gzip
import io
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import dropwhile, islice, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..checks.common import INTEGER, load_package
from ..wording import counted
from .columns import (
    DELIMITERS,
    as_read,
    column_number,
    features_of,
    find_column,
    is_missing,
    is_number,
    labels_of,
    names_of,
    numbers_of,
    texts_of,
)
from .output import say

# Lines that show the delimiter, and which columns hold numbers.
_PROBE = 20
_INTEGERS = [f"{sign}{bits}" for sign in ("Int", "UInt") for bits in (8, 16, 32, 64)]


class Table(NamedTuple):
    """The columns of a file.

    columns : arrays of numbers, or categories. header : their titles, or None. numbers : numbers of the rows in the
    file. cells : function that returns the cells of a column, as the file has them, as a list. objects : position of
    the column that names the objects, where the format has one.
    """

    file: str
    columns: list
    header: list | None
    numbers: range | np.ndarray
    cells: Callable
    objects: int | None = None


def read_table(path, *, variable=None, delimiter=None, header=None, special=()):
    """The :class:`Table` in a file; a ValueError if the file cannot be read, or can be read in several ways.

    variable : name of the array in an .npz or .mat file with several. delimiter : of a text; None means the one that
    fits the first lines. header : whether the first row of a text is a header; None means that its cells outside the
    `special` columns decide.
    """
    path = Path(path)
    kind = path.suffix.lower() if path.suffix.lower() in _READERS else "text"
    for option, value, kinds in (
        ("--variable", variable, [".npz", ".mat"]),
        ("--delimiter", delimiter, ["text"]),
        ("--header", header, ["text"]),
    ):
        if value is not None and kind not in kinds:
            raise ValueError(f"{path}: {option} applies to {' and '.join(kinds)} files only, not to {kind} files.")
    if kind == "text":
        return _read_text(path, delimiter, header, special)
    _attempt(path, lambda: open(path, "rb").close())
    found = _READERS[kind](path, variable)
    columns, titles = found if isinstance(found, tuple) else (_columns_of(path, found), None)
    rows = range(1, len(columns[0]) + 1)
    objects = 0 if kind == ".h5ad" else None
    return Table(str(path), columns, titles, rows, lambda column: _cells(columns[column]), objects)


def _attempt(path, read):
    """What `read` returns; any exception of a library's reader becomes a ValueError about the file."""
    try:
        return read()
    except MemoryError:
        raise
    except NotImplementedError as error:
        # SciPy raises this for HDF5.
        rule = "MATLAB 7.3 files are not supported; save it with '-v7', or as .npy or CSV"
        raise ValueError(f"{path}: {rule}.") from error
    except Exception as error:
        text = getattr(error, "strerror", None) or str(error)
        reason = " ".join(text.split()).rstrip(".") or type(error).__name__
        if "Object arrays" in reason or "Python objects" in reason:
            reason = "it holds Python objects (dtype object), which could run code; save an array of numbers or texts "
            reason += "instead, with array.astype(float) or array.astype(str)"
        raise ValueError(f"{path}: cannot be read: {reason}.") from error


def _read_npy(path, variable):
    # Memory-mapped, so that a false shape in the header raises an error instead of allocating much memory.
    return _attempt(path, lambda: np.load(path, mmap_mode="r", allow_pickle=False))


def _read_npz(path, variable):
    archive = _attempt(path, lambda: np.load(path, allow_pickle=False))
    if isinstance(archive, np.ndarray):
        raise ValueError(f"{path}: the content is that of an .npy file; rename it.")
    with archive:
        name = _choose(path, variable, dict.fromkeys(archive.files, ""))
        return _attempt(path, lambda: archive[name])


def _read_mat(path, variable):
    from scipy.io import loadmat, whosmat

    found = _attempt(path, lambda: whosmat(path))
    name = _choose(path, variable, {name: f" ({' x '.join(map(str, shape))} {kind})" for name, shape, kind in found})
    return _attempt(path, lambda: loadmat(path, variable_names=[name])[name])


def _read_parquet(path, variable):
    """(columns, titles) of a Parquet file; an index that pandas wrote becomes a column."""
    pa = load_package("pyarrow", "Parquet files need", "parquet")
    import pandas as pd
    from pyarrow.parquet import ParquetFile

    # Nullable types keep integers exact beside missing values.
    kinds = {getattr(pa, name.lower())(): pd.array([], name).dtype for name in _INTEGERS}
    kinds[pa.bool_()] = pd.BooleanDtype()
    # Without threads: those of Arrow can abort the process when it ends.
    table = _attempt(path, lambda: ParquetFile(path, pre_buffer=False).read(use_threads=False))
    frame = _attempt(path, lambda: table.to_pandas(use_threads=False, types_mapper=kinds.get))
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    if frame.empty:
        raise ValueError(f"{path}: must hold rows and columns, got {len(frame)} x {frame.shape[1]}.")
    columns = []
    for number, (_, column) in enumerate(frame.items(), start=1):
        try:
            # Truth values count as numbers, as in an array.
            columns.append(_column(column.astype("Int8") if column.dtype.kind == "b" else column))
        except TypeError as error:
            kind = type(column.dropna().iloc[0]).__name__
            raise ValueError(f"{path}, column {number}: must hold numbers or texts, got {kind}.") from error
    return columns, [as_read(str(title)) for title in frame.columns]


def _read_h5ad(path, variable):
    """(columns, titles) of the names of the observations of an AnnData and of the categorical columns of `obs`."""
    io = load_package("anndata.io", "AnnData files need", "h5ad")
    import h5py
    import pandas as pd

    def read():
        with h5py.File(path) as file:
            return io.read_elem(file["obs"])

    frame = _attempt(path, read)
    taken = [title for title, kind in frame.dtypes.items() if isinstance(kind, pd.CategoricalDtype)]
    others = [title for title in frame.columns if title not in taken]
    if not taken or frame.empty:
        raise ValueError(f"{path}: obs must have categorical columns, got {len(frame)} rows and {others}.")
    left_out = f"; left out: {', '.join(others)}" if others else ""
    say(f"{path}: the categorical columns of obs: {', '.join(taken)}{left_out}")
    columns = [_column(frame.index.to_series()), *(frame[title] for title in taken)]
    return columns, [frame.index.name or "object", *taken]


def _column(series):
    """A column of pandas: an array if all its cells are numbers, categories otherwise."""
    is_array = series.dtype.kind in "iuf" and not series.hasnans
    return series.to_numpy() if is_array else series.astype("category")


def _cells(column):
    """The cells of an array, or of categories, "" where they are missing."""
    return column.tolist() if isinstance(column, np.ndarray) else column.astype(object).mask(column.isna(), "").tolist()


_READERS = {
    ".npy": _read_npy, ".npz": _read_npz, ".mat": _read_mat, ".parquet": _read_parquet, ".h5ad": _read_h5ad,
}  # fmt: skip


def _choose(path, variable, described):
    """The name of the variable asked for, or of the only one."""
    listed = ", ".join(f"{name}{description}" for name, description in described.items()) or "none"
    if variable is not None:
        if variable not in described:
            raise ValueError(f"{path}: no variable {variable!r}; the file has: {listed}.")
        return variable
    if len(described) != 1:
        raise ValueError(f"{path}: --variable (for --truth, --truth-column) must name one of: {listed}.")
    return next(iter(described))


def _columns_of(path, array):
    """The columns of a matrix: numbers in the machine's order, or texts; bytes are decoded."""
    if isinstance(array, np.ndarray) and array.dtype.kind == "O":
        # A MATLAB cell array, where an empty cell is an empty text.
        cells = [np.asarray(cell) for cell in array.flat]
        if any(cell.size > 1 or (cell.size and cell.dtype.kind != "U") for cell in cells):
            raise ValueError(f"{path}: a cell array must hold one text per cell.")
        array = np.array([str(cell.item()) if cell.size else "" for cell in cells], dtype=str).reshape(array.shape)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufUS":
        kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{path}: must hold a dense matrix of numbers or texts, got {kind}.")
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{path}: must hold a non-empty matrix with one row per object, got shape {array.shape}.")
    if array.dtype.kind == "S":
        array = _attempt(path, lambda: np.char.decode(array, "utf-8"))
    return list(array.astype(array.dtype.newbyteorder("=")).T)


def _read_text(path, delimiter, header, special):
    """The :class:`Table` in a delimited text."""
    text = _Text(path, delimiter)
    first = next(text.rows(text.lines()))
    if not first:
        raise text.error(1, "the first row is empty")
    text.check_widths(len(first))
    titles = [cell.strip() for cell in first]
    below = text.frame(0)
    left_out = {column_number(spec) for spec in special}
    if header is None and None in left_out:
        header = True
    elif header is None:
        kept = [c for c in range(len(first)) if c + 1 not in left_out]
        header = _is_header([titles[c] for c in kept], [below.iloc[:, c] for c in kept], quoted=text.quotes_titles())
    if header is None:
        rule = "give --header yes or --header no (and --index-column if a column names the objects)"
        raise text.error(1, f"could be a header or an object; {rule}")
    place = 0 if header else None
    frame = below if header else text.frame(place)
    if frame.empty:
        raise ValueError(f"{path}: there are no rows below the header.")
    return Table(
        file=str(path),
        columns=[_column(frame.iloc[:, c]) for c in range(len(first))],
        header=[*map(as_read, titles)] if header else None,
        numbers=text.in_file(np.arange(1, len(frame) + 1) + header),
        cells=partial(text.cells, header=place),
    )


class _Text:
    """A delimited text without its comments; errors give the numbers of rows in the file."""

    def __init__(self, path, delimiter):
        self.file = path
        self.data = _read(path)
        # For each comment, the number of rows above it.
        self.comments = []
        if all(line.startswith("#") for line in self.lines()):
            raise ValueError(f"{path}: every line begins with #, as comments do; put quotes around such a cell.")
        self.delimiter = delimiter or _find_delimiter(path, self.lines())
        self.quoting = csv.QUOTE_NONE if self.delimiter == " " else csv.QUOTE_MINIMAL
        if self.delimiter == " ":
            self.data = "".join(" ".join(line.split()) + "\n" for line in self.lines()).encode()
        if self.data.startswith(b"#") or b"\n#" in self.data:
            lines, self.comments = self._without_comments()
            self.data = "".join(lines).encode()

    def lines(self):
        """The lines, decoded."""
        return io.TextIOWrapper(io.BytesIO(self.data), encoding="utf-8", newline="\n")

    def in_file(self, number):
        """Number of a row in the file, from its number without comments."""
        return number + np.searchsorted(self.comments, number, side="left")

    def error(self, number, reason):
        """The ValueError for a row, given by its number without comments."""
        return ValueError(f"{self.file}, row {self.in_file(number)}: {reason}.")

    def rows(self, lines, above=0):
        """Yield the rows, strictly, as lists of cells."""
        number = above + 1
        try:
            for row in csv.reader(lines, delimiter=self.delimiter, quoting=self.quoting, strict=True):
                yield row
                number += 1
        except csv.Error as error:
            raise self.error(number, error) from error

    def check_widths(self, width):
        """Raise ValueError for a row with misplaced quotes or of another width, which pandas would fill up."""
        if self.quoting == csv.QUOTE_MINIMAL and b'"' in self.data:
            widths = map(len, self.rows(self.lines()))
        else:
            delimiter = self.delimiter.encode()
            widths = (line.count(delimiter) + 1 if line != b"\n" else 0 for line in io.BytesIO(self.data))
        for number, found in enumerate(widths, start=1):
            if found != width:
                raise self.error(number, f"must have {width} cells as in the first row, got {found}")

    def quotes_titles(self):
        """Whether all cells of the first row are in quotes, and not all of the second, as in R's files."""
        quoted = []
        for line in islice(self.lines(), 2):
            cells = line.strip().split(self.delimiter)
            quoted.append(all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in cells))
        return quoted == [True, False]

    def frame(self, header):
        """All columns as a DataFrame: numbers if all cells of a column are numbers, texts or categories otherwise."""
        # Categories save time and memory, but pandas would turn the categories "true" and "TRUE" into True.
        texts = self._parse(header=header, nrows=_PROBE).select_dtypes(exclude="number")
        kinds = {title: object if dtype.kind == "b" else "category" for title, dtype in texts.dtypes.items()}
        return self._parse(header=header, dtype=kinds)

    def cells(self, column, header):
        """The cells of a column as texts."""
        return self._parse(header=header, usecols=[column], dtype=object).iloc[:, 0].tolist()

    def _parse(self, **options):
        # Imported here because it is slow to import, and --help does without.
        import pandas as pd

        if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
            # Later versions are exact by default, and deprecate the option.
            options["float_precision"] = "round_trip"
        options |= {"index_col": False, "skip_blank_lines": False, "na_filter": False, "low_memory": False}
        return pd.read_csv(io.BytesIO(self.data), sep=self.delimiter, quoting=self.quoting, **options)

    def _without_comments(self):
        """(the other lines, the number of rows above each comment); a comment begins with # and cannot be a row."""
        kept, comments = [], []
        above = 0
        inside = False
        width = len(next(self.rows(dropwhile(lambda line: line.startswith("#"), self.lines()))))
        for number, line in enumerate(self.lines()):
            if line.startswith("#") and not inside:
                cells = [] if line[1:2].isspace() else next(self.rows([line], number))
                if not cells or len(cells) != width:
                    comments.append(above)
                    continue
                if above and not is_missing(cells[0]):
                    rule = "begin comments with '# ', put quotes around a cell that begins with #"
                    raise self.error(number + 1, f"could be a comment or an object; {rule}")
            kept.append(line)
            above += not inside
            if self.quoting == csv.QUOTE_MINIMAL and line.count('"') % 2 == 1:
                inside = not inside
        return kept, comments


def _read(path):
    """The UTF-8 text of a file, with line feeds between lines and no empty lines at the end."""
    read = gzip.decompress if path.suffix.lower() == ".gz" else bytes
    content = sys.stdin.buffer.read if path == Path("-") else path.read_bytes
    data = _attempt(path, lambda: read(content()))
    if b"\0" in data:
        raise ValueError(f"{path}: not UTF-8 text (binary or UTF-16?); save it as CSV in UTF-8.")
    try:
        data.isascii() or data.decode()
    except UnicodeDecodeError as error:
        row, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        raise ValueError(f"{path}, row {row}: not UTF-8 text, byte 0x{byte:02x}; save it as CSV in UTF-8.") from error
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.isspace() or not data:
        raise ValueError(f"{path}: the file is empty.")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.rstrip(b"\n") + b"\n"


def _find_delimiter(file, lines):
    """The delimiter that splits each of the first lines into the same number of cells, at least two."""
    lines = list(islice((line for line in lines if not line.startswith("#")), _PROBE))
    widths = {}
    for delimiter in (",", ";", "\t", "|"):
        with suppress(csv.Error):
            widths[delimiter] = {len(row) for row in csv.reader(lines, delimiter=delimiter)}
    occurring = [delimiter for delimiter, found in widths.items() if max(found) > 1]
    likely = [delimiter for delimiter in occurring if len(widths[delimiter]) == 1] or occurring
    words = [line.split() for line in lines]
    if not likely and len({len(row) for row in words}) == 1 < len(words[0]):
        numeric = all(is_number(word) or is_missing(word) for row in words[1:] or words for word in row)
        likely = [" "] if numeric else [" ", ","]
    if not likely and any('" ' in line for line in lines):
        rule = "write it with commas (in R, with write.csv)"
        raise ValueError(f"{file}: cannot read quoted cells between spaces; {rule}.")
    if len(likely) > 1:
        raise ValueError(f"{file}: more than one delimiter fits; choose one with --delimiter.")
    return likely[0] if likely else ","


def _is_header(cells, below, *, quoted):
    """Whether a first row holds titles: names that are not repeated `below`, or numbers if only these are `quoted`.

    None if the row could be either.
    """
    are_names = [not (is_number(cell) or is_missing(cell)) for cell in cells]
    again = [bool((rows == cell).any()) for cell, rows, is_name in zip(cells, below, are_names, strict=True) if is_name]
    if not again:
        return _numbers_are_titles(cells, below, quoted)
    if all(again):
        return False
    return None if any(again) or any(map(is_number, cells)) else True


def _numbers_are_titles(cells, below, quoted):
    """Whether a first row of numbers holds titles, which only quotes show; None if it could.

    Titles could be 0, 1, ... after an empty cell, as pandas writes, and different integers that are evenly spaced, four
    in order, or not below any label of their column, as numbers of clusters and of objects are.
    """
    numbers = [int(cell) for cell in cells if INTEGER.fullmatch(cell) and len(cell) < 10]
    is_untitled = cells[:1] == [""]
    if is_untitled and numbers == list(range(len(cells) - 1)):
        return True if quoted else None
    n = len(numbers)
    if n != len(set(numbers)) or n != len(cells) - is_untitled or n < 2:
        return False
    if quoted:
        return True
    steps = {after - before for before, after in pairwise(numbers)}
    is_in_order = min(steps) > 0 or max(steps) < 0
    if (n >= 4 and is_in_order) or (n >= 3 and len(steps) == 1):
        return None
    largest = np.array([np.fmax.reduce(numbers_of(rows.to_numpy()), initial=-np.inf) for rows in below[is_untitled:]])
    # Two labels are the largest of their columns too often.
    limits = np.array(numbers) - (n == 2)
    return None if np.all((largest >= 0) & (largest <= limits)) else False


class Input(NamedTuple):
    """What a command reads from a table.

    columns : positions of the labels or features. titles : of the clusterings or features; where the file has none,
    their numbers among those read. objects : names of the objects, or None. objects_title : title of these names.
    """

    table: Table
    columns: list
    titles: list
    objects: list | None = None
    objects_title: str = "object"

    def with_objects(self, header, columns):
        """Header and columns of an output, after the names of the objects if there are any."""
        return (header, columns) if self.objects is None else ([self.objects_title, *header], [self.objects, *columns])


def read_input(arguments, path, *, left_out=()):
    """The :class:`Input` in a file, without the names of the objects, --drop-column and the columns `left_out`."""
    named = [] if arguments.index_column is None else [arguments.index_column]
    special = [*named, *arguments.drop_column, *left_out]
    delimiter = DELIMITERS.get(arguments.delimiter)
    has_header = {"yes": True, "no": False}.get(arguments.header)
    table = read_table(path, variable=arguments.variable, delimiter=delimiter, header=has_header, special=special)
    unread = [find_column(table, column) for column in special]
    columns = [c for c in range(len(table.columns)) if c not in (*unread, table.objects)]
    header = table.header or [""] * len(table.columns)
    titles = [header[c] or str(number) for number, c in enumerate(columns, start=1)]
    index = unread[0] if named else table.objects
    if index is None:
        return Input(table, columns, titles)
    return Input(table, columns, titles, names_of(table, index), header[index] if table.header else "object")


def read_labels(arguments, *, left_out=()):
    """The :class:`Input` and the label matrix in the file LABELS; says what was read."""
    ensemble = read_input(arguments, arguments.labels, left_out=left_out)
    table = ensemble.table
    labels = labels_of(table, ensemble.columns)
    if arguments.draws:
        labels = np.ascontiguousarray(labels.T)
        objects = None if table.header is None else ensemble.titles
        titles = [str(number) for number in range(1, 1 + labels.shape[1])]
        ensemble = Input(table, ensemble.columns, titles, objects)
    n, m = labels.shape
    found = [f"{table.file}: {n} object{'' if n == 1 else 's'}", f"{m} partition{'' if m == 1 else 's'}"]
    missing = int(np.count_nonzero(labels == -1))
    if missing:
        found.append(f"{missing} of {labels.size} labels missing")
    if table.numbers[0] > 1:
        found.append("titles in the first row")
    say(", ".join(found))
    return ensemble, labels


def read_truth(arguments, ensemble):
    """Classes of the objects; None if none are given."""
    chosen = arguments.truth_column
    if arguments.truth is None:
        table = ensemble.table
        return None if chosen is None else _classes(table, find_column(table, chosen))
    if arguments.truth.suffix.lower() in (".npz", ".mat"):
        table = read_table(arguments.truth, variable=chosen)
        chosen = None
    else:
        table = read_table(arguments.truth, special=[] if chosen is None else [chosen])
    columns = _without_objects(table, ensemble)
    if chosen is not None:
        columns = [find_column(table, chosen)]
    if len(columns) != 1:
        raise ValueError(f"{table.file}: {len(columns)} columns could be the truth; choose one with --truth-column.")
    return _classes(table, columns[0])


def _classes(table, column):
    """The classes in a column, -1 where unknown; says how many are."""
    classes = labels_of(table, [column], in_part=True)[:, 0]
    known = int(np.count_nonzero(classes != -1))
    if known < len(classes):
        say(f"{table.file}: the class of {known} of {counted(len(classes), 'object')} is known; these are graded")
    return classes


def read_features(arguments, ensemble):
    """Features of the objects in the file of --features."""
    table = read_table(arguments.features)
    left_out = {arguments.truth_column, *arguments.drop_column}
    columns = [c for c in _without_objects(table, ensemble) if not (table.header and table.header[c] in left_out)]
    return features_of(table, columns, hint="; remove the column from the file")


def _without_objects(table, ensemble):
    """Columns of a second file on the same objects, but for the names of the objects, which must be the same."""
    file = ensemble.table.file
    n = len(ensemble.table.numbers)
    found = len(table.numbers)
    if found != n:
        raise ValueError(f"{table.file}: must have {n} rows as {file} does, got {found}.")
    columns = list(range(len(table.columns)))
    objects = ensemble.objects
    if objects is None:
        return columns
    if ensemble.objects_title in (table.header or ()):
        index = find_column(table, ensemble.objects_title)
    else:
        # Without the title, the column of names is the one that holds the same names.
        index = next((c for c in columns if set(texts_of(table, c)) == set(objects)), None)
    if index is None:
        return columns
    for row, name, expected in zip(table.numbers, texts_of(table, index), objects, strict=True):
        if name != expected:
            where = f"{table.file}, row {row}, column {index + 1}"
            raise ValueError(f"{where}: the object must be {expected!r} as in {file}, got {name!r}.")
    return [c for c in columns if c != index]
