"""Time and peak memory of one fit over the numbers of objects, of partitions and of clusters, with exponents."""

import numpy as np

from .scaling import AXES, samples, slope
from .style import BLACK, BLUE, PAGE, VERMILLION

EXPERIMENT = "scaling"


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(PAGE, 0.62 * PAGE), sharex="col", sharey="row")
    for column, (axis, (name, _)) in zip(axes.T, AXES.items(), strict=True):
        for ax, measure, unit, color in zip(
            column, ("fit_seconds", "peak_bytes"), (1.0, 2.0**30), (BLUE, VERMILLION), strict=True
        ):
            by_size = samples(records, axis, measure)
            low, middle, high = np.array([[np.min(v), np.median(v), np.max(v)] for v in by_size.values()]).T / unit
            ax.errorbar(list(by_size), middle, yerr=(middle - low, high - middle), color=color, marker="o", capsize=2)
            ax.set(xscale="log", yscale="log")
            ax.grid(linewidth=0.3, color="0.8")
        column[0].set_title(f"slope {slope(samples(records, axis, 'fit_seconds')):.2f}")
        column[1].set_xlabel(name)
    sizes = np.array(list(samples(records, "n_samples", "peak_bytes")), dtype=float)
    lowest, highest = axes[1, 0].get_ylim()
    axes[1, 0].plot(sizes, 8.0 * sizes**2 / 2.0**30, color=BLACK, linestyle="--", label="n x n matrix")
    axes[1, 0].set_ylim(lowest / 2.0, 40.0 * highest)
    axes[1, 0].legend(loc="upper right")
    axes[1, 0].yaxis.set_major_formatter("{x:g}")
    axes[1, 0].yaxis.set_minor_formatter("")
    axes[0, 0].set_ylabel("seconds to a gap of 1e-5")
    axes[1, 0].set_ylabel("peak memory, GiB")
    return figure
