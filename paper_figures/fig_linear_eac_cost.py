"""How many times longer the slower way takes, by number of objects: medians and ranges (Sections 3.7, 4.2 and 7.3)."""

import numpy as np

from .linear_eac import RATIOS, growth, ratios
from .style import BLUE, COLUMN, GREEN, VERMILLION

EXPERIMENT = "linear_eac_cost"
STYLES = ((VERMILLION, "s", "-"), (BLUE, "o", "--"), (GREEN, "^", "-."))


def main(records):
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator

    figure, ax = plt.subplots(figsize=(1.25 * COLUMN, COLUMN))
    for (name, _), (colour, marker, line) in zip(RATIOS.items(), STYLES, strict=True):
        sizes, values = ratios(records, name)
        middle = np.median(values, axis=1)
        spread = np.maximum([middle - values.min(axis=1), values.max(axis=1) - middle], 0.0)
        ax.errorbar(
            sizes, middle, yerr=spread, capsize=1.5, color=colour, marker=marker, linestyle=line, elinewidth=0.6,
            label=f"{name}: grows as $n^{{{growth(sizes, middle):.2f}}}$",
        )  # fmt: skip
    ax.axhline(1.0, color="0.6", linewidth=0.8)
    ax.set(xscale="log", yscale="log", xlabel="objects n", ylabel="ratio of seconds within a cell")
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    ax.grid(linewidth=0.3, color="0.85")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper left", ncols=1)
    return figure
