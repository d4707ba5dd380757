"""The figures of paper 001, and its tables with what is printed beside what comes out."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullLocator

from ..markdown import beside, document, table
from ..records import datasets, printed_table, results
from ..speed import growth
from ..style import COLUMN, KINDS, VERMILLION, around, look, plain_ticks
from .values import MEASURES, RATIOS, TABLES, printed, ratios, samples

COST_LOOKS = look(VERMILLION, "s", "-"), look(*KINDS["linkage"], "--"), look(*KINDS["k-means"], "-.")


def data_table(records):
    """Data sets of paper 001, with numbers of objects and features as used, and as printed where that differs.

    Not printed: numbers of classes. A dash: not available."""
    used = {record["config"]["dataset"]: record["result"] for record in records}
    rows = []
    for name, n, d in (row.values() for row in printed_table("linear_eac_datasets")):
        sizes = [used.get(name, {}).get(key, "-") for key in ("n_samples", "n_features", "n_classes")]
        rows.append([name, beside(sizes[0], n), beside(sizes[1], d), sizes[2]])
    return table("data set | objects | features | classes", rows)


def nonhierarchical_table(records):
    """SEC, MCLA, ECC and CSPA by data set, printed beside reproduced (Section 6.1): ensemble NMI and density,
    mean ± sd."""
    return _side_by_side(records, "nonhierarchical")


def hierarchical_table(records):
    """Agglomerative clustering of the raw (R) and enhanced (E) co-association, printed beside reproduced
    (Section 6.2)."""
    return _side_by_side(records, "hierarchical")


def comparison_table(records):
    """Base clusterings, k-means and the best of each family, printed beside reproduced (Section 6.3): mean ± sd."""
    return _side_by_side(records, "comparison")


def _side_by_side(records, name):
    """One of the paper's pairs of tables: printed and reproduced, cell by cell."""
    blocks = []
    for measure, title in MEASURES.items():
        values, rows = printed(name, measure), []
        for dataset in dict.fromkeys([*datasets(records), *(dataset for dataset, _ in values)]):
            cells = [_cell(records, dataset, column, measure, values) for column in TABLES[name]]
            rows.append([dataset, *cells, len(results(records, dataset=dataset)) or "data not available"])
        blocks.append(f"{title} in percent, printed / reproduced ± standard deviation over repetitions")
        blocks.append(table(["data set", *TABLES[name], "repetitions"], rows))
    return document(*blocks)


def _cell(records, dataset, column, measure, values):
    theirs = f"{values[dataset, column]:.1f}" if (dataset, column) in values else "–"
    ours = samples(records, dataset, column, measure)
    return (
        f"{theirs} / {ours.mean():.1f} ± {ours.std(ddof=min(len(ours) - 1, 1)):.1f}" if len(ours) else f"{theirs} / –"
    )


def cost_figure(records):
    """How many times longer the slower way takes, by number of objects (Sections 3.7, 4.2 and 7.3).

    Points show medians, bars the ranges."""
    figure, ax = plt.subplots(figsize=(COLUMN, COLUMN))
    for name, style in zip(RATIOS, COST_LOOKS, strict=True):
        sizes, values = ratios(records, name)
        middle = np.median(values, axis=1)
        bars = {"yerr": around(middle, values.min(axis=1), values.max(axis=1)), "capsize": 1.5, "elinewidth": 0.6}
        ax.errorbar(sizes, middle, label=f"{name}: grows as $n^{{{growth(sizes, middle):.2f}}}$", **bars, **style)
    ax.axhline(1.0, color="0.6", linewidth=0.8)
    ax.set(xscale="log", yscale="log", xlabel="objects n", ylabel="ratio of seconds within a cell")
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    plain_ticks(ax.yaxis)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.grid(linewidth=0.3, color="0.85")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper left", ncols=1)
    return figure
