"""Reading an ensemble: labels in every accepted form as integers; what is given with them: weights, indexes, starts.

Modules call its functions by its name: `ensemble = reading.ensemble(labels)`.
"""

import re
import reprlib
from decimal import Decimal
from itertools import zip_longest
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from .. import validation as check
from ..common import row_blocks, warn

# Smaller matrices may be symmetric by chance.
_PAIRS = 6
# Texts that mean a missing label, in any case. The integer -1 means it as well.
_MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"}
# Texts that are no names. Of these, infinity and what has a decimal comma are no integers either.
_NUMBER = re.compile(r"[+-]?(inf(inity)?|([0-9]+([.,][0-9]*)?|[.][0-9]+)(e[+-]?[0-9]+)?)", re.IGNORECASE)
_INTEGERS = "must hold integer cluster labels that fit in 64 bits, or names"
# Parameters with one value per partition; all others of `index` have one per object.
_PER_PARTITION = {"weights", "weighting", "names", "groups"}


class LabelError(ValueError):
    """An error in the labels of an object; `args` are the message up to its row, the row, and the rest."""

    @property
    def row(self):
        """Position of the object."""
        return self.args[1]

    def at(self, row):
        """The message with another name of the row."""
        before, _, after = self.args
        return f"{before} at row {row}{after}"

    def __str__(self):
        return self.at(self.row)


class Ensemble(NamedTuple):
    """The m partitions of n objects that :func:`ensemble` returns.

    labels : (n, m) int; the partitions, -1 where an object was not observed.
    names : texts, names of the partitions; None if they have none.
    objects : pandas index of the objects; None if the labels have none.
    categories : for each partition the sorted names and numbers that its labels 0, 1, ... stand for, None if they stand
        for themselves; None if all do.
    code : templates of Python code for the objects and for the names, shown in errors; {} is the parameter.
    """

    labels: np.ndarray
    names: tuple | None = None
    objects: Any = None
    categories: tuple | None = None
    code: tuple = ("{}.index", "{}.columns")

    @property
    def shape(self):
        """(number of objects, number of partitions)."""
        return self.labels.shape

    @property
    def n_samples(self):
        """Number of objects."""
        return len(self.labels)

    @property
    def n_partitions(self):
        """Number of partitions."""
        return self.labels.shape[1]

    def observed(self, rows=slice(None)):
        """(n, m) bool; whether a partition observes an object. rows : a slice of the objects."""
        return self.labels[rows] != -1


def ensemble(labels, *, name="labels", part=False, titles=None, **beside) -> Ensemble:
    """The :class:`Ensemble` of an array, a DataFrame or a list of clusterings.

    part : whether it holds only some of the objects, as in `predict`. titles : what errors call the partitions.
    beside : values given with it, for :func:`index`.
    """
    if not isinstance(labels, Ensemble):
        given = labels
        labels, titles = _read(given, name, part, titles)
        if not part:
            _check_contents(labels, name, titles, given)
    index(labels, name=name, **beside)
    return labels


def weighted_ensemble(labels, weights, **beside):
    """(the :class:`Ensemble`, the checked weights of its partitions); beside : as in :func:`ensemble`."""
    checked = ensemble(labels, weights=weights, **beside)
    return checked, check.weights(weights, checked.n_partitions)


def _check_contents(ensemble, name, titles, given):
    """Raise ValueError for columns that are no clusterings or observe nothing; given : the ensemble as it came in."""
    _refuse_names_of_objects(ensemble, name, titles)
    lowest = ensemble.labels.min()
    if lowest < -1:
        warn(f'{name}: {lowest} is a cluster like any other label; only -1, None, NaN and NA mean "not observed".')
    empty = np.flatnonzero(~objects_observed(ensemble, name)).tolist() if lowest < 0 else []
    if empty:
        without = f"np.delete({name}, {empty}, axis=1)"
        if isinstance(given, (list, tuple)):
            without = f"[{name}[u] for u in range({len(given)}) if u not in {empty}]"
        elif hasattr(given, "columns"):
            without = f"{name}.drop(columns={[list(given.columns)[u] for u in empty]})"
        rule = f"every partition must observe at least one object, {titles[empty[0]]} has no label"
        raise ValueError(f"{name}: {rule}: leave it out by {without}.")


def objects_observed(ensemble, name):
    """(m,) bool, whether each partition observes an object; ValueError unless some partition observes every object."""
    columns = np.zeros(ensemble.n_partitions, dtype=bool)
    seen = np.zeros(ensemble.n_samples, dtype=bool)
    for block in row_blocks(ensemble.n_samples):
        observed = ensemble.observed(block)
        seen[block] = observed.any(axis=1)
        columns |= observed.any(axis=0)
    if not seen.all():
        found = f"{np.count_nonzero(~seen)} of {len(seen)} have no label, the first"
        rule = f"{name}: every object must be observed by at least one partition, {found}"
        raise LabelError(rule, seen.argmin(), ". Leave them out: RobustEAC fitted to the others predicts -1.")
    return columns


def _read(labels, name, part, titles):
    """(the :class:`Ensemble`, the titles of its partitions for errors)."""
    labels = labels.to_pandas() if hasattr(labels, "to_pandas") else labels
    if isinstance(labels, (list, tuple)):
        labels = [entry.to_pandas() if hasattr(entry, "to_pandas") else entry for entry in labels]
        if any(len(getattr(entry, "shape", ())) > 0 for entry in labels):
            return _read_list(labels, name)
        if any(isinstance(entry, (list, tuple, range)) for entry in labels):
            raise TypeError(f"{name}: a list of plain lists has two readings: give np.array({name}), or its transpose.")
    names = objects = None
    is_frame = hasattr(labels, "iloc") and hasattr(labels, "columns")
    if is_frame:
        names = _as_names(labels.columns)
        objects = labels.index
    if not is_frame or all(isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in labels.dtypes):
        labels = check.as_array(labels, name)
        if not part and _are_pairs(labels):
            found = f"got a symmetric matrix of shape {labels.shape}, as of similarities or distances"
            raise TypeError(f"{name} must hold clusterings, one per column, {found}.")
    if len(labels.shape) != 2:
        rule = "Reshape your data with array.reshape(-1, 1) if it is a single partition"
        raise ValueError(f"{name} must be two-dimensional, got shape {labels.shape}. {rule}.")
    if 0 in labels.shape:
        found = f"0 sample(s) or 0 feature(s) (shape={labels.shape})"
        raise ValueError(f"{name} has {found} while a minimum of 1 is required.")
    titles = titles or [f"column {title!r}" for title in names or range(labels.shape[1])]
    if isinstance(labels, np.ndarray) and labels.dtype.kind not in "OSUT":
        return Ensemble(_integers(labels, name, titles), names, objects), titles
    columns = labels.T if isinstance(labels, np.ndarray) else [labels.iloc[:, u] for u in range(len(titles))]
    found = [label_column(column, name, title) for column, title in zip(columns, titles, strict=True)]
    return _side_by_side(found, names, objects), titles


def _read_list(entries, name):
    """:func:`_read` for a list of clusterings: arrays, Series, Categoricals."""
    titles = [f"{name}[{u}]" for u in range(len(entries))]
    n = next(len(entry) for entry in entries if hasattr(entry, "shape"))
    columns = []
    objects = None
    code = None
    for u, (entry, title) in enumerate(zip(entries, titles, strict=True)):
        columns.append(label_column(entry, title))
        shape = columns[-1][0].shape
        if shape != (n,) or n == 0:
            raise ValueError(f"{title} must be a label vector of shape (n_samples,)={(n,)}, got shape {shape}.")
        _compare(title, entry, objects, code and code.format(name))
        if _names_nothing(objects):
            objects = _index_of(entry)
            code = f"{{}}[{u}].index"
    given = [getattr(entry, "name", None) for entry in entries]
    names = None if None in given or "" in given else _as_names(given)
    return _side_by_side(columns, names, objects, (code, "[entry.name for entry in {}]")), titles


def _side_by_side(columns, names, objects, code=Ensemble._field_defaults["code"]):
    """The Ensemble of columns from :func:`label_column`."""
    labels, categories = zip(*columns, strict=True)
    # NumPy would join uint64 and int64 as floats; the values are known to fit.
    labels = [column.astype(np.int64) if column.dtype == np.uint64 else column for column in labels]
    return Ensemble(np.column_stack(labels), names, objects, categories if any(categories) else None, code)


def _as_names(titles):
    """Titles as texts; None for numbers 0, 1, ... in order, which are positions."""
    return None if _names_nothing(titles) else tuple(map(str, titles))


def _index_of(values):
    """The index of a pandas Series or table; None for everything else."""
    return values.index if hasattr(values, "iloc") else None


def _names_nothing(index):
    return index is None or np.array_equal(np.asarray(index), np.arange(len(index)))


def index(labels, /, *, name="labels", **values):
    """Raise ValueError for values whose index is not that of the labels. Without an index, position counts.

    labels : an :class:`Ensemble`, or what has a row per object. name : its parameter. values : arguments by parameter.
    """
    if not isinstance(labels, Ensemble):
        labels = Ensemble(labels, objects=_index_of(labels))
    of_objects, of_names = (code and code.format(name) for code in labels.code)
    for parameter, value in values.items():
        if parameter in _PER_PARTITION:
            numbered = labels.names is None and labels.objects is not None
            _compare(parameter, value, range(labels.n_partitions) if numbered else labels.names, of_names)
        else:
            _compare(parameter, value, labels.objects, of_objects)


def _compare(name, values, names, code):
    """Raise ValueError if values have an index with other names, as texts; code : the expression for these names.

    0, 1, ... in order names nothing, unless the other index holds the same numbers in another order.
    """
    index = None if names is None else _index_of(values)
    if index is None or np.array_equal(index, names):
        return
    if (_names_nothing(index) or _names_nothing(names)) and {*index} != {*names}:
        return
    for found, expected in zip_longest(map(str, index), map(str, names)):
        if found != expected:
            rule = f"its index must be {code}, in this order, got {found!r} in place of {expected!r}"
            advice = f"Give {name}.reindex({code}), or {name}.to_numpy() for values by position"
            raise ValueError(f"{name}: {rule}. {advice}.")


def _are_pairs(array):
    """Whether a matrix seems to hold similarities or distances of pairs of objects.

    A matrix of pairs is symmetric, has at least six rows and no negative entry; its diagonal is constant, and either
    zero or the maximum; the other entries differ. Of random binary labels, fewer than one matrix in 10^6 is like that.
    """
    n = len(array) if array.ndim == 2 else 0
    if n < _PAIRS or array.shape != (n, n) or array.dtype.kind not in "biuf" or array.min() < 0:
        return False
    diagonal = array.diagonal()
    if not np.allclose(diagonal, diagonal[0]) or np.count_nonzero(array == array[0, 1]) >= n * n - n:
        return False
    return np.allclose(array, array.T) and bool(diagonal[0] == 0 or np.isclose(diagonal[0], array.max()))


def _refuse_names_of_objects(ensemble, name, titles):
    """Raise ValueError for a column that names the rows; warn of one that numbers them, if columns have titles."""
    n = ensemble.n_samples
    for u, column in enumerate(ensemble.labels.T):
        named = ensemble.categories is not None and ensemble.categories[u] and column.min() > -1
        # Quick exit: a small range has few labels.
        if n <= 2 or not (named or ensemble.names) or int(column.max()) - int(column.min()) < n - 1:
            continue
        if len(np.unique(column)) == n:
            found = f"{name}: {titles[u]} has a label of its own in every row"
            # pandas gives this title to a written index.
            if named or ensemble.names[u].startswith("Unnamed: "):
                rule = "Leave it out if it names the objects; read the file with index_col=0 if it is a written index"
                raise ValueError(f"{found}, so it is not a clustering. {rule}.")
            warn(f"{found}. Leave it out if it numbers the rows.")


def label_column(values, name, column=""):
    """A vector of labels of any kind as (integers, -1 where missing; its categories, None if labels were integers).

    Categories are sorted, numbers before names. name : of the argument. column : title of the vector in errors.
    """
    if isinstance(getattr(values, "dtype", np.dtype(object)), np.dtype):
        values = check.as_array(values, name)
        if values.ndim != 1 or not values.size:
            return values, None
        if values.dtype.kind not in "OSUT":
            return _integers(values, name, [column]), None
        values = values.astype(object)
    import pandas as pd

    try:
        codes, known = pd.factorize(values)
    except TypeError as error:
        rule = "must hold labels: the argument must be of strings or numbers; None, NaN and NA mark a missing label"
        raise TypeError(f"{name} {rule}, got {error}{_of(column)}.") from error
    # Intervals, dates and the like as categories are texts.
    is_category = isinstance(values.dtype, pd.CategoricalDtype)
    labels = [_parse(str(value) if is_category and not isinstance(value, (bytes, Real)) else value) for value in known]
    if None in labels:
        code = labels.index(None)
        row = (codes == code).argmax()
        raise LabelError(f"{name} {_INTEGERS}, got {reprlib.repr(known[code])}", row, f"{_of(column)}.")
    names = sorted({*labels} - {-1}, key=lambda label: (isinstance(label, str), label))
    if not names or not isinstance(names[-1], str):
        return np.array([*labels, -1], dtype=np.int64)[codes], None
    number_of = {label: number for number, label in enumerate(names)} | {-1: -1}
    return np.array([*map(number_of.get, labels), -1])[codes], tuple(names)


def _of(column):
    return column and f", {column}"


def _parse(value):
    """The integer or name that a value stands for, -1 if it is missing, None if it is neither."""
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    elif isinstance(value, (Integral, np.bool_)):
        value = int(value)
    if isinstance(value, str):
        value = value.strip()
        if value.lower() in _MISSING:
            return -1
        if not _NUMBER.fullmatch(value):
            return value
        value = np.nan if "," in value else Decimal(value)
    # Larger floats share their float with other integers.
    limit = 2**53 if isinstance(value, (float, np.floating)) else 2**63
    if not isinstance(value, (Real, Decimal)) or not -limit <= value < limit or value != int(value):
        return None
    return int(value)


def _integers(array, name, titles):
    """A vector or matrix of numbers as integers, -1 for NaN, not copied if it holds integers; titles : of columns."""
    kind = array.dtype.kind
    if kind not in "biuf":
        column = titles[0] if array.ndim == 1 else ""
        rule = "must hold labels. Complex data not supported, nor are dates"
        raise (ValueError if kind == "c" else TypeError)(f"{name} {rule}, got dtype {array.dtype}{_of(column)}.")
    if kind in "bi" or (kind == "u" and array.max() < 2**63):
        return array
    limit = 2.0**53 if kind == "f" else 2.0**63
    integers = np.empty(array.shape, dtype=np.int64)
    for rows in row_blocks(len(array)):
        block = array[rows].astype(np.float64)
        block[np.isnan(block)] = -1.0
        # From 2^53 on neighbouring integers share a float: two labels could have become one.
        wrong = np.argwhere((block != np.rint(block)) | (np.abs(block) >= limit))
        if len(wrong):
            where = tuple(wrong[0])
            column = titles[where[-1] if array.ndim == 2 else 0]
            hint = "If these are features, make an ensemble of clusterings first, for example with KMeansEnsemble"
            text = f"{name} {_INTEGERS}, got {array[rows][where]}"
            raise LabelError(text, rows.start + where[0], f"{_of(column)}. {hint}.")
        integers[rows] = block
    return integers


def sample_weight(sample_weight, ensemble, *, counts=False) -> np.ndarray | None:
    """Return None, or fresh float64 weights of the objects of an ensemble; `counts` are 0 or at least 1."""
    name = "sample_weight"
    if sample_weight is None:
        return None
    weight = check.vector(sample_weight, name=name, size=ensemble.n_samples, each="sample", positive_sum=True)
    largest = weight.max()
    if not 1e-60 < largest < 1e60:
        raise ValueError(f"{name} must have a maximum between 1e-60 and 1e60, got {largest}.")
    # The squares of these weights could underflow, and they do not change the sum.
    weight[weight < 1e-100 * largest] = 0.0
    fractions = (weight > 0.0) & (weight < 1.0)
    if counts and fractions.any():
        i = int(fractions.argmax())
        raise ValueError(f"{name} must be 0 or at least 1, a number of objects, got {weight[i]} at position {i}.")
    observed = weight.min() > 0.0 or ensemble.observed()[weight > 0.0].any(axis=0)
    if not np.all(observed):
        u = int(np.argmin(observed))
        raise ValueError(f"{name}: every partition must observe an object of positive weight, partition {u} does not.")
    return weight


def clusters(labels, n_samples, *, name):
    """(n_samples,) integer labels of one partition, -1 where the cluster is unknown; at least one is known."""
    array = label_column(labels, name)[0]
    if array.shape != (n_samples,):
        raise ValueError(f"{name} must have shape ({n_samples},), one label per object, got {array.shape}.")
    if not (array != -1).any():
        raise ValueError(f"{name} must label at least one object, got only missing labels (-1, None, NaN, NA).")
    return array


def hard_partition(partition, n_samples, name="partition", n_clusters=None):
    """(labels, ascending; codes 0, 1, ... of them) of a hard partition of all objects with at most n_clusters."""
    labels, names = label_column(partition, name)
    if names:
        raise TypeError(f"{name} must hold integers, got {next(text for text in names if isinstance(text, str))!r}.")
    values, codes = np.unique(clusters(labels, n_samples, name=name), return_inverse=True)
    if -1 in values:
        raise ValueError(f"{name} must label every object, got -1.")
    if n_clusters is not None and len(values) > n_clusters:
        raise ValueError(f"{name} must have at most n_clusters={n_clusters} clusters, got {len(values)}.")
    return values, codes


class Start(NamedTuple):
    """Where an alternation begins.

    name : of the initial memberships, "random" or "kmeans"; None if they are given.
    memberships : (n_samples, n_clusters) memberships that are given, or None.
    """

    name: str | None = None
    memberships: np.ndarray | None = None


def init(init, n_samples, n_clusters) -> Start:
    """The :class:`Start` by a name (None is "random"), or from the membership that an array describes."""
    if init is None:
        return Start("random")
    if isinstance(init, str):
        return Start(check.choice(init, ("random", "kmeans"), name="init"))
    array = check.as_dense(init, "init")
    if array.ndim == 1:
        values, codes = hard_partition(array, n_samples, "init", n_clusters)
        in_range = values[0] >= 0 and values[-1] < n_clusters
        return Start(memberships=np.eye(n_clusters)[values.astype(np.int64)[codes] if in_range else codes])
    rows = check.membership(array, n_samples, n_clusters, name="init")
    start_distinguishes(rows.min(axis=0), rows.max(axis=0))
    return Start(memberships=rows)


def start_distinguishes(lowest, highest):
    """Refuse a start with the same soft membership for all objects, from the extremes of memberships per cluster."""
    if len(lowest) > 1 and highest.max() < 1.0 and np.max(highest - lowest) <= 1e-12:
        rule = "init must not give every object the same membership, a stationary point that no line search leaves"
        raise ValueError(f'{rule}, got {highest}. Use init="random".')
