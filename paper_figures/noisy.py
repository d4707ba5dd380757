"""What the figures and tables of the noisy-ensemble experiment share."""

import numpy as np

from experiments.robust_eac.noisy_ensembles import WEIGHTINGS

from .style import PAGE, bar_style

# Where mathematical text cannot be set.
PLAIN_NAMES = {"uniform": "unweighted", "restricted-simplex": "restricted simplex", "l2": "l2"}
ENSEMBLE_NAMES = {"kmeans": "k-means ensembles", "mixed": "mixed ensembles"}


def values(records, measure, **where):
    """Results of the records whose configuration matches, one per repetition: {weighting: array}."""
    chosen = [r["result"] for r in records if all(r["config"][key] == value for key, value in where.items())]
    return {weighting: np.array([result[weighting][measure] for result in chosen]) for weighting in WEIGHTINGS}


def datasets(records):
    """Names of the data sets, in the order of the records."""
    return list(dict.fromkeys(record["config"]["dataset"] for record in records))


def fractions(records):
    """Shares of noise, ascending."""
    return sorted({record["config"]["fraction"] for record in records})


def accuracy_bars(records, fraction):
    """Figures 2 and 4 of the paper: H by data set and weighting, k-means ensembles above, mixed ones below."""
    import matplotlib.pyplot as plt

    names = datasets(records)
    figure, axes = plt.subplots(2, 1, figsize=(PAGE, 0.56 * PAGE), sharex=True, sharey=True)
    width = 0.8 / len(WEIGHTINGS)
    for ax, (ensemble, title) in zip(axes, ENSEMBLE_NAMES.items(), strict=True):
        for shift, weighting in enumerate(WEIGHTINGS):
            samples = [values(records, "h", dataset=d, ensemble=ensemble, fraction=fraction)[weighting] for d in names]
            means = np.array([sample.mean() for sample in samples])
            ax.bar(
                np.arange(len(names)) + (shift - 0.5 * (len(WEIGHTINGS) - 1)) * width,
                means,
                width,
                # The mean of equal numbers can differ from them by rounding.
                yerr=np.maximum([means - np.min(samples, axis=1), np.max(samples, axis=1) - means], 0.0),
                error_kw={"elinewidth": 0.7, "capsize": 1.5, "capthick": 0.7, "ecolor": "0.45"},
                **bar_style(weighting),
            )
        ax.set(
            title=f"{title}, {fraction:.0%} of the partitions random", ylabel="accuracy (H criterion)", ylim=(0, 1.02)
        )
        ax.set_axisbelow(True)
        ax.grid(axis="y", linewidth=0.3, color="0.8")
    axes[1].set_xticks(np.arange(len(names)), names, rotation=25, ha="right", rotation_mode="anchor")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(WEIGHTINGS))
    repetitions = len({record["config"]["repetition"] for record in records})
    figure.supxlabel(f"bars: mean over {repetitions} ensembles; whiskers: lowest and highest", fontsize=8)
    return figure
