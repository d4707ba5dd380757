"""Figure 1 of paper 003: the half rings, convergence of the number of clusters (k = 10), and dendrograms.

Panel b: mean over the repetitions, bars one standard deviation. Dendrograms: the 30 largest subtrees of the public copy
where it is there; blue (solid) and red (dashed) links join objects of one ring, black ones both.
"""

import numpy as np

from experiments.threshold_eac.threshold_eac import CONVERGENCE_K, DEFAULT, MAIN, ON_THE_WAY, TREES

from .style import BLACK, BLUE, GREEN, PAGE, VERMILLION
from .threshold_eac import KMEANS_NAMES, draw_points, draw_tree, first_known, readings, results

EXPERIMENT = ("threshold_eac", "threshold_plain")
NAMES = ("half-rings", "half-rings-file")
LINES = {
    ("half-rings", "converged"): {"color": BLUE, "marker": "s", "linestyle": "--", "label": "re-created, converged"},
    ("half-rings", "stopped-3"): {"color": GREEN, "marker": "D", "linestyle": ":", "label": "re-created, 3 passes"},
    ("half-rings-file", "converged"): {
        "color": VERMILLION,
        "marker": "^",
        "linestyle": "-.",
        "label": "copy, converged",
    },
    ("half-rings-file", "stopped-3"): {"color": BLACK, "marker": "o", "linestyle": "-", "label": "copy, 3 passes"},
}


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplot_mosaic("AAABBB;CCDDEE", figsize=(PAGE, 0.68 * PAGE))
    plain, eac = records["threshold_plain"], records["threshold_eac"]
    shown = first_known(plain, NAMES)
    points = results(plain, dataset=shown, repetition=0)[0]
    draw_points(axes["A"], points, np.repeat([0, 1], [100, 300]))
    axes["A"].set_title("(a) 100 upper, 300 lower objects")
    _convergence(axes["B"], eac)
    draw_tree(axes["C"], points["tree"])
    axes["C"].set(title="(c) single link, distances", ylabel="share of largest height")
    k = str(TREES[shown][0])
    for ax, letter, kmeans in zip((axes["D"], axes["E"]), "de", MAIN, strict=True):
        found = [r for r in results(eac, dataset=shown, kmeans=kmeans, repetition=0) if "tree" in r[k]]
        if found:
            draw_tree(ax, found[0][k]["tree"])
        ax.axhline(1.0 - DEFAULT, color="0.4", linewidth=0.8, linestyle=":")
        ax.set(title=f"({letter}) votes, k = {k}\n{KMEANS_NAMES[kmeans]}", ylabel="1 - co-association", ylim=(0, 1))
    return figure


def _convergence(ax, records):
    for i, reading in enumerate(readings(records, "half-rings")):
        found = results(records, dataset=reading[0], kmeans=reading[1])
        numbers = np.array([result[str(CONVERGENCE_K)]["on_the_way"] for result in found])
        # A little apart, so that the bars can be told from each other.
        at = np.array(ON_THE_WAY) + 1.2 * (i - 1.5)
        ax.errorbar(at, numbers.mean(axis=0), yerr=numbers.std(axis=0), elinewidth=0.6, markersize=3, **LINES[reading])
    ax.axvline(90, ymax=0.8, color="0.5", linewidth=0.8, linestyle="--")
    ax.text(92, 0.1, "printed: 2 from here", fontsize=7, color="0.3")
    ax.axhline(2, color="0.8", linewidth=0.6, zorder=0)
    ax.set(
        title=f"(b) k = {CONVERGENCE_K}, t = {DEFAULT}", xlabel="number of clusterings N", ylabel="number of clusters"
    )
    ax.set_ylim(0, 1.35 * ax.get_ylim()[1])
    ax.legend(ncols=2, fontsize=7, loc="upper right")
