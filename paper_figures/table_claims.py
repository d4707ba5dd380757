"""The claims of paper 002, Section 4, counted on the reproduced experiment."""

import numpy as np

from experiments.noisy_ensembles import WEIGHTINGS

from .noisy import ENSEMBLE_NAMES, PLAIN_NAMES, datasets, values

EXPERIMENT = "noisy_ensembles"
NOISE = 0.2
# Differences of mean H below this are called equal: half an object in a hundred.
EQUAL = 0.005


def main(records):
    """Markdown: wins against no weighting on clean ensembles, and what a fifth of noise does to H."""
    lines = []
    for ensemble, title in ENSEMBLE_NAMES.items():
        clean, noisy = (_means(records, "h", ensemble, fraction) for fraction in (0.0, NOISE))
        held = _means(records, "n_weighted", ensemble, NOISE)
        lines += [
            f"{title}, {len(datasets(records))} data sets",
            "",
            "| weighting | mean H clean | clean: better / equal / worse than unweighted | mean H noisy "
            "| noisy: better / equal / worse than unweighted | mean change of H by noise "
            "| mean absolute change | largest loss | partitions with weight, noisy |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for weighting in WEIGHTINGS:
            change = noisy[weighting] - clean[weighting]
            cells = [
                PLAIN_NAMES[weighting],
                f"{clean[weighting].mean():.3f}",
                _count(clean[weighting] - clean["uniform"]),
                f"{noisy[weighting].mean():.3f}",
                _count(noisy[weighting] - noisy["uniform"]),
                f"{change.mean():+.4f}",
                f"{np.abs(change).mean():.4f}",
                f"{min(change.min(), 0.0):+.3f}",
                f"{held[weighting].mean():.0f}",
            ]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def _means(records, measure, ensemble, fraction):
    """Mean of a measure per data set: {weighting: array}."""
    samples = [values(records, measure, dataset=d, ensemble=ensemble, fraction=fraction) for d in datasets(records)]
    return {weighting: np.array([s[weighting].mean() for s in samples]) for weighting in WEIGHTINGS}


def _count(differences):
    better, worse = np.count_nonzero(differences > EQUAL), np.count_nonzero(differences < -EQUAL)
    return f"{better} / {len(differences) - better - worse} / {worse}"
