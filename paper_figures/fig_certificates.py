"""How far from the global minimum an objective can be at most: relative distance to the lower bound, by data set.

At most 400 objects. Points are medians over both kinds of ensembles, clean and with a fifth of random partitions, lines
the ranges; what is below 1e-8 is drawn there. The membership is held against the bound on memberships; its labels,
before and after the local search by single moves, against the bound on partitions.
"""

import numpy as np

from experiments.robust_eac.noisy_ensembles import SETTINGS, WEIGHTINGS

from .certificates import distances, rows
from .style import BLUE, GREEN, PAGE, VERMILLION, method_style

EXPERIMENT = "certificates"

SERIES = {
    "relaxed": ("membership", BLUE, "o"),
    "hard": ("labels", VERMILLION, "s"),
    "best": ("labels after local search, best of ten", GREEN, "D"),
}
# Rounding of the records and of the bounds is drawn here.
LEAST = 1e-8


def main(records):
    import matplotlib.pyplot as plt

    bounded = {row["dataset"] for row in rows(records) if "least_hard" in row}
    names = [name for name in SETTINGS if name in bounded]
    figure, axes = plt.subplots(
        1, len(WEIGHTINGS), figsize=(PAGE, 0.9 + 0.3 * len(names)), sharex=True, sharey=True
    )  # fmt: skip
    for ax, weighting in zip(axes, WEIGHTINGS, strict=True):
        for shift, (objective, (label, color, marker)) in enumerate(SERIES.items()):
            for position, name in enumerate(names):
                sample = np.maximum(distances(rows(records, weighting=weighting, dataset=name), objective), LEAST)
                height = position + 0.24 * (shift - 1)
                ax.plot([sample.min(), sample.max()], [height, height], color=color, linewidth=0.8)
                ax.plot(np.median(sample), height, color=color, marker=marker, label=None if position else label)
        ax.set(xscale="log", xlim=(0.4 * LEAST, 0.3), title=method_style(weighting)["label"])
        ax.grid(axis="x", linewidth=0.3, color="0.8")
    axes[0].set(yticks=range(len(names)), yticklabels=names, ylim=(len(names) - 0.5, -0.5))
    figure.supxlabel("relative distance to the lower bound", fontsize="medium")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(SERIES))
    return figure
