"""Drawings of the experiment `baselines`: every consensus function and every weighting."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import rankdata

from ..markdown import document, table
from ..paired import HEAD, cells, compare, mean_interval
from ..records import distinct, results
from ..style import KINDS, PAGE, around, heat_map, legend_above, look
from .noisy import fractions

MEASURES = {"h": "H", "ari": "ARI", "nmi": "NMI", "ensemble_nmi": "ensemble NMI", "density": "density"}
# Functions that use weights differently.
LOOKS = {
    "robust-eac": look(*KINDS["median partition"]),
    "eac-average": look(*KINDS["linkage"]),
    "kmeans": look(*KINDS["k-means"]),
}


def runs_of(result, group):
    """{name: measures} of the functions with equal weights, or of the weightings of one function."""
    return result["functions"] if group == "functions" else result["weightings"][group]


def samples(records, group, measure, fraction):
    """{name: (n_datasets, n_repetitions) of a measure} of a group of :func:`runs_of`; NaN where a run failed."""
    found = [results(records, dataset=dataset, fraction=fraction) for dataset in distinct(records, "dataset")]
    return {
        name: np.array([[runs_of(r, group)[name].get(measure) for r in of_set] for of_set in found], dtype=float)
        for name in runs_of(found[0][0], group)
    }


def mean_results(records, group, measure, fraction):
    """{name: (n_datasets,) mean over repetitions}."""
    return {name: sample.mean(axis=1) for name, sample in samples(records, group, measure, fraction).items()}


def functions_figure(records):
    """Accuracy of every consensus function on every data set, on clean ensembles and with random partitions."""
    shares, columns = fractions(records), [*distinct(records, "dataset"), "mean"]
    clean = mean_results(records, "functions", "h", 0.0)
    order = sorted(clean, key=lambda name: -np.mean(clean[name]))
    size = (PAGE, 0.23 * len(order) * len(shares))
    figure, axes = plt.subplots(len(shares), 1, figsize=size, sharex=True)
    for ax, fraction in zip(np.atleast_1d(axes), shares, strict=True):
        found = mean_results(records, "functions", "h", fraction)
        values = np.array([np.append(found[name], np.mean(found[name])) for name in order])
        bold = values >= np.nanmax(values, axis=0) - 0.005
        texts = {"white": values < 0.65, "bold": bold, "fontsize": 6}
        image = heat_map(ax, values, _two_digits, cmap="cividis", vmin=0.3, vmax=1.0, **texts)
        ax.set_yticks(np.arange(len(order)), order, fontsize=7)
        ax.set_xticks(np.arange(len(columns)), columns, rotation=35, ha="right", rotation_mode="anchor", fontsize=7)
        ax.axvline(len(columns) - 1.5, color="white", linewidth=2)
        ax.set_title(f"{fraction:.0%} of the partitions random")
    figure.colorbar(image, ax=axes, label="accuracy (H criterion)", shrink=0.5, pad=0.01)
    figure.supxlabel(f"means over {len(distinct(records, 'repetition'))} ensembles; bold: within 0.005 of the best")
    return figure


def _two_digits(value):
    return f"{value:.2f}" if np.isfinite(value) else "-"


def functions_table(records):
    """Every consensus function with equal weights: means over the data sets, ranks and time."""
    blocks = []
    for fraction in fractions(records):
        found = {measure: mean_results(records, "functions", measure, fraction) for measure in MEASURES}
        seconds = mean_results(records, "functions", "seconds", fraction)
        ranks = rankdata(-np.array(list(found["h"].values())), axis=0).mean(axis=1)
        rank = dict(zip(found["h"], ranks, strict=True))
        rows = []
        for name in sorted(rank, key=lambda name: -np.mean(found["h"][name])):
            means = [f"{np.mean(found[measure][name]):.3f}" for measure in MEASURES]
            rows.append([name, *means, f"{rank[name]:.1f}", f"{np.median(seconds[name]):.3f}"])
        n_datasets = len(distinct(records, "dataset"))
        blocks.append(f"{fraction:.0%} of the partitions random; means over {n_datasets} data sets")
        blocks.append(table(["function", *MEASURES.values(), "mean rank by H", "median seconds"], rows))
    return document(*blocks)


def weightings_figure(records):
    """What every weighting gains over equal weights, for three consensus functions that use weights differently.

    Differences of H are to equal weights with the same function on the same ensembles: means over the data sets, with
    95 % bootstrap intervals over these. Weights that are found jointly go with the robust consensus alone."""
    shares = fractions(records)
    every = mean_results(records, "robust-eac", "h", shares[0])
    order = sorted((name for name in every if name != "uniform"), key=lambda name: np.mean(every[name]))
    options = {"sharey": True, "width_ratios": [2] * len(shares) + [1]}
    figure, axes = plt.subplots(1, len(shares) + 1, figsize=(PAGE, 0.26 * len(order) + 0.8), **options)
    for ax, fraction in zip(axes, shares, strict=False):
        for shift, (function, style) in enumerate(LOOKS.items()):
            means = mean_results(records, function, "h", fraction)
            label = function
            for name in (name for name in order if name in means):
                gains = means[name] - means["uniform"]
                spread = around([gains.mean()], *np.transpose([mean_interval(gains)]))
                height = order.index(name) + 0.22 * (1 - shift)
                ax.errorbar(gains.mean(), height, xerr=spread, elinewidth=0.7, markersize=3.5, label=label, **style)
                label = None
        ax.axvline(0.0, color="0.3", linewidth=0.8, zorder=0.5)
        ax.set(title=f"{fraction:.0%} of the partitions random", xlabel="H minus that with equal weights")
    noise = mean_results(records, "robust-eac", "noise_weight", shares[-1])
    axes[-1].barh(np.arange(len(order)), [np.mean(noise[name]) for name in order], color="0.55", height=0.6)
    axes[-1].axvline(shares[-1], color="0.2", linewidth=0.6, linestyle=":")
    axes[-1].set(title=f"at {shares[-1]:.0%}", xlabel="weight on random", xlim=(0.0, 1.0))
    axes[0].set_yticks(np.arange(len(order)), order)
    for ax in axes:
        ax.grid(axis="y", linewidth=0.3, color="0.8")
    legend_above(figure, axes[0], len(LOOKS))
    n_sets = len(distinct(records, "dataset"))
    figure.supxlabel(f"means over {n_sets} data sets, 95 % intervals; the scales differ; dotted: equal weights")
    return figure


def paired_table(records):
    """Every consensus function and every weighting against the unweighted median partition on the same ensembles.

    There are three k-means ensembles of 50 partitions for each data set, clean and half random. A pair is won by more
    than 0.005 in H. Brackets hold 95 % bootstrap intervals over the data sets."""
    blocks = []
    for fraction in fractions(records):
        base, compared = comparisons(records, fraction)
        rows = [[*key, *cells(compared[key])] for key in sorted(compared, key=lambda key: -compared[key].mean)]
        blocks.append(f"{fraction:.0%} of the partitions random; unweighted median partition: mean H {base:.3f}")
        blocks.append(table(f"function | weights | {HEAD}", rows))
    return document(*blocks)


def comparisons(records, fraction):
    """Mean H of the unweighted median partition, and {(function, weights): comparison with it}."""
    equal = samples(records, "functions", "h", fraction)
    base = equal.pop("robust-eac")
    rows = {(function, "equal"): h for function, h in equal.items()}
    for function in results(records, fraction=fraction)[0]["weightings"]:
        weighted = samples(records, function, "h", fraction)
        rows |= {(function, weighting): h for weighting, h in weighted.items() if weighting != "uniform"}
    return float(base.mean()), {key: compare(h - base) for key, h in rows.items()}
