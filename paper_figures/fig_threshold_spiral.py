"""Figure 2 of paper 003: the spirals, their mixture of Gaussians, and dendrograms of the co-association by k.

The public copy where it is there, first repetition, k-means to convergence. Ellipses: two standard deviations. The
dotted line is t = 0.5; blue (solid) and red (dashed) links join objects of one arm, black ones both.
"""

import numpy as np

from experiments.threshold_eac.threshold_eac import DEFAULT, TREES

from .style import PAGE
from .threshold_eac import draw_points, draw_tree, first_known, results

EXPERIMENT = ("threshold_eac", "threshold_plain")
NAMES = ("spiral", "spiral-file")


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(PAGE, 0.3 * PAGE))
    plain, eac = records["threshold_plain"], records["threshold_eac"]
    shown = first_known(plain, NAMES)
    points = results(plain, dataset=shown, repetition=0)[0]
    for ax in axes[:2]:
        draw_points(ax, points, np.repeat([0, 1], 100))
    axes[0].set_title("(a) 200 objects")
    _ellipses(axes[1], points["ellipses"])
    axes[1].set_title(f"(b) {points['components']} Gaussians\n(printed: 24)")
    found = results(eac, dataset=shown, kmeans="converged", repetition=0)[0]
    for ax, letter, k in zip(axes[2:], "cd", TREES[shown], strict=True):
        draw_tree(ax, found[str(k)]["tree"])
        ax.axhline(1.0 - DEFAULT, color="0.4", linewidth=0.8, linestyle=":")
        ax.set(title=f"({letter}) k = {k}", ylim=(0, 1))
    axes[2].set_ylabel("1 - co-association")
    return figure


def _ellipses(ax, components):
    from matplotlib.patches import Ellipse

    for x, y, xx, xy, yy in components:
        lengths, directions = np.linalg.eigh([[xx, xy], [xy, yy]])
        # Rounded covariances of thin components can be indefinite by a hair.
        width, height = 4.0 * np.sqrt(np.maximum(lengths, 0.0))
        angle = np.degrees(np.arctan2(directions[1, 0], directions[0, 0]))
        ax.add_patch(Ellipse((x, y), width, height, angle=angle, fill=False, linewidth=0.7))
