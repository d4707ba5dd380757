"""What the library is for: accuracy beside an oracle that knows which partitions are random, and time over objects.

Left: mean over the data sets of the H criterion minus that of the oracle, which leaves the random partitions out; bars
are 95 % intervals, data sets drawn again. Right: seconds from labels to the consensus, of ten starts where a way has
starts; a cross marks where a way runs out of time or memory.
"""

import numpy as np

from experiments.robustness.robustness import ORACLE
from experiments.speed.peers import SECONDS

from .peers import by_task, median, seconds, stopped
from .robustness import differences, over_datasets, with_clean
from .style import BLACK, BLUE, ORANGE, PAGE, VERMILLION, line_style

EXPERIMENT = ("robustness", "peers")

_WEIGHTINGS = ("uniform", "restricted-simplex", "l2", "chance-corrected")
# {way: (name, colour, marker)}; those that give every clustering the same weight but the first.
_WAYS = {
    "robust_eac, ten starts": ("robust_eac, ten starts", ORANGE, "P"),
    "scikit-learn KMeans, ten starts": ("k-means on one-hot, ten starts", BLUE, "s"),
    "average linkage, SciPy": ("co-association, average linkage", VERMILLION, "^"),
    "clue, GV3": ("clue (R), GV3", BLACK, "o"),
}
# Where the crosses stand: above what is allowed.
_CEILING = 2.0 * SECONDS


def main(records):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 0.42 * PAGE))
    _draw_accuracy(left, records["robustness"])
    _draw_time(right, by_task(records["peers"]))
    return figure


def _draw_accuracy(ax, rows):
    cells = with_clean(rows, "uniform")
    places = np.arange(len(cells))
    for number, weighting in enumerate(_WEIGHTINGS):
        means = [over_datasets(rows, differences(rows, weighting, ORACLE, *cell).mean(axis=1)) for cell in cells]
        middle = np.array([mean.mean for mean in means])
        # The ends of an interval can differ from the mean of equal numbers by rounding.
        bars = np.maximum([middle - [mean.low for mean in means], [mean.high for mean in means] - middle], 0.0)
        shift = 0.05 * (number - 0.5 * (len(_WEIGHTINGS) - 1))
        ax.errorbar(places + shift, middle, yerr=bars, elinewidth=0.6, **line_style(weighting))
    ax.set_xticks(places, [f"{100 * fraction:.0f}" for _, fraction in cells])
    ax.set(xlabel="share of random partitions, %", ylabel="accuracy H minus the oracle's")
    ax.grid(axis="y", linewidth=0.3, color="0.8")
    ax.legend(loc="lower left")


def _draw_time(ax, tasks):
    for way, (name, color, marker) in _WAYS.items():
        results = {n: ways[way] for (n, _), ways in tasks.items() if way in ways}
        ran = {n: median(found, seconds) for n, found in results.items() if not stopped(found)}
        ax.plot(list(ran), list(ran.values()), color=color, marker=marker, label=name)
        failed = [n for n in results if n not in ran]
        if ran and failed:
            last = max(ran)
            ax.plot([last, failed[0]], [ran[last], _CEILING], color=color, linestyle=":", linewidth=0.7)
            ax.plot(failed[0], _CEILING, color=color, marker="x")
    ax.plot([], [], color="0.4", marker="x", linestyle="none", label="out of time or memory")
    ax.set(xscale="log", yscale="log", xlabel="objects", ylabel="seconds from labels to consensus")
    ax.grid(linewidth=0.3, color="0.8")
    # Room for the legend.
    ax.set_ylim(bottom=3e-4)
    ax.legend(loc="lower right")
