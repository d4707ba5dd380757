"""What the figures, tables and verdicts of paper 003 share."""

import numpy as np

from experiments.threshold_eac.threshold_eac import MAIN, SETTINGS

from .printed import printed_table
from .style import BLACK, BLUE, VERMILLION

# The paper's data and the records that stand for them: points re-created in every repetition, and a public copy.
POINT_SETS = {
    "half-rings": ("half-rings", "half-rings-file"),
    "spiral": ("spiral", "spiral-file"),
    "uniform-5d": ("uniform-5d",),
    "normal-5d": ("normal-5d",),
    "iris": ("iris",),
}
PRINTED = {
    "half-rings": "threshold_eac_table1_halfrings",
    "spiral": "threshold_eac_table2_spiral",
    "uniform-5d": "threshold_eac_table3_random5d",
    "iris": "threshold_eac_table4_iris_clusters",
}
PRINTED_CONSISTENCY = "threshold_eac_table5_iris_consistency"
SET_NAMES = {
    "half-rings": "half rings, re-created",
    "half-rings-file": "half rings, public copy",
    "spiral": "spirals, re-created",
    "spiral-file": "spirals, public copy",
    "uniform-5d": "uniform, 5-D",
    "normal-5d": "Gaussian, 5-D",
    "iris": "iris",
    "iris-standardised": "iris, standardised",
}
KMEANS_NAMES = {
    "converged": "converged",
    "stopped-1": "stopped after 1 pass",
    "stopped-2": "stopped after 2 passes",
    "stopped-3": "stopped after 3 passes",
    "stopped-5": "stopped after 5 passes",
    "box": "converged, starts from the box",
    "k-means++": "converged, k-means++ starts",
}
N_IRIS = 150
CLASS_STYLES = ({"color": BLUE, "marker": "o"}, {"color": VERMILLION, "marker": "^"})


def results(records, **where):
    """Results of the records whose configuration matches, one per repetition."""
    return [r["result"] for r in records if all(r["config"][key] == value for key, value in where.items())]


def readings(records, dataset):
    """(point set, way of k-means) for the two main ways, as far as there are records."""
    known = {(r["config"]["dataset"], r["config"]["kmeans"]) for r in records}
    return [(d, kmeans) for d in POINT_SETS[dataset] for kmeans in MAIN if (d, kmeans) in known]


def first_known(records, names):
    """The last of the names that has records: the public copy where it is there."""
    known = {r["config"]["dataset"] for r in records}
    return [name for name in names if name in known][-1]


def at(result, dataset, k, threshold, measure="n"):
    """One entry of a cell: number of clusters (or another measure) at k and threshold."""
    return result[str(k)][measure][SETTINGS[dataset][1].index(threshold)]


def printed_cells(name):
    """{(k, threshold): printed text} of one of the paper's tables."""
    return {
        (int(column.removeprefix("k=")), float(row["t"])): text
        for row in printed_table(name)
        for column, text in row.items()
        if column != "t"
    }


def is_starred(result, dataset, k, threshold):
    """Table 3's mark: all but one or two objects in one cluster, each of these alone."""
    outside = at(result, dataset, k, threshold, "outside")
    return 1 <= outside <= 2 and at(result, dataset, k, threshold) == outside + 1


def consistency(result, dataset, k, threshold, n=N_IRIS):
    """Consistency index against the classes."""
    return 1.0 - at(result, dataset, k, threshold, "wrong") / n


def spread(values, digits=0):
    """Median and range: ``2 (1-3)``, or the value alone where all are equal."""
    low, middle, high = (f"{v:.{digits}f}" for v in (min(values), np.median(values), max(values)))
    if digits == 0:
        middle = f"{np.median(values):g}"
    return middle if low == high else f"{middle} ({low}-{high})"


def matching_cells(records, dataset, kmeans, printed, values_of, tolerance=0.0):
    """Number of printed cells that the median over repetitions equals, and number of printed cells.

    `values_of(result, k, threshold)` gives the reproduced number, `printed` maps (k, threshold) to the printed one.
    """
    cells = results(records, dataset=dataset, kmeans=kmeans)
    equal = [
        abs(np.median([values_of(cell, k, t) for cell in cells]) - number) <= tolerance + 1e-9
        for (k, t), number in printed.items()
    ]
    return sum(equal), len(equal)


def printed_numbers(dataset):
    """{(k, threshold): number of clusters} as printed, without the marks."""
    return {key: int(text.rstrip("*")) for key, text in printed_cells(PRINTED[dataset]).items()}


def printed_consistency():
    """{(k, threshold): consistency index} as printed."""
    return {key: float(text) for key, text in printed_cells(PRINTED_CONSISTENCY).items()}


def side_by_side(records, printed, columns, cell):
    """Markdown table: a line per threshold and k, the printed text, and a column per (point set, way of k-means).

    `cell(results, dataset, k, threshold)` gives the text of a reproduced cell.
    """
    columns = [(column, results(records, dataset=column[0], kmeans=column[1])) for column in columns]
    head = [f"{SET_NAMES[d]}; k-means {KMEANS_NAMES[kmeans]} ({len(found)} runs)" for (d, kmeans), found in columns]
    lines = ["| t | k | printed | " + " | ".join(head) + " |", "|---" * (3 + len(head)) + "|"]
    for (k, threshold), text in sorted(printed.items(), key=lambda item: item[0][::-1]):
        cells = [cell(found, dataset, k, threshold) for (dataset, _), found in columns]
        # A bare star would be Markdown.
        lines.append(f"| {threshold:g} | {k} | {text} | ".replace("*", r"\*") + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def count_table(records, dataset, cell=None):
    """Tables 1 to 4: printed number of clusters beside median and range of the reproduced ones."""

    def plain(found, name, k, threshold):
        return spread([at(result, name, k, threshold) for result in found])

    return side_by_side(records, printed_cells(PRINTED[dataset]), readings(records, dataset), cell or plain)


def draw_points(ax, record_result, classes=None):
    """Scatter of two-dimensional points, one look per class."""
    x, y = (np.array(column) for column in record_result["points"])
    classes = np.zeros(len(x), dtype=int) if classes is None else classes
    for label, look in zip(range(classes.max() + 1), CLASS_STYLES, strict=False):
        ax.scatter(x[classes == label], y[classes == label], s=5, linewidths=0, **look)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()


def draw_tree(ax, tree):
    """Dendrogram of a condensed tree: links within one class in its colour, links between classes black and thick."""
    from scipy.cluster.hierarchy import dendrogram

    merges = np.array(tree["merges"], dtype=float)
    counts = [np.array(count) for count in tree["counts"]]
    n_leaves = [1] * len(counts)
    for left, right in merges[:, :2].astype(int):
        counts.append(counts[left] + counts[right])
        n_leaves.append(n_leaves[left] + n_leaves[right])
    looks = {
        CLASS_STYLES[0]["color"]: {"linewidth": 0.8, "linestyle": "-"},
        CLASS_STYLES[1]["color"]: {"linewidth": 0.8, "linestyle": (0, (3, 1))},
        BLACK: {"linewidth": 1.8, "linestyle": "-"},
    }

    def color(cluster):
        held = np.flatnonzero(counts[cluster])
        return CLASS_STYLES[held[0]]["color"] if len(held) == 1 else BLACK

    shape = np.column_stack([merges, n_leaves[len(tree["counts"]) :]])
    drawn = dendrogram(shape, no_plot=True, link_color_func=color)
    for x, y, link in zip(drawn["icoord"], drawn["dcoord"], drawn["color_list"], strict=True):
        ax.plot(x, y, color=link, **looks[link])
    ax.set_xticks([])
    ax.set_xlabel(f"{len(tree['counts'])} largest subtrees")
    ax.set_ylim(bottom=0.0)
