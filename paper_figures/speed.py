"""Time and memory, and how they grow."""

import matplotlib.pyplot as plt
import numpy as np

from .drawing import drawing
from .markdown import document, table
from .records import distinct, grouped, matching, results
from .style import BLACK, BLUE, PAGE, VERMILLION, around

# axis: printed name, and the largest exponent of the time that is aimed at
AXES = {"n_samples": ("objects n", 1.05), "n_partitions": ("partitions m", 1.05), "n_clusters": ("clusters k", 1.3)}
# measure: label, unit, colour, room above the largest value
SCALES = {
    "fit_seconds": ("seconds to a gap of 1e-5", 1.0, BLUE, 1.5),
    "peak_bytes": ("peak memory, GiB", 2.0**30, VERMILLION, 50.0),
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
    for row, (measure, (label, unit, color, room)) in zip(axes, SCALES.items(), strict=True):
        for ax, axis in zip(row, AXES, strict=True):
            by_size = samples(matching(records, axis=axis), axis, measure)
            low, middle, high = np.array([[np.min(v), np.median(v), np.max(v)] for v in by_size.values()]).T / unit
            ax.set(xscale="log", yscale="log")
            ax.errorbar(list(by_size), middle, yerr=around(middle, low, high), color=color, marker="o", capsize=2)
            ax.grid(linewidth=0.3, color="0.8")
        found = [result[measure] / unit for result in results(records)]
        row[0].set(ylabel=label, ylim=(min(found) / 1.5, max(found) * room))
    for column, (axis, (name, _)) in zip(axes.T, AXES.items(), strict=True):
        exponent = slope(samples(matching(records, axis=axis), axis, "fit_seconds"))
        column[0].set_title(rf"time $\propto {name.split()[-1]}^{{{exponent:.2f}}}$")
        column[1].set_xlabel(name)
    sizes = np.array(sorted(distinct(matching(records, axis="n_samples"), "n_samples")), dtype=float)
    memory = axes[1, 0]
    memory.plot(sizes, 8.0 * sizes**2 / 2.0**30, color=BLACK, linestyle="--")
    # Named where the line leaves the picture.
    high = memory.get_ylim()[1] / 3.0
    memory.annotate("n x n matrix", (np.sqrt(high * 2.0**30 / 8.0), high), (6, 0), textcoords="offset points")
    memory.yaxis.set_major_formatter("{x:g}")
    memory.yaxis.set_minor_formatter("")
    return figure


def scaling_table(records):
    """How time and peak memory of one fit grow with the numbers of objects, of partitions and of clusters."""
    axes, cells = [], []
    for axis, (name, target) in AXES.items():
        seconds, memory = (samples(matching(records, axis=axis), axis, measure) for measure in SCALES)
        exponents = [f"{slope(seconds):.2f}", f"{slope(last_decade(seconds)):.2f}", f"{target:.2f}"]
        axes.append([name, f"{min(seconds):,}", f"{max(seconds):,}", *exponents, f"{slope(memory):.2f}"])
    for sizes, of_cell in grouped(records, *AXES).items():
        seconds, peak, gap, ari = medians(of_cell, "fit_seconds", "peak_bytes", "gap", "ari")
        matrix = f"{8.0 * sizes[0] ** 2 / 2.0**30:,.0f}"
        measured = f"{seconds:.3f}", f"{peak / 2.0**30:.2f}", matrix, f"{gap:.1e}", f"{ari:.3f}"
        cells.append([*(f"{size:,}" for size in sizes), *measured])
    head = "over | from | to | exponent of time | in the last decade | at most | exponent of peak memory"
    each = (
        "objects | partitions | clusters | seconds | peak memory, GiB | n x n matrix, GiB | gap | adjusted Rand index"
    )
    return document(table(head, axes), table(each, cells))


def distributed_table(records):
    """Time and memory of the methods that take Dask arrays, by number of workers; merging has no rounds."""
    rows = []
    for (method, n_workers, n), of_size in sorted(grouped(records, "method", "n_workers", "n_samples").items()):
        chunks, rounds, fit, one, held, ari = medians(
            of_size, "n_chunks", "n_rounds", "fit_seconds", "round_seconds", "worker_bytes", "ari"
        )
        times = [f"{fit:.3g}", f"{one:.3g}", f"{held / 2.0**30:.2g}"]
        rows.append([method, n_workers, f"{n:,}", f"{chunks:.0f}", f"{rounds:.0f}", *times, f"{ari:.3f}"])
    return table("method | workers | objects | chunks | rounds | seconds | of a round | GiB of a worker | ARI", rows)


def features_table(records):
    """From features to the consensus of 100 partitions of 5 to 50 clusters: seconds, memory of the process, accuracy.

    The features are a memory map of float32. "kmeans" fits each partition on 10,000 objects and labels all;
    "minibatch" is scikit-learn's MiniBatchKMeans on all objects, beside them."""
    rows = []
    for (n, d), of_size in grouped(records, "n_samples", "n_features").items():
        for ensemble, of_ensemble in grouped(of_size, "ensemble").items():
            found = [record["result"] for record in of_ensemble]
            seconds = [np.median([r[m] for r in found]) for m in ("ensemble_seconds", "consensus_seconds")]
            row = [f"{n:,} x {d}", ensemble, *(f"{value:.3g}" for value in seconds)]
            row.append(f"{max(result['peak_bytes'] for result in found) / 2.0**30:.2f}")
            rows.append([*row, f"{np.mean([result['ari'] for result in found]):.3f}"])
    return table(
        "features | ensemble | seconds of the ensemble | seconds of the consensus | peak memory, GiB | ARI", rows
    )


def many_clusters_table(records):
    """Time and peak memory of a hard partition by the number of clusters, with the exponents of power laws; medians."""
    rows = []
    for k, of_size in grouped(records, "n_clusters").items():
        seconds, peak, ari, noise = medians(of_size, "fit_seconds", "peak_bytes", "ari", "noise_weight")
        rows.append([f"{k:,}", f"{seconds:.1f}", f"{peak / 2.0**30:.2f}", f"{ari:.3f}", f"{noise:.3f}"])
    time, memory = (f"{slope(samples(records, 'n_clusters', m)):.2f}" for m in ("fit_seconds", "peak_bytes"))
    head = "clusters | seconds | peak memory, GiB | adjusted Rand index | weight of random partitions"
    return document(f"exponent of time {time}, of peak memory {memory}", table(head, rows))


DRAWINGS = (
    drawing("fig_scaling", "scaling", scaling_figure),
    drawing("table_scaling", "scaling", scaling_table),
    drawing("table_distributed_scaling", "distributed_scaling", distributed_table),
    drawing("table_features_to_consensus", "features_to_consensus", features_table),
    drawing("table_many_clusters", "many_clusters", many_clusters_table),
)
