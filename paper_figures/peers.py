"""Alternatives to this library on the same ensembles, and its purpose in one figure."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator

from experiments.robustness.robustness import ORACLE
from experiments.speed import resampling

from .drawing import drawing
from .markdown import table
from .records import datasets, grouped
from .robustness import draw_over_shares, mean_difference, with_clean
from .style import BLUE, BROWN, KINDS, SCREEN, look, method_style

OURS = "robust_eac, one start"
CLUE = "clue, GV3"
WHY = {"time": "out of time", "memory": "out of memory", "error": "fails", "not installed": "not installed"}
OVERVIEW_WEIGHTINGS = ("uniform", "restricted-simplex", "l2", "chance-corrected")
# Colour stands for the package, marker and line for its ways.
OVERVIEW_WAYS = {
    "robust_eac, ten starts": look(BLUE, "s", "--", label="robust_eac"),
    "robust_eac, k-means": look(BLUE, "d", ":", label="k-means, robust_eac"),
    "scikit-learn KMeans, ten starts": look(*KINDS["k-means"], "--", label="k-means, scikit-learn", fillstyle="none"),
    "average linkage, SciPy": look(*KINDS["linkage"], "-", label="average linkage"),
    CLUE: look(BROWN, "X", label="clue (R), GV3"),
}


def by_task(records, parameter="n_partitions"):
    """{(objects, a parameter): {way: its results by repetition}}, in the order of the grid."""
    tasks = {}
    for (n, m, way), of_way in grouped(records, "n_samples", parameter, "way").items():
        tasks.setdefault((n, m), {})[way] = {r["config"]["repetition"]: r["result"] for r in of_way}
    return tasks


def stopped(results):
    """Why some repetition of a way found nothing, None if all did."""
    return next((result["stopped"] for result in results.values() if result["stopped"]), None)


def median(results, measure):
    """Median of a measure over the repetitions."""
    return float(np.median([result[measure] for result in results.values()]))


def ratio(results, base, measure="seconds"):
    """Median over the repetitions of a measure over that of another way on the same ensemble."""
    return float(np.median([result[measure] / base[repetition][measure] for repetition, result in results.items()]))


def added(results):
    """Bytes that the work adds to its process, by repetition; a page if it fits into memory that was freed before."""
    return {i: {"added": max(r["peak_bytes"] - r["bytes_before"], 4096)} for i, r in results.items()}


def overview_figure(records):
    """What the library is for: accuracy beside an oracle that knows which partitions are random, and time over objects.

    Left: mean over the data sets of the H criterion minus that of the oracle, which leaves the random partitions out;
    bars are 95 % bootstrap intervals over the data sets. Right: seconds from labels to the consensus, of ten starts
    where a way has starts; marks above the line are at the sizes at which a way runs out of memory. Ours weights by the
    restricted simplex there, the others do not weight; k-means is that on one-hot labels, average linkage that of the
    co-association."""
    figure, axes = plt.subplot_mosaic("AC;DE", figsize=(SCREEN, 0.9 * SCREEN), height_ratios=(11, 5))
    rows, tasks = records["robustness"], by_task(records["peers"])

    def to_oracle(weighting, cell):
        return mean_difference(rows, weighting, ORACLE, *cell)

    left = axes["A"]
    left.axhline(0.0, color="0.3", linewidth=0.8, zorder=0.5)
    draw_over_shares(left, with_clean(rows, "uniform"), OVERVIEW_WEIGHTINGS, to_oracle, 0.7, method_style)
    left.set(xlabel="random partitions, %", ylabel="accuracy H minus the oracle's")
    left.set_title(f"{len(datasets(rows))} data sets")
    _draw_times(axes["C"], tasks)
    for drawn, below in ("AD", "CE"):
        axes[below].set_axis_off()
        axes[below].legend(*axes[drawn].get_legend_handles_labels(), loc="upper center")
    return figure


def _draw_times(ax, tasks):
    """Plot seconds over objects; marks at the top show at which size ways first run out of memory."""
    for way, style in OVERVIEW_WAYS.items():
        of_way = {n: ways[way] for (n, _), ways in tasks.items() if way in ways}
        times = {n: median(results, "seconds") for n, results in of_way.items() if not stopped(results)}
        ends = [n for n, results in of_way.items() if stopped(results) == "memory"]
        ax.plot(list(times), list(times.values()), **style)
        for n in ends[:1]:
            ax.plot(n, 400.0, **style | {"label": None})
    ax.axhline(200.0, color="0.3", linewidth=0.8, label="above: out of memory")
    ax.set(xscale="log", yscale="log", xlabel="objects n", ylabel="seconds", title="100 partitions")
    ax.xaxis.set_major_locator(LogLocator(numticks=9))
    ax.grid(linewidth=0.3, color="0.8")


def peers_table(records):
    """What a user would pick instead, on the same ensembles: time, memory, objective and accuracy.

    "times ours" is the median, over ensembles, of the ratio to one start of ours. The objective is that of the hard
    labels for equal weights, over n squared; GV3 and "memberships" minimise it over memberships."""
    rows = []
    for (n, m), ways in by_task(records).items():
        rows += [[f"{n:,}", m, way, *_numbers(results, ways[OURS])] for way, results in ways.items()]
    head = "objects | partitions | way | version | seconds | times ours | memory added, MiB | its ratio | objective"
    return table(f"{head} | adjusted Rand index | H", rows)


def _numbers(results, ours):
    version, why = results[0]["version"], stopped(results)
    if why:
        return [version, WHY[why], *[None] * 6]
    objective, ari, h = (median(results, name) for name in ("hard", "ari", "h"))
    more, own = added(results), added(ours)
    # Ours may fit in what reading the labels has freed.
    memory = f"{ratio(more, own, 'added'):.1f}" if min(one["added"] for one in own.values()) >= 2**20 else ""
    times = [f"{median(results, 'seconds'):.3g}", f"{ratio(results, ours):.2f}"]
    return [
        version,
        *times,
        f"{median(more, 'added') / 2**20:.0f}",
        memory,
        f"{objective:.5f}",
        f"{ari:.3f}",
        f"{h:.3f}",
    ]


def resampling_table(records):
    """Consensus by resampling: time and memory from features to the distributions of the consensus values.

    100 resamples of 80 % of the objects for each of 2 to 8 clusters, ten features, on two cores. k-means runs once,
    unless ten runs are named, the default of resamples here. "times ours" compares with this library and one run of
    k-means, or average linkage; "counting" is the part of the seconds that finds the distributions from the labels. The
    areas are under the distributions of 2, 4 and 8 clusters; they differ as resamples do. pyckmeans
    also draws the features, and labels all objects."""
    rows = []
    for (n, _), ways in by_task(records, "n_per_k").items():
        for way, results in ways.items():
            version, why = results[0]["version"] or "", stopped(results)
            if why:
                rows.append([f"{n:,}", way, version, WHY[why], *[None] * 4])
                continue
            ours = ways[resampling.OUR_TREES if "linkage" in way else resampling.OURS]
            counting = [result["counting_seconds"] or np.nan for result in results.values()]
            areas = np.median([result["area"] for result in results.values()], axis=0)[[0, 2, 6]]
            cells = [f"{median(results, 'seconds'):.3g}", f"{np.median(counting):.2g}".replace("nan", "")]
            cells += [f"{ratio(results, ours):.3g}", f"{median(results, 'peak_bytes') / 2**20:.0f}"]
            rows.append([f"{n:,}", way, version, *cells, ", ".join(f"{area:.3f}" for area in areas)])
    return table("objects | way | version | seconds | counting | times ours | memory, MiB | areas", rows)


DRAWINGS = (
    drawing("fig_overview", ("robustness", "peers"), overview_figure),
    drawing("table_peers", "peers", peers_table),
    drawing("table_resampling", "resampling", resampling_table),
)
