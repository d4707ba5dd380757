"""Reproduced against printed tables of paper 001: a mark is a data set and system, bars two standard errors."""

import numpy as np

from .linear_eac import HIERARCHICAL, KMEANS, MEASURES, NON_HIERARCHICAL, agreement, rank_correlations, samples
from .style import BLUE, GREEN, ORANGE, PAGE, PURPLE, VERMILLION

EXPERIMENT = "linear_eac"
FAMILIES = {
    "k-means (KM, H-KM)": (tuple(KMEANS), VERMILLION, "s"),
    "SEC, MCLA, ECC, CSPA": (tuple(NON_HIERARCHICAL), BLUE, "o"),
    "average, complete linkage": (tuple(name for name in HIERARCHICAL if not name.endswith("SL")), GREEN, "^"),
    "single linkage": (tuple(name for name in HIERARCHICAL if name.endswith("SL")), ORANGE, "v"),
    "members: Mean, Max": (("Mean", "Max"), PURPLE, "D"),
}


def main(records):
    import matplotlib.pyplot as plt

    from .linear_eac import pairs_with_printed

    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.52 * PAGE))
    for ax, (measure, title) in zip(axes, MEASURES.items(), strict=True):
        for label, (columns, colour, marker) in FAMILIES.items():
            pairs = pairs_with_printed(records, measure, columns)
            if not pairs:
                continue
            errors = [
                2.0 * _standard_error(samples(records, dataset, column, measure)) for dataset, column, *_ in pairs
            ]
            theirs, ours = np.array([pair[2:] for pair in pairs]).T
            ax.errorbar(
                theirs, ours, yerr=errors, fmt=marker, color=colour, label=label, markersize=3.5,
                markerfacecolor="none", markeredgewidth=0.8, elinewidth=0.6,
            )  # fmt: skip
        rho, tau = rank_correlations(*np.array([pair[2:] for pair in agreement(records, measure)]).T)
        ax.plot([0, 100], [0, 100], color="0.6", linewidth=0.8, zorder=0)
        ax.set(
            title=f"{title}: rho {rho:.2f}, tau {tau:.2f} over the systems",
            xlabel="printed, percent",
            ylabel="reproduced, percent",
        )
        ax.set_aspect("equal")
        ax.grid(linewidth=0.3, color="0.85")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _standard_error(sample):
    return sample.std(ddof=1) / np.sqrt(len(sample)) if len(sample) > 1 else 0.0
