"""The data of the paper, and one ensemble seen closely."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.robust_eac.noisy_ensembles import SETTINGS
from robust_eac import coassociation_matrix

from ..markdown import document, table
from ..records import distinct, grouped, printed_table, results
from ..style import BLACK, BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILLION, plain_name
from .noisy import ENSEMBLE_NAMES

CLASS_COLORS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK, "0.5")


def data_table(records):
    """Data sets of paper 002, with the range of the number of clusters of a base clustering, as printed and as used."""
    printed, rows = {row["dataset"]: row for row in printed_table("robust_eac_table1")}, []
    for record in records:
        name, result = record["config"]["dataset"], record["result"]
        theirs, (low, high) = printed[name], SETTINGS[name][1]
        n, k = _beside(result["n_samples"], theirs["n"]), _beside(result["n_classes"], theirs["k"])
        base = _beside(f"{low}-{high}", f"{theirs['kmin']}-{theirs['kmax']}")
        rows.append([name, n, result["n_features"], k, base])
    head = "data set | objects | features | classes | clusters of a base clustering"
    return document(table(head, rows), "Numbers of features are not printed in the paper.")


def _beside(used, printed):
    return str(used) if str(used) == printed else f"{used} (printed {printed})"


def shapes_figure(records):
    """Figure 1 of paper 002: the synthetic data sets (re-creations; the original points are not public)."""
    drawn = [record for record in records if "x" in record["result"]]
    figure, axes = plt.subplots(1, len(drawn), figsize=(PAGE, 0.24 * PAGE))
    for ax, letter, record in zip(axes, "abcde", drawn, strict=True):
        x, y, classes = (np.array(record["result"][key]) for key in ("x", "y", "classes"))
        for label, color, marker in zip(range(classes.max() + 1), CLASS_COLORS, "o^sDvPX*", strict=False):
            ax.scatter(x[classes == label], y[classes == label], s=4, color=color, marker=marker, linewidths=0)
        ax.set_title(f"({letter}) {record['config']['dataset']}")
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_axis_off()
    return figure


def coassociation_figure(records):
    """Figure 3 of paper 002: co-association without and with weights; which partitions get weight, and why."""
    shape = {"figsize": (PAGE, 0.34 * PAGE * len(records)), "width_ratios": (1, 1, 1.2), "squeeze": False}
    figure, axes = plt.subplots(len(records), 3, **shape)
    for ax in axes[1:, 2]:
        ax.sharey(axes[0, 2])
    for (plain, weighted, losses), record in zip(axes, records, strict=True):
        result = record["result"]
        labels, weights, order = (np.array(result[key]) for key in ("labels", "weights", "order"))
        for ax, given, title in ((plain, None, "unweighted"), (weighted, weights, "weighted")):
            matrix = coassociation_matrix(labels, weights=given)[np.ix_(order, order)]
            image = ax.imshow(matrix, cmap="viridis", vmin=0.0, vmax=1.0, interpolation="nearest")
            ax.set(title=title, xlabel="objects, by consensus", xticks=[], yticks=[])
        plain.set_ylabel(f"{np.mean(result['corrupted']):.0%} random partitions")
        figure.colorbar(image, ax=[plain, weighted], label="co-association", shrink=0.8, pad=0.02)
        _losses(losses, result, labels, weights)
    return figure


def structure_table(records):
    """How far co-association is from 0 and 1: mean of 4 c (1 - c) over the pairs, without and with weights.

    Means over five clean ensembles; Figure 3 of paper 002 shows one matrix of the restricted simplex."""
    groups = grouped(records, "ensemble", "weighting")
    columns = {
        f"{ENSEMBLE_NAMES[ensemble]}, {plain_name(weighting)}": [
            " -> ".join(f"{np.mean([run[key] for run in found]):.3f}" for key in ("unweighted", "weighted"))
            for found in (results(rows, dataset=name) for name in distinct(records, "dataset"))
        ]
        for (ensemble, weighting), rows in groups.items()
    }
    rows = zip(distinct(records, "dataset"), *columns.values(), strict=True)
    return table(["data set", *columns], rows)


def _losses(ax, result, labels, weights):
    """The loss of every partition over its number of clusters, hollow where it has no weight."""
    corrupted, losses = np.array(result["corrupted"]), np.array(result["losses"])
    n_clusters = np.array([len(np.unique(column)) for column in labels.T])
    for kind, color, marker, name in ((~corrupted, BLUE, "o", "clustering"), (corrupted, VERMILLION, "^", "random")):
        for held, fill, state in ((weights > 0, color, "weight"), (weights == 0, "none", "no weight")):
            x, y = n_clusters[kind & held], losses[kind & held]
            if len(x):
                look = {"marker": marker, "facecolors": fill, "edgecolors": color, "linewidths": 0.7}
                ax.scatter(x, y, s=14, label=f"{name}, {state}", **look)
    ax.set(xlabel="clusters of the partition", ylabel="loss per pair of objects")
    ax.legend(loc="best", handletextpad=0.2, borderaxespad=0.1)
