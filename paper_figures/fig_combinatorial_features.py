"""Combination clustering and ordinary EAC by number of features, one of them informative.

Left: mean NMI with bootstrapped 95 % intervals and fitted generalised logistic curves. Right: share of the untied data
sets on which combination clustering is better, with 95 % intervals; filled where the one-tailed sign test is
significant (Benjamini-Hochberg). Shaded: the sizes that the paper finds significant, 3 to 50.
"""

import numpy as np
from scipy.stats import binomtest

from .combinatorial import LEVEL, METHODS, both, draw_curve, sign_tests, size_axis
from .style import BLUE, PAGE

EXPERIMENT = "combinatorial_eac"


def main(records):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 0.36 * PAGE))
    pair = both(records, None)
    for by_size, style in zip(pair, METHODS.values(), strict=True):
        draw_curve(left, by_size, style)
    left.legend(loc="upper right")
    left.set_ylabel("NMI with the true groups")
    for size, test in sign_tests(*pair).items():
        if test["n"]:
            share = test["wins"] / test["n"]
            ends = binomtest(test["wins"], test["n"]).proportion_ci()
            right.errorbar(
                size, 100 * share, yerr=100 * np.maximum([[share - ends.low], [ends.high - share]], 0.0), color=BLUE,
                marker="o", mfc=BLUE if test["adjusted"] < LEVEL else "white", elinewidth=0.7, capsize=1.5,
            )  # fmt: skip
    right.axhline(50, color="0.4", linewidth=0.8, linestyle="--")
    right.set_ylabel("untied data sets won (%)")
    for ax in (left, right):
        ax.axvspan(3, 50, color="0.93", linewidth=0, zorder=0)
        size_axis(ax)
        ax.set_xlabel("number of features")
    right.set_ylim(-3, 105)
    repetitions = len(next(iter(pair[0].values())))
    figure.suptitle(f"{repetitions} data sets of 50 objects at every size", x=0.01, ha="left", fontsize=8)
    return figure
