"""Figures 2 and 4, and tables, from the experiment `noisy_ensembles`."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.shared.data import short_name

from ..markdown import document, table
from ..paired import FEWEST, ROUNDING, cells, compare, head, mean_interval
from ..records import distinct, grouped, matching
from ..style import METHODS, PAGE, around, legend_above, method_style, method_styles, plain_name

ENSEMBLE_NAMES = {"kmeans": "k-means ensembles", "mixed": "mixed ensembles"}
NOISE = 0.2
# A run is conserved if the fifth of random partitions moves H by at most this.
CLOSE = 0.01 + ROUNDING


def samples(records, measure, ensemble, fraction):
    """{weighting: (n_datasets, n_repetitions) of a measure} for one kind of ensembles and share of noise."""
    by_dataset = grouped(matching(records, ensemble=ensemble, fraction=fraction), "dataset").values()
    if not by_dataset:
        held = ", ".join(f"{share:g}" for share in fractions(records))
        raise ValueError(f"needs {fraction:g} as share of random partitions, the records hold {held}.")
    return {
        w: np.array([[row["result"][w][measure] for row in rows] for rows in by_dataset]) for w in weightings(records)
    }


def weightings(records):
    """Names of the weightings, a user's last."""
    held = records[0]["result"]
    return [*(name for name in METHODS if name in held), *(name for name in held if name not in METHODS)]


def kinds(records):
    """{kind of ensembles: title}."""
    held = distinct(records, "ensemble")
    return {ensemble: title for ensemble, title in ENSEMBLE_NAMES.items() if ensemble in held}


def compared_shares(records):
    """The shares of noise that are compared: none and that of the paper, or else the two smallest."""
    shares = fractions(records)
    if len(shares) < 2:
        raise ValueError(f"needs two shares of random partitions, the records hold {shares[0]:g}.")
    return shares[0], NOISE if NOISE in shares[1:] else shares[1]


def fractions(records):
    return sorted(distinct(records, "fraction"))


def movements(records, ensemble):
    """{weighting: (n_datasets, n_repetitions) absolute change of H by the noise}."""
    clean, noisy = (samples(records, "h", ensemble, fraction) for fraction in compared_shares(records))
    return {weighting: np.abs(noisy[weighting] - clean[weighting]) for weighting in clean}


def clean_figure(records):
    """Figure 2 of paper 002: accuracy on clean ensembles, and its paired differences to no weighting.

    H: means over the ensembles, from the lowest to the highest. Differences are to the unweighted consensus of the same
    ensemble, with 95 % bootstrap intervals over the ensembles of a data set; the last row is the mean over the data
    sets, if there are several, with the interval over these. A mark is hollow where the interval contains 0."""
    return _by_dataset(records, fractions(records)[0], 0.0)


def noisy_figure(records):
    """Figure 4 of paper 002: accuracy and paired differences with a fifth of the partitions random; as Figure 2."""
    return _by_dataset(records, compared_shares(records)[1], NOISE)


def _by_dataset(records, fraction, usual):
    """H by data set, k-means ensembles on the left and mixed ones on the right; beside each its paired differences.

    The share of noise is named unless it is the usual one."""
    names, shown = distinct(records, "dataset"), kinds(records)
    styles = method_styles(weightings(records))
    # The mean is that of the differences; of one data set it would repeat the row.
    has_mean = _paired(styles) and len(names) > 1
    height, n_panels = 0.62 if len(names) > 5 else 0.16 + 0.08 * len(names), 2 if _paired(styles) else 1
    options = {"figsize": (PAGE, height * PAGE), "sharey": True, "squeeze": False}
    figure, ((*axes,),) = plt.subplots(1, n_panels * len(shown), **options)
    levels, gains = axes[::n_panels], axes[1::2] if _paired(styles) else []
    for panels in (levels, gains):
        for ax in panels[1:]:
            ax.sharex(panels[0])
    apart, note = _apart(0.24, len(styles)), ""
    for place, (ensemble, title) in enumerate(shown.items()):
        found = samples(records, "h", ensemble, fraction)
        for number, (weighting, h) in enumerate(found.items()):
            places = np.arange(len(names) + has_mean) + apart[number]
            # Thin marks are larger, so that hollow and filled ones can be distinguished.
            size = 5.0 if styles[weighting]["marker"] in "PX*" else 3.0
            style = styles[weighting] | {"linestyle": "none", "elinewidth": 0.7, "markersize": size}
            style["markeredgewidth"] = 0.7
            means = h.mean(axis=1)
            span = around(means, h.min(axis=1), h.max(axis=1))
            levels[place].errorbar(means, places[: len(names)], xerr=span, **style)
            if gains and weighting != "uniform":
                differences = h - found["uniform"]
                rows = [*differences, differences.mean(axis=1)] if has_mean else [*differences]
                means, (low, high) = np.array(list(map(np.mean, rows))), np.transpose(list(map(mean_interval, rows)))
                bars, filled, alone = around(means, low, high), (low > 0.0) | (high < 0.0), np.isnan(low)
                note = "\npale: no interval" if alone.any() else note
                hollow = {"markerfacecolor": "white"}
                for some, look in ((~filled & ~alone, hollow), (filled, {}), (alone, {"alpha": 0.3})):
                    gains[place].errorbar(means[some], places[some], xerr=bars[:, some], **style, **look)
        levels[place].set(title=title, xlabel="H (high is good):\nmean, lowest to highest")
    for ax in gains:
        ax.set(title="paired difference", xlabel=f"H minus unweighted's\n(95 %; hollow: 0 inside){note}")
        ax.axvline(0.0, color=method_style("uniform")["color"], linewidth=0.8, zorder=0.5)
        # More numbers than these would touch.
        ax.locator_params(axis="x", nbins=3, steps=(1, 2, 5, 10))
    rows = [*map(short_name, names), *(["mean"] if has_mean else [])]
    for ax in axes:
        _widen(ax, 0.1)
        if has_mean:
            ax.axhline(len(names) - 0.5, color="0.6", linewidth=0.6)
        ax.grid(axis="x", linewidth=0.3, color="0.8")
    axes[0].set_yticks(range(len(rows)), rows)
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    if fraction != usual:
        figure.supxlabel(f"{fraction:.0%} of the partitions random")
    legend_above(figure, axes[0], _columns(styles))
    return figure


def _over_units(differences):
    """(n_datasets, n_repetitions) differences, to take intervals over the rows: of one data set, over its ensembles."""
    return differences if len(differences) > 1 else differences.T


def _paired(names):
    """Whether weightings can be compared with equal weights."""
    return "uniform" in names and len(names) > 1


def _widen(ax, least):
    """Move the ends of the x axis apart to this distance, if they are closer."""
    low, high = ax.get_xlim()
    spare = max(least - (high - low), 0.0) / 2
    ax.set_xlim(low - spare, high + spare)


def _columns(styles):
    """Columns of the legend; long names leave space for fewer."""
    return min(len(styles), 4, max(1, 100 // (6 + max(len(style["label"]) for style in styles.values()))))


def _apart(step, number):
    """Distances of the marks of several weightings from their place, within that of three."""
    return min(step, 3.0 * step / number) * (np.arange(number) - (number - 1) / 2)


def sweep_figure(records):
    """Accuracy, its paired difference to no weighting, and weight left on the random partitions, over their share.

    Lines show means over the data sets. Differences are to the unweighted consensus of the same ensemble. Bars are 95 %
    bootstrap intervals: over the ensembles, for the differences over the data sets if there are several, and only from
    five on. The scales of the two kinds of ensembles differ. With mixed ensembles, weights by l2 can end on few
    partitions: on the sets of paper 002 it gains most where no partition is random, and loses most at 80 %."""
    shown, shares = kinds(records), fractions(records)
    styles = method_styles(weightings(records))
    labels = ["H (high is good)", "H minus unweighted's", "weight on random ones"]
    if not _paired(styles):
        del labels[1]
    options = {"sharex": True, "squeeze": False}
    figure, axes = plt.subplots(len(labels), len(shown), figsize=(PAGE, 0.28 * len(labels) * PAGE), **options)
    # The marks of a share stand side by side.
    apart = _apart(min(1.6, 16.0 * min(np.diff(shares), default=0.1)), len(styles))
    for (upper, *middle, lower), (ensemble, title) in zip(axes.T, shown.items(), strict=True):
        # (data sets, shares, repetitions) by weighting
        h, left = (
            {w: np.stack([samples(records, measure, ensemble, f)[w] for f in shares], axis=1) for w in styles}
            for measure in ("h", "noise_weight")
        )
        for number, w in enumerate(styles):
            # Samples of every share, whose means have the intervals.
            drawn = [(upper, h[w].mean(axis=0)), (lower, left[w].mean(axis=0))]
            if middle and w != "uniform":
                gains = [_over_units(gain).mean(axis=1) for gain in np.moveaxis(h[w] - h["uniform"], 1, 0)]
                drawn.append((*middle, np.array(gains)))
            for ax, sample in drawn:
                means, (low, high) = sample.mean(axis=1), np.transpose(list(map(mean_interval, sample)))
                style = styles[w] | {"elinewidth": 0.8, "capsize": 1.5}
                ax.errorbar(100.0 * np.array(shares) + apart[number], means, yerr=around(means, low, high), **style)
        for ax in middle:
            ax.axhline(0.0, color=method_style("uniform")["color"], linewidth=0.8, zorder=0.5)
        upper.set_title(title)
        lower.set_xlabel("share of random partitions, %")
    for ax in axes.flat:
        ax.grid(linewidth=0.3, color="0.8")
    _widen(axes[0, 0], 10.0)
    for ax, label in zip(axes[:, 0], labels, strict=True):
        ax.set_ylabel(label)
    names = distinct(records, "dataset")
    sets, of_differences = short_name(names[0]), ""
    if len(names) > 1:
        sets, of_differences = f"mean of {len(names)} data sets", ", of differences over data sets"
    figure.supxlabel(f"{sets}; bars: 95 % intervals over ensembles{of_differences}; none below {FEWEST}")
    legend_above(figure, axes[0, 0], _columns(styles))
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
        blocks.append(f"{title}: mean H, the share of objects in matched clusters (weight on noise), by share of noise")
        blocks.append(table(["weighting", *(f"{share:.0%}" for share in shares)], rows))
    return document(*blocks)


def noisy_table(records):
    """H on clean and on noisy ensembles, and the weight left on the random partitions, by data set and weighting."""
    blocks, (first, noise) = [], compared_shares(records)
    for ensemble, title in kinds(records).items():
        found = [
            samples(records, *pair)
            for pair in (("h", ensemble, first), ("h", ensemble, noise), ("noise_weight", ensemble, noise))
        ]
        # (data sets, weightings, three numbers)
        numbers = np.array([[one[w].mean(axis=1) for one in found] for w in weightings(records)]).transpose(2, 0, 1)
        named = [*zip(map(short_name, distinct(records, "dataset")), numbers, strict=True)]
        if len(named) > 1:
            named.append(("mean", numbers.mean(axis=0)))
        rows = [[name, *(f"{a:.3f} -> {b:.3f} ({left:.2f})" for a, b, left in of)] for name, of in named]
        before = "clean" if first == 0.0 else f"with {first:.0%}"
        blocks.append(f"{title}: H {before} -> H with {noise:.0%} random partitions (weight left on these)")
        blocks.append(table(["data set", *map(plain_name, weightings(records))], rows))
    return document(*blocks)


def stability_table(records):
    """What a fifth of random partitions changes: H on clean and noisy ensembles of paper 002, by weighting.

    The absolute change is that of an ensemble, the largest loss that of the mean over the ensembles of a data set."""
    rows, shares = [], compared_shares(records)
    for ensemble, title in kinds(records).items():
        clean, noisy = (samples(records, "h", ensemble, fraction) for fraction in shares)
        held = samples(records, "n_weighted", ensemble, shares[1])
        for w in clean:
            change = noisy[w] - clean[w]
            row = [title, plain_name(w), f"{clean[w].mean():.3f}", f"{noisy[w].mean():.3f}", f"{change.mean():+.4f}"]
            row += [f"{np.abs(change).mean():.4f}", f"{np.mean(np.abs(change) <= CLOSE):.0%}"]
            row += [f"{min(change.mean(axis=1).min(), 0.0):+.3f}", compare(change).counts, f"{held[w].mean():.0f}"]
            rows.append(row)
    before, after = ("clean", "noisy") if shares == (0.0, NOISE) else (f"at {share:.0%}" for share in shares)
    head = f"ensembles | weighting | mean H {before} | mean H {after} | mean change | mean absolute change"
    head += f" | runs within {CLOSE:g} | largest loss | data sets better / equal / worse"
    return table(f"{head} | partitions with weight, {after}", rows)


def paired_table(records):
    """Each weighting of paper 002 against no weighting on the same ensembles, by share of random partitions.

    A pair is won by more than 0.005 in H. Brackets hold 95 % bootstrap intervals over the data sets, or over the
    ensembles of a single one."""
    names, datasets = weightings(records), distinct(records, "dataset")
    if not _paired(names):
        raise ValueError(f"needs the weighting uniform beside others, the records hold {', '.join(names)}.")
    blocks = []
    for ensemble, title in kinds(records).items():
        rows = []
        for fraction in fractions(records):
            accuracy = samples(records, "h", ensemble, fraction)
            for weighting, h in accuracy.items():
                differences = _over_units(h - accuracy["uniform"])
                beside = cells(compare(differences)) if weighting != "uniform" else [""] * 4
                rows.append([f"{fraction:.0%}", plain_name(weighting), f"{h.mean():.3f}", *beside])
        n, units = len(differences), "data sets" if len(datasets) > 1 else "ensembles"
        of_one = "" if len(datasets) > 1 else f"{short_name(datasets[0])}, "
        blocks.append(f"{title}, {of_one}{n} {units if n > 1 else units[:-1]}")
        blocks.append(table(f"random partitions | weighting | mean H | {head(n, units)}", rows))
    return document(*blocks)
