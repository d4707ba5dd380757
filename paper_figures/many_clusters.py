"""Many clusters: time and memory by their number, and communities of a graph."""

import numpy as np

from .drawing import drawing
from .markdown import document, table
from .records import grouped
from .speed import medians, samples, slope

SOLVERS = {"soft": "memberships, to a gap of 1e-5", "hard": "hard partition"}


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
        time, memory = (f"{slope(samples(of_solver, 'n_clusters', m)):.2f}" for m in ("fit_seconds", "peak_bytes"))
        parts.append(f"{SOLVERS[solver]}: exponent of time {time}, of peak memory {memory}")
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
            n_each = of_size[0]["config"]["n_each"]
            rows.append([f"{n:,}", f"{n_each} x {name}", f"{count:,.0f}", f"{seconds:.0f}", f"{ari:.3f}"])
        count, seconds, ari = medians(of_size, "n_clusters_found", "consensus_seconds", "ari")
        rows.append([f"{n:,}", "consensus", f"{count:,.0f}", f"{seconds:.0f}", f"{ari:.3f}"])
    return table("nodes | partitions | clusters | seconds | adjusted Rand index", rows)


DRAWINGS = (
    drawing("table_many_clusters", "many_clusters", many_clusters_table),
    drawing("table_communities", "communities", communities_table),
)
