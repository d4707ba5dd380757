"""The noise sweep in numbers: mean H, and weight left on the random partitions, by share of noise."""

import numpy as np

from experiments.robust_eac.noisy_ensembles import WEIGHTINGS

from .noisy import ENSEMBLE_NAMES, PLAIN_NAMES, datasets, fractions, values

EXPERIMENT = "noisy_ensembles"


def main(records):
    """Markdown: H (weight on noise), means over data sets and repetitions."""
    lines = []
    for ensemble, title in ENSEMBLE_NAMES.items():
        lines += [
            f"{title}: mean H (mean weight on random partitions) by their share",
            "",
            "| weighting | " + " | ".join(f"{fraction:.0%}" for fraction in fractions(records)) + " |",
            "|---" * (len(fractions(records)) + 1) + "|",
        ]
        for weighting in WEIGHTINGS:
            cells = []
            for fraction in fractions(records):
                h, weight = (
                    np.mean(
                        [
                            values(records, measure, dataset=d, ensemble=ensemble, fraction=fraction)[weighting]
                            for d in datasets(records)
                        ]
                    )
                    for measure in ("h", "noise_weight")
                )
                cells.append(f"{h:.3f} ({weight:.2f})")
            lines.append(f"| {PLAIN_NAMES[weighting]} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)
