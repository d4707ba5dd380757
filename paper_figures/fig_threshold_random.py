"""Figure 3 of paper 003: 300 points drawn uniformly from a five-dimensional hypercube; diagonal: histograms."""

import numpy as np

from .style import BLUE, PAGE
from .threshold_eac import results

EXPERIMENT = "threshold_plain"


def main(records):
    import matplotlib.pyplot as plt

    columns = np.array(results(records, dataset="uniform-5d", repetition=0)[0]["points"])
    d = len(columns)
    figure, axes = plt.subplots(d, d, figsize=(0.8 * PAGE, 0.8 * PAGE), sharex=True)
    for i in range(d):
        for j in range(d):
            ax = axes[i, j]
            if i == j:
                ax.hist(columns[i], bins=10, range=(0.0, 1.0), color="0.6", edgecolor="white", linewidth=0.4)
            else:
                ax.scatter(columns[j], columns[i], s=2, color=BLUE, linewidths=0)
            ax.set_yticks([])
            ax.set_xticks([0, 1])
        axes[i, 0].set_ylabel(f"feature {i + 1}")
        axes[-1, i].set_xlabel(f"feature {i + 1}")
    return figure
