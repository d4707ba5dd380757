"""Robustness to partitions that are replaced by noise: weightings beside an oracle that knows which."""

from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

from experiments.robustness.robustness import FRACTIONS, ORACLE, WEIGHTINGS

from .drawing import drawing
from .markdown import document, table
from .paired import mean_interval, signed
from .records import datasets, distinct, results
from .style import PAGE, around, legend_above, method_style, plain_name

KIND_NAMES = {
    "uniform": "uniform labels",
    "unequal": "very unequal sizes",
    "shuffled": "labels shuffled",
    "features": "k-means on noise",
    "coherent": "one wrong partition, copied",
    "duplicates": "one good partition, copied",
}
# Kinds of noise whose partitions are independent, and the largest share of noise for which there are goals.
RANDOM_KINDS = ("uniform", "unequal", "shuffled", "features")
MOST_NOISE = 0.9


def fractions(records, kind):
    return sorted(fraction for other, fraction in distinct(records, "kind", "fraction") if other == kind)


def with_clean(records, kind):
    """(kind, share) of all cells; the clean ensembles, common to all kinds, come once."""
    return [("uniform", 0.0), *noisy_cells(records, (kind,))]


def noisy_cells(records, kinds=tuple(FRACTIONS), most=1.0):
    """(kind, share) of the cells with noise up to a share."""
    return [(kind, f) for kind in kinds for f in fractions(records, kind) if 0.0 < f <= most]


def values(records, measure, weighting, kind, fraction):
    """(n_datasets, n_repetitions) of a measure of one weighting."""
    return np.array([r[weighting][measure] for r in results(records, kind=kind, fraction=fraction)], dtype=float)


def differences(records, weighting, other, kind, fraction):
    """(n_datasets, n_repetitions) differences of H to another weighting on the same ensembles."""
    return values(records, "h", weighting, kind, fraction) - values(records, "h", other, kind, fraction)


class Mean(NamedTuple):
    """Mean over the data sets, its 95 % interval, and the lowest data set."""

    mean: float
    low: float
    high: float
    worst: float
    dataset: str

    def __str__(self):
        return signed(self.mean, (self.low, self.high))


def over_datasets(records, by_dataset):
    """The :class:`Mean` of one number per data set."""
    lowest = int(np.argmin(by_dataset))
    mean, worst = float(np.mean(by_dataset)), float(by_dataset[lowest])
    return Mean(mean, *mean_interval(by_dataset), worst, datasets(records)[lowest])


def mean_difference(records, weighting, other, kind, fraction):
    return over_datasets(records, differences(records, weighting, other, kind, fraction).mean(axis=1))


# Figures


def draw_over_shares(ax, cells, names, mean, step, style):
    """The means mean(name, cell) with their intervals over the shares of the cells, in percent.

    The points of one share stand side by side, a step of percent apart."""
    places = np.array([100.0 * fraction for _, fraction in cells])
    for number, name in enumerate(names):
        middle, low, high = np.array([mean(name, cell)[:3] for cell in cells]).T
        shift = step * (number - 0.5 * (len(names) - 1))
        ax.errorbar(places + shift, middle, yerr=around(middle, low, high), elinewidth=0.6, **style(name))
    ax.set(xticks=range(0, 101, 20), xlim=(-4.0, 101.0))
    ax.grid(linewidth=0.3, color="0.8")


def _line(name):
    """Line of a weighting; the one that all this is about stands out."""
    width, zorder = (2.4, 3) if name == "chance-corrected" else (1.0, 2)
    return method_style(name) | {"markeredgewidth": 0.0, "linewidth": width, "zorder": zorder}


def oracle_figure(records):
    """Mean H minus that of the oracle, which leaves the replaced partitions out, by kind and share of noise.

    Points show means over the data sets; bars are 95 % bootstrap intervals over the data sets. All weightings see the
    same ensembles and starts. Wrong evidence that agrees with itself (lower middle) carries every weighting away from
    about a half on, and must: it cannot be distinguished from right evidence."""

    def to_oracle(weighting, cell):
        return mean_difference(records, weighting, ORACLE, *cell)

    figure, axes = plt.subplots(2, 3, figsize=(PAGE, 0.72 * PAGE), sharex=True, sharey=True)
    for ax, (kind, title) in zip(axes.flat, KIND_NAMES.items(), strict=True):
        draw_over_shares(ax, with_clean(records, kind), tuple(WEIGHTINGS), to_oracle, 0.5, _line)
        ax.set_title(title)
        ax.axhline(0.0, color="0.3", linewidth=0.8, zorder=0.5)
    plt.setp(axes[:, 0], ylabel="H minus the oracle's (0: as good)")
    n_sets = len(datasets(records))
    figure.supxlabel(f"share of the partitions replaced, %; means over {n_sets} data sets, 95 % intervals")
    legend_above(figure, axes[0, 0], 4)
    return figure


# Tables


def paired_table(records):
    """Every weighting beside no weighting and beside the oracle, on the same ensembles: paired differences of H.

    Brackets hold 95 % bootstrap intervals over the data sets; then comes the data set with the lowest mean difference.
    The oracle is no weighting on the partitions that were not replaced. Copies of one wrong partition are where nothing
    helps: from about half of the ensemble on they are what the ensemble says."""
    blocks = []
    head = "share | weighting | H | minus unweighted [95 %] | worst data set | minus oracle [95 %] | worst data set"
    for kind, title in KIND_NAMES.items():
        rows = []
        for cell in with_clean(records, kind) if kind == "uniform" else noisy_cells(records, (kind,)):
            for weighting in WEIGHTINGS:
                row = [f"{cell[1]:.0%}", plain_name(weighting), f"{values(records, 'h', weighting, *cell).mean():.3f}"]
                for other in ("uniform", ORACLE):
                    mean = mean_difference(records, weighting, other, *cell)
                    row += ["", ""] if weighting == other else [mean, f"{mean.dataset} {mean.worst:+.3f}"]
                rows.append([*row, f"{values(records, 'noise_weight', weighting, *cell).mean():.3f}"])
        blocks += [f"Noise: {title}", table(f"{head} | weight on noise", rows)]
    return document(*blocks)


def cost_table(records):
    """Time of whole fits at 100,000 objects: seconds, and times the unweighted fit.

    Fits have one start and alternate in one process. Numbers are medians over the starts; in brackets are the lowest
    and the highest ratio."""
    rows = []
    for weighting in WEIGHTINGS:
        row = [plain_name(weighting)]
        for result in results(records):
            times = cost_ratios(result, weighting)
            spread = f" [{times.min():.2f}, {times.max():.2f}]" if weighting != "uniform" else ""
            row += [f"{np.median(result[weighting]['seconds']):.2f}", f"{np.median(times):.2f}{spread}"]
        rows.append(row)
    shares = [f"{record['config']['fraction']:.0%} random" for record in records]
    head = [text for share in shares for text in (f"{share}: seconds", "times unweighted")]
    return table(["weighting", *head], rows)


def cost_ratios(result, weighting):
    """Seconds of every round divided by those of the unweighted fit of the same round."""
    return np.divide(result[weighting]["seconds"], result["uniform"]["seconds"])


# Goals for a weighting without tuning


def goals_table(records):
    """Goals for a weighting without tuning, judged on the records; the rules are in the source, in `goals`.

    Random partitions are uniform labels, very unequal sizes, shuffled labels and k-means on noise, up to 90 % of the
    ensemble; the other two kinds of noise are copies of one partition, wrong or good."""
    blocks = []
    for goal in goals(records):
        judged = [(plain_name(weighting), *goal(weighting)) for weighting in WEIGHTINGS]
        rows = [[name, "met" if met else "not met", numbers] for name, met, numbers in judged]
        blocks += [goal.__doc__, table(["weighting", None, "measured"], rows)]
    return document(*blocks)


def goals(records):
    """Rules, each called with a weighting: whether it meets the goal in the docstring, and the numbers."""
    rows, costs = records["robustness"], records["robustness_cost"]
    cells, of_all = ([("uniform", 0.0), *noisy_cells(rows, kinds, MOST_NOISE)] for kinds in (RANDOM_KINDS, KIND_NAMES))
    clean_others = [name for name in ("uniform", "restricted-simplex", "l2") if name in WEIGHTINGS]

    def over_shares(weighting, other, cells=cells):
        """Mean differences, kinds of equal weight within a share, shares within the whole."""
        found = {cell: differences(rows, weighting, other, *cell).mean(axis=1) for cell in cells}
        shares = sorted({fraction for _, fraction in cells})
        means = [np.mean([found[cell] for cell in cells if cell[1] == share], axis=0) for share in shares]
        return over_datasets(rows, np.mean(means, axis=0))

    def near_oracle(weighting):
        """Mean H over data sets and shares of noise, clean to 90 %, at most 0.01 below the oracle's"""
        mean = over_shares(weighting, ORACLE)
        return mean.mean >= -0.01, mean

    def near_oracle_for_all_kinds(weighting):
        """The same over all kinds of noise, copies too; weight left on the copies"""
        mean, parts = over_shares(weighting, ORACLE, of_all), []
        for kind in ("coherent", "duplicates"):
            copied = noisy_cells(rows, (kind,), MOST_NOISE)
            left = [values(rows, "noise_weight", weighting, *cell).mean() for cell in copied]
            parts.append(f"{KIND_NAMES[kind]}: {min(left):.2f} to {max(left):.2f}")
        return mean.mean >= -0.01, f"{mean}; {'; '.join(parts)}"

    def always_near_oracle(weighting):
        """The same at every share and with every kind of noise"""
        means = {cell: differences(rows, weighting, ORACLE, *cell).mean() for cell in cells}
        kind, share = min(means, key=means.get)
        return means[kind, share] >= -0.01, f"lowest {means[kind, share]:+.4f}, at {share:.0%} {kind}"

    def never_worse(weighting):
        """On no data set, over the same shares, mean H more than 0.01 below no weighting"""
        mean = over_shares(weighting, "uniform")
        return mean.worst >= -0.01, f"{mean.worst:+.4f} on {mean.dataset}; mean {mean}"

    def no_weight(weighting):
        """With every kind and at every share, mean weight on random partitions under 0.02"""
        noisy = [cell for cell in cells if cell[1] > 0.0]
        left = np.array([values(rows, "noise_weight", weighting, *cell).mean(axis=1) for cell in noisy])
        means = left.mean(axis=1)
        kind, share = noisy[means.argmax()]
        cell, dataset = np.unravel_index(left.argmax(), left.shape)
        most = f"{left.max():.3f}, on {datasets(rows)[dataset]}, {noisy[cell][0]}, {noisy[cell][1]:.0%}"
        return means.max() < 0.02, f"mean up to {means.max():.4f}, at {share:.0%} {kind}; most of a data set {most}"

    def free_when_clean(weighting):
        """Clean, mean H at most 0.005 below no weighting and both published weightings"""
        others = [other for other in clean_others if other != weighting]
        means = {other: differences(rows, weighting, other, "uniform", 0.0).mean() for other in others}
        numbers = ", ".join(f"{mean:+.4f} to {plain_name(other)}" for other, mean in means.items())
        return min(means.values()) >= -0.005, numbers

    def cheap(weighting):
        """A fit at 100,000 objects takes at most 1.3 times as long as without weighting (median)"""
        times = {r["config"]["fraction"]: np.median(cost_ratios(r["result"], weighting)) for r in costs}
        numbers = ", ".join(f"{ratio:.2f} times at {fraction:.0%} random" for fraction, ratio in times.items())
        return max(times.values()) <= 1.3, numbers

    return near_oracle, near_oracle_for_all_kinds, always_near_oracle, never_worse, no_weight, free_when_clean, cheap


DRAWINGS = (
    drawing("fig_robustness", "robustness", oracle_figure),
    drawing("table_robustness_paired", "robustness", paired_table),
    drawing("table_robustness_goals", ("robustness", "robustness_cost"), goals_table),
    drawing("table_robustness_cost", "robustness_cost", cost_table),
)
