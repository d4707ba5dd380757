"""Charts of weights, losses, numbers of clusters and convergence; and the colours and Axes of all plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import load_package
from ..consensus.n_clusters import STABLE, ClusterNumberSelection
from ..diagnostics.resampling import ConsensusDistribution
from ..ensemble import reading
from ..wording import counted, having_weight, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's.
BLUE, VERMILLION = "#0072B2", "#D55E00"
COLOURS = (BLUE, VERMILLION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "os^vDPX*<>"
GREY = "0.55"

# Markers and dashes distinguish the lines in grey print.
_CURVES = {
    "prediction_strength": ("prediction strength", BLUE, "o", "-"),
    "split_stability": ("adjusted Rand index of halves", COLOURS[2], "s", "-."),
    "held_out_agreement": ("agreement, held out", VERMILLION, "^", "--"),
}
# From light to dark with the number of clusters, without the lightest; legible with any kind of colour vision.
_SEQUENCE = "viridis_r"
_LIGHTEST = 0.15
# Maximum area of a dot in points, and the number of dots up to which it is used.
_AREA = 60.0
_FEW = 30


def check_axes(ax):
    """The Axes to draw on, a new one for None."""
    pyplot = load_package("matplotlib.pyplot", "plots need")
    if ax is None:
        _, ax = pyplot.subplots(layout="constrained")
    elif not isinstance(ax, pyplot.Axes):
        raise TypeError(f"ax must be a matplotlib Axes or None, got {type(ax).__name__}.")
    return ax


def count_along(axis):
    axis.get_major_locator().set_params(integer=True, min_n_ticks=1)


def plot_weights(
    weights: ArrayLike,
    *,
    corrupted: ArrayLike | None = None,
    sort: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weight of every partition.

    Parameters
    ----------
    weights : array-like of shape (n_partitions,)
        Non-negative, not all zero; normalised to sum to one.
    corrupted : array-like of shape (n_partitions,), bool, default=None
        Partitions known to be bad. They get another colour and marker, and the legend gives their total weight.
    sort : bool, default=False
        Order the partitions by their weight, the largest first. Otherwise they are ordered by number, from 0.
    ax : as in :func:`~robust_eac.plot_coassociation`

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> plot_weights([0.2, 0.5, 0.3], corrupted=[True, False, False], sort=True).get_title()
    'Weight on 3 of 3 partitions'
    """
    reading.index(weights, name="weights", corrupted=corrupted)
    weights = check.weights(check.vector(weights, name="weights", positive_sum=True), np.size(weights))
    m = len(weights)
    kinds = _check_kinds(corrupted, weights)
    sort = check.flag(sort, name="sort")
    ax = check_axes(ax)

    place = np.argsort(np.argsort(-weights, kind="stable")) if sort else np.arange(m)
    ax.axhline(1.0 / m, color=GREY, linestyle=":", linewidth=1.0, label="equal weights", zorder=1)
    for kind, style in kinds:
        ax.vlines(place[kind], 0.0, weights[kind], color=style["color"], linewidth=_width(m), alpha=0.6)
        ax.plot(place[kind], weights[kind], linestyle="none", **style)
    ax.set(
        title=f"Weight on {having_weight(weights)}",
        xlabel="rank of the partition, by weight" if sort else "number of the partition",
        ylabel="weight (all together: 1)",
        # With space for the legend.
        ylim=(-0.02 * weights.max(), 1.5 * weights.max()),
    )
    count_along(ax.xaxis)
    ax.legend(loc="upper right")
    return ax


def draw_agreements(ax, agreements, weights, names):
    """Draw the agreement of every partition with a consensus, the largest on top, as dots with areas like the weights.

    Hollow dots have no weight. Without names (None) the axis has ranks.
    """
    m = len(weights)
    order = np.argsort(-agreements, kind="stable")
    agreements = agreements[order]
    areas = _AREA * weights[order] / weights.max() * min(1.0, _FEW / m)
    places = np.arange(1, m + 1)
    having = areas > 0.0
    ax.axvline(0.0, color=GREY, linewidth=0.8)
    ax.hlines(places, 0.0, agreements, color=BLUE, linewidth=_width(m), alpha=0.4)
    ax.scatter(agreements[having], places[having], areas[having], color=BLUE, label="area: weight")
    if not having.all():
        ax.scatter(
            agreements[~having],
            places[~having],
            max(areas.max() / 2.0, 6.0),
            facecolors="white",
            edgecolors=VERMILLION,
            label="no weight",
        )
    axis = "partition"
    if names is None:
        axis = "rank of the partition, by agreement"
        count_along(ax.yaxis)
    else:
        ax.set_yticks(places, [names[u] for u in order], parse_math=False)
    ax.set(
        title=f"Weight on {having_weight(weights)}",
        xlabel="agreement with the consensus (1: same, 0: chance)",
        ylabel=axis,
        ylim=(m + 1.0, 0.0),
        xlim=(min(-0.05, 1.1 * agreements.min()), 1.05),
    )
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)


def plot_n_clusters(selection: ClusterNumberSelection, ax: Axes | None = None) -> Axes:
    """Draw prediction strength, agreement of halves and held-out agreement over the candidates.

    Filled circles mark the stable candidates, the vertical line the chosen number, and the dashed line the prediction
    strength from which every number is stable.

    Parameters
    ----------
    selection : ClusterNumberSelection
        Result of :func:`~robust_eac.select_n_clusters`.
    ax : as in :func:`~robust_eac.plot_coassociation`

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from robust_eac import select_n_clusters
    >>> wrong = np.random.RandomState(0).uniform(size=(60, 12)) < 0.1
    >>> labels = np.where(wrong, 0, np.repeat([0, 1, 2], 20)[:, np.newaxis])
    >>> plot_n_clusters(select_n_clusters(labels, range(1, 6), random_state=0)).get_title()
    '3 clusters'
    """
    if not isinstance(selection, ClusterNumberSelection):
        raise TypeError(f"selection must be a result of select_n_clusters, got {type(selection).__name__}.")
    ax = check_axes(ax)
    for field, (label, color, marker, dashes) in _CURVES.items():
        line = {"color": color, "marker": marker, "clip_on": False}
        if field == "prediction_strength":
            ax.plot(selection.candidates, selection.prediction_strength, linestyle="", fillstyle="none", **line)
            line |= {"zorder": 3, "markevery": list(np.flatnonzero(selection.stable))}
        ax.plot(selection.candidates, getattr(selection, field), linestyle=dashes, label=label, **line)
    ax.axhline(STABLE, color=GREY, linestyle="--", linewidth=0.8, zorder=0)
    ax.axvline(selection.n_clusters, color=GREY, linewidth=4.0, alpha=0.5, zorder=0)
    ax.set(
        title=counted(selection.n_clusters, "cluster"),
        xlabel="number of clusters",
        ylabel="strength or agreement",
        ylim=(min(0.0, *(getattr(selection, field).min() for field in _CURVES)), 1.0),
    )
    count_along(ax.xaxis)
    ax.legend()
    return ax


def plot_consensus_distribution(
    distribution: ConsensusDistribution,
    *,
    reference: ConsensusDistribution | list[ConsensusDistribution] | None = None,
    n_clusters: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the distribution of consensus values, one curve per number of clusters, which is printed on it.

    Where all resamples agree, a curve is flat between 0 and 1; its rise between the bounds, on grey, is the proportion
    of ambiguous pairs.

    Parameters
    ----------
    distribution : ConsensusDistribution
        Result of :func:`~robust_eac.consensus_distribution`.
    reference : ConsensusDistribution or list of them, default=None
        The same for data without clusters, drawn dashed.
    n_clusters : int, default=None
        The number chosen, whose curve is drawn thick.
    ax : as in :func:`~robust_eac.plot_coassociation`

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from robust_eac import ClustererEnsemble, consensus_distribution, load_dataset
    >>> make = ClustererEnsemble(n_clusters=(2, 3), n_per_k=10, max_samples=0.8, label_all=False, random_state=0)
    >>> labels = make.fit_transform(load_dataset("iris")[0])
    >>> [text.get_text() for text in plot_consensus_distribution(consensus_distribution(labels)).texts]
    ['2', '3']
    """
    given: Any = () if reference is None else reference
    references = [*given] if type(given) in (list, tuple) else [given]
    for name, value in [("distribution", distribution), *(("reference", each) for each in references)]:
        if not isinstance(value, ConsensusDistribution):
            raise TypeError(f"{name} must be a result of consensus_distribution, got {type(value).__name__}.")
    if n_clusters is not None and check.positive(n_clusters, name="n_clusters") not in distribution.n_clusters:
        raise ValueError(f"n_clusters must be one of {listed(distribution.n_clusters)}, got {n_clusters}.")
    ax = check_axes(ax)
    numbers = np.unique(np.concatenate([each.n_clusters for each in (distribution, *references)]))
    from matplotlib import colormaps

    for each, look in [*((each, {"linestyle": "--", "linewidth": 0.6}) for each in references), (distribution, {})]:
        for k, cdf in zip(each.n_clusters, each.cdf, strict=True):
            place = np.searchsorted(numbers, k) / max(1, len(numbers) - 1)
            width = {"linewidth": 4.0 if k == n_clusters else 1.5}
            ax.plot(each.grid, cdf, color=colormaps[_SEQUENCE](_LIGHTEST + (1.0 - _LIGHTEST) * place), **width | look)
            if not look:
                # Different places, so that numbers on close curves do not overlap.
                spot = {"ha": "center", "va": "center", "bbox": {"color": "white", "pad": 0.5}}
                x = 0.15 + 0.7 * place
                ax.text(x, np.interp(x, each.grid, cdf), str(k), fontweight="bold", **spot)
    chosen = "" if n_clusters is None else f", thick: {counted(n_clusters, 'cluster')}"
    ax.axvspan(*distribution.bounds, color=GREY, alpha=0.15, linewidth=0.0, zorder=0)
    ax.set(
        title=f"Consensus values{', dashed: reference' if references else ''}{chosen}",
        xlabel="consensus value of a pair of objects",
        ylabel="share of the pairs with at most this value",
    )
    ax.axis((0.0, 1.0, 0.0, 1.0))
    return ax


def _check_kinds(corrupted, weights):
    """[(mask of the partitions of a kind, line style)], the corrupted ones last."""
    n_partitions = len(weights)
    # Markers of many partitions are smaller, so that they do not hide each other.
    size = float(np.clip(300.0 / n_partitions, 2.5, 6.0))
    plain = {"color": BLUE, "marker": "o", "markersize": size}
    if corrupted is None:
        return [(np.ones(n_partitions, dtype=bool), {**plain, "label": "partitions"})]
    corrupted = check.as_array(corrupted, "corrupted")
    if corrupted.dtype != bool or corrupted.shape != (n_partitions,):
        got = f"{corrupted.dtype} of shape {corrupted.shape}"
        raise ValueError(f"corrupted must be a mask of {n_partitions} True and False, one per partition, got {got}.")
    # Crosses must be larger than dots to be recognised.
    cross = {"color": VERMILLION, "marker": "x", "markersize": max(size, 5.0)}
    kinds = [(~corrupted, {**plain, "label": "not corrupted"}), (corrupted, {**cross, "label": "corrupted"})]
    for kind, style in kinds:
        style["label"] += f" ({np.count_nonzero(kind):,}), weight {weights[kind].sum():.3g} together"
    return kinds


def _width(n_partitions):
    return float(np.clip(150.0 / n_partitions, 0.5, 1.5))
