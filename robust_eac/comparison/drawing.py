"""Pictures of a comparison; imported only when one is drawn."""

import numpy as np

from ..plotting._common import BLUE, GREY, check_axes
from .result import succeeded
from .statistics import ranks_of

# What stands at an axis.
_TITLES = {"ari": "adjusted Rand index", "nmi": "NMI", "h": "H", "ensemble_nmi": "NMI with the ensemble"}
# Inches: of the margins, of a method, and in width.
_MARGINS, _ROW, _WIDTH = 1.1, 0.24, 7.0


def draw_intervals(summary, table, ax):
    """Means with intervals, the best method on top, and below them small points for the blocks."""
    ax = _new_axes(ax, len(table.names))
    rows = [row for row in summary.rows if row["mean"] is not None]
    labels = []
    for place, row in enumerate(rows):
        scores = table.scores[:, table.names.index(row["method"])]
        # Below the line, which would hide them.
        ax.plot(scores, np.full(len(scores), place + 0.25), "o", markersize=3.0, color=GREY, markeredgewidth=0.0)
        if row["low"] is not None:
            ax.plot([row["low"], row["high"]], [place, place], "-", color=BLUE, linewidth=1.5)
        ax.plot(row["mean"], place, "D", color=BLUE, markersize=5.0)
        labels.append(row["method"] + (f" ({row['failures']} failed)" if row["failures"] else ""))
    ax.set_yticks(range(len(rows)), labels)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    several = summary.n_blocks > 1
    ax.set_xlabel(_TITLES.get(summary.measure, summary.measure))
    ax.set_title(
        f"mean and {100.0 * summary.level:g} % interval over {summary.n_blocks} {summary.blocks}" if several else ""
    )
    return ax


def draw_critical_difference(summary, table, ax):
    """Mean ranks, and bars over those that Nemenyi's test does not tell apart."""
    scores = table.scores[:, [succeeded(column) for column in table.scores.T]]
    names = [name for name, column in zip(table.names, table.scores.T, strict=True) if succeeded(column)]
    if len(names) < 3 or len(scores) < 2:
        raise ValueError(
            f"kind 'critical-difference' needs at least 3 methods in 2 {summary.blocks}, got {len(names)} in "
            f"{len(scores)}."
        )
    ax = _new_axes(ax, len(names) / 2)
    try:
        import pandas as pd
        from scikit_posthocs import critical_difference_diagram, posthoc_nemenyi_friedman
    except ImportError as error:
        raise ImportError("kind 'critical-difference' needs scikit-posthocs: pip install scikit-posthocs") from error
    ranks = pd.DataFrame(ranks_of(scores), columns=names)
    colors, solid = dict.fromkeys(names, "black"), {"linestyle": "-"}
    lines = {"color_palette": colors, "elbow_props": solid, "crossbar_props": solid}
    critical_difference_diagram(ranks.mean(), posthoc_nemenyi_friedman(ranks), ax=ax, **lines)
    title = _TITLES.get(summary.measure, summary.measure)
    ax.set_title(f"mean ranks by {title} over {summary.n_blocks} {summary.blocks}\njoined: not told apart at 5 %")
    return ax


def _new_axes(ax, n_rows):
    """The Axes to draw on, checked; for None those of a new figure."""
    own = ax is None
    ax = check_axes(ax)
    if own:
        ax.figure.set_size_inches(_WIDTH, _MARGINS + _ROW * n_rows)
    return ax
