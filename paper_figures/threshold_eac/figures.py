"""The figures of paper 003."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse
from scipy.cluster.hierarchy import dendrogram

from experiments.threshold_eac.threshold_eac import CONVERGENCE_K, DEFAULT, MAIN, ON_THE_WAY, TREES
from experiments.threshold_eac.threshold_gaussians import KS, SHOWN, THRESHOLDS

from ..records import distinct, results
from ..style import BLACK, BLUE, GREEN, PAGE, VERMILLION, look
from .cells import POINT_SETS, READINGS, readings

CLASS_LOOKS = {"color": BLUE, "marker": "o"}, {"color": VERMILLION, "marker": "^"}
LINK_LOOKS = {
    BLUE: {"linewidth": 0.8, "linestyle": "-"},
    VERMILLION: {"linewidth": 0.8, "linestyle": (0, (3, 1))},
    BLACK: {"linewidth": 1.8, "linestyle": "-"},
}
CONVERGENCE_LOOKS = {
    ("half-rings", "converged"): look(BLUE, "s", "--", label="re-created, Lloyd"),
    ("half-rings", "macqueen"): look(GREEN, "D", ":", label="re-created, MacQueen"),
    ("half-rings-file", "converged"): look(VERMILLION, "^", "-.", label="copy, Lloyd"),
    ("half-rings-file", "macqueen"): look(BLACK, "o", "-", label="copy, MacQueen"),
}
GAUSSIAN_LOOKS = look(BLACK, "o", "-"), look(BLUE, "s", "--"), look(VERMILLION, "^", "-."), look(GREEN, "D", ":")
SHOWN_THRESHOLDS = (0.5, 0.7)


def draw_points(ax, result, n_first):
    """Scatter of two-dimensional points of two classes, the first of which has n_first."""
    x, y = (np.array(column) for column in result["points"])
    for part, style in zip((slice(n_first), slice(n_first, None)), CLASS_LOOKS, strict=True):
        ax.scatter(x[part], y[part], s=5, linewidths=0, **style)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()


def draw_tree(ax, tree):
    """Dendrogram of a condensed tree: links within one class in its colour, links between classes black and thick."""
    merges = np.array(tree["merges"], dtype=float)
    counts = [np.array(count) for count in tree["counts"]]
    n_leaves = [1] * len(counts)
    for left, right in merges[:, :2].astype(int):
        counts.append(counts[left] + counts[right])
        n_leaves.append(n_leaves[left] + n_leaves[right])

    def color(cluster):
        held = np.flatnonzero(counts[cluster])
        return CLASS_LOOKS[held[0]]["color"] if len(held) == 1 else BLACK

    shape = np.column_stack([merges, n_leaves[len(tree["counts"]) :]])
    drawn = dendrogram(shape, no_plot=True, link_color_func=color)
    for x, y, link in zip(drawn["icoord"], drawn["dcoord"], drawn["color_list"], strict=True):
        ax.plot(x, y, color=link, **LINK_LOOKS[link])
    ax.set(xlabel=f"{len(tree['counts'])} largest subtrees", xticks=[], ylim=(0.0, None))


def shown_set(records, dataset):
    known = distinct(records, "dataset")
    return [name for name in POINT_SETS[dataset] if name in known][-1]


def halfrings_figure(records):
    """Figure 1 of paper 003: the half rings, convergence of the number of clusters (k = 10), and dendrograms.

    Two readings of k-means: Lloyd's iterations from objects, the usual one, and MacQueen's pass in the order of the
    data, the oldest. Panel b shows the mean over the repetitions, with bars of one standard deviation. Dendrograms show
    the 30 largest subtrees, of the public copy where it is there. Blue (solid) and red (dashed) links join objects of
    one ring, black ones both."""
    figure, axes = plt.subplot_mosaic("AAABBB;CCDDEE", figsize=(PAGE, 0.68 * PAGE))
    plain, eac = records["threshold_plain"], records["threshold_eac"]
    shown = shown_set(plain, "half-rings")
    points = results(plain, dataset=shown, repetition=0)[0]
    draw_points(axes["A"], points, 100)
    axes["A"].set_title("(a) 100 upper, 300 lower objects")
    _convergence(axes["B"], eac)
    draw_tree(axes["C"], points["tree"])
    axes["C"].set(title="(c) single link, distances", ylabel="share of largest height")
    k = str(TREES[shown][0])
    for ax, letter, kmeans in zip((axes["D"], axes["E"]), "de", MAIN, strict=True):
        for result in results(eac, dataset=shown, kmeans=kmeans, repetition=0):
            if "tree" in result[k]:
                draw_tree(ax, result[k]["tree"])
        ax.axhline(1.0 - DEFAULT, color="0.4", linewidth=0.8, linestyle=":")
        ax.set(title=f"({letter}) votes, k = {k}\n{READINGS[kmeans]}", ylabel="1 - co-association", ylim=(0, 1))
    return figure


def _convergence(ax, records):
    for i, reading in enumerate(readings(records, "half-rings", MAIN)):
        found = results(records, dataset=reading[0], kmeans=reading[1])
        numbers = np.array([result[str(CONVERGENCE_K)]["on_the_way"] for result in found])
        # A little apart, so that the bars can be distinguished.
        places = np.array(ON_THE_WAY) + 1.2 * (i - 1.5)
        bars = {"yerr": numbers.std(axis=0), "elinewidth": 0.6, "markersize": 3}
        ax.errorbar(places, numbers.mean(axis=0), **bars, **CONVERGENCE_LOOKS[reading])
    ax.axvline(90, ymax=0.8, color="0.5", linewidth=0.8, linestyle="--")
    ax.text(92, 0.1, "printed: 2 from here", fontsize=7, color="0.3")
    ax.axhline(2, color="0.8", linewidth=0.6, zorder=0)
    ax.set(xlabel="number of clusterings N", ylabel="number of clusters", ylim=(0, 1.35 * ax.get_ylim()[1]))
    ax.set_title(f"(b) k = {CONVERGENCE_K}, t = {DEFAULT}")
    ax.legend(ncols=2, fontsize=7, loc="upper right")


def spiral_figure(records):
    """Figure 2 of paper 003: the spirals, their mixture of Gaussians, and dendrograms of the co-association by k.

    The points are those of the public copy where it is there, first repetition. Ellipses show two standard deviations.
    Dendrograms show two readings of k-means, as in Figure 1. Blue (solid) and red (dashed) links join objects of one
    arm, black ones both."""
    figure, axes = plt.subplot_mosaic("ACD;BEF", figsize=(PAGE, 0.6 * PAGE))
    plain, eac = records["threshold_plain"], records["threshold_eac"]
    shown = shown_set(plain, "spiral")
    points = results(plain, dataset=shown, repetition=0)[0]
    for letter in "AB":
        draw_points(axes[letter], points, 100)
    axes["A"].set_title("(a) 200 objects")
    _ellipses(axes["B"], points["ellipses"])
    axes["B"].set_title(f"(b) {points['components']} Gaussians (printed: 24)")
    for letters, kmeans in zip(("CD", "EF"), MAIN, strict=True):
        found = results(eac, dataset=shown, kmeans=kmeans, repetition=0)[0]
        for letter, k in zip(letters, TREES[shown], strict=True):
            ax = axes[letter]
            draw_tree(ax, found[str(k)]["tree"])
            ax.axhline(1.0 - DEFAULT, color="0.4", linewidth=0.8, linestyle=":")
            ax.set(title=f"({letter.lower()}) k = {k}, {READINGS[kmeans]}", ylim=(0, 1))
        axes[letters[0]].set_ylabel("1 - co-association")
    figure.supxlabel(f"dotted: t = {DEFAULT:g}; thick black links join the two arms", fontsize=8)
    return figure


def _ellipses(ax, components):
    for x, y, xx, xy, yy in components:
        lengths, directions = np.linalg.eigh([[xx, xy], [xy, yy]])
        # Rounded covariances of thin components can be indefinite by a hair.
        width, height = 4.0 * np.sqrt(np.maximum(lengths, 0.0))
        angle = np.degrees(np.arctan2(directions[1, 0], directions[0, 0]))
        ax.add_patch(Ellipse((x, y), width, height, angle=angle, fill=False, linewidth=0.7))


def random_figure(records):
    """Figure 3 of paper 003: 300 points drawn uniformly from a five-dimensional hypercube; diagonal: histograms."""
    columns = np.array(results(records, dataset="uniform-5d", repetition=0)[0]["points"])
    d = len(columns)
    figure, axes = plt.subplots(d, d, figsize=(PAGE, 0.9 * PAGE), sharex=True)
    for (i, j), ax in np.ndenumerate(axes):
        if i == j:
            ax.hist(columns[i], bins=10, range=(0.0, 1.0), color="0.6", edgecolor="white", linewidth=0.4)
        else:
            ax.scatter(columns[j], columns[i], s=2, color=BLUE, linewidths=0)
        ax.set(xticks=[0, 1], yticks=[])
    for i in range(d):
        axes[i, 0].set_ylabel(f"feature {i + 1}")
        axes[-1, i].set_xlabel(f"feature {i + 1}")
    return figure


def gaussians_figure(records):
    """Figure 4 of paper 003: two Gaussians by Mahalanobis distance, and the number of clusters found.

    Panels c to f show the mean over 20 draws of the points, with bars of two standard errors, for two readings of
    k-means, as in Figure 1."""
    figure, axes = plt.subplot_mosaic("AACCCDDD;BBEEEFFF", figsize=(PAGE, 0.62 * PAGE))
    for key, distance in zip("AB", SHOWN, strict=True):
        draw_points(axes[key], results(records, distance=distance, kmeans="converged", repetition=0)[0], 100)
        axes[key].set_title(f"({key.lower()}) distance {distance:g}")
    for (first, second), threshold in zip(("CD", "EF"), SHOWN_THRESHOLDS, strict=True):
        for key, kmeans in zip((first, second), MAIN, strict=True):
            _numbers(axes[key], records, threshold, kmeans)
            axes[key].set_title(f"({key.lower()}) t = {threshold:g}, {READINGS[kmeans]}")
        axes[first].set_ylabel("number of clusters")
        axes[second].sharey(axes[first])
    axes["F"].legend(ncols=2, loc="upper right")
    figure.supxlabel("c to f: Mahalanobis distance of the centres")
    return figure


def _numbers(ax, records, threshold, kmeans):
    distances = sorted(distinct(records, "distance"))
    found = [results(records, distance=distance, kmeans=kmeans) for distance in distances]
    for i, (k, style) in enumerate(zip(KS, GAUSSIAN_LOOKS, strict=True)):
        numbers = [np.array([result[str(k)][THRESHOLDS.index(threshold)] for result in runs]) for runs in found]
        means, errors = zip(*((n.mean(), 2.0 * n.std() / np.sqrt(len(n))) for n in numbers), strict=True)
        places = np.array(distances) + 0.05 * (i - 1.5)
        ax.errorbar(places, means, yerr=errors, elinewidth=0.6, capsize=1.5, label=f"k = {k}", **style)
    ax.axhline(2, color="0.8", linewidth=0.6, zorder=0)
    ax.set_ylim(0.8, None)
