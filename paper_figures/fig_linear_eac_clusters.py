"""Ensemble NMI and density over the number of consensus clusters, mean over data sets (Section 5.5).

Bars: two standard errors over the repetitions, of which each is a mean over the data sets.
"""

import numpy as np

from experiments.linear_eac.linear_eac_settings import CLUSTERS

from .linear_eac import FIELD, KMEANS, MEASURES, SYSTEMS, consensus_values, datasets
from .style import BLACK, BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILLION

EXPERIMENT = "linear_eac_settings"
STYLES = {
    "KM": (VERMILLION, "s", "-"),
    "H-KM": (ORANGE, "D", "--"),
    "SEC": (BLUE, "o", "-."),
    "MCLA": (SKY, "v", ":"),
    "ECC": (PURPLE, "P", (0, (5, 1, 1, 1))),
    "CSPA": (BLACK, "x", ":"),
    "R-AL": (GREEN, "^", "--"),
}


def main(records):
    import matplotlib.pyplot as plt

    rows = [record for record in records if record["config"]["part"] == "consensus"]
    names = datasets(rows)
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.42 * PAGE))
    for ax, (measure, title) in zip(axes, MEASURES.items(), strict=True):
        for label, (colour, marker, line) in STYLES.items():
            values = np.array(
                [consensus_values(rows, name, SYSTEMS[label], FIELD.get(measure, measure)) for name in names]
            ).mean(axis=0)
            n = len(values)
            error = 2.0 * values.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.zeros(len(CLUSTERS))
            ax.errorbar(
                CLUSTERS, values.mean(axis=0), yerr=error, color=colour, marker=marker, linestyle=line, label=label,
                capsize=1.5, elinewidth=0.6, linewidth=1.6 if label in KMEANS else 1.0,
            )  # fmt: skip
        ax.set(xlabel="consensus clusters", ylabel=f"{title}, percent", xticks=CLUSTERS)
        ax.grid(linewidth=0.3, color="0.85")
    axes[1].legend(ncols=2)
    figure.suptitle(
        f"Mean over {len(names)} data sets; bars: two standard errors over {n} repetitions",
        x=0.01,
        ha="left",
        fontsize=8,
    )
    return figure
