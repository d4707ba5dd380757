"""Distance of consensuses to the lower bound on their objective, and what a local search on the hard labels gains.

Twelve data sets of paper 002, clean and with a fifth of random partitions. Relative distances are for at most 400
objects: median, and the largest in brackets. "Proved global": within 1e-4 of the bound, the weights being fixed.
"Improved": on how many consensuses single moves improve the labels, and by how much of the objective on average. The
change of H is that of the refined labels, with the numbers of consensuses whose H rises and falls.
"""

import numpy as np

from experiments.robust_eac.noisy_ensembles import WEIGHTINGS

from .certificates import GLOBAL, distances, rows
from .noisy import ENSEMBLE_NAMES, PLAIN_NAMES

EXPERIMENT = "certificates"


def main(records):
    """Markdown: one row per kind of ensemble and weighting."""
    lines = [
        "| ensembles | weighting | membership to bound | proved global | labels to bound | refined "
        "| best of ten, refined | proved global | improved | gain | change of H | up, down |",
        "|" + "---|" * 12,
    ]
    for kind, title in ENSEMBLE_NAMES.items():
        for weighting in WEIGHTINGS:
            chosen = rows(records, ensemble=kind, weighting=weighting)
            if not chosen:
                continue
            far = {name: distances(chosen, name) for name in ("relaxed", "hard", "refined", "best")}
            gains = np.array([1.0 - row["refined"] / row["hard"] if row["hard"] > 0.0 else 0.0 for row in chosen])
            changes = np.array([row["h_refined"] - row["h"] for row in chosen])
            cells = [title, PLAIN_NAMES[weighting], spread(far["relaxed"]), share(far["relaxed"] <= GLOBAL)]
            cells += [spread(far["hard"]), spread(far["refined"]), spread(far["best"]), share(far["best"] <= GLOBAL)]
            cells += [share(gains > 0.0), f"{gains.mean():.1%}", f"{changes.mean():+.3f}"]
            cells.append(f"{np.count_nonzero(changes > 0)}, {np.count_nonzero(changes < 0)}")
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def spread(sample):
    """Median and, in brackets, the largest."""
    return f"{np.median(sample):.1e} [{sample.max():.1e}]"


def share(true):
    """How many of how many."""
    return f"{np.count_nonzero(true)} of {len(true)}"
