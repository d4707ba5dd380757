"""Figure 4 of paper 003: two Gaussians by Mahalanobis distance, and the number of clusters found.

Panels c and d: mean over 20 draws of the points, bars two standard errors, k-means to convergence.
"""

import numpy as np

from experiments.threshold_eac.threshold_gaussians import KS, SHOWN, THRESHOLDS

from .style import BLACK, BLUE, GREEN, PAGE, VERMILLION
from .threshold_eac import draw_points, results

EXPERIMENT = "threshold_gaussians"
SHOWN_THRESHOLDS = (0.5, 0.7)
LOOKS = dict(
    zip(
        KS,
        (
            {"color": BLACK, "marker": "o", "linestyle": "-"},
            {"color": BLUE, "marker": "s", "linestyle": "--"},
            {"color": VERMILLION, "marker": "^", "linestyle": "-."},
            {"color": GREEN, "marker": "D", "linestyle": ":"},
        ),
        strict=True,
    )
)


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplot_mosaic("AACCC;BBDDD", figsize=(PAGE, 0.62 * PAGE))
    for key, distance in zip("AB", SHOWN, strict=True):
        draw_points(
            axes[key],
            results(records, distance=distance, kmeans="converged", repetition=0)[0],
            np.repeat([0, 1], 100),
        )
        axes[key].set_title(f"({key.lower()}) distance {distance:g}")
    for key, threshold in zip("CD", SHOWN_THRESHOLDS, strict=True):
        _numbers(axes[key], records, threshold)
        axes[key].set_title(f"({key.lower()}) t = {threshold:g}")
    axes["C"].legend(ncols=2)
    axes["D"].set_xlabel("Mahalanobis distance of the centres")
    return figure


def _numbers(ax, records, threshold):
    distances = sorted({record["config"]["distance"] for record in records})
    for i, k in enumerate(KS):
        means, errors = [], []
        for distance in distances:
            found = results(records, distance=distance, kmeans="converged")
            numbers = np.array([result[str(k)][THRESHOLDS.index(threshold)] for result in found])
            means.append(numbers.mean())
            errors.append(2.0 * numbers.std() / np.sqrt(len(numbers)))
        at = np.array(distances) + 0.05 * (i - 1.5)
        ax.errorbar(at, means, yerr=errors, elinewidth=0.6, capsize=1.5, label=f"k = {k}", **LOOKS[k])
    ax.axhline(2, color="0.8", linewidth=0.6, zorder=0)
    ax.set_ylabel("number of clusters")
    ax.set_ylim(bottom=0.8)
