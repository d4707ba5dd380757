"""The door: labels in every accepted form as integers; checks of numbers, weights, starts and features.

Modules import it as `check`: `n_init = check.integer(n_init, name="n_init", low=1)`.
"""

import math
import re
import reprlib
import sys
from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import zip_longest
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn import utils
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from .common import did_you_mean, row_blocks, warn

# Largest feature for which products of two sums of squares do not overflow.
LARGEST_FEATURE = 1e70
# Largest number of entries of a membership matrix or a table of counts: 2 GiB.
MAX_DENSE = 2**28
# Smaller matrices may be symmetric by chance.
_PAIRS = 6
# Texts that mean a missing label, in any case. The integer -1 means it as well.
_MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"}
# Texts that are no names. Of these, infinity and what has a decimal comma are no integers either.
_NUMBER = re.compile(r"[+-]?(inf(inity)?|([0-9]+([.,][0-9]*)?|[.][0-9]+)(e[+-]?[0-9]+)?)", re.IGNORECASE)
_INTEGERS = "must hold integer cluster labels that fit in 64 bits, or names"
# Parameters with one value per partition; all others of `index` have one per object.
_PER_PARTITION = {"weights", "weighting", "names", "groups"}


class Ensemble(NamedTuple):
    """The m partitions of n objects that :func:`ensemble` returns.

    labels : (n, m) int; the partitions, -1 where an object was not observed.
    names : texts, names of the partitions; None if they have none.
    objects : pandas index of the objects; None if the labels have none.
    categories : for each partition the sorted names and numbers that its labels 0, 1, ... stand for, None if they stand
        for themselves; None if all do.
    code : expressions for the objects and for the names, in which {} is the parameter.
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


def ensemble(labels, *, name="labels", part=False, **beside) -> Ensemble:
    """The :class:`Ensemble` of an array, a DataFrame or a list of clusterings.

    part : whether it holds only some of the objects, as in `predict`. beside : values given with it, for :func:`index`.
    """
    if not isinstance(labels, Ensemble):
        given, (labels, titles) = labels, _read(labels, name, part)
        if not part:
            _check_contents(labels, name, titles, given)
    index(labels, name=name, **beside)
    return labels


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
        found = f"{np.count_nonzero(~seen)} of {len(seen)} have no label, the first at row {seen.argmin()}"
        rule = "every object must be observed by at least one partition"
        raise ValueError(f"{name}: {rule}, {found}. Leave them out: RobustEAC fitted to the others predicts -1.")
    return columns


def _read(labels, name, part):
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
        labels = as_array(labels, name)
        if not part and _are_pairs(labels):
            found = f"got a symmetric matrix of shape {labels.shape}, as of similarities or distances"
            raise TypeError(f"{name} must hold clusterings, one per column, {found}.")
    if len(labels.shape) != 2:
        rule = "Reshape your data with array.reshape(-1, 1) if it is a single partition"
        raise ValueError(f"{name} must be two-dimensional, got shape {labels.shape}. {rule}.")
    if 0 in labels.shape:
        found = f"0 sample(s) or 0 feature(s) (shape={labels.shape})"
        raise ValueError(f"{name} has {found} while a minimum of 1 is required.")
    titles = [f"column {title!r}" for title in names or range(labels.shape[1])]
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
    """Raise ValueError for values whose index is not that of the labels, in the same order; position counts.

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
        rule = "must hold labels: the argument must be of strings or numbers; None, NaN and NA mark a missing label"
        raise TypeError(f"{name} {rule}, got {error}{_place(None, column)}.") from error
    # Intervals, dates and the like as categories are texts.
    is_category = isinstance(values.dtype, pd.CategoricalDtype)
    labels = [_parse(str(value) if is_category and not isinstance(value, (bytes, Real)) else value) for value in known]
    if None in labels:
        code = labels.index(None)
        place = _place((codes == code).argmax(), column)
        raise ValueError(f"{name} {_INTEGERS}, got {reprlib.repr(known[code])}{place}.")
    names = sorted({*labels} - {-1}, key=lambda label: (isinstance(label, str), label))
    if not names or not isinstance(names[-1], str):
        return np.array([*labels, -1], dtype=np.int64)[codes], None
    number_of = {label: number for number, label in enumerate(names)} | {-1: -1}
    return np.array([*map(number_of.get, labels), -1])[codes], tuple(names)


def _place(row, column):
    return ("" if row is None else f" at row {row}") + (f", {column}" if column else "")


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
        place = _place(None, titles[0]) if array.ndim == 1 else ""
        rule = "must hold labels. Complex data not supported, nor are dates"
        raise (ValueError if kind == "c" else TypeError)(f"{name} {rule}, got dtype {array.dtype}{place}.")
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
            place = _place(rows.start + where[0], titles[where[-1] if array.ndim == 2 else 0])
            hint = "If these are features, make an ensemble of clusterings first, for example with KMeansEnsemble"
            raise ValueError(f"{name} {_INTEGERS}, got {array[rows][where]}{place}. {hint}.")
        integers[rows] = block
    return integers


def sample_weight(sample_weight, ensemble, *, counts=False) -> np.ndarray | None:
    """Return None, or fresh float64 weights of the objects of an ensemble; `counts` are 0 or at least 1."""
    name = "sample_weight"
    if sample_weight is None:
        return None
    weight = vector(sample_weight, name=name, size=ensemble.n_samples, each="sample", positive_sum=True)
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
        return Start(choice(init, ("random", "kmeans"), name="init"))
    array = as_dense(init, "init")
    if array.ndim == 1:
        values, codes = hard_partition(array, n_samples, "init", n_clusters)
        in_range = values[0] >= 0 and values[-1] < n_clusters
        return Start(memberships=np.eye(n_clusters)[values.astype(np.int64)[codes] if in_range else codes])
    rows = membership(array, n_samples, n_clusters, name="init")
    start_distinguishes(rows.min(axis=0), rows.max(axis=0))
    return Start(memberships=rows)


def start_distinguishes(lowest, highest):
    """Refuse a start with the same soft membership for all objects, from the extremes of memberships per cluster."""
    if len(lowest) > 1 and highest.max() < 1.0 and np.max(highest - lowest) <= 1e-12:
        rule = "init must not give every object the same membership, a stationary point that no line search leaves"
        raise ValueError(f'{rule}, got {highest}. Use init="random".')


def as_array(values, name):
    """Convert to an array; refuse masked, sparse and Dask arrays, which would lose information or be computed."""
    if sparse.issparse(values) or np.ma.isMaskedArray(values) or hasattr(values, "__dask_graph__"):
        raise TypeError(f"{name} must be a dense array in memory, without a mask, got {type(values)}.")
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be a rectangular array: {error}.") from error


def as_dense(values, name):
    """Convert to an array; also sparse matrices, of at most MAX_DENSE entries."""
    _check_dense(values.shape if sparse.issparse(values) else (1,), f"{name}.shape[1]")
    return values.toarray() if sparse.issparse(values) else as_array(values, name)


def _check_dense(shape, name):
    """Refuse a membership matrix of more than MAX_DENSE entries."""
    if math.prod(shape) > MAX_DENSE:
        rule = f"must be at most {MAX_DENSE // shape[0]} for {shape[0]} objects, a membership of 2^28 entries"
        less = "solve_hard_median_partition(labels, n_clusters, weighting=...) takes less memory"
        raise ValueError(f"{name} {rule}, got {shape[-1]}: {less}.")


def vector(values, *, name, size=None, each="partition", positive_sum=False) -> np.ndarray:
    """Return a fresh float64 vector of finite, non-negative numbers."""
    array = _non_negative(values, name)
    if array.ndim != 1 or array.size == 0 or size not in (None, array.size):
        expected = "of at least one value" if size is None else f"of {size} values, one per {each}"
        raise ValueError(f"{name} must be a vector {expected}, got shape {array.shape}.")
    if positive_sum and array.max() == 0.0:
        raise ValueError(f"{name} must not be all zero.")
    return array


def _non_negative(values, name):
    """Fresh C-ordered float64 array of finite, non-negative numbers; refuses text, complex numbers and masks."""
    array = as_array(values, name)
    odd = [value for value in array.flat if not isinstance(value, (Real, np.bool_))] if array.dtype.kind == "O" else []
    if odd or array.dtype.kind not in "biufO":
        raise TypeError(f"{name} must be an array of real numbers, got {odd[0] if odd else array.dtype!r}.")
    try:
        array = np.array(array, dtype=np.float64, order="C")
    except OverflowError as error:
        raise ValueError(f"{name} must hold numbers within the range of floats: {error}.") from error
    wrong = ~(np.isfinite(array) & (array >= 0.0))
    if wrong.any():
        at = tuple(map(int, np.argwhere(wrong)[0]))
        raise ValueError(f"{name} must be finite and non-negative, got {array[at]} at position {at}.")
    return array


def features(X, *, name="X", n_samples=None, estimator=None, as_is=False, **options):
    """Return features as a C-ordered float64 matrix; the input itself if it already is one.

    The rules and options are scikit-learn's, which speaks for the estimator if one is given. Masked arrays, whose masks
    scikit-learn drops, and numbers whose squares may overflow are refused as well. With `as_is`, arrays and memory maps
    of real numbers keep their type and order, so that nothing is copied.
    """
    if np.ma.isMaskedArray(X):
        raise TypeError(f"{name} must not be a masked array.")
    keep = as_is and isinstance(X, np.ndarray) and X.dtype.kind in "biuf"
    options |= {"dtype": None} if keep else {"dtype": np.float64, "order": "C"}
    try:
        if estimator is None:
            array = utils.check_array(X, input_name=name, **options)
        else:
            array = validate_data(estimator, X, **options)
    except (TypeError, ValueError) as error:
        # scikit-learn's advice on supervised learning is left out.
        text, is_nan, _ = str(error).partition("NaN.\n")
        advice = "NaN: impute the missing values, or leave out their rows."
        raise type(error)(f"{name}: {text}{is_nan and advice}") from error
    if n_samples is not None and len(array) != n_samples:
        raise ValueError(f"{name} must have n_samples={n_samples} rows, one per row of labels, got {len(array)}.")
    # Floats, because minus an unsigned integer is unsigned.
    largest = max(float(array.max()), -float(array.min()))
    if largest > LARGEST_FEATURE:
        raise ValueError(f"{name} must hold numbers of at most {LARGEST_FEATURE:g}, got {largest:g}: rescale them.")
    return array


def weights(weights, n_partitions, *, name="weights") -> np.ndarray:
    """Return fresh weights that sum to one; None means uniform."""
    if weights is None:
        return np.full(n_partitions, 1.0 / n_partitions)
    array = vector(weights, name=name, size=n_partitions, positive_sum=True)
    # Divide by the maximum first, so that tiny and huge weights neither under- nor overflow.
    array /= array.max()
    # The exact sum, which does not depend on the order of the weights.
    return array / math.fsum(array)


def returned_weights(found, n_partitions, *, name):
    """As :func:`weights`, of what a user's function returned: None is refused."""
    name = f"what {name} returns"
    return weights(as_array(found, name), n_partitions, name=name)


def n_clusters(n_clusters, n_samples) -> int:
    """Return n_clusters as an int in [1, n_samples]."""
    return integer(n_clusters, name="n_clusters", low=1, high=n_samples, high_name="n_samples")


def n_memberships(number, n_samples) -> int:
    """Return n_clusters as an int in [1, n_samples] for which a membership matrix has at most MAX_DENSE entries."""
    _check_dense((n_samples, n_clusters(number, n_samples)), "n_clusters")
    return int(number)


def integer(value, *, name, low, high=None, high_name=None) -> int:
    """Return value as an int within [low, high]."""
    if not isinstance(value, Integral) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < low or (high is not None and value > high):
        rule = f"at least {low}" if high is None else f"in [{low}, {f'{high_name}=' if high_name else ''}{high}]"
        raise ValueError(f"{name} must be {rule}, got {value}.")
    return int(value)


def candidates(n_clusters, *, high, high_name):
    """Candidate numbers of clusters, ascending, from an integer, a pair (lowest, highest) or a list."""
    several = isinstance(n_clusters, Iterable) and not isinstance(n_clusters, str)
    limit = {"name": "n_clusters", "low": 1, "high": high, "high_name": high_name}
    numbers = [integer(k, **limit) for k in (n_clusters if several else [n_clusters])]
    is_pair = isinstance(n_clusters, tuple)
    if not numbers or (is_pair and (len(numbers) != 2 or numbers[0] > numbers[1])):
        rule = "an integer, a pair (lowest, highest) or a list of at least one integer"
        raise ValueError(f"n_clusters must be {rule}, got {n_clusters!r}.")
    return np.arange(numbers[0], numbers[1] + 1) if is_pair else np.unique(numbers)


def real(value, *, name, low, high=np.inf, strict=False) -> float:
    """Return value as a finite float in [low, high], or strictly above low."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a real number, got {value!r}.")
    # Some integers are beyond the range of floats.
    value = np.inf if isinstance(value, Integral) and abs(int(value)) > sys.float_info.max else float(value)
    if not (low < value if strict else low <= value) or not value <= high or np.isinf(value):
        rule = f"{'greater than' if strict else 'at least'} {low:g} and "
        rule += "finite" if high == np.inf else f"at most {high:g}"
        raise ValueError(f"{name} must be {rule}, got {value}.")
    return value


def n_jobs(n_jobs):
    """Return a number of jobs by joblib's rules: None, or an integer other than 0, where -1 means all cores."""
    if n_jobs is not None and integer(n_jobs, name="n_jobs", low=-np.inf) == 0:
        raise ValueError("n_jobs must not be 0: None leaves the number open, -1 stands for all cores.")
    return n_jobs


def random_state(random_state):
    """scikit-learn's random_state, but with errors that name the parameter."""
    try:
        return utils.check_random_state(random_state)
    except ValueError as error:
        raise ValueError(f"random_state: {error}.") from error


def flag(value, *, name) -> bool:
    """Return value as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def membership(membership, n_samples, n_clusters=None, *, name="membership"):
    """A fresh C-ordered float64 (n_samples, n_clusters) matrix with rows on the simplex."""
    rows = _non_negative(as_dense(membership, name), name)
    if rows.ndim != 2 or 0 in rows.shape or rows.shape != (n_samples, n_clusters or rows.shape[1]):
        hint = " For hard labels 0, 1, ... give numpy.eye(n_clusters)[labels]." if rows.ndim == 1 else ""
        expected = (n_samples, "n_clusters" if n_clusters is None else n_clusters)
        raise ValueError(f"{name} must have shape {expected}, got {rows.shape}.{hint}")
    _check_dense(rows.shape, f"{name}.shape[1]")
    sums = rows.sum(axis=1)
    worst = int(np.argmax(np.abs(sums - 1.0)))
    if abs(sums[worst] - 1.0) > 1e-6:
        raise ValueError(f"{name}: every row must sum to 1, row {worst} sums to {sums[worst]}.")
    rows /= sums[:, np.newaxis]
    return rows


def warn_unless(converged, message):
    """Unless converged, give a ConvergenceWarning at the caller of this package."""
    if not converged:
        warn(message, ConvergenceWarning)


def names(names, size, *, name, each="partition") -> list:
    """Return names of partitions, or of whatever `each` says, as a list."""
    if isinstance(names, str | Mapping) or not isinstance(names, Iterable):
        raise TypeError(f"{name} must be a list of names, got {names!r}.")
    names = list(names)
    if len(names) != size:
        raise ValueError(f"{name} must have one entry per {each}, {size}, got {len(names)}.")
    return names


def choice(value, choices, *, name) -> str:
    """Return value if it is one of the known names."""
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {known}, got {value!r}{did_you_mean(value, choices)}.")
    return value


def is_dask_array(array) -> bool:
    """Whether an argument is a Dask array, without importing Dask."""
    return type(array).__module__.startswith("dask.array")


def dask_rows(array, *, name):
    """A two-dimensional Dask array of numbers, chunked by rows only and without empty chunks."""
    if not is_dask_array(array) or array.ndim != 2 or array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be a two-dimensional Dask array of numbers, got {array!r:.200}.")
    if not all(size > 0 for size in array.shape):
        rule = "must have objects and columns, and chunks of known sizes (see compute_chunk_sizes)"
        raise ValueError(f"{name} {rule}, got shape {array.shape}.")
    sizes = tuple(size for size in array.chunks[0] if size)
    return with_checked_chunks(array, name=name).rechunk((sizes, array.shape[1]))


def with_checked_chunks(array, *, name):
    """The Dask array, which raises ValueError when it reads a chunk whose shape is not the declared one."""
    return array.map_blocks(_check_chunk, argument=name, dtype=array.dtype, meta=array._meta)


def _check_chunk(chunk, *, argument, block_info):
    """Return a chunk if it has the shape that its Dask array declares."""
    declared = tuple(block_info[None]["chunk-shape"])
    if np.shape(chunk) != declared:
        first = block_info[None]["array-location"][0][0]
        raise ValueError(f"{argument}[{first}:] must start with a chunk of shape {declared}, got {np.shape(chunk)}.")
    return chunk
