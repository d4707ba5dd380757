"""Time and peak memory of one fit over the numbers of objects, of partitions and of clusters, with exponents."""

import numpy as np

from .scaling import AXES, samples, slope
from .style import BLACK, BLUE, PAGE, VERMILLION

EXPERIMENT = "scaling"

# measure: label, unit, colour, room above the largest value
_ROWS = {
    "fit_seconds": ("seconds to a gap of 1e-5", 1.0, BLUE, 1.5),
    "peak_bytes": ("peak memory, GiB", 2.0**30, VERMILLION, 50.0),
}


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(PAGE, 0.62 * PAGE), sharex="col", sharey="row")
    for row, (measure, (label, unit, color, room)) in zip(axes, _ROWS.items(), strict=True):
        for ax, axis in zip(row, AXES, strict=True):
            by_size = samples(records, axis, measure)
            low, middle, high = np.array([[np.min(v), np.median(v), np.max(v)] for v in by_size.values()]).T / unit
            ax.set(xscale="log", yscale="log")
            ax.errorbar(list(by_size), middle, yerr=(middle - low, high - middle), color=color, marker="o", capsize=2)
            ax.grid(linewidth=0.3, color="0.8")
        found = [record["result"][measure] / unit for record in records]
        row[0].set(ylabel=label, ylim=(min(found) / 1.5, max(found) * room))
    for column, (axis, (name, _)) in zip(axes.T, AXES.items(), strict=True):
        column[0].set_title(
            rf"time $\propto {name.split()[-1]}^{{{slope(samples(records, axis, 'fit_seconds')):.2f}}}$"
        )
        column[1].set_xlabel(name)
    sizes = np.array(list(samples(records, "n_samples", "peak_bytes")), dtype=float)
    memory = axes[1, 0]
    memory.plot(sizes, 8.0 * sizes**2 / 2.0**30, color=BLACK, linestyle="--")
    # Named where the line leaves the picture.
    high = memory.get_ylim()[1] / 3.0
    memory.annotate("n x n matrix", (np.sqrt(high * 2.0**30 / 8.0), high), (6, 0), textcoords="offset points")
    memory.yaxis.set_major_formatter("{x:g}")
    memory.yaxis.set_minor_formatter("")
    return figure
