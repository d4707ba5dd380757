"""The weights of the partitions: by partition, against their losses, and along a path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..checks.values import check_bool, check_choice, check_mask, check_names, check_vector, check_weights
from ..solvers.weight_path import WeightPath
from ..summary import counted, shortened
from ._common import BLUE, GREY, VERMILLION, check_axes, count_along

__all__ = ["plot_losses", "plot_weight_path", "plot_weights"]

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOSSES = {
    "raw": "loss of the partition (ordered pairs of objects)",
    "adjusted": "loss of the partition (share of what chance would give)",
}
# Axis label and scale for the parameter that varies along a path.
_PARAMETERS = {
    "n_trusted": ("number of partitions trusted, 1/ρ", "linear"),
    "rho": ("largest weight allowed, ρ", "log"),
    "lam": ("λ (units of the losses)", "log"),
    "lam0": ("λ, free of scale", "log"),
}

# More names than these would hide each other.
_NAMED = 30
_BESIDE = {"textcoords": "offset points", "fontsize": "x-small", "parse_math": False}


def plot_weights(
    weights: ArrayLike,
    *,
    corrupted: ArrayLike | None = None,
    sort: bool = False,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weight of every partition.

    Parameters
    ----------
    weights : array-like of shape (n_partitions,)
        Weights of the partitions: non-negative, not all zero; normalised to sum to one.
    corrupted : array-like of shape (n_partitions,), bool, default=None
        Partitions known to be bad. They get another colour and marker, and the legend gives their total weight.
    sort : bool, default=False
        Order the partitions by their weight, the largest first. Otherwise they are ordered by number, from 0.
    names : sequence of n_partitions str, default=None
        What the partitions are called, such as `feature_names_in_` of a fit: written below the axis for up to 30
        partitions. None means their numbers.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from robust_eac import plot_weights
    >>> ax = plot_weights([0.5, 0.5, 0.0], corrupted=[False, False, True])
    >>> ax.get_title()
    'Weight on 2 of 3 partitions'
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['equal weights', 'not corrupted (2), weight 1 together', 'corrupted (1), weight 0 together']
    >>> ax = plot_weights([0.2, 0.5, 0.3], sort=True, names=["ward", "louvain", "km_3"])
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['louvain', 'km_3', 'ward']
    """
    weights = _check_weights(weights)
    m = len(weights)
    kinds = _check_kinds(corrupted, m, lambda kind: f", weight {weights[kind].sum():.3g} together")
    sort = check_bool(sort, name="sort")
    names = None if names is None else check_names(names, m, name="names")
    ax = check_axes(ax)

    place = np.argsort(np.argsort(-weights, kind="stable")) if sort else np.arange(m)
    ax.axhline(1.0 / m, color=GREY, linestyle=":", linewidth=1.0, label="equal weights", zorder=1)
    for kind, style in kinds:
        ax.vlines(place[kind], 0.0, weights[kind], color=style["color"], linewidth=_width(m), alpha=0.6)
        ax.plot(place[kind], weights[kind], linestyle="none", **style)
    ax.set(
        title=f"Weight on {np.count_nonzero(weights):,} of {counted(m, 'partition')}",
        xlabel="rank of the partition, by weight" if sort else "number of the partition",
        ylabel="weight (all together: 1)",
        ylim=_limits(weights),
    )
    if names is None or m > _NAMED:
        count_along(ax.xaxis)
    else:
        ax.set_xticks(np.arange(m), [shortened(names[u]) for u in np.argsort(place)], rotation=90, parse_math=False)
        ax.set_xlabel("partition, by weight" if sort else "partition")
    ax.legend(loc="upper right")
    return ax


def plot_losses(
    losses: ArrayLike,
    weights: ArrayLike,
    *,
    corrupted: ArrayLike | None = None,
    agreement: str = "raw",
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weight of every partition over its loss, its distance to the consensus.

    Partitions at the right disagree with the consensus; a good weighting gives them no weight. Fine partitions have
    lower losses than equally bad coarse ones: :func:`~robust_eac.adjusted_agreement` corrects for that.

    Parameters
    ----------
    losses : array-like of shape (n_partitions,)
        The d_u of :func:`~robust_eac.partition_losses`, or what the solver returns: in ordered pairs of objects, or
        shares if they are chance-corrected; non-negative.
    weights : array-like of shape (n_partitions,)
        Weights of the partitions: non-negative, not all zero; normalised to sum to one.
    corrupted : array-like of shape (n_partitions,), bool, default=None
        Partitions known to be bad. They get another colour and marker.
    agreement : {"raw", "adjusted"}, default="raw"
        Kind of the losses, for the axis label: see :func:`~robust_eac.solve_median_partition`.
    names : sequence of n_partitions str, default=None
        What the partitions are called: written beside up to 30 of them. None means that nothing is.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from robust_eac import plot_losses
    >>> ax = plot_losses([4.0, 6.0, 20.0], [0.5, 0.5, 0.0])
    >>> ax.lines[0].get_xydata()
    array([[ 4. ,  0.5],
           [ 6. ,  0.5],
           [20. ,  0. ]])
    """
    weights = _check_weights(weights)
    losses = check_vector(losses, name="losses", size=len(weights))
    kinds = _check_kinds(corrupted, len(weights))
    label = _LOSSES[check_choice(agreement, _LOSSES, name="agreement")]
    names = None if names is None else check_names(names, len(weights), name="names")
    ax = check_axes(ax)

    for kind, style in kinds:
        ax.plot(losses[kind], weights[kind], linestyle="none", alpha=0.7, **style)
    ax.set(title="Weights over losses", xlabel=label, ylabel="weight (all together: 1)", ylim=_limits(weights))
    for place, name in zip(zip(losses, weights, strict=True), names or (), strict=False):
        if len(weights) <= _NAMED:
            ax.annotate(shortened(name), place, xytext=(3, 3), **_BESIDE)
    span = losses.max() or 1.0
    ax.set_xlim(-0.02 * span, 1.05 * span)
    if len(kinds) > 1:
        ax.legend(loc="upper right")
    return ax


def plot_weight_path(
    path: WeightPath,
    *,
    corrupted: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weight of every partition along a path of settings, from equal weights (left) to few partitions.

    Parameters
    ----------
    path : WeightPath
        Result of :func:`~robust_eac.weight_path`.
    corrupted : array-like of shape (n_partitions,), bool, default=None
        Partitions known to be bad. They get another colour, marker and dashes.
    names : sequence of n_partitions str, default=None
        What the partitions are called: written at the end of the lines of up to 30 of them that still have weight
        there. None means that nothing is.
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
    >>> import numpy as np
    >>> from robust_eac import plot_weight_path, weight_path
    >>> labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
    >>> ax = plot_weight_path(weight_path(labels, 2, values=[0.25, 0.5], random_state=0))
    >>> ax.lines[3].get_xydata()
    array([[0.25, 0.25],
           [0.5 , 0.  ]])
    """
    if not isinstance(path, WeightPath):
        raise TypeError(f"path must be what weight_path returns, got {type(path).__name__}.")
    m = path.weights.shape[1]
    kinds = _check_kinds(corrupted, m)
    names = None if names is None else check_names(names, m, name="names")
    ax = check_axes(ax)

    label, scale = _PARAMETERS[path.parameter]
    for kind, style in kinds:
        lines = ax.plot(
            path.values,
            path.weights[:, kind],
            linestyle="-" if style["color"] == BLUE else "--",
            linewidth=_width(m),
            alpha=0.7,
            **{**style, "label": None, "markersize": 0.7 * style["markersize"]},
        )
        if lines:
            lines[0].set_label(style["label"])
    for weight, name in zip(path.weights[-1], names or (), strict=False):
        if weight > 0.0 and m <= _NAMED:
            ax.annotate(shortened(name), (path.values[-1], weight), xytext=(4, 0), va="center", **_BESIDE)
    ax.set_xscale(scale)
    if scale == "linear":
        count_along(ax.xaxis)
    # Ticks at 0 and on the logarithmic part alone: below, the same step on paper is another ratio.
    linear = 0.5 / m
    ax.set_yscale("symlog", linthresh=linear)
    ax.set_yticks([0.0, *(10.0 ** np.arange(np.ceil(np.log10(linear)), 1.0))])
    ax.set(
        title=f"Weights of {counted(m, 'partition')}",
        xlabel=label,
        ylabel=f"weight (all together: 1), linear below {linear:.2g}",
    )
    ax.set_ylim(-0.02 / m, 1.1)
    if path.parameter != "rho":
        ax.invert_xaxis()
    if len(kinds) > 1:
        ax.legend()
    return ax


def _check_weights(weights):
    return check_weights(check_vector(weights, name="weights", positive_sum=True), np.size(weights))


def _check_kinds(corrupted, n_partitions, remark=lambda kind: ""):
    """[(mask of the partitions of a kind, line style)], the corrupted ones last."""
    # Many markers are smaller, so that they do not hide each other.
    size = float(np.clip(300.0 / n_partitions, 2.5, 6.0))
    plain = {"color": BLUE, "marker": "o", "markersize": size}
    if corrupted is None:
        return [(np.ones(n_partitions, dtype=bool), {**plain, "label": "partitions"})]
    corrupted = check_mask(corrupted, n_partitions, name="corrupted")
    # Crosses must be larger than dots to be recognised.
    cross = {"color": VERMILLION, "marker": "x", "markersize": max(size, 5.0)}
    kinds = [(~corrupted, {**plain, "label": "not corrupted"}), (corrupted, {**cross, "label": "corrupted"})]
    for kind, style in kinds:
        style["label"] += f" ({np.count_nonzero(kind):,}){remark(kind)}"
    return kinds


def _limits(weights):
    """Limits of the axis of weights, with room for a legend above them."""
    return -0.02 * weights.max(), 1.5 * weights.max()


def _width(n_partitions):
    """Width of lines in points."""
    return float(np.clip(150.0 / n_partitions, 0.5, 1.5))
