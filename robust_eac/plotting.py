"""Plots of results; each function draws on the Axes it is given and returns it."""

import numpy as np

from .selection import ClusterNumberSelection

__all__ = ["plot_n_clusters"]

# Okabe and Ito's colours; marker and dashes tell the lines apart in grey print.
_CURVES = {
    "split_stability": ("stability over halves", "#0072B2", "o", "-"),
    "start_stability": ("stability over starts", "#56B4E9", "s", ":"),
    "held_out_agreement": ("agreement, held out", "#D55E00", "^", "-"),
    "agreement": ("agreement", "#E69F00", "v", "--"),
}
_CHOSEN = "0.55"


def plot_n_clusters(selection, ax=None):
    """Draw what :func:`~robust_eac.select_n_clusters` found over the candidates.

    Stabilities and agreements over the number of clusters; filled circles are the stable candidates, the vertical line
    is the number chosen.

    Parameters
    ----------
    selection : ClusterNumberSelection
        What :func:`~robust_eac.select_n_clusters` returns.
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
    ax = _check_axes(ax)
    for field, (label, color, marker, dashes) in _CURVES.items():
        faces = {}
        if field == "split_stability":
            faces = {"markevery": list(np.flatnonzero(selection.stable)), "zorder": 3}
            ax.plot(
                selection.candidates, selection.split_stability, marker, color=color, fillstyle="none", clip_on=False
            )
        ax.plot(
            selection.candidates, getattr(selection, field), dashes, marker=marker, color=color, label=label,
            clip_on=False, **faces,
        )  # fmt: skip
    ax.axvline(selection.n_clusters, color=_CHOSEN, linewidth=4.0, alpha=0.5, zorder=0)
    ax.set(
        title=f"{selection.n_clusters} cluster{'s' if selection.n_clusters > 1 else ''}",
        xlabel="number of clusters, at most",
        ylabel="adjusted Rand index",
        ylim=(min(0.0, *(getattr(selection, field).min() for field in _CURVES)), 1.0),
    )
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend()
    return ax


def _check_axes(ax):
    """The Axes to draw on, a new one for None."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    if ax is None:
        _, ax = plt.subplots()
    elif not isinstance(ax, Axes):
        raise TypeError(f"ax must be a matplotlib Axes or None, got {type(ax).__name__}.")
    return ax
