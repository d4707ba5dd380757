"""Combination clustering and ordinary EAC for six distributions of the signal over the features (Zipf's exponent s).

Mean NMI with bootstrapped 95 % intervals and fitted generalised logistic curves; below, the number of features at which
the curves reach NMI 0.5, with the range over experiments of the paper's number of repetitions.
"""

import numpy as np

from .combinatorial import METHODS, blocks, both, draw_curve, exponent_name, exponents, half_point, size_axis
from .style import PAGE

EXPERIMENT = "combinatorial_eac"


def main(records):
    import matplotlib.pyplot as plt

    known = exponents(records)
    figure = plt.figure(figsize=(PAGE, 0.85 * PAGE))
    upper, lower = figure.subfigures(2, 1, height_ratios=[2, 1])
    axes = upper.subplots(2, 3, sharex=True, sharey=True)
    below = lower.subplots()
    for ax in axes.flat[len(known) :]:
        ax.remove()
    for column, (exponent, ax) in enumerate(zip(known, axes.flat, strict=False)):
        pair = both(records, exponent)
        for shift, by_size, style in zip((-0.07, 0.07), pair, METHODS.values(), strict=True):
            draw_curve(ax, by_size, style)
            at, spread = half_point(by_size), [half_point(part) for part in blocks(by_size)]
            below.errorbar(
                column + shift, at, yerr=np.maximum([[at - min(spread)], [max(spread) - at]], 0.0), linestyle="none",
                color=style["color"], marker=style["marker"], elinewidth=0.7, capsize=1.5,
            )  # fmt: skip
        size_axis(ax)
        ax.set_title(f"s = {exponent_name(exponent)}")
    upper.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(METHODS))
    upper.supylabel("NMI with the true groups", fontsize=8)
    upper.supxlabel("number of features", fontsize=8)
    below.set(yscale="log", ylabel="features at NMI 0.5", xlabel="Zipf's exponent s", xlim=(-0.5, len(known) - 0.5))
    below.set_yticks(ticks := (5, 10, 20, 50, 100), map(str, ticks))
    below.minorticks_off()
    below.set_xticks(range(len(known)), [exponent_name(exponent) for exponent in known])
    below.grid(axis="y", linewidth=0.3, color="0.85")
    below.set_axisbelow(True)
    return figure
