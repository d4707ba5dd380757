"""What the figures and tables of the robustness experiments share."""

from typing import NamedTuple

import numpy as np

from experiments.robustness.robustness import FRACTIONS

from .paired import mean_interval
from .style import PAGE, line_style

KIND_NAMES = {
    "uniform": "uniform labels",
    "unequal": "very unequal sizes",
    "shuffled": "labels shuffled",
    "features": "k-means on noise",
    "coherent": "one wrong partition, copied",
    "duplicates": "one good partition, copied",
}
# Where mathematical text cannot be set.
PLAIN_NAMES = {
    "uniform": "unweighted",
    "restricted-simplex": "restricted simplex",
    "restricted-simplex-adjusted": "restricted simplex, adjusted",
    "l2-adjusted": "l2, adjusted",
}
# Kinds whose partitions know nothing of each other, and the largest share of noise that is promised anything.
RANDOM_KINDS = ("uniform", "unequal", "shuffled", "features")
MOST_NOISE = 0.9


def plain_name(weighting):
    return PLAIN_NAMES.get(weighting, weighting)


def datasets(records):
    """Names of the data sets, in the order of the records."""
    return list(dict.fromkeys(record["config"]["dataset"] for record in records))


def fractions(records, kind):
    """Shares of noise of a kind, ascending."""
    return sorted({record["config"]["fraction"] for record in records if record["config"]["kind"] == kind})


def with_clean(records, kind):
    """(kind of the cell, share) from 0 on: the clean ensembles, of which every kind makes its noise, stand once."""
    noisy = [(kind, fraction) for fraction in fractions(records, kind) if fraction > 0.0]
    return [("uniform", 0.0), *noisy]


def values(records, measure, weighting, kind, fraction):
    """(n_datasets, ...) of a measure of one weighting; for "h", (n_datasets, n_repetitions)."""
    found = {
        record["config"]["dataset"]: record["result"][weighting][measure]
        for record in records
        if record["config"]["kind"] == kind and record["config"]["fraction"] == fraction
    }
    return np.array([found[dataset] for dataset in datasets(records)], dtype=float)


def differences(records, weighting, other, kind, fraction):
    """(n_datasets, n_repetitions) differences of H to another weighting on the same ensembles."""
    return values(records, "h", weighting, kind, fraction) - values(records, "h", other, kind, fraction)


def noisy_cells(records, kinds=tuple(FRACTIONS), most=1.0):
    """(kind, share) of the cells with noise up to a share."""
    return [(kind, f) for kind in kinds for f in fractions(records, kind) if 0.0 < f <= most]


class Mean(NamedTuple):
    """Mean over the data sets, its 95 % interval, and the lowest data set."""

    mean: float
    low: float
    high: float
    worst: float
    dataset: str

    def __str__(self):
        return f"{self.mean:+.4f} [{self.low:+.4f}, {self.high:+.4f}]"


def over_datasets(records, by_dataset):
    """The :class:`Mean` of one number per data set."""
    low, high = mean_interval(by_dataset)
    lowest = int(np.argmin(by_dataset))
    return Mean(float(np.mean(by_dataset)), low, high, float(by_dataset[lowest]), datasets(records)[lowest])


def panels(records, measure, ylabel, names):
    """Figure with a panel per kind of noise: mean over the data sets of measure(weighting, kind, share), by share.

    The shares stand at equal distances; the points of one share stand side by side.
    """
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(PAGE, 0.66 * PAGE), sharey=True)
    for ax, (kind, title) in zip(axes.flat, KIND_NAMES.items(), strict=True):
        cells = with_clean(records, kind)
        places = np.arange(len(cells))
        for number, name in enumerate(names):
            means = [over_datasets(records, measure(name, *cell)) for cell in cells]
            middle = np.array([mean.mean for mean in means])
            # The ends of an interval can differ from the mean of equal numbers by rounding.
            below = np.maximum(middle - [mean.low for mean in means], 0.0)
            above = np.maximum([mean.high for mean in means] - middle, 0.0)
            # The wider a panel's steps, the smaller the shift in them: the same distance on paper.
            shift = 0.013 * len(cells) * (number - 0.5 * (len(names) - 1))
            ax.errorbar(places + shift, middle, yerr=[below, above], elinewidth=0.6, **_look(name))
        ax.set_xticks(places, [f"{100 * fraction:.0f}" for _, fraction in cells])
        ax.set_title(title)
        ax.grid(axis="y", linewidth=0.3, color="0.8")
    for ax in axes[:, 0]:
        ax.set_ylabel(ylabel)
    for ax in axes[1]:
        ax.set_xlabel("share of the partitions replaced, %")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def _look(name):
    """Line of a weighting; the one that all this is about stands out."""
    chosen = name == "chance-corrected"
    return line_style(name) | {
        "markeredgewidth": 0.0,
        "linewidth": 2.4 if chosen else 1.0,
        "zorder": 3 if chosen else 2,
    }
