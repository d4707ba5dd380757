"""Many clusters: time and memory by their number, and communities of a graph."""

import matplotlib.pyplot as plt
import numpy as np

from .drawing import drawing
from .markdown import document, table
from .records import grouped
from .speed import medians, samples, slope
from .style import BLUE, PAGE, VERMILLION, around, plain_ticks

# measure: name, label, unit, colour
SCALES = {
    "fit_seconds": ("time", "seconds to a gap of 1e-5", 1.0, BLUE),
    "peak_bytes": ("memory", "peak memory, GiB", 2.0**30, VERMILLION),
}


def many_clusters_figure(records):
    """Time and peak memory of one fit over the number of clusters, 100,000 objects in 50 base clusterings.

    Points show medians, bars the ranges. From 257 clusters on, memberships are sparse; from 2,685 on, so is the result.
    """
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.36 * PAGE))
    for ax, (measure, (name, label, unit, color)) in zip(axes, SCALES.items(), strict=True):
        by_size = samples(records, "n_clusters", measure)
        low, middle, high = np.array([[np.min(v), np.median(v), np.max(v)] for v in by_size.values()]).T / unit
        ax.errorbar(list(by_size), middle, yerr=around(middle, low, high), color=color, marker="o", capsize=2)
        ax.set(xscale="log", yscale="log", xlabel="clusters k", ylabel=label)
        ax.set_ylim(middle.min() / 2.0, 2.0 * high.max())
        ax.set_title(rf"{name} $\propto k^{{{slope(by_size):.2f}}}$")
        ax.grid(linewidth=0.3, color="0.8")
        plain_ticks(ax.yaxis)
    return figure


def many_clusters_table(records):
    """Time and peak memory of one fit by the number of clusters, with the exponents of power laws; medians."""
    rows = []
    for k, of_size in grouped(records, "n_clusters").items():
        seconds, peak, gap, ari = medians(of_size, "fit_seconds", "peak_bytes", "gap", "ari")
        form = "sparse" if of_size[0]["result"]["sparse"] else "dense"
        rows.append([f"{k:,}", f"{seconds:.1f}", f"{peak / 2.0**30:.2f}", f"{gap:.1e}", f"{ari:.3f}", form])
    exponents = [f"{slope(samples(records, 'n_clusters', measure)):.2f}" for measure in SCALES]
    return document(
        f"exponent of time {exponents[0]}, of peak memory {exponents[1]}",
        table("clusters | seconds | peak memory, GiB | gap | adjusted Rand index | result", rows),
    )


def communities_table(records):
    """Communities of a planted graph: igraph's partitions, and one consensus of them; medians over graphs."""
    rows = []
    for n, of_size in grouped(records, "n_nodes").items():
        for name in of_size[0]["result"]["partitions"]:
            partitions = [record["result"]["partitions"][name] for record in of_size]
            count, ari = (np.median([found[key] for found in partitions]) for key in ("n_clusters", "ari"))
            (seconds,) = medians(of_size, f"{name.replace(' ', '_')}_seconds")
            rows.append(
                [
                    f"{n:,}",
                    f"{of_size[0]['config']['n_each']} x {name}",
                    f"{count:,.0f}",
                    f"{seconds:.0f}",
                    f"{ari:.3f}",
                ]
            )
        count, seconds, ari = medians(of_size, "n_clusters_found", "consensus_seconds", "ari")
        rows.append([f"{n:,}", "consensus", f"{count:,.0f}", f"{seconds:.0f}", f"{ari:.3f}"])
    return table("nodes | partitions | clusters | seconds | adjusted Rand index", rows)


DRAWINGS = (
    drawing("fig_many_clusters", "many_clusters", many_clusters_figure),
    drawing("table_many_clusters", "many_clusters", many_clusters_table),
    drawing("table_communities", "communities", communities_table),
)
