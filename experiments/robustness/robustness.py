"""Every weighting on k-means ensembles of which six kinds of noise replace up to 95 %.

A cell is one data set, kind of noise and share of noise, with all its repetitions. Every weighting sees the same
ensembles and starts. So does the oracle, which is the unweighted consensus of the partitions that are not replaced.
"""

from functools import lru_cache, partial

import numpy as np

from robust_eac import KMeansEnsemble, h_criterion, solve_median_partition

from ..robust_eac import noisy_ensembles
from ..shared.ensembles import Settings, load_features
from ..shared.measure import timed
from ..shared.store import derive_seed
from .corruption import corrupt

VERSION = 3

# Number of clusters of the consensus, and its range in the base clusterings. Six sets are added to those of paper 002
# by its rule: the range goes from the number of classes to 10 for points in the plane, otherwise to 20, 40 or 50 for
# up to 6, 8 or 10 classes.
SETTINGS = Settings(
    noisy_ensembles.SETTINGS
    | {
        "half-rings": (2, (2, 10)),
        "ecoli": (8, (8, 40)),
        "glass": (6, (6, 20)),
        "landsat": (6, (6, 20)),
        "pendigits": (10, (10, 50)),
        "yeast": (10, (10, 50)),
    }
)
STANDARDISED = (*noisy_ensembles.STANDARDISED, "glass")
# Of a larger set every repetition draws this many objects; the sets of paper 002 are used whole.
MAX_OBJECTS = 500
N_PARTITIONS = 100
N_INIT = 4
REPETITIONS = 20

# Keyword arguments of solve_median_partition.
WEIGHTINGS = {
    "uniform": {"weighting": "uniform"},
    "restricted-simplex": {"weighting": "restricted-simplex"},
    "l2": {"weighting": "l2"},
    "entropy": {"weighting": "entropy"},
    "restricted-simplex-adjusted": {"weighting": "restricted-simplex", "agreement": "adjusted"},
    "l2-adjusted": {"weighting": "l2", "agreement": "adjusted"},
    "chance-corrected": {"weighting": "chance-corrected"},
}
ORACLE = "oracle"

# Copies of one partition outvote the others from about a half on, which a share of 60 % shows.
FRACTIONS = {
    "uniform": (0.0, 0.2, 0.5, 0.8, 0.9, 0.95),
    "unequal": (0.5, 0.9),
    "shuffled": (0.5, 0.9),
    "features": (0.5, 0.9),
    "coherent": (0.2, 0.4, 0.6),
    "duplicates": (0.2, 0.4, 0.6),
}
Shares = tuple[float, ...] | None


def cells(*, datasets=tuple(SETTINGS), kinds=tuple(FRACTIONS), fractions: Shares = None, repetitions=REPETITIONS):
    """Without shares of noise, a kind has those of FRACTIONS."""
    return noise_cells(FRACTIONS, datasets, kinds, fractions, repetitions)


def noise_cells(usual, datasets, kinds, fractions, repetitions):
    """Configurations of all data sets with all kinds and shares of noise, by default the usual ones of a kind.

    The data set varies slowest: a worker that gets several cells in a row makes their ensembles once.
    """
    return [
        {"dataset": dataset, "kind": kind, "fraction": fraction, "repetitions": repetitions}
        for dataset in datasets
        for kind in kinds
        for fraction in (usual[kind] if fractions is None else fractions)
    ]


SMOKE = cells(datasets=("iris",), fractions=(0.4,), repetitions=1)


def run_one(*, dataset, kind, fraction, repetitions):
    """{weighting: {measure: values by repetition}}, with one more entry for the oracle.

    The measures are "h", and "noise_weight", the weight of the replaced partitions.
    """
    ways = {name: option(**options) for name, options in WEIGHTINGS.items()}
    make = partial(noisy_ensemble, dataset, fraction=fraction, kind=kind)
    return compare_ways(ways, {ORACLE: ways["uniform"]}, make, dataset, repetitions)


def option(**chosen):
    """The way that passes these options to the solver."""
    return lambda labels, solve: solve(labels, **chosen)


def constant(weights):
    """The weighting that returns these weights for any losses."""
    return lambda losses: np.asarray(weights, dtype=float)


def compare_ways(ways, oracles, make, dataset, repetitions):
    """{way: {measure: values by repetition}} on the ensembles that make(repetition) returns, all with the same starts.

    A way is f(labels, solve) -> result of the solver. Oracles see the partitions that are not replaced, and the
    objects that these observe.
    """
    runs = {name: [] for name in (*ways, *oracles)}
    for repetition in range(repetitions):
        labels, replaced, y = make(repetition)
        kept = labels[:, ~replaced]
        seen = (kept != -1).any(axis=1)
        clean = kept[seen], np.zeros(kept.shape[1], dtype=bool), y[seen]
        for name, of_way in runs.items():
            way, ensemble = (ways[name], (labels, replaced, y)) if name in ways else (oracles[name], clean)
            of_way.append(run_way(way, ensemble, dataset, repetition))
    return {
        name: {measure: [round(float(run[measure]), 4) for run in of_way] for measure in ("h", "noise_weight")}
        for name, of_way in runs.items()
    }


def run_way(way, ensemble, dataset, repetition):
    """Measures of the consensus by a way, and the seconds that it takes."""
    labels, replaced, y = ensemble
    seed = derive_seed(0, repetition, "solver")
    solve = partial(solve_median_partition, n_clusters=SETTINGS[dataset][0], n_init=N_INIT, random_state=seed)
    consensus, seconds = timed(way, labels, solve)
    return {
        "h": h_criterion(y, consensus.labels),
        "noise_weight": consensus.weights[replaced].sum(),
        "objective": consensus.objective / len(y) ** 2,
        "seconds": seconds,
    }


def make_data(dataset, repetition):
    """Features and classes of all objects, or of those that the repetition draws from a large set."""
    X, y = load_features(dataset, STANDARDISED)
    if dataset not in noisy_ensembles.SETTINGS and len(X) > MAX_OBJECTS:
        rng = np.random.RandomState(derive_seed(0, repetition, "data"))
        chosen = rng.permutation(len(X))[:MAX_OBJECTS]
        X, y = X[chosen], y[chosen]
    return X, y


def noisy_ensemble(dataset, repetition, fraction, kind="uniform"):
    """An ensemble of which noise of a kind replaces a share, which partitions are replaced, and the classes."""
    clean, y = make_ensemble(dataset, repetition)
    return *corrupt(clean, fraction, derive_seed(0, repetition, "corruption"), kind), y


@lru_cache(maxsize=REPETITIONS)
def make_ensemble(dataset, repetition):
    """The clean ensemble of a repetition, (n_samples, 100), and the classes."""
    X, y = make_data(dataset, repetition)
    model = KMeansEnsemble(N_PARTITIONS, SETTINGS[dataset][1], random_state=derive_seed(0, repetition, "ensemble"))
    return model.fit_transform(X), y
