"""Heat maps: the co-association of the objects and their memberships, in the order of a consensus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from .. import validation as check
from ..common import RandomState
from ..consensus.eac import coassociation_of
from ..core.threads import LOG
from ..ensemble import reading
from ..ensemble.encoding import encode
from ..wording import counted
from .charts import VERMILLION, check_axes, count_along

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From white (0) to dark (1), with decreasing lightness, so that it prints in grey.
_COLOURS = "Blues"
# A group is named if it takes at least this share of the axis.
_NAMED = 0.03
# Width of a character of a name, in units of the font size.
_CHARACTER = 0.7
# Columns of memberships.
_DRAWN = 1000


def plot_coassociation(
    labels: ArrayLike,
    consensus: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    max_objects: int = 1000,
    random_state: RandomState = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the co-association of the objects as a heat map, in the order of a consensus.

    The entries are those of :func:`~robust_eac.coassociation_matrix`. Objects are ordered by their cluster of the
    consensus, which is framed, and within it by average linkage. Dark squares in one frame are clusters that the
    consensus joins; a dark rectangle outside the frames is a cluster that it separates. With s objects drawn: time
    O(s^2 n_partitions) at worst, memory O(s^2).

    Parameters
    ----------
    labels, weights : as in :func:`~robust_eac.eac`
    consensus : array-like of shape (n_samples,)
        Cluster of each object, integers or text; clusters are drawn in ascending order.
    max_objects : int, default=1000
        Of more objects, this many are drawn at random, from every cluster in proportion to its size, as the title says.
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the objects
    ax : matplotlib Axes, default=None
        Axes to draw on, which a colour bar makes smaller. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> plot_coassociation(np.array([[0, 0], [0, 1], [1, 1]]), [0, 0, 1]).images[0].get_array().data
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    ensemble, of_partitions = reading.weighted_ensemble(labels, weights, consensus=consensus)
    n = ensemble.n_samples
    names, groups = _named_groups(consensus, n, "consensus")
    share_of = "partitions" if weights is None else "weight"
    max_objects = check.positive(max_objects, name="max_objects")
    rng = check.random_state(random_state)
    ax = check_axes(ax)

    from matplotlib.collections import PolyCollection

    LOG.info("drawing the co-association")
    drawn = draw_objects(groups, max_objects, rng)
    together = coassociation_of(encode(ensemble.labels[drawn]), of_partitions)
    groups = groups[drawn]
    # Objects within a group are ordered by average linkage.
    order = np.concatenate([_alike_together(together, np.flatnonzero(groups == group)) for group in np.unique(groups)])
    _draw(ax, together[np.ix_(order, order)], f"share of the {share_of} that puts both together", aspect="equal")
    starts, drawn_names = _bounds(groups[order], names)
    squares = [[(a, a), (a, b), (b, b), (b, a)] for a, b in zip(starts - 0.5, starts[1:] - 0.5, strict=False)]
    ax.add_collection(PolyCollection(squares, facecolors="none", edgecolors=VERMILLION, linewidths=_width(len(starts))))
    ticks = _names_that_fit(ax, starts, drawn_names)
    ax.xaxis.set_ticks(*ticks)
    ax.yaxis.set_ticks(*ticks)
    ax.set(
        title=f"Co-association of {_how_many(n, len(drawn))} in {counted(len(names), 'cluster')}",
        xlabel="objects, by cluster of the consensus",
        ylabel="objects, by cluster of the consensus",
    )
    return ax


def plot_membership(membership: ArrayLike, *, labels: ArrayLike | None = None, ax: Axes | None = None) -> Axes:
    """Draw the memberships of the objects as a heat map, ordered by cluster and certainty.

    One column per object, one row per cluster. Within a group, objects are ordered by their cluster of largest
    membership, the most certain first. Of more than 1000 objects, 1000 at equal distances in this order are drawn, as
    the title says. A column that is dark in one row is an object with a certain cluster.

    Parameters
    ----------
    membership : array-like of shape (n_samples, n_clusters)
        Memberships :math:`Y^T`, rows on the simplex.
    labels : array-like of shape (n_samples,), default=None
        The group of each object: its class or cluster, integers or text. None means the cluster of largest membership.
    ax : as in :func:`~robust_eac.plot_coassociation`

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> plot_membership([[0.9, 0.1], [0.2, 0.8], [1.0, 0.0]]).images[0].get_array().data
    array([[1. , 0.9, 0.2],
           [0. , 0.1, 0.8]])
    """
    reading.index(membership, name="membership", labels=labels)
    array = check.as_dense(membership, "membership")
    n = len(array) if array.ndim else 0
    if n == 0:
        raise ValueError("membership must have shape (n_samples, n_clusters) and at least one object, got none.")
    membership = check.membership(array, n)
    k = membership.shape[1]
    largest = membership.argmax(axis=1)
    grouping = "label"
    if labels is None:
        labels = largest
        grouping = "cluster of largest membership"
    names, groups = _named_groups(labels, n, "labels")
    ax = check_axes(ax)

    order = np.lexsort((-membership.max(axis=1), largest, groups))
    if n > _DRAWN:
        order = _spread(order, _DRAWN, n // 2)
    # Other interpolation would blur the few rows.
    _draw(ax, membership[order].T, "membership", aspect="auto", interpolation="nearest")
    starts, names = _bounds(groups[order], names)
    ax.vlines(starts[1:-1] - 0.5, -0.5, k - 0.5, color=VERMILLION, linewidth=_width(len(starts)))
    ax.xaxis.set_ticks(*_names_that_fit(ax, starts, names))
    count_along(ax.yaxis)
    ax.set(
        title=f"Memberships of {_how_many(n, len(order))} in {counted(k, 'cluster')}",
        xlabel=f"objects, by {grouping}, the surest first",
        ylabel="cluster",
    )
    return ax


def _named_groups(labels, n, name):
    """(names of the groups, -1 for unknown; the group of each object) of labels in any form."""
    codes = reading.clusters(labels, n, name=name)
    meanings = reading.label_column(labels, name)[1]
    if meanings is not None:
        codes = np.array([*map(str, meanings), "-1"])[codes]
    return np.unique(codes, return_inverse=True)


def draw_objects(groups, size, rng):
    """All objects, or `size` random ones if there are more, from every group about in proportion to its size."""
    n = len(groups)
    if n <= size:
        return np.arange(n)
    return _spread(np.lexsort((rng.permutation(n), groups)), size, rng.randint(n))


def _alike_together(together, objects):
    """Objects in the order of the leaves of average linkage."""
    if len(objects) < 3:
        return objects
    apart = squareform(1.0 - together[np.ix_(objects, objects)], checks=False)
    return objects[leaves_list(linkage(apart, method="average"))]


def _spread(order, size, offset):
    """`size` evenly spaced objects of an order, the first at offset / size; offset < number of objects."""
    return order[(np.arange(size) * len(order) + offset) // size]


def _how_many(n, n_drawn):
    return counted(n, "object") if n == n_drawn else f"{counted(n_drawn, 'object')},\ndrawn from {n:,},"


def _draw(ax, matrix, label, **options):
    """Draw a heat map from 0 to 1 with a colour bar."""
    ax.figure.colorbar(ax.imshow(matrix, cmap=_COLOURS, vmin=0.0, vmax=1.0, **options), ax=ax, label=label)


def _bounds(groups, names):
    """(start of each group among ordered objects, followed by the end; names of the groups)."""
    present, starts = np.unique(groups, return_index=True)
    return np.append(starts, len(groups)), names[present]


def _width(n_groups):
    """Width in points of the lines around groups; many lines are thin, so that they do not hide the map."""
    return float(np.clip(15.0 / n_groups, 0.3, 0.8))


def _names_that_fit(ax, starts, names):
    """(middles, names) of the groups that are large enough; of names that would touch below the axis, the larger's."""
    ax.apply_aspect()
    points = ax.get_window_extent().width / ax.figure.dpi * 72.0
    texts = [str(name) for name in names]
    middles = 0.5 * (starts[1:] + starts[:-1]) - 0.5
    character = _CHARACTER * ax.xaxis.get_ticklabels()[0].get_fontsize() * starts[-1] / points
    half = [0.5 * character * len(text) for text in texts]
    sizes = np.diff(starts)
    named = []
    for group in np.argsort(-sizes, kind="stable"):
        apart = all(abs(middles[group] - middles[other]) >= half[group] + half[other] for other in named)
        if apart and sizes[group] >= _NAMED * starts[-1]:
            named.append(group)
    named.sort()
    return middles[named], [texts[group] for group in named]
