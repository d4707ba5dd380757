"""Read the files of the commands by pandas: text, .npy, .npz, .mat and .parquet; none can run code."""

import csv
import gzip
import io
import re
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
        return [self.frame.columns[c] for c in self.taken]

    def named(self, c):
        """The column at a position for an error: its number from 1, and its title."""
        number = str(c + 1)
        title = self.frame.columns[c]
        return f"column {number}" if title == number else f"column {number} ({title!r})"

    def find(self, *specs):
        """Positions of columns by :func:`find_column`, or of all that match a shell-like pattern."""
        titles = list(self.frame.columns)
        found = {}
        for spec in specs:
            matching = [] if spec in titles else [c for c, title in enumerate(titles) if fnmatchcase(title, spec)]
            found |= dict.fromkeys(matching or [find_column(titles, spec, self.file)])
        return list(found)


def read_table(arguments, path, variable=None):
    """The :class:`Table` in a file, without the column that names the objects among those taken."""
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
    return frame.set_axis(rows).set_axis([*map(str, columns)] if titles is None else titles, axis=1)


def _only(names, chosen):
    """The variable asked for, or the only one."""
    found = [name for name in names if chosen in (None, name)]
    if len(found) != 1:
        raise ValueError(f"--variable (for --truth, --truth-column) must name one of: {', '.join(names)}")
    return found[0]


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
    decimal = "," if arguments.decimal == "comma" else "."
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
    titles = titles if has_header else [str(c + 1) for c in range(len(titles))]
    # Later versions are exact by default, and deprecate the option.
    options = {"float_precision": "round_trip"} if pd.__version__ < "3.1" else {}
    options |= {"skipinitialspace": True, "skip_blank_lines": False, "low_memory": False}
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
    usual = ";" if decimal == "," else ","
    own = {".csv": usual, ".tsv": "\t"}.get(suffix)
    found = [mark for mark in ",;\t" if mark in row and mark != decimal] or [own or " " * (" " in row.strip()) or usual]
    if chosen is None and own not in found and (own or len(found) > 1 or found == [" "]):
        seen = " or ".join(name for name, mark in DELIMITERS.items() if mark in row)
        raise ValueError(f"row 1 does not show whether {own or usual!r} is the delimiter; give --delimiter {seen}")
    return DELIMITERS[chosen] if chosen else own or found[0]


def find_column(titles, spec, file):
    """Position of a column given by its title, or by its number counted from 1 (@1 if a title is 1)."""
    number = spec.removeprefix("@")
    found = [c for c, title in enumerate(titles) if spec == title or number == str(c + 1)]
    if len(found) != 1:
        known = ", ".join(f"@{c + 1} ({titles[c]!r})" for c in found or range(min(len(titles), 10)))
        raise ValueError(f"{file}: {len(found) or 'no'} columns are called {spec!r}; choose from {known}.")
    return found[0]


def read_input(arguments, path):
    """The :class:`Table` in the input file, with the columns that --columns and --drop-column leave."""
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
    """The :class:`Table` and the label matrix in the file LABELS; says what was read."""
    table = read_input(arguments, arguments.labels)
    unseen = [c for c in table.taken if set(map(str, table.frame.iloc[:, c].dropna().unique())) <= {"-1", "-1.0"}]
    if 0 < len(unseen) < len(table.taken):
        names = ", ".join(map(table.named, unseen))
        print_problem("warning", f"{table.file}: columns in which nothing is observed are left out: {names}")
        table = table._replace(taken=[c for c in table.taken if c not in unseen])
    with _rows_of_file(table):
        # print_problem gives the number and the title of a column.
        marked = [f"{title}@{table.named(c)}" for c, title in zip(table.taken, table.titles, strict=True)]
        labels = reading.ensemble(table.frame.iloc[:, table.taken].set_axis(marked, axis=1), name=table.file).labels
    missing = np.count_nonzero(labels == -1)
    note = f", {missing} of {labels.size} labels missing" if missing else ""
    say(f"{table.file}: {counted(len(labels), 'object')}, {counted(labels.shape[1], 'partition')}{note}")
    told = arguments.draws is not False or arguments.transpose or table.objects is not None
    if labels.shape[1] > len(labels) and not told:
        print_problem("note", f"{table.file}: more clusterings than objects; if rows are clusterings, give --draws.")
    return table, labels


@contextmanager
def _rows_of_file(table):
    """Context manager: errors give the row in the file."""
    try:
        yield
    except (TypeError, ValueError) as error:
        text = re.sub(r"\bat row (\d+)", lambda found: f"at row {table.frame.index[int(found[1])]}", str(error))
        raise ValueError(text) from error


def read_truth(arguments, ensemble):
    """Classes of the objects, -1 where unknown; None if none are given."""
    chosen = arguments.truth_column
    path = arguments.truth
    if path is None and chosen is None:
        return None
    variable = chosen if path is not None and path.suffix.lower() in _ARCHIVES else None
    table = ensemble if path is None else _read_beside(arguments, path, ensemble, variable)
    columns = table.taken if chosen is None or variable is not None else table.find(chosen)
    if len(columns) != 1:
        raise ValueError(f"{table.file}: {len(columns)} columns could be the truth; choose one with --truth-column.")
    with _rows_of_file(table):
        name = f"{table.file}: {table.named(columns[0])}"
        labels = reading.clusters(table.frame.iloc[:, columns[0]], len(table.frame), name=name)
    if (known := np.count_nonzero(labels != -1)) < len(labels):
        say(f"{table.file}: the class of {known} of {counted(len(labels), 'object')} is known; these are graded")
    return labels


def read_features(arguments, ensemble):
    """Features of the objects in the file of --features, without --truth-column and --drop-column."""
    table = _read_beside(arguments, arguments.features, ensemble)
    left_out = {spec for spec in (arguments.truth_column, *arguments.drop_column) if spec}
    left_out |= {title for title in table.titles if any(fnmatchcase(title, spec) for spec in left_out)}
    return features_of(table._replace(taken=[c for c in table.taken if table.frame.columns[c] not in left_out]))


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
    """The :class:`Table` in a second file on the same objects, in their order: by names, or else by position."""
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
