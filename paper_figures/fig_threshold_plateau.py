"""Number of clusters in the spirals over k: the plateau that Section 3.2 of paper 003 reads the answer from.

Lines: median of 20 repetitions, k-means to convergence; bands: lowest to highest; stars: the numbers of Table 2.
"""

import numpy as np

from experiments.threshold_eac.threshold_eac import SETTINGS

from .style import BLUE, PAGE, VERMILLION
from .threshold_eac import POINT_SETS, SET_NAMES, at, printed_numbers, results

EXPERIMENT = "threshold_eac"
LOOKS = {
    "spiral": {"color": VERMILLION, "marker": "^", "linestyle": "--"},
    "spiral-file": {"color": BLUE, "marker": "o", "linestyle": "-"},
}


def main(records):
    import matplotlib.pyplot as plt

    ks, thresholds = SETTINGS["spiral"]
    printed = printed_numbers("spiral")
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.38 * PAGE), sharey=True)
    for ax, threshold in zip(axes, thresholds, strict=True):
        for dataset in POINT_SETS["spiral"]:
            found = results(records, dataset=dataset, kmeans="converged")
            if not found:
                continue
            numbers = np.array([[at(result, dataset, k, threshold) for k in ks] for result in found])
            ax.fill_between(ks, numbers.min(axis=0), numbers.max(axis=0), alpha=0.2, color=LOOKS[dataset]["color"])
            ax.plot(ks, np.median(numbers, axis=0), label=SET_NAMES[dataset], **LOOKS[dataset])
        values = [printed[k, threshold] for k in ks]
        ax.plot(ks, values, "k*", markersize=6, label="printed", linestyle="none")
        ax.axhline(2, color="0.8", linewidth=0.6, zorder=0)
        ax.set(title=f"t = {threshold:g}", xlabel="clusters k of k-means", yscale="log")
        ax.set_yticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
    axes[0].set_ylabel("number of clusters found")
    axes[0].legend()
    return figure
