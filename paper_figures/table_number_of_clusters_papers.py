"""Number of clusters chosen on the k-means ensembles of paper 002, which need not support the classes."""

import numpy as np

from .cluster_numbers import NUMBERS, RULES, papers

EXPERIMENT = "number_of_clusters"


def main(records):
    """Markdown: by data set, for each repetition, the answer of some rules, and what is behind it."""
    rules = [rule for rule in RULES if rule.startswith(("`", "stable, elbow", "agreement beyond", "what"))]
    head = ["data set", "classes", *rules, "stable candidates", "largest stability (at)", "H of the choice"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    rows = papers(records)
    for dataset in dict.fromkeys(row["config"]["dataset"] for row in rows):
        results = [row["result"] for row in rows if row["config"]["dataset"] == dataset]
        peaks = [int(np.argmax(result["split_stability"])) for result in results]
        cells = [
            dataset,
            str(results[0]["answer"]),
            *(", ".join(str(RULES[rule](result)) for result in results) for rule in rules),
            "; ".join(_ranges(result["stable"]) for result in results),
            ", ".join(f"{r['split_stability'][i]:.2f} ({NUMBERS[i]})" for r, i in zip(results, peaks, strict=True)),
            ", ".join(f"{result['h']:.2f}" for result in results),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _ranges(numbers):
    """Ascending numbers as text, runs as `a-b`."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs) or "none"
