"""Figures 2 and 4, and tables, from the experiment `noisy_ensembles`."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.robust_eac.noisy_ensembles import WEIGHTINGS

from ..markdown import document, table
from ..paired import HEAD, cells, compare, standard_error
from ..records import distinct, matching, results
from ..style import PAGE, around, bar_style, legend_above, line_style, note, plain_name

ENSEMBLE_NAMES = {"kmeans": "k-means ensembles", "mixed": "mixed ensembles"}
NOISE = 0.2


def samples(records, measure, ensemble, fraction):
    """{weighting: (n_datasets, n_repetitions) of a measure} for one kind of ensembles and share of noise."""
    chosen = matching(records, ensemble=ensemble, fraction=fraction)
    by_dataset = [results(chosen, dataset=dataset) for dataset in distinct(records, "dataset")]
    return {w: np.array([[result[w][measure] for result in found] for found in by_dataset]) for w in WEIGHTINGS}


def fractions(records):
    """Shares of noise, ascending."""
    return sorted(distinct(records, "fraction"))


def changes(records, ensemble):
    """{weighting: (n_datasets,) mean H with noise minus mean H without}."""
    clean, noisy = (samples(records, "h", ensemble, fraction) for fraction in (0.0, NOISE))
    return {weighting: noisy[weighting].mean(axis=1) - clean[weighting].mean(axis=1) for weighting in WEIGHTINGS}


def clean_figure(records):
    """Figure 2 of paper 002: accuracy on clean ensembles."""
    return _accuracy_bars(records, 0.0)


def noisy_figure(records):
    """Figure 4 of paper 002: accuracy with a fifth of the partitions replaced by random ones."""
    return _accuracy_bars(records, NOISE)


def _accuracy_bars(records, fraction):
    """H by data set and weighting, k-means ensembles above, mixed ones below."""
    names = distinct(records, "dataset")
    figure, axes = plt.subplots(2, 1, figsize=(PAGE, 0.56 * PAGE), sharex=True, sharey=True)
    width = 0.8 / len(WEIGHTINGS)
    whiskers = {"elinewidth": 0.7, "capsize": 1.5, "capthick": 0.7, "ecolor": "0.45"}
    for ax, (ensemble, title) in zip(axes, ENSEMBLE_NAMES.items(), strict=True):
        for shift, (weighting, h) in enumerate(samples(records, "h", ensemble, fraction).items()):
            places = np.arange(len(names)) + (shift - 0.5 * (len(WEIGHTINGS) - 1)) * width
            means = h.mean(axis=1)
            spans = around(means, h.min(axis=1), h.max(axis=1))
            ax.bar(places, means, width, yerr=spans, error_kw=whiskers, **bar_style(weighting))
        ax.set(title=f"{title}, {fraction:.0%} of the partitions random", ylabel="accuracy (H criterion)")
        ax.set_ylim(0, 1.02)
        ax.set_axisbelow(True)
        ax.grid(axis="y", linewidth=0.3, color="0.8")
    axes[1].set_xticks(np.arange(len(names)), names, rotation=25, ha="right", rotation_mode="anchor")
    legend_above(figure, axes[0], len(WEIGHTINGS))
    n_ensembles = len(distinct(records, "repetition"))
    figure.supxlabel(f"bars: mean over {n_ensembles} ensembles; whiskers: lowest and highest")
    return figure


def sweep_figure(records):
    """Accuracy, and weight left on the random partitions, over the share of random partitions.

    Lines show means over the data sets.
    """
    figure, axes = plt.subplots(2, 2, figsize=(PAGE, 0.6 * PAGE), sharex=True, sharey="row")
    shares = np.array(fractions(records))
    for column, (ensemble, title) in zip(axes.T, ENSEMBLE_NAMES.items(), strict=True):
        for ax, measure in zip(column, ("h", "noise_weight"), strict=True):
            by_share = [samples(records, measure, ensemble, fraction) for fraction in shares]
            for weighting in WEIGHTINGS:
                # (data sets, shares, repetitions)
                sample = np.stack([found[weighting] for found in by_share], axis=1)
                over_data = sample.mean(axis=0).T
                bars = {"yerr": 2.0 * standard_error(over_data), "capsize": 1.5, "elinewidth": 0.6}
                ax.errorbar(shares, over_data.mean(axis=0), **bars, **line_style(weighting))
            ax.grid(linewidth=0.3, color="0.8")
        column[0].set_title(title)
        column[1].set_xlabel("share of random partitions")
    axes[0, 0].set_ylabel("accuracy (H criterion)")
    axes[1, 0].set(ylabel="weight on random partitions", ylim=(-0.02, None))
    axes[0, 0].legend(loc="lower left")
    n_datasets, _, n_ensembles = sample.shape
    note(figure, f"Mean over {n_datasets} data sets; bars: two standard errors over {n_ensembles} ensembles each")
    return figure


def sweep_table(records):
    """The noise sweep in numbers: mean H, and weight left on the random partitions, by share of noise."""
    blocks, shares = [], fractions(records)
    for ensemble, title in ENSEMBLE_NAMES.items():
        pairs = [[samples(records, m, ensemble, f) for m in ("h", "noise_weight")] for f in shares]
        rows = [
            [plain_name(w), *(f"{h[w].mean():.3f} ({weight[w].mean():.2f})" for h, weight in pairs)] for w in WEIGHTINGS
        ]
        blocks.append(f"{title}: mean H (mean weight on random partitions) by their share")
        blocks.append(table(["weighting", *(f"{share:.0%}" for share in shares)], rows))
    return document(*blocks)


def noisy_table(records):
    """H on clean and on noisy ensembles, and the weight left on the random partitions, by data set and weighting."""
    blocks = []
    for ensemble, title in ENSEMBLE_NAMES.items():
        found = [
            samples(records, *pair)
            for pair in (("h", ensemble, 0.0), ("h", ensemble, NOISE), ("noise_weight", ensemble, NOISE))
        ]
        # (data sets, weightings, three numbers)
        numbers = np.array([[one[w].mean(axis=1) for one in found] for w in WEIGHTINGS]).transpose(2, 0, 1)
        named = [*zip(distinct(records, "dataset"), numbers, strict=True), ("mean", numbers.mean(axis=0))]
        rows = [
            [name, *(f"{a:.3f} -> {b:.3f} ({left:.2f})" for a, b, left in by_weighting)] for name, by_weighting in named
        ]
        blocks.append(f"{title}: H clean -> H with {NOISE:.0%} random partitions (weight left on these)")
        blocks.append(table(["data set", *map(plain_name, WEIGHTINGS)], rows))
    return document(*blocks)


def stability_table(records):
    """What a fifth of random partitions changes: H on clean and noisy ensembles of paper 002, by weighting."""
    rows = []
    for ensemble, title in ENSEMBLE_NAMES.items():
        clean, noisy = (samples(records, "h", ensemble, fraction) for fraction in (0.0, NOISE))
        held = samples(records, "n_weighted", ensemble, NOISE)
        for w, change in changes(records, ensemble).items():
            row = [title, plain_name(w), f"{clean[w].mean():.3f}", f"{noisy[w].mean():.3f}", f"{change.mean():+.4f}"]
            row += [f"{np.abs(change).mean():.4f}", f"{min(change.min(), 0.0):+.3f}", f"{held[w].mean():.0f}"]
            rows.append(row)
    head = "ensembles | weighting | mean H clean | mean H noisy | mean change | mean absolute change | largest loss"
    return table(f"{head} | partitions with weight, noisy", rows)


def paired_table(records):
    """Each weighting of paper 002 against no weighting on the same ensembles, by share of random partitions.

    There are ten ensembles of each data set. A pair is won by more than 0.005 in H. Brackets hold 95 % bootstrap
    intervals over the data sets.
    """
    blocks = []
    for ensemble, title in ENSEMBLE_NAMES.items():
        rows = []
        for fraction in fractions(records):
            accuracy = samples(records, "h", ensemble, fraction)
            for weighting, h in accuracy.items():
                beside = cells(compare(h - accuracy["uniform"])) if weighting != "uniform" else [""] * 4
                rows.append([f"{fraction:.0%}", plain_name(weighting), f"{h.mean():.3f}", *beside])
        blocks.append(f"{title}, {len(distinct(records, 'dataset'))} data sets")
        blocks.append(table(f"random partitions | weighting | mean H | {HEAD}", rows))
    return document(*blocks)
