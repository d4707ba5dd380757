"""Losses of a hard partition: against every given partition, expected, and if an object went elsewhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_ensemble, check_labels, check_sample_weight
from ..checks.types import ClusterWeights, Labels
from ..checks.values import as_array, check_choice, check_real, check_weights
from ..solve.encoding import encode_ensemble, sub_ensemble
from ..weightings.clusters import check_cluster_weights, weigh_by
from .median_partition import check_codes, check_cost_fits, check_ensemble_fits
from .search import LOSSES, Aim, moves, partition_losses

__all__ = ["ReassignmentCosts", "expected_losses", "hard_partition_losses", "reassignment_costs"]


class ReassignmentCosts(NamedTuple):
    """What :func:`reassignment_costs` returns: one value per object in each field."""

    clusters: np.ndarray
    rises: np.ndarray


def hard_partition_losses(
    labels: Labels,
    partition: ArrayLike,
    *,
    loss: str = "binder",
    cost: float = 1.0,
    sample_weight: ArrayLike | None = None,
    cluster_weights: ClusterWeights = None,
) -> np.ndarray:
    """Loss of every partition of the ensemble against a hard partition.

    Computes d(u, c), where c is the hard partition, u a column of `labels`, H the entropy in bits, I the mutual
    information, and 0/0 means that the two agree:

        binder   (cost P(u \\ c) + (2 - cost) P(c \\ u)) / n_u^2  [1]_
        vi       cost H(c | u) + (2 - cost) H(u | c)  [2]_
        omari    1 - ARI(u, c), one minus the adjusted Rand index [3]_
        nvi      1 - I(u, c) / H(u, c)  [4]_
        id       max(H(u), H(c)) - I(u, c)  [4]_
        nid      1 - I(u, c) / max(H(u), H(c))  [4]_

    P(u \\ c) is the number of ordered pairs of objects that u puts together and c does not. With ``cost=1``, "binder"
    is the share of the pairs on which the two disagree, and "vi" the variation of information.

    All are losses of :func:`~robust_eac.solve_hard_median_partition`. With ``cost=1`` and complete partitions, all but
    "omari" are metrics. An incomplete partition is compared on the n_u objects that it observes.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list of clusterings
        Base clusterings or posterior draws, one per column; -1 marks an object that the partition did not observe. A
        list may hold soft partitions, as in :func:`~robust_eac.partition_losses`, with "binder" and ``cost=1`` only.
        Their loss is |Y'Y - X_u'X_u|^2 / n_u^2.
    partition : array-like of shape (n_samples,), int
        The hard partition: any integer codes but -1.
    loss : {"binder", "vi", "omari", "nvi", "id", "nid"}, default="binder"
        The loss.
    cost : float, default=1.0
        Between 0 and 2: what it costs to part objects that u puts together; to join objects that u parts costs
        2 - cost. Other values than 1 need "binder" or "vi".
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: weight w counts as w identical objects. None means one each.
    cluster_weights : {"size"} or list of ndarrays, default=None
        Weights of the base clusters, as in :func:`~robust_eac.partition_losses`; with "binder" and ``cost=1`` only.

    Returns
    -------
    losses : ndarray of shape (n_partitions,)
        "binder" in ordered pairs over n_u^2, in [0, 2]; "vi" and "id" in bits; the others without unit: "omari" in
        [0, 2), 1 being chance, "nvi" and "nid" in [0, 1]. Zero for the same partition (hard, without cluster weights).

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or `cost`, soft partitions or `cluster_weights` do not go with the
        loss.

    Notes
    -----
    Time O(n_samples n_partitions + k sum_u k_u), where u has k_u clusters and `partition` k; memory
    O(n_samples n_partitions + k sum_u k_u). With more than 256 clusters only those that share objects count, and both
    are O(n_samples n_partitions).

    References
    ----------
    .. [1] Binder, "Bayesian cluster analysis", Biometrika 65(1), 1978.
    .. [2] Meilă, "Comparing clusterings - an information based distance", Journal of Multivariate Analysis 98(5), 2007.
    .. [3] Hubert, Arabie, "Comparing partitions", Journal of Classification 2, 1985.
    .. [4] Vinh, Epps, Bailey, "Information theoretic measures for clusterings comparison", Journal of Machine Learning
       Research 11, 2010, which proves that they are metrics.
    .. [5] Dahl, Johnson, Müller, "Search algorithms and loss functions for Bayesian clustering", Journal of
       Computational and Graphical Statistics 31(4), 2022, for "binder" and "vi" with two costs.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 2], [1, 0, 3]])
    >>> hard_partition_losses(labels, [0, 0, 1, 1])
    array([0.  , 0.5 , 0.25])
    >>> hard_partition_losses(labels, [0, 0, 1, 1], loss="vi", cost=1.5)
    array([0. , 1.5, 0.5])
    """
    ensemble = check_ensemble(labels)
    clusters = check_hard(partition, ensemble.n_samples)
    aim = check_loss(loss, cost)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    return partition_losses(_encode(ensemble, sample_weight, cluster_weights, loss, aim.cost), clusters, aim)


def expected_losses(
    labels: ArrayLike,
    *,
    loss: str = "binder",
    cost: float = 1.0,
    weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray:
    """Expected loss of every given partition as an estimate.

    Computes  L_v = sum_u w_u d(u, v),  with d as in :func:`hard_partition_losses` and v, the estimate, in the place of
    its hard partition. With posterior draws in the columns, L_v is the Monte Carlo estimate of the posterior expected
    loss of draw v [1]_. The draw of least expected loss is the simplest point estimate;
    :func:`~robust_eac.solve_hard_median_partition` searches all partitions for a better one.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Posterior draws or base clusterings, one per column; -1 marks an object that the partition did not observe. Two
        partitions are compared on the objects that both observe. Partitions that share none with v are left out of L_v,
        and the other weights are normalised to sum to one. So incomplete partitions can be ranked among those that
        observe the same objects, but not against others.
    loss : {"binder", "vi", "omari", "nvi", "id", "nid"}, default="binder"
        The loss, as in :func:`hard_partition_losses`.
    cost : float, default=1.0
        Between 0 and 2: what it costs the estimate to part objects that u puts together; to join objects that u parts
        costs 2 - cost. Other values than 1 need "binder" or "vi".
    weights : array-like of shape (n_partitions,), default=None
        w: non-negative, not all zero; normalised to sum to one. None means uniform.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: weight w counts as w identical objects. None means one each.

    Returns
    -------
    losses : ndarray of shape (n_partitions,)
        In the units of :func:`hard_partition_losses`. NaN for a partition that shares no object (of positive weight)
        with any partition of positive weight, which takes missing labels and a weight of zero.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range; soft partitions are refused, being no estimates.

    Notes
    -----
    Time O(n_partitions^2 (n_samples + k^2)), with k the largest number of clusters; memory
    O(n_partitions (n_samples + k^2)). Both are without k^2 for estimates of more than 256 clusters.

    References
    ----------
    .. [1] Dahl, Johnson, Müller, "Search algorithms and loss functions for Bayesian clustering", Journal of
       Computational and Graphical Statistics 31(4), 2022.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 2], [1, 0, 3]])
    >>> expected_losses(draws)
    array([0.25      , 0.41666667, 0.33333333])
    >>> expected_losses(draws, loss="vi", weights=[1, 2, 1]).round(6)
    array([0.75, 0.75, 1.25])
    """
    ensemble = check_ensemble(check_labels(labels))
    aim = check_loss(loss, cost)
    weights = check_weights(weights, ensemble.n_partitions)
    encoding = encode_ensemble(ensemble, check_sample_weight(sample_weight, ensemble))

    found = np.full(len(weights), np.nan)
    for mask, observed in enumerate(encoding.observed.T):
        rows = np.flatnonzero(observed & (encoding.multiplicity > 0.0))
        seen = encoding.observed[rows].any(axis=0)[encoding.mask_of]
        judges = np.flatnonzero(seen & (weights > 0.0))
        if len(judges) == 0:
            continue
        # The judges on the objects that the estimates of this mask observe.
        part = sub_ensemble(encoding, rows, judges)
        shares = weights[judges] / weights[judges].sum()
        for v in np.flatnonzero(encoding.mask_of == mask):
            found[v] = shares @ partition_losses(part, encoding.codes[rows, v].astype(np.intp), aim)
    return found


def reassignment_costs(
    labels: Labels,
    partition: ArrayLike,
    *,
    loss: str = "binder",
    cost: float = 1.0,
    weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    cluster_weights: ClusterWeights = None,
) -> ReassignmentCosts:
    """How much the objective rises if an object goes to its best other cluster.

    Computes, for every object i,  min over c' of  (L(c') - L(c)) / w_i,  where c is the hard partition, c' differs
    from it in the cluster of i alone, w_i is the weight of i, and  L(c) = sum_u alpha_u d(u, c)  is the objective of
    :func:`~robust_eac.solve_hard_median_partition`, with d as in :func:`hard_partition_losses`. The other cluster may
    be a new one, unless the object is alone already.

    A small rise means an uncertain object, whose other cluster is almost as good. A negative one means that the move
    lowers the objective; a partition that this solver returned has none (up to rounding). The rises say nothing of
    moves of several objects at once: for these see :func:`~robust_eac.credible_ball`.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list of clusterings
        Base clusterings or posterior draws, one per column, as in :func:`hard_partition_losses`.
    partition : array-like of shape (n_samples,), int
        The hard partition: any integer codes but -1.
    loss : {"binder", "vi", "omari", "nvi", "id", "nid"}, default="binder"
        The loss, as in :func:`hard_partition_losses`.
    cost : float, default=1.0
        Between 0 and 2: what it costs to part objects that u puts together; to join objects that u parts costs
        2 - cost. Other values than 1 need "binder" or "vi".
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: weight w counts as w identical objects that move together. None means one each. An
        object of weight zero has the rise that one of the commonest weight would bring, beside the others.
    cluster_weights : {"size"} or list of ndarrays, default=None
        Weights of the base clusters, as in :func:`~robust_eac.partition_losses`; with "binder" and ``cost=1`` only.

    Returns
    -------
    result : ReassignmentCosts
        Named tuple of arrays of shape (n_samples,): `clusters`, the code in `partition` of the best other cluster, -1
        for a new one; `rises`, in the units of :func:`hard_partition_losses` per unit of weight. A single object has
        nowhere to go: -1 and infinity.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, `cost`, soft partitions or `cluster_weights` do not go with the
        loss, or the clusters are too many for it (see Notes).

    Notes
    -----
    Time O(n_samples n_partitions k) for k clusters of the partition, memory O(n_samples n_partitions + k sum_u k_u)
    where u has k_u clusters. With more than 256 clusters, "binder" and "vi" look only at those that share a base
    cluster with the object, and at one more; the other losses are refused if k sum_u k_u is above 2^28.

    References
    ----------
    .. [1] Rastelli, Friel, "Optimal Bayesian estimators for latent variable cluster models", Statistics and Computing
       28, 2018, whose greedy search evaluates these moves.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.column_stack([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], *3 * [[0, 0, 1, 1, 1]]])
    >>> result = reassignment_costs(draws, [7, 7, 8, 8, 8], cost=1.5)
    >>> result.clusters
    array([-1, -1,  7, -1, -1])
    >>> result.rises.round(3)
    array([0.12 , 0.12 , 0.064, 0.176, 0.176])
    """
    ensemble = check_ensemble(labels)
    codes = check_hard(partition, ensemble.n_samples)
    aim = check_loss(loss, cost)
    weights = check_weights(weights, ensemble.n_partitions)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    encoding = _encode(ensemble, sample_weight, cluster_weights, loss, aim.cost)

    used, best, rises = reassign(encoding, weights, aim, codes)
    names = np.append(_names(partition, codes)[used], -1)
    return ReassignmentCosts(np.where(np.isfinite(rises), names[best], -1), rises)


def reassign(encoding, weights, aim, codes):
    """(clusters that have weight, best other one of every row among them and a new one at the end, rise per weight).

    No cluster is new if the aim allows no more than there are.
    """
    # Clusters that have weight, side by side. Objects in others are alone: they stand in the empty column at the end.
    heavy = encoding.multiplicity > 0.0
    n_heavy = np.bincount(codes, weights=heavy)
    used = np.flatnonzero(n_heavy)
    columns = np.where(n_heavy[codes] > 0.0, np.searchsorted(used, codes), len(used))
    best, rises = moves(encoding, weights, aim, columns, len(used) + 1)
    # From its own cluster to an empty one is no move.
    confined = heavy & ((n_heavy[codes] == 1.0) | (len(used) >= aim.n_clusters))
    if confined.any():
        others = moves(encoding, weights, aim, np.minimum(columns, len(used) - 1), len(used))
        best[confined], rises[confined] = others[0][confined], others[1][confined]
    return used, best, rises


def check_loss(loss, cost):
    """The :class:`~robust_eac.hard.search.Aim` of a loss and a cost, without a limit to the clusters."""
    chosen = LOSSES[check_choice(loss, LOSSES, name="loss")]
    cost = check_real(cost, name="cost", low=0.0, high=2.0)
    check_cost_fits(cost, loss)
    return Aim(chosen, cost, np.inf)


def check_hard(partition, n_samples):
    """Codes 0, 1, ... of a hard partition, in the order of its labels."""
    array = as_array(partition, "partition")
    if array.shape != (n_samples,):
        raise ValueError(f"partition must have shape ({n_samples},), one label per object, got {array.shape}.")
    return check_codes(array, "partition")


def _names(partition, codes):
    """The label of every code."""
    return np.asarray(partition)[np.unique(codes, return_index=True)[1]].astype(np.int64)


def _encode(ensemble, sample_weight, cluster_weights, loss, cost):
    """The encoding; soft partitions and weights of base clusters are for "binder" at cost 1 alone."""
    cluster_weights = check_cluster_weights(cluster_weights)
    check_ensemble_fits(ensemble, cluster_weights, loss, cost)
    return weigh_by(encode_ensemble(ensemble, sample_weight), cluster_weights)
