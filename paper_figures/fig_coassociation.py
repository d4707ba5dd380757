"""Figure 3 of paper 002: co-association without and with weights, and the weights; clean and with random partitions."""

import numpy as np

from robust_eac import coassociation_matrix

from .style import BLUE, PAGE, VERMILLION

EXPERIMENT = "coassociation"


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        len(records), 3, figsize=(PAGE, 0.36 * PAGE * len(records)), width_ratios=(1, 1, 1.25), squeeze=False
    )
    for row, record in zip(axes, records, strict=True):
        result = record["result"]
        order = np.argsort(result["consensus"], kind="stable")
        labels = np.array(result["labels"])[order]
        weights, corrupted = np.array(result["weights"]), np.array(result["corrupted"])
        share = f"{corrupted.mean():.0%} random partitions"
        for ax, matrix, title in (
            (row[0], coassociation_matrix(labels), f"unweighted, {share}"),
            (row[1], coassociation_matrix(labels, weights=weights), f"weighted, {share}"),
        ):
            image = ax.imshow(matrix, cmap="viridis", vmin=0.0, vmax=1.0, interpolation="nearest")
            ax.set_title(title)
            ax.set_xlabel("objects, by consensus cluster")
            ax.set_xticks([])
            ax.set_yticks([])
        figure.colorbar(image, ax=list(row[:2]), label="co-association", shrink=0.85)
        sequence = np.argsort(-weights, kind="stable")
        for chosen, color, name in ((~corrupted, BLUE, "clustering"), (corrupted, VERMILLION, "random")):
            where = np.flatnonzero(chosen[sequence])
            if len(where):
                row[2].vlines(where, 0.0, np.maximum(weights[sequence][where], 1e-4), color=color, linewidth=1.0)
                row[2].plot(where, weights[sequence][where], ".", color=color, markersize=2.5, label=name)
        row[2].axhline(1.0 / len(weights), color="0.4", linewidth=0.6, linestyle=":", label="uniform")
        row[2].set(title="weights", xlabel="partitions, by weight", ylabel="weight")
        row[2].legend(loc="lower left", markerscale=2)
    return figure
