"""Mean accuracy with every weighting, for three consensus functions that use weights differently."""

import numpy as np

from .baselines import fractions, mean_results
from .style import BLUE, GREEN, PAGE, VERMILLION

EXPERIMENT = "baselines"

FUNCTIONS = {"robust-eac": (BLUE, "o"), "eac-average": (VERMILLION, "s"), "kmeans": (GREEN, "^")}


def main(records):
    import matplotlib.pyplot as plt

    shares = fractions(records)
    every = mean_results(records, "robust-eac", "h", shares[0])
    order = sorted(every, key=lambda name: np.mean(every[name]))
    figure, axes = plt.subplots(
        1, len(shares) + 1, figsize=(PAGE, 0.22 * len(order) + 0.8), sharey=True, width_ratios=[2] * len(shares) + [1]
    )
    for ax, fraction in zip(axes, shares, strict=False):
        for shift, (function, (color, marker)) in enumerate(FUNCTIONS.items()):
            means = mean_results(records, function, "h", fraction)
            shown = [name for name in order if name in means]
            ax.plot(
                [np.mean(means[name]) for name in shown],
                [order.index(name) + 0.2 * (1 - shift) for name in shown],
                color=color, marker=marker, linestyle="none", label=function,
            )  # fmt: skip
            ax.axvline(np.mean(means["uniform"]), color=color, linewidth=0.6, linestyle=":")
        ax.set(title=f"{fraction:.0%} of the partitions random", xlabel="accuracy (H criterion)")
    noise = mean_results(records, "robust-eac", "noise_weight", shares[-1])
    axes[-1].barh(np.arange(len(order)), [np.mean(noise[name]) for name in order], color="0.55", height=0.6)
    axes[-1].axvline(shares[-1], color="0.2", linewidth=0.6, linestyle=":")
    axes[-1].set(title=f"at {shares[-1]:.0%}", xlabel="weight on random")
    axes[0].set_yticks(np.arange(len(order)), order)
    for ax in axes:
        ax.grid(axis="y", linewidth=0.3, color="0.8")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(FUNCTIONS))
    figure.supxlabel(
        "means over data sets and ensembles; dotted: equal weights; weights found jointly go with robust-eac alone",
        fontsize=8,
    )
    return figure
