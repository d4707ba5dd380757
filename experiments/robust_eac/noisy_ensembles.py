"""Consensus of k-means and mixed ensembles with a share of random partitions (paper 002, Section 4).

A cell is one data set, kind of ensemble, repetition and share of noise. Every weighting sees the same ensemble. A
repetition draws its own points of a synthetic data set.
"""

from functools import lru_cache

import numpy as np

from robust_eac import (
    L2,
    KMeansEnsemble,
    MixedEnsemble,
    RestrictedSimplex,
    adjusted_rand_score,
    corrupt_ensemble,
    h_criterion,
    normalized_mutual_information,
    solve_median_partition,
)
from robust_eac.ensembles.corruption import KINDS

from ..shared.ensembles import Settings, load_features, weigh
from ..shared.store import ENSEMBLE, checksum, derive_seed, grid

VERSION = 3

# Table 1 of the paper: number of clusters of the consensus, and its range in the base clusterings.
SETTINGS = Settings(
    {
        "spiral": (2, (2, 10)),
        "cigar": (4, (2, 10)),
        "rings": (3, (2, 10)),
        "image-c": (7, (7, 40)),
        "image-1": (8, (8, 40)),
        "iris": (3, (3, 20)),
        "wine": (3, (4, 20)),
        "house-votes": (2, (2, 20)),
        "ionosphere": (2, (4, 20)),
        "std-yeast-cell": (5, (5, 20)),
        "breast-cancer": (2, (2, 20)),
        "optdigits": (10, (10, 50)),
    }
)
# Their features have different units, or are binary beside a constant one. The paper does not mention a scaling.
STANDARDISED = ("wine", "house-votes", "ionosphere")
ENSEMBLES = {"kmeans": KMeansEnsemble, "mixed": MixedEnsemble}
SIZES = {"kmeans": 150, "mixed": 56}
WEIGHTINGS = ("uniform", "restricted-simplex", "l2")
FRACTIONS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
CHOICES = {"noise": tuple(KINDS)}


def cells(
    *,
    datasets=tuple(SETTINGS),
    ensembles=tuple(ENSEMBLES),
    repetitions=20,
    fractions=FRACTIONS,
    weightings=WEIGHTINGS,
    noise="uniform",
    n_partitions: int | None = None,
    k_range: tuple[int, int] | None = None,
    n_clusters: int | None = None,
    rho: float | None = None,
    lam: float | None = None,
):
    """The default of a parameter that is none depends on the ensemble or the data set, as in the paper.

    n_partitions : 150 in k-means ensembles, 56 in mixed ones. k_range : smallest and largest number of clusters of a
    base clustering. n_clusters : number of clusters of the consensus. rho : largest weight with "restricted-simplex",
    so that at least 1 / rho partitions keep weight; 1 / (0.8 m) for m partitions. lam : lambda of "l2" in
    units of n^2; 0.5. weightings : those of the paper; on data of your own, name "chance-corrected", too, which needs
    neither a share of good partitions nor a lambda.

    A file has a header and the classes in the column label, or CLASS_COLUMN; its other columns are numbers, and are
    standardised. By default the consensus has as many clusters as there are classes, k, and base clusterings have k to
    10 for points in the plane, otherwise to 20, 40 or 50 for up to 6, 8 or more classes, and at least to 2 k.

    MODULE:NAME is a function or object of a module in the current folder or in PYTHONPATH: of the losses of the
    partitions, of labels if it has the keywords X and random_state, or MODULE:CLASS(...) for a subclass of Weighting. A
    function returns a weight per partition, non-negative and not all zero; they are normalised.
    """
    sizes = [SIZES[name] if n_partitions is None else n_partitions for name in ensembles]
    for m in sizes:
        for weighting in (RestrictedSimplex(rho), L2(lam)):
            # Checks the parameter.
            weighting.ready(m, 1.0, None)
    if k_range is not None and not len(k_range) == 2 <= k_range[0] <= k_range[1]:
        raise ValueError(f"k_range must be two numbers from 2 on, the smaller first, got {k_range}.")
    more = {"noise": noise, "weightings": weightings, "n_partitions": n_partitions, "k_range": k_range}
    more |= {"n_clusters": n_clusters, "rho": rho, "lam": lam}
    usual = run_one.__kwdefaults__ | noisy_ensemble.__kwdefaults__
    changed = {name: value for name, value in more.items() if value != usual[name]}
    # The share of noise varies fastest: a worker that gets several cells in a row makes their ensemble once.
    axes = {"dataset": datasets, "ensemble": ensembles, "repetition": range(repetitions), "fraction": fractions}
    return [cell | changed for cell in grid(**axes)]


def run_one(
    *, dataset, ensemble, repetition, fraction, weightings=WEIGHTINGS, n_clusters=None, rho=None, lam=None, **made
):
    """As :func:`measures`."""
    made = noisy_ensemble(dataset, ensemble, repetition, fraction, **made)
    return measures(*made, dataset, repetition, weightings, n_clusters, rho, lam)


def measures(
    labels, corrupted, y, dataset, repetition, weightings=WEIGHTINGS, n_clusters=None, rho=None, lam=None, n_init=10
):
    """{weighting: as :func:`measures_of`}."""
    known = {"restricted-simplex": RestrictedSimplex(rho), "l2": L2(None if lam is None else lam * len(y) ** 2)}
    result = {}
    for weighting in weightings:
        consensus = consensus_of(labels, dataset, repetition, known.get(weighting, weighting), n_clusters, n_init)
        result[weighting] = measures_of(consensus, labels, corrupted, y)
    return result


def measures_of(consensus, labels, corrupted, y):
    """Agreement of a consensus with the classes, weight of random partitions, state of the solver, the ensemble."""
    return {
        "h": round(h_criterion(y, consensus.labels), 6),
        "ari": round(adjusted_rand_score(y, consensus.labels), 6),
        "nmi": round(normalized_mutual_information(y, consensus.labels), 6),
        "noise_weight": round(float(consensus.weights[corrupted].sum()), 6),
        "n_weighted": int(np.count_nonzero(consensus.weights)),
        "objective": round(consensus.objective / len(y) ** 2, 9),
        "gap": float(f"{consensus.gap:.2e}"),
        "n_iter": consensus.n_iter,
        "converged": bool(consensus.converged),
        ENSEMBLE: checksum(labels),
    }


def noisy_ensemble(dataset, ensemble, repetition, fraction, *, noise="uniform", n_partitions=None, k_range=None):
    """An ensemble of which a share is replaced, which partitions are replaced, and the classes."""
    clean, y = make_ensemble(dataset, ensemble, repetition, n_partitions, k_range and tuple(k_range))
    return *corrupt_ensemble(clean, fraction, derive_seed(0, repetition, "corruption"), kind=noise), y


def consensus_of(labels, dataset, repetition, weighting, n_clusters=None, n_init=10):
    """The median partition of an ensemble of a data set, by default with the number of clusters of the paper."""
    n_clusters = SETTINGS[dataset][0] if n_clusters is None else n_clusters
    seed = derive_seed(0, repetition, "solver")
    weighting = weigh(weighting, labels, lambda: _features(dataset, repetition)[0], seed)
    return solve_median_partition(labels, n_clusters, weighting=weighting, n_init=n_init, random_state=seed)


def _features(dataset, repetition):
    return load_features(dataset, STANDARDISED, derive_seed(0, repetition, "data"))


@lru_cache(maxsize=1)
def make_ensemble(dataset, ensemble, repetition, n_partitions=None, k_range=None):
    """The clean ensemble of a repetition, and the classes; by default with the sizes of the paper."""
    X, y = _features(dataset, repetition)
    model = ENSEMBLES[ensemble](
        SIZES[ensemble] if n_partitions is None else n_partitions,
        SETTINGS[dataset][1] if k_range is None else k_range,
        random_state=derive_seed(0, repetition, "ensemble"),
    )
    return model.fit_transform(X), y


_SHOWN = {"fractions": (0.0, 0.2, 0.6, 0.9), "weightings": (*WEIGHTINGS, "chance-corrected")}
SMOKE = cells(datasets=("iris", "wine"), repetitions=2, **_SHOWN)
