"""Accuracy of every consensus function on every data set, on clean ensembles and with random partitions among them."""

import numpy as np

from .baselines import datasets, fractions, mean_results
from .style import PAGE

EXPERIMENT = "baselines"


def main(records):
    import matplotlib.pyplot as plt

    columns = [*datasets(records), "mean"]
    clean = mean_results(records, "functions", "h", 0.0)
    order = sorted(clean, key=lambda name: -np.mean(clean[name]))
    figure, axes = plt.subplots(
        len(fractions(records)), 1, figsize=(PAGE, 0.23 * len(order) * len(fractions(records))), sharex=True
    )
    for ax, fraction in zip(np.atleast_1d(axes), fractions(records), strict=True):
        results = mean_results(records, "functions", "h", fraction)
        values = np.array([np.append(results[name], np.mean(results[name])) for name in order])
        image = ax.imshow(values, aspect="auto", cmap="cividis", vmin=0.3, vmax=1.0)
        best = np.nanmax(values, axis=0)
        for (row, column), value in np.ndenumerate(values):
            ax.text(
                column, row, f"{value:.2f}" if np.isfinite(value) else "-", ha="center", va="center", fontsize=6,
                color="white" if value < 0.65 else "black",
                fontweight="bold" if value >= best[column] - 0.005 else "normal",
            )  # fmt: skip
        ax.set_yticks(np.arange(len(order)), order, fontsize=7)
        ax.set_xticks(np.arange(len(columns)), columns, rotation=35, ha="right", rotation_mode="anchor", fontsize=7)
        ax.axvline(len(columns) - 1.5, color="white", linewidth=2)
        ax.set_title(f"{fraction:.0%} of the partitions random")
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    figure.colorbar(image, ax=axes, label="accuracy (H criterion)", shrink=0.5, pad=0.01)
    repetitions = len({record["config"]["repetition"] for record in records})
    figure.supxlabel(f"means over {repetitions} ensembles; bold: within 0.005 of the best", fontsize=8)
    return figure
