"""OVI-LDA of the objects of a QPSK data set of 2 dB for every algorithm, linear between objects, from -1 to 3.

Contours and mesh of the partition that V takes; below, contours of the best one of four clusters. One data set.
"""

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS
from experiments.ovi_lda.ovi_surface import LETTERS, ROUTES

from .ovi_lda import NAMES
from .style import PAGE, SKY, VERMILLION

EXPERIMENT = "ovi_surface"

LEVELS = np.linspace(-1.0, 3.0, 9)
MARKERS, COLORS = "os^Dv", ("black", "white", VERMILLION, SKY)


def main(records):
    import matplotlib.pyplot as plt

    result = records[0]["result"]
    figure = plt.figure(figsize=(PAGE, 0.6 * PAGE))
    grid = figure.add_gridspec(3, len(ALGORITHMS))
    flat = []
    for column, name in enumerate(ALGORITHMS):
        for line, route in ((0, ROUTES[0]), (2, ROUTES[1])):
            ax = figure.add_subplot(grid[line, column])
            filled = _contours(ax, result, route, name)
            flat.append(ax)
        _mesh(figure.add_subplot(grid[1, column], projection="3d"), result, name)
    flat[0].set_ylabel("K by V")
    flat[1].set_ylabel("four clusters")
    figure.colorbar(filled, ax=flat, label="OVI-LDA value", shrink=0.6, aspect=40)
    config = records[0]["config"]
    figure.supxlabel(
        f"{config['n']} objects of one data set, {config['decibel']} dB; the marks of the objects tell the clusters",
        fontsize=8,
    )
    return figure


def _values(result, route, name):
    """Positions and clipped values of the objects that have one, their clusters, and the number of clusters."""
    entry = result[route][name]
    values = np.array([np.nan if value is None else value / 10.0 for value in entry["values"]])
    known = np.isfinite(values)
    x, y = (np.array(result[axis])[known] / 100.0 for axis in "xy")
    labels = np.array([LETTERS.index(letter) for letter in entry["labels"]])
    return x, y, np.clip(values[known], LEVELS[0], LEVELS[-1]), labels[known], labels.max() + 1


def _contours(ax, result, route, name):
    x, y, values, labels, n_clusters = _values(result, route, name)
    filled = ax.tricontourf(x, y, values, levels=LEVELS, cmap="cividis")
    for cluster in np.unique(labels):
        inside = labels == cluster
        color = COLORS[cluster % len(COLORS)]
        ax.scatter(x[inside], y[inside], s=1.6, marker=MARKERS[cluster % len(MARKERS)], color=color, linewidths=0)
    ax.set_title(f"{NAMES[name]}, K = {n_clusters}", fontsize=8)
    ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], aspect="equal", xlim=(-2, 2), ylim=(-2, 2))
    ax.tick_params(labelsize=6)
    return filled


def _mesh(ax, result, name):
    x, y, values, *_ = _values(result, ROUTES[0], name)
    ax.plot_trisurf(x, y, values, cmap="cividis", vmin=LEVELS[0], vmax=LEVELS[-1], linewidth=0.05, antialiased=False)
    ax.set(xticks=[-1, 1], yticks=[-1, 1], zticks=[0, 2], zlim=(LEVELS[0], LEVELS[-1]))
    ax.tick_params(labelsize=5, pad=-4)
    ax.view_init(35, -60)
    ax.set_box_aspect((1.0, 1.0, 0.7), zoom=1.25)
