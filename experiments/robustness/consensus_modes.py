"""Ensembles that follow one, two or three truths: how many modes are found, and how well.

A planted partition follows one truth: a share of its labels, drawn from a range, is random, and half of the partitions
cut every cluster in two. Bridges follow the first truth on half of the objects and the last on the others. The oracle
of a truth is the unweighted consensus of the partitions that follow it. The data sets have k-means ensembles and those
of several algorithms, without noise.
"""

from functools import partial

import numpy as np

from robust_eac import MixedEnsemble, adjusted_rand_score, solve_consensus_modes, solve_median_partition

from ..robust_eac import noisy_ensembles
from ..shared.measure import significant, timed
from ..shared.store import derive_seed, grid
from .robustness import N_INIT, SETTINGS, make_data, make_ensemble
from .robustness_kinds import N_MIXED

VERSION = 1

# name -> shares of the truths among the partitions that follow one
TRUTHS = {"one": (1.0,), "two": (0.6, 0.4), "three": (0.5, 0.3, 0.2)}
# name -> objects, partitions, clusters, share of the labels drawn at random, bridges
PLANTED = {
    "300 objects": (300, 60, 4, (0.1, 0.3), 0),
    "300 objects, noisy, bridges": (300, 60, 4, (0.2, 0.6), 2),
    "1,000 objects, bridges": (1000, 100, 6, (0.1, 0.5), 4),
    "150 objects, a bridge": (150, 40, 3, (0.1, 0.4), 1),
}
RANDOM = 0.3


def cells(
    *,
    planted=tuple(PLANTED),
    truths=tuple(TRUTHS),
    repetitions=20,
    datasets=tuple(noisy_ensembles.SETTINGS),
    ensembles=("kmeans", "mixed"),
    repetitions_of_sets=5,
):
    return [
        *grid(source=planted, truths=truths, repetitions=(repetitions,)),
        *grid(source=datasets, truths=ensembles, repetitions=(repetitions_of_sets,)),
    ]


GRID = cells()
_FEW = {"planted": ("150 objects, a bridge",), "truths": ("two",), "datasets": ("iris",), "ensembles": ("mixed",)}
SMOKE = cells(**_FEW, repetitions=1, repetitions_of_sets=1)


def run_one(*, source, truths, repetitions):
    """Lists by repetition: "n_modes", "shares", "ari" of every truth with its best mode, "oracle", "seconds".

    "random_assigned" counts random partitions in a mode. "ari" of a data set is that of its classes with every mode.
    """
    measured = {"n_modes": [], "shares": [], "ari": [], "oracle": [], "random_assigned": [], "seconds": []}
    for repetition in range(repetitions):
        planted = source in PLANTED
        labels, classes, follows = (
            make_planted(source, truths, repetition) if planted else of_set(source, truths, repetition)
        )
        k = PLANTED[source][2] if planted else SETTINGS[source][0]
        options = {"n_init": N_INIT, "random_state": derive_seed(0, repetition, "solver")}
        modes, seconds = timed(solve_consensus_modes, labels, k, **options)
        aris = [[adjusted_rand_score(y, found) for found in modes.labels.T] for y in classes]
        measured["n_modes"].append(modes.n_modes)
        measured["shares"].append(modes.shares.round(3).tolist())
        measured["ari"].append(np.round([max(ari, default=0.0) for ari in aris] if planted else aris[0], 4).tolist())
        solve = partial(solve_median_partition, n_clusters=k, weighting="uniform", agreement="adjusted", **options)
        oracles = [solve(labels[:, follows == g]).labels for g in range(len(classes))] if planted else []
        found = [adjusted_rand_score(y, oracle) for y, oracle in zip(classes, oracles, strict=False)]
        measured["oracle"].append(np.round(found, 4).tolist())
        measured["random_assigned"].append(int(np.count_nonzero(modes.assignment[follows == -1] >= 0)))
        measured["seconds"].append(significant(seconds))
    return measured


def make_planted(source, truths, repetition):
    """(labels, the truths, the truth that each partition follows: -1 for random ones, -2 for bridges)."""
    n, m, k, (low, high), n_bridges = PLANTED[source]
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    classes = [rng.randint(k, size=n) for _ in TRUTHS[truths]]
    n_random = round(RANDOM * m)
    counts = np.round(np.array(TRUTHS[truths]) * (m - n_random - n_bridges)).astype(int)
    follows = np.repeat(np.arange(len(classes)), counts)
    columns = []
    for truth in follows:
        column = classes[truth].copy()
        wrong = rng.uniform(size=n) < rng.uniform(low, high)
        column[wrong] = rng.randint(k, size=np.count_nonzero(wrong))
        if rng.uniform() < 0.5:
            column = 2 * column + rng.randint(2, size=n)
        columns.append(column)
    for _ in range(n_bridges):
        columns.append(np.where(rng.permutation(n) < n // 2, classes[0], classes[-1] + k))
    columns += [rng.randint(rng.randint(2, 2 * k), size=n) for _ in range(n_random)]
    return np.column_stack(columns), classes, np.concatenate([follows, [-2] * n_bridges, [-1] * n_random])


def of_set(dataset, ensemble, repetition):
    """(labels, the classes alone, 0 for every partition) of an ensemble of a data set."""
    if ensemble == "kmeans":
        labels, y = make_ensemble(dataset, repetition)
    else:
        X, y = make_data(dataset, repetition)
        model = MixedEnsemble(N_MIXED, SETTINGS[dataset][1], random_state=derive_seed(0, repetition, "ensemble"))
        labels = model.fit(X).labels_
    return labels, [y], np.zeros(labels.shape[1], dtype=int)
