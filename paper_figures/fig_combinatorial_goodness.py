"""Goodness of clustering against accuracy of sub-clusterings of an informative feature, a noisy one, and both.

A point: mean over 200 runs of k-means on one data set of 50 objects. Panels: readings of the signal-to-noise ratio.
"""

from .style import BLUE, GREEN, PAGE, VERMILLION

EXPERIMENT = "combinatorial_goodness"
SUBSETS = {
    "f1": {"label": "informative feature", "color": BLUE, "marker": "o"},
    "f1+f2": {"label": "both", "color": GREEN, "marker": "D"},
    "f2": {"label": "noisy feature", "color": VERMILLION, "marker": "s"},
}


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(records), figsize=(PAGE, 0.33 * PAGE), sharex=True, sharey=True)
    for ax, record in zip(axes, records, strict=True):
        result = record["result"]
        for name, style in SUBSETS.items():
            ax.plot(result["nmi"][name], result["goodness"][name], linestyle="none", markersize=2.5, alpha=0.7, **style)
        ax.set_title(record["config"]["signal"], fontsize=8)
        ax.grid(linewidth=0.3, color="0.85")
        ax.set(xlim=(-0.03, 1.03), ylim=(0, 1.03))
    axes[0].set_ylabel("mean goodness g")
    figure.supxlabel("mean NMI of the sub-clusterings with the true groups", fontsize=8)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure
