"""Curves: convergence of the solver, and stability over the number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..checks.values import check_vector
from ..diagnostics.selection import ClusterNumberSelection
from ..summary import counted
from ._common import BLUE, GREY, ORANGE, SKY, VERMILLION, check_axes, count_along

__all__ = ["plot_convergence", "plot_n_clusters"]

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Markers and dashes distinguish the lines in grey print.
_CURVES = {
    "split_stability": ("stability over halves", BLUE, "o", "-"),
    "start_stability": ("stability over starts", SKY, "s", ":"),
    "held_out_agreement": ("agreement, held out", VERMILLION, "^", "-"),
    "agreement": ("agreement", ORANGE, "v", "--"),
}
# Smaller differences, as shares of the objective, are rounding errors.
_ROUNDING = 1e-13


def plot_n_clusters(selection: ClusterNumberSelection, ax: Axes | None = None) -> Axes:
    """Draw the result of :func:`~robust_eac.select_n_clusters` over the candidates.

    Stabilities and agreements over the number of clusters. Filled circles mark the stable candidates, the vertical line
    the chosen number.

    Parameters
    ----------
    selection : ClusterNumberSelection
        Result of :func:`~robust_eac.select_n_clusters`.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    TypeError
        If `selection` or `ax` is something else.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from robust_eac import plot_n_clusters, select_n_clusters
    >>> labels = np.repeat([0, 1, 2], 10)[:, np.newaxis] + np.zeros((30, 6), dtype=int)
    >>> ax = plot_n_clusters(select_n_clusters(labels, range(1, 6), random_state=0))
    >>> ax.get_title()
    '3 clusters'
    """
    if not isinstance(selection, ClusterNumberSelection):
        raise TypeError(f"selection must be what select_n_clusters returns, got {type(selection).__name__}.")
    ax = check_axes(ax)
    for field, (label, color, marker, dashes) in _CURVES.items():
        line = {"color": color, "clip_on": False}
        faces = {}
        if field == "split_stability":
            faces = {"markevery": list(np.flatnonzero(selection.stable)), "zorder": 3}
            ax.plot(selection.candidates, selection.split_stability, marker, fillstyle="none", **line)
        ax.plot(selection.candidates, getattr(selection, field), dashes, marker=marker, label=label, **line, **faces)
    ax.axvline(selection.n_clusters, color=GREY, linewidth=4.0, alpha=0.5, zorder=0)
    ax.set(
        title=f"{selection.n_clusters} cluster{'s' if selection.n_clusters > 1 else ''}",
        xlabel="number of clusters, at most",
        ylabel="adjusted Rand index",
        ylim=(min(0.0, *(getattr(selection, field).min() for field in _CURVES)), 1.0),
    )
    count_along(ax.xaxis)
    ax.legend()
    return ax


def plot_convergence(objective_history: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the decrease of the objective over the alternations.

    The logarithmic axis shows the distance of the objective to its last value, as a share of the whole descent: 1 at
    the start; the last point is before the last alternation. A straight line is linear convergence. If the history does
    not descend to its last value (some weightings guarantee no descent) or is too short, the objective itself is drawn.

    Parameters
    ----------
    objective_history : array-like of shape (n_iter + 1,)
        The objective at the start and after every alternation, as returned by
        :func:`~robust_eac.solve_median_partition` and stored in `RobustEAC.objective_history_`.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from robust_eac import plot_convergence
    >>> ax = plot_convergence([30.0, 12.0, 10.2, 10.0])
    >>> ax.lines[0].get_xydata().round(3)
    array([[0.  , 1.  ],
           [1.  , 0.1 ],
           [2.  , 0.01]])
    >>> ax.get_yscale(), ax.get_title()
    ('log', 'Objective from 30 to 10 in 3 alternations')
    """
    history = check_vector(objective_history, name="objective_history", signed=True)
    ax = check_axes(ax)

    n_iter = len(history) - 1
    left = history - history[-1]
    left[np.abs(left) <= _ROUNDING * np.abs(history).max()] = 0.0
    above = np.flatnonzero(left)
    style = {"color": BLUE, "marker": "o", "markersize": 4, "clip_on": False}
    if len(above) > 1 and left.min() == 0.0:
        ax.plot(above, left[above] / left[0], **style)
        ax.set_yscale("log")
        ax.set_ylabel("objective above its last value (share of the descent)")
    else:
        ax.plot(history, **style)
        ax.set_ylabel("objective (units of the losses)")
    ax.set(
        title=f"Objective from {history[0]:.5g} to {history[-1]:.5g} in {counted(n_iter, 'alternation')}",
        xlabel="alternation",
    )
    count_along(ax.xaxis)
    return ax
