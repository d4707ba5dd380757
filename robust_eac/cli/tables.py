"""Read the files of the commands by pandas: text, .npy, .npz, .mat and .parquet; none can run code."""

import csv
import gzip
import io
import sys
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.io import loadmat, whosmat

from ..common import load_package
from ..core.threads import LOG
from ..ensemble import reading
from ..wording import counted
from .options import DELIMITERS
from .output import STDOUT, as_read, print_problem, say

_ARRAYS = (".npy", ".npz", ".mat", ".parquet")
_ARCHIVES = (".npz", ".mat")


class InputTable(NamedTuple):
    """The columns of a file, a DataFrame with their titles, or their numbers from 1; its index numbers the rows.

    taken : positions of the columns that are labels or features. objects : Index of the names of the objects, with the
    title of their column; None if no column names them.
    """

    file: str
    frame: pd.DataFrame
    taken: list
    objects: pd.Index | None = None

    @property
    def titles(self):
        """Titles of the labels or features."""
        return self.frame.columns[self.taken].tolist()

    def named(self, c):
        """The column at a position for an error: its number from 1, and its title."""
        number = str(c + 1)
        title = self.frame.columns[c]
        return f"column {number}" if title == number else f"column {number} ({title!r})"

    def find(self, *specs):
        """Positions of columns by :func:`find_column`, or of all that match a shell-like pattern."""
        titles = list(self.frame.columns)
        positions = {}
        for spec in specs:
            matching = [c for c, title in enumerate(titles) if fnmatchcase(title, spec)]
            if spec in titles or not matching:
                matching = [find_column(titles, spec, self.file)]
            positions |= dict.fromkeys(matching)
        return list(positions)


def read_table(arguments, path, variable=None):
    """The :class:`InputTable` in a file, without the column that names the objects among those taken."""
    suffix = path.suffix.lower()
    if variable is not None and suffix not in _ARCHIVES:
        raise ValueError(f"{path}: --variable applies to {' and '.join(_ARCHIVES)} files only.")
    try:
        frame = _read_array(path, variable) if suffix in _ARRAYS else _read_text(arguments, path)
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise ValueError(f"{path}: {reason.removeprefix(f'{path}: ').strip().rstrip('.')}.") from error
    table = InputTable(str(path), frame, list(range(frame.shape[1])))
    if arguments.index_column is None:
        return table
    index = find_column(frame.columns, arguments.index_column, path)
    table.taken.remove(index)
    title = frame.columns[index]
    title = "object" if title in ("", str(index + 1)) else title
    return table._replace(objects=pd.Index(frame.iloc[:, index].astype(str), name=title))


def _read_array(path, variable):
    """The DataFrame in a file of an array or of Parquet."""
    suffix = path.suffix.lower()
    # SciPy says nothing of a missing file.
    path.stat()
    if suffix == ".parquet":
        load_package("pyarrow", "Parquet files need", "parquet")
        frame = pd.read_parquet(path)
        frame = frame.reset_index(drop=isinstance(frame.index, pd.RangeIndex))
        return frame.set_axis(frame.index + 1).rename(columns=lambda title: as_read(str(title)))
    if suffix == ".mat":
        name = _only([name for name, *_ in whosmat(path)], variable)
        array = loadmat(path, variable_names=[name])[name]
    else:
        # Memory-mapped, so that a false shape in the header raises an error instead of allocating much memory.
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        array = array[_only(array.files, variable)] if suffix == ".npz" else array
    if array.dtype == object:
        raise ValueError("holds cells, neither numbers nor texts")
    return _numbered(pd.DataFrame(np.asarray(array).astype(array.dtype.newbyteorder("="), copy=False)))


def _numbered(frame, titles=None):
    """The DataFrame with the numbers of its rows, and of its columns unless titles are given, from 1 as their names."""
    rows, columns = (range(1, size + 1) for size in frame.shape)
    if titles is None:
        titles = [*map(str, columns)]
    return frame.set_axis(rows).set_axis(titles, axis=1)


def _only(names, chosen):
    """The variable asked for, or the only one."""
    matching = [name for name in names if chosen in (None, name)]
    if len(matching) != 1:
        raise ValueError(f"--variable (for --truth, --truth-column) must name one of: {', '.join(names)}")
    return matching[0]


def _read_text(arguments, path):
    """The DataFrame in a delimited text."""
    data = sys.stdin.buffer.read() if path == STDOUT else path.read_bytes()
    if path.suffix.lower() == ".gz":
        data = gzip.decompress(data)
        path = path.with_suffix("")
    try:
        lines = io.StringIO(data.decode("utf-8-sig").rstrip("\r\n"), newline="")
    except UnicodeDecodeError as error:
        raise ValueError("is not UTF-8 text") from error
    decimal = "."
    if arguments.decimal == "comma":
        decimal = ","
    separator = _separator(lines.readline(), path.suffix.lower(), arguments.delimiter, decimal)
    lines.seek(0)
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    first = next(rows, [])
    numbers = [cell.replace(decimal, ".") for cell in first]
    is_number = pd.to_numeric(pd.Series(numbers, dtype=object), errors="coerce").notna()
    if arguments.header is None and is_number.any():
        raise ValueError("row 1 has a number: give --header if it holds titles, --no-header if it is an object")
    has_header = arguments.header is not False
    titles = [as_read(cell.strip()) for cell in first]
    number = 1
    for number, row in enumerate(rows, start=2):
        if number == 2 and has_header and len(row) == len(titles) + 1:
            # As R's write.table leaves out the title of the names.
            titles = ["", *titles]
        # A blank line is an empty cell.
        if len(row or [""]) != len(titles):
            raise ValueError(f"row {number} has {counted(len(row), 'cell')}, not {len(titles)}")
        if has_header and row == first and not is_number.all():
            raise ValueError(f"row {number} is the header again, as in files joined by cat")
    if not titles or number == has_header:
        raise ValueError("has no rows of labels or features")
    if not has_header:
        titles = [str(c + 1) for c in range(len(titles))]
    options = {"skipinitialspace": True, "skip_blank_lines": False, "low_memory": False}
    if pd.__version__ < "3.1":
        # Later versions are exact by default, and deprecate the option.
        options["float_precision"] = "round_trip"
    if arguments.index_column is not None:
        # Names are texts: the mark in front keeps pandas from taking some for missing.
        index = find_column(titles, arguments.index_column, path)
        options["converters"] = {index: lambda cell: "=" + as_read(cell.strip())}
    lines.seek(0)
    frame = pd.read_csv(lines, sep=separator, decimal=decimal, header=None, skiprows=int(has_header), **options)
    if arguments.index_column is not None:
        frame.isetitem(index, frame.iloc[:, index].str[1:])
    return frame.set_axis(titles, axis=1).set_axis(frame.index + 1 + has_header)


def _separator(row, suffix, chosen, decimal):
    """The delimiter: the one chosen, that of the suffix, or the only one in the first line; not the decimal mark."""
    if chosen is not None:
        return DELIMITERS[chosen]
    usual = {".": ",", ",": ";"}[decimal]
    of_suffix = {".csv": usual, ".tsv": "\t"}.get(suffix)
    marks = [mark for mark in ",;\t" if mark in row and mark != decimal]
    if of_suffix is not None:
        is_clear = of_suffix in marks or not marks
    else:
        is_clear = len(marks) == 1 or not (marks or " " in row.strip())
    if not is_clear:
        seen = " or ".join(name for name, mark in DELIMITERS.items() if mark in row)
        raise ValueError(
            f"row 1 does not show whether {of_suffix or usual!r} is the delimiter; give --delimiter {seen}"
        )
    return of_suffix or next(iter(marks), usual)


def find_column(titles, spec, file):
    """Position of a column given by its title, or by its number counted from 1 (@1 if a title is 1)."""
    number = spec.removeprefix("@")
    positions = [c for c, title in enumerate(titles) if spec == title or number == str(c + 1)]
    if len(positions) != 1:
        known = ", ".join(f"@{c + 1} ({titles[c]!r})" for c in positions or range(min(len(titles), 10)))
        raise ValueError(f"{file}: {len(positions) or 'no'} columns are called {spec!r}; choose from {known}.")
    return positions[0]


def read_input(arguments, path):
    """The :class:`InputTable` in the input file, with the columns that --columns and --drop-column leave."""
    LOG.info("reading %s", path)
    table = read_table(arguments, path, arguments.variable)
    chosen = table.find(*filter(None, (arguments.columns or "").split(","))) or table.taken
    dropped = table.find(*arguments.drop_column)
    taken = [c for c in chosen if c in table.taken and c not in dropped]
    if not taken:
        raise ValueError(f"{path}: none of the {table.frame.shape[1]} columns is left.")
    if taken[0] == 0 and table.frame.columns[0] == "":
        raise ValueError(f"{path}: column 1 has no title: use --index-column @1 if it names the rows.")
    table = table._replace(taken=taken)
    if not (arguments.transpose or arguments.draws):
        return table
    frame = _numbered(table.frame.iloc[:, taken].T, table.objects)
    objects = None if table.titles == [str(c + 1) for c in taken] else pd.Index(table.titles, name="object")
    return InputTable(f"{path}, transposed", frame, list(range(frame.shape[1])), objects)


def read_labels(arguments):
    """The :class:`InputTable` and the label matrix in the file LABELS; says what was read."""
    table = read_input(arguments, arguments.labels)
    unseen = [c for c in table.taken if set(map(str, table.frame.iloc[:, c].dropna().unique())) <= {"-1", "-1.0"}]
    if 0 < len(unseen) < len(table.taken):
        names = ", ".join(map(table.named, unseen))
        print_problem("warning", f"{table.file}: columns in which nothing is observed are left out: {names}")
        table = table._replace(taken=[c for c in table.taken if c not in unseen])
    titles = [*map(table.named, table.taken)]
    with _rows_of_file(table):
        labels = reading.ensemble(table.frame.iloc[:, table.taken], name=table.file, titles=titles).labels
    missing = np.count_nonzero(labels == -1)
    size = f"{table.file}: {counted(len(labels), 'object')}, {counted(labels.shape[1], 'partition')}"
    if missing:
        size += f", {missing} of {labels.size} labels missing"
    say(size)
    is_clear = arguments.draws is not False or arguments.transpose or table.objects is not None
    if labels.shape[1] > len(labels) and not is_clear:
        print_problem("note", f"{table.file}: more clusterings than objects; if rows are clusterings, give --draws.")
    return table, labels


@contextmanager
def _rows_of_file(table):
    """Context manager: errors give the row in the file."""
    try:
        yield
    except reading.LabelError as error:
        raise ValueError(error.at(table.frame.index[error.row])) from error
    except TypeError as error:
        raise ValueError(error) from error


def read_truth(arguments, ensemble):
    """Classes of the objects, -1 where unknown; None if none are given."""
    chosen = arguments.truth_column
    path = arguments.truth
    if path is None and chosen is None:
        return None
    table = ensemble
    if path is not None:
        variable = None
        if path.suffix.lower() in _ARCHIVES:
            variable = chosen
            chosen = None
        table = _read_beside(arguments, path, ensemble, variable)
    columns = table.taken
    if chosen is not None:
        columns = table.find(chosen)
    if len(columns) != 1:
        raise ValueError(f"{table.file}: {len(columns)} columns could be the truth; choose one with --truth-column.")
    with _rows_of_file(table):
        name = f"{table.file}: {table.named(columns[0])}"
        labels = reading.clusters(table.frame.iloc[:, columns[0]], len(table.frame), name=name)
    if (known := np.count_nonzero(labels != -1)) < len(labels):
        say(f"{table.file}: the class of {known} of {counted(len(labels), 'object')} is known; these are graded")
    return labels


def read_features(arguments, ensemble):
    """Features of the objects in the file of --features, without --truth-column and --drop-column; None without it."""
    if arguments.features is None:
        return None
    table = _read_beside(arguments, arguments.features, ensemble)
    titles = table.frame.columns
    left_out = []
    for spec in filter(None, (arguments.truth_column, *arguments.drop_column)):
        left_out += [c for c in table.taken if titles[c] == spec or fnmatchcase(titles[c], spec)]
    return features_of(table._replace(taken=[c for c in table.taken if c not in left_out]))


def features_of(table):
    """The columns taken as finite numbers."""
    frame = table.frame.iloc[:, table.taken]
    features = frame.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    wrong = np.argwhere(~np.isfinite(features))
    if len(wrong):
        row, column = wrong[0]
        where = f"{table.file}, row {frame.index[row]}, {table.named(table.taken[column])}"
        got = f"got {str(frame.iloc[row, column])!r}; see --drop-column, or --decimal for decimal commas"
        raise ValueError(f"{where}: a feature must be a finite number, {got}.")
    return features


def _read_beside(arguments, path, ensemble, variable=None):
    """The :class:`InputTable` in a second file on the same objects, in their order: by names, or else by position."""
    table = read_table(arguments, path, variable)
    names = table.objects
    wanted = ensemble.objects
    if wanted is None or names is None:
        if (n := len(table.frame)) != (m := len(ensemble.frame)):
            raise ValueError(f"{path}: has {n} rows, {ensemble.file} {m}; --index-column joins by names.")
        say(f"{path}: its rows belong to those of {ensemble.file} in this order; --index-column joins by names")
        return table
    if not names.is_unique:
        raise ValueError(f"{path}: the rows must have different names to be joined.")
    places = names.get_indexer(wanted)
    if places.min() < 0:
        absent = wanted[places < 0]
        raise ValueError(f"{path}: {counted(len(absent), 'object')} of {ensemble.file} missing, such as {absent[0]!r}.")
    if surplus := len(names) - len(wanted):
        print_problem("note", f"{path}: {counted(surplus, 'row')} left out, of objects that {ensemble.file} has not.")
    return table._replace(frame=table.frame.iloc[places])
