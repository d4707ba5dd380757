"""Rules by which the claims of paper 003 are judged.

Most rules ask, repetition by repetition, whether what the paper says happened. A reading is a set of points (re-created
or the public copy) and a way of k-means: to convergence, which is what the text says, or stopped after three passes,
which the text does not say but which comes closest to the printed tables.
"""

from collections import Counter

import numpy as np

from experiments.threshold_eac.threshold_eac import DEFAULT, SETTINGS

from .claim import Claim, verdict
from .threshold_eac import POINT_SETS, at, consistency, matching_cells, readings, results, spread

HOLDS, IN_PART = 0.9, 0.5
SET_WORDS = {
    "half-rings": "re-created",
    "half-rings-file": "copy",
    "spiral": "re-created",
    "spiral-file": "copy",
}
KMEANS_WORDS = {"converged": "converged", "stopped-3": "three passes"}


def judge(shares, in_part=HOLDS):
    """Verdict from {(point set, way of k-means): share}.

    Holds: at least 0.9 in every reading with k-means to convergence. In part: at least 0.5 in every such reading, or at
    least `in_part` in some reading; where the share is one of cells of a table or grid, 0.5 is asked for.
    """
    settled = [share for (_, kmeans), share in shares.items() if kmeans != "stopped-3"]
    if settled and min(settled) >= HOLDS:
        return verdict(1.0)
    part = max(shares.values()) >= in_part or (settled and min(settled) >= IN_PART)
    return verdict(IN_PART if part else 0.0)


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
    shares = {}
    for name in POINT_SETS[dataset]:
        found = results(records, dataset=name)
        if found:
            shares[name, ""] = float(np.mean([happened(result) for result in found]))
    return shares


def counted(where, statement, shares, lead, after="", in_part=HOLDS):
    """Claim judged by shares, which the evidence gives."""
    return Claim(where, statement, judge(shares, in_part), f"{lead}: {told(shares)}.{after and ' ' + after}")


def recovers(k=None, threshold=DEFAULT):
    """Whether the classes are found exactly, at k, or at any k of the table."""

    def happened(result, name):
        ks = SETTINGS[name][0] if k is None else (k,)
        return any(at(result, name, k, threshold, "wrong") == 0 for k in ks)

    return happened


def table_claim(where, statement, records, dataset, printed, value, tolerance=0.0):
    """Share of the printed cells that equal the median over the repetitions."""
    shares, texts = {}, []
    for name, kmeans in readings(records, dataset):
        equal, total = matching_cells(
            records, name, kmeans, printed, lambda r, k, t, name=name: value(r, name, k, t), tolerance
        )
        shares[name, kmeans] = equal / total
        texts.append(f"{equal} of {total}")
    lead, after = "Printed cells that equal the median", f"That is {', '.join(texts)}."
    return counted(where, statement, shares, lead, after, in_part=IN_PART)


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


def consistency_of(result, name, k, t):
    return consistency(result, name, k, t)


def is_setosa(result, name, k, threshold):
    """Two clusters that leave 50 of 150 wrong: one is a class, the other the other two classes."""
    return at(result, name, k, threshold) == 2 and at(result, name, k, threshold, "wrong") == 50


def is_mode(number, values):
    counts = Counter(values)
    return bool(counts) and counts[number] == max(counts.values())


def stable_three(result, name):
    ks, thresholds = SETTINGS[name]
    indices = [
        round(consistency(result, name, k, t), 2) for k in ks for t in thresholds if at(result, name, k, t) == 3
    ]  # fmt: skip
    return len(indices) >= 2 and is_mode(0.84, indices)


def best_by_k(result, name):
    ks, thresholds = SETTINGS[name]
    return {k: max(consistency(result, name, k, t) for t in thresholds) for k in ks}


def best_at_three(result, name):
    best = best_by_k(result, name)
    return best[3] >= max(best.values())


def highest_at_three(records):
    for name, kmeans in readings(records, "iris"):
        yield spread([best_by_k(r, name)[3] for r in results(records, dataset=name, kmeans=kmeans)], digits=2)
