"""The consensus against each algorithm's partition: in how many data sets its index is lower, and accuracy."""

import numpy as np

from experiments.ovi_qpsk import ALGORITHMS

from .ovi_lda import NAMES, ROUTES, accuracies, consensus_numbers, counted, graded, main_records

EXPERIMENT = "ovi_qpsk"

# The consensus, and the partition it is compared with: NAME stands for the algorithm.
PAIRS = {
    "complete": ("complete", "NAME"),
    "core": ("core", "NAME"),
    "core, both on its objects": ("core", "NAME on core"),
}


def main(records):
    """Markdown: shares by route, index and kind of consensus; then accuracy and numbers of clusters."""
    chosen = main_records(records)
    names = " | ".join(NAMES[name] for name in ALGORITHMS)
    lines = [f"| partitions | index | consensus | {names} | all five |", "|---" * (4 + len(ALGORITHMS)) + "|"]
    for route, text in ROUTES.items():
        for index in ("XB", "FS"):
            for kind in PAIRS:
                shares = [f"{lower(chosen, route, index, kind, [name]).mean():.0%}" for name in ALGORITHMS]
                every = f"{lower(chosen, route, index, kind).mean():.0%}"
                lines.append(f"| {text} | {index} | {kind} | " + " | ".join([*shares, every]) + " |")
    lines += [
        "",
        f"Share of {len(chosen)} data sets in which the index of the consensus is not higher (worse); without one, "
        "it counts as higher. The core alone is graded on fewer, easier objects than the partitions.",
        "",
        f"| partitions | {names} | consensus, complete | its clusters | by components instead of Table 2 |",
        "|---" * (4 + len(ALGORITHMS)) + "|",
    ]
    for route, text in ROUTES.items():
        found = [accuracies(record, route) for record in chosen]
        means = [f"{np.nanmean([row[name] for row in found]):.3f}" for name in (*ALGORITHMS, "complete")]
        numbers = [counted(consensus_numbers(chosen, route, key).tolist()) for key in ("K", "K components")]
        lines.append(f"| {text} | " + " | ".join([*means, *numbers]) + " |")
    lines += ["", "Mean adjusted Rand index with the symbols over all SNR levels; numbers of clusters, with how often."]
    return "\n".join(lines) + "\n"


def lower(records, route, index, kind, names=ALGORITHMS):
    """Has no other a lower index than the consensus, in each record? (n_records,) bool."""
    consensus, other = PAIRS[kind]
    values = [graded(record, route, index) for record in records]
    return np.array([all(v[consensus] <= v[other.replace("NAME", name)] for name in names) for v in values])
