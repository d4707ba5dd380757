"""Noise for ensembles, and features without clusters."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans

from ..checks.common import RandomState
from ..checks.labels import check_labels
from ..checks.values import MAX_SEED, check_choice, check_features, check_random_state, check_real
from .base import label_dtype, prepare_clusterer

__all__ = ["corrupt_ensemble", "gaussian_reference"]

# Share of the labels drawn again in a copy, in a near copy, and in the mediocre original of near copies.
_JITTER = 0.1
_NEAR_JITTER = 0.04
_MEDIOCRE = 0.4
# Number of partitions that agree with both structures.
_N_BRIDGES = 2
# Features of the clustered noise. Any number gives independent partitions.
_N_FEATURES = 2


def corrupt_ensemble(
    labels: ArrayLike, fraction: float, random_state: RandomState = None, *, kind: str = "uniform"
) -> tuple[np.ndarray, np.ndarray]:
    """Replace a fraction of the partitions by bad ones.

    round(fraction * n_partitions) partitions, drawn without replacement, are replaced. With the first four kinds the
    new partitions are independent:

    * "uniform": labels drawn uniformly from those of the replaced partition;
    * "unequal": labels drawn with probabilities proportional to 1/c^2 for c = 1, 2, ..., which gives one large cluster
      and many small ones;
    * "shuffled": a random permutation of the labels of the replaced partition, which keeps the cluster sizes;
    * "features": k-means from one random start on new Gaussian noise for every partition, into as many clusters as the
      replaced partition had.

    With the next five they agree with each other. A random tenth of the labels of every copy, and a twenty-fifth of
    those of a near copy, are drawn again uniformly:

    * "coherent": copies of one random partition with the labels of the partition of median size: wrong evidence that
      agrees with itself;
    * "duplicates": copies of one partition that is kept (of any, if all are replaced): right evidence, repeated;
    * "family": near copies of a mediocre partition, which is a kept one with two fifths of its labels drawn again;
    * "structured": another structure, as diverse as the first: the labels of the replaced partitions, with the objects
      in one random order;
    * "bridges": like "structured", but two of them have that order for a random half of the objects only, so that they
      agree with both structures.

    With the last two they are partly right:

    * "graded": a share of the labels, drawn uniformly for every partition, is drawn again;
    * "blocks": the labels of a random half of the objects, the same for all partitions, are drawn again.

    Parameters
    ----------
    labels : as in :func:`~robust_eac.eac`; labels of -1, "not observed", are kept
    fraction : float
        Share of the partitions to replace, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Draws the partitions to replace, the same ones for every kind, and their labels.
    kind : str, default="uniform"
        One of the kinds above.

    Returns
    -------
    corrupted : ndarray of shape (n_samples, n_partitions)
        A new ensemble, of a signed type.
    mask : ndarray of shape (n_partitions,), bool
        The partitions that were replaced.

    Notes
    -----
    Time and memory O(n_samples n_partitions); "features" takes as long as that many runs of k-means. A random partition
    of few objects into many clusters can leave some of them empty. A label is also drawn if the original of a copy does
    not observe the object.

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 4.2, which
       does not state the distribution of its random partitions.

    Examples
    --------
    >>> labels = np.tile([[0], [0], [1], [1]], 10)
    >>> corrupted, mask = corrupt_ensemble(labels, 0.2, random_state=0)
    >>> int(mask.sum()), bool((corrupted[:, ~mask] == labels[:, ~mask]).all())
    (2, True)
    """
    labels = check_labels(labels)
    fraction = check_real(fraction, name="fraction", low=0.0, high=1.0)
    check_choice(kind, _KINDS, name="kind")
    rng = check_random_state(random_state)
    m = labels.shape[1]
    corrupted = labels.astype(labels.dtype if labels.dtype.kind == "i" else label_dtype(labels.max()))
    mask = np.zeros(m, dtype=bool)
    mask[rng.permutation(m)[: round(fraction * m)]] = True
    if mask.any():
        replace = _KINDS[kind](labels, mask, rng)
        for u in np.flatnonzero(mask):
            observed = labels[:, u] != -1
            corrupted[observed, u] = replace(u, observed)
    return corrupted, mask


def gaussian_reference(X: ArrayLike, random_state: RandomState = None) -> np.ndarray:
    """Draw as many objects as `X` has from one Gaussian with the mean and the covariance of `X`.

    Consensus by resampling finds clusters even in such data ([1]_, [2]_): what it finds here is what it must exceed on
    `X`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    reference : ndarray of shape (n_samples, n_features)

    Notes
    -----
    Time O(n_samples n_features min(n_samples, n_features)), by the singular value decomposition of the centred data, so
    that there may be more features than objects.

    References
    ----------
    .. [1] Şenbabaoğlu et al., "Critical limitations of consensus clustering in class discovery", Scientific Reports 4,
       2014.
    .. [2] John et al., "M3C: Monte Carlo reference-based consensus clustering", Scientific Reports 10, 2020.

    Examples
    --------
    >>> from robust_eac import load_dataset
    >>> from robust_eac.ensembles import gaussian_reference
    >>> X, y = load_dataset("iris")
    >>> gaussian_reference(X, random_state=0).shape
    (150, 4)
    """
    X = check_features(X, ensure_min_samples=2)
    rng = check_random_state(random_state)
    n = len(X)
    mean = X.mean(axis=0)
    _, lengths, axes = np.linalg.svd(X - mean, full_matrices=False)
    return mean + rng.standard_normal((n, len(lengths))) @ (lengths[:, np.newaxis] / np.sqrt(n - 1.0) * axes)


def _independent(draw):
    """The kind whose partitions depend only on the labels that they replace; draw(labels, rng) -> labels."""
    return lambda labels, mask, rng: lambda u, observed: draw(labels[observed, u], rng)


def _uniform(column, rng):
    values = np.unique(column)
    return values[rng.randint(len(values), size=len(column))]


def _unequal(column, rng):
    values = np.unique(column)
    cumulated = np.cumsum(np.arange(1.0, len(values) + 1.0) ** -2)
    return values[np.searchsorted(cumulated, rng.uniform(0.0, cumulated[-1], size=len(column)), side="right")]


def _of_features(column, rng):
    values = np.unique(column)
    noise = rng.standard_normal((len(column), _N_FEATURES))
    kmeans = prepare_clusterer(KMeans(init="random", n_init=1), len(values), rng.randint(MAX_SEED))
    return values[kmeans.fit_predict(noise)]


def _wrong_partition(labels, mask, rng):
    """A random partition of all objects with the labels of the partition of median size, and these labels."""
    values = sorted((np.unique(column[column != -1]) for column in labels.T), key=len)
    chosen = values[len(values) // 2]
    return chosen[rng.randint(len(chosen), size=len(labels))], chosen


def _kept_partition(labels, mask, rng):
    """A partition that is kept, and its labels."""
    column = labels[:, rng.choice(np.flatnonzero(~mask) if not mask.all() else len(mask))]
    return column, np.unique(column[column != -1])


def _mediocre_partition(labels, mask, rng):
    """A partition that is kept, with many labels drawn again, and its labels."""
    column, values = _kept_partition(labels, mask, rng)
    return _drawn_again(column, values, _MEDIOCRE, rng), values


def _copies(original_of, jitter):
    """The kind that copies one partition; original_of(labels, mask, rng) -> (partition, labels to draw from)."""

    def kind(labels, mask, rng):
        original, values = original_of(labels, mask, rng)
        return lambda u, observed: _drawn_again(original[observed], values, jitter, rng)

    return kind


def _drawn_again(column, values, share, rng):
    """Labels, of which a random share and all missing ones are drawn again."""
    drawn = (rng.uniform(size=len(column)) < share) | (column == -1)
    return np.where(drawn, values[rng.randint(len(values), size=len(column))], column)


def _structured(labels, mask, rng, n_bridges=0):
    """The labels of the replaced partitions, with the objects in one random order; in bridges, only half of them."""
    order = rng.permutation(len(labels))
    bridges = np.flatnonzero(mask)[:n_bridges]

    def replace(u, observed):
        column, moved = labels[:, u], labels[order, u]
        if u in bridges:
            moved = np.where(rng.permutation(len(labels)) < len(labels) // 2, moved, column)
        return _drawn_again(moved[observed], np.unique(column[observed]), 0.0, rng)

    return replace


def _blocks(labels, mask, rng):
    block = rng.permutation(len(labels)) < len(labels) // 2

    def replace(u, observed):
        column = labels[observed, u]
        return np.where(block[observed], _uniform(column, rng), column)

    return replace


# kind -> f(labels, mask, rng) -> g(replaced partition, objects that it observes) -> labels of these objects
_KINDS = {
    "uniform": _independent(_uniform),
    "unequal": _independent(_unequal),
    "shuffled": _independent(lambda column, rng: rng.permutation(column)),
    "features": _independent(_of_features),
    "coherent": _copies(_wrong_partition, _JITTER),
    "duplicates": _copies(_kept_partition, _JITTER),
    "family": _copies(_mediocre_partition, _NEAR_JITTER),
    "structured": _structured,
    "bridges": partial(_structured, n_bridges=_N_BRIDGES),
    "graded": _independent(lambda column, rng: _drawn_again(column, np.unique(column), rng.uniform(), rng)),
    "blocks": _blocks,
}
