"""The printed numbers of paper 003 and the results of its experiments."""

import numpy as np

from experiments.threshold_eac.threshold_eac import SETTINGS

from ..records import distinct, printed_table, results

# The paper's data and the records that stand for them: points re-created in every repetition, and a public copy.
POINT_SETS = {
    "half-rings": ("half-rings", "half-rings-file"),
    "spiral": ("spiral", "spiral-file"),
    "uniform-5d": ("uniform-5d",),
    "normal-5d": ("normal-5d",),
    "iris": ("iris",),
}
SET_NAMES = {
    "half-rings": "half rings, re-created",
    "half-rings-file": "half rings, public copy",
    "spiral": "spirals, re-created",
    "spiral-file": "spirals, public copy",
    "uniform-5d": "uniform, 5-D",
    "normal-5d": "Gaussian, 5-D",
    "iris": "iris",
    "iris-standardised": "iris, standardised",
}
# The paper's data that a set of points stands for.
STANDS_FOR = {name: dataset for dataset, names in POINT_SETS.items() for name in names} | {"iris-standardised": "iris"}
# What "k-means" may mean, in words; docs/papers/threshold_eac.md says where each comes from.
READINGS = {
    "converged": "Lloyd from objects",
    "box-refilled": "Lloyd from the box refilled",
    "box-empty": "Lloyd from the box unfilled",
    "macqueen": "MacQueen in order",
    "macqueen-shuffled": "MacQueen shuffled",
}
PRINTED = {
    "half-rings": "threshold_eac_table1_halfrings",
    "spiral": "threshold_eac_table2_spiral",
    "uniform-5d": "threshold_eac_table3_random5d",
    "iris": "threshold_eac_table4_iris_clusters",
}
PRINTED_CONSISTENCY = "threshold_eac_table5_iris_consistency"
SIZES = {"half-rings": 400, "half-rings-file": 400, "spiral": 200, "spiral-file": 200, "iris": 150}


def readings(records, dataset, ways=READINGS):
    """(point set, way of k-means), as far as there are records."""
    known = distinct(records, "dataset", "kmeans")
    return [(name, way) for name in POINT_SETS[dataset] for way in ways if (name, way) in known]


def at(result, dataset, k, threshold, measure="n"):
    """One entry of a cell: number of clusters (or another measure) at k and threshold."""
    return result[str(k)][measure][SETTINGS[dataset][1].index(threshold)]


def is_starred(result, dataset, k, threshold):
    """Table 3's mark: all but one or two objects in one cluster, each of these alone."""
    outside = at(result, dataset, k, threshold, "outside")
    return 1 <= outside <= 2 and at(result, dataset, k, threshold) == outside + 1


def consistency(result, dataset, k, threshold):
    """Consistency index against the classes."""
    return 1.0 - at(result, dataset, k, threshold, "wrong") / SIZES.get(dataset, SIZES["iris"])


def printed_cells(name):
    """{(k, threshold): printed text} of one of the paper's tables."""
    cells = [(column, row["t"], text) for row in printed_table(name) for column, text in row.items() if column != "t"]
    return {(int(column.removeprefix("k=")), float(t)): text for column, t, text in cells}


def matching_cells(records, dataset, kmeans, printed, value=at, tolerance=0.0):
    """Number of printed cells that the median over repetitions equals, and number of printed cells.

    `value(result, dataset, k, threshold)` gives the reproduced number, `printed` maps (k, threshold) to the printed
    text, which may have a mark."""
    found = results(records, dataset=dataset, kmeans=kmeans)
    ours = {key: np.median([value(result, dataset, *key) for result in found]) for key in printed}
    equal = [abs(ours[key] - float(text.rstrip("*"))) <= tolerance + 1e-9 for key, text in printed.items()]
    return sum(equal), len(equal)


def spread(values, digits=0):
    """Median and range: ``2 (1-3)``, or the value alone where all are equal."""
    low, middle, high = (f"{v:.{digits}f}" for v in (min(values), np.median(values), max(values)))
    if digits == 0:
        middle = f"{np.median(values):g}"
    return middle if low == high else f"{middle} ({low}-{high})"
