"""Read labels in any form (numbers, texts, categories, tables, indicators) as matrices of integers."""

import re
import reprlib
import warnings
from collections import defaultdict
from collections.abc import Mapping, ValuesView
from itertools import combinations, count
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .common import INTEGER, MISSING, NUMBER, may_count, row_blocks
from .names import index_of, is_numbering
from .values import as_array, check_names

# Smaller matrices may be symmetric by chance.
_PAIRS = 6
# Missing values of pandas and Python, by the names of their types.
_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}
# Texts that are neither names nor integers: infinity, and decimal commas.
_ODD = re.compile(r"[+-]?(inf(inity)?|[0-9]+,[0-9]+)", re.IGNORECASE)
# Titles of the column that says who gave a vote.
_WORKER = re.compile(r"(worker|annotator|rater|labell?er|coder|judge)([ _]?id)?", re.IGNORECASE)
# A table of votes has few columns. Partitions that should put this many pairs together twice, but none, are no chance.
_VOTE_COLUMNS = 8
_BY_CHANCE = 20.0
_FEATURES = "If these are features, make an ensemble of clusterings first, for example with KMeansEnsemble."
_NO_INTEGER = "must hold integer cluster labels or names"
_NO_LABEL = "must hold labels: each in the argument must be a string or a number; None, NaN and NA mark a missing one"
_FIND_COMMUNITIES = "find its communities several times and give these to labels_from"
# Type or attributes of an object that is not a label matrix -> what to give instead.
_OTHER_OBJECTS = {
    "obs obsm": "give the columns of .obs that hold clusterings, .obs[[...]]",
    "membership graph": "it is one clustering; give a list of them",
    "nodes edges": _FIND_COMMUNITIES,
    "vs es": _FIND_COMMUNITIES,
    "merges as_clustering": "it is a tree of merges; give its .as_clustering()",
    Mapping: "labels_from reads dicts, from node to community or from a name to a clustering",
    (set, frozenset): "labels_from reads communities as sets",
    "collect_schema collect": "call .collect() first",
    "labels_": "give the labels_ of several, [model.labels_ for model in models]",
    "_fields": "it is a result; give a list of the labels of several",
    str: "read the file first, for example with pandas.read_csv",
    "__next__": "it can be read only once: give list(...) of it",
    ValuesView: "give list(...) of it",
    type(None): "did a function return nothing?",
}


class LabelError(ValueError):
    """A value that is not a label. row : its row, from 0."""

    def __init__(self, message, row):
        super().__init__(message)
        self.row = int(row)


class LabelMatrix(NamedTuple):
    """Labels with names, as :func:`~robust_eac.labels_from` returns them; accepted wherever labels are.

    labels : (n_samples, n_partitions) int; one clustering per column, -1 where it did not observe an object.
    names : names of the clusterings, or None. objects : names of the objects, in the order of the rows, or None.
    meanings : for each clustering a tuple of int and str, in which label 0 stands for the first entry, or None if its
    labels stand for themselves; None if all do.
    """

    labels: np.ndarray
    names: tuple | None = None
    objects: tuple | None = None
    meanings: tuple | None = None


def is_vertex_clustering(entry):
    """Whether this is a VertexClustering of igraph, which lists the community of every vertex."""
    return isinstance(getattr(entry, "membership", None), (list, tuple)) and hasattr(entry, "graph")


def is_frame(labels):
    """Whether this is a DataFrame of pandas or polars."""
    return (hasattr(labels, "iloc") or hasattr(labels, "get_columns")) and hasattr(labels, "columns")


def objects_of(labels):
    """Names of the objects of a :class:`LabelMatrix`, pandas table or igraph clustering; None if they have no names."""
    if isinstance(labels, LabelMatrix):
        return labels.objects
    if is_vertex_clustering(labels):
        # Graph.from_networkx keeps the nodes as "_nx_name".
        vertices = labels.graph.vs
        kept = next((attribute for attribute in ("name", "_nx_name") if attribute in vertices.attributes()), None)
        return None if kept is None else tuple(vertices[kept])
    index = index_of(labels)
    return None if index is None or is_numbering(index) else tuple(index)


def refuse_other_objects(labels, name):
    """Raise TypeError for an object that is not a label matrix; the message says what to give instead."""
    for kind, hint in _OTHER_OBJECTS.items():
        attributes = kind.split() if isinstance(kind, str) else ()
        if all(hasattr(labels, attribute) for attribute in attributes) if attributes else isinstance(labels, kind):
            found = type(labels).__name__
            raise TypeError(f"{name} must be a label matrix or a list of clusterings, got {found}: {hint}.")


def read_matrix(labels, name, part=False):
    """The :class:`LabelMatrix` of a table with an object per row and a clustering per column."""
    if isinstance(labels, LabelMatrix):
        given = labels
        table = as_array(labels.labels, name)
        if given.names is not None and table.ndim == 2:
            given = given._replace(names=tuple(check_names(given.names, table.shape[1], name=f"{name}.names")))
    else:
        given = LabelMatrix(labels, titles_of_frame(labels))
        table = _table(labels, name, part)
    titles = column_titles(given.names)
    array, meanings = label_matrix(table, name, titles)
    if not part:
        refuse_names_of_objects(array, meanings, name, titles, titled=given.names is not None)
        _warn_of_indicators(array, name)
    if given.meanings is not None:
        _check_meanings(given.meanings, array, meanings is not None, name)
        meanings = given.meanings
    if given.objects is not None and len(given.objects) != len(array):
        raise ValueError(f"{name}.objects must have {len(array)} entries, got {len(given.objects)}.")
    return given._replace(labels=array, meanings=meanings)


def titles_of_frame(frame):
    """Titles of the columns as texts, None for positions; see :func:`as_names`."""
    return as_names(frame.columns) if is_frame(frame) else None


def as_names(titles):
    """Titles as texts; None for numbers 0, 1, ... in order, which are positions."""
    titles = list(titles)
    return None if titles == list(range(len(titles))) else tuple(map(str, titles))


def _table(labels, name, part):
    """The labels as an array, or as a list of columns if they are a DataFrame with columns that are not numeric."""
    if sparse.issparse(labels):
        if part:
            raise TypeError(
                f"{name} must be labels, got a sparse matrix of shape {labels.shape}: an indicator of some of the "
                "objects does not show which clusters make up a clustering, since some may be empty."
            )
        return _read_indicators(labels, name)
    if is_frame(labels) and not all(isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in labels.dtypes):
        _check_shape(labels.shape, name)
        if hasattr(labels, "get_columns"):
            return labels.get_columns()
        return [labels.iloc[:, u] for u in range(labels.shape[1])]
    if not isinstance(labels, np.ndarray):
        refuse_other_objects(labels, name)
    array = as_array(labels, name)
    if array.ndim == 0 and hasattr(labels, "__dlpack__") and not isinstance(labels, np.ndarray):
        array = np.from_dlpack(labels)
    if not part:
        refuse_pairs(array, name)
    return array


def _read_indicators(matrix, name):
    """Labels of a sparse 0/1 matrix of objects by clusters, in which the clusters of a clustering are adjacent."""
    rows = sparse.csr_array(matrix, copy=True)
    rows.eliminate_zeros()
    rows.sort_indices()
    refuse_pairs(rows, name)
    n = rows.shape[0]
    n_ones = rows.nnz
    valid = n_ones > 0 and np.all(rows.data == 1) and np.all(np.diff(rows.indptr) == n_ones // n)
    if valid:
        # Entry (i, u) is the column of object i in clustering u, whose columns end where those of u + 1 begin.
        clusters = rows.indices.reshape(n, -1)
        last = clusters.max(axis=0)
        valid = np.all(last[:-1] < clusters.min(axis=0)[1:])
    if not valid:
        raise TypeError(
            f"{name}: a sparse matrix must be an indicator of objects by clusters, with a single 1 per object in the "
            f"columns of each clustering, got another matrix of shape {matrix.shape}. Labels must be dense: .toarray()."
        )
    return clusters.astype(np.int64) - np.append(0, last[:-1] + 1)


def _check_meanings(meanings, labels, are_names, name):
    """Check that the meanings hold None, or an entry for each integer label, for each column."""
    if not isinstance(meanings, tuple) or not all(isinstance(meaning, (tuple, type(None))) for meaning in meanings):
        raise TypeError(f"{name}.meanings must be None or a tuple of tuples and None, got {reprlib.repr(meanings)}.")
    if are_names or len(meanings) != labels.shape[1]:
        rule = "None for labels that are names" if are_names else f"one entry per partition, {labels.shape[1]}"
        raise ValueError(f"{name}.meanings must be {rule}, got {len(meanings)} entries.")
    for u, (meaning, column) in enumerate(zip(meanings, labels.T, strict=True)):
        if meaning is not None and not -1 <= column.min() <= column.max() < len(meaning):
            raise ValueError(
                f"{name}.meanings[{u}] must have an entry for each label of partition {u}, from 0 on, got "
                f"{len(meaning)} entries for labels from {column.min()} to {column.max()}."
            )


def refuse_pairs(array, name):
    """Raise TypeError for a matrix of pairs of objects."""
    kind = kind_of_pairs(array)
    if kind is not None:
        raise TypeError(
            f"{name} must be a matrix of objects by clusterings, got a symmetric one of shape {array.shape}, as {kind} "
            "are. Give the clusterings that it was made from, one per column."
        )


def kind_of_pairs(array):
    """What a matrix of pairs of objects seems to hold; None if the matrix may well hold labels.

    A matrix of pairs is symmetric, has at least six rows and no negative entry; its diagonal is constant, and either
    zero or the maximum; the other entries differ. Of random binary labels, fewer than one matrix in 10^6 is like that.
    """
    n = array.shape[0] if array.ndim == 2 else 0
    if n < _PAIRS or array.shape != (n, n) or array.dtype.kind not in "biuf":
        return None
    diagonal = array.diagonal()
    if not np.allclose(diagonal, diagonal[0]) or array.min() < 0:
        return None
    if sparse.issparse(array):
        are_pairs = array.nnz > np.count_nonzero(diagonal) and np.allclose((array - array.T).data, 0.0)
    else:
        differ = np.count_nonzero(array == array[0, 1]) < n * n - n
        are_pairs = differ and all(np.allclose(array[rows], array[:, rows].T) for rows in row_blocks(n))
    if are_pairs and np.isclose(diagonal[0], array.max()):
        return "co-associations"
    return "distances or the edges of a graph" if are_pairs and diagonal[0] == 0 else None


def refuse_names_of_objects(labels, meanings, name, titles, *, titled=False):
    """Raise ValueError for a column of labels in which every object has a name of its own.

    titled : whether the columns have titles, as in a table; then warn of a column that numbers the objects, or may
    count something.
    """
    for u, column in enumerate(labels.T):
        # pandas gives this title to a written index.
        index = titles(u).startswith("column 'Unnamed: ")
        named = meanings is not None and meanings[u] and column.min() > -1
        if not (index or named or titled) or len(column) <= 2:
            continue
        # Quick exit: few different labels.
        if 5 * (int(column.max()) - int(column.min())) < len(column):
            continue
        n_labels = len(np.unique(column))
        if n_labels < len(column):
            if titled and may_count(column, n_labels):
                message = f"{name}: {titles(u)} has {n_labels} labels for {len(column)} objects"
                warnings.warn(f"{message}. Leave it out if it counts or measures something.", UserWarning, stacklevel=2)
            continue
        if named:
            raise ValueError(
                f"{name}: every object has a label of its own in {titles(u)}, so this is not a clustering. Leave it "
                "out if it names the objects."
            )
        found = f"{name}: {titles(u)} has a label of its own in every row"
        if index:
            rule = "Read the file with index_col=0, or leave the column out."
            raise ValueError(f"{found}: a written index, not a clustering. {rule}")
        warnings.warn(f"{found}. Leave it out if it numbers the rows.", UserWarning, stacklevel=2)


def refuse_votes(labels, names, name):
    """Raise ValueError for a titled table of votes: two of its columns, the item and the worker, identify every row.

    Neither column does so alone. Independent partitions would put `expected` pairs of objects together twice, and those
    of one truth more; a table with fewer votes is recognised by the title of the worker.
    """
    n, m = labels.shape
    if names is None or not 3 <= m <= _VOTE_COLUMNS:
        return
    sizes = [int(column.max()) - int(column.min()) + 1 for column in labels.T]
    for u, v in combinations(range(m), 2):
        # Sorting is slow, and ranges are at least the numbers of clusters.
        if sizes[u] * sizes[v] < n:
            continue
        counts = [np.unique(labels[:, column], return_counts=True)[1] for column in (u, v)]
        together = [float(count @ (count - 1)) for count in counts]
        if 0.0 in together:
            continue
        expected = together[0] * together[1] / (2.0 * n * (n - 1.0))
        worker = next((w for w in (u, v) if _WORKER.fullmatch(names[w])), None)
        if worker is None and expected < _BY_CHANCE:
            continue
        if len(np.unique(labels[:, [u, v]], axis=0)) < n:
            continue
        if worker is None:
            worker = u if len(counts[0]) < len(counts[1]) else v
        columns = [names[u + v - worker], names[worker], *(names[w] for w in range(m) if w not in (u, v))]
        last = "" if m == 3 else ", with one of the other columns as the third"
        raise ValueError(
            f"{name} must have one object per row, but each pair of {names[u]!r} and {names[v]!r} has one row, as in a "
            f'table of votes: give labels_from(table, form="crowd", columns={columns[:3]!r}){last}, or form="columns" '
            "if every column is a clustering."
        )


def _warn_of_indicators(labels, name):
    """Warn of a dense matrix of zeros and ones whose columns look like the indicators of clusters."""
    if len(labels) <= 2 or labels[:64].max() > 1 or labels[:64].min() < 0:
        return
    first = np.cumsum(labels[0], dtype=np.int64)
    # A clustering ends where all rows have the same number of ones so far.
    ends = np.ones(len(first), dtype=bool)
    for block in row_blocks(len(labels)):
        ends &= (np.cumsum(labels[block], axis=1, dtype=np.int64) == first).all(axis=0)
        if not ends[-1] or not ((labels[block] == 0) | (labels[block] == 1)).all():
            return
    n_columns = len(first)
    n_clusterings = int(first[-1])
    if n_columns > 2 * n_clusterings and set(first[ends]) >= set(range(1, n_clusterings + 1)) > set():
        question = f"{n_columns} clusterings of two clusters each, or the indicators of {n_clusterings}?"
        warnings.warn(f"{name}: {question} Give scipy.sparse.csr_array({name}) for those.", UserWarning, stacklevel=2)


def label_matrix(table, name, titles):
    """A matrix or a list of columns of labels of any type, as (integers, -1 where missing; their meanings)."""
    if isinstance(table, np.ndarray):
        _check_shape(table.shape, name)
        if table.dtype.kind not in "OSUT":
            return _integers(table, name, titles, missing=True), None
        table = table.T
    return side_by_side([label_column(column, name, titles(u)) for u, column in enumerate(table)])


def side_by_side(columns):
    """Join columns from :func:`label_column` into what :func:`label_matrix` returns."""
    labels, meanings = zip(*columns, strict=True)
    # NumPy would join uint64 and int64 as floats; the values are known to fit.
    labels = [column.astype(np.int64) if column.dtype == np.uint64 else column for column in labels]
    return np.column_stack(labels), meanings if any(meanings) else None


def label_column(values, name, column=""):
    """A column of labels of any type, as (integers, -1 where missing; meanings of 0, 1, ..., or None).

    Meanings are sorted, numbers before names. name : name of the argument. column : name of the column in errors.
    """
    categorical = getattr(values, "cat", values)
    if hasattr(categorical, "codes"):
        # Intervals, dates and the like become texts.
        known = [value if isinstance(value, (str, bytes, Real)) else str(value) for value in categorical.categories]
        return _numbered(np.asarray(categorical.codes), known, name, column)
    array = as_array(values, name)
    if array.ndim != 1 or not array.size:
        return array, None
    if array.dtype.kind not in "OSUT":
        return _integers(array[:, np.newaxis], name, lambda u: column, missing=True, where=column)[:, 0], None
    # The dictionary numbers values in the order of their first lookup.
    number_of = defaultdict(count().__next__)
    values = array.tolist()
    try:
        codes = np.fromiter(map(number_of.__getitem__, values), np.intp, len(values))
    except TypeError as error:
        row = next(row for row, value in enumerate(values) if type(value).__hash__ is None)
        raise TypeError(_wrong(values[row], row, name, column, _NO_LABEL)) from error
    return _numbered(codes, list(number_of), name, column)


def _numbered(codes, values, name, column):
    """The result of :func:`label_column` for a column in which row i has the value ``values[codes[i]]``."""
    labels = []
    for code, value in enumerate(values):
        try:
            labels.append(_parse(value))
        except (TypeError, ValueError) as error:
            rows = np.flatnonzero(codes == code)
            if len(rows):
                message = _wrong(value, rows[0], name, column, str(error))
                raise TypeError(message) if isinstance(error, TypeError) else LabelError(message, rows[0]) from None
            labels.append(-1)  # A category that no object has.
    known = None
    if any(isinstance(label, str) for label in labels):
        known = sorted({label for label in labels if label != -1}, key=lambda label: (isinstance(label, str), label))
        number_of = {label: number for number, label in enumerate(known)} | {-1: -1}
        labels = [number_of[label] for label in labels]
    return np.array([*labels, -1], dtype=np.int64)[codes], known and tuple(known)


def _parse(value):
    """The integer or name that a value stands for, -1 if it is missing."""
    if type(value).__name__ in _MISSING_TYPES or (isinstance(value, (float, np.floating)) and np.isnan(value)):
        return -1
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    if isinstance(value, str):
        text = value.strip()
        if text.lower() in MISSING:
            return -1
        if _ODD.fullmatch(text):
            raise ValueError(_NO_INTEGER)
        if not NUMBER.fullmatch(text):
            return text
        # Python refuses to convert thousands of digits.
        value = float(text) if not INTEGER.fullmatch(text) else int(text) if len(text) < 25 else 2**63
    if isinstance(value, (Integral, np.bool_)):
        if not -(2**63) <= value < 2**63:
            raise ValueError("must hold integers that fit in 64 bits")
        return int(value)
    if not isinstance(value, Real):
        raise TypeError(_NO_LABEL)
    if not abs(value) < 2.0**53 or value != int(value):
        raise ValueError(_NO_INTEGER)
    return int(value)


def integer_vector(array, name):
    """Convert a vector of numbers, none of them missing, to integers."""
    if array.dtype.kind == "O":
        array = numbers_from_objects(array, name)
    return _integers(array[:, np.newaxis], name, column_titles(), missing=False)[:, 0]


def numbers_from_objects(array, name):
    """Convert an object array of numbers to a numeric array."""
    odd = [value for value in array.flat if not isinstance(value, (Real, np.bool_))]
    if odd:
        raise TypeError(f"{name} must hold integers, got {odd[0]!r}.")
    # NumPy chooses the type.
    return np.array(array.tolist())


def _integers(array, name, titles, *, missing, where=""):
    """A matrix of numbers as integers, not copied if it holds integers; with `missing`, NaN becomes -1."""
    kind = array.dtype.kind
    where = f" in {where}" if where else ""
    if kind == "c":
        raise ValueError(f"{name} must hold integers. Complex data not supported, got dtype {array.dtype}{where}.")
    if kind not in "biuf":
        hint = " Dates are not labels: give their numbers, or their texts." if kind in "mM" else ""
        raise TypeError(
            f"{name} must hold {'labels' if missing else 'integers'}, got dtype {array.dtype}{where}.{hint}"
        )
    _check_shape(array.shape, name)
    if kind != "f":
        if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
            row = np.argmax(array.max(axis=1))
            raise LabelError(f"{name} must hold integers below 2^63, got {array.max()}.", row)
        return array
    integers = np.empty(array.shape, dtype=np.int64)
    for rows in row_blocks(len(array)):
        block = array[rows].astype(np.float64)
        if missing:
            block[np.isnan(block)] = -1.0
        # From 2^53 on neighbouring integers share a float: two labels could have become one.
        wrong = (block != np.rint(block)) | (np.abs(block) >= 2.0**53)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            rule = "must hold integer cluster labels"
            hint = f" {_FEATURES}"
            if not np.isfinite(block[row, column]):
                rule = f"must not contain {'infinity' if missing else 'NaN or infinity'}"
                hint = ""
            row += rows.start
            raise LabelError(_wrong(float(array[row, column]), row, name, titles(column), rule) + hint, row)
        integers[rows] = block
    return integers


def _wrong(value, row, name, column, rule):
    """The message on a value that breaks a rule."""
    return f"{name} {rule}, got {reprlib.repr(value)} at row {row}{f', {column}' if column else ''}."


def column_titles(names=None):
    """Function that gives the name of column u in errors."""
    return "column {}".format if names is None else lambda u: f"column {names[u]!r}"


def _check_shape(shape, name):
    """Raise ValueError unless there are two dimensions, none of them empty."""
    if len(shape) != 2:
        raise ValueError(
            f"{name} must be two-dimensional (n_samples, n_partitions), got shape {shape}. "
            "Reshape your data with array.reshape(-1, 1) if it is a single partition."
        )
    if 0 in shape:
        kind = "sample(s)" if shape[0] == 0 else "feature(s)"
        raise ValueError(f"{name} must not be empty: 0 {kind} (shape={shape}) while a minimum of 1 is required.")
