"""Ways of weighting by chance-corrected agreement, on the same ensembles: which of them to call "chance-corrected".

Five ensembles of each of ten data sets. H minus the oracle's, in brackets 95 % intervals, data sets drawn again; the
worst mean over the data sets of any kind and share of noise; H minus the unweighted one's on clean ensembles, the
lowest of a data set in brackets; weight left on the replaced partitions, mean and the most of any kind and share.
"""

import numpy as np

from .paired import mean_interval

EXPERIMENT = "robustness_candidates"


def main(records):
    """Markdown: one row per candidate, nearest to the oracle first."""
    cells = list(dict.fromkeys((r["config"]["kind"], r["config"]["fraction"]) for r in records))
    names = [name for name in records[0]["result"] if name != "oracle"]
    rows = sorted((row(records, cells, name) for name in names), reverse=True)
    head = "| candidate | minus oracle [95 %] | at worst | clean, minus unweighted | weight on replaced | at most |"
    return "\n".join([head, "|---|---|---|---|---|---|", *(line for _, line in rows)])


def row(records, cells, name):
    """(mean distance to the oracle, line)."""

    def of(cell, measure, candidate=name):
        return np.array(
            [
                record["result"][candidate][measure]
                for record in records
                if (record["config"]["kind"], record["config"]["fraction"]) == cell
            ]
        )

    clean = ("uniform", 0.0)
    behind = {cell: (of(cell, "h") - of(cell, "h", "oracle")).mean(axis=1) for cell in cells}
    by_dataset = np.mean(list(behind.values()), axis=0)
    low, high = mean_interval(by_dataset)
    kind, share = min(behind, key=lambda cell: behind[cell].mean())
    gain = (of(clean, "h") - of(clean, "h", "unweighted")).mean(axis=1)
    left = {cell: of(cell, "noise_weight").mean() for cell in cells if cell != clean}
    most = max(left, key=left.get)
    texts = [
        name,
        f"{by_dataset.mean():+.4f} [{low:+.4f}, {high:+.4f}]",
        f"{behind[kind, share].mean():+.4f}, {share:.0%} {kind}",
        f"{gain.mean():+.4f} ({gain.min():+.4f})",
        f"{np.mean(list(left.values())):.4f}",
        f"{left[most]:.4f}, {most[1]:.0%} {most[0]}",
    ]
    return by_dataset.mean(), "| " + " | ".join(texts) + " |"
