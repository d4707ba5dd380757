"""The consensus against each algorithm's partition: in how many data sets its index is lower, and accuracy."""

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS

from .ovi_lda import NAMES, ROUTES, accuracies, consensus_numbers, counted, graded, main_records

EXPERIMENT = "ovi_qpsk"

# The consensus, and the partition it is compared with: NAME stands for the algorithm.
PAIRS = {
    "complete": ("complete", "NAME"),
    "core": ("core", "NAME"),
    "core, both on its objects": ("core", "NAME on core"),
}

NUMBERS = ("K", "K components", "K T_v = 0.5", "K T_v = 1.0")


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
        f"| partitions | {names} | consensus, complete | its core (share of the objects) |",
        "|---" * (3 + len(ALGORITHMS)) + "|",
    ]
    numbers = [
        "| partitions | consensus | by components instead of Table 2 | T_v = 0.5 | T_v = 1 |",
        "|---" * 5 + "|",
    ]
    for route, text in (ROUTES | {"printed": "number of clusters by V as printed"}).items():
        found = [accuracies(record, route) for record in chosen]
        means = [f"{np.nanmean([row[name] for row in found]):.3f}" for name in (*ALGORITHMS, "complete")]
        cores = [record["result"]["routes"][route]["consensus"] for record in chosen]
        # A consensus without a core, if there is one, has no accuracy there.
        sure = np.mean([core["core"]["ari"] for core in cores if core["core"]["ari"] is not None])
        means.append(f"{sure:.3f} ({np.mean([core['share'] for core in cores]):.0%})")
        lines.append(f"| {text} | " + " | ".join(means) + " |")
        counts = [counted(consensus_numbers(chosen, route, key).tolist()) for key in NUMBERS]
        numbers.append(f"| {text} | " + " | ".join(counts) + " |")
    lines += ["", "Mean adjusted Rand index with the symbols over all SNR levels.", "", *numbers]
    lines += ["", "Number of clusters of the consensus, in brackets in how many data sets."]
    return "\n".join(lines) + "\n"


def lower(records, route, index, kind, names=ALGORITHMS):
    """Has no other a lower index than the consensus, in each record? (n_records,) bool."""
    consensus, other = PAIRS[kind]
    values = [graded(record, route, index) for record in records]
    return np.array([all(v[consensus] <= v[other.replace("NAME", name)] for name in names) for v in values])
