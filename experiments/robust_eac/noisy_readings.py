"""What paper 002 leaves open about ensembles and starts, read in other ways, one at a time.

Otherwise as `noisy_ensembles`.
"""

from functools import lru_cache

import numpy as np
from sklearn.cluster import KMeans

from robust_eac import (
    KMeansEnsemble,
    MixedEnsemble,
    corrupt_ensemble,
    l2_weights,
    partition_losses,
    solve_median_partition,
    solve_membership,
)

from ..shared.ensembles import load_features
from ..shared.store import derive_seed, grid
from . import noisy_ensembles
from .noisy_ensembles import ENSEMBLES, SETTINGS, SIZES, STANDARDISED

VERSION = 2

# {reading: what differs from "as chosen"}
READINGS = {
    "as chosen": "",
    "all standardised": "every feature has unit variance",
    "none standardised": "features as they are",
    "k-means++": "k-means starts from k-means++, in k-means ensembles",
    "half linkages": "28 of the mixed ensemble by linkages, 14 each by k-means and by spectral clustering",
    "k of the range": "random partitions have k drawn from k_min to k_max",
    "k of the classes": "random partitions have as many clusters as there are classes",
    "one start": "the consensus is the end of one random start, not the best of ten",
    "distant starts": "nine of the ten starts of l2 begin with the weights for the losses at a base partition",
}
CHOICES = {"readings": tuple(READINGS)}


def cells(
    *,
    datasets=tuple(SETTINGS),
    ensembles=tuple(ENSEMBLES),
    repetitions=5,
    fractions=(0.0, 0.2),
    readings=tuple(READINGS),
):
    """Without the cells that a reading leaves as they are."""
    axes = {"dataset": datasets, "ensemble": ensembles, "reading": readings}
    cells = grid(**axes, repetition=range(repetitions), fraction=fractions)
    return [cell for cell in cells if _differs(**cell)]


def _differs(*, dataset, ensemble, reading, repetition, fraction):
    """Whether a cell is not that of "as chosen"."""
    return {
        "all standardised": dataset not in STANDARDISED,
        "none standardised": dataset in STANDARDISED,
        "k-means++": ensemble == "kmeans",
        "half linkages": ensemble == "mixed",
    }.get(reading, fraction > 0.0 or not reading.startswith("k of"))


def run_one(*, dataset, ensemble, reading, repetition, fraction):
    """As :func:`noisy_ensembles.run_one`."""
    clean, y = _make_ensemble(dataset, ensemble, reading, repetition)
    seed = derive_seed(0, repetition, "corruption")
    labels, replaced = corrupt_ensemble(clean, fraction, seed)
    if reading.startswith("k of"):
        rng, (k, (low, high)) = np.random.RandomState(seed), SETTINGS[dataset]
        for u in np.flatnonzero(replaced):
            labels[:, u] = rng.randint(k if reading == "k of the classes" else rng.randint(low, high + 1), size=len(y))
    n_init = 1 if reading == "one start" else 10
    result = noisy_ensembles.measures(labels, replaced, y, dataset, repetition, n_init=n_init)
    if reading == "distant starts":
        consensus = lowest_of_distant_starts(labels, SETTINGS[dataset][0], derive_seed(0, repetition, "solver"))
        result["l2"] = noisy_ensembles.measures_of(consensus, labels, replaced, y)
    return result


def lowest_of_distant_starts(labels, n_clusters, seed, n_starts=10):
    """The l2 consensus of lowest objective; starts but the first begin with the weights for the losses at a partition.

    The first of these partitions is random, the next always the one of largest loss at the nearest one before it.
    """
    n, rng = len(labels), np.random.RandomState(seed)
    found = [solve_median_partition(labels, n_clusters, weighting="l2", n_init=1, random_state=rng)]
    nearest = np.inf
    far = rng.randint(labels.shape[1])
    for _ in range(n_starts - 1):
        losses = partition_losses(labels, np.eye(labels[:, far].max() + 1)[labels[:, far]])
        weights = l2_weights(losses, lam=0.5 * n**2)
        start = solve_membership(labels, n_clusters, weights=weights, random_state=rng).membership
        found.append(solve_median_partition(labels, n_clusters, weighting="l2", init=start, random_state=rng))
        nearest = np.minimum(nearest, losses)
        far = nearest.argmax()
    return min(found, key=lambda consensus: consensus.objective)


@lru_cache(maxsize=1)
def _make_ensemble(dataset, ensemble, reading, repetition):
    standardised = {"all standardised": tuple(SETTINGS), "none standardised": ()}.get(reading, STANDARDISED)
    X, y = load_features(dataset, standardised, derive_seed(0, repetition, "data"))
    size, k_range = SIZES[ensemble], SETTINGS[dataset][1]
    seed = derive_seed(0, repetition, "ensemble")
    if ensemble == "kmeans":
        estimator = KMeans(n_init=1) if reading == "k-means++" else None
        return KMeansEnsemble(size, k_range, estimator=estimator, random_state=seed).fit_transform(X), y
    # Half as many again: 13 by each linkage, every other one of which is kept, 15 and 17 by the others.
    model = MixedEnsemble(size * 3 // 2 if reading == "half linkages" else size, k_range, random_state=seed).fit(X)
    if reading == "half linkages":
        found = np.array(model.algorithms_)
        most = {name: 14 if name in ("kmeans", "spectral") else 7 for name in np.unique(found)}
        columns = [np.flatnonzero(found == name) for name in most]
        kept = [of[np.linspace(0, len(of) - 1, n).astype(int)] for of, n in zip(columns, most.values(), strict=True)]
        return model.labels_[:, np.concatenate(kept)], y
    return model.labels_, y


SMOKE = cells(datasets=("iris",), repetitions=1, fractions=(0.2,))
