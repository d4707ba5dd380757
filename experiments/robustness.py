"""Every weighting on k-means ensembles of which up to 95 % are replaced, by six kinds of noise.

A cell is one data set, kind of noise and share of it, over all repetitions; every weighting sees the same ensembles and
the same starts, and so does the oracle: no weighting, on the partitions that were not replaced.
"""

import time
from functools import lru_cache

import numpy as np
from sklearn.preprocessing import StandardScaler

from robust_eac import (
    KMeansEnsemble,
    adjusted_rand_score,
    corrupt_ensemble,
    h_criterion,
    load_dataset,
    solve_median_partition,
)

from . import noisy_ensembles
from .store import derive_seed

VERSION = 1

# Number of clusters of the consensus, range in the base clusterings: those of paper 002, and six sets more by its
# habit: from the number of classes to 10 for points in the plane, else to 20, 40 or 50 for up to 6, 8 or 10 classes.
SETTINGS = noisy_ensembles.SETTINGS | {
    "half-rings": (2, (2, 10)),
    "ecoli": (8, (8, 40)),
    "glass": (6, (6, 20)),
    "landsat": (6, (6, 20)),
    "pendigits": (10, (10, 50)),
    "yeast": (10, (10, 50)),
}
STANDARDISED = (*noisy_ensembles.STANDARDISED, "glass")
# Of larger sets every repetition draws as many objects as this; those of paper 002 are kept whole.
MAX_OBJECTS = 500
N_PARTITIONS = 100
N_INIT = 4
REPETITIONS = 20

# Each with its keywords of solve_median_partition.
WEIGHTINGS = {
    "uniform": {"weighting": "uniform"},
    "restricted-simplex": {"weighting": "restricted-simplex"},
    "l2": {"weighting": "l2"},
    "entropy": {"weighting": "entropy"},
    "power": {"weighting": "power"},
    "restricted-simplex-adjusted": {"weighting": "restricted-simplex", "agreement": "adjusted"},
    "l2-adjusted": {"weighting": "l2", "agreement": "adjusted"},
    "chance-corrected": {"weighting": "chance-corrected"},
}
ORACLE = "oracle"

# Copies that agree with themselves outvote the rest from about a half on: 60 % shows it.
FRACTIONS = {
    "uniform": (0.0, 0.2, 0.5, 0.8, 0.9, 0.95),
    "unequal": (0.5, 0.9),
    "shuffled": (0.5, 0.9),
    "features": (0.5, 0.9),
    "coherent": (0.2, 0.4, 0.6),
    "duplicates": (0.2, 0.4, 0.6),
}

# The cells of one data set stand together: a worker that gets several makes its ensembles once.
GRID = [
    {"dataset": dataset, "kind": kind, "fraction": fraction, "repetitions": REPETITIONS}
    for dataset in SETTINGS
    for kind, fractions in FRACTIONS.items()
    for fraction in fractions
]
SMOKE = [
    {"dataset": dataset, "kind": kind, "fraction": fraction, "repetitions": 1}
    for dataset in ("iris", "wine")
    for kind, fractions in FRACTIONS.items()
    for fraction in ((0.0, 0.5, 0.9) if kind == "uniform" else fractions[1:2])
]


def run_one(*, dataset, kind, fraction, repetitions):
    """{weighting: measures}, for the oracle as well: H of every repetition, and summaries of the rest.

    "ari", "noise_weight" (on the replaced partitions) and "n_weighted" (partitions with weight) are means over the
    repetitions, "most_noise_weight" the largest, "unconverged" a number of runs, "seconds" the median.
    """
    runs = {name: [] for name in (*WEIGHTINGS, ORACLE)}
    for repetition in range(repetitions):
        clean, y = make_ensemble(dataset, repetition)
        labels, corrupted = corrupt_ensemble(clean, fraction, derive_seed(0, repetition, "corruption"), kind=kind)
        for name, options in WEIGHTINGS.items():
            runs[name].append(run_solver(labels, y, corrupted, dataset, repetition, options))
        if corrupted.any():
            kept = ~corrupted
            oracle = run_solver(labels[:, kept], y, corrupted[kept], dataset, repetition, WEIGHTINGS["uniform"])
        else:
            oracle = runs["uniform"][-1]
        runs[ORACLE].append(oracle)
    return {name: summary(of_weighting) for name, of_weighting in runs.items()}


def make_data(dataset, repetition):
    """Features and classes: the whole set, or the objects that the repetition draws of a large one."""
    X, y = load_dataset(dataset)
    if dataset in STANDARDISED:
        X = StandardScaler().fit_transform(X)
    if dataset not in noisy_ensembles.SETTINGS and len(X) > MAX_OBJECTS:
        rng = np.random.RandomState(derive_seed(0, repetition, "data"))
        chosen = rng.permutation(len(X))[:MAX_OBJECTS]
        X, y = X[chosen], y[chosen]
    return X, y


@lru_cache(maxsize=REPETITIONS)
def make_ensemble(dataset, repetition):
    """The clean ensemble of a repetition, (n_samples, 100), and the classes."""
    X, y = make_data(dataset, repetition)
    model = KMeansEnsemble(N_PARTITIONS, SETTINGS[dataset][1], random_state=derive_seed(0, repetition, "ensemble"))
    return model.fit_transform(X), y


def run_solver(labels, y, corrupted, dataset, repetition, options):
    """Measures of one consensus, and its time."""
    start = time.perf_counter()
    consensus = solve_median_partition(
        labels, SETTINGS[dataset][0], n_init=N_INIT, random_state=derive_seed(0, repetition, "solver"), **options
    )
    seconds = time.perf_counter() - start
    return measures(consensus, y, corrupted) | {"seconds": seconds}


def measures(consensus, y, corrupted):
    """Measures of what the solver returned."""
    return {
        "h": h_criterion(y, consensus.labels),
        "ari": adjusted_rand_score(y, consensus.labels),
        "noise_weight": consensus.weights[corrupted].sum(),
        "n_weighted": np.count_nonzero(consensus.weights),
        "unconverged": not consensus.converged,
    }


def summary(runs):
    """What is kept of the runs of one weighting."""
    values = {measure: np.array([float(run[measure]) for run in runs]) for measure in runs[0]}
    kept = {
        "h": values["h"].round(4).tolist(),
        "ari": round(values["ari"].mean(), 4),
        "noise_weight": round(values["noise_weight"].mean(), 4),
        "most_noise_weight": round(values["noise_weight"].max(), 4),
        "n_weighted": round(values["n_weighted"].mean(), 2),
        "unconverged": int(values["unconverged"].sum()),
    }
    return kept | ({"seconds": float(f"{np.median(values['seconds']):.3g}")} if "seconds" in values else {})
