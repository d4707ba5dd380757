"""Each weighting of paper 002 against no weighting on the same ensembles, over the share of random partitions.

Ten ensembles for each data set; a pair is won by more than 0.005 in H. Intervals: data sets
drawn again with replacement.
"""

import numpy as np

from experiments.robust_eac.noisy_ensembles import WEIGHTINGS

from .noisy import ENSEMBLE_NAMES, PLAIN_NAMES, datasets, fractions, values
from .paired import HEAD, cells, compare

EXPERIMENT = "noisy_ensembles"


def main(records):
    """Markdown: one table per kind of ensemble."""
    lines = []
    for ensemble, title in ENSEMBLE_NAMES.items():
        lines += [
            f"{title}, {len(datasets(records))} data sets",
            "",
            f"| random partitions | weighting | mean H | {HEAD} |",
            "|" + "---|" * 7,
        ]
        for fraction in fractions(records):
            accuracy = accuracies(records, ensemble, fraction)
            for weighting in WEIGHTINGS:
                row = [f"{fraction:.0%}", PLAIN_NAMES[weighting], f"{accuracy[weighting].mean():.3f}"]
                if weighting == "uniform":
                    row += [""] * 4
                else:
                    row += cells(compare(accuracy[weighting] - accuracy["uniform"]))
                lines.append("| " + " | ".join(row) + " |")
        lines.append("")
    return "\n".join(lines)


def accuracies(records, ensemble, fraction):
    """{weighting: (n_datasets, n_repetitions) H}."""
    samples = [values(records, "h", dataset=d, ensemble=ensemble, fraction=fraction) for d in datasets(records)]
    return {weighting: np.array([sample[weighting] for sample in samples]) for weighting in WEIGHTINGS}
