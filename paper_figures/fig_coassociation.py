"""Figure 3 of paper 002: co-association without and with weights, and which partitions got weight and why."""

import numpy as np

from robust_eac import coassociation_matrix

from .style import BLUE, PAGE, VERMILLION

EXPERIMENT = "coassociation"


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        len(records), 3, figsize=(PAGE, 0.34 * PAGE * len(records)), width_ratios=(1, 1, 1.2), squeeze=False
    )
    for row, record in zip(axes, records, strict=True):
        result = record["result"]
        labels, weights = np.array(result["labels"]), np.array(result["weights"])
        corrupted, losses = np.array(result["corrupted"]), np.array(result["losses"])
        plain = coassociation_matrix(labels)
        order = np.array(result["order"])
        for ax, matrix, title in (
            (row[0], plain, "unweighted"),
            (row[1], coassociation_matrix(labels, weights=weights), "weighted"),
        ):
            image = ax.imshow(matrix[np.ix_(order, order)], cmap="viridis", vmin=0.0, vmax=1.0, interpolation="nearest")
            ax.set(title=title, xlabel="objects, by consensus", xticks=[], yticks=[])
        row[0].set_ylabel(f"{corrupted.mean():.0%} random partitions")
        figure.colorbar(image, ax=list(row[:2]), label="co-association", shrink=0.8, pad=0.02)
        n_clusters = np.array([len(np.unique(column)) for column in labels.T])
        for chosen, color, marker, name in (
            (~corrupted, BLUE, "o", "clustering"),
            (corrupted, VERMILLION, "^", "random"),
        ):
            for held, fill, state in ((weights > 0, color, "weight"), (weights == 0, "none", "no weight")):
                where = chosen & held
                if where.any():
                    row[2].scatter(
                        n_clusters[where], losses[where], s=14, marker=marker, facecolors=fill, edgecolors=color,
                        linewidths=0.7, label=f"{name}, {state}",
                    )  # fmt: skip
        row[2].set(xlabel="clusters of the partition", ylabel="loss per pair of objects")
        row[2].legend(loc="best", handletextpad=0.2, borderaxespad=0.1)
    return figure
