"""What the drawings of the sensitivity experiment share."""

import numpy as np

from experiments.robust_eac.sensitivity import LAMBDAS, SHARES

from .noisy import ENSEMBLE_NAMES, datasets, fractions
from .style import PAGE

# The paper's values: rho = 1 / (0.8 m), lambda = 0.5 n^2.
PRINTED = {"rho": SHARES.index(0.8), "lambda": LAMBDAS.index(0.5)}


def measured(records, group, measure, ensemble):
    """(n_fractions, n_values, n_datasets) of a measure, mean over repetitions."""
    return np.stack([
        [np.mean([r["result"][group][measure] for r in records if _is(r, ensemble, dataset, fraction)], axis=0)
         for dataset in datasets(records)]
        for fraction in fractions(records)
    ]).swapaxes(1, 2)  # fmt: skip


def gains(records, group, ensemble):
    """(n_fractions, n_values, n_datasets) H minus that of the unweighted consensus of the same ensembles."""
    return measured(records, group, "h", ensemble) - measured(records, "uniform", "h", ensemble)


def heat_maps(records, group, axis_label, tick_labels):
    """Above the gain in H over no weighting, below the weight left on random partitions, by noise and parameter."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(PAGE, 0.58 * PAGE), sharex=True, sharey=True)
    shares = fractions(records)
    for column, (ensemble, title) in zip(axes.T, ENSEMBLE_NAMES.items(), strict=True):
        gain = gains(records, group, ensemble)
        noise = measured(records, group, "noise_weight", ensemble).mean(axis=2)
        drawn = (
            (column[0], gain.mean(axis=2), "{:+.3f}", {"cmap": "PuOr", "vmin": -0.12, "vmax": 0.12}),
            (column[1], noise, "{:.2f}", {"cmap": "Greys", "vmin": 0.0, "vmax": 1.0}),
        )
        for ax, matrix, form, look in drawn:
            ax.imshow(matrix, aspect="auto", origin="lower", **look)
            for (row, position), value in np.ndenumerate(matrix):
                span = look["vmax"] - look["vmin"]
                dark = abs(value - look["vmin"] - 0.5 * span) > 0.36 * span if form == "{:+.3f}" else value > 0.55
                ax.text(
                    position, row, form.format(value), ha="center", va="center", fontsize=7,
                    color="white" if dark else "black",
                )  # fmt: skip
            corner = (PRINTED[group] - 0.5, -0.5)
            ax.add_patch(plt.Rectangle(corner, 1, len(shares), fill=False, edgecolor="black", linewidth=1.4))
            ax.set_yticks(range(len(shares)), [f"{share:.0%}" for share in shares])
            ax.spines[:].set_visible(False)
            ax.tick_params(length=0)
        column[0].set_title(f"{title}: gain in H over no weighting")
        column[1].set_title(f"{title}: weight on random partitions")
        column[1].set_xticks(range(len(tick_labels)), tick_labels)
        column[1].set_xlabel(axis_label)
    for ax in axes[:, 0]:
        ax.set_ylabel("random partitions")
    return figure


def _is(record, ensemble, dataset, fraction):
    config = record["config"]
    return (config["ensemble"], config["dataset"], config["fraction"]) == (ensemble, dataset, fraction)
