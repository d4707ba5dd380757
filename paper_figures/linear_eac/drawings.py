"""The figures of paper 001, and its tables with what is printed beside what comes out."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullLocator

from ..markdown import beside, document, table
from ..paired import standard_error
from ..records import printed_table, results
from ..style import BLUE, COLUMN, KINDS, ORANGE, PAGE, VERMILLION, around, legend_above, look, plain_ticks
from .values import (
    HIERARCHICAL,
    KMEANS,
    MEASURES,
    NON_HIERARCHICAL,
    RATIOS,
    SYSTEMS,
    TABLES,
    datasets,
    growth,
    pairs_with_printed,
    printed,
    rank_correlations,
    ratios,
    samples,
)

FAMILIES = {
    "k-means (KM, H-KM)": (tuple(KMEANS), *KINDS["k-means"]),
    "SEC, MCLA, ECC, CSPA": (tuple(NON_HIERARCHICAL), BLUE, "o"),
    "average, complete linkage": (tuple(name for name in HIERARCHICAL if not name.endswith("SL")), *KINDS["linkage"]),
    "single linkage": (tuple(name for name in HIERARCHICAL if name.endswith("SL")), ORANGE, "s"),
    "members: Mean, Max": (("Mean", "Max"), VERMILLION, "D"),
}
# Points of mean density by which the base clusterings of a data set must differ to be called another preparation.
FAR = 5.0
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
    return f"{theirs} / {ours.mean():.1f} ± {_deviation(ours):.1f}" if len(ours) else f"{theirs} / –"


def _deviation(sample):
    return sample.std(ddof=1) if len(sample) > 1 else 0.0


def agreement_table(records):
    """How well the reproduced tables of paper 001 order systems and data sets as the printed ones do, and how far off.

    The systems are SEC, MCLA, ECC, CSPA, R-SL to E-ML, KM and H-KM, as far as they are printed."""
    pairs = {measure: pairs_with_printed(records, measure) for measure in MEASURES}
    heads = [f"{name}: {what}" for name in MEASURES.values() for what in ("rho", "tau", "MAD", "bias")]
    tables = []
    for position, (title, names) in enumerate((("data set", datasets(records)), ("system", SYSTEMS))):
        rows = []
        for name in [*names, "all"]:
            chosen = [[pair for pair in of_measure if name in (pair[position], "all")] for of_measure in pairs.values()]
            if chosen[0]:
                rows.append([name, len(chosen[0]), *(text for found in chosen for text in _agreement(found))])
        tables.append(table([title, "cells", *heads], rows))
    zero, one = (_off_density(records, pairs["density"], field) for field in ("density", "density_singletons_one"))
    return document(
        "Spearman's rho, Kendall's tau, mean absolute deviation and mean deviation (reproduced minus printed, points)",
        *tables,
        f"Mean absolute deviation of the density when singletons count 0: {zero:.2f} points; when 1, as in the "
        f"tables: {one:.2f}.",
    )


def _agreement(pairs):
    theirs, ours = np.array([pair[2:] for pair in pairs]).T
    correlations = ["–" if value is None else f"{value:.2f}" for value in rank_correlations(theirs, ours)]
    return [*correlations, f"{np.abs(ours - theirs).mean():.1f}", f"{(ours - theirs).mean():+.1f}"]


def _off_density(records, pairs, field):
    """Mean absolute deviation of a density, as the records name it, from the printed one."""
    reading = {"density": field}
    ours = [samples(records, dataset, system, "density", reading).mean() for dataset, system, *_ in pairs]
    return np.mean(np.abs(np.subtract(ours, [theirs for *_, theirs, _ in pairs])))


def agreement_figure(records):
    """Reproduced against printed tables of paper 001: a mark is a data set and system, bars two standard errors.

    Marks are filled for data sets whose base clusterings already differ by more than 5 points of mean density from the
    printed ones, so that something in their preparation must differ."""
    means = pairs_with_printed(records, "density", ("Mean",))
    others = {name for name, _, theirs, ours in means if abs(ours - theirs) > FAR}
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.55 * PAGE))
    for ax, (measure, title) in zip(axes, MEASURES.items(), strict=True):
        for label, (columns, color, marker) in FAMILIES.items():
            for filled in (False, True):
                pairs = [p for p in pairs_with_printed(records, measure, columns) if (p[0] in others) == filled]
                if not pairs:
                    continue
                found = [samples(records, name, column, measure) for name, column, *_ in pairs]
                errors = [2.0 * standard_error(sample) for sample in found]
                theirs, ours = np.array([pair[2:] for pair in pairs]).T
                marks = {"color": color, "fmt": marker, "markersize": 3.5, "markeredgewidth": 0.8, "elinewidth": 0.6}
                marks |= {"label": None if filled else label, "markerfacecolor": color if filled else "none"}
                ax.errorbar(theirs, ours, yerr=errors, **marks)
        every = [(name, pair) for name, _, *pair in pairs_with_printed(records, measure)]
        like = [pair for name, pair in every if name not in others]
        rhos = [rank_correlations(*np.array(pairs).T)[0] for pairs in ([pair for _, pair in every], like)]
        ax.plot([0, 100], [0, 100], color="0.6", linewidth=0.8, zorder=0)
        ax.set(xlabel="printed, percent", ylabel="reproduced, percent", aspect="equal")
        ax.set_title(f"{title}: Spearman {rhos[0]:.2f}, hollow marks {rhos[1]:.2f}")
        ax.grid(linewidth=0.3, color="0.85")
    legend_above(figure, axes[0], 3)
    figure.supxlabel(f"filled: {', '.join(sorted(others)) or 'none'}")
    return figure


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
