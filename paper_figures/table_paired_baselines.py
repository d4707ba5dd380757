"""Every consensus function and every weighting against the unweighted median partition on the same ensembles.

Three k-means ensembles of 50 partitions for each data set, clean and half random; a pair is won by more than 0.005
in H. Intervals: data sets drawn again with replacement.
"""

from functools import reduce
from operator import getitem

import numpy as np

from .baselines import datasets, fractions
from .paired import HEAD, cells, compare

EXPERIMENT = "baselines"


def main(records):
    """Markdown: for each share of random partitions, functions with equal weights and weightings, best first."""
    lines = []
    for fraction in fractions(records):
        base, compared = comparisons(records, fraction)
        lines += [
            f"{fraction:.0%} of the partitions random; unweighted median partition: mean H {base:.3f}",
            "",
            f"| function | weights | {HEAD} |",
            "|" + "---|" * 6,
        ]
        for key in sorted(compared, key=lambda key: -compared[key].mean):
            lines.append("| " + " | ".join([*key, *cells(compared[key])]) + " |")
        lines.append("")
    return "\n".join(lines)


def comparisons(records, fraction):
    """Mean H of the unweighted median partition, and {(function, weights): comparison with it}."""
    chosen = [
        [r["result"] for r in records if (r["config"]["dataset"], r["config"]["fraction"]) == (dataset, fraction)]
        for dataset in datasets(records)
    ]
    names = chosen[0][0]
    base = _accuracy(chosen, "functions", "robust-eac")
    rows = {(name, "equal"): _accuracy(chosen, "functions", name) for name in names["functions"]}
    del rows["robust-eac", "equal"]
    for function, runs in names["weightings"].items():
        rows |= {
            (function, weighting): _accuracy(chosen, "weightings", function, weighting)
            for weighting in runs
            if weighting != "uniform"
        }
    return float(base.mean()), {key: compare(accuracy - base) for key, accuracy in rows.items()}


def _accuracy(chosen, *path):
    """(n_datasets, n_repetitions) H of a run, found in the results by its path."""
    return np.array([[reduce(getitem, path, result)["h"] for result in results] for results in chosen], dtype=float)
