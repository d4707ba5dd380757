"""Many clusters: time and memory by their number, and communities of a graph."""

import matplotlib.pyplot as plt
import numpy as np

from .drawing import drawing
from .markdown import document, table
from .records import grouped
from .speed import medians, samples, slope
from .style import BLUE, PAGE, VERMILLION, around, plain_ticks

# measure: name, label, unit
SCALES = {"fit_seconds": ("time", "seconds", 1.0), "peak_bytes": ("memory", "peak memory, GiB", 2.0**30)}
# solver: label, colour, marker
SOLVERS = {"soft": ("memberships, to a gap of 1e-5", BLUE, "o"), "hard": ("hard partition", VERMILLION, "s")}


def many_clusters_figure(records):
    """Time and peak memory of one fit over the number of clusters, 100,000 objects in 50 base clusterings.

    Points show medians, bars the ranges. From 257 clusters on, tables and memberships are sparse.
    """
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.38 * PAGE))
    for ax, (measure, (name, label, unit)) in zip(axes, SCALES.items(), strict=True):
        exponents = []
        for solver, of_solver in grouped(records, "solver").items():
            title, color, marker = SOLVERS[solver]
            by_size = samples(of_solver, "n_clusters", measure)
            low, middle, high = np.array([[np.min(v), np.median(v), np.max(v)] for v in by_size.values()]).T / unit
            bars = around(middle, low, high)
            ax.errorbar(list(by_size), middle, yerr=bars, color=color, marker=marker, capsize=2, label=title)
            exponents.append(f"{slope(by_size):.2f}")
        ax.set(xscale="log", yscale="log", xlabel="clusters k", ylabel=label)
        ax.set_title(f"{name}: least-squares slope {' and '.join(exponents)}")
        ax.grid(linewidth=0.3, color="0.8")
        plain_ticks(ax.yaxis)
    axes[0].legend()
    return figure


def many_clusters_table(records):
    """Time and peak memory of one fit by the number of clusters, with the exponents of power laws; medians."""
    parts = []
    for solver, of_solver in grouped(records, "solver").items():
        rows = []
        for k, of_size in grouped(of_solver, "n_clusters").items():
            seconds, peak, ari = medians(of_size, "fit_seconds", "peak_bytes", "ari")
            row = [f"{k:,}", f"{seconds:.1f}", f"{peak / 2.0**30:.2f}", f"{ari:.3f}"]
            if solver == "soft":
                row += [f"{medians(of_size, 'gap')[0]:.1e}", "sparse" if of_size[0]["result"]["sparse"] else "dense"]
            rows.append(row)
        exponents = [f"{slope(samples(of_solver, 'n_clusters', measure)):.2f}" for measure in SCALES]
        parts.append(f"{SOLVERS[solver][0]}: exponent of time {exponents[0]}, of peak memory {exponents[1]}")
        head = "clusters | seconds | peak memory, GiB | adjusted Rand index"
        parts.append(table(head + (" | gap | result" if solver == "soft" else ""), rows))
    return document(*parts)


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
