"""Read the files of the commands by pandas: text, .npy, .npz, .mat and .parquet; none can run code."""

import csv
import gzip
import io
import re
import sys
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.io import loadmat, whosmat

from .. import validation as check
from ..common import load_package
from ..wording import counted
from .options import DELIMITERS
from .output import STDOUT, as_read, print_problem, say

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_ARRAYS = (".npy", ".npz", ".mat", ".parquet")
_ARCHIVES = (".npz", ".mat")
_UNSEEN = {"-1", "-1.0"}


class Table(NamedTuple):
    """The columns of a file, a DataFrame with their titles, or their numbers from 1.

    rows : numbers of the rows in the file. taken : positions of the columns that are labels or features. names, title :
    names of the objects and the title of their column; names is None if no column names them.
    """

    file: str
    frame: pd.DataFrame
    rows: range | np.ndarray
    taken: list
    names: list | None = None
    title: str = "object"

    @property
    def titles(self):
        """Titles of the labels or features."""
        return [self.frame.columns[c] for c in self.taken]

    def find(self, *specs):
        """Positions of columns by :func:`find_column`."""
        return [find_column(self.frame.columns, spec, self.file) for spec in specs]

    def with_objects(self, header, columns):
        """Header and columns of an output, after the names of the objects if there are any."""
        return (header, columns) if self.names is None else ([self.title, *header], [self.names, *columns])


def read_table(arguments, path, variable=None):
    """The :class:`Table` in a file, without the column that names the objects among those taken."""
    suffix = path.suffix.lower()
    if variable is not None and suffix not in _ARCHIVES:
        raise ValueError(f"{path}: --variable applies to {' and '.join(_ARCHIVES)} files only.")
    try:
        frame, first = (_read_array(path, variable), 1) if suffix in _ARRAYS else _read_text(arguments, path)
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        reason = reason.removeprefix(f"{path}: ").replace(" in line ", " in row ")
        raise ValueError(f"{path}: {reason.strip().rstrip('.')}.") from error
    table = Table(str(path), frame, range(first, first + len(frame)), list(range(frame.shape[1])))
    if arguments.index_column is None:
        return table
    (index,) = table.find(arguments.index_column)
    table.taken.remove(index)
    title = frame.columns[index]
    title = "object" if title in ("", str(index + 1)) else title
    return table._replace(names=frame.iloc[:, index].astype(str).tolist(), title=title)


def _read_array(path, variable):
    """The DataFrame in a file of an array or of Parquet."""
    suffix = path.suffix.lower()
    # SciPy says nothing of a missing file.
    path.stat()
    if suffix == ".parquet":
        load_package("pyarrow", "Parquet files need", "parquet")
        frame = pd.read_parquet(path)
        frame = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
        return frame.set_axis([as_read(str(title)) for title in frame.columns], axis=1)
    if suffix == ".mat":
        name = _only([name for name, *_ in whosmat(path)], variable)
        array = loadmat(path, variable_names=[name])[name]
    else:
        # Memory-mapped, so that a false shape in the header raises an error instead of allocating much memory.
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        array = array[_only(array.files, variable)] if suffix == ".npz" else array
    frame = pd.DataFrame(np.asarray(array).astype(array.dtype.newbyteorder("="), copy=False))
    return frame.set_axis([str(c) for c in range(1, frame.shape[1] + 1)], axis=1)


def _only(names, chosen):
    """The variable asked for, or the only one."""
    found = [name for name in names if chosen in (None, name)]
    if len(found) != 1:
        raise ValueError(f"--variable (for --truth, --truth-column) must name one of: {', '.join(names)}")
    return found[0]


def _read_text(arguments, path):
    """The DataFrame in a delimited text, and the number of its first row in the file."""
    data = sys.stdin.buffer.read() if path == STDOUT else path.read_bytes()
    if path.suffix.lower() == ".gz":
        data, path = gzip.decompress(data), path.with_suffix("")
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    separator = _separator(lines.readline(), path.suffix.lower(), arguments.delimiter)
    lines.seek(0)
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    titles = [as_read(cell.strip()) for cell in next(rows, ())]
    above = 0 if arguments.header is False else rows.line_num
    second = next(rows, ()) if above else titles
    if not second:
        raise ValueError(f"row {above + 1 if titles else 1} is empty")
    is_number = pd.to_numeric(pd.Series(titles), errors="coerce").notna()
    if arguments.header is None and is_number.any():
        raise ValueError("row 1 has a number: give --header if it holds titles, --no-header if it is an object")
    if not above:
        titles = [str(c) for c in range(1, len(titles) + 1)]
    elif len(second) == len(titles) + 1:
        # As R's write.table leaves out the title of the names.
        titles = ["", *titles]
    if len(titles) > 1:
        lines = io.TextIOWrapper(io.BytesIO(data.rstrip(b"\r\n")), encoding="utf-8-sig", newline="")
    # Later versions are exact by default, and deprecate the option.
    is_exact = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    options = {} if is_exact else {"float_precision": "round_trip"}
    options |= {"sep": r"\s+" if separator == " " else separator, "header": None, "skiprows": min(above, 1)}
    options |= {"skip_blank_lines": False, "skipinitialspace": True}
    lines.seek(0)
    frame = pd.read_csv(lines, index_col=False, low_memory=False, **options)
    if frame.shape[1] != len(titles):
        raise ValueError(f"row 1 has {counted(len(titles), 'cell')}, row {above + 1} has {frame.shape[1]}")
    # pandas fills short rows; they are looked for one by one if there may be any.
    n_delimiters = (len(frame) + bool(above)) * (len(titles) - 1)
    if n_delimiters and (separator == " " or b'"' in data or data.count(separator.encode()) < n_delimiters):
        lines.seek(0)
        for number, row in enumerate(csv.reader(lines, rows.dialect), 1):
            if number > above and len(row) < len(titles):
                raise ValueError(f"row {number} has {counted(len(row), 'cell')}, not {len(titles)}")
    if above and not is_number.all():
        again = np.flatnonzero(frame.iloc[:, 0].astype(str) == titles[0])
        again = again[(frame.iloc[again].astype(str) == titles).all(axis=1)]
        if len(again):
            raise ValueError(f"row {again[0] + above + 1} is the header again, as in files joined by cat")
    if arguments.index_column is not None:
        index = find_column(titles, arguments.index_column, path)
        lines.seek(0)
        names = pd.read_csv(lines, usecols=[index], dtype=str, na_filter=False, **options).iloc[:, 0]
        frame.isetitem(index, [as_read(name.strip()) for name in names])
    return frame.set_axis(titles, axis=1), above + 1


def _separator(first, suffix, chosen):
    """The delimiter: the one chosen, that of the suffix, or the only one in the first line."""
    own = _SEPARATORS.get(suffix)
    found = [mark for mark in ",;\t" if mark in first] or [own or " " * (" " in first.strip()) or ","]
    if chosen is None and own not in found and (own or len(found) > 1 or found == [" "]):
        seen = " or ".join(name for name, mark in DELIMITERS.items() if mark in first)
        raise ValueError(f"row 1 does not show whether {own or ','!r} is the delimiter; give --delimiter {seen}")
    return DELIMITERS[chosen] if chosen else own or found[0]


def find_column(titles, spec, file):
    """Position of a column given by its title, or by its number counted from 1 (@1 if a title is 1)."""
    number = spec.removeprefix("@")
    found = [c for c, title in enumerate(titles) if spec == title or number == str(c + 1)]
    if len(found) != 1:
        known = ", ".join(f"@{c + 1} ({titles[c]!r})" for c in found or range(min(len(titles), 10)))
        raise ValueError(f"{file}: {len(found) or 'no'} columns are called {spec!r}; choose from {known}.")
    return found[0]


def read_input(arguments, path, *, left_out=()):
    """The :class:`Table` in the input file, with the columns that --columns, --drop-column and `left_out` leave."""
    table = read_table(arguments, path, arguments.variable)
    chosen = table.find(*dict.fromkeys(filter(None, (arguments.columns or "").split(",")))) or table.taken
    unread = table.find(*arguments.drop_column, *left_out)
    taken = [c for c in chosen if c in table.taken and c not in unread]
    if not taken:
        raise ValueError(f"{path}: none of the {table.frame.shape[1]} columns is left.")
    if taken[0] == 0 and table.frame.columns[0] == "":
        raise ValueError(f"{path}: column 1 has no title: use --index-column @1 if it names the objects.")
    again = pd.Index(table.names or [])
    if len(again := again[again.duplicated()]):
        print_problem("warning", f"{path}: several rows are called {again[0]!r}; they are kept apart.")
    return table._replace(taken=taken)


def _is_unseen(column):
    """Whether a column has no label but -1."""
    labels = column.dropna()
    return labels.empty or (str(labels.iloc[0]) in _UNSEEN and set(map(str, labels.unique())) <= _UNSEEN)


def read_labels(arguments, *, left_out=()):
    """The :class:`Table` and the label matrix in the file LABELS; says what was read."""
    table = read_input(arguments, arguments.labels, left_out=left_out)
    if arguments.draws:
        frame = table.frame.iloc[:, table.taken].T.reset_index(drop=True)
        names = None if table.titles == [str(c + 1) for c in table.taken] else table.titles
        taken = list(range(frame.shape[1]))
        frame = frame.set_axis([str(c + 1) for c in taken], axis=1)
        table = Table(f"{table.file}, transposed", frame, range(1, 1 + len(frame)), taken, names)
    unseen = [c for c in table.taken if _is_unseen(table.frame.iloc[:, c])]
    if 0 < len(unseen) < len(table.taken):
        titles = ", ".join(table.frame.columns[unseen])
        print_problem("warning", f"{table.file}: columns in which nothing is observed are left out: {titles}")
        table = table._replace(taken=[c for c in table.taken if c not in unseen])
    labels = _check_labels(table, table.taken)
    missing = np.count_nonzero(labels == -1)
    note = f", {missing} of {labels.size} labels missing" if missing else ""
    n, m = labels.shape
    say(f"{table.file}: {counted(n, 'object')}, {counted(m, 'partition')}{note}")
    if m > n and arguments.draws is False:
        print_problem("note", f"{table.file}: more clusterings than objects. Is each row a clustering? Give --draws.")
    return table, labels


def _check_labels(table, columns, *others):
    """The labels in columns of a table, and others, by the rules of Python; errors give the row in the file."""
    try:
        frame = pd.concat([table.frame.iloc[:, columns], *others], axis=1)
        return check.ensemble(frame, name=table.file).labels
    except (TypeError, ValueError) as error:
        text = re.sub(r"\bat row (\d+)", lambda found: f"at row {table.rows[int(found[1])]}", str(error))
        raise ValueError(text) from error


def read_truth(arguments, ensemble):
    """Classes of the objects, -1 where unknown; None if none are given."""
    chosen, path = arguments.truth_column, arguments.truth
    if path is None and chosen is None:
        return None
    variable = chosen if path is not None and path.suffix.lower() in _ARCHIVES else None
    table = ensemble if path is None else _read_beside(arguments, path, ensemble, variable)
    columns = table.taken if chosen is None or variable is not None else table.find(chosen)
    if len(columns) != 1:
        raise ValueError(f"{table.file}: {len(columns)} columns could be the truth; choose one with --truth-column.")
    # Beside a clustering that observes all objects, classes may be unknown.
    labels = _check_labels(table, columns, pd.Series(0, table.frame.index, name="all objects"))[:, 0]
    if (known := np.count_nonzero(labels != -1)) < len(labels):
        say(f"{table.file}: the class of {known} of {counted(len(labels), 'object')} is known; these are graded")
    return labels


def read_features(arguments, ensemble):
    """Features of the objects in the file of --features, without --truth-column and --drop-column."""
    table = _read_beside(arguments, arguments.features, ensemble)
    left_out = {arguments.truth_column, *arguments.drop_column}
    return features_of(table._replace(taken=[c for c in table.taken if table.frame.columns[c] not in left_out]))


def features_of(table):
    """The columns taken as finite numbers."""
    frame = table.frame.iloc[:, table.taken]
    features = frame.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    wrong = np.argwhere(~np.isfinite(features))
    if len(wrong):
        row, column = wrong[0]
        where = f"{table.file}, row {table.rows[row]}, column {table.titles[column]!r}"
        got = f"got {str(frame.iloc[row, column])!r}; --drop-column leaves a column out"
        raise ValueError(f"{where}: a feature must be a finite number, {got}.")
    return features


def _read_beside(arguments, path, ensemble, variable=None):
    """The :class:`Table` in a second file on the same objects, in their order: by names, or else by position."""
    table = read_table(arguments, path, variable)
    if ensemble.names is None:
        if (n := len(table.frame)) != (m := len(ensemble.frame)):
            raise ValueError(f"{path}: has {n} rows, {ensemble.file} {m}; --index-column joins by names.")
        say(f"{path}: its rows belong to those of {ensemble.file} in this order; --index-column joins by names")
        return table
    names, wanted = pd.Index(table.names), pd.Index(ensemble.names)
    if not names.is_unique:
        raise ValueError(f"{path}: the rows must have different names to be joined.")
    places = names.get_indexer(wanted)
    if places.min() < 0:
        absent = wanted[places < 0]
        raise ValueError(f"{path}: {counted(len(absent), 'object')} of {ensemble.file} missing, such as {absent[0]!r}.")
    if surplus := len(names) - len(set(places)):
        print_problem("note", f"{path}: {counted(surplus, 'row')} left out, of objects that {ensemble.file} has not.")
    return table._replace(frame=table.frame.iloc[places].reset_index(drop=True), rows=np.array(table.rows)[places])
