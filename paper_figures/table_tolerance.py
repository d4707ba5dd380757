"""Accuracy and time by the optimality gap that the solver stops at, with the share of random partitions.

Mean H over twelve data sets with five k-means ensembles each; the objective above that of the smallest gap, over n^2;
time beside that to a gap of 1e-5, medians over the data sets.
"""

import numpy as np

from experiments.accuracy.tolerance import TOLERANCES, WEIGHTINGS

EXPERIMENT = "tolerance"
_REFERENCE = TOLERANCES.index(1e-5)


def main(records):
    """Markdown: a row per share and weighting, and one per data set for the unweighted consensus of the noisiest."""
    shares = list(dict.fromkeys(record["config"]["fraction"] for record in records))
    gaps = [f"{tol:.0e}".replace("e-0", "e-") for tol in TOLERANCES]
    titles = ["random", "weighting", *(f"H at {gap}" for gap in gaps), "objective above the last", "times as long"]
    lines = [_row(titles), "|---" * len(titles) + "|"]
    for share in shares:
        for weighting in WEIGHTINGS:
            h, above, ratio = (
                measured(records, share, weighting, measure) for measure in ("h", "objective", "seconds")
            )
            above, ratio = above - above[:, -1:], ratio / ratio[:, [_REFERENCE]]
            texts = [f"{value:.4f}" for value in h.mean(axis=0)]
            costs = ", ".join(f"{value:.0e}" for value in above.mean(axis=0)[:-1])
            times = ", ".join(f"{value:.2g}" for value in np.median(ratio, axis=0))
            lines.append(_row([f"{share:.0%}", weighting, *texts, costs, times]))
    lines += ["", *_by_dataset(records, shares, gaps)]
    return "\n".join(lines)


def _by_dataset(records, shares, gaps):
    """The unweighted consensus, data set by data set."""
    titles = ["unweighted", *(f"{share:.0%} at {gaps[_REFERENCE]}, {gaps[-1]}" for share in shares)]
    lines = [_row(titles), "|---" * len(titles) + "|"]
    for dataset in dict.fromkeys(record["config"]["dataset"] for record in records):
        of_dataset = [record for record in records if record["config"]["dataset"] == dataset]
        cells = [measured(of_dataset, share, "uniform", "h")[0] for share in shares]
        lines.append(_row([dataset, *(f"{h[_REFERENCE]:.3f}, {h[-1]:.3f}" for h in cells)]))
    return lines


def measured(records, share, weighting, measure):
    """(n_datasets, n_tolerances) of a measure."""
    return np.array([
        record["result"][weighting][measure] for record in records if record["config"]["fraction"] == share
    ])  # fmt: skip


def _row(cells):
    return "| " + " | ".join(cells) + " |"
