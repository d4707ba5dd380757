"""OVI-LDA and its consensus on QPSK symbols in noise (paper 004, Table 3 and Figure 2).

A cell is one data set. It runs every algorithm with every number of clusters, random ones several times, and computes
every index of every partition. The record holds the number of clusters that each index selects. It also holds the
quality of the consensus and of its partitions, with the numbers of clusters that OVI-LDA selects and with four.
"""

import functools
import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score, silhouette_samples

from robust_eac import adjusted_rand_score
from robust_eac.consensus import assign_to_cores, ovi_lda_consensus
from robust_eac.features.ovi_consensus import OVI_CLUSTERERS
from robust_eac.metrics import calinski_harabasz, fukuyama_sugeno, ovi_lda, partition_entropy, silhouette, xie_beni

from ..shared.measure import significant
from ..shared.store import derive_seed, grid

VERSION = 1

SYMBOLS = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) / np.sqrt(2.0)
NUMBERS = range(2, 21)
FUZZY = ("gath-geva", "fcm")
ALGORITHMS = ("gath-geva", "fcm", "kmeans", "kmeans-ka", "ward")
# Readings of the index: the paper does not define the neighbour and T_l, and Eqs. (2), (6) and (7) are misprinted.
READINGS = {
    "V": {},
    "V printed": {"as_printed": True},
    "V euclidean": {"neighbour": "euclidean"},
    "V printed euclidean": {"as_printed": True, "neighbour": "euclidean"},
    "V large clusters": {"min_cluster_size": 10, "nan_as_zero": True},
}
# The partitions of a consensus, by their reading of V: those that V selects, the same as printed, and four clusters.
OPTIONS = {"chosen": READINGS["V"], "printed": READINGS["V printed"], "four": READINGS["V"]}


def fs_centroids(X, memberships):
    """Fukuyama-Sugeno index with the mean of the centroids in place of that of the objects, as some print it."""
    _, weights, centers = _fuzzy_centers(X, memberships)
    # sum_nk w_nk (|v_k - mean x|^2 - |v_k - mean v|^2)
    spreads = [((centers - middle) ** 2).sum(axis=1) for middle in (X.mean(axis=0), centers.mean(axis=0))]
    return fukuyama_sugeno(X, memberships) + float(weights.sum(axis=0) @ (spreads[0] - spreads[1]))


def undivided(X, memberships):
    """V, with its misprints corrected, by Euclidean in place of Mahalanobis distances."""
    membership, _, centers = _fuzzy_centers(X, memberships)
    valid = membership.sum(axis=0) >= X.shape[1] + 1
    if np.count_nonzero(valid) < 2:
        return np.nan
    own, objects = membership.argmax(axis=1), np.arange(len(X))
    distances = cdist(X, centers)
    mine = np.maximum(distances[objects, own], 1e-8)
    distances[:, ~valid] = distances[objects, own] = np.inf
    return float(np.log(distances.min(axis=1) / mine)[valid[own]].mean())


def _fuzzy_centers(X, memberships):
    """One-hot or fuzzy memberships, their squares, and the centroids with the squares as weights."""
    membership = memberships if memberships.ndim == 2 else memberships[:, np.newaxis] == np.unique(memberships)
    weights = membership.astype(float) ** 2
    return membership, weights, weights.T @ X / weights.sum(axis=0)[:, np.newaxis]


# {name: (function, sign that makes the best value the largest, for crisp partitions?, for fuzzy partitions?)}
INDICES = {
    "CH": (calinski_harabasz, 1, True, False),
    "PE": (partition_entropy, -1, False, True),
    "XB": (xie_beni, -1, True, True),
    "FS": (fukuyama_sugeno, -1, True, True),
    "FS centroids": (fs_centroids, -1, True, True),
    "Sil": (silhouette, 1, True, False),
    "V undivided": (undivided, 1, True, True),
}

# The noise has variance E_s / (divisor SNR) per dimension; the paper defines neither SNR nor the number of objects.
# 1: SNR is E_s over the variance in one dimension, so Matlab's awgn on real features of symbols of energy 1. 2: SNR is
# E_s / N_0, the noise of both dimensions together. 4: SNR is E_b / N_0, since a symbol carries two bits.
DIVISORS = (1, 2, 4)
SIZES = (100, 400, 1000)
PRINTED = (2, 5, 8)
SWEEP = tuple(range(1, 11))
# The definitions that reproduce most of the printed Table 3; see the table ovi_runs.
MAIN = {"divisor": 4, "n": 1000, "n_init": 3}


def cells(
    *,
    divisors=DIVISORS,
    n=SIZES,
    n_init=3,
    decibels=PRINTED,
    repetitions=3,
    sweep=SWEEP,
    sweep_repetitions=6,
    more_runs=(30,),
):
    """All definitions at some ratios in decibels, the main one at those of `sweep`, and with far `more_runs`."""
    definitions = grid(divisor=divisors, n=n, n_init=(n_init,), decibel=decibels, repetition=range(repetitions))
    swept = [MAIN | cell for cell in grid(decibel=sweep, repetition=range(sweep_repetitions))]
    longer = [MAIN | cell for cell in grid(n_init=more_runs, decibel=(2, 5), repetition=(0,))]
    return definitions + [config for config in swept if config not in definitions] + longer


SMOKE = grid(divisor=(4,), n=(60,), n_init=(1,), decibel=(2, 8), repetition=(0,))


def run_one(*, divisor, n, n_init, decibel, repetition):
    """By algorithm: "best" number of clusters and "lowest" value by every index, "V" of 2 to 4 clusters, "objects".

    The last tell how well v identifies misplaced objects; "routes" measure partitions and their consensus.
    """
    X, y = make_qpsk(n, decibel, divisor, derive_seed(decibel, repetition, "data"))
    scores, routes = search_all(X, n_init, derive_seed(decibel, repetition, "solver"))
    return {
        "best": {name: {key: best_number(values) for key, values in scores[name].items()} for name in ALGORITHMS},
        "lowest": {
            name: {key: rounded(-max(scores[name][key].values())) for key in ("XB", "FS")} for name in ALGORITHMS
        },
        "V": {name: [round(scores[name]["V"][k], 3) for k in (2, 3, 4)] for name in ALGORITHMS},
        "routes": {route: grade_route(X, y, partitions, OPTIONS[route]) for route, partitions in routes.items()},
        "objects": {name: grade_objects(X, y, partition) for name, partition in routes["four"].items()},
    }


def make_qpsk(n, decibel, divisor, seed):
    """Features (n, 2) and symbols (n,) of energy 1; data sets of one seed differ only in the scale of the noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(len(SYMBOLS), size=n)
    deviation = np.sqrt(10.0 ** (-decibel / 10.0) / divisor)
    return SYMBOLS[y] + deviation * rng.normal(size=(n, 2)), y


def search_all(X, n_init, seed, indices=INDICES, numbers=None):
    """{algorithm: scores of `search`} and {route: {algorithm: partition}}, the routes being the keys of OPTIONS.

    `numbers` of clusters are tried, {algorithm: ascending numbers}, four among them; by default all of NUMBERS."""
    scores, routes = {}, {"chosen": {}, "printed": {}, "four": {}}
    for place, name in enumerate(ALGORITHMS):
        scores[name], found = search(X, name, n_init, [seed, place], indices, (numbers or {}).get(name, NUMBERS))
        for route, reading in (("chosen", "V"), ("printed", "V printed")):
            routes[route][name] = found[reading][best_number(scores[name][reading])]
        routes["four"][name] = found["V"][4]
    return scores, routes


def best_number(scores):
    """Number of clusters with the largest score; the smallest of several."""
    return max(scores, key=scores.get)


def search(X, name, n_init, entropy, indices=INDICES, numbers=NUMBERS):
    """({index: {number of clusters: best value over the runs}}, {reading of V: {number: best partition}}).

    The sign is changed where small values are good; the readings are "V" and "V printed".
    """
    indices = {
        key: (function, sign)
        for key, (function, sign, crisp, fuzzy) in indices.items()
        if (fuzzy if name in FUZZY else crisp)
    } | {key: (functools.partial(_value, options), 1) for key, options in READINGS.items()}
    scores = {key: {} for key in indices}
    found = {"V": {}, "V printed": {}}
    for k, partition in partitions_of(X, name, n_init, entropy, numbers):
        for key, (function, sign) in indices.items():
            value = sign * function(X, partition)
            if value > scores[key].get(k, -np.inf):
                scores[key][k] = value
                if key in found:
                    found[key][k] = partition
    return scores, found


def partitions_of(X, name, n_init, entropy, numbers=NUMBERS):
    """Yield (number of clusters, partition) for all runs of an algorithm."""
    random, cluster = OVI_CLUSTERERS[name]
    for k in numbers:
        # Fewer runs have the first seeds of more runs.
        for seed in np.random.SeedSequence([*entropy, k]).generate_state(n_init if random else 1):
            yield k, quietly(cluster, X, k, int(seed))


def grade_route(X, y, partitions, options):
    """Measures of one partition per algorithm and of their consensus, by the indices and against the symbols."""
    labels, values = table_of(X, partitions, options)
    consensus = quietly(ovi_lda_consensus, labels, values)
    core = consensus.core
    complete = assign_to_cores(X, consensus.labels) if core.any() else consensus.labels
    stricter = {
        f"T_v = {threshold}": quietly(ovi_lda_consensus, labels, values, min_value=threshold)
        for threshold in (0.5, 1.0)
    }
    components = quietly(ovi_lda_consensus, labels, values, method="components")
    return {
        "algorithms": {
            name: {
                "K": int(labels[:, place].max()) + 1,
                **grade(X, partition),
                "hard": rounded(fukuyama_sugeno(X, harden(partition))) if name in FUZZY else None,
                "core": grade(X[core], partition[core]) if core.any() else {"XB": None, "FS": None},
                "ari": rounded(adjusted_rand_score(y, labels[:, place])),
            }
            for place, (name, partition) in enumerate(partitions.items())
        },
        "consensus": {
            "K": consensus.n_clusters,
            "K components": components.n_clusters,
            **{f"K {key}": result.n_clusters for key, result in stricter.items()},
            "share": rounded(core.mean()),
            # Of all objects in a cluster, including those that do not pass the filter.
            "core": grade(X, consensus.labels) | {"ari": _ari_of_core(y, consensus.labels)},
            "complete": grade(X, complete) | {"ari": _ari_of_core(y, complete)},
        },
    }


def table_of(X, partitions, options):
    """Labels and values of the objects in the partitions, both (n, n_algorithms)."""
    values = [ovi_lda(X, partition, **options).object_values for partition in partitions.values()]
    return np.column_stack([harden(one) for one in partitions.values()]), np.column_stack(values)


def grade(X, partition):
    """Xie-Beni and Fukuyama-Sugeno indices, None if they are not defined."""
    if np.max(partition) < 0:
        return {"XB": None, "FS": None}
    return {"XB": rounded(xie_beni(X, partition)), "FS": rounded(fukuyama_sugeno(X, partition))}


def grade_objects(X, y, partition):
    """How well v, or silhouettes of crisp partitions, find misplaced objects: areas under the ROC curve, or None."""
    labels = harden(partition)
    counts = np.zeros((len(SYMBOLS), labels.max() + 1))
    np.add.at(counts, (y, labels), 1)
    cluster_of = dict(zip(*linear_sum_assignment(-counts), strict=True))
    right = labels == np.array([cluster_of.get(symbol, -1) for symbol in y])
    values = ovi_lda(X, partition).object_values
    known = np.isfinite(values)
    if right[known].all() or not right[known].any():
        return {"wrong": int((~right).sum()), "V": None, "Sil": None}
    areas = {"V": values} if partition.ndim == 2 else {"V": values, "Sil": silhouette_samples(X, labels)}
    return {
        "wrong": int((~right).sum()),
        "V": rounded(roc_auc_score(right[known], areas["V"][known])),
        "Sil": rounded(roc_auc_score(right[known], areas["Sil"][known])) if "Sil" in areas else None,
    }


def harden(partition):
    """Labels 0, 1, ... without gaps from labels or memberships."""
    labels = partition if partition.ndim == 1 else partition.argmax(axis=1)
    return np.unique(labels, return_inverse=True)[1]


def rounded(value):
    """A number with four significant digits; None for NaN and infinity, which JSON cannot hold."""
    return significant(value, 4) if np.isfinite(value) else None


def _ari_of_core(y, labels):
    inside = labels >= 0
    return rounded(adjusted_rand_score(y[inside], labels[inside])) if inside.any() else None


def _value(options, X, partition):
    return ovi_lda(X, partition, **options).value


def quietly(function, *arguments, **options):
    """Call without two warnings: a run that does not converge and a consensus without core count as they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "No two objects")
        return function(*arguments, **options)
