"""The rows that are solved for: where they start, and how their memberships become those of the objects."""

import numpy as np

from ._encoding import collapse, harden, take_rows, weigh
from ._label_checks import check_labels
from ._lloyd import best_of_starts, squared_distances
from ._sweep import PLAIN, ROUNDING, sweep
from ._validation import as_array, check_choice, check_membership

# A k-means start is hard; mixing in this much of the uniform membership lets every cluster bid for every object.
_SMOOTHING = 0.1
# A start need not be finished.
_KMEANS_PASSES = 300
# A start is looked for in a sample of this many objects, or so many per cluster, where the rows are many times more.
_SAMPLE = 512
_SAMPLE_PER_CLUSTER = 32
SAMPLE_SHARE = 4
# A sample shows no more than this of the gap of all.
SAMPLE_TOL = 1e-4
# Pair steps of a visit from the uniform membership, per cluster.
_PLACING_STEPS = 2
# Visits of an object without weight; a handful is enough.
_MAX_PLACING = 1000


def check_init(init, n_samples, n_clusters):
    """Return the name of a start (None is "random"), or the membership that an array describes."""
    if init is None:
        return "random"
    if isinstance(init, str):
        return check_choice(init, ("random", "kmeans"), name="init")
    array = as_array(init, "init")
    if array.ndim == 1:
        return np.eye(n_clusters)[_check_label_vector(array, n_samples, n_clusters)]
    membership = check_membership(array, n_samples, n_clusters, name="init")
    check_start_tells_apart(membership.min(axis=0), membership.max(axis=0))
    return membership


def check_start_tells_apart(lowest, highest):
    """Refuse a start that gives all objects one soft membership, from the extremes of every cluster's memberships."""
    n_clusters = len(lowest)
    if n_clusters > 1 and highest.max() < 1.0 and np.max(highest - lowest) <= 1e-12:
        raise ValueError(
            "init must not give every object the same membership: such a start tells no two objects apart, and the "
            f"uniform one, 1/{n_clusters} everywhere, is a stationary point that no line search leaves. "
            'Use init="random".'
        )


def _check_label_vector(array, n_samples, n_clusters):
    """Codes in [0, n_clusters) of a consensus given as labels; kept as they are when already in that range."""
    if len(array) != n_samples:
        raise ValueError(f"init must have n_samples={n_samples} labels, got {len(array)}.")
    if np.any(array == -1):
        raise ValueError("init must label every object, got -1.")
    codes = check_labels(array.reshape(-1, 1), name="init")[:, 0]
    if codes.dtype.kind == "b" or codes.min() < 0 or codes.max() >= n_clusters:
        values, codes = np.unique(codes, return_inverse=True)
        if len(values) > n_clusters:
            raise ValueError(f"init must have at most n_clusters={n_clusters} labels, got {len(values)}.")
    return codes


def reduce_rows(encoding, start, *, diagonal):
    """The rows that are to be solved for, and the start on them.

    Objects without weight are left out; identical ones share a row when that pays, unless an array start tells them
    apart, or weights do, of which the smaller ones leave out more of their own pairs.
    """
    weighty = np.flatnonzero(encoding.multiplicity)
    if len(weighty) < len(encoding.codes):
        encoding = take_rows(encoding, weighty)
        start = start if isinstance(start, str) else start[weighty]
    apart = [] if isinstance(start, str) else [start]
    if not diagonal and encoding.own_pairs is not encoding.multiplicity:
        apart.append((encoding.own_pairs / encoding.multiplicity)[:, np.newaxis])
    collapsed = collapse(encoding, np.concatenate(apart, axis=1) if apart else None)
    if collapsed.inverse is not None and not isinstance(start, str):
        rows = np.empty((len(collapsed.codes), start.shape[1]))
        rows[collapsed.inverse] = start
        start = rows
    return collapsed, start


def initial_rows(encoding, n_clusters, start, rng):
    """A fresh starting membership of the encoding's rows."""
    if not isinstance(start, str):
        return start.copy()
    if start == "random":
        # Normalised gamma variables are Dirichlet. A larger parameter brings the rows of many clusters so near the
        # uniform membership, a saddle point, that their gap is below every tolerance.
        rows = rng.standard_gamma(1.0 / n_clusters, (len(encoding.codes), n_clusters))
        rows /= rows.sum(axis=1, keepdims=True)
        return rows
    encoding = harden(encoding)
    weights = np.full(len(encoding.offsets), 1.0 / len(encoding.offsets))
    start = best_of_starts(encoding, weights, squared_distances, n_clusters, n_init=1, max_iter=_KMEANS_PASSES, rng=rng)
    return (1.0 - _SMOOTHING) * np.eye(n_clusters)[start.clusters] + _SMOOTHING / n_clusters


def expand_rows(whole, encoding, weights, rows, *, tol, model=PLAIN):
    """Memberships of all objects of `whole` from those of the rows of what :func:`reduce_rows` made of it.

    An object without weight gets the membership that agrees best with those of the others.
    """
    membership = encoding.expand(rows)
    weightless = np.flatnonzero(whole.multiplicity == 0.0)
    if len(weightless) == 0:
        return membership
    full = np.empty((len(whole.codes), rows.shape[1]))
    full[whole.multiplicity > 0.0] = membership
    full[weightless] = _place(
        take_rows(whole, weightless), encoding, weights, rows, model=model,
        skip=max(tol, ROUNDING) * whole.total, max_visits=_MAX_PLACING,
    )  # fmt: skip
    return full


def start_from_sample(encoding, n_clusters, start, solve, *, rng, model=PLAIN, n_threads=1):
    """A start of every row: the one that agrees best with a solution for a sample of the objects.

    None where the rows are not many times more than a sample needs, and where the start is an array. A sample shows
    where the descent goes, to the sampling error, at a fraction of the cost; the rest is for all rows to find.

    solve : (encoding of the sample, its start) -> weights of the partitions and memberships of its rows.
    """
    if not isinstance(start, str):
        return None
    sample = _draw_sample(encoding, n_clusters, rng)
    if sample is None:
        return None
    weights, rows = solve(sample, start)
    absent = encoding._replace(multiplicity=np.zeros(len(encoding.codes)))
    return _place(absent, sample, weights, rows, model=model, skip=0.0, max_visits=1, n_threads=n_threads)


def _draw_sample(encoding, n_clusters, rng):
    """Encoding of objects drawn with replacement, with their weight brought to that of all; None if it does not pay."""
    size = sample_size(encoding, n_clusters)
    if len(encoding.codes) < SAMPLE_SHARE * size:
        return None
    rows, counts = draw_rows(encoding, size, rng)
    sample = weigh(take_rows(encoding, rows), counts * (encoding.total / size))
    return sample if sample.n_observed.all() else None


def sample_size(encoding, n_clusters):
    """Number of objects in which a start is looked for; the encoding's rows are not read."""
    size = max(_SAMPLE, _SAMPLE_PER_CLUSTER * max(n_clusters, encoding.n_codes.max()))
    return int(np.ceil(size * encoding.total / encoding.n_observed.min()))


def draw_rows(encoding, size, rng):
    """(rows, how often each was drawn): as many draws with replacement, in proportion to the rows' weight."""
    ends = np.cumsum(encoding.multiplicity)
    drawn = np.minimum(np.searchsorted(ends, rng.uniform(high=ends[-1], size=size), side="right"), len(ends) - 1)
    return np.unique(drawn, return_counts=True)


def _place(absent, encoding, weights, rows, *, model, skip, max_visits, n_threads=1):
    """Memberships of the rows of an encoding, which weigh nothing, that agree best with those of another encoding.

    The same quartic without the row's own term, which is a convex quadratic, so that any start will do.
    """
    statistics = model.statistics(model.extend(encoding), weights, rows)
    options = {"skip": skip, "max_visits": max_visits, "n_threads": n_threads}
    return place_by(model.extend(absent), statistics, rows.shape[1], **options)


def place_by(absent, statistics, n_clusters, *, skip, max_visits, n_threads=1):
    """The same by the statistics of the other encoding, whose partitions the (extended) absent rows share."""
    statistics = statistics._replace(self_weight=absent.observed @ statistics.mask_coef)
    placed = np.full((len(absent.codes), n_clusters), 1.0 / n_clusters)
    order = np.arange(len(placed))
    n_steps = _PLACING_STEPS * n_clusters
    for _ in range(max_visits):
        before = placed.copy()
        sweep(absent, statistics, placed, order, diagonal=True, skip=skip, n_steps=n_steps, n_threads=n_threads)
        if np.array_equal(before, placed):
            break
    return placed
