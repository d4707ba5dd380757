"""What the rules of paper 003's claims share.

A rule asks, repetition by repetition, whether what the paper says happened, under every reading of what the paper
leaves open: the points of the half rings and of the spirals, re-created or a public copy; and how k centres are
"randomly selected", k of the objects or k points of the box around the data. k-means runs until it has converged.
Stopping it early is shown beside the printed tables and is not a reading: which pass to stop after could only be chosen
by what is printed. Centres from the box have few runs: with four, all but a tenth are all four.
"""

from collections import Counter

import numpy as np

from experiments.threshold_eac.threshold_eac import DEFAULT, SETTINGS

from ..claim import by_reading
from ..records import results
from .cells import POINT_SETS, at, consistency, matching_cells

POINTS = {
    "half-rings": "re-created points",
    "half-rings-file": "public copy",
    "spiral": "re-created points",
    "spiral-file": "public copy",
}
STARTS = {"converged": "objects as centres", "box": "box points as centres"}
STOPPED = (1, 2, 3, 5)


def rows_of(records, *datasets):
    """The rows that stand for these data sets of the paper."""
    names = [name for dataset in datasets for name in POINT_SETS[dataset]]
    return [row for row in records if row["config"]["dataset"] in names]


def readings_of(records, dataset):
    """{(point set, way of k-means): results}, for the readings that have records."""
    found = {(name, way): results(records, dataset=name, kmeans=way) for name in POINT_SETS[dataset] for way in STARTS}
    return {reading: runs for reading, runs in found.items() if runs}


def in_words(name, way, runs):
    """A reading in words, with its number of runs."""
    return f"{STARTS[way]} ({', '.join(filter(None, (POINTS.get(name), f'{len(runs)} runs')))})"


def shares_of(records, dataset, happened):
    """{reading: share of the repetitions with happened(result, point set), or of the cells where that is a list}."""
    return {
        in_words(name, way, runs): float(np.mean([happened(run, name) for run in runs]))
        for (name, way), runs in readings_of(records, dataset).items()
    }


def plain_shares(records, dataset, happened):
    """The same for methods without an ensemble: {points: share of the repetitions}."""
    found = {POINTS[name]: results(records, dataset=name) for name in POINT_SETS[dataset]}
    return {words: float(np.mean([happened(run) for run in runs])) for words, runs in found.items() if runs}


def told(shares):
    """The shares in words."""
    return "; ".join(f"{words} {share:.0%}" for words, share in shares.items())


def counted(shares, misses, what, after=""):
    """Finding that the share of what is counted is at least 1 - misses, by reading."""
    met = {words: share >= 1.0 - misses - 1e-9 for words, share in shares.items()}
    return by_reading(met, f"{what}: {told(shares)}.{after and ' ' + after}")


def cells_equal(records, dataset, printed, misses, value=at, tolerance=0.0):
    """Finding that the share of the printed cells that the median over the runs equals is at least 1 - misses."""

    def equal(name, way):
        return matching_cells(records, name, way, printed, value, tolerance)[0]

    counts = {in_words(*reading, runs): equal(*reading) for reading, runs in readings_of(records, dataset).items()}
    stopped = [
        f"{', '.join(filter(None, (f'after {n}', POINTS.get(name))))}: {equal(name, f'stopped-{n}')}"
        for name in POINT_SETS[dataset]
        for n in STOPPED
        if results(records, dataset=name, kmeans=f"stopped-{n}")
    ]
    shown = f" k-means stopped early, not judged, by passes: {'; '.join(stopped)}." if stopped else ""
    return by_reading(
        {words: count / len(printed) >= 1.0 - misses - 1e-9 for words, count in counts.items()},
        f"Printed cells of {len(printed)} that come out: {'; '.join(f'{w} {n}' for w, n in counts.items())}.{shown}",
    )


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
