"""Alternatives to this library on the same ensembles, and its purpose in one figure."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator

from experiments.robustness.robustness import ORACLE
from experiments.speed import resampling

from .drawing import drawing
from .markdown import document, table
from .records import datasets, grouped
from .robustness import draw_over_shares, mean_difference, with_clean
from .style import BLUE, BROWN, KINDS, ORANGE, PAGE, SCREEN, SKY, VERMILLION, look, method_style

OURS = "robust_eac, one start"
CLUE = "clue, GV3"
WHY = {"time": "out of time", "memory": "out of memory", "error": "fails", "not installed": "not installed"}
# Colour stands for the package, marker and line for its ways; hollow is the second way of a package.
HOLLOW = {"fillstyle": "none"}
LOOKS = {
    OURS: look(*KINDS["median partition"], "-"),
    "robust_eac, ten starts": look(BLUE, "s", "--"),
    "robust_eac, merging": look(BLUE, "D", "-."),
    "robust_eac, LWGP": look(BLUE, "p", (0, (1, 1))),
    "robust_eac, k-means": look(BLUE, "d", ":"),
    "scikit-learn KMeans, one start": look(*KINDS["k-means"], "-"),
    "scikit-learn KMeans, ten starts": look(*KINDS["k-means"], "--", **HOLLOW),
    "ccHBGF": look(ORANGE, ">", "-"),
    "iterative voting": look(SKY, "P", "-"),
    "iterative probabilistic voting": look(SKY, "P", "--", **HOLLOW),
    "ensembleclustering, HGPA": look(VERMILLION, "*", "-"),
    "ensembleclustering, NMF": look(VERMILLION, "*", "--", **HOLLOW),
    "average linkage, SciPy": look(*KINDS["linkage"], "-"),
    "average linkage, fastcluster": look(*KINDS["linkage"], "--", **HOLLOW),
    "clue, SE": look(BROWN, "X", "--", **HOLLOW),
    CLUE: look(BROWN, "X", "-"),
}
OVERVIEW_WEIGHTINGS = ("uniform", "restricted-simplex", "l2", "chance-corrected")
OVERVIEW_WAYS = {
    "robust_eac, ten starts": "robust_eac",
    "robust_eac, k-means": "k-means, robust_eac",
    "scikit-learn KMeans, ten starts": "k-means, scikit-learn",
    "average linkage, SciPy": "average linkage",
    CLUE: "clue (R), GV3",
}


def by_task(records):
    """{(objects, partitions): {way: its results by repetition}}, in the order of the grid."""
    tasks = {}
    for (n, m, way), of_way in grouped(records, "n_samples", "n_partitions", "way").items():
        tasks.setdefault((n, m), {})[way] = {r["config"]["repetition"]: r["result"] for r in of_way}
    return tasks


def stopped(results):
    """Why some repetition of a way found nothing, None if all did."""
    return next((result["stopped"] for result in results.values() if result["stopped"]), None)


def ran(results):
    return results is not None and stopped(results) is None


def median(results, measure):
    """Median of a measure over the repetitions that ended."""
    return float(np.median([measure(result) for result in results.values() if not result["stopped"]]))


def ratio(results, base, measure):
    """Median over the repetitions of a measure over that of another way on the same ensemble."""
    return float(np.median([measure(result) / measure(base[repetition]) for repetition, result in results.items()]))


def seconds(result):
    return result["seconds"]


def added(result):
    """Bytes that the work adds to its process; one page if it fits into memory that was freed before."""
    return max(result["peak_bytes"] - result["bytes_before"], 4096)


def overview_figure(records):
    """What the library is for: accuracy beside an oracle that knows which partitions are random, and time over objects.

    Left: mean over the data sets of the H criterion minus that of the oracle, which leaves the random partitions out;
    bars are 95 % bootstrap intervals over the data sets. Right: seconds from labels to the consensus, of ten starts
    where a way has starts; the strip above has the sizes at which a way runs out of time or memory. Ours weights by the
    restricted simplex there, the others do not weight; k-means is that on one-hot labels, average linkage that of the
    co-association."""
    options = {"figsize": (SCREEN, 0.85 * SCREEN), "height_ratios": (1, 10, 4)}
    figure, axes = plt.subplot_mosaic("AB;AC;DE", **options)
    rows, tasks = records["robustness"], by_task(records["peers"])

    def to_oracle(weighting, cell):
        return mean_difference(rows, weighting, ORACLE, *cell)

    left = axes["A"]
    left.axhline(0.0, color="0.3", linewidth=0.8, zorder=0.5)
    draw_over_shares(left, with_clean(rows, "uniform"), OVERVIEW_WEIGHTINGS, to_oracle, 0.7, method_style)
    left.set(xlabel="random partitions, %", ylabel="accuracy H minus the oracle's")
    left.set_title(f"{len(datasets(rows))} data sets")
    _draw_times(axes["C"], axes["B"], tasks, {way: LOOKS[way] | {"label": OVERVIEW_WAYS[way]} for way in OVERVIEW_WAYS})
    axes["B"].set_title(f"{max(m for _, m in tasks)} partitions")
    axes["C"].set_ylabel("seconds")
    axes["B"].set_yticklabels([text.get_text().replace("of ", "of\n") for text in axes["B"].get_yticklabels()])
    for drawn, below in ("AD", "CE"):
        axes[below].set_axis_off()
        axes[below].legend(*axes[drawn].get_legend_handles_labels(), loc="upper center")
    return figure


def _draw_times(ax, strip, tasks, shown):
    """Plot seconds over objects; the strip above shows at which size ways stopped, and why."""
    strip.sharex(ax)
    ends = [(way, *end) for way in shown for end in _end(tasks, way)]
    reasons = [why for why in WHY if why in {end[-1] for end in ends}]
    for way, style in shown.items():
        times = {n: median(ways[way], seconds) for (n, _), ways in tasks.items() if ran(ways.get(way))}
        ax.plot(list(times), list(times.values()), markeredgewidth=0.8, **style)
    for way, n, why in ends:
        strip.plot(n, reasons.index(why), markeredgewidth=0.8, clip_on=False, **shown[way])
    ax.set(xscale="log", yscale="log", xlabel="objects n", ylabel="seconds from labels to consensus")
    ax.xaxis.set_major_locator(LogLocator(numticks=9))
    ax.grid(linewidth=0.3, color="0.8")
    strip.set(ylim=(-0.6, len(reasons) - 0.4), facecolor="0.95")
    strip.set_yticks(range(len(reasons)), [WHY[why] for why in reasons])
    strip.tick_params(length=0, which="both", labelbottom=False)
    strip.spines[:].set_visible(False)


def peers_figure(records):
    """What a user would pick instead: time over the number of objects, where each way stops and why, and accuracy.

    All ways get the same ensembles. On the right is a mark per size; larger sizes are paler."""
    tasks = by_task(records)
    shown = {way: style for way, style in LOOKS.items() if any(ran(ways.get(way)) for ways in tasks.values())}
    options = {"figsize": (PAGE, 0.64 * PAGE), "width_ratios": (1.25, 1.0), "height_ratios": (1, 12)}
    figure, axes = plt.subplot_mosaic("AC;BC", **options)
    _draw_times(axes["B"], axes["A"], tasks, shown)
    right = axes["C"]
    sizes = [n for n, _ in tasks]
    for row, (way, style) in enumerate(shown.items()):
        for (n, _), ways in tasks.items():
            if ran(ways.get(way)):
                alpha = 1.0 - 0.75 * sizes.index(n) / max(len(sizes) - 1, 1)
                value = median(ways[way], lambda result: result["ari"])
                right.plot(value, row, alpha=alpha, clip_on=False, **style | {"linestyle": "none"})
    right.set(xlabel="adjusted Rand index (paler: more objects)", ylim=(len(shown) - 0.5, -0.5))
    right.set_yticks(range(len(shown)), shown)
    right.yaxis.tick_right()
    right.spines[["left"]].set_visible(False)
    right.grid(linewidth=0.3, color="0.8")
    right.tick_params(axis="y", length=0)
    for text, style in zip(right.get_yticklabels(), shown.values(), strict=True):
        text.set_color(style["color"])
    return figure


def _end(tasks, way):
    """(size where it stopped, why), if it stopped after it had run."""
    has_run = False
    for (n, _), ways in tasks.items():
        if ran(ways.get(way)):
            has_run = True
        elif way in ways and has_run:
            yield n, stopped(ways[way])
            return


def peers_table(records):
    """What a user would pick instead, on the same ensembles: time, memory, objective and accuracy.

    "times ours" is the median, over ensembles, of the ratio to one start of ours. The objective is that of the hard
    labels for equal weights, over n squared. The second table has the memberships that minimise what GV3 minimises; the
    third has the packages."""
    tasks = by_task(records)
    rows = [[f"{n:,}", m, way, *_numbers(of, ways[OURS])] for (n, m), ways in tasks.items() for way, of in ways.items()]
    head = "objects | partitions | way | seconds | times ours | memory added, MiB | its ratio | objective"
    return document(table(f"{head} | adjusted Rand index | H", rows), _memberships(tasks), _packages(records))


def _numbers(results, ours):
    why = stopped(results)
    if why:
        return [WHY[why], *[None] * 6]
    objective, ari, h = (median(results, lambda result, name=name: result[name]) for name in ("hard", "ari", "h"))
    # Ours may fit in what reading the labels has freed.
    memory = f"{ratio(results, ours, added):.1f}" if min(map(added, ours.values())) >= 2**20 else ""
    times = [f"{median(results, seconds):.3g}", f"{ratio(results, ours, seconds):.2f}"]
    return [*times, f"{median(results, added) / 2**20:.0f}", memory, f"{objective:.5f}", f"{ari:.3f}", f"{h:.3f}"]


def _memberships(tasks):
    """How far above the lowest membership that any way found, in the share of |Y'Y - A|^2, and how fast."""
    rows = []
    for (n, m), ways in tasks.items():
        soft = {way: results for way, results in ways.items() if ran(results)}
        soft = {way: of for way, of in soft.items() if all(run["relaxed"] is not None for run in of.values())}
        for way, results in soft.items():
            lowest = {i: min(other[i]["relaxed"] for other in soft.values() if i in other) for i in results}
            above = max(result["relaxed"] / lowest[i] - 1.0 for i, result in results.items())
            times = f"{ratio(soft[CLUE], results, seconds):.1f}" if CLUE in soft else ""
            rows.append([f"{n:,}", m, way, f"{median(results, seconds):.3g}", times, f"{above:.1e}"])
    head = "objects | partitions | membership by | seconds | clue, GV3 takes times this | above the lowest, relative"
    return table(head, rows)


def _packages(records):
    rows = []
    for way, of_way in grouped(records, "way").items():
        results = [record["result"] for record in of_way]
        messages = dict.fromkeys(_last_line(result["message"]) for result in results if result["stopped"] == "error")
        version = results[0]["version"] or "not installed"
        rows.append([way, version, results[0]["licence"], "; ".join(messages)])
    return table("way | version | licence | where it fails, with", rows)


def resampling_table(records):
    """Consensus by resampling: time and memory from features to the distributions of the consensus values.

    100 resamples of 80 % of the objects for each of 2 to 8 clusters, ten features, on two cores. k-means runs once,
    unless ten runs are named, the default of resamples here. "times ours" compares with this library and one run of
    k-means, or average linkage; "counting" is the part of the seconds that finds the distributions from the labels. The
    areas are under the distributions of 2, 4 and 8 clusters; they differ as resamples do. pyckmeans
    also draws the features, and labels all objects."""
    rows = []
    for n, of_size in grouped(records, "n_samples").items():
        ways = {way: [record["result"] for record in rs] for way, rs in grouped(of_size, "way").items()}
        for way, results in ways.items():
            version = results[0]["version"] or ""
            why = next((result["stopped"] for result in results if result["stopped"]), None)
            if why:
                rows.append([f"{n:,}", way, version, WHY[why], *[None] * 4])
                continue
            ours = ways[resampling.OUR_TREES if "linkage" in way else resampling.OURS]
            times = [result["seconds"] for result in results]
            own = [result["seconds"] for result in ours]
            counting = [result["counting_seconds"] for result in results if result["counting_seconds"]]
            ratio = np.median(np.array(times) / own)
            memory = np.median([result["peak_bytes"] for result in results]) / 2**20
            areas = np.median([result["area"] for result in results], axis=0)[[0, 2, 6]]
            cells = [f"{np.median(times):.3g}", f"{np.median(counting):.2g}" if counting else None, f"{ratio:.3g}"]
            rows.append([f"{n:,}", way, version, *cells, f"{memory:.0f}", ", ".join(f"{area:.3f}" for area in areas)])
    return table("objects | way | version | seconds | counting | times ours | memory, MiB | areas", rows)


def _last_line(message):
    return message.splitlines()[-1].replace("|", "/") if message else ""


DRAWINGS = (
    drawing("fig_overview", ("robustness", "peers"), overview_figure),
    drawing("fig_peers", "peers", peers_figure),
    drawing("table_peers", "peers", peers_table),
    drawing("table_resampling", "resampling", resampling_table),
)
