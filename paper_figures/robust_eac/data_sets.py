"""The data of the paper, and one ensemble in detail."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.robust_eac.noisy_ensembles import SETTINGS
from experiments.shared.data import short_name
from robust_eac import coassociation_matrix

from ..markdown import beside, document, table
from ..records import distinct, grouped, matching, printed_table, results
from ..style import BLACK, BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILLION, plain_name
from .noisy import ENSEMBLE_NAMES

CLASS_COLORS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK, "0.5")


def data_table(records):
    """Data sets of paper 002, with the range of the number of clusters of a base clustering, as printed and as used."""
    printed, rows = {row["dataset"]: row for row in printed_table("robust_eac_table1")}, []
    for name, theirs in printed.items():
        result, (low, high) = results(records, dataset=name)[0], SETTINGS[name][1]
        n, k = beside(result["n_samples"], theirs["n"]), beside(result["n_classes"], theirs["k"])
        base = beside(f"{low}-{high}", f"{theirs['kmin']}-{theirs['kmax']}")
        rows.append([name, n, result["n_features"], k, base])
    head = "data set | objects | features | classes | clusters of a base clustering"
    return document(table(head, rows), "Numbers of features are not printed in the paper.")


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
    """Figure 3 of paper 002: co-association without and with weights; the weights, in the order of the ensemble; and
    the losses, by which partitions get weight."""
    records = matching(records, repetition=0)
    figure = plt.figure(figsize=(PAGE, 0.36 * PAGE * len(records)))
    parts = figure.subfigures(len(records), 1, squeeze=False)[:, 0]
    shape = {"width_ratios": (1, 1, 1.2), "height_ratios": (2.5, 1)}
    for part, record in zip(parts, records, strict=True):
        panels = part.subplot_mosaic("ABL;ABW", **shape)
        plain, weighted, losses, given_weights = (panels[name] for name in "ABLW")
        result, config = record["result"], record["config"]
        labels, weights, order = (np.array(result[key]) for key in ("labels", "weights", "order"))
        for ax, given, title in ((plain, None, "unweighted"), (weighted, weights, "weighted")):
            matrix = coassociation_matrix(labels, weights=given)[np.ix_(order, order)]
            image = ax.imshow(matrix, cmap="viridis", vmin=0.0, vmax=1.0, interpolation="nearest")
            ax.set(title=title, xlabel="objects, by consensus", xticks=[], yticks=[])
        of_data = f"{short_name(config['dataset'])}, {ENSEMBLE_NAMES[config['ensemble']]}"
        plain.set_ylabel(f"{of_data},\n{np.mean(result['corrupted']):.0%} random partitions")
        part.colorbar(image, ax=[plain, weighted], label="co-association", shrink=0.7, pad=0.02)
        for rows, color, _ in _kinds(result).values():
            given_weights.vlines(np.flatnonzero(rows), 0.0, weights[rows], color=color, linewidth=0.6)
        given_weights.set(xlabel="partitions, in their order", ylabel="weight", ylim=(0.0, None))
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
    rows = zip(map(short_name, distinct(records, "dataset")), *columns.values(), strict=True)
    return table(["data set", *columns], rows)


def _losses(ax, result, labels, weights):
    """The loss of every partition over its number of clusters, hollow where it has no weight."""
    losses, n_clusters = np.array(result["losses"]), np.array([len(np.unique(column)) for column in labels.T])
    for name, (kind, color, marker) in _kinds(result).items():
        for held, fill, state in ((weights > 0, color, "weight"), (weights == 0, "none", "no weight")):
            x, y = n_clusters[kind & held], losses[kind & held]
            if len(x):
                look = {"marker": marker, "facecolors": fill, "edgecolors": color, "linewidths": 0.7}
                ax.scatter(x, y, s=14, label=f"{name}, {state}", **look)
    ax.set(xlabel="clusters of the partition", ylabel="loss per pair of objects")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, fontsize=7, handletextpad=0.2, columnspacing=0.8)


def _kinds(result):
    """{kind of partitions: (which ones, colour, marker)}."""
    corrupted = np.array(result["corrupted"])
    return {"clustering": (~corrupted, BLUE, "o"), "random": (corrupted, VERMILLION, "^")}
