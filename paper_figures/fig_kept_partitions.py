"""Share of the clusterings, and of the random partitions, that keep some weight with the paper's rho and lambda.

Lines: mean over the data sets and three ensembles of each; bands: middle half of the data sets.
"""

import numpy as np

from .noisy import ENSEMBLE_NAMES, fractions
from .sensitivity import PRINTED, measured
from .style import PAGE, method_style

EXPERIMENT = "sensitivity"
GROUPS = {"rho": "restricted-simplex", "lambda": "l2"}


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.36 * PAGE), sharey=True)
    shares = np.array(fractions(records))
    for ax, (ensemble, title) in zip(axes, ENSEMBLE_NAMES.items(), strict=True):
        for group, weighting in GROUPS.items():
            look = method_style(weighting)
            for kind, style in (("clusterings", "-"), ("random", "--")):
                kept = kept_shares(records, group, kind, ensemble)
                shown = ~np.isnan(kept).any(axis=1)
                ax.plot(
                    shares[shown], kept[shown].mean(axis=1), color=look["color"], marker=look["marker"],
                    linestyle=style, fillstyle="full" if kind == "clusterings" else "none",
                    label=f"{look['label']}: {kind}",
                )  # fmt: skip
                low, high = np.quantile(kept[shown], (0.25, 0.75), axis=1)
                ax.fill_between(shares[shown], low, high, color=look["color"], alpha=0.12, linewidth=0)
        ax.set(title=title, xlabel="share of random partitions", ylim=(-0.03, 1.03))
        ax.grid(linewidth=0.3, color="0.8")
    axes[0].set_ylabel("share that keeps weight")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def kept_shares(records, group, kind, ensemble):
    """(n_fractions, n_datasets) share of the clusterings or random partitions with weight; NaN where there are none."""
    kept = measured(records, group, f"kept_{kind}", ensemble)[:, PRINTED[group]]
    of_ensemble = [r for r in records if r["config"]["ensemble"] == ensemble]
    n_random = [
        next(r["result"]["n_random"] for r in of_ensemble if r["config"]["fraction"] == fraction)
        for fraction in fractions(records)
    ]
    # Without weighting, all keep theirs.
    n_clusterings = measured(records, "uniform", "kept_clusterings", ensemble)[:, 0, 0]
    counts = np.array(n_random) if kind == "random" else n_clusterings
    return kept / np.where(counts > 0, counts, np.nan)[:, np.newaxis]
