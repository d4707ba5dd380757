"""Time and memory, and how they grow."""

import matplotlib.pyplot as plt
import numpy as np

from .drawing import drawing
from .markdown import document, table
from .records import distinct, grouped, matching
from .style import BLACK, BLUE, GREY, PAGE, SKY, VERMILLION, around, legend_above

AXES = {"n_samples": "objects n", "n_partitions": "partitions m", "n_clusters": "clusters k"}
# measure: label, unit, colour
SCALES = {
    "fit_seconds": ("seconds to a gap of 1e-5", 1.0, BLUE),
    "peak_bytes": ("peak memory, GiB", 2.0**30, VERMILLION),
}
MEASURES = ("seconds", "small_seconds", "fit_seconds", "bytes", "fit_bytes")
# Works of `around_the_fit` that are no commands.
CALLS = {
    "summary": "summary",
    "merging": "MergeConsensus",
    "number": "select_n_clusters",
    "binder": "hard partition, Binder",
    "vi": "hard partition, VI",
}


def samples(records, axis, measure):
    """{size: its measurements}, ascending."""
    groups = grouped(records, axis)
    return {size: [record["result"][measure] for record in groups[size]] for size in sorted(groups)}


def growth(sizes, values):
    """Exponent b of the power law a n^b through the values, by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def slope(by_size):
    """Exponent of a power law through the medians, by least squares of logarithms."""
    return growth(list(by_size), [np.median(values) for values in by_size.values()])


def last_decade(by_size):
    """The sizes from a tenth of the largest on: below these, the fixed cost of a fit flattens the slope."""
    return {size: values for size, values in by_size.items() if 10 * size >= max(by_size)}


def medians(records, *measures):
    return [np.median([record["result"][measure] for record in records]) for measure in measures]


def scaling_figure(records):
    """Time and peak memory of one fit over the numbers of objects, of partitions and of clusters, with exponents.

    Points show medians, bars the ranges. The dashed line is what a matrix of all pairs alone would take."""
    figure, axes = plt.subplots(2, 3, figsize=(PAGE, 0.62 * PAGE), sharex="col", sharey="row")
    for column, (axis, name) in zip(axes.T, AXES.items(), strict=True):
        of_axis = matching(records, axis=axis)
        for ax, (measure, (label, unit, color)) in zip(column, SCALES.items(), strict=True):
            by_size = samples(of_axis, axis, measure)
            low, middle, high = np.array([np.percentile(found, (0, 50, 100)) for found in by_size.values()]).T / unit
            ax.set(xscale="log", yscale="log", xlabel=name, ylabel=label)
            ax.label_outer()
            ax.errorbar(list(by_size), middle, yerr=around(middle, low, high), color=color, marker="o", capsize=2)
            ax.grid(linewidth=0.3, color="0.8")
        exponent = slope(samples(of_axis, axis, "fit_seconds"))
        column[0].set_title(rf"time $\propto {name.split()[-1]}^{{{exponent:.2f}}}$")
    sizes = np.array(distinct(matching(records, axis="n_samples"), "n_samples"), dtype=float)
    memory = axes[1, 0]
    memory.plot(sizes, 8.0 * sizes**2 / 2.0**30, color=BLACK, linestyle="--", label="n x n matrix")
    memory.legend(loc=(0.42, 0.5))
    memory.set(ylim=(0.2, 200.0))
    memory.yaxis.set_major_formatter("{x:g}")
    return figure


def scaling_table(records):
    """How time and peak memory of one fit grow with the numbers of objects, of partitions and of clusters."""
    axes, cells = [], []
    for axis, name in AXES.items():
        seconds, memory = (samples(matching(records, axis=axis), axis, measure) for measure in SCALES)
        exponents = (f"{slope(by_size):.2f}" for by_size in (seconds, last_decade(seconds), memory))
        axes.append([name, f"{min(seconds):,}", f"{max(seconds):,}", *exponents])
    for sizes, of_cell in grouped(records, *AXES).items():
        seconds, peak, gap, ari = medians(of_cell, "fit_seconds", "peak_bytes", "gap", "ari")
        matrix = f"{8.0 * sizes[0] ** 2 / 2.0**30:,.0f}"
        measured = f"{seconds:.3f}", f"{peak / 2.0**30:.2f}", matrix, f"{gap:.1e}", f"{ari:.3f}"
        cells.append([*(f"{size:,}" for size in sizes), *measured])
    head = "over | from | to | exponent of time | in the last decade | exponent of peak memory"
    each = (
        "objects | partitions | clusters | seconds | peak memory, GiB | n x n matrix, GiB | gap | adjusted Rand index"
    )
    return document(table(head, axes), table(each, cells))


def distributed_table(records):
    """Time and memory of the methods that take Dask arrays, by number of workers."""
    rows = []
    for (method, n_workers, n), of_size in sorted(grouped(records, "method", "n_workers", "n_samples").items()):
        fit, held, ari = medians(of_size, "fit_seconds", "worker_bytes", "ari")
        rows.append([method, n_workers, f"{n:,}", f"{fit:.3g}", f"{held / 2.0**30:.2g}", f"{ari:.3f}"])
    return table("method | workers | objects | seconds | GiB of a worker | ARI", rows)


def features_table(records):
    """From features to the consensus of 100 partitions of 5 to 50 clusters: seconds, memory of the process, accuracy.

    The features are a memory map of float32. "kmeans" fits each partition on 10,000 objects and labels all;
    "minibatch" is scikit-learn's MiniBatchKMeans on all objects, beside them."""
    rows = []
    for (n, d, ensemble), of_task in grouped(records, "n_samples", "n_features", "ensemble").items():
        made, found, peak, ari = medians(of_task, "ensemble_seconds", "consensus_seconds", "peak_bytes", "ari")
        measured = f"{made:.3g}", f"{found:.3g}", f"{peak / 2.0**30:.2f}", f"{ari:.3f}"
        rows.append([f"{n:,} x {d}", ensemble, *measured])
    return table(
        "features | ensemble | seconds of the ensemble | seconds of the consensus | peak memory, GiB | ARI", rows
    )


def many_clusters_table(records):
    """Time and peak memory of a hard partition by the number of clusters; medians."""
    rows = []
    for k, of_size in grouped(records, "n_clusters").items():
        seconds, peak, ari, noise = medians(of_size, "fit_seconds", "peak_bytes", "ari", "noise_weight")
        rows.append([f"{k:,}", f"{seconds:.1f}", f"{peak / 2.0**30:.2f}", f"{ari:.3f}", f"{noise:.3f}"])
    head = "clusters | seconds | peak memory, GiB | adjusted Rand index | weight of random partitions"
    return table(head, rows)


def around_figure(records):
    """What comes after a fit, or instead of it, beside the fit: CPU seconds on one thread, and peak memory.

    Red and hatched: more than the fit by a tenth, without the start of a command's process."""
    names, *found = zip(*_around(records), strict=True)
    seconds, start, of_fit, memory, memory_of_fit = np.array(found)
    places = np.arange(len(names))
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.7 * PAGE), sharey=True, width_ratios=(2, 1))
    panels = ("CPU seconds", seconds, start, of_fit), ("peak memory, GiB", memory, 0.0 * start, memory_of_fit)
    for ax, (label, whole, begin, own) in zip(axes, panels, strict=True):
        begin = np.minimum(begin, whole)
        rest = whole - begin
        more = rest > 1.1 * own
        ax.barh(places - 0.2, own, 0.4, color=GREY, label="the fit")
        ax.barh(places + 0.2, begin, 0.4, color="0.85", label="start of the process")
        ax.barh(places + 0.2, rest, 0.4, begin, color=SKY, label="as much as the fit, or less")
        look = {"color": VERMILLION, "hatch": "////", "edgecolor": "white", "label": "more than the fit"}
        ax.barh(places[more] + 0.2, rest[more], 0.4, begin[more], **look)
        ax.set(xlabel=label)
    axes[0].set_yticks(places, names)
    axes[0].invert_yaxis()
    legend_above(figure, axes[0], 2)
    return figure


def around_table(records):
    """What comes after a fit, or instead of it, beside the fit: CPU seconds on one thread, and peak memory.

    The fit is RobustEAC with ten starts; medians over the ensembles. The start of a command is its time for a few
    objects; memory is that of the largest process. The number of clusters is chosen from 1 to 8."""
    rows = [[name, *(f"{value:.3g}" for value in values)] for name, *values in _around(records)]
    head = "objects x partitions, clusters | seconds | seconds of the start | seconds of the fit"
    return table(f"{head} | peak memory, GiB | peak memory of the fit, GiB", rows)


def _around(records):
    """Yield (name, seconds, those of the start, those of the fit, GiB, those of the fit)."""
    for (work, n, m, k), of_work in grouped(records, "work", "n_samples", "n_partitions", "n_clusters").items():
        seconds, start, of_fit, *memory = medians(of_work, *MEASURES)
        name = f"{CALLS.get(work, f'robust-eac {work}')}, {n:,} x {m:,}, {k} clusters"
        yield name, seconds, start * (work not in CALLS), of_fit, *(size / 2.0**30 for size in memory)


DRAWINGS = (
    drawing("fig_scaling", "scaling", scaling_figure),
    drawing("table_scaling", "scaling", scaling_table),
    drawing("table_distributed_scaling", "distributed_scaling", distributed_table),
    drawing("table_features_to_consensus", "features_to_consensus", features_table),
    drawing("table_many_clusters", "many_clusters", many_clusters_table),
    drawing("fig_around_the_fit", "around_the_fit", around_figure),
    drawing("table_around_the_fit", "around_the_fit", around_table),
)
