"""What paper 003 prints, and what the records of its experiments hold."""

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
# What "k-means" may mean, in words; settings.md says where each comes from.
READINGS = {
    "converged": "Lloyd from objects",
    "box-refilled": "Lloyd from the box refilled",
    "box-empty": "Lloyd from the box unfilled",
    "macqueen": "MacQueen in order",
    "macqueen-shuffled": "MacQueen shuffled",
}
# What may stand for the paper's points, or for its distances.
POINTS = {
    "half-rings": "re-created points",
    "half-rings-file": "the public copy",
    "spiral": "re-created points",
    "spiral-file": "the public copy",
    "distance": "distances as printed",
    "square": "squared distances",
}
PRINTED = {
    "half-rings": "threshold_eac_table1_halfrings",
    "spiral": "threshold_eac_table2_spiral",
    "uniform-5d": "threshold_eac_table3_random5d",
    "iris": "threshold_eac_table4_iris_clusters",
}
PRINTED_CONSISTENCY = "threshold_eac_table5_iris_consistency"
PRINTED_COMPONENTS = {"half-rings": 10, "spiral": 24}
PRINTED_SINGLE = 0.68
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
    return {
        (int(column.removeprefix("k=")), float(row["t"])): text
        for row in printed_table(name)
        for column, text in row.items()
        if column != "t"
    }


def printed_numbers(dataset):
    """{(k, threshold): number of clusters} as printed, without the marks."""
    return {key: int(text.rstrip("*")) for key, text in printed_cells(PRINTED[dataset]).items()}


def printed_consistency():
    """{(k, threshold): consistency index} as printed."""
    return {key: float(text) for key, text in printed_cells(PRINTED_CONSISTENCY).items()}


def matching_cells(records, dataset, kmeans, printed, value=at, tolerance=0.0):
    """Number of printed cells that the median over repetitions equals, and number of printed cells.

    `value(result, dataset, k, threshold)` gives the reproduced number, `printed` maps (k, threshold) to the printed
    one.
    """
    found = results(records, dataset=dataset, kmeans=kmeans)
    equal = [
        abs(np.median([value(result, dataset, k, t) for result in found]) - number) <= tolerance + 1e-9
        for (k, t), number in printed.items()
    ]
    return sum(equal), len(equal)


def spread(values, digits=0):
    """Median and range: ``2 (1-3)``, or the value alone where all are equal."""
    low, middle, high = (f"{v:.{digits}f}" for v in (min(values), np.median(values), max(values)))
    if digits == 0:
        middle = f"{np.median(values):g}"
    return middle if low == high else f"{middle} ({low}-{high})"
