"""Further kinds of bad partitions than `corrupt_ensemble` has: of noise, in agreement, or partly right.

"features" are independent of everything: k-means from one random start on new Gaussian noise for every partition, into
as many clusters as the replaced partition had. The next five agree with each other. A random tenth of the labels of
every copy, and a twenty-fifth of those of a near copy, are drawn again uniformly:

* "coherent": copies of one random partition with the labels of the partition of median size: wrong evidence that agrees
  with itself;
* "duplicates": copies of one partition that is kept (of any, if all are replaced): right evidence, repeated;
* "family": near copies of a mediocre partition, which is a kept one with two fifths of its labels drawn again;
* "structured": another structure, as diverse as the first: the labels of the replaced partitions, with the objects in
  one random order;
* "bridges": like "structured", but two of them have that order for a random half of the objects only, so that they
  agree with both structures.

The last two are partly right:

* "graded": a share of the labels, drawn uniformly for every partition, is drawn again;
* "blocks": the labels of a random half of the objects, the same for all partitions, are drawn again.

A label is also drawn if the original of a copy does not observe the object.
"""

from functools import partial

import numpy as np
from sklearn.cluster import KMeans

from robust_eac import corrupt_ensemble

# Share of the labels drawn again in a copy, in a near copy, and in the mediocre original of near copies.
_JITTER = 0.1
_NEAR_JITTER = 0.04
_MEDIOCRE = 0.4
# Number of partitions that agree with both structures.
_N_BRIDGES = 2
# Features of the clustered noise. Any number gives independent partitions.
_N_FEATURES = 2


def corrupt(labels, fraction, seed, kind):
    """(corrupted labels, which partitions are replaced) of any kind; each kind replaces the same partitions."""
    if kind not in KINDS:
        return corrupt_ensemble(labels, fraction, seed, kind=kind)
    rng, m = np.random.RandomState(seed), labels.shape[1]
    mask = np.zeros(m, dtype=bool)
    mask[rng.permutation(m)[: round(fraction * m)]] = True
    corrupted = labels.copy()
    if mask.any():
        replace = KINDS[kind](labels, mask, rng)
        for u in np.flatnonzero(mask):
            observed = labels[:, u] != -1
            corrupted[observed, u] = replace(u, observed)
    return corrupted, mask


def _independent(draw):
    """The kind whose partitions depend only on the labels that they replace; draw(labels, rng) -> labels."""
    return lambda labels, mask, rng: lambda u, observed: draw(labels[observed, u], rng)


def _of_features(column, rng):
    values = np.unique(column)
    noise = rng.standard_normal((len(column), _N_FEATURES))
    seed = rng.randint(np.iinfo(np.int32).max)
    return values[KMeans(len(values), init="random", n_init=1, random_state=seed).fit_predict(noise)]


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
        values = np.unique(column)
        return np.where(block[observed], values[rng.randint(len(values), size=len(column))], column)

    return replace


# kind -> f(labels, mask, rng) -> g(replaced partition, objects that it observes) -> labels of these objects
KINDS = {
    "features": _independent(_of_features),
    "coherent": _copies(_wrong_partition, _JITTER),
    "duplicates": _copies(_kept_partition, _JITTER),
    "family": _copies(_mediocre_partition, _NEAR_JITTER),
    "structured": _structured,
    "bridges": partial(_structured, n_bridges=_N_BRIDGES),
    "graded": _independent(lambda column, rng: _drawn_again(column, np.unique(column), rng.uniform(), rng)),
    "blocks": _blocks,
}
