"""The door for labels: ensembles and partitions in every accepted form as integers; weights of objects, starts."""

import re
import reprlib
from itertools import zip_longest
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from .common import INTEGER, MISSING, NUMBER, row_blocks, warn
from .values import as_array, as_dense, check_choice, check_membership, check_vector

# Smaller matrices may be symmetric by chance.
_PAIRS = 6
_COASSOCIATIONS = "co-associations"
_PRECOMPUTED = ' Or give it to one of eac, eac_linkage, lifetime_eac and threshold_eac, with affinity="precomputed".'
# Texts that are neither names nor integers: infinity, and decimal commas.
_ODD = re.compile(r"[+-]?(inf(inity)?|[0-9]+,[0-9]+)", re.IGNORECASE)
_NO_INTEGER = "must hold names, or integer cluster labels that fit in 64 bits"
_NO_LABEL = "must hold labels: each in the argument must be a string or a number; None, NaN and NA mark a missing one"
_FEATURES = "If these are features, make an ensemble of clusterings first, for example with KMeansEnsemble."
# Parameters with one value per partition; all others of `check_index` have one per object.
_PER_PARTITION = {"weights", "weighting", "names", "groups"}
# What an error says about arrays of these kinds.
_NO_NUMBERS = {"c": " Complex data not supported."}
_NO_NUMBERS |= dict.fromkeys("mM", " Dates are not labels: give their numbers, or their texts.")


class LabelError(ValueError):
    """A value that is not a label. row : its row, from 0."""

    def __init__(self, message, row):
        super().__init__(message)
        self.row = int(row)


class Ensemble(NamedTuple):
    """The m partitions of n objects that :func:`check_ensemble` returns.

    labels : (n, m) int; the partitions, -1 where an object was not observed.
    names : texts, names of the partitions; None if they have none.
    objects : pandas index of the objects; None if they have no names.
    categories : for each partition the sorted names and numbers that its labels 0, 1, ... stand for, None if they stand
        for themselves; None if all do.
    """

    labels: np.ndarray
    names: tuple | None = None
    objects: Any = None
    categories: tuple | None = None

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


def check_labels(labels) -> np.ndarray:
    """Return the ensemble as a two-dimensional integer array; a view of the input if that is such an array."""
    return check_ensemble(labels).labels


def check_ensemble(labels, *, name="labels", part=False) -> Ensemble:
    """The :class:`Ensemble` of an array, a DataFrame or a list of clusterings; part : whether of some objects only."""
    if isinstance(labels, Ensemble):
        return labels
    ensemble, titles = _read(labels, name, part)
    if part:
        return ensemble
    _refuse_names_of_objects(ensemble, name, titles)
    lowest = ensemble.labels.min()
    if lowest < -1:
        warn(f'{name}: {lowest} is a cluster like any other label; only -1, None, NaN and NA mean "not observed".')
    empty = np.flatnonzero(~check_objects_observed(ensemble, name)).tolist() if lowest < 0 else []
    if empty:
        rule = f"every partition must observe at least one object, {titles[empty[0]]} has no label"
        raise ValueError(f"{name}: {rule}: leave it out by {_without(labels, name, empty)}.")
    return ensemble


def check_objects_observed(ensemble, name):
    """(m,) bool, whether each partition observes an object; ValueError unless some partition observes every object."""
    columns = np.zeros(ensemble.n_partitions, dtype=bool)
    seen = np.zeros(ensemble.n_samples, dtype=bool)
    for block in row_blocks(ensemble.n_samples):
        observed = ensemble.observed(block)
        seen[block] = observed.any(axis=1)
        columns |= observed.any(axis=0)
    if not seen.all():
        found = f"{np.count_nonzero(~seen)} of {len(seen)} have no label, the first at row {seen.argmin()}"
        rule = "every object must be observed by at least one partition"
        raise ValueError(f"{name}: {rule}, {found}. Leave them out: RobustEAC fitted to the others predicts -1.")
    return columns


def _read(labels, name, part):
    """(the :class:`Ensemble`, the titles of its partitions for errors)."""
    if hasattr(labels, "__dask_graph__"):
        rule = f"call this for each of its chunks, or give {name}.compute()"
        raise ValueError(f"{name} must be labels in memory, got a Dask array: {rule}.")
    labels = labels.to_pandas() if hasattr(labels, "to_pandas") else labels
    if isinstance(labels, (list, tuple)):
        if any(len(getattr(entry, "shape", ())) > 0 for entry in labels):
            return _read_list(labels, name)
        if any(isinstance(entry, (list, tuple)) for entry in labels):
            rule = f"give np.array({name}) if each inner list holds the labels of an object, np.array({name}).T if each"
            raise TypeError(f"{name}: a list of plain lists has two readings: {rule} holds a clustering.")
    names = objects = None
    is_frame = hasattr(labels, "iloc") and hasattr(labels, "columns")
    if is_frame:
        names, objects = _as_names(labels.columns), _index_of(labels)
    if not is_frame or all(isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in labels.dtypes):
        labels = as_array(labels, name)
        kind = None if part else kind_of_pairs(labels)
        if kind is not None:
            rule = "Give the clusterings that it was made from, one per column."
            found = f"got a symmetric one of shape {labels.shape}, as {kind} are. {rule}"
            hint = _PRECOMPUTED if kind == _COASSOCIATIONS else ""
            raise TypeError(f"{name} must be a matrix of objects by clusterings, {found}{hint}")
    if len(labels.shape) != 2:
        rule = "Reshape your data with array.reshape(-1, 1) if it is a single partition."
        raise ValueError(f"{name} must be two-dimensional (n_samples, n_partitions), got shape {labels.shape}. {rule}")
    if 0 in labels.shape:
        found = f"0 {'feature' if labels.shape[0] else 'sample'}(s) (shape={labels.shape})"
        raise ValueError(f"{name} must not be empty: {found} while a minimum of 1 is required.")
    titles = [f"column {title!r}" for title in names or range(labels.shape[1])]
    if isinstance(labels, np.ndarray) and labels.dtype.kind not in "OSUT":
        return Ensemble(_integers(labels, name, titles), names, objects), titles
    columns = labels.T if isinstance(labels, np.ndarray) else (labels.iloc[:, u] for u in range(len(titles)))
    found = [label_column(column, name, title) for column, title in zip(columns, titles, strict=True)]
    matrix, categories = side_by_side(found)
    return Ensemble(matrix, names, objects, categories), titles


def _read_list(entries, name):
    """:func:`_read` for a list of clusterings: arrays, Series, Categoricals."""
    entries = [entry.to_pandas() if hasattr(entry, "to_pandas") else entry for entry in entries]
    titles = [f"{name}[{u}]" for u in range(len(entries))]
    n = next(len(entry) for entry in entries if hasattr(entry, "shape"))
    columns, objects, code = [], None, None
    for entry, title in zip(entries, titles, strict=True):
        columns.append(label_column(entry, title))
        shape = columns[-1][0].shape
        if shape != (n,) or n == 0:
            raise ValueError(f"{title} must be a label vector of shape (n_samples,)={(n,)}, got shape {shape}.")
        _compare(title, entry, objects, code)
        if objects is None:
            objects, code = _index_of(entry), f"{title}.index"
    matrix, categories = side_by_side(columns)
    given = [getattr(entry, "name", None) for entry in entries]
    names = None if None in given or "" in given else _as_names(given)
    ensemble = Ensemble(matrix, names, objects, categories)
    return ensemble, titles if names is None else [f"column {title!r}" for title in names]


def _as_names(titles):
    """Titles as texts; None for numbers 0, 1, ... in order, which are positions."""
    titles = list(titles)
    return None if titles == list(range(len(titles))) else tuple(map(str, titles))


def _index_of(values):
    """The index of a pandas Series or table; None for everything else, and for 0, 1, ..., which names nothing."""
    index = values.index if hasattr(values, "iloc") else None
    return None if index is None or np.array_equal(np.asarray(index), np.arange(len(index))) else index


def check_index(labels, /, *, name="labels", **values):
    """Raise ValueError for values whose index is not that of the labels, in the same order; position counts.

    labels : an :class:`Ensemble`, or what has a row per object. name : its parameter. values : arguments by parameter.
    """
    for parameter, value in values.items():
        if isinstance(labels, Ensemble) and parameter in _PER_PARTITION:
            _compare(parameter, value, labels.names, f"{name}.columns")
        else:
            objects = labels.objects if isinstance(labels, Ensemble) else _index_of(labels)
            _compare(parameter, value, objects, f"{name}.index")


def _compare(name, values, names, code):
    """Raise ValueError if values have an index with other names, as texts; code : the expression for these names."""
    index = None if names is None else _index_of(values)
    for position, (found, expected) in enumerate([] if index is None else zip_longest(index, names)):
        if found != expected and str(found) != str(expected):
            rule = f"its index must be {code}, in this order, got {found!r} at position {position}, not {expected!r}"
            raise ValueError(
                f"{name}: {rule}. Give {name}.reindex({code}), or {name}.to_numpy() for values by position."
            )


def _without(labels, name, columns):
    """Code for the labels without these columns."""
    if isinstance(labels, (list, tuple)):
        return f"[{name}[u] for u in range({len(labels)}) if u not in {columns}]"
    if hasattr(labels, "columns"):
        return f"{name}.drop(columns={[list(labels.columns)[u] for u in columns]})"
    return f"np.delete({name}, {columns}, axis=1)"


def kind_of_pairs(array):
    """What a matrix of pairs of objects seems to hold; None if the matrix may well hold labels.

    A matrix of pairs is symmetric, has at least six rows and no negative entry; its diagonal is constant, and either
    zero or the maximum; the other entries differ. Of random binary labels, fewer than one matrix in 10^6 is like that.
    """
    n = len(array) if array.ndim == 2 else 0
    if n < _PAIRS or array.shape != (n, n) or array.dtype.kind not in "biuf" or array.min() < 0:
        return None
    diagonal = array.diagonal()
    if not np.allclose(diagonal, diagonal[0]) or np.count_nonzero(array == array[0, 1]) >= n * n - n:
        return None
    if not all(np.allclose(array[rows], array[:, rows].T) for rows in row_blocks(n)):
        return None
    others = "distances or the edges of a graph" if diagonal[0] == 0 else None
    return _COASSOCIATIONS if np.isclose(diagonal[0], array.max()) else others


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
            if named or titles[u].startswith("column 'Unnamed: "):
                rule = "Leave it out if it names the objects; read the file with index_col=0 if it is a written index"
                raise ValueError(f"{found}, so it is not a clustering. {rule}.")
            warn(f"{found}. Leave it out if it numbers the rows.")


def label_column(values, name, column=""):
    """A vector of labels of any kind as (integers, -1 where missing; what 0, 1, ... stand for, None for themselves).

    What they stand for is sorted, numbers before names. name : of the argument. column : title of the vector in errors.
    """
    if isinstance(getattr(values, "dtype", np.dtype(object)), np.dtype):
        values = as_array(values, name)
        if values.ndim != 1 or not values.size:
            return values, None
        if values.dtype.kind not in "OSUT":
            return _integers(values, name, [column]), None
        values = values.astype(object)
    import pandas as pd

    try:
        codes, known = pd.factorize(values)
    except TypeError as error:
        row = next(row for row, value in enumerate(values) if type(value).__hash__ is None)
        raise TypeError(_wrong(values[row], row, name, column, _NO_LABEL)) from error
    labels = []
    for code, value in enumerate(known):
        # Intervals, dates and the like as categories are texts.
        is_other = isinstance(values.dtype, pd.CategoricalDtype) and not isinstance(value, (str, bytes, Real))
        try:
            labels.append(_parse(str(value) if is_other else value))
        except (TypeError, ValueError) as error:
            row = int(np.argmax(codes == code))
            message = _wrong(value, row, name, column, str(error))
            raise TypeError(message) if isinstance(error, TypeError) else LabelError(message, row) from None
    categories = None
    if any(isinstance(label, str) for label in labels):
        categories = sorted({*labels} - {-1}, key=lambda label: (isinstance(label, str), label))
        number_of = {label: number for number, label in enumerate(categories)} | {-1: -1}
        labels = [number_of[label] for label in labels]
    return np.array([*labels, -1], dtype=np.int64)[codes], categories and tuple(categories)


def side_by_side(columns):
    """Join columns from :func:`label_column`: (matrix, categories of the columns or None)."""
    labels, categories = zip(*columns, strict=True)
    # NumPy would join uint64 and int64 as floats; the values are known to fit.
    labels = [column.astype(np.int64) if column.dtype == np.uint64 else column for column in labels]
    return np.column_stack(labels), categories if any(categories) else None


def _parse(value):
    """The integer or name that a value stands for, -1 if it is missing."""
    text = value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
    if isinstance(text, str):
        text = text.strip()
        if text.lower() in MISSING:
            return -1
        if not NUMBER.fullmatch(text):
            if not _ODD.fullmatch(text):
                return text
            raise ValueError(_NO_INTEGER)
        # Python refuses to convert thousands of digits.
        value = int(text) if INTEGER.fullmatch(text) and len(text) < 25 else float(text)
    if not isinstance(value, (Real, np.bool_)):
        raise TypeError(_NO_LABEL)
    if isinstance(value, (Integral, np.bool_)):
        fits = -(2**63) <= int(value) < 2**63
    else:
        # Larger floats share their float with other integers.
        fits = abs(value) < 2.0**53 and value == int(value)
    if not fits:
        raise ValueError(_NO_INTEGER)
    return int(value)


def _integers(array, name, titles):
    """A vector or matrix of numbers as integers, -1 for NaN, not copied if it holds integers; titles : of columns."""
    kind = array.dtype.kind
    if kind not in "biuf":
        where = f" in {titles[0]}" if array.ndim == 1 and titles[0] else ""
        message = f"{name} must hold labels, got dtype {array.dtype}{where}.{_NO_NUMBERS.get(kind, '')}"
        raise (ValueError if kind == "c" else TypeError)(message)
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        row = array.argmax() // (array.size // len(array))
        raise LabelError(f"{name} must hold integers below 2^63, got {array.max()}.", row)
    if kind != "f":
        return array
    integers = np.empty(array.shape, dtype=np.int64)
    for rows in row_blocks(len(array)):
        block = array[rows].astype(np.float64)
        block[np.isnan(block)] = -1.0
        # From 2^53 on neighbouring integers share a float: two labels could have become one.
        wrong = np.argwhere((block != np.rint(block)) | (np.abs(block) >= 2.0**53))
        if len(wrong):
            row, column = rows.start + wrong[0, 0], titles[wrong[0, -1] if array.ndim == 2 else 0]
            value = float(block[tuple(wrong[0])])
            rule = "must hold integer cluster labels" if np.isfinite(value) else "must not contain infinity"
            hint = f" {_FEATURES}" if np.isfinite(value) else ""
            raise LabelError(_wrong(value, row, name, column, rule) + hint, row)
        integers[rows] = block
    return integers


def _wrong(value, row, name, column, rule):
    """The message on a value that breaks a rule."""
    return f"{name} {rule}, got {reprlib.repr(value)} at row {row}{f', {column}' if column else ''}."


def check_sample_weight(sample_weight, ensemble, *, counts=False) -> np.ndarray | None:
    """Return None, or fresh float64 weights of the objects of an ensemble; `counts` are 0 or at least 1."""
    name = "sample_weight"
    if sample_weight is None:
        return None
    weight = check_vector(sample_weight, name=name, size=ensemble.n_samples, each="sample", positive_sum=True)
    # The sum could overflow, so the maximum is compared first.
    total = weight.max() if weight.max() > 1e60 else weight.sum()
    if not 1e-60 < total < 1e60:
        raise ValueError(f"{name} must sum to a number between 1e-60 and 1e60, got {total} or more.")
    # The squares of these weights could underflow, and they do not change the sum.
    weight[weight < 1e-100 * total] = 0.0
    fractions = (weight > 0.0) & (weight < 1.0)
    if counts and fractions.any():
        i = int(fractions.argmax())
        raise ValueError(f"{name} must be 0 or at least 1, a number of objects, got {weight[i]} at position {i}.")
    if weight.min() > 0.0:
        return weight
    observed = ensemble.observed()[weight > 0.0].any(axis=0)
    if not observed.all():
        u = int(np.argmin(observed))
        raise ValueError(f"{name}: every partition must observe an object of positive weight, partition {u} does not.")
    return weight


def check_clusters(labels, n_samples, *, name):
    """(n_samples,) integer labels of one partition, -1 where the cluster is unknown; at least one is known."""
    array = label_column(labels, name)[0]
    if array.shape != (n_samples,):
        raise ValueError(f"{name} must have shape ({n_samples},), one label per object, got {array.shape}.")
    if not (array != -1).any():
        raise ValueError(f"{name} must label at least one object, got only missing labels (-1, None, NaN, NA).")
    return array


def check_hard_partition(partition, n_samples, name="partition", n_clusters=None):
    """Codes 0, 1, ... of a hard partition of all objects, in the order of its labels; at most n_clusters of them."""
    labels, names = label_column(partition, name)
    if labels.shape != (n_samples,):
        raise ValueError(f"{name} must have shape ({n_samples},), one label per object, got {labels.shape}.")
    if names:
        raise TypeError(f"{name} must hold integers, got {names[-1]!r}.")
    if (labels == -1).any():
        raise ValueError(f"{name} must label every object, got -1.")
    codes = np.unique(labels, return_inverse=True)[1]
    if n_clusters is not None and codes.max() >= n_clusters:
        raise ValueError(f"{name} must have at most n_clusters={n_clusters} clusters, got {codes.max() + 1}.")
    return codes


def check_init(init, n_samples, n_clusters):
    """Return the name of a start (None is "random"), or the membership that an array describes."""
    if init is None:
        return "random"
    if isinstance(init, str):
        return check_choice(init, ("random", "kmeans"), name="init")
    array = as_dense(init, "init")
    if array.ndim == 1:
        codes = check_hard_partition(array, n_samples, "init", n_clusters)
        labels = label_column(array, "init")[0].astype(np.int64)
        in_range = labels.min() >= 0 and labels.max() < n_clusters
        return np.eye(n_clusters)[labels if in_range else codes]
    membership = check_membership(array, n_samples, n_clusters, name="init")
    check_start_distinguishes(membership.min(axis=0), membership.max(axis=0))
    return membership


def check_start_distinguishes(lowest, highest):
    """Refuse a start with the same soft membership for all objects, from the extremes of memberships per cluster."""
    n_clusters = len(lowest)
    if n_clusters > 1 and highest.max() < 1.0 and np.max(highest - lowest) <= 1e-12:
        found = f"the uniform one, 1/{n_clusters} everywhere, is a stationary point that no line search leaves"
        rule = "init must not give every object the same membership: such a start does not distinguish objects, and"
        raise ValueError(f'{rule} {found}. Use init="random".')
