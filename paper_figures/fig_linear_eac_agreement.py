"""Reproduced against printed tables of paper 001: a mark is a data set and system, bars two standard errors.

Filled marks: data sets whose base clusterings already differ by more than 5 points of mean density from the printed
ones, so that something in their preparation must differ.
"""

import numpy as np

from .linear_eac import (
    HIERARCHICAL,
    KMEANS,
    MEASURES,
    NON_HIERARCHICAL,
    agreement,
    pairs_with_printed,
    rank_correlations,
    samples,
)
from .style import BLUE, GREEN, ORANGE, PAGE, PURPLE, VERMILLION

EXPERIMENT = "linear_eac"
FAMILIES = {
    "k-means (KM, H-KM)": (tuple(KMEANS), VERMILLION, "s"),
    "SEC, MCLA, ECC, CSPA": (tuple(NON_HIERARCHICAL), BLUE, "o"),
    "average, complete linkage": (tuple(name for name in HIERARCHICAL if not name.endswith("SL")), GREEN, "^"),
    "single linkage": (tuple(name for name in HIERARCHICAL if name.endswith("SL")), ORANGE, "v"),
    "members: Mean, Max": (("Mean", "Max"), PURPLE, "D"),
}
FAR = 5.0


def main(records):
    import matplotlib.pyplot as plt

    others = {name for name, _, theirs, ours in pairs_with_printed(records, "density", ("Mean",)) if _far(theirs, ours)}
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.55 * PAGE))
    for ax, (measure, title) in zip(axes, MEASURES.items(), strict=True):
        for label, (columns, colour, marker) in FAMILIES.items():
            for filled in (False, True):
                pairs = [p for p in pairs_with_printed(records, measure, columns) if (p[0] in others) == filled]
                if not pairs:
                    continue
                errors = [2.0 * _standard_error(samples(records, name, column, measure)) for name, column, *_ in pairs]
                theirs, ours = np.array([pair[2:] for pair in pairs]).T
                ax.errorbar(
                    theirs, ours, yerr=errors, fmt=marker, color=colour, label=None if filled else label,
                    markersize=3.5, markerfacecolor=colour if filled else "none", markeredgewidth=0.8, elinewidth=0.6,
                )  # fmt: skip
        every = [(name, pair) for name, _, *pair in agreement(records, measure)]
        like = [pair for name, pair in every if name not in others]
        rhos = [rank_correlations(*np.array(pairs).T)[0] for pairs in ([pair for _, pair in every], like)]
        ax.plot([0, 100], [0, 100], color="0.6", linewidth=0.8, zorder=0)
        ax.set(
            title=f"{title}: Spearman {rhos[0]:.2f}, hollow marks {rhos[1]:.2f}",
            xlabel="printed, percent",
            ylabel="reproduced, percent",
        )
        ax.set_aspect("equal")
        ax.grid(linewidth=0.3, color="0.85")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    figure.supxlabel(f"filled: {', '.join(sorted(others)) or 'none'}", fontsize=8)
    return figure


def _far(theirs, ours):
    return abs(ours - theirs) > FAR


def _standard_error(sample):
    return sample.std(ddof=1) / np.sqrt(len(sample)) if len(sample) > 1 else 0.0
