"""Mean H by data set and share of uniform noise, and the weight left on it; the oracle leaves the noise out."""

import numpy as np

from experiments.robustness.robustness import ORACLE, WEIGHTINGS

from .robustness import datasets, fractions, plain_name, values

EXPERIMENT = "robustness"


def main(records):
    """Markdown: one table per share; H (weight on noise)."""
    lines = []
    names = (*WEIGHTINGS, ORACLE)
    for fraction in fractions(records, "uniform"):
        h, weight = (
            np.array([values(records, m, name, "uniform", fraction).reshape(len(datasets(records)), -1).mean(axis=1)
                      for name in names]).T
            for m in ("h", "noise_weight")
        )  # fmt: skip
        lines += [
            f"{fraction:.0%} of the partitions random" if fraction else "No noise",
            "",
            "| data set | " + " | ".join(map(plain_name, names)) + " |",
            "|---" * (len(names) + 1) + "|",
        ]
        rows = [*zip(datasets(records), h, weight, strict=True), ("mean", h.mean(axis=0), weight.mean(axis=0))]
        for dataset, hs, weights in rows:
            texts = [
                f"{one:.3f} ({left:.2f})" if fraction and name != ORACLE else f"{one:.3f}"
                for name, one, left in zip(names, hs, weights, strict=True)
            ]
            lines.append(f"| {dataset} | " + " | ".join(texts) + " |")
        lines.append("")
    return "\n".join(lines)
