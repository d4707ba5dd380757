"""Subsets of features: checks, draws, and batches of their sub-data."""

from itertools import combinations
from math import comb

import numpy as np
from joblib import Parallel, delayed

from ..checks.values import as_array

# Follow the published program or the formulas where they differ.
MODES = ("listing", "equation")
# Added to the eigenvalues of scatter matrices before the inverse root.
RIDGE = 1e-4
_MAX_BATCH = 256
# Numbers per array of a batch, which fit in the cache of a core.
_BATCH_SIZE = 2**20


def check_subsets(subsets, n_features=None, *, name):
    """Return subsets, given as index arrays or as rows of booleans, as a list of sorted intp arrays."""
    if not isinstance(subsets, (list, tuple)):
        subsets = as_array(subsets, name)
        if subsets.ndim == 0:
            raise TypeError(f"{name} must be a list of index arrays or a boolean matrix, got {subsets!r}.")
    if len(subsets) == 0:
        raise ValueError(f"{name} must hold at least one subset, got none.")
    return [_check_subset(subset, n_features, f"{name}[{u}]") for u, subset in enumerate(subsets)]


def _check_subset(subset, n_features, name):
    array = as_array(subset, name)
    if array.dtype == bool and array.ndim == 1:
        if n_features is not None and len(array) != n_features:
            raise ValueError(f"{name} must have a boolean for each of n_features={n_features}, got {len(array)}.")
        array = np.flatnonzero(array)
    if array.size == 0:
        raise ValueError(f"{name} must hold at least one feature, got none.")
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be a vector of feature indices or of booleans, got {subset!r}.")
    array = np.sort(array).astype(np.intp)
    if array[0] < 0 or (n_features is not None and array[-1] >= n_features):
        rule = "non-negative" if n_features is None else f"in [0, n_features - 1={n_features - 1}]"
        raise ValueError(f"{name} must hold indices {rule}, got {array[0] if array[0] < 0 else array[-1]}.")
    if (array[1:] == array[:-1]).any():
        raise ValueError(f"{name} must not hold a feature twice, got {array.tolist()}.")
    return array


def draw_subsets(n_features, max_order, max_per_order, min_per_order, distinct, rng):
    """All subsets of up to max_order features, or as many random ones, by increasing order; list of intp arrays."""
    subsets = []
    for order in range(1, min(max_order, n_features) + 1):
        total = comb(n_features, order)
        if total > max_per_order:
            draw = _draw_different if distinct else draw_combinations
            chosen = draw(rng, max_per_order, n_features, order)
        else:
            n_extra = 0 if distinct else max(0, min(min_per_order, max_per_order) - total)
            extra = draw_combinations(rng, n_extra, n_features, order)
            chosen = np.concatenate([list(combinations(range(n_features), order)), extra])
        subsets.extend(np.sort(chosen, axis=1))
    return subsets


def draw_combinations(rng, n_rows, population, size):
    """(n_rows, size): every row holds distinct numbers below population, by Floyd's algorithm; rows may repeat."""
    chosen = np.empty((n_rows, size), dtype=np.intp)
    for i in range(size):
        last = population - size + i
        drawn = rng.randint(last + 1, size=n_rows)
        taken = (chosen[:, :i] == drawn[:, np.newaxis]).any(axis=1)
        chosen[:, i] = np.where(taken, last, drawn)
    return chosen


def _draw_different(rng, n_rows, population, size):
    """Like draw_combinations, but all rows are distinct sets: repeated rows are drawn again."""
    rows = np.empty((0, size), dtype=np.intp)
    while len(rows) < n_rows:
        rows = np.concatenate([rows, np.sort(draw_combinations(rng, n_rows, population, size), axis=1)])
        rows = rows[np.sort(np.unique(rows, axis=0, return_index=True)[1])]
    return rows[:n_rows]


def whitening_maps(scatters, n_samples, ridge):
    """sqrt(n - 1) V (D + ridge I)^(-1/2) V' for a stack of scatter matrices V D V', (..., d, d)."""
    values, vectors = np.linalg.eigh(scatters)
    # Rounding can make the zero eigenvalues of a singular scatter negative.
    scales = np.sqrt((n_samples - 1.0) / (np.maximum(values, 0.0) + ridge))
    return (vectors * scales[..., np.newaxis, :]) @ np.swapaxes(vectors, -1, -2)


def for_each_batch(function, X, subsets, *, ridge, n_jobs):
    """Call ``function(rows, data)`` for batches of subsets of equal order, in threads.

    rows : positions in `subsets`. data : (len(rows), order, n_samples) sub-data, whitened unless ridge is None. The
    batches do not depend on the number of threads.
    """
    features = np.ascontiguousarray(X.T if ridge is None else (X - X.mean(axis=0)).T)
    n = features.shape[1]

    def run(rows):
        data = features[np.stack([subsets[u] for u in rows])]
        if ridge is not None:
            data = whitening_maps(data @ np.swapaxes(data, 1, 2), n, ridge) @ data
        function(rows, data)

    Parallel(n_jobs=n_jobs, prefer="threads")(delayed(run)(rows) for rows in _batches(subsets, n))


def _batches(subsets, n_samples):
    """Batches of positions of subsets of equal order; each batch fits in the cache."""
    orders = np.array([len(subset) for subset in subsets])
    for order in np.unique(orders):
        rows = np.flatnonzero(orders == order)
        size = min(_MAX_BATCH, max(1, _BATCH_SIZE // int(order * max(order, n_samples))))
        for start in range(0, len(rows), size):
            yield rows[start : start + size]
