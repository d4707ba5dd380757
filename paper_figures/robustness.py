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


def goals_table(records):
    """What a weighting without tuning should do, in numbers: mean H relative to an oracle's and to no weighting.

    Random partitions are uniform labels, very unequal sizes, shuffled labels and k-means on noise, up to 90 % of the
    ensemble; the other two kinds of noise are copies of one partition, wrong or good. Kinds have equal weight within a
    share, shares within the whole; brackets hold 95 % bootstrap intervals over the data sets."""
    rows = records["robustness"]
    cells, of_all = ([("uniform", 0.0), *noisy_cells(rows, kinds, MOST_NOISE)] for kinds in (RANDOM_KINDS, KIND_NAMES))

    def over_shares(weighting, other, cells=cells):
        shares = sorted({fraction for _, fraction in cells})
        found = [[differences(rows, weighting, other, *c).mean(axis=1) for c in cells if c[1] == f] for f in shares]
        return over_datasets(rows, np.mean([np.mean(of_share, axis=0) for of_share in found], axis=0))

    lines = []
    for weighting in WEIGHTINGS:
        least = {cell: differences(rows, weighting, ORACLE, *cell).mean() for cell in cells}
        worst, plain = min(least, key=least.get), over_shares(weighting, "uniform")
        left = {cell: values(rows, "noise_weight", weighting, *cell).mean() for cell in cells[1:]}
        most = max(left, key=left.get)
        line = [plain_name(weighting), over_shares(weighting, ORACLE), over_shares(weighting, ORACLE, of_all)]
        line += [f"{least[worst]:+.4f}, {worst[1]:.0%} {worst[0]}", f"{plain}; {plain.worst:+.4f} on {plain.dataset}"]
        line.append(f"{left[most]:.4f}, {most[1]:.0%} {most[0]}")
        for kind in ("coherent", "duplicates"):
            copied = [
                values(rows, "noise_weight", weighting, *c).mean() for c in noisy_cells(rows, (kind,), MOST_NOISE)
            ]
            line.append(f"{min(copied):.2f} to {max(copied):.2f}")
        line.append(f"{differences(rows, weighting, 'uniform', 'uniform', 0.0).mean():+.4f}")
        ratios = {r["config"]["fraction"]: cost_ratios(r["result"], weighting) for r in records["robustness_cost"]}
        lines.append([*line, ", ".join(f"{np.median(times):.2f} at {share:.0%}" for share, times in ratios.items())])
    head = "weighting | minus oracle, random partitions | all kinds | lowest of a share and kind | minus unweighted"
    head += "; lowest of a data set | most mean weight on random partitions | weight on copies, wrong | good"
    return table(f"{head} | clean, minus unweighted | times as long as unweighted, by share random", lines)


DRAWINGS = (
    drawing("fig_robustness", "robustness", oracle_figure),
    drawing("table_robustness_paired", "robustness", paired_table),
    drawing("table_robustness_goals", ("robustness", "robustness_cost"), goals_table),
    drawing("table_robustness_cost", "robustness_cost", cost_table),
)
