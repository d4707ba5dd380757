"""Drawings of the experiment `sensitivity`: rho and lambda over a range."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.robust_eac.sensitivity import LAMBDAS, SHARES

from ..records import distinct, results
from ..style import PAGE, heat_map, method_style
from .noisy import ENSEMBLE_NAMES, fractions

# The paper's values: rho = 1 / (0.8 m), lambda = 0.5 n^2.
PRINTED = {"rho": SHARES.index(0.8), "lambda": LAMBDAS.index(0.5)}
GROUPS = {"rho": "restricted-simplex", "lambda": "l2"}
AXES = {
    "rho": (r"least share of the partitions trusted, $1/(\rho m)$", SHARES),
    "lambda": (r"$\lambda / n^2$", LAMBDAS),
}


def measured(records, group, measure, ensemble):
    """(n_fractions, n_values, n_datasets) of a measure, mean over repetitions."""

    def mean(dataset, fraction):
        chosen = results(records, ensemble=ensemble, dataset=dataset, fraction=fraction)
        return np.mean([result[group][measure] for result in chosen], axis=0)

    names = distinct(records, "dataset")
    return np.stack([[mean(name, fraction) for name in names] for fraction in fractions(records)]).swapaxes(1, 2)


def gains(records, group, ensemble):
    """(n_fractions, n_values, n_datasets) H minus that of the unweighted consensus of the same ensembles."""
    return measured(records, group, "h", ensemble) - measured(records, "uniform", "h", ensemble)


def rho_figure(records):
    """Restricted simplex: gain in H over no weighting, and weight on random partitions, by noise and by
    rho = 1 / (share m). Values are means over the data sets and three ensembles of each. A frame marks the paper's rho.
    """
    return _heat_maps(records, "rho")


def lambda_figure(records):
    """l2 weights: gain in H over no weighting, and weight on random partitions, by noise and by lambda. Values are
    means over the data sets and three ensembles of each. A frame marks the paper's lambda."""
    return _heat_maps(records, "lambda")


def _heat_maps(records, group):
    """Above the gain in H over no weighting, below the weight left on random partitions, by noise and parameter."""
    figure, axes = plt.subplots(2, 2, figsize=(PAGE, 0.58 * PAGE), sharex=True, sharey=True)
    shares, (axis_label, values) = fractions(records), AXES[group]
    for (upper, lower), (ensemble, title) in zip(axes.T, ENSEMBLE_NAMES.items(), strict=True):
        gain = gains(records, group, ensemble).mean(axis=2)
        noise = measured(records, group, "noise_weight", ensemble).mean(axis=2)
        # White where the colour is dark: at both ends, and at the upper one.
        white = np.abs(gain) > 0.36 * 0.24
        heat_map(upper, gain, "{:+.3f}".format, white, origin="lower", cmap="PuOr", vmin=-0.12, vmax=0.12)
        heat_map(lower, noise, "{:.2f}".format, noise > 0.55, origin="lower", cmap="Greys", vmin=0.0, vmax=1.0)
        for ax in (upper, lower):
            corner = (PRINTED[group] - 0.5, -0.5)
            ax.add_patch(plt.Rectangle(corner, 1, len(shares), fill=False, edgecolor="black", linewidth=1.4))
            ax.set_yticks(range(len(shares)), [f"{share:.0%}" for share in shares])
        upper.set_title(f"{title}: gain in H over no weighting")
        lower.set(title=f"{title}: weight on random partitions", xlabel=axis_label)
        lower.set_xticks(range(len(values)), [f"{value:g}" for value in values])
    plt.setp(axes[:, 0], ylabel="random partitions")
    return figure


def kept_figure(records):
    """Share of the clusterings, and of the random partitions, that keep some weight with the paper's rho and lambda.

    Lines show means over the data sets and three ensembles of each; bands show the middle half of the data sets."""
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.36 * PAGE), sharey=True)
    shares = np.array(fractions(records))
    for ax, (ensemble, title) in zip(axes, ENSEMBLE_NAMES.items(), strict=True):
        for group, weighting in GROUPS.items():
            look = method_style(weighting)
            for kind, line, fill in (("clusterings", "-", "full"), ("random", "--", "none")):
                kept = kept_shares(records, group, kind, ensemble)
                shown = ~np.isnan(kept).any(axis=1)
                marks = {"color": look["color"], "marker": look["marker"], "linestyle": line, "fillstyle": fill}
                ax.plot(100.0 * shares[shown], kept[shown].mean(axis=1), label=f"{look['label']}: {kind}", **marks)
                low, high = np.quantile(kept[shown], (0.25, 0.75), axis=1)
                ax.fill_between(100.0 * shares[shown], low, high, color=look["color"], alpha=0.12, linewidth=0)
        ax.set(title=title, xlabel="share of random partitions, %", ylim=(-0.03, 1.03))
        ax.grid(linewidth=0.3, color="0.8")
    axes[0].set_ylabel("share that keeps weight")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def kept_shares(records, group, kind, ensemble):
    """(n_fractions, n_datasets) share of the clusterings or random partitions with weight; NaN where there are none."""
    kept = measured(records, group, f"kept_{kind}", ensemble)[:, PRINTED[group]]
    if kind == "random":
        counts = np.array([results(records, ensemble=ensemble, fraction=f)[0]["n_random"] for f in fractions(records)])
    else:
        # Without weighting, all keep theirs.
        counts = measured(records, "uniform", "kept_clusterings", ensemble)[:, 0, 0]
    return kept / np.where(counts > 0, counts, np.nan)[:, np.newaxis]
