"""Rules by which the claims of paper 003 are judged.

Most rules ask, repetition by repetition, whether what the paper says happened. A reading is a set of points (re-created
or the public copy) and a way of k-means: to convergence, which is what the text says, or stopped after three passes,
which the text does not say but which comes closest to the printed tables.
"""

from collections import Counter

import numpy as np

from experiments.threshold_eac.threshold_eac import DEFAULT, SETTINGS

from ..claim import Claim, grade
from ..records import results
from .cells import POINT_SETS, at, consistency, matching_cells, readings

HOLDS, IN_PART = 0.9, 0.5
SET_WORDS = {"half-rings": "re-created", "half-rings-file": "copy", "spiral": "re-created", "spiral-file": "copy"}
KMEANS_WORDS = {"converged": "converged", "stopped-3": "three passes"}


def judge(shares, in_part=HOLDS):
    """Verdict from {(point set, way of k-means): share}.

    Holds: at least 0.9 in every reading with k-means to convergence. In part: at least 0.5 in every such reading, or at
    least `in_part` in some reading; where the share is one of cells of a table or grid, 0.5 is asked for.
    """
    settled = min((share for (_, kmeans), share in shares.items() if kmeans != "stopped-3"), default=0.0)
    return grade(settled >= HOLDS, settled >= IN_PART or max(shares.values()) >= in_part)


def told(shares):
    """The shares in words."""
    parts = []
    for (dataset, kmeans), share in shares.items():
        words = filter(None, (SET_WORDS.get(dataset), KMEANS_WORDS.get(kmeans)))
        parts.append(f"{', '.join(words) or 'share'} {share:.0%}")
    return "; ".join(parts)


def shares_of(records, dataset, happened):
    """{reading: share of the repetitions with happened(result, point set)}, or of the cells where that is a list."""
    return {
        (name, kmeans): float(np.mean([happened(r, name) for r in results(records, dataset=name, kmeans=kmeans)]))
        for name, kmeans in readings(records, dataset)
    }


def plain_shares(records, dataset, happened):
    """The same for the plain methods: {(point set, ""): share of the repetitions}."""
    found = {name: results(records, dataset=name) for name in POINT_SETS[dataset]}
    return {(name, ""): float(np.mean([happened(r) for r in runs])) for name, runs in found.items() if runs}


def counted(where, statement, shares, lead, after="", in_part=HOLDS):
    """Claim judged by shares, which the evidence gives."""
    return Claim(where, statement, judge(shares, in_part), f"{lead}: {told(shares)}.{after and ' ' + after}")


def counted_cells(*arguments):
    """The same where the shares are those of the cells of a table or grid."""
    return counted(*arguments, in_part=IN_PART)


def table_claim(where, statement, records, dataset, printed, value=at, tolerance=0.0):
    """Share of the printed cells that equal the median over the repetitions."""
    cells = {
        (name, kmeans): matching_cells(records, name, kmeans, printed, value, tolerance)
        for name, kmeans in readings(records, dataset)
    }
    shares = {reading: equal / total for reading, (equal, total) in cells.items()}
    texts = ", ".join(f"{equal} of {total}" for equal, total in cells.values())
    return counted_cells(where, statement, shares, "Printed cells that equal the median", f"That is {texts}.")


def recovers(k=None, threshold=DEFAULT):
    """Whether the classes are found exactly, at k, or at any k of the table."""

    def happened(result, name):
        ks = SETTINGS[name][0] if k is None else (k,)
        return any(at(result, name, k, threshold, "wrong") == 0 for k in ks)

    return happened


def narrows(result, name):
    ks, thresholds = SETTINGS[name]
    ranges = [sum(at(result, name, k, t) == 2 for k in ks) for t in thresholds]
    return ranges[0] > 0 and all(np.diff(ranges) <= 0)


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
