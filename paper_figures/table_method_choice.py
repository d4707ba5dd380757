"""Merging beside the median partition, locally weighted EAC, LWGP and k-means: mixed algorithms, unbalanced classes.

Mean NMI / ARI over six ensembles of every data set, clean and with random partitions; bold: the best.
"""

from experiments.accuracy.ensemble_benchmark import MERGED
from experiments.accuracy.method_choice import SHOWN, UNBALANCED

from .benchmark import compared, signed

EXPERIMENT = "method_choice"


def main(records):
    """Markdown: means over the data sets of mixed ensembles and every unbalanced one; then differences to merging."""
    parts = {"mixed algorithms": [r for r in records if r["config"]["dataset"] not in UNBALANCED]}
    parts |= {name: [r for r in records if r["config"]["dataset"] == name] for name in UNBALANCED}
    fractions = sorted({record["config"]["fraction"] for record in records})
    lines = ["| ensembles | random | " + " | ".join(SHOWN) + " |", "|---" * (len(SHOWN) + 2) + "|"]
    for title, part in parts.items():
        for fraction in fractions:
            rows = [record["result"] for record in part if record["config"]["fraction"] == fraction]
            if rows:
                lines.append(f"| {title} | {fraction:.0%} | " + " | ".join(_cells(rows)) + " |")
    lines += ["", f"Mixed algorithms, {MERGED} minus the others, ARI [95 %] over data sets:", ""]
    for fraction in fractions:
        rows = [r["result"] for r in parts["mixed algorithms"] if r["config"]["fraction"] == fraction]
        for name in SHOWN[1:]:
            mean, interval = compared([row[MERGED]["ari"] - row[name]["ari"] for row in rows])[:2]
            lines.append(f"* {fraction:.0%} random, {name}: {signed(mean, interval)}")
    return "\n".join(lines)


def _cells(rows):
    means = {name: [sum(row[name][m] for row in rows) / len(rows) for m in ("nmi", "ari")] for name in SHOWN}
    best = [max(pair[i] for pair in means.values()) for i in range(2)]
    return [
        " / ".join(
            f"**{value:.3f}**" if value >= top - 0.0005 else f"{value:.3f}"
            for value, top in zip(means[name], best, strict=True)
        )
        for name in SHOWN
    ]
