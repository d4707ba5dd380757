"""Figures 2 and 4, and tables, from the experiment `noisy_ensembles`."""

import matplotlib.pyplot as plt
import numpy as np

# The claims take these from here.
from experiments.robust_eac.noisy_ensembles import WEIGHTINGS as WEIGHTINGS

from ..markdown import document, table
from ..paired import HEAD, cells, compare, mean_interval, standard_error
from ..records import distinct, matching, results
from ..style import METHODS, PAGE, around, legend_above, method_style, method_styles, plain_name

ENSEMBLE_NAMES = {"kmeans": "k-means ensembles", "mixed": "mixed ensembles"}
NOISE = 0.2


def samples(records, measure, ensemble, fraction):
    """{weighting: (n_datasets, n_repetitions) of a measure} for one kind of ensembles and share of noise."""
    if fraction not in fractions(records):
        held = ", ".join(f"{share:g}" for share in fractions(records))
        raise ValueError(f"needs {fraction:g} as share of random partitions, the records hold {held}.")
    chosen = matching(records, ensemble=ensemble, fraction=fraction)
    by_dataset = [results(chosen, dataset=dataset) for dataset in distinct(records, "dataset")]
    names = weightings(records)
    return {w: np.array([[result[w][measure] for result in found] for found in by_dataset]) for w in names}


def weightings(records):
    """Names of the weightings, a user's last; ValueError without equal weights, with which the others are compared."""
    held = records[0]["result"]
    names = [*(name for name in METHODS if name in held), *(name for name in held if name not in METHODS)]
    if "uniform" not in names:
        raise ValueError(f"needs the weighting uniform beside others, the records hold {', '.join(names)}.")
    return names


def kinds(records):
    """{kind of ensembles: title}."""
    held = distinct(records, "ensemble")
    return {ensemble: title for ensemble, title in ENSEMBLE_NAMES.items() if ensemble in held}


def noise_share(records):
    """The share of noise that is compared with none: that of the paper, or else the smallest."""
    shares = [share for share in fractions(records) if share > 0.0]
    if not shares:
        raise ValueError("needs a share of random partitions above 0, the records hold 0.")
    return NOISE if NOISE in shares else shares[0]


def fractions(records):
    """Shares of noise, ascending."""
    return sorted(distinct(records, "fraction"))


def changes(records, ensemble):
    """{weighting: (n_datasets,) mean H with noise minus mean H without}."""
    clean, noisy = (samples(records, "h", ensemble, fraction) for fraction in (0.0, noise_share(records)))
    return {weighting: noisy[weighting].mean(axis=1) - clean[weighting].mean(axis=1) for weighting in clean}


def movements(records, ensemble):
    """{weighting: (n_datasets,) mean over the ensembles of the absolute change of H by the noise}."""
    clean, noisy = (samples(records, "h", ensemble, fraction) for fraction in (0.0, noise_share(records)))
    return {weighting: np.abs(noisy[weighting] - clean[weighting]).mean(axis=1) for weighting in clean}


def clean_figure(records):
    """Figure 2 of paper 002: accuracy on clean ensembles, and its paired differences to no weighting.

    H: means over the ensembles, from the lowest to the highest. Differences are to the unweighted consensus of the same
    ensemble, with 95 % bootstrap intervals over the ensembles of a data set; the last row is the mean over the data
    sets, with the interval over these. A mark is hollow where the interval contains 0.
    """
    return _by_dataset(records, 0.0)


def noisy_figure(records):
    """Figure 4 of paper 002: accuracy and paired differences with a fifth of the partitions random; as Figure 2."""
    return _by_dataset(records, noise_share(records))


def _by_dataset(records, fraction):
    """H by data set, and its differences to no weighting: k-means ensembles on the left, mixed ones on the right."""
    names, shown, styles = distinct(records, "dataset"), kinds(records), method_styles(weightings(records))
    height = 0.62 if len(names) > 5 else 0.1 + 0.08 * len(names)
    figure, axes = plt.subplots(1, 2 * len(shown), figsize=(PAGE, height * PAGE), sharey=True)
    for ax, first in zip(axes[2:], axes, strict=False):
        ax.sharex(first)
    apart = _apart(0.24, len(styles))
    for (level, gain), (ensemble, title) in zip(axes.reshape(-1, 2), shown.items(), strict=True):
        found = samples(records, "h", ensemble, fraction)
        for number, (weighting, h) in enumerate(found.items()):
            places = np.arange(len(names) + 1) + apart[number]
            style = styles[weighting] | {"linestyle": "none", "elinewidth": 0.7, "markersize": 3.0}
            means = h.mean(axis=1)
            level.errorbar(means, places[:-1], xerr=around(means, h.min(axis=1), h.max(axis=1)), **style)
            if weighting != "uniform":
                differences = h - found["uniform"]
                rows = [*differences, differences.mean(axis=1)]
                means, (low, high) = np.array(list(map(np.mean, rows))), np.transpose(list(map(mean_interval, rows)))
                bars, open_ = around(means, low, high), (low <= 0.0) & (high >= 0.0)
                for some, face in ((open_, "white"), (~open_, style["color"])):
                    gain.errorbar(means[some], places[some], xerr=bars[:, some], markerfacecolor=face, **style)
        level.set(title=title, xlabel="H (high is good)")
        gain.set(title="paired difference", xlabel="H minus unweighted's")
        gain.axvline(0.0, color=method_style("uniform")["color"], linewidth=0.8, zorder=0.5)
    for ax in axes:
        ax.axhline(len(names) - 0.5, color="0.6", linewidth=0.6)
        ax.grid(axis="x", linewidth=0.3, color="0.8")
    axes[0].set_yticks(range(len(names) + 1), [*names, "mean"])
    axes[0].set_ylim(len(names) + 0.5, -0.5)
    if fraction not in (0.0, NOISE):
        figure.supxlabel(f"{fraction:.0%} of the partitions random")
    legend_above(figure, axes[0], min(len(styles), 4))
    return figure


def _apart(step, number):
    """Distances of the marks of several weightings from their place, within that of three."""
    return min(step, 3.0 * step / number) * (np.arange(number) - (number - 1) / 2)


def sweep_figure(records):
    """Accuracy, its paired difference to no weighting, and weight left on the random partitions, over their share.

    Lines show means over the data sets. Bars of H and of the weight are two standard errors over the ensembles.
    Differences are to the unweighted consensus of the same ensemble, with 95 % bootstrap intervals over the data sets.
    """
    shown, styles, shares = kinds(records), method_styles(weightings(records)), fractions(records)
    options = {"sharex": True, "sharey": "row", "squeeze": False}
    figure, axes = plt.subplots(3, len(shown), figsize=(PAGE, 0.84 * PAGE), **options)
    apart = _apart(0.7, len(styles))
    bars = {"capsize": 1.5, "elinewidth": 0.6}
    for column, (ensemble, title) in zip(axes.T, shown.items(), strict=True):
        # (data sets, shares, repetitions) by weighting
        h, left = (
            {w: np.stack([samples(records, measure, ensemble, f)[w] for f in shares], axis=1) for w in styles}
            for measure in ("h", "noise_weight")
        )
        for number, w in enumerate(styles):
            style = styles[w] | bars
            # A little apart, so that the bars can be told from each other.
            places = 100.0 * np.array(shares) + apart[number]
            for ax, sample in ((column[0], h[w]), (column[2], left[w])):
                over_data = sample.mean(axis=0).T
                ax.errorbar(places, over_data.mean(axis=0), yerr=2.0 * standard_error(over_data), **style)
            if w != "uniform":
                gains = (h[w] - h["uniform"]).mean(axis=2).T
                means, (low, high) = gains.mean(axis=1), np.transpose(list(map(mean_interval, gains)))
                column[1].errorbar(places, means, yerr=around(means, low, high), **style)
        column[1].axhline(0.0, color=method_style("uniform")["color"], linewidth=0.8, zorder=0.5)
        column[0].set_title(title)
        column[2].set_xlabel("share of random partitions, %")
    for ax in axes.flat:
        ax.grid(linewidth=0.3, color="0.8")
    labels = "H (high is good)", "H minus unweighted's", "weight on random ones"
    for ax, label in zip(axes[:, 0], labels, strict=True):
        ax.set_ylabel(label)
    legend_above(figure, axes[0, 0], min(len(styles), 4))
    return figure


def sweep_table(records):
    """The noise sweep in numbers: mean H, and weight left on the random partitions, by share of noise."""
    blocks, shares = [], fractions(records)
    for ensemble, title in kinds(records).items():
        pairs = [[samples(records, m, ensemble, f) for m in ("h", "noise_weight")] for f in shares]
        rows = [
            [plain_name(w), *(f"{h[w].mean():.3f} ({weight[w].mean():.2f})" for h, weight in pairs)]
            for w in weightings(records)
        ]
        blocks.append(f"{title}: mean H (mean weight on random partitions) by their share")
        blocks.append(table(["weighting", *(f"{share:.0%}" for share in shares)], rows))
    return document(*blocks)


def noisy_table(records):
    """H on clean and on noisy ensembles, and the weight left on the random partitions, by data set and weighting."""
    blocks, noise = [], noise_share(records)
    for ensemble, title in kinds(records).items():
        found = [
            samples(records, *pair)
            for pair in (("h", ensemble, 0.0), ("h", ensemble, noise), ("noise_weight", ensemble, noise))
        ]
        # (data sets, weightings, three numbers)
        numbers = np.array([[one[w].mean(axis=1) for one in found] for w in weightings(records)]).transpose(2, 0, 1)
        named = [*zip(distinct(records, "dataset"), numbers, strict=True), ("mean", numbers.mean(axis=0))]
        rows = [
            [name, *(f"{a:.3f} -> {b:.3f} ({left:.2f})" for a, b, left in by_weighting)] for name, by_weighting in named
        ]
        blocks.append(f"{title}: H clean -> H with {noise:.0%} random partitions (weight left on these)")
        blocks.append(table(["data set", *map(plain_name, weightings(records))], rows))
    return document(*blocks)


def stability_table(records):
    """What a fifth of random partitions changes: H on clean and noisy ensembles of paper 002, by weighting.

    The absolute change is that of an ensemble, the largest loss that of the mean over the ensembles of a data set.
    """
    rows, noise = [], noise_share(records)
    for ensemble, title in kinds(records).items():
        clean, noisy = (samples(records, "h", ensemble, fraction) for fraction in (0.0, noise))
        held, moved = samples(records, "n_weighted", ensemble, noise), movements(records, ensemble)
        for w, change in changes(records, ensemble).items():
            row = [title, plain_name(w), f"{clean[w].mean():.3f}", f"{noisy[w].mean():.3f}", f"{change.mean():+.4f}"]
            row += [f"{moved[w].mean():.4f}", f"{min(change.min(), 0.0):+.3f}", f"{held[w].mean():.0f}"]
            rows.append(row)
    head = "ensembles | weighting | mean H clean | mean H noisy | mean change | mean absolute change | largest loss"
    return table(f"{head} | partitions with weight, noisy", rows)


def paired_table(records):
    """Each weighting of paper 002 against no weighting on the same ensembles, by share of random partitions.

    A pair is won by more than 0.005 in H. Brackets hold 95 % bootstrap
    intervals over the data sets.
    """
    blocks = []
    for ensemble, title in kinds(records).items():
        rows = []
        for fraction in fractions(records):
            accuracy = samples(records, "h", ensemble, fraction)
            for weighting, h in accuracy.items():
                beside = cells(compare(h - accuracy["uniform"])) if weighting != "uniform" else [""] * 4
                rows.append([f"{fraction:.0%}", plain_name(weighting), f"{h.mean():.3f}", *beside])
        blocks.append(f"{title}, {len(distinct(records, 'dataset'))} data sets")
        blocks.append(table(f"random partitions | weighting | mean H | {HEAD}", rows))
    return document(*blocks)
