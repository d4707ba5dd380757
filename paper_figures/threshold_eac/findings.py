"""How often what paper 003 says happens in the runs, by reading."""

from collections import Counter
from statistics import mode

import numpy as np

from experiments.threshold_eac.threshold_eac import DEFAULT, ON_THE_WAY, SETTINGS
from experiments.threshold_eac.threshold_gaussians import KS, THRESHOLDS

from ..markdown import table
from ..records import results
from . import cells

RINGS, SPIRALS = cells.POINT_SETS["half-rings"], cells.POINT_SETS["spiral"]
PRINTED_RANDOM = cells.printed_cells(cells.PRINTED["uniform-5d"])
ONE_CLUSTER = [key for key, text in PRINTED_RANDOM.items() if text == "1" or text.endswith("*")]
TWO_CLUSTERS = [key for key, text in cells.printed_cells(cells.PRINTED["spiral"]).items() if text == "2"]
FROM_90 = ON_THE_WAY.index(90)
# The distance of the record that stands for a printed one, if that is a square.
ROOTS = {3.0: 1.732, 4.0: 2.0, 5.0: 2.236, 6.0: 2.449, 8.0: 2.828}


def _found(result, name, ks, thresholds):
    return any(cells.at(result, name, k, t, "wrong") == 0 for k in ks for t in thresholds)


def _one_cluster(result, name):
    return [cells.at(result, name, *key) == 1 or cells.is_starred(result, name, *key) for key in ONE_CLUSTER]


def _at(result, name, k):
    return cells.at(result, name, k, DEFAULT)


def _by_k(result, name):
    return [result[str(k)] for k in SETTINGS[name][0]]


def _setosa(result, name):
    # Two clusters that leave 50 of 150 wrong: one is a class, the other the other two classes.
    found = [pair for cell in _by_k(result, name) for pair in zip(cell["n"], cell["wrong"], strict=True)]
    return found.count((2, 50)) > max(Counter(n for n, _ in found if n != 2).values(), default=0)


def _three(result, name):
    high = SETTINGS[name][1].index(0.7)
    numbers = Counter(n for cell in _by_k(result, name) for n in cell["n"][high:] if n != 2)
    return numbers[3] == max(numbers.values(), default=1)


def _narrows(result, name):
    counts = [sum(numbers) for numbers in np.transpose([np.equal(cell["n"], 2) for cell in _by_k(result, name)])]
    return counts == sorted(counts, reverse=True) and counts[-1] < counts[0]


def _stable(result, name):
    """Are there two clusters at t = 0.5 the last time that three successive k have the same number?"""
    numbers = [cells.at(result, name, k, DEFAULT) for k in SETTINGS[name][0]]
    plateaus = [a for a, b, c in zip(numbers, numbers[1:], numbers[2:], strict=False) if a == b == c]
    return plateaus[-1:] == [2]


def _stable_three(result, name):
    found = [pair for cell in _by_k(result, name) for pair in zip(cell["n"], cell["wrong"], strict=True)]
    counts = Counter(wrong for n, wrong in found if n == 3)
    # An index of .84 is 24 of 150.
    return 1 < counts[24] == max(counts.values())


def _best_at_three(result, name):
    fewest = [min(cell["wrong"]) for cell in _by_k(result, name)]
    return fewest[SETTINGS[name][0].index(3)] == min(fewest)


# What, point sets, happened(result, point set): a truth, or a list of them.
OF_RUNS = (
    ("classes found by some k, t = 0.5", RINGS + SPIRALS, lambda r, d: _found(r, d, SETTINGS[d][0], [DEFAULT])),
    ("classes found by k = 20, some t", RINGS, lambda r, d: _found(r, d, [20], SETTINGS[d][1])),
    ("classes found by k = 15, t = 0.5", RINGS, lambda r, d: _found(r, d, [15], [DEFAULT])),
    ("k = 15: links in a ring have more votes than between", RINGS, lambda r, _: np.diff(r["15"]["links"])[0] > 0),
    ("higher t: fewer k with two clusters", RINGS, _narrows),
    ("t = 0.5: over two clusters at k = 20, not 15", RINGS, lambda r, d: _at(r, d, 20) > 2 >= _at(r, d, 15)),
    ("one cluster; k to 20", SPIRALS, lambda r, d: [set(cell["n"]) == {1} for cell in _by_k(r, d)[:4]]),
    ("two clusters; cells so printed", SPIRALS, lambda r, d: [cells.at(r, d, *key) == 2 for key in TWO_CLUSTERS]),
    ("t = 0.5: over two clusters at k = 80", SPIRALS, lambda r, d: _at(r, d, 80) > 2),
    ("the stable solution has two clusters", SPIRALS, _stable),
    ("classes found by k = 15, some t", SPIRALS, lambda r, d: _found(r, d, [15], SETTINGS[d][1])),
    ("all t agree; k = 5, 10, 15", RINGS, lambda r, d: [len(set(cell["n"])) == 1 for cell in _by_k(r, d)[:3]]),
    ("two clusters from 90 clusterings on", RINGS, lambda r, _: set(r["10"]["on_the_way"][FROM_90:]) == {2}),
    ("one cluster; cells so printed", ("uniform-5d", "normal-5d"), _one_cluster),
    ("setosa and the rest are commonest", ("iris",), _setosa),
    ("t of 0.7 and more: three are commonest but for two", ("iris",), _three),
    ("three clusters mostly have the index .84", ("iris",), _stable_three),
    ("highest index at k = 3", ("iris",), _best_at_three),
)
# What, distances, thresholds, happened(numbers of clusters by k).
OF_GAUSSIANS = (
    ("distance 4, t = 0.7: two clusters with some k", [4.0], [0.7], lambda numbers: 2 in numbers),
    ("distance 4, t = 0.7: two clusters with every k", [4.0], [0.7], lambda numbers: set(numbers) == {2}),
    ("distances 3 and 4, t = 0.5: two clusters with no k", [3.0, 4.0], [0.5], lambda numbers: 2 not in numbers),
    ("distances 5, 6, 8, t = 0.5: two clusters; k", [5.0, 6.0, 8.0], [0.5], lambda numbers: np.equal(numbers, 2)),
    ("distance 3: one cluster; k and t", [3.0], THRESHOLDS, lambda numbers: np.equal(numbers, 1)),
)


def findings_table(records):
    """What paper 003 says, and the share of the runs in which it happens, for every reading of k-means.

    A run is a repetition. After a semicolon stands what is counted with the runs: shares are of pairs of a run and a k,
    say. Classes are found if no object is misplaced. The distances of two Gaussians are the printed ones, or these are
    the squares of the distances."""
    rows = [*_of_runs(records["threshold_eac"]), *_of_gaussians(records["threshold_gaussians"])]
    shares = [[what, data, *(f"{np.mean(of):.0%}" if of else "-" for of in cases)] for what, data, cases in rows]
    return table(["what", "data", *cells.READINGS.values()], shares)


def _of_runs(records):
    """(what, data, cases by way of k-means)."""
    for what, names, happened in OF_RUNS:
        for name in names:
            found = [results(records, dataset=name, kmeans=way) for way in cells.READINGS]
            yield what, cells.SET_NAMES[name], [[happened(run, name) for run in runs] for runs in found]
    yield "the commonest number, t = 0.5; k", "points that stay", [_commonest(records, way) for way in cells.READINGS]


def _commonest(records, way):
    found = [(name, results(records, dataset=name, kmeans=way)) for name in ("half-rings-file", "spiral-file", "iris")]
    groups = [[cells.at(run, name, k, DEFAULT) for run in runs] for name, runs in found for k in SETTINGS[name][0]]
    return [number == mode(numbers) for numbers in groups for number in numbers]


def _of_gaussians(records):
    for what, distances, thresholds, happened in OF_GAUSSIANS:
        for words, chosen in (("distances", distances), ("squares", [ROOTS[distance] for distance in distances])):
            found = [
                [run for d in chosen for run in results(records, distance=d, kmeans=way)] for way in cells.READINGS
            ]
            places = [THRESHOLDS.index(t) for t in thresholds]
            cases = [[happened([run[str(k)][i] for k in KS]) for run in runs for i in places] for runs in found]
            yield what, f"Gaussians, {words} as printed", cases
