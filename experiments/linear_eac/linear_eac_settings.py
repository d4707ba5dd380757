"""Which settings, lost in the printed text of paper 001 (Section 5), reproduce its columns Mean and Max.

Lost are the number of base clusterings, the range of their numbers of clusters, the normaliser of the NMI and the
number of consensus clusters. The part "members" measures base clusterings against each other, for every size of
ensemble; the part "consensus" measures consensus partitions with several numbers of clusters.
"""

import numpy as np

from robust_eac import density, ensemble_nmi

from ..shared.store import derive_seed, grid
from .linear_eac_data import (
    CHOSEN,
    MEDIUM,
    N_PARTITIONS,
    RANGES,
    SCALINGS,
    SMALL,
    STARTS,
    SYSTEMS,
    VARIANT,
    make_ensemble,
)

VERSION = 1

# The choice does not depend on the large sets, so that they can confirm it.
DATASETS = (*SMALL, *MEDIUM, VARIANT)
# The range that is combined with all scalings.
MAIN = CHOSEN["widths"]
POOL = 100
SIZES = (10, 20, 50, 100)
NORMALISERS = ("geometric", "arithmetic", "max")
CLUSTERS = (10, 15, 20, 25, 30)
GRADED = ("kmeans", "bisecting-kmeans", "sec", "mcla", "ecc", "cspa", "eac-average")
CHOICES = {"datasets": DATASETS}


def cells(*, datasets=DATASETS, widths=tuple(RANGES), starts=tuple(STARTS), scalings=tuple(SCALINGS), repetitions=4):
    """`repetitions` are those of the part "consensus"."""
    members = [
        {"part": "members", "dataset": dataset, "widths": width, "starts": start, "scaling": scaling}
        for dataset in datasets
        for width in widths
        if dataset != VARIANT or width == MAIN
        for start in starts
        for scaling in scalings
        if width == MAIN or scaling == "z"
    ]
    graded = [dataset for dataset in datasets if dataset != VARIANT]
    return members + grid(part=("consensus",), dataset=graded, repetition=range(repetitions))


SMOKE = cells(datasets=("glass",), widths=(MAIN,), starts=("random",), scalings=("z",), repetitions=1)


def run_one(*, part, **config):
    """{size: columns} for the part "members", {system: lists over CLUSTERS} for the part "consensus"."""
    return PARTS[part](**config)


def grade_members(*, dataset, widths, starts, scaling):
    """Mean and Max for ensembles of every size, averaged over the disjoint ensembles in the pool."""
    labels = make_ensemble(
        dataset, POOL, widths=widths, starts=starts, scaling=scaling, seed=derive_seed(0, 0, "ensemble")
    )
    information, entropies, densities = pairwise(labels)
    similar = {name: similarities(information, entropies, name) for name in NORMALISERS}
    result = {}
    for size in SIZES:
        blocks = [slice(start, start + size) for start in range(0, POOL - size + 1, size)]
        columns = {}
        for name, values in similar.items():
            with_itself = [values[block, block].mean(axis=1) for block in blocks]
            columns[name] = mean_and_max(with_itself)
            columns[f"{name}, others"] = mean_and_max([(size * row - 1.0) / (size - 1) for row in with_itself])
        columns["density"] = mean_and_max([densities[block, block].mean(axis=1) for block in blocks])
        result[str(size)] = columns
    return result


def grade_consensus(*, dataset, repetition):
    """Ensemble NMI and density of every system by the number of consensus clusters, in percent."""
    labels = make_ensemble(dataset, N_PARTITIONS, seed=derive_seed(1, repetition, "ensemble"), **CHOSEN)
    result = {}
    for name in GRADED:
        grades = []
        for n_clusters in CLUSTERS:
            found = SYSTEMS[name](labels, n_clusters, random_state=derive_seed(1, repetition, "solver"))
            nmi = ensemble_nmi(labels, found, average="geometric")
            grades.append([nmi, density(labels, found), density(labels, found, singleton=1.0)])
        columns = np.round(100.0 * np.array(grades).T, 2).tolist()
        result[name] = dict(zip(("nmi", "density", "density_singletons_one"), columns, strict=True))
    return result


def mean_and_max(rows):
    """[mean, max] over the members of an ensemble, averaged over ensembles, in percent."""
    return [round(100.0 * float(np.mean([f(row) for row in rows])), 2) for f in (np.mean, np.max)]


def similarities(information, entropies, normaliser):
    """Normalised mutual information (m, m) of the partitions with each other."""
    a, b = entropies[:, np.newaxis], entropies
    scale = {"geometric": np.sqrt(a * b), "arithmetic": (a + b) / 2.0, "max": np.maximum(a, b)}[normaliser]
    return information / scale


def pairwise(labels):
    """Mutual information (m, m) and entropies (m,) of the partitions, and a matrix (m, m) of densities.

    Entry (u, v) of that matrix is what partition v contributes to the density of u: the density is the mean over v.
    """
    n, m = labels.shape
    sizes = [np.bincount(column) for column in labels.T]
    entropies = np.array([_entropy(size / n) for size in sizes])
    information, densities = np.diag(entropies), np.empty((m, m))
    for u in range(m):
        codes = labels[:, u].astype(np.intp)
        for v in range(u, m):
            k, l = len(sizes[u]), len(sizes[v])  # noqa: E741
            counts = np.bincount(codes * l + labels[:, v], minlength=k * l).reshape(k, l)
            if v > u:
                together = entropies[u] + entropies[v] - _entropy(counts.ravel() / n)
                information[u, v] = information[v, u] = together
            pairs = counts * (counts - 1.0)
            densities[u, v] = _density(pairs.sum(axis=1), sizes[u])
            densities[v, u] = _density(pairs.sum(axis=0), sizes[v])
    return information, entropies, densities


def _entropy(shares):
    shares = shares[shares > 0.0]
    return -float(shares @ np.log(shares))


def _density(pairs, sizes):
    """Mean over the objects of the density of their cluster, which is 0 for singletons."""
    several = sizes > 1
    return float((pairs[several] / (sizes[several] - 1.0)).sum() / sizes.sum())


PARTS = {"members": grade_members, "consensus": grade_consensus}
