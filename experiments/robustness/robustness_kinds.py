"""Trust on ensembles whose bad partitions are not independent noise, beside clean ones and those of other algorithms.

A cell is one data set, kind of bad partitions and share of them, with all its repetitions. Every way of weighting sees
the same ensembles and starts. The oracle is the unweighted consensus of the partitions that are not replaced, under
the raw and under the chance-corrected distance.
"""

from functools import partial

import numpy as np
from sklearn.cluster import KMeans

from robust_eac import (
    MixedEnsemble,
    adjusted_agreement,
    chance_corrected_weights,
    corrupt_ensemble,
    trusted_group_weights,
)

from ..shared.store import derive_seed
from .corruption import corrupt
from .robustness import (
    REPETITIONS,
    SETTINGS,
    Shares,
    compare_ways,
    constant,
    make_data,
    make_ensemble,
    noise_cells,
    option,
)

VERSION = 2

FRACTIONS = {
    **{"clean": (0.0,), "uniform": (0.5,), "mixed": (0.0, 0.5), "family": (0.4,), "family and random": (0.8,)},
    **dict.fromkeys(("family of one feature", "duplicates", "coherent", "structured", "bridges"), (0.4,)),
    **dict.fromkeys(("graded", "blocks", "weak learners", "subsamples"), (0.5,)),
    "crowds": (0.3,),
}
N_MIXED = 56
# Share of the objects that a partition observes, in subsamples and crowds.
SEEN = 0.3
# Members of a crowd are right on a share of the objects up to this.
BEST = 0.9


def cells(*, datasets=tuple(SETTINGS), kinds=tuple(FRACTIONS), fractions: Shares = None, repetitions=REPETITIONS):
    """Without shares of noise, a kind has those of FRACTIONS."""
    return noise_cells(FRACTIONS, datasets, kinds, fractions, repetitions)


SMOKE = cells(datasets=("iris",), repetitions=1)


def run_one(*, dataset, kind, fraction, repetitions):
    """{way: measures}, those of `robustness`."""
    make = partial(make_kind, dataset, kind=kind, fraction=fraction)
    return compare_ways(WAYS, ORACLES, make, dataset, repetitions)


def make_kind(dataset, repetition, kind, fraction):
    """(labels, which partitions are replaced, classes) of an ensemble with a share of one kind of bad partitions."""
    seed = derive_seed(0, repetition, "corruption")
    rng = np.random.RandomState([seed, 1])
    if kind == "mixed":
        X, y = make_data(dataset, repetition)
        model = MixedEnsemble(N_MIXED, SETTINGS[dataset][1], random_state=derive_seed(0, repetition, "ensemble"))
        return *corrupt_ensemble(model.fit(X).labels_, fraction, seed), y
    clean, y = make_ensemble(dataset, repetition)
    if kind == "clean":
        return *corrupt_ensemble(clean, fraction, seed), y
    if kind == "family and random":
        # Half of the replaced partitions are random, and replaced first: the family is made of what is left.
        noisy, random = corrupt_ensemble(clean, 0.5 * fraction, seed)
        family = fraction * 0.5 / (1.0 - 0.5 * fraction)
        noisy[:, ~random], copies = corrupt(noisy[:, ~random], family, seed, "family")
        random[~random] = copies
        return noisy, random, y
    if kind in ("family of one feature", "weak learners"):
        replaced = corrupt_ensemble(clean, fraction, seed)[1]
        labels, (X, _) = clean.astype(np.int64), make_data(dataset, repetition)
        labels[:, replaced] = (_one_feature if kind == "family of one feature" else _weak)(X, clean[:, replaced], rng)
        return labels, replaced, y
    if kind in ("subsamples", "crowds"):
        labels = clean.astype(np.int64)
        if kind == "crowds":
            right = rng.uniform(size=labels.shape) < rng.uniform(0.0, BEST, size=labels.shape[1])
            classes = np.unique(y, return_inverse=True)[1]
            labels = np.where(right, classes[:, np.newaxis], rng.randint(classes.max() + 1, size=labels.shape))
        labels, replaced = corrupt_ensemble(labels, fraction, seed)
        labels[rng.uniform(size=labels.shape) >= SEEN] = -1
        seen = (labels != -1).any(axis=1)
        return labels[seen], replaced, y[seen]
    return *corrupt(clean, fraction, seed, kind), y


def _one_feature(X, labels, rng):
    """Near copies of the k-means partition by one feature, with as many clusters as the first of these partitions."""
    values = X[:, [rng.randint(X.shape[1])]]
    k = min(len(np.unique(labels[:, 0])), len(np.unique(values)))
    original = KMeans(k, n_init=1, random_state=rng).fit_predict(values)
    drawn = rng.uniform(size=labels.shape) < 0.04
    return np.where(drawn, rng.randint(k, size=labels.shape), original[:, np.newaxis])


def _weak(X, labels, rng):
    """k-means on a random projection to one dimension, with as many clusters as each of these partitions."""
    columns = []
    for column in labels.T:
        values = X @ rng.standard_normal((X.shape[1], 1))
        k = min(len(np.unique(column)), len(np.unique(values)))
        columns.append(KMeans(k, n_init=1, random_state=rng).fit_predict(values))
    return np.column_stack(columns)


def equal_trust(labels, solve):
    """Trust under the raw distance in which every copy counts: first the linked group, then what the consensus trusts.

    The first update may add partitions, later ones only withdraw trust.
    """
    trusted = trusted_group_weights(labels, random_state=solve.keywords["random_state"]) > 0.0
    start, first = "random", True
    while True:
        consensus = solve(labels, weighting=constant(trusted / np.count_nonzero(trusted)), init=start)
        losses = np.maximum(1.0 - adjusted_agreement(labels, consensus.membership), 0.0)
        confirmed = (chance_corrected_weights(losses, expected=1.0) > 0.0) & (first | trusted)
        if not confirmed.any() or np.array_equal(confirmed, trusted):
            return consensus
        trusted, first = confirmed, False
        start = consensus.membership


# name -> f(labels, solve) -> result of the solver
WAYS = {
    "unweighted": option(weighting="uniform"),
    "equal trust": equal_trust,
    "chance-corrected, raw distance": option(weighting="chance-corrected", agreement="raw"),
    "chance-corrected": option(weighting="chance-corrected"),
}
ORACLES = {
    "oracle": option(weighting="uniform", agreement="raw"),
    "oracle, adjusted distance": option(weighting="uniform", agreement="adjusted"),
}
