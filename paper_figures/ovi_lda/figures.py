"""The figures of paper 004."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS
from experiments.ovi_lda.ovi_surface import LETTERS
from experiments.ovi_lda.ovi_surface import ROUTES as SURFACE_ROUTES

from ..records import distinct
from ..style import BLACK, BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILLION, legend_above, look
from . import answers

LOOKS = {
    "gath-geva": look(ORANGE, "v", "--", label=answers.NAMES["gath-geva"]),
    "fcm": look(SKY, "^", "--", label=answers.NAMES["fcm"]),
    "kmeans": look(GREEN, "s", ":", label=answers.NAMES["kmeans"]),
    "kmeans-ka": look(PURPLE, "D", ":", label=answers.NAMES["kmeans-ka"]),
    "ward": look(BLUE, "P", "-.", label=answers.NAMES["ward"]),
    "core": look(VERMILLION, "o", "-", label="consensus, core only"),
    "complete": look(BLACK, "X", "-", label="consensus, complete"),
    "P_f": look(BLACK, "*", "--", label="consensus, $P_f$"),
}
XB_TICKS = (0.03, 0.1, 0.3, 1.0)
LEVELS = np.linspace(-1.0, 3.0, 9)
MARKERS, COLORS = "os^Dv", ("black", "white", VERMILLION, SKY)


def indices_figure(records):
    """XB and FS of the consensus and of the partitions it is made of, over the SNR: medians over data sets.

    The shade goes from the lowest to the highest, for the complete consensus. The core leaves out the objects that some
    algorithm places badly: its indices are those of fewer, easier objects. P_f are fuzzy memberships by the cores."""
    chosen = answers.main_records(answers.joined(records))
    levels = sorted(distinct(chosen, "decibel"))
    figure, axes = plt.subplots(2, 2, figsize=(PAGE, 0.72 * PAGE), sharex=True, sharey="row")
    for row, index in zip(axes, ("XB", "FS"), strict=True):
        for ax, (route, title) in zip(row, answers.ROUTES.items(), strict=True):
            values = [[answers.graded(one, route, index) for one in answers.at(chosen, [level])] for level in levels]
            for key, style in LOOKS.items():
                # Where a consensus of a single cluster has no XB, the others count; some level may have none.
                samples = [[value[key] for value in level if np.isfinite(value[key])] for level in values]
                ax.plot(levels, [_or_nan(np.median, sample) for sample in samples], **style)
                if key == "complete":
                    low, high = ([_or_nan(limit, sample) for sample in samples] for limit in (np.min, np.max))
                    ax.fill_between(levels, low, high, color=style["color"], alpha=0.12, linewidth=0)
            ax.set_title(f"{index}, {title}")
            ax.grid(linewidth=0.3, color="0.8")
        row[0].set_ylabel(f"{index} (small is good)")
    axes[0, 0].set_yscale("log")
    axes[0, 0].set_yticks(XB_TICKS, [f"{tick:g}" for tick in XB_TICKS])
    axes[0, 0].minorticks_off()
    legend_above(figure, axes[0, 0], 4)
    figure.supxlabel(f"SNR in dB; medians over {len(distinct(chosen, 'repetition'))} data sets each")
    return figure


def _or_nan(function, values):
    return function(values) if values else np.nan


def surface_figure(records):
    """OVI-LDA of the objects of a QPSK data set of 2 dB for every algorithm, linear between objects, from -1 to 3.

    Above are contours and mesh of the partition that V takes; below are contours of the best one of four clusters."""
    result, config = records[0]["result"], records[0]["config"]
    figure = plt.figure(figsize=(PAGE, 0.6 * PAGE))
    grid = figure.add_gridspec(3, len(ALGORITHMS))
    flat = []
    for column, name in enumerate(ALGORITHMS):
        for line, route in zip((0, 2), SURFACE_ROUTES, strict=True):
            flat.append(figure.add_subplot(grid[line, column]))
            filled = _contours(flat[-1], name, *_values(result[route][name], result))
        _mesh(figure.add_subplot(grid[1, column], projection="3d"), *_values(result[SURFACE_ROUTES[0]][name], result))
    flat[0].set_ylabel("K by V")
    flat[1].set_ylabel("four clusters")
    figure.colorbar(filled, ax=flat, label="OVI-LDA value", shrink=0.6, aspect=40)
    text = f"{config['n']} objects of one data set, {config['decibel']} dB; the marks of the objects tell the clusters"
    figure.supxlabel(text)
    return figure


def _values(entry, result):
    """Positions and clipped values of the objects that have one, their clusters, and the number of clusters."""
    values = np.array([np.nan if value is None else value / 10.0 for value in entry["values"]])
    known = np.isfinite(values)
    x, y = (np.array(result[axis])[known] / 100.0 for axis in "xy")
    labels = np.array([LETTERS.index(letter) for letter in entry["labels"]])
    return x, y, np.clip(values[known], LEVELS[0], LEVELS[-1]), labels[known], labels.max() + 1


def _contours(ax, name, x, y, values, labels, n_clusters):
    filled = ax.tricontourf(x, y, values, levels=LEVELS, cmap="cividis")
    for cluster in np.unique(labels):
        inside = labels == cluster
        color, marker = COLORS[cluster % len(COLORS)], MARKERS[cluster % len(MARKERS)]
        ax.scatter(x[inside], y[inside], s=1.6, marker=marker, color=color, linewidths=0)
    ax.set_title(f"{answers.NAMES[name]}, K = {n_clusters}", fontsize=8)
    ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], aspect="equal", xlim=(-2, 2), ylim=(-2, 2))
    ax.tick_params(labelsize=6)
    return filled


def _mesh(ax, x, y, values, *_):
    ax.plot_trisurf(x, y, values, cmap="cividis", vmin=LEVELS[0], vmax=LEVELS[-1], linewidth=0.05, antialiased=False)
    ax.set(xticks=[-1, 1], yticks=[-1, 1], zticks=[0, 2], zlim=(LEVELS[0], LEVELS[-1]))
    ax.tick_params(labelsize=6, pad=-4)
    ax.view_init(35, -60)
    ax.set_box_aspect((1.0, 1.0, 0.7), zoom=1.25)
