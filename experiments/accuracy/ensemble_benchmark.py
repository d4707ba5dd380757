"""Every consensus function by the usual protocol: k-means ensembles of data with known classes, rows shuffled.

The number of clusters of a base clustering is drawn from [2, sqrt(n)] ("sqrt", the usual choice) or from [k, 2 k] with
k classes ("near"), or it is k ("fixed"). Random partitions replace some of them. A cell has all its ensembles, and runs
the merged consensus, or all other methods. Pools of published base
clusterings, which have the range "sqrt", come from the folder that ROBUST_EAC_POOLS names. The "unbalanced" sets are
six Gaussian clusters in five dimensions, each half as large as the one before; a ring surrounds three blobs.

Data sets of more than 2,500 objects have only ten partitions and the range "sqrt". Above 5,000 objects the functions
that need a matrix of all pairs are left out.

In the frozen record, "eac-single" is of a later run than the other methods, since single linkage then took ties in the
order of the rows. Its seconds are those of the first run.
"""

import os
import zlib
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from robust_eac import (
    CONSENSUS_FUNCTIONS,
    KMeansEnsemble,
    corrupt_ensemble,
    solve_median_partition,
    trusted_group_weights,
)

from ..shared.data import DATA
from ..shared.ensembles import load_features, scores
from ..shared.measure import significant, timed
from ..shared.store import derive_seed, grid

VERSION = 2

POOLS_VARIABLE = "ROBUST_EAC_POOLS"
PLANE = ("spiral", "cigar", "rings", "image-c", "image-1", "half-rings")
UCI = ("iris", "wine", "house-votes", "ionosphere", "std-yeast-cell", "breast-cancer", "optdigits")
# {name: approximate distance between the centres of two clusters, in standard deviations of a cluster}
UNBALANCED = {"unbalanced, apart": 4.0, "unbalanced, touching": 2.0}
RING = "ring and blobs"
SMALL = (*PLANE, *UCI, "contraceptive", "ecoli", "glass", "yeast", *UNBALANCED, RING)
_NAMES = "VS Semeion SPF MF IS Caltech20 Aggregation Ecoli GLIOMA UMIST"
SMALL_POOLS = tuple(f"pool {name}" for name in _NAMES.split())
LARGE = ("abalone", "landsat", "musk", "pendigits", "nursery", "drybean", "letter-recognition", "pool PD")
# Their features have different units, or are binary beside a constant one.
STANDARDISED = ("wine", "house-votes", "ionosphere", "glass", "contraceptive", "abalone", "drybean", "musk")
POOLS = (*SMALL_POOLS, "pool PD")
# Entropy of the class sizes, as a share of that of equal ones; the other sets have more than .9.
EVENNESS = {
    "cigar": 0.86, "rings": 0.88, "half-rings": 0.81, "ecoli": 0.73, "glass": 0.84, "yeast": 0.75, RING: 0.72,
    "unbalanced, apart": 0.73, "unbalanced, touching": 0.73, "pool SPF": 0.86, "pool Caltech20": 0.79,
    "pool Aggregation": 0.87, "pool Ecoli": 0.73, "abalone": 0.75, "musk": 0.66, "nursery": 0.74,
}  # fmt: skip
RANGES = ("sqrt", "near", "fixed")
SIZES = (10, 30, 100)
FRACTIONS = (0.0, 0.3, 0.5)
# Ensembles with more noise than that have this many partitions, so that some good ones are left.
HEAVY, MANY = (0.7, 0.9), 30
N_ENSEMBLES = 6
MERGED = "robust-merge"

_EAC = ("eac-single", "eac-average", "eac-complete")
_ENHANCED = tuple(f"enhanced-{name}" for name in _EAC)
# Functions that form a matrix of all pairs of objects, and the largest number of objects they are run on.
DENSE = (*_EAC, *_ENHANCED, "locally-weighted-eac", "trusted locally-weighted-eac", "cspa")
DENSE_LIMIT = 5000
# Functions that take seconds, or whose time grows as the cube of the base clusters: ten partitions only.
SLOW = ("peace", "hgpa", *_ENHANCED, "median-partition", "median-partition-vi")
SLOW_LIMIT = 2500
# A function that takes many seconds for a thousand objects in ten classes.
SLOWEST, SLOWEST_LIMIT = ("peace",), 500


# Cells of their own, so that a change of these methods leaves the other cells valid.
GROUPS = ("merge", "others")
CHOICES = {"datasets": (*DATA, *UNBALANCED, RING, *POOLS)}


def cells(
    *,
    datasets=(*SMALL, *SMALL_POOLS, *LARGE),
    ranges=RANGES,
    sizes=SIZES,
    fractions=FRACTIONS,
    heavy=HEAVY,
    n_ensembles=N_ENSEMBLES,
    groups=GROUPS,
):
    """`heavy` are the larger shares of noise, with MANY partitions in the range "sqrt"."""
    usual = combinations(datasets, ranges, sizes, fractions, n_ensembles)
    noisy = combinations([name for name in datasets if name not in LARGE], RANGES[:1], (MANY,), heavy, n_ensembles)
    return [cell | {"methods": group} for group in groups for cell in [*usual, *noisy]]


def combinations(datasets, ranges, sizes, fractions, n_ensembles):
    """Configurations without methods: pools have the range "sqrt" alone, large sets also ten partitions alone."""
    return [
        cell
        for dataset in datasets
        for cell in grid(
            dataset=(dataset,),
            range=[r for r in ranges if r == "sqrt" or dataset not in (*SMALL_POOLS, *LARGE)],
            n_partitions=[size for size in sizes if size == SIZES[0] or dataset not in LARGE],
            fraction=fractions,
            n_ensembles=(n_ensembles,),
        )
    ]


SMOKE = cells(datasets=("iris",), ranges=RANGES[:1], sizes=SIZES[:1], fractions=(0.0, 0.5), heavy=(), n_ensembles=1)


def _given_trust(name, labels, n_clusters, *, random_state):
    weights = trusted_group_weights(labels, random_state=random_state)
    return CONSENSUS_FUNCTIONS[name](labels, n_clusters, weights=weights, random_state=random_state)


def _median_partition(labels, n_clusters, *, random_state, **settings):
    return solve_median_partition(labels, n_clusters, random_state=random_state, **settings).labels


# Methods outside the registry: the weights come from trusted_group_weights, or from the solver.
BESIDE = {
    "trusted locally-weighted-eac": partial(_given_trust, "locally-weighted-eac"),
    "trusted lwgp": partial(_given_trust, "lwgp"),
    "robust-eac chance-corrected": partial(_median_partition, weighting="chance-corrected"),
}
METHODS = CONSENSUS_FUNCTIONS | BESIDE


def run_one(*, dataset, range, n_partitions, fraction, n_ensembles, methods):
    """{method: {"nmi", "ari": values by ensemble, "seconds": their median}}, or {method: {"error"}}.

    "best_nmi" and "best_ari", at the best of the numbers of clusters 2, k/2, k, 2k and sqrt(n), exist for small sets,
    clean ensembles of ten partitions in the range "sqrt", and functions that are not slow.
    """
    sizes = n_partitions, fraction
    runs = [_run(dataset, range, *sizes, repetition, methods) for repetition in np.arange(n_ensembles).tolist()]
    return {method: summary([run[method] for run in runs]) for method in runs[0]}


def _run(dataset, drawn, n_partitions, fraction, repetition, group):
    """{method: measures} on one ensemble."""
    labels, y = spoil(*make_ensemble(dataset, drawn, n_partitions, repetition), dataset, repetition, fraction)
    n, k = len(y), len(np.unique(y))
    seed = seed_of(dataset, repetition, "solver")
    best_too = fraction == 0.0 and drawn == "sqrt" and n_partitions == SIZES[0] and n <= SLOW_LIMIT
    numbers = sorted({min(max(2, q), int(n**0.5)) for q in (2, k // 2, 2 * k, int(n**0.5))})
    run = {}
    for name in methods_for(n, n_partitions, fraction, group):
        run[name] = graded(METHODS[name], labels, k, y, seed)
        if best_too and name not in SLOW and "error" not in run[name]:
            others = [graded(METHODS[name], labels, q, y, seed) for q in numbers]
            for measure in ("nmi", "ari"):
                run[name][f"best_{measure}"] = max(other[measure] for other in [*others, run[name]])
    return run


def methods_for(n_samples, n_partitions, fraction, group):
    """Methods of a group that run on an ensemble of this size."""
    return [
        name
        for name in METHODS
        if group == ("merge" if name == MERGED else "others")
        and (fraction > 0.0 or not name.startswith("trusted"))
        and (name not in DENSE or n_samples <= DENSE_LIMIT)
        and (name not in SLOW or (n_partitions <= SIZES[0] and n_samples <= SLOW_LIMIT))
        and (name not in SLOWEST or n_samples <= SLOWEST_LIMIT)
    ]


def graded(method, labels, n_clusters, y, seed):
    try:
        found, seconds = timed(method, labels, n_clusters, random_state=np.random.RandomState(seed))
    except (ValueError, ArithmeticError) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return scores(y, found) | {"seconds": seconds}


def summary(measured):
    """Measures by ensemble, and the median of the seconds; or the first error."""
    errors = [measures for measures in measured if "error" in measures]
    if errors:
        return errors[0]
    kept = {name: [round(one[name], 4) for one in measured] for name in measured[0] if name not in ("h", "seconds")}
    return kept | {"seconds": significant(np.median([one["seconds"] for one in measured]))}


def make_ensemble(dataset, drawn, n_partitions, repetition):
    """The clean ensemble of a repetition with shuffled rows, and the classes; a smaller one is part of a larger one."""
    labels, y = _all_partitions(dataset, drawn, repetition, max(n_partitions, _most_partitions(dataset)))
    return labels[:, :n_partitions], y


def _most_partitions(dataset):
    return SIZES[0] if dataset in LARGE else SIZES[-1]


@lru_cache(maxsize=2 * N_ENSEMBLES)
def _all_partitions(dataset, drawn, repetition, n_partitions):
    rng = np.random.RandomState(seed_of(dataset, repetition, "data"))
    if dataset.startswith("pool "):
        labels, y = load_pool(dataset.removeprefix("pool "))
        order, columns = rng.permutation(len(y)), rng.permutation(labels.shape[1])[:n_partitions]
        return labels[np.ix_(order, columns)], y[order]
    X, y = make_points(dataset, rng) if dataset in (*UNBALANCED, RING) else load_features(dataset, STANDARDISED)
    order, k = rng.permutation(len(y)), len(np.unique(y))
    n_clusters = {"sqrt": (2, int(len(y) ** 0.5)), "near": (k, 2 * k), "fixed": (k, k)}[drawn]
    model = KMeansEnsemble(n_partitions, n_clusters, random_state=seed_of(dataset, repetition, "ensemble"))
    return model.fit_transform(X[order]), y[order]


def make_points(dataset, rng):
    """Features and classes of a synthetic set."""
    if dataset == RING:
        y = np.repeat(np.arange(4), (480, 80, 80, 80))
        angle, centres = rng.uniform(0.0, 2.0 * np.pi, 480), rng.uniform(-4.5, 4.5, size=(3, 2))
        ring = 8.0 * np.column_stack([np.cos(angle), np.sin(angle)])
        return np.concatenate([ring, np.repeat(centres, 80, axis=0)]) + 0.5 * rng.standard_normal((720, 2)), y
    y = np.repeat(np.arange(6), (640, 320, 160, 80, 40, 20))
    # The distance between two points with standard normal coordinates is about sqrt(2 d).
    centres = rng.standard_normal((6, 5)) * UNBALANCED[dataset] / np.sqrt(2.0 * 5)
    return centres[y] + rng.standard_normal((len(y), 5)), y


def spoil(clean, y, dataset, repetition, fraction):
    """An ensemble of which random partitions replace a share, and the classes."""
    return corrupt_ensemble(clean, fraction, seed_of(dataset, repetition, "corruption"))[0], y


def load_pool(name):
    """Base clusterings (n, 100) and classes of a published pool, from an .npz file with `labels` and `classes`."""
    folder = os.environ.get(POOLS_VARIABLE)
    if not folder:
        raise FileNotFoundError(f"Pool {name!r}: set {POOLS_VARIABLE} to the folder that contains {name}.npz.")
    with np.load(Path(folder) / f"{name}.npz", allow_pickle=False) as file:
        return file["labels"].astype(np.int64), np.unique(file["classes"].ravel(), return_inverse=True)[1]


def seed_of(dataset, repetition, component):
    """Seed of a component; data sets have different ones, so that their errors are independent."""
    return derive_seed(zlib.crc32(dataset.encode()), repetition, component)
