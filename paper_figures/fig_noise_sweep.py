"""Accuracy, and weight left on the random partitions, over the share of random partitions; mean over data sets."""

import numpy as np

from experiments.robust_eac.noisy_ensembles import WEIGHTINGS

from .noisy import ENSEMBLE_NAMES, datasets, fractions, values
from .style import PAGE, line_style

EXPERIMENT = "noisy_ensembles"


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(PAGE, 0.6 * PAGE), sharex=True, sharey="row")
    shares = np.array(fractions(records))
    names = datasets(records)
    for column, (ensemble, title) in zip(axes.T, ENSEMBLE_NAMES.items(), strict=True):
        for ax, measure in zip(column, ("h", "noise_weight"), strict=True):
            for weighting in WEIGHTINGS:
                # (data sets, shares, repetitions)
                sample = np.array(
                    [
                        [values(records, measure, dataset=d, ensemble=ensemble, fraction=f)[weighting] for f in shares]
                        for d in names
                    ]
                )
                over_data = sample.mean(axis=0)
                mean, error = over_data.mean(axis=1), over_data.std(axis=1, ddof=1) / np.sqrt(over_data.shape[1])
                ax.errorbar(shares, mean, yerr=2.0 * error, capsize=1.5, elinewidth=0.6, **line_style(weighting))
            ax.grid(linewidth=0.3, color="0.8")
        column[0].set_title(title)
        column[1].set_xlabel("share of random partitions")
    axes[0, 0].set_ylabel("accuracy (H criterion)")
    axes[1, 0].set_ylabel("weight on random partitions")
    axes[1, 0].set_ylim(bottom=-0.02)
    axes[0, 0].legend(loc="lower left")
    figure.suptitle(
        f"Mean over {len(names)} data sets; bars: two standard errors over {sample.shape[2]} ensembles each",
        x=0.01, ha="left", fontsize=8,
    )  # fmt: skip
    return figure
