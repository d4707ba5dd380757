"""Noise for ensembles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans

from ..checks.labels import check_labels
from ..checks.types import RandomState
from ..checks.values import MAX_SEED, check_choice, check_random_state, check_real
from ._common import prepare_clusterer

__all__ = ["corrupt_ensemble"]

# Share of the objects of a copy whose label is drawn again.
_JITTER = 0.1
# Features of the noise that is clustered. Any number gives independent partitions.
_N_FEATURES = 2


def corrupt_ensemble(
    labels: ArrayLike, fraction: float, random_state: RandomState = None, *, kind: str = "uniform"
) -> tuple[np.ndarray, np.ndarray]:
    """Replace a fraction of the partitions by bad ones.

    round(fraction * n_partitions) partitions, chosen without replacement, are replaced. With the first four kinds the
    new partitions are independent, with the last two they agree with each other:

    * "uniform": every object gets a label drawn uniformly from those of the replaced partition;
    * "unequal": likewise with probabilities proportional to 1/c^2 for c = 1, 2, ...: one large cluster and many small
      ones;
    * "shuffled": the labels of the replaced partition in random order, so that cluster sizes stay;
    * "features": k-means, one random start, on Gaussian noise drawn anew for every partition, into as many clusters as
      the replaced partition had;
    * "coherent": copies of one random partition with the labels of the partition of median size: wrong evidence that
      agrees with itself;
    * "duplicates": copies of one partition that is kept (of any, if all are replaced): right evidence, repeated.

    In every copy, a random tenth of the labels are drawn again uniformly.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. These labels are kept.
    fraction : float
        Share of the partitions to replace, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Draws which partitions are replaced, the same ones for every kind, and their labels.
    kind : {"uniform", "unequal", "shuffled", "features", "coherent", "duplicates"}, default="uniform"
        What replaces them.

    Returns
    -------
    corrupted : ndarray of shape (n_samples, n_partitions)
        A new ensemble.
    mask : ndarray of shape (n_partitions,), bool
        Which partitions were replaced.

    Raises
    ------
    ValueError, TypeError
        If `labels` is no label matrix, `fraction` out of range or `kind` unknown.

    Notes
    -----
    Time and memory O(n_samples n_partitions); "features" takes as long as that many runs of k-means. A random partition
    of few objects into many clusters can leave some of them empty. If a copy observes an object that its original does
    not, the label is drawn.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 4.2, which
       does not say how its random partitions are drawn.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.tile([[0], [0], [1], [1]], 10)
    >>> corrupted, mask = corrupt_ensemble(labels, 0.2, random_state=0)
    >>> int(mask.sum())
    2
    >>> bool((corrupted[:, ~mask] == labels[:, ~mask]).all())
    True
    """
    labels = check_labels(labels)
    fraction = check_real(fraction, name="fraction", low=0.0, high=1.0)
    check_choice(kind, (*_ALONE, *_ORIGINALS), name="kind")
    rng = check_random_state(random_state)
    m = labels.shape[1]
    corrupted = labels.copy()
    mask = np.zeros(m, dtype=bool)
    mask[rng.permutation(m)[: round(fraction * m)]] = True
    if kind in _ORIGINALS and mask.any():
        original, values = _ORIGINALS[kind](labels, mask, rng)
    for u in np.flatnonzero(mask):
        observed = labels[:, u] != -1
        if kind in _ALONE:
            corrupted[observed, u] = _ALONE[kind](labels[observed, u], rng)
        else:
            corrupted[observed, u] = _jittered(original[observed], values, rng)
    return corrupted, mask


def _uniform(column, rng):
    values = np.unique(column)
    return values[rng.randint(len(values), size=len(column))]


def _unequal(column, rng):
    values = np.unique(column)
    cumulated = np.cumsum(np.arange(1.0, len(values) + 1.0) ** -2)
    return values[np.searchsorted(cumulated, rng.uniform(0.0, cumulated[-1], size=len(column)), side="right")]


def _shuffled(column, rng):
    return rng.permutation(column)


def _of_features(column, rng):
    values = np.unique(column)
    noise = rng.standard_normal((len(column), _N_FEATURES))
    kmeans = prepare_clusterer(KMeans(init="random", n_init=1), len(values), rng.randint(MAX_SEED))
    return values[kmeans.fit_predict(noise)]


def _wrong_partition(labels, mask, rng):
    """A random partition of all objects, and its labels: those of the partition of median size."""
    values = sorted((np.unique(column[column != -1]) for column in labels.T), key=len)
    chosen = values[len(values) // 2]
    return chosen[rng.randint(len(chosen), size=len(labels))], chosen


def _kept_partition(labels, mask, rng):
    """One of the partitions that are kept, and its labels."""
    column = labels[:, rng.choice(np.flatnonzero(~mask) if not mask.all() else len(mask))]
    return column, np.unique(column[column != -1])


def _jittered(original, values, rng):
    """A copy in which some labels, and all missing ones, are drawn."""
    drawn = (rng.uniform(size=len(original)) < _JITTER) | (original == -1)
    return np.where(drawn, values[rng.randint(len(values), size=len(original))], original)


# kind -> f(observed labels of the replaced partition, rng) -> labels
_ALONE = {"uniform": _uniform, "unequal": _unequal, "shuffled": _shuffled, "features": _of_features}
# kind -> f(labels, mask, rng) -> (partition that is copied, labels to draw from)
_ORIGINALS = {"coherent": _wrong_partition, "duplicates": _kept_partition}
