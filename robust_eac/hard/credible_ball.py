"""The credible ball around a partition: how far from it posterior draws lie, and in which direction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_ensemble, check_labels, check_sample_weight
from ..checks.values import check_real, check_weights
from ..solve.encoding import encode_ensemble
from .losses import check_hard, check_loss
from .search import partition_losses

__all__ = ["CredibleBall", "credible_ball"]

# Share of the draws that a ball holds, unless told otherwise.
LEVEL = 0.95
# Distances that differ by less than this share of the largest possible one are equal, and so are sums of weights that
# differ by less than this share: the rest is rounding.
_SAME_DISTANCE = 1e-13
_SAME_MASS = 1e-10


class CredibleBall(NamedTuple):
    """What :func:`credible_ball` returns."""

    radius: float
    distances: np.ndarray
    inside: np.ndarray
    horizontal: np.ndarray
    vertical_upper: np.ndarray
    vertical_lower: np.ndarray


def credible_ball(
    labels: ArrayLike,
    partition: ArrayLike,
    *,
    level: float = LEVEL,
    loss: str = "binder",
    cost: float = 1.0,
    weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> CredibleBall:
    """The smallest ball around a partition that holds a given share of the posterior draws.

    Computes the least radius eps with  sum_u w_u [d(u, c) <= eps] >= level,  where c is the partition, usually the
    point estimate, and d the loss of :func:`~robust_eac.hard_partition_losses` [1]_. A large ball means an uncertain
    estimate. Three bounds tell how the draws at its edge look:

        horizontal      the draws in the ball that are farthest from c
        vertical upper  of the draws in the ball with fewest clusters, those farthest from c
        vertical lower  of the draws in the ball with most clusters, those farthest from c

    With "binder" or "vi" and ``cost=1``, d is a metric on partitions, as [1]_ asks; "nvi", "id" and "nid" are metrics,
    too. With "omari", with two costs or with missing labels d is no metric: the ball is then what the formula says and
    no more.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Posterior draws, one per column; -1 marks an object that the draw did not observe. An incomplete draw is
        compared, and its clusters counted, on the objects that it observes.
    partition : array-like of shape (n_samples,), int
        The centre, a hard partition: any integer codes but -1. It need not be a draw.
    level : float, default=0.95
        Share of the draws, by weight, that the ball holds at least: greater than 0, at most 1.
    loss : {"binder", "vi", "omari", "nvi", "id", "nid"}, default="binder"
        The loss, as in :func:`~robust_eac.hard_partition_losses`.
    cost : float, default=1.0
        Between 0 and 2: what it costs the centre to part objects that a draw puts together; to join objects that it
        parts costs 2 - cost. Other values than 1 need "binder" or "vi".
    weights : array-like of shape (n_partitions,), default=None
        w: weights of the draws, non-negative, not all zero; normalised to sum to one. None means uniform. A draw of
        weight zero is none: it has a distance, but is not in the ball.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: weight w counts as w identical objects; clusters without weight are not counted. None
        means one each.

    Returns
    -------
    result : CredibleBall
        Named tuple: `radius`, and `distances` of shape (n_partitions,), in the units of
        :func:`~robust_eac.hard_partition_losses`; `inside`, a mask of shape (n_partitions,) of the draws in the ball;
        `horizontal`, `vertical_upper` and `vertical_lower`, ascending columns of `labels`. Of equal partitions, also
        under other names of the clusters, the first stands for all.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range; soft partitions are refused, having no number of clusters.

    Notes
    -----
    Distances that differ by rounding alone count as equal, and so does a share of the draws that misses `level` by
    rounding alone.

    Time O(n_samples n_partitions + k sum_u k_u + n_partitions log n_partitions), where draw u has k_u clusters and the
    partition k; memory O(n_samples n_partitions + k sum_u k_u). For k above 256 both are without k sum_u k_u.

    References
    ----------
    .. [1] Wade, Ghahramani, "Bayesian cluster analysis: point estimation and credible balls", Bayesian Analysis 13(2),
       2018, Section 4.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 1, 2], [1, 0, 2, 3]])
    >>> ball = credible_ball(draws, [0, 0, 1, 1], level=0.75, loss="vi")
    >>> ball.distances
    array([0. , 1. , 0.5, 1. ])
    >>> ball.radius, ball.inside
    (1.0, array([ True,  True,  True,  True]))
    >>> ball.horizontal, ball.vertical_upper, ball.vertical_lower
    (array([1, 3]), array([1]), array([3]))
    """
    ensemble = check_ensemble(check_labels(labels))
    clusters = check_hard(partition, ensemble.n_samples)
    level = check_real(level, name="level", low=0.0, high=1.0, strict=True)
    aim = check_loss(loss, cost)
    weights = check_weights(weights, ensemble.n_partitions)
    encoding = encode_ensemble(ensemble, check_sample_weight(sample_weight, ensemble))

    distances = partition_losses(encoding, clusters, aim)
    ties = _SAME_DISTANCE * aim.loss.largest(encoding.total)
    inside = (weights > 0.0) & (distances <= radius_of(distances, weights, level) + ties)
    n_clusters = np.add.reduceat(encoding.sizes > 0.0, encoding.offsets, dtype=np.intp)

    def farthest(draws):
        return _distinct(encoding, np.flatnonzero(draws & (distances >= distances[draws].max() - ties)))

    return CredibleBall(
        radius=float(distances[inside].max()),
        distances=distances,
        inside=inside,
        horizontal=farthest(inside),
        vertical_upper=farthest(inside & (n_clusters == n_clusters[inside].min())),
        vertical_lower=farthest(inside & (n_clusters == n_clusters[inside].max())),
    )


def radius_of(distances, weights, level):
    """Distance of the first draw, from the nearest to the farthest, beyond which at most 1 - level of the mass lies."""
    order = np.argsort(distances, kind="stable")
    order = order[weights[order] > 0.0]
    # Summed from the farthest, so that a level of 1 leaves out no draw, however little it weighs.
    beyond = np.append(np.cumsum(weights[order][:0:-1])[::-1], 0.0)
    return distances[order[np.argmax(beyond <= (1.0 - level) * (1.0 + _SAME_MASS))]]


def _distinct(encoding, draws):
    """The draws without later copies of an equal partition of the objects that have weight."""
    rows, found = encoding.multiplicity > 0.0, {}
    for u in draws:
        # Every object by the first of its cluster.
        _, first, codes = np.unique(encoding.codes[rows, u], return_index=True, return_inverse=True)
        observed = encoding.observed[rows, encoding.mask_of[u]]
        found.setdefault(np.where(observed, first[codes], -1).tobytes(), u)
    return np.array(list(found.values()), dtype=np.intp)
