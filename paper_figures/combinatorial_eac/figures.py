"""The figures of paper 000."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binomtest

from ..style import BLACK, BLUE, GREEN, ORANGE, PAGE, VERMILLION, around, legend_above, look, note
from . import statistics as stats
from .samples import both, exponent_name, exponents, weightings, whitening_pair

METHODS = (look(BLUE, "o", "-", label="combination clustering"), look(VERMILLION, "s", ":", label="ordinary EAC"))
WHITENING = look(BLUE, "o", "-", label="prewhitened"), look(VERMILLION, "s", ":", label="not whitened")
CONDITIONS = {
    "none": look(BLACK, "s", ":", label="none"),
    "order": look(ORANGE, "^", "-.", label="order of dimensionality"),
    "goodness": look(GREEN, "D", "--", label="goodness of clustering"),
    "both": look(BLUE, "o", "-", label="both"),
}
SUBSETS = {
    "f1": look(BLUE, "o", label="informative feature"),
    "f1+f2": look(GREEN, "D", label="both"),
    "f2": look(VERMILLION, "s", label="noisy feature"),
}
PANELS = (
    ("correlated", "listing", "correlated noise, program"),
    ("correlated", "equation", "correlated noise, formulas"),
    ("independent", "listing", "independent noise, program"),
)
BARS = {"elinewidth": 0.7, "capsize": 1.5}


def draw_curve(ax, by_size, style):
    """Means with bootstrapped intervals, and the fitted curve."""
    sizes = list(by_size)
    means = [values.mean() for values in by_size.values()]
    low, high = np.array([stats.interval(values) for values in by_size.values()]).T
    color = style["color"]
    marks = look(color, style["marker"], markersize=3.5) | BARS
    ax.errorbar(sizes, means, yerr=around(means, low, high), **marks)
    x = np.linspace(np.log10(sizes[0]), np.log10(sizes[-1]), 200)
    ax.plot(10.0**x, stats.logistic(stats.fit(by_size), x), color=color, linestyle=style["linestyle"])
    ax.plot([], [], **style)


def draw_half_point(ax, place, by_size, parts, style, **options):
    """Number of features at which the curve comes down to 0.5, with its range over repeated experiments."""
    at, spread = stats.half_point(by_size), [stats.half_point(part) for part in parts]
    marks = {"color": style["color"], "marker": style["marker"]} | BARS | options
    ax.errorbar(place, at, yerr=around([at], [min(spread)], [max(spread)]), **marks)


def size_axis(ax):
    """Logarithmic axis of the number of features, NMI upwards."""
    ax.set(xscale="log", xlim=(0.8, 2500), ylim=(-0.03, 1.05))
    ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    ax.grid(linewidth=0.3, color="0.85")
    ax.set_axisbelow(True)


def goodness(records):
    """Goodness of clustering against accuracy of sub-clusterings of an informative feature, a noisy one, and both.

    A point is the mean over 200 runs of k-means on one data set of 50 objects. Panels are readings of the
    signal-to-noise ratio."""
    figure, axes = plt.subplots(1, len(records), figsize=(PAGE, 0.33 * PAGE), sharex=True, sharey=True)
    for ax, record in zip(axes, records, strict=True):
        result = record["result"]
        for name, style in SUBSETS.items():
            ax.plot(result["nmi"][name], result["goodness"][name], markersize=2.5, alpha=0.7, **style)
        ax.set_title(record["config"]["signal"], fontsize=8)
        ax.grid(linewidth=0.3, color="0.85")
        ax.set(xlim=(-0.03, 1.03), ylim=(0, 1.03))
    axes[0].set_ylabel("mean goodness g")
    figure.supxlabel("mean NMI of the sub-clusterings with the true groups")
    legend_above(figure, axes[0], 3)
    return figure


def features(records):
    """Combination clustering and ordinary EAC by number of features, one of them informative.

    Left: mean NMI with bootstrapped 95 % intervals and fitted generalised logistic curves. Right: share of the
    untied data sets on which combination clustering is better, with 95 % intervals; a mark is filled where the
    one-tailed sign test is significant (Benjamini-Hochberg). The shaded sizes, 3 to 50, are those that the paper
    finds significant."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 0.36 * PAGE))
    pair = both(records, None)
    for by_size, style in zip(pair, METHODS, strict=True):
        draw_curve(left, by_size, style)
    left.legend(loc="upper right")
    left.set_ylabel("NMI with the true groups")
    for size, test in stats.sign_tests(*pair).items():
        if test["n"]:
            share = test["wins"] / test["n"]
            ends = binomtest(test["wins"], test["n"]).proportion_ci()
            fill = BLUE if test["adjusted"] < stats.LEVEL else "white"
            spread = 100 * around([share], [ends.low], [ends.high])
            right.errorbar(size, 100 * share, yerr=spread, color=BLUE, marker="o", mfc=fill, **BARS)
    right.axhline(50, color="0.4", linewidth=0.8, linestyle="--")
    right.set_ylabel("untied data sets won (%)")
    for ax in (left, right):
        ax.axvspan(3, 50, color="0.93", linewidth=0, zorder=0)
        size_axis(ax)
        ax.set_xlabel("number of features")
    right.set_ylim(-3, 105)
    note(figure, f"{stats.count(pair[0])} data sets of 50 objects at every size")
    return figure


def zipf(records):
    """Combination clustering and ordinary EAC by the distribution of the signal over the features.

    There are six distributions, by Zipf's exponent s. Above: mean NMI with bootstrapped 95 % intervals and fitted
    generalised logistic curves. Below: number of features at which the curves reach NMI 0.5, with the range over
    experiments of the paper's number of repetitions."""
    known = exponents(records)
    # Infinity stands beyond a gap in the axis.
    places = [place + 0.5 if exponent is None else place for place, exponent in enumerate(known)]
    figure = plt.figure(figsize=(PAGE, 0.85 * PAGE))
    upper, lower = figure.subfigures(2, 1, height_ratios=[2, 1])
    axes = upper.subplots(2, 3, sharex=True, sharey=True)
    below = lower.subplots()
    for ax in axes.flat[len(known) :]:
        ax.remove()
    for place, exponent, ax in zip(places, known, axes.flat, strict=False):
        for shift, by_size, style in zip((-0.07, 0.07), both(records, exponent), METHODS, strict=True):
            draw_curve(ax, by_size, style)
            draw_half_point(below, place + shift, by_size, stats.blocks(by_size), style, linestyle="none")
        size_axis(ax)
        ax.set_title(f"s = {exponent_name(exponent)}")
    legend_above(upper, axes[0, 0], len(METHODS))
    upper.supylabel("NMI with the true groups")
    upper.supxlabel("number of features")
    below.set(yscale="log", ylabel="features at NMI 0.5", xlabel="Zipf's exponent s", xlim=(-0.5, places[-1] + 0.5))
    ticks = 5, 10, 20, 50, 100
    below.set_yticks(ticks, map(str, ticks))
    below.minorticks_off()
    below.set_xticks(places, map(exponent_name, known))
    below.text(places[-1] - 0.75, 0.0, "//", transform=below.get_xaxis_transform(), ha="center", va="center")
    below.grid(axis="y", linewidth=0.3, color="0.85")
    below.set_axisbelow(True)
    return figure


def whitening(records):
    """Combination clustering with and without prewhitening.

    The noise is correlated (Figure 6) or independent (Figure S1). Lines show mean NMI with bootstrapped 95 % intervals
    and fitted generalised logistic curves. Stars below mark the sizes at which whitening is significantly better
    (one-tailed sign tests, Benjamini-Hochberg). "Program" takes silhouettes on the data before whitening, as published.
    "Formulas" takes them on the data that are clustered, and no subset twice, which leaves few clusterings of few
    features. The paper's 2 to 10 features are shaded."""
    figure, axes = plt.subplots(1, len(PANELS), figsize=(PAGE, 0.34 * PAGE), sharey=True)
    for ax, (noise, variant, title) in zip(axes, PANELS, strict=True):
        pair = whitening_pair(records, noise, variant)
        for by_size, style in zip(pair, WHITENING, strict=True):
            draw_curve(ax, by_size, style)
        for size in stats.significant(*pair):
            ax.plot(size, -0.06, marker="*", color="0.2", markersize=5, linestyle="none", clip_on=False)
        if noise == "correlated":
            ax.axvspan(2, 10, color="0.93", linewidth=0, zorder=0)
        size_axis(ax)
        ax.set_ylim(-0.1, 1.05)
        ax.set(title=title, xlabel=f"number of features ({stats.count(pair[0])} data sets each)")
    axes[0].set_ylabel("NMI with the true groups")
    axes[0].legend(loc="upper right")
    return figure


def weights(records):
    """Combination clustering under four weightings of the evidence, by number of features, one of them informative.

    Left: mean NMI with bootstrapped 95 % intervals and fitted generalised logistic curves. Right: number of
    features at which the curves reach NMI 0.5, with the range over experiments of the paper's 20 data sets."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 0.38 * PAGE), width_ratios=[2, 1])
    found = weightings(records)
    for column, (condition, style) in enumerate(CONDITIONS.items()):
        draw_curve(left, found[condition], style)
        draw_half_point(right, column, found[condition], stats.blocks(found[condition], stats.WEIGHTS_BLOCK), style)
    size_axis(left)
    left.set(xlabel="number of features", ylabel="NMI with the true groups")
    left.legend(loc="upper right", title="weighting by")
    right.set(ylabel="features at NMI 0.5", xlim=(-0.5, 3.5), ylim=(0, None))
    right.set_xticks(range(4), ["none", "order", "good-\nness", "both"])
    right.grid(axis="y", linewidth=0.3, color="0.85")
    note(figure, f"{stats.count(found['none'])} data sets of 50 objects at every size")
    return figure
