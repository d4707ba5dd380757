"""The level of co-association from which pairs should be together."""

import matplotlib.pyplot as plt
import numpy as np

from .drawing import drawing
from .records import matching
from .style import BLUE, ORANGE, PAGE, VERMILLION

TITLES = {"fixed": "base clusterings as coarse as the classes", "sqrt": "finer base clusterings"}


def levels_figure(records):
    """Share of the partitions that join a pair, for pairs of the same class and of others, on the set "image-1".

    Left, base clusterings with as many clusters as there are classes; right, with 2 to sqrt(n). Pairs of a class join
    the same cluster where their co-association is above the threshold: one half, or the mean of the two levels that
    are found from the data (`threshold="data"`). With fine base clusterings half of the pairs of
    a class and more are below one half.
    """
    fig, axes = plt.subplots(1, 2, figsize=(PAGE, 2.4), sharey=True)
    for ax, (drawn, title) in zip(axes, TITLES.items(), strict=True):
        (record,) = matching(records, range=drawn)
        result = record["result"]
        edges = np.linspace(0.0, 1.0, len(result["same"]) + 1)
        for name, color, label in (("other", ORANGE, "different classes"), ("same", BLUE, "same class")):
            share = np.array(result[name]) / np.sum(result[name])
            ax.stairs(share, edges, fill=True, alpha=0.55, color=color, label=label)
        ax.axvline(0.5, color="black", linestyle="--", label="one half")
        ax.axvline(np.mean(result["levels"]), color=VERMILLION, label="threshold from the data")
        half, data = (result["agreement"][name]["ari"] for name in ("half", "data"))
        ax.set(
            title=title,
            xlim=(0.0, 1.0),
            xlabel=f"co-association\n(ARI with one half {half:.2f}, from the data {data:.2f})",
        )
    axes[0].set_ylabel("share of the pairs")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return fig


DRAWINGS = (drawing("fig_coassociation_levels", "coassociation_levels", levels_figure),)
