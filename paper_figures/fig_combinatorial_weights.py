"""Combination clustering under four weightings of the evidence, by number of features, one of them informative.

Left: mean NMI with bootstrapped 95 % intervals and fitted generalised logistic curves. Right: number of features at
which the curves reach NMI 0.5, with the range over experiments of the paper's 20 data sets.
"""

import numpy as np

from .combinatorial import CONDITIONS, WEIGHTS_BLOCK, blocks, draw_curve, half_point, size_axis, weightings
from .style import PAGE

EXPERIMENT = "combinatorial_weights"


def main(records):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 0.38 * PAGE), width_ratios=[2, 1])
    found = weightings(records)
    for column, (condition, style) in enumerate(CONDITIONS.items()):
        draw_curve(left, found[condition], style)
        at = half_point(found[condition])
        spread = [half_point(part) for part in blocks(found[condition], WEIGHTS_BLOCK)]
        right.errorbar(
            column, at, yerr=np.maximum([[at - min(spread)], [max(spread) - at]], 0.0), color=style["color"],
            marker=style["marker"], elinewidth=0.7, capsize=1.5,
        )  # fmt: skip
    size_axis(left)
    left.set(xlabel="number of features", ylabel="NMI with the true groups")
    left.legend(loc="upper right", title="weighting by")
    right.set(ylabel="features at NMI 0.5", xlim=(-0.5, 3.5), ylim=(0, None))
    right.set_xticks(range(4), ["none", "order", "good-\nness", "both"])
    right.grid(axis="y", linewidth=0.3, color="0.85")
    repetitions = len(next(iter(found["none"].values())))
    figure.suptitle(f"{repetitions} data sets of 50 objects at every size", x=0.01, ha="left", fontsize=8)
    return figure
