"""What a fifth of random partitions changes: H on clean and noisy ensembles of paper 002, by weighting."""

import numpy as np

from experiments.robust_eac.noisy_ensembles import WEIGHTINGS

from .noisy import ENSEMBLE_NAMES, PLAIN_NAMES, values
from .table_paired_wins import accuracies

EXPERIMENT = "noisy_ensembles"
NOISE = 0.2


def main(records):
    """Markdown: mean H, its change by the noise, and how many partitions keep weight."""
    lines = [
        "| ensembles | weighting | mean H clean | mean H noisy | mean change | mean absolute change | largest loss "
        "| partitions with weight, noisy |",
        "|" + "---|" * 8,
    ]
    for ensemble, title in ENSEMBLE_NAMES.items():
        for weighting, change in changes(records, ensemble).items():
            clean, noisy = (accuracies(records, ensemble, f)[weighting].mean() for f in (0.0, NOISE))
            held = values(records, "n_weighted", ensemble=ensemble, fraction=NOISE)[weighting].mean()
            row = [title, PLAIN_NAMES[weighting], f"{clean:.3f}", f"{noisy:.3f}", f"{change.mean():+.4f}"]
            row += [f"{np.abs(change).mean():.4f}", f"{min(change.min(), 0.0):+.3f}", f"{held:.0f}"]
            lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def changes(records, ensemble):
    """{weighting: (n_datasets,) mean H noisy - mean H clean}."""
    clean, noisy = accuracies(records, ensemble, 0.0), accuracies(records, ensemble, NOISE)
    return {weighting: noisy[weighting].mean(axis=1) - clean[weighting].mean(axis=1) for weighting in WEIGHTINGS}
