"""Checks of what users give: numbers, names, weights, memberships and features; labels are read in `ensemble`.

Modules import it as `check`: `n_init = check.integer(n_init, name="n_init", low=1)`.
"""

import math
import sys
from collections.abc import Iterable, Mapping
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn import utils
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from .common import did_you_mean, warn

# Largest feature for which products of two sums of squares do not overflow.
LARGEST_FEATURE = 1e70
# Largest number of entries of a membership matrix or a table of counts: 2 GiB.
MAX_DENSE = 2**28


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


def positive(value, *, name, **limits) -> int:
    """Return value as an int of at least 1, and within the other limits of :func:`integer`."""
    return integer(value, name=name, low=1, **limits)


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


def share(value, *, name, strict=False) -> float:
    """Return value as a float in [0, 1], or strictly above 0."""
    return real(value, name=name, low=0.0, high=1.0, strict=strict)


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
