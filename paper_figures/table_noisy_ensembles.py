"""For each data set and weighting: H on clean and on noisy ensembles, and the weight left on the random partitions."""

import numpy as np

from experiments.robust_eac.noisy_ensembles import WEIGHTINGS

from .noisy import ENSEMBLE_NAMES, PLAIN_NAMES, datasets, values

EXPERIMENT = "noisy_ensembles"
NOISE = 0.2


def main(records):
    """Markdown: H clean -> H with a fifth of noise (weight on noise); mean over repetitions."""
    lines = []
    for ensemble, title in ENSEMBLE_NAMES.items():
        lines += [
            f"{title}: H clean -> H with {NOISE:.0%} random partitions (weight left on these)",
            "",
            "| data set | " + " | ".join(PLAIN_NAMES[weighting] for weighting in WEIGHTINGS) + " |",
            "|---" * (len(WEIGHTINGS) + 1) + "|",
        ]
        names = datasets(records)
        cells = np.array([
            [[values(records, measure, dataset=d, ensemble=ensemble, fraction=fraction)[weighting].mean()
              for measure, fraction in (("h", 0.0), ("h", NOISE), ("noise_weight", NOISE))]
             for weighting in WEIGHTINGS]
            for d in names
        ])  # fmt: skip
        rows = [*zip(names, cells, strict=True), ("mean", cells.mean(axis=0))]
        for name, row in rows:
            texts = [f"{clean:.3f} -> {noisy:.3f} ({weight:.2f})" for clean, noisy, weight in row]
            lines.append(f"| {name} | " + " | ".join(texts) + " |")
        lines.append("")
    return "\n".join(lines)
