"""Checks of numbers and arrays; checks of labels are in labels.py."""

import math
import re
from collections.abc import Iterable, Mapping
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn import utils
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from .common import did_you_mean, warn

# Largest seed drawn for a part of a computation.
MAX_SEED = np.iinfo(np.int32).max
# Largest feature for which products of two sums of squares do not overflow.
LARGEST_FEATURE = 1e70
# Largest number of entries of a membership matrix or a table of counts: 2 GiB.
MAX_DENSE = 2**28


def as_array(values, name):
    """Convert to an array; refuse masked and sparse arrays, which would lose information."""
    if sparse.issparse(values):
        raise TypeError(f"{name} must be a dense array, got a sparse matrix of shape {values.shape}.")
    if np.ma.isMaskedArray(values):
        raise TypeError(f"{name} must not be a masked array. A missing label is written -1.")
    try:
        return np.asarray(values)
    except ValueError as error:
        reason = "rows of different lengths" if "inhomogeneous" in str(error) else error
        raise ValueError(f"{name} must be a rectangular array, got {reason}.") from error


def as_dense(values, name):
    """Convert to an array; also sparse matrices, of at most MAX_DENSE entries."""
    if not sparse.issparse(values):
        return as_array(values, name)
    _check_size(values.shape, f"{name}.shape[1]")
    return values.toarray()


def check_vector(values, *, name, size=None, each="partition", positive_sum=False, signed=False) -> np.ndarray:
    """Return a fresh float64 vector of finite numbers, non-negative unless they are signed."""
    array = real_array(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}.")
    if array.size == 0 or (size is not None and array.size != size):
        expected = "at least one value" if size is None else f"{size} values, one per {each}"
        raise ValueError(f"{name} must have {expected}, got {array.size}.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}.")
    if not signed and array.min() < 0.0:
        raise ValueError(f"{name} must be non-negative, got {array.min()} at position {array.argmin()}.")
    if positive_sum and array.max() == 0.0:
        raise ValueError(f"{name} must not be all zero.")
    return array


def real_array(values, name):
    """Fresh C-ordered float64 array; refuses text, complex numbers and masks."""
    array = as_array(values, name)
    if array.dtype.kind not in "biuf":
        odd = [value for value in array.flat if not isinstance(value, (Real, np.bool_))]
        if odd or array.dtype.kind != "O":
            kind = f"{odd[0]!r}" if array.dtype.kind == "O" else f"dtype {array.dtype}"
            raise TypeError(f"{name} must be an array of real numbers, got {kind}.")
    try:
        return np.array(array, dtype=np.float64, order="C")
    except OverflowError as error:
        raise ValueError(f"{name} must hold numbers within the range of floats: {error}.") from error


def check_features(X, *, name="X", n_samples=None, estimator=None, as_is=False, **options):
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
        if re.search(rf"\b{name}\b", text) and not is_nan:
            raise
        text = f"{text}NaN: impute the missing values, or leave out their rows." if is_nan else f"{name}: {text}"
        raise (TypeError if isinstance(error, TypeError) else ValueError)(text) from error
    if n_samples is not None and len(array) != n_samples:
        raise ValueError(f"{name} must have n_samples={n_samples} rows, one per row of labels, got {len(array)}.")
    # Floats, because minus an unsigned integer is unsigned.
    largest = max(float(array.max()), -float(array.min()))
    if largest > LARGEST_FEATURE:
        raise ValueError(f"{name} must hold numbers of at most {LARGEST_FEATURE:g}, got {largest:g}: rescale them.")
    return array


def check_weights(weights, n_partitions, *, name="weights") -> np.ndarray:
    """Return fresh weights that sum to one; None means uniform."""
    if weights is None:
        return np.full(n_partitions, 1.0 / n_partitions)
    array = check_vector(weights, name=name, size=n_partitions, positive_sum=True)
    # Divide by the maximum first, so that tiny and huge weights neither under- nor overflow.
    array /= array.max()
    # The exact sum, which does not depend on the order of the weights.
    return array / math.fsum(array)


def check_returned_weights(weights, n_partitions, *, name):
    """Check weights that a user's function returned; unlike check_weights, refuse None."""
    if weights is None:
        raise TypeError(f"what {name} returns must be weights, got None.")
    return check_weights(weights, n_partitions, name=f"what {name} returns")


def check_n_clusters(n_clusters, n_samples) -> int:
    """Return n_clusters as an int in [1, n_samples]."""
    if isinstance(n_clusters, str):
        raise TypeError(f"n_clusters must be an integer, got {n_clusters!r}; select_n_clusters chooses one.")
    return check_integer(n_clusters, name="n_clusters", low=1, high=n_samples, high_name="n_samples")


def check_n_memberships(n_clusters, n_samples) -> int:
    """Return n_clusters as an int in [1, n_samples] for which a membership matrix has at most MAX_DENSE entries."""
    n_clusters = check_n_clusters(n_clusters, n_samples)
    _check_size((n_samples, n_clusters), "n_clusters")
    return n_clusters


def _check_size(shape, name):
    """Refuse a membership matrix of more than MAX_DENSE entries."""
    n_samples, n_clusters = shape[0], math.prod(shape[1:])
    if n_samples * n_clusters > MAX_DENSE:
        raise ValueError(
            f"{name} must be at most {MAX_DENSE // n_samples} for {n_samples} objects, a membership of 2^28 entries, "
            f"got {n_clusters}: solve_hard_median_partition(labels, n_clusters, weighting=...) takes less memory."
        )


def check_integer(value, *, name, low, high=None, high_name=None) -> int:
    """Return value as an int within [low, high]."""
    if not isinstance(value, Integral) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < low or (high is not None and value > high):
        rule = f"at least {low}" if high is None else f"in [{low}, {f'{high_name}=' if high_name else ''}{high}]"
        raise ValueError(f"{name} must be {rule}, got {value}.")
    return int(value)


def check_candidates(n_clusters, *, high, high_name):
    """Candidate numbers of clusters, ascending, from an integer, a pair (lowest, highest) or a list."""
    name = "n_clusters"
    limit = {"high": high, "high_name": high_name}
    if isinstance(n_clusters, Integral):
        return np.array([check_integer(n_clusters, name=name, low=1, **limit)])
    if isinstance(n_clusters, tuple) and len(n_clusters) == 2:
        low = check_integer(n_clusters[0], name=name, low=1, **limit)
        return np.arange(low, 1 + check_integer(n_clusters[1], name=f"the upper end of {name}", low=low, **limit))
    if isinstance(n_clusters, (str, tuple)) or not isinstance(n_clusters, Iterable):
        kinds = "an integer, a pair (lowest, highest) or a list of integers"
        raise TypeError(f"{name} must be {kinds}, got {n_clusters!r}.")
    numbers = [check_integer(k, name=f"each of {name}", low=1, **limit) for k in n_clusters]
    if not numbers:
        raise ValueError(f"{name} must hold at least one candidate, got none.")
    return np.unique(numbers)


def check_real(value, *, name, low, high=np.inf, strict=False) -> float:
    """Return value as a finite float in [low, high], or strictly above low."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a real number, got {value!r}.")
    try:
        value = float(value)
    except OverflowError:
        # An integer beyond the range of floats.
        value = np.inf
    if not (low < value if strict else low <= value) or not value <= high or np.isinf(value):
        rule = f"{'greater than' if strict else 'at least'} {low:g}"
        rule += f" and at most {high:g}" if np.isfinite(high) else " and finite" if np.isinf(value) else ""
        raise ValueError(f"{name} must be {rule}, got {value}.")
    return value


def check_n_jobs(n_jobs):
    """Return a number of jobs by joblib's rules: None, or an integer other than 0, where -1 means all cores."""
    if n_jobs is None:
        return None
    n_jobs = check_integer(n_jobs, name="n_jobs", low=-np.inf)
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: None leaves the number open, -1 stands for all cores.")
    return n_jobs


def check_random_state(random_state):
    """scikit-learn's check_random_state, but with errors that name the parameter; also refuses booleans."""
    if isinstance(random_state, Integral) and not isinstance(random_state, (bool, np.bool_)):
        random_state = check_integer(random_state, name="random_state", low=0, high=2**32 - 1)
    elif random_state is not None and not isinstance(random_state, np.random.RandomState):
        kind = type(random_state).__name__
        raise TypeError(f"random_state must be None, an integer or a numpy RandomState, got {kind} {random_state!r}.")
    return utils.check_random_state(random_state)


def check_bool(value, *, name) -> bool:
    """Return value as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_mask(mask, size, *, name) -> np.ndarray:
    """Return a mask as a boolean vector of this length."""
    array = np.asarray(mask)
    if array.dtype != bool:
        raise TypeError(f"{name} must be a mask of True and False, one per partition, got dtype {array.dtype}.")
    if array.shape != (size,):
        raise ValueError(f"{name} must have shape ({size},), one value per partition, got {array.shape}.")
    return array


def check_membership(membership, n_samples, n_clusters=None, *, name="membership"):
    """A fresh C-ordered float64 (n_samples, n_clusters) matrix with rows on the simplex."""
    rows = real_array(as_dense(membership, name), name)
    if rows.ndim != 2 or 0 in rows.shape or rows.shape != (n_samples, n_clusters or rows.shape[1]):
        hint = " For hard labels 0, 1, ... give numpy.eye(n_clusters)[labels]." if rows.ndim == 1 else ""
        expected = (n_samples, "n_clusters" if n_clusters is None else n_clusters)
        raise ValueError(f"{name} must have shape {expected}, got {rows.shape}.{hint}")
    if not np.isfinite(rows).all():
        raise ValueError(f"{name} must be finite, got {rows[~np.isfinite(rows)][0]}.")
    if rows.min() < 0.0:
        raise ValueError(f"{name} must be non-negative, got {rows.min()}.")
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


def check_names(names, size, *, name, each="partition") -> list:
    """Return names of partitions, or of whatever `each` says, as a list."""
    if isinstance(names, str | Mapping) or not isinstance(names, Iterable):
        raise TypeError(f"{name} must be a list of names, got {names!r}.")
    names = list(names)
    if len(names) != size:
        raise ValueError(f"{name} must have one entry per {each}, {size}, got {len(names)}.")
    return names


def check_choice(value, choices, *, name) -> str:
    """Return value if it is one of the known names."""
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {known}, got {value!r}{did_you_mean(value, choices)}.")
    return value


def is_dask_array(array) -> bool:
    """Whether an argument is a Dask array, without importing Dask."""
    return type(array).__module__.startswith("dask.array")


def check_dask_rows(array, *, name):
    """A two-dimensional Dask array of numbers, chunked by rows only and without empty chunks."""
    if not is_dask_array(array):
        raise TypeError(f"{name} must be a Dask array, got {type(array).__name__}; other arrays fit on one machine.")
    if array.ndim != 2:
        raise ValueError(f"{name} must be two-dimensional, got {array.ndim} dimension(s).")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, got dtype {array.dtype}.")
    if np.isnan(array.shape).any():
        raise ValueError(f"{name} must have chunks of known sizes: call its compute_chunk_sizes() first.")
    if 0 in array.shape:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}.")
    sizes = tuple(size for size in array.chunks[0] if size)
    return with_checked_chunks(array, name=name).rechunk((sizes, array.shape[1]))


def check_consensus_membership(membership, n_samples):
    """A consensus membership as :func:`check_membership` returns it, of at most MAX_DENSE entries."""
    rows = check_membership(membership, n_samples)
    _check_size(rows.shape, "membership.shape[1]")
    return rows


def with_checked_chunks(array, *, name):
    """The Dask array, which raises ValueError when it reads a chunk whose shape is not the declared one."""
    return array.map_blocks(_check_chunk, argument=name, dtype=array.dtype, meta=array._meta)


def _check_chunk(chunk, *, argument, block_info):
    """Return a chunk if it has the shape that its Dask array declares."""
    place = block_info[0]["array-location"]
    declared = tuple(stop - start for start, stop in place)
    if np.shape(chunk) != declared:
        where = ", ".join(f"{start}:{stop}" for start, stop in place)
        rule = f"must be a chunk of the declared shape {declared}"
        raise ValueError(f"{argument}[{where}] {rule}, got {np.shape(chunk)}.")
    return chunk
