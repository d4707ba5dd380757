"""The claims of paper 003 on random data, two Gaussians and iris (Sections 3.3 to 3.5, 4), with their cells."""

from collections import Counter

import numpy as np

from experiments.threshold_eac.threshold_eac import SETTINGS
from experiments.threshold_eac.threshold_gaussians import KS, THRESHOLDS

from ..claim import NUMBER, claim, finding
from ..paired import equivalence
from ..records import results
from . import cells
from .cells import IRIS, cells_equal, counted, in_words, judge, shares_of

# The distance of the record that stands for one of the paper's, and for beyond 5, if it prints the square.
_ROOTS = {3.0: 1.732, 4.0: 2.0, 5.0: 2.236, 6.0: 2.449, 8.0: 2.828}


@claim("Table 3", "Number of clusters as a function of k and t", NUMBER)
def table_3(flat):
    """The median over the draws is the printed number. Cases: the cells."""
    return cells_equal(flat, "uniform-5d", cells.printed_numbers("uniform-5d"))


def _one_cluster(rows, dataset):
    """{reading: share of the cells of each draw}, of those that are printed as one cluster."""
    printed = cells.printed_cells(cells.PRINTED["uniform-5d"])
    keys = [key for key, text in printed.items() if text == "1" or text.endswith("*")]

    def one(result, name):
        return np.mean([cells.at(result, name, *key) == 1 or cells.is_starred(result, name, *key) for key in keys])

    found = cells.readings_of(rows, dataset)
    return {reading: np.array([one(run, reading[0]) for run in runs]) for reading, runs in found.items()}


@claim(
    "Section 3.3, Table 3",
    "Notice the consistency of the results obtained for various values of k and t, a single cluster",
)
def one_cluster(flat):
    """One cluster but for one or two lone objects. Cases: the draws and the cells so printed."""
    shares = {reading: np.mean(of) for reading, of in _one_cluster(flat, "uniform-5d").items()}
    return counted(shares, "Draws and cells")


@claim("Section 3.3", "Similar results are obtained with gaussian distributions")
def similar(flat, bell, *, within=0.1):
    """The share of a draw's cells with one cluster differs in the mean from that on uniform data by at most `within`,
    by its interval."""
    pairs = zip(_one_cluster(flat, "uniform-5d").values(), _one_cluster(bell, "normal-5d").items(), strict=True)
    changes = {reading: normal - uniform for uniform, (reading, normal) in pairs}
    near = {reading: equivalence(change, within) for reading, change in changes.items()}
    means = {reading: change.mean() for reading, change in changes.items()}
    return judge(near, f"Gaussian minus uniform: {in_words(means, '{:+.1%}')}.")


def _numbers(rows, way, distance, threshold):
    """(draws, k) numbers of clusters."""
    found = results(rows, distance=distance, kmeans=way)
    position = THRESHOLDS.index(threshold)
    return np.array([[result[str(k)][position] for k in KS] for result in found]).reshape(-1, len(KS))


def _happens(rows, distances, thresholds, happened):
    """{reading: (draws and thresholds, k) happened(number of clusters)}."""
    stand_for = {"distance": distances, "square": [_ROOTS[distance] for distance in distances]}
    found = {
        (name, way): np.concatenate([_numbers(rows, way, d, t) for d in chosen for t in thresholds])
        for name, chosen in stand_for.items()
        for way in cells.READINGS
    }
    return {reading: happened(numbers) for reading, numbers in found.items() if numbers.size}


def _gaussians(rows, distances, thresholds, happened, after="", some_k=False):
    """Finding on the share of draws, k and thresholds with happened(number of clusters), and the shares with k = 2.

    With `some_k`, a draw needs one such k, as for half rings and spirals."""
    happens = _happens(rows, distances, thresholds, happened)
    shares = {reading: float(np.mean(every)) for reading, every in happens.items()}
    at_2 = {reading: float(np.mean(every[:, KS.index(2)])) for reading, every in happens.items()}
    every_k, some = (
        {reading: float(np.mean(reduce(every, axis=1))) for reading, every in happens.items()}
        for reduce in (np.all, np.any)
    )
    after = f"With k = 2 alone: {in_words(at_2)}. With every k: {in_words(every_k)}.{after}"
    if some_k:
        return counted(some, "Draws", f"Draws and k: {in_words(shares)}. {after}")
    return counted(shares, "Draws, k and t", after)


@claim(
    "Section 3.4, Figure 4(c)",
    "unable to discern two clusters in the data for Mahalanobis distances below 5, with t = .5",
)
def together_below_5(gaussians):
    """Distances 3 and 4 give one cluster, or three and more, which do not discern the two either. Cases: the draws and
    k = 2 to 5."""
    beyond = _happens(gaussians, (5.0, 6.0, 8.0), (0.5,), lambda n: n == 2)
    from_5 = in_words({reading: np.mean(every) for reading, every in beyond.items()})
    return _gaussians(gaussians, (3.0, 4.0), (0.5,), lambda n: n != 2, f" Two clusters from 5 on: {from_5}.")


@claim(
    "Section 3.4, Figure 4(b)",
    "by setting a more restrictive threshold, such as t = .7, two clusters are identified for MD = 4",
)
def apart_at_4(gaussians):
    """Two clusters at t = 0.7 with some k from 2 to 5, as half rings and spirals are judged. Cases: the draws."""
    return _gaussians(gaussians, (4.0,), (0.7,), lambda n: n == 2, some_k=True)


@claim("Section 3.4, Figure 4(a)", "The case of MD = 3 [...] is always identified as a single cluster")
def together_at_3(gaussians):
    """One cluster at t = 0.5, 0.6 and 0.7. Cases: the draws, k = 2 to 5 and t."""
    return _gaussians(gaussians, (3.0,), THRESHOLDS, lambda n: n == 1)


@claim("Section 4", "The method performs poorly, however, in situations of touching clusters")
def poor_on_touching(gaussians):
    """Distance 3 at t = 0.5 gives one cluster, or three and more, which do not discern the two either. Cases: the
    draws and k = 2 to 5."""
    return _gaussians(gaussians, (3.0,), (0.5,), lambda n: n != 2)


@claim("Table 4", "Number of clusters as a function of k and t for the Iris data set", NUMBER)
def table_4(iris):
    """The median over the runs is the printed number. Cases: the cells."""
    return cells_equal(iris, "iris", cells.printed_numbers("iris"))


@claim("Table 5", "Consistency index as a function of k and t for the Iris data set", NUMBER)
def table_5(iris):
    """The median over the runs is within 0.01 of the printed index. Cases: the cells."""
    return cells_equal(iris, "iris", cells.printed_consistency(), cells.consistency, 0.01)


def _iris_cells(at_least=0.0):
    ks, thresholds = SETTINGS["iris"]
    return [(k, t) for k in ks for t in thresholds if t >= at_least]


@claim("Section 3.5", "The two-cluster solution is the one consistently appearing in most situations", printed=IRIS)
def setosa_and_rest(iris):
    """Setosa and the rest come out at more k and t than any other number of clusters. Cases: the runs."""

    def setosa(result, name):
        return [cells.is_setosa(result, name, *cell) for cell in _iris_cells()]

    def most(result, name):
        numbers = Counter(cells.at(result, name, *cell) for cell in _iris_cells())
        return sum(setosa(result, name)) > max((count for n, count in numbers.items() if n != 2), default=0)

    after = f"Runs, k and t with them, printed 15 of 32: {in_words(shares_of(iris, 'iris', setosa))}."
    return counted(shares_of(iris, "iris", most), "Runs", after)


@claim(
    "Section 3.5",
    "The other frequent solution (for higher values of t) corresponds to the partition [...] into three clusters",
    printed=IRIS,
)
def three_above(iris):
    """At t = 0.7 and 0.75 no number but 2 is more frequent than 3. Cases: the runs."""

    def three(result, name):
        numbers = [cells.at(result, name, k, t) for k, t in _iris_cells(0.7)]
        return cells.is_mode(3, [number for number in numbers if number != 2])

    return counted(shares_of(iris, "iris", three), "Runs")


@claim(
    "Section 3.5",
    "a relatively stable data partition with three clusters (consistency index = .84)",
    NUMBER,
    printed=IRIS,
)
def stable_three(iris):
    """At least two (k, t) give three clusters, most often with the index 0.84. Cases: the runs."""
    return counted(shares_of(iris, "iris", cells.stable_three), "Runs")


@claim("Section 3.5", "the highest consistency index is obtained with k = 3, the true number of clusters", printed=IRIS)
def best_at_three(iris):
    """No k has a higher index at its best threshold than k = 3. Cases: the runs."""
    best = {
        reading: cells.spread([cells.best_by_k(run, "iris")[3] for run in runs], digits=2)
        for reading, runs in cells.readings_of(iris, "iris").items()
    }
    after = f"Highest at k = 3, median (lowest-highest), printed 0.89: {in_words(best, '{}')}."
    return counted(shares_of(iris, "iris", cells.best_at_three), "Runs", after)


@claim(
    "Section 3.5",
    "a direct application of the single-link method to the Iris data set leads to a consistency index of 0.68",
    NUMBER,
)
def single_linkage(plain_iris, *, within=0.005):
    """The index of the cut into three clusters is at most `within` away."""
    index = 1.0 - plain_iris[0]["result"]["single_wrong"] / cells.SIZES["iris"]
    return finding(abs(index - cells.PRINTED_SINGLE) <= within, f"Printed {cells.PRINTED_SINGLE}; here {index:.4f}.")
