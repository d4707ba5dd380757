"""The printed numbers of paper 003, the results of its experiments, and how rules judge them.

A rule asks, repetition by repetition, whether what the paper says happened, under every reading of what the paper
leaves open: the points (or the distances), and the way of k-means. Stopping early is no reading: which pass to stop
after could only be chosen by what is printed."""

import math
from collections import Counter
from functools import partial

import numpy as np

from experiments.threshold_eac.threshold_eac import DEFAULT, SETTINGS

from ..claim import by_reading, verdict_of
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
    cells = [(column, row["t"], text) for row in printed_table(name) for column, text in row.items() if column != "t"]
    return {(int(column.removeprefix("k=")), float(t)): text for column, t, text in cells}


def printed_numbers(dataset):
    """{(k, threshold): number of clusters} as printed, without the marks."""
    return {key: int(text.rstrip("*")) for key, text in printed_cells(PRINTED[dataset]).items()}


def printed_consistency():
    """{(k, threshold): consistency index} as printed."""
    return {key: float(text) for key, text in printed_cells(PRINTED_CONSISTENCY).items()}


def printed_rows(dataset):
    """A list of rows with the printed numbers of clusters, and as many wrong objects as the printed index says."""
    (ks, thresholds), numbers = SETTINGS[dataset], printed_numbers(dataset)
    wrong = {}
    if dataset == "iris":
        wrong = {key: math.ceil((1.0 - index) * SIZES["iris"] - 1e-9) for key, index in printed_consistency().items()}
    parts = {"n": numbers, "wrong": wrong}
    result = {str(k): {part: [of.get((k, t)) for t in thresholds] for part, of in parts.items()} for k in ks}
    return [[{"config": {"dataset": dataset, "kmeans": "converged"}, "result": result}]]


RINGS, ARMS, IRIS = (partial(printed_rows, name) for name in ("half-rings", "spiral", "iris"))


def matching_cells(records, dataset, kmeans, printed, value=at, tolerance=0.0):
    """Number of printed cells that the median over repetitions equals, and number of printed cells.

    `value(result, dataset, k, threshold)` gives the reproduced number, `printed` maps (k, threshold) to the printed
    one."""
    found = results(records, dataset=dataset, kmeans=kmeans)
    ours = {key: np.median([value(result, dataset, *key) for result in found]) for key in printed}
    equal = [abs(ours[key] - number) <= tolerance + 1e-9 for key, number in printed.items()]
    return sum(equal), len(equal)


def spread(values, digits=0):
    """Median and range: ``2 (1-3)``, or the value alone where all are equal."""
    low, middle, high = (f"{v:.{digits}f}" for v in (min(values), np.median(values), max(values)))
    if digits == 0:
        middle = f"{np.median(values):g}"
    return middle if low == high else f"{middle} ({low}-{high})"


def rows_of(records, *datasets):
    """The rows that stand for these data sets of the paper."""
    names = [name for dataset in datasets for name in POINT_SETS[dataset]]
    return [row for row in records if row["config"]["dataset"] in names]


def readings_of(records, dataset):
    """{reading: results}, for the readings that have records."""
    return {(name, way): results(records, dataset=name, kmeans=way) for name, way in readings(records, dataset)}


def shares_of(records, dataset, happened):
    """{reading: share of the repetitions with happened(result, point set), or of the cells where that is a list}."""
    found = readings_of(records, dataset)
    return {reading: float(np.mean([happened(run, reading[0]) for run in runs])) for reading, runs in found.items()}


def plain_shares(records, dataset, happened):
    """The same for methods without an ensemble, in which no k-means is to be read."""
    found = {(name, None): results(records, dataset=name) for name in POINT_SETS[dataset]}
    return {reading: float(np.mean([happened(run) for run in runs])) for reading, runs in found.items() if runs}


def in_words(values, form="{:.0%}"):
    """The value of every reading in words, points by points."""
    by_points = {}
    for (name, way), value in values.items():
        by_points.setdefault(POINTS.get(name, ""), []).append(f"{READINGS.get(way, '')} {form.format(value)}".strip())
    return "; ".join(f"{points}: {', '.join(texts)}".removeprefix(": ") for points, texts in by_points.items())


def judge(met, evidence):
    """Finding from {reading: what :func:`verdict_of` takes}, in as few words as distinguish the readings."""
    return by_reading(_in_words({reading: verdict_of(of) for reading, of in met.items()}), evidence)


def _in_words(met):
    """{words: verdict}: by points where these decide; with them where they change a way of k-means."""
    by_points, by_way = {}, {}
    for (name, way), verdict in met.items():
        by_points.setdefault(POINTS.get(name, ""), set()).add(verdict)
        by_way.setdefault(way, set()).add(verdict)
    if all(len(found) == 1 for found in by_points.values()):
        return {points: verdict for points, (verdict,) in by_points.items()}
    return {
        READINGS[way] + (f" on {POINTS[name]}" if len(by_way[way]) > 1 else ""): verdict
        for (name, way), verdict in met.items()
    }


def counted(shares, what, after=""):
    """Finding from the shares of the cases, by reading."""
    return judge(shares, f"{what}: {in_words(shares)}.{after and ' ' + after}")


def cells_equal(records, dataset, printed, value=at, tolerance=0.0):
    """Finding from the share of the printed cells that the median over the runs equals."""
    counts = {key: matching_cells(records, *key, printed, value, tolerance)[0] for key in readings(records, dataset)}
    shares = {reading: count / len(printed) for reading, count in counts.items()}
    return judge(shares, f"Printed cells of {len(printed)} that come out: {in_words(counts, '{}')}.")


def recovers(*ks, thresholds=(DEFAULT,)):
    """Whether the classes are found exactly, at one of these k, or at any k of the table."""

    def happened(result, name):
        return any(at(result, name, k, t, "wrong") == 0 for k in ks or SETTINGS[name][0] for t in thresholds)

    return happened


def narrows(result, name):
    ks, thresholds = SETTINGS[name]
    ranges = [sum(at(result, name, k, t) == 2 for k in ks) for t in thresholds]
    return ranges[0] > ranges[-1] and all(np.diff(ranges) <= 0)


def scaled(result, name):
    return result["80"]["links"][1] < result["30"]["links"][1] and at(result, name, 80, DEFAULT) > 2


def plateau(numbers):
    """The last number that three successive entries share; None without any."""
    runs = [a for a, b, c in zip(numbers, numbers[1:], numbers[2:], strict=False) if a == b == c]
    return runs[-1] if runs else None


def is_setosa(result, name, k, threshold):
    """Two clusters that leave 50 of 150 wrong: one is a class, the other the other two classes."""
    return at(result, name, k, threshold) == 2 and at(result, name, k, threshold, "wrong") == 50


def is_mode(number, values):
    counts = Counter(values)
    return bool(counts) and counts[number] == max(counts.values())


def stable_three(result, name):
    cells = [(k, t) for k in SETTINGS[name][0] for t in SETTINGS[name][1] if at(result, name, k, t) == 3]
    return len(cells) >= 2 and is_mode(0.84, [round(consistency(result, name, k, t), 2) for k, t in cells])


def best_by_k(result, name):
    ks, thresholds = SETTINGS[name]
    return {k: max(consistency(result, name, k, t) for t in thresholds) for k in ks}


def best_at_three(result, name):
    best = best_by_k(result, name)
    return best[3] >= max(best.values())
