"""Mean NMI and ARI of every consensus function by the protocol of the field, clean and with random partitions.

Ten k-means partitions with numbers of clusters in [2, sqrt(n)], six ensembles of every data set of at most 2,500
objects, rows shuffled, consensus at the true number of classes. Functions that were not run on all of the sets are left
out.
"""

import numpy as np

from experiments.accuracy.ensemble_benchmark import BESIDE, LARGE

from .benchmark import OURS, datasets, joined, methods, scores
from .style import BLUE, ORANGE, PAGE, VERMILLION

EXPERIMENT = "ensemble_benchmark"
MARKS = {0.0: ("none", "o", BLUE), 0.3: ("30 %", "s", ORANGE), 0.5: ("50 %", "^", VERMILLION)}


def main(records):
    import matplotlib.pyplot as plt

    records = [record for record in joined(records) if record["config"]["dataset"] not in LARGE]
    sets = datasets(records)
    means = {
        (name, measure, fraction): _mean(records, name, measure, fraction, sets)
        for name in methods(records)
        if name not in BESIDE
        for measure in ("nmi", "ari")
        for fraction in MARKS
    }
    names = [name for name, measure, fraction in means if (measure, fraction) == ("ari", 0.0)]
    names = [name for name in names if np.isfinite(means[name, "ari", 0.0])]
    names.sort(key=lambda name: means[name, "ari", 0.0])
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.16 * len(names) + 0.8), sharey=True)
    for ax, measure, title in zip(axes, ("nmi", "ari"), ("NMI", "adjusted Rand index"), strict=True):
        for fraction, (label, marker, color) in MARKS.items():
            ax.plot(
                [means[name, measure, fraction] for name in names], np.arange(len(names)), marker, color=color,
                label=label, markersize=4, alpha=0.9,
            )  # fmt: skip
        ax.set_xlabel(f"mean {title} over {len(sets)} data sets")
        ax.grid(axis="y", color="0.9", linewidth=0.6)
        ax.set_axisbelow(True)
    axes[0].set_yticks(np.arange(len(names)), names, fontsize=7)
    for text in axes[0].get_yticklabels():
        text.set_fontweight("bold" if text.get_text() == OURS else "normal")
    axes[0].set_ylim(-0.7, len(names) - 0.3)
    axes[1].legend(title="random partitions", loc="upper left")
    return figure


def _mean(records, name, measure, fraction, sets):
    found = scores(records, name, ("sqrt", (10,), fraction), measure)
    return np.mean(list(found.values())) if len(found) == len(sets) else np.nan
