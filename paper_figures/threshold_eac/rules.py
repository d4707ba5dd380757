"""What the rules of paper 003's claims share.

A rule asks, repetition by repetition, whether what the paper says happened, under every reading of what the paper
leaves open: what "k-means" means, and the points of the half rings and of the spirals, re-created or a public copy.
Stopping k-means early is shown beside the printed tables and is not a reading: which pass to stop after could only be
chosen by what is printed.

A reading is a pair: the points (or the distances), and the way of k-means.
"""

from collections import Counter

import numpy as np

from experiments.threshold_eac.threshold_eac import DEFAULT, SETTINGS

from ..claim import by_reading
from ..records import results
from .cells import POINT_SETS, POINTS, READINGS, at, consistency, matching_cells, readings

STOPPED = ("stopped-1", "stopped-2", "stopped-3", "stopped-5")


def rows_of(records, *datasets):
    """The rows that stand for these data sets of the paper."""
    names = [name for dataset in datasets for name in POINT_SETS[dataset]]
    return [row for row in records if row["config"]["dataset"] in names]


def readings_of(records, dataset):
    """{reading: results}, for the readings that have records."""
    return {(name, way): results(records, dataset=name, kmeans=way) for name, way in readings(records, dataset)}


def shares_of(records, dataset, happened):
    """{reading: share of the repetitions with happened(result, point set), or of the cells where that is a list}."""
    return {
        (name, way): float(np.mean([happened(run, name) for run in runs]))
        for (name, way), runs in readings_of(records, dataset).items()
    }


def plain_shares(records, dataset, happened):
    """The same for methods without an ensemble, in which no k-means is to be read."""
    found = {(name, None): results(records, dataset=name) for name in POINT_SETS[dataset]}
    return {reading: float(np.mean([happened(run) for run in runs])) for reading, runs in found.items() if runs}


def told(values, form="{:.0%}"):
    """The value of every reading in words, points by points."""
    by_points = {}
    for (name, way), value in values.items():
        by_points.setdefault(POINTS.get(name, ""), []).append(f"{READINGS.get(way, '')} {form.format(value)}".strip())
    return "; ".join(f"{points}: {', '.join(texts)}".removeprefix(": ") for points, texts in by_points.items())


def judge(met, evidence):
    """Finding from {reading: whether the claim holds}, by as few words as tell the readings apart."""
    return by_reading(_in_words(met), evidence)


def _in_words(met):
    """{words: whether the claim holds}: by points where these decide; with them where they change a way of k-means."""
    by_points, by_way = {}, {}
    for (name, way), holds in met.items():
        by_points.setdefault(POINTS.get(name, ""), set()).add(holds)
        by_way.setdefault(way, set()).add(holds)
    if all(len(found) == 1 for found in by_points.values()):
        return {points: holds for points, (holds,) in by_points.items()}
    return {
        READINGS[way] + (f" on {POINTS[name]}" if len(by_way[way]) > 1 else ""): holds
        for (name, way), holds in met.items()
    }


def counted(shares, misses, what, after=""):
    """Finding that the share of what is counted is at least 1 - misses, by reading."""
    met = {reading: share >= 1.0 - misses - 1e-9 for reading, share in shares.items()}
    return judge(met, f"{what}: {told(shares)}.{after and ' ' + after}")


def cells_equal(records, dataset, printed, misses, value=at, tolerance=0.0):
    """Finding that the share of the printed cells that the median over the runs equals is at least 1 - misses."""

    def equal(name, way):
        return matching_cells(records, name, way, printed, value, tolerance)[0]

    counts = {reading: equal(*reading) for reading in readings(records, dataset)}
    stopped = [
        f"{', '.join(filter(None, (f'after {way[-1]}', POINTS.get(name))))}: {equal(name, way)}"
        for name, way in readings(records, dataset, STOPPED)
    ]
    shown = f" k-means stopped early, not judged, by passes: {'; '.join(stopped)}." if stopped else ""
    met = {reading: count / len(printed) >= 1.0 - misses - 1e-9 for reading, count in counts.items()}
    return judge(met, f"Printed cells of {len(printed)} that come out: {told(counts, '{}')}.{shown}")


def recovers(*ks, threshold=DEFAULT):
    """Whether the classes are found exactly, at one of these k, or at any k of the table."""

    def happened(result, name):
        return any(at(result, name, k, threshold, "wrong") == 0 for k in ks or SETTINGS[name][0])

    return happened


def narrows(result, name):
    ks, thresholds = SETTINGS[name]
    ranges = [sum(at(result, name, k, t) == 2 for k in ks) for t in thresholds]
    return ranges[0] > ranges[-1] and all(np.diff(ranges) <= 0)


def scaled(result, name):
    return result["80"]["links"][1] < result["30"]["links"][1] and at(result, name, 80, DEFAULT) > 2


def plateau(numbers, length=3):
    """The last number that `length` successive entries share; None without any."""
    runs = [numbers[i] for i in range(len(numbers) - length + 1) if len(set(numbers[i : i + length])) == 1]
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
