"""How certain a partition is among posterior draws: the smallest ball around it with a given share of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..wording import counted, listed
from .contingency import LEAST_GAIN, hard_losses
from .losses import check_partition

# Share of the draws in a ball by default.
CREDIBLE_LEVEL = 0.95
# Differences of sums of weights below this share are treated as zero.
_SAME_MASS = 1e-10


class CredibleBall(NamedTuple):
    """Result of :func:`credible_ball`."""

    radius: float
    distances: np.ndarray
    inside: np.ndarray
    horizontal: np.ndarray
    vertical_upper: np.ndarray
    vertical_lower: np.ndarray

    def summary(self) -> str:
        """Report in words the radius, the number of partitions inside, the farthest, the coarsest and the finest."""
        inside = f"{np.count_nonzero(self.inside):,} of {counted(len(self.inside), 'partition')}"
        bounds = {"farthest": self.horizontal, "coarsest": self.vertical_upper, "finest": self.vertical_lower}
        rows = {"radius": f"{self.radius:.5g}", "inside": inside} | {name: listed(of) for name, of in bounds.items()}
        return "\n".join(f"{name:<13}{text}" for name, text in rows.items())


def credible_ball(
    labels: ArrayLike,
    partition: ArrayLike,
    *,
    level: float = CREDIBLE_LEVEL,
    loss: str = "binder",
    cost: float = 1.0,
    weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> CredibleBall:
    r"""Find the smallest ball around a partition that contains a given share of the posterior draws.

    Its radius is the least :math:`\epsilon` with :math:`\sum_u w_u [d(u, c) \le \epsilon]` at least `level`, where c is
    the partition, usually the point estimate, and d the loss of :func:`hard_partition_losses` [1]_. A large ball means
    an uncertain estimate. Its edge is described by the draws in the ball that are farthest from c (`horizontal`), and
    by the farthest ones of those with fewest (`vertical_upper`) and with most clusters (`vertical_lower`). Time and
    memory as :func:`hard_partition_losses`.

    Parameters
    ----------
    labels, weights
        As in :func:`expected_losses`. An incomplete draw is compared, and its clusters counted, on the objects that it
        observes. A draw of weight zero has a distance, but is not in the ball.
    partition, loss, cost, sample_weight : as in :func:`hard_partition_losses`; the partition need not be a draw
    level : float, default=0.95
        Smallest share of the draws, by weight, in the ball: greater than 0, at most 1, up to rounding.

    Returns
    -------
    result : CredibleBall
        Named tuple: `radius`, and `distances` of shape (n_partitions,); `inside`, a mask of shape (n_partitions,) of
        the draws in the ball; `horizontal`, `vertical_upper` and `vertical_lower`, ascending columns of `labels`: the
        first of equal partitions, whatever the names of their clusters.

    References
    ----------
    .. [1] Wade, Ghahramani, "Bayesian cluster analysis: point estimation and credible balls", Bayesian Anal. 13, 2018.

    Examples
    --------
    >>> draws = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 1, 2], [1, 0, 2, 3]])
    >>> ball = credible_ball(draws, [0, 0, 1, 1], level=0.75, loss="vi")
    >>> ball.radius, ball.horizontal, ball.vertical_upper, ball.vertical_lower
    (1.0, array([1, 3]), array([1]), array([3]))
    """
    level = check.real(level, name="level", low=0.0, high=1.0, strict=True)
    checked = check_partition(labels, partition, loss, cost, weights, sample_weight)
    encoding, weights, chosen, _, clusters = checked

    distances = hard_losses(encoding, clusters, chosen)
    # Distances that differ by less are equal.
    ties = LEAST_GAIN * chosen.largest(encoding.partitions.total)
    inside = (weights > 0.0) & (distances <= radius_of(distances, weights, level) + ties)
    n_clusters = np.add.reduceat(encoding.partitions.sizes > 0.0, encoding.partitions.offsets, dtype=np.intp)

    def farthest(draws):
        return distinct(encoding, np.flatnonzero(draws & (distances >= distances[draws].max() - ties)))

    return CredibleBall(
        radius=float(distances[inside].max()),
        distances=distances,
        inside=inside,
        horizontal=farthest(inside),
        vertical_upper=farthest(inside & (n_clusters == n_clusters[inside].min())),
        vertical_lower=farthest(inside & (n_clusters == n_clusters[inside].max())),
    )


def radius_of(distances, weights, level):
    """The least distance of a draw such that the draws beyond it have at most 1 - level of the weight."""
    order = np.argsort(distances, kind="stable")
    order = order[weights[order] > 0.0]
    # Summed from the farthest, so that a level of 1 includes every draw, however small its weight.
    beyond = np.append(np.cumsum(weights[order][:0:-1])[::-1], 0.0)
    return distances[order[np.argmax(beyond <= (1.0 - level) * (1.0 + _SAME_MASS))]]


def distinct(encoding, partitions):
    """Some partitions without later duplicates under any names of clusters; only objects with weight count."""
    rows = encoding.rows.multiplicity > 0.0
    found = {}
    for u in partitions:
        # Label every object by the first object of its cluster.
        _, first, codes = np.unique(encoding.rows.codes[rows, u], return_index=True, return_inverse=True)
        observed = encoding.rows.observed[rows, encoding.partitions.mask_of[u]]
        found.setdefault(np.where(observed, first[codes], -1).tobytes(), u)
    return np.array(list(found.values()), dtype=np.intp)
