"""Consensus functions and every weighting scheme on the same ensembles, clean and half of them random.

A cell is one data set, share of random partitions and repetition: the functions with equal weights, all weightings with
three functions that take weights in different ways.
"""

from sklearn.preprocessing import StandardScaler

from robust_eac import CONSENSUS_FUNCTIONS, KMeansEnsemble, compare, corrupt_ensemble, load_dataset

from .noisy_ensembles import SETTINGS, STANDARDISED
from .store import derive_seed

VERSION = 1

N_PARTITIONS = 50
FRACTIONS = (0.0, 0.5)
REPETITIONS = 3
# They take the weights as fixed weights of the median partition, of the co-association, and of the rows.
WEIGHTED = ("robust-eac", "eac-average", "kmeans")
# Not in the frozen records, which are older.
_LATER = ("robust-merge", "lwgp", "usenc", "ecpcs-mc", "wct", "pta", "ptgp")
FUNCTIONS = tuple(name for name in CONSENSUS_FUNCTIONS if name not in _LATER)
_KEPT = ("h", "nmi", "ari", "ensemble_nmi", "density", "n_clusters", "seconds", "scheme_seconds", "error")

GRID = [
    {"dataset": dataset, "repetition": repetition, "fraction": fraction}
    for dataset in SETTINGS
    for repetition in range(REPETITIONS)
    for fraction in FRACTIONS
]
SMOKE = [{"dataset": "iris", "repetition": 0, "fraction": fraction} for fraction in FRACTIONS]


def run_one(*, dataset, repetition, fraction):
    """{"functions": {function: measures}, "weightings": {function: {weighting: measures}}}.

    Every weighting has "noise_weight" as well, the weight it leaves on the random partitions.
    """
    X, y = load_dataset(dataset)
    if dataset in STANDARDISED:
        X = StandardScaler().fit_transform(X)
    n_clusters, widths = SETTINGS[dataset]
    ensemble = KMeansEnsemble(N_PARTITIONS, widths, random_state=derive_seed(0, repetition, "ensemble"))
    labels, corrupted = corrupt_ensemble(
        ensemble.fit_transform(X), fraction, derive_seed(0, repetition, "corruption")
    )  # fmt: skip
    common = {"y": y, "X": X, "random_state": derive_seed(0, repetition, "solver")}
    functions = {
        record["function"]: _measures(record)
        for record in compare(labels, n_clusters, weightings=["uniform"], consensus=FUNCTIONS, **common)
    }
    weightings = {name: {} for name in WEIGHTED}
    for record in compare(labels, n_clusters, consensus=WEIGHTED, **common):
        graded = _measures(record)
        if record["weights"] is not None:
            graded["noise_weight"] = round(float(record["weights"][corrupted].sum()), 6)
        weightings[record["function"]][record["scheme"]] = graded
    return {"functions": functions, "weightings": weightings}


def _measures(record):
    return {key: round(value, 6) if isinstance(value := record[key], float) else value for key in _KEPT}
